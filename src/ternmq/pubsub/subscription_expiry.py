"""When subscriptions expire: the order in which they do, and what becomes of those whose time is
over. The time of one begins when it is made, or when its expiry is altered."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import RUNNING
from ternmq.kernel.metering_topics import have_expired

if TYPE_CHECKING:
    from ternmq.pubsub.publish_subscribe import PublishSubscribe
    from ternmq.pubsub.subscription import Subscription

TENTH_NS: Final = 100_000_000
A_TICK: Final = 256  # that expire in one


def expires_at(expiry: int, now_ns: int) -> int:
    """Unix time in nanoseconds; 0: never."""
    return 0 if expiry == mq.MQEI_UNLIMITED else now_ns + expiry * TENTH_NS


def is_over(subscription: Subscription, now_ns: int) -> bool:
    """Whether its time is over."""
    return 0 < subscription.expires_at_ns <= now_ns


def expire_due(pubsub: PublishSubscribe) -> int:
    """Time has passed: those whose time is over go, some of them at a time; how many did."""
    due = pubsub.expiries
    kernel = pubsub.kernel
    if not due or kernel.status != RUNNING:
        return 0
    now_ns = int(kernel.clock.now_ns())
    connection = Connection(0, bytes(24), "", kernel.name)
    gone = 0
    while due and due[0][0] <= now_ns and gone < A_TICK:
        subscription = pubsub.by_id.get(due[0][1])
        if subscription is not None and is_over(subscription, now_ns):
            if not expire(pubsub, connection, subscription):
                break  # the next tick tries again
            gone += 1
        heapq.heappop(due)
    return gone


def expire(pubsub: PublishSubscribe, connection: Connection, subscription: Subscription) -> bool:
    """Its time is over: as if it were removed; False: parked. An application that has it open keeps
    its handles."""
    from ternmq.pubsub.subscription_keeping import forget

    if not forget(pubsub, connection, subscription, "expiry"):
        return False
    have_expired(pubsub.kernel, 1)
    return True
