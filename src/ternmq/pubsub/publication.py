"""One publication on its way to the queues of its subscriptions, and onto the queue of retained
publications.

Every queue is asked before anything is put. A copy that its queue does not take goes to the
dead-letter queue, if USEDLQ says so and that queue takes it, and is then delivered; else PMSGDLV or
NPMSGDLV decides whether the publication fails. More copies than one step takes are put in several,
inside the application's unit of work or an inner one, which is undone if a later step fails.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_NO_SUBS_MATCHED,
    MQRC_PUBLICATION_FAILURE,
    MQRC_RESOURCE_PROBLEM,
)
from ternmq.codec.publication_area import published_properties
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.ending import abandon, commit_unit
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering_topics import was_delivered
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.transmission import as_transmitted
from ternmq.kernel.undeliverable import is_discarded
from ternmq.kernel.undertaking import Undertaking
from ternmq.pubsub.copies import Copies
from ternmq.pubsub.dead_copies import bury
from ternmq.pubsub.delivery_plan import WITH_HEADER, Delivery, DeliveryPlan
from ternmq.pubsub.own_messages import find_message, is_parked
from ternmq.pubsub.publication_properties import with_header
from ternmq.pubsub.publish_subscribe import PublishSubscribe, TopicInUse
from ternmq.pubsub.queued.streams import shown_topic
from ternmq.pubsub.receiving_authority import not_allowed
from ternmq.pubsub.retained import retained_entry, retained_queue
from ternmq.store.copying import NANOSECONDS_A_TENTH
from ternmq.txn.unit import ACTIVE, UnitOfWork
from ternmq.values.entry import REPORTS, ZERO_ID, Entry

STEP_COPIES: Final = 4096
NOT_DELIVERED: Final = "AMQ7593W"


@final
class Publication:
    """A publication, and what is put of it in one step."""

    def __init__(
        self,
        pubsub: PublishSubscribe,
        handle: Handle,
        topic: TopicInUse,
        plan: DeliveryPlan,
        request: PutRequest,
        published: Entry,
        rows: list[Delivery],
    ) -> None:
        self.pubsub = pubsub
        self.kernel: Kernel = pubsub.kernel
        self.handle = handle
        self.connection: Connection = handle.connection
        self.topic = topic
        self.plan = plan
        self.request = request
        self.published = published
        self.rows = rows
        self._has_replies = request.options & mq.MQPMO_SUPPRESS_REPLYTO == 0
        self._retains = request.options & mq.MQPMO_RETAIN != 0
        self._options: i64 = mq.MQPUBO_RETAIN_PUBLICATION if self._retains else 0
        self.chooses = False  # whether a subscription wants it is not asked yet
        self.has_matched = False  # a subscription, so far
        self._handles: dict[bytes, Handle] | None = None
        if request.options & mq.MQPMO_NOT_OWN_SUBS:
            self._handles = pubsub.handles
        self.sent: i64 = 0  # copies on the queues of subscriptions
        self._area = published_properties(published.properties)
        self._reports: i64 = published.flags & REPORTS
        # Of the step under way.
        self._copies = Copies(self.kernel, self.connection, self.handle)
        self._given: list[Delivery] = []
        self._retained: Entry | None = None
        self._lost: Delivery | None = None  # the first whose copy is
        self._lost_reason: i64 = 0

    def counted(self) -> Entry:
        """All copies are put: the publication, after statistics have counted it."""
        if self.kernel.measured:
            was_delivered(self.kernel, self.handle, self.published, self.sent)
        return self.published

    def deliver(self, first: i64, last: i64, unit: UnitOfWork | None) -> bool:
        """Put the copies for some of the subscriptions; False: parked, and nothing was done."""
        return self.gather(first, last) and self.has_room(unit, 0) and self.put(unit)

    def gather(self, first: i64, last: i64) -> bool:
        """Ask the queues of some of the subscriptions; False: parked. Raises if the publication
        fails."""
        self._begin_step()
        copies = self._copies
        if self._retains and first == 0:
            self._retained = self._retain(copies)
            if self._retained is None:
                return False
        at = first
        while at < last:
            one = self.rows[at]
            at += 1
            if one.subscription.is_removed:
                continue  # since the step before
            if self.chooses and not one.wants(self.published, self.connection, self._handles):
                continue
            self.has_matched = True
            if not self._add(copies, one):
                return False
        return True

    def has_room(self, unit: UnitOfWork | None, more_bytes: i64) -> bool:
        """Whether log and disk take what was gathered, and so much of another message; False:
        parked until they do."""
        return self._copies.has_room(unit, self.topic.topic_string, more_bytes)

    def put(self, unit: UnitOfWork | None) -> bool:
        """Put what was gathered; False: parked, and nothing was done."""
        if not self._copies.put(unit):
            return False
        now_ns = self.published.put_ns
        for one in self._given:
            one.subscription.messages += 1
            one.subscription.last_ns = now_ns
        self.sent += len(self._given)
        retained = self._retained
        if retained is not None:
            sent_to = self.plan.index_version
            durable_at = self.pubsub.retained.was_put(self.topic.node, retained, unit, sent_to)
            self.connection.depends_on(durable_at)
        self._report_lost()
        return True

    def _begin_step(self) -> None:
        self._copies = Copies(self.kernel, self.connection, self.handle)
        self._given = []
        self._retained = None
        self._lost = None

    def _retain(self, copies: Copies) -> Entry | None:
        local = retained_queue(self.pubsub, self.connection)
        if local is None or not self._knows_outdated(local):
            return None
        entry = retained_entry(
            self.pubsub,
            self.topic.topic_string,
            self.published,
            self._area,
            self.plan.level,
            self._has_replies,
        )
        refusal = copies.refusal(local, [], entry)
        if refusal is not None:
            raise self.pubsub.retained.refused(refusal)
        if self.connection.park is not None:
            return None
        copies.add(local, entry, True)
        return entry

    def _knows_outdated(self, local: LocalQueue) -> bool:
        """Whether a persistent one that a crash must not bring back can be removed at once; False:
        parked until it is read."""
        old = self.topic.node.retained
        if old is None or not old.is_persistent or self.published.persistent:
            return True
        connection = self.connection
        found = find_message(self.kernel, connection, local.queue, old.msg_id)
        return found is not None or not is_parked(connection)

    # ---- one copy

    def _add(self, copies: Copies, one: Delivery) -> bool:
        """One more copy; False: parked. Raises if the publication fails for it."""
        destination = one.destination
        local = destination.local
        entry = self._copy(one)
        shares = entry.data is self.published.data and one.style.registration == 0
        if local is None or destination.reason:
            return self._undelivered(copies, one, entry, destination.error())
        if not one.is_allowed:
            return self._undelivered(copies, one, entry, not_allowed(one.subscription))
        placed = entry
        if destination.route is not None:
            placed = as_transmitted(self.kernel, destination.route, entry)
            shares = False
        refusal = copies.refusal(local, destination.via, placed)
        if refusal is not None:
            return self._undelivered(copies, one, entry, refusal)
        if self.connection.park is not None:
            return False
        copies.add(local, placed, shares)
        self._given.append(one)
        return True

    def _copy(self, one: Delivery) -> Entry:
        published = self.published
        style = one.style
        style.make_base(published.base, published.priority, self.pubsub.origin, self._has_replies)
        style.make_area(self._area, self.topic.topic_string, self._options, self.plan.level)
        data = published.data
        base = style.base
        if style.form in WITH_HEADER:
            subscription = one.subscription
            shown = shown_topic(self.kernel, subscription, self.topic.topic_string)
            data, base = with_header(style, data, base, self._area, shown, self._options)
        reports = 0 if style.registration else self._reports
        expiry_at = published.expiry_at
        cap = one.destination.cap
        if cap >= 0:
            capped = published.put_ns + cap * NANOSECONDS_A_TENTH
            expiry_at = min(expiry_at, capped) if expiry_at else capped
        return Entry(
            0,
            style.priority,
            reports | (style.persistence_of(published) if one.is_logged else 0),
            published.put_ns,
            expiry_at,
            self.kernel.new_id(),
            published.correl_id if one.correl_id is None else one.correl_id,
            ZERO_ID,
            base,
            data,
            len(data),
            style.area,
        )

    # ---- a copy that is not taken

    def _undelivered(self, copies: Copies, one: Delivery, entry: Entry, refusal: MQError) -> bool:
        """Its queue does not take a copy; False: parked."""
        attributes = self.plan.attributes
        if attributes.use_dead_letter:
            if is_discarded(entry):
                return True
            if self._bury(copies, one, entry, refusal.reason):
                return True
            if self.connection.park is not None:
                return False
        delivery = attributes.nonpersistent_delivery
        if self.published.persistent:
            delivery = attributes.persistent_delivery
        is_durable = one.subscription.terms.is_durable
        if delivery == mq.MQDLV_ALL or (delivery == mq.MQDLV_ALL_DUR and is_durable):
            raise mq_error(
                MQRC_PUBLICATION_FAILURE,
                verb="MQPUT",
                object=self.topic.object_name or self.topic.topic_string,
                detail=f"queue {one.destination.name} does not take it: {refusal}; nobody got it",
            )
        if self._lost is None:
            self._lost = one
            self._lost_reason = refusal.reason
        return True

    def _bury(self, copies: Copies, one: Delivery, entry: Entry, reason: int) -> bool:
        """To the dead-letter queue; False: that does not take it, or the connection is parked."""
        flags = entry.flags | self.published.flags
        return bury(self.kernel, self.connection, copies, entry, flags, one.destination, reason)

    def _report_lost(self) -> None:
        """Operators get a message, once a handle and queue until the reason changes."""
        one = self._lost
        if one is None:
            return
        refused = self.handle.copies_refused
        if refused is None:
            refused = {}
            self.handle.copies_refused = refused
        name = one.destination.name
        if refused.get(name) != self._lost_reason:
            refused[name] = int(self._lost_reason)
            shown = one.subscription.name or one.subscription.sub_id.hex()
            inserts = (self.topic.topic_string, shown, name, int(self._lost_reason))
            self.kernel.notices.add(NOT_DELIVERED, inserts)


@final
class LongPublication(Undertaking):
    """One of more copies than a step takes, between its steps."""

    def __init__(self, publication: Publication, unit: UnitOfWork, is_inner: bool) -> None:
        super().__init__(unit, is_inner)
        self._publication = publication
        self._next: i64 = 0  # subscription
        self._warning: i64 = publication.connection.warning
        self._error: MQError | None = None  # why it is being undone

    def is_of(self, handle: Handle, request: PutRequest, data: bytes) -> bool:
        """Whether this is the publication that is tried again; see `SegmentedPut.is_of`."""
        own = self._publication
        given = own.request
        return (
            handle is own.handle
            and request.options == given.options
            and request.level == given.level
            and request.base == given.base
            and request.properties == given.properties
            and request.msg_id == given.msg_id
            and request.correl_id == given.correl_id
            and data == own.published.data
        )

    def go_on(self) -> Entry | None:
        """The next copies; the publication when all are put, else None."""
        publication = self._publication
        connection = publication.connection
        kernel = publication.kernel
        if self._error is None:
            try:
                self._put_some()
            except MQError as error:
                self._error = error
        if self._error is not None:
            if not abandon(kernel, connection):
                return None
            raise self._error
        if self._next < len(publication.rows):
            if connection.park is None:
                connection.again = True
            return None
        connection.undertaking = None
        if self.is_inner:
            commit_unit(kernel, connection, self.unit)
        connection.warning = self._warning
        warns = publication.request.options & mq.MQPMO_WARN_IF_NO_SUBS_MATCHED != 0
        if warns and not publication.has_matched:
            connection.warning = MQRC_NO_SUBS_MATCHED
        return publication.counted()

    def _put_some(self) -> None:
        publication = self._publication
        unit = self.unit
        if unit.state != ACTIVE:
            reason = MQRC_RESOURCE_PROBLEM if self.is_inner else MQRC_BACKED_OUT
            raise mq_error(reason, verb="MQPUT", detail=unit.backed_out_by)
        last = min(self._next + STEP_COPIES, len(publication.rows))
        before = len(unit.changes)
        if not publication.deliver(self._next, last, unit):
            return
        if self._next and len(unit.changes) > before:
            unit.copies += 1  # all steps count once
        self._next = last


def deliver(publication: Publication, unit: UnitOfWork | None) -> Entry | None:
    """Begin a publication, and end it if one step is enough; None: parked, or goes on later."""
    count = len(publication.rows)
    if count <= STEP_COPIES:
        if publication.deliver(0, count, unit):
            return publication.counted()
        return None
    within = publication.kernel.coordinator.begin() if unit is None else unit
    state = LongPublication(publication, within, unit is None)
    publication.connection.undertaking = state
    return state.go_on()
