"""MQCB and MQCTL for ibmmq: the callbacks of the API, called with the structures of the library.

A function gets `queue_manager`, `queue`, `md`, `gmo`, `msg` and `cbc`. One that raises is
suspended, and its traceback is printed.
"""

from __future__ import annotations

import sys
import traceback
from threading import get_ident
from typing import Any, Final, NamedTuple

from ternmq.api.callbacks import Work
from ternmq.api.consumers import BaseConsumer, CallContext, check_options, no_function
from ternmq.api.consuming import ThreadCallbacks
from ternmq.base import constants_all as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_CALLBACK_NOT_REGISTERED,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_OPERATION_ERROR,
    MQRC_TRUNCATED_MSG_FAILED,
)
from ternmq.compat import calls
from ternmq.compat.attachments import attached
from ternmq.compat.ibmmq.structures import CBC, GMO, MD
from ternmq.values.calls.call import WAIT_PIECE_S
from ternmq.values.handle import ObjectHandle

_BROWSES: Final = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
_TURN_MS: Final = 100
_PIECE_MS: Final = int(WAIT_PIECE_S * 1000)


class Asked(NamedTuple):
    """A get of a consumer's."""

    consumer: Consumer
    wait_ms: int


class Gotten(NamedTuple):
    """What it got."""

    md: MD
    gmo: GMO
    got: calls.Got


class Consumer(BaseConsumer):
    """A function that was registered: for a queue, or without one for events."""

    def __init__(self, queue: Any, md: MD, gmo: GMO, cbd: Any) -> None:
        super().__init__(queue, ObjectHandle(0, 0), self.consume, self.hear, cbd.Options)
        self.md = md.get()
        self.gmo = gmo.get()
        self.called = cbd.CallbackFunction
        self.area = cbd.CallbackArea
        self.length: int | None = None if cbd.MaxMsgLength < 0 else cbd.MaxMsgLength
        self.hobj = 0
        self.callbacks: Callbacks | None = None
        interval_ms = int(self.gmo["WaitInterval"])
        piece_ms = _PIECE_MS
        if self.gmo["Options"] & mq.MQGMO_WAIT and interval_ms > 0:
            self.wait_s = interval_ms / 1000
            piece_ms = min(piece_ms, interval_ms)
        self.at_once = Asked(self, 0)
        self.waiting = Asked(self, piece_ms)
        self.in_turn = Asked(self, _TURN_MS)

    @property
    def browses(self) -> bool:
        return bool(self.gmo["Options"] & _BROWSES)

    def has_browsed(self) -> None:
        if self.gmo["Options"] & mq.MQGMO_BROWSE_FIRST:  # the next time it goes on from there
            self.gmo["Options"] += mq.MQGMO_BROWSE_NEXT - mq.MQGMO_BROWSE_FIRST

    def consume(self, message: Any) -> None:
        """A message has come."""
        kind = mq.MQCBCT_MSG_NOT_REMOVED if self.browses else mq.MQCBCT_MSG_REMOVED
        reason = message.got.reason
        comp = mq.MQCC_WARNING if reason else mq.MQCC_OK
        self._call(CallContext(kind, reason, comp, self.state), message)

    def hear(self, context: CallContext) -> None:
        """Something has happened."""
        error = context.error
        result = error.result if isinstance(error, MQError) else None
        self._call(context, result if isinstance(result, Gotten) else None)

    def _call(self, context: CallContext, message: Gotten | None) -> None:
        callbacks = self.callbacks
        if callbacks is None or self.called is None:
            return
        cbc = CBC(CallType=context.call_type, CompCode=context.completion, Reason=context.reason)
        cbc.State = context.state
        cbc.CallbackArea, cbc.ConnectionArea = self.area, callbacks.area
        cbc.Hobj = self.hobj if self.queue is not None else mq.MQHO_NONE
        if message is not None:
            cbc.DataLength = message.got.original_length
            cbc.BufferLength = len(message.got.data)
        self.called(
            queue_manager=callbacks.qmgr,
            queue=self.queue,
            md=MD() if message is None else message.md,
            gmo=GMO() if message is None else message.gmo,
            msg=None if message is None else message.got.data,
            cbc=cbc,
        )


