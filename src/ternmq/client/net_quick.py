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


@final
class Quick:
    """The verbs of one connection that can be done at once."""

    def __init__(self, verbs: FapVerbs, turns: Turns) -> None:
        self._verbs = verbs
        self._turns = turns
        self.segment = b""  # what the last one has to send; empty for nothing
        self.in_a_row = 0  # verbs that waited for nothing

    def put(self, caller: int, handle: Handle, options: int, packed: bytes, data: bytes) -> bytes:
        """MQPUT: the MsgId; empty if it cannot be done at once."""
        verbs = self._verbs
        conversation = verbs.conversation
        if not verbs.is_shared or not verbs.ids_left or conversation.ended is not None:
            return b""
        if verbs.lost_unit or not verbs.is_asynchronous(handle, options):
            return b""
        turns = self._turns
        turns.take(caller, "MQPUT")
        try:
            msg_id = verbs.next_id()
            self.segment = conversation.framing.put(
                handle.handle_id, options | mq.MQPMO_ASYNC_RESPONSE, packed, data, msg_id
            )
            if options & mq.MQPMO_SYNCPOINT:
                verbs.has_changes = True
        finally:
            turns.give_back()
        self.in_a_row += 1
        return msg_id

    def get(self, caller: int, handle: Handle, request: GetRequest) -> Message | None:
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
            self.segment = b""
            if stream.is_armed and stream.credit_is_due:
                self.segment = verbs.ahead_request(handle, stream).encoded(conversation)
        finally:
            turns.give_back()
        self.in_a_row += 1
        return message
