"""Puts that are not answered, and gets of what was read ahead: verbs that need no exchange.

They are most of what a stream of messages is made of, so they go without a generator and, in tasks,
without a coroutine of their own. Whatever is not plain is left to `net_verbs`.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.client.local_turns import Turns
from ternmq.client.message import Message
from ternmq.client.net_verbs import NOT_AHEAD, FapVerbs
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import GetRequest

VERBS_WITHOUT_PAUSE: Final = 128  # before other tasks have their turn
TOGETHER_BYTES: Final = 1 << 16  # so much is written at once, without waiting for the turn's end

# What is to be done after something was added to `Outgoing`.
NOTHING: Final = 0
FLUSH_LATER: Final = 1  # at the end of the turn
FLUSH_NOW: Final = 2


@final
class Outgoing:
    """What is written to one socket in one turn of a loop, and leaves in one piece."""

    def __init__(self) -> None:
        self.is_full = False  # the other side is slow: writers are to wait
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
        self._verbs = verbs
        self._turns = turns
        self.flush = NOTHING  # what is to be done after the last one
        self.in_a_row = 0  # verbs that waited for nothing

    def put(
        self,
        caller: int,
        handle: Handle,
        options: int,
        packed: bytes,
        data: bytes,
        outgoing: Outgoing,
    ) -> bytes:
        """MQPUT: the MsgId; empty if it cannot be done at once."""
        verbs = self._verbs
        conversation = verbs.conversation
        if not verbs.is_shared or not verbs.ids_left or conversation.ended is not None:
            return b""
        if outgoing.is_full or verbs.lost_unit or not verbs.is_asynchronous(handle, options):
            return b""
        turns = self._turns
        turns.take(caller, "MQPUT")
        try:
            msg_id = verbs.next_id()
            segment = conversation.framing.put(
                handle.handle_id, options | mq.MQPMO_ASYNC_RESPONSE, packed, data, msg_id
            )
            if options & mq.MQPMO_SYNCPOINT:
                verbs.has_changes = True
        finally:
            turns.give_back()
        self.flush = outgoing.add(segment)
        self.in_a_row += 1
        return msg_id

    def get(
        self, caller: int, handle: Handle, request: GetRequest, outgoing: Outgoing
    ) -> Message | None:
        """MQGET of a message that is here already; None if it cannot be done at once."""
        verbs = self._verbs
        conversation = verbs.conversation
        stream = conversation.streams.get(handle.handle_id)
        if stream is None or not stream.window_bytes or not stream.messages:
            return None
        if not request.plain or request.options & NOT_AHEAD or conversation.ended is not None:
            return None
        turns = self._turns
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
