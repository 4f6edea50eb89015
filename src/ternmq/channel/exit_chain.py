"""The exits of one end of one running channel: Python functions, in the order of their lists.

    function(mqcxp, mqcd, data) -> bytes | None

`data` is the message, the segment or the partner's security message; empty at MQXR_INIT and
MQXR_TERM. What is returned takes its place; None leaves it as it is. The answer is in MQCXP. An
exit that raises, or answers what its type does not have, ends its channel: AMQ9190E and what was
wrong. The driver of an agent that has exits calls it in a thread of its own, so an exit that takes
long delays its channel alone: EXITTIME of DISPLAY CHSTATUS shows how long they take.

Of a list: an exit that answers MQXCC_SUPPRESS_FUNCTION or MQXCC_CLOSE_CHANNEL is the last that sees
the data, unless ExitResponse2 says MQXR2_CONTINUE_CHAIN; with MQXR2_SUPPRESS_CHAIN it is the last
in any case.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final, final

from ternmq.base import constants as mq
from ternmq.channel.exit_points import (
    PASS,
    SECURITY_OK,
    SECURITY_REQUEST,
    SECURITY_SEND,
    SUPPRESS,
    ExitChain,
    ExitEnds,
    Retry,
    SecurityTurn,
    Verdict,
)
from ternmq.channel.exit_structures import (
    EXIT_DATA_CHARACTERS,
    MQCD,
    MQCSP,
    MQCXP,
    NO_USER_AREA,
    USER_AREA_BYTES,
)
from ternmq.ports.clock import Clock
from ternmq.wire.fap.vocabulary import CLOSED_BY_EXIT, SECURITY_FAILURE

ExitFunction = Callable[[MQCXP, MQCD, bytes], Any]

HEADER_BYTES: Final = 428  # MQXQH, with the MQMD in it
UNCHANGED_BYTES: Final = 8  # of a segment: its eye-catcher and its length
LEFT_BYTES_MIN: Final = 1024  # of a segment, for all but what send exits reserve
_INTERVAL_MS_MAX: Final = 999_999_999
_NUMBER_MAX: Final = 0x7FFF_FFFF
_LENGTH: Final = struct.Struct(">I")
_TYPES: Final[dict[int, str]] = {
    mq.MQXT_CHANNEL_SEC_EXIT: "SCYEXIT",
    mq.MQXT_CHANNEL_MSG_EXIT: "MSGEXIT",
    mq.MQXT_CHANNEL_SEND_EXIT: "SENDEXIT",
    mq.MQXT_CHANNEL_RCV_EXIT: "RCVEXIT",
    mq.MQXT_CHANNEL_MSG_RETRY_EXIT: "MREXIT",
    mq.MQXT_CHANNEL_AUTO_DEF_EXIT: "CHADEXIT",
}
# What an exit may answer, beside MQXCC_OK and MQXCC_SUPPRESS_EXIT.
_ANSWERS: Final[dict[int, tuple[int, ...]]] = {
    mq.MQXT_CHANNEL_SEC_EXIT: (
        mq.MQXCC_SUPPRESS_FUNCTION,
        mq.MQXCC_SEND_SEC_MSG,
        mq.MQXCC_SEND_AND_REQUEST_SEC_MSG,
        mq.MQXCC_CLOSE_CHANNEL,
    ),
    mq.MQXT_CHANNEL_MSG_EXIT: (mq.MQXCC_SUPPRESS_FUNCTION, mq.MQXCC_CLOSE_CHANNEL),
    mq.MQXT_CHANNEL_SEND_EXIT: (mq.MQXCC_CLOSE_CHANNEL,),
    mq.MQXT_CHANNEL_RCV_EXIT: (mq.MQXCC_CLOSE_CHANNEL,),
    mq.MQXT_CHANNEL_MSG_RETRY_EXIT: (mq.MQXCC_SUPPRESS_FUNCTION, mq.MQXCC_CLOSE_CHANNEL),
    mq.MQXT_CHANNEL_AUTO_DEF_EXIT: (mq.MQXCC_SUPPRESS_FUNCTION,),
}
# Where a buffer is does not matter here. Of the others, a user for the put is not supported.
_SECONDARY: Final = mq.MQXR2_USE_EXIT_BUFFER | mq.MQXR2_CONTINUE_CHAIN | mq.MQXR2_SUPPRESS_CHAIN
_SEND_ANSWERS: Final = (mq.MQXCC_SEND_SEC_MSG, mq.MQXCC_SEND_AND_REQUEST_SEC_MSG)


@final
class Exit:
    """One exit of a channel, with what is kept from call to call."""

    def __init__(
        self, exit_id: int, name: str, function: ExitFunction, data: str = "", number: int = 1
    ) -> None:
        self.exit_id: Final = exit_id
        self.name: Final = name
        self.function: Final = function
        self.data: Final = data[:EXIT_DATA_CHARACTERS]
        self.number: Final = number
        self.user_area = NO_USER_AREA
        self.is_suppressed = False  # it is called for MQXR_TERM alone
        self.was_called = False
        self.space = 0

    @property
    def type(self) -> str:
        """The attribute that names it."""
        return _TYPES[self.exit_id]


def call(
    one: Exit,
    parameters: MQCXP,
    definition: MQCD,
    data: bytes,
    channel: str,
    is_interruptible: bool = False,
) -> bytes:
    """Call an exit and check its answer; the data that goes on. ExitEnds if the channel ends."""
    parameters.ExitId = one.exit_id
    parameters.ExitNumber = one.number
    parameters.ExitData = one.data
    parameters.ExitUserArea = one.user_area
    one.was_called = True
    is_checked = parameters.ExitReason != mq.MQXR_TERM
    try:
        found = one.function(parameters, definition, data)
    except BaseException as error:  # the exit's code is not ours: it ends its channel
        if is_interruptible and isinstance(error, KeyboardInterrupt):
            raise
        raise _failed(one, channel, f"{type(error).__name__}: {error}") from error
    try:
        going_on = _answered(one, parameters, data, found, channel)
        if is_checked:
            _check(one, parameters, channel)
        return going_on
    except ExitEnds:
        raise
    except Exception as odd:  # a structure without its fields, say
        why = f"its answer cannot be read: {type(odd).__name__}"
        raise _failed(one, channel, why) from odd


def _answered(one: Exit, parameters: MQCXP, data: bytes, found: Any, channel: str) -> bytes:
    if found is None:
        found = data
    elif not isinstance(found, (bytes, bytearray, memoryview)):
        raise _failed(one, channel, f"it returned {type(found).__name__}, not bytes or None")
    area: Any = parameters.ExitUserArea
    if not isinstance(area, (bytes, bytearray)) or len(area) > USER_AREA_BYTES:
        raise _failed(one, channel, f"ExitUserArea has {USER_AREA_BYTES} bytes, not {area!r}")
    one.user_area = bytes(area).ljust(USER_AREA_BYTES, b"\0")
    return bytes(found)


def _number(one: Exit, field: str, given: Any, channel: str) -> int:
    """What an exit has set a number to."""
    if not isinstance(given, int) or not 0 <= given <= _NUMBER_MAX:
        raise _failed(one, channel, f"{field} is 0 to {_NUMBER_MAX}, not {given!r}")
    return int(given)


def _check(one: Exit, parameters: MQCXP, channel: str) -> None:
    response: Any = parameters.ExitResponse
    allowed = (mq.MQXCC_OK, mq.MQXCC_SUPPRESS_EXIT, *_ANSWERS[one.exit_id])
    if response not in allowed:
        inserts = (one.name, response, channel)
        raise ExitEnds("AMQ9181E", inserts, CLOSED_BY_EXIT)
    secondary: Any = parameters.ExitResponse2
    if not isinstance(secondary, int) or secondary & ~_SECONDARY:
        raise ExitEnds("AMQ9182E", (one.name, secondary, channel), CLOSED_BY_EXIT)
    if response == mq.MQXCC_SUPPRESS_EXIT:
        one.is_suppressed = True
    if response == mq.MQXCC_CLOSE_CHANNEL:
        raise _closed(one, channel)


def _closed(one: Exit, channel: str) -> ExitEnds:
    is_security = one.exit_id == mq.MQXT_CHANNEL_SEC_EXIT
    status = SECURITY_FAILURE if is_security else CLOSED_BY_EXIT
    return ExitEnds("AMQ9536E", (channel, one.name), status)


def _failed(one: Exit, channel: str, why: str) -> ExitEnds:
    return ExitEnds("AMQ9190E", (channel, f"{one.type} {one.name}", why), CLOSED_BY_EXIT)


@final
class Exits(ExitChain):
    """A chain that has exits."""

    def __init__(
        self, channel: str, definition: MQCD, exits: list[Exit], clock: Clock | None = None
    ) -> None:
        super().__init__()
        self.channel: Final = channel
        self.definition: Final = definition
        self.exits: Final = exits
        self._security: Final = self._of(mq.MQXT_CHANNEL_SEC_EXIT)
        self._message: Final = self._of(mq.MQXT_CHANNEL_MSG_EXIT)
        self._send: Final = self._of(mq.MQXT_CHANNEL_SEND_EXIT)
        self._receive: Final = self._of(mq.MQXT_CHANNEL_RCV_EXIT)
        self._retry: Final = self._of(mq.MQXT_CHANNEL_MSG_RETRY_EXIT)
        self.has_any = bool(exits)
        self.has_security = bool(self._security)
        self.has_message = bool(self._message)
        self.has_send = bool(self._send)
        self.has_receive = bool(self._receive)
        self.has_retry = bool(self._retry)
        self.partner_name = ""
        self.partner_issuer = ""  # SSLRemCertIssNamePtr
        self.fap_level = 0
        self.segment_bytes_max = 0
        self.unchanged_bytes = UNCHANGED_BYTES
        self.is_shared = False  # other conversations may use the socket
        self.is_interruptible = False  # they run in an application, whose user may end it
        self.remote_product = ""
        self.remote_version = ""
        self._users: Final = (definition.MCAUserIdentifier, definition.LongMCAUserIdPtr)
        self._users_before: tuple[str, str] | None = None  # at the first MQXR_INIT_SEC
        self._spent_ns = 0
        self._clock: Final = clock

    def _of(self, exit_id: int) -> list[Exit]:
        return [one for one in self.exits if one.exit_id == exit_id]

    def _parameters(self, reason: int) -> MQCXP:
        made = MQCXP()
        made.ExitReason = reason
        made.PartnerName = self.partner_name
        made.SSLRemCertIssNamePtr = self.partner_issuer
        made.FAPLevel = self.fap_level
        made.MaxSegmentLength = self.segment_bytes_max
        made.SharingConversations = self.is_shared
        made.RemoteProduct = self.remote_product
        made.RemoteVersion = self.remote_version
        return made

    def _call(self, one: Exit, parameters: MQCXP, data: bytes) -> bytes:
        clock = self._clock
        definition = self.definition
        if clock is None:
            return call(one, parameters, definition, data, self.channel, self.is_interruptible)
        began_ns = clock.monotonic_ns()
        try:
            return call(one, parameters, definition, data, self.channel, self.is_interruptible)
        finally:
            self._spent_ns += clock.monotonic_ns() - began_ns

    # ---- the channel's life

    def initial(self) -> None:
        for one in self.exits:
            parameters = self._parameters(mq.MQXR_INIT)
            self._call(one, parameters, b"")
            if parameters.ExitResponse == mq.MQXCC_SUPPRESS_FUNCTION:
                raise _closed(one, self.channel)
            if parameters.ExitResponse in _SEND_ANSWERS:
                inserts = (one.name, parameters.ExitResponse, self.channel)
                raise ExitEnds("AMQ9181E", inserts, CLOSED_BY_EXIT)
            if one.exit_id == mq.MQXT_CHANNEL_SEND_EXIT:
                one.space = _number(one, "ExitSpace", parameters.ExitSpace, self.channel)
        self.space = sum([one.space for one in self._send])

    def agreed(self, partner_qmgr: str, fap_level: int, segment_bytes_max: int) -> None:
        self.partner_name = partner_qmgr
        self.fap_level = fap_level
        self.segment_bytes_max = segment_bytes_max
        if self.space and segment_bytes_max - self.space < LEFT_BYTES_MIN:
            most = max(self._send, key=lambda one: one.space)
            why = f"ExitSpace {self.space} leaves too little of segments of {segment_bytes_max}"
            raise _failed(most, self.channel, why)

    def shared(self, is_shared: bool, unchanged_bytes: int) -> None:
        self.is_shared = is_shared
        self.unchanged_bytes = unchanged_bytes or UNCHANGED_BYTES

    def partner(self, address: str, product: str, version: str) -> None:
        self.definition.ConnectionName = address
        self.definition.ShortConnectionName = address[: mq.MQ_SHORT_CONN_NAME_LENGTH]
        self.remote_product = product
        self.remote_version = version

    def remote_user(self, user: str) -> None:
        self.definition.RemoteUserIdentifier = user[: mq.MQ_USER_ID_LENGTH]
        self.definition.LongRemoteUserIdPtr = user

    def final(self) -> None:
        for one in self.exits:
            if one.was_called:
                try:
                    self._call(one, self._parameters(mq.MQXR_TERM), b"")
                except ExitEnds:
                    continue  # it has ended, and the others are called all the same

    # ---- security

    def security(self, received: bytes | None) -> SecurityTurn:
        if not self._security or self._security[0].is_suppressed:
            return SecurityTurn()
        one = self._security[0]
        reason = mq.MQXR_SEC_MSG
        if received is None:
            reason = mq.MQXR_INIT_SEC
            self._forget_user()
        parameters = self._parameters(reason)
        data = self._call(one, parameters, received or b"")
        response = parameters.ExitResponse
        if response == mq.MQXCC_SUPPRESS_FUNCTION:
            raise _closed(one, self.channel)
        if response == mq.MQXCC_SEND_SEC_MSG:
            return SecurityTurn(SECURITY_SEND, data)
        if response == mq.MQXCC_SEND_AND_REQUEST_SEC_MSG:
            return SecurityTurn(SECURITY_REQUEST, data)
        return SecurityTurn(SECURITY_OK)

    def _forget_user(self) -> None:
        """A client may connect again as somebody else: for that one it has chosen no user yet."""
        found = (self.definition.MCAUserIdentifier, self.definition.LongMCAUserIdPtr)
        if self._users_before is None:
            self._users_before = found
        self.definition.MCAUserIdentifier, self.definition.LongMCAUserIdPtr = self._users_before

    def security_parameters(self, given: MQCSP) -> None:
        if not self._security or self._security[0].is_suppressed:
            return
        one = self._security[0]
        parameters = self._parameters(mq.MQXR_SEC_PARMS)
        parameters.SecurityParms = given
        self._call(one, parameters, b"")
        if parameters.ExitResponse == mq.MQXCC_SUPPRESS_FUNCTION:
            raise _closed(one, self.channel)
        if parameters.ExitResponse in _SEND_ANSWERS:
            inserts = (one.name, parameters.ExitResponse, self.channel)
            raise ExitEnds("AMQ9181E", inserts, CLOSED_BY_EXIT)

    def changed_user(self) -> str | None:
        found = (self.definition.MCAUserIdentifier, self.definition.LongMCAUserIdPtr)
        at = 1 if found[1] != self._users[1] else 0
        chosen: Any = found[at]
        if chosen == self._users[at]:
            return None
        if not isinstance(chosen, str):
            why = f"MCAUserIdentifier is {type(chosen).__name__}, not str"
            raise _failed((self._security or self.exits)[0], self.channel, why)
        return chosen

    # ---- messages

    def message(self, message: bytes) -> Verdict:
        kind = PASS
        feedback = 0
        for one in self._message:
            if one.is_suppressed:
                continue
            parameters = self._parameters(mq.MQXR_MSG)
            parameters.HeaderLength = min(HEADER_BYTES, len(message))
            parameters.CurHdrCompression = self.header_compression
            parameters.CurMsgCompression = self.message_compression
            message = self._call(one, parameters, message)
            self._take_compressions(one, parameters)
            if parameters.ExitResponse == mq.MQXCC_SUPPRESS_FUNCTION:
                kind = SUPPRESS
                given = _number(one, "Feedback", parameters.Feedback, self.channel)
                feedback = given or mq.MQFB_STOPPED_BY_MSG_EXIT
            if _is_last(parameters):
                break
        self.time.add(self._spent_ns)
        if self._clock is not None:
            self.figures.add(self._spent_ns, self._clock.monotonic_ns())
        self._spent_ns = 0
        return Verdict(message, kind, feedback)

    def _take_compressions(self, one: Exit, parameters: MQCXP) -> None:
        """A message exit may choose others for this message, of those that both ends have."""
        headers = (mq.MQCOMPRESS_NONE, *self.definition.HdrCompList)
        messages = (mq.MQCOMPRESS_NONE, *self.definition.MsgCompList)
        header, message = parameters.CurHdrCompression, parameters.CurMsgCompression
        if header != self.header_compression and header not in headers:
            why = f"CurHdrCompression {header} was not agreed"
            raise _failed(one, self.channel, why)
        if message != self.message_compression and message not in messages:
            why = f"CurMsgCompression {message} was not agreed"
            raise _failed(one, self.channel, why)
        self.header_compression = header
        self.message_compression = message

    def retry(self, message: bytes, reason: int, tried: int, left: int, interval_ms: int) -> Retry:
        if not self._retry or self._retry[0].is_suppressed:
            return Retry(left > 0, interval_ms)
        parameters = self._parameters(mq.MQXR_RETRY)
        parameters.HeaderLength = min(HEADER_BYTES, len(message))
        parameters.MsgRetryCount = max(tried - 1, 0)  # of retries: the first put does not count
        parameters.MsgRetryInterval = interval_ms
        parameters.MsgRetryReason = reason
        self._call(self._retry[0], parameters, message)
        again = parameters.ExitResponse != mq.MQXCC_SUPPRESS_FUNCTION
        given: Any = parameters.MsgRetryInterval
        if isinstance(given, int) and 0 <= given <= _INTERVAL_MS_MAX:
            interval_ms = int(given)  # else, as in IBM MQ, the channel's own
        return Retry(again, interval_ms)

    # ---- segments

    def send(self, segment: bytes) -> bytes:
        return self._segment(self._send, segment, True)

    def receive(self, segment: bytes) -> bytes:
        return self._segment(self._receive, segment, False)

    def _segment(self, exits: list[Exit], segment: bytes, is_sent: bool) -> bytes:
        for one in exits:
            if one.is_suppressed:
                continue
            parameters = self._parameters(mq.MQXR_XMIT)
            found = self._call(one, parameters, segment)
            if found != segment:
                segment = self._changed(one, segment, found, is_sent)
            if _is_last(parameters):
                break
        return segment

    def _changed(self, one: Exit, segment: bytes, found: bytes, is_sent: bool) -> bytes:
        """The segment with its new length; the exit leaves its first bytes as they are."""
        most = self.unchanged_bytes
        if found[:most] != segment[:most]:
            why = f"it changed the first {most} bytes of a segment"
            raise _failed(one, self.channel, why)
        most = self.segment_bytes_max
        if is_sent and most and len(found) > most:
            inserts = (one.name, len(found), self.channel)
            raise ExitEnds("AMQ9189E", inserts, CLOSED_BY_EXIT)
        return found[:4] + _LENGTH.pack(len(found)) + found[UNCHANGED_BYTES:]


def _is_last(parameters: MQCXP) -> bool:
    """Whether the exits behind this one in the list are not called."""
    secondary = parameters.ExitResponse2
    if secondary & mq.MQXR2_SUPPRESS_CHAIN:
        return True
    if secondary & mq.MQXR2_CONTINUE_CHAIN:
        return False
    return parameters.ExitResponse == mq.MQXCC_SUPPRESS_FUNCTION
