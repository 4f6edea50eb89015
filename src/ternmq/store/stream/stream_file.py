"""Stream files: writing blocks to them and reading ranges of them; both are effects.

A file is a sequence of blocks (`stream_block`), each on a multiple of 4096, zeros between. Blocks
are not forced when they are written: the checkpoint whose state journal names them does that
(`txn.state_save`). How many bytes of a file count is in the journal alone; what is behind them is
not looked at. A file that an earlier run began gets no more blocks.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base.errors import ForceFailed, IntegrityError
from ternmq.codec.stream_block_format import (
    BLOCK_HEADER_BYTES,
    BlockHeader,
    check_block,
    unpack_block_header,
)
from ternmq.ports.disk import INTERRUPTED, Disk, DiskFile, is_passing, parent_dir, write_all
from ternmq.ports.effect import Effect
from ternmq.store.stream.numbered_stream import ALIGNMENT, Stream, StreamBlock, StreamFile

WRITE_BYTES_MAX: Final = 8 << 20


@final
class BlockWrite:
    """A block on its way to its place."""

    __slots__ = ("creates", "data", "offset", "path")

    def __init__(self, path: str, offset: int, data: bytes, creates: bool) -> None:
        self.path = path
        self.offset = offset
        self.data = data
        self.creates = creates  # the file is not there yet


def writes_of(blocks: list[StreamBlock]) -> list[BlockWrite]:
    """What has to be written for blocks that were just given their places."""
    writes: list[BlockWrite] = []
    for block in blocks:
        file = block.file
        data = block.data
        if file is not None and data is not None:
            creates = not file.is_made and block.offset == 0
            writes.append(BlockWrite(file.path, int(block.offset), data, creates))
    return writes


def write_blocks(disk: Disk, folder: str, writes: list[BlockWrite]) -> None:
    """Write blocks to their places, unforced."""
    if not writes:
        return
    if not disk.exists(folder):
        disk.make_dir(folder)
        disk.sync_dir(parent_dir(folder))
    file: DiskFile | None = None
    path = ""
    try:
        for write in writes:
            if file is None or write.path != path:
                if file is not None:
                    file.close()
                    file = None
                path = write.path
                # One that was removed is begun again: only what was in it is lost.
                is_there = not write.creates and disk.exists(path)
                file = disk.open(path) if is_there else disk.create(path)
            write_all(file, write.offset, [write.data, bytes(-len(write.data) % ALIGNMENT)])
    finally:
        if file is not None:
            file.close()


@final
class StreamSave:
    """What a checkpoint has to write and force before the journal names it."""

    __slots__ = ("blocks", "files", "lost", "stream", "writes")

    def __init__(self, stream: Stream, writer: Effect | None) -> None:
        self.stream = stream
        stream.writer = writer  # before the block is sealed: no other effect begins to write then
        stream.is_saved_next = False
        stream.seal()
        self.blocks = stream.place(1 << 62)
        self.writes = writes_of(self.blocks)
        self.files = [file for file in stream.files if not file.is_forced]
        self.lost: list[StreamFile] = []

    def run(self, disk: Disk) -> None:
        """ORDER: stream files before the journal that names them."""
        folder = self.stream.folder
        write_blocks(disk, folder, self.writes)
        for file in self.files:
            try:
                opened = disk.open(file.path)
            except FileNotFoundError:
                # The queue does not need it: a reader of these numbers gets an error.
                self.lost.append(file)
                continue
            try:
                opened.datasync()
            except OSError as error:
                # A second try could succeed although the pages are lost.
                raise ForceFailed(f"{file.path}: {error}") from error
            finally:
                opened.close()
        if self.files:
            disk.sync_dir(folder)

    def ended(self, why: str) -> None:
        """How it went: all of it is durable, or why none of it counts."""
        self.stream.writer = None
        if why:
            self.stream.failure = f"its stream cannot be written: {why}"
            self.stream.unplace(self.blocks)
            return
        self.stream.placed(self.blocks)
        for file in self.files:
            file.is_forced = True  # no other effect has written to it meanwhile
        for file in self.lost:
            self.stream.damage[int(file.number)] = f"stream file {file.path} is missing"
            file.is_fresh = False
        self.stream.forget_indexes()
        if self.stream.memory is not None:
            self.stream.memory.sealed(self.stream)


@final
class StreamWrite(Effect):
    """Writes sealed blocks that memory has no room for."""

    def __init__(self, stream: Stream) -> None:
        super().__init__()
        self.stream = stream
        self.blocks = stream.place(WRITE_BYTES_MAX)
        self.writes = writes_of(self.blocks)

    def run(self, disk: Disk) -> None:
        write_blocks(disk, self.stream.folder, self.writes)

    def complete(self) -> None:
        stream = self.stream
        stream.writer = None
        stream.placed(self.blocks)
        if stream.memory is not None:
            stream.memory.sealed(stream)

    def fail(self, error: OSError) -> None:
        """The disk is full or ill: the blocks stay in memory, and puts are refused."""
        stream = self.stream
        stream.writer = None
        stream.failure = f"its stream cannot be written: {error}"
        stream.unplace(self.blocks)


def spill(disk: Disk, stream: Stream) -> None:
    """Write what is sealed now, outside of any step: for a restart, which has no effects."""
    blocks = stream.place(1 << 62)
    write_blocks(disk, stream.folder, writes_of(blocks))
    stream.placed(blocks)
    stream.evict(0)


@final
class StreamFetch(Effect):
    """Reads blocks of a file from the one that has a number on; the reader takes them from
    here."""

    def __init__(self, stream: Stream, file: StreamFile, number: i64, bytes_max: i64) -> None:
        super().__init__()
        self.stream = stream
        self.file = file
        self.number: i64 = number
        self.bytes_max: i64 = bytes_max
        self.found: list[tuple[StreamBlock, bytes]] = []
        self.error = ""  # why nothing was read now; another try may succeed
        self.bad_block: StreamBlock | None = None  # where reading ended
        self._index: list[StreamBlock] | None = None
        self._start: i64 = file.start
        self._end: i64 = file.end

    def run(self, disk: Disk) -> None:
        opened = disk.borrow(self.file.path)
        try:
            blocks = self.file.blocks
            if blocks is None:
                blocks = read_index(opened, self.stream, int(self._start), int(self._end))
                self._index = blocks
            size: i64 = 0
            for block in list(blocks):
                if block.last < self.number or block.offset >= self._end:
                    continue
                if size >= self.bytes_max:
                    break
                self.found.append((block, self._read(opened, block)))
                size += block.length
        finally:
            disk.give_back(opened)

    def _read(self, opened: DiskFile, block: StreamBlock) -> bytes:
        held = block.data
        if held is not None:
            return held
        data = opened.pread(int(block.offset), int(block.length))
        try:
            check_owner(check_block(data), self.stream)
        except IntegrityError as error:
            self.bad_block = block
            raise _damaged(self.file, block, str(error)) from error
        return data

    def complete(self) -> None:
        index = self._index
        if index is not None and self.file.blocks is None:
            earliest = self.stream.earliest
            self.file.blocks = [block for block in index if block.last >= earliest]
            self.stream.forget_indexes()

    def fail(self, error: OSError) -> None:
        text = f"stream file {self.file.path} cannot be read: {error}"
        if not is_passing(error):
            self.damage(text)
        elif error.errno != INTERRUPTED:  # the interrupted thread knows; others try again
            self.error = text

    def damage(self, text: str) -> None:
        """A reader of these numbers gets the error; the queue itself is unharmed."""
        self.complete()
        bad = self.bad_block
        if self.file not in self.stream.files:
            return  # trimmed meanwhile
        if bad is not None:
            self.stream.bad_blocks[int(bad.first)] = text
        else:
            self.stream.damage[int(self.file.number)] = text


def read_index(opened: DiskFile, stream: Stream, start: int, end: int) -> list[StreamBlock]:
    """The blocks of a file from their headers."""
    blocks: list[StreamBlock] = []
    at = start
    while at < end:
        head = opened.pread(at, BLOCK_HEADER_BYTES)
        try:
            header = unpack_block_header(head)
            check_owner(header, stream)
        except IntegrityError as error:
            raise IntegrityError(f"stream file {opened.path}, offset {at}: {error}") from error
        block = StreamBlock(
            header.first_number,
            header.last_number,
            header.count,
            header.newest_ns,
            header.block_bytes,
            0,
        )
        block.offset = at
        block.is_written = True
        blocks.append(block)
        at += (header.block_bytes + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    return blocks


def check_owner(header: BlockHeader, stream: Stream) -> None:
    """IntegrityError if a block belongs to another stream."""
    if header.queue_id != stream.queue_id or header.incarnation != stream.incarnation:
        raise IntegrityError(
            f"a stream block of queue {header.queue_id} incarnation {header.incarnation}"
        )


def _damaged(file: StreamFile, block: StreamBlock, text: str) -> IntegrityError:
    return IntegrityError(
        f"stream file {file.path}, offset {int(block.offset)}, numbers {int(block.first)} to "
        f"{int(block.last)}: {text}"
    )
