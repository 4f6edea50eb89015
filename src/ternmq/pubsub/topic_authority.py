"""Who may publish and subscribe to a topic, and what a refusal reports.

Authority is given on topic objects. The closest one at or above the topic string is asked first,
then the next upwards, until one grants; a closer one cannot take away what a higher one gives. It
is refused only after SYSTEM.BASE.TOPIC, or after SYSTEM.ADMIN.TOPIC in the branch $SYS/MQ, and the
event lists every object that was asked. `user` is what `acting_user` or `subscribing_user` say;
None: no check.
"""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.kernel.authority import OPEN_NEEDS, QMGR_NEEDS, check, needed
from ternmq.kernel.connection import Connection
from ternmq.kernel.topic_sink import TopicRefusal
from ternmq.pubsub.publish_subscribe import PublishSubscribe
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.topic_attributes import attributes_at
from ternmq.pubsub.topic_tree import BASE_TOPIC
from ternmq.pubsub.wildcards import literal_prefix
from ternmq.security import authorities as auth
from ternmq.security.authorities import SELF_PROFILE, words


def lacking_on_topic(pubsub: PublishSubscribe, user: str, topic_string: str, wanted: int) -> int:
    """Which of the wanted authorities no topic object at or above the topic gives the user."""
    authority = pubsub.kernel.authority
    for name in attributes_at(pubsub.tree, topic_string).names:
        wanted &= ~authority.granted(user, mq.MQOT_TOPIC, name)
        if not wanted:
            break
    return wanted


def topics_lacking(
    pubsub: PublishSubscribe, user: str, topic_string: str, wanted: int
) -> list[str]:
    """The topic objects that were asked in vain, the closest first; none if one of them grants."""
    if lacking_on_topic(pubsub, user, topic_string, wanted):
        return attributes_at(pubsub.tree, topic_string).names or [BASE_TOPIC]
    return []


def _refuse(
    pubsub: PublishSubscribe, connection: Connection, refusal: TopicRefusal, missing: int, verb: str
) -> None:
    kernel = pubsub.kernel
    lacks = " ".join(words(missing))
    where = refusal.destination or refusal.topic_string
    kind = "queue" if refusal.destination else "topic"
    kernel.notices.add("AMQ8077W", (refusal.user, f"{where} [{kind}]", lacks))
    if not refusal.names:
        refusal.names = attributes_at(pubsub.tree, refusal.topic_string).names
    kernel.event_sink.topic_not_authorized(connection, refusal)
    raise mq_error(
        MQRC_NOT_AUTHORIZED,
        verb=verb,
        object=where[: mq.MQ_OBJECT_NAME_LENGTH],
        detail=f"user '{refusal.user}' lacks {lacks} on {kind} {where}",
    )


def check_publish(
    pubsub: PublishSubscribe,
    connection: Connection,
    user: str | None,
    topic_string: str,
    options: int,
    verb: str,
) -> None:
    """MQOPEN for output, or MQPUT1, of a topic."""
    if user is None:
        return
    wanted = auth.PUB | (needed(OPEN_NEEDS, options) & ~(auth.PUT | auth.INQ))
    missing = lacking_on_topic(pubsub, user, topic_string, wanted)
    if missing:
        refusal = TopicRefusal(mq.MQRQ_OPEN_NOT_AUTHORIZED, user, topic_string, options)
        _refuse(pubsub, connection, refusal, missing, verb)
    of_qmgr = needed(QMGR_NEEDS, options)
    if of_qmgr:
        check(
            pubsub.kernel, connection, user, mq.MQOT_Q_MGR, SELF_PROFILE, of_qmgr, verb,
            mq.MQRQ_OPEN_NOT_AUTHORIZED, options,
        )  # fmt: skip


def subscribing_user(
    pubsub: PublishSubscribe, connection: Connection, options: int, alternate_user: str
) -> str | None:
    """The user whose authority MQSUB checks; None if it checks none. With
    MQSO_ALTERNATE_USER_AUTHORITY the caller needs altusr, and the rest is asked of the other."""
    kernel = pubsub.kernel
    if not options & mq.MQSO_ALTERNATE_USER_AUTHORITY:
        return None if connection.privileged else connection.user
    if not kernel.authority.enabled:
        return None
    if not connection.privileged:
        check(
            kernel, connection, connection.user, mq.MQOT_Q_MGR, SELF_PROFILE, auth.ALTUSR,
            "MQSUB", mq.MQRQ_OPEN_NOT_AUTHORIZED, options,
        )  # fmt: skip
    user = alternate_user.rstrip()
    return None if kernel.authority.is_administrator(user) else user


