"""Events about topics: what a refused publisher or subscriber is reported with.

AdminTopicNames lists the topic objects that were asked, the closest to the topic first.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base import constants_all as all_mq
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.kernel.connection import Connection
from ternmq.kernel.topic_sink import TopicRefusal
from ternmq.values.multicast_figures import MulticastFigures

_I32_MAX: Final = 0x7FFFFFFF
# The parameters of a report of multicast, in the order of `MulticastFigures`.
_FIGURES: Final = (
    all_mq.MQIAMO_MSGS_RCVD,
    all_mq.MQIAMO_MSG_BYTES_RCVD,
    all_mq.MQIAMO_PKTS_PROCESSED,
    all_mq.MQIAMO_REPAIR_PKTS_RCVD,
    all_mq.MQIAMO_NACK_PKTS_SENT,
    all_mq.MQIAMO_PKTS_LOST,
    all_mq.MQIAMO_PKTS_DUPLICATED,
    all_mq.MQIAMO_PKTS_DROPPED,
)
# Of a publisher the first five are other ones, and the rest is 0.
_SENT: Final = (
    all_mq.MQIAMO_MSGS_SENT,
    all_mq.MQIAMO_BYTES_SENT,
    all_mq.MQIAMO_PKTS_SENT,
    all_mq.MQIAMO_REPAIR_PKTS,
    all_mq.MQIAMO_NACKS_RCVD,
)


def application_of(connection: Connection) -> list[Parameter]:
    """Type and name of the application."""
    name = connection.application[-mq.MQ_APPL_NAME_LENGTH :]
    return [
        pcf.integer(mq.MQIA_APPL_TYPE, mq.MQAT_UNIX),
        pcf.string(mq.MQCACF_APPL_NAME, name, mq.MQ_APPL_NAME_LENGTH),
    ]


def topic_parameters(topic_string: str, names: list[str]) -> list[Parameter]:
    """TopicString and AdminTopicNames."""
    return [
        pcf.string(mq.MQCA_TOPIC_STRING, topic_string),
        pcf.strings(mq.MQCACF_ADMIN_TOPIC_NAMES, names, mq.MQ_TOPIC_NAME_LENGTH),
    ]


def refused_topic(connection: Connection, refusal: TopicRefusal) -> list[Parameter]:
    """Not Authorized, types 2 (MQOPEN, MQPUT1), 3 (MQCLOSE), 5 and 6 (MQSUB)."""
    qualifier = refusal.qualifier
    found = [pcf.integer(mq.MQIACF_REASON_QUALIFIER, qualifier)]
    if qualifier == mq.MQRQ_OPEN_NOT_AUTHORIZED:
        found.append(pcf.integer(mq.MQIACF_OPEN_OPTIONS, refusal.options))
    elif qualifier != mq.MQRQ_CLOSE_NOT_AUTHORIZED:
        found.append(pcf.integer(mq.MQIACF_SUB_OPTIONS, refusal.options))
    found.append(pcf.string(mq.MQCACF_USER_IDENTIFIER, refusal.user, mq.MQ_USER_ID_LENGTH))
    found.extend(application_of(connection))
    if refusal.destination:  # type 6 has the queue instead of the topic objects
        found.append(pcf.string(mq.MQCA_TOPIC_STRING, refusal.topic_string))
        found.append(pcf.string(mq.MQCA_Q_NAME, refusal.destination, mq.MQ_Q_NAME_LENGTH))
        found.append(pcf.integer(mq.MQIACF_OPEN_OPTIONS, refusal.open_options))
        return found
    if refusal.sub_name:
        found.append(pcf.string(mq.MQCACF_SUB_NAME, refusal.sub_name))
    found.extend(topic_parameters(refusal.topic_string, refusal.names))
    return found


def multicast_parameters(
    topic_string: str,
    communication: str,
    figures: MulticastFigures,
    reliability: int,
    is_publisher: bool,
) -> list[Parameter]:
    """Multicast publisher or subscriber status."""
    width = mq.MQ_COMM_INFO_NAME_LENGTH
    found = [
        pcf.string(mq.MQCA_TOPIC_STRING, topic_string),
        pcf.string(mq.MQCA_COMM_INFO_NAME, communication, width),
        pcf.integer(mq.MQIACF_MCAST_REL_INDICATOR, reliability),
    ]
    names = _SENT if is_publisher else _FIGURES
    for selector, number in zip(names, figures, strict=False):
        found.append(pcf.integer(selector, min(number, _I32_MAX)))
    return found
