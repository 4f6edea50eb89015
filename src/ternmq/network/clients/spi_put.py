"""SPI PUT: a put with a delivery delay, as IBM's Java clients and our own make it; or one that is
done when the connection ends, until ACTIVATE puts or drops it.

It is a put in every other respect. One that may be answered later (MQPMO_ASYNC_RESPONSE) is
answered: the client waits for the reply of every SPI call.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_OPTIONS_ERROR
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.transmission import resolved_names
from ternmq.mqi.steps.held import PutHeld, SettleHeld
from ternmq.mqi.steps.messages import Put, PutDeferred
from ternmq.mqi.steps.step import Step
from ternmq.network.clients.conversation import Conversation, StepCall
from ternmq.network.clients.given_fields import as_given
from ternmq.network.clients.put_call import check_length, request_put, without_area
from ternmq.values.calls import messages as calls
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import Header, Segment
from ternmq.wire.fap.vocabulary import AREA_BEFORE_DATA

_LOW: Final = 0xFFFFFFFF
_DEFERRED: Final = 4  # of SPPI
_PUTS: Final = 1  # of SPAI
_DROPS: Final = 2


def spi_put(conversation: Conversation, one: Segment, values: Values) -> None:
    """SPI PUT."""
    given: Values = values["sppi"]
    pmo: PutOptions = values["options"]
    md: Descriptor = values["descriptor"]
    data: bytes = given["data"]
    delay_ms = int(given.get("delay_high", 0)) << 32 | int(given.get("delay_low", 0)) & _LOW
    if given["options"] & ~_DEFERRED or (given["options"] and delay_ms):
        detail = f"options {given['options']:#x} of SPI PUT are not supported"
        raise mq_error(MQRC_OPTIONS_ERROR, verb="MQPUT", detail=detail)
    handle = conversation.connected().handle(int(values["handle"]), "MQPUT")
    request = request_put(conversation, md, pmo, "MQPUT")
    if pmo.options & AREA_BEFORE_DATA and conversation.is_own_client:
        request, data = without_area(request, data)
    check_length(conversation, request, data)
    step: Step
    put: calls.PutCall
    if given["options"] & _DEFERRED:
        put = held = calls.Put(handle, request, data)
        step = PutHeld(held, request)
    elif delay_ms:
        put = deferred = calls.PutDeferred(handle, request, data, delay_ms)
        step = PutDeferred(deferred)
    else:
        put = plain = calls.Put(handle, request, data)
        step = Put(plain)
    SpiPutCall(conversation, one.header, values, step, put, request).go_on()


def spi_activate(conversation: Conversation, one: Segment, values: Values) -> None:
    """SPI ACTIVATE."""
    given: Values = values["spai"]
    if given["mode"] not in (_PUTS, _DROPS):
        detail = f"mode {given['mode']} of SPI ACTIVATE is not supported"
        raise mq_error(MQRC_OPTIONS_ERROR, verb="MQPUT", detail=detail)
    step = SettleHeld(given["msg_id"], given["mode"] == _PUTS)
    StepCall(conversation, one.header, values, step).go_on()


@final
class SpiPutCall(StepCall):
    """The put on its way."""

    def __init__(
        self,
        conversation: Conversation,
        header: Header,
        values: Values,
        step: Step,
        put: calls.PutCall,
        request: PutRequest,
    ) -> None:
        self.put = put
        self.request = request
        super().__init__(conversation, header, values, step)

    def attempt(self) -> bool:
        verbs = self.conversation.connected()
        verbs.begin_call("MQPUT")
        return verbs.attempt(self.step)

    def finish(self) -> None:
        """What MQMD and MQPMO have after a put."""
        entry = self.put.entry
        handle = self.step.subject
        if entry is None or handle is None:
            return
        conversation = self.conversation
        values = self.values
        if self.put.warning:
            values["comp"] = mq.MQCC_WARNING
            values["reason"] = self.put.warning
        asked: Descriptor = values["descriptor"]
        base = as_given(entry.base, self.request.base)
        put_ns = int(entry.put_ns)
        values["descriptor"] = conversation.form.descriptor(entry, base, asked.version, put_ns)
        pmo: PutOptions = values["options"]
        pmo.known_count = 0 if handle.route is not None else 1
        pmo.unknown_count = 1 - pmo.known_count
        pmo.invalid_count = 0
        name = conversation.connected().engine.name
        names = resolved_names(handle, pmo.options, name)
        pmo.resolved_queue_name, pmo.resolved_qmgr_name = names
