"""What MQSUB changes of a subscription that is there: by MQSO_ALTER what the MQSD says, by
MQSO_RESUME only its user. What cannot be altered is refused, each with its own reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_DEST_CLASS_NOT_ALTERABLE,
    MQRC_DURABILITY_NOT_ALTERABLE,
    MQRC_GROUPING_NOT_ALTERABLE,
    MQRC_HOBJ_ERROR,
    MQRC_SELECTOR_NOT_ALTERABLE,
    MQRC_SUBLEVEL_NOT_ALTERABLE,
    MQRC_TOPIC_NOT_ALTERABLE,
)
from ternmq.kernel.connection import Handle
from ternmq.pubsub.opening import full_topic_string
from ternmq.pubsub.provided_queues import check_destination, destination_names
from ternmq.pubsub.publish_subscribe import PublishSubscribe
from ternmq.pubsub.subscription import State, Subscription, SubscriptionTerms, shared_terms
from ternmq.pubsub.subscription_expiry import expires_at
from ternmq.pubsub.subscription_rules import VERB

if TYPE_CHECKING:
    from ternmq.values.calls.topics import Subscribe


@final
class Alteration:
    """What a subscription is to be, and what it was."""

    def __init__(
        self, pubsub: PublishSubscribe, subscription: Subscription, call: Subscribe, user: str
    ) -> None:
        self.pubsub = pubsub
        self.subscription = subscription
        self.call = call
        self.user = user
        self.before = state_of(subscription)
        self.after = self.before

    @property
    def is_change(self) -> bool:
        """Whether it is to be other than it is."""
        return self.after != self.before

    # ---- what is refused

    def check(self, destination: Handle | None) -> None:
        """MQSO_ALTER of what cannot be altered."""
        options = self.call.sd.options
        terms = self.subscription.terms
        if (options & mq.MQSO_DURABLE != 0) != terms.is_durable:
            self._refuse(MQRC_DURABILITY_NOT_ALTERABLE, f"it is {_durability(terms)}")
        self._check_topic(options)
        if self.call.sd.level != terms.level:
            self._refuse(MQRC_SUBLEVEL_NOT_ALTERABLE, f"its SubLevel is {terms.level}")
        repeats = self.call.repeats_selector and self.call.selector == terms.selector
        if not repeats and (self.call.selector or self.call.repeats_selector):
            self._refuse(MQRC_SELECTOR_NOT_ALTERABLE, f"its SelectionString is {terms.selector!r}")
        self._check_class(options, destination)
        self._check_grouping(options, destination)

    def _refuse(self, reason: int, detail: str) -> None:
        raise mq_error(reason, verb=VERB, object=self.subscription.name, detail=detail)

    def _check_topic(self, options: int) -> None:
        call = self.call
        subscription = self.subscription
        if call.sd.object_name or call.object_string:
            given = full_topic_string(self.pubsub, call.sd.object_name, call.object_string, VERB)
            if given != subscription.topic_string:
                detail = f"its topic string is {subscription.topic_string!r}, not {given!r}"
                self._refuse(MQRC_TOPIC_NOT_ALTERABLE, detail)
        by_character = subscription.terms.by_character
        other = mq.MQSO_WILDCARD_TOPIC if by_character else mq.MQSO_WILDCARD_CHAR
        if options & other:
            self._refuse(MQRC_TOPIC_NOT_ALTERABLE, "it has another wildcard scheme")

    def _check_class(self, options: int, destination: Handle | None) -> None:
        is_managed = self.subscription.terms.is_managed
        if is_managed and destination is not None:
            self._refuse(MQRC_DEST_CLASS_NOT_ALTERABLE, "its queue is managed")
        if not is_managed and options & mq.MQSO_MANAGED:
            self._refuse(MQRC_DEST_CLASS_NOT_ALTERABLE, "its queue is provided")

    def _check_grouping(self, options: int, destination: Handle | None) -> None:
        terms = self.subscription.terms
        if (options & mq.MQSO_GROUP_SUB != 0) != terms.is_grouped:
            self._refuse(MQRC_GROUPING_NOT_ALTERABLE, "MQSO_GROUP_SUB cannot be altered")
        if not terms.is_grouped:
            return
        if self.call.sd.correl_id != self.subscription.correl_id:
            self._refuse(MQRC_GROUPING_NOT_ALTERABLE, "it is grouped by its SubCorrelId")
        if destination is not None:
            names = destination_names(check_destination(destination, terms.is_durable))
            if names != (self.subscription.destination, terms.destination_qmgr):
                self._refuse(MQRC_GROUPING_NOT_ALTERABLE, "it is grouped by its queue")

    # ---- what changes

    def resume(self, destination: Handle | None) -> None:
        """MQSO_RESUME: any user that may take it up becomes its user. A handle that is given must
        be of its queue."""
        subscription = self.subscription
        terms = subscription.terms
        if destination is not None:
            names = destination_names(check_destination(destination, terms.is_durable))
            if names != (subscription.destination, terms.destination_qmgr):
                detail = f"its queue is {subscription.destination}"
                self._refuse(MQRC_HOBJ_ERROR, detail)
        if terms.any_user and terms.user != self.user:
            self._set(shared_terms(terms._replace(user=self.user)))

    def alter(self, queue_handle: Handle) -> None:
        """MQSO_ALTER: as the MQSD says."""
        call = self.call
        sd = call.sd
        options = sd.options
        subscription = self.subscription
        terms = subscription.terms
        destination, qmgr = subscription.destination, terms.destination_qmgr
        if not terms.is_managed:
            destination, qmgr = destination_names(queue_handle)
        sets_correl = options & mq.MQSO_SET_CORREL_ID != 0
        sets_identity = options & mq.MQSO_SET_IDENTITY_CONTEXT != 0
        passes = sets_correl and sd.correl_id == mq.MQCI_NONE
        after = terms._replace(
            any_user=options & mq.MQSO_ANY_USERID != 0,
            on_request=options & mq.MQSO_PUBLICATIONS_ON_REQUEST != 0,
            of_qmgr_only=options & mq.MQSO_SCOPE_QMGR != 0,
            passes_correl_id=passes if sets_correl else terms.passes_correl_id,
            user=self.user,
            priority=sd.publication_priority,
            expiry=sd.expiry,
            accounting_token=sd.publication_accounting_token if sets_identity else mq.MQACT_NONE,
            sets_identity=sets_identity,
            identity_data=sd.publication_appl_identity_data if sets_identity else "",
            destination_qmgr=qmgr,
        )
        correl_id = sd.correl_id if sets_correl else subscription.correl_id
        now_ns = int(self.pubsub.kernel.clock.now_ns())
        ends = int(subscription.expires_at_ns)
        if sd.expiry != terms.expiry:
            ends = expires_at(sd.expiry, now_ns)
        self._set(shared_terms(after), correl_id, destination, call.user_data, ends)

    def _set(
        self,
        terms: SubscriptionTerms,
        correl_id: bytes | None = None,
        destination: str | None = None,
        user_data: str | None = None,
        ends: int | None = None,
    ) -> None:
        _terms, old_correl, old_destination, old_data, old_ends = self.before
        self.after = (
            terms,
            old_correl if correl_id is None else correl_id,
            old_destination if destination is None else destination,
            old_data if user_data is None else user_data,
            old_ends if ends is None else ends,
        )

    def apply(self) -> None:
        """It is as it is to be."""
        become(self.pubsub, self.subscription, self.after)

    def revert(self) -> None:
        """It is as it was."""
        become(self.pubsub, self.subscription, self.before)


def become(pubsub: PublishSubscribe, subscription: Subscription, state: State) -> None:
    """Let a subscription be in a state."""
    terms, correl_id, destination, user_data, ends = state
    pubsub.change(subscription, terms, correl_id, destination, user_data, ends)


def state_of(subscription: Subscription) -> State:
    """All of it that can be altered."""
    return (
        subscription.terms,
        subscription.correl_id,
        subscription.destination,
        subscription.user_data,
        int(subscription.expires_at_ns),
    )


def _durability(terms: SubscriptionTerms) -> str:
    return "durable" if terms.is_durable else "not durable"
