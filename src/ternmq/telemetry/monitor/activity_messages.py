"""Application activity trace as PCF messages: one about some calls of one connection.

Each has what is known of the application, then a group for each call with its operation (MQXF_),
time, completion code and reason, and the object and message that it was about: what MQ traces at
the level "medium". Topics: <root>/ActivityTrace/ApplName/<name>, ChannelName/<name>,
ConnectionId/<48 hexadecimal digits>.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.kernel.call_trace import OPEN, TracedCall
from ternmq.kernel.connection import Connection
from ternmq.kernel.inquire import COMMAND_LEVEL
from ternmq.telemetry.pcf.measurement_messages import date_text, time_text
from ternmq.telemetry.system_topics import activity_topics

CALLS_A_MESSAGE: Final = 100
MEDIUM: Final = 2  # MQ's level of detail
_START_DATE: Final = 2711
_START_TIME: Final = 2712
_END_DATE: Final = 2707
_END_TIME: Final = 2708
_HIGH_RESOLUTION: Final = 838  # MQIAMO64_HIGHRES_TIME: microseconds of Unix time
_APPLICATION: Final = 1  # MQXACT_EXTERNAL
_OTHER: Final = 0  # MQXE_OTHER
_CLIENT: Final = 3  # MQXE_MCA_SVRCONN
_POINTER_BYTES: Final = 8
_WITHOUT_MESSAGE: Final = -1


def activity_messages(
    qmgr_name: str, host_name: str, calls: list[TracedCall], sequences: dict[int, int]
) -> list[tuple[list[str], PCFMessage]]:
    """Messages about calls, in the order of each connection's, and their topics. `sequences` has
    the number of each connection's next message."""
    by_connection: dict[int, list[TracedCall]] = {}
    for call in calls:
        by_connection.setdefault(call.connection.connection_id, []).append(call)
    found: list[tuple[list[str], PCFMessage]] = []
    for number, of_one in by_connection.items():
        connection = of_one[0].connection
        for at in range(0, len(of_one), CALLS_A_MESSAGE):
            some = of_one[at : at + CALLS_A_MESSAGE]
            sequence = sequences.get(number, 0)
            sequences[number] = sequence + 1
            message = _message(qmgr_name, host_name, connection, some, sequence)
            found.append((activity_topics(qmgr_name, connection), message))
        if not connection.connected:
            sequences.pop(number, None)
    return found


def _message(
    qmgr_name: str, host_name: str, connection: Connection, calls: list[TracedCall], sequence: int
) -> PCFMessage:
    start_ns, end_ns = calls[0].at_ns, calls[-1].at_ns
    is_client = bool(connection.channel_name)
    parameters = [
        pcf.string(mq.MQCA_Q_MGR_NAME, qmgr_name, mq.MQ_Q_MGR_NAME_LENGTH),
        pcf.string(mq.MQCACF_HOST_NAME, host_name),
        pcf.string(_START_DATE, date_text(start_ns), 12),
        pcf.string(_START_TIME, time_text(start_ns), 8),
        pcf.string(_END_DATE, date_text(end_ns), 12),
        pcf.string(_END_TIME, time_text(end_ns), 8),
        pcf.integer(mq.MQIA_COMMAND_LEVEL, COMMAND_LEVEL),
        pcf.integer(mq.MQIACF_SEQUENCE_NUMBER, sequence),
        pcf.string(mq.MQCACF_APPL_NAME, connection.application, mq.MQ_APPL_NAME_LENGTH),
        pcf.integer(mq.MQIA_APPL_TYPE, mq.MQAT_UNIX),
        pcf.integer(mq.MQIACF_PROCESS_ID, connection.process_id),
        pcf.string(mq.MQCACF_USER_IDENTIFIER, connection.user),
        pcf.integer(mq.MQIACF_API_CALLER_TYPE, _APPLICATION),
        pcf.integer(mq.MQIACF_API_ENVIRONMENT, _CLIENT if is_client else _OTHER),
        pcf.byte_string(mq.MQBACF_CONNECTION_ID, connection.tag),
    ]
    if is_client:
        parameters += [
            pcf.string(mq.MQCACH_CHANNEL_NAME, connection.channel_name, 20),
            pcf.string(mq.MQCACH_CONNECTION_NAME, connection.connection_name),
            pcf.integer(mq.MQIACH_CHANNEL_TYPE, mq.MQCHT_SVRCONN),
        ]
    parameters += [
        pcf.integer(mq.MQIACF_TRACE_DETAIL, MEDIUM),
        pcf.integer(mq.MQIACF_TRACE_DATA_LENGTH, 0),
        pcf.integer(mq.MQIACF_POINTER_SIZE, _POINTER_BYTES),
        pcf.integer(mq.MQIA_PLATFORM, mq.MQPL_UNIX),
    ]
    parameters += [pcf.group(mq.MQGACF_ACTIVITY_TRACE, _call(one)) for one in calls]
    return PCFMessage(
        mq.MQCFT_APP_ACTIVITY,
        mq.MQCMD_ACTIVITY_TRACE,
        parameters,
        version=mq.MQCFH_VERSION_3,
    )


def _call(call: TracedCall) -> list[Parameter]:
    failed = mq.MQCC_FAILED if call.reason else mq.MQCC_OK
    found = [
        pcf.integer(mq.MQIACF_OPERATION_ID, call.operation),
        pcf.integer(mq.MQIACF_THREAD_ID, call.connection.thread_id),
        pcf.string(mq.MQCACF_OPERATION_DATE, date_text(call.at_ns), 12),
        pcf.string(mq.MQCACF_OPERATION_TIME, time_text(call.at_ns), 8),
        pcf.integer64(_HIGH_RESOLUTION, call.at_ns // 1000),
        pcf.integer(mq.MQIACF_COMP_CODE, failed),
        pcf.integer(mq.MQIACF_REASON_CODE, call.reason),
    ]
    if call.object_type:
        found += [
            pcf.integer(mq.MQIACF_HOBJ, call.handle_id),
            pcf.integer(mq.MQIACF_OBJECT_TYPE, call.object_type),
            pcf.string(mq.MQCACF_OBJECT_NAME, call.object_name, mq.MQ_OBJECT_NAME_LENGTH),
            pcf.string(mq.MQCACF_RESOLVED_LOCAL_Q_NAME, call.resolved_name, mq.MQ_Q_NAME_LENGTH),
        ]
    if call.topic_string:
        found.append(pcf.string(mq.MQCA_TOPIC_STRING, call.topic_string))
    if call.operation == OPEN:
        found.append(pcf.integer(mq.MQIACF_OPEN_OPTIONS, call.options))
    return found + _message_parameters(call)


def _message_parameters(call: TracedCall) -> list[Parameter]:
    if call.length == _WITHOUT_MESSAGE:
        return []
    found = [
        pcf.integer(mq.MQIACF_MSG_LENGTH, call.length),
        pcf.byte_string(mq.MQBACF_MSG_ID, call.msg_id),
        pcf.byte_string(mq.MQBACF_CORREL_ID, call.correl_id),
    ]
    if call.base:
        descriptor = Descriptor.unpack(call.base)
        found += [
            pcf.integer(mq.MQIACF_MSG_TYPE, descriptor.msg_type),
            pcf.integer(mq.MQIACF_PERSISTENCE, descriptor.persistence),
            pcf.integer(mq.MQIACF_PRIORITY, descriptor.priority),
            pcf.string(mq.MQCACH_FORMAT_NAME, descriptor.format, mq.MQ_FORMAT_LENGTH),
        ]
    return found
