"""Multicast at the queue manager: which handles publish or receive by it, and what they must know.

Messages of such handles go from client to client and do not pass here. Only a client that said at
MQCONN that it can (`Connection.takes_multicast`) has such handles; to every other application
MCAST(ENABLED) means an ordinary topic, and MCAST(ONLY) is MQRC_MULTICAST_ONLY.
"""

from __future__ import annotations

import struct
from hashlib import blake2s
from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.group_address import is_group_address, without_leading_zeros
from ternmq.base.object_types import COMMINFO
from ternmq.base.reasons import (
    MQRC_COMMINFO_ERROR,
    MQRC_GROUP_ADDRESS_ERROR,
    MQRC_GROUPING_NOT_ALLOWED,
    MQRC_MULTICAST_ONLY,
    MQRC_SYNCPOINT_NOT_ALLOWED,
    MQRC_TOPIC_STRING_ERROR,
)
from ternmq.codec.mqi.mqmd import MSG_FLAGS_AT
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.requests import PutRequest
from ternmq.pubsub.subscription import SubscriptionTerms
from ternmq.pubsub.topic_attributes import TopicAttributes
from ternmq.store.catalog import Definition
from ternmq.values.multicast_terms import MULTICAST_TOPIC_CHARACTERS_MAX, MulticastTerms

_LONG: Final = struct.Struct("<i")
_GROUPED: Final = mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP
_PORT_USUAL: Final = 1414
_SHOWN: Final = mq.MQ_TOPIC_NAME_LENGTH


def publishes_by_multicast(
    kernel: Kernel,
    connection: Connection,
    attributes: TopicAttributes,
    topic_string: str,
    options: int,
    verb: str,
    is_alias: bool,
) -> bool:
    """Whether a topic that is opened is published to by multicast; raises if it may not be
    opened like this."""
    if attributes.multicast == mq.MQMC_DISABLED:
        return False
    wants_none = options & mq.MQOO_NO_MULTICAST != 0
    direct = connection.takes_multicast and not wants_none
    direct = direct and not is_alias and verb == "MQOPEN"
    if attributes.multicast == mq.MQMC_ONLY and not direct:
        raise only_multicast(topic_string, verb)
    if not wants_none:
        check_length(topic_string, verb)
    if direct:
        communication_of(kernel, attributes, verb)
    return direct


def receives_by_multicast(
    kernel: Kernel,
    connection: Connection,
    attributes: TopicAttributes,
    topic_string: str,
    terms: SubscriptionTerms,
    options: int,
    verb: str,
) -> bool:
    """The same of a subscription: only managed ones that are not durable can be."""
    if attributes.multicast == mq.MQMC_DISABLED or terms.is_durable:
        return False
    direct = connection.takes_multicast and not options & mq.MQSO_NO_MULTICAST
    if not direct or not terms.is_managed or terms.is_shared:
        if attributes.multicast == mq.MQMC_ONLY:
            raise only_multicast(topic_string, verb)
        return False
    check_length(topic_string, verb)
    communication_of(kernel, attributes, verb)
    return True


def only_multicast(topic_string: str, verb: str) -> MQError:
    """MQRC_MULTICAST_ONLY."""
    detail = "MCAST(ONLY): a client must open it, or subscribe with a managed queue"
    return mq_error(MQRC_MULTICAST_ONLY, verb=verb, object=topic_string[:_SHOWN], detail=detail)


def check_length(topic_string: str, verb: str) -> None:
    """Topic strings of multicast are short."""
    if len(topic_string) > MULTICAST_TOPIC_CHARACTERS_MAX:
        limit = MULTICAST_TOPIC_CHARACTERS_MAX
        detail = f"{len(topic_string)} characters, multicast allows {limit}"
        raise mq_error(
            MQRC_TOPIC_STRING_ERROR, verb=verb, object=topic_string[:_SHOWN], detail=detail
        )


def communication_of(kernel: Kernel, attributes: TopicAttributes, verb: str) -> Definition:
    """The COMMINFO object of a topic."""
    name = attributes.communication
    found = kernel.catalog.find(COMMINFO, name)
    if found is None:
        raise mq_error(MQRC_COMMINFO_ERROR, verb=verb, object=name, detail="it does not exist")
    address = found.text("group_address")
    if not is_group_address(address):
        detail = f"GRPADDR({address}) is not a multicast group address"
        raise mq_error(MQRC_GROUP_ADDRESS_ERROR, verb=verb, object=name, detail=detail)
    return found


def check_put(handle: Handle, attributes: TopicAttributes, request: PutRequest, name: str) -> None:
    """What a publication to a multicast topic is refused for, whichever way it goes."""
    if attributes.multicast == mq.MQMC_ONLY:
        raise only_multicast(name, "MQPUT")
    if handle.options & mq.MQOO_NO_MULTICAST:
        return
    if request.options & mq.MQPMO_SYNCPOINT:
        detail = "the topic has multicast: put outside syncpoint, or open with MQOO_NO_MULTICAST"
        raise mq_error(MQRC_SYNCPOINT_NOT_ALLOWED, verb="MQPUT", object=name, detail=detail)
    flags: int = _LONG.unpack_from(request.base, MSG_FLAGS_AT)[0]
    if flags & _GROUPED:
        raise mq_error(MQRC_GROUPING_NOT_ALLOWED, verb="MQPUT", object=name)


def group_key(secret: bytes, group: str, port: int) -> bytes:
    """The key of one group: it is of no use in another one of the same queue manager."""
    return blake2s(f"{group}({port})".encode("ascii"), key=secret).digest()


def terms_of(
    kernel: Kernel, attributes: TopicAttributes, topic_string: str, verb: str
) -> MulticastTerms:
    """What the client of a multicast handle must know."""
    found = communication_of(kernel, attributes, verb)
    group = without_leading_zeros(found.text("group_address"))
    port = int(found.number("port")) or _PORT_USUAL
    return MulticastTerms(
        found.name,
        group,
        port,
        group_key(kernel.multicast_key, group, port),
        topic_string,
        int(found.number("heartbeat_ms")),
        int(found.number("history")),
        int(found.number("new_history")),
        int(found.number("properties")),
        int(found.number("monitor_s")),
        int(found.number("ccsid")),
        int(found.number("encoding")),
        int(attributes.default_priority),
    )
