"""MQSUB: a subscription is made, resumed or altered; MQCLOSE of it.

A call that fails leaves nothing behind: no queue, no handle, nothing stored. It may take several
steps, so what is done already is noted in a `Subscribing`. Until the subscription is there, its
managed queue belongs to the handle, and goes with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import SUB
from ternmq.base.reasons import (
    MQRC_DUPLICATE_GROUP_SUB,
    MQRC_HANDLE_NOT_AVAILABLE,
    MQRC_IDENTITY_MISMATCH,
    MQRC_INVALID_SUBSCRIPTION,
    MQRC_NO_SUBSCRIPTION,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_OPTIONS_ERROR,
    MQRC_SUB_ALREADY_EXISTS,
    MQRC_SUBSCRIPTION_IN_USE,
)
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.metering_topics import (
    ALTERED,
    CREATED,
    RESUMED,
    was_subscribed,
    was_unsubscribed,
)
from ternmq.kernel.resolve import close_handle, detach, new_handle
from ternmq.kernel.selection import selection_of
from ternmq.pubsub import managed_queues
from ternmq.pubsub.multicast import receives_by_multicast
from ternmq.pubsub.opening import full_topic_string, refuse_if_disabled
from ternmq.pubsub.provided_queues import check_destination, destination_names, open_provided
from ternmq.pubsub.publish_subscribe import PublishSubscribe, SubscriptionInUse
from ternmq.pubsub.retained_sending import RetainedSending
from ternmq.pubsub.subscription import Subscription, shared_terms
from ternmq.pubsub.subscription_altering import Alteration
from ternmq.pubsub.subscription_expiry import expire, expires_at, is_over
from ternmq.pubsub.subscription_groups import group_of
from ternmq.pubsub.subscription_keeping import forget, keep, keep_altered
from ternmq.pubsub.subscription_permission import permit
from ternmq.pubsub.subscription_rules import (
    VERB,
    check_descriptor,
    check_pattern,
    options_of,
    terms_of,
)
from ternmq.pubsub.system_topics import SYSTEM_ROOT
from ternmq.pubsub.topic_authority import check_destination as check_put
from ternmq.pubsub.topic_authority import (
    check_remove,
    check_resume,
    check_subscribe,
    subscribing_user,
)

if TYPE_CHECKING:
    from ternmq.values.calls.topics import Subscribe


@final
class Subscribing:
    """One MQSUB between its steps."""

    def __init__(
        self,
        pubsub: PublishSubscribe,
        connection: Connection,
        call: Subscribe,
        destination: Handle | None,
    ) -> None:
        self.pubsub = pubsub
        self.connection = connection
        self.call = call
        self.destination = destination
        self.options = call.sd.options
        self.user = connection.user  # whose subscription it is to be
        self.checked_user: str | None = None  # whose authority is asked; None: nobody's
        self.queue_handle: Handle | None = None
        self.made_queue = False
        self.subscription: Subscription | None = None
        self.is_kept = False
        self.sending: RetainedSending | None = None
        self.failed: MQError | None = None
        self._has_begun = False

    def step(self) -> bool:
        """Go on; False: parked, or more to do later."""
        connection = self.connection
        if self._has_begun:
            connection.park = None
            connection.again = False
        else:
            connection.begin_verb()
            self._has_begun = True
        if self.failed is None:
            try:
                return self._go_on()
            except MQError as error:
                self.failed = error
        if not self._undo():
            return False
        raise self.failed

    def _go_on(self) -> bool:
        if self.subscription is not None:
            return self._complete(self.subscription)
        pubsub = self.pubsub
        fails = self.options & mq.MQSO_FAIL_IF_QUIESCING != 0
        pubsub.kernel.refuse_if_ending(fails, VERB)
        check_descriptor(self.call)
        refuse_if_disabled(pubsub, VERB)
        alternate = self.call.sd.alternate_user_id.rstrip()
        self.checked_user = subscribing_user(pubsub, self.connection, self.options, alternate)
        if self.options & mq.MQSO_ALTERNATE_USER_AUTHORITY:
            self.user = alternate
        name = self.call.sub_name
        existing = pubsub.by_name.get(name) if name else None
        if existing is not None and is_over(existing, int(pubsub.kernel.clock.now_ns())):
            if not expire(pubsub, self.connection, existing):
                return False
            existing = None
        if existing is None:
            if not self.options & mq.MQSO_CREATE:
                raise self._not_there(name)
            return self._create()
        if not self.options & (mq.MQSO_RESUME | mq.MQSO_ALTER):
            raise mq_error(MQRC_SUB_ALREADY_EXISTS, verb=VERB, object=name)
        return self._take_up(existing)

    def _not_there(self, name: str) -> MQError:
        if self.pubsub.kernel.catalog.find(SUB, name) is not None:
            detail = "it is not a subscription of a topic"
            return mq_error(MQRC_INVALID_SUBSCRIPTION, verb=VERB, object=name, detail=detail)
        return mq_error(MQRC_NO_SUBSCRIPTION, verb=VERB, object=name)

    # ---- a new one

    def _create(self) -> bool:
        call = self.call
        pubsub = self.pubsub
        kernel = pubsub.kernel
        terms = terms_of(call, self.user)
        topic_string = full_topic_string(pubsub, call.sd.object_name, call.object_string, VERB)
        check_pattern(topic_string, terms.by_character)
        attributes = permit(
            pubsub, self.connection, self.checked_user, topic_string, terms, self.options
        )
        is_multicast = receives_by_multicast(
            kernel, self.connection, attributes, topic_string, terms, self.options, VERB
        )
        if topic_string.startswith(SYSTEM_ROOT):
            if not pubsub.system_topics.prepare(self.connection):
                return False
        selection_of(kernel, [], terms.selector)  # or it is refused
        self._check_handles(2 if terms.is_managed else 1)
        if terms.is_managed:
            is_durable = terms.is_durable
            model = attributes.durable_model if is_durable else attributes.nondurable_model
            if not self._make_queue(model, is_durable):
                return False
        else:
            self.queue_handle = check_destination(self.destination, terms.is_durable)
            self._check_put(topic_string, destination_names(self.queue_handle)[0], False)
        subscription = Subscription(kernel.new_id(), call.sub_name, topic_string, terms)
        subscription.is_multicast = is_multicast
        subscription.given_string = call.object_string
        subscription.user_data = call.user_data
        sets_correl = self.options & mq.MQSO_SET_CORREL_ID
        # one object for both, because there may be very many
        subscription.correl_id = call.sd.correl_id if sets_correl else subscription.sub_id
        name, qmgr = destination_names(self._queue())
        subscription.destination = name
        if qmgr:
            subscription.terms = shared_terms(terms._replace(destination_qmgr=qmgr))
        now_ns = kernel.clock.now_ns()
        subscription.created_ns = now_ns
        subscription.resumed_ns = now_ns
        subscription.expires_at_ns = expires_at(terms.expiry, int(now_ns))
        self.subscription = subscription
        return self._complete(subscription)

    def _queue(self) -> Handle:
        handle = self.queue_handle
        if handle is None:
            raise NotImplementedError("MQSUB has no queue yet")
        return handle

    def _check_handles(self, wanted: int) -> None:
        """Handles for the queue and for the subscription."""
        connection = self.connection
        limit = self.pubsub.kernel.max_handles
        if len(connection.handles) - connection.lists + wanted > limit:
            detail = f"MAXHANDS({limit})"
            raise mq_error(MQRC_HANDLE_NOT_AVAILABLE, verb=VERB, detail=detail)

    def _check_put(self, topic_string: str, queue_name: str, is_opened: bool) -> None:
        """Whether the user may let publications go to a queue."""
        check_put(
            self.pubsub,
            self.connection,
            self.checked_user,
            topic_string,
            queue_name,
            self.options,
            is_opened,
        )

    def _make_queue(self, name: str, is_durable: bool) -> bool:
        """The managed queue; False: parked."""
        kernel = self.pubsub.kernel
        model = managed_queues.check_model(kernel, name, is_durable, VERB)
        local = managed_queues.create(kernel, self.connection, model, is_durable, VERB)
        if local is None:
            return False
        local.is_left = True  # until the subscription is there
        self.queue_handle = managed_queues.open_created(
            kernel, self.connection, local, read_ahead(self.options)
        )
        self.made_queue = True
        return True

    def _check_unique(self, subscription: Subscription) -> None:
        name = subscription.name
        if name and (
            name in self.pubsub.by_name or self.pubsub.kernel.catalog.find(SUB, name) is not None
        ):
            raise mq_error(MQRC_SUB_ALREADY_EXISTS, verb=VERB, object=name)
        if subscription.terms.is_grouped and group_of(subscription) in self.pubsub.grouped:
            detail = "another one has the same topic string, queue, SubCorrelId and SubLevel"
            raise mq_error(
                MQRC_DUPLICATE_GROUP_SUB, verb=VERB, object=subscription.name, detail=detail
            )

    def _complete(self, subscription: Subscription) -> bool:
        """Keep it, let it match, and send it what is retained."""
        pubsub = self.pubsub
        terms = subscription.terms
        if not self.is_kept:
            self._check_unique(subscription)  # again: it may have waited for the disk
            if not keep(pubsub, self.connection, subscription):
                return False
            self.is_kept = True
            pubsub.add(subscription)
            queue_handle = self._queue()
            if queue_handle.local is not None:
                queue_handle.local.is_left = False
            self._answer(subscription, queue_handle)
        gets_retained = not (terms.new_only or terms.on_request or subscription.is_multicast)
        if gets_retained and not self._send_retained(subscription):
            return False
        self._count(subscription, CREATED)
        sd = self.call.sd
        sd.correl_id = subscription.correl_id
        if not terms.sets_identity:
            sd.publication_accounting_token = terms.accounting_token
            sd.publication_appl_identity_data = ""
        return True

    def _send_retained(self, subscription: Subscription) -> bool:
        """What is retained for it; False: parked, or more to do."""
        sending = self.sending
        if sending is None:
            sending = RetainedSending(self.pubsub, self.connection, subscription, VERB, True)
            self.sending = sending
        durable_at = self.connection.durable_at
        try:
            return sending.step()
        finally:
            self.connection.depends_on(durable_at)

    def _answer(self, subscription: Subscription, queue_handle: Handle) -> None:
        """Hobj, Hsub and what else the caller gets."""
        call = self.call
        handles = self.pubsub.handles
        handle = handles.get(subscription.sub_id)
        if handle is None or subscription.terms.is_shared:
            handle = new_handle(self.pubsub.kernel, self.connection, 0)
            handle.object_type = mq.MQOT_TOPIC
            handle.resolved_name = subscription.name
            handles[subscription.sub_id] = handle
            if subscription.terms.is_shared:
                self.pubsub.sharers.setdefault(subscription.sub_id, []).append(handle)
        handle.subscription = SubscriptionInUse(subscription, queue_handle)
        call.subscription = handle
        call.queue = queue_handle
        call.resolved_string = subscription.topic_string

    # ---- one that is there

    def _take_up(self, subscription: Subscription) -> bool:
        """MQSO_RESUME or MQSO_ALTER."""
        handle = self.pubsub.handles.get(subscription.sub_id)
        alters = self.options & mq.MQSO_ALTER != 0
        self._check_free(subscription, alters)
        if self.call.shares:
            handle = None  # each has its own
        if not subscription.terms.any_user and subscription.terms.user != self.user:
            detail = f"it belongs to user '{subscription.terms.user}'"
            raise mq_error(
                MQRC_IDENTITY_MISMATCH, verb=VERB, object=subscription.name, detail=detail
            )
        self._check_taker(subscription, alters)
        alteration = Alteration(self.pubsub, subscription, self.call, self.user)
        if alters:
            alteration.check(self.destination)
        else:
            alteration.resume(self.destination)
        if self.queue_handle is None and not self._open_destination(subscription):
            return False
        queue_handle = self._queue()
        if handle is None:
            self._check_handles(1)
        if alters:
            alteration.alter(queue_handle)
        if alteration.is_change and not self._change(alteration):
            return False
        subscription.resumed_ns = self.pubsub.kernel.clock.now_ns()
        self._answer(subscription, queue_handle)
        self._describe(subscription)
        self._count(subscription, ALTERED if alters else RESUMED)
        return True

    def _count(self, subscription: Subscription, how: int) -> None:
        kernel = self.pubsub.kernel
        if kernel.measured:
            is_durable = subscription.terms.is_durable
            handle = self.pubsub.handles.get(subscription.sub_id)
            was_subscribed(kernel, self.connection, is_durable, how, handle)

    def _check_free(self, subscription: Subscription, alters: bool) -> None:
        """Whether it is shared as the caller asks, and if it is not, free."""
        call = self.call
        if call.takes_either and not self.pubsub.sharers.get(subscription.sub_id):
            call.shares = subscription.terms.is_shared
        if subscription.terms.is_shared != call.shares:
            detail = "a subscription is shared (JMS 2.0) by all who use it, or by none"
            raise mq_error(
                MQRC_INVALID_SUBSCRIPTION, verb=VERB, object=subscription.name, detail=detail
            )
        handle = self.pubsub.handles.get(subscription.sub_id)
        if call.shares or handle is None:
            return
        # In JMS a second consumer is one too many, also of the same connection.
        if handle.connection is not self.connection or not alters or call.repeats_selector:
            raise mq_error(MQRC_SUBSCRIPTION_IN_USE, verb=VERB, object=subscription.name)

    def _check_taker(self, subscription: Subscription, alters: bool) -> None:
        """Whether the user may have it, and its publications go to the queue that is given."""
        check = check_subscribe if alters else check_resume
        topic_string = subscription.topic_string
        check(
            self.pubsub,
            self.connection,
            self.checked_user,
            topic_string,
            subscription.terms.by_character,
            self.options,
        )
        if self.destination is not None and not subscription.terms.is_managed:
            given = check_destination(self.destination, subscription.terms.is_durable)
            self._check_put(topic_string, destination_names(given)[0], False)

    def _change(self, alteration: Alteration) -> bool:
        """It has other terms; False: parked, and it has the old ones."""
        alteration.apply()
        is_kept = False
        try:
            is_kept = keep_altered(self.pubsub, self.connection, alteration.subscription, VERB)
        finally:
            if not is_kept:
                alteration.revert()
        return is_kept

    def _open_destination(self, subscription: Subscription) -> bool:
        """The queue that its publications are got from; False: parked."""
        kernel = self.pubsub.kernel
        connection = self.connection
        held_by = None if self.call.shares else self.pubsub.handles.get(subscription.sub_id)
        in_use = None if held_by is None else held_by.subscription
        if self.destination is not None:
            self.queue_handle = check_destination(self.destination, subscription.terms.is_durable)
            return True
        if isinstance(in_use, SubscriptionInUse):
            held = in_use.queue_handle
            if held is not None and connection.handles.get(held.handle_id) is held:
                self.queue_handle = held
                return True
        name = subscription.destination
        self._check_handles(2 if held_by is None else 1)
        if subscription.terms.is_managed:
            more = read_ahead(self.options)
            self.queue_handle = managed_queues.open_managed(kernel, connection, name, more, VERB)
        else:
            self._check_put(subscription.topic_string, name, True)
            self.queue_handle = open_provided(kernel, connection, subscription)
        self.made_queue = self.queue_handle is not None
        return self.made_queue

    def _describe(self, subscription: Subscription) -> None:
        """The MQSD of a subscription that was there."""
        call = self.call
        sd = call.sd
        terms = subscription.terms
        own = subscription.correl_id.startswith(self.pubsub.kernel.msg_prefix)
        kept = self.options & (mq.MQSO_CREATE | mq.MQSO_ALTER | mq.MQSO_RESUME)
        sd.options = kept | options_of(terms, terms.passes_correl_id or not own)
        sd.expiry = terms.expiry
        sd.level = terms.level
        sd.publication_priority = terms.priority
        sd.correl_id = subscription.correl_id
        sd.publication_accounting_token = terms.accounting_token
        sd.publication_appl_identity_data = terms.identity_data
        call.user_data = subscription.user_data
        call.selector = terms.selector

    # ---- failure

    def _undo(self) -> bool:
        """Nothing stays of a call that has failed; False: parked."""
        subscription = self.subscription
        connection = self.connection
        if subscription is not None and self.is_kept:
            if not forget(self.pubsub, connection, subscription, VERB):
                return False
            self.pubsub.sharers.pop(subscription.sub_id, None)
            opened = self.pubsub.handles.pop(subscription.sub_id, None)
            if opened is not None:
                detach(opened)
        handle = self.queue_handle
        if handle is not None and self.made_queue:
            if connection.handles.get(handle.handle_id) is handle:
                return close_handle(self.pubsub.kernel, handle, 0)
        return True


def read_ahead(options: int) -> int:
    """The options of the queue's handle that an MQSD sets."""
    if options & mq.MQSO_READ_AHEAD:
        return mq.MQOO_READ_AHEAD
    return mq.MQOO_NO_READ_AHEAD if options & mq.MQSO_NO_READ_AHEAD else 0


