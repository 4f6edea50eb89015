"""The MQI as both libraries call it: handles are numbers, structures are `MQOpts`.

Structures that a call fills in are filled in. What goes wrong is an MQError here; the classes above
turn it into their own.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from typing import Any, Final, NamedTuple

from ternmq.api.handles import READING
from ternmq.api.inert_attributes import warn_inert_values
from ternmq.base import constants as mq
from ternmq.base.attributes import BY_SELECTOR, Value
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_CHAR_ATTR_LENGTH_ERROR,
    MQRC_ENVIRONMENT_ERROR,
    MQRC_HMSG_ERROR,
    MQRC_NO_EXTERNAL_PARTICIPANTS,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_OPTIONS_ERROR,
    MQRC_PROPERTIES_TOO_BIG,
    MQRC_RECS_PRESENT_ERROR,
    MQRC_SELECTION_STRING_ERROR,
    MQRC_SOURCE_CCSID_ERROR,
)
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import (
    GROUP_ID_AT,
    MSG_FLAGS_AT,
    MSG_ID_AT,
    ORIGINAL_LENGTH_AT,
    PRIORITY_AT,
    USER_ID_AT,
    Descriptor,
)
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.property_area import COUNT_MAX, pack_area
from ternmq.compat.attachments import Attachment, attached, detach
from ternmq.compat.handle_gets import (
    Ask,
    Taken,
    ask_for_version_1,
    fast_get,
    get_beside,
    get_for_handle,
)
from ternmq.compat.pointed_texts import give_back, pointed, topic_string
from ternmq.compat.properties import delete_handles_of, using
from ternmq.compat.structure import MQOpts
from ternmq.mqi.getting import get_request
from ternmq.remote.fap.fap_verbs import FapVerbs
from ternmq.remote.remote_verbs import PackedPut, RemoteVerbs, packed_form
from ternmq.remote.threads_runner import RemoteThreads
from ternmq.values.calls.administration import InquirePuts
from ternmq.values.calls.messages import Put1, selection_of_put1
from ternmq.values.calls.objects import Close, Inquire, Open, SetAttributes
from ternmq.values.calls.units import BackOut
from ternmq.values.get_request import UNLIMITED_LENGTH
from ternmq.values.group_status import group_status, segment_status, segmentation
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.message_handle import MessageHandle
from ternmq.values.put_form import PutForm, check_level
from ternmq.values.put_properties import composed_descriptor, merged_properties

_NATIVE: Final = LITTLE if sys.byteorder == "little" else BIG
_LATER_MEMBERS: Final = ("GroupId", "MsgSeqNumber", "Offset", "MsgFlags", "OriginalLength")
_IN_HANDLE: Final = mq.MQGMO_PROPERTIES_IN_HANDLE
_ELSEWHERE: Final = (  # properties are wanted, but not in the handle
    mq.MQGMO_NO_PROPERTIES,
    mq.MQGMO_PROPERTIES_FORCE_MQRFH2,
    mq.MQGMO_PROPERTIES_COMPATIBILITY,
)
# Lengths of character attributes that are not part of a definition.
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


def _verbs(attachment: Attachment) -> RemoteVerbs:
    """The protocol of a connection: these libraries only reach other processes."""
    transport = attachment.connection.transport
    assert isinstance(transport, RemoteThreads)
    return transport.verbs


# ---- objects


def described(od: MQOpts, verb: str) -> ObjectDescriptor:
    """An MQOD as our client takes it, but for its selection string."""
    found = ObjectDescriptor(
        object_type=od.ObjectType,
        object_name=text_of(od.ObjectName),
        object_qmgr_name=text_of(od.ObjectQMgrName),
        dynamic_queue_name=text_of(od.DynamicQName),
        alternate_user_id=text_of(od.AlternateUserId),
    )
    if od.Version >= mq.MQOD_VERSION_2 and od.RecsPresent:
        found.records_present = od.RecsPresent
    return found


def selection_string(od: MQOpts, verb: str) -> str:
    """The text that SelectionString of an MQOD points to; "" without one."""
    if od.Version < mq.MQOD_VERSION_4 or od.SelectionStringVSLength == 0:
        return ""
    return pointed(
        od, "SelectionString", verb, MQRC_SELECTION_STRING_ERROR, MQRC_SOURCE_CCSID_ERROR
    )


def open_object(hconn: object, od: MQOpts, options: int) -> int:
    """MQOPEN; the descriptor gets the name of a dynamic queue, and what it resolved to."""
    attachment = attached(hconn, "MQOPEN")
    connection = attachment.connection
    od.pack()  # members of a wrong type are found before anything is sent
    selector = selection_string(od, "MQOPEN")
    topic = topic_string(od, "MQOPEN")
    call = Open(described(od, "MQOPEN"), options, selector=selector, object_string=topic)
    opened = connection.run(call)
    handle = opened.opened()
    attachment.opened[handle.handle_id] = opened
    if od.ObjectType == mq.MQOT_Q:
        if opened.renamed:
            od.ObjectName = padded(opened.resolved_name, mq.MQ_Q_NAME_LENGTH)
        if od.Version >= mq.MQOD_VERSION_3:
            uses = options & (READING | mq.MQOO_OUTPUT)  # without them the names are blank
            queue = opened.resolved_name if uses else ""
            manager = opened.resolved_qmgr if uses else ""
            od.ResolvedQName = padded(queue, mq.MQ_Q_NAME_LENGTH)
            od.ResolvedQMgrName = padded(manager, mq.MQ_Q_MGR_NAME_LENGTH)
    is_topic = od.ObjectType == mq.MQOT_TOPIC or bool(opened.resolved_string)  # or an alias of one
    if is_topic and od.Version >= mq.MQOD_VERSION_4:
        give_back(od, "ResObjectString", opened.resolved_string)
        od.ResolvedType = mq.MQOT_TOPIC
    return handle.handle_id


def close_object(hconn: object, hobj: object, options: int) -> None:
    """MQCLOSE."""
    attachment = attached(hconn, "MQCLOSE")
    opened = attachment.object(hobj, "MQCLOSE")
    handle = opened.opened()
    call = Close(handle, options)
    attachment.connection.run(call)
    attachment.opened.pop(handle.handle_id, None)
    if call.warning:
        raise mq_error(call.warning, comp=mq.MQCC_WARNING, verb="MQCLOSE")


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
    values = attachment.connection.run(Inquire(opened.opened(), selectors)).answer()
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
    if opened.object_type:
        warn_inert_values(opened.object_type, opened.opened().resolved_name, given)
    connection.run(SetAttributes(opened.opened(), given))


# ---- messages


def descriptor_of(md: MQOpts) -> Descriptor:
    """An MQMD as our client has it."""
    return Descriptor.unpack(md.pack(), order=_NATIVE)


def fill_descriptor(md: MQOpts, descriptor: Descriptor) -> None:
    """What a message says of itself; an MQMD of version 1 gets nothing about groups."""
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
    form: PutForm = _prepared(attachment, md, pmo, "MQPUT")
    if opened.od.object_type == mq.MQOT_TOPIC:
        form = _at_level(form, pmo, "MQPUT")
    msg_id = connection.transport.put(opened.opened(), form, data)
    queue, manager = _names_of_put(attachment, opened, int(form.options))
    pmo.ResolvedQName = padded(queue, mq.MQ_Q_NAME_LENGTH)
    pmo.ResolvedQMgrName = padded(manager, mq.MQ_Q_MGR_NAME_LENGTH)
    _was_put(attachment, md, pmo, msg_id)


def _names_of_put(attachment: Attachment, opened: Open, options: int) -> tuple[str, str]:
    """Where a message went: the queue as it was resolved, or the local one if the put asks for
    that. An open that has asked for it does not decide about puts."""
    asked = int(opened.opened().options) | options
    if asked & mq.MQPMO_RESOLVE_LOCAL_Q:
        verbs = _verbs(attachment)
        names = verbs.put_names() if isinstance(verbs, FapVerbs) else None
        if names is not None:
            return names
        if options & mq.MQPMO_RESOLVE_LOCAL_Q and opened.local_queue:
            return opened.local_queue, attachment.connection.name
    return opened.target_name, opened.target_qmgr


def put1(hconn: object, od: MQOpts, md: MQOpts, pmo: MQOpts, data: bytes) -> None:
    """MQPUT1."""
    attachment = attached(hconn, "MQPUT1")
    connection = attachment.connection
    if pmo.Options & mq.MQPMO_RESOLVE_LOCAL_Q:
        detail = "MQPMO_RESOLVE_LOCAL_Q is not supported here yet; open the queue, then put"
        raise mq_error(MQRC_OPTIONS_ERROR, verb="MQPUT1", detail=detail)
    form: PutForm = _prepared(attachment, md, pmo, "MQPUT1")
    if od.ObjectType == mq.MQOT_TOPIC:
        form = _at_level(form, pmo, "MQPUT1")
    if selection_string(od, "MQPUT1"):
        raise selection_of_put1(text_of(od.ObjectName))
    topic = topic_string(od, "MQPUT1")
    call = connection.run(Put1(described(od, "MQPUT1"), form, data, topic))
    _was_put(attachment, md, pmo, call.msg_id)


def _at_level(form: PutForm, pmo: MQOpts, verb: str) -> PutForm:
    """The publication level, which an MQPMO has from version 3 on."""
    if pmo.Version < mq.MQPMO_VERSION_3 or pmo.PubLevel == form.level:
        return form
    check_level(pmo.PubLevel, verb)
    return form.with_level(pmo.PubLevel)


def _prepared(attachment: Attachment, md: MQOpts, pmo: MQOpts, verb: str) -> PackedPut:
    """Options and descriptor of a put, with the properties of its handles."""
    options = int(pmo.Options)
    pmo.pack()
    if options & mq.MQPMO_NEW_MSG_ID:
        md.MsgId = mq.MQMI_NONE
    if options & mq.MQPMO_NEW_CORREL_ID:
        # The queue manager does not return the one that it would make; ours is as good.
        md.CorrelId = new_identifier(attachment.connection.name)
    descriptor = descriptor_of(md)
    if pmo.Version >= mq.MQPMO_VERSION_2 and pmo.RecsPresent:
        detail = f"RecsPresent {pmo.RecsPresent}: these libraries cannot open a distribution list"
        raise mq_error(MQRC_RECS_PRESENT_ERROR, verb=verb, detail=detail)
    area = b""
    if options & mq.MQPMO_MD_FOR_OUTPUT_ONLY or _names_handles(pmo):
        descriptor, area = _by_handles(attachment, md, pmo, verb)
    options &= ~(mq.MQPMO_NEW_CORREL_ID | mq.MQPMO_MD_FOR_OUTPUT_ONLY)
    form = packed_form(descriptor, options, verb, int(pmo.Context))
    form.properties = area
    return form


def _names_handles(pmo: MQOpts) -> bool:
    if pmo.Version < mq.MQPMO_VERSION_3:
        return False
    return bool(pmo.OriginalMsgHandle or pmo.NewMsgHandle or pmo.Action)


def _by_handles(
    attachment: Attachment, md: MQOpts, pmo: MQOpts, verb: str
) -> tuple[Descriptor, bytes]:
    """Descriptor and property area of a put with message handles. The MQMD counts, unless it is for
    output only: then it gets what the handles say."""
    options = int(pmo.Options)
    descriptor = descriptor_of(md)
    with ExitStack() as stack:
        original, new, action = _put_handles(attachment, pmo, stack, verb)
        properties = merged_properties(original.properties(), new.properties(), action, verb)
        if options & mq.MQPMO_MD_FOR_OUTPUT_ONLY:
            descriptor = composed_descriptor(
                original.descriptor, new.descriptor, new.fields_set, action
            )
            if options & mq.MQPMO_NEW_MSG_ID:
                descriptor.msg_id = mq.MQMI_NONE
            if options & mq.MQPMO_NEW_CORREL_ID:
                descriptor.correl_id = md.CorrelId
            fill_descriptor(md, descriptor)
        original.reset_cursor()
        new.reset_cursor()
    if len(properties) > COUNT_MAX:
        detail = f"{len(properties)} properties; a message has at most {COUNT_MAX}"
        raise mq_error(MQRC_PROPERTIES_TOO_BIG, verb=verb, detail=detail)
    return descriptor, pack_area(properties)


def _put_handles(
    attachment: Attachment, pmo: MQOpts, stack: ExitStack, verb: str
) -> tuple[MessageHandle, MessageHandle, int]:
    """The original and the new message handle of a put, empty ones if it names none; and what is
    done with them."""
    if pmo.Version < mq.MQPMO_VERSION_3:
        return MessageHandle(), MessageHandle(), mq.MQACTP_NEW
    used: dict[int, MessageHandle] = {}
    for number in (pmo.OriginalMsgHandle, pmo.NewMsgHandle):
        if number != mq.MQHM_NONE and number not in used:
            used[number] = stack.enter_context(using(number, attachment.number, verb))
    original = used.get(pmo.OriginalMsgHandle) or MessageHandle()
    new = used.get(pmo.NewMsgHandle) or MessageHandle()
    return original, new, int(pmo.Action)


def new_identifier(qmgr_name: str) -> bytes:
    """24 unique bytes, as queue managers make them."""
    return b"AMQ " + qmgr_name.encode("utf-8")[:12].ljust(12) + os.urandom(8)


def _was_put(attachment: Attachment, md: MQOpts, pmo: MQOpts, msg_id: bytes) -> None:
    """What the queue manager made of the message, in the structures of the application."""
    verbs = _verbs(attachment)
    made = verbs.put_descriptor()
    if made:
        packed = md.pack()
        given = packed[:PRIORITY_AT] + made[:8] + packed[MSG_ID_AT:USER_ID_AT] + made[8:]
        md.unpack(given + packed[GROUP_ID_AT:])
    if md.Version >= mq.MQMD_VERSION_2:
        _fill_place(md, verbs.put_place())
    md.MsgId = msg_id
    pmo.KnownDestCount, pmo.UnknownDestCount, pmo.InvalidDestCount = 1, 0, 0
    warning = verbs.put_warning()
    if warning:
        raise mq_error(warning, comp=mq.MQCC_WARNING, verb="MQPUT")


def _fill_place(md: MQOpts, place: bytes) -> None:
    """GroupId to OriginalLength after a put, but for MsgFlags: the queue manager completes those
    only in what it stores. OriginalLength is of segments that the application made."""
    if not place:
        return
    packed = md.pack()
    end = MSG_FLAGS_AT - GROUP_ID_AT
    is_segment = md.MsgFlags & (mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT)
    length = place[end + 4 :] if is_segment else packed[ORIGINAL_LENGTH_AT:]
    flags = packed[MSG_FLAGS_AT:ORIGINAL_LENGTH_AT]
    md.unpack(packed[:GROUP_ID_AT] + place[:end] + flags + length)


def get(hconn: object, hobj: object, md: MQOpts, gmo: MQOpts, length: int | None) -> Got:
    """MQGET into a buffer of that length; None is one that is always long enough."""
    attachment = attached(hconn, "MQGET")
    handle = attachment.object(hobj, "MQGET").opened()
    connection = attachment.connection
    gmo.pack()
    has_handle = _wants_handle(gmo)
    options = GetOptions(options=int(gmo.Options) & ~_IN_HANDLE)
    options.version = gmo.Version
    options.match_options = gmo.MatchOptions
    options.wait_interval = gmo.WaitInterval
    options.message_token = bytes(gmo.MsgToken).ljust(16, b"\0")
    wanted = descriptor_of(md)

    is_beside = has_handle and _gives_areas(attachment)

    def plain_ask(asked: GetOptions, limit: int) -> Message | None:
        return connection.transport.get(handle, get_request(wanted, asked, limit, is_beside))

    ask: Ask = plain_ask
    if md.Version < mq.MQMD_VERSION_2:
        target = (wanted.ccsid, wanted.encoding)
        ask = ask_for_version_1(plain_ask, _reads_ahead(attachment, handle), target)
    buffer_length = UNLIMITED_LENGTH if length is None else length
    if has_handle:
        with using(gmo.MsgHandle, attachment.number, "MQGET") as message_handle:
            message_handle.clear()
            if is_beside:
                options.options |= int(gmo.Options) & _IN_HANDLE
                taken = get_beside(ask, options, buffer_length, message_handle)
            else:
                options.options |= mq.MQGMO_PROPERTIES_FORCE_MQRFH2  # the handle is filled here
                taken = get_for_handle(plain_ask, options, buffer_length, message_handle)
    else:
        taken = fast_get(ask, options, buffer_length)
    if taken is None:
        if gmo.Options & mq.MQGMO_UNLOCK:
            return Got(b"", 0)
        raise mq_error(MQRC_NO_MSG_AVAILABLE, verb="MQGET", object=handle.resolved_name)
    gmo.ResolvedQName = padded(handle.resolved_name, mq.MQ_Q_NAME_LENGTH)
    return _received(md, gmo, taken)


def _reads_ahead(attachment: Attachment, handle: ObjectHandle) -> bool:
    verbs = _verbs(attachment)
    state = verbs.states.get(handle) if isinstance(verbs, FapVerbs) else None
    return state is not None and state.read_ahead


def _gives_areas(attachment: Attachment) -> bool:
    """Whether the queue manager gives properties beside the data: all of ours do."""
    verbs = _verbs(attachment)
    return not isinstance(verbs, FapVerbs) or verbs.takes_back


def _wants_handle(gmo: MQOpts) -> bool:
    """Whether the properties of the message go into the handle that the MQGMO names."""
    has_handle = bool(gmo.Version >= mq.MQGMO_VERSION_4 and gmo.MsgHandle)
    choices = [option for option in (_IN_HANDLE, *_ELSEWHERE) if gmo.Options & option]
    if len(choices) > 1:
        detail = f"MQGMO has Options {gmo.Options} with two choices of properties; give one"
        raise mq_error(MQRC_OPTIONS_ERROR, verb="MQGET", detail=detail)
    if gmo.Options & _IN_HANDLE and not has_handle:
        detail = "MQGMO_PROPERTIES_IN_HANDLE without a MsgHandle"
        raise mq_error(MQRC_HMSG_ERROR, verb="MQGET", detail=detail)
    return has_handle and choices in ([], [_IN_HANDLE])


def _received(md: MQOpts, gmo: MQOpts, taken: Taken) -> Got:
    """Fill in the application's structures for a message."""
    descriptor = taken.descriptor
    fill_descriptor(md, descriptor)
    if gmo.Version >= mq.MQGMO_VERSION_2:
        flags = descriptor.msg_flags
        gmo.GroupStatus = ord(group_status(flags))
        gmo.SegmentStatus = ord(segment_status(flags))
        gmo.Segmentation = ord(segmentation(flags))
    if gmo.Version >= mq.MQGMO_VERSION_3:
        gmo.MsgToken = taken.token
        gmo.ReturnedLength = len(taken.data)
    return Got(taken.data, taken.length, taken.reason)


def status(hconn: object) -> bytes:
    """MQSTAT: how asynchronous puts went, as a packed MQSTS. On the queue manager's machine no put
    is asynchronous, so there is nothing to report."""
    found = attached(hconn, "MQSTAT").connection.run(InquirePuts()).found
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
    connection.run(BackOut())


def disconnect(hconn: int) -> None:
    """MQDISC; the handle is gone whatever becomes of it."""
    attachment = attached(hconn, "MQDISC")
    detach(hconn)
    delete_handles_of(hconn)
    attachment.opened.clear()
    attachment.connection.disconnect()


def drop(hconn: int) -> None:
    """A connection that the application has dropped. Its unit of work is committed, as by MQDISC;
    if that is empty, nothing is sent: the collector may run in any thread, and should not wait for
    an answer there."""
    attachment = attached(hconn, "MQDISC")
    detach(hconn)
    delete_handles_of(hconn)
    attachment.connection.transport.warns = False  # programs of these libraries may drop it
    if attachment.connection.connected and _verbs(attachment).has_changes:
        attachment.connection.disconnect()
