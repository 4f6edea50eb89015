"""The messages of one loaded queue: lanes by priority, indexes by identifier, buffers, swept
segments.

Knows order and place, nothing of verbs, units of work or logs: those call `reveal`, `take`,
`restore` and `vanish` at the right moment. Everything here happens inside one step and never waits
for a disk.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.base.errors import check
from ternmq.ports.effect import Effect
from ternmq.store.cursor import Cursor
from ternmq.store.group_index import GroupIndex
from ternmq.store.id_index import IdIndex
from ternmq.store.id_table import IdTable
from ternmq.store.lane import Lane
from ternmq.store.number_index import NumberIndexing
from ternmq.store.segment import (
    ALIVE,
    DEAD,
    LOCKED,
    ORDINAL_BITS,
    SEGMENT_MESSAGES_MAX,
    SLOT_MASK,
    Segment,
    segment_of,
)
from ternmq.store.segment_format import CORREL_ID, GROUP_ID, MSG_ID, hash_id
from ternmq.store.stream.numbered_stream import Stream
from ternmq.store.waste import DeadFile, Waste
from ternmq.values.entry import AVAILABLE, GONE, PERSISTENT, ZERO_ID, Entry

LANES = 10


@final
class Service:
    """How a queue was served, what the sweeper has done with it, what it knows of the interval."""

    __slots__ = (
        "aborted",
        "bytes_swept",
        "bytes_unswept",
        "expired",
        "failure",
        "gets",
        "gets_before",
        "gets_then",
        "keep",
        "messages_swept",
        "returns",
        "sweeps",
        "sweeps_front",
        "unsweeps",
        "unsweeps_then",
    )

    def __init__(self) -> None:
        self.gets: i64 = 0
        self.expired: i64 = 0
        self.returns: i64 = 0  # messages that came back or were unlocked: see `kernel.selection`
        self.failure = ""  # why the last sweep failed
        self.sweeps: i64 = 0
        self.aborted: i64 = 0
        self.messages_swept: i64 = 0
        self.bytes_swept: i64 = 0  # of the segments that sweeps wrote
        self.unsweeps: i64 = 0
        self.bytes_unswept: i64 = 0  # of those that came back
        self.gets_then: i64 = 0  # when the interval began
        self.gets_before: i64 = 0  # in the interval before it
        self.unsweeps_then: i64 = 0
        self.keep: i64 = -1  # being swept: so many stay in front
        self.sweeps_front = False


@final
class Numbering:
    """Numbers that the journal has, and what a queue keeps for a stream, also without one."""

    def __init__(self) -> None:
        self.saved: i64 = 1  # `next_number` as the journal knows it
        self.had_stream = False  # the journal has one, or its end
        self.reserved: i64 = 0  # stream numbers below it may have been given
        self.lsn: i64 = 0  # where the log says so
        self.next_file: i64 = 1  # for a stream that begins
        self.waste: list[str] = []  # files of a stream that has ended
        self.indexing: NumberIndexing | None = None  # `by_number` of the queue is not whole yet


@final
class Queue:
    """Messages of one queue, in memory and in segments."""

    def __init__(self, queue_id: i64, name: str, folder: str, id_seed: int) -> None:
        self.queue_id: i64 = queue_id
        self.name = name
        self.folder = folder
        self.lanes: list[Lane] = [Lane() for _ in range(LANES)]
        self.highest: i64 = 0  # no lane above it holds a message
        self.msg_ids = IdIndex()
        self.correl_ids = IdIndex()
        self.group_ids = IdIndex()
        self.groups: GroupIndex | None = None  # None: no message ever was in a group
        self.by_number: dict[int, Entry] | None = None  # kept from the first need on
        self.next_number: i64 = 1
        self.next_sequence: i64 = 1
        self.next_segment: i64 = 1
        self.available: i64 = 0  # entries in memory that a get may take
        self.swept_alive: i64 = 0
        self.uncommitted_puts: i64 = 0
        self.uncommitted_gets: i64 = 0
        self.persistent_bytes: i64 = 0
        self.plain_bytes: i64 = 0
        self.file_bytes: i64 = 0  # of all segment files, those of dead ones included
        self.expiring: i64 = 0  # available entries in memory that have an expiry
        self.last_lsn: i64 = 0  # what a reader of counts depends on
        self.state_lsn: i64 = 0  # the journal has everything up to here
        self.cursors: list[Cursor] = []
        self.segments: dict[int, Segment] = {}  # by slot, swept and loaded
        self.waste = Waste()  # files of dead segments
        self.id_seed = id_seed  # of the next three
        self.swept_ids: IdTable | None = None
        self.swept_correls: IdTable | None = None
        self.swept_groups: IdTable | None = None
        self.fetched: dict[int, Entry] = {}  # location -> copy, for a verb that waits for it
        self.pages: dict[int, list[Entry]] = {}  # slot -> copies of a swept segment, for browsers
        self.fetches: dict[str, Effect] = {}  # reads under way
        self.compacting = False
        self.sweep_effect: Effect | None = None
        self.unread = ""  # why a segment could not be read; one verb reports it, then tried again
        self.damaged = ""  # what was found; the queue is of no use until it is recovered
        self.rewrite_state = False  # a batch of the journal failed: the next one has everything
        self.dropped = False  # deleted while an effect was under way
        self.touched = False  # changed since the last checkpoint
        self.journal_offset: i64 = 0  # where the next batch of the state journal goes
        self.journal_batch: i64 = 1
        self.locks: dict[int, int] = {}  # by message number: the holder of its browse lock
        self.marks: dict[int, dict[int, int]] = {}  # the same: by whom marked, and until when
        self.clearing_before: i64 = 0  # a CLEAR is under way for lower numbers
        self.undecided: dict[int, Entry] = {}  # put in a prepared unit, found in a segment at load
        self.held = 0  # copies of its segments under way: files of dead ones stay until they end
        self.fifo = self.temporary = False
        self.keep_plain = False  # NPMCLASS(HIGH)
        self.default_lane: i64 = 0
        self.users: i64 = 0  # open handles
        self.idle_checkpoints: i64 = 0
        self.has_files = False
        self.persistent_limit: i64 = 1 << 20
        self.plain_limit: i64 = 1 << 20
        self.service = Service()
        self.high_depth: i64 = 0
        self.stream: Stream | None = None  # what became visible, for readers by number
        self.numbering = Numbering()

    @property
    def depth(self) -> i64:
        """CURDEPTH: with uncommitted puts, without uncommitted gets."""
        return self.available + self.swept_alive + self.uncommitted_puts

    # ---- life of a message

    def reveal(self, entry: Entry, lsn: i64) -> None:
        """Make a message visible; it gets the next stream number."""
        sequence = self.next_sequence
        self.next_sequence = sequence + 1
        entry.sequence = sequence
        entry.visible_lsn = lsn
        lane = self.default_lane if self.fifo else entry.priority
        entry.lane = lane
        segment = segment_of(entry)
        if segment is not None:  # put in a prepared unit whose body had to leave the log
            segment.mark(entry.ordinal, ALIVE)
        self.lanes[lane].arrive(entry)
        self._list(entry)
        stream = self.stream
        if stream is not None:
            stream.append(entry)
            self.touched = True

    def reveal_again(self, entry: Entry, sequence: i64, lsn: i64) -> None:
        """Restart: make visible with the stream number that the log has."""
        entry.sequence = sequence
        entry.visible_lsn = lsn
        if sequence >= self.next_sequence:
            self.next_sequence = sequence + 1
        entry.lane = self.default_lane if self.fifo else entry.priority
        segment = segment_of(entry)
        if segment is not None:
            segment.mark(entry.ordinal, ALIVE)
        self.lanes[entry.lane].come_back(entry)
        self._list(entry)

    def take(self, entry: Entry, state: i64) -> None:
        """A message that a get may take leaves its list, for a unit of work (GETTING) or for
        good (GONE)."""
        if entry.cursors > 0:
            self._move_cursors(entry, False)
        if self.marks:
            self.marks.pop(int(entry.number), None)
        self.lanes[entry.lane].leave(entry)
        self._unlist(entry, state)

    def take_swept(self, entry: Entry, segment: Segment, ordinal: i64, state: i64) -> None:
        """The same for a message that is in a swept segment and was fetched alone."""
        check(segment.states[ordinal] == ALIVE, f"{segment.path}: message {ordinal} is not alive")
        segment.mark(ordinal, DEAD if state == GONE else LOCKED)
        self.swept_alive -= 1
        self.touched = True
        if self.marks:
            self.marks.pop(int(entry.number), None)
        self._forget_swept(entry, segment, ordinal)
        entry.state = state
        if segment.empty:
            self.retire(segment)

    def restore(self, entry: Entry) -> None:
        """A got message comes back to its place; its get was backed out."""
        self.service.returns += 1
        segment = segment_of(entry)
        if segment is not None and segment.swept:
            ordinal = entry.ordinal
            segment.mark(ordinal, ALIVE)
            if entry.backout_count:
                segment.backouts[int(ordinal)] = int(entry.backout_count)
            self.swept_alive += 1
            self._remember_swept(entry, segment, ordinal)
            self.pages.pop(segment.slot, None)  # its copy there does not know the new count
            self.touched = True
            return
        if segment is not None and self.segments.get(segment.slot) is not segment:
            entry.segment = None  # nothing in it had to survive, and it was given up meanwhile
        elif segment is not None:
            segment.mark(entry.ordinal, ALIVE)
            if entry.backout_count:
                segment.backouts[int(entry.ordinal)] = int(entry.backout_count)
        self.lanes[entry.lane].come_back(entry)
        self._list(entry)

    def vanish(self, entry: Entry) -> None:
        """A message that has left its list is gone for good; its segment may be done with."""
        entry.state = GONE
        segment = segment_of(entry)
        if segment is not None:
            segment.mark(entry.ordinal, DEAD)
            entry.segment = None
            self.touched = True
            if segment.empty:
                self.retire(segment)

    def retire(self, segment: Segment) -> None:
        """Nothing lives in a segment: it leaves the chain, and its file goes as soon as it may."""
        if self.segments.get(segment.slot) is not segment:
            return  # given up before, with messages that a unit of work held
        if segment.swept:
            self.lanes[segment.lane].drop(segment)
        self.segments.pop(segment.slot, None)
        self._discard(segment)

    def leave(self, segment: Segment) -> None:
        """A segment that was written for nothing: what there is of its file is waste."""
        self.file_bytes += segment.file_bytes
        self._discard(segment)

    def let_go(self) -> None:
        """A copy that held the files of dead segments needs them no longer."""
        self.held -= 1
        self.touched = True
        if self.held == 0:
            self.waste.doomed.extend(self.waste.held_files)
            self.waste.held_files = []
            if self.waste.remover is not None:
                self.waste.remover.release(self)

    def _discard(self, segment: Segment) -> None:
        self.waste.bytes += segment.file_bytes
        dead = DeadFile(self, segment)
        if self.waste.remover is None:
            self.waste.doomed.append(dead)
        else:
            self.waste.remover.discard(self, dead)
        self.touched = True

    # ---- lists and counts

    def _list(self, entry: Entry, in_group: bool = False) -> None:
        # Most messages have the very zeros: bytes are compared only where they are others.
        entry.state = AVAILABLE
        self.msg_ids.add(entry.msg_id, entry)
        if entry.correl_id is not ZERO_ID and entry.correl_id != ZERO_ID:
            self.correl_ids.add(entry.correl_id, entry)
        if entry.group_id is not ZERO_ID and entry.group_id != ZERO_ID:
            self.group_ids.add(entry.group_id, entry)
            if not in_group:
                self.group_index().add(entry)
        if self.by_number is not None:
            self.by_number[int(entry.number)] = entry
        self.available += 1
        if entry.flags & PERSISTENT:
            self.persistent_bytes += entry.length + len(entry.properties) + 364
            self.touched = True
        else:
            self.plain_bytes += entry.length + len(entry.properties) + 364
        if entry.expiry_at:
            self.expiring += 1
        if entry.lane > self.highest:
            self.highest = entry.lane
        depth = self.available + self.swept_alive + self.uncommitted_puts
        if depth > self.high_depth:
            self.high_depth = depth

    def _uncount(self, entry: Entry) -> None:
        self.msg_ids.discard(entry.msg_id, entry)
        if entry.correl_id is not ZERO_ID and entry.correl_id != ZERO_ID:
            self.correl_ids.discard(entry.correl_id, entry)
        if entry.group_id is not ZERO_ID and entry.group_id != ZERO_ID:
            self.group_ids.discard(entry.group_id, entry)
        if self.by_number is not None:
            self.by_number.pop(int(entry.number), None)
        self.available -= 1
        if entry.flags & PERSISTENT:
            self.persistent_bytes -= entry.length + len(entry.properties) + 364
            self.touched = True
        else:
            self.plain_bytes -= entry.length + len(entry.properties) + 364
        if entry.expiry_at:
            self.expiring -= 1

    def _unlist(self, entry: Entry, state: i64) -> None:
        entry.state = state
        self._uncount(entry)
        if entry.group_id is not ZERO_ID and entry.group_id != ZERO_ID:
            self.group_index().discard(entry)
        segment = segment_of(entry)
        if segment is not None:
            segment.mark(entry.ordinal, DEAD if state == GONE else LOCKED)
            self.touched = True
            if state == GONE:
                entry.segment = None
                if segment.empty:
                    self.retire(segment)

    def _move_cursors(self, entry: Entry, swept: bool) -> None:
        for cursor in self.cursors:
            if cursor.entry is entry:
                cursor.message_left(entry, swept)
        entry.cursors = 0

    # ---- order

    def top_lane(self) -> i64:
        """The highest lane that holds a message, or -1."""
        highest = self.highest
        while highest >= 0:
            lane = self.lanes[highest]
            if lane.front.head is not None or lane.swept or lane.rear.head is not None:
                self.highest = highest
                return highest
            highest -= 1
        self.highest = 0
        return -1

    def number_index_by_steps(self) -> dict[int, Entry] | None:
        """Entries by number, for verbs; None: it is not whole yet, step again."""
        index = self.by_number
        if index is None:
            index = {}
            self.by_number = index
            self.numbering.indexing = NumberIndexing(self.msg_ids)
        indexing = self.numbering.indexing
        if indexing is not None:
            if not indexing.step(index):
                return None
            self.numbering.indexing = None
        return index

    def number_index(self) -> dict[int, Entry]:
        """Entries by number, for replay, before verbs run or without the engine's lock;
        built at the first need, kept until replay ends."""
        index = self.by_number
        if index is None or self.numbering.indexing is not None:
            self.numbering.indexing = None
            index = {}
            for lane in self.lanes:
                for chain in (lane.front, lane.strays, lane.rear):
                    entry = chain.head
                    while entry is not None:
                        index[int(entry.number)] = entry
                        entry = entry.next
            self.by_number = index
        return index

    # ---- swept messages

    def new_segment(self, lane: i64, count: i64) -> Segment:
        """A segment that is about to be written; it joins the queue when it is on disk."""
        check(count <= SEGMENT_MESSAGES_MAX, f"{self.name}: segment of {count} messages")
        check(len(self.segments) < SLOT_MASK, f"{self.name}: {len(self.segments)} segments")
        number = self.next_segment
        while int(number) & SLOT_MASK in self.segments:
            number += 1  # an old segment of this slot still lives
        self.next_segment = number + 1
        return Segment(number, f"{self.folder}/S{int(number):010d}.seg", lane, count)

    def adopt(self, segment: Segment) -> None:
        """A written segment belongs to the queue."""
        check(segment.slot not in self.segments, f"{segment.path}: slot {segment.slot} is taken")
        self.segments[segment.slot] = segment
        self.has_files = True
        self.file_bytes += segment.file_bytes
        self.touched = True

    def segment_at(self, location: i64) -> Segment | None:
        """The segment of a location in the id tables."""
        return self.segments.get(int(location >> ORDINAL_BITS))

    def swept_table(self, kind: i64) -> IdTable | None:
        """The id table for MSG_ID, CORREL_ID or GROUP_ID."""
        if kind == MSG_ID:
            return self.swept_ids
        return self.swept_correls if kind == CORREL_ID else self.swept_groups

    def make_table(self, kind: i64) -> IdTable:
        """The id table of a kind, made at its first use."""
        table = self.swept_table(kind)
        if table is None:
            table = IdTable(self.id_seed)
            if kind == MSG_ID:
                self.swept_ids = table
            elif kind == CORREL_ID:
                self.swept_correls = table
            else:
                self.swept_groups = table
        return table

    def _remember_swept(self, entry: Entry, segment: Segment, ordinal: i64) -> None:
        self.remember_ids(entry.msg_id, entry.correl_id, entry.group_id, segment.location(ordinal))
        if entry.group_id is not ZERO_ID and entry.group_id != ZERO_ID:
            self.group_index().add_swept(entry, segment, ordinal)

    def remember_ids(self, msg_id: bytes, correl_id: bytes, group_id: bytes, location: int) -> None:
        """Enter a swept message into the id tables."""
        self.make_table(MSG_ID).add(hash_id(msg_id), location)
        if correl_id != ZERO_ID:
            self.make_table(CORREL_ID).add(hash_id(correl_id), location)
        if group_id != ZERO_ID:
            self.make_table(GROUP_ID).add(hash_id(group_id), location)

    def _forget_swept(self, entry: Entry, segment: Segment, ordinal: i64) -> None:
        location = segment.location(ordinal)
        if self.swept_ids is not None:
            self.swept_ids.discard(hash_id(entry.msg_id), location)
        if entry.correl_id != ZERO_ID and self.swept_correls is not None:
            self.swept_correls.discard(hash_id(entry.correl_id), location)
        if entry.group_id != ZERO_ID and self.swept_groups is not None:
            self.swept_groups.discard(hash_id(entry.group_id), location)
        self.forget_member(segment, ordinal)

    def group_index(self) -> GroupIndex:
        """The messages of groups, from the first one on."""
        groups = self.groups
        if groups is None:
            groups = GroupIndex()
            self.groups = groups
        return groups

    def forget_member(self, segment: Segment, ordinal: i64) -> None:
        """A message of a swept segment is no longer one that a get may take."""
        if self.groups is not None and segment.members:
            self.groups.forget(segment, ordinal)

    def move_home(self, entry: Entry, segment: Segment, ordinal: i64) -> None:
        """The safe copy of a message now is in `segment`; where it was before, it is dead."""
        old = segment_of(entry)
        if old is not None:
            old.mark(entry.ordinal, DEAD)
            if old.empty:
                self.retire(old)
        entry.segment = segment
        entry.ordinal = ordinal

    def sweep_out(self, entry: Entry) -> None:
        """An available message leaves memory; its segment has it."""
        segment = segment_of(entry)
        check(segment is not None, f"{self.name}: message {entry.number} is in no segment")
        if entry.cursors > 0:
            self._move_cursors(entry, True)
        self.lanes[entry.lane].leave(entry)
        self._uncount(entry)
        if segment is not None:
            location = segment.location(entry.ordinal)
            self.remember_ids(entry.msg_id, entry.correl_id, entry.group_id, location)
            if entry.group_id != ZERO_ID:
                self.group_index().sweep(entry, segment, entry.ordinal)
        self.swept_alive += 1

    @property
    def sweeping(self) -> bool:
        """A segment of it is being written."""
        return self.sweep_effect is not None

    @property
    def is_idle(self) -> bool:
        """No handle has it open and nothing is under way on it."""
        return (
            self.users == 0
            and not self.dropped
            and self.uncommitted_puts == 0
            and self.uncommitted_gets == 0
            and not self.temporary
            and not self.damaged
            and self.sweep_effect is None
            and not self.fetches
            and not self.compacting
            and self.held == 0
            and not self.cursors
            and (self.stream is None or self.stream.writer is None)
        )

    def any_entry(self) -> Entry | None:
        """Some message that is in memory."""
        for lane in self.lanes:
            for chain in (lane.front, lane.strays, lane.rear):
                if chain.head is not None:
                    return chain.head
        return None

    def drop_swept(self, segments_max: int) -> bool:
        """Every swept message goes, a bounded number of segments at a time; True when none is
        left."""
        for segment in list(self.segments.values()):
            if not segment.swept:
                continue
            if segments_max == 0:
                return False
            segments_max -= 1
            self.swept_alive -= segment.alive
            for ordinal in range(int(segment.count)):
                if segment.states[ordinal] == ALIVE:
                    segment.mark(ordinal, DEAD)
                    self.forget_member(segment, ordinal)
            self.retire(segment)
        self.swept_ids = None
        self.swept_correls = None
        self.swept_groups = None
        return True

    def forget_fetched(self, entry: Entry) -> None:
        """A copy that was fetched for a get has been used."""
        segment = segment_of(entry)
        if segment is not None:
            self.fetched.pop(segment.location(entry.ordinal), None)

    def move_ids(self, entry: Entry, old: int, new: int) -> None:
        """A swept message has another location."""
        for kind, key in (
            (MSG_ID, entry.msg_id),
            (CORREL_ID, entry.correl_id),
            (GROUP_ID, entry.group_id),
        ):
            table = self.swept_table(kind)
            if table is not None and key != ZERO_ID:
                key_hash = hash_id(key)
                table.discard(key_hash, old)
                table.add(key_hash, new)

    def unsweep(self, segment: Segment, entries: list[Entry]) -> None:
        """The first segment of a lane is in memory: its living messages join the front list."""
        lane = self.lanes[segment.lane]
        self.service.unsweeps += 1
        self.service.bytes_unswept += segment.file_bytes
        check(
            len(lane.swept) > 0 and lane.swept[0] is segment,
            f"{segment.path}: not first in its lane",
        )
        living: list[Entry] = []
        for entry in entries:
            if segment.states[entry.ordinal] == ALIVE:
                entry.segment = segment
                if entry.group_id != ZERO_ID:
                    self.group_index().unsweep(entry, segment, entry.ordinal)
                self._forget_swept(entry, segment, entry.ordinal)
                living.append(entry)
        self.swept_alive -= len(living)
        lane.unsweep(segment, living)
        self.pages.pop(segment.slot, None)
        segment.members = []
        if segment.persistent == 0:
            for entry in living:  # nothing in it must survive: memory is home enough
                entry.segment = None
        for entry in living:
            self._list(entry, True)
        if segment.empty or segment.persistent == 0:
            self.retire(segment)
