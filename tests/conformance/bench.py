"""The bench on which documented behaviour is tried: one row, one call of the MQI, one reason.

A row names the rule, the topic of IBM's MQ documentation that states it, the reason it leads to
(0: it is allowed) and the call. The call is made on verbs, not on the friendlier classes above.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ternmq
from ternmq import Descriptor, MQError, QueueManager
from ternmq import constants as mq
from ternmq.base.reason_lookup import reason as reason_row
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import GetCall
from ternmq.mqi.getting import get_request as request_get
from ternmq.values.entry import Entry
from tests.mqi import mqi

IN = mq.MQOO_INPUT_SHARED
OUT = mq.MQOO_OUTPUT
BROWSE = mq.MQOO_BROWSE
INQ = mq.MQOO_INQUIRE
SET = mq.MQOO_SET
ALL = IN | OUT | BROWSE | INQ | SET

VALIDATING = "Rules for validating MQI options"


def topic(reason: int) -> str:
    """The name of the topic on a reason code."""
    return f"{reason} ({reason:04X}) (RC{reason}): {reason_row(reason).name}"


class Bench:
    """A queue manager in memory with one object of each kind, and short ways to call each verb."""

    def __init__(self) -> None:
        self.qmgr: QueueManager = ternmq.memory("QM1")
        self.verbs = mqi(self.qmgr)
        self.qmgr.define_queue("Q")
        self.qmgr.define_queue("OTHER")
        self.qmgr.define_queue("FIT")
        self.qmgr.define_alias("ALIAS", "Q")
        self.qmgr.define_alias("LOST", "NOWHERE")
        self.qmgr.define_alias("TWICE", "ALIAS")
        self.qmgr.define_model("TEMP", definition_type="TEMPDYN")
        self.qmgr.define_model("PERM", definition_type="PERMDYN")
        self.qmgr.define_queue("SHUT", put="DISABLED", get="DISABLED")
        self.qmgr.define_queue("SMALL", max_depth=1, max_message_length=10)

    # ---- objects

    def open(self, name: str, options: int, **fields: Any) -> Handle:
        return self.verbs.open(ObjectDescriptor(object_name=name, **fields), options)

    def queue_manager(self, options: int = INQ, **fields: Any) -> Handle:
        return self.open("", options, object_type=mq.MQOT_Q_MGR, **fields)

    def close(self, handle: Handle, options: int = 0) -> None:
        self.verbs.close(handle, options)

    def closed(self, options: int = ALL) -> Handle:
        """A handle of Q that was closed."""
        handle = self.open("Q", options)
        self.close(handle)
        return handle

    def deleted(self, options: int = ALL) -> Handle:
        """A handle of a dynamic queue that somebody else has deleted."""
        creator = self.open("PERM", INQ, dynamic_queue_name="GONE")
        handle = self.open("GONE", options)
        self.close(creator, mq.MQCO_DELETE)
        return handle

    # ---- messages

    def put(
        self,
        where: str | Handle = "Q",
        options: int = mq.MQPMO_NO_SYNCPOINT,
        *,
        data: bytes = b"data",
        open_options: int = OUT,
        version: int = 2,
        context: int = 0,
        md_version: int = 2,
        **fields: Any,
    ) -> Entry:
        """MQPUT of a descriptor with these fields."""
        handle = self.open(where, open_options) if isinstance(where, str) else where
        pmo = PutOptions(version=version, options=options, context=context)
        md = Descriptor(version=md_version, **fields)
        return self.verbs.put(handle, self.verbs.request_put(md, pmo), data)

    def put1(
        self,
        name: str = "Q",
        options: int = mq.MQPMO_NO_SYNCPOINT,
        *,
        data: bytes = b"data",
        version: int = 2,
        od: dict[str, Any] | None = None,
        md_version: int = 2,
        **fields: Any,
    ) -> bytes:
        """MQPUT1."""
        pmo = PutOptions(version=version, options=options)
        md = Descriptor(version=md_version, **fields)
        request = self.verbs.request_put(md, pmo, "MQPUT1")
        return self.verbs.put1(ObjectDescriptor(object_name=name, **(od or {})), request, data)

    def get(
        self,
        where: str | Handle = "Q",
        options: int = mq.MQGMO_NO_SYNCPOINT,
        *,
        open_options: int = IN | BROWSE,
        length: int = 1000,
        md: Descriptor | None = None,
        **fields: Any,
    ) -> GetCall:
        """MQGET with an MQGMO of these fields."""
        handle = self.open(where, open_options) if isinstance(where, str) else where
        gmo = GetOptions(options=options, **fields)
        return self.verbs.get(handle, request_get(md or Descriptor(), gmo, length))


@dataclass(frozen=True)
class Row:
    """One documented rule."""

    rule: str
    topic: str
    reason: int
    act: Callable[[Bench], object]
    comp: int = -1  # where it is not that of the reason in all other cases

    @property
    def completion(self) -> int:
        if self.comp >= 0:
            return self.comp
        return reason_row(self.reason).comp if self.reason else mq.MQCC_OK


def row(rule: str, reason: int, act: Callable[[Bench], object], source: str | None = None) -> Row:
    """A row whose source is the topic on its reason unless another one is named."""
    return Row(rule, source or topic(reason), reason, act)


def judge(one: Row) -> None:
    """Make the call and compare the answer; the queue manager must be fit for work after it."""
    bench = Bench()
    try:
        reason = 0
        comp = mq.MQCC_OK
        try:
            answer = one.act(bench)
            if isinstance(answer, GetCall):
                reason = int(answer.reason)
                comp = reason_row(reason).comp if reason else mq.MQCC_OK
        except MQError as error:
            reason = error.reason
            comp = error.comp
        reported = f"{one.rule}: {reason_row(reason).name} and not {reason_row(one.reason).name}"
        assert reason == one.reason, reported
        assert comp == one.completion
        bench.verbs.back_out()
        with bench.qmgr.connect() as other, other.queue("FIT") as queue:
            queue.put(b"still fit")
            assert queue.get().data == b"still fit"
    finally:
        bench.qmgr.close()
