"""Segments for the fuzz: valid ones of every type, made from the tables, and ways to spoil bytes.

Everything is drawn from a seed, so that a seed is enough to have the same bytes again.
"""

from __future__ import annotations

import struct
from typing import Final

from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.testing.chance import Chance
from ternmq.wire.fap import part as p
from ternmq.wire.fap import vocabulary as v
from ternmq.wire.fap.flow import body_table, verb_table, write_body
from ternmq.wire.fap.initial_data import InitialData, write_initial_data
from ternmq.wire.fap.segment import TSH, TSHC, TSHM, Header
from ternmq.wire.fap.segment_reader import split

LEVELS: Final = (4, 8, 10, 13, 17)
TYPES: Final = sorted(v.TYPE_NAMES)
# Numbers at which arithmetic and limits break.
EDGES: Final = (
    *(0, 1, 2, 3, 4, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000),
    *(0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 0x7FEC, 104857600),
)
_WORDS: Final = ("", "QM1", "DEV.QUEUE.1", "J.NOT.THERE", "AMQ.*", " ", "*", "é" * 10, "x" * 48)
_LETTERS: Final = "ABCXYZ.%_/ 019"


def header(chance: Chance, type: int, order: str = "", conversation: int = 0) -> Header:
    variant = chance.choice((TSH, TSHM, TSHM, TSHC))
    return Header(
        type,
        variant=variant,
        conversation=_conversation(chance, conversation) if variant == TSHM else 0,
        request=chance.randrange(5) if variant == TSHM else 0,
        order=order or chance.choice((LITTLE, BIG)),
        ccsid=chance.choice((1208, 819, 437)),
    )


def _conversation(chance: Chance, usual: int) -> int:
    if usual and chance.happens(0.9):
        return usual
    return chance.choice((0, 1, 1, 2, 0xFFFFFFFF))


def _text(chance: Chance, size: int) -> str:
    if chance.happens(0.6):
        return chance.choice(_WORDS)[:size]
    return "".join(chance.choice(_LETTERS) for _ in range(chance.randrange(size + 1))).rstrip()


def _row(chance: Chance, row: p.Row) -> object:
    if row.code == "i":
        number = chance.choice(EDGES) if chance.happens(0.3) else chance.randrange(1 << 16)
        return number - (1 << 32) if number >= 1 << 31 else number
    if row.code in "BHI":
        return chance.choice(EDGES) % 256**row.size
    if isinstance(row.default, str):
        # Only what every character set has: the spoiling comes later.
        return _text(chance, row.size).encode("ascii", "ignore").decode("ascii")[: row.size]
    return chance.randbytes(row.size)


def _counted(chance: Chance, part: p.Part, values: p.Values) -> None:
    if isinstance(part, p.Text):
        values[part.name] = _text(chance, 40).encode("ascii", "ignore").decode("ascii")
    elif isinstance(part, p.Data):
        longest = 40_000 if part.name == "data" and chance.happens(0.1) else 60
        size = chance.choice((0, 1, 20, longest))
        values[part.name] = chance.randbytes(size)
    elif isinstance(part, p.Longs):
        values[part.name] = [chance.randrange(4000) for _ in range(chance.randrange(6))]
    elif isinstance(part, p.Records):
        count = chance.randrange(3)
        values[part.name] = [values_of(chance, part.parts()) for _ in range(count)]


def _fill(chance: Chance, part: p.Part, values: p.Values) -> None:
    if isinstance(part, p.Conditional):
        part = part.part
    if isinstance(part, p.Fixed):
        for row in part.rows():
            if row.name.strip() != row.default and row.default != row.name:
                values[row.name] = _row(chance, row)
    elif isinstance(part, p.Record):
        values[part.name] = values_of(chance, part.parts())
    elif isinstance(part, p.Struct):
        values[part.name] = part.kind()
    else:
        _counted(chance, part, values)


