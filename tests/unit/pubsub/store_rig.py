"""A queue manager on a simulated disk whose durable subscriptions are stored and removed without
the verbs, so that a test of the store needs nothing above it.
"""

from __future__ import annotations

from collections.abc import Callable

from ternmq.kernel.connection import Connection
from ternmq.kernel.inquire import apply_definition
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.pubsub.publish_subscribe import PublishSubscribe, pubsub_of
from ternmq.pubsub.subscription import Subscription, SubscriptionTerms, shared_terms
from ternmq.pubsub.subscription_message import SUBSCRIBER_QUEUE
from ternmq.pubsub.subscription_store import (
    remove_subscription,
    store_subscription,
)
from ternmq.testing.crash_walk import nothing_kept
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk

Change = Callable[[PublishSubscribe, Connection, Subscription], bool]


class StoreRig:
    """One life of the queue manager."""

    def __init__(self, disk: SimDisk | None = None, log_pages: int = 64) -> None:
        if disk is None:
            disk = SimDisk()
            create(disk, LogParameters(CIRCULAR, 3, 2, log_pages, False))
        self.disk = disk
        self.machine = Machine(disk)
        self.pubsub = pubsub_of(self.machine.kernel)

    def run(self, change: Change, subscription: Subscription) -> None:
        """Carry out a change as a verb does, forces included."""
        link = self.machine.link
        link.begin_verb()
        while not change(self.pubsub, link, subscription):
            self.machine.settle()
            link.park = None
        self.machine.force(int(link.durable_at))
        self.machine.settle()

    def create(self, name: str, topic_string: str = "", **terms: object) -> Subscription:
        given = SubscriptionTerms(is_durable=True)._replace(**terms)  # type: ignore[arg-type]
        kernel = self.machine.kernel
        one = Subscription(kernel.new_id(), name, topic_string or f"t/{name}", shared_terms(given))
        one.correl_id = kernel.new_id()
        one.destination = "Q"
        one.created_ns = kernel.clock.now_ns()
        self.run(store_subscription, one)
        self.pubsub.add(one)
        return one

    def alter(self, name: str, **terms: object) -> None:
        one = self.pubsub.by_name[name]
        one.terms = shared_terms(one.terms._replace(**terms))  # type: ignore[arg-type]
        self.run(store_subscription, one)

    def remove(self, name: str) -> None:
        one = self.pubsub.by_name[name]
        self.run(remove_subscription, one)
        self.pubsub.remove(one)

    def shrink(self, buffer_bytes: int) -> None:
        """Let the queue sweep early."""
        kernel = self.machine.kernel
        definition = kernel.catalog.definitions[SUBSCRIBER_QUEUE]
        definition.attributes["persistent_buffer"] = buffer_bytes
        definition.attributes["nonpersistent_buffer"] = buffer_bytes
        kernel.coordinator.define(kernel.catalog, definition)
        apply_definition(kernel, definition)

    def tick(self, times: int = 1) -> None:
        for _ in range(times):
            self.machine.engine.tick()
            self.machine.settle()

    @property
    def depth(self) -> int:
        return int(self.machine.kernel.locals[SUBSCRIBER_QUEUE].queue.depth)

    def is_consolidating(self) -> bool:
        return self.pubsub.store.consolidation is not None

    def names(self) -> list[str]:
        return sorted(self.pubsub.by_name)

    def stopped(self) -> SimDisk:
        """The disk after a power loss that takes all that was not forced."""
        return nothing_kept(self.disk)

    def again(self) -> StoreRig:
        return StoreRig(self.stopped())
