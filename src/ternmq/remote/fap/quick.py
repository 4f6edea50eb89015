"""Puts that are not answered, and gets of what was read ahead: verbs that need no exchange.

They are most of what a stream of messages is made of, so they go without a generator and, in tasks,
without a coroutine of their own. Whatever is not plain is left to `fap_verbs`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.remote.fap.client_conversation import Conversation
from ternmq.remote.fap.fap_verbs import NOT_AHEAD, FapVerbs
from ternmq.remote.fap.frames import furnished, own_id, silent_options
from ternmq.remote.remote_verbs import PackedPut
from ternmq.remote.turns import Turns
from ternmq.values import transport
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message

VERBS_WITHOUT_PAUSE: Final = 128  # before other tasks have their turn
TOGETHER_BYTES: Final = 1 << 16  # so much is written at once, without waiting for the turn's end

# What is to be done after something was added to `Outgoing`.
NOTHING: Final = 0
FLUSH_LATER: Final = 1  # at the end of the turn
FLUSH_NOW: Final = 2


@final
class Outgoing:
    """What is written to one socket in one turn of a loop, and leaves in one piece."""

    def __init__(self, see_to: Callable[[int], None] | None = None) -> None:
        self.is_full = False  # the other side is slow: writers are to wait
        self._see_to = see_to  # does what is to be done
        self._parts: list[bytes] = []
        self._bytes = 0
        self._is_due = False

    def add(self, data: bytes) -> int:
        """Something to send; what is to be done now."""
        self._parts.append(data)
        size = self._bytes + len(data)
        self._bytes = size
        if size >= TOGETHER_BYTES:
            return FLUSH_NOW
        if self._is_due:
            return NOTHING
        self._is_due = True
        return FLUSH_LATER

    def add_put(self, before: bytes, msg_id: bytes, behind: bytes, data: bytes) -> None:
        """A segment in its parts."""
        parts = self._parts
        parts.append(before)
        parts.append(msg_id)
        parts.append(behind)
        size = self._bytes + len(before) + len(msg_id) + len(behind)
        self._bytes = size
        flush = self.add(data)
        if flush and self._see_to is not None:
            self._see_to(flush)

    def take(self) -> bytes:
        """All of it, to be sent."""
        self._is_due = False
        parts = self._parts
        if not parts:
            return b""
        self._parts = []
        self._bytes = 0
        return parts[0] if len(parts) == 1 else b"".join(parts)


@final
class Quick:
    """The verbs of one connection that can be done at once."""

    def __init__(self, verbs: FapVerbs, turns: Turns) -> None:
        self.verbs = verbs
        self.turns = turns
        self.outgoing: Outgoing | None = None  # of tasks
        self.flush = NOTHING  # what is to be done after the last one
        self.in_a_row = 0  # verbs that waited for nothing

    def put(
        self,
        caller: int,
        handle: ObjectHandle,
        form: PackedPut,
        data: bytes,
        outgoing: Outgoing,
    ) -> bytes:
        """MQPUT: the MsgId; empty if it cannot be done at once."""
        options = int(form.options)
        packed = form.packed
        verbs = self.verbs
        conversation = verbs.conversation
        if not verbs.is_shared or not verbs.ids_left or conversation.ended is not None:
            return b""
        if outgoing.is_full or verbs.lost_unit or not verbs.is_asynchronous(handle, options):
            return b""
        added = 0
        if form.properties:
            packed, data, added = furnished(form, data, verbs.takes_back)
        if len(data) > conversation.framing.message_bytes_max:
            return b""  # it is refused where others are
        turns = self.turns
        turns.take(caller, "MQPUT")
        try:
            msg_id = own_id(options, packed) or verbs.next_id()
            verbs.has_silent_puts = True
            segment = conversation.framing.put(
                handle.handle_id, silent_options(options | added), packed, data, msg_id
            )
            if options & mq.MQPMO_SYNCPOINT:
                verbs.has_changes = True
        finally:
            turns.give_back()
        self.flush = outgoing.add(segment)
        self.in_a_row += 1
        return msg_id

    def get(
        self, caller: int, handle: ObjectHandle, request: GetRequest, outgoing: Outgoing
    ) -> Message | None:
        """MQGET of a message that is here already; None if it cannot be done at once."""
        verbs = self.verbs
        conversation = verbs.conversation
        stream = conversation.streams.get(handle.handle_id)
        if stream is None or not stream.window_bytes or not stream.messages:
            return None
        if not request.plain or request.options & NOT_AHEAD or conversation.ended is not None:
            return None
        if not stream.fits(request):
            return None
        if stream.get is not request and not stream.suits(request):
            return None
        turns = self.turns
        turns.take(caller, "MQGET")
        try:
            stream.get = request
            message = stream.take()
            self.flush = NOTHING
            if stream.is_armed and stream.credit_is_due:
                asked = verbs.ahead_request(handle, stream)
                self.flush = outgoing.add(asked.encoded(conversation))
        finally:
            turns.give_back()
        self.in_a_row += 1
        return message


@final
class PlainPut(transport.PlainPut):
    """Puts of bytes without particulars by one handle, in tasks: but for MsgId and data, the
    segments of one length are alike."""

    def __init__(self, quick: Quick, handle: ObjectHandle, form: PackedPut) -> None:
        self._quick = quick
        self._handle = handle
        self._options = silent_options(int(form.options))
        self._packed = form.packed
        self._conversation: Conversation | None = None
        self._length = -1
        self._before = b""
        self._behind = b""

    def put(self, data: bytes) -> bytes:
        """MQPUT: the MsgId; empty if it cannot be done at once."""
        quick = self._quick
        verbs = quick.verbs
        conversation = verbs.conversation
        outgoing = quick.outgoing
        if outgoing is None or outgoing.is_full or quick.in_a_row >= VERBS_WITHOUT_PAUSE:
            return b""
        if not verbs.ids_left or conversation.ended is not None or verbs.lost_unit:
            return b""
        if not quick.turns.is_anyones:
            return b""
        if conversation is not self._conversation or len(data) != self._length:
            self._prepare(conversation, len(data))
        if not self._before:
            return b""
        msg_id = verbs.next_id()
        outgoing.add_put(self._before, msg_id, self._behind, data)
        quick.in_a_row += 1
        return msg_id

    def _prepare(self, conversation: Conversation, length: int) -> None:
        self._conversation = conversation
        self._length = length
        self._before, self._behind = conversation.framing.put_parts(
            self._handle.handle_id, self._options, self._packed, length
        )


@final
class AheadGet(transport.AheadGet):
    """Gets of what was read ahead by one handle, in tasks."""

    def __init__(self, quick: Quick, handle: ObjectHandle, request: GetRequest) -> None:
        self._quick = quick
        self._handle = handle
        self._request = request

    def next(self) -> Message | None:
        """MQGET; None if it cannot be done at once, or there is more to do with it."""
        quick = self._quick
        conversation = quick.verbs.conversation
        stream = conversation.streams.get(self._handle.handle_id)
        if stream is None or not stream.window_bytes or not stream.messages:
            return None
        if conversation.ended is not None or stream.credit_is_due:
            return None
        if not stream.fits(self._request):
            return None
        if stream.get is not self._request and not stream.suits(self._request):
            return None
        if quick.in_a_row >= VERBS_WITHOUT_PAUSE or not quick.turns.is_anyones:
            return None
        quick.in_a_row += 1
        stream.get = self._request
        return stream.take()
