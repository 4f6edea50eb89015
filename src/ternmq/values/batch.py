"""Batches of units of work: their owners and numbers, and the XIDs that name both."""

from __future__ import annotations

from typing import Final

from ternmq.values.xid import XID, check_xid

BATCH_FORMAT: Final = 0x54514C31  # "TQL1": the format id of XIDs that name owner and batch
OWNER_BYTES_MAX: Final = 48
UNITS_MAX: Final = 4096
BATCH_MAX: Final = (1 << 63) - 1
_BATCH_BYTES: Final = 8


def check_owner(owner: str) -> None:
    """ValueError if it cannot stand in an XID."""
    size = len(owner.encode("utf-8", "replace"))
    if not 1 <= size <= OWNER_BYTES_MAX:
        raise ValueError(f"an owner has 1 to {OWNER_BYTES_MAX} bytes in UTF-8, not {size}")
    if not owner.isprintable():
        raise ValueError(f"an owner is made of printable characters, {owner!r} is not")


def check_batch(batch: int) -> None:
    """ValueError if it is not one."""
    if not 0 <= batch <= BATCH_MAX:
        raise ValueError(f"a batch is a number from 0 to {BATCH_MAX}, not {batch}")


def check_call(owner: str, batch: int, xids: list[XID]) -> None:
    """ValueError if the arguments of a call cannot be right, whatever is in doubt."""
    check_owner(owner)
    check_batch(batch)
    if len(xids) > UNITS_MAX:
        raise ValueError(f"a batch has at most {UNITS_MAX} units of work, not {len(xids)}")
    for xid in xids:
        check_xid(xid)
    if len({xid.key for xid in xids}) != len(xids):
        raise ValueError("an XID is named twice")


def batch_xid(owner: str, batch: int, branch: bytes) -> XID:
    """The XID of one task's unit of work: the global id is the batch in eight bytes, big endian,
    and the owner; `branch` distinguishes tasks and attempts, in 1 to 64 bytes."""
    check_owner(owner)
    check_batch(batch)
    if not 1 <= len(branch) <= 64:
        raise ValueError(f"a branch qualifier has 1 to 64 bytes, not {len(branch)}")
    return XID(BATCH_FORMAT, batch.to_bytes(_BATCH_BYTES, "big") + owner.encode("utf-8"), branch)


def owner_and_batch(xid: XID) -> tuple[str, int] | None:
    """What such an XID names; None for any other."""
    given = xid.global_id
    if xid.format_id != BATCH_FORMAT or len(given) <= _BATCH_BYTES:
        return None
    return given[_BATCH_BYTES:].decode("utf-8", "replace"), int.from_bytes(
        given[:_BATCH_BYTES], "big"
    )
