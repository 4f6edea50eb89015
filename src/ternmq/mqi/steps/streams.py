"""Numbered streams and their cursors as steps.

A stream is named by its queue. The handle that reading needs is opened at the first call and stays
with the connection (`Connection.streams`), so a call has no state of its own: after a reconnection
it is simply sent again.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import LOCAL
from ternmq.base.reasons import (
    MQRC_HOBJ_ERROR,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_Q_DELETED,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel import cursors, stream
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.cursor_authority import check_cursor
from ternmq.kernel.cursor_expiry import note_use
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.resolve import close_handle
from ternmq.kernel.stream_selection import PartSelection
from ternmq.mqi.steps.step import Step
from ternmq.ports.effect import Wakeable
from ternmq.security import authorities as auth
from ternmq.store.stream.block_cut import cut_block, part_bytes
from ternmq.store.stream.named_cursor import StreamCursor
from ternmq.values.calls import streams as calls
from ternmq.values.status import Bounds, CursorPosition
from ternmq.values.stream_block import StreamBlock, StreamRange

QUEUES_A_STEP: Final = 256
_LOST_HANDLE: Final = (MQRC_HOBJ_ERROR, MQRC_Q_DELETED)


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


class StreamStep(Step):
    """What the steps that read have in common."""

    def __init__(self, verb: str, queue: str) -> None:
        super().__init__(verb)
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
class BoundsOfStream(StreamStep):
    """What a stream has now."""

    def __init__(self, call: calls.StreamBounds) -> None:
        super().__init__(call.verb, call.queue)
        self.call = call

    def go_on(self, kernel: Kernel, link: Link, handle: Handle) -> bool:
        found = stream.bounds(kernel, link, handle)
        self.call.found = Bounds(
            int(found.incarnation),
            int(found.earliest),
            int(found.next_number),
            int(found.bytes),
            int(found.cursors),
            int(found.whole),
            int(found.lying),
        )
        return True


@final
class ReadStream(StreamStep):
    """Messages of a stream by their numbers."""

    def __init__(self, call: calls.StreamRead) -> None:
        super().__init__(call.verb, call.queue)
        self.call = call
        self._read: stream.StreamRead | None = None
        self._selection: PartSelection | None = None  # of what was read; under way
        self._durable_at = 0  # what the read depends on

    def go_on(self, kernel: Kernel, link: Link, handle: Handle) -> bool:
        read = self._read
        if read is None or self._selection is None:
            read = self._read_parts(kernel, link, handle)
            if link.park is not None or link.again:
                return False
            if not self._chosen(kernel, link, handle, read):
                return False
        elif not self._choose(link, self._selection, read):
            return False
        bounds = read.bounds
        self.call.found = StreamRange(
            [StreamBlock(one.block, int(one.start), int(one.stop)) for one in read.parts],
            0 if bounds is None else int(bounds.incarnation),
            int(read.next_number),
            int(read.lost_to),
            0 if bounds is None else int(bounds.earliest),
            0 if bounds is None else int(bounds.next_number),
        )
        return True

    def _read_parts(self, kernel: Kernel, link: Link, handle: Handle) -> stream.StreamRead:
        """Begin to read, or go on."""
        call = self.call
        read = self._read
        if read is None:
            read = stream.read(
                kernel,
                link,
                handle,
                call.incarnation,
                call.first,
                call.end,
                call.messages_max,
                call.bytes_max,
                call.skip_lost,
            )
            self._read = read
        else:
            stream.resume_read(kernel, read)
        return read

    def _chosen(self, kernel: Kernel, link: Link, handle: Handle, read: stream.StreamRead) -> bool:
        """Leave out what selectors leave out: that of the call, and those of aliases; whether that
        is done."""
        selectors = [] if handle.selection is None else list(handle.selection.selectors)
        if self.call.selector:
            selectors.append(kernel.selectors.find(self.call.selector))
        if not selectors or not read.parts:
            return True
        self._durable_at = int(link.durable_at)
        self._selection = PartSelection(read.parts, selectors, kernel.clock)
        return self._choose(link, self._selection, read)

    def _choose(self, link: Link, selection: PartSelection, read: stream.StreamRead) -> bool:
        link.depends_on(self._durable_at)
        if not selection.go_on():
            link.again = True
            return False
        read.parts = selection.found
        self._selection = None
        return True

    def await_more(self, kernel: Kernel, link: Link, waker: Wakeable) -> bool:
        read = self._read
        if read is None:
            return False
        self._read = None  # the next attempt reads again
        handle = link.streams.get(self.queue)
        if handle is None:
            return False
        return stream.await_number(kernel, link, handle, int(read.next_number), waker)

    def stop_awaiting(self, kernel: Kernel, link: Link, waker: Wakeable) -> None:
        handle = link.streams.get(self.queue)
        if handle is not None:
            stream.stop_awaiting(kernel, handle, waker)

    def before_travel(self) -> None:
        """A block of which little was asked for is cut, so that no more travels than about what was
        asked for."""
        found = self.call.outcome()
        for at, block in enumerate(found.blocks):
            start, stop = block.places
            raw = block.raw
            if part_bytes(raw, start, stop) * 4 < len(raw) * 3:
                found.blocks[at] = StreamBlock(cut_block(raw, start, stop), 0, stop - start)


@final
class FindStreamQueues(Step):
    """The local queues that last, fit a pattern, and that the user may browse: those whose streams
    can be read. No other authority is asked for."""

    def __init__(self, call: calls.StreamQueues) -> None:
        super().__init__(call.verb)
        self.call = call
        self._left: list[str] | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        kernel.refuse_if_ending(True, self.verb)
        link.begin_verb()
        call = self.call
        left = self._left
        if left is None:
            left = self._left = list(kernel.catalog.definitions)
        for name in left[-QUEUES_A_STEP:]:
            if fnmatchcase(name, call.pattern) and _may_read(kernel, link, name):
                call.queues.append(name)
        del left[-QUEUES_A_STEP:]
        link.again = len(left) > 0
        if left:
            return False
        call.queues.sort()
        return True


def _may_read(kernel: Kernel, link: Link, name: str) -> bool:
    definition = kernel.catalog.definitions.get(name)
    if definition is None or definition.object_type != LOCAL or definition.temporary:
        return False
    return link.privileged or bool(
        kernel.authority.granted(link.user, mq.MQOT_Q, name) & auth.BROWSE
    )


@final
class CloseStream(Step):
    """The connection has done with a stream."""

    def __init__(self, call: calls.StreamClose) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        link.begin_verb()
        let_go(kernel, link, self.call.queue)
        return True


# ---- cursors


class CursorStep(Step):
    """What the steps about one cursor have in common."""

    def __init__(self, call: calls.CursorCall) -> None:
        super().__init__(call.verb)
        self._about = call
        self.name = call.cursor

    def change(self, kernel: Kernel, link: Link) -> StreamCursor | None:
        """Do it; None: parked."""
        raise NotImplementedError

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        kernel.refuse_if_ending(True, self.verb)
        link.begin_verb()
        found = self.change(kernel, link)
        if found is None:
            return False
        self._about.found = CursorPosition(
            found.name,
            found.queue_name,
            int(found.incarnation),
            int(found.position),
            found.owner,
        )
        return True


@final
class OpenCursor(CursorStep):
    """A cursor that exists; or, if a queue is named, a new one."""

    def __init__(self, call: calls.CursorOpen) -> None:
        super().__init__(call)
        self.call = call

    def change(self, kernel: Kernel, link: Link) -> StreamCursor | None:
        call = self.call
        for one in cursors.cursors(kernel):
            if one.name == self.name:
                check_cursor(kernel, link, one.name, one.queue_name, False, self.verb, call.queue)
                if call.queue not in ("", one.queue_name):
                    raise mq_error(
                        MQRC_OBJECT_ALREADY_EXISTS,
                        verb=self.verb,
                        object=self.name,
                        detail=f"cursor {self.name} is on queue {one.queue_name}, not on "
                        f"{call.queue}",
                    )
                link.depends_on(one.visible_lsn)
                note_use(kernel, one)
                return one
        if not call.queue:
            raise mq_error(
                MQRC_UNKNOWN_OBJECT_NAME,
                verb=self.verb,
                object=self.name,
                detail=f"there is no cursor {self.name}, and no queue is named to make it on",
            )
        check_cursor(kernel, link, self.name, call.queue, True, self.verb, call.queue)
        return cursors.define_cursor(kernel, link, self.name, call.queue, call.start, call.expiry_m)


@final
class AdvanceCursor(CursorStep):
    """The owner of a cursor has done with messages."""

    def __init__(self, call: calls.CursorAdvance) -> None:
        super().__init__(call)
        self.call = call

    def change(self, kernel: Kernel, link: Link) -> StreamCursor | None:
        call = self.call
        return cursors.advance_cursor(kernel, link, self.name, call.position, call.incarnation)


@final
class ResetCursor(CursorStep):
    """An administrator, or a user who may change the queue, sets a cursor."""

    def __init__(self, call: calls.CursorReset) -> None:
        super().__init__(call)
        self.call = call

    def change(self, kernel: Kernel, link: Link) -> StreamCursor | None:
        there = cursors.cursor_named(kernel, self.name)
        check_cursor(kernel, link, self.name, there.queue_name, True, self.verb)
        return cursors.reset_cursor(kernel, link, self.name, self.call.position)


@final
class DeleteCursor(CursorStep):
    """A cursor is deleted."""

    def __init__(self, call: calls.CursorDelete) -> None:
        super().__init__(call)

    def change(self, kernel: Kernel, link: Link) -> StreamCursor | None:
        there = cursors.cursor_named(kernel, self.name)
        check_cursor(kernel, link, self.name, there.queue_name, True, self.verb)
        return there if cursors.delete_cursor(kernel, link, self.name) else None
