"""What the verbs ask of the queue manager's runtime: figures that only it has, and SMF records.

The kernel owns this class and knows nothing of what answers. Runtime sets `Kernel.services` when a
queue manager starts; where it is not set, as in the simulator, the verbs that need one are refused.
Methods of SMF may touch files: they are called outside the engine's lock, but for the last two.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from ternmq.ports.effect import Wakeable
from ternmq.values.status import LogStatus, SMFRead, SMFStatus


@mypyc_attr(allow_interpreted_subclasses=True)
class Services:
    """This one has nothing."""

    def log_status(self) -> LogStatus:
        """What the log has done since the start; with the engine's lock."""
        raise _missing("DISPLAY")

    def report(self) -> list[str]:
        """What the restart did, line by line; with the engine's lock."""
        raise _missing("DISPLAY")

    def smf_status(self) -> list[SMFStatus]:
        """How the destinations of SMF records are doing."""
        raise _missing("DISPLAY")

    def smf_switch(self, name: str) -> list[str]:
        """Begin new data sets or segments; whose were begun."""
        raise _missing("smf switch")

    def smf_read(self, first: int, name: str) -> SMFRead:
        """Records of an in-memory stream from a number on; -1: from now on."""
        raise _missing("smf read")

    def smf_ended(self, name: str) -> bool:
        """Whether no more records will come to the stream."""
        raise _missing("smf read")

    def smf_await(self, first: int, name: str, waker: Wakeable) -> bool:
        """Wake when there is a record from a number on; False if there is one already."""
        raise _missing("smf read")

    def smf_stop_awaiting(self, name: str, waker: Wakeable) -> None:
        """It need not be woken any more."""
        raise _missing("smf read")


def _missing(verb: str) -> MQError:
    return mq_error(
        MQRC_FUNCTION_NOT_SUPPORTED, verb=verb, detail="the queue manager runs without services"
    )