class Callbacks(ThreadCallbacks[Consumer]):
    """The functions of one connection."""

    def __init__(self, qmgr: Any) -> None:
        self.qmgr = qmgr
        self.area: Any = 0
        self._hconn = qmgr.get_handle()
        self._for_events: Consumer | None = None
        super().__init__(attached(self._hconn, "MQCB").connection.transport)

    # ---- MQCB

    def change(self, operation: int, hobj: int, consumer: Consumer) -> None:
        """MQCB."""
        self.check_caller(get_ident())
        if operation & mq.MQOP_REGISTER:
            self._register(hobj, consumer)
            operation &= ~mq.MQOP_REGISTER
            if not operation:
                return
        known = self._known(hobj)
        if known is None:
            detail = f"no function for handle {hobj}"
            raise mq_error(MQRC_CALLBACK_NOT_REGISTERED, verb="MQCB", detail=detail)
        if operation == mq.MQOP_DEREGISTER:
            self._deregister(known)
        elif operation == mq.MQOP_SUSPEND:
            self.suspend_one(known)
        elif operation == mq.MQOP_RESUME:
            self.resume_one(known)
        else:
            raise mq_error(MQRC_OPERATION_ERROR, verb="MQCB", detail=f"operation {operation}")

    def _known(self, hobj: int) -> Consumer | None:
        if not hobj:
            return self._for_events
        return next((one for one in self.consumers if one.hobj == hobj), None)

    def _register(self, hobj: int, consumer: Consumer) -> None:
        if not callable(consumer.called):
            raise no_function(f"CallbackFunction is {consumer.called!r}")
        check_options(consumer.callback_options)
        self.call(self.check_quiescing(consumer.callback_options))
        consumer.callbacks = self
        consumer.hobj = hobj
        if hobj:
            consumer.handle = attached(self._hconn, "MQCB").object(hobj, "MQCB").opened()
            self.add(consumer)
        else:
            self._for_events = consumer
            self.handler = consumer.hear
        self.call(self.control(consumer, mq.MQCBCT_REGISTER_CALL))

    def _deregister(self, known: Consumer) -> None:
        if known is self._for_events:
            self._for_events = self.handler = None
            self.call(self.control(known, mq.MQCBCT_DEREGISTER_CALL))
        else:
            self.deregister([known])

    def forget(self, hobj: int) -> None:
        """The queue is being closed."""
        known = self._known(hobj)
        if hobj and known is not None:
            self.deregister([known])

    # ---- MQCTL

    def operate(self, operation: int, area: Any) -> None:
        """MQCTL."""
        if operation in (mq.MQOP_START, mq.MQOP_START_WAIT):
            self.area = area
            self.start(operation == mq.MQOP_START_WAIT)
        elif operation == mq.MQOP_STOP:
            self.stop()
        elif operation == mq.MQOP_SUSPEND:
            self.suspend()
        elif operation == mq.MQOP_RESUME:
            self.resume()
        else:
            raise mq_error(MQRC_OPERATION_ERROR, verb="MQCTL", detail=f"operation {operation}")

    def keep(self, error: BaseException) -> None:
        """A function has raised: as the library does, report it and go on."""
        if isinstance(error, MQError):
            super().keep(error)
        else:
            traceback.print_exception(error, file=sys.stderr)

    def report(self, reason: int, state: int, error: MQError | None) -> Work:
        """Without an event handler every consumer hears of it."""
        if self.handler is None:
            for one in self.consumers:
                one.callback_options |= mq.MQCBDO_EVENT_CALL
        yield from super().report(reason, state, error)

    # ---- gets

    def deliver(self, handle: ObjectHandle, request: Any) -> Any:
        consumer: Consumer = request.consumer
        md, gmo = MD(**consumer.md), GMO(**consumer.gmo)
        gmo.Options &= ~mq.MQGMO_WAIT
        if request.wait_ms:
            gmo.Options |= mq.MQGMO_WAIT
            gmo.WaitInterval = request.wait_ms
        try:
            got = calls.get(self._hconn, consumer.hobj, md, gmo, consumer.length)
        except MQError as error:
            if error.reason == MQRC_NO_MSG_AVAILABLE:
                return None
            raise
        message = Gotten(md, gmo, got)
        if got.reason == MQRC_TRUNCATED_MSG_FAILED:
            raise mq_error(got.reason, verb="MQGET", result=message)
        return message
