"""Authority records: which authorities a user or a group has for a profile.

A record is an object of the catalog (space "authrec"), so it is logged with the other definitions
and outlives a crash; here they are indexed for the checks. Its name in the catalog is made of the
three things that identify it. A record may say that there is no authority at all: it then hides
what a less specific profile would give.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from ternmq.base.attributes import Value
from ternmq.base.object_types import AUTHREC
from ternmq.security.authorities import BY_WORD, KIND_BY_MQOT, Kind, authlist
from ternmq.security.profiles import fixed_part, is_generic, matches, specificity
from ternmq.store.catalog import Definition

SPACE: Final = "authrec"
PRINCIPAL: Final = "PRINCIPAL"
GROUP: Final = "GROUP"
PRINCIPAL_NUMBER: Final = 1  # MQZAET_PRINCIPAL
GROUP_NUMBER: Final = 2
ENTITY_BYTES_MAX: Final = 64


@final
class Record:
    """One authority record."""

    __slots__ = ("begins", "bits", "entity", "is_group", "key", "kind", "profile", "specificity")

    def __init__(self, kind: Kind, profile: str, entity: str, is_group: bool, bits: int) -> None:
        self.kind = kind
        self.profile = profile
        self.entity = entity
        self.is_group = is_group
        self.bits = bits
        self.key = record_key(kind, profile, entity, is_group)
        self.specificity = specificity(profile)
        self.begins = fixed_part(profile)

    @property
    def entity_type(self) -> str:
        """ENTTYPE."""
        return GROUP if self.is_group else PRINCIPAL

    def attributes(self) -> dict[str, Value]:
        """As the catalog keeps it."""
        return {
            "profile": self.profile,
            "entity": self.entity,
            "entity_type": GROUP_NUMBER if self.is_group else PRINCIPAL_NUMBER,
            "object_type": self.kind.mqot,
            "authorities": authlist(self.bits),
        }

    def definition(self, object_id: int, now_ns: int) -> Definition:
        """As an object of the catalog."""
        return Definition(AUTHREC, self.key, object_id, self.attributes(), now_ns)


def record_key(kind: Kind, profile: str, entity: str, is_group: bool) -> str:
    """The name of a record in the catalog: no part of it can hold a blank."""
    return f"{kind.objtype} {profile} {GROUP if is_group else PRINCIPAL} {entity}"


def record_of(definition: Definition) -> Record:
    """The record that an object of the catalog is."""
    kind = KIND_BY_MQOT[definition.number("object_type")]
    bits = 0
    for word in definition.text("authorities").split(","):
        row = BY_WORD.get(word.lower())
        if row is not None:
            bits |= row.bit
    return Record(
        kind,
        definition.text("profile"),
        definition.text("entity"),
        definition.number("entity_type") == GROUP_NUMBER,
        bits,
    )


@final
class Records:
    """All records, found by kind and entity."""

    def __init__(self) -> None:
        self.by_key: dict[str, Record] = {}
        # those with wildcards, the most specific first; the others are found by their key
        self._generic: dict[tuple[int, bool, str], list[Record]] = {}
        self._by_profile: dict[tuple[int, str], list[Record]] = {}
        self.changes = 0  # counts, so that a remembered answer is known to be old

    def load(self, definitions: Iterable[Definition]) -> None:
        """All that the catalog has."""
        self.by_key = {}
        self._generic = {}
        self._by_profile = {}
        for definition in definitions:
            self._add(record_of(definition))
        for records in self._generic.values():
            records.sort(key=_specificity_of)
        self.changes += 1

    def put(self, record: Record) -> None:
        """A new record, or one that was there with other authorities."""
        self.remove(record.key)
        self._add(record)
        if is_generic(record.profile):
            self._generic[_entity_key(record)].sort(key=_specificity_of)
        self.changes += 1

    def _add(self, record: Record) -> None:
        self.by_key[record.key] = record
        if is_generic(record.profile):
            self._generic.setdefault(_entity_key(record), []).append(record)
        self._by_profile.setdefault((record.kind.mqot, record.profile), []).append(record)

    def remove(self, key: str) -> None:
        """A record that is gone; nothing happens if it is not there."""
        record = self.by_key.pop(key, None)
        if record is not None:
            if is_generic(record.profile):
                self._generic[_entity_key(record)].remove(record)
            place = (record.kind.mqot, record.profile)
            self._by_profile[place].remove(record)
            if not self._by_profile[place]:  # names of dynamic queues come and go
                del self._by_profile[place]
            self.changes += 1

    def effective(self, kind: Kind, name: str, entity: str, is_group: bool) -> Record | None:
        """The record that counts for a user or group alone and an object; None without a match."""
        exact = self.by_key.get(record_key(kind, name, entity, is_group))
        if exact is not None:
            return exact
        for record in self._generic.get((kind.mqot, is_group, entity), ()):
            if name.startswith(record.begins) and matches(record.profile, name):
                return record
        return None

    def of_object(self, kind: Kind, name: str) -> list[Record]:
        """The records of this very object: they go when it goes."""
        return list(self._by_profile.get((kind.mqot, name), ()))

    def all(self) -> list[Record]:
        """Every record, in the order in which they are shown."""
        return sorted(self.by_key.values(), key=_shown_order)


def _entity_key(record: Record) -> tuple[int, bool, str]:
    return (record.kind.mqot, record.is_group, record.entity)


def _specificity_of(record: Record) -> tuple[int, ...]:
    return record.specificity


def _shown_order(record: Record) -> tuple[str, str, str, str]:
    return (record.kind.objtype, record.profile, record.entity_type, record.entity)
