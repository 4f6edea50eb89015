"""Looking through swept messages for those that a selection wants, outside the engine's lock.

A scan reads the records of one segment and keeps the messages that match, a few at a time. Nothing
comes back to memory for it but those. The step that continues the search checks each of them again,
because messages come and go while a scan runs.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect
from ternmq.store.fetching import RecordReader, note_damage, note_unread
from ternmq.store.queue import Queue
from ternmq.store.segment import DEAD, Segment
from ternmq.values.entry import Entry

# A scan ends early when it has found so many messages or bytes: the handle keeps them in memory.
FOUND_MAX: Final = 64
FOUND_BYTES_MAX: Final = 1 << 20


class Matcher:
    """Decides about messages; one scan has one, because a scan runs beside other steps."""

    def matches(self, entry: Entry) -> bool:
        """Whether a message is wanted."""
        raise NotImplementedError


@final
class SegmentScan(Effect):
    """Finds the messages of a swept segment that a matcher wants, from one ordinal on."""

    def __init__(
        self, queue: Queue, segment: Segment, first: i64, behind: i64, matcher: Matcher
    ) -> None:
        super().__init__()
        self.queue = queue
        self.segment = segment
        self.first: i64 = first
        self.behind: i64 = behind  # a search that is not so far wants messages before `first`
        self.after: i64 = first  # the ordinal behind the last message that it looked at
        self.matcher = matcher
        self.found: list[Entry] = []
        self.looked_at: i64 = 0
        self.is_complete = False

    def run(self, disk: Disk) -> None:
        segment = self.segment
        reader = RecordReader(self.queue, segment)
        file = disk.borrow(segment.path)
        try:
            at = self.first
            is_enough = False
            while at < segment.count and not is_enough:
                end = reader.chunk_end(at)
                records, start = reader.read(file, at, end)
                while at < end and not is_enough:
                    if segment.states[at] != DEAD:  # which is for ever
                        is_enough = self._look_at(reader.entry(records, start, at))
                    at += 1
            self.after = at
        finally:
            disk.give_back(file)

    def _look_at(self, entry: Entry) -> bool:
        """Keep a message that matches; True: that is enough for one scan."""
        self.looked_at += 1
        if not self.matcher.matches(entry):
            return False
        self.found.append(entry)
        size: i64 = 0
        for one in self.found:
            size += one.length + len(one.properties)
        return len(self.found) >= FOUND_MAX or size >= FOUND_BYTES_MAX

    def complete(self) -> None:
        self.is_complete = True

    def answers(self, segment: Segment, sequence: i64) -> bool:
        """Whether it has looked at what is in a segment behind a stream number."""
        return self.is_complete and self.segment is segment and self.behind <= sequence

    def fail(self, error: OSError) -> None:
        note_unread(self.queue, self.segment, error)

    def damage(self, text: str) -> None:
        note_damage(self.queue, self.segment, text)
