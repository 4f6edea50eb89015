"""What dspmqrte shows of activities: a line for each queue, an outline, all parameters, or JSON.

An activity is a PCF group, as agents record it (see `codec.pcf.trace_route`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ternmq.base import constants as mq
from ternmq.base.message_table import message_line
from ternmq.codec.pcf.parameter import Parameter

RULE: Final = "-" * 80
OPERATIONS: Final = {
    mq.MQOPER_BROWSE: "Browse",
    mq.MQOPER_DISCARD: "Discard",
    mq.MQOPER_GET: "Get",
    mq.MQOPER_PUT: "Put",
    mq.MQOPER_PUT_REPLY: "Put Reply",
    mq.MQOPER_PUT_REPORT: "Put Report",
    mq.MQOPER_RECEIVE: "Receive",
    mq.MQOPER_SEND: "Send",
    mq.MQOPER_TRANSFORM: "Transform",
}
GROUPS: Final = {
    mq.MQGACF_ACTIVITY: "Activity",
    mq.MQGACF_OPERATION: "Operation",
    mq.MQGACF_MESSAGE: "Message",
    mq.MQGACF_MQMD: "MQMD",
    mq.MQGACF_EMBEDDED_MQMD: "EmbeddedMQMD",
    mq.MQGACF_TRACE_ROUTE: "TraceRoute",
}
_DESCRIPTORS: Final = (mq.MQGACF_MQMD, mq.MQGACF_EMBEDDED_MQMD)
_NAMES: Final = {
    mq.MQCACF_APPL_NAME: "ApplName",
    mq.MQIA_APPL_TYPE: "ApplType",
    mq.MQCACF_ACTIVITY_DESC: "ActivityDesc",
    mq.MQIACF_OPERATION_TYPE: "OperationType",
    mq.MQCACF_OPERATION_DATE: "OperationDate",
    mq.MQCACF_OPERATION_TIME: "OperationTime",
    mq.MQCA_Q_MGR_NAME: "QMgrName",
    mq.MQCA_Q_NAME: "QName",
    mq.MQCACF_RESOLVED_Q_NAME: "ResolvedQName",
    mq.MQCA_REMOTE_Q_NAME: "RemoteQName",
    mq.MQCA_REMOTE_Q_MGR_NAME: "RemoteQMgrName",
    mq.MQCACH_CHANNEL_NAME: "ChannelName",
    mq.MQIACH_CHANNEL_TYPE: "ChannelType",
    mq.MQCACH_XMIT_Q_NAME: "XmitQName",
    mq.MQIACF_FEEDBACK: "Feedback",
    mq.MQIACF_MSG_LENGTH: "MsgLength",
    mq.MQCACF_STRUC_ID: "StrucId",
    mq.MQIACF_VERSION: "Version",
    mq.MQIACF_REPORT: "Report",
    mq.MQIACF_MSG_TYPE: "MsgType",
    mq.MQIACF_EXPIRY: "Expiry",
    mq.MQIACF_ENCODING: "Encoding",
    mq.MQIA_CODED_CHAR_SET_ID: "CodedCharSetId",
    mq.MQCACH_FORMAT_NAME: "Format",
    mq.MQIACF_PRIORITY: "Priority",
    mq.MQIACF_PERSISTENCE: "Persistence",
    mq.MQBACF_MSG_ID: "MsgId",
    mq.MQBACF_CORREL_ID: "CorrelId",
    mq.MQIACF_BACKOUT_COUNT: "BackoutCount",
    mq.MQCACF_REPLY_TO_Q: "ReplyToQ",
    mq.MQCACF_REPLY_TO_Q_MGR: "ReplyToQMgr",
    mq.MQCACF_USER_IDENTIFIER: "UserIdentifier",
    mq.MQBACF_ACCOUNTING_TOKEN: "AccountingToken",
    mq.MQCACF_APPL_IDENTITY_DATA: "ApplIdentityData",
    mq.MQCACF_PUT_DATE: "PutDate",
    mq.MQCACF_PUT_TIME: "PutTime",
    mq.MQCACF_APPL_ORIGIN_DATA: "ApplOriginData",
    mq.MQBACF_GROUP_ID: "GroupId",
    mq.MQIACH_MSG_SEQUENCE_NUMBER: "MsgSeqNumber",
    mq.MQIACF_OFFSET: "Offset",
    mq.MQIACF_MSG_FLAGS: "MsgFlags",
    mq.MQIACF_ORIGINAL_LENGTH: "OriginalLength",
    mq.MQIACF_ROUTE_DETAIL: "Detail",
    mq.MQIACF_RECORDED_ACTIVITIES: "RecordedActivities",
    mq.MQIACF_UNRECORDED_ACTIVITIES: "UnrecordedActivities",
    mq.MQIACF_DISCONTINUITY_COUNT: "DiscontinuityCount",
    mq.MQIACF_MAX_ACTIVITIES: "MaxActivities",
    mq.MQIACF_ROUTE_ACCUMULATION: "Accumulate",
    mq.MQIACF_ROUTE_FORWARDING: "Forward",
    mq.MQIACF_ROUTE_DELIVERY: "Deliver",
}
_IN_DESCRIPTORS: Final = {
    mq.MQCACF_APPL_NAME: "PutApplName",
    mq.MQIA_APPL_TYPE: "PutApplType",
}
# What an outline has, and what each word after `-v outline` adds.
_OUTLINE: Final = frozenset(
    (
        mq.MQCACF_APPL_NAME,
        mq.MQIACF_OPERATION_TYPE,
        mq.MQCA_Q_MGR_NAME,
        mq.MQCA_Q_NAME,
        mq.MQCACF_RESOLVED_Q_NAME,
        mq.MQCA_REMOTE_Q_NAME,
        mq.MQCA_REMOTE_Q_MGR_NAME,
        mq.MQCACH_CHANNEL_NAME,
        mq.MQIACH_CHANNEL_TYPE,
        mq.MQCACH_XMIT_Q_NAME,
        mq.MQIACF_FEEDBACK,
    )
)
IDENTIFIERS: Final = "identifiers"
ALL_OF: Final = {
    "activity": mq.MQGACF_ACTIVITY,
    "operation": mq.MQGACF_OPERATION,
    "message": mq.MQGACF_MESSAGE,
    "traceroute": mq.MQGACF_TRACE_ROUTE,
}
WORDS: Final = (*ALL_OF, IDENTIFIERS)


def find(group: Parameter, parameter: int) -> Parameter | None:
    """A member of a group."""
    return next((one for one in group.members if one.parameter == parameter), None)


def text_of(group: Parameter, parameter: int) -> str:
    """A text of a group; empty without it."""
    found = find(group, parameter)
    return "" if found is None else found.text


def number_of(group: Parameter, parameter: int) -> int:
    """A number of a group; 0 without it."""
    found = find(group, parameter)
    return 0 if found is None else found.number


def operations(activity: Parameter) -> list[Parameter]:
    """The operations of an activity."""
    return [one for one in activity.members if one.parameter == mq.MQGACF_OPERATION]


def is_end(activity: Parameter) -> bool:
    """Whether the message goes no further: it was discarded, or put on a queue that is
    not a transmission queue."""
    for one in operations(activity):
        kind = number_of(one, mq.MQIACF_OPERATION_TYPE)
        if kind == mq.MQOPER_DISCARD:
            return True
        if kind == mq.MQOPER_PUT and not text_of(one, mq.MQCA_REMOTE_Q_MGR_NAME):
            return True
    return False


def summary(activity: Parameter) -> Iterator[str]:
    """A line for each queue that it reached."""
    for one in operations(activity):
        kind = number_of(one, mq.MQIACF_OPERATION_TYPE)
        qmgr = text_of(one, mq.MQCA_Q_MGR_NAME)
        if kind == mq.MQOPER_PUT:
            queue = text_of(one, mq.MQCACF_RESOLVED_Q_NAME) or text_of(one, mq.MQCA_Q_NAME)
            yield message_line("AMQ8666I", (queue, qmgr))
        elif kind == mq.MQOPER_DISCARD:
            name = text_of(activity, mq.MQCACF_APPL_NAME)
            feedback = number_of(one, mq.MQIACF_FEEDBACK)
            yield message_line("AMQ8661W", (name, qmgr, feedback))


def lines(group: Parameter, words: Iterable[str], is_all: bool) -> list[str]:
    """A group as an outline with what some words add, or with every parameter."""
    whole = {ALL_OF[word] for word in words if word in ALL_OF}
    if mq.MQGACF_MESSAGE in whole:
        whole.update(_DESCRIPTORS)
    shows_ids = IDENTIFIERS in set(words)
    return _lines(group, 0, whole, shows_ids, is_all)


def _lines(
    group: Parameter, depth: int, whole: set[int], shows_ids: bool, is_all: bool
) -> list[str]:
    found: list[str] = []
    indent = " " * (depth + 1)
    for one in group.members:
        if one.parameter in GROUPS:
            inner = _lines(one, depth + 1, whole, shows_ids, is_all)
            if inner:
                found += ["", *inner] if one.parameter == mq.MQGACF_OPERATION else inner
        elif is_all or group.parameter in whole or _is_in_outline(group, one, shows_ids):
            found.append(f"{indent}{name_of(group, one)}: {shown(one)}")
    if not found:
        return []
    return [f"{' ' * depth}{GROUPS.get(group.parameter, str(group.parameter))}:", *found]


def _is_in_outline(group: Parameter, one: Parameter, shows_ids: bool) -> bool:
    if group.parameter in _DESCRIPTORS:
        return shows_ids and one.parameter in (mq.MQBACF_MSG_ID, mq.MQBACF_CORREL_ID)
    if group.parameter == mq.MQGACF_TRACE_ROUTE:
        return False
    return one.parameter in _OUTLINE


def name_of(group: Parameter, one: Parameter) -> str:
    """What a parameter is called; its number if that is not known."""
    if group.parameter in _DESCRIPTORS and one.parameter in _IN_DESCRIPTORS:
        return _IN_DESCRIPTORS[one.parameter]
    return _NAMES.get(one.parameter, str(one.parameter))


def shown(one: Parameter) -> str:
    """The value of a parameter as people read it."""
    if one.parameter == mq.MQIACF_OPERATION_TYPE:
        return OPERATIONS.get(one.number, str(one.number))
    value = one.value
    if isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    return f"'{value}'" if isinstance(value, str) else str(value)


def as_json(group: Parameter) -> dict[str, object]:
    """A group for programs: every parameter by its name; operations as a list."""
    found: dict[str, object] = {}
    listed: list[dict[str, object]] = []
    for one in group.members:
        if one.parameter == mq.MQGACF_OPERATION:
            listed.append(as_json(one))
        elif one.parameter in GROUPS:
            found[GROUPS[one.parameter]] = as_json(one)
        elif one.parameter == mq.MQIACF_OPERATION_TYPE:
            found[name_of(group, one)] = shown(one)
        else:
            value = one.value
            found[name_of(group, one)] = value.hex() if isinstance(value, bytes) else value
    if listed:
        found["Operations"] = listed
    return found
