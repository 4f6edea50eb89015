"""LOCLADDR: from which address and port a channel dials.

    [address][(low-port[,high-port])][,[address][(low-port[,high-port])]]

One address for each family may be given; a host name stands for its addresses. Without an address
it is any, without a port the system chooses; with a range the first free port of it.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_PORT_MAX: Final = 65_535
_ONE: Final = re.compile(
    r"\s*(?P<host>\[[^\[\]]+\]|[^\[\](),\s]*)\s*(?:\(\s*(?P<low>\d+)\s*(?:,\s*(?P<high>\d+)\s*)?\))?\s*"
)


class LocalAddress(NamedTuple):
    """Where a socket is bound before it dials."""

    host: str = ""
    low: int = 0
    high: int = 0

    @property
    def ports(self) -> range:
        """The ports to try, in this order; 0: one that the system chooses."""
        return range(self.low, max(self.low, self.high) + 1)


def local_addresses(text: str) -> tuple[LocalAddress, ...]:
    """What LOCLADDR says; ValueError if it says nothing that can be used."""
    found: list[LocalAddress] = []
    at = 0
    while at < len(text):
        one = _ONE.match(text, at)
        if one is None or one.end() == at:
            raise ValueError(f"LOCLADDR('{text}') is not an address with a port or a range of them")
        low = int(one.group("low") or 0)
        high = int(one.group("high") or low)
        if low > _PORT_MAX or high > _PORT_MAX or high < low:
            raise ValueError(f"LOCLADDR('{text}'): {low} to {high} is not a range of ports")
        found.append(LocalAddress(one.group("host").strip("[]"), low, high))
        at = one.end()
        if at < len(text):
            if text[at] != ",":
                raise ValueError(f"LOCLADDR('{text}'): '{text[at:]}' does not belong there")
            at += 1
    return tuple(found)
