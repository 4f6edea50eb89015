"""Publish/subscribe of one queue manager: its tree, its subscriptions, and what the kernel asks.

Each answer is a function of a module beside this one, which takes this object first: `opening`,
`publishing`, `subscribing`, `retained`, `subscription_store`. Built by the engine.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base.errors import check
from ternmq.base.object_types import SUB, TOPIC
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering_topics import subscriptions_changed
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.selection import HandleSelection, selection_of
from ternmq.kernel.topic_sink import OpenSubscription, OpenTopic, StreamedPublication, TopicSink
from ternmq.pubsub.delivery_plan import DeliveryPlan, Style, StyleKey, origin_of
from ternmq.pubsub.destinations import Destinations
from ternmq.pubsub.match_index import MatchIndex
from ternmq.pubsub.retained import RETAINED_QUEUE, Retained
from ternmq.pubsub.subscription import Subscription, SubscriptionTerms
from ternmq.pubsub.subscription_definition import subscription_changed, subscription_deleted
from ternmq.pubsub.subscription_expiry import expire_due
from ternmq.pubsub.subscription_groups import Group, group_of, is_special
from ternmq.pubsub.subscription_message import SUBSCRIBER_QUEUE
from ternmq.pubsub.subscription_store import SubscriptionStore
from ternmq.pubsub.system_topics import SYSTEM_ROOT, SystemTopics
from ternmq.pubsub.topic_tree import TopicNode, TopicTree
from ternmq.pubsub.tree_life import TreeLife
from ternmq.pubsub.wildcards import NO_WILDCARD, literal_prefix, wildcard_level
from ternmq.store.catalog import Definition
from ternmq.values.entry import Entry
from ternmq.values.multicast_figures import NO_FIGURES

if TYPE_CHECKING:
    from ternmq.pubsub.delivery_planning import Planning
    from ternmq.pubsub.topic_attributes import TopicAttributes

_EXPIRIES_KEPT: Final = 64  # that may be outdated


@final
class TopicInUse(OpenTopic):
    """What a handle publishes to."""

    def __init__(self, node: TopicNode, topic_string: str, object_name: str) -> None:
        super().__init__(topic_string, object_name)
        self.node = node
        self.levels: list[str] | None = None  # of the string, if they are at hand
        self.published: i64 = 0  # NUMPUBS
        self.last_ns: i64 = 0
        self.plan: DeliveryPlan | None = None  # who gets its publications
        self.is_multicast = False  # the client publishes to the group itself
        self.figures = NO_FIGURES  # that the client has reported
        self.reliability = ""
        self.planning: Planning | None = None  # the next one, while it is made in several steps
        self.user = ""  # whose name copies carry instead of the subscription's: see `streamed`
        self.attributes: TopicAttributes | None = None  # see `topic_attributes.attributes_of`
        # Of a queued publisher that is not to get its own: queue, queue manager, CorrelId or b"".
        self.own_subscriber: tuple[str, str, bytes] | None = None


@final
class SubscriptionInUse(OpenSubscription):
    """What an Hsub stands for."""

    def __init__(self, subscription: Subscription, queue_handle: Handle | None) -> None:
        self.subscription = subscription
        self.queue_handle = queue_handle  # of its destination: managed, or given by the application
        self.figures = NO_FIGURES  # of multicast, that the client has reported
        self.reliability = ""


class TopicVerbs:
    """What is asked for each publication, in modules that know this one: see `topic_verbs`. An
    import in each call would take as long as a lookup of the topic."""

    def publish(
        self,
        pubsub: PublishSubscribe,
        connection: Connection,
        handle: Handle,
        request: PutRequest,
        data: bytes,
    ) -> Entry | None:
        """MQPUT on a handle of a topic."""
        raise NotImplementedError

    def close(self, pubsub: PublishSubscribe, handle: Handle, options: int) -> bool:
        """MQCLOSE of a topic or a subscription."""
        raise NotImplementedError


@final
class PublishSubscribe(TopicSink):
    """The publish/subscribe engine of a queue manager."""

    def __init__(self, kernel: Kernel) -> None:
        from ternmq.pubsub.topic_verbs import Verbs

        super().__init__()
        self._verbs: TopicVerbs = Verbs()
        self.kernel = kernel
        self.tree = TopicTree()
        self.tree_life = TreeLife()
        self.index = MatchIndex()
        self.by_id: dict[bytes, Subscription] = {}
        self.by_name: dict[str, Subscription] = {}
        self.system_topics = SystemTopics()  # the engine puts one here that publishes
        self.destinations = Destinations(kernel)
        self.plans: dict[str, DeliveryPlan] = {}  # long ones, by topic string
        self.retained = Retained(self)
        self.streamed: dict[str, TopicInUse] = {}  # by alias: topics that STREAMQ leads to
        self.origin = origin_of(kernel.name)  # PutApplType and PutApplName of copies
        self.planned: i64 = 0  # plans, so far
        self.styles: dict[StyleKey, Style] = {}  # of copies, for plans to come
        self.handles: dict[bytes, Handle] = {}  # Hsubs by SubId, of a shared one the last
        self.selections: dict[bytes, HandleSelection] = {}  # by SubId
        self.grouped: dict[Group, Subscription] = {}
        self.special: i64 = 0  # subscriptions for which `subscription_groups.chosen` is asked
        self.sharers: dict[bytes, list[Handle]] = {}  # Hsubs of shared subscriptions, by SubId
        self.expiries: list[tuple[int, bytes]] = []  # a heap: when, and which
        self.store = SubscriptionStore()  # of durable subscriptions of applications
        self.retained_waste: list[bytes] = []  # MsgIds of publications that are not retained now
        self.unread_queues: list[str] = []  # damaged at the start: what they hold is not known
        self.settings: i64 = 0  # rises with what queued publish/subscribe depends on
        self.input_names: list[str] = []  # queues that it works off, once they are in use
        # Queued subscriptions on temporary dynamic queues, by queue: they go with it.
        self.on_temporary: dict[str, list[bytes]] = {}
        self.left_queues: list[str] = []  # managed queues to be deleted when nothing holds them
        for definition in kernel.catalog.table_of(TOPIC).values():
            self.changed(definition)
        for definition in kernel.catalog.table_of(SUB).values():
            self.changed(definition)

    # ---- subscriptions that are there

    def add(self, subscription: Subscription) -> None:
        """A subscription begins to match."""
        self.by_id[subscription.sub_id] = subscription
        if subscription.name:
            self.by_name[subscription.name] = subscription
        if subscription.is_multicast:
            by_character = subscription.terms.by_character
            subscription.wildcard_level = wildcard_level(subscription.topic_string, by_character)
        else:
            self.index.add(subscription)
        self._counted(subscription, 1)
        if subscription.wildcard_level == NO_WILDCARD:  # a pattern is not a topic
            terms = subscription.terms
            node = self.tree.ensure(literal_prefix(subscription.topic_string, terms.by_character))
            node.subscribers += 1
            subscription.node = node
        if is_special(subscription):
            self.special += 1
            if subscription.terms.is_grouped:
                self.grouped[group_of(subscription)] = subscription
        self._note_expiry(subscription)

    def found(self, name: str, sub_id: str) -> Subscription | None:
        """The subscription that a command names: by its name, its SUBID in hexadecimal digits, or
        both."""
        if not sub_id:
            return self.by_name.get(name)
        try:
            one = self.by_id.get(bytes.fromhex(sub_id))
        except ValueError:
            return None
        return one if one is not None and name in ("", one.name) else None

    def selection(self, subscription: Subscription) -> HandleSelection | None:
        """Its selector, if it has one."""
        text = subscription.terms.selector
        if not text:
            return None
        found = self.selections.get(subscription.sub_id)
        if found is None:
            found = selection_of(self.kernel, [], text)
            if found is not None:
                self.selections[subscription.sub_id] = found
        return found

    def change(
        self,
        subscription: Subscription,
        terms: SubscriptionTerms,
        correl_id: bytes,
        destination: str,
        user_data: str,
        expires_at_ns: i64,
    ) -> None:
        """It has other terms; what it matches stays."""
        if is_special(subscription):
            self._forget_special(subscription)
        is_other_expiry = expires_at_ns != subscription.expires_at_ns
        before = subscription.terms
        if before.sub_type != terms.sub_type:
            subscriptions_changed(self.kernel, before.is_durable, before.sub_type, -1)
            subscriptions_changed(self.kernel, terms.is_durable, terms.sub_type, 1)
        if before.selector != terms.selector:
            self.selections.pop(subscription.sub_id, None)
        subscription.terms = terms
        subscription.correl_id = correl_id
        subscription.destination = destination
        subscription.user_data = user_data
        subscription.expires_at_ns = expires_at_ns
        if is_other_expiry:
            self._note_expiry(subscription)
        self.index.version += 1
        if is_special(subscription):
            self.special += 1
            if terms.is_grouped:
                self.grouped[group_of(subscription)] = subscription

    def _note_expiry(self, subscription: Subscription) -> None:
        """An entry that no longer holds stays until it is due; where such are most, all are listed
        again, or one subscription that is altered for ever would fill the memory."""
        if not subscription.expires_at_ns:
            return
        heapq.heappush(self.expiries, (int(subscription.expires_at_ns), subscription.sub_id))
        if len(self.expiries) > 2 * len(self.by_id) + _EXPIRIES_KEPT:
            self.expiries = [
                (int(one.expires_at_ns), one.sub_id)
                for one in self.by_id.values()
                if one.expires_at_ns
            ]
            heapq.heapify(self.expiries)

    def _forget_special(self, subscription: Subscription) -> None:
        self.special -= 1
        if subscription.terms.is_grouped:
            self.grouped.pop(group_of(subscription), None)

    def remove(self, subscription: Subscription) -> None:
        """It matches nothing any more; what is stored of it and its queue are the caller's."""
        check(not subscription.is_removed, f"subscription {subscription.name!r} is removed twice")
        subscription.is_removed = True
        self.selections.pop(subscription.sub_id, None)
        self.by_id.pop(subscription.sub_id, None)
        if self.by_name.get(subscription.name) is subscription:
            del self.by_name[subscription.name]
        if subscription.node is not None:
            subscription.node.subscribers -= 1
            subscription.node.used_ns = self.kernel.clock.monotonic_ns()
        if not subscription.is_multicast:
            self.index.remove(subscription)
        self.plans.clear()  # or they would keep it in memory
        if is_special(subscription):
            self._forget_special(subscription)
        self._counted(subscription, -1)

    def _counted(self, subscription: Subscription, by: int) -> None:
        terms = subscription.terms
        subscriptions_changed(self.kernel, terms.is_durable, terms.sub_type, by)
        if subscription.topic_string.startswith(SYSTEM_ROOT):
            if by > 0:
                self.system_topics.added(subscription)
            else:
                self.system_topics.removed(subscription)

    # ---- what the kernel asks and reports

    def publish(
        self, connection: Connection, handle: Handle, request: PutRequest, data: bytes
    ) -> Entry | None:
        return self._verbs.publish(self, connection, handle, request, data)

    def ask_stream(
        self,
        connection: Connection,
        handle: Handle,
        alias: Definition,
        cap: i64,
        request: PutRequest,
        data: bytes,
        persistence: i64,
    ) -> StreamedPublication | None:
        from ternmq.pubsub.streamed import ask_stream

        return ask_stream(self, connection, handle, alias, cap, request, data, persistence)

    def open_alias(
        self,
        connection: Connection,
        alias: Definition,
        options: int,
        verb: str,
        alternate_user: str,
        publishers: list[str] | None = None,
    ) -> Handle | None:
        from ternmq.pubsub.opening import open_alias

        return open_alias(self, connection, alias, options, verb, alternate_user, publishers)

    def close(self, handle: Handle, options: int) -> bool:
        return self._verbs.close(self, handle, options)

    def unit_ended(self, number: int, is_committed: bool) -> i64:
        return self.retained.unit_ended(number, is_committed)

    def tick(self, now_ns: int) -> None:
        from ternmq.pubsub.stored_upkeep import keep_up

        expire_due(self)
        keep_up(self)
        self.tree_life.tick(self, now_ns)

    def changed(self, definition: Definition) -> None:
        if definition.object_type == TOPIC:
            self.tree.place(definition)
        elif definition.object_type == SUB:
            subscription_changed(self, definition)
        else:
            self.refreshed()

    def deleted(self, definition: Definition) -> None:
        if definition.object_type == TOPIC:
            self.tree.displace(definition, self.kernel.clock.monotonic_ns())
        elif definition.object_type == SUB:
            subscription_deleted(self, definition)
        else:
            self.refreshed()

    def refreshed(self) -> None:
        self.settings += 1
        self.kernel.outbox.wake(self.kernel.delays.waker)

    def keeps_state_on(self, name: str) -> bool:
        return name in (SUBSCRIBER_QUEUE, RETAINED_QUEUE)

    def queue_loaded(self, name: str) -> None:
        if name in self.input_names:
            self.refreshed()

    def queue_deleted(self, name: str) -> None:
        for sub_id in self.on_temporary.pop(name, ()):
            subscription = self.by_id.get(sub_id)
            if subscription is not None:
                self.remove(subscription)


def pubsub_of(kernel: Kernel) -> PublishSubscribe:
    """The publish/subscribe engine of a queue manager."""
    topics = kernel.topics
    check(isinstance(topics, PublishSubscribe), "the engine has no publish/subscribe")
    assert isinstance(topics, PublishSubscribe)
    return topics
