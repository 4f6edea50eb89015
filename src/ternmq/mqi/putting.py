"""MQPUT and MQPUT1: from MQMD and MQPMO to a request that the kernel takes."""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_ACTION_ERROR,
    MQRC_CONTEXT_HANDLE_ERROR,
    MQRC_CONTEXT_NOT_AVAILABLE,
    MQRC_HMSG_ERROR,
    MQRC_NOT_OPEN_FOR_OUTPUT,
    MQRC_NOT_OPEN_FOR_PASS_ALL,
    MQRC_NOT_OPEN_FOR_PASS_IDENT,
    MQRC_NOT_OPEN_FOR_SET_ALL,
    MQRC_NOT_OPEN_FOR_SET_IDENT,
    MQRC_OPTIONS_ERROR,
    MQRC_PMO_ERROR,
    MQRC_RECS_PRESENT_ERROR,
)
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.put_parts import user_context_of
from ternmq.kernel.requests import PutRequest
from ternmq.mqi.descriptor import (
    CONTEXT_END,
    IDENTITY_AT,
    ORIGIN_AT,
    canonical,
    check_descriptor,
    default_context,
    in_group_or_segment,
    in_logical_order,
    no_context,
    with_context,
)
from ternmq.mqi.options import check_put
from ternmq.mqi.table import PUBLICATION_OPTIONS
from ternmq.values.entry import OWN_DATE, ZERO_ID, packed_descriptor
from ternmq.values.put_form import PUBLICATION_LEVEL_MAX, check_level

_NEEDS = (
    (mq.MQPMO_PASS_IDENTITY_CONTEXT, mq.MQOO_PASS_IDENTITY_CONTEXT, MQRC_NOT_OPEN_FOR_PASS_IDENT),
    (mq.MQPMO_PASS_ALL_CONTEXT, mq.MQOO_PASS_ALL_CONTEXT, MQRC_NOT_OPEN_FOR_PASS_ALL),
    (mq.MQPMO_SET_IDENTITY_CONTEXT, mq.MQOO_SET_IDENTITY_CONTEXT, MQRC_NOT_OPEN_FOR_SET_IDENT),
    (mq.MQPMO_SET_ALL_CONTEXT, mq.MQOO_SET_ALL_CONTEXT, MQRC_NOT_OPEN_FOR_SET_ALL),
)

# Each of these MQPMO options has the value of the MQOO option that it needs.
CONTEXT_MASK: Final = (
    mq.MQPMO_PASS_IDENTITY_CONTEXT
    | mq.MQPMO_PASS_ALL_CONTEXT
    | mq.MQPMO_SET_IDENTITY_CONTEXT
    | mq.MQPMO_SET_ALL_CONTEXT
)

_NEEDED_MASK: Final = CONTEXT_MASK | PUBLICATION_OPTIONS
_OPEN_MASK: Final = CONTEXT_MASK | mq.MQOO_ALTERNATE_USER_AUTHORITY | mq.MQOO_RESOLVE_LOCAL_Q


def put1_open_options(options: int) -> int:
    """The open that MQPUT1 is a part of: for output, with the same context, user and name
    options."""
    return mq.MQOO_OUTPUT | options & _OPEN_MASK


def check_open_for_output(handle: Handle, options: int, verb: str) -> None:
    """The handle's open options allow this put."""
    if not handle.options & mq.MQOO_OUTPUT:
        raise mq_error(MQRC_NOT_OPEN_FOR_OUTPUT, verb=verb, object=handle.resolved_name)
    if options & _NEEDED_MASK & ~handle.options == 0:
        return
    if options & PUBLICATION_OPTIONS and handle.topic is None:
        detail = f"options 0x{options & PUBLICATION_OPTIONS:08X} are for topics"
        raise mq_error(MQRC_OPTIONS_ERROR, verb=verb, object=handle.resolved_name, detail=detail)
    for put_option, open_option, reason in _NEEDS:
        if options & put_option and not handle.options & open_option:
            raise mq_error(reason, verb=verb, object=handle.resolved_name)


