"""Messages that the queue manager keeps on queues of its own: found by MsgId in memory and in
segments, and all of them read at a start. Whether a queue is inhibited does not matter here.
"""

from __future__ import annotations

from mypy_extensions import i64, mypyc_attr

from ternmq.base.errors import IntegrityError
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.ports.disk import Disk
from ternmq.store.catalog import Catalog, Definition
from ternmq.store.fetching import RecordReader, fetch_message, note_damage, note_unread
from ternmq.store.loading import QueueLoad
from ternmq.store.queue import Queue
from ternmq.store.segment import ALIVE, SEGMENT_MESSAGES_MAX, Segment
from ternmq.store.segment_format import MSG_ID, hash_id
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import Entry


def find_message(
    kernel: Kernel, connection: Connection, queue: Queue, msg_id: bytes
) -> Entry | None:
    """The message with a MsgId that no other has; None: it is not there, or a unit of work has got
    it, or the connection is parked until it is read."""
    connection.park = None
    entry = queue.msg_ids.first(msg_id)
    table = queue.swept_table(MSG_ID)
    if entry is not None or table is None or queue.swept_alive == 0:
        return entry
    for location in table.candidates(hash_id(msg_id)):
        segment = queue.segment_at(location)
        ordinal = location & (SEGMENT_MESSAGES_MAX - 1)
        if segment is None or not segment.swept or segment.states[ordinal] != ALIVE:
            continue
        entry = queue.fetched.get(location)
        if entry is None:
            connection.park = fetch_message(queue, segment, ordinal, kernel.outbox)
            return None
        if entry.msg_id == msg_id:
            return entry
    return None


def take_message(kernel: Kernel, unit: UnitOfWork | None, queue: Queue, entry: Entry) -> i64:
    """Get a message that was found so; what must be forced before an answer."""
    durable_at = kernel.coordinator.get(unit, queue, entry)
    if queue.fetched:
        queue.forget_fetched(entry)  # a backout would leave a copy there that says it is got
    return durable_at


def is_parked(connection: Connection) -> bool:
    """Whether the last search waits for a disk."""
    return connection.park is not None


@mypyc_attr(allow_interpreted_subclasses=True)
class Reader:
    """Takes in the messages of a queue, one after the other."""

    def take(self, entry: Entry) -> None:
        """A message that a get could take; one of a segment is a copy."""
        raise NotImplementedError

    def finish(self) -> None:
        """All were read."""
        raise NotImplementedError


def load_now(catalog: Catalog, disk: Disk, definition: Definition) -> Queue | None:
    """At a start: the queue in memory; None if it is damaged or cannot be read, which is noted in
    the catalog."""
    if definition.object_id in catalog.damaged:
        return None
    queue = catalog.loaded(definition)
    if queue is not None:
        return queue
    load = QueueLoad(catalog, definition)
    try:
        load.run(disk)
        load.complete()
    except IntegrityError as damage:
        load.damage(str(damage))
    except OSError as failure:
        load.fail(failure)
    return catalog.queues.get(definition.object_id)


def read_all(queue: Queue, disk: Disk, reader: Reader) -> bool:
    """Hand over all messages of a queue that a get could take; False: some could not be read,
    which the queue has noted. Reads the disk, so not inside a step."""
    read_in_memory(queue, reader)
    for segment in list(queue.segments.values()):
        if segment.swept and not read_swept(queue, segment, disk, reader):
            return False
    return True


def read_in_memory(queue: Queue, reader: Reader) -> None:
    """Those in memory."""
    for lane in queue.lanes:
        for chain in (lane.front, lane.strays, lane.rear):
            entry = chain.head
            while entry is not None:
                reader.take(entry)
                entry = entry.next


def read_swept(queue: Queue, segment: Segment, disk: Disk, reader: Reader) -> bool:
    """Those of a swept segment."""
    records = RecordReader(queue, segment)
    try:
        file = disk.borrow(segment.path)
        try:
            at: i64 = 0
            while at < segment.count:
                after = records.chunk_end(at)
                data, start = records.read(file, at, after)
                while at < after:
                    if segment.states[at] == ALIVE:
                        reader.take(records.entry(data, start, at))
                    at += 1
        finally:
            disk.give_back(file)
    except IntegrityError as damage:
        note_damage(queue, segment, str(damage))
        return False
    except OSError as failure:
        note_unread(queue, segment, failure)
        return False
    return True
