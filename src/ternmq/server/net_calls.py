"""The calls of the MQI by the type of their segment; here those of units of work and of the
connection, the others in the files beside this one.

What fails answers with the same body, its completion code and reason; `REFUSALS` has what else a
failed call must say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_STAT_TYPE_ERROR,
)
from ternmq.client import steps
from ternmq.client.steps import Step
from ternmq.codec.mqsts import Status
from ternmq.kernel.metering_calls import was_asked
from ternmq.server.loop_verbs import LoopVerbs
from ternmq.server.net_conversation import AsyncPuts, Call, Conversation, StepCall
from ternmq.server.net_get import get_message
from ternmq.server.net_objects import (
    close_object,
    inquire,
    open_object,
    refuse_inquire,
    refuse_open,
    set_attributes,
)
from ternmq.server.net_put import put1_message, put_message
from ternmq.server.net_requests import notified, request_messages
from ternmq.server.net_spi import spi_call
from ternmq.server.net_xa import XA_CALLS
from ternmq.wire.fap_part import Values
from ternmq.wire.fap_segment import Header, Segment
from ternmq.wire.fap_vocabulary import (
    MQBACK,
    MQCLOSE,
    MQCMIT,
    MQCONN,
    MQDISC,
    MQGET,
    MQINQ,
    MQOPEN,
    MQPUT,
    MQPUT1,
    MQSET,
    MQSTAT,
    MQSUB,
    MQSUBRQ,
    NOTIFICATION,
    REQUEST_MSGS,
    SPI,
)

# ---- units of work


class EndingCall(StepCall):
    """A call that commits. Where an asynchronous put of the unit of work has failed, it backs out
    instead and says so: its application believes that the put was done. MQSTAT has the reason."""

    def __init__(
        self, conversation: Conversation, header: Header, values: Values, step: Step
    ) -> None:
        self.undoing: Step | None = steps.BackOut() if conversation.unit_fails else None
        super().__init__(conversation, header, values, step)

    def undo(self) -> bool:
        """Back out first, if that has to be; False while there is more to undo."""
        conversation = self.conversation
        undoing = self.undoing
        if undoing is not None:
            if not conversation.connected().attempt(undoing):
                return False
            self.undoing = None
            conversation.unit_fails = False
            self.warn()
        return True

    def warn(self) -> None:
        """The unit of work was backed out instead."""
        self.values["comp"] = mq.MQCC_WARNING
        self.values["reason"] = MQRC_BACKED_OUT
        self.conversation.connected().refuse(self.verb(), None)


def commit(conversation: Conversation, one: Segment) -> None:
    """MQCMIT; asynchronous puts before it are safe when it is answered."""
    call = CommitCall(conversation, one.header, conversation.read(one), steps.Commit())
    _forget_branch(conversation)
    call.go_on()


def _forget_branch(conversation: Conversation) -> None:
    """Our own client ends a unit of work without XA whose `prepare` was refused: then its branch is
    over, too, and its XID is free."""
    if conversation.is_own_client:
        conversation.branches.ended = None


@final
class CommitCall(EndingCall):
    """MQCMIT."""

    def attempt(self) -> bool:
        if not self.undo():
            return False
        conversation = self.conversation
        verbs = conversation.connected()
        done = self.values["reason"] == MQRC_BACKED_OUT or verbs.attempt(self.step)
        verbs.link.depends_on(conversation.async_puts.durable_at)
        return done


def back_out(conversation: Conversation, one: Segment) -> None:
    """MQBACK."""
    values = conversation.read(one)
    conversation.unit_fails = False
    _forget_branch(conversation)
    StepCall(conversation, one.header, values, steps.BackOut()).go_on()


@final
class DisconnectCall(EndingCall):
    """MQDISC."""

    def attempt(self) -> bool:
        return self.undo() and super().attempt()

    def finish(self) -> None:
        step = self.step
        if isinstance(step, steps.Disconnect) and step.undone:
            self.warn()
        self.conversation.disconnected()


def disconnect(conversation: Conversation, one: Segment) -> None:
    """MQDISC commits."""
    values = conversation.read(one)
    conversation.stop_consumers()
    DisconnectCall(conversation, one.header, values, steps.Disconnect(False)).go_on()


# ---- asynchronous puts


@final
class StatusCall(Call):
    """MQSTAT: what became of puts that were not answered; they are safe when it is."""

    def attempt(self) -> bool:
        conversation = self.conversation
        verbs: LoopVerbs = conversation.connected()
        if self.values["status_type"] != mq.MQSTAT_TYPE_ASYNC_ERROR:
            detail = f"type {self.values['status_type']}"
            raise mq_error(MQRC_STAT_TYPE_ERROR, verb="MQSTAT", detail=detail)
        verbs.link.begin_verb()
        verbs.link.depends_on(conversation.async_puts.durable_at)
        return True

    def finish(self) -> None:
        conversation = self.conversation
        puts = conversation.async_puts
        conversation.async_puts = AsyncPuts()
        status: Status = self.values["status"]
        status.put_success_count = puts.succeeded
        status.put_warning_count = puts.warned
        status.put_failure_count = puts.failed
        verbs = conversation.connected()
        if verbs.engine.kernel.measured:
            was_asked(verbs.engine.kernel, verbs.link)
        status.comp = mq.MQCC_OK
        status.reason = 0
        status.object_name = puts.object
        status.resolved_object_name = puts.object
        if puts.error is not None:
            status.comp = puts.error.comp
            status.reason = puts.error.reason


def status(conversation: Conversation, one: Segment) -> None:
    """MQSTAT."""
    StatusCall(conversation, one.header, conversation.read(one)).go_on()


# ---- what is not there


def connect_again(conversation: Conversation, one: Segment) -> None:
    """MQCONN on a conversation that is connected."""
    raise conversation.line.out_of_order("MQCONN, and the conversation is connected")


def not_supported(conversation: Conversation, one: Segment) -> None:
    """Subscriptions are not there yet."""
    raise mq_error(MQRC_FUNCTION_NOT_SUPPORTED, detail="publish/subscribe is not supported yet")


CALLS: Final[dict[int, Callable[[Conversation, Segment], None]]] = {
    MQCONN: connect_again,
    MQDISC: disconnect,
    MQOPEN: open_object,
    MQCLOSE: close_object,
    MQGET: get_message,
    MQPUT: put_message,
    MQPUT1: put1_message,
    MQSET: set_attributes,
    MQINQ: inquire,
    MQCMIT: commit,
    MQBACK: back_out,
    MQSTAT: status,
    MQSUB: not_supported,
    MQSUBRQ: not_supported,
    SPI: spi_call,
    REQUEST_MSGS: request_messages,
    NOTIFICATION: notified,
    **XA_CALLS,
}
REFUSALS: Final[dict[int, Callable[[Values], None]]] = {
    MQOPEN: refuse_open,
    MQINQ: refuse_inquire,
}
