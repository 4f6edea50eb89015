"""The applications that share a queued subscription: its identity set.

As text in the terms of the subscription: a letter, S for shared or X for exclusive, then the
identities, each behind a unit separator. "" is the empty set.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.command_reasons import (
    MQRCCF_ALREADY_JOINED,
    MQRCCF_SUB_IDENTITY_ERROR,
    MQRCCF_SUBSCRIPTION_IN_USE,
    MQRCCF_SUBSCRIPTION_LOCKED,
)

_SHARED: Final = "S"
_EXCLUSIVE: Final = "X"
_SEPARATOR: Final = "\x1f"
JOINS: Final = mq.MQREGO_JOIN_SHARED | mq.MQREGO_JOIN_EXCLUSIVE


def is_identity(text: str) -> bool:
    """Whether a text can be an identity."""
    return 0 < len(text) <= mq.MQ_SUB_IDENTITY_LENGTH and _SEPARATOR not in text


def members(identities: str) -> list[str]:
    """Those in the set."""
    return identities[2:].split(_SEPARATOR) if identities else []


def is_exclusive(identities: str) -> bool:
    """Whether one of them has it for itself."""
    return identities.startswith(_EXCLUSIVE)


def set_of(names: list[str], exclusive: bool) -> str:
    """The set of these."""
    if not names:
        return ""
    return (_EXCLUSIVE if exclusive else _SHARED) + _SEPARATOR + _SEPARATOR.join(names)


def joined(identities: str, identity: str, options: int) -> tuple[str, int]:
    """The set after an identity has registered, and a reason: MQRCCF_ALREADY_JOINED is a warning,
    any other means that it is refused."""
    names = members(identities)
    if not options & JOINS:
        if identity and identity not in names:
            return identities, MQRCCF_SUB_IDENTITY_ERROR
        return identities, 0
    if is_exclusive(identities) and identity not in names:
        return identities, MQRCCF_SUBSCRIPTION_LOCKED
    if options & mq.MQREGO_JOIN_EXCLUSIVE:
        if [one for one in names if one != identity]:
            return identities, MQRCCF_SUBSCRIPTION_IN_USE
        was_there = identities == set_of([identity], True)
        return set_of([identity], True), MQRCCF_ALREADY_JOINED if was_there else 0
    if identity in names:
        is_same = not is_exclusive(identities)
        return set_of(names, False), MQRCCF_ALREADY_JOINED if is_same else 0
    return set_of([*names, identity], False), 0


def left(identities: str, identity: str) -> tuple[str, int]:
    """The set without an identity, and a reason if it was not in it."""
    names = members(identities)
    if identity not in names:
        return identities, MQRCCF_SUB_IDENTITY_ERROR
    names.remove(identity)
    return set_of(names, is_exclusive(identities)), 0
