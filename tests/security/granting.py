"""What the tests of authority share: a queue manager with a few users, and records put by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import ternmq
from ternmq.api.connection import Connection
from ternmq.kernel.authority_records import put_record, remove_record
from ternmq.security.authorities import KIND_BY_WORD, bits_of
from ternmq.security.records import Record, record_key

USERS: Final[dict[str, tuple[str, ...]]] = {
    "fred": ("staff", "orders"),
    "ann": ("staff",),
    "boss": ("mqm",),
}
# As its administrator has it, and a way to connect as a user.
Place = tuple[ternmq.QueueManager, Callable[[str], Connection]]


def secured(name: str = "QM1") -> ternmq.QueueManager:
    """A queue manager in memory that checks."""
    return ternmq.memory(name, security=USERS)


def grant(
    qm: ternmq.QueueManager,
    kind: str,
    profile: str,
    entity: str,
    words: str,
    *,
    group: bool = False,
) -> None:
    """The entity has these authorities for the profile, and no others."""
    row = KIND_BY_WORD[kind]
    bits = 0
    for word in words.split():
        found = bits_of(word, row)
        assert found is not None, (kind, word)
        bits |= found
    shell = qm.started.shell
    with shell.lock:
        put_record(shell.engine.kernel, Record(row, profile, entity, group, bits))


def revoke(qm: ternmq.QueueManager, kind: str, profile: str, entity: str) -> None:
    """The record of a user is gone."""
    shell = qm.started.shell
    with shell.lock:
        key = record_key(KIND_BY_WORD[kind], profile, entity, False)
        remove_record(shell.engine.kernel, key)


def connected(qm: ternmq.QueueManager, user: str) -> Connection:
    """A connection of a user who is allowed to connect by that."""
    grant(qm, "qmgr", "self", user, "connect")
    return qm.connect(user=user)
