"""Reading a range of a stream: which blocks have it, and from where to where.

Whole sealed blocks are given out as they are, without a copy; of the open block a block of just
the wanted messages is made. What is in a file has to be fetched first (`StreamFetch`): the reader
says which file, and goes on with what was fetched.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.codec.stream_block_format import HEAD_BYTES, first_ordinal, number_at, parts_offset
from ternmq.store.stream.numbered_stream import Stream, StreamBlock, StreamFile
from ternmq.store.stream.stream_file import StreamFetch


@final
class StreamPart:
    """Messages of one block: those from place `start` to before `stop`, counted from 0."""

    __slots__ = ("block", "start", "stop")

    def __init__(self, block: bytes, start: int, stop: int) -> None:
        self.block = block
        self.start = start
        self.stop = stop


@final
class RangeReader:
    """Collects parts until there are enough, there is no more, or a file is needed."""

    def __init__(
        self, stream: Stream, first: i64, end: i64, messages_max: i64, bytes_max: i64
    ) -> None:
        self.stream = stream
        self.next: i64 = first
        self.end: i64 = end
        self.messages_max: i64 = messages_max
        self.bytes_max: i64 = bytes_max
        self.parts: list[StreamPart] = []
        self.messages: i64 = 0
        self.bytes: i64 = 0
        self.lsn: i64 = 0  # what a reader of the parts depends on
        self.file: StreamFile | None = None  # has to be fetched
        self.damage = ""  # what is wrong with the next block
        self.awaits_fill = False  # the next number is not there yet
        self.at_end = False  # of the range or of the stream
        self._found: list[StreamBlock] = []
        self._found_in: StreamFile | None = None  # where those are

    def collect(self, fetch: StreamFetch | None) -> None:
        """All that can be had now."""
        fetched: dict[int, bytes] = {}
        if fetch is not None:
            for found, data in fetch.found:
                fetched[int(found.first)] = data
                self._found.append(found)
            self._found_in = fetch.file
        while self._wants_more():
            block = self._in_files(fetched)
            if self.file is not None or self.damage:
                return
            if block is None:
                block = self._in_recent()
            if block is None:
                if not self._take_open():
                    self.at_end = True
                    return
                continue
            if block.first >= self.end:
                self.at_end = True
                return
            if not self._take(block, fetched):
                return
        self.at_end = self.next >= self.end

    def _wants_more(self) -> bool:
        fill = self.stream.fill
        if fill is not None and fill.next <= self.next < fill.until:
            self.awaits_fill = self.next < self.end
            return False
        return (
            self.next < self.end
            and self.messages < self.messages_max
            and (self.bytes < self.bytes_max or self.messages == 0)
        )

    def _in_files(self, fetched: dict[int, bytes]) -> StreamBlock | None:
        """The block of a file that has the next number or a higher one."""
        files = self.stream.files
        low = 0
        high = len(files)
        while low < high:
            middle = (low + high) // 2
            if files[middle].last < self.next:
                low = middle + 1
            else:
                high = middle
        if low == len(files):
            return None
        file = files[low]
        damage = self.stream.damage.get(int(file.number))
        if damage is not None:
            self.damage = damage
            return None
        blocks = file.blocks
        if blocks is None and file is self._found_in:
            blocks = self._found
        block = None if blocks is None else block_from(blocks, self.next)
        if block is None:
            self.file = file
            return None
        if block.data is None and int(block.first) not in fetched:
            bad = self.stream.bad_blocks.get(int(block.first))
            if bad is not None:
                self.damage = bad
            else:
                self.file = file
        return block

    def _in_recent(self) -> StreamBlock | None:
        return block_from(self.stream.recent, self.next)

    def _take(self, block: StreamBlock, fetched: dict[int, bytes]) -> bool:
        """Messages of a sealed block; False if none of them fits any more."""
        data = block.data
        if data is None:
            data = fetched[int(block.first)]
        count = int(block.count)
        start = 0
        stop = count
        if self.next > block.first:
            start = first_ordinal(data, count, int(self.next))
        if self.end <= block.last:
            stop = first_ordinal(data, count, int(self.end))
        if start + self.messages_max - self.messages < stop:
            stop = int(start + self.messages_max - self.messages)
        stop = self._fitting(data, count, start, stop)
        if start < stop:
            self._add(data, count, start, stop)
        elif start < count:
            if number_at(data, start) < self.end:
                return False  # the next one is too long for this answer
            self.next = self.end
        if stop == count:
            self.next = block.last + 1
        if block.lsn > self.lsn:
            self.lsn = block.lsn
        return True

    def _add(self, data: bytes, count: int, start: int, stop: int) -> None:
        size = parts_offset(data, count, stop) - parts_offset(data, count, start)
        self.parts.append(StreamPart(data, start, stop))
        self.messages += stop - start
        self.bytes += size + HEAD_BYTES * (stop - start)
        self.next = number_at(data, stop - 1) + 1

    def _fitting(self, data: bytes, count: int, start: int, stop: int) -> int:
        """Where to end before `stop` so that the bytes suffice; an empty answer takes one message
        whatever its length."""
        left = int(self.bytes_max - self.bytes)
        base = parts_offset(data, count, start)
        low = start + 1 if self.messages == 0 else start
        high = stop
        if high <= low:
            return high
        while low < high:
            middle = (low + high + 1) // 2
            size = parts_offset(data, count, middle) - base + HEAD_BYTES * (middle - start)
            if size <= left:
                low = middle
            else:
                high = middle - 1
        return low

    def _take_open(self) -> bool:
        """Messages of the open block; False if it has none that is wanted."""
        stream = self.stream
        open_block = stream.open
        start = open_block.place_of(int(self.next))
        stop = open_block.place_of(int(self.end))
        stop = min(stop, int(start + self.messages_max - self.messages))
        if start >= stop:
            return False
        stop = open_block.fitting(start, stop, int(self.bytes_max - self.bytes))
        data = open_block.pack(int(stream.queue_id), int(stream.incarnation), start, stop)
        self._add(data, stop - start, 0, stop - start)
        if open_block.lsn > self.lsn:
            self.lsn = open_block.lsn
        return True


def block_from(blocks: list[StreamBlock], number: i64) -> StreamBlock | None:
    """The first block that has this number or a higher one."""
    low = 0
    high = len(blocks)
    while low < high:
        middle = (low + high) // 2
        if blocks[middle].last < number:
            low = middle + 1
        else:
            high = middle
    return blocks[low] if low < len(blocks) else None
