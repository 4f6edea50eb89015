"""What a verb on a distribution list answers: for each destination, and for all of them."""

from __future__ import annotations

from dataclasses import dataclass

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_MULTIPLE_REASONS, MQRC_NONE
from ternmq.codec.mqi.list_records import Destination


@dataclass
class Outcome:
    """One destination: what became of the open or of the put."""

    queue: str
    qmgr: str = ""
    comp: int = mq.MQCC_OK
    reason: int = MQRC_NONE
    # Of the message, if it was put and the queue manager has made them.
    msg_id: bytes = b""
    correl_id: bytes = b""
    group_id: bytes = b""

    @property
    def ok(self) -> bool:
        """Whether it was opened, or the message was put there."""
        return self.comp != mq.MQCC_FAILED

    def fail(self, reason: int) -> None:
        """It was not."""
        self.comp = mq.MQCC_FAILED
        self.reason = reason


@dataclass(frozen=True)
class ListOutcome:
    """All destinations, in the order of the list."""

    comp: int
    reason: int
    known: int  # opened or put here
    unknown: int  # opened or put for other queue managers
    invalid: int  # neither
    destinations: list[Outcome]

    @property
    def ok(self) -> bool:
        """Whether every destination was opened, or got the message."""
        return self.invalid == 0

    def failed(self) -> list[Outcome]:
        """The destinations that were not opened, or did not get the message."""
        return [one for one in self.destinations if not one.ok]


def new_outcomes(destinations: list[Destination]) -> list[Outcome]:
    """One for each destination, before anything was done."""
    return [Outcome(one.queue, one.qmgr) for one in destinations]


def list_outcome(outcomes: list[Outcome], unknown: int) -> ListOutcome:
    """The answer for the list: what all have in common, or MQRC_MULTIPLE_REASONS. So many of those
    that went well are `unknown`, that is at other queue managers."""
    first = outcomes[0]
    invalid = 0
    is_same = True
    for one in outcomes:
        if not one.ok:
            invalid += 1
        is_same = is_same and one.comp == first.comp and one.reason == first.reason
    comp, reason = first.comp, first.reason
    well = len(outcomes) - invalid
    if not is_same:
        comp = mq.MQCC_WARNING if well else mq.MQCC_FAILED
        reason = MQRC_MULTIPLE_REASONS
    return ListOutcome(comp, reason, well - unknown, unknown, invalid, outcomes)


def list_error(found: ListOutcome, verb: str) -> MQError:
    """No destination was opened or got the message; `result` has what became of each."""
    reasons = sorted({one.reason for one in found.destinations})
    text = ", ".join(str(one) for one in reasons)
    detail = f"distribution list of {len(found.destinations)} destinations: reasons {text}"
    return mq_error(found.reason, comp=found.comp, verb=verb, detail=detail, result=found)
