"""Which subscriptions were made by queued commands, found by who made them.

A subscriber is a queue, its queue manager and, if it registered with CorrelAsId, a CorrelId; it has
one subscription for each topic and filter. The index is made at the first question, and what it
says is compared with what there is: a subscription may have gone by another way.
"""

from __future__ import annotations

from typing import final

from ternmq.pubsub.publish_subscribe import PublishSubscribe
from ternmq.pubsub.queued.subscriber import Subscriber, subscriber_of
from ternmq.pubsub.subscription import Subscription

_Subject = tuple[str, str]  # topic string, filter


@final
class Registrations:
    """The index of a queue manager."""

    def __init__(self, pubsub: PublishSubscribe) -> None:
        self._pubsub = pubsub
        self._by_subscriber: dict[Subscriber, dict[_Subject, bytes]] = {}
        self._is_made = False

    def _make(self) -> None:
        if not self._is_made:
            self._is_made = True
            for subscription in self._pubsub.by_id.values():
                if subscription.terms.registration:
                    self.add(subscription)

    def add(self, subscription: Subscription) -> None:
        """One was registered."""
        self._make()
        found = self._by_subscriber.setdefault(subscriber_of(subscription), {})
        subject = (subscription.topic_string, subscription.terms.selector)
        found[subject] = subscription.sub_id

    def of(self, subscriber: Subscriber) -> list[Subscription]:
        """All of a subscriber; those that are gone are forgotten."""
        self._make()
        found = self._by_subscriber.get(subscriber)
        if found is None:
            return []
        alive: list[Subscription] = []
        for subject, sub_id in list(found.items()):
            one = self._pubsub.by_id.get(sub_id)
            if one is None or subscriber_of(one) != subscriber:
                del found[subject]
            else:
                alive.append(one)
        if not found:
            del self._by_subscriber[subscriber]
        return alive

    def find(self, subscriber: Subscriber, topic_string: str, selector: str) -> Subscription | None:
        """A subscriber's subscription to a topic with a filter."""
        self._make()
        found = self._by_subscriber.get(subscriber)
        sub_id = b"" if found is None else found.get((topic_string, selector), b"")
        one = self._pubsub.by_id.get(sub_id)
        return one if one is not None and subscriber_of(one) == subscriber else None

    def named(self, name: str) -> Subscription | None:
        """The one of a name."""
        one = self._pubsub.by_name.get(name)
        return one if one is not None and one.terms.registration else None
