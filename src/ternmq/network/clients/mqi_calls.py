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
    MQRC_STAT_TYPE_ERROR,
)
from ternmq.codec.mqi.mqsts import Status
from ternmq.host.jobs import LoopVerbs
from ternmq.kernel.metering_calls import was_asked
from ternmq.mqi.steps import units as steps
from ternmq.mqi.steps.step import Step
from ternmq.network.clients.conversation import Call, Conversation, StepCall
from ternmq.network.clients.described_strings import returned
from ternmq.network.clients.get_call import get_message
from ternmq.network.clients.list_calls import open_any, put1_any, put_any
from ternmq.network.clients.message_requests import notified, request_messages
from ternmq.network.clients.object_calls import (
    close_object,
    inquire,
    refuse_inquire,
    refuse_open,
    set_attributes,
)
from ternmq.network.clients.silent_puts import AsyncPuts
from ternmq.network.clients.spi_calls import spi_call
from ternmq.network.clients.topic_calls import (
    refuse_subscribe,
    request_publications,
    subscribe,
)
from ternmq.network.clients.xa_flows import XA_CALLS
from ternmq.values.calls import units as calls
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import Header, Segment
from ternmq.wire.fap.vocabulary import (
    MQBACK,
    MQCLOSE,
    MQCMIT,
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
        self.undoing: Step | None = (
            steps.BackOut(calls.BackOut()) if conversation.unit_fails else None
        )
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
    call = CommitCall(
        conversation, one.header, conversation.read(one), steps.Commit(calls.Commit())
    )
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
    StepCall(conversation, one.header, values, steps.BackOut(calls.BackOut())).go_on()


@final
class DisconnectCall(EndingCall):
    """MQDISC."""

    def attempt(self) -> bool:
        return self.undo() and super().attempt()

    def finish(self) -> None:
        step = self.step
        if isinstance(step, steps.Disconnect) and step.call.backed_out_by:
            self.warn()
        self.conversation.disconnected()


def disconnect(conversation: Conversation, one: Segment) -> None:
    """MQDISC commits."""
    values = conversation.read(one)
    conversation.stop_consumers()
    step = steps.Disconnect(calls.Disconnect())
    DisconnectCall(conversation, one.header, values, step).go_on()


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
        if puts.topic_string:
            status.object_type = mq.MQOT_TOPIC
            text = puts.topic_string
            self.values["status_following"] = returned(
                conversation, status.object_string, text, status.size()
            )
        if puts.error is not None:
            status.comp = puts.error.comp
            status.reason = puts.error.reason


def status(conversation: Conversation, one: Segment) -> None:
    """MQSTAT."""
    StatusCall(conversation, one.header, conversation.read(one)).go_on()


CALLS: Final[dict[int, Callable[[Conversation, Segment], None]]] = {
    MQDISC: disconnect,
    MQOPEN: open_any,
    MQCLOSE: close_object,
    MQGET: get_message,
    MQPUT: put_any,
    MQPUT1: put1_any,
    MQSET: set_attributes,
    MQINQ: inquire,
    MQCMIT: commit,
    MQBACK: back_out,
    MQSTAT: status,
    MQSUB: subscribe,
    MQSUBRQ: request_publications,
    SPI: spi_call,
    REQUEST_MSGS: request_messages,
    NOTIFICATION: notified,
    **XA_CALLS,
}
REFUSALS: Final[dict[int, Callable[[Values], None]]] = {
    MQOPEN: refuse_open,
    MQINQ: refuse_inquire,
    MQSUB: refuse_subscribe,
}
