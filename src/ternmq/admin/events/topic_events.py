"""Events about topics: what a refused publisher or subscriber is reported with.

AdminTopicNames lists the topic objects that were asked, the closest to the topic first.
"""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.kernel.connection import Connection
from ternmq.kernel.topic_sink import TopicRefusal


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
