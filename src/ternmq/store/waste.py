"""Files of segments in which nothing lives any more: which go at once, which after a checkpoint.

A file may go as soon as no restart can want to read it. That is so while no state journal names the
segment (what must survive is in the log), and where the journal says that nothing in it must
survive: restart does not open such a segment. Otherwise the segment is *pinned*, and its file goes
after the checkpoint whose journal no longer names it.

Until a file is gone its bytes count in the queue's `file_bytes`, and in its `waste.bytes`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, final

from mypy_extensions import i64

from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect, Outbox

if TYPE_CHECKING:
    from ternmq.store.queue import Queue
    from ternmq.store.segment import Segment


@final
class DeadFile:
    """The file of one dead segment; far smaller than the segment was."""

    __slots__ = ("bytes", "is_going", "is_named", "is_pinned", "number", "path", "queue")

    def __init__(self, queue: Queue, segment: Segment) -> None:
        self.queue = queue
        self.number: i64 = segment.number
        self.path = segment.path
        self.bytes: i64 = segment.file_bytes
        self.is_named = segment.saved  # the next batch of the journal says that it is gone
        self.is_pinned = segment.pinned
        self.is_going = False  # an effect removes it

    def is_gone(self) -> None:
        """The file takes no room any more; part of a step."""
        self.queue.file_bytes -= self.bytes
        self.queue.waste.bytes -= self.bytes
        self.bytes = 0


@final
class Waste:
    """What a queue has of such files."""

    __slots__ = ("bytes", "doomed", "held_files", "removal", "remover")

    def __init__(self) -> None:
        self.bytes: i64 = 0  # of all files of dead segments that are still there
        self.doomed: list[DeadFile] = []  # what the next checkpoint records or removes
        self.held_files: list[DeadFile] = []  # recorded, and kept for a copy: see `Queue.held`
        self.removal: Effect | None = None  # the last one that is under way
        self.remover: Remover | None = None


@final
class Removals:
    """What a checkpoint removes once the control file names it."""

    __slots__ = ("paths", "segments")

    def __init__(self) -> None:
        self.paths: list[str] = []  # files of streams
        self.segments: list[DeadFile] = []

    def extend(self, other: Removals) -> None:
        """Those of another checkpoint, too."""
        self.paths.extend(other.paths)
        self.segments.extend(other.segments)

    def run(self, disk: Disk) -> Removals:
        """Remove the files; returns those that are still there. Touches no queue."""
        left = Removals()
        left.paths = [path for path in self.paths if not remove_file(disk, path)]
        left.segments = [one for one in self.segments if not remove_file(disk, one.path)]
        return left

    def are_gone(self, left: Removals) -> None:
        """Account for what `run` has removed; part of a step."""
        for one in self.segments:
            if one not in left.segments:
                one.is_gone()


def remove_file(disk: Disk, path: str) -> bool:
    """Remove a file that nothing names; False if it cannot be removed now."""
    with suppress(OSError):
        if disk.exists(path):
            disk.unlink(path)
        return True
    return False


def remove_folder(disk: Disk, folder: str) -> bool:
    """Remove the folder of a deleted queue; False if that cannot be done now."""
    with suppress(OSError):
        for name in disk.list(folder):
            remove_file(disk, f"{folder}/{name}")
        if disk.exists(folder):
            disk.remove_dir(folder)
        return True
    return False


def remove_unnamed(disk: Disk, folder: str, known: list[str]) -> None:
    """Remove segment files that a crash has left behind and that no journal names. The queue is
    not in use yet, so none of them is being written."""
    for name in disk.list(folder):
        path = f"{folder}/{name}"
        if name.endswith(".seg") and path not in known:
            remove_file(disk, path)


@final
class FileRemove(Effect):
    """Removes the file of one dead segment."""

    def __init__(self, dead: DeadFile) -> None:
        super().__init__()
        self.dead = dead

    def run(self, disk: Disk) -> None:
        # The folder of a deleted queue may be removed by a checkpoint at the same time.
        with suppress(FileNotFoundError):
            if disk.exists(self.dead.path):
                disk.unlink(self.dead.path)

    def complete(self) -> None:
        self._ended()
        self.dead.is_gone()

    def fail(self, error: OSError) -> None:
        """The next checkpoint tries again."""
        self._ended()
        dead = self.dead
        dead.is_going = False
        queue = dead.queue
        if dead not in queue.waste.doomed:
            dead.is_named = False  # the journal has it meanwhile
            queue.waste.doomed.append(dead)
        queue.touched = True

    def _ended(self) -> None:
        queue = self.dead.queue
        if queue.waste.removal is self:
            queue.waste.removal = None


@final
class Remover:
    """Removes files of dead segments while the queue manager works; one for all its queues."""

    def __init__(self) -> None:
        self._outbox: Outbox | None = None  # none while the log is replayed

    def connect(self, outbox: Outbox, queues: list[Queue]) -> None:
        """From now on effects are run."""
        self._outbox = outbox
        for queue in queues:
            self.release(queue)

    def release(self, queue: Queue) -> None:
        """Remove every file of the queue that need not wait for a checkpoint."""
        outbox = self._outbox
        if outbox is None or queue.held:
            return
        kept: list[DeadFile] = []
        for dead in queue.waste.doomed:
            if dead.is_pinned or dead.is_going:
                kept.append(dead)
                continue
            if dead.is_named:
                kept.append(dead)
            self._remove(outbox, dead)
        queue.waste.doomed = kept

    def discard(self, queue: Queue, dead: DeadFile) -> None:
        """A segment has died: its file goes now, or waits for a checkpoint."""
        outbox = self._outbox
        if outbox is None or queue.held or dead.is_pinned:
            queue.waste.doomed.append(dead)
            return
        if dead.is_named:
            queue.waste.doomed.append(dead)
        self._remove(outbox, dead)

    def drop(self, queue: Queue) -> None:
        """The queue is deleted: what no restart can want goes before its folder does."""
        self.release(queue)
        outbox = self._outbox
        if outbox is None or queue.held:
            return
        for segment in queue.segments.values():
            if not segment.pinned:
                queue.waste.bytes += segment.file_bytes
                self._remove(outbox, DeadFile(queue, segment))

    def _remove(self, outbox: Outbox, dead: DeadFile) -> None:
        dead.is_going = True
        effect = FileRemove(dead)
        dead.queue.waste.removal = effect
        outbox.add(effect)
