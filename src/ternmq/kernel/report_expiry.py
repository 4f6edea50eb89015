"""Expired messages that ask for a report: each leaves its queue in a unit of work with its report.

That may need what a step cannot wait for, the body of a swept message or a queue that is not in
memory. So whatever finds such a message only notes it, and steps of their own remove what is noted,
a bounded number each. A message whose report has to wait stays on its queue, where no get sees it;
the next expiry scan finds it again.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import QUIESCING, RUNNING, Kernel
from ternmq.kernel.metering import have_expired
from ternmq.kernel.report_sink import ReportSink
from ternmq.ports.disk import Disk, is_passing
from ternmq.ports.effect import Effect
from ternmq.store.fetching import RecordReader, note_damage
from ternmq.store.queue import Queue
from ternmq.store.segment import ALIVE, Segment
from ternmq.txn.single_changes import expire_in_unit
from ternmq.values.entry import AVAILABLE, NOWHERE, Entry

STEP_MESSAGES_MAX: Final = 64
STEP_BYTES_MAX: Final = 1 << 20


@final
class ExpiryReports:
    """The messages that are noted, and the steps that remove them."""

    def __init__(self, kernel: Kernel, reports: ReportSink) -> None:
        self.kernel = kernel
        self._reports = reports
        self._connection = Connection(0, b"", "", kernel.name)
        self._noted: list[tuple[Queue, Entry]] = []
        self._keys: set[tuple[int, int]] = set()  # queue and number of those
        self._under_way = False

    def add(self, queue: Queue, entries: list[Entry]) -> None:
        """Note expired messages that are in memory."""
        for entry in entries:
            key = (int(queue.queue_id), int(entry.number))
            if key not in self._keys:
                self._keys.add(key)
                self._noted.append((queue, entry))
        self._go_on()

    def _go_on(self) -> None:
        if self._noted and not self._under_way:
            self._under_way = True
            self.kernel.outbox.add(ExpiryStep(self))

    def step(self) -> None:
        """Remove some of what is noted."""
        self._under_way = False
        size: i64 = 0
        count: i64 = 0
        while count < len(self._noted) and count < STEP_MESSAGES_MAX and size < STEP_BYTES_MAX:
            queue, entry = self._noted[count]
            count += 1
            self._keys.discard((int(queue.queue_id), int(entry.number)))
            # Otherwise it was got, or swept: what is read again is another entry.
            if entry.state == AVAILABLE and entry.place != NOWHERE:
                self.remove(queue, entry)
                size += entry.memory_bytes()
        del self._noted[: int(count)]
        self._go_on()

    def remove(self, queue: Queue, entry: Entry) -> bool:
        """Take a message off its queue and report it; False: it has to wait."""
        kernel = self.kernel
        if kernel.status not in (RUNNING, QUIESCING):
            return False
        if queue.dropped or kernel.catalog.queues.get(int(queue.queue_id)) is not queue:
            return False
        if queue.damaged or (queue.locks and int(entry.number) in queue.locks):
            return False
        coordinator = kernel.coordinator
        unit = coordinator.begin()
        connection = self._connection
        connection.begin_verb()
        if not self._reports.expiration(connection, unit, entry):
            return False
        connection.log_tries = 0
        if queue.fetched:
            queue.forget_fetched(entry)
        if unit.changes:
            expire_in_unit(coordinator, unit, queue, entry)
            self._reports.commit(connection, unit)
        elif coordinator.has_room(None, 16):
            # It asks for reports of other kinds, or its report is discarded.
            coordinator.expire(queue, [entry])
        else:
            return False
        have_expired(kernel, queue, 1)
        return True


@final
class ExpiryStep(Effect):
    """The next step of `ExpiryReports`. There is nothing to run outside it."""

    def __init__(self, expiry: ExpiryReports) -> None:
        super().__init__()
        self.expiry = expiry

    def run(self, disk: Disk) -> None:
        pass

    def fail(self, error: OSError) -> None:
        """A signal came while nothing was run: the step is made all the same."""
        self.complete()

    def complete(self) -> None:
        self.expiry.step()


@final
class SweptExpiry(Effect):
    """Reads some expired messages of a swept segment and removes them; then come the others."""

    def __init__(
        self, expiry: ExpiryReports, queue: Queue, segment: Segment, ordinals: list[int]
    ) -> None:
        super().__init__()
        self.expiry = expiry
        self.queue = queue
        self.segment = segment
        self.ordinals = ordinals
        self.entries: list[Entry] = []

    def run(self, disk: Disk) -> None:
        reader = RecordReader(self.queue, self.segment)
        size: i64 = 0
        file = disk.borrow(self.segment.path)
        try:
            for ordinal in self.ordinals[:STEP_MESSAGES_MAX]:
                records, start = reader.read(file, ordinal, ordinal + 1)
                self.entries.append(reader.entry(records, start, ordinal))
                size += len(records)
                if size >= STEP_BYTES_MAX:
                    break
        finally:
            disk.give_back(file)

    def complete(self) -> None:
        queue = self.queue
        segment = self.segment
        for entry in self.entries:
            if not self._is_there():
                return  # in memory again, where the next scan finds what is left
            if segment.states[entry.ordinal] != ALIVE:
                continue
            if not self.expiry.remove(queue, entry):
                return
        rest = self.ordinals[len(self.entries) :]
        if rest and self._is_there():
            self.expiry.kernel.outbox.add(SweptExpiry(self.expiry, queue, segment, rest))

    def _is_there(self) -> bool:
        segment = self.segment
        return segment.swept and self.queue.segments.get(segment.slot) is segment

    def fail(self, error: OSError) -> None:
        if not is_passing(error):  # else the next scan finds it
            self.damage(f"segment {self.segment.path} cannot be read: {error}")

    def damage(self, text: str) -> None:
        note_damage(self.queue, self.segment, text)
