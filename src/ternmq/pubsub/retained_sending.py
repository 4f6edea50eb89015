"""Retained publications for one subscription: a new one gets those that match at once, one that
publications are sent to on request gets them by MQSUBRQ.

The part of the tree where the pattern may match is walked in bounded steps, each message is read
from its queue, and all copies are put in one inner unit of work, of which nothing stays if a copy
can go neither to its queue nor to the dead-letter queue. A new subscription also matches what is
published meanwhile: what a topic retains since then is not sent a second time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import LOCAL
from ternmq.base.reasons import MQRC_RETAINED_MSG_Q_ERROR, MQRC_RETAINED_NOT_DELIVERED
from ternmq.codec.property_area import find_value
from ternmq.codec.publication_area import LEVEL, publication_area, published_properties
from ternmq.kernel.connection import Connection
from ternmq.kernel.ending import abandon, commit_unit
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.transmission import as_transmitted
from ternmq.kernel.undertaking import Undertaking
from ternmq.pubsub.copies import Copies
from ternmq.pubsub.dead_copies import bury
from ternmq.pubsub.delivery_plan import WITH_HEADER, Delivery, style_of
from ternmq.pubsub.own_messages import find_message, is_parked
from ternmq.pubsub.pattern_walk import PatternWalk
from ternmq.pubsub.publication_properties import with_header
from ternmq.pubsub.queued.streams import shown_topic
from ternmq.pubsub.receiving_authority import may_receive, not_allowed
from ternmq.pubsub.retained import RETAINED_QUEUE
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.topic_attributes import attributes_at_node
from ternmq.values.entry import ZERO_ID, Entry

if TYPE_CHECKING:
    from ternmq.pubsub.publish_subscribe import PublishSubscribe
    from ternmq.pubsub.topic_tree import TopicNode

STEP_NODES: Final = 4096
STEP_COPIES: Final = 64
_COST: Final = STEP_NODES // STEP_COPIES  # of a node that matches, in nodes
_LEVEL: Final = LEVEL.encode("ascii")
_OPTIONS: Final = mq.MQPUBO_RETAIN_PUBLICATION | mq.MQPUBO_IS_RETAINED_PUBLICATION


@final
class RetainedSending(Undertaking):
    """Retained publications on their way to one subscription."""

    def __init__(
        self,
        pubsub: PublishSubscribe,
        connection: Connection,
        subscription: Subscription,
        verb: str,
        is_new: bool,
    ) -> None:
        """`is_new`: the subscription was added in this step."""
        super().__init__(pubsub.kernel.coordinator.begin(), True)
        self.sent: i64 = 0  # copies, also those on the dead-letter queue
        self._pubsub = pubsub
        self._connection = connection
        self._subscription = subscription
        self._verb = verb
        self._error: MQError | None = None  # why it is being undone
        by_character = subscription.terms.by_character
        self._walk = PatternWalk(pubsub.tree, subscription.topic_string, by_character)
        self._found: list[TopicNode] = []  # that match, still to be sent
        self._delivery: Delivery | None = None
        # From which version of the index on it matches; -1: publications do not come by themselves.
        self._matches_since: i64 = pubsub.index.version if is_new else -1

    def step(self) -> bool:
        """Send some; True: all are sent. False: parked, or `again` is set. Raises after all was
        undone."""
        connection = self._connection
        kernel = self._pubsub.kernel
        connection.begin_verb()
        if self._error is None:
            connection.undertaking = self
            try:
                is_done = self._go_on()
            except MQError as error:
                self._error = error
            else:
                if is_done:
                    connection.undertaking = None
                    if self.unit.changes:
                        commit_unit(kernel, connection, self.unit)
                elif connection.park is None:
                    connection.again = True
                return is_done
        if not abandon(kernel, connection):
            return False
        raise self._error

    def _go_on(self) -> bool:
        """Whether all is put."""
        walk = self._walk
        if walk.is_done() and not self._found:
            return True
        local = self._queue()
        if local is None:
            return False
        self._look()
        return self._send_some(local) and walk.is_done() and not self._found

    def _queue(self) -> LocalQueue | None:
        """The queue of retained publications, if they can be read; None: parked."""
        kernel = self._pubsub.kernel
        definition = kernel.catalog.definitions.get(RETAINED_QUEUE)
        detail = "it is not a local queue of this queue manager"
        if definition is not None and definition.object_type == LOCAL:
            try:
                local = kernel.local_queue(self._connection, definition)
                if local is None or not (local.get_inhibited or local.queue.damaged):
                    return local
                detail = local.queue.damaged or "GET(DISABLED)"
            except MQError as unfit:
                detail = str(unfit)
        raise mq_error(
            MQRC_RETAINED_MSG_Q_ERROR, verb=self._verb, object=RETAINED_QUEUE, detail=detail
        )

    # ---- which

    def _look(self) -> None:
        """Look at some nodes."""
        left: i64 = STEP_NODES
        walk = self._walk
        while not walk.is_done() and left > 0 and len(self._found) < STEP_COPIES:
            left -= 1
            node = walk.look()
            if node is not None and node.retained is not None:
                left -= _COST
                attributes = attributes_at_node(self._pubsub.tree, node)
                if walk.wildcard_level >= attributes.block_level:
                    self._found.append(node)

    # ---- sending

    def _send_some(self, local: LocalQueue) -> bool:
        """Put copies of what was found; False: parked, and nothing of them was put."""
        pubsub = self._pubsub
        connection = self._connection
        copies = Copies(pubsub.kernel, connection, None)
        sent: i64 = 0
        for node in self._found:
            retained = pubsub.retained.current(node)
            if retained is None or 0 <= self._matches_since <= retained.index_version:
                continue
            entry = find_message(pubsub.kernel, connection, local.queue, retained.msg_id)
            if entry is None:
                if is_parked(connection):
                    return False
                continue  # it has expired, or an application has got it
            if not self._wants(entry):
                continue
            if not self._add(copies, node, entry):
                return False
            sent += 1
        if not copies.has_room(self.unit, RETAINED_QUEUE) or not copies.put(self.unit):
            return False
        self._found = []
        self.sent += sent
        self._subscription.messages += sent
        return True

    def _wants(self, entry: Entry) -> bool:
        selection = self._pubsub.selection(self._subscription)
        return selection is None or selection.matches(entry)

    def _add(self, copies: Copies, node: TopicNode, entry: Entry) -> bool:
        """One more copy; False: parked."""
        pubsub = self._pubsub
        connection = self._connection
        delivery = self._delivery_now()
        if delivery is None:
            return False
        destination = delivery.destination
        copy = self._copy(delivery, node, entry)
        refusal: MQError | None = None
        local = destination.local
        if local is None or destination.reason:
            refusal = destination.error()
        elif not delivery.is_allowed:
            refusal = not_allowed(delivery.subscription)
        else:
            placed = copy
            if destination.route is not None:
                placed = as_transmitted(pubsub.kernel, destination.route, copy)
            refusal = copies.refusal(local, destination.via, placed)
            if refusal is None:
                if connection.park is not None:
                    return False
                copies.add(local, placed, False)
                return True
        if attributes_at_node(pubsub.tree, node).use_dead_letter:
            kernel = pubsub.kernel
            if bury(kernel, connection, copies, copy, entry.flags, destination, refusal.reason):
                return True
            if connection.park is not None:
                return False
        detail = f"queue {destination.name} does not take it: {refusal}"
        raise mq_error(
            MQRC_RETAINED_NOT_DELIVERED, verb=self._verb, object=destination.name, detail=detail
        )

    def _delivery_now(self) -> Delivery | None:
        """Where copies go and what they have in common; None: parked."""
        subscription = self._subscription
        terms = subscription.terms
        found = self._pubsub.destinations.find(
            self._connection, subscription.destination, terms.destination_qmgr
        )
        if found is None:
            return None
        delivery = self._delivery
        if delivery is None or delivery.destination is not found:
            style = style_of(terms, subscription.user_data, found)
            delivery = Delivery(subscription, found, style)
            self._delivery = delivery
        kernel = self._pubsub.kernel
        if kernel.authority.enabled:
            delivery.is_allowed = may_receive(kernel, subscription)
        return delivery

    def _copy(self, delivery: Delivery, node: TopicNode, entry: Entry) -> Entry:
        pubsub = self._pubsub
        style = delivery.style
        topic_string = node.topic_string()
        style.make_base(entry.base, entry.priority, pubsub.origin, True)
        area = published_properties(entry.properties)
        data = entry.data
        base = style.base
        if style.form in WITH_HEADER:
            shown = shown_topic(pubsub.kernel, self._subscription, topic_string)
            data, base = with_header(style, data, base, area, shown, _OPTIONS)
        elif style.form == mq.MQPSPROP_MSGPROP:
            level = find_value(entry.properties, _LEVEL)
            number: i64 = level if isinstance(level, int) else 9
            area = publication_area(area, topic_string, style.user_data, _OPTIONS, number, True)
        correl_id = delivery.correl_id
        return Entry(
            0,
            style.priority,
            style.persistence_of(entry) if delivery.is_logged else 0,
            entry.put_ns,
            entry.expiry_at,
            pubsub.kernel.new_id(),
            entry.correl_id if correl_id is None else correl_id,
            ZERO_ID,
            base,
            data,
            len(data),
            area,
        )
