"""From Python arguments to the calls of topics and subscriptions: MQOPEN, MQPUT1 and MQSUB. Shared
by `topic` and `aio_topic`, which wait."""

from __future__ import annotations

from typing import Final

from ternmq.api.arguments import EXPIRY_TENTHS_MAX, expiry_fault, whole_id
from ternmq.api.handles import BROWSE, OUTPUT, checked_name, checked_selector
from ternmq.api.wrong_arguments import subscribe_fault
from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_NO_SUBS_MATCHED,
    MQRC_OPTIONS_ERROR,
    MQRC_SELECTOR_NOT_ALTERABLE,
    MQRC_SUB_NAME_ERROR,
    MQRC_TOPIC_NOT_ALTERABLE,
)
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.values.calls.messages import Put1, PutCall
from ternmq.values.calls.objects import Open
from ternmq.values.calls.topics import Subscribe
from ternmq.values.entry import ZERO_ID
from ternmq.values.handle import ObjectHandle
from ternmq.values.put_form import PutForm, check_level

_ACTIONS: Final = mq.MQSO_CREATE | mq.MQSO_ALTER | mq.MQSO_RESUME
_DESTINATION: Final = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INQUIRE | BROWSE
WARNS: Final = mq.MQPMO_WARN_IF_NO_SUBS_MATCHED


def checked_topic(given: object) -> str:
    """A topic string as it was given; TypeError with its value if it is not text."""
    if not isinstance(given, str):
        hint = ", use its own put" if hasattr(given, "put") and hasattr(given, "name") else ""
        raise TypeError(f"a topic is text such as 'sport/football', not {given!r:.60}{hint}")
    return given


# ---- publications


def publication_options(
    options: int, retain: bool, not_own: bool, suppress_reply_to: bool, needs_subscriber: bool
) -> int:
    """MQPMO options of a publication."""
    if retain:
        options |= mq.MQPMO_RETAIN
    if not_own:
        options |= mq.MQPMO_NOT_OWN_SUBS
    if suppress_reply_to:
        options |= mq.MQPMO_SUPPRESS_REPLYTO
    if needs_subscriber:
        options |= WARNS
    return options


def at_level(form: PutForm, level: int, verb: str) -> PutForm:
    """The request for that publication level. Those that are used again have the usual one."""
    if level == form.level:
        return form
    check_level(level, verb)
    return form.with_level(level)


def topic_object(object_name: str, alternate_user: str = "") -> ObjectDescriptor:
    """The MQOD of a topic."""
    return ObjectDescriptor(
        object_type=mq.MQOT_TOPIC,
        object_name=checked_name(object_name, "a topic object"),
        alternate_user_id=checked_name(alternate_user, "a user"),
    )


def open_call(topic: str, object_name: str, options: int, alternate_user: str) -> Open:
    """MQOPEN of a topic, for publications."""
    options = options or OUTPUT
    if alternate_user:
        options |= mq.MQOO_ALTERNATE_USER_AUTHORITY
    od = topic_object(object_name, alternate_user)
    return Open(od, options, object_string=checked_topic(topic))


def publish_call(
    topic: str, object_name: str, alternate_user: str, form: PutForm, data: bytes
) -> Put1:
    """MQPUT1 to a topic."""
    return Put1(topic_object(object_name, alternate_user), form, data, checked_topic(topic))


def published(call: PutCall, topic: str) -> bytes:
    """The MsgId; MQRC_NO_SUBS_MATCHED, a warning, with it as `result` if nobody has subscribed and
    that was asked for."""
    if call.warning == MQRC_NO_SUBS_MATCHED:
        raise no_subscriber(call.verb, topic, call.msg_id)
    return call.msg_id


def no_subscriber(verb: str, topic: str, msg_id: bytes) -> MQError:
    """The warning that no subscription matched."""
    detail = "no subscription matches; the publication is done"
    return mq_error(
        MQRC_NO_SUBS_MATCHED,
        comp=mq.MQCC_WARNING,
        verb=verb,
        object=topic,
        detail=detail,
        result=msg_id,
    )


# ---- subscriptions


def _expiry_tenths(expiry: float | None) -> int:
    if expiry is None or expiry == float("inf"):
        return mq.MQEI_UNLIMITED
    if not 0 < expiry * 10 < EXPIRY_TENTHS_MAX:
        raise mq_error(MQRC_OPTIONS_ERROR, verb="MQSUB", detail=expiry_fault(expiry))
    return max(1, round(expiry * 10))


def _names(durable: str | None, name: str) -> str:
    """The name of a subscription, which may be given in either place."""
    name = checked_name(name, "a subscription")
    if durable is None:
        return name
    given: object = durable
    if not isinstance(given, str) or not given:
        detail = f"durable={durable!r}: a durable subscription is known by its name; give that"
        raise mq_error(MQRC_SUB_NAME_ERROR, verb="MQSUB", detail=detail)
    if name and name != durable:
        detail = f"durable={durable!r} and name={name!r}: give the name once"
        raise mq_error(MQRC_SUB_NAME_ERROR, verb="MQSUB", object=name, detail=detail)
    return durable


