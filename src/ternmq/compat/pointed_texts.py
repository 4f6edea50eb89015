"""The texts that MQOD and MQSD point to (MQCHARV), as a C program has them.

A text that is returned goes where its VSPtr points, as much of it as VSBufSize says; it is cut at
its end, ResObjectString at its beginning, and VSLength says how long it is.
"""

from __future__ import annotations

import ctypes

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_OBJECT_STRING_ERROR, MQRC_TOPIC_STRING_ERROR
from ternmq.codec.charset import UTF8, decode, encode, is_known
from ternmq.codec.mqi.charv import rightmost
from ternmq.compat.structure import MQOpts

_RESOLVED = "ResObjectString"


def _ccsid(given: int) -> int:
    return UTF8 if given in (0, mq.MQCCSI_APPL) else given


def pointed(structure: MQOpts, name: str, verb: str, wrong: int, wrong_ccsid: int) -> str:
    """The text that an MQCHARV points to; "" without one. `wrong` is the reason if it points
    nowhere, `wrong_ccsid` if the text cannot be converted."""
    length = structure[f"{name}VSLength"]
    address = structure[f"{name}VSPtr"]
    if length == 0:
        return ""
    if not address or length < mq.MQVS_NULL_TERMINATED:
        detail = f"{name} has VSPtr {address} and VSLength {length}"
        raise mq_error(wrong, verb=verb, detail=detail)
    ccsid = _ccsid(structure[f"{name}VSCCSID"])
    if not is_known(ccsid):
        raise mq_error(wrong_ccsid, verb=verb, detail=f"{name} has VSCCSID {ccsid}")
    return decode(ctypes.string_at(address, length), ccsid)


def give_back(structure: MQOpts, name: str, text: str) -> None:
    """A text that is returned, if there is a buffer for it. Of ResObjectString the end is returned,
    and its length also without a buffer."""
    size = structure[f"{name}VSBufSize"]
    address = structure[f"{name}VSPtr"]
    is_resolved = name == _RESOLVED
    ccsid = _ccsid(structure[f"{name}VSCCSID"])
    ccsid = ccsid if is_known(ccsid) else UTF8
    data = encode(text, ccsid)
    if is_resolved and size == 0:
        structure[f"{name}VSLength"] = len(data)
    if size <= 0 or not address:
        return
    own = structure._buffers.get(name)
    if own is not None and ctypes.addressof(own) == address:
        size = min(size, len(own))  # whatever the application says
    cut = data[:size]
    if is_resolved and len(cut) < len(data):
        cut = rightmost(text, size, ccsid)
    ctypes.memmove(address, cut + bytes(min(1, size - len(cut))), min(len(cut) + 1, size))
    structure[f"{name}VSLength"] = len(data)


def topic_string(od: MQOpts, verb: str) -> str:
    """The text of ObjectString of an MQOD."""
    if od.Version < mq.MQOD_VERSION_4 or od.ObjectType != mq.MQOT_TOPIC:
        return ""
    return pointed(od, "ObjectString", verb, MQRC_OBJECT_STRING_ERROR, MQRC_TOPIC_STRING_ERROR)
