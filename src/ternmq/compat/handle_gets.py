"""MQGET as compat does it: a message, or what of it fits into the buffer.

Properties that go into a message handle do not count for the buffer. A queue manager of ours gives
them beside the data. One of IBM's counts them, for it sends them ahead of the data. So a message
that it finds too long is looked at before it is taken: a get by its MsgToken, with a buffer that is
one byte too short, shows all but that byte and leaves the message where it is.

Into version 1 of the MQMD a message comes with an MQMDE before its data, if that version would lose
something. It counts for the buffer, so a message is asked for with room for one, and once more if
it has none.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, NamedTuple

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_CONVERTED_MSG_TOO_BIG,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
)
from ternmq.codec.conversion import converted_extension
from ternmq.codec.headers.mqmde import extension_before
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.compat.properties import without_properties
from ternmq.values.message import Message
from ternmq.values.message_handle import MessageHandle

Ask = Callable[[GetOptions, int], Message | None]
_MATCH_BOTH: Final = mq.MQMO_MATCH_MSG_ID | mq.MQMO_MATCH_CORREL_ID
_LAST_BYTES: Final = (b" ", b">")  # of a header with nothing behind it


class Taken(NamedTuple):
    """A message, and why it is not whole or not converted."""

    data: bytes
    descriptor: Descriptor
    token: bytes
    length: int
    reason: int


def fast_get(ask: Ask, options: GetOptions, length: int) -> Taken | None:
    """A message as the queue manager gives it; None if there is none."""
    try:
        message = ask(options, length)
    except MQError as error:
        return _taken(_shown(error), MQRC_TRUNCATED_MSG_FAILED)
    if message is None:
        return None
    return _taken(message, MQRC_TRUNCATED_MSG_ACCEPTED if message.truncated else message.warning)


def get_beside(ask: Ask, options: GetOptions, length: int, handle: MessageHandle) -> Taken | None:
    """A message whose properties come beside its data, as far as options and queue give them to a
    handle, and go into it."""
    try:
        message = ask(options, length)
    except MQError as error:
        message = _shown(error)
        reason = MQRC_TRUNCATED_MSG_FAILED
    else:
        if message is None:
            return None
        reason = MQRC_TRUNCATED_MSG_ACCEPTED if message.truncated else message.warning
    handle.take_area(message.descriptor, message.property_area, time.time_ns() // 1_000_000)
    return _taken(message, reason)


def get_for_handle(
    ask: Ask, options: GetOptions, length: int, handle: MessageHandle
) -> Taken | None:
    """A message whose properties go into the message handle."""
    accepts = options.options & mq.MQGMO_ACCEPT_TRUNCATED_MSG != 0
    options.options &= ~mq.MQGMO_ACCEPT_TRUNCATED_MSG
    while True:
        try:
            message = ask(options, length)
        except MQError as error:
            cut = _shown(error)
        else:
            return None if message is None else _apart(message, handle, length)
        same = _only(options, cut.token)
        shown = _look(ask, same, cut.length)
        if shown is None:
            continue  # another application has got it
        if accepts or _fits(shown, length):
            message = ask(same, cut.length)
            if message is not None:
                return _apart(message, handle, length)
        else:
            return _taken(cut, MQRC_TRUNCATED_MSG_FAILED)._replace(
                data=shown.data[:length], descriptor=shown.descriptor, length=shown.length
            )


def _shown(error: MQError) -> Message:
    """The cut message of a get that failed for its length; any other error goes on."""
    if error.reason != MQRC_TRUNCATED_MSG_FAILED or not isinstance(error.result, Message):
        raise error
    return error.result


def _taken(message: Message, reason: int) -> Taken:
    length = message.length if message.truncated else len(message.data)
    return Taken(message.data, message.descriptor, message.token, length, reason)


def _apart(message: Message, handle: MessageHandle, length: int) -> Taken:
    descriptor = message.descriptor
    data, apart = without_properties(descriptor, message.data)
    handle.take_message(descriptor, apart, time.time_ns() // 1_000_000)
    reason = message.warning
    if len(data) > length:
        reason = MQRC_TRUNCATED_MSG_ACCEPTED
    return Taken(data[:length], descriptor, message.token, len(data), reason)


def _only(options: GetOptions, token: bytes) -> GetOptions:
    """The same get for one message, at once."""
    same = GetOptions(options=options.options & ~mq.MQGMO_WAIT)
    same.version = max(options.version, mq.MQGMO_VERSION_3)
    matches = _MATCH_BOTH if options.version == mq.MQGMO_VERSION_1 else options.match_options
    same.match_options = matches | mq.MQMO_MATCH_MSG_TOKEN
    same.message_token = token
    return same


def _look(ask: Ask, options: GetOptions, whole: int) -> Taken | None:
    """The message without its properties, as far as the last byte lets know; None: it is gone."""
    try:
        message = ask(options, whole - 1)
    except MQError as error:
        message = _shown(error)
    if message is None:
        return None
    for last in _LAST_BYTES:
        descriptor = message.descriptor
        before = descriptor.format
        data, _ = without_properties(descriptor, message.data[: whole - 1] + last)
        if len(data) < whole or descriptor.format != before:
            break
    return Taken(data, descriptor, message.token, len(data), 0)


def _fits(shown: Taken, length: int) -> bool:
    return len(shown.data) <= length


# ---- version 1 of the MQMD


def ask_for_version_1(ask: Ask, reads_ahead: bool, target: tuple[int, int]) -> Ask:
    """The same gets, for a program that has version 1 of the MQMD. What was read ahead cannot be
    asked for once more: there an MQMDE that the buffer has no room for cuts the message. `target`
    is what MQGMO_CONVERT converts into."""
    if reads_ahead:

        def asked_ahead(options: GetOptions, length: int) -> Message | None:
            return _for_version_1(ask(options, length), options.options, length, target)

        return asked_ahead

    def asked(options: GetOptions, length: int) -> Message | None:
        accepts = options.options & mq.MQGMO_ACCEPT_TRUNCATED_MSG
        options.options &= ~mq.MQGMO_ACCEPT_TRUNCATED_MSG
        wanted = options.options | accepts
        while True:
            try:
                message = ask(options, max(length - mq.MQMDE_LENGTH_2, 0))
            except MQError as error:
                cut = _shown(error)
            else:
                return _for_version_1(message, wanted, length, target)
            same = _only(options, cut.token)
            same.options |= accepts
            if not accepts and _extension_of(cut):
                raise _too_long(_extended(cut, length, None), length)
            message = ask(same, length)
            if message is not None:
                return _for_version_1(message, wanted, length, target)

    return asked


def _for_version_1(
    message: Message | None, options: int, length: int, target: tuple[int, int]
) -> Message | None:
    if message is None:
        return None
    if message.warning == MQRC_CONVERTED_MSG_TOO_BIG:
        # It had no room beside an MQMDE, which it may not have.
        room = length - len(_extension_of(message))
        message.convert(*target, room, options & mq.MQGMO_ACCEPT_TRUNCATED_MSG != 0)
    return _extended(message, length, target if options & mq.MQGMO_CONVERT else None)


def _extension_of(message: Message) -> bytes:
    return extension_before(message.descriptor.copy())


def _extended(message: Message, length: int, target: tuple[int, int] | None) -> Message:
    """The message with its MQMDE, if it has one, as much as the buffer takes; in the target's
    character set and encoding, if there is one."""
    md = message.descriptor.copy()
    extension = extension_before(md) if target is None else converted_extension(md, target, None)
    if not extension:
        return message
    data = extension + message.data
    whole = len(extension) + message.length
    made = Message(
        None,
        data[:length],
        message.truncated or whole > length,
        0,
        md.pack(),
        message.token,
        whole,
        message.property_area,
    )
    made.warning = message.warning
    return made


def _too_long(message: Message, length: int) -> MQError:
    detail = f"{message.length} bytes, the buffer has {length}"
    return mq_error(MQRC_TRUNCATED_MSG_FAILED, verb="MQGET", detail=detail, result=message)
