"""The cases that IBM's Java client judges, read out of the sources in java/.

A method marked `@Case` is a case. `@Case` alone stands for every place, `@Case(Case.SHARES)` for
each number of sharing conversations over TCP, `@Case(Case.SHARED)` and `@Case(Case.PLAIN)` for
those places and TCP places that share sockets, `@Case(Case.SECURE)` for each kind of TLS,
`@Case(Case.LARGE)` for one over TCP and one over TLS, `@Case(Case.ONCE)` for one. Each case at each
place has a queue of its own. Cases of JMS are judged by the client for Jakarta as well, and those
of a framework, in a folder of their own, by that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.interop.jars import JAVAX, KITS

JAVA: Final = Path(__file__).parent / "java"


@dataclass(frozen=True)
class Place:
    """A channel, and how a client gets through it."""

    name: str
    sharing: int  # SHARECNV
    cipher_spec: str = ""  # SSLCIPH
    cipher_suite: str = ""  # what Java calls it

    @property
    def channel(self) -> str:
        return f"J.{self.name.upper()}"


PLACES: Final = (
    Place("tcp0", 0),
    Place("tcp1", 1),
    Place("tcp10", 10),
    # Not TLS_RSA_WITH_AES_256_CBC_SHA256: newer Java disables key exchange by RSA.
    Place("tls12", 10, "ECDHE_RSA_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"),
    Place("tls13", 10, "TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"),
    Place("ecdhe", 0, "ECDHE_RSA_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
    Place("anytls", 1, "ANY_TLS12_OR_HIGHER", "*TLS12ORHIGHER"),
    # Sockets of their own, so that nobody waits behind 100 MB.
    Place("bigtcp", 10),
    Place("bigtls", 10, "TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"),
    # For the client and the frameworks of Jakarta.
    Place("jakarta", 10),
    Place("jakartatls", 10, "TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"),
)
_JAKARTA: Final = {
    "EVERY": ("jakarta", "jakartatls"),
    "SHARES": ("jakarta",),
    "SHARED": ("jakarta", "jakartatls"),
    "PLAIN": ("jakarta",),
    "ONCE": ("jakarta",),
}
_GROUPS: Final = {
    "EVERY": ("tcp0", "tcp1", "tcp10", "tls12", "tls13"),
    "SHARES": ("tcp0", "tcp1", "tcp10"),
    "SHARED": ("tcp1", "tcp10", "tls12", "tls13"),
    "PLAIN": ("tcp1", "tcp10"),
    "SECURE": ("tls12", "tls13", "ecdhe", "anytls"),
    "LARGE": ("bigtcp", "bigtls"),
    "ONCE": ("tcp10",),
}
_CASE: Final = re.compile(r"@Case(?:\(Case\.(\w+)\))?\s+void (\w+)\(\)")


@dataclass(frozen=True)
class JavaCase:
    """A method of a class, at a place."""

    number: int
    place: str
    suite: str
    method: str
    kit: str  # see `jars`

    @property
    def queue(self) -> str:
        return f"J.Q{self.number:04}"

    @property
    def id(self) -> str:
        return f"{self.suite}.{self.method}-{self.place}"


def methods() -> list[tuple[str, str, str, str]]:
    """Kit, class, method and group of places of each case, in the order of the files. Cases of a
    framework are in the folder of its kit."""
    return [
        (kit, path.stem, method, group or "EVERY")
        for kit, folder in ((JAVAX, JAVA), *((kit, JAVA / kit) for kit in KITS))
        for path in sorted(folder.glob("*.java"))
        for group, method in _CASE.findall(path.read_text(encoding="utf-8"))
    ]


def _kits_and_places(kit: str, suite: str, group: str) -> list[tuple[str, str]]:
    if kit != JAVAX:
        return [(kit, place) for place in _JAKARTA[group]]
    found = [(kit, place) for place in _GROUPS[group]]
    if suite.startswith("Jms"):
        found += [("jakarta", place) for place in _JAKARTA[group]]
    return found


def all_cases() -> list[JavaCase]:
    """Every case at each of its places; those of one place come together."""
    listed = methods()
    found: list[JavaCase] = []
    for place in PLACES:
        for own, suite, method, group in listed:
            for kit, name in _kits_and_places(own, suite, group):
                if name == place.name:
                    found.append(JavaCase(len(found), name, suite, method, kit))
    return found
