"""The text of an error about a queue that does not exist: which queue manager was asked, and which
queues have a similar name. Asked for after the error, over the same connection; the queue manager
names only queues that the user may display or inquire."""

from __future__ import annotations

from ternmq.base.constants import MQOT_Q
from ternmq.base.errors import ObjectUnknown
from ternmq.base.reasons import MQRC_UNKNOWN_OBJECT_NAME
from ternmq.base.similar import question
from ternmq.values.calls.call import Call
from ternmq.values.calls.messages import Put1
from ternmq.values.calls.objects import FindSimilarQueues, Open


def inquiry_for(call: Call, error: ObjectUnknown) -> FindSimilarQueues | None:
    """What to ask after an error; None if the error says enough, or is not about a queue here."""
    if error.reason != MQRC_UNKNOWN_OBJECT_NAME or error.detail:
        return None
    if not isinstance(call, Open | Put1):
        return None
    od = call.od
    if od.object_qmgr_name.strip() or od.object_type != MQOT_Q or not od.object_name.strip():
        return None
    return FindSimilarQueues(od.object_name.strip())


def explain(error: ObjectUnknown, inquiry: FindSimilarQueues, qmgr_name: str) -> None:
    """Queue 'ORDERZ' does not exist on QM1. Did you mean ORDERS?"""
    text = f"Queue '{inquiry.object_name}' does not exist on {qmgr_name}."
    error.detail = f"{text} {question(inquiry.names)}".rstrip()
