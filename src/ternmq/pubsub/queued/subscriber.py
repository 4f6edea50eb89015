"""Who a queued subscription is for: queue, queue manager and, with CorrelAsId, CorrelId."""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.pubsub.subscription import Subscription

IS_QUEUED: Final = 1 << 30  # in `SubscriptionTerms.registration`, beside MQREGO_

Subscriber = tuple[str, str, bytes]  # queue, queue manager ("" for this one), CorrelId or b""


def subscriber_of(subscription: Subscription) -> Subscriber:
    """Who made it."""
    terms = subscription.terms
    by_correl_id = terms.registration & mq.MQREGO_CORREL_ID_AS_IDENTITY
    correl_id = subscription.correl_id if by_correl_id else b""
    return (subscription.destination, terms.destination_qmgr, correl_id)
