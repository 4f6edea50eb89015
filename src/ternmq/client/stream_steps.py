"""Streams and cursors as steps that travel: bounds, reads, and what is done to cursors.

A stream is named by its queue. The handle that reading needs is opened at the first call and stays
with the connection (`Connection.streams`), so a call has no state of its own: after a reconnection
it is simply asked again.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.names import is_name
from ternmq.base.object_types import LOCAL
from ternmq.base.reasons import (
    MQRC_HOBJ_ERROR,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_Q_DELETED,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.client.extension_steps import ExtensionStep
from ternmq.client.stream_block import StreamBlock, StreamRange
from ternmq.kernel import cursors, stream
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.cursor_authority import check_cursor
from ternmq.kernel.cursor_expiry import note_use
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.resolve import close_handle
from ternmq.kernel.stream import StreamBounds, StreamRead
from ternmq.ports.effect import Wakeable
from ternmq.security import authorities as auth
from ternmq.store.stream_cursor import StreamCursor
from ternmq.store.stream_cut import cut_block, part_bytes
from ternmq.txn.cursors import EXPIRY_MAX

READ_BYTES_DEFAULT: Final = 1 << 20
READ_BYTES_MAX: Final = 16 << 20
NUMBER_MAX: Final = (1 << 63) - 1
QUEUES_A_STEP: Final = 256
_LOST_HANDLE: Final = (MQRC_HOBJ_ERROR, MQRC_Q_DELETED)


class Bounds(NamedTuple):
    """What a stream has: messages with numbers from `earliest` to before `next`."""

    incarnation: int  # another one: other messages, whatever their numbers
    earliest: int
    next: int  # the number that the next message will have, or a lower one
    bytes: int  # that the stream takes, in memory and in files
    cursors: int
    whole: int  # lower numbers are there if they lay on the queue when the stream was filled
    lying: int  # no message on the queue has a lower number


class CursorPosition(NamedTuple):
    """A cursor as it stands."""

    name: str
    queue: str
    incarnation: int
    position: int  # the number of the first message that it has not passed
    owner: str  # the user who defined it


def opened(kernel: Kernel, link: Link, name: str) -> Handle | None:
    """The handle to read a stream by; None: parked."""
    handle = link.streams.get(name)
    if handle is not None and link.handles.get(handle.handle_id) is handle:
        return handle
    handle = stream.open_stream(kernel, link, name)
    if handle is not None:
        link.streams[name] = handle
    return handle


def let_go(kernel: Kernel, link: Link, name: str) -> None:
    """Close the handle, if there is one."""
    handle = link.streams.pop(name, None)
    if handle is not None and link.handles.get(handle.handle_id) is handle:
        close_handle(kernel, handle, 0)


class StreamStep(ExtensionStep):
    """What the steps that read have in common."""

    def __init__(self, verb: str, call: str, queue: str) -> None:
        super().__init__(verb, call)
        self.queue = queue

    def go_on(self, kernel: Kernel, link: Link, handle: Handle) -> bool:
        """Do it; False: parked, or there is more to do."""
        raise NotImplementedError

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        kernel.refuse_if_ending(True, self.verb)
        link.begin_verb()
        handle = opened(kernel, link, self.queue)
        if handle is None:
            return False
        try:
            return self.go_on(kernel, link, handle)
        except MQError as error:
            if error.reason in _LOST_HANDLE:  # a queue of the same name may be there next time
                let_go(kernel, link, self.queue)
            raise


@final
class StreamBoundsStep(StreamStep):
    """What a stream has now."""

    def __init__(self, queue: str) -> None:
        super().__init__("stream bounds", "stream_bounds", queue)
        self._found = Bounds(0, 0, 0, 0, 0, 0, 0)

    def go_on(self, kernel: Kernel, link: Link, handle: Handle) -> bool:
        self._found = _bounds(stream.bounds(kernel, link, handle))
        return True

    def outcome(self) -> Bounds:
        """The result."""
        return self._found

    def arguments(self) -> dict[str, Any]:
        return {"queue": self.queue}

    def told(self) -> dict[str, Any]:
        return {"bounds": list(self._found)}

    def take(self, told: dict[str, Any], data: bytes, at: int) -> None:
        self._found = Bounds(*[int(one) for one in told["bounds"]])


def _bounds(found: StreamBounds) -> Bounds:
    return Bounds(
        int(found.incarnation),
        int(found.earliest),
        int(found.next_number),
        int(found.bytes),
        int(found.cursors),
        int(found.whole),
        int(found.lying),
    )


@final
class StreamReadStep(StreamStep):
    """Messages of a stream by their numbers."""

    def __init__(
        self,
        queue: str,
        incarnation: int,
        first: int,
        end: int,
        messages_max: int,
        bytes_max: int,
        skip_lost: bool,
        wait_ms: int = 0,
    ) -> None:
        super().__init__("stream read", "stream_read", queue)
        for name, number in (
            ("an incarnation", incarnation),
            ("a stream number", first),
            ("a stream number", end),
            ("a number of messages", messages_max),
            ("a number of bytes", bytes_max),
        ):
            if not 0 <= number <= NUMBER_MAX:
                raise ValueError(f"{name} is from 0 to {NUMBER_MAX}, not {number}")
        self.incarnation = incarnation
        self.first = first
        self.end = end
        self.messages_max = messages_max
        self.bytes_max = min(max(bytes_max, 1), READ_BYTES_MAX)
        self.skip_lost = skip_lost
        self.wait_s = wait_ms / 1000
        self._call: StreamRead | None = None
        self._found: StreamRange | None = None

    def go_on(self, kernel: Kernel, link: Link, handle: Handle) -> bool:
        call = self._call
        if call is None:
            call = stream.read(
                kernel,
                link,
                handle,
                self.incarnation,
                self.first,
                self.end,
                self.messages_max,
                self.bytes_max,
                self.skip_lost,
            )
            self._call = call
        else:
            stream.resume_read(kernel, call)
        return link.park is None and not link.again

    # ---- waiting

    def lacks(self) -> bool:
        call = self._call
        if call is None:
            found = self._found
            return found is not None and len(found) == 0
        return call.messages == 0 and call.lost_to == 0

    def await_more(self, kernel: Kernel, link: Link, waker: Wakeable) -> bool:
        call = self._call
        if call is None:
            return False
        self._call = None  # the next attempt reads anew
        handle = link.streams.get(self.queue)
        if handle is None:
            return False
        return stream.await_number(kernel, link, handle, int(call.next_number), waker)

    def stop_awaiting(self, kernel: Kernel, link: Link, waker: Wakeable) -> None:
        handle = link.streams.get(self.queue)
        if handle is not None:
            stream.stop_awaiting(kernel, handle, waker)

    # ---- the result

    def outcome(self) -> StreamRange:
        """The result."""
        found = self._found
        if found is not None:
            return found
        call = self._done()
        bounds = call.bounds
        blocks = [StreamBlock(one.block, int(one.start), int(one.stop)) for one in call.parts]
        return StreamRange(
            blocks,
            0 if bounds is None else int(bounds.incarnation),
            int(call.next_number),
            int(call.lost_to),
            0 if bounds is None else int(bounds.earliest),
            0 if bounds is None else int(bounds.next_number),
        )

    def _done(self) -> StreamRead:
        call = self._call
        if call is None:
            raise NotImplementedError("the read is not done")
        return call

    def arguments(self) -> dict[str, Any]:
        return {
            "queue": self.queue,
            "incarnation": self.incarnation,
            "first": self.first,
            "end": self.end,
            "messages_max": self.messages_max,
            "bytes_max": self.bytes_max,
            "skip_lost": self.skip_lost,
            "wait_ms": int(self.wait_s * 1000),
        }

    def told(self) -> dict[str, Any]:
        call = self._done()
        bounds = call.bounds
        return {
            "next": int(call.next_number),
            "lost_to": int(call.lost_to),
            "bounds": [] if bounds is None else list(_bounds(bounds)),
            "parts": self._cut(call),
        }

    def _cut(self, call: StreamRead) -> list[list[int]]:
        """What is sent: length, first and last place of each part. A block of which little was
        asked for is cut, so that no more travels than about what was asked for."""
        rows: list[list[int]] = []
        for part in call.parts:
            start, stop = int(part.start), int(part.stop)
            if part_bytes(part.block, start, stop) * 4 < len(part.block) * 3:
                part.block = cut_block(part.block, start, stop)
                part.start = 0
                part.stop = stop - start
            rows.append([len(part.block), int(part.start), int(part.stop)])
        return rows

    def body(self) -> list[bytes]:
        return [part.block for part in self._done().parts]

    def take(self, told: dict[str, Any], data: bytes, at: int) -> None:
        blocks: list[StreamBlock] = []
        view = memoryview(data)  # the bytes of the answer are the blocks: nothing is copied
        for length, start, stop in told["parts"]:
            blocks.append(StreamBlock(view[at : at + length], start, stop))
            at += length
        bounds = Bounds(*told["bounds"])
        next_number, lost_to = int(told["next"]), int(told["lost_to"])
        self._found = StreamRange(
            blocks, bounds.incarnation, next_number, lost_to, bounds.earliest, bounds.next
        )


@final
class StreamQueuesStep(ExtensionStep):
    """The local queues that last, fit a pattern, and that the user may browse: those whose streams
    can be read. No other authority is asked for."""

    def __init__(self, pattern: str) -> None:
        super().__init__("stream queues", "stream_queues")
        self.pattern = pattern  # with * for any characters
        self._left: list[str] | None = None
        self._found: list[str] = []

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        kernel.refuse_if_ending(True, self.verb)
        link.begin_verb()
        left = self._left
        if left is None:
            left = self._left = list(kernel.catalog.definitions)
        for name in left[-QUEUES_A_STEP:]:
            if fnmatchcase(name, self.pattern) and _may_read(kernel, link, name):
                self._found.append(name)
        del left[-QUEUES_A_STEP:]
        link.again = len(left) > 0
        return not left

    def outcome(self) -> list[str]:
        """The result, sorted."""
        return sorted(self._found)

    def arguments(self) -> dict[str, Any]:
        return {"pattern": self.pattern}

    def told(self) -> dict[str, Any]:
        return {"queues": self.outcome()}

    def take(self, told: dict[str, Any], data: bytes, at: int) -> None:
        self._found = [str(name) for name in told["queues"]]


def _may_read(kernel: Kernel, link: Link, name: str) -> bool:
    definition = kernel.catalog.definitions.get(name)
    if definition is None or definition.object_type != LOCAL or definition.temporary:
        return False
    return link.privileged or bool(
        kernel.authority.granted(link.user, mq.MQOT_Q, name) & auth.BROWSE
    )


@final
class StreamCloseStep(ExtensionStep):
    """The connection has done with a stream."""

    def __init__(self, queue: str) -> None:
        super().__init__("stream close", "stream_close")
        self.queue = queue

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        link.begin_verb()
        let_go(kernel, link, self.queue)
        return True

    def arguments(self) -> dict[str, Any]:
        return {"queue": self.queue}

    def told(self) -> dict[str, Any]:
        return {}

    def take(self, told: dict[str, Any], data: bytes, at: int) -> None:
        return


# ---- cursors


class CursorStep(ExtensionStep):
    """What the steps about one cursor have in common."""

    def __init__(self, verb: str, call: str, name: str) -> None:
        super().__init__(verb, call)
        if not is_name(name):
            raise ValueError(f"{name!r} is no name of a cursor")
        self.name = name
        self._found: CursorPosition | None = None

    def change(self, kernel: Kernel, link: Link) -> StreamCursor | None:
        """Do it; None: parked."""
        raise NotImplementedError

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        kernel.refuse_if_ending(True, self.verb)
        link.begin_verb()
        found = self.change(kernel, link)
        if found is None:
            return False
        self._found = CursorPosition(
            found.name,
            found.queue_name,
            int(found.incarnation),
            int(found.position),
            found.owner,
        )
        return True

    def outcome(self) -> CursorPosition:
        """The result."""
        found = self._found
        if found is None:
            raise NotImplementedError("nothing was done to the cursor")
        return found

    def told(self) -> dict[str, Any]:
        return {"cursor": list(self.outcome())}

    def take(self, told: dict[str, Any], data: bytes, at: int) -> None:
        name, queue, incarnation, position, owner = told["cursor"]
        self._found = CursorPosition(
            str(name), str(queue), int(incarnation), int(position), str(owner)
        )


@final
class OpenCursor(CursorStep):
    """A cursor that is there; or, if a queue is named, a new one."""

    def __init__(self, name: str, queue: str, start: int, expiry_m: int = 0) -> None:
        super().__init__("open cursor", "cursor_open", name)
        check_start(start)
        if not 0 <= expiry_m <= EXPIRY_MAX:
            raise ValueError(f"a cursor expires after 0 to {EXPIRY_MAX} minutes, not {expiry_m}")
        self.queue = queue
        self.start = start
        self.expiry_m = expiry_m  # of a new one: minutes without a use; 0: it never expires

    def change(self, kernel: Kernel, link: Link) -> StreamCursor | None:
        for one in cursors.cursors(kernel):
            if one.name == self.name:
                check_cursor(kernel, link, one.queue_name, False, self.verb)
                if self.queue not in ("", one.queue_name):
                    raise mq_error(
                        MQRC_OBJECT_ALREADY_EXISTS,
                        verb=self.verb,
                        object=self.name,
                        detail=f"cursor {self.name} is on queue {one.queue_name}, not on "
                        f"{self.queue}",
                    )
                link.depends_on(one.visible_lsn)
                note_use(kernel, one)
                return one
        if not self.queue:
            raise mq_error(
                MQRC_UNKNOWN_OBJECT_NAME,
                verb=self.verb,
                object=self.name,
                detail=f"there is no cursor {self.name}, and no queue is named to make it on",
            )
        check_cursor(kernel, link, self.queue, True, self.verb)
        return cursors.define_cursor(kernel, link, self.name, self.queue, self.start, self.expiry_m)

    def arguments(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "queue": self.queue,
            "start": self.start,
            "expiry_m": self.expiry_m,
        }


def check_start(start: int) -> None:
    """ValueError if it is neither EARLIEST nor LATEST nor a number."""
    if start not in (cursors.EARLIEST, cursors.LATEST) and not 0 <= start <= NUMBER_MAX:
        raise ValueError(f"a stream number is from 0 to {NUMBER_MAX}, not {start}")


@final
class AdvanceCursor(CursorStep):
    """The owner of a cursor has done with messages."""

    def __init__(self, name: str, position: int, incarnation: int) -> None:
        super().__init__("advance cursor", "cursor_advance", name)
        if not 0 <= position <= NUMBER_MAX:
            raise ValueError(f"a stream number is from 0 to {NUMBER_MAX}, not {position}")
        self.position = position
        self.incarnation = incarnation

    def change(self, kernel: Kernel, link: Link) -> StreamCursor | None:
        return cursors.advance_cursor(kernel, link, self.name, self.position, self.incarnation)

    def arguments(self) -> dict[str, Any]:
        return {"name": self.name, "position": self.position, "incarnation": self.incarnation}


@final
class ResetCursor(CursorStep):
    """An administrator, or who may change the queue, sets a cursor."""

    def __init__(self, name: str, position: int) -> None:
        super().__init__("reset cursor", "cursor_reset", name)
        check_start(position)
        self.position = position

    def change(self, kernel: Kernel, link: Link) -> StreamCursor | None:
        there = cursors.cursor_named(kernel, self.name)
        check_cursor(kernel, link, there.queue_name, True, self.verb)
        return cursors.reset_cursor(kernel, link, self.name, self.position)

    def arguments(self) -> dict[str, Any]:
        return {"name": self.name, "position": self.position}


@final
class DeleteCursor(CursorStep):
    """A cursor goes."""

    def __init__(self, name: str) -> None:
        super().__init__("delete cursor", "cursor_delete", name)

    def change(self, kernel: Kernel, link: Link) -> StreamCursor | None:
        there = cursors.cursor_named(kernel, self.name)
        check_cursor(kernel, link, there.queue_name, True, self.verb)
        return there if cursors.delete_cursor(kernel, link, self.name) else None

    def arguments(self) -> dict[str, Any]:
        return {"name": self.name}
