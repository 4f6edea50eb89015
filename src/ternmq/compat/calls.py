"""The MQI as both libraries call it: handles are numbers, structures are `MQOpts`.

Structures that a call fills in are filled in. What goes wrong is an MQError here; the classes above
turn it into their own.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Final, NamedTuple

from ternmq.base import constants as mq
from ternmq.base.attributes import BY_SELECTOR, Value
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_ACTION_ERROR,
    MQRC_CHAR_ATTR_LENGTH_ERROR,
    MQRC_ENVIRONMENT_ERROR,
    MQRC_HMSG_ERROR,
    MQRC_NO_EXTERNAL_PARTICIPANTS,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_OPTIONS_ERROR,
    MQRC_RECS_PRESENT_ERROR,
    MQRC_SELECTION_NOT_AVAILABLE,
)
from ternmq.client.message import Message
from ternmq.client.net_verbs import FapVerbs
from ternmq.client.remote_verbs import Opened, packed_put
from ternmq.client.session import request_get
from ternmq.codec.layout import BIG, LITTLE
from ternmq.codec.mqgmo import GetOptions
from ternmq.codec.mqmd import GROUP_ID_AT, MSG_ID_AT, PRIORITY_AT, USER_ID_AT, Descriptor
from ternmq.codec.mqsts import Status
from ternmq.compat.attachments import Attachment, attached, detach
from ternmq.compat.handle_gets import Taken, get_for_handle, get_plainly
from ternmq.compat.properties import PropertyBag, bag_of, with_properties
from ternmq.compat.structure import MQOpts
from ternmq.kernel.requests import UNLIMITED_LENGTH

_NATIVE: Final = LITTLE if sys.byteorder == "little" else BIG
_LATER_MEMBERS: Final = ("GroupId", "MsgSeqNumber", "Offset", "MsgFlags", "OriginalLength")
_IN_HANDLE: Final = mq.MQGMO_PROPERTIES_IN_HANDLE
_ELSEWHERE: Final = (  # properties are wanted, but not in the handle
    mq.MQGMO_NO_PROPERTIES | mq.MQGMO_PROPERTIES_FORCE_MQRFH2 | mq.MQGMO_PROPERTIES_COMPATIBILITY
)
# Lengths of character attributes that are no part of a definition.
_LENGTHS: Final = {
    mq.MQCA_ALTERATION_DATE: mq.MQ_DATE_LENGTH,
    mq.MQCA_ALTERATION_TIME: mq.MQ_TIME_LENGTH,
    mq.MQCA_CREATION_DATE: mq.MQ_DATE_LENGTH,
    mq.MQCA_CREATION_TIME: mq.MQ_TIME_LENGTH,
    mq.MQCA_Q_MGR_IDENTIFIER: mq.MQ_Q_MGR_IDENTIFIER_LENGTH,
    mq.MQCA_Q_MGR_NAME: mq.MQ_Q_MGR_NAME_LENGTH,
    mq.MQCA_Q_NAME: mq.MQ_Q_NAME_LENGTH,
}


class Got(NamedTuple):
    """What MQGET gave; with a reason it is a warning."""

    data: bytes
    original_length: int
    reason: int = 0


def text_of(value: Any) -> str:
    """A member of characters: up to its end, without blanks."""
    if isinstance(value, str):
        return value.rstrip(" ")
    raw: bytes = bytes(value).partition(b"\0")[0]
    return raw.rstrip(b" ").decode("utf-8", "surrogateescape")


def padded(text: str, length: int) -> bytes:
    """Characters as MQ gives them back: filled up with blanks."""
    return text.encode("utf-8", "surrogateescape").ljust(length)


# ---- objects


def described(od: MQOpts, verb: str) -> dict[str, Any]:
    """An MQOD as our client takes it."""
    if od.Version >= mq.MQOD_VERSION_4 and od.SelectionStringVSPtr:
        raise mq_error(
            MQRC_SELECTION_NOT_AVAILABLE, verb=verb, detail="selectors are not supported yet"
        )
    found = {
        "object_type": od.ObjectType,
        "object_name": text_of(od.ObjectName),
        "object_qmgr_name": text_of(od.ObjectQMgrName),
        "dynamic_queue_name": text_of(od.DynamicQName),
        "alternate_user_id": text_of(od.AlternateUserId),
    }
    if od.Version >= mq.MQOD_VERSION_2 and od.RecsPresent:
        found["records_present"] = od.RecsPresent
    return found


def open_object(hconn: object, od: MQOpts, options: int) -> int:
    """MQOPEN; the descriptor is told the name of a dynamic queue, and what it resolved to."""
    attachment = attached(hconn, "MQOPEN")
    connection = attachment.connection
    od.pack()  # members of a wrong type are found before anything is sent
    exchange = connection.verbs.open(described(od, "MQOPEN"), options)
    opened = connection.run("MQOPEN", exchange)
    attachment.opened[opened.handle.handle_id] = opened
    if od.ObjectType == mq.MQOT_Q:
        resolved = padded(opened.handle.resolved_name, mq.MQ_Q_NAME_LENGTH)
        if opened.renamed:
            od.ObjectName = resolved
        if od.Version >= mq.MQOD_VERSION_3:
            od.ResolvedQName = resolved
            od.ResolvedQMgrName = padded(opened.resolved_qmgr, mq.MQ_Q_MGR_NAME_LENGTH)
    return opened.handle.handle_id


def close_object(hconn: object, hobj: object, options: int) -> None:
    """MQCLOSE."""
    attachment = attached(hconn, "MQCLOSE")
    opened = attachment.object(hobj, "MQCLOSE")
    connection = attachment.connection
    connection.run("MQCLOSE", connection.verbs.close(opened.handle, options))
    attachment.opened.pop(opened.handle.handle_id, None)


def attribute_length(selector: int) -> int:
    """How long a character attribute is, in bytes."""
    known = _LENGTHS.get(selector)
    if known is not None:
        return known
    rows = [table[selector] for table in BY_SELECTOR.values() if selector in table]
    return max((row.highest for row in rows if row.text), default=0)


def inquire(hconn: object, hobj: object, selectors: list[int]) -> dict[int, int | bytes]:
    """MQINQ: numbers as they are, characters filled up with blanks."""
    attachment = attached(hconn, "MQINQ")
    opened = attachment.object(hobj, "MQINQ")
    connection = attachment.connection
    values = connection.run("MQINQ", connection.verbs.inquire(opened.handle, selectors))
    return {
        selector: padded(value, attribute_length(selector)) if isinstance(value, str) else value
        for selector, value in zip(selectors, values, strict=True)
    }


def set_attributes(hconn: object, hobj: object, values: dict[int, Any]) -> None:
    """MQSET."""
    attachment = attached(hconn, "MQSET")
    opened = attachment.object(hobj, "MQSET")
    given: dict[int, Value] = {}
    for selector, value in values.items():
        if isinstance(value, int):
            given[selector] = value
            continue
        text = text_of(value)
        if len(text.encode("utf-8", "surrogateescape")) > attribute_length(selector):
            detail = f"{len(text)} characters for attribute {selector}"
            raise mq_error(MQRC_CHAR_ATTR_LENGTH_ERROR, verb="MQSET", detail=detail)
        given[selector] = text
    connection = attachment.connection
    connection.run("MQSET", connection.verbs.set(opened, given))


# ---- messages


def descriptor_of(md: MQOpts) -> Descriptor:
    """An MQMD as our client has it."""
    return Descriptor.unpack(md.pack(), order=_NATIVE)


def fill_descriptor(md: MQOpts, descriptor: Descriptor) -> None:
    """What a message says of itself; an MQMD of version 1 is not told of groups."""
    version = md.Version
    kept = {name: md[name] for name in _LATER_MEMBERS}
    md.unpack(descriptor.pack(order=_NATIVE))
    md.Version = version
    if version < mq.MQMD_VERSION_2:
        for name, value in kept.items():
            setattr(md, name, value)


def put(hconn: object, hobj: object, md: MQOpts, pmo: MQOpts, data: bytes) -> None:
    """MQPUT."""
    attachment = attached(hconn, "MQPUT")
    opened = attachment.object(hobj, "MQPUT")
    connection = attachment.connection
    options, packed, whole = _prepared(attachment, md, pmo, data, "MQPUT")
    context = int(pmo.Context)
    exchange = connection.verbs.put(opened.handle, options, packed, whole, context)
    msg_id = connection.run("MQPUT", exchange)
    queue, manager = _names_of_put(attachment, opened, options)
    pmo.ResolvedQName = padded(queue, mq.MQ_Q_NAME_LENGTH)
    pmo.ResolvedQMgrName = padded(manager, mq.MQ_Q_MGR_NAME_LENGTH)
    _was_put(attachment, md, pmo, msg_id)


def _names_of_put(attachment: Attachment, opened: Opened, options: int) -> tuple[str, str]:
    """Where a message went: the queue as it was opened, or the local one if that is asked for."""
    if options & mq.MQPMO_RESOLVE_LOCAL_Q:
        verbs = attachment.connection.verbs
        told = verbs.names_of_put() if isinstance(verbs, FapVerbs) else None
        if told is not None:
            return told
        if opened.local_queue:
            return opened.local_queue, attachment.connection.name
    return opened.handle.resolved_name, opened.resolved_qmgr


def put1(hconn: object, od: MQOpts, md: MQOpts, pmo: MQOpts, data: bytes) -> None:
    """MQPUT1."""
    attachment = attached(hconn, "MQPUT1")
    connection = attachment.connection
    if pmo.Options & mq.MQPMO_RESOLVE_LOCAL_Q:
        detail = "MQPMO_RESOLVE_LOCAL_Q is not supported here yet; open the queue, then put"
        raise mq_error(MQRC_OPTIONS_ERROR, verb="MQPUT1", detail=detail)
    options, packed, whole = _prepared(attachment, md, pmo, data, "MQPUT1")
    context = int(pmo.Context)
    exchange = connection.verbs.put1(described(od, "MQPUT1"), options, packed, whole, context)
    _was_put(attachment, md, pmo, connection.run("MQPUT1", exchange))


def _prepared(
    attachment: Attachment, md: MQOpts, pmo: MQOpts, data: bytes, verb: str
) -> tuple[int, bytes, bytes]:
    """Options, packed descriptor and data of a put, with the properties of its handles."""
    options = int(pmo.Options)
    pmo.pack()
    if options & mq.MQPMO_NEW_MSG_ID:
        md.MsgId = mq.MQMI_NONE
    if options & mq.MQPMO_NEW_CORREL_ID:
        # The queue manager does not tell the one that it would make; ours is as good.
        md.CorrelId = new_identifier(attachment.connection.name)
        options &= ~mq.MQPMO_NEW_CORREL_ID
    descriptor = descriptor_of(md)
    if pmo.Version >= mq.MQPMO_VERSION_2 and pmo.RecsPresent:
        detail = f"RecsPresent {pmo.RecsPresent}: distribution lists are not supported yet"
        raise mq_error(MQRC_RECS_PRESENT_ERROR, verb=verb, detail=detail)
    if pmo.Version >= mq.MQPMO_VERSION_3:
        if pmo.Action != mq.MQACTP_NEW:
            detail = f"Action {pmo.Action}: only MQACTP_NEW is supported yet"
            raise mq_error(MQRC_ACTION_ERROR, verb=verb, detail=detail)
        bag = PropertyBag()
        for handle in (pmo.OriginalMsgHandle, pmo.NewMsgHandle):
            if handle not in (mq.MQHM_NONE, mq.MQHM_UNUSABLE_HMSG):
                bag.found.update(bag_of(handle, verb).found)
        data = with_properties(bag, descriptor, data)
    return options, packed_put(descriptor, options, verb), data


def new_identifier(qmgr_name: str) -> bytes:
    """24 bytes that nobody else has, as queue managers make them."""
    return b"AMQ " + qmgr_name.encode("utf-8")[:12].ljust(12) + os.urandom(8)


def _was_put(attachment: Attachment, md: MQOpts, pmo: MQOpts, msg_id: bytes) -> None:
    """What the queue manager made of the message, in the structures of the application."""
    told = attachment.connection.verbs.told_of_put()
    if told:
        packed = md.pack()
        given = packed[:PRIORITY_AT] + told[:8] + packed[MSG_ID_AT:USER_ID_AT] + told[8:]
        md.unpack(given + packed[GROUP_ID_AT:])
    md.MsgId = msg_id
    pmo.KnownDestCount, pmo.UnknownDestCount, pmo.InvalidDestCount = 1, 0, 0
    warning = attachment.connection.verbs.warning_of_put()
    if warning:
        raise mq_error(warning, comp=mq.MQCC_WARNING, verb="MQPUT")


def get(hconn: object, hobj: object, md: MQOpts, gmo: MQOpts, length: int | None) -> Got:
    """MQGET into a buffer of that length; None is one that is always long enough."""
    attachment = attached(hconn, "MQGET")
    opened = attachment.object(hobj, "MQGET")
    connection = attachment.connection
    gmo.pack()
    bag = _bag(gmo)
    options = GetOptions(options=int(gmo.Options) & ~_IN_HANDLE)
    options.version = gmo.Version
    options.match_options = gmo.MatchOptions
    options.wait_interval = gmo.WaitInterval
    options.message_token = bytes(gmo.MsgToken).ljust(16, b"\0")
    wanted = descriptor_of(md)

    def ask(asked: GetOptions, buffer_length: int) -> Message | None:
        request = request_get(wanted, asked, buffer_length)
        waits = request.wait_ms != 0
        return connection.run("MQGET", connection.verbs.get(opened.handle, request, waits))

    buffer_length = UNLIMITED_LENGTH if length is None else length
    if bag is not None:
        options.options |= mq.MQGMO_PROPERTIES_FORCE_MQRFH2  # the handle is filled here
        taken = get_for_handle(ask, options, buffer_length, bag)
    else:
        taken = get_plainly(ask, options, buffer_length)
    if taken is None:
        if gmo.Options & mq.MQGMO_UNLOCK:
            return Got(b"", 0)
        raise mq_error(MQRC_NO_MSG_AVAILABLE, verb="MQGET", object=opened.handle.resolved_name)
    gmo.ResolvedQName = padded(opened.handle.resolved_name, mq.MQ_Q_NAME_LENGTH)
    return _received(md, gmo, taken)


def _bag(gmo: MQOpts) -> PropertyBag | None:
    """Where the properties of the message go; None: they are not wanted there."""
    has_handle = gmo.Version >= mq.MQGMO_VERSION_4 and gmo.MsgHandle
    if gmo.Options & _IN_HANDLE and not has_handle:
        detail = "MQGMO_PROPERTIES_IN_HANDLE without a MsgHandle"
        raise mq_error(MQRC_HMSG_ERROR, verb="MQGET", detail=detail)
    if not has_handle or gmo.Options & _ELSEWHERE:
        return None
    bag = bag_of(gmo.MsgHandle, "MQGET")
    bag.found.clear()
    return bag


def _received(md: MQOpts, gmo: MQOpts, taken: Taken) -> Got:
    """What the structures of the application are told of a message."""
    descriptor = taken.descriptor
    fill_descriptor(md, descriptor)
    if gmo.Version >= mq.MQGMO_VERSION_2:
        flags = descriptor.msg_flags
        gmo.GroupStatus = _status(flags, mq.MQMF_LAST_MSG_IN_GROUP, "L", mq.MQMF_MSG_IN_GROUP, "G")
        gmo.SegmentStatus = _status(flags, mq.MQMF_LAST_SEGMENT, "L", mq.MQMF_SEGMENT, "S")
    if gmo.Version >= mq.MQGMO_VERSION_3:
        gmo.MsgToken = taken.token
        gmo.ReturnedLength = len(taken.data)
    return Got(taken.data, taken.length, taken.reason)


def _status(flags: int, last: int, if_last: str, one: int, if_one: str) -> int:
    return ord(if_last if flags & last else if_one if flags & one else " ")


def status(hconn: object) -> bytes:
    """MQSTAT: how asynchronous puts went, as a packed MQSTS. On the queue manager's machine no put
    is asynchronous, so there is nothing to tell."""
    connection = attached(hconn, "MQSTAT").connection
    verbs = connection.verbs
    found = Status()
    if isinstance(verbs, FapVerbs):
        found = connection.run("MQSTAT", verbs.status())
    return found.pack(order=_NATIVE, native=True)


# ---- units of work


def begin(hconn: object) -> None:
    """MQBEGIN: as in IBM MQ a warning, for there are no resource managers beside the queue
    manager; through a channel it is refused."""
    attachment = attached(hconn, "MQBEGIN")
    connection = attachment.connection
    if attachment.is_client:
        raise mq_error(MQRC_ENVIRONMENT_ERROR, verb="MQBEGIN", object=connection.name)
    connection.begin()
    raise mq_error(MQRC_NO_EXTERNAL_PARTICIPANTS, verb="MQBEGIN", object=connection.name)


def commit(hconn: object) -> None:
    """MQCMIT."""
    attached(hconn, "MQCMIT").connection.commit()


def back_out(hconn: object) -> None:
    """MQBACK."""
    connection = attached(hconn, "MQBACK").connection
    connection.run("MQBACK", connection.verbs.back_out())


def disconnect(hconn: int) -> None:
    """MQDISC; the handle is gone whatever becomes of it."""
    attachment = attached(hconn, "MQDISC")
    detach(hconn)
    attachment.opened.clear()
    attachment.connection.disconnect()


def drop(hconn: int) -> None:
    """A connection that nobody holds any more. What is in its unit of work is committed, as by
    MQDISC; if there is nothing, nothing is sent: the collector may run in any thread, and should
    not wait for an answer there."""
    attachment = attached(hconn, "MQDISC")
    detach(hconn)
    attachment.connection.transport.warns = False  # programs of these libraries may drop it
    if attachment.connection.connected and attachment.connection.verbs.has_changes:
        attachment.connection.disconnect()
