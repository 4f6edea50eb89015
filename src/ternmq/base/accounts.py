"""What a queue manager keeps of one task, a connection, while accounting is on: how often each verb
was called, what it took, and on which queues (WTAS, WQST, QMAC, 167, 168).

An account begins with the connection or with accounting, and again after each record written of it.
Counts are the kernel's, under the engine's lock; times are written by the shell that runs the verb.
Units and words are those of `counters`.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.base.constants import MQOT_TOPIC
from ternmq.base.counters import OBJECT_TYPES, Traffic
from ternmq.base.topic_counters import TopicCounts


@final
class VerbTime:
    """One verb: how often it was called, and what that took.

    Elapsed time is from the call to its answer, with what it waited for, but without an MQGET's
    wait for a message. CPU time is the thread's, without any wait.
    """

    __slots__ = (
        "calls",
        "cpu_ns",
        "elapsed_ns",
        "failed",
        "force_wait_ns",
        "force_waits",
        "read_ns",
        "reads",
        "suspended_ns",
        "suspensions",
    )

    def __init__(self) -> None:
        self.calls: i64 = 0  # openn closen getn putn put1n inqn setn wtascmn wtasban wtasprn
        self.failed: i64 = 0  # 167/168 ...FailCount
        self.elapsed_ns: i64 = 0  # openet closeet getet putet put1et inqet setet wtascmet ...
        self.cpu_ns: i64 = 0  # openct closect getct putct put1ct inqct setct wtascmct ...
        self.force_wait_ns: i64 = 0  # getjcet putjcet put1jcet setjcet; all verbs: wtasjcet
        self.force_waits: i64 = 0  # getjcn putjcn put1jcn setjcn; all verbs: wtasjcn
        self.read_ns: i64 = 0  # getpset: waited until a segment was read
        self.reads: i64 = 0  # getpsn
        # waited for something else: a queue to be loaded, room in the log, a sweep, or its turn
        self.suspended_ns: i64 = 0  # getsuset putsuset put1suset opensuet closesuet
        self.suspensions: i64 = 0  # getsusn putsusn put1susn opensun closesun; all: wtassusn

    def merge(self, later: VerbTime) -> None:
        """Those of the interval that follows."""
        self.calls += later.calls
        self.failed += later.failed
        self.elapsed_ns += later.elapsed_ns
        self.cpu_ns += later.cpu_ns
        self.force_wait_ns += later.force_wait_ns
        self.force_waits += later.force_waits
        self.read_ns += later.read_ns
        self.reads += later.reads
        self.suspended_ns += later.suspended_ns
        self.suspensions += later.suspensions


@final
class TaskQueueAccount:
    """One queue as one task used it (WQST, a group of 168)."""

    __slots__ = (
        "base_name",
        "browses_any",
        "browses_specific",
        "close",
        "closed_ns",
        "created_ns",
        "definition_type",
        "depth_high",
        "expired_met",
        "generated",
        "get",
        "gets_any",
        "gets_specific",
        "handles",
        "handles_opened",
        "inquire",
        "object_type",
        "open",
        "open_name",
        "opened_ns",
        "published",
        "put",
        "put1",
        "queue_type",
        "reported",
        "selector_bytes_max",
        "selector_looked",
        "selector_matched",
        "selectors",
        "set",
        "skipped",
        "streamed",
        "traffic",
    )

    def __init__(self, open_name: str, base_name: str) -> None:
        self.open_name = open_name  # objname: as MQOPEN named it
        self.base_name = base_name  # basename: what that led to; 168 QName
        self.queue_type = 1  # qtype; 168 QType: MQQT_ of what was opened
        self.object_type = 1  # MQOT_
        self.definition_type = 1  # 168 QDefinitionType: MQQDT_
        self.created_ns: i64 = 0  # 168 CreateDate, CreateTime; of the base queue, Unix time
        # ACCTQ is on for the queue (flags: ACCTQ controlled); 168 has only those
        self.reported = True
        self.opened_ns: i64 = 0  # opentime; 168 OpenDate: the first open, Unix time
        self.closed_ns: i64 = 0  # clostime; 168 CloseDate: the last close, 0 while open
        self.handles: i64 = 0  # use_count: open now
        self.handles_opened: i64 = 0  # total_use; 168 OpenCount
        self.open = VerbTime()
        self.close = VerbTime()
        self.get = VerbTime()  # browses too
        self.put = VerbTime()
        self.put1 = VerbTime()
        self.inquire = VerbTime()
        self.set = VerbTime()
        self.traffic = Traffic()
        # MQGET calls, successful or not, by kind
        self.gets_any: i64 = 0  # geta
        self.gets_specific: i64 = 0  # gets
        self.browses_any: i64 = 0  # getbrwa
        self.browses_specific: i64 = 0  # getbrws
        self.skipped: i64 = 0  # getsmsg: messages passed over while searching
        self.expired_met: i64 = 0  # getexmsg
        self.generated: i64 = 0  # ngen; 168 GeneratedMsgCount: triggers, reports
        self.depth_high: i64 = 0  # maxqdpth
        # MQGET calls, successful or not, through handles that have a selector
        self.selectors: i64 = 0  # selcount
        self.selector_bytes_max: i64 = 0  # selmaxln: the longest selection string
        self.selector_looked: i64 = 0  # messages that selectors looked at: our own
        self.selector_matched: i64 = 0
        self.streamed: i64 = 0  # streamedn
        self.published: i64 = 0  # publishedn: copies that its puts sent to subscribers

    @property
    def was_used(self) -> bool:
        """Something was counted, or it is open."""
        return (
            self.handles
            + self.open.calls
            + self.close.calls
            + self.get.calls
            + self.put.calls
            + self.put1.calls
            + self.inquire.calls
            + self.set.calls
        ) > 0

    def successor(self) -> TaskQueueAccount:
        """The account that goes on after a record: nothing counted, and as open as this one."""
        after = TaskQueueAccount(self.open_name, self.base_name)
        after.queue_type = self.queue_type
        after.object_type = self.object_type
        after.definition_type = self.definition_type
        after.created_ns = self.created_ns
        after.reported = self.reported
        after.opened_ns = self.opened_ns
        after.handles = self.handles
        return after

    def merge(self, later: TaskQueueAccount) -> None:
        """Those of the interval that follows."""
        self.closed_ns = later.closed_ns
        if self.opened_ns == 0:
            self.opened_ns = later.opened_ns
        self.reported = later.reported
        self.handles = later.handles
        self.handles_opened += later.handles_opened
        self.open.merge(later.open)
        self.close.merge(later.close)
        self.get.merge(later.get)
        self.put.merge(later.put)
        self.put1.merge(later.put1)
        self.inquire.merge(later.inquire)
        self.set.merge(later.set)
        self.traffic.merge(later.traffic)
        self.gets_any += later.gets_any
        self.gets_specific += later.gets_specific
        self.browses_any += later.browses_any
        self.browses_specific += later.browses_specific
        self.skipped += later.skipped
        self.expired_met += later.expired_met
        self.generated += later.generated
        if later.depth_high > self.depth_high:
            self.depth_high = later.depth_high
        self.selectors += later.selectors
        self.selector_looked += later.selector_looked
        self.selector_matched += later.selector_matched
        if later.selector_bytes_max > self.selector_bytes_max:
            self.selector_bytes_max = later.selector_bytes_max
        self.streamed += later.streamed
        self.published += later.published


@final
class SizeClasses:
    """Messages by size (QMAC qmacputa ... qmacgetd)."""

    __slots__ = ("beyond", "to_99", "to_999", "to_9999")

    def __init__(self) -> None:
        self.to_99: i64 = 0
        self.to_999: i64 = 0
        self.to_9999: i64 = 0
        self.beyond: i64 = 0

    def add(self, length: i64) -> None:
        """One message."""
        if length < 100:
            self.to_99 += 1
        elif length < 1000:
            self.to_999 += 1
        elif length < 10_000:
            self.to_9999 += 1
        else:
            self.beyond += 1

    def merge(self, later: SizeClasses) -> None:
        """Those of the interval that follows."""
        self.to_99 += later.to_99
        self.to_999 += later.to_999
        self.to_9999 += later.to_9999
        self.beyond += later.beyond


@final
class TaskAccount:
    """One task (WTAS, QMAC, QWAC, 167): its queues, and its calls that belong to none."""

    def __init__(self, started_ns: i64, since_ns: i64) -> None:
        self.started_ns: i64 = started_ns  # wtasstrt, qwacbsc; 167 ConnDate: Unix time
        self.since_ns: i64 = since_ns  # wtasints: of this record's interval
        self.put_sizes = SizeClasses()  # qmacputa-d
        self.get_sizes = SizeClasses()  # qmacgeta-d
        self.commit = VerbTime()  # wtascm..; 167 CommitCount, CommitFailCount; qwaccomm
        self.back_out = VerbTime()  # wtasba..; 167 BackCount; qwacback
        self.prepare = VerbTime()  # wtaspr..
        self.control = VerbTime()  # MQCTL: wtasct..
        self.callback = VerbTime()  # MQCB: cbn ...; 167 CBCount
        self.status = VerbTime()  # MQSTAT: wtasst..
        self.subscribe = VerbTime()  # MQSUB: wtassu..
        self.request = VerbTime()  # MQSUBRQ: wtassq..
        self.topics = TopicCounts()  # 167 DurableSubscribeCount ... PutTopicBytes
        # all other calls, and calls on objects that are not queues: wtasot..
        self.other = VerbTime()
        # calls by type of object (index MQOT_), queues too: 167 OpenCount, CloseCount, InqCount,
        # SetCount and their ...FailCount
        self.opens: list[int] = [0] * OBJECT_TYPES
        self.failed_opens: list[int] = [0] * OBJECT_TYPES
        self.closes: list[int] = [0] * OBJECT_TYPES
        self.failed_closes: list[int] = [0] * OBJECT_TYPES
        self.inquires: list[int] = [0] * OBJECT_TYPES
        self.failed_inquires: list[int] = [0] * OBJECT_TYPES
        self.sets: list[int] = [0] * OBJECT_TYPES
        self.failed_sets: list[int] = [0] * OBJECT_TYPES
        self.log_bytes: i64 = 0  # wtasjwb
        self.log_records: i64 = 0  # wtasjwn
        self.queues: dict[tuple[str, str], TaskQueueAccount] = {}  # by open name and base name

    def queue(self, open_name: str, base_name: str) -> TaskQueueAccount:
        """The account of one queue, begun at its first use."""
        key = (open_name, base_name)
        account = self.queues.get(key)
        if account is None:
            account = TaskQueueAccount(open_name, base_name)
            self.queues[key] = account
        return account

    def verb_total(self) -> VerbTime:
        """All verbs of the task together: qmaccput is its CPU time, qwacasc its elapsed time."""
        total = VerbTime()
        for one in (
            self.commit,
            self.back_out,
            self.prepare,
            self.control,
            self.callback,
            self.status,
            self.subscribe,
            self.request,
            self.other,
        ):
            total.merge(one)
        for queue in self.queues.values():
            total.merge(queue.open)
            total.merge(queue.close)
            total.merge(queue.get)
            total.merge(queue.put)
            total.merge(queue.put1)
            total.merge(queue.inquire)
            total.merge(queue.set)
        return total

    def traffic_total(self) -> Traffic:
        """Messages over all queues: 167 PutCount ... BrowseBytes. What went to topics has counts
        of its own."""
        total = Traffic()
        for queue in self.queues.values():
            if queue.object_type != MQOT_TOPIC:
                total.merge(queue.traffic)
        return total

    def merge(self, later: TaskAccount) -> None:
        """Those of the interval that follows."""
        self.put_sizes.merge(later.put_sizes)
        self.get_sizes.merge(later.get_sizes)
        self.commit.merge(later.commit)
        self.back_out.merge(later.back_out)
        self.prepare.merge(later.prepare)
        self.control.merge(later.control)
        self.callback.merge(later.callback)
        self.status.merge(later.status)
        self.subscribe.merge(later.subscribe)
        self.request.merge(later.request)
        self.topics.merge(later.topics)
        self.other.merge(later.other)
        _add_lists(self.opens, later.opens)
        _add_lists(self.failed_opens, later.failed_opens)
        _add_lists(self.closes, later.closes)
        _add_lists(self.failed_closes, later.failed_closes)
        _add_lists(self.inquires, later.inquires)
        _add_lists(self.failed_inquires, later.failed_inquires)
        _add_lists(self.sets, later.sets)
        _add_lists(self.failed_sets, later.failed_sets)
        self.log_bytes += later.log_bytes
        self.log_records += later.log_records
        for key, queue in later.queues.items():
            mine = self.queues.get(key)
            if mine is None:  # a copy: others may add up the same interval
                mine = queue.successor()
                self.queues[key] = mine
            mine.merge(queue)


def _add_lists(sums: list[int], more: list[int]) -> None:
    for at in range(len(sums)):
        sums[at] += more[at]
