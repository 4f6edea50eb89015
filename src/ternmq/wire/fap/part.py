"""Bodies of segments as tables of parts, and the one reader and writer that they drive.

A body is a sequence of parts without gaps. What a part reads goes into a dict by its name, what it
writes is taken from there, or is the part's default:

    Fixed       rows of fixed size: u8, u16, u32, i32, chars (blank padded), raw bytes, an
                eye-catcher that must be there
    Big         u32, big endian whatever the byte order
    Record      parts of its own, in a dict of its own
    Struct      a structure of the MQI in its wire form, as an object or packed (as its bytes)
    Data, Text  bytes and characters, as many as a field before says
    Longs       i32, as many as a field before says
    Records     as Record, as many as a field before says
    Padding     zeros up to a multiple of four
    Optional    a part that is there if any bytes are left, or if its eye-catcher comes next
    AtLeast, Flagged, Levels   a part that is there if a field before, or the FAP level, says so

Counts and lengths are filled in when written, if they are not given. Bytes behind the last part
are kept as "rest": partners of a later level may say more, and it must not be lost from a trace.

Validity: a part is read only if all its bytes are present; a count is held against them before
anything is made for it. What is wrong is SegmentError with the names of segment and field.
"""

from __future__ import annotations

import struct
from typing import Any, Final, final

from ternmq.base.errors import LocalProtocolError
from ternmq.codec.charset import decode, encode
from ternmq.codec.mqi.layout import BIG, LITTLE, Layout, read_chars
from ternmq.codec.mqi.structure import Structure
from ternmq.wire.fap.segment import SegmentError
from ternmq.wire.fap.vocabulary import PROTOCOL_INVALID_DATA, PROTOCOL_LENGTH_ERROR, Named

Values = dict[str, Any]

REST: Final = "rest"
_NUMBER: Final = 0
_CHARS: Final = 1
_RAW: Final = 2
_EYE: Final = 3
_VERSION_END: Final = 8  # in a structure of the MQI


@final
class Cursor:
    """Where reading stands, and in what form the bytes are."""

    def __init__(
        self, data: bytes, at: int, order: str, ccsid: int, fap_level: int, is_packed: bool
    ) -> None:
        self.data: Final = data
        self.at = at
        self.end: Final = len(data)
        self.order: Final = order
        self.ccsid: Final = ccsid
        self.fap_level: Final = fap_level
        self.is_packed: Final = is_packed
        self.is_cut = False  # data whose length a call gives need not be there
        self.starts: dict[str, int] = {}  # of structures, by name
        self.secrets: list[tuple[int, int]] = []  # what no trace may show

    @property
    def left(self) -> int:
        return self.end - self.at

    def take(self, size: int, name: str) -> int:
        """Pass over so many bytes, which must be present, and say where they begin."""
        at = self.at
        if size < 0 or size > self.end - at:
            raise SegmentError(
                f"{name}: {size} bytes are needed, {self.end - at} are left", PROTOCOL_LENGTH_ERROR
            )
        self.at = at + size
        return at

    def long_at(self, at: int) -> int:
        """The i32 at a place that is known to be present."""
        field = self.data[at : at + 4]
        return int.from_bytes(field, "little" if self.order == LITTLE else "big", signed=True)


@final
class Output:
    """What was written, and in what form."""

    def __init__(self, order: str, ccsid: int, fap_level: int) -> None:
        self.data = bytearray()
        self.order: Final = order
        self.ccsid: Final = ccsid
        self.fap_level: Final = fap_level


class Part:
    """One part of a body."""

    def __init__(self, name: str) -> None:
        self.name: Final = name

    def read(self, cursor: Cursor, values: Values) -> None:
        """Read it and set its values."""
        raise NotImplementedError

    def write(self, out: Output, values: Values) -> None:
        """Write it from its values."""
        raise NotImplementedError

    def complete(self, out: Output, values: Values) -> None:
        """Before anything is written: set what follows from other values and was not given."""

    def rows(self) -> list[Row]:
        """The rows of fixed size in it, for the trace."""
        return []

    def parts(self) -> list[Part]:
        """The parts inside a Record or Records, which have a dict of their own."""
        return []


