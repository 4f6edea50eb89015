"""Recording media images: a bounded piece a step, while everybody works (format: `image_records`).

One recording an object at a time. Each piece waits until the one before is forced, so that an image
of a deep queue does not fill the log's buffer; when the log has no room, it waits for that too. The
image counts when its last record is forced. Begun by the kernel; its effects go on by themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base.reasons import (
    MQRC_OBJECT_DAMAGED,
    MQRC_Q_MGR_STOPPING,
    MQRC_RESOURCE_PROBLEM,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.log.kinds import MEDIA_IMAGE
from ternmq.log.record import record_space
from ternmq.ports.disk import Disk, is_passing
from ternmq.ports.effect import Effect
from ternmq.store.catalog import Definition
from ternmq.store.catalog_file import catalog_bytes
from ternmq.store.queue import Queue
from ternmq.store.register import CATALOG_ROW
from ternmq.store.segment import Segment
from ternmq.store.segment_file import SegmentFile
from ternmq.store.segment_format import damaged
from ternmq.store.state_journal import StateBatch
from ternmq.txn.families.image_records import HEAD, pack_begin, pack_end, pack_piece
from ternmq.txn.unit import serialize_unit

if TYPE_CHECKING:
    from ternmq.txn.keeper import Keeper

PIECE_BYTES_MAX: Final = 1 << 20
ROOM_TRIES_MAX: Final = 256
STATE_FILE: Final = 0


@final
class ImageFile:
    """One file of an image: from memory (`path` empty), or a segment on disk."""

    __slots__ = ("content", "number", "path", "segment", "size")

    def __init__(self, number: int, content: bytes, segment: Segment | None) -> None:
        self.number = number
        self.content = content
        self.segment = segment
        self.path = "" if segment is None else segment.path
        self.size = len(content) if segment is None else int(segment.file_bytes)


class ImageRecording:
    """One image on its way into the log."""

    def __init__(
        self, keeper: Keeper, definition: Definition | None, queue: Queue | None, now_ns: int
    ) -> None:
        self.keeper = keeper
        self.definition = definition
        self.queue = queue
        self.object_id = CATALOG_ROW if definition is None else definition.object_id
        self.now_ns = now_ns
        self.image_lsn: i64 = 0
        self.media_lsn: i64 = 0
        self.files: list[ImageFile] = []
        self.at = 0  # the file that is being copied
        self.offset = 0
        self.pieces = 0
        self.tries: i64 = 0
        self.effect: Effect | None = None  # what goes on with it
        self.before: Effect | None = None  # what has to end before that begins
        self.followers: list[Effect] = []  # begun when it is over
        self.is_cancelled = False  # the queue manager ends
        self.is_done = False
        self.reason = 0  # why it failed, if it did
        self.detail = ""
        size = min(PIECE_BYTES_MAX, int(keeper.extent_bytes) // 2)
        self.piece_bytes = max(size - HEAD.size - 64, 1024)

    # ---- its course, each a part of a step

    def begin(self) -> None:
        """Take down what the object is now, and log the first record."""
        coordinator = self.keeper.coordinator
        queue = self.queue
        lsn: i64 = coordinator.log.end_lsn
        facts: dict[str, object] = {"units": [], "definition": None}
        self.media_lsn = lsn
        if queue is None:
            content = catalog_bytes(self.keeper.catalog, int(lsn))
            self.files = [ImageFile(STATE_FILE, content, None)]
        else:
            self.media_lsn = coordinator.redo_lsn()
            self.files = image_files(queue, int(lsn))
            if self.definition is not None:
                facts["definition"] = self.definition.to_json()
            facts["units"] = [
                serialize_unit(one, queue)
                for one in coordinator.units.values()
                if one.xid is not None and one.first_lsn < self.media_lsn
            ]
        facts["media_lsn"] = int(self.media_lsn)
        if self._append(pack_begin(self.object_id, facts)):
            self.image_lsn = lsn
            if queue is not None:
                queue.held += 1
            self.go_on()

    def go_on(self) -> None:
        """Log what memory has, up to a piece's worth; send for what a disk has."""
        left = self.piece_bytes
        while self.at < len(self.files):
            file = self.files[self.at]
            if self._is_in_vain():
                return
            if file.segment is not None:
                self._await(PieceRead(self, file, self.offset, self.piece_bytes))
                return
            if left <= 0:
                self._await(NextPiece(self))
                return
            piece = file.content[self.offset : self.offset + left]
            left -= max(len(piece), 1)
            if not self._log_piece(file, piece):
                return
        self._end()

    def take_piece(self, file: ImageFile, piece: bytes) -> None:
        """A piece has come from the disk."""
        if not self._is_in_vain() and self._log_piece(file, piece):
            self.go_on()

    def _is_in_vain(self) -> bool:
        """Whether the image is not needed any more; then it has failed."""
        if self.queue is not None and self.queue.dropped:
            self.fail(MQRC_UNKNOWN_OBJECT_NAME, "it was deleted meanwhile")
        elif self.is_cancelled:
            self.fail(MQRC_Q_MGR_STOPPING, "no media image was recorded")
        return self.is_done

    def _log_piece(self, file: ImageFile, piece: bytes) -> bool:
        record = pack_piece(self.object_id, int(self.image_lsn), file.number, self.offset, piece)
        if not self._append(record):
            return False
        self.pieces += 1
        self.offset += len(piece)
        if self.offset >= file.size:
            self.at += 1
            self.offset = 0
        return True

    def _end(self) -> None:
        record = pack_end(
            self.object_id, int(self.image_lsn), self.pieces, int(self.media_lsn), self.now_ns
        )
        if self._append(record):
            self._await(ImageForced(self))

    def forced(self) -> None:
        """All of it is in the log for good."""
        row = self.keeper.catalog.row(self.object_id)
        row.note_image(int(self.image_lsn), int(self.media_lsn), self.now_ns)
        self._over()

    def fail(self, reason: int, detail: str) -> None:
        """There will be no image; the one before stays valid."""
        self.reason = reason
        self.detail = detail
        self._over()

    def _over(self) -> None:
        self.is_done = True
        self.effect = None
        self.files = []
        keeper = self.keeper
        keeper.recordings.pop(self.object_id, None)
        keeper.outbox.effects.extend(self.followers)
        self.followers = []
        queue = self.queue
        if queue is not None and self.image_lsn:
            queue.let_go()

    # ---- waiting

    def _append(self, parts: list[bytes]) -> bool:
        """Log a record; if there is no room, this is tried again when there may be."""
        size = 0
        for part in parts:
            size += len(part)
        keeper = self.keeper
        # An image must not take the last room from those who work.
        if keeper.space.fits(record_space(size), int(keeper.extent_bytes)):
            keeper.coordinator.log.append(MEDIA_IMAGE, 0, 0, parts)
            self.tries = 0
            return True
        self.tries += 1
        effect = keeper.make_room(self.tries) if self.tries <= ROOM_TRIES_MAX else None
        if effect is None:
            self.fail(MQRC_RESOURCE_PROBLEM, f"the log has no room: {keeper.prepare_error}")
        else:
            self.before = effect
            self.effect = NextPiece(self)
            effect.followers.append(self.effect)
        return False

    def awaited(self) -> Effect | None:
        """The effect that a waiter has to wait for next."""
        before = self.before
        if before is not None and not before.done:
            return before
        return self.effect

    def _await(self, effect: Effect) -> None:
        # What is logged is forced before more is: the log's buffer stays small.
        effect.after_lsn = self.keeper.coordinator.log.end_lsn
        self.effect = effect
        self.before = None
        self.keeper.outbox.add(effect)

    def again(self) -> None:
        """Something that it waited for is over."""
        if self.is_done:
            return
        if self.image_lsn == 0:
            self.begin()
        else:
            self.go_on()


