"""The message of SYSTEM.DURABLE.SUBSCRIBER.QUEUE that holds durable subscriptions of applications,
one or several. All integers are little endian, texts are UTF-8.

    head    eye-catcher "TDSB", u32 version, 1; u32 how many terms, u32 how many subscriptions
    terms   u32 length, then a JSON object: the fields of `SubscriptionTerms` that differ from their
            defaults, bytes as hexadecimal digits
    a subscription, 100 bytes and its texts:
      at  0 SubId 24                 at 48 i64 created, resumed, expires (Unix ns, 0: never)
         24 SubCorrelId 24              72 u32 which of the terms
         76 u32 flags, 1: the string that was given is the topic string, and not stored again
         80 u32 lengths of name, topic string, given string, destination and user data
        100 the texts, one after the other

It is persistent, never expires, and its PutApplType is MQAT_QMGR: a message of an application,
which cannot set that, is not taken for one. Of two messages with the same SubId the one that was
put later counts.
"""

from __future__ import annotations

import json
import struct
from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import PUT_APPL_TYPE_AT, Descriptor
from ternmq.pubsub.subscription import Subscription, SubscriptionTerms, shared_terms
from ternmq.values.entry import Entry

FORMAT: Final = "TERNDSUB"
SUBSCRIBER_QUEUE: Final = "SYSTEM.DURABLE.SUBSCRIBER.QUEUE"
_EYE: Final = b"TDSB"
_VERSION: Final = 1
_HEAD: Final = struct.Struct("<4sIII")
_U32: Final = struct.Struct("<I")
_RECORD: Final = struct.Struct("<24s24sqqqIIIIIII")
_GIVEN_IS_FULL: Final = 1
_I32_MAX: Final = 0x7FFFFFFF
_DEFAULTS: Final = SubscriptionTerms()


def pack_subscriptions(subscriptions: list[Subscription]) -> bytes:
    """The data of a message."""
    places: dict[SubscriptionTerms, int] = {}
    records: list[bytes] = []
    for subscription in subscriptions:
        place = places.setdefault(subscription.terms, len(places))
        records.append(_pack(subscription, place))
    parts = [_HEAD.pack(_EYE, _VERSION, len(places), len(subscriptions))]
    for terms in places:
        text = _pack_terms(terms)
        parts.append(_U32.pack(len(text)))
        parts.append(text)
    return b"".join(parts + records)


def _pack(subscription: Subscription, place: int) -> bytes:
    name = subscription.name.encode()
    topic_string = subscription.topic_string.encode()
    is_full = subscription.given_string == subscription.topic_string
    given = b"" if is_full else subscription.given_string.encode()
    destination = subscription.destination.encode()
    user_data = subscription.user_data.encode()
    head = _RECORD.pack(
        subscription.sub_id,
        subscription.correl_id,
        int(subscription.created_ns),
        int(subscription.resumed_ns),
        int(subscription.expires_at_ns),
        place,
        _GIVEN_IS_FULL if is_full else 0,
        len(name),
        len(topic_string),
        len(given),
        len(destination),
        len(user_data),
    )
    return b"".join((head, name, topic_string, given, destination, user_data))


def _pack_terms(terms: SubscriptionTerms) -> bytes:
    facts: dict[str, object] = {}
    for name in SubscriptionTerms._fields:
        value = getattr(terms, name)
        if value != getattr(_DEFAULTS, name):
            facts[name] = value.hex() if isinstance(value, bytes) else value
    return json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()


def is_ours(entry: Entry) -> bool:
    """Whether the queue manager has put it."""
    kind = int.from_bytes(entry.base[PUT_APPL_TYPE_AT : PUT_APPL_TYPE_AT + 4], "little")
    return kind == mq.MQAT_QMGR


def read_subscriptions(data: bytes) -> list[Subscription]:
    """The subscriptions of a message; ValueError if it is not one, or is damaged."""
    try:
        return _read(data)
    except (struct.error, UnicodeDecodeError, KeyError, TypeError, RecursionError) as damage:
        raise ValueError(f"{type(damage).__name__}: {damage}") from None


