"""The store about itself: what must hold between two steps, whatever was asked of it.

Finds a wrong count or a message in the wrong list at the step that made it, long before a get
returns the wrong one.
"""

from ternmq.engine.engine import Engine
from ternmq.ports.disk import Disk
from ternmq.store.chain import Chain
from ternmq.store.lane import Lane
from ternmq.store.queue import Queue
from ternmq.store.segment import ALIVE, LOCKED, segment_of
from ternmq.values.entry import ASTRAY, AVAILABLE, Entry
from tests.model.group_audit import audit_groups


def chain_entries(chain: Chain) -> list[Entry]:
    entries: list[Entry] = []
    entry = chain.head
    while entry is not None:
        entries.append(entry)
        entry = entry.next
    assert len(entries) == chain.count
    assert chain.tail is (entries[-1] if entries else None)
    return entries


def audit_lane(lane: Lane, number: int) -> list[Entry]:
    """The lists are in order and none overlaps the next."""
    front, strays, rear = (chain_entries(c) for c in (lane.front, lane.strays, lane.rear))
    assert all(lane.has_in_front(entry) and not lane.has_in_rear(entry) for entry in front)
    assert all(lane.has_in_rear(entry) and not lane.has_in_front(entry) for entry in rear)
    assert all(entry.place == ASTRAY for entry in strays)
    for entries, place in ((front, "front"), (strays, "strays"), (rear, "rear")):
        numbers = [entry.sequence for entry in entries]
        assert numbers == sorted(set(numbers)), f"lane {number} place {place}: {numbers}"
        assert all(entry.lane == number for entry in entries)
        assert all(entry.state == AVAILABLE for entry in entries)
    firsts = [segment.first_sequence for segment in lane.swept]
    assert firsts == sorted(firsts)
    if lane.swept:
        first = lane.swept[0].first_sequence
        last = lane.swept[-1].last_sequence
        # Equal where the segment's own first or last message has found another home.
        assert not front or front[-1].sequence <= first
        assert not rear or rear[0].sequence >= last
        assert not strays or first <= strays[0].sequence
        assert not strays or strays[-1].sequence <= last
    else:
        assert not strays
        assert not rear
    return front + strays + rear


def audit_queue(queue: Queue) -> None:
    """Counts are the sums of what they count; a segment's messages and its states agree."""
    entries: list[Entry] = []
    for number, lane in enumerate(queue.lanes):
        entries += audit_lane(lane, number)
        assert all(queue.segments.get(segment.slot) is segment for segment in lane.swept)
        assert all(segment.swept for segment in lane.swept)
        assert number <= queue.highest or not (lane.swept or lane.in_memory)
    assert queue.available == len(entries)
    homes = [home for entry in entries if (home := segment_of(entry)) is not None]
    assert all(queue.segments.get(home.slot) is home for home in homes)
    assert queue.persistent_bytes == sum(e.memory_bytes() for e in entries if e.persistent)
    assert queue.plain_bytes == sum(e.memory_bytes() for e in entries if not e.persistent)
    assert queue.expiring == sum(1 for e in entries if e.expiry_at)
    swept = [segment for lane in queue.lanes for segment in lane.swept]
    assert queue.swept_alive == sum(int(segment.alive) for segment in swept)
    files = sum(int(segment.file_bytes) for segment in queue.segments.values())
    assert queue.file_bytes - queue.waste.bytes == files
    assert queue.waste.bytes >= 0
    for segment in queue.segments.values():
        assert segment.alive == sum(1 for state in segment.states if state == ALIVE)
        assert segment.locked == sum(1 for state in segment.states if state == LOCKED)
        assert not segment.empty
        here = [entry for entry in entries if segment_of(entry) is segment]
        if segment.swept:
            assert not here
        else:
            assert len(here) == segment.alive
            assert all(segment.states[entry.ordinal] == ALIVE for entry in here)


def audit_files(engine: Engine, disk: Disk) -> None:
    """With nothing under way, a queue's folder holds its segments and the files that only a
    checkpoint may remove, and the queue knows how much that is."""
    waste = engine.keeper.waste.segments
    for queue in engine.kernel.catalog.queues.values():
        dead = [one for one in waste if one.queue is queue] + queue.waste.doomed
        assert not [one.path for one in queue.waste.doomed if not (one.is_pinned or one.is_going)]
        expected = {segment.path: int(segment.file_bytes) for segment in queue.segments.values()}
        for one in dead + queue.waste.held_files:
            if not one.is_going:
                expected[one.path] = int(one.bytes)
        paths = [f"{queue.folder}/{name}" for name in disk.list(queue.folder)]
        found = {path: disk.size(path) for path in paths if path.endswith(".seg")}
        assert found == expected, queue.name
        assert queue.file_bytes == sum(found.values()), queue.name


def audit_engine(engine: Engine, disk: Disk) -> None:
    """Every loaded queue, and the list of bodies that only the log has."""
    for queue in engine.kernel.catalog.queues.values():
        audit_queue(queue)
        audit_groups(queue, disk)
    entry = engine.coordinator.in_log.head
    seen = 0
    before = 0
    while entry is not None:
        assert entry.home_lsn >= before
        before = entry.home_lsn
        assert entry.log_next is not None or entry is engine.coordinator.in_log.tail
        entry = entry.log_next
        seen += 1
    assert seen == engine.coordinator.in_log.count