@final
class Row:
    """One row of a Fixed part."""

    def __init__(
        self,
        name: str,
        kind: int,
        code: str,
        default: int | str | bytes,
        *,
        names: Named | None = None,
        is_secret: bool = False,
    ) -> None:
        self.name: Final = name
        self.kind: Final = kind
        self.code: Final = code
        self.size: Final = struct.calcsize("=" + code)
        self.default: Final = default
        self.names: Final = names
        self.is_secret: Final = is_secret


def u8(name: str, default: int = 0, names: Named | None = None) -> Row:
    return Row(name, _NUMBER, "B", default, names=names)


def u16(name: str, default: int = 0) -> Row:
    return Row(name, _NUMBER, "H", default)


def u32(name: str, default: int = 0) -> Row:
    return Row(name, _NUMBER, "I", default)


def i32(name: str, default: int = 0, names: Named | None = None) -> Row:
    return Row(name, _NUMBER, "i", default, names=names)


def chars(name: str, size: int, is_secret: bool = False) -> Row:
    return Row(name, _CHARS, f"{size}s", "", is_secret=is_secret)


def raw(name: str, size: int) -> Row:
    return Row(name, _RAW, f"{size}s", bytes(size))


def eye(text: str) -> Row:
    """An eye-catcher: no value, but it must be there."""
    return Row(text, _EYE, "4s", text)


@final
class Fixed(Part):
    """Rows of fixed size, read and written at once."""

    def __init__(self, *rows: Row) -> None:
        super().__init__(rows[0].name)
        self._rows: Final = list(rows)
        code = "".join(row.code for row in rows)
        self._big: Final = struct.Struct(BIG + code)
        self._little: Final = struct.Struct(LITTLE + code)
        self.size: Final = self._big.size

    def rows(self) -> list[Row]:
        return self._rows

    def read(self, cursor: Cursor, values: Values) -> None:
        at = cursor.take(self.size, self.name)
        codec = self._little if cursor.order == LITTLE else self._big
        items = codec.unpack_from(cursor.data, at)
        for number, row in enumerate(self._rows):
            item = items[number]
            if row.kind == _CHARS:
                values[row.name] = read_chars(item, cursor.ccsid)
            elif row.kind == _EYE:
                if decode(item, cursor.ccsid) != row.name:
                    raise SegmentError(
                        f"{item.hex()} where {row.name!r} must be", PROTOCOL_INVALID_DATA
                    )
            else:
                values[row.name] = item
            if row.is_secret:
                cursor.secrets.append((at, at + row.size))
            at += row.size

    def write(self, out: Output, values: Values) -> None:
        items: list[int | bytes] = []
        for row in self._rows:
            value = row.default if row.kind == _EYE else values.get(row.name, row.default)
            if isinstance(value, str):
                text = encode(value, out.ccsid)
                items.append(_fits(text.ljust(row.size, encode(" ", out.ccsid)), row))
            elif isinstance(value, bytes):
                items.append(_fits(value, row))
            else:
                items.append(value)
        codec = self._little if out.order == LITTLE else self._big
        out.data += codec.pack(*items)


def _fits(value: bytes, row: Row) -> bytes:
    if len(value) > row.size:
        raise LocalProtocolError(f"{row.name}: {len(value)} bytes, {row.size} fit")
    return value


@final
class Big(Part):
    """A u32 that is big endian whatever the byte order."""

    def read(self, cursor: Cursor, values: Values) -> None:
        at = cursor.take(4, self.name)
        values[self.name] = int.from_bytes(cursor.data[at : at + 4], "big")

    def write(self, out: Output, values: Values) -> None:
        out.data += struct.pack(">I", values.get(self.name, 0))


@final
class Record(Part):
    """Parts with a dict of their own."""

    def __init__(self, name: str, *parts: Part) -> None:
        super().__init__(name)
        self._parts: Final = list(parts)

    def parts(self) -> list[Part]:
        return self._parts

    def read(self, cursor: Cursor, values: Values) -> None:
        inner: Values = {}
        for part in self._parts:
            part.read(cursor, inner)
        values[self.name] = inner

    def write(self, out: Output, values: Values) -> None:
        inner: Values = dict(values.get(self.name, {}))
        write_parts(self._parts, out, inner)


