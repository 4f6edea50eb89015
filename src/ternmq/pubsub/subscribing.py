"""MQSUB, MQSUBRQ, and MQCLOSE of a subscription."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_HOBJ_ERROR, MQRC_OPTIONS_ERROR
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.resolve import new_handle, open_queue
from ternmq.pubsub.opening import full_topic_string
from ternmq.pubsub.publish_subscribe import PublishSubscribe, SubscriptionInUse
from ternmq.pubsub.subscription import Subscription, SubscriptionTerms, shared_terms

if TYPE_CHECKING:
    from ternmq.values.calls.topics import Subscribe

_MANAGED_USES: Final = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_BROWSE | mq.MQOO_INQUIRE
_NONDURABLE_MODEL: Final = "SYSTEM.NDURABLE.MODEL.QUEUE"
_NONDURABLE_NAMES: Final = "SYSTEM.MANAGED.NDURABLE.*"


def subscribe(
    pubsub: PublishSubscribe, connection: Connection, call: Subscribe, destination: Handle | None
) -> bool:
    """MQSUB; False: parked."""
    kernel = pubsub.kernel
    connection.begin_verb()
    options = call.sd.options
    topic_string = full_topic_string(pubsub, call.sd.object_name, call.object_string, "MQSUB")
    if options & mq.MQSO_CREATE == 0 or options & mq.MQSO_DURABLE:
        raise mq_error(MQRC_OPTIONS_ERROR, verb="MQSUB", detail=f"options {options}")
    queue_handle = destination
    if options & mq.MQSO_MANAGED:
        queue_handle = open_queue(
            kernel, connection, _NONDURABLE_MODEL, "", _NONDURABLE_NAMES, _MANAGED_USES, "MQSUB"
        )
        if queue_handle is None:
            return False
    if queue_handle is None or queue_handle.local is None:
        raise mq_error(MQRC_HOBJ_ERROR, verb="MQSUB")
    terms = SubscriptionTerms(
        is_managed=options & mq.MQSO_MANAGED != 0,
        by_character=options & mq.MQSO_WILDCARD_CHAR != 0,
        user=connection.user,
    )
    subscription = Subscription(kernel.new_id(), call.sub_name, topic_string, shared_terms(terms))
    subscription.correl_id = kernel.new_id()
    subscription.destination = queue_handle.local.name
    handle = new_handle(kernel, connection, 0)
    handle.subscription = SubscriptionInUse(subscription, queue_handle)
    handle.resolved_name = call.sub_name
    subscription.handle = handle
    subscription.created_ns = kernel.clock.now_ns()
    pubsub.add(subscription)
    call.subscription = handle
    call.queue = queue_handle
    call.resolved_string = topic_string
    call.sd.correl_id = subscription.correl_id
    return True


def close_subscription(pubsub: PublishSubscribe, handle: Handle, options: int) -> bool:
    """MQCLOSE of an Hsub; False: parked."""
    in_use = handle.subscription
    if isinstance(in_use, SubscriptionInUse):
        subscription = in_use.subscription
        subscription.handle = None
        if not subscription.terms.is_durable:
            pubsub.remove(subscription)
    return True
