"""MQCB and MQCTL for ibmmq: messages are got by a thread and given to the program's functions.

One thread a connection, between MQOP_START and MQOP_STOP. It asks one queue after the other and
waits a little on each; a function is called by that thread, and may use the connection. Others may
use it too, in turn, where IBM MQ would refuse them with MQRC_HCONN_ASYNC_ACTIVE.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Final

from ternmq.base import constants as mq
from ternmq.base import constants_all
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_CALLBACK_NOT_REGISTERED,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_OPERATION_ERROR,
)
from ternmq.compat import calls
from ternmq.compat.ibmmq.structures import CBC, GMO, MD

_SLICE_MS: Final = 50
_BROWSES: Final = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR


class Consumer:
    """A function that was registered: for a queue, or without one for events."""

    def __init__(self, queue: Any, md: MD, gmo: GMO, cbd: Any) -> None:
        self.queue = queue
        self.md = md.get()
        self.gmo = gmo.get()
        self.function = cbd.CallbackFunction
        self.area = cbd.CallbackArea
        self.options = cbd.Options
        self.length: int | None = None if cbd.MaxMsgLength < 0 else cbd.MaxMsgLength
        self.is_suspended = False
        self.silent_since_s = time.monotonic()

    def is_overdue(self, now_s: float) -> bool:
        """Whether its wait interval is over."""
        interval_ms = int(self.gmo["WaitInterval"])
        if not self.gmo["Options"] & mq.MQGMO_WAIT or interval_ms < 0:
            return False
        return (now_s - self.silent_since_s) * 1000 >= interval_ms


class Callbacks:
    """The functions of one connection."""

    def __init__(self, qmgr: Any) -> None:
        self._qmgr = qmgr
        self._consumers: dict[int, Consumer] = {}  # by the handle of the queue; 0: events
        self._area: Any = 0
        self._stopping = threading.Event()
        self._runner: threading.Thread | None = None

    # ---- MQCB

    def change(self, operation: int, hobj: int, consumer: Consumer | None) -> None:
        """MQCB."""
        if operation & mq.MQOP_REGISTER and consumer is not None:
            self._consumers[hobj] = consumer
            self._notify(consumer, constants_all.MQCBDO_REGISTER_CALL, "MQCBCT_REGISTER_CALL")
            return
        known = self._consumers.get(hobj)
        if known is None:
            detail = f"no function for handle {hobj}"
            raise mq_error(MQRC_CALLBACK_NOT_REGISTERED, verb="MQCB", detail=detail)
        if operation & mq.MQOP_DEREGISTER:
            del self._consumers[hobj]
            self._notify(known, constants_all.MQCBDO_DEREGISTER_CALL, "MQCBCT_DEREGISTER_CALL")
        elif operation & (mq.MQOP_SUSPEND | mq.MQOP_RESUME):
            known.is_suspended = operation & mq.MQOP_SUSPEND != 0
        else:
            raise mq_error(MQRC_OPERATION_ERROR, verb="MQCB", detail=f"operation {operation}")

    # ---- MQCTL

    def control(self, operation: int, area: Any) -> None:
        """MQCTL."""
        if operation in (mq.MQOP_START, mq.MQOP_START_WAIT):
            self._start(area)
            if operation == mq.MQOP_START_WAIT and self._runner is not None:
                self._runner.join()
        elif operation == mq.MQOP_STOP:
            self.stop()
        elif operation in (mq.MQOP_SUSPEND, mq.MQOP_RESUME):
            for one in self._consumers.values():
                one.is_suspended = operation == mq.MQOP_SUSPEND
        else:
            raise mq_error(MQRC_OPERATION_ERROR, verb="MQCTL", detail=f"operation {operation}")

    def _start(self, area: Any) -> None:
        if self._runner is not None and self._runner.is_alive():
            raise mq_error(MQRC_OPERATION_ERROR, verb="MQCTL", detail="it is started already")
        self._area = area
        self._stopping.clear()
        self._runner = threading.Thread(target=self._run, name="ternmq-callbacks", daemon=True)
        self._runner.start()

    def stop(self) -> None:
        """MQOP_STOP; no function is called after it."""
        self._stopping.set()
        runner = self._runner
        if runner is not None and runner is not threading.current_thread():
            runner.join()

    # ---- the thread

    def _run(self) -> None:
        for one in list(self._consumers.values()):
            one.silent_since_s = time.monotonic()
            self._notify(one, constants_all.MQCBDO_START_CALL, "MQCBCT_START_CALL")
        try:
            while not self._stopping.is_set():
                self._round()
        except MQError as error:
            self._broken(error)
        for one in list(self._consumers.values()):
            self._notify(one, constants_all.MQCBDO_STOP_CALL, "MQCBCT_STOP_CALL")

    def _round(self) -> None:
        """Each queue once."""
        waiting = [
            (hobj, one)
            for hobj, one in list(self._consumers.items())
            if hobj and not one.is_suspended
        ]
        if not waiting:
            self._stopping.wait(_SLICE_MS / 1000)
        for hobj, one in waiting:
            if self._stopping.is_set():
                return
            self._next(hobj, one)

    def _next(self, hobj: int, one: Consumer) -> None:
        md, gmo = MD(**one.md), GMO(**one.gmo)
        gmo.Options |= mq.MQGMO_WAIT
        gmo.WaitInterval = _SLICE_MS
        try:
            got = calls.get(self._qmgr.get_handle(), hobj, md, gmo, one.length)
        except MQError as error:
            if error.reason != MQRC_NO_MSG_AVAILABLE:
                raise
            now_s = time.monotonic()
            if one.is_overdue(now_s):
                one.silent_since_s = now_s
                self._call(one, "MQCBCT_EVENT_CALL", mq.MQCC_FAILED, error.reason)
            return
        one.silent_since_s = time.monotonic()
        browses = one.gmo["Options"] & _BROWSES
        if browses & mq.MQGMO_BROWSE_FIRST:  # the next time it goes on from there
            one.gmo["Options"] += mq.MQGMO_BROWSE_NEXT - mq.MQGMO_BROWSE_FIRST
        kind = "MQCBCT_MSG_NOT_REMOVED" if browses else "MQCBCT_MSG_REMOVED"
        comp = mq.MQCC_WARNING if got.reason else mq.MQCC_OK
        self._call(one, kind, comp, got.reason, md, gmo, got)

    def _broken(self, error: MQError) -> None:
        """The connection is gone, or a queue cannot be got from: call the event handlers."""
        self._stopping.set()
        events = self._consumers.get(0)
        for one in [events] if events is not None else list(self._consumers.values()):
            self._call(one, "MQCBCT_EVENT_CALL", error.comp, error.reason)

    def _notify(self, one: Consumer, option: int, kind: str) -> None:
        if one.options & option:
            self._call(one, kind, mq.MQCC_OK, 0)

    def _call(
        self,
        one: Consumer,
        kind: str,
        comp: int,
        reason: int,
        md: MD | None = None,
        gmo: GMO | None = None,
        got: calls.Got | None = None,
    ) -> None:
        cbc = CBC(CallType=getattr(constants_all, kind), CompCode=comp, Reason=reason)
        cbc.CallbackArea, cbc.ConnectionArea = one.area, self._area
        cbc.Hobj = one.queue.get_handle() if one.queue is not None else mq.MQHO_NONE
        if got is not None:
            cbc.DataLength, cbc.BufferLength = got.original_length, len(got.data)
        one.function(
            queue_manager=self._qmgr,
            queue=one.queue,
            md=md or MD(),
            gmo=gmo or GMO(),
            msg=None if got is None else got.data,
            cbc=cbc,
        )