def values_of(chance: Chance, table: list[p.Part]) -> p.Values:
    """Values that the parts can hold; counts are left to the writing."""
    values: p.Values = {}
    for part in table:
        _fill(chance, part, values)
    for part in table:
        inner = part.part if isinstance(part, p.Conditional) else part
        if isinstance(inner, p.Counted):
            values.pop(inner.count, None)
    return values


def initial_data(chance: Chance, made: Header) -> bytes:
    data = InitialData(chance.choice(LEVELS))
    data.channel_name = chance.choice(("DEV.APP.SVRCONN", "SYSTEM.DEF.SVRCONN", "NONE", ""))
    return write_initial_data(made, data)


def valid(chance: Chance, type: int = 0, order: str = "", conversation: int = 0) -> bytes:
    """The bytes of one call or control flow, in as many segments as it needs."""
    made = header(chance, type or chance.choice(TYPES), order, conversation)
    if made.type == v.INITIAL_DATA:
        return b"".join(split(made, initial_data(chance, made), 32748))
    values = values_of(chance, body_table(made.type))
    if made.type in (v.SPI, v.SPI + v.REPLY):
        values["verb"] = chance.choice(sorted(v.SPI_NAMES))
        values.update(values_of(chance, verb_table(made.type, values)))
    body = write_body(made, values, chance.choice(LEVELS))
    size = chance.choice((32748, 32748, 1024, 1024 if made.type == v.ASYNC_MESSAGE else 200))
    if not v.can_split(made.type):
        size = 1 << 20
    return b"".join(split(made, body, size))


def spoiled(chance: Chance, data: bytes) -> bytes:
    """The bytes with a few things wrong."""
    made = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        if made:
            _SPOILS[chance.randrange(len(_SPOILS))](chance, made)
    return bytes(made)


def _flip(chance: Chance, data: bytearray) -> None:
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _replace(chance: Chance, data: bytearray) -> None:
    data[chance.randrange(len(data))] = chance.choice((0, 1, 0x20, 0x40, 0x7F, 0x80, 0xFF))


def _number(chance: Chance, data: bytearray) -> None:
    """A number at the edge, where numbers stand: at even places, in both orders."""
    at = chance.randrange(len(data)) & ~3
    form = chance.choice(("<I", ">I"))
    if at + 4 <= len(data):
        struct.pack_into(form, data, at, chance.choice(EDGES))


def _length(chance: Chance, data: bytearray) -> None:
    """The length that a header tells."""
    if len(data) >= 8:
        reported = struct.unpack_from(">I", data, 4)[0] + chance.choice(
            (-28, -1, 1, 8, 28, 1 << 20)
        )
        struct.pack_into(">I", data, 4, reported & 0xFFFFFFFF)


def _type(chance: Chance, data: bytearray) -> None:
    at = 17 if bytes(data[:4]) == b"TSHM" else 9
    if at < len(data):
        data[at] = chance.choice((*TYPES, chance.randrange(256)))


def _flags(chance: Chance, data: bytearray) -> None:
    at = (18 if bytes(data[:4]) == b"TSHM" else 10) + chance.randrange(2)
    if at < len(data):
        data[at] = chance.randrange(256)


def _cut(chance: Chance, data: bytearray) -> None:
    del data[chance.randrange(len(data)) :]


def _remove(chance: Chance, data: bytearray) -> None:
    at = chance.randrange(len(data))
    del data[at : at + chance.choice((1, 2, 4, 16))]


def _insert(chance: Chance, data: bytearray) -> None:
    at = chance.randrange(len(data) + 1)
    data[at:at] = chance.randbytes(chance.choice((1, 2, 4, 16, 300)))


def _double(chance: Chance, data: bytearray) -> None:
    at = chance.randrange(len(data))
    data[at:at] = data[at : at + chance.choice((4, 28, 200))]


_SPOILS: Final = (
    *(_flip, _flip, _replace, _replace, _number, _number, _number),
    *(_length, _type, _flags, _cut, _remove, _insert, _double),
)
