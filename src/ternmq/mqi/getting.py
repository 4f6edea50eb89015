"""MQGET: from MQMD and MQGMO to a request that the kernel takes, and the checks against the
handle."""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.ids import MSG_TOKEN_BYTES, token_parts
from ternmq.base.reasons import (
    MQRC_BUFFER_LENGTH_ERROR,
    MQRC_GMO_ERROR,
    MQRC_HMSG_ERROR,
    MQRC_MATCH_OPTIONS_ERROR,
    MQRC_MD_ERROR,
    MQRC_MSG_TOKEN_ERROR,
    MQRC_NOT_OPEN_FOR_BROWSE,
    MQRC_NOT_OPEN_FOR_INPUT,
    MQRC_OPTIONS_ERROR,
    MQRC_WAIT_INTERVAL_ERROR,
    MQRC_WRONG_GMO_VERSION,
    MQRC_WRONG_MD_VERSION,
)
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.mqi.options import check_get
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle

_INPUT: Final = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE
_BROWSING: Final = (
    mq.MQGMO_BROWSE_FIRST
    | mq.MQGMO_BROWSE_NEXT
    | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
    | mq.MQGMO_UNLOCK
)
_MATCHES: Final = (
    mq.MQMO_MATCH_MSG_ID
    | mq.MQMO_MATCH_CORREL_ID
    | mq.MQMO_MATCH_GROUP_ID
    | mq.MQMO_MATCH_MSG_SEQ_NUMBER
    | mq.MQMO_MATCH_OFFSET
    | mq.MQMO_MATCH_MSG_TOKEN
)
_NO_HANDLE: Final = (mq.MQHM_NONE, mq.MQHM_UNUSABLE_HMSG)
_ALWAYS: Final = mq.MQMO_MATCH_MSG_ID | mq.MQMO_MATCH_CORREL_ID
_CO_OP: Final = mq.MQGMO_MARK_BROWSE_CO_OP | mq.MQGMO_UNMARK_BROWSE_CO_OP


def check_open_for(handle: ObjectHandle, options: int) -> None:
    """The handle's open options allow this get."""
    name = handle.resolved_name
    if options & _BROWSING or options & mq.MQGMO_MSG_UNDER_CURSOR:
        if not handle.options & mq.MQOO_BROWSE:
            raise mq_error(MQRC_NOT_OPEN_FOR_BROWSE, verb="MQGET", object=name)
    if not options & _BROWSING and not handle.options & _INPUT:
        raise mq_error(MQRC_NOT_OPEN_FOR_INPUT, verb="MQGET", object=name)
    if options & _CO_OP and not handle.options & mq.MQOO_CO_OP:
        raise mq_error(
            MQRC_OPTIONS_ERROR, verb="MQGET", object=name, detail="not opened with MQOO_CO_OP"
        )


def get_request(
    md: Descriptor, gmo: GetOptions, buffer_length: int, apart: bool = False
) -> GetRequest:
    """Check options and match fields; the result may be used for any number of gets. `apart`: its
    caller takes properties beside the data."""
    options = gmo.options
    if not 1 <= gmo.version <= 4:
        raise mq_error(MQRC_GMO_ERROR, verb="MQGET", detail=f"version {gmo.version}")
    if md.version not in (1, 2):
        raise mq_error(MQRC_MD_ERROR, verb="MQGET", detail=f"version {md.version}")
    if buffer_length < 0:
        raise mq_error(MQRC_BUFFER_LENGTH_ERROR, verb="MQGET", detail=f"{buffer_length}")
    check_get(options)
    if options & mq.MQGMO_LOGICAL_ORDER:
        _check_versions(md, gmo)
    if gmo.version >= mq.MQGMO_VERSION_4 and gmo.message_handle not in _NO_HANDLE:
        detail = f"message handle {gmo.message_handle}: not supported here; read the MQRFH2"
        raise mq_error(MQRC_HMSG_ERROR, verb="MQGET", detail=detail)
    if options & mq.MQGMO_PROPERTIES_IN_HANDLE and not apart:
        detail = "MQGMO_PROPERTIES_IN_HANDLE without a message handle; give one"
        raise mq_error(MQRC_HMSG_ERROR, verb="MQGET", detail=detail)
    request = GetRequest(options)
    request.apart = apart
    request.buffer_length = buffer_length
    request.syncpoint = options & mq.MQGMO_SYNCPOINT != 0
    request.syncpoint_if_persistent = options & mq.MQGMO_SYNCPOINT_IF_PERSISTENT != 0
    if options & mq.MQGMO_WAIT:
        if gmo.wait_interval < mq.MQWI_UNLIMITED:
            raise mq_error(
                MQRC_WAIT_INTERVAL_ERROR, verb="MQGET", detail=f"WaitInterval {gmo.wait_interval}"
            )
        request.wait_ms = gmo.wait_interval
    request.ccsid = md.ccsid if md.ccsid != mq.MQCCSI_APPL else UTF8
    request.encoding = md.encoding
    _take_matches(request, md, gmo)
    request.settle()
    return request


def _check_versions(md: Descriptor, gmo: GetOptions) -> None:
    """Logical order needs the fields of version 2."""
    if gmo.version < mq.MQGMO_VERSION_2:
        raise mq_error(
            MQRC_WRONG_GMO_VERSION, verb="MQGET", detail="MQGMO_LOGICAL_ORDER needs MQGMO version 2"
        )
    if md.version < mq.MQMD_VERSION_2:
        raise mq_error(
            MQRC_WRONG_MD_VERSION, verb="MQGET", detail="MQGMO_LOGICAL_ORDER needs MQMD version 2"
        )


def _take_matches(request: GetRequest, md: Descriptor, gmo: GetOptions) -> None:
    matches = _ALWAYS if gmo.version == 1 else gmo.match_options
    if matches & ~_MATCHES:
        raise mq_error(MQRC_MATCH_OPTIONS_ERROR, verb="MQGET", detail=f"MatchOptions {matches}")
    if matches & mq.MQMO_MATCH_MSG_TOKEN:
        _take_token(request, gmo)
    if matches & mq.MQMO_MATCH_MSG_ID:
        request.msg_id = md.msg_id.ljust(24, b"\0")
    if matches & mq.MQMO_MATCH_CORREL_ID:
        request.correl_id = md.correl_id.ljust(24, b"\0")
    if matches & mq.MQMO_MATCH_GROUP_ID:
        request.group_id = md.group_id.ljust(24, b"\0")
    if matches & mq.MQMO_MATCH_MSG_SEQ_NUMBER:
        request.msg_sequence = md.msg_seq_number
    if matches & mq.MQMO_MATCH_OFFSET:
        request.msg_offset = md.offset


def _take_token(request: GetRequest, gmo: GetOptions) -> None:
    if gmo.version < 3:
        raise mq_error(MQRC_MATCH_OPTIONS_ERROR, verb="MQGET", detail="MsgToken needs MQGMO 3")
    token = gmo.message_token
    if token == mq.MQMTOK_NONE:
        return
    if len(token) != MSG_TOKEN_BYTES:
        raise mq_error(
            MQRC_MSG_TOKEN_ERROR,
            verb="MQGET",
            detail=f"{len(token)} bytes, a MsgToken has {MSG_TOKEN_BYTES}",
        )
    queue, lane, sequence, number = token_parts(token)
    request.token = number
    request.token_queue = queue
    request.token_lane = lane
    request.token_sequence = sequence
