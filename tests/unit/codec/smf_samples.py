"""Records of every kind and level, made by our writer, with a different value in every field."""

from __future__ import annotations

import random
from typing import Final

from ternmq.codec.smf.clock_values import tod_of_ns
from ternmq.codec.smf.field import (
    BYTES,
    DURATION,
    GROUP,
    RESERVED,
    SIGNED,
    TEXT,
    TIME,
    ZERO_TEXT,
    Field,
)
from ternmq.codec.smf.record import (
    KINDS,
    Stamp,
    build,
    correlator,
    header_values,
)
from ternmq.codec.smf.section_layout import LAYOUTS, Scalar, Value, Values, length_at

STAMP: Final = Stamp(
    "SYS1",
    "QM1X",
    1_700_000_000_120_000_000,
    3600,
    1_699_999_940_000_000_000,
    60_000_000,
    sequence=77,
    kind_sequence=5,
)
LEVELS: Final = (
    80000, 90003, 90102, 90104, 90300, 90301, 90302, 90303, 90305, 90400, 90403, 90405, 100000,
)  # fmt: skip
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.%/_"


def scalar(field: Field, chance: random.Random) -> Scalar:
    """A value that the field can have."""
    if field.kind in (TEXT, ZERO_TEXT):
        return "Q" + "".join(chance.choices(_LETTERS, k=chance.randint(0, field.size - 1)))
    if field.kind == BYTES:
        return chance.randbytes(field.size)
    if field.kind == TIME:
        return tod_of_ns(chance.randrange(1_600_000_000, 1_800_000_000) * 1_000_000_000)
    if field.kind == DURATION:
        return chance.randrange(1 << 50)
    if field.words:
        return chance.choice((0, 1, 2, 3, 4, 5, 6, 7, 8))
    bits = field.size * 8
    if field.kind == SIGNED:
        return chance.randrange(-(1 << bits - 1), 1 << bits - 1)
    return chance.randrange(1 << bits - 1) if bits == 64 else chance.randrange(1 << bits)


def values_for(section: str, length: int, chance: random.Random) -> Values:
    """A value for each field of a section that is so long."""
    layout = LAYOUTS[section]
    found: Values = {}
    for field in layout.row.fields:
        own = layout.row.identifier >= 0 and field.offset < 8
        if field.end > length or field.kind == RESERVED or own or field.default is not None:
            continue
        found[field.name] = value_for(field, chance)
    if section == "WQ":
        found["wqver"] = 9 if length >= 2800 else 8
    return found


def value_for(field: Field, chance: random.Random) -> Value:
    if field.kind == GROUP:
        entries: list[dict[str, Scalar]] = []
        for _ in range(field.copies):
            members = (member for member in field.members if member.kind != RESERVED)
            entries.append({member.name: scalar(member, chance) for member in members})
        return tuple(entries)
    if field.copies:
        return tuple(int(scalar(field, chance) or 0) for _ in range(field.copies))
    return scalar(field, chance)


def sample(record_type: int, subtype: int, level: int, copies: int, seed: int) -> bytes:
    """A record of a kind with every section that the level has."""
    chance = random.Random(f"{record_type}-{subtype}-{level}-{copies}-{seed}")
    row = KINDS[record_type, subtype]
    sections: dict[str, list[Values]] = {}
    for number, name in row.sections:
        if not name or not LAYOUTS[name].row.length(level):
            continue
        if name == "QPST" and number == 3:  # there before 8.0 only
            continue
        one = name in ("QEST", "QCCT", "WTID", "WTAS", "QMST", "QJST", "QSST", "QWAC", "QMAC")
        length = length_at(name, level)
        sections[name] = [values_for(name, length, chance) for _ in range(1 if one else copies)]
    link(sections)
    return build(
        record_type,
        subtype,
        header_for(record_type, subtype, chance),
        sections,
        level=level,
    )


def link(sections: dict[str, list[Values]]) -> None:
    """What one section says of another."""
    queues = sections.get("WQ", [])
    for queue in queues:
        queue["correl"] = queues[0]["correl"]
    for task in sections.get("WTAS", []):
        task["wtaswqct"] = len(queues)
        for queue in queues:
            queue["correl"] = correlator(task)


def header_for(record_type: int, subtype: int, chance: random.Random) -> Values:
    header = header_values(record_type, subtype, STAMP)
    if (record_type, subtype) == (116, 0):
        layout = LAYOUTS["QWHC"]
        for field in layout.row.fields[2:]:
            if field.kind != RESERVED and field.default is None:
                header[field.name] = value_for(field, chance)
    return header


def sample_records(level: int) -> list[bytes]:
    """Each kind of record, with several copies of what there may be several of."""
    found = []
    for (record_type, subtype), row in KINDS.items():
        names = [name for _, name in row.sections if name]
        if not any(LAYOUTS[name].row.length(level) for name in names):
            continue
        found += [sample(record_type, subtype, level, copies, 1) for copies in (1, 3)]
    return found
