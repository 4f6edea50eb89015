"""A consumer of callbacks (MQCB): which messages it wants, what it is called with, its state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from ternmq.api.arguments import particular_get, wait_ms
from ternmq.base import constants_all as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_CALLBACK_ROUTINE_ERROR,
    MQRC_CBD_OPTIONS_ERROR,
    MQRC_OPTIONS_ERROR,
    MQRC_WAIT_INTERVAL_ERROR,
)
from ternmq.values.calls.call import WAIT_PIECE_S
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message

_TURN_MS: Final = 100  # where several queues cannot be waited for at once
_CONTROL_CALLS: Final = (
    mq.MQCBDO_START_CALL
    | mq.MQCBDO_STOP_CALL
    | mq.MQCBDO_REGISTER_CALL
    | mq.MQCBDO_DEREGISTER_CALL
    | mq.MQCBDO_EVENT_CALL
    | mq.MQCBDO_MC_EVENT_CALL
)
_OPTIONS: Final = _CONTROL_CALLS | mq.MQCBDO_FAIL_IF_QUIESCING
_NOT_FOR_CONSUMERS: Final = mq.MQGMO_UNLOCK | mq.MQGMO_MSG_UNDER_CURSOR
_BROWSES: Final = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT


@dataclass(frozen=True, slots=True)
class CallContext:
    """MQCBC: why an event function is called."""

    call_type: int  # MQCBCT_
    reason: int = 0  # MQRC_; of multicast (MQCBCT_MC_EVENT_CALL) MQMCEV_
    completion: int = mq.MQCC_OK  # MQCC_
    state: int = mq.MQCS_NONE  # MQCS_: whether more messages come
    consumer: Any = None  # None: it concerns the connection
    message: Message | None = None  # one that was too long: as much of it as fits
    error: BaseException | None = None


MessageFunction = Callable[[Message], Any]
EventFunction = Callable[[CallContext], Any]


class BaseConsumer:
    """A function for the messages of one queue."""

    def __init__(
        self,
        queue: Any,
        handle: ObjectHandle,
        function: MessageFunction,
        on_event: EventFunction | None,
        callback_options: int,
    ) -> None:
        self._queue = queue
        self.handle = handle
        self.function = function
        self.on_event = on_event
        self.callback_options = callback_options
        self.state = mq.MQCS_NONE
        self.is_registered = True
        self.is_started = False
        self.is_ready = False  # its queue may have a message
        self.wait_s: float | None = None
        self.since_s = 0.0  # when a message came last, or the wait began
        # What its gets ask for: without a wait, with one, and where each queue has its turn.
        self.at_once: Any = None
        self.waiting: Any = None
        self.in_turn: Any = None

    def __repr__(self) -> str:
        state = ""
        if not self.is_registered:
            state = ", closed"
        elif self.state != mq.MQCS_NONE:
            state = ", suspended"
        qmgr_name = self._queue._transport.qmgr_name
        return f"<Consumer of {self._queue.name} of {qmgr_name}{state}>"

    @property
    def queue(self) -> Any:
        """The queue, as it was opened."""
        return self._queue

    def ask_for(
        self,
        msg_id: bytes | None,
        correl_id: bytes | None,
        group_id: bytes | None,
        max_length: int | None,
        options: int,
        syncpoint: bool,
        wait: float | None,
    ) -> None:
        """Which messages, and how."""
        if options & _NOT_FOR_CONSUMERS:
            detail = f"MQGMO options {options:#x}: a consumer takes no MQGMO_MSG_UNDER_CURSOR "
            raise mq_error(MQRC_OPTIONS_ERROR, verb="MQCB", detail=detail + "and no MQGMO_UNLOCK")

        def request(wait_ms: int) -> GetRequest:
            ids = (msg_id, correl_id, group_id, None)
            return particular_get((wait_ms, syncpoint), *ids, max_length, options)

        piece_ms = int(WAIT_PIECE_S * 1000)
        interval_ms = -1 if wait is None else wait_ms(wait)
        if interval_ms == 0:
            detail = "a consumer's wait is longer than 0 seconds, or None to hear of no empty queue"
            raise mq_error(MQRC_WAIT_INTERVAL_ERROR, verb="MQCB", detail=detail)
        if interval_ms > 0:
            self.wait_s = interval_ms / 1000
            piece_ms = min(piece_ms, interval_ms)
        self.at_once = request(0)
        self.waiting = request(piece_ms)
        self.in_turn = request(_TURN_MS)
        if options & mq.MQGMO_BROWSE_FIRST:
            options += mq.MQGMO_BROWSE_NEXT - mq.MQGMO_BROWSE_FIRST
            self._following = (request(0), request(piece_ms), request(_TURN_MS))

    def has_browsed(self) -> None:
        """The first message was browsed: the next one is the one behind it."""
        if self.at_once.options & mq.MQGMO_BROWSE_FIRST:
            self.at_once, self.waiting, self.in_turn = self._following

    @property
    def browses(self) -> bool:
        """Whether messages stay on the queue."""
        return int(self.at_once.options) & _BROWSES != 0

    @property
    def is_active(self) -> bool:
        """Whether messages are looked for; an inhibited queue may be enabled again."""
        return self.state <= mq.MQCS_SUSPENDED_TEMPORARY and self.is_registered

    def left_s(self, now_s: float) -> float:
        """Until its wait interval is over."""
        return WAIT_PIECE_S if self.wait_s is None else self.since_s + self.wait_s - now_s


ConsumerT = TypeVar("ConsumerT", bound=BaseConsumer)


def check_functions(
    function: Any, on_event: Any, wait: float | None, callback_options: int
) -> None:
    """MQRC_CALLBACK_ROUTINE_ERROR or MQRC_CBD_OPTIONS_ERROR if they cannot be."""
    check_options(callback_options)
    if not callable(function):
        raise no_function(f"{function!r} cannot be called")
    if on_event is None and (callback_options & _CONTROL_CALLS or wait is not None):
        raise no_function("a wait or callback options need a function on_event to call")


def check_options(callback_options: int) -> None:
    """MQRC_CBD_OPTIONS_ERROR if these are not options of MQCBD, or have no function here."""
    if callback_options & ~_OPTIONS:
        detail = f"options {callback_options:#x}: give MQCBDO_START_CALL, _STOP_CALL, "
        detail += (
            "_REGISTER_CALL, _DEREGISTER_CALL, _EVENT_CALL, _MC_EVENT_CALL or _FAIL_IF_QUIESCING"
        )
        raise mq_error(MQRC_CBD_OPTIONS_ERROR, verb="MQCB", detail=detail)


def no_function(detail: str) -> MQError:
    """MQRC_CALLBACK_ROUTINE_ERROR."""
    return mq_error(MQRC_CALLBACK_ROUTINE_ERROR, verb="MQCB", detail=detail)
