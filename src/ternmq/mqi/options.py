"""Which options go together: the checks of option words, each with MQ's reason."""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.names import fits_field, name_fault
from ternmq.base.reasons import (
    MQRC_OBJECT_RECORDS_ERROR,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_OD_ERROR,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_OPTIONS_ERROR,
    MQRC_RECS_PRESENT_ERROR,
    MQRC_SELECTOR_INVALID_FOR_TYPE,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_OBJECT_Q_MGR,
)
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.mqi.table import BY_NAME

_BINDING: Final = (
    mq.MQCNO_FASTPATH_BINDING,
    mq.MQCNO_SHARED_BINDING,
    mq.MQCNO_ISOLATED_BINDING,
)
_SHARING: Final = (
    mq.MQCNO_HANDLE_SHARE_NONE,
    mq.MQCNO_HANDLE_SHARE_BLOCK,
    mq.MQCNO_HANDLE_SHARE_NO_BLOCK,
)
_CONNECT_PAIRS: Final = (
    (mq.MQCNO_ACCOUNTING_MQI_ENABLED, mq.MQCNO_ACCOUNTING_MQI_DISABLED),
    (mq.MQCNO_ACCOUNTING_Q_ENABLED, mq.MQCNO_ACCOUNTING_Q_DISABLED),
    (mq.MQCNO_ACTIVITY_TRACE_ENABLED, mq.MQCNO_ACTIVITY_TRACE_DISABLED),
    (mq.MQCNO_NO_CONV_SHARING, mq.MQCNO_ALL_CONVS_SHARE),
)
_INPUT: Final = (mq.MQOO_INPUT_AS_Q_DEF, mq.MQOO_INPUT_SHARED, mq.MQOO_INPUT_EXCLUSIVE)
_OUTPUT_ONLY: Final = (
    mq.MQOO_PASS_IDENTITY_CONTEXT
    | mq.MQOO_PASS_ALL_CONTEXT
    | mq.MQOO_SET_IDENTITY_CONTEXT
    | mq.MQOO_SET_ALL_CONTEXT
)
_SOMETHING: Final = (
    mq.MQOO_INPUT_AS_Q_DEF
    | mq.MQOO_INPUT_SHARED
    | mq.MQOO_INPUT_EXCLUSIVE
    | mq.MQOO_BROWSE
    | mq.MQOO_OUTPUT
    | mq.MQOO_INQUIRE
    | mq.MQOO_SET
)
_BIND: Final = (mq.MQOO_BIND_ON_OPEN, mq.MQOO_BIND_NOT_FIXED, mq.MQOO_BIND_ON_GROUP)
_READ_AHEAD: Final = (mq.MQOO_READ_AHEAD, mq.MQOO_NO_READ_AHEAD)
_SELECTING: Final = (
    mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_BROWSE
)
CONTEXT_OPTIONS: Final = (
    mq.MQPMO_DEFAULT_CONTEXT,
    mq.MQPMO_NO_CONTEXT,
    mq.MQPMO_PASS_IDENTITY_CONTEXT,
    mq.MQPMO_PASS_ALL_CONTEXT,
    mq.MQPMO_SET_IDENTITY_CONTEXT,
    mq.MQPMO_SET_ALL_CONTEXT,
)
_RESPONSE: Final = (mq.MQPMO_ASYNC_RESPONSE, mq.MQPMO_SYNC_RESPONSE)
_PUT_SYNCPOINT: Final = (mq.MQPMO_SYNCPOINT, mq.MQPMO_NO_SYNCPOINT)
_GET_SYNCPOINT: Final = (
    mq.MQGMO_SYNCPOINT,
    mq.MQGMO_NO_SYNCPOINT,
    mq.MQGMO_SYNCPOINT_IF_PERSISTENT,
)
_BROWSE: Final = (
    mq.MQGMO_BROWSE_FIRST,
    mq.MQGMO_BROWSE_NEXT,
    mq.MQGMO_BROWSE_MSG_UNDER_CURSOR,
    mq.MQGMO_MSG_UNDER_CURSOR,
)
_BROWSING: Final = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
_MARKS: Final = (
    mq.MQGMO_MARK_BROWSE_HANDLE
    | mq.MQGMO_MARK_BROWSE_CO_OP
    | mq.MQGMO_UNMARK_BROWSE_CO_OP
    | mq.MQGMO_UNMARK_BROWSE_HANDLE
    | mq.MQGMO_UNMARKED_BROWSE_MSG
)
_PROPERTIES: Final = (
    mq.MQGMO_PROPERTIES_FORCE_MQRFH2,
    mq.MQGMO_NO_PROPERTIES,
    mq.MQGMO_PROPERTIES_IN_HANDLE,
    mq.MQGMO_PROPERTIES_COMPATIBILITY,
)