def close_subscription(pubsub: PublishSubscribe, handle: Handle, options: int) -> bool:
    """MQCLOSE of an Hsub; False: parked. Without an option a durable one stays, another goes."""
    in_use = handle.subscription
    if not isinstance(in_use, SubscriptionInUse):
        return True
    subscription = in_use.subscription
    is_durable = subscription.terms.is_durable
    check_close(subscription, options)
    removes = options & mq.MQCO_REMOVE_SUB != 0 or not is_durable
    if options & mq.MQCO_REMOVE_SUB:
        check_remove(pubsub, handle.connection, subscription)
    others = [one for one in pubsub.sharers.get(subscription.sub_id, ()) if one is not handle]
    if others and options & mq.MQCO_REMOVE_SUB:
        detail = "others have it open"
        raise mq_error(
            MQRC_SUBSCRIPTION_IN_USE, verb="MQCLOSE", object=subscription.name, detail=detail
        )
    if removes and not others:
        if not forget(pubsub, handle.connection, subscription, "MQCLOSE"):
            return False
    if pubsub.kernel.measured:
        is_removed = removes and not others
        was_unsubscribed(pubsub.kernel, handle.connection, is_durable, is_removed)
    if others:
        pubsub.sharers[subscription.sub_id] = others
        pubsub.handles[subscription.sub_id] = others[-1]
        return True
    pubsub.sharers.pop(subscription.sub_id, None)
    if pubsub.handles.get(subscription.sub_id) is handle:
        del pubsub.handles[subscription.sub_id]
    return True


def check_close(subscription: Subscription, options: int) -> None:
    """Whether MQCLOSE may be asked for this."""
    both = mq.MQCO_KEEP_SUB | mq.MQCO_REMOVE_SUB
    if options & both == both:
        detail = "MQCO_KEEP_SUB and MQCO_REMOVE_SUB exclude each other"
        raise mq_error(MQRC_OPTIONS_ERROR, verb="MQCLOSE", object=subscription.name, detail=detail)
    keeps_other = options & mq.MQCO_KEEP_SUB != 0 and not subscription.terms.is_durable
    if keeps_other or options & ~both:
        detail = "only a durable subscription can be kept" if keeps_other else f"options {options}"
        raise mq_error(
            MQRC_OPTION_NOT_VALID_FOR_TYPE,
            verb="MQCLOSE",
            object=subscription.name,
            detail=detail,
        )
