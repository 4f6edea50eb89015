"""The strings that MQOD and MQSD describe: in a request they stand behind their structure, and in
the reply those that a caller gave a buffer for.

The offset counts from the structure. IBM's Java client fills in an offset also where there is no
string. A string that does not fit its buffer is cut at its end; its VSLength says how long it is.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.limits import TOPIC_STRING_CHARACTERS_MAX
from ternmq.base.reasons import MQRC_OBJECT_STRING_ERROR, MQRC_TOPIC_STRING_ERROR
from ternmq.codec.charset import encode, is_known
from ternmq.codec.mqi.charv import CharV, read_charv, rightmost
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.network.clients.conversation import Conversation

_BYTES_OF_CHARACTER: Final = 4


def string_behind(
    conversation: Conversation,
    described: CharV,
    size: int,
    following: bytes,
    verb: str,
    wrong: int,
    wrong_ccsid: int,
    characters_max: int,
) -> str:
    """A string behind a structure of that size; `wrong` is the reason for one that is not all there
    or too long, `wrong_ccsid` for one that cannot be converted."""
    if described.length == 0:
        return ""
    at = described.offset - size
    if described.offset <= 0 or at < 0 or at > len(following):
        detail = f"its offset is {described.offset}, its length {described.length}"
        raise mq_error(wrong, verb=verb, detail=detail)
    ccsid = conversation.form.ccsid if described.ccsid == mq.MQCCSI_APPL else described.ccsid
    if not is_known(ccsid):
        raise mq_error(wrong_ccsid, verb=verb, detail=f"VSCCSID {ccsid}")
    shifted = CharV(offset=described.offset, length=described.length, ccsid=ccsid)
    data = bytes(size) + following
    bytes_max = characters_max * _BYTES_OF_CHARACTER
    text = read_charv(shifted, data, 0, ccsid, wrong, bytes_max)
    if len(text) > characters_max:
        detail = f"{len(text)} characters, {characters_max} are allowed"
        raise mq_error(wrong, verb=verb, detail=detail)
    return text


def topic_behind(conversation: Conversation, od: ObjectDescriptor, following: bytes) -> str:
    """The ObjectString of an MQOD."""
    if od.version < mq.MQOD_VERSION_4 or od.object_type != mq.MQOT_TOPIC:
        return ""
    return string_behind(
        conversation,
        od.object_string,
        od.size(),
        following,
        "MQOPEN",
        MQRC_OBJECT_STRING_ERROR,
        MQRC_TOPIC_STRING_ERROR,
        TOPIC_STRING_CHARACTERS_MAX,
    )


def returned(
    conversation: Conversation, described: CharV, text: str, at: int, is_resolved: bool = False
) -> bytes:
    """A string that is returned at that offset, as much of it as its buffer takes; fills in its
    description. Of ResObjectString the end is returned, and its length also without a buffer."""
    if described.buffer_size <= 0 and not (is_resolved and described.buffer_size == 0):
        described.length = 0
        return b""
    ccsid = conversation.form.ccsid if described.ccsid == mq.MQCCSI_APPL else described.ccsid
    if not is_known(ccsid):
        ccsid = conversation.form.ccsid
    data = encode(text, ccsid)
    described.ptr = 0
    described.ccsid = ccsid
    size = described.buffer_size
    described.offset = at if data and size else 0
    described.length = len(data)
    cut = data[:size]
    if is_resolved and len(cut) < len(data):
        cut = rightmost(text, size, ccsid)
    return cut + bytes(-len(cut) % 4)
