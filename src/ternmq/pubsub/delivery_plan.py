"""Who gets the publications of a topic, and what their copies have in common.

What a subscription sees of a publication depends on few things, so that copies for many
subscriptions have one descriptor and one property area (`Style`); only MsgId and CorrelId are each
copy's own. `delivery_planning` makes plans.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, TypeAlias, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.limits import PRIORITY_MAX, USER_ID_BYTES_MAX, USER_NAME_BYTES_MAX
from ternmq.base.user_names import carried_name, identity_data_of
from ternmq.codec.mqi.mqmd import (
    APPL_ORIGIN_DATA_AT,
    EXPIRY_AT,
    GROUP_ID_AT,
    MSG_ID_AT,
    PERSISTENCE_AT,
    PRIORITY_AT,
    PUT_APPL_TYPE_AT,
    PUT_DATE_AT,
    REPLY_TO_QUEUE_AT,
    REPORT_AT,
    USER_ID_AT,
)
from ternmq.codec.publication_area import publication_area
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.selection import HandleSelection
from ternmq.pubsub.queued.streams import DEFAULT_STREAM
from ternmq.pubsub.subscription import Subscription, SubscriptionTerms
from ternmq.pubsub.subscription_groups import chosen
from ternmq.pubsub.topic_attributes import TopicAttributes
from ternmq.values.entry import PERSISTENT, Entry

if TYPE_CHECKING:
    from ternmq.pubsub.destinations import Destination

StyleKey: TypeAlias = tuple[str, bytes, str | None, int, int, str, int, str]
_LONG: Final = struct.Struct("<i")
_NO_REPLIES: Final = b" " * (USER_ID_AT - REPLY_TO_QUEUE_AT)
_NO_ORIGIN_DATA: Final = b" " * (GROUP_ID_AT - APPL_ORIGIN_DATA_AT)
_NO_BYTES: Final = b""
_PERSISTENCE_SHIFT: Final = 40  # above all MQREGO_
_DATAGRAM: Final = struct.pack("<ii", mq.MQRO_NONE, mq.MQMT_DATAGRAM)
STYLES_MAX: Final = 1024  # that are kept
WITH_HEADER: Final = (mq.MQPSPROP_RFH2, mq.MQPSPROP_COMPAT)  # that go before the data


@final
class Style:
    """What the copies for some subscriptions have in common, made for one publication and kept for
    the next one, which is mostly of the same kind. Plans share it."""

    __slots__ = (
        "_of_area",
        "_of_base",
        "_of_level",
        "_of_options",
        "_of_replies",
        "_of_topic",
        "area",
        "base",
        "form",
        "identity",
        "in_plan",
        "own_priority",
        "persistence",
        "priority",
        "registration",
        "stream",
        "user_data",
    )

    def __init__(self, identity: bytes, priority: i64, form: i64, user_data: str) -> None:
        self.identity = identity  # UserIdentifier, AccountingToken, ApplIdentityData
        self.own_priority: i64 = priority  # -1: as published
        self.form: i64 = form  # PSPROP
        self.user_data = user_data
        # Of a subscriber of queued publish/subscribe: MQREGO_, and which persistence that asks for.
        self.registration: i64 = 0
        self.in_plan: i64 = 0  # the number of the last plan that uses it
        self.stream = ""  # that its publications are to name
        self.persistence: i64 = -1  # as published
        self.priority: i64 = 0
        self.base = _NO_BYTES
        self.area = _NO_BYTES
        self._of_base = _NO_BYTES
        self._of_area = _NO_BYTES
        self._of_topic = ""
        self._of_options: i64 = -1
        self._of_level: i64 = -1
        self._of_replies = True

    def make_base(self, base: bytes, priority: i64, origin: bytes, has_replies: bool) -> None:
        """The descriptor, from the publication's."""
        self.priority = self.own_priority if self.own_priority >= 0 else min(priority, PRIORITY_MAX)
        if base is self._of_base and has_replies == self._of_replies:
            return
        shown = base[PRIORITY_AT : PRIORITY_AT + 4]
        if self.own_priority >= 0:
            shown = _LONG.pack(int(self.own_priority))
        self.base = b"".join(
            (
                base[:PRIORITY_AT],
                shown,
                base[PRIORITY_AT + 4 : REPLY_TO_QUEUE_AT],
                base[REPLY_TO_QUEUE_AT:USER_ID_AT] if has_replies else _NO_REPLIES,
                self.identity,
                origin,
                base[PUT_DATE_AT:APPL_ORIGIN_DATA_AT],
                _NO_ORIGIN_DATA,
                base[GROUP_ID_AT:],
            )
        )
        if self.registration:
            self._plain_descriptor(base)
        self._of_base = base
        self._of_replies = has_replies

    def _plain_descriptor(self, base: bytes) -> None:
        """For queued subscribers: a datagram without reports and replies."""
        persistence = base[PERSISTENCE_AT : PERSISTENCE_AT + 4]
        if self.persistence >= 0:
            persistence = _LONG.pack(int(self.persistence))
        made = self.base
        self.base = b"".join(
            (
                made[:REPORT_AT],
                _DATAGRAM,
                made[EXPIRY_AT:PERSISTENCE_AT],
                persistence,
                made[MSG_ID_AT:REPLY_TO_QUEUE_AT],
                b" " * 48,
                made[PUT_APPL_TYPE_AT + 4 : PUT_DATE_AT].ljust(48),  # the queue manager
                made[USER_ID_AT:],
            )
        )

    def persistence_of(self, published: Entry) -> i64:
        """PERSISTENT, if copies are."""
        return published.flags & PERSISTENT if self.persistence < 0 else self.persistence

    def make_area(self, published: bytes, topic_string: str, options: i64, level: i64) -> None:
        """The property area, from the publisher's properties."""
        if (
            self._of_topic == topic_string
            and self._of_options == options
            and self._of_level == level
            and (published is self._of_area or published == self._of_area)
        ):
            return
        self.area = published
        if self.form == mq.MQPSPROP_MSGPROP:
            self.area = publication_area(
                published, topic_string, self.user_data, options, level, False
            )
        self._of_area = published
        self._of_topic = topic_string
        self._of_options = options
        self._of_level = level


