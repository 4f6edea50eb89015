"""Callbacks, MQCB and MQCTL: which functions a connection has, what they are called for, and when.

`work` is a generator that neither waits nor calls: it yields what is to be done next, and gets what
came of it. `consuming` does that in a thread, `aio_consuming` in a task. One function at a time is
called on a connection, and queues that have messages take turns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from time import monotonic
from typing import Any, Final, Generic

from ternmq.api.consumers import CallContext, ConsumerT, EventFunction
from ternmq.api.failure_log import log_failure
from ternmq.base import constants_all as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CALL_INTERRUPTED,
    MQRC_CALLBACK_ROUTINE_ERROR,
    MQRC_CONNECTION_BROKEN,
    MQRC_CONNECTION_QUIESCING,
    MQRC_CONNECTION_STOPPED,
    MQRC_CONNECTION_STOPPING,
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_GET_ENABLED,
    MQRC_GET_INHIBITED,
    MQRC_HCONN_ASYNC_ACTIVE,
    MQRC_HCONN_ERROR,
    MQRC_NO_CALLBACKS_ACTIVE,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_OPERATION_NOT_ALLOWED,
    MQRC_Q_MGR_QUIESCING,
    MQRC_Q_MGR_STOPPING,
    MQRC_RECONNECT_FAILED,
    MQRC_TRUNCATED_MSG_FAILED,
)
from ternmq.values.calls.awaiting import AwaitMessages
from ternmq.values.calls.call import WAIT_PIECE_S
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.transport import Endpoint

# What `work` yields: one of these, and two arguments.
GET: Final = 0  # a handle, a request: the message
CALL: Final = 1  # a function, its argument
RUN: Final = 2  # a call
BACK_OUT: Final = 3
IDLE: Final = 4  # seconds: wait, but no longer than for an operation of MQCTL
STARTED: Final = 5  # all start calls are made
Doing = tuple[int, Any, Any]
Work = Generator[Doing, Any, None]

# Of a connection.
STOPPED: Final = 1
RUNNING: Final = 2
SUSPENDED: Final = 3

_MULTICAST_EVENT_MAX: Final = 999  # MQMCEV_, below all reason codes
_ASK_EVERY: Final = 32  # messages, before queues that had none are asked about
_CONTROL_OF: Final = {
    mq.MQCBCT_START_CALL: mq.MQCBDO_START_CALL,
    mq.MQCBCT_STOP_CALL: mq.MQCBDO_STOP_CALL,
    mq.MQCBCT_REGISTER_CALL: mq.MQCBDO_REGISTER_CALL,
    mq.MQCBCT_DEREGISTER_CALL: mq.MQCBDO_DEREGISTER_CALL,
}
# Reasons that concern the connection, not one queue.
_OF_CONNECTION: Final = frozenset(
    (
        MQRC_CONNECTION_BROKEN,
        MQRC_CONNECTION_QUIESCING,
        MQRC_CONNECTION_STOPPING,
        MQRC_HCONN_ERROR,
        MQRC_Q_MGR_QUIESCING,
        MQRC_Q_MGR_STOPPING,
        MQRC_RECONNECT_FAILED,
    )
)


class _Ended(Exception):
    """The connection cannot go on; why."""

    def __init__(self, error: MQError) -> None:
        super().__init__(str(error))
        self.error = error


class BaseCallbacks(Generic[ConsumerT]):
    """The functions of one connection."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.consumers: list[ConsumerT] = []
        self.handler: EventFunction | None = None
        self.state = STOPPED
        self.caller = 0  # the thread or task that runs them; 0: none does
        self.wish = 0  # the state that MQCTL has asked for; 0: go on
        self.is_awaited = False  # by another caller than a callback
        self._must_have = False  # MQOP_START_WAIT ends when no consumer is active
        self._failure: BaseException | None = None
        self._events: list[int] = []
        self._leaving: list[ConsumerT] = []  # deregistered by a callback that has not returned
        self._ready: deque[ConsumerT] = deque()
        self._asked_before = 0  # messages since the queue manager was asked which are ready
        self._by_turns = False  # it cannot be asked
        endpoint.listen_for(self._events.append)

    # ---- MQCB

    def check_caller(self, caller: int, verb: str = "MQCB") -> None:
        """While callbacks run, only they may change anything."""
        if self.caller and self.caller != caller:
            detail = "its callbacks are started; stop or suspend them first"
            name = self.endpoint.qmgr_name
            raise mq_error(MQRC_HCONN_ASYNC_ACTIVE, verb=verb, object=name, detail=detail)

    def add(self, consumer: ConsumerT) -> None:
        """Register it, in the place of one that the handle has."""
        for other in self.consumers:
            if other.handle is consumer.handle:
                other.is_registered = False
                self.consumers.remove(other)
                break
        consumer.since_s = monotonic()
        self.consumers.append(consumer)
        self._make_ready(consumer)

    def remove(self, consumer: ConsumerT) -> bool:
        """Deregister it; whether its last call is to be made by the caller."""
        if not consumer.is_registered:
            return False
        consumer.is_registered = False
        self.consumers.remove(consumer)
        if self.caller:
            self._leaving.append(consumer)
            return False
        return True

    def consumers_of(self, handles: list[ObjectHandle]) -> list[ConsumerT]:
        """Those of a queue that is being closed."""
        return [one for one in self.consumers if one.handle in handles]

    def suspend_one(self, consumer: ConsumerT) -> None:
        """MQOP_SUSPEND of a consumer."""
        consumer.state = mq.MQCS_SUSPENDED

    def resume_one(self, consumer: ConsumerT) -> None:
        """MQOP_RESUME of a consumer."""
        if consumer.state != mq.MQCS_NONE:
            consumer.state = mq.MQCS_NONE
            consumer.since_s = monotonic()
            self._make_ready(consumer)

    def _make_ready(self, consumer: ConsumerT) -> None:
        if not consumer.is_ready:
            consumer.is_ready = True
            self._ready.append(consumer)

    def control(self, consumer: ConsumerT, call_type: int, reason: int = 0) -> Work:
        """A control call, if it was asked for."""
        if consumer.on_event is not None and consumer.callback_options & _CONTROL_OF[call_type]:
            completion = mq.MQCC_FAILED if reason else mq.MQCC_OK
            state = mq.MQCS_STOPPED if reason else consumer.state
            context = CallContext(call_type, reason, completion, state, consumer)
            yield (CALL, consumer.on_event, context)

    def check_quiescing(self, callback_options: int) -> Work:
        """MQRC_Q_MGR_QUIESCING, if MQCBDO_FAIL_IF_QUIESCING asks for it: a call that waits for
        messages is refused then."""
        if callback_options & mq.MQCBDO_FAIL_IF_QUIESCING:
            call = AwaitMessages([], self.endpoint.connection_id.hex(), 0)
            try:
                yield (RUN, call, None)
            except MQError as error:
                if error.reason != MQRC_FUNCTION_NOT_SUPPORTED:
                    raise

    # ---- MQCTL

    def may_start(self, caller: int) -> bool:
        """Whether there is something to start: a callback only takes back its stop."""
        if self.caller == caller and caller:
            self._take_back(STOPPED)
            return False
        self.check_caller(caller, "MQCTL")
        if self.state == SUSPENDED:
            raise self._not_allowed("MQOP_START", "suspended: resume it, or stop it first")
        return True

    def may_resume(self, caller: int) -> bool:
        """The same for MQOP_RESUME."""
        if self.caller == caller and caller:
            self._take_back(SUSPENDED)
            return False
        self.check_caller(caller, "MQCTL")
        if self.state != SUSPENDED:
            raise self._not_allowed("MQOP_RESUME", "stopped: start it")
        return True

    def _take_back(self, wish: int) -> None:
        """Of what a callback has asked for; another caller waits for what it has asked for."""
        if self.wish == wish and not self.is_awaited:
            self.wish = 0

    def ask_from_outside(self, wish: int) -> None:
        """Another caller wants them to end, and waits for that; a stop counts more."""
        self.is_awaited = True
        if self.wish != STOPPED:
            self.wish = wish

    def check_suspend(self) -> None:
        """MQRC_OPERATION_NOT_ALLOWED if the connection is stopped."""
        if self.state == STOPPED:
            raise self._not_allowed("MQOP_SUSPEND", "stopped")

    def _not_allowed(self, operation: str, why: str) -> MQError:
        detail = f"{operation}: the connection is {why}"
        name = self.endpoint.qmgr_name
        return mq_error(MQRC_OPERATION_NOT_ALLOWED, verb="MQCTL", object=name, detail=detail)

    def begin(self, caller: int, must_have: bool) -> None:
        """The caller runs the callbacks from now on."""
        self.endpoint.consume_by(caller)
        self.caller = caller
        self.state = RUNNING
        self.wish = 0
        self.is_awaited = False
        self._must_have = must_have
        self._events.clear()
        self._ready = deque(self.consumers)
        self._asked_before = 0
        now_s = monotonic()
        for consumer in self.consumers:
            consumer.since_s = now_s
            consumer.is_ready = True

    def end(self) -> None:
        """It does so no longer."""
        self.state = self.wish or STOPPED
        self.caller = 0
        self.endpoint.release()

    def keep(self, error: BaseException) -> None:
        """An error that no function was called for; the first is raised when they are stopped."""
        if self._failure is None:
            self._failure = error

    def take_failure(self) -> BaseException | None:
        """That error, once."""
        failure, self._failure = self._failure, None
        return failure

    # ---- the work

    def work(self, is_start: bool) -> Work:
        """Everything between MQOP_START, or MQOP_RESUME, and the end."""
        reason = 0
        try:
            if is_start:
                yield from self._start_calls()
                if self.wish == STOPPED:
                    detail = "a callback has stopped it when it was started"
                    self.keep(mq_error(MQRC_CONNECTION_STOPPED, verb="MQCTL", detail=detail))
            yield (STARTED, None, None)
            while not self.wish:
                yield from self._next()
        except _Ended as ended:
            self.wish = STOPPED
            reason = ended.error.reason
            yield from self.report(reason, mq.MQCS_STOPPED, ended.error)
        yield from self._deregister_calls()
        if self.wish != SUSPENDED:
            yield from self.stop_calls(reason)

    def _start_calls(self) -> Work:
        for consumer in list(self.consumers):
            if not consumer.is_started:
                consumer.is_started = True
                yield from self.control(consumer, mq.MQCBCT_START_CALL)

    def stop_calls(self, reason: int = 0) -> Work:
        """Every consumer that was started is called, if it wants to be."""
        for consumer in list(self.consumers):
            if consumer.is_started:
                consumer.is_started = False
                yield from self.control(consumer, mq.MQCBCT_STOP_CALL, reason)

    def last_calls(self, consumer: ConsumerT) -> Work:
        """It was deregistered."""
        if consumer.is_started:
            consumer.is_started = False
            yield from self.control(consumer, mq.MQCBCT_STOP_CALL)
        yield from self.control(consumer, mq.MQCBCT_DEREGISTER_CALL)

    def _deregister_calls(self) -> Work:
        while self._leaving:
            yield from self.last_calls(self._leaving.pop(0))

    def _next(self) -> Work:
        """One message, or a wait."""
        if self._events:
            while self._events:
                yield from self.report(self._events.pop(0), mq.MQCS_NONE, None)
        if self._leaving:
            yield from self._deregister_calls()
        ready = self._ready
        if not ready:
            yield from self._await(WAIT_PIECE_S)
            return
        if self._asked_before >= _ASK_EVERY:
            self._asked_before = 0
            if len(ready) < len(self.consumers) and not self._by_turns:
                yield from self._await(0.0)
        consumer = ready.popleft()
        consumer.is_ready = False
        if not consumer.is_active:
            return
        if not consumer.is_started:  # registered by a callback
            consumer.is_started = True
            yield from self.control(consumer, mq.MQCBCT_START_CALL)
        request = consumer.at_once
        if len(self.consumers) == 1 and consumer.state == mq.MQCS_NONE:
            request = consumer.waiting
        yield from self._serve(consumer, request)

    def _serve(self, consumer: ConsumerT, request: Any) -> Work:
        try:
            message = yield (GET, consumer.handle, request)
        except MQError as error:
            yield from self._refused(consumer, error)
            return
        if consumer.state == mq.MQCS_SUSPENDED_TEMPORARY:
            consumer.state = mq.MQCS_NONE
            yield from self._tell(consumer, MQRC_GET_ENABLED, mq.MQCC_WARNING, None)
        if message is None:
            if request is consumer.waiting:
                self._make_ready(consumer)
            if consumer.wait_s is not None:
                yield from self._check_wait(consumer)
            return
        self._make_ready(consumer)
        self._asked_before += 1
        if consumer.wait_s is not None:
            consumer.since_s = monotonic()
        if consumer.browses:
            consumer.has_browsed()
        try:
            yield (CALL, consumer.function, message)
        except Exception as error:
            yield from self._failed(consumer, error)

    def _check_wait(self, consumer: ConsumerT) -> Work:
        now_s = monotonic()
        if consumer.is_active and consumer.left_s(now_s) <= 0:
            consumer.since_s = now_s
            yield from self._tell(consumer, MQRC_NO_MSG_AVAILABLE, mq.MQCC_FAILED, None)

    # ---- waiting

    def _await(self, wait_s: float) -> Work:
        """Ask the queue manager which queues may have a message; wait until one may."""
        active = [one for one in self.consumers if one.is_active]
        if not active:
            if wait_s:
                yield from self._wait_without()
            return
        if self._by_turns:
            yield from self._in_turn(active)
            return
        now_s = monotonic()
        wait_s = min(wait_s, *(max(one.left_s(now_s), 0.0) for one in active))
        handles = [one.handle for one in active]
        name = self.endpoint.connection_id.hex()
        call = AwaitMessages(handles, name, int(wait_s * 1000 + 0.999))
        try:
            yield (RUN, call, None)
        except MQError as error:
            if error.reason != MQRC_FUNCTION_NOT_SUPPORTED:
                raise _Ended(error) from error
            self._by_turns = True  # a queue manager of IBM's
            return
        found = set(call.ready)
        for one in active:
            if call.is_stale or one.handle.handle_id in found:
                self._make_ready(one)
            elif one.wait_s is not None:
                yield from self._check_wait(one)

    def _wait_without(self) -> Work:
        if self._must_have:
            detail = "no consumer is active: none is registered, or all are suspended"
            self.keep(mq_error(MQRC_NO_CALLBACKS_ACTIVE, verb="MQCTL", detail=detail))
            self.wish = STOPPED
            return
        yield (IDLE, None, None)

    def _in_turn(self, active: list[ConsumerT]) -> Work:
        """Where several queues cannot be waited for at once, each is waited for a little."""
        if all(one.state for one in active):
            yield (IDLE, WAIT_PIECE_S, None)
        for one in active:
            if self.wish or not one.is_active:
                continue
            yield from self._serve(one, one.in_turn)

    # ---- what goes wrong

    def _refused(self, consumer: ConsumerT, error: MQError) -> Work:
        """A get was refused."""
        reason = error.reason
        if reason in _OF_CONNECTION or not self.endpoint.is_alive:
            raise _Ended(error)
        if reason == MQRC_GET_INHIBITED:
            if consumer.state != mq.MQCS_SUSPENDED_TEMPORARY:
                consumer.state = mq.MQCS_SUSPENDED_TEMPORARY
                yield from self._tell(consumer, reason, error.comp, error)
        elif reason in (MQRC_BACKED_OUT, MQRC_CALL_INTERRUPTED):
            # Nothing is lost that was inside syncpoint: it comes again.
            if reason == MQRC_BACKED_OUT:
                yield from self._back_out()
            self._make_ready(consumer)
            yield from self._tell(consumer, reason, error.comp, error)
        elif reason == MQRC_TRUNCATED_MSG_FAILED:
            consumer.state = mq.MQCS_SUSPENDED_USER_ACTION
            yield from self._tell(consumer, reason, error.comp, error)
        else:
            consumer.state = mq.MQCS_SUSPENDED
            yield from self._tell(consumer, reason, error.comp, error)

    def _tell(
        self, consumer: ConsumerT, reason: int, completion: int, error: MQError | None
    ) -> Work:
        """Call a consumer's function for what happens to it."""
        if consumer.on_event is None:
            if error is not None and not consumer.is_active:
                self.keep(error)
            return
        kind = mq.MQCBCT_EVENT_CALL
        message: Message | None = None
        if reason == MQRC_TRUNCATED_MSG_FAILED and error is not None:
            kind = mq.MQCBCT_MSG_NOT_REMOVED
            message = error.result if isinstance(error.result, Message) else None
        yield (
            CALL,
            consumer.on_event,
            CallContext(kind, reason, completion, consumer.state, consumer, message, error),
        )

    def _failed(self, consumer: ConsumerT, error: Exception) -> Work:
        """A callback has raised: its unit of work is backed out, and it is called no more until it
        is resumed."""
        if self.endpoint.has_unit:
            yield from self._back_out()
        consumer.state = mq.MQCS_SUSPENDED_USER_ACTION
        if self.handler is None:
            log_failure(error)
        else:
            context = CallContext(
                mq.MQCBCT_EVENT_CALL,
                MQRC_CALLBACK_ROUTINE_ERROR,
                mq.MQCC_FAILED,
                consumer.state,
                consumer,
                None,
                error,
            )
            yield (CALL, self.handler, context)
        if consumer.state == mq.MQCS_SUSPENDED_USER_ACTION:
            self.keep(error)

    def _back_out(self) -> Work:
        try:
            yield (BACK_OUT, None, None)
        except MQError as error:
            raise _Ended(error) from error

    def report(self, reason: int, state: int, error: MQError | None) -> Work:
        """What concerns the whole connection."""
        completion = mq.MQCC_WARNING if error is None else error.comp
        is_multicast = 0 < reason <= _MULTICAST_EVENT_MAX
        kind = mq.MQCBCT_MC_EVENT_CALL if is_multicast else mq.MQCBCT_EVENT_CALL
        wanted = mq.MQCBDO_MC_EVENT_CALL if is_multicast else mq.MQCBDO_EVENT_CALL
        called = False
        if self.handler is not None:
            called = True
            yield (CALL, self.handler, CallContext(kind, reason, completion, state, error=error))
        for one in list(self.consumers):
            if one.callback_options & wanted and one.on_event is not None:
                called = True
                context = CallContext(kind, reason, completion, state, one, error=error)
                yield (CALL, one.on_event, context)
        if error is not None and not called:
            self.keep(error)
