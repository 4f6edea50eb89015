"""Trace-route messages and activity reports: what is in them, and their bytes.

A trace-route message is PCF (MQCFH, type MQCFT_TRACE_ROUTE), alone (format MQADMIN) or in an MQEPH
(format MQHEPCF) with other data behind it. It has the group TraceRoute, whose numbers say what is
asked for and what was counted so far, and may have a group Activity for each thing that was done.
An activity report is an MQEPH with one group Activity and, of a trace-route message, TraceRoute.

MQEPH: at 0 eye-catcher "EPH ", 4 version, 8 length with all PCF structures, 12 encoding, 16 ccsid,
20 format c8 of what follows, 28 flags, 32 the MQCFH, then its structures.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.ids import put_stamp
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage, unpack_header, unpack_pcf

EPH_HEAD_BYTES: Final = 32  # before the MQCFH
_HEAD: Final[dict[str, struct.Struct]] = {
    LITTLE: struct.Struct("<4siiii8si"),
    BIG: struct.Struct(">4siiii8si"),
}
PARTS_MAX: Final = 20_000  # structures in one message
_NUMBERS: Final = (
    mq.MQIACF_ROUTE_DETAIL,
    mq.MQIACF_RECORDED_ACTIVITIES,
    mq.MQIACF_UNRECORDED_ACTIVITIES,
    mq.MQIACF_DISCONTINUITY_COUNT,
    mq.MQIACF_MAX_ACTIVITIES,
    mq.MQIACF_ROUTE_ACCUMULATION,
    mq.MQIACF_ROUTE_FORWARDING,
    mq.MQIACF_ROUTE_DELIVERY,
)


@final
class TraceRoute:
    """A trace-route message; of an activity report, what the group TraceRoute says."""

    def __init__(self) -> None:
        self.detail = mq.MQROUTE_DETAIL_MEDIUM
        self.recorded = 0
        self.unrecorded = 0
        self.discontinuities = 0
        self.activities_max = mq.MQROUTE_UNLIMITED_ACTIVITIES
        self.accumulation = mq.MQROUTE_ACCUMULATE_NONE
        self.forwarding = mq.MQROUTE_FORWARD_IF_SUPPORTED
        self.delivery = mq.MQROUTE_DELIVER_NO
        self.more: list[Parameter] = []  # of the group, which applications have added
        self.activities: list[Parameter] = []
        # how it was written
        self.is_embedded = False
        self.order = LITTLE
        self.ccsid = UTF8
        self.following = (mq.MQENC_NATIVE, UTF8, b" " * 8)  # encoding, ccsid, format of `tail`
        self.tail = b""

    @property
    def accumulates(self) -> bool:
        """Whether activities are added to the message."""
        return self.accumulation in (
            mq.MQROUTE_ACCUMULATE_IN_MSG,
            mq.MQROUTE_ACCUMULATE_AND_REPLY,
        )

    @property
    def replies(self) -> bool:
        """Whether its end makes a trace-route reply message."""
        return self.accumulation == mq.MQROUTE_ACCUMULATE_AND_REPLY

    @property
    def count(self) -> int:
        """All activities so far."""
        return self.recorded + self.unrecorded + self.discontinuities

    def group(self) -> Parameter:
        """The group TraceRoute."""
        values = (
            self.detail,
            self.recorded,
            self.unrecorded,
            self.discontinuities,
            self.activities_max,
            self.accumulation,
            self.forwarding,
            self.delivery,
        )
        members = [pcf.integer(one, value) for one, value in zip(_NUMBERS, values, strict=True)]
        return pcf.group(mq.MQGACF_TRACE_ROUTE, members + self.more)

    def message(self) -> PCFMessage:
        """The PCF of the message."""
        parameters = [self.group(), *self.activities]
        return PCFMessage(
            mq.MQCFT_TRACE_ROUTE,
            mq.MQCMD_TRACE_ROUTE,
            parameters,
            version=mq.MQCFH_VERSION_3,
        )

    def message_bytes(self) -> bytes:
        """These, in the byte order and character set in which it was read."""
        return self.message().pack(self.order, self.ccsid)

    def pack(self) -> bytes:
        """The data of the message, written as it was."""
        packed = self.message_bytes()
        if not self.is_embedded:
            return packed
        encoding, ccsid, format = self.following
        return embedded(packed, self.order, encoding, ccsid, format) + self.tail

    def take(self, group: Parameter) -> None:
        """What a group TraceRoute says."""
        found: dict[int, int] = {}
        self.more = []
        for one in group.members:
            if one.parameter in _NUMBERS:
                found[one.parameter] = one.number
            else:
                self.more.append(one)
        self.detail = found.get(mq.MQIACF_ROUTE_DETAIL, self.detail)
        self.recorded = found.get(mq.MQIACF_RECORDED_ACTIVITIES, 0)
        self.unrecorded = found.get(mq.MQIACF_UNRECORDED_ACTIVITIES, 0)
        self.discontinuities = found.get(mq.MQIACF_DISCONTINUITY_COUNT, 0)
        self.activities_max = found.get(mq.MQIACF_MAX_ACTIVITIES, 0)
        self.accumulation = found.get(mq.MQIACF_ROUTE_ACCUMULATION, self.accumulation)
        self.forwarding = found.get(mq.MQIACF_ROUTE_FORWARDING, self.forwarding)
        self.delivery = found.get(mq.MQIACF_ROUTE_DELIVERY, self.delivery)


def embedded(packed: bytes, order: str, encoding: int, ccsid: int, format: bytes) -> bytes:
    """PCF as an MQEPH before data with that encoding, character set and format."""
    length = EPH_HEAD_BYTES + len(packed)
    flags = mq.MQEPH_CCSID_EMBEDDED
    head = _HEAD[order].pack(
        mq.MQEPH_STRUC_ID, mq.MQEPH_VERSION_1, length, encoding, ccsid, format, flags
    )
    return head + packed


def order_of(encoding: int) -> str:
    """The byte order of the integers of some data."""
    is_native = encoding & mq.MQENC_INTEGER_MASK == mq.MQENC_INTEGER_REVERSED
    return LITTLE if is_native else BIG


def read_trace_route(format: str, data: bytes, encoding: int, ccsid: int) -> TraceRoute | None:
    """The trace-route message in this data; None if it is something else."""
    order = order_of(encoding)
    found = _pcf_of(format, data, order)
    if found is None:
        return None
    trace = TraceRoute()
    trace.order = order
    trace.ccsid = ccsid if ccsid > 0 else UTF8
    packed, end = found
    try:
        head, _ = unpack_header(packed, order)
        if head.kind != mq.MQCFT_TRACE_ROUTE or head.command != mq.MQCMD_TRACE_ROUTE:
            return None
        message = unpack_pcf(packed, order, trace.ccsid, PARTS_MAX)
    except MQError:
        return None
    group = message.find(mq.MQGACF_TRACE_ROUTE)
    if group is None:
        return None
    trace.take(group)
    trace.activities = [one for one in message.parameters if one is not group]
    if end:
        trace.is_embedded = True
        _, _, _, after, of_text, kind, _ = _HEAD[order].unpack_from(data)
        trace.following = (after, of_text, kind)
        trace.tail = data[end:]
    return trace


def read_report(data: bytes, encoding: int, ccsid: int) -> PCFMessage | None:
    """The PCF of an activity report; None if it is something else."""
    order = order_of(encoding)
    found = _pcf_of(mq.MQFMT_EMBEDDED_PCF, data, order)
    if found is None:
        return None
    try:
        message = unpack_pcf(found[0], order, ccsid if ccsid > 0 else UTF8, PARTS_MAX)
    except MQError:
        return None
    return message if message.command == mq.MQCMD_ACTIVITY_MSG else None


def _pcf_of(format: str, data: bytes, order: str) -> tuple[bytes, int] | None:
    """The PCF in some data, and the length of the MQEPH that it is in; 0: it is all of the data."""
    if format == mq.MQFMT_ADMIN:
        return data, 0
    if format != mq.MQFMT_EMBEDDED_PCF or len(data) < mq.MQEPH_LENGTH_1:
        return None
    eye_catcher, version, length, _, _, _, _ = _HEAD[order].unpack_from(data)
    if eye_catcher != mq.MQEPH_STRUC_ID or version != mq.MQEPH_VERSION_1:
        return None
    if not mq.MQEPH_LENGTH_1 <= length <= len(data):
        return None
    return data[EPH_HEAD_BYTES:length], length


# ---- activities


def activity(
    appl_name: str, appl_type: int, description: str, operations: list[Parameter]
) -> Parameter:
    """The group Activity."""
    members = [
        pcf.string(mq.MQCACF_APPL_NAME, appl_name[:28], mq.MQ_APPL_NAME_LENGTH),
        pcf.integer(mq.MQIA_APPL_TYPE, appl_type),
        pcf.string(mq.MQCACF_ACTIVITY_DESC, description[:64], 64),
    ]
    return pcf.group(mq.MQGACF_ACTIVITY, members + operations)


def operation(
    kind: int, now_ns: int, qmgr: str, message: Parameter, more: list[Parameter]
) -> Parameter:
    """The group Operation: MQOPER_, when, on which message, at which queue manager."""
    stamp = put_stamp(now_ns).decode("ascii")
    date = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}"
    time = f"{stamp[8:10]}:{stamp[10:12]}:{stamp[12:14]}"
    members = [
        pcf.integer(mq.MQIACF_OPERATION_TYPE, kind),
        pcf.string(mq.MQCACF_OPERATION_DATE, date, mq.MQ_DATE_LENGTH),
        pcf.string(mq.MQCACF_OPERATION_TIME, time, mq.MQ_TIME_LENGTH),
        message,
        name_of(mq.MQCA_Q_MGR_NAME, qmgr),
    ]
    return pcf.group(mq.MQGACF_OPERATION, members + more)


def name_of(parameter: int, name: str) -> Parameter:
    """The name of a queue or queue manager."""
    return pcf.string(parameter, name, mq.MQ_Q_NAME_LENGTH)


def message_group(length: int, outer: Descriptor, inner: Descriptor | None) -> Parameter:
    """The group Message: its length and its MQMD; on a transmission queue, the one in the MQXQH
    too."""
    members = [
        pcf.integer(mq.MQIACF_MSG_LENGTH, length),
        pcf.group(mq.MQGACF_MQMD, _fields(outer)),
    ]
    if inner is not None:
        members.append(pcf.group(mq.MQGACF_EMBEDDED_MQMD, _fields(inner)))
    return pcf.group(mq.MQGACF_MESSAGE, members)


def _fields(md: Descriptor) -> list[Parameter]:
    fields = [
        pcf.string(mq.MQCACF_STRUC_ID, "MD", 4),
        pcf.integer(mq.MQIACF_VERSION, md.version),
        pcf.integer(mq.MQIACF_REPORT, md.report),
        pcf.integer(mq.MQIACF_MSG_TYPE, md.msg_type),
        pcf.integer(mq.MQIACF_EXPIRY, md.expiry),
        pcf.integer(mq.MQIACF_FEEDBACK, md.feedback),
        pcf.integer(mq.MQIACF_ENCODING, md.encoding),
        pcf.integer(mq.MQIA_CODED_CHAR_SET_ID, md.ccsid),
        pcf.string(mq.MQCACH_FORMAT_NAME, md.format, mq.MQ_FORMAT_LENGTH),
        pcf.integer(mq.MQIACF_PRIORITY, md.priority),
        pcf.integer(mq.MQIACF_PERSISTENCE, md.persistence),
        pcf.byte_string(mq.MQBACF_MSG_ID, md.msg_id),
        pcf.byte_string(mq.MQBACF_CORREL_ID, md.correl_id),
        pcf.integer(mq.MQIACF_BACKOUT_COUNT, md.backout_count),
        name_of(mq.MQCACF_REPLY_TO_Q, md.reply_to_queue),
        name_of(mq.MQCACF_REPLY_TO_Q_MGR, md.reply_to_qmgr),
        pcf.string(mq.MQCACF_USER_IDENTIFIER, md.user_id, mq.MQ_USER_ID_LENGTH),
        pcf.byte_string(mq.MQBACF_ACCOUNTING_TOKEN, md.accounting_token),
        pcf.string(mq.MQCACF_APPL_IDENTITY_DATA, md.appl_identity_data, 32),
        pcf.integer(mq.MQIA_APPL_TYPE, md.put_appl_type),
        pcf.string(mq.MQCACF_APPL_NAME, md.put_appl_name, mq.MQ_APPL_NAME_LENGTH),
        pcf.string(mq.MQCACF_PUT_DATE, md.put_date, mq.MQ_PUT_DATE_LENGTH),
        pcf.string(mq.MQCACF_PUT_TIME, md.put_time, mq.MQ_PUT_TIME_LENGTH),
        pcf.string(mq.MQCACF_APPL_ORIGIN_DATA, md.appl_origin_data, 4),
    ]
    if md.version > 1:
        fields += [
            pcf.byte_string(mq.MQBACF_GROUP_ID, md.group_id),
            pcf.integer(mq.MQIACH_MSG_SEQUENCE_NUMBER, md.msg_seq_number),
            pcf.integer(mq.MQIACF_OFFSET, md.offset),
            pcf.integer(mq.MQIACF_MSG_FLAGS, md.msg_flags),
            pcf.integer(mq.MQIACF_ORIGINAL_LENGTH, md.original_length),
        ]
    return fields


def activity_report(one: Parameter, trace: TraceRoute | None) -> bytes:
    """The data of an activity report."""
    parameters = [one] if trace is None else [one, trace.group()]
    message = PCFMessage(
        mq.MQCFT_REPORT, mq.MQCMD_ACTIVITY_MSG, parameters, version=mq.MQCFH_VERSION_3
    )
    return embedded(message.pack(), LITTLE, mq.MQENC_NATIVE, UTF8, b" " * 8)
