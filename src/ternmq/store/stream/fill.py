"""Filling a stream with what was on its queue when a cursor was to start with the earliest message.

In the step that defines the cursor an inventory is taken (`inventory`). Effects then write
what is in it to stream files of their own, in the order of numbers, some MiB each; those files come
before all others of the stream.

Readers of numbers that are not there yet wait for the next effect. A checkpoint waits for all of
it: a journal has whole streams alone, and before that the CURSOR record is redone at its
place in the log, where the queue is again as it was.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.base.errors import IntegrityError
from ternmq.ports.disk import Disk, is_passing
from ternmq.ports.effect import Effect
from ternmq.store.fetching import note_damage
from ternmq.store.queue import Queue
from ternmq.store.stream.inventory import Inventory
from ternmq.store.stream.numbered_stream import (
    BLOCK_BYTES,
    BLOCK_MESSAGES_MAX,
    FILE_BYTES_MAX,
    Stream,
    StreamBlock,
    StreamFile,
    aligned,
    sealed_block,
    stream_path,
)
from ternmq.store.stream.open_block import OpenBlock
from ternmq.store.stream.stream_file import WRITE_BYTES_MAX, BlockWrite, write_blocks


@final
class StreamFill:
    """A stream that is being filled: numbers below `next` are in it, those from there to before
    `until` are not yet."""

    def __init__(self, queue: Queue, stream: Stream, inventory: Inventory, lsn: i64) -> None:
        self.queue = queue
        self.stream = stream
        self.inventory = inventory
        self.lsn: i64 = lsn  # what a reader depends on
        self.next: i64 = inventory.lowest
        self.until: i64 = inventory.rest[0].number + 1 if inventory.rest else inventory.below
        self.effect: Effect | None = None
        self.error = ""  # why the last effect failed
        self.ready: list[StreamBlock] = []  # on their way to the file
        self.file: StreamFile | None = None
        self.files = 0  # that the stream has of it, before all others
        self.is_read = False  # the inventory is
        self.bytes_max: i64 = WRITE_BYTES_MAX  # of an effect
        memory = stream.memory
        if memory is not None and memory.stream_bytes_max < 2 * WRITE_BYTES_MAX:
            self.bytes_max = memory.stream_bytes_max // 2
        self._open = OpenBlock()
        queue.held += 1
        stream.fill = self
        stream.whole = max(stream.whole, stream.earliest)
        stream.begin = inventory.lowest
        stream.purged = set()
        stream.earliest = inventory.lowest

    def go_on(self) -> None:
        """The next effect, unless one is under way or no outbox runs it."""
        outbox = self.stream.outbox
        if self.effect is None and outbox is not None:
            self.error = ""
            effect = FillWrite(self)
            self.effect = effect
            outbox.add(effect)

    def read(self, disk: Disk) -> None:
        """Make blocks of the next messages, as many as one effect writes. Part of the effect."""
        size: i64 = 0
        for block in self.ready:  # left by one who failed
            size += block.length
        while size < self.bytes_max and not self.is_read:
            found = self.inventory.next(disk)
            if found is None:
                self.is_read = True
                break
            if self._open.count and self._open.bytes + len(found.body) > BLOCK_BYTES:
                self._seal()
            size += self._open.append(
                found.number, found.put_ns, found.head, found.area, found.body
            )
            if self._open.bytes >= BLOCK_BYTES or self._open.count >= BLOCK_MESSAGES_MAX:
                self._seal()
        self._seal()

    def _seal(self) -> None:
        if self._open.count:
            self._open.lsn = self.lsn
            self.ready.append(sealed_block(self._open, self.stream))
            self._open = OpenBlock()

    @property
    def is_over(self) -> bool:
        """The queue was dropped or has another stream: the fill is not needed any more."""
        return self.queue.dropped or self.queue.stream is not self.stream

    def written(self, file: StreamFile) -> None:
        """What was ready is in the file. Part of a step."""
        stream = self.stream
        if self.ready:
            if not file.is_made:
                file.is_made = True
                stream.files.insert(self.files, file)
                self.files += 1
            self.next = self.ready[-1].last + 1
        for block in self.ready:
            file.add(block)
            block.is_written = True
            stream.bytes += block.length
            _keep_in_memory(stream, block)
        self.ready = []
        self.queue.touched = True
        if self.is_read:
            self.end()

    def end(self) -> None:
        """All of it is there, or it is not needed any more."""
        queue = self.queue
        self.stream.fill = None
        queue.let_go()
        file = self.file
        if self.is_over:
            if file is not None:
                queue.numbering.waste.append(file.path)
        else:
            self.stream.trim()

    def stream_ended(self) -> None:
        """Its stream has ended."""
        if self.effect is None:
            self.end()

    def give_up(self) -> None:
        """What was on the queue cannot be read: the stream is without it, and a reader of those
        numbers is refused because they are lost."""
        self.ready = []
        self.end()
        stream = self.stream
        if not self.is_over:
            stream.trim_below(self.until)
            stream.earliest = self.until
            stream.begin = self.until
            stream.whole = self.until


def _keep_in_memory(stream: Stream, block: StreamBlock) -> None:
    """A block that was just written stays in memory if there is room."""
    memory = stream.memory
    if (
        memory is None
        or stream.held + block.length > memory.stream_bytes_max
        or memory.bytes + block.length > memory.bytes_max
    ):
        block.data = None
        return
    stream.held += block.length
    memory.bytes += block.length
    stream.written.append(block)


@final
class FillWrite(Effect):
    """Reads some of what was on the queue and writes it to a stream file."""

    def __init__(self, fill: StreamFill) -> None:
        super().__init__()
        self.fill = fill
        stream = fill.stream
        file = fill.file
        if file is None or (file.end and file.end + WRITE_BYTES_MAX > FILE_BYTES_MAX):
            file = StreamFile(stream.next_file, stream_path(stream.folder, int(stream.next_file)))
            file.blocks = []
            stream.next_file += 1
            fill.file = file
        self.file = file
        self._reads = False

    def run(self, disk: Disk) -> None:
        fill = self.fill
        self._reads = True
        fill.read(disk)
        self._reads = False
        writes: list[BlockWrite] = []
        offset = self.file.end
        for block in fill.ready:
            data = block.data
            if data is not None:
                creates = not self.file.is_made and offset == 0
                writes.append(BlockWrite(self.file.path, int(offset), data, creates))
                offset += aligned(block.length)
        write_blocks(disk, fill.stream.folder, writes)

    def complete(self) -> None:
        fill = self.fill
        fill.effect = None
        if fill.is_over:
            fill.end()
            return
        fill.written(self.file)
        if fill.stream.fill is fill:
            fill.go_on()

    def fail(self, error: OSError) -> None:
        """The disk is full: it is tried again when it is needed. A segment that cannot be read
        is damaged."""
        if self._reads and not is_passing(error):
            self.damage(f"what was on the queue cannot be read: {error}")
            return
        fill = self.fill
        fill.effect = None
        fill.error = f"its stream cannot be filled: {error}"
        if fill.is_over:
            fill.end()

    def damage(self, text: str) -> None:
        fill = self.fill
        fill.effect = None
        asked = fill.inventory.asked
        segment = None if asked is None else asked.segment
        if segment is not None:
            note_damage(fill.queue, segment, text)
        fill.give_up()


def fill_now(disk: Disk, queue: Queue, stream: Stream, inventory: Inventory, lsn: i64) -> None:
    """All of it at once: for a restart, which has no effects."""
    fill = StreamFill(queue, stream, inventory, lsn)
    while stream.fill is fill:
        effect = FillWrite(fill)
        try:
            effect.run(disk)
        except IntegrityError as error:
            effect.damage(str(error))
            return
        effect.complete()