@final
class Delivery:
    """A subscription that gets the publications of a topic."""

    __slots__ = (
        "correl_id",
        "destination",
        "is_allowed",
        "is_logged",
        "local",
        "selection",
        "style",
        "subscription",
    )

    def __init__(self, subscription: Subscription, destination: Destination, style: Style) -> None:
        self.subscription = subscription
        self.destination = destination
        self.local: LocalQueue | None = destination.local
        self.style = style
        terms = subscription.terms
        self.correl_id: bytes | None = None  # None: as published
        if not terms.passes_correl_id:
            self.correl_id = subscription.correl_id
        # The queue goes with its subscription, so a persistent copy need not survive a restart.
        self.is_logged = not (terms.is_managed and not terms.is_durable)
        self.is_allowed = True  # its user may put to the queue
        self.selection: HandleSelection | None = None

    def wants(
        self, published: Entry, connection: Connection, handles: dict[bytes, Handle] | None
    ) -> bool:
        """Whether its selector, if it has one, lets a publication pass, and whether it is not left
        out as one of the publisher's own; `handles`, if given, says who has it open."""
        selection = self.selection
        if selection is not None and not selection.matches(published):
            return False
        if handles is None:
            return True
        handle = handles.get(self.subscription.sub_id)
        return handle is None or handle.connection is not connection