def put_request(
    kernel: Kernel, connection: Connection, md: Descriptor, pmo: PutOptions, verb: str
) -> PutRequest:
    """Check descriptor and options; the result may be used for any number of messages."""
    options = pmo.options
    if not 1 <= pmo.version <= 3:
        raise mq_error(MQRC_PMO_ERROR, verb=verb, detail=f"version {pmo.version}")
    check_put(verb, options)
    _refuse_fields(pmo, verb)
    md = in_logical_order(md, options, verb)
    check_descriptor(md, verb)
    plain = canonical(md)
    if plain.ccsid == mq.MQCCSI_Q_MGR:
        plain.ccsid = kernel.number("ccsid")
    if not plain.reply_to_queue and not plain.reply_to_qmgr:
        plain.reply_to_qmgr = kernel.name  # a reply queue is looked up at the put
    base, own_date = _base(kernel, connection, plain, pmo, verb)
    request = PutRequest(options, base, options & mq.MQPMO_SYNCPOINT != 0)
    request.priority = plain.priority
    request.persistence = plain.persistence
    request.expiry = plain.expiry
    request.correl_id = plain.correl_id.ljust(24, b"\0")
    if not options & mq.MQPMO_NEW_MSG_ID:
        request.msg_id = plain.msg_id.ljust(24, b"\0")
    request.new_correl_id = options & mq.MQPMO_NEW_CORREL_ID != 0
    request.group_id = plain.group_id.ljust(24, b"\0")
    if request.group_id == ZERO_ID:
        request.group_id = ZERO_ID  # the very zeros: see `Queue._list`
    request.new_group_id = in_group_or_segment(md) and request.group_id == ZERO_ID
    if own_date:
        request.flags |= OWN_DATE
    if pmo.version >= mq.MQPMO_VERSION_3 and pmo.publication_level != PUBLICATION_LEVEL_MAX:
        check_level(pmo.publication_level, verb)
        request.level = pmo.publication_level
    if options & mq.MQPMO_PASS_ALL_CONTEXT:
        _pass_user_context(connection, pmo.context, request)
    return request


def _pass_user_context(connection: Connection, handle_id: int, request: PutRequest) -> None:
    """Properties that belong to the user context go on with the other context."""
    saved = connection.handles[handle_id].context
    if saved is not None and saved.properties:
        request.user_context = user_context_of(saved.properties)
        request.splits = request.splits or request.user_context != b""


def _refuse_fields(pmo: PutOptions, verb: str) -> None:
    """What an MQPMO may ask for and is not supported yet is refused, not ignored."""
    if pmo.version >= mq.MQPMO_VERSION_2 and pmo.records_present:
        detail = f"RecsPresent {pmo.records_present}: records are for distribution lists"
        raise mq_error(MQRC_RECS_PRESENT_ERROR, verb=verb, detail=detail)
    if pmo.version < mq.MQPMO_VERSION_3:
        return
    for handle in (pmo.original_message_handle, pmo.new_message_handle):
        if handle not in (mq.MQHM_NONE, mq.MQHM_UNUSABLE_HMSG):
            detail = f"message handle {handle}: not supported here; put an MQRFH2 before the data"
            raise mq_error(MQRC_HMSG_ERROR, verb=verb, detail=detail)
    if pmo.action != mq.MQACTP_NEW:
        detail = f"Action {pmo.action}: only MQACTP_NEW is supported yet"
        raise mq_error(MQRC_ACTION_ERROR, verb=verb, detail=detail)


def _base(
    kernel: Kernel, connection: Connection, md: Descriptor, pmo: PutOptions, verb: str
) -> tuple[bytes, bool]:
    """The packed descriptor with its context, and whether that has a date of its own."""
    base = md.pack()
    options = pmo.options
    if options & mq.MQPMO_SET_ALL_CONTEXT:
        return base, True
    if options & mq.MQPMO_NO_CONTEXT:
        return with_context(base, no_context()), True
    if not connection.context:
        connection.context = default_context(
            connection.user, connection.application, kernel.authority.number(connection.user)
        )
    context = connection.context
    if options & mq.MQPMO_SET_IDENTITY_CONTEXT:
        return with_context(
            base, base[IDENTITY_AT:ORIGIN_AT] + context[ORIGIN_AT - IDENTITY_AT :]
        ), False
    if options & (mq.MQPMO_PASS_IDENTITY_CONTEXT | mq.MQPMO_PASS_ALL_CONTEXT):
        saved = _saved_context(connection, pmo.context, verb)
        if options & mq.MQPMO_PASS_ALL_CONTEXT:
            return with_context(base, saved[IDENTITY_AT:CONTEXT_END]), True
        mixed = saved[IDENTITY_AT:ORIGIN_AT] + context[ORIGIN_AT - IDENTITY_AT :]
        return with_context(base, mixed), False
    return with_context(base, context), False


def _saved_context(connection: Connection, handle_id: int, verb: str) -> bytes:
    handle = connection.handles.get(handle_id)
    if handle is None or not handle.options & mq.MQOO_SAVE_ALL_CONTEXT:
        raise mq_error(MQRC_CONTEXT_HANDLE_ERROR, verb=verb, detail=f"handle {handle_id}")
    if handle.context is None:
        raise mq_error(MQRC_CONTEXT_NOT_AVAILABLE, verb=verb, object=handle.resolved_name)
    return packed_descriptor(handle.context)
