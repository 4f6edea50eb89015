"""What a queue manager counts while statistics or accounting is on: one set of counters for SMF
records, PCF messages and Prometheus.

All of them count from the start of an interval; the end of the interval takes the object away and
the next call that counts makes a new one. Times are nanoseconds, sizes bytes. *Plain* is what MQ
calls non-persistent. Each field names the SMF and PCF fields that it feeds (QMST, QQST, WTAS ...;
`164 PutCount` is the field of the PCF message with that command number).

The kernel writes them under the engine's lock; times of verbs are written by the shell that runs
the verb. No other code writes them.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base.topic_counters import TopicFigures

NONE_YET: Final = -1  # a smallest value of nothing
OBJECT_TYPES: Final = 13  # counts by type of object have so many places: MQOT_ is the index

# How a connection ended: 164 DiscCount, 167 DiscType.
ENDED_NORMALLY: Final = 0  # MQDISC
ENDED_IMPLICITLY: Final = 1  # the application went without
ENDED_BY_QMGR: Final = 2

# What MQCB and MQCTL did: 164 CbCount (registered, deregistered, resumed, suspended) and CtlCount
# (started, stopped, resumed, suspended).
REGISTERED: Final = 0
STARTED: Final = 0
STOPPED: Final = 1


@final
class Range:
    """The smallest, largest and sum of some values."""

    __slots__ = ("count", "largest", "smallest", "total")

    def __init__(self) -> None:
        self.count: i64 = 0
        self.smallest: i64 = NONE_YET
        self.largest: i64 = 0
        self.total: i64 = 0

    def add(self, value: i64) -> None:
        """One more."""
        if self.count == 0 or value < self.smallest:
            self.smallest = value
        if value > self.largest:
            self.largest = value
        self.count += 1
        self.total += value

    def add_many(self, count: i64, smallest: i64, largest: i64, total: i64) -> None:
        """So many more, at least one."""
        if self.count == 0 or smallest < self.smallest:
            self.smallest = smallest
        if largest > self.largest:
            self.largest = largest
        self.count += count
        self.total += total

    def take_out(self, other: Range) -> None:
        """Those that were added, and are not to count; smallest and largest stay."""
        self.count -= other.count
        self.total -= other.total

    def merge(self, other: Range) -> None:
        """Those of another interval."""
        if other.count == 0:
            return
        if self.count == 0 or other.smallest < self.smallest:
            self.smallest = other.smallest
        if other.largest > self.largest:
            self.largest = other.largest
        self.count += other.count
        self.total += other.total


@final
class Traffic:
    """Messages put to, got from and browsed on one queue; by all, or by one task.

    Each range holds sizes in bytes and their count, so the number of puts is a range's count.
    """

    __slots__ = (
        "failed_browses",
        "failed_gets",
        "failed_put1s",
        "failed_puts",
        "handed_over_bytes",
        "handed_over_put1s",
        "handed_over_puts",
        "persistent_browses",
        "persistent_gets",
        "persistent_lay",
        "persistent_put1s",
        "persistent_puts",
        "plain_browses",
        "plain_gets",
        "plain_lay",
        "plain_put1s",
        "plain_puts",
    )

    def __init__(self) -> None:
        # messages that MQPUT put, and their bytes: 164/165/168 PutCount, PutBytes, PutMinBytes,
        # PutMaxBytes; QQST qqstnppt qqstppt qqstnppb qqstppb; QMST qmstspp qmstsnp qmstpbp qmstnbp
        # (with put1s); WQST putpmsg, and with put1s validput, putbytes, putminms, putmaxms
        self.plain_puts = Range()
        self.persistent_puts = Range()
        # by MQPUT1: Put1Count; QQST qqstnpp1 qqstpp1 qqstnp1b qqstp1b; WQST put1pmsg
        self.plain_put1s = Range()
        self.persistent_put1s = Range()
        # got: GetCount, GetBytes, GetMinBytes, GetMaxBytes; QQST qqstnpdg qqstpdg qqstnpdb qqstpdb;
        # WQST getdval, getpmsg, and with browses validget, getbytes, getminms, getmaxms
        self.plain_gets = Range()
        self.persistent_gets = Range()
        # browsed: BrowseCount, BrowseBytes ...; QQST qqstnpbr qqstpbr qqstnpbb qqstpbb
        self.plain_browses = Range()
        self.persistent_browses = Range()
        # time on the queue of messages got, ns: 165 AvgTimeOnQ; 168 TimeOnQMin/Avg/Max; WQST
        # minlatnt maxlatnt totlatnt (both kinds together)
        self.plain_lay = Range()
        self.persistent_lay = Range()
        # calls that were refused: PutFailCount, Put1FailCount, GetFailCount, BrowseFailCount; QQST
        # qqstflpt qqstflp1 qqstflgt qqstflbr; WQST geterr (gets and browses)
        self.failed_puts: i64 = 0
        self.failed_put1s: i64 = 0
        self.failed_gets: i64 = 0
        self.failed_browses: i64 = 0
        # given straight to a waiting getter: 165 NonQueuedMsgCount; QQST qqstfptc qqstfptb; WQST
        # putpwg put1pwg
        self.handed_over_puts: i64 = 0
        self.handed_over_put1s: i64 = 0
        self.handed_over_bytes: i64 = 0

    @property
    def puts(self) -> int:
        """Messages that MQPUT put."""
        return self.plain_puts.count + self.persistent_puts.count

    @property
    def put1s(self) -> int:
        """Messages that MQPUT1 put."""
        return self.plain_put1s.count + self.persistent_put1s.count

    @property
    def gets(self) -> int:
        """Messages that left the queue."""
        return self.plain_gets.count + self.persistent_gets.count

    @property
    def browses(self) -> int:
        """Messages that were browsed."""
        return self.plain_browses.count + self.persistent_browses.count

    def merge(self, other: Traffic) -> None:
        """Those of another interval, or of another queue."""
        self.plain_puts.merge(other.plain_puts)
        self.persistent_puts.merge(other.persistent_puts)
        self.plain_put1s.merge(other.plain_put1s)
        self.persistent_put1s.merge(other.persistent_put1s)
        self.plain_gets.merge(other.plain_gets)
        self.persistent_gets.merge(other.persistent_gets)
        self.plain_browses.merge(other.plain_browses)
        self.persistent_browses.merge(other.persistent_browses)
        self.plain_lay.merge(other.plain_lay)
        self.persistent_lay.merge(other.persistent_lay)
        self.failed_puts += other.failed_puts
        self.failed_put1s += other.failed_put1s
        self.failed_gets += other.failed_gets
        self.failed_browses += other.failed_browses
        self.handed_over_puts += other.handed_over_puts
        self.handed_over_put1s += other.handed_over_put1s
        self.handed_over_bytes += other.handed_over_bytes


@final
class QueueFigures:
    """One queue in one statistics interval (QQST, 165)."""

    __slots__ = (
        "backed_out_gets",
        "backed_out_puts",
        "browse_waits_failed",
        "browse_waits_retried",
        "browses_cut",
        "browses_without_message",
        "closes",
        "depth_high",
        "depth_low",
        "expired",
        "get_waits_failed",
        "get_waits_retried",
        "gets_cut",
        "gets_without_message",
        "input_high",
        "input_low",
        "inquires",
        "interval",
        "opens",
        "output_high",
        "output_low",
        "purged",
        "selector_looked",
        "selector_matched",
        "sets",
        "skipped",
        "streamed",
        "traffic",
    )

    def __init__(self, depth: i64, open_input: i64, open_output: i64) -> None:
        self.interval: i64 = 0  # which one: the kernel's number
        self.traffic = Traffic()
        self.depth_high: i64 = depth  # qqstdphi; 165 QMaxDepth
        self.depth_low: i64 = depth  # qqstdplo; 165 QMinDepth
        self.input_high: i64 = open_input  # qqstiphi
        self.input_low: i64 = open_input  # qqstiplo
        self.output_high: i64 = open_output  # qqstophi
        self.output_low: i64 = open_output  # qqstoplo
        self.opens: i64 = 0  # qqstopen; MQOPEN that worked
        self.closes: i64 = 0  # qqstclos
        self.inquires: i64 = 0  # qqstinqr
        self.sets: i64 = 0  # qqstset
        # of failed gets and browses: nothing there (MQRC 2033), buffer too small (2080)
        self.gets_without_message: i64 = 0  # qqstnmag
        self.gets_cut: i64 = 0  # qqsttmfg
        self.browses_without_message: i64 = 0  # qqstnmab
        self.browses_cut: i64 = 0  # qqsttmfb
        self.get_waits_failed: i64 = 0  # qqstflgw: with MQGMO_WAIT
        self.get_waits_retried: i64 = 0  # qqstrdgw: woken, and there was nothing for it
        self.browse_waits_failed: i64 = 0  # qqstflbw
        self.browse_waits_retried: i64 = 0  # qqstrdbw
        self.expired: i64 = 0  # qqstexpr; 164/165 ExpiredMsgCount
        self.purged: i64 = 0  # 164/165 PurgeCount: CLEAR, DELETE PURGE, close with purge
        self.backed_out_puts: i64 = 0  # qqstrbpt
        self.backed_out_gets: i64 = 0  # qqstrbgt
        self.streamed: i64 = 0  # qqststrm: copies put to its streaming queues
        self.skipped: i64 = 0  # looked at and passed over by gets; $SYS STATQ/EXTENDED
        # messages that the selectors of handles looked at, and those of them that matched: our own
        self.selector_looked: i64 = 0
        self.selector_matched: i64 = 0

    def see_depth(self, depth: i64) -> None:
        """How many messages are on it now."""
        if depth > self.depth_high:
            self.depth_high = depth
        if depth < self.depth_low:
            self.depth_low = depth

    def see_handles(self, open_input: i64, open_output: i64) -> None:
        """How many have it open now."""
        if open_input > self.input_high:
            self.input_high = open_input
        if open_input < self.input_low:
            self.input_low = open_input
        if open_output > self.output_high:
            self.output_high = open_output
        if open_output < self.output_low:
            self.output_low = open_output

    def merge(self, later: QueueFigures) -> None:
        """Those of the interval that follows."""
        self.traffic.merge(later.traffic)
        self.see_depth(later.depth_high)
        self.see_depth(later.depth_low)
        self.see_handles(later.input_high, later.output_high)
        self.see_handles(later.input_low, later.output_low)
        self.opens += later.opens
        self.closes += later.closes
        self.inquires += later.inquires
        self.sets += later.sets
        self.gets_without_message += later.gets_without_message
        self.gets_cut += later.gets_cut
        self.browses_without_message += later.browses_without_message
        self.browses_cut += later.browses_cut
        self.get_waits_failed += later.get_waits_failed
        self.get_waits_retried += later.get_waits_retried
        self.browse_waits_failed += later.browse_waits_failed
        self.browse_waits_retried += later.browse_waits_retried
        self.expired += later.expired
        self.purged += later.purged
        self.backed_out_puts += later.backed_out_puts
        self.backed_out_gets += later.backed_out_gets
        self.streamed += later.streamed
        self.skipped += later.skipped
        self.selector_looked += later.selector_looked
        self.selector_matched += later.selector_matched


@final
class QmgrFigures:
    """The queue manager in one statistics interval (QMST, QIST, QLST, 164).

    What its queues count is added up into `traffic` when the interval ends; until then `traffic`
    and the sums after it hold only what belongs to no queue, or to one that is gone.
    """

    def __init__(self, connections: i64) -> None:
        self.connects: i64 = 0  # 164 ConnCount
        self.failed_connects: i64 = 0  # 164 ConnFailCount
        self.connections_high: i64 = connections  # 164 ConnsMax
        self.disconnects: list[int] = [0, 0, 0]  # 164 DiscCount, by ENDED_
        # by type of object (index MQOT_): calls that worked, calls that did not.
        # QMST qmstopen qmstclos qmstinq qmstset are the sums of both
        self.opens: list[int] = [0] * OBJECT_TYPES  # 164 OpenCount
        self.failed_opens: list[int] = [0] * OBJECT_TYPES  # 164 OpenFailCount
        self.closes: list[int] = [0] * OBJECT_TYPES
        self.failed_closes: list[int] = [0] * OBJECT_TYPES
        self.inquires: list[int] = [0] * OBJECT_TYPES
        self.failed_inquires: list[int] = [0] * OBJECT_TYPES
        self.sets: list[int] = [0] * OBJECT_TYPES
        self.failed_sets: list[int] = [0] * OBJECT_TYPES
        self.commits: i64 = 0  # 164 CommitCount
        self.failed_commits: i64 = 0  # 164 CommitFailCount
        self.backouts: i64 = 0  # 164 BackCount
        self.prepares: i64 = 0
        self.callbacks: list[int] = [0, 0, 0, 0]  # 164 CBCount; sum is QMST qmstcb
        self.failed_callbacks: i64 = 0  # 164 CBFailCount
        self.controls: list[int] = [0, 0, 0, 0]  # 164 CtlCount; sum is QMST qmstctl
        self.failed_controls: i64 = 0  # 164 CtlFailCount
        self.statuses: i64 = 0  # 164 StatCount; QMST qmststus
        self.failed_statuses: i64 = 0  # 164 StatFailCount
        self.handles_closed_for: i64 = 0  # QMST qmstcalh: task ends that left handles open
        self.ended_waits: i64 = 0  # QMST qmstendw: gets that waited, and were ended
        self.objects_created: i64 = 0  # QIST qistdcre
        self.objects_altered: i64 = 0  # QIST qistdput
        self.objects_deleted: i64 = 0  # QIST qistddel
        # QMST qmstget = gets + browses + both failed; qmstput = puts + failed; qmstspp, qmstsnp,
        # qmstpbp, qmstnbp; QIST qistmget, qistmput (with streamed copies)
        self.traffic = Traffic()
        self.browse_locks: i64 = 0  # QIST qistmblr: browses with MQGMO_LOCK; QLST qlstgetl
        self.locks_released: i64 = 0  # QLST qlstrell
        self.segment_reads: i64 = 0  # QIST qistgetd: gets that had to read a segment
        self.expired: i64 = 0  # 164 ExpiredMsgCount
        self.purged: i64 = 0  # 164 PurgeCount
        self.streamed: i64 = 0  # copies put to streaming queues: in `traffic` as puts to those
        self.backed_out_puts: i64 = 0
        self.backed_out_gets: i64 = 0
        # copies of publications, which count as puts on their queues and not as anybody's MQPUT
        self.plain_copies = Range()
        self.persistent_copies = Range()
        self.topics = TopicFigures()  # 164 DurableSubscribeCount ... PublishMsgBytes; QTST

    def add_queue(self, queue: QueueFigures) -> None:
        """One queue's share."""
        self.traffic.merge(queue.traffic)
        self.expired += queue.expired
        self.purged += queue.purged
        self.streamed += queue.streamed
        self.backed_out_puts += queue.backed_out_puts
        self.backed_out_gets += queue.backed_out_gets

    def leave_out_copies(self, later: QmgrFigures) -> None:
        """Copies of publications were counted with their queues, but they are not calls."""
        self.traffic.plain_puts.take_out(later.plain_copies)
        self.traffic.persistent_puts.take_out(later.persistent_copies)

    def merge(self, later: QmgrFigures) -> None:
        """Those of the interval that follows."""
        self.connects += later.connects
        self.failed_connects += later.failed_connects
        if later.connections_high > self.connections_high:
            self.connections_high = later.connections_high
        _add_lists(self.disconnects, later.disconnects)
        _add_lists(self.opens, later.opens)
        _add_lists(self.failed_opens, later.failed_opens)
        _add_lists(self.closes, later.closes)
        _add_lists(self.failed_closes, later.failed_closes)
        _add_lists(self.inquires, later.inquires)
        _add_lists(self.failed_inquires, later.failed_inquires)
        _add_lists(self.sets, later.sets)
        _add_lists(self.failed_sets, later.failed_sets)
        self.commits += later.commits
        self.failed_commits += later.failed_commits
        self.backouts += later.backouts
        self.prepares += later.prepares
        _add_lists(self.callbacks, later.callbacks)
        self.failed_callbacks += later.failed_callbacks
        _add_lists(self.controls, later.controls)
        self.failed_controls += later.failed_controls
        self.statuses += later.statuses
        self.failed_statuses += later.failed_statuses
        self.handles_closed_for += later.handles_closed_for
        self.ended_waits += later.ended_waits
        self.objects_created += later.objects_created
        self.objects_altered += later.objects_altered
        self.objects_deleted += later.objects_deleted
        self.traffic.merge(later.traffic)
        self.browse_locks += later.browse_locks
        self.locks_released += later.locks_released
        self.segment_reads += later.segment_reads
        self.expired += later.expired
        self.purged += later.purged
        self.streamed += later.streamed
        self.backed_out_puts += later.backed_out_puts
        self.backed_out_gets += later.backed_out_gets
        self.plain_copies.merge(later.plain_copies)
        self.persistent_copies.merge(later.persistent_copies)
        self.topics.merge(later.topics)


