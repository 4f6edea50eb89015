"""A message that came by a channel, read: where it goes, its descriptor, properties and body.

It is MQXQH, then MQMDE where its descriptor needs version 2, MQDH if it is for several queues,
MQRFH2 if it has properties, its data (see `kernel.transmission`). The fields are checked as those
of a put: what a partner sends is no more trusted than what an application puts. A message that
cannot be read is undeliverable as it is, with MQFB_XMIT_Q_MSG_ERROR or the reason of the field.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_DH_ERROR, MQRC_MD_ERROR, MQRC_MDE_ERROR, MQRC_XQH_ERROR
from ternmq.codec.headers.transmitted import transmitted_messages
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.channel_placing import Placing, Target
from ternmq.kernel.channel_repeats import LastRead
from ternmq.kernel.put_parts import in_parts
from ternmq.kernel.requests import PutRequest
from ternmq.mqi.descriptor import canonical, check_descriptor, in_group_or_segment
from ternmq.values.entry import OWN_DATE, ZERO_ID

_UNREADABLE: Final = (MQRC_XQH_ERROR, MQRC_MD_ERROR, MQRC_MDE_ERROR, MQRC_DH_ERROR)


def read_message(
    message: bytes, is_fast: bool, last: LastRead | None = None, body: bytes = b""
) -> Placing:
    """The destinations of a message, and what is to be put there. What follows its MQXQH may come
    apart."""
    if last is not None and len(message) >= mq.MQXQH_CURRENT_LENGTH:
        like = last.target_of(message, body)
        if like is not None and like.request.syncpoint != is_fast:
            return Placing([like], is_fast)
    message += body
    placing = _read(message, is_fast)
    if last is not None and len(placing.targets) == 1:
        last.note(message, placing.targets[0])
    return placing


def _read(message: bytes, is_fast: bool) -> Placing:
    try:
        targets = _targets(message, not is_fast)
    except MQError as error:
        reason = mq.MQFB_XMIT_Q_MSG_ERROR if error.reason in _UNREADABLE else error.reason
        targets = [_unreadable(message, reason, is_fast)]
    return Placing(targets, is_fast)


def _targets(message: bytes, syncpoint: bool) -> list[Target]:
    return [
        _target(one.queue, one.qmgr, one.descriptor, one.data, syncpoint)
        for one in transmitted_messages(message, _no_id)
    ]


def _no_id() -> bytes:
    return ZERO_ID  # the put makes one


def _target(queue: str, qmgr: str, md: Descriptor, data: bytes, syncpoint: bool) -> Target:
    check_descriptor(md, "MQPUT")
    request = _request(md, syncpoint)
    if request.splits:
        try:
            request, data = in_parts(request, data)
        except MQError as error:  # in its properties; the rest of it is valid
            request.splits = False
            return Target(queue, qmgr, request, data, error.reason)
    return Target(queue, qmgr, request, data)


def _request(md: Descriptor, syncpoint: bool) -> PutRequest:
    plain = canonical(md)
    request = PutRequest(mq.MQPMO_SET_ALL_CONTEXT, plain.pack(), syncpoint)
    request.replies_unplaced = False
    request.msg_id = plain.msg_id.ljust(24, b"\0")
    request.correl_id = plain.correl_id.ljust(24, b"\0")
    request.group_id = plain.group_id.ljust(24, b"\0")
    if request.group_id == ZERO_ID:
        request.group_id = ZERO_ID  # the very zeros: see `Queue._list`
    request.new_group_id = in_group_or_segment(md) and request.group_id == ZERO_ID
    request.priority = md.priority
    request.persistence = md.persistence
    request.expiry = md.expiry
    request.flags |= OWN_DATE
    return request


def _unreadable(message: bytes, reason: int, is_fast: bool) -> Target:
    """As it came, header and all."""
    md = Descriptor(
        format=mq.MQFMT_XMIT_Q_HEADER,
        persistence=mq.MQPER_NOT_PERSISTENT if is_fast else mq.MQPER_PERSISTENT,
        priority=0,
    )
    request = _request(md, not is_fast)
    request.flags &= ~OWN_DATE
    return Target("", "", request, message, reason)