def write_parts(parts: list[Part], out: Output, values: Values) -> None:
    """Fill in counts and lengths, then write the parts in their order."""
    for part in parts:
        part.complete(out, values)
    for part in parts:
        part.write(out, values)


@final
class Struct(Part):
    """A structure of the MQI in its wire form."""

    def __init__(self, name: str, kind: type[Structure], layout: Layout) -> None:
        super().__init__(name)
        self.kind: Final = kind
        self.layout: Final = layout

    def read(self, cursor: Cursor, values: Values) -> None:
        layout = self.layout
        start = cursor.at
        cursor.take(_VERSION_END, layout.name)
        version = layout.read_version(cursor.data, start, cursor.order, cursor.ccsid)
        cursor.at = start
        at = cursor.take(layout.size(version), layout.name)
        cursor.starts[self.name] = at
        if cursor.is_packed:
            values[self.name] = cursor.data[at : cursor.at]
        else:
            values[self.name] = self.kind.unpack(cursor.data, at, cursor.order, cursor.ccsid)

    def write(self, out: Output, values: Values) -> None:
        value = values.get(self.name)
        if isinstance(value, bytes):
            out.data += value
        elif isinstance(value, Structure):
            out.data += value.pack(out.order, out.ccsid)
        else:
            raise LocalProtocolError(f"{self.name}: {self.layout.name} is missing")


class Counted(Part):
    """A part whose size a field before it says."""

    def __init__(self, name: str, count: str) -> None:
        super().__init__(name)
        self.count: Final = count

    def complete(self, out: Output, values: Values) -> None:
        values.setdefault(self.count, len(values.get(self.name, b"")))

    def number(self, cursor: Cursor, values: Values, unit_bytes: int) -> int:
        """How many there are, held against the bytes that are present."""
        number: int = values[self.count]
        if not 0 <= number <= cursor.left // unit_bytes:
            raise SegmentError(
                f"{self.name}: {self.count} is {number}, {cursor.left} bytes are left",
                PROTOCOL_LENGTH_ERROR,
            )
        return number


@final
class Data(Counted):
    """Bytes. With `can_be_cut` the count may be higher: that of the whole message."""

    def __init__(
        self, name: str, count: str, *, can_be_cut: bool = False, is_secret: bool = False
    ) -> None:
        super().__init__(name, count)
        self.can_be_cut: Final = can_be_cut
        self.is_secret: Final = is_secret

    def read(self, cursor: Cursor, values: Values) -> None:
        count: int = values[self.count]
        if (self.can_be_cut or cursor.is_cut) and count > cursor.left:
            size = cursor.left
        else:
            size = self.number(cursor, values, 1)
        at = cursor.take(size, self.name)
        values[self.name] = cursor.data[at : cursor.at]
        if self.is_secret:
            cursor.secrets.append((at, cursor.at))

    def write(self, out: Output, values: Values) -> None:
        out.data += values.get(self.name, b"")


@final
class Text(Counted):
    """Characters, as they are; the field counts their bytes."""

    def read(self, cursor: Cursor, values: Values) -> None:
        at = cursor.take(self.number(cursor, values, 1), self.name)
        values[self.name] = decode(cursor.data[at : cursor.at], cursor.ccsid)

    def complete(self, out: Output, values: Values) -> None:
        values.setdefault(self.count, len(encode(values.get(self.name, ""), out.ccsid)))

    def write(self, out: Output, values: Values) -> None:
        text = encode(values.get(self.name, ""), out.ccsid)
        if values.get(self.count) != len(text):
            raise LocalProtocolError(f"{self.count} is not {len(text)}, the bytes of {self.name}")
        out.data += text


@final
class Longs(Counted):
    """A row of i32."""

    def read(self, cursor: Cursor, values: Values) -> None:
        number = self.number(cursor, values, 4)
        at = cursor.take(4 * number, self.name)
        values[self.name] = list(struct.unpack_from(f"{cursor.order}{number}i", cursor.data, at))

    def write(self, out: Output, values: Values) -> None:
        numbers: list[int] = values.get(self.name, [])
        out.data += struct.pack(f"{out.order}{len(numbers)}i", *numbers)