def check_subscribe(
    pubsub: PublishSubscribe,
    connection: Connection,
    user: str | None,
    topic_string: str,
    by_character: bool,
    options: int,
) -> None:
    """MQSUB that creates or alters a subscription to a topic string, wildcards and all. A pattern
    is governed by what stands before its first wildcard."""
    _check_topic(pubsub, connection, user, topic_string, by_character, options, auth.SUB)


def check_resume(
    pubsub: PublishSubscribe,
    connection: Connection,
    user: str | None,
    topic_string: str,
    by_character: bool,
    options: int,
) -> None:
    """MQSUB that resumes a subscription."""
    _check_topic(pubsub, connection, user, topic_string, by_character, options, auth.RESUME)


def _check_topic(
    pubsub: PublishSubscribe,
    connection: Connection,
    user: str | None,
    topic_string: str,
    by_character: bool,
    options: int,
    wanted: int,
) -> None:
    if user is None:
        return
    asked = literal_prefix(topic_string, by_character)
    missing = lacking_on_topic(pubsub, user, asked, wanted)
    if missing:
        refusal = TopicRefusal(mq.MQRQ_SUB_NOT_AUTHORIZED, user, topic_string, options)
        refusal.names = attributes_at(pubsub.tree, asked).names
        _refuse(pubsub, connection, refusal, missing, "MQSUB")


def check_destination(
    pubsub: PublishSubscribe,
    connection: Connection,
    user: str | None,
    topic_string: str,
    queue_name: str,
    options: int,
    is_opened: bool,
) -> None:
    """MQSUB with a queue of the application's: put, and where MQSUB itself opens the queue
    (MQHO_NONE was given), get and browse as well; for MQSO_SET_IDENTITY_CONTEXT setid, as MQOPEN
    with that context. `options` are those of the MQSUB."""
    if user is None:
        return
    wanted = auth.PUT | (auth.GET | auth.BROWSE if is_opened else 0)
    sets_identity = options & mq.MQSO_SET_IDENTITY_CONTEXT != 0
    if sets_identity:
        wanted |= auth.SETID
    missing = wanted & ~pubsub.kernel.authority.granted(user, mq.MQOT_Q, queue_name)
    if missing:
        refusal = TopicRefusal(mq.MQRQ_SUB_DEST_NOT_AUTHORIZED, user, topic_string, options)
        refusal.destination = queue_name
        refusal.open_options = mq.MQOO_OUTPUT
        if is_opened:
            refusal.open_options |= mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_BROWSE
        if sets_identity:
            refusal.open_options |= mq.MQOO_SET_IDENTITY_CONTEXT
        _refuse(pubsub, connection, refusal, missing, "MQSUB")
    if sets_identity:
        check(
            pubsub.kernel, connection, user, mq.MQOT_Q_MGR, SELF_PROFILE, auth.SETID, "MQSUB",
            mq.MQRQ_OPEN_NOT_AUTHORIZED, int(mq.MQOO_SET_IDENTITY_CONTEXT),
        )  # fmt: skip


def check_remove(
    pubsub: PublishSubscribe, connection: Connection, subscription: Subscription
) -> None:
    """MQCLOSE with MQCO_REMOVE_SUB: the user who made it may, and who has sub. One of any user
    belongs to whoever resumed it last, which is not who made it."""
    user = connection.user
    terms = subscription.terms
    if connection.privileged or (terms.user == user and not terms.any_user):
        return
    asked = literal_prefix(subscription.topic_string, terms.by_character)
    missing = lacking_on_topic(pubsub, user, asked, auth.SUB)
    if missing:
        refusal = TopicRefusal(mq.MQRQ_CLOSE_NOT_AUTHORIZED, user, subscription.topic_string, 0)
        refusal.names = attributes_at(pubsub.tree, asked).names
        refusal.sub_name = subscription.name
        _refuse(pubsub, connection, refusal, missing, "MQCLOSE")
