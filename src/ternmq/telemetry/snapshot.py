"""What the end of an interval or of a task hands to destinations: plain values, not shared.

A `StatisticsInterval` is made for each destination family at the end of its own interval (STATIME
for SMF, STATINT for PCF), a `TaskRecord` at the end of a task and, for a task that has lived
through an interval's end before, at the end of the interval (ACCTIME, ACCTINT). All times are Unix
nanoseconds in UTC unless the name says otherwise. Fields name the SMF and PCF fields they feed.

`Destination` is what takes them: it is called outside the engine's lock, by one thread at a time,
in the order of things.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64, mypyc_attr

from ternmq.base.accounts import TaskAccount
from ternmq.base.counters import ENDED_NORMALLY, LogCounts, QmgrFigures, QueueFigures
from ternmq.kernel.call_trace import TracedCall

# Which family of destinations a snapshot is for.
SMF: Final = "SMF"
PCF: Final = "PCF"
MONITOR: Final = "MONITOR"  # publications below $SYS/MQ

# Statistics trace classes.
CLASS_SYSTEM: Final = 1  # 115-1, 115-2, 115-201, 115-215
CLASS_STORAGE: Final = 2  # 115-7
CLASS_STORAGE_DETAIL: Final = 3  # 115-5, 115-6
CLASS_CHANNELS: Final = 4  # 115-231; of accounting: 116-10
CLASS_QUEUES: Final = 5  # 115-216
# Accounting trace classes.
CLASS_TASK_TOTALS: Final = 1  # 116-0
CLASS_TASKS: Final = 3  # 116-1, 116-2


@final
class QueueSample:
    """One queue at the end of an interval (QQST; a group of 165)."""

    def __init__(self, name: str, figures: QueueFigures) -> None:
        self.name = name  # qqstqnam; 165 QName
        self.figures = figures  # of the interval
        self.created_ns: i64 = 0  # 165 CreateDate, CreateTime
        self.definition_type = 1  # 165 QDefinitionType: MQQDT_
        self.reported = True  # STATQ is on, by the queue or the queue manager
        self.is_open = False  # an application has it open
        self.depth: i64 = 0  # qqstdpth
        self.open_output: i64 = 0  # qqstopct
        self.open_input: i64 = 0  # qqstipct
        self.is_uncommitted = False  # qqstflag X'20000000'
        self.oldest_age_s: i64 = 0  # qqstmage
        # MONQ: zero while it is off
        self.short_lay_ns: i64 = 0  # qqstqtst
        self.long_lay_ns: i64 = 0  # qqstqtlt
        self.last_put_ns: i64 = 0  # qqstlput
        self.last_get_ns: i64 = 0  # qqstlget
        # room that its messages take
        self.memory_bytes: i64 = 0
        self.segment_bytes: i64 = 0


@final
class ChannelSample:
    """One instance of a channel at the end of an interval, or of itself (QCST; a group of 166)."""

    def __init__(self, name: str, channel_type: int) -> None:
        self.name = name  # qcstchnm; 166 ChannelName
        self.channel_type = channel_type  # qcstchty; 166 ChannelType: MQCHT_
        self.number = 0  # of the instance, its own
        self.status = 3  # qcstchst: MQCHS_
        self.statistics = 0  # qcststcl: effective STATCHL, MQMON_
        self.connection_name = ""  # qcstcnnm; 166 ConnectionName
        self.started_ns: i64 = 0  # qcststrt
        self.stopped_ns: i64 = 0  # qcstludt; 0 while it runs
        self.last_message_ns: i64 = 0  # qcstlmst
        self.batch_size = 0  # qcstcbsz
        self.messages: i64 = 0  # qcstnmsg; 166 MsgCount: MQI calls on a server-connection channel
        self.persistent_messages: i64 = 0  # qcstnpmg
        self.batches: i64 = 0  # qcstbatc
        self.full_batches: i64 = 0  # qcstfuba; 166 FullBatchCount, IncmplBatchCount
        self.buffers_sent: i64 = 0  # qcstbfst
        self.buffers_received: i64 = 0  # qcstbfrc
        self.conversations: i64 = 0  # qcstcscv: now
        self.message_bytes: i64 = 0  # qcstnbyt; 166 TotalBytes
        self.persistent_bytes: i64 = 0  # qcstnpby
        self.bytes_sent: i64 = 0  # qcstbyst
        self.bytes_received: i64 = 0  # qcstbyrc
        # a round trip of a heartbeat or of the end of a batch
        self.net_times: i64 = 0
        self.net_ns: i64 = 0  # qcstntav, 166 NetTimeAvg: divide by net_times
        self.net_shortest_ns: i64 = -1  # qcstntmn, 166 NetTimeMin; -1: there was none
        self.net_longest_ns: i64 = 0  # qcstntmx, 166 NetTimeMax
        self.net_longest_at_ns: i64 = 0  # qcstntdt
        # what message exits took for a message
        self.exit_times: i64 = 0
        self.exit_ns: i64 = 0  # qcstetav, 166 ExitTimeAvg: divide by exit_times
        self.exit_shortest_ns: i64 = -1  # qcstetmn, 166 ExitTimeMin; -1: there was none
        self.exit_longest_ns: i64 = 0  # qcstetmx, 166 ExitTimeMax
        self.exit_longest_at_ns: i64 = 0  # qcstetdt
        self.compression_rate = 0  # qcstcpra: per cent, of the last messages
        self.batch_interval_ms = 0  # qcstcbit
        self.batch_kilobytes = 0  # qcstcbdl
        self.remote_name = ""  # qcstrqmn: queue manager, or application on a client's channel
        self.certificate_issuer = ""  # qcstslcn
        self.cipher = ""  # qcstslcs; empty: no TLS
        self.put_retries: i64 = 0  # qcstptrc; 166 PutRetryCount
        self.empty_queue: i64 = 0  # qcstqetc
        self.remote_product = ""  # qcstrpid
        self.remote_version = ""  # qcstrver


@final
class InitiatorSample:
    """What serves channels, at the end of an interval (QCCT, QCTDSP)."""

    def __init__(self) -> None:
        self.channels_high: i64 = 0  # qcctnocc, qcctnoac: most instances at once
        self.channels_max: i64 = 0  # qcctmxcc: MAXCHL or MaxChannels
        self.active_max: i64 = 0  # qcctmxac: MaxActiveChannels
        self.channels: i64 = 0  # qctchln: now
        # the loop that serves them is the one dispatcher
        self.requests: i64 = 0  # qctreqn: turns
        self.cpu_ns: i64 = 0  # qctcptm
        self.elapsed_ns: i64 = 0  # qcteltm: busy
        self.wait_ns: i64 = 0  # qctwttm: idle


@final
class StorageSample:
    """Memory and files at the end of an interval (QPST, QIS1; what of QSRS has a counterpart)."""

    def __init__(self) -> None:
        self.queues_loaded: i64 = 0
        # the message buffers: one pool of all queues
        self.plain_bytes: i64 = 0  # of messages in memory
        self.persistent_bytes: i64 = 0
        self.buffer_limit_bytes: i64 = 0  # qpstnbuf: limits of all loaded queues
        self.segment_bytes: i64 = 0  # qis1topg: in segment files
        self.segments: i64 = 0
        # in the interval
        self.segments_written: i64 = 0  # qpstwio, qis1dwpn
        self.bytes_written: i64 = 0  # qpsttpw, qis1dwpp: divide by 4096
        self.segments_read: i64 = 0  # qpstrio, qis1getn
        self.bytes_read: i64 = 0  # qis1getp: divide by 4096
        self.process_bytes: i64 = 0  # resident memory of the process, 0 where not known


@final
class StatisticsInterval:
    """Everything about one interval of a queue manager."""

    def __init__(self, family: str, qmgr_name: str, started_ns: int, ended_ns: int) -> None:
        self.family = family  # SMF, PCF or MONITOR: whose interval it is
        self.qmgr_name = qmgr_name
        self.qmgr_identity = ""  # QMID
        self.started_ns = started_ns  # qwhstime; IntervalStartDate, IntervalStartTime
        self.ended_ns = ended_ns  # IntervalEndDate ...; qwhsdurn is the difference
        self.sequence = 0  # counts the intervals of this family since the start
        # SMF: the trace classes that are on; PCF: `mqi`, `queues`, `channels` say it
        self.classes: frozenset[int] = frozenset()
        self.mqi_reported = False  # STATMQI: a 164 is due
        self.is_last = False  # the queue manager ends
        self.figures = QmgrFigures(0)  # sums over all queues included
        self.connections: i64 = 0  # now
        self.log = LogCounts()
        self.storage = StorageSample()
        self.initiator = InitiatorSample()
        # slowest write of the log since the start, and when it was
        self.slowest_ns: i64 = 0
        self.slowest_at_ns: i64 = 0
        # all that are loaded, for SMF class 5 also others whose STATQ is on; a destination writes
        # those with `reported`
        self.queues: list[QueueSample] = []
        self.channels: list[ChannelSample] = []  # STATCHL is on: running now or ended in it


@final
class TaskIdentity:
    """User, application and origin of a task (WTID, QWHC; the head of 167 and 168)."""

    def __init__(self, number: int, tag: bytes) -> None:
        self.number = number  # of the connection, in this run of the queue manager
        self.tag = tag  # 24 bytes: 167 ConnectionId; correlator of WTAS and WQST
        self.application = ""  # wtidccn, qwhccn; 167 ApplicationName
        self.user = ""  # wtidopid, wtidtran, qwhcopid; 167 UserId
        self.process_id = 0  # 167 ApplicationPid
        self.thread_id = 0  # 167 ApplicationTid
        self.channel_name = ""  # wtidchl; 167 ChannelName
        self.connection_name = ""  # wtidchlc; 167 ConnName
        self.remote_product = ""  # 167 RemoteProduct
        self.remote_version = ""  # 167 RemoteVersion
        self.accounting_token = b""  # wtidacct


@final
class TaskRecord:
    """One task over one stretch of time."""

    def __init__(
        self, family: str, qmgr_name: str, identity: TaskIdentity, account: TaskAccount
    ) -> None:
        self.family = family
        self.qmgr_name = qmgr_name
        self.identity = identity
        # with its queues; its `started_ns` and `since_ns` are the task's and the record's start
        self.account = account
        self.ended_ns = 0  # wtasinte; IntervalEndDate ..., and if `is_last` 167 DiscDate
        self.is_last = False  # wtasflag X'20000000': the task has ended
        self.ended_how = ENDED_NORMALLY  # 167 DiscType
        self.sequence = 0  # 167/168 SeqNumber: of the task's records
        self.classes: frozenset[int] = frozenset()  # SMF: 1 (only if `is_last`), 3
        self.mqi_reported = False  # PCF: ACCTMQI, a 167 is due
        self.queues_reported = False  # PCF: ACCTQ of a queue, a 168 is due for those


@final
class ChannelInterval:
    """The channels of one accounting interval (116-10: accounting class 4)."""

    def __init__(self, qmgr_name: str, started_ns: int, ended_ns: int) -> None:
        self.qmgr_name = qmgr_name
        self.started_ns = started_ns
        self.ended_ns = ended_ns
        self.sequence = 0
        self.channels: list[ChannelSample] = []


@mypyc_attr(allow_interpreted_subclasses=True)
class Destination:
    """What takes snapshots. This one forgets them."""

    def takes(self, family: str) -> bool:
        """Whether snapshots of a family are for it."""
        return True

    def statistics(self, interval: StatisticsInterval) -> None:
        """An interval has ended."""

    def task(self, record: TaskRecord) -> None:
        """A task has ended, or an interval of a long one."""

    def channels(self, interval: ChannelInterval) -> None:
        """An accounting interval with channels has ended."""

    def activity(self, calls: list[TracedCall]) -> None:
        """Calls of applications whose activity is traced."""

    def shown(self) -> list[tuple[str, int]]:
        """Names of the places it writes to, and how many records each has lost."""
        return []

    def close(self) -> None:
        """The queue manager has ended: nothing comes after."""
