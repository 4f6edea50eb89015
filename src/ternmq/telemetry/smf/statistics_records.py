"""SMF records 115 and 116 from snapshots: which classes write which records, and how much goes into
one.

    statistics  class 1: 115-1, 115-2, 115-201, 115-215; 2: 115-7; 3: 115-5, 115-6; 4: 115-231;
                5: 115-216, of queues whose STATQ is on
    accounting  class 1: 116-0, when a task ends; 3: 116-1 and, for the queues that have no room in
                it, 116-2; 4: 116-10

A record has at most 32,756 bytes, so queues and channels go into as many as they need. Sequence
numbers count the records of a queue manager since its start, by kind and over all, whether or not a
destination could keep them: a gap is a loss.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Final, final

from ternmq.codec.smf.field import STUB
from ternmq.codec.smf.record import (
    ACCOUNTING,
    HEADER_BYTES,
    LEVEL,
    STATISTICS,
    TRIPLET_BYTES,
    Stamp,
    capacity,
)
from ternmq.codec.smf.section_layout import length_at
from ternmq.telemetry.smf.counter_sections import SectionPacker
from ternmq.telemetry.smf.counter_views import (
    ChannelView,
    InitiatorView,
    PoolView,
    QueueView,
    StorageView,
    TaskQueueView,
    TaskView,
)
from ternmq.telemetry.smf.record_heads import RecordHead
from ternmq.telemetry.snapshot import (
    CLASS_CHANNELS,
    CLASS_QUEUES,
    CLASS_STORAGE,
    CLASS_STORAGE_DETAIL,
    CLASS_SYSTEM,
    CLASS_TASK_TOTALS,
    CLASS_TASKS,
    ChannelInterval,
    StatisticsInterval,
    StorageSample,
    TaskRecord,
)

_TRIPLET: Final = struct.Struct(">IHH")
# How many copies of what may be many fit into a record beside what else is in it.
_IDENTITY_BYTES: Final = length_at("WTID", LEVEL)
QUEUES_A_RECORD: Final = capacity(STATISTICS, 216, "QQST")
CHANNELS_A_RECORD: Final = capacity(ACCOUNTING, 10, "QCST")
TASK_QUEUES_FIRST: Final = capacity(
    ACCOUNTING, 1, "WQ", others=_IDENTITY_BYTES + length_at("WTAS", LEVEL)
)
TASK_QUEUES_MORE: Final = capacity(ACCOUNTING, 2, "WQ", others=_IDENTITY_BYTES)


@final
class SmfRecords:
    """Makes the records of one queue manager, from its start to its end."""

    def __init__(
        self,
        system: str,
        zone_s: Callable[[int], int],
        now_ns: Callable[[], int],
    ) -> None:
        self._system = system.upper()
        self._zone_s = zone_s  # seconds east of UTC at a time
        self._now_ns = now_ns
        self._sequence = 0
        self._kind_sequences: dict[tuple[int, int], int] = {}
        self._packers: dict[str, SectionPacker] = {}
        self._storage: StorageSample | None = None  # at the end of the last interval
        self._heads: dict[tuple[int, int], RecordHead] = {}

    # ---- statistics

    def statistics(self, interval: StatisticsInterval) -> list[bytes]:
        """The records of an interval, by the classes that are on."""
        found: list[bytes] = []
        classes = interval.classes
        if CLASS_SYSTEM in classes:
            found += self._system_records(interval)
        if CLASS_STORAGE_DETAIL in classes:
            found += self._storage_records(interval)
        if CLASS_STORAGE in classes:
            view = StorageView(interval.storage, self._storage)
            found.append(self._statistics(7, interval, [("QSRS", [view])]))
        if CLASS_QUEUES in classes:
            found += self._queue_records(interval)
        if CLASS_CHANNELS in classes:
            found.append(self._initiator_record(interval))
        self._storage = interval.storage
        return found

    def _system_records(self, interval: StatisticsInterval) -> list[bytes]:
        figures = interval.figures
        storage = StorageView(interval.storage, self._storage)
        messages: list[tuple[str, Sequence[object]]] = [
            ("QMST", [figures]),
            ("QIST", [figures]),
            ("QLST", [figures]),
            ("Q5ST", [interval]),
            ("QEST", [interval]),
            ("QTST", [interval]),
        ]
        return [
            self._statistics(1, interval, [("QSST", [interval]), ("QJST", [interval.log])]),
            self._statistics(2, interval, messages),
            self._statistics(201, interval, [("QIS1", [storage])]),
            self._statistics(215, interval, [("QPST", [storage])]),
        ]

    def _storage_records(self, interval: StatisticsInterval) -> list[bytes]:
        now = interval.storage
        before = self._storage or StorageSample()
        pools = [
            PoolView("PERSISTENT MESSAGES", int(now.persistent_bytes), before.persistent_bytes),
            PoolView("NON-PERSISTENT MESSAGES", int(now.plain_bytes), before.plain_bytes),
        ]
        view = StorageView(now, self._storage)
        return [
            self._statistics(5, interval, [("QSPH", pools)]),
            self._statistics(6, interval, [("QSGM", [view])]),
        ]

    def _queue_records(self, interval: StatisticsInterval) -> list[bytes]:
        room = QUEUES_A_RECORD
        views = [QueueView(one) for one in interval.queues if one.reported]
        return [
            self._statistics(216, interval, [("QQST", views[at : at + room])])
            for at in range(0, len(views), room)
        ]

    def _initiator_record(self, interval: StatisticsInterval) -> bytes:
        view = InitiatorView(interval.qmgr_name, interval.initiator)
        return self._statistics(231, interval, [("QCCT", [view]), ("QCTDSP", [interval.initiator])])

    def _statistics(
        self,
        subtype: int,
        interval: StatisticsInterval | ChannelInterval,
        sections: Sequence[tuple[str, Sequence[object]]],
        record_type: int = STATISTICS,
    ) -> bytes:
        stamp = self._stamp(
            record_type, subtype, interval.qmgr_name, interval.started_ns, interval.ended_ns
        )
        return self._record(record_type, subtype, stamp, sections)

    # ---- accounting

    def channels(self, interval: ChannelInterval) -> list[bytes]:
        """Accounting of the channels of an interval."""
        room = CHANNELS_A_RECORD
        views = [ChannelView(one, interval.ended_ns) for one in interval.channels]
        return [
            self._statistics(10, interval, [("QCST", views[at : at + room])], ACCOUNTING)
            for at in range(0, len(views), room)
        ]

    def task(self, record: TaskRecord) -> list[bytes]:
        """Accounting of a task: its totals when it ends, its queues."""
        found: list[bytes] = []
        queues = [one for one in record.account.queues.values() if one.was_used]
        task = TaskView(record, len(queues))
        if CLASS_TASK_TOTALS in record.classes and record.is_last:
            stamp = self._task_stamp(0, record)
            correlation = self._packed("QWHC", task)
            found.append(
                self._record(
                    ACCOUNTING, 0, stamp, [("QWAC", [task]), ("QMAC", [task])], correlation
                )
            )
        if CLASS_TASKS in record.classes:
            views = [TaskQueueView(one, task.correlator) for one in queues]
            first = TASK_QUEUES_FIRST
            found.append(
                self._record(
                    ACCOUNTING,
                    1,
                    self._task_stamp(1, record),
                    [("WTID", [task]), ("WTAS", [task]), ("WQ", views[:first])],
                )
            )
            room = TASK_QUEUES_MORE
            for at in range(first, len(views), room):
                stamp = self._task_stamp(2, record)
                more: list[tuple[str, Sequence[object]]] = [
                    ("WTID", [task]),
                    ("WQ", views[at : at + room]),
                ]
                found.append(self._record(ACCOUNTING, 2, stamp, more))
        return found

    def _task_stamp(self, subtype: int, record: TaskRecord) -> Stamp:
        since = int(record.account.since_ns)
        return self._stamp(ACCOUNTING, subtype, record.qmgr_name, since, record.ended_ns)

    # ---- both

    def _stamp(
        self, record_type: int, subtype: int, qmgr_name: str, started_ns: int, ended_ns: int
    ) -> Stamp:
        now_ns = self._now_ns()
        key = (record_type, subtype)
        number = self._kind_sequences.get(key, 0) + 1
        self._kind_sequences[key] = number
        self._sequence += 1
        return Stamp(
            self._system,
            qmgr_name,
            now_ns,
            self._zone_s(now_ns),
            started_ns,
            max(0, ended_ns - started_ns) // 1000,
            self._sequence,
            number,
        )

    def _record(
        self,
        record_type: int,
        subtype: int,
        stamp: Stamp,
        sections: Sequence[tuple[str, Sequence[object]]],
        correlation: bytes = b"",
    ) -> bytes:
        """Headers, triplets and sections, as `codec.smf_record` says."""
        head = self._head(record_type, subtype, stamp)
        row = head.row
        given = {name: [self._packed(name, one) for one in roots] for name, roots in sections}
        count = row.triplets
        if (record_type, subtype) == (ACCOUNTING, 1) and not given["WQ"]:
            count -= 1  # a task without queues has no triplet for them
        product = head.product(stamp, count, correlation)
        at = HEADER_BYTES + TRIPLET_BYTES * count
        first = at
        if row.product == STUB:
            at += len(product)
        by_triplet = dict(row.sections)
        triplets = b""
        bodies: list[bytes] = []
        for number in range(1, count):
            name = by_triplet.get(number, "")
            copies = given.get(name, [])
            # 115-231 says where absent tasks would be
            length = length_at(name, LEVEL) if copies or (subtype == 231 and name) else 0
            triplets += _TRIPLET.pack(at if length else 0, length, len(copies))
            at += length * len(copies)
            bodies += copies
        if row.product == STUB:
            bodies.insert(0, product)
        else:
            first = at
            at += len(product)
            bodies.append(product)
        smf = head.smf(stamp, at)
        return b"".join((smf, _TRIPLET.pack(first, len(product), 1), triplets, *bodies))

    def _head(self, record_type: int, subtype: int, stamp: Stamp) -> RecordHead:
        head = self._heads.get((record_type, subtype))
        if head is None:
            head = RecordHead(record_type, subtype, stamp)
            self._heads[record_type, subtype] = head
        return head

    def _packed(self, name: str, root: object) -> bytes:
        packer = self._packers.get(name)
        if packer is None:
            packer = SectionPacker(name)
            self._packers[name] = packer
        return packer.pack(root)
