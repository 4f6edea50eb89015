"""Passwords: what is kept of them, and whether one is right.

A check costs 16 MiB of memory and some tens of milliseconds, for a user who does not exist as well,
so that the time does not show who exists. Never call it in a loop or under the engine's lock.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

from ternmq.security.password_file import (
    COST,
    HASH_BYTES,
    PASSWORD_BYTES_MAX,
    SALT_BYTES,
    Account,
)

_MEMORY_FACTOR: Final = 160  # scrypt takes 128 * n * r bytes and some more
_NOBODY: Final = Account("", (), COST, bytes(SALT_BYTES), bytes(HASH_BYTES), False)


def hashed(password: bytes, salt: bytes, cost: tuple[int, int, int]) -> bytes:
    """What is kept of a password."""
    n, r, p = cost
    return hashlib.scrypt(
        password, salt=salt, n=n, r=r, p=p, maxmem=_MEMORY_FACTOR * n * r, dklen=HASH_BYTES
    )


def make_account(
    user: str, groups: tuple[str, ...], password: str, salt: bytes, is_default: bool = False
) -> Account:
    """A user with a password; ValueError if it cannot be one."""
    data = password.encode("utf-8")
    if not 0 < len(data) <= PASSWORD_BYTES_MAX:
        raise ValueError(f"a password has 1 to {PASSWORD_BYTES_MAX} bytes")
    return Account(user, groups, COST, salt, hashed(data, salt, COST), is_default)


def is_password(account: Account | None, password: str) -> bool:
    """Whether it is the user's password; takes as long if there is no such user."""
    data = password.encode("utf-8", "replace")[: PASSWORD_BYTES_MAX + 1]
    kept = _NOBODY if account is None else account
    same = hmac.compare_digest(hashed(data, kept.salt, kept.cost), kept.hash)
    return same and account is not None
