"""Message handles as these libraries have them: numbers, and how properties travel in messages.

A message handle is an object of this process (values.message_handle). Its properties go beside the
data of a put and come beside that of a get; a queue manager of IBM's has them in an MQRFH2.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_CMHO_ERROR,
    MQRC_DMHO_ERROR,
    MQRC_DMPO_ERROR,
    MQRC_HMSG_ERROR,
    MQRC_IMPO_ERROR,
    MQRC_OPTIONS_ERROR,
    MQRC_PD_ERROR,
    MQRC_PROPERTY_TYPE_ERROR,
    MQRC_SMPO_ERROR,
)
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.properties import Apart, take_apart
from ternmq.compat.structure import MQOpts
from ternmq.values.message_handle import MessageHandle, describe_rest

_FORMAT: Final = mq.MQFMT_RF_HEADER_2.rstrip()
_INTEGERS: Final = (mq.MQTYPE_INT8, mq.MQTYPE_INT16, mq.MQTYPE_INT32, mq.MQTYPE_INT64)
_FLOATS: Final = (mq.MQTYPE_FLOAT32, mq.MQTYPE_FLOAT64)
_VERSION_REASONS: Final = {
    "CMHO": MQRC_CMHO_ERROR,
    "DMHO": MQRC_DMHO_ERROR,
    "DMPO": MQRC_DMPO_ERROR,
    "IMPO": MQRC_IMPO_ERROR,
    "PD": MQRC_PD_ERROR,
    "SMPO": MQRC_SMPO_ERROR,
}


# ---- numbers


class _Held:
    """Keeps a handle as long as an object has its number."""

    def __init__(self, handle: MessageHandle) -> None:
        self.handle = handle


class HandleNumber(int):
    """A message handle: a number that keeps its handle. pymqi has no way to delete a handle, so it
    lives as long as an object has its number, such as an MQPMO."""

    held: _Held


_numbers: Final = itertools.count(1)
_held: Final[weakref.WeakValueDictionary[int, _Held]] = weakref.WeakValueDictionary()


def create_handle(connection: int, cmho: MQOpts | None) -> int:
    """MQCRTMH; without a connection it is a handle for all of them."""
    check_version(cmho, "CMHO", "MQCRTMH")
    owner = mq.MQHC_UNASSOCIATED_HCONN if connection == mq.MQHO_NONE else connection
    options = mq.MQCMHO_DEFAULT_VALIDATION if cmho is None else int(cmho.Options)
    number = HandleNumber(next(_numbers))
    number.held = _Held(MessageHandle(options, owner))
    _held[int(number)] = number.held
    return number


def delete_handle(number: object, connection: int, dmho: MQOpts | None) -> None:
    """MQDLTMH."""
    check_version(dmho, "DMHO", "MQDLTMH")
    if dmho is not None and dmho.Options != mq.MQDMHO_NONE:
        detail = f"MQDMHO has Options {dmho.Options}, and there are none"
        raise mq_error(MQRC_OPTIONS_ERROR, verb="MQDLTMH", detail=detail)
    with using(number, connection, "MQDLTMH") as handle:
        handle.delete()
    if isinstance(number, int):
        _held.pop(int(number), None)


def delete_handles_of(connection: int) -> None:
    """The handles of a connection end with it."""
    for held in list(_held.values()):
        if held.handle.connection == connection:
            held.handle.delete()


@contextmanager
def using(number: object, connection: int, verb: str) -> Iterator[MessageHandle]:
    """The handle of a number during a call; MQRC_HMSG_ERROR if there is none."""
    held = _held.get(number) if isinstance(number, int) else None
    if held is None:
        raise mq_error(MQRC_HMSG_ERROR, verb=verb, detail=f"message handle {number!r}")
    held.handle.use(connection, verb)
    try:
        yield held.handle
    finally:
        held.handle.release()


# ---- values and options


def check_version(structure: MQOpts | None, name: str, verb: str) -> None:
    """Refuse options of a version that is not known."""
    if structure is not None and structure.Version != 1:
        reason = _VERSION_REASONS[name]
        raise mq_error(reason, verb=verb, detail=f"MQ{name} has Version {structure.Version}")


def value_as(name: str, value: Any, type: int) -> Any:
    """A value as Python's own conversions make one of a type; these libraries take any that can be
    converted."""
    try:
        if type == mq.MQTYPE_STRING:
            return value.decode("utf-8") if isinstance(value, bytes) else str(value)
        if type in _INTEGERS:
            return int(value)
        if type in _FLOATS:
            return float(value)
        if type == mq.MQTYPE_BOOLEAN:
            return bool(value)
        if type == mq.MQTYPE_BYTE_STRING:
            return bytes(value)
    except (ValueError, OverflowError) as error:
        detail = f"property {name!r}: {error}"
        raise mq_error(MQRC_PROPERTY_TYPE_ERROR, verb="MQSETMP", detail=detail) from error
    return None if type == mq.MQTYPE_NULL else value


# ---- messages


def without_properties(md: Descriptor, data: bytes) -> tuple[bytes, Apart | None]:
    """The data without the headers that hold properties, and these. The descriptor then describes
    the rest. What cannot be read stays as it is."""
    if md.format.rstrip() != _FORMAT:
        return data, None
    apart = take_apart(data, md.encoding, md.ccsid)
    if apart is None:
        return data, None
    describe_rest(md, apart)
    return apart.data, apart
