"""What is counted now, and what switches it on: `Kernel.meter`.

`Kernel.measured` has a bit for each kind of counting that is on, so that a verb pays one test of a
number while none is; the functions of `metering` do the counting. `System` holds what START TRACE
and SET SYSTEM say, which lasts as long as the queue manager runs. When intervals end and where
figures go is not the kernel's: `MeasureSink` is what it calls, and `telemetry` what answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64, mypyc_attr

from ternmq.base.accounts import TaskAccount
from ternmq.base.counters import LogCounts, QmgrFigures, QueueFigures
from ternmq.base.topic_counters import SubscriptionNumbers

if TYPE_CHECKING:
    from ternmq.kernel.call_trace import TracedCall
    from ternmq.kernel.channel_instance import ChannelInstance
    from ternmq.kernel.connection import Connection
    from ternmq.kernel.objects import LocalQueue

STATISTICS: Final = 1  # of queues and of the queue manager
ACCOUNTING: Final = 2  # of tasks
TRACED: Final = 4  # calls of tasks, for subscribers (see `call_trace`)

STAT: Final = "STAT"
ACCTG: Final = "ACCTG"
# The classes that a type of trace has, and those that it starts with if none is named.
TRACE_CLASSES: Final[dict[str, tuple[int, ...]]] = {STAT: (1, 2, 3, 4, 5), ACCTG: (1, 3, 4)}
DEFAULT_CLASSES: Final[dict[str, tuple[int, ...]]] = {STAT: (1,), ACCTG: (1,)}
# An asterisk in the system parameters means these: classes 4 and 5 are asked for by number.
ALL_CLASSES: Final[dict[str, tuple[int, ...]]] = {STAT: (1, 2, 3), ACCTG: (1, 3)}
DESTINATIONS: Final = ("SMF",)
TRACES_MAX: Final = 32  # trace numbers are 0 to 31

STATIME_DEFAULT_S: Final = 1800
INTERVAL_MAX_S: Final = 1440 * 60
AS_STATISTICS: Final = -1  # ACCTIME(-1)


@final
class Trace:
    """One that START TRACE has started."""

    def __init__(self, number: int, kind: str, classes: tuple[int, ...], comment: str) -> None:
        self.number = number  # TNO
        self.kind = kind  # STAT or ACCTG
        self.classes = classes
        self.destination = DESTINATIONS[0]
        self.comment = comment


@final
class System:
    """System parameters: traces that are on, and the two intervals. In seconds; 0 stands for no
    interval of its own (see docs/operations/statistics-and-accounting.md), -1 for that of
    statistics."""

    def __init__(self) -> None:
        self.traces: dict[int, Trace] = {}
        # in force, at the start of the queue manager, and from the next interval on
        self.statistics_s = STATIME_DEFAULT_S  # STATIME
        self.statistics_initial_s = STATIME_DEFAULT_S
        self.statistics_next_s = STATIME_DEFAULT_S
        self.accounting_s = AS_STATISTICS  # ACCTIME
        self.accounting_initial_s = AS_STATISTICS
        self.accounting_next_s = AS_STATISTICS

    def begin_with(self, statistics_s: int, accounting_s: int) -> None:
        """Those of the configuration."""
        self.statistics_s = self.statistics_initial_s = self.statistics_next_s = statistics_s
        self.accounting_s = self.accounting_initial_s = self.accounting_next_s = accounting_s

    def start(self, kind: str, classes: tuple[int, ...], comment: str = "") -> Trace | None:
        """Start a trace; None if there are as many as there may be."""
        for number in range(TRACES_MAX):
            if number not in self.traces:
                trace = Trace(number, kind, classes, comment)
                self.traces[number] = trace
                return trace
        return None

    def classes(self, kind: str) -> frozenset[int]:
        """The classes of a type that are on."""
        return frozenset(
            one for trace in self.traces.values() if trace.kind == kind for one in trace.classes
        )

    @property
    def accounting_interval_s(self) -> int:
        """ACCTIME in force, or what it stands for."""
        return self.statistics_s if self.accounting_s == AS_STATISTICS else self.accounting_s


@final
class EndedTask:
    """A connection that is gone, and its account since the last record."""

    def __init__(
        self, connection: Connection, account: TaskAccount, ended_ns: int, how: int
    ) -> None:
        self.connection = connection
        self.account = account
        self.ended_ns = ended_ns
        self.how = how


@mypyc_attr(allow_interpreted_subclasses=True)
class MeasureSink:
    """What the kernel reports. This one ignores it."""

    def settings_changed(self) -> None:
        """Traces, intervals or attributes about measurement are not what they were."""

    def end_statistics(self) -> None:
        """RESET QMGR TYPE(STATISTICS): the interval ends now."""

    def is_traced(self, connection: Connection) -> bool:
        """Whether a subscription matches the activity trace of a connection."""
        return False

    def destinations_shown(self) -> list[tuple[str, int]]:
        """Names of the places that records go to, and how many records each has lost."""
        return []


@final
class Dispatcher:
    """What serves channels: the loop of a server. It writes these; they are never reset."""

    def __init__(self) -> None:
        self.turns: i64 = 0  # of the loop, in which something was served
        self.channels_high: i64 = 0  # most at once since the last look
        self.channels_max: i64 = 0  # how many there may be; 0: no channels


@final
class Meter:
    """The counters of the interval that runs."""

    def __init__(self) -> None:
        self.system = System()
        self.sink = MeasureSink()
        self.figures = QmgrFigures(0)
        self.log = LogCounts()
        self.interval: i64 = 0  # counters with another number are of an interval that is over
        # queues that have counted something in it, and what
        self.touched: list[tuple[LocalQueue, QueueFigures]] = []
        self.ended: list[EndedTask] = []  # tasks that have ended with an account
        # instances of channels that have ended, while channel records are wanted
        self.channels_gone: list[ChannelInstance] = []
        self.channels_wanted = False
        self.dispatcher = Dispatcher()
        self.subscriptions = SubscriptionNumbers()  # now; kept always
        self.is_watched = False  # the figures are read (Prometheus): count always
        self.tracers = 0  # subscriptions that may match activity trace
        self.trace_version: i64 = 1  # rises when they change
        self.traced_since_ns: i64 = 0  # Unix time, when the first of them began
        self.traced_calls: list[TracedCall] = []  # to be published
        self.traces_lost: i64 = 0
        self.monitors = 0  # subscriptions that may match resources below $SYS/MQ
        self.queue_monitors = 0  # those of them that may match resources of queues
        self.mqi_accounting = False  # ACCTMQI(ON)
        self.queue_accounting = False  # ACCTQ lets some queue be accounted
        self.override = False  # ACCTCONO(ENABLED)
        self.task_traces = False  # START TRACE(ACCTG) of class 1 or 3
