"""Property area: the properties of a message as bytes, its second part beside the body.

Little-endian, no padding. A message without properties has none: its area is empty.

     0  u8       version, 1
     1  u8       flags: bit 0, an original is there; bit 1, it says all that the index says; bit 2,
                 a property of folder mcd, jms, usr or mqext is there
     2  u16      count of properties
     4  u32      bytes of the index
     8  u32      bytes of the original; 0 without one
    12  index, for each property
             0  u16      bytes of its name
             2  u8       type: the MQTYPE is 1 << type
             3  u8       1: its MQPD is not the default and stands here; else 0
             4  u32      bytes of its value
             8  3 x u32  only then: Support, Context, CopyOptions of the MQPD
                name     UTF-8, as in `property`
                value    boolean u8; integers and floating point in the size of their type; string
                         UTF-8; bytes as they are; null nothing
        only with an original:
             0  u32      bytes of the body that it takes the place of: the header with the folders
                         that are not properties
             4  i32      Encoding, i32 CCSID, 8 bytes Format: what was said of its first byte
            20  bytes    the MQRFH2 headers as the application put them

The index alone answers for every property; the original is there to be given back unchanged.

Validity: an area has no checksum of its own; whoever stores it guards it. `check_area` refuses one
from outside that does not hold together; the other functions take what was checked or made here.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import IntegrityError
from ternmq.codec.property import Property, PropertyValue
from ternmq.codec.property_folders import JMS_FOLDERS

VERSION: Final = 1
HAS_ORIGINAL: Final = 1
ORIGINAL_IS_ALL: Final = 2
HAS_JMS_FOLDER: Final = 4
HEAD_BYTES: Final = 12
ORIGINAL_HEAD_BYTES: Final = 20
COUNT_MAX: Final = 0xFFFF
NAME_BYTES_MAX: Final = 0xFFFF
_TEXT_HEADS: Final = 64  # heads of strings, by their length, that are kept

_HEAD: Final = struct.Struct("<BBHII")
_ENTRY: Final = struct.Struct("<HBBI")
_DESCRIPTOR: Final = struct.Struct("<III")
_ORIGINAL: Final = struct.Struct("<Iii8s")
_I8: Final = struct.Struct("<b")
_I16: Final = struct.Struct("<h")
_I32: Final = struct.Struct("<i")
_I64: Final = struct.Struct("<q")
_F32: Final = struct.Struct("<f")
_F64: Final = struct.Struct("<d")
_NUMBERS: Final[dict[int, struct.Struct]] = {
    mq.MQTYPE_INT8: _I8,
    mq.MQTYPE_INT16: _I16,
    mq.MQTYPE_INT32: _I32,
    mq.MQTYPE_INT64: _I64,
    mq.MQTYPE_FLOAT32: _F32,
    mq.MQTYPE_FLOAT64: _F64,
}
_TYPE_CODES: Final[dict[int, int]] = {
    kind: kind.bit_length() - 1
    for kind in (
        mq.MQTYPE_NULL,
        mq.MQTYPE_BOOLEAN,
        mq.MQTYPE_BYTE_STRING,
        mq.MQTYPE_STRING,
        *_NUMBERS,
    )
}

_JMS_START: Final = bytes((VERSION, HAS_JMS_FOLDER))
_OTHER_START: Final = bytes((VERSION, 0))
_INT64: Final = 7  # codes of the usual types: the MQTYPE is 1 << code
_FLOAT64: Final = 9
_STRING: Final = 10
_BOOLEAN: Final = 2
_NO_TYPE: Final = -2
_ANY_SIZE: Final = -1
# Bytes of a value, by the code of its type.
_SIZES: Final = [_NO_TYPE, 0, 1, _ANY_SIZE, 1, 2, 4, 8, 4, 8, _ANY_SIZE]


@final
class Original:
    """The headers of an area as the application put them."""

    __slots__ = ("ccsid", "encoding", "format", "header", "replaced")

    def __init__(
        self, header: bytes, replaced: int, encoding: int, ccsid: int, format: bytes
    ) -> None:
        self.header = header
        self.replaced = replaced  # bytes of the body that it takes the place of
        self.encoding = encoding  # what the descriptor, or the header before, said of it
        self.ccsid = ccsid
        self.format = format


# ---- writing


@final
class EntryHeads:
    """What stands before the values of properties of one name, up to and with the name, where the
    MQPD is the default. Kept: the messages of an application have the same names."""

    __slots__ = ("_texts", "false", "integer", "name", "null", "real", "true")

    def __init__(self, name: str) -> None:
        self.name = name.encode("utf-8")
        self.integer = self._head(mq.MQTYPE_INT64, 8)
        self.real = self._head(mq.MQTYPE_FLOAT64, 8)
        self.true = self._head(mq.MQTYPE_BOOLEAN, 1) + b"\1"  # with the value
        self.false = self._head(mq.MQTYPE_BOOLEAN, 1) + b"\0"
        self.null = self._head(mq.MQTYPE_NULL, 0)
        self._texts: list[bytes] = [b""] * _TEXT_HEADS

    def _head(self, kind: int, size: int) -> bytes:
        return _ENTRY.pack(len(self.name), _TYPE_CODES[kind], 0, size) + self.name

    def text(self, size: i64) -> bytes:
        """The head of a string of that many bytes."""
        if size >= _TEXT_HEADS:
            return self._head(mq.MQTYPE_STRING, int(size))
        head = self._texts[size]
        if not head:
            head = self._head(mq.MQTYPE_STRING, int(size))
            self._texts[size] = head
        return head


def add_packed(parts: list[bytes], heads: EntryHeads, value: object) -> i64:
    """Add a property of a Python value to the parts of an area; how many bytes it has, 0 if its
    type is a rare one or has no room for the value."""
    kind = type(value)
    head = heads.null
    packed = b""
    if kind is str and isinstance(value, str):
        packed = value.encode("utf-8")
        head = heads.text(len(packed))
    elif kind is int and isinstance(value, int):
        try:
            packed = value.to_bytes(8, "little", signed=True)
        except OverflowError:
            return 0
        head = heads.integer
    elif kind is float:
        packed = _F64.pack(value)
        head = heads.real
    elif value is True:
        head = heads.true
    elif value is False:
        head = heads.false
    elif value is not None:
        return 0
    parts.append(head)
    parts.append(packed)
    return len(head) + len(packed)


def joined_area(parts: list[bytes], count: int, size: int, is_for_jms: bool) -> bytes:
    """The area of these parts without an original: three that are empty yet, then the index."""
    parts[0] = _JMS_START if is_for_jms else _OTHER_START
    parts[1] = count.to_bytes(2, "little")
    parts[2] = size.to_bytes(8, "little")  # and none for an original
    return b"".join(parts)


def pack_area(
    properties: list[Property],
    original: Original | None = None,
    original_is_all: bool = True,
    is_for_jms: bool = False,
) -> bytes:
    """The area of these properties; empty if there are none and there is no original. ValueError
    for a value that its type has no room for. `is_for_jms`: the original has a folder of those
    that PROPCTL(COMPAT) asks for, whatever the names say."""
    if not properties and original is None:
        return b""
    if len(properties) > COUNT_MAX:
        raise ValueError(f"{len(properties)} properties; a message has at most {COUNT_MAX}")
    flags = HAS_JMS_FOLDER if is_for_jms else 0
    parts: list[bytes] = [b""]
    size = 0
    for one in properties:
        if is_of_jms_folder(one.name):
            flags |= HAS_JMS_FOLDER
        packed = _packed(one)
        size += len(packed)
        parts.append(packed)
    kept = 0
    if original is not None:
        flags |= HAS_ORIGINAL
        if original_is_all:
            flags |= ORIGINAL_IS_ALL
        kept = len(original.header)
        parts.append(
            _ORIGINAL.pack(
                original.replaced, original.encoding, original.ccsid, original.format.ljust(8)
            )
        )
        parts.append(original.header)
    parts[0] = _HEAD.pack(VERSION, flags, len(properties), size, kept)
    return b"".join(parts)


def is_of_jms_folder(name: str) -> bool:
    """Whether a property is in one of the folders that PROPCTL(COMPAT) asks for."""
    from_dot = name.find(".")
    return from_dot < 0 or name[:from_dot] in JMS_FOLDERS


def _packed(one: Property) -> bytes:
    name = one.name.encode("utf-8")
    if len(name) > NAME_BYTES_MAX:
        raise ValueError(f"a property name of {len(name)} bytes; {NAME_BYTES_MAX} are the most")
    code = _TYPE_CODES.get(one.type, 0)
    if code == 0:
        raise ValueError(f"property {one.name}: there is no type {one.type}")
    value = _packed_value(one.name, one.type, one.value)
    is_default = (
        one.support == mq.MQPD_SUPPORT_OPTIONAL
        and one.context == mq.MQPD_NO_CONTEXT
        and one.copy_options == mq.MQCOPY_DEFAULT
    )
    descriptor = b""
    if not is_default:
        descriptor = _DESCRIPTOR.pack(one.support, one.context, one.copy_options)
    head = _ENTRY.pack(len(name), code, 0 if is_default else 1, len(value))
    return b"".join((head, descriptor, name, value))


def _packed_value(name: str, kind: int, value: PropertyValue) -> bytes:
    number = _NUMBERS.get(kind)
    if number is not None and isinstance(value, (int, float)):
        try:
            return number.pack(value)
        except (struct.error, OverflowError) as error:
            detail = f"{value} has no room in {8 * number.size} bits"
            raise ValueError(f"property {name}: {detail}; use a longer type") from error
    if kind == mq.MQTYPE_STRING and isinstance(value, str):
        return value.encode("utf-8")
    if kind == mq.MQTYPE_BOOLEAN and isinstance(value, bool):
        return b"\1" if value else b"\0"
    if kind == mq.MQTYPE_BYTE_STRING and isinstance(value, bytes):
        return value
    if kind == mq.MQTYPE_NULL and value is None:
        return b""
    raise ValueError(f"property {name}: {value!r} is not a value of type {kind}")


# ---- reading


def area_flags(area: bytes) -> int:
    """The flags of an area that is not empty."""
    return area[1]


def read_properties(area: bytes) -> list[Property]:
    """All properties of an area, in their order."""
    found: list[Property] = []
    if not area:
        return found
    at = HEAD_BYTES
    for _ in range(_HEAD.unpack_from(area, 0)[2]):
        one, at = _property_at(area, at)
        found.append(one)
    return found


def find_property(area: bytes, name: str) -> Property | None:
    """The first property of that name, without unpacking others; None if there is none."""
    if not area:
        return None
    wanted = name.encode("utf-8", "surrogatepass")
    at = HEAD_BYTES
    for _ in range(_HEAD.unpack_from(area, 0)[2]):
        length, _, described, size = _ENTRY.unpack_from(area, at)
        start = at + 20 if described else at + 8
        if length == len(wanted) and area[start : start + length] == wanted:
            return _property_at(area, at)[0]
        at = start + length + size
    return None


def _property_at(area: bytes, at: int) -> tuple[Property, int]:
    """The property at this place, and where the next one is."""
    length, code, described, size = _ENTRY.unpack_from(area, at)
    at += 8
    support: int = mq.MQPD_SUPPORT_OPTIONAL
    context: int = mq.MQPD_NO_CONTEXT
    copies: int = mq.MQCOPY_DEFAULT
    if described:
        support, context, copies = _DESCRIPTOR.unpack_from(area, at)
        at += 12
    name = area[at : at + length].decode("utf-8")
    at += length
    kind = 1 << code
    value = _value(kind, area[at : at + size])
    return Property(name, kind, value, support, context, copies), at + size


def _value(kind: int, value: bytes) -> PropertyValue:
    if kind == mq.MQTYPE_STRING:
        return value.decode("utf-8")
    if kind == mq.MQTYPE_BOOLEAN:
        return value != b"\0"
    if kind == mq.MQTYPE_BYTE_STRING:
        return value
    if kind == mq.MQTYPE_NULL:
        return None
    if kind in (mq.MQTYPE_FLOAT32, mq.MQTYPE_FLOAT64):
        real: float = _NUMBERS[kind].unpack(value)[0]
        return real
    number: int = _NUMBERS[kind].unpack(value)[0]
    return number


def original_of(area: bytes) -> Original | None:
    """The original of an area; None without one."""
    if not area or not area[1] & HAS_ORIGINAL:
        return None
    _, _, _, index_bytes, header_bytes = _HEAD.unpack_from(area, 0)
    at = HEAD_BYTES + index_bytes
    replaced, encoding, ccsid, format = _ORIGINAL.unpack_from(area, at)
    at += ORIGINAL_HEAD_BYTES
    return Original(area[at : at + header_bytes], replaced, encoding, ccsid, format)


def property_count(area: bytes) -> int:
    """How many properties an area has."""
    return area[2] | area[3] << 8 if area else 0


def property_bytes(area: bytes) -> int:
    """What MAXPROPL counts: the bytes of names and values."""
    if not area:
        return 0
    _, _, count, _, _ = _HEAD.unpack_from(area, 0)
    found = 0
    at = HEAD_BYTES
    for _ in range(count):
        length, _, described, size = _ENTRY.unpack_from(area, at)
        found += length + size
        at += length + size + (20 if described else 8)
    return found


def leading_area(data: bytes) -> bytes:
    """The area that data from outside begins with, checked."""
    if len(data) < HEAD_BYTES:
        raise IntegrityError(f"a property area in {len(data)} bytes")
    _, flags, _, index_bytes, header_bytes = _HEAD.unpack_from(data, 0)
    end = HEAD_BYTES + index_bytes
    if flags & HAS_ORIGINAL:
        end += ORIGINAL_HEAD_BYTES + header_bytes
    area = data[:end]
    check_area(area)
    return area


def check_area(area: bytes) -> None:
    """Refuse an area from outside that does not hold together; an empty one is valid."""
    if not area:
        return
    if len(area) < HEAD_BYTES:
        raise IntegrityError(f"a property area of {len(area)} bytes")
    version, flags, count, index_bytes, header_bytes = _HEAD.unpack_from(area, 0)
    if version != VERSION:
        raise IntegrityError(f"a property area of version {version}; {VERSION} is known here")
    end = HEAD_BYTES + index_bytes
    whole = end + (ORIGINAL_HEAD_BYTES + header_bytes if flags & HAS_ORIGINAL else 0)
    if whole != len(area) or (header_bytes and not flags & HAS_ORIGINAL):
        raise IntegrityError(f"a property area of {len(area)} bytes says that it has {whole}")
    at: i64 = HEAD_BYTES
    for _ in range(count):
        at = _check_entry(area, at, end)
    if at != end:
        raise IntegrityError(f"a property area whose index ends at {at}, not at {end}")


def _check_entry(area: bytes, at: i64, end: i64) -> i64:
    """Check the property at this place; where the next one is."""
    if at + 8 > end:
        raise IntegrityError(f"a property area ends inside the property at {at}")
    code: i64 = area[at + 2]
    size: i64 = _u32(area, at + 4)
    start: i64 = at + 20 if area[at + 3] else at + 8
    after: i64 = start + (area[at] | area[at + 1] << 8)
    wanted: i64 = _SIZES[code] if code < len(_SIZES) else _NO_TYPE
    fits = wanted in (size, _ANY_SIZE)
    if after + size > end or area[at + 3] > 1 or not fits:
        detail = f"a property of type {1 << int(code)}, {size} bytes"
        raise IntegrityError(f"a property area with {detail}")
    try:
        area[start:after].decode("utf-8")
        if code == _STRING:
            area[after : after + size].decode("utf-8")
    except UnicodeDecodeError as error:
        raise IntegrityError(f"a property area whose text at {at} is not UTF-8") from error
    return after + size


def find_value(area: bytes, name: bytes) -> PropertyValue:
    """The value of the first property of that name; None if there is none or it is null."""
    at = find_entry(area, name)
    return None if at < 0 else value_of_entry(area, at)


def find_entry(area: bytes, name: bytes) -> i64:
    """Where in an area the first property of that name is; -1 if there is none."""
    if not area:
        return -1
    count: i64 = area[2] | area[3] << 8
    length: i64 = len(name)
    at: i64 = HEAD_BYTES
    while count > 0:
        count -= 1
        name_bytes: i64 = area[at] | area[at + 1] << 8
        start: i64 = at + 20 if area[at + 3] else at + 8
        after: i64 = start + name_bytes
        if name_bytes == length and area[start:after] == name:
            return at
        at = after + _u32(area, at + 4)
    return -1


def read_values(area: bytes) -> dict[str, PropertyValue]:
    """Names and values of an area in their order; of several with one name the first."""
    found: dict[str, PropertyValue] = {}
    if not area:
        return found
    count: i64 = area[2] | area[3] << 8
    at: i64 = HEAD_BYTES
    while count > 0:
        count -= 1
        name_bytes: i64 = area[at] | area[at + 1] << 8
        start: i64 = at + 20 if area[at + 3] else at + 8
        after: i64 = start + name_bytes
        size: i64 = _u32(area, at + 4)
        name = area[start:after].decode("utf-8")
        found.setdefault(name, _value_at(area, area[at + 2], after, size))
        at = after + size
    return found


def value_of_entry(area: bytes, at: i64) -> PropertyValue:
    """The value of the property at this place."""
    name_bytes: i64 = area[at] | area[at + 1] << 8
    start: i64 = at + 20 if area[at + 3] else at + 8
    return _value_at(area, area[at + 2], start + name_bytes, _u32(area, at + 4))


def _value_at(area: bytes, code: i64, at: i64, size: i64) -> PropertyValue:
    """The value of so many bytes; the usual types first."""
    if code == _STRING:
        return area[at : at + size].decode("utf-8")
    if code == _INT64:
        low: i64 = _u32(area, at)
        high: i64 = _u32(area, at + 4)
        if high >= 1 << 31:
            high -= 1 << 32
        return int(high << 32 | low)
    if code == _BOOLEAN:
        return area[at] != 0
    if code == _FLOAT64:
        real: float = _F64.unpack_from(area, at)[0]
        return real
    return _value(1 << code, area[at : at + size])


@final
class WantedProperties:
    """The values of some names in one area after another. An area is walked once, however many
    names are asked for, and no further than to the last of them that was asked for."""

    def __init__(self, names: list[bytes]) -> None:
        self._slots: dict[bytes, int] = {name: slot for slot, name in enumerate(names)}
        # Bit n: the length of a name and its last byte give n. Few other names have one of these.
        self._marks: i64 = 0
        for name in names:
            self._marks |= 1 << (len(name) + 7 * name[-1]) % 61 if name else 0
        self._values: list[PropertyValue] = [None] * len(names)
        self._is_known = [False] * len(names)
        self._area = b""
        self._at: i64 = 0
        self._left: i64 = 0  # properties behind `_at`
        self._is_begun = False

    def load(self, area: bytes) -> None:
        """Look at this area from now on."""
        if self._is_begun:
            self._is_begun = False
            for slot in range(len(self._values)):
                self._is_known[slot] = False
                self._values[slot] = None
        self._area = area
        self._at = HEAD_BYTES
        self._left = area[2] | area[3] << 8 if area else 0

    def value(self, slot: i64) -> PropertyValue:
        """The value of the first property of the name with that place in the list; None if there
        is none or it is null."""
        if not self._is_known[slot] and self._left > 0:
            self._walk_to(slot)
        return self._values[slot]

    def _walk_to(self, slot: i64) -> None:
        self._is_begun = True
        area = self._area
        marks = self._marks
        at = self._at
        left = self._left
        while left > 0:
            left -= 1
            name_bytes: i64 = area[at] | area[at + 1] << 8
            start: i64 = at + 20 if area[at + 3] else at + 8
            after: i64 = start + name_bytes
            code: i64 = area[at + 2]
            size: i64 = _u32(area, at + 4)
            at = after + size
            if marks >> (name_bytes + 7 * area[after - 1]) % 61 & 1 == 0:
                continue
            found: i64 = self._slots.get(area[start:after], -1)
            if found >= 0 and not self._is_known[found]:
                self._is_known[found] = True
                self._values[found] = _value_at(area, code, after, size)
                if found == slot:
                    break
        self._at = at
        self._left = left


def _u32(data: bytes, at: i64) -> i64:
    low: i64 = data[at] | data[at + 1] << 8
    high: i64 = data[at + 2] | data[at + 3] << 8
    return low | high << 16
