"""Making the plan of an open topic: which subscriptions match, and where their copies go.

A plan holds until subscriptions, definitions or authorities change. Many subscriptions are gone
through in bounded steps; what changes again and again meanwhile counts for the next publication.
Long plans are kept by topic string, for publishers that open the topic for each publication.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.kernel.connection import Connection
from ternmq.pubsub.delivery_plan import (
    WITH_HEADER,
    Delivery,
    DeliveryPlan,
    chosen_of,
    style_for,
)
from ternmq.pubsub.match_index import Matching
from ternmq.pubsub.receiving_authority import may_receive
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.topic_attributes import TopicAttributes, attributes_of
from ternmq.pubsub.topic_tree import SEPARATOR

if TYPE_CHECKING:
    from ternmq.pubsub.publish_subscribe import PublishSubscribe, TopicInUse

STEP_SUBSCRIPTIONS: Final = 4096
LONG_PLAN: Final = 64  # deliveries
KEPT_MAX: Final = 64  # long plans
BEGUN_MAX: Final = 4  # times


@final
class Planning:
    """A plan on its way."""

    def __init__(
        self, pubsub: PublishSubscribe, topic: TopicInUse, attributes: TopicAttributes, level: i64
    ) -> None:
        self._pubsub = pubsub
        self._user = topic.user
        levels = topic.levels
        if levels is None:
            levels = topic.topic_string.split(SEPARATOR)
        topic.levels = None
        block_level = attributes.block_level
        self._matching = Matching(pubsub.index, topic.topic_string, levels, block_level)
        self._has_matched = False  # all are found
        self._at: i64 = 0
        pubsub.planned += 1
        self._number = pubsub.planned
        self._now_ns: i64 = pubsub.kernel.clock.now_ns()
        self.begun: i64 = 0  # how often, for one publication
        self.plan = DeliveryPlan(attributes, level)
        self.plan.is_special = pubsub.special > 0 or level < 1
        self.plan.index_version = pubsub.index.version
        self.plan.authority_version = pubsub.kernel.authority.version

    def is_outdated(self, level: i64) -> bool:
        """Whether to begin again: it is of another publication, or subscriptions have changed,
        which they may do all the time."""
        plan = self.plan
        has_changed = plan.index_version != self._pubsub.index.version
        return plan.level != level or (has_changed and self.begun < BEGUN_MAX)

    def step(self, connection: Connection) -> bool:
        """Go through some of the subscriptions; False: parked until a queue is loaded, or `again`
        is set."""
        if not self._has_matched:
            if not self._matching.step():
                connection.again = True
                return False
            self._has_matched = True
        matched = self._matching.found
        last = min(self._at + STEP_SUBSCRIPTIONS, len(matched))
        while self._at < last:
            if not self._add(connection, matched[self._at]):
                return False
            self._at += 1
        if self._at < len(matched):
            connection.again = True
            return False
        plan = self.plan
        if not plan.selects:
            plan.rows = plan.candidates
            if plan.is_special:
                plan.rows = chosen_of(plan.candidates, plan.level)
        _judge(plan)
        # Asked last: a queue may have been put to use for it.
        plan.catalog_version = self._pubsub.kernel.catalog.version
        return True

    def _add(self, connection: Connection, subscription: Subscription) -> bool:
        plan = self.plan
        terms = subscription.terms
        ends = subscription.expires_at_ns
        if terms.on_request or terms.level > plan.level or (ends and ends <= self._now_ns):
            return True
        if subscription.is_removed:
            return True
        pubsub = self._pubsub
        kernel = pubsub.kernel
        found = pubsub.destinations.find(
            connection, subscription.destination, terms.destination_qmgr
        )
        if found is None:
            return False
        if ends and (plan.expires_ns == 0 or ends < plan.expires_ns):
            plan.expires_ns = ends
        if self._user:
            terms = terms._replace(user=self._user, sets_identity=False)
        style = style_for(pubsub.styles, terms, subscription.user_data, found)
        if style.in_plan != self._number:
            style.in_plan = self._number
            plan.styles.append(style)
        delivery = Delivery(subscription, found, style)
        if terms.selector:
            delivery.selection = pubsub.selection(subscription)
            plan.selects = True
        if kernel.authority.enabled:
            delivery.is_allowed = may_receive(kernel, subscription)
        plan.candidates.append(delivery)
        return True


def plan_of(
    pubsub: PublishSubscribe, connection: Connection, topic: TopicInUse, level: i64
) -> DeliveryPlan | None:
    """The plan of an open topic for publications of a level; None: parked until a queue is loaded,
    or `again` is set."""
    planning = topic.planning
    begun: i64 = 0
    if planning is not None and planning.is_outdated(level):
        begun = planning.begun
        planning = None
    if planning is None:
        attributes = attributes_of(pubsub.tree, topic)
        plan = topic.plan
        if plan is not None and _holds(pubsub, plan, attributes, level):
            return plan
        if not topic.user:
            plan = pubsub.plans.get(topic.topic_string)
            if plan is not None and _holds(pubsub, plan, attributes, level):
                topic.plan = plan
                return plan
        planning = Planning(pubsub, topic, attributes, level)
        planning.begun = begun + 1
    if not planning.step(connection):
        topic.planning = planning
        return None
    topic.planning = None
    plan = planning.plan
    topic.plan = plan
    if len(plan.candidates) >= LONG_PLAN and not topic.user:
        if len(pubsub.plans) >= KEPT_MAX:
            pubsub.plans.clear()
        pubsub.plans[topic.topic_string] = plan
    return plan


def _holds(
    pubsub: PublishSubscribe, plan: DeliveryPlan, attributes: TopicAttributes, level: i64
) -> bool:
    kernel = pubsub.kernel
    return (
        plan.index_version == pubsub.index.version
        and plan.catalog_version == kernel.catalog.version
        and plan.authority_version == kernel.authority.version
        and plan.level == level
        and plan.attributes is attributes
        and (plan.expires_ns == 0 or plan.expires_ns > kernel.clock.now_ns())
    )


def _judge(plan: DeliveryPlan) -> None:
    """What holds for all candidates."""
    seen: set[str] = set()
    for one in plan.candidates:
        local = one.local
        plan.is_logged = plan.is_logged or one.is_logged
        style = one.style
        if style.form in WITH_HEADER or style.registration or not one.destination.is_plain:
            plan.is_plain = False
        if local is None or not one.is_allowed:
            plan.is_plain = False
            continue
        if local.name in seen or local.queue.stream is not None or local.triggered:
            plan.is_plain = False
        seen.add(local.name)
