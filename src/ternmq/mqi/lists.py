"""What MQOPEN, MQPUT and MQPUT1 check of a distribution list, before any destination is looked
at."""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_GROUP_ID_ERROR,
    MQRC_OBJECT_NAME_ERROR,
    MQRC_OBJECT_Q_MGR_NAME_ERROR,
    MQRC_OD_ERROR,
    MQRC_PMO_RECORD_FLAGS_ERROR,
    MQRC_RECS_PRESENT_ERROR,
)
from ternmq.codec.mqi.list_records import PUT_RECORD_FIELDS
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.kernel.list_requests import is_in_group
from ternmq.kernel.requests import PutRequest
from ternmq.mqi.options import check_open, refuse
from ternmq.values.entry import ZERO_ID

LIST_OPTIONS: Final = (
    mq.MQOO_OUTPUT
    | mq.MQOO_PASS_IDENTITY_CONTEXT
    | mq.MQOO_PASS_ALL_CONTEXT
    | mq.MQOO_SET_IDENTITY_CONTEXT
    | mq.MQOO_SET_ALL_CONTEXT
    | mq.MQOO_ALTERNATE_USER_AUTHORITY
    | mq.MQOO_FAIL_IF_QUIESCING
    | mq.MQOO_BIND_ON_OPEN
    | mq.MQOO_BIND_NOT_FIXED
    | mq.MQOO_BIND_ON_GROUP
)
_SETS_CONTEXT: Final = mq.MQPMO_SET_IDENTITY_CONTEXT | mq.MQPMO_SET_ALL_CONTEXT


def check_list(od: ObjectDescriptor, options: int, verb: str) -> None:
    """MQOD and MQOO of a list: queues, for output."""
    if not mq.MQOD_VERSION_2 <= od.version <= mq.MQOD_CURRENT_VERSION:
        raise mq_error(MQRC_OD_ERROR, verb=verb, detail=f"version {od.version}")
    if od.object_type != mq.MQOT_Q:
        detail = f"ObjectType {od.object_type}: a distribution list is of queues (MQOT_Q)"
        raise mq_error(MQRC_RECS_PRESENT_ERROR, verb=verb, detail=detail)
    if od.object_name:
        detail = "the object records name the queues; leave ObjectName blank"
        raise mq_error(MQRC_OBJECT_NAME_ERROR, verb=verb, object=od.object_name, detail=detail)
    if od.object_qmgr_name:
        name = od.object_qmgr_name
        detail = "the object records name the queue managers; leave ObjectQMgrName blank"
        raise mq_error(MQRC_OBJECT_Q_MGR_NAME_ERROR, verb=verb, object=name, detail=detail)
    check_open(options)
    if verb == "MQOPEN" and options & ~LIST_OPTIONS:
        refuse(verb, f"options 0x{options & ~LIST_OPTIONS:08X} are not for distribution lists")
    if not options & mq.MQOO_OUTPUT:
        refuse(verb, "a distribution list is opened for output")


def check_put_records(
    request: PutRequest, fields: int, records: int, destinations: int, verb: str
) -> None:
    """PutMsgRecFields, and the GroupId that the messages would share."""
    if fields & ~PUT_RECORD_FIELDS:
        detail = f"PutMsgRecFields 0x{fields & 0xFFFFFFFF:08X} has an unknown bit"
        raise mq_error(MQRC_PMO_RECORD_FLAGS_ERROR, verb=verb, detail=detail)
    if fields & mq.MQPMRF_ACCOUNTING_TOKEN and not request.options & _SETS_CONTEXT:
        detail = "an AccountingToken in put message records needs MQPMO_SET_IDENTITY_CONTEXT or "
        detail += "MQPMO_SET_ALL_CONTEXT"
        raise mq_error(MQRC_PMO_RECORD_FLAGS_ERROR, verb=verb, detail=detail)
    has_groups = fields & mq.MQPMRF_GROUP_ID != 0 and records >= destinations
    if has_groups or request.group_id == ZERO_ID or not is_in_group(request):
        return
    if not request.options & mq.MQPMO_LOGICAL_ORDER:
        detail = "GroupId of the descriptor would be that of all destinations: leave it empty, or "
        detail += "give each its own in the put message records"
        raise mq_error(MQRC_GROUP_ID_ERROR, verb=verb, detail=detail)
