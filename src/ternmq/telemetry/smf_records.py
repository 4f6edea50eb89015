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

from collections.abc import Callable, Sequence
from typing import Final, final

from ternmq.codec.smf_layout import Value, length_at
from ternmq.codec.smf_record import (
    ACCOUNTING,
    KINDS,
    LEVEL,
    STATISTICS,
    Stamp,
    assemble,
    capacity,
    header_values,
)
from ternmq.telemetry.smf_rows import ROWS
from ternmq.telemetry.smf_sections import SectionPacker
from ternmq.telemetry.smf_views import (
    ChannelView,
    InitiatorView,
    PoolView,
    QueueView,
    StorageView,
    TaskQueueView,
    TaskView,
)
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
from ternmq.telemetry.source import Sources


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
        self._correlation = Sources([row.source for row in ROWS["QWHC"]])

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
        room = capacity(STATISTICS, 216, "QQST")
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
        room = capacity(ACCOUNTING, 10, "QCST")
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
            identity = self._identity(task)
            found.append(
                self._record(ACCOUNTING, 0, stamp, [("QWAC", [task]), ("QMAC", [task])], identity)
            )
        if CLASS_TASKS in record.classes:
            views = [TaskQueueView(one, task.correlator) for one in queues]
            others = length_at("WTID", LEVEL) + length_at("WTAS", LEVEL)
            first = capacity(ACCOUNTING, 1, "WQ", others=others)
            found.append(
                self._record(
                    ACCOUNTING,
                    1,
                    self._task_stamp(1, record),
                    [("WTID", [task]), ("WTAS", [task]), ("WQ", views[:first])],
                )
            )
            room = capacity(ACCOUNTING, 2, "WQ", others=length_at("WTID", LEVEL))
            for at in range(first, len(views), room):
                stamp = self._task_stamp(2, record)
                more: list[tuple[str, Sequence[object]]] = [
                    ("WTID", [task]),
                    ("WQ", views[at : at + room]),
                ]
                found.append(self._record(ACCOUNTING, 2, stamp, more))
        return found

    def _identity(self, task: TaskView) -> dict[str, Value]:
        values = zip(ROWS["QWHC"], self._correlation.of(task), strict=True)
        return {
            row.field: _cut(row.field, value) if isinstance(value, str | bytes) else value
            for row, value in values
        }

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
        identity: dict[str, Value] | None = None,
    ) -> bytes:
        row = KINDS[record_type, subtype]
        given = {name: [self._packed(name, one) for one in roots] for name, roots in sections}
        by_triplet = dict(row.sections)
        count = row.triplets
        if (record_type, subtype) == (ACCOUNTING, 1) and not given["WQ"]:
            count -= 1  # a task without queues has no triplet for them
        copies: list[tuple[int, Sequence[bytes]]] = []
        for number in range(1, count):
            name = by_triplet.get(number, "")
            # 115-231 tells where absent tasks would be
            told = name in given or (subtype == 231 and name)
            copies.append((length_at(name, LEVEL) if told else 0, given.get(name, [])))
        header = header_values(record_type, subtype, stamp)
        if identity is not None:
            header.update(identity)
        return assemble(row, count, header, copies, LEVEL)

    def _packed(self, name: str, root: object) -> bytes:
        packer = self._packers.get(name)
        if packer is None:
            packer = SectionPacker(name)
            self._packers[name] = packer
        return packer.pack(root)


def _cut(field: str, value: str | bytes) -> str | bytes:
    """Names and tokens of QWHC may be longer here than on z/OS."""
    return value[: _WIDTHS[field]]


_WIDTHS: Final = {"qwhcaid": 8, "qwhccn": 8, "qwhcopid": 8, "qwhctokn": 22}
