"""The stream of a queue: what became visible on it, by stream number, beside the queue's own store.

Messages go to the open block in the step that makes them visible; a block is sealed at 1 MiB or
4096 messages and is then an immutable `bytes`. Sealed blocks leave for stream files (`stream_file`)
when more than a few MiB are unwritten, and at each checkpoint; those that are in files stay in
memory as long as there is room. Nothing here removes a message from the queue, and no get, expiry
or CLEAR touches the stream: only `trim_below`, `trim_older` and `trim_to` drop its oldest blocks.

Called by the queue (`append`), the coordinator (`stamp`), the catalog and checkpoints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.ports.effect import Effect, Outbox, Wakeable
from ternmq.store.stream.open_block import OpenBlock
from ternmq.values.entry import Entry

if TYPE_CHECKING:
    from ternmq.store.stream.fill import StreamFill
    from ternmq.store.stream.memory import StreamMemory

BLOCK_BYTES: Final = 1 << 20
BLOCK_MESSAGES_MAX: Final = 4096
FILE_BYTES_MAX: Final = 64 << 20
BLOCKS_KNOWN_MAX: Final = 16384  # places of blocks in memory, but for those of the last file
ALIGNMENT: Final = 4096  # blocks begin on such multiples: a torn write hurts no older block


@final
class StreamBlock:
    """A sealed block: where it is, and its bytes while they are in memory."""

    __slots__ = (
        "count",
        "data",
        "file",
        "first",
        "is_gone",
        "is_written",
        "last",
        "length",
        "lsn",
        "newest_ns",
        "offset",
    )

    def __init__(
        self, first: i64, last: i64, count: i64, newest_ns: i64, length: i64, lsn: i64
    ) -> None:
        self.first: i64 = first
        self.last: i64 = last
        self.count: i64 = count
        self.newest_ns: i64 = newest_ns
        self.length: i64 = length
        self.lsn: i64 = lsn  # what a reader depends on
        self.offset: i64 = 0  # in its file, once it has one
        self.file: StreamFile | None = None
        self.is_written = False
        self.is_gone = False  # trimmed
        self.data: bytes | None = None


@final
class StreamFile:
    """A file of blocks. `blocks` is None until a file of an earlier run is read."""

    __slots__ = (
        "blocks",
        "bytes",
        "end",
        "first",
        "is_forced",
        "is_fresh",
        "is_made",
        "last",
        "newest_ns",
        "number",
        "path",
        "start",
    )

    def __init__(self, number: i64, path: str) -> None:
        self.number: i64 = number
        self.path = path
        self.start: i64 = 0  # where its first block that still counts begins
        self.end: i64 = 0  # where the next block would go
        self.first: i64 = 0
        self.last: i64 = 0
        self.newest_ns: i64 = 0
        self.bytes: i64 = 0  # of the blocks that count
        self.blocks: list[StreamBlock] | None = None
        self.is_fresh = False  # begun in this run: blocks may be added to it
        self.is_made = False  # it is on disk
        self.is_forced = False  # all of it, and its name

    def add(self, block: StreamBlock) -> None:
        """Give a block the next place."""
        blocks = self.blocks
        block.file = self
        block.offset = self.end
        if blocks is not None:
            if not blocks:
                self.start = block.offset
                self.first = block.first
            blocks.append(block)
        self.last = block.last
        if block.newest_ns > self.newest_ns:
            self.newest_ns = block.newest_ns
        self.bytes += block.length
        self.end = block.offset + aligned(block.length)
        self.is_forced = False


def stream_path(folder: str, number: int) -> str:
    """A stream file of a queue."""
    return f"{folder}/{number:010d}.stream"


@final
class Watcher:
    """A waiter to be woken when the stream has come to a number."""

    __slots__ = ("number", "waker")

    def __init__(self, number: i64, waker: Wakeable) -> None:
        self.number: i64 = number
        self.waker = waker


@final
class Stream:
    """Blocks in files, then blocks that have no place yet, then the open block."""

    def __init__(self, queue_id: i64, folder: str, incarnation: i64, begin: i64) -> None:
        self.queue_id: i64 = queue_id
        self.folder = folder
        self.incarnation: i64 = incarnation
        self.begin: i64 = begin  # the first number that it could have
        self.earliest: i64 = begin  # lower numbers are no longer there
        self.whole: i64 = begin  # lower numbers are there if they were on the queue
        self.next: i64 = begin  # after the last message that was appended
        self.next_file: i64 = 1
        self.files: list[StreamFile] = []
        self.recent: list[StreamBlock] = []  # sealed and without a place
        self.open = OpenBlock()
        self.bytes: i64 = 0  # of all sealed blocks
        self.held: i64 = 0  # of sealed blocks that are in memory
        self.unwritten: i64 = 0  # of sealed blocks that are in no file
        self.written: list[StreamBlock] = []  # in a file and in memory, oldest first
        self.floor: i64 = 0  # every cursor has passed lower numbers; 0: nothing is trimmed so
        self.bytes_max: i64 = 0  # RETAIN(SIZE); 0: no limit
        self.age_ns_max: i64 = 0  # RETAIN(AGE)
        self.purges = False  # RETAIN: what is trimmed leaves the queue too
        self.purged: set[int] = set()  # segments of the queue that have nothing more to purge
        self.writer: Effect | None = None  # one at a time writes its files
        self.is_saved_next = False  # a checkpoint waits for the writer; no other one begins
        self.failure = ""  # why the last write failed
        self.damage: dict[int, str] = {}  # by file: what is wrong with it
        self.bad_blocks: dict[int, str] = {}  # by first number: the same of one block
        self.blocks_known_max = BLOCKS_KNOWN_MAX
        self.dead_files: list[str] = []  # removed after the checkpoint that does not name them
        self.dead_bytes: i64 = 0  # of these files
        self.watchers: list[Watcher] = []
        self.fill: StreamFill | None = None  # what was on the queue before, on its way into it
        self.memory: StreamMemory | None = None  # while the queue is in use
        self.outbox: Outbox | None = None

    # ---- what comes in

    def append(self, entry: Entry) -> None:
        """A message has become visible under its stream number."""
        block = self.open
        if block.count and block.bytes + entry.length + len(entry.properties) > BLOCK_BYTES:
            self.seal()
            block = self.open
        size = block.add(entry)
        self.next = entry.sequence + 1
        memory = self.memory
        if memory is not None:
            memory.bytes += size
        if block.bytes >= BLOCK_BYTES or block.count >= BLOCK_MESSAGES_MAX:
            self.seal()
        if memory is not None and memory.bytes > memory.bytes_max:
            memory.relieve()
        if self.watchers:
            self._notify_watchers()

    def stamp(self, number: i64, lsn: i64) -> None:
        """A reader of this message, which was just appended, depends on `lsn`."""
        block = self.open
        if block.count and number >= block.first:
            if lsn > block.lsn:
                block.lsn = lsn
            return
        if _stamp_blocks(self.recent, number, lsn):
            return
        for place in range(len(self.files) - 1, -1, -1):
            blocks = self.files[place].blocks
            if blocks is None or _stamp_blocks(blocks, number, lsn):
                return

    def seal(self) -> None:
        """The open block becomes a block like the others."""
        block = self.open
        if block.count == 0:
            return
        sealed = sealed_block(block, self)
        self.open = OpenBlock()
        self.recent.append(sealed)
        self.bytes += sealed.length
        self.held += sealed.length
        self.unwritten += sealed.length
        memory = self.memory
        if memory is not None:
            memory.bytes += sealed.length - block.bytes
        self.trim()
        if memory is not None:
            memory.sealed(self)

    def _notify_watchers(self) -> None:
        outbox = self.outbox
        left: list[Watcher] = []
        for watcher in self.watchers:
            if watcher.number < self.next and outbox is not None:
                outbox.wake(watcher.waker)
            else:
                left.append(watcher)
        self.watchers = left

    def notify_all_watchers(self) -> None:
        """The stream ends here: all that wait for more have to look again."""
        outbox = self.outbox
        if outbox is not None:
            for watcher in self.watchers:
                outbox.wake(watcher.waker)
        self.watchers = []

    # ---- places in files

    def place(self, bytes_max: i64) -> list[StreamBlock]:
        """Give blocks that have none a place, about so many bytes of them; the caller writes them
        and says how that went (`placed`, `unplace`)."""
        chosen: list[StreamBlock] = []
        size: i64 = 0
        while self.recent and size < bytes_max:
            block = self.recent.pop(0)
            size += block.length
            self._file_for(block).add(block)
            chosen.append(block)
        return chosen

    def _file_for(self, block: StreamBlock) -> StreamFile:
        """The last file if it was begun in this run and has room, else a new one."""
        if self.files:
            last = self.files[-1]
            if last.is_fresh and last.end + block.length <= FILE_BYTES_MAX:
                return last
        file = StreamFile(self.next_file, stream_path(self.folder, int(self.next_file)))
        file.blocks = []
        file.is_fresh = True
        self.next_file += 1
        self.files.append(file)
        return file

    def placed(self, blocks: list[StreamBlock]) -> None:
        """These blocks are in their files."""
        self.failure = ""
        for file in self.files:
            if file.is_fresh:
                file.is_made = True
        for block in blocks:
            if not block.is_gone:  # trimmed meanwhile
                block.is_written = True
                self.unwritten -= block.length
                self.written.append(block)
        memory = self.memory
        if memory is not None:
            memory.evict(self)

    def unplace(self, blocks: list[StreamBlock]) -> None:
        """These blocks could not be written: they have no place again."""
        for at in range(len(blocks) - 1, -1, -1):
            block = blocks[at]
            file = self.files[-1] if self.files else None
            within = None if file is None else file.blocks
            if file is None or not within or within[-1] is not block:
                continue  # trimmed meanwhile
            within.pop()
            self.recent.insert(0, block)
            file.end = block.offset
            file.bytes -= block.length
            if within:
                file.last = within[-1].last
            else:
                self.files.pop()
                self.dead_files.append(file.path)  # some of it may be there

    def evict(self, keep_bytes: i64) -> None:
        """Forget the bytes of blocks that are in files, the oldest first."""
        while self.written and self.held > keep_bytes:
            self._let_go(self.written.pop(0))

    def _let_go(self, block: StreamBlock) -> None:
        if block.data is not None:
            block.data = None
            self.held -= block.length
            if self.memory is not None:
                self.memory.bytes -= block.length

    def forget_indexes(self) -> None:
        """Forget the blocks of old files; a reader reads them from the file again."""
        count = 0
        for at in range(len(self.files) - 1, -1, -1):
            file = self.files[at]
            blocks = file.blocks
            if blocks is None:
                continue
            count += len(blocks)
            if count > self.blocks_known_max and file.is_forced and not _is_held(blocks):
                file.blocks = None
                file.is_fresh = False

    # ---- what goes

    def trim(self) -> None:
        """Drop what every cursor has passed, or what is too much."""
        if self.fill is not None:
            return  # when all of it is there
        if self.bytes_max:
            self.trim_to(self.bytes_max)
        elif self.floor > self.earliest and not self.age_ns_max:
            self.trim_below(self.floor)

    def trim_below(self, number: i64) -> None:
        """Drop blocks that have only lower numbers."""
        while self.files:
            file = self.files[0]
            if file.last < number:
                self._drop_file(file)
                continue
            blocks = file.blocks
            while blocks and blocks[0].last < number:
                self._drop_first(file, blocks)
            return
        while self.recent and self.recent[0].last < number:
            self._drop(self.recent.pop(0))

    def trim_older(self, before_ns: i64) -> None:
        """Drop blocks whose newest message was put before a time."""
        if self.fill is not None:
            return
        if self.open.count and self.open.newest_ns < before_ns:
            self.seal()
        while self.files:
            file = self.files[0]
            if file.newest_ns < before_ns:
                self._drop_file(file)
                continue
            blocks = file.blocks
            while blocks and blocks[0].newest_ns < before_ns:
                self._drop_first(file, blocks)
            if blocks is None or blocks:
                return
            self._drop_file(file)
        while self.recent and self.recent[0].newest_ns < before_ns:
            self._drop(self.recent.pop(0))

    def trim_to(self, bytes_max: i64) -> None:
        """Drop the oldest blocks until there are no more than so many bytes; the last one stays."""
        while self.bytes > bytes_max and self.files:
            file = self.files[0]
            blocks = file.blocks
            if blocks is None or len(blocks) <= 1:
                if len(self.files) == 1 and not self.recent:
                    return
                self._drop_file(file)
            else:
                self._drop_first(file, blocks)
        while self.bytes > bytes_max and len(self.recent) > 1:
            self._drop(self.recent.pop(0))

    def _drop_first(self, file: StreamFile, blocks: list[StreamBlock]) -> None:
        block = blocks.pop(0)
        file.bytes -= block.length
        if blocks:
            file.start = blocks[0].offset
            file.first = blocks[0].first
        self._drop(block)

    def _drop(self, block: StreamBlock) -> None:
        self.bytes -= block.length
        self.earliest = block.last + 1
        block.is_gone = True
        if not block.is_written:
            self.unwritten -= block.length
        while self.written and self.written[0].is_gone:
            self.written.pop(0)
        if self.bad_blocks:
            self.bad_blocks.pop(int(block.first), None)
        self._let_go(block)

    def _drop_file(self, file: StreamFile) -> None:
        blocks = file.blocks
        if blocks is None:
            self.bytes -= file.bytes
            self.earliest = file.last + 1
        else:
            while blocks:
                self._drop_first(file, blocks)
        self.files.remove(file)
        self.dead_files.append(file.path)
        self.dead_bytes += file.end
        self.damage.pop(int(file.number), None)

    def drop_all(self) -> list[str]:
        """The stream ends; the paths of its files."""
        self.notify_all_watchers()
        if self.fill is not None:
            self.fill.stream_ended()
        if self.memory is not None:
            self.memory.leave(self)
        return [*self.dead_files, *[file.path for file in self.files]]


def _stamp_blocks(blocks: list[StreamBlock], number: i64, lsn: i64) -> bool:
    """Stamp those that reach to the number; True if one is before it, and so are all others."""
    for at in range(len(blocks) - 1, -1, -1):
        block = blocks[at]
        if block.last < number:
            return True
        if lsn > block.lsn:
            block.lsn = lsn
    return False


def _is_held(blocks: list[StreamBlock]) -> bool:
    """Whether some of them are in memory."""
    return any(block.data is not None for block in blocks)


def sealed_block(block: OpenBlock, stream: Stream) -> StreamBlock:
    """An open block, which has messages, as an immutable one."""
    data = block.pack(int(stream.queue_id), int(stream.incarnation), 0, int(block.count))
    last: i64 = block.numbers[-1]
    sealed = StreamBlock(block.first, last, block.count, block.newest_ns, len(data), block.lsn)
    sealed.data = data
    return sealed


def aligned(length: i64) -> i64:
    """The room that a block takes in its file."""
    return (length + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