def refuse(verb: str, detail: str) -> None:
    """MQRC_OPTIONS_ERROR."""
    raise mq_error(MQRC_OPTIONS_ERROR, verb=verb, detail=detail)


def check_known(verb: str, options: int) -> None:
    """No bit that the verb does not know, and none that is MQ's but not yet ours."""
    row = BY_NAME[verb]
    if options & row.options_later:
        refuse(verb, f"options 0x{options & row.options_later:08X} are not supported yet")
    if options & ~row.options:
        refuse(verb, f"unknown options 0x{options & ~row.options & 0xFFFFFFFF:08X}")


def check_at_most_one(verb: str, options: int, group: tuple[int, ...], name: str) -> None:
    """Of these, one or none."""
    given = 0
    for option in group:
        if options & option:
            given += 1
    if given > 1:
        refuse(verb, f"more than one {name} option in 0x{options:08X}")


def check_connect(options: int) -> None:
    """MQCNO."""
    verb = "MQCONNX"
    check_known(verb, options)
    check_at_most_one(verb, options, _BINDING, "binding")
    check_at_most_one(verb, options, _SHARING, "handle sharing")
    for pair in _CONNECT_PAIRS:
        if options & pair[0] and options & pair[1]:
            refuse(verb, f"options 0x{pair[0]:08X} and 0x{pair[1]:08X} exclude each other")


def check_open(options: int) -> None:
    """MQOO of a queue."""
    verb = "MQOPEN"
    check_known(verb, options)
    if not options & _SOMETHING:
        refuse(verb, "neither input, browse, output, inquire nor set")
    check_at_most_one(verb, options, _INPUT, "input")
    check_at_most_one(verb, options, _BIND, "bind")
    check_at_most_one(verb, options, _READ_AHEAD, "read ahead")
    reads = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE
    if options & mq.MQOO_SAVE_ALL_CONTEXT and not options & reads:
        refuse(verb, "MQOO_SAVE_ALL_CONTEXT without an input option")
    if options & _OUTPUT_ONLY and not options & mq.MQOO_OUTPUT:
        refuse(verb, "context options without MQOO_OUTPUT")
    if options & mq.MQOO_CO_OP and not options & mq.MQOO_BROWSE:
        refuse(verb, "MQOO_CO_OP without MQOO_BROWSE")


def check_widen(held: int, options: int) -> None:
    """MQOO that are added to those of an open queue."""
    check_open(held | options)
    if options & ~held & mq.MQOO_ALTERNATE_USER_AUTHORITY:
        refuse("MQOPEN", "the user of an open queue stays: MQOO_ALTERNATE_USER_AUTHORITY")


_INQUIRED: Final = {
    mq.MQOT_Q_MGR: "a queue manager",
    mq.MQOT_PROCESS: "a process",
    mq.MQOT_NAMELIST: "a namelist",
}


def check_names(od: ObjectDescriptor, verb: str) -> None:
    """What does not fit a field of an MQOD is the name of nothing. (MQRC_OBJECT_NAME_ERROR is about
    distribution lists; DynamicQName is looked at where a queue is made.)"""
    if not fits_field(od.object_qmgr_name):
        name = od.object_qmgr_name
        raise mq_error(MQRC_UNKNOWN_OBJECT_Q_MGR, verb=verb, object=name, detail=name_fault(name))
    if not fits_field(od.object_name):
        name = od.object_name
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=verb, object=name, detail=name_fault(name))


