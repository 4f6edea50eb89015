"""XIDs: the names that transaction managers give to their branches."""

from __future__ import annotations

from typing import Any, Final, final

PART_BYTES_MAX: Final = 64


@final
class XID:
    """The name a transaction manager gives to its branch."""

    __slots__ = ("branch_qualifier", "format_id", "global_id", "owner")

    def __init__(
        self, format_id: int, global_id: bytes, branch_qualifier: bytes, owner: str = ""
    ) -> None:
        self.format_id = format_id
        self.global_id = global_id
        self.branch_qualifier = branch_qualifier
        self.owner = owner  # the user who prepared it, as far as the queue manager knows one

    @property
    def key(self) -> tuple[int, bytes, bytes]:
        """Hashable identity."""
        return (self.format_id, self.global_id, self.branch_qualifier)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, XID) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"XID({self.format_id}, {self.global_id.hex()}, {self.branch_qualifier.hex()})"


def check_xid(xid: XID) -> None:
    """Lengths as XA has them."""
    if not 1 <= len(xid.global_id) <= PART_BYTES_MAX:
        raise ValueError(f"a global id has 1 to 64 bytes, not {len(xid.global_id)}")
    if len(xid.branch_qualifier) > PART_BYTES_MAX:
        raise ValueError(
            f"a branch qualifier has at most 64 bytes, not {len(xid.branch_qualifier)}"
        )
    if xid.format_id < 0:
        raise ValueError("a format id of -1 is the null XID")
    if xid.format_id >= 1 << 31:
        raise ValueError(f"a format id has 31 bits, {xid.format_id} has more")


def xid_to_json(xid: XID) -> list[Any]:
    """Format, global and branch part in hexadecimal."""
    return [xid.format_id, xid.global_id.hex(), xid.branch_qualifier.hex()]


def xid_from_json(value: object) -> XID:
    """The same, the other way; TypeError or ValueError if it is not one."""
    if not isinstance(value, list) or len(value) != 3:
        raise ValueError("format, global and branch part of an XID")
    format_id, global_id, branch = value
    if not isinstance(format_id, int) or isinstance(format_id, bool):
        raise TypeError("a whole number")
    if not -(1 << 31) <= format_id < 1 << 31:
        raise ValueError("a whole number of 32 bits")
    if not isinstance(global_id, str) or not isinstance(branch, str):
        raise TypeError("text")
    return XID(format_id, bytes.fromhex(global_id), bytes.fromhex(branch))
