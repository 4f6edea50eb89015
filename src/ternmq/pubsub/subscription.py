"""A subscription: what it matches, where its publications go, and what they carry.

There may be a hundred thousand, so what many have in common is one object: `SubscriptionTerms` are
never changed and are shared (`shared_terms`). An alteration gives a subscription other terms.
A subscription refers to data alone, never back to the queue manager: so the garbage collector need
not go through all of them. `PublishSubscribe` knows by SubId who has one open, and its selector.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, final

from mypy_extensions import i64, mypyc_attr

from ternmq.base import constants as mq
from ternmq.values.entry import ZERO_ID

if TYPE_CHECKING:
    from ternmq.pubsub.subscription_store import StoredMessage
    from ternmq.pubsub.topic_tree import TopicNode

ADMIN: Final = mq.MQSUBTYPE_ADMIN
API: Final = mq.MQSUBTYPE_API


class SubscriptionTerms(NamedTuple):
    """What subscriptions have in common; the defaults are those of an MQSD."""

    sub_type: int = mq.MQSUBTYPE_API
    is_durable: bool = False
    is_managed: bool = False
    is_grouped: bool = False
    any_user: bool = False
    new_only: bool = False  # MQSO_NEW_PUBLICATIONS_ONLY
    on_request: bool = False  # MQSO_PUBLICATIONS_ON_REQUEST
    by_character: bool = False  # MQSO_WILDCARD_CHAR, else by topic level
    of_qmgr_only: bool = False  # MQSO_SCOPE_QMGR
    passes_correl_id: bool = (
        False  # MQSO_SET_CORREL_ID with MQCI_NONE: the publisher's goes through
    )
    user: str = ""
    level: int = 1
    priority: int = mq.MQPRI_PRIORITY_AS_PUBLISHED
    properties: int = mq.MQPSPROP_MSGPROP  # PSPROP
    expiry: int = mq.MQEI_UNLIMITED  # tenths of a second
    accounting_token: bytes = mq.MQACT_NONE
    sets_identity: bool = False  # MQSO_SET_IDENTITY_CONTEXT
    identity_data: str = ""
    selector: str = ""
    destination_qmgr: str = ""
    topic_object: str = ""  # by which it was made
    registration: int = 0  # MQREGO_ of a queued subscriber
    identities: str = ""  # of its applications, see `queued.identities`
    is_shared: bool = False  # of JMS 2.0: several handles may have it open at a time


@final
@mypyc_attr(acyclic=True)
class Subscription:
    """One subscription."""

    __slots__ = (
        "correl_id",
        "created_ns",
        "destination",
        "expires_at_ns",
        "given_string",
        "is_multicast",
        "is_removed",
        "last_ns",
        "messages",
        "name",
        "node",
        "position",
        "resumed_ns",
        "stored",
        "sub_id",
        "terms",
        "topic_string",
        "user_data",
        "wildcard_level",
    )

    def __init__(
        self, sub_id: bytes, name: str, topic_string: str, terms: SubscriptionTerms
    ) -> None:
        self.sub_id = sub_id  # 24 bytes, unique
        self.name = name  # "" for one without a name
        self.topic_string = topic_string  # in full, with wildcards
        self.given_string = topic_string  # as it was given beside a topic object
        self.terms = terms
        self.correl_id = ZERO_ID  # of its publications
        self.destination = ""  # the queue
        self.user_data = ""
        self.created_ns: i64 = 0
        self.resumed_ns: i64 = 0
        self.expires_at_ns: i64 = 0  # Unix time; 0: never
        self.messages: i64 = 0  # published to it
        self.last_ns: i64 = 0  # when the last was
        self.node: TopicNode | None = None  # of its topic string
        # How many whole levels stand before its first wildcard; `NO_WILDCARD` without one.
        self.wildcard_level: i64 = 0
        self.position: i64 = 0  # among those of the match index with the same pattern
        self.is_removed = False
        self.is_multicast = False  # its client receives from the group: nothing is put here
        self.stored: StoredMessage | None = None  # of a durable one: the message that holds it


# What can be altered: terms, SubCorrelId, queue, user data, when it expires (Unix time, 0: never).
State = tuple[SubscriptionTerms, bytes, str, str, int]

_TERMS: Final[dict[SubscriptionTerms, SubscriptionTerms]] = {}
_TERMS_MAX: Final = 4096


def shared_terms(terms: SubscriptionTerms) -> SubscriptionTerms:
    """Equal terms once."""
    found = _TERMS.get(terms)
    if found is None:
        if len(_TERMS) >= _TERMS_MAX:
            _TERMS.clear()
        _TERMS[terms] = terms
        found = terms
    return found
