"""RegSub: a subscription is made, or the one that the subscriber has for the topic is renewed.

The subscriber is known by queue, queue manager and, with CorrelAsId, CorrelId, and belongs to one
user; a subscription may have a name as well. It is durable, and is stored before the command is
answered; one on a temporary dynamic queue is not, and goes with its queue. A command that comes
again after a crash renews what it has made.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.command_reasons import (
    MQRCCF_ALREADY_JOINED,
    MQRCCF_DUPLICATE_IDENTITY,
    MQRCCF_DUPLICATE_SUBSCRIPTION,
    MQRCCF_Q_NAME_ERROR,
    MQRCCF_SUB_IDENTITY_ERROR,
    MQRCCF_SUB_NAME_ERROR,
    MQRCCF_WRONG_USER,
)
from ternmq.codec.headers.pubsub_command import TOPIC, Field, Response
from ternmq.codec.headers.pubsub_options import REGISTRATION, option_words
from ternmq.kernel.connection import Connection
from ternmq.kernel.resolve import close_handle, open_queue
from ternmq.kernel.selection import selection_of
from ternmq.pubsub.publish_subscribe import PublishSubscribe
from ternmq.pubsub.queued.command import CommandFault, QueuedCommand
from ternmq.pubsub.queued.identities import is_exclusive, is_identity, joined, members
from ternmq.pubsub.queued.registrations import Registrations
from ternmq.pubsub.queued.subscriber import IS_QUEUED, subscriber_of
from ternmq.pubsub.queued.work import Work
from ternmq.pubsub.retained_sending import RetainedSending
from ternmq.pubsub.subscription import Subscription, SubscriptionTerms, shared_terms
from ternmq.pubsub.subscription_permission import permit
from ternmq.pubsub.subscription_rules import check_pattern
from ternmq.pubsub.subscription_store import store_subscription

_KEPT: Final = ~(
    mq.MQREGO_ADD_NAME
    | mq.MQREGO_NO_ALTERATION
    | mq.MQREGO_FULL_RESPONSE
    | mq.MQREGO_JOIN_SHARED
    | mq.MQREGO_JOIN_EXCLUSIVE
)
_NAME_MAX: Final = mq.MQ_SUB_NAME_LENGTH
_TENTH_NS: Final = 100_000_000


def user_fault(command: QueuedCommand, user: str) -> CommandFault:
    """The subscriber, or the subscription, is another user's."""
    if command.is_version_1:
        return CommandFault(MQRCCF_DUPLICATE_IDENTITY, [("UserId", user)])
    return CommandFault(MQRCCF_WRONG_USER)


def check_user(command: QueuedCommand, subscription: Subscription) -> None:
    """Whether a command may touch a subscription: its user may, and with VariableUserId any."""
    terms = subscription.terms
    if terms.user != command.user and not terms.any_user:
        raise user_fault(command, terms.user)