def _read(data: bytes) -> list[Subscription]:
    eye, version, terms_count, count = _HEAD.unpack_from(data)
    if eye != _EYE or version != _VERSION:
        raise ValueError(f"eye-catcher {eye!r}, version {version}")
    at: i64 = _HEAD.size
    if terms_count * _U32.size + count * _RECORD.size > len(data):
        raise ValueError(f"{terms_count} terms and {count} subscriptions in {len(data)} bytes")
    known: list[SubscriptionTerms] = []
    for _ in range(terms_count):
        (length,) = _U32.unpack_from(data, int(at))
        at += _U32.size
        known.append(_terms_of(_part(data, at, length)))
        at += length
    found: list[Subscription] = []
    for _ in range(count):
        at = _read_one(data, at, known, found)
    if at != len(data):
        raise ValueError(f"{len(data) - at} bytes behind the last subscription")
    return found


def _read_one(
    data: bytes, at: i64, known: list[SubscriptionTerms], found: list[Subscription]
) -> i64:
    """Read the subscription at a place; the place behind it."""
    (
        sub_id,
        correl_id,
        created_ns,
        resumed_ns,
        expires_at_ns,
        place,
        flags,
        name_bytes,
        topic_bytes,
        given_bytes,
        destination_bytes,
        user_bytes,
    ) = _RECORD.unpack_from(data, int(at))
    if place >= len(known):
        raise ValueError(f"terms {place} of {len(known)}")
    at += _RECORD.size
    name = _part(data, at, name_bytes).decode()
    at += name_bytes
    topic_string = _part(data, at, topic_bytes).decode()
    at += topic_bytes
    one = Subscription(sub_id, name, topic_string, known[place])
    one.correl_id = sub_id if correl_id == sub_id else correl_id  # often it is, and then once
    one.created_ns = created_ns
    one.resumed_ns = resumed_ns
    one.expires_at_ns = expires_at_ns
    if not flags & _GIVEN_IS_FULL:
        one.given_string = _part(data, at, given_bytes).decode()
        at += given_bytes
    one.destination = _part(data, at, destination_bytes).decode()
    at += destination_bytes
    one.user_data = _part(data, at, user_bytes).decode()
    at += user_bytes
    _check_lengths(one)
    found.append(one)
    return at


def _check_lengths(one: Subscription) -> None:
    """What MQSUB would not have taken is damage."""
    if (
        len(one.name) > mq.MQ_SUB_NAME_LENGTH
        or len(one.topic_string) > mq.MQ_TOPIC_STR_LENGTH
        or len(one.destination) > mq.MQ_Q_NAME_LENGTH
        or len(one.user_data) > mq.MQ_USER_DATA_LENGTH
    ):
        raise ValueError(f"subscription {one.name[:48]!r} has a text that is too long")


def _part(data: bytes, at: i64, length: i64) -> bytes:
    if at + length > len(data):
        raise ValueError(f"a text of {length} bytes at {at} of {len(data)}")
    return data[at : at + length]


_READ_TERMS: Final[dict[bytes, SubscriptionTerms]] = {}
_READ_TERMS_MAX: Final = 4096


def _terms_of(text: bytes) -> SubscriptionTerms:
    terms = _READ_TERMS.get(text)
    if terms is None:
        terms = shared_terms(_parsed_terms(text))
        if len(_READ_TERMS) >= _READ_TERMS_MAX:
            _READ_TERMS.clear()
        _READ_TERMS[text] = terms
    return terms


def _parsed_terms(text: bytes) -> SubscriptionTerms:
    facts = json.loads(text)
    if not isinstance(facts, dict):
        raise ValueError("terms that are not an object")
    values = _DEFAULTS._asdict()
    for name, value in facts.items():
        default = values[name]  # KeyError: a field that this release does not know
        if isinstance(default, bytes):
            value = bytes.fromhex(value)
        if type(value) is not type(default) or (isinstance(value, int) and abs(value) > _I32_MAX):
            raise ValueError(f"terms: {name} is {value!r}")
        values[name] = value
    return SubscriptionTerms(**values)


def subscription_descriptor(qmgr_name: str, ccsid: int) -> Descriptor:
    """The descriptor of the message."""
    return Descriptor(
        format=FORMAT,
        ccsid=ccsid,
        persistence=mq.MQPER_PERSISTENT,
        priority=0,
        put_appl_type=mq.MQAT_QMGR,
        put_appl_name=qmgr_name[: mq.MQ_PUT_APPL_NAME_LENGTH],
    )