@final
class DeliveryPlan:
    """The deliveries of a topic, as subscriptions and definitions are now."""

    def __init__(self, attributes: TopicAttributes, level: i64) -> None:
        self.attributes = attributes
        self.level: i64 = level  # PubLevel
        self.index_version: i64 = -1
        self.catalog_version: i64 = -1
        self.authority_version: i64 = -1
        self.expires_ns: i64 = 0  # when the first of its subscriptions expires; 0: none does
        # Of every level that may be, before selectors, levels and groups choose among them.
        self.candidates: list[Delivery] = []
        self.rows: list[Delivery] = []  # who is chosen, if that is the same for all messages
        self.selects = False  # it is not: there are selectors
        self.is_special = False  # levels or groups choose
        self.styles: list[Style] = []
        self.is_plain = True  # all are local queues, each is there once, properties are properties
        self.is_logged = False  # a persistent publication is logged for at least one

    def choose(
        self, published: Entry, connection: Connection, handles: dict[bytes, Handle] | None
    ) -> list[Delivery]:
        """Who gets this publication; with `handles` the subscriptions are left out that the
        publisher's connection has open."""
        found = [one for one in self.candidates if one.wants(published, connection, handles)]
        return chosen_of(found, self.level) if self.is_special else found


def chosen_of(found: list[Delivery], level: i64) -> list[Delivery]:
    """Those that levels and groups leave."""
    left = chosen([one.subscription for one in found], level)
    if len(left) == len(found):
        return found
    ids = {one.sub_id for one in left}
    return [one for one in found if one.subscription.sub_id in ids]


def style_for(
    styles: dict[StyleKey, Style],
    terms: SubscriptionTerms,
    user_data: str,
    destination: Destination,
) -> Style:
    """Equal styles once."""
    priority = terms.priority
    if priority == mq.MQPRI_PRIORITY_AS_Q_DEF:
        priority = int(destination.default_priority())
    registration = terms.registration
    if registration & mq.MQREGO_PERSISTENT_AS_Q:
        registration |= int(destination.default_persistence()) << _PERSISTENCE_SHIFT
    identity = terms.identity_data if terms.sets_identity else None
    key = (
        terms.user,
        terms.accounting_token,
        identity,
        priority,
        terms.properties,
        user_data,
        registration,
        terms.topic_object if registration else "",
    )
    style = styles.get(key)
    if style is None:
        style = style_of(terms, user_data, destination)
        if len(styles) >= STYLES_MAX:
            styles.clear()
        styles[key] = style
    return style


def style_of(terms: SubscriptionTerms, user_data: str, destination: Destination) -> Style:
    """What the copies of a subscription are like."""
    priority: i64 = terms.priority
    if priority == mq.MQPRI_PRIORITY_AS_PUBLISHED:
        priority = -1
    elif priority == mq.MQPRI_PRIORITY_AS_Q_DEF:
        priority = destination.default_priority()
    style = Style(identity_of(terms), priority, terms.properties, user_data)
    registration = terms.registration
    if registration:
        style.registration = registration
        if registration & mq.MQREGO_INCLUDE_STREAM_NAME:
            style.stream = terms.topic_object or DEFAULT_STREAM
        if registration & mq.MQREGO_NON_PERSISTENT:
            style.persistence = 0
        elif registration & mq.MQREGO_PERSISTENT:
            style.persistence = 1
        elif registration & mq.MQREGO_PERSISTENT_AS_Q:
            style.persistence = destination.default_persistence()
    return style


def identity_of(terms: SubscriptionTerms) -> bytes:
    """The identity context of a subscription's copies."""
    user = terms.user
    data = terms.identity_data if terms.sets_identity else identity_data_of(user)
    return b"".join(
        (
            carried_name(user).encode("utf-8", "replace").ljust(USER_ID_BYTES_MAX),
            terms.accounting_token[:32].ljust(32, b"\0"),
            data.encode("utf-8", "replace")[:USER_NAME_BYTES_MAX].ljust(USER_NAME_BYTES_MAX),
        )
    )


def origin_of(qmgr_name: str) -> bytes:
    """PutApplType and PutApplName of all copies."""
    name = qmgr_name[: mq.MQ_PUT_APPL_NAME_LENGTH].encode("ascii", "replace")
    return _LONG.pack(mq.MQAT_BROKER) + name.ljust(PUT_DATE_AT - PUT_APPL_TYPE_AT - 4)
