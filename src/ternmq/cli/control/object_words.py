"""The words for types of objects that the tools take after -t, and patterns of names.

Each word means a set of types: `queue` is all kinds of queues, `all` or `*` is everything. Names
may end in `*`.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import object_types as types

EVERYTHING: Final = (1 << 30) - 1
CATALOG: Final = 1 << 30  # the definitions of all objects together

_WORDS: Final[dict[str, int]] = {
    "all": EVERYTHING | CATALOG,
    "*": EVERYTHING | CATALOG,
    "authinfo": types.AUTHINFOS,
    "channel": types.CHANNELS & ~types.CLNTCONN,
    "chl": types.CHANNELS & ~types.CLNTCONN,
    "clntconn": types.CLNTCONN,
    "clcn": types.CLNTCONN,
    "catalog": CATALOG,
    "ctlg": CATALOG,
    "comminfo": types.COMMINFO,
    "listener": types.LISTENER,
    "lstr": types.LISTENER,
    "namelist": types.NAMELIST,
    "nl": types.NAMELIST,
    "process": types.PROCESS,
    "prcs": types.PROCESS,
    "qmgr": types.QMGR,
    "queue": types.QUEUES,
    "q": types.QUEUES,
    "qalias": types.ALIAS,
    "qa": types.ALIAS,
    "qlocal": types.LOCAL,
    "ql": types.LOCAL,
    "qmodel": types.MODEL,
    "qm": types.MODEL,
    "qremote": types.REMOTE,
    "qr": types.REMOTE,
    "service": types.SERVICE,
    "srvc": types.SERVICE,
    "topic": types.TOPIC,
    "top": types.TOPIC,
}
WORDS: Final = tuple(sorted(_WORDS))


def types_of(word: str) -> int:
    """The types that a word means; ValueError if it means none."""
    bits = _WORDS.get(word.lower())
    if bits is None:
        raise ValueError(f"{word!r} is not a type of object: {', '.join(WORDS)}")
    return bits


def matches(name: str, pattern: str) -> bool:
    """Whether a name is meant: it is the pattern, or begins as one that ends in `*`."""
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