def _add_lists(sums: list[int], more: list[int]) -> None:
    for at in range(len(sums)):
        sums[at] += more[at]


@final
class LogCounts:
    """The recovery log in one interval (QJST). Kept always: a force is rare beside what it costs.

    The shell that forces writes these, under the engine's lock.
    """

    def __init__(self) -> None:
        self.records: i64 = 0  # records appended
        self.record_bytes: i64 = 0  # their bytes
        self.force_requests: i64 = 0  # qjstwrf: answers that had to wait for a force
        self.writes: i64 = 0  # qjstlogw, qjstbfwr, IO_Count: forces, one write and one sync each
        self.blocks: i64 = 0  # qjstciwr, qjstbffl, IO_CI: 4 KB blocks written
        self.one_block_writes: i64 = 0  # of the writes, of one block: the first kind of IO_Count
        self.one_block_ns: i64 = 0  # time of those
        self.one_block_longest_ns: i64 = 0
        self.one_block_longest_at_ns: i64 = 0
        self.larger_longest_ns: i64 = 0  # of the writes of several blocks
        self.larger_longest_at_ns: i64 = 0
        self.io_ns: i64 = 0  # IO_Total_Time of all writes
        self.longest_ns: i64 = 0  # IO_Max_Duration
        self.longest_at_ns: i64 = 0  # IO_Max_Time, Unix time
        self.io_us_squared: i64 = 0  # qjstiosqu1: sum of squares, in microseconds
        self.extents_begun: i64 = 0  # qjstcp1n: extents into which the first record went
        self.checkpoints: i64 = 0  # qjstllcp
        self.space_waits: i64 = 0  # qjstwtb: verbs that had to wait for room in the log

    def wrote(self, blocks: i64, took_ns: i64, at_ns: i64) -> None:
        """A batch is on disk."""
        self.writes += 1
        self.blocks += blocks
        self.io_ns += took_ns
        took_us: i64 = took_ns // 1000
        self.io_us_squared += took_us * took_us
        if took_ns > self.longest_ns:
            self.longest_ns = took_ns
            self.longest_at_ns = at_ns
        if blocks == 1:
            self.one_block_writes += 1
            self.one_block_ns += took_ns
            if took_ns > self.one_block_longest_ns:
                self.one_block_longest_ns = took_ns
                self.one_block_longest_at_ns = at_ns
        elif took_ns > self.larger_longest_ns:
            self.larger_longest_ns = took_ns
            self.larger_longest_at_ns = at_ns

    def merge(self, later: LogCounts) -> None:
        """Those of the interval that follows."""
        self.records += later.records
        self.record_bytes += later.record_bytes
        self.force_requests += later.force_requests
        self.writes += later.writes
        self.blocks += later.blocks
        self.one_block_writes += later.one_block_writes
        self.one_block_ns += later.one_block_ns
        if later.one_block_longest_ns > self.one_block_longest_ns:
            self.one_block_longest_ns = later.one_block_longest_ns
            self.one_block_longest_at_ns = later.one_block_longest_at_ns
        if later.larger_longest_ns > self.larger_longest_ns:
            self.larger_longest_ns = later.larger_longest_ns
            self.larger_longest_at_ns = later.larger_longest_at_ns
        self.io_ns += later.io_ns
        self.io_us_squared += later.io_us_squared
        if later.longest_ns > self.longest_ns:
            self.longest_ns = later.longest_ns
            self.longest_at_ns = later.longest_at_ns
        self.extents_begun += later.extents_begun
        self.checkpoints += later.checkpoints
        self.space_waits += later.space_waits
