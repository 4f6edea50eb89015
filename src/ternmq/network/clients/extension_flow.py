"""SPI EXTENSION: the calls that only our own client makes, over the network.

Served like any other call of a conversation, by the table of `values.calls` and `mqi.steps`. One
that has found nothing and may wait is woken when there is more, or when its time is over.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.errors import MQError, RemoteProtocolError, mq_error
from ternmq.base.reasons import MQRC_MSG_TOO_BIG_FOR_CHANNEL
from ternmq.host.asked_call import AskedCall
from ternmq.kernel.connection import Handle
from ternmq.kernel.verb_clock import MESSAGE
from ternmq.mqi.steps.table import IN_UNIT
from ternmq.network.clients.conversation import Call, Conversation
from ternmq.values.calls.topics import InquireMulticast
from ternmq.wire.extension import error_value, pack_answer, unpack_request
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import Header, Segment

# Calls that change what a conversation knows beside its connection: they have flows of their own.
_HAVE_FLOWS: Final = frozenset(("back_out", "close", "commit", "open", "prepare"))


def extension_call(conversation: Conversation, one: Segment, values: Values) -> None:
    """What a client of ours asks for."""
    given = unpack_request(values["extension"])
    if "handle" in given and values["handle"]:
        given["handle"] = int(
            values["handle"]
        )  # as in any call: it is current, the JSON may not be
    asked = AskedCall(given)
    if asked.call.name in _HAVE_FLOWS:
        raise RemoteProtocolError(f"call {asked.call.name} has a flow of its own")
    del values["extension_length"]  # it follows from the answer
    values["extension"] = pack_answer({})
    ExtensionCall(conversation, one.header, values, asked).go_on()


@final
class ExtensionCall(Call):
    """One of them, on its way."""

    def __init__(
        self, conversation: Conversation, header: Header, values: Values, asked: AskedCall
    ) -> None:
        self.asked = asked
        self.step = asked.step
        self.waits = False  # it is woken when there is more, or when its time is over
        super().__init__(conversation, header, values)

    def verb(self) -> str:
        return self.step.verb

    def subject(self) -> Handle | None:
        return self.step.subject

    def run(self) -> None:
        self._stop_waiting()
        line = self.conversation.line
        if not self.is_done and not line.may_get(self):
            if line.is_closing or line.is_stopping:
                self.drop()
            return
        super().run()

    def attempt(self) -> bool:
        verbs = self.conversation.connected()
        if self.asked.turn == IN_UNIT:
            verbs.begin_call(self.step.verb)
        return verbs.attempt(self.step)

    def finish(self) -> None:
        answer = b"".join(self.asked.answer())
        longest = self.conversation.line.message_bytes_max
        if len(answer) > longest:
            raise mq_error(
                MQRC_MSG_TOO_BIG_FOR_CHANNEL,
                verb=self.step.verb,
                detail=f"an answer of {len(answer)} bytes, the channel takes {longest}",
            )
        self.values["extension"] = answer
        call = self.asked.call
        if isinstance(call, InquireMulticast) and call.terms is not None:
            self.conversation.line.socket.group_joined(call.terms)

    def answer(self) -> None:
        call = self.asked.call
        if call.wait_s > 0 and call.lacks() and self.values["reason"] == 0:
            wait_ns = int(call.wait_s * 1_000_000_000)
            call.wait_s = 0.0
            self.is_done = False
            if self._await_more(wait_ns):
                return
            self.turns.later(self)  # there is more already
            return
        super().answer()

    def refuse(self, error: MQError) -> None:
        self._stop_waiting()
        self.values["extension"] = pack_answer(error_value(error))
        super().refuse(error)

    def doing(self) -> str:
        return self.step.verb

    # ---- waiting

    def _await_more(self, wait_ns: int) -> bool:
        verbs = self.conversation.connected()
        with verbs.shell.lock:
            waits = self.step.await_more(verbs.engine.kernel, verbs.link, self)
        if waits:
            self.waits = True
            now_ns = int(verbs.engine.clock.monotonic_ns())
            clock = verbs.link.clock
            if clock is not None:
                clock.wait(MESSAGE, now_ns)
            self.turns.at(self, now_ns + wait_ns)
        return waits

    def _stop_waiting(self) -> None:
        if self.waits:
            self.waits = False
            self.turns.not_at(self)
            verbs = self.conversation.connected()
            with verbs.shell.lock:
                self.step.stop_awaiting(verbs.engine.kernel, verbs.link, self)

    def time_is_over(self) -> None:
        """Look once more, and answer with what is there."""
        self.go_on()

    def abandon(self) -> bool:
        is_waiting = self.waits
        self._stop_waiting()
        return is_waiting