@final
class Records(Counted):
    """A row of records, each of at least `bytes_min`."""

    def __init__(self, name: str, count: str, bytes_min: int, *parts: Part) -> None:
        super().__init__(name, count)
        self.bytes_min: Final = bytes_min
        self._parts: Final = list(parts)

    def parts(self) -> list[Part]:
        return self._parts

    def read(self, cursor: Cursor, values: Values) -> None:
        found: list[Values] = []
        for _ in range(self.number(cursor, values, self.bytes_min)):
            inner: Values = {}
            for part in self._parts:
                part.read(cursor, inner)
            found.append(inner)
        values[self.name] = found

    def write(self, out: Output, values: Values) -> None:
        given: list[Values] = values.get(self.name, [])
        for inner in given:
            write_parts(self._parts, out, dict(inner))


@final
class Padding(Part):
    """Bytes up to a multiple of four of what stands before it, `behind` more than `of` has."""

    def __init__(self, of: tuple[str, ...], behind: int) -> None:
        super().__init__("padding")
        self.of: Final = of
        self.behind: Final = behind

    def read(self, cursor: Cursor, values: Values) -> None:
        # The last part may come without: partners that count their bytes exactly.
        cursor.take(min(self._size(values), cursor.left), self.name)

    def write(self, out: Output, values: Values) -> None:
        out.data += bytes(self._size(values))

    def _size(self, values: Values) -> int:
        size = self.behind
        for name in self.of:
            size += int(values[name])
        return -size % 4


class Conditional(Part):
    """A part that is not always there; a subclass says when."""

    def __init__(self, part: Part) -> None:
        super().__init__(part.name)
        self.part: Final = part

    def rows(self) -> list[Row]:
        return self.part.rows()

    def parts(self) -> list[Part]:
        return self.part.parts()

    def is_there(self, values: Values, fap_level: int) -> bool:
        """Whether it is there, given the values before it."""
        raise NotImplementedError

    def complete(self, out: Output, values: Values) -> None:
        self.part.complete(out, values)

    def read(self, cursor: Cursor, values: Values) -> None:
        if self.is_there(values, cursor.fap_level):
            self.part.read(cursor, values)

    def write(self, out: Output, values: Values) -> None:
        if self.is_there(values, out.fap_level):
            self.part.write(out, values)


@final
class Optional(Conditional):
    """A part that is there if bytes are left; with an eye-catcher, if that comes next.

    It is written if any value of it is given.
    """

    def __init__(self, part: Part, eye_catcher: str = "") -> None:
        super().__init__(part)
        self.eye_catcher: Final = eye_catcher

    def is_there(self, values: Values, fap_level: int) -> bool:
        if self.name in values:
            return True
        return any(row.name in values for row in self.part.rows())

    def complete(self, out: Output, values: Values) -> None:
        if self.is_there(values, out.fap_level):
            self.part.complete(out, values)

    def read(self, cursor: Cursor, values: Values) -> None:
        if not cursor.left:
            return
        if self.eye_catcher:
            found = cursor.data[cursor.at : cursor.at + 4]
            if decode(found, cursor.ccsid) != self.eye_catcher:
                return
        self.part.read(cursor, values)


@final
class AtLeast(Conditional):
    """A part that is there if a field before it has at least this value."""

    def __init__(self, field: str, least: int, part: Part) -> None:
        super().__init__(part)
        self.field: Final = field
        self.least: Final = least

    def is_there(self, values: Values, fap_level: int) -> bool:
        value: int = values.get(self.field, 0)
        return value >= self.least


@final
class Flagged(Conditional):
    """A part that is there if a field before it has this flag."""

    def __init__(self, field: str, flag: int, part: Part) -> None:
        super().__init__(part)
        self.field: Final = field
        self.flag: Final = flag

    def is_there(self, values: Values, fap_level: int) -> bool:
        value: int = values.get(self.field, 0)
        return value & self.flag != 0


@final
class Levels(Conditional):
    """A part that is there from a FAP level on."""

    def __init__(self, level: int, part: Part) -> None:
        super().__init__(part)
        self.level: Final = level

    def is_there(self, values: Values, fap_level: int) -> bool:
        return fap_level >= self.level
