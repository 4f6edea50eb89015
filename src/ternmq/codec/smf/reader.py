"""Reads a file of SMF records: what MQ wrote is given, everything else kept apart and counted.

A dump holds records of other products, of subtypes and levels that are not known here, and often
ends within a record. None of that is an error or guessed at: the `Tally` says how many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final, final

from ternmq.base.errors import MQError
from ternmq.codec.smf.decoding import (
    RECORD_BYTES_MIN,
    Record,
    open_record,
    record_subtype,
    record_type,
)
from ternmq.codec.smf.framing import Framing, Read, Source, recognise
from ternmq.codec.smf.record import ACCOUNTING, KINDS, LEVEL_MAX, STATISTICS

DAMAGE_SHOWN: Final = 20


@final
class Tally:
    """What was read, and what was not."""

    def __init__(self) -> None:
        self.records = 0
        self.read: Final[Counter[tuple[int, int]]] = Counter()
        self.other_types: Final[Counter[int]] = Counter()
        self.unknown_subtypes: Final[Counter[tuple[int, int]]] = Counter()
        self.unknown_levels: Final[Counter[str]] = Counter()
        self.damaged = 0
        self.damage: Final[list[str]] = []  # of the first DAMAGE_SHOWN
        self.truncated = 0
        self.stray = 0

    def note_damage(self, offset: int, error: MQError) -> None:
        self.damaged += 1
        if len(self.damage) < DAMAGE_SHOWN:
            self.damage.append(f"record at byte {offset}: {error.detail}")

    def add(self, other: Tally) -> None:
        """Take over what another file had."""
        self.records += other.records
        self.read.update(other.read)
        self.other_types.update(other.other_types)
        self.unknown_subtypes.update(other.unknown_subtypes)
        self.unknown_levels.update(other.unknown_levels)
        self.damaged += other.damaged
        self.damage.extend(other.damage[: DAMAGE_SHOWN - len(self.damage)])
        self.truncated += other.truncated
        self.stray += other.stray

    @property
    def not_read(self) -> int:
        """Records of MQ that could not be read: something is wrong, or newer than the tables."""
        return self.damaged + self.truncated + self.stray + self.unknown_levels.total()


@final
class Reader:
    """The records of MQ in one file."""

    def __init__(
        self,
        read: Read,
        *,
        form: str = "",
        kinds: Collection[tuple[int, int]] | None = None,
        newer: bool = False,
    ) -> None:
        """`form` is recognised if it is not given. `kinds` are types and subtypes that are wanted.
        With `newer`, records of levels after the last that is known are read as far as the tables
        go: fields never moved so far."""
        self.source: Final = Source(read)
        self.form: Final = form or recognise(self.source)
        self.tally: Final = Tally()
        self._kinds: Final = kinds
        self._newer: Final = newer
        self._framing: Final = Framing(self.source, self.form)

    def __iter__(self) -> Iterator[Record]:
        """Record after record; MQError where the file makes no sense any more."""
        tally = self.tally
        framing = self._framing
        try:
            for data in framing.records():
                tally.records += 1
                kind = record_type(data), record_subtype(data)
                if len(data) < RECORD_BYTES_MIN:
                    self._opened(data)  # which says so
                elif kind[0] not in (STATISTICS, ACCOUNTING):
                    tally.other_types[kind[0]] += 1
                elif kind not in KINDS:
                    tally.unknown_subtypes[kind] += 1
                elif self._kinds is None or kind in self._kinds:
                    record = self._opened(data)
                    if record is not None:
                        yield record
        finally:
            tally.truncated = framing.truncated
            tally.stray = framing.stray

    def note_damage(self, error: MQError) -> None:
        """The caller found the record that was given last not to be valid after all."""
        self.tally.note_damage(self._framing.record_offset, error)

    def _opened(self, data: bytes) -> Record | None:
        try:
            record = open_record(data)
        except MQError as error:
            self.note_damage(error)
            return None
        if not record.is_known_level and not (self._newer and record.level > LEVEL_MAX):
            self.tally.unknown_levels[record.release] += 1
            return None
        self.tally.read[record.row.record_type, record.row.subtype] += 1
        return record