def _text_of(user_data: object) -> str:
    """Copies carry it, so one that is not text would spoil every publication."""
    if not isinstance(user_data, str):
        fault = f"user_data cannot be of type {type(user_data).__name__}: {user_data!r:.60}"
        raise TypeError(f"{fault}, give text")
    return user_data


def check_queue(queue: object, is_open: bool) -> None:
    """TypeError with the value for a destination that is neither a name, nor a queue of this kind
    of connection: publications would go elsewhere."""
    if queue is not None and not is_open and not isinstance(queue, str):
        fault = f"queue cannot be of type {type(queue).__name__}: {queue!r:.60}"
        raise TypeError(f"{fault}, give the name of a queue, or one that this connection opened")


def subscribe_call(
    topic: str,
    object_name: str,
    durable: str | None,
    name: str,
    selector: str,
    user_data: str,
    correl_id: bytes | None,
    priority: int | None,
    expiry: float | None,
    level: int,
    new_only: bool,
    on_request: bool,
    by_character: bool,
    any_user: bool,
    grouped: bool,
    alternate_user: str,
    options: int,
) -> Subscribe:
    """MQSUB. Without an action in `options` a subscription is made; one with a name that exists is
    resumed."""
    sub_name = _names(durable, name)
    fault = subscribe_fault(priority, expiry, correl_id)
    if fault:
        raise TypeError(fault)
    if not options & _ACTIONS:
        options |= mq.MQSO_CREATE | (mq.MQSO_RESUME if sub_name else 0)
    chosen = (
        (durable is not None, mq.MQSO_DURABLE),
        (new_only, mq.MQSO_NEW_PUBLICATIONS_ONLY),
        (on_request, mq.MQSO_PUBLICATIONS_ON_REQUEST),
        (by_character, mq.MQSO_WILDCARD_CHAR),
        (any_user, mq.MQSO_ANY_USERID),
        (grouped, mq.MQSO_GROUP_SUB),
        (correl_id is not None, mq.MQSO_SET_CORREL_ID),
        (alternate_user != "", mq.MQSO_ALTERNATE_USER_AUTHORITY),
    )
    for is_asked, option in chosen:
        if is_asked:
            options |= option
    sd = SubscriptionDescriptor(
        options=options | mq.MQSO_MANAGED | mq.MQSO_FAIL_IF_QUIESCING,
        object_name=checked_name(object_name, "a topic object"),
        alternate_user_id=checked_name(alternate_user, "a user"),
        expiry=_expiry_tenths(expiry),
        correl_id=ZERO_ID if correl_id is None else whole_id(correl_id, "MQSUB", "correl_id"),
        publication_priority=mq.MQPRI_PRIORITY_AS_PUBLISHED if priority is None else priority,
        level=level,
    )
    texts = (checked_topic(topic), sub_name, _text_of(user_data), checked_selector(selector))
    return Subscribe(sd, *texts)


def provide(call: Subscribe, destination: ObjectHandle) -> None:
    """Publications go to an open queue, not to one that the queue manager makes."""
    call.sd.options &= ~mq.MQSO_MANAGED
    call.destination = destination


def asked_for(call: Subscribe) -> tuple[str, str]:
    """Topic and selector that a subscription must have if one that exists is resumed; empty for
    any. With an action that the application chose MQSUB alone decides."""
    if call.sd.options & _ACTIONS != mq.MQSO_CREATE | mq.MQSO_RESUME:
        return "", ""
    return "" if call.sd.object_name else call.object_string, call.selector


def resumed_fault(call: Subscribe, asked: tuple[str, str]) -> MQError | None:
    """What is wrong if a subscription of that name was there and is another one. MQSUB resumes it,
    and its application would wait for publications that never come."""
    topic, selector = asked
    if topic and call.resolved_string not in ("", topic):
        detail = f"it exists with topic {call.resolved_string!r}, not {topic!r}"
        reason = MQRC_TOPIC_NOT_ALTERABLE
    elif selector and call.selector != selector:
        detail = f"it exists with selector {call.selector!r}, not {selector!r}"
        reason = MQRC_SELECTOR_NOT_ALTERABLE
    else:
        return None
    detail += "; resume it as it is, or remove it and subscribe again"
    return mq_error(reason, verb="MQSUB", object=call.sub_name, detail=detail)


def close_options(keep: bool, remove: bool) -> int:
    """MQCO options of a subscription."""
    return (mq.MQCO_KEEP_SUB if keep else 0) | (mq.MQCO_REMOVE_SUB if remove else 0)


def queue_call(name: str) -> Open:
    """MQOPEN of a queue that publications are to go to."""
    return Open(ObjectDescriptor(object_name=name), _DESTINATION)


def queue_of(call: Subscribe) -> Open:
    """The queue that a subscription's publications go to, as if it had been opened."""
    queue, _ = call.done()
    opened = Open(ObjectDescriptor(object_name=queue.resolved_name), int(queue.options))
    opened.handle = queue
    opened.resolved_name = queue.resolved_name
    return opened
