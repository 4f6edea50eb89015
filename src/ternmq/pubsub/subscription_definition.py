"""Administrative subscriptions: SUB objects of the catalog, each of which is a subscription. And
any subscription as an object, so that commands show and alter all of them alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.attributes import Value, defaults_of
from ternmq.base.object_types import SUB, TOPIC
from ternmq.kernel.parts import RESOLVED_TOPIC
from ternmq.kernel.selection import selection_of
from ternmq.pubsub.subscription import (
    ADMIN,
    State,
    Subscription,
    SubscriptionTerms,
    shared_terms,
)
from ternmq.pubsub.subscription_expiry import expires_at
from ternmq.pubsub.topic_tree import SEPARATOR
from ternmq.store.catalog import Definition
from ternmq.values.entry import ZERO_ID

if TYPE_CHECKING:
    from ternmq.kernel.kernel import Kernel
    from ternmq.pubsub.publish_subscribe import PublishSubscribe

_OF_QMGR: Final = 1  # MQTSCOPE_QMGR
_OF_ALL: Final = 2  # MQTSCOPE_ALL
_ID_BYTES: Final = 24
_TOKEN_BYTES: Final = 32


def topic_string_of(kernel: Kernel, definition: Definition) -> str:
    """The full topic string of a SUB object. What its topic object gave when it was defined stays,
    also if that is deleted."""
    resolved = definition.attributes.get(RESOLVED_TOPIC)
    if resolved is not None:
        return str(resolved)
    given = definition.text("topic_string")
    topic_object = definition.text("topic_object")
    if not topic_object:
        return given
    topic = kernel.catalog.find(TOPIC, topic_object)
    of_object = "" if topic is None else topic.text("topic_string")
    if not of_object or not given:
        return of_object or given
    return of_object + SEPARATOR + given


def sub_id_of(kernel: Kernel, definition: Definition) -> bytes:
    """The identifier of an administrative subscription: it follows from its object, whose number
    no message has."""
    return kernel.msg_prefix + definition.object_id.to_bytes(8, "big")


def _hex(text: str, length: int) -> bytes:
    """Hexadecimal digits as so many bytes; fewer digits are the first ones."""
    return bytes.fromhex(text.ljust(2 * length, "0"))


def terms_of_definition(definition: Definition) -> SubscriptionTerms:
    """What the attributes of a SUB object mean."""
    accounting = definition.text("publish_accounting")
    identity = definition.text("publish_identity")
    return shared_terms(
        SubscriptionTerms(
            sub_type=mq.MQSUBTYPE_ADMIN,
            is_durable=True,
            is_managed=definition.number("destination_class") == mq.MQDC_MANAGED,
            any_user=definition.number("variable_user") == mq.MQVU_ANY_USER,
            on_request=definition.number("on_request") == mq.MQRU_PUBLISH_ON_REQUEST,
            by_character=definition.number("wildcard_schema") == mq.MQWS_CHAR,
            of_qmgr_only=definition.number("subscribe_scope") == _OF_QMGR,
            user=definition.text("subscription_user"),
            level=definition.number("level"),
            priority=definition.number("publish_priority"),
            properties=definition.number("properties"),
            expiry=definition.number("expiry"),
            accounting_token=_hex(accounting, _TOKEN_BYTES) if accounting else mq.MQACT_NONE,
            sets_identity=bool(accounting or identity),
            identity_data=identity,
            selector=definition.text("selector"),
            destination_qmgr=definition.text("destination_qmgr"),
            topic_object=definition.text("topic_object"),
        )
    )


def attributes_of(subscription: Subscription) -> dict[str, Value]:
    """The attributes that show a subscription."""
    terms = subscription.terms
    token = terms.accounting_token
    return {
        "subscription_id": subscription.sub_id.hex().upper(),
        "topic_string": subscription.given_string,
        "topic_object": terms.topic_object,
        "destination": subscription.destination,
        "destination_qmgr": terms.destination_qmgr,
        "destination_correlation": subscription.correl_id.hex().upper(),
        "destination_class": mq.MQDC_MANAGED if terms.is_managed else mq.MQDC_PROVIDED,
        "durable": mq.MQSUB_DURABLE_YES if terms.is_durable else mq.MQSUB_DURABLE_NO,
        "subscribe_scope": _OF_QMGR if terms.of_qmgr_only else _OF_ALL,
        "selector": terms.selector,
        "user_data": subscription.user_data,
        "publish_accounting": "" if token == mq.MQACT_NONE else token.hex().upper(),
        "publish_identity": terms.identity_data,
        "subscription_user": terms.user,
        "level": terms.level,
        "wildcard_schema": mq.MQWS_CHAR if terms.by_character else mq.MQWS_TOPIC,
        "subscription_type": terms.sub_type,
        "variable_user": mq.MQVU_ANY_USER if terms.any_user else mq.MQVU_FIXED_USER,
        "publish_priority": terms.priority,
        "properties": terms.properties,
        "expiry": terms.expiry,
        "on_request": (mq.MQRU_PUBLISH_ON_REQUEST if terms.on_request else mq.MQRU_PUBLISH_ALL),
    }


def definition_of(subscription: Subscription) -> Definition:
    """A subscription as an object that is in no catalog, for commands."""
    attributes = defaults_of(SUB)
    attributes.update(attributes_of(subscription))
    return Definition(SUB, subscription.name, 0, attributes, int(subscription.created_ns))


def altered_state(subscription: Subscription, wanted: Definition, now_ns: int) -> State:
    """What a subscription is to be when its attributes are as they are wanted; what no attribute
    shows stays."""
    old = subscription.terms
    shown = terms_of_definition(wanted)
    correl_id = _hex(wanted.text("destination_correlation"), _ID_BYTES)
    qmgr = wanted.text("destination_qmgr")
    terms = old._replace(
        any_user=shown.any_user,
        on_request=shown.on_request,
        passes_correl_id=correl_id == ZERO_ID,
        user=shown.user,
        priority=shown.priority,
        properties=shown.properties,
        expiry=shown.expiry,
        accounting_token=shown.accounting_token,
        sets_identity=shown.sets_identity,
        identity_data=shown.identity_data,
        destination_qmgr=qmgr,
    )
    ends = int(subscription.expires_at_ns)
    if terms.expiry != old.expiry:
        ends = expires_at(terms.expiry, now_ns)
    destination = wanted.text("destination")
    return (shared_terms(terms), correl_id, destination, wanted.text("user_data"), ends)


def subscription_changed(pubsub: PublishSubscribe, definition: Definition) -> None:
    """A SUB object is there or has changed: the same subscription with other terms. One without a
    topic, as SYSTEM.DEFAULT.SUB, is not a subscription."""
    kernel = pubsub.kernel
    topic_string = topic_string_of(kernel, definition)
    if not definition.text("topic_string") and not definition.text("topic_object"):
        return
    terms = terms_of_definition(definition)
    sub_id = sub_id_of(kernel, definition)
    correlation = definition.text("destination_correlation")
    correl_id = _hex(correlation, _ID_BYTES) if correlation else sub_id
    if correl_id == ZERO_ID:
        terms = shared_terms(terms._replace(passes_correl_id=True))
    ends = expires_at(terms.expiry, definition.altered_ns)
    found = pubsub.by_id.get(sub_id)
    if found is not None and found.topic_string == topic_string:
        if found.terms.expiry == terms.expiry:
            ends = int(found.expires_at_ns)
        if found.terms.selector != terms.selector:
            selection_of(kernel, [], terms.selector)  # or it is refused
        pubsub.change(
            found,
            terms,
            correl_id,
            definition.text("destination"),
            definition.text("user_data"),
            ends,
        )
        return
    if found is not None:
        pubsub.remove(found)
    made = Subscription(sub_id, definition.name, topic_string, terms)
    made.given_string = definition.text("topic_string")
    made.correl_id = correl_id
    made.destination = definition.text("destination")
    made.user_data = definition.text("user_data")
    made.created_ns = definition.created_ns
    made.expires_at_ns = ends
    selection_of(kernel, [], terms.selector)  # or it is refused
    pubsub.add(made)


def subscription_deleted(pubsub: PublishSubscribe, definition: Definition) -> None:
    """A SUB object is gone."""
    found = pubsub.by_id.get(sub_id_of(pubsub.kernel, definition))
    if found is not None and found.terms.sub_type == ADMIN:
        pubsub.remove(found)