def check_object(od: ObjectDescriptor, options: int, verb: str) -> None:
    """MQOD and MQOO: version and type of the object, and what may be asked of such a one."""
    if not 1 <= od.version <= mq.MQOD_CURRENT_VERSION:
        raise mq_error(MQRC_OD_ERROR, verb=verb, detail=f"version {od.version}")
    check_names(od, verb)
    if od.records_present:
        raise _records_alone(od, verb)
    if od.object_type == mq.MQOT_Q or od.object_type == mq.MQOT_TOPIC:
        check_open(options)
        if options & mq.MQOO_NO_MULTICAST and od.object_type == mq.MQOT_Q:
            detail = "MQOO_NO_MULTICAST is for topics"
            raise mq_error(MQRC_OPTION_NOT_VALID_FOR_TYPE, verb=verb, detail=detail)
    elif od.object_type in _INQUIRED and verb != "MQPUT1":
        if not options & _SOMETHING:
            refuse(verb, "nothing is asked for")
        if options & ~(mq.MQOO_INQUIRE | mq.MQOO_FAIL_IF_QUIESCING):
            detail = f"{_INQUIRED[od.object_type]} can be opened for inquiry only"
            raise mq_error(MQRC_OPTION_NOT_VALID_FOR_TYPE, verb=verb, detail=detail)
    else:
        raise mq_error(MQRC_OBJECT_TYPE_ERROR, verb=verb, detail=f"type {od.object_type}")


def _records_alone(od: ObjectDescriptor, verb: str) -> MQError:
    """An MQOD that says how many object records there are, without any."""
    reason = MQRC_OBJECT_RECORDS_ERROR
    if od.records_present < 0 or od.object_type != mq.MQOT_Q:
        reason = MQRC_RECS_PRESENT_ERROR
    detail = f"RecsPresent {od.records_present}: open a distribution list with its destinations"
    return mq_error(reason, verb=verb, detail=detail)


def check_selection(od: ObjectDescriptor, options: int, verb: str) -> None:
    """A selection string is for gets and browses of a queue."""
    if od.object_type != mq.MQOT_Q or verb == "MQPUT1" or not options & _SELECTING:
        detail = "a selection string needs MQOO_INPUT_* or MQOO_BROWSE on a queue"
        raise mq_error(
            MQRC_SELECTOR_INVALID_FOR_TYPE, verb=verb, object=od.object_name, detail=detail
        )


def check_put(verb: str, options: int) -> None:
    """MQPMO."""
    check_known(verb, options)
    check_at_most_one(verb, options, _PUT_SYNCPOINT, "syncpoint")
    check_at_most_one(verb, options, CONTEXT_OPTIONS, "context")
    check_at_most_one(verb, options, _RESPONSE, "response")


def check_get(options: int) -> None:
    """MQGMO."""
    verb = "MQGET"
    check_known(verb, options)
    check_at_most_one(verb, options, _GET_SYNCPOINT, "syncpoint")
    check_at_most_one(verb, options, _BROWSE, "browse")
    check_at_most_one(verb, options, _PROPERTIES, "properties")
    browsing = options & _BROWSING
    if browsing and options & (mq.MQGMO_SYNCPOINT | mq.MQGMO_SYNCPOINT_IF_PERSISTENT):
        refuse(verb, "browse inside syncpoint")
    if options & mq.MQGMO_LOCK and not browsing:
        refuse(verb, "MQGMO_LOCK without a browse option")
    if options & mq.MQGMO_UNLOCK and options & ~(
        mq.MQGMO_UNLOCK | mq.MQGMO_NO_SYNCPOINT | mq.MQGMO_FAIL_IF_QUIESCING
    ):
        refuse(verb, "MQGMO_UNLOCK goes with no other option")
    if options & _MARKS and not browsing:
        refuse(verb, "mark options without a browse option")


def check_close(options: int) -> None:
    """MQCO."""
    check_known("MQCLOSE", options)
    check_at_most_one("MQCLOSE", options, (mq.MQCO_DELETE, mq.MQCO_DELETE_PURGE), "delete")
    check_at_most_one("MQCLOSE", options, (mq.MQCO_KEEP_SUB, mq.MQCO_REMOVE_SUB), "subscription")
