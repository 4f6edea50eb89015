"""Loading a queue from its state journal and segments: at first use, and at restart.

What was swept stays swept: only the index of each segment is read. Segments that hold messages out
of order (written so that the log could let go of them) are read whole. Non-persistent messages that
did not outlive the last stop are marked dead on the way.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import final

from ternmq.base.errors import IntegrityError, check
from ternmq.codec.message_image import FLAG_PERSISTENT
from ternmq.ports.disk import INTERRUPTED, Disk, is_passing
from ternmq.ports.effect import Effect
from ternmq.store.catalog import Catalog, Definition, configure
from ternmq.store.fetching import check_age
from ternmq.store.group_member import Member, key_of
from ternmq.store.queue import Queue
from ternmq.store.register import BEHIND_LSN
from ternmq.store.segment import ALIVE, DEAD, LOCKED, MIXED, Segment
from ternmq.store.segment_file import SegmentFile
from ternmq.store.segment_format import CORREL_ID, GROUP_ID, MSG_ID, SegmentIndex
from ternmq.store.state_journal import QueueState, SegmentState, StateJournal
from ternmq.store.stream.stream_state import load_stream
from ternmq.store.waste import remove_unnamed
from ternmq.values.entry import PUTTING
from ternmq.values.entry_image import entry_from_image


def state_path(folder: str) -> str:
    """The state journal of a queue."""
    return f"{folder}/state"


def older_log(path: str, lsn: int, end_lsn: int) -> IntegrityError:
    """A file has more than the log has. Journals and catalog are written after the log is
    forced, so no crash explains it: one of the two was brought back from a backup."""
    return IntegrityError(
        f"{path} is of LSN {lsn}, but the log ends at LSN {end_lsn}: the log is older than the "
        "files beside it; restore both from the same backup"
    )


def load_queue(
    disk: Disk,
    definition: Definition,
    trust_plain: bool,
    for_restart: bool,
    proven_lsn: int,
    newest_lsn: int,
    id_seed: int,
) -> Queue:
    """The queue as its journal describes it; reads the disk, so not inside a step.

    `proven_lsn`: what the register says of the journal. `newest_lsn`: no journal can be newer.
    """
    queue = Queue(definition.object_id, definition.name, definition.folder, id_seed)
    configure(queue, definition)
    path = state_path(queue.folder)
    check(proven_lsn < BEHIND_LSN, f"{path} is behind the log, parts of which were passed over")
    state = StateJournal.load(disk, path, proven_lsn)
    if state.lsn == 0:
        remove_unnamed(disk, queue.folder, [])
        return queue
    if state.queue_id != definition.object_id:
        raise IntegrityError(f"{path} is the journal of queue {state.queue_id}")
    if state.lsn > newest_lsn:
        raise older_log(path, state.lsn, newest_lsn)
    StateJournal.settle(disk, path, state)
    # Without its last seal the file may end before the place where the next batch would go.
    queue.rewrite_state = not state.is_sealed
    queue.state_lsn = state.lsn
    queue.next_number = state.next_number
    queue.numbering.saved = state.next_number
    queue.next_sequence = state.next_sequence
    queue.next_segment = state.next_segment
    queue.journal_offset = state.position.offset
    queue.journal_batch = state.position.batch_number
    queue.has_files = True
    if state.stream:
        load_stream(queue, state.stream)
    chain = _chain(state)
    loaded = [
        _load_segment(
            disk,
            queue,
            state.segments[number],
            trust_plain,
            for_restart,
            number in chain,
            state.lsn,
        )
        for number in sorted(state.segments)
    ]
    _arrange(disk, queue, loaded, chain)
    remove_unnamed(disk, queue.folder, [segment.path for segment in loaded])
    queue.high_depth = queue.depth
    return queue


def _chain(state: QueueState) -> set[int]:
    """Numbers of the segments that stay swept. Segments of a lane follow one another, but one that
    was in memory while its messages were swept again overlaps others: of those that overlap the
    fullest stays, the rest is read as if it were mixed."""
    chosen: set[int] = set()
    starts: dict[int, list[int]] = {}
    ends: dict[int, list[int]] = {}
    ranked = [one for one in state.segments.values() if one.priority != MIXED]
    ranked.sort(key=_living, reverse=True)
    for one in ranked:
        lane_starts = starts.setdefault(one.priority, [])
        lane_ends = ends.setdefault(one.priority, [])
        at = bisect_right(lane_starts, one.last_sequence)
        if at == 0 or lane_ends[at - 1] < one.first_sequence:
            lane_starts.insert(at, one.first_sequence)
            lane_ends.insert(at, one.last_sequence)
            chosen.add(one.number)
    return chosen


def _living(state: SegmentState) -> int:
    return state.count - int.from_bytes(state.dead, "little").bit_count()


def living_messages(disk: Disk, folder: str, state: QueueState, trust_plain: bool) -> int:
    """How many messages a queue has by its journal; reads the disk, so not inside a step."""
    found = 0
    for one in state.segments.values():
        if trust_plain or one.persistent == one.count:
            found += _living(one)
        elif one.persistent:
            found += _living_persistent(disk, folder, one)
    return found


def _living_persistent(disk: Disk, folder: str, state: SegmentState) -> int:
    file = SegmentFile(disk, segment_path(folder, state.number))
    try:
        flags = file.load_index().message_flags
    finally:
        file.close()
    dead = state.dead
    living = 0
    for ordinal in range(min(state.count, len(flags))):
        if flags[ordinal] & FLAG_PERSISTENT and not dead[ordinal >> 3] >> (ordinal & 7) & 1:
            living += 1
    return living


def segment_path(folder: str, number: int) -> str:
    """A segment file of a queue."""
    return f"{folder}/S{number:010d}.seg"


def _arrange(disk: Disk, queue: Queue, loaded: list[Segment], chain: set[int]) -> None:
    """Chain what was swept, read what was not."""
    chained = [segment for segment in loaded if int(segment.number) in chain and segment.alive]
    mixed = [segment for segment in loaded if int(segment.number) not in chain]
    chained.sort(key=_first_sequence)
    for segment in chained:
        segment.swept = True
        queue.swept_alive += segment.alive
        queue.lanes[segment.lane].swept.append(segment)
        if segment.lane > queue.highest:
            queue.highest = segment.lane
    for segment in mixed:
        _load_messages(disk, queue, segment)
    for segment in list(queue.segments.values()):
        if segment.empty:
            queue.retire(segment)


def _first_sequence(segment: Segment) -> int:
    return int(segment.first_sequence)


def _load_segment(
    disk: Disk,
    queue: Queue,
    state: SegmentState,
    trust_plain: bool,
    for_restart: bool,
    is_swept: bool,
    newest_lsn: int,
) -> Segment:
    path = segment_path(queue.folder, state.number)
    segment = Segment(state.number, path, state.priority, state.count)
    segment.first_sequence = state.first_sequence
    segment.last_sequence = state.last_sequence
    segment.min_expiry = state.min_expiry
    segment.file_bytes = state.file_bytes
    segment.persistent = state.persistent
    segment.pinned = state.persistent > 0
    segment.backouts = dict(state.backouts)
    segment.newest_lsn = newest_lsn
    segment.load_bitmap(state.dead)
    segment.saved = True
    segment.touched = False
    if segment.persistent == 0 and not trust_plain:
        # Nothing in it outlives the last stop. It was never forced, so it may be anything by now.
        for ordinal in range(state.count):
            segment.mark(ordinal, DEAD)
        queue.adopt(segment)
        return segment
    file = SegmentFile(disk, path)
    try:
        index = file.load_index()
    finally:
        file.close()
    queue_id = int(queue.queue_id)
    index.expect(queue_id, queue_id, state.number)
    check(index.count == state.count, f"{path}: {index.count} messages, {state.count} expected")
    offsets: array[int] = array("I")
    offsets.extend([offset // 8 for offset in index.offsets])
    offsets.append(index.index_offset // 8)
    segment.offsets = offsets
    flags = index.message_flags
    if state.persistent:
        segment.set_durable(bytes(flag & FLAG_PERSISTENT for flag in flags))
    if not trust_plain and segment.persistent < segment.count:
        for ordinal in range(state.count):
            if not flags[ordinal] & FLAG_PERSISTENT:
                segment.mark(ordinal, DEAD)
    if for_restart:
        segment.numbers = index.numbers
    queue.adopt(segment)
    if is_swept:
        _remember(queue, segment, index)
    return segment


def _remember(queue: Queue, segment: Segment, index: SegmentIndex) -> None:
    """Enter the living messages of a swept segment into the id tables."""
    for kind in (MSG_ID, CORREL_ID, GROUP_ID):
        hashes = index.hashes[kind]
        if len(hashes) == 0:
            continue
        table = queue.make_table(kind)
        ordinals = index.ordinals[kind]
        for place in range(len(hashes)):
            ordinal = ordinals[place]
            if segment.states[ordinal] == ALIVE:
                table.add(hashes[place], segment.location(ordinal))
    for place, ordinal in enumerate(index.ordinals[GROUP_ID]):
        if segment.states[ordinal] == ALIVE:
            _remember_member(queue, segment, index, place, ordinal)


def _remember_member(
    queue: Queue, segment: Segment, index: SegmentIndex, place: int, ordinal: int
) -> None:
    """Enter one of them into the index of groups."""
    flags = index.group_flags[place]
    member = Member(
        key_of(index.group_numbers[place], index.group_offsets[place], flags),
        index.sequences[ordinal],
        segment.lane,
        flags,
        index.data_length(ordinal),
        index.expiries[ordinal],
    )
    queue.group_index().add_member(index.group_id(place), member, segment, ordinal)


def _load_messages(disk: Disk, queue: Queue, segment: Segment) -> None:
    """Bring the living messages of a segment into memory."""
    if segment.empty:
        return
    file = SegmentFile(disk, segment.path)
    try:
        images = file.read_all(file.load_index())
    finally:
        file.close()
    for ordinal in range(len(images)):
        if segment.states[ordinal] != ALIVE:
            continue
        entry = entry_from_image(images[ordinal])
        check_age(segment, ordinal, entry)
        backouts = segment.backouts.get(ordinal)
        if backouts is not None:
            entry.backout_count = backouts
        entry.queue_id = queue.queue_id
        entry.segment = segment
        entry.ordinal = ordinal
        if entry.sequence == 0:
            # Put in a unit that was prepared when it was written: restart knows what became of it.
            entry.state = PUTTING
            segment.mark(ordinal, LOCKED)
            queue.undecided[int(entry.number)] = entry
        else:
            queue.reveal_again(entry, entry.sequence, entry.visible_lsn)


@final
class QueueLoad(Effect):
    """Loads a queue that is to be used."""

    def __init__(self, catalog: Catalog, definition: Definition) -> None:
        super().__init__()
        self.catalog = catalog
        self.definition = definition
        self.trust_plain = definition.object_id not in catalog.untrusted
        self.proven_lsn = catalog.proven_lsn(definition.object_id)
        self.newest_lsn = catalog.newest_lsn(definition.object_id)
        self.queue: Queue | None = None

    def run(self, disk: Disk) -> None:
        self.queue = load_queue(
            disk,
            self.definition,
            self.trust_plain,
            False,
            self.proven_lsn,
            self.newest_lsn,
            self.catalog.id_seed,
        )

    def complete(self) -> None:
        queue = self.queue
        catalog = self.catalog
        if queue is None or catalog.definitions.get(self.definition.name) is not self.definition:
            return
        check(not queue.undecided, f"{queue.name}: a prepared message without its unit of work")
        catalog.untrusted.discard(self.definition.object_id)
        catalog.install(self.definition, queue)

    def fail(self, error: OSError) -> None:
        text = f"queue {self.definition.name} cannot be loaded: {error}"
        if not is_passing(error):
            self.damage(text)
        elif error.errno != INTERRUPTED:  # the interrupted thread knows; others try again
            self.catalog.unloaded[self.definition.object_id] = text

    def damage(self, text: str) -> None:
        self.catalog.damaged[self.definition.object_id] = text