@final
class NextPiece(Effect):
    """Nothing for the disk but the force before it."""

    def __init__(self, recording: ImageRecording) -> None:
        super().__init__()
        self.recording = recording

    def run(self, disk: Disk) -> None:
        return

    def complete(self) -> None:
        self.recording.again()


@final
class ImageForced(Effect):
    """The last record is forced."""

    def __init__(self, recording: ImageRecording) -> None:
        super().__init__()
        self.recording = recording

    def run(self, disk: Disk) -> None:
        return

    def complete(self) -> None:
        self.recording.forced()


@final
class PieceRead(Effect):
    """Reads a piece of a segment. Before the first one the whole segment is checked: what is
    damaged must not become an image."""

    def __init__(
        self, recording: ImageRecording, file: ImageFile, offset: int, length: int
    ) -> None:
        super().__init__()
        self.recording = recording
        self.file = file
        self.offset = offset
        self.length = length
        self.content = b""

    def run(self, disk: Disk) -> None:
        path = self.file.path
        if self.offset == 0:
            segment = SegmentFile(disk, path)
            try:
                segment.read_all(segment.load_index())
            finally:
                segment.close()
        file = disk.borrow(path)
        try:
            self.content = file.pread(self.offset, self.length)
        finally:
            disk.give_back(file)
        if not self.content:
            raise damaged(path, self.offset, f"the file has {self.file.size} bytes")

    def complete(self) -> None:
        self.recording.take_piece(self.file, self.content)

    def fail(self, error: OSError) -> None:
        text = f"segment {self.file.path} cannot be read: {error}"
        if is_passing(error):
            self.recording.fail(MQRC_RESOURCE_PROBLEM, text)
        else:
            self.damage(text)

    def damage(self, text: str) -> None:
        queue = self.recording.queue
        segment = self.file.segment
        if queue is not None and segment is not None:
            if queue.segments.get(segment.slot) is segment:
                queue.damaged = text
        self.recording.fail(MQRC_OBJECT_DAMAGED, text)


def image_files(queue: Queue, lsn: int) -> list[ImageFile]:
    """The state of a queue as a journal would have it, and the segments in it. Segments without a
    persistent message are left out: nothing in them is ever recovered."""
    batch = StateBatch(int(queue.queue_id), int(queue.queue_id), lsn)
    batch.counters(int(queue.next_number), int(queue.next_sequence), int(queue.next_segment))
    files: list[ImageFile] = []
    for segment in queue.segments.values():
        if segment.persistent == 0:
            continue
        number = int(segment.number)
        batch.segment_added(
            number,
            int(segment.count),
            int(segment.first_sequence),
            int(segment.last_sequence),
            int(segment.lane),
            int(segment.min_expiry),
            0,
            int(segment.file_bytes),
            int(segment.persistent),
        )
        batch.segment_bits(
            number, int(segment.count), segment.dead_bitmap(), list(segment.backouts.items())
        )
        files.append(ImageFile(number, b"", segment))
    state = ImageFile(STATE_FILE, b"".join(batch.parts()), None)
    return [state, *files]