@final
class Registering(Work):
    """RegSub."""

    def __init__(
        self,
        pubsub: PublishSubscribe,
        connection: Connection,
        command: QueuedCommand,
        registrations: Registrations,
    ) -> None:
        super().__init__(pubsub, connection, command)
        self._registrations = registrations
        self._is_temporary = False
        self._knows_queue = False
        self._made: Subscription | None = None  # stored, and to be sent what is retained
        self._sending: RetainedSending | None = None

    def attempt(self, topic: str) -> bool:
        made = self._made
        if made is None:
            made = self._register(topic)
            if made is None:
                return False
            self._made = made
        if not self._send_retained(made):
            return False
        self._made = None
        if self.command.options & mq.MQREGO_FULL_RESPONSE:
            self.more = described(self.pubsub, made, made.given_string)
        return True

    def _register(self, topic: str) -> Subscription | None:
        """The subscription, there and stored; None: parked."""
        command = self.command
        topic_string = command.full(topic)
        check_pattern(topic_string, command.is_version_1)
        if not self._look_at_queue():
            return None
        self._check_subscriber()
        existing = self._existing(topic_string)
        identities, reason = self._joined(existing)
        terms = self._terms(identities)
        user = None if self.connection.privileged else command.user
        permit(self.pubsub, self.connection, user, topic_string, terms, mq.MQSO_CREATE)
        selection_of(self.pubsub.kernel, [], terms.selector)  # or it is refused
        if existing is None:
            made = self._new(topic, topic_string, terms)
            if not self._store(made):
                return None
            self.pubsub.add(made)
            self._registrations.add(made)
        else:
            made = existing
            if not self._renew(made, terms):
                return None
        if reason == MQRCCF_ALREADY_JOINED:
            self.warnings.append(Response(reason, [(TOPIC, topic)]))
        return made

    def _look_at_queue(self) -> bool:
        """Whether the subscriber's queue is there and the user may put to it; False: parked."""
        if self._knows_queue:
            return True
        queue, qmgr, _ = self.command.subscriber
        kernel = self.pubsub.kernel
        handle = open_queue(kernel, self.connection, queue, qmgr, "", mq.MQOO_OUTPUT, "MQOPEN")
        if handle is None:
            return False
        local = handle.local
        is_here = handle.route is None and local is not None
        self._is_temporary = is_here and local is not None and local.temporary
        is_input = is_here and local is not None and local.name in self.pubsub.input_names
        close_handle(kernel, handle, 0)
        if is_input:  # publications would be published again and again
            raise CommandFault(MQRCCF_Q_NAME_ERROR, [("QName", queue)])
        self._knows_queue = True
        return True

    def _check_subscriber(self) -> None:
        """A queue, with its CorrelId, is one user's as long as it has subscriptions."""
        command = self.command
        for one in self._registrations.of(command.subscriber)[:1]:
            check_user(command, one)

    def _existing(self, topic_string: str) -> Subscription | None:
        """The one that is meant, if there is one."""
        command = self.command
        message = command.message
        name = message.value("SubName")
        has_name = any(field == "SubName" for field, _ in message.fields)
        if len(name) > _NAME_MAX or (has_name and not name):
            raise CommandFault(MQRCCF_SUB_NAME_ERROR)
        found = self._registrations.find(command.subscriber, topic_string, command.selector)
        if not name:
            if found is not None and is_named(found):
                raise CommandFault(MQRCCF_SUB_NAME_ERROR, [("SubName", found.name)])
            return found
        named = self.pubsub.by_name.get(name)
        if named is not None:
            by_name_alone = command.options & mq.MQREGO_NO_ALTERATION and named.terms.registration
            if named is not found and not by_name_alone and not self._joins(named, topic_string):
                raise CommandFault(MQRCCF_DUPLICATE_SUBSCRIPTION, [("SubName", name)])
            check_user(command, named)
            return named
        if found is None:
            return None
        if is_named(found) or not command.options & mq.MQREGO_ADD_NAME:
            raise CommandFault(MQRCCF_DUPLICATE_SUBSCRIPTION, [("SubName", found.name)])
        return found

    def _joins(self, named: Subscription, topic_string: str) -> bool:
        """Whether a name is used for the subscription that has it."""
        return bool(named.terms.registration) and named.topic_string == topic_string

    def _joined(self, existing: Subscription | None) -> tuple[str, int]:
        command = self.command
        identity = command.message.value("SubIdentity")
        if identity and not is_identity(identity):
            raise CommandFault(MQRCCF_SUB_IDENTITY_ERROR)
        before = "" if existing is None else existing.terms.identities
        identities, reason = joined(before, identity, command.options)
        if reason and reason != MQRCCF_ALREADY_JOINED:
            raise CommandFault(reason)
        return identities, reason

    def _terms(self, identities: str) -> SubscriptionTerms:
        command = self.command
        options = command.options
        md = command.md
        return shared_terms(
            SubscriptionTerms(
                is_durable=not self._is_temporary,
                any_user=options & mq.MQREGO_VARIABLE_USER_ID != 0,
                new_only=options & mq.MQREGO_NEW_PUBLICATIONS_ONLY != 0,
                on_request=options & mq.MQREGO_PUBLISH_ON_REQUEST_ONLY != 0,
                by_character=command.is_version_1,
                of_qmgr_only=options & mq.MQREGO_LOCAL != 0,
                user=command.user,
                properties=mq.MQPSPROP_COMPAT if command.is_version_1 else mq.MQPSPROP_RFH2,
                expiry=md.expiry if md.expiry > 0 else mq.MQEI_UNLIMITED,
                accounting_token=md.accounting_token,
                sets_identity=True,
                identity_data=md.appl_identity_data,
                selector=command.selector,
                destination_qmgr=command.subscriber[1],
                topic_object=command.stream,
                registration=options & _KEPT | IS_QUEUED,
                identities=identities,
            )
        )

    def _new(self, topic: str, topic_string: str, terms: SubscriptionTerms) -> Subscription:
        kernel = self.pubsub.kernel
        command = self.command
        queue, _, correl_id = command.subscriber
        made = Subscription(kernel.new_id(), "", topic_string, terms)
        made.given_string = topic
        made.correl_id = correl_id or made.sub_id
        made.destination = queue
        made.user_data = command.message.value("SubUserData")
        made.name = command.message.value("SubName") or self._name(made)
        made.created_ns = kernel.clock.now_ns()
        self._begin(made)
        return made

    def _name(self, made: Subscription) -> str:
        """For one without a name: who it is for, and the topic."""
        queue, qmgr, correl_id = self.command.subscriber
        where = f"{queue}@{qmgr or self.pubsub.kernel.name}"
        name = f"{where}:{correl_id.hex().upper()}:{made.topic_string}"
        if self.command.selector or len(name) > _NAME_MAX or name in self.pubsub.by_name:
            return f"{where}:{made.sub_id.hex().upper()}"
        return name

    def _begin(self, made: Subscription) -> None:
        now_ns = self.pubsub.kernel.clock.now_ns()
        made.resumed_ns = now_ns
        expiry = made.terms.expiry
        is_endless = expiry == mq.MQEI_UNLIMITED
        made.expires_at_ns = 0 if is_endless else now_ns + expiry * _TENTH_NS

    def _store(self, made: Subscription) -> bool:
        if made.terms.is_durable:
            return store_subscription(self.pubsub, self.connection, made)
        temporary = self.pubsub.on_temporary.setdefault(made.destination, [])
        temporary.append(made.sub_id)
        return True

    def _renew(self, made: Subscription, terms: SubscriptionTerms) -> bool:
        """Registered again: other terms and a new time to live; False: parked."""
        command = self.command
        message = command.message
        alters = not command.options & mq.MQREGO_NO_ALTERATION
        if not alters or subscriber_of(made) != command.subscriber:  # it joins by name
            terms = shared_terms(made.terms._replace(identities=terms.identities))
            alters = False
        old_terms, old_data, old_name = made.terms, made.user_data, made.name
        made.terms = terms
        if alters:
            made.user_data = message.value("SubUserData")
        made.name = message.value("SubName") or made.name
        is_kept = not terms.is_durable
        try:
            if terms.is_durable:
                is_kept = store_subscription(self.pubsub, self.connection, made)
        finally:
            new_terms, new_data, new_name = made.terms, made.user_data, made.name
            made.terms, made.user_data, made.name = old_terms, old_data, old_name
        if not is_kept:
            return False
        self.pubsub.remove(made)  # it may match by other rules, or by another name
        made.is_removed = False
        made.node = None
        made.terms, made.user_data, made.name = new_terms, new_data, new_name
        self._begin(made)
        self.pubsub.add(made)
        self._registrations.add(made)
        return True

    def _send_retained(self, made: Subscription) -> bool:
        """What is retained goes to a subscriber that has not said otherwise; False: parked."""
        if made.terms.new_only or made.terms.on_request:
            return True
        sending = self._sending
        if sending is None:
            sending = RetainedSending(self.pubsub, self.connection, made, "MQSUB", True)
            self._sending = sending
        is_over = True
        try:
            is_over = sending.step()
        finally:
            if is_over:
                self._sending = None
        return is_over


def is_named(subscription: Subscription) -> bool:
    """Whether the subscriber has given it a name, or the queue manager has."""
    return not subscription.name.startswith(f"{subscription.destination}@")


def described(pubsub: PublishSubscribe, made: Subscription, topic: str) -> list[Field]:
    """All that a full response has to say of a subscription."""
    terms = made.terms
    options = terms.registration & ~IS_QUEUED
    if is_exclusive(terms.identities):
        options |= mq.MQREGO_LOCKED
    fields: list[Field] = [(TOPIC, topic)]
    fields += [("RegOpt", word) for word in option_words(options, REGISTRATION)]
    fields.append(("QMgrName", terms.destination_qmgr or pubsub.kernel.name))
    fields.append(("QName", made.destination))
    if terms.registration & mq.MQREGO_CORREL_ID_AS_IDENTITY:
        fields.append(("CorrelId", made.correl_id.hex().upper()))
    fields.append(("UserId", terms.user))
    if is_named(made):
        fields.append(("SubName", made.name))
    fields += [("SubIdentity", identity) for identity in members(terms.identities)]
    if made.user_data:
        fields.append(("SubUserData", made.user_data))
    return fields
