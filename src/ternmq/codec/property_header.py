"""Between MQRFH2 headers and the property area: the split of a put, and the way back at a get.

A put is split if its data begins with an MQRFH2, or with one behind MQDLH, MQMDE and MQRFH headers.
The area takes the properties. The body keeps the headers in front, folders that are not properties
and the payload; whatever stands before the payload says its Format, Encoding and CCSID. What is
valid is decided by the rules of `properties`: what cannot be read stays in the body.

On the way back the header goes where IBM MQ puts it: behind MQXQH, MQDLH, MQRFH and MQMDE headers
of the body, before everything else. It is the original, byte by byte, if that says all that the
index does; else it is made from the index, with a folder for each first part of the names.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.charset import UTF8, encode, is_known, is_wide
from ternmq.codec.headers.mqrfh import RulesHeader2
from ternmq.codec.mqi.layout import LITTLE, byte_order
from ternmq.codec.mqi.mqmd import ENCODING_AT, FORMAT_AT
from ternmq.codec.properties import FORMAT, characters, take_apart
from ternmq.codec.property import Property
from ternmq.codec.property_area import (
    ORIGINAL_IS_ALL,
    Original,
    area_flags,
    original_of,
    pack_area,
    read_properties,
)
from ternmq.codec.property_folders import folder_of, folders_of, is_element
from ternmq.codec.property_types import DT_OF_TYPE, NOT_XML, STRING_DT, text_of_value

_PAIR: Final = struct.Struct("<ii")
_FORMAT_END: Final = FORMAT_AT + 8
# What distinguishes the formats from most others: their fourth character.
_OF_RULES: Final = 0x52  # MQHRF2 and MQHRF
_OF_DEAD_LETTERS: Final = 0x45  # MQDEAD
_OF_EXTENSIONS: Final = 0x4D  # MQHMDE

# Headers that may stand in front: StrucId, where Encoding, CCSID and Format stand, length; 0: it
# stands at 8.
_FRONTS: Final[dict[bytes, tuple[bytes, int, int]]] = {
    b"MQDEAD  ": (b"DLH ", 108, mq.MQDLH_LENGTH_1),
    b"MQHMDE  ": (b"MDE ", 12, 0),
    b"MQHRF   ": (b"RFH ", 12, 0),
    b"MQXMIT  ": (b"XQH ", 128, mq.MQXQH_LENGTH_1),
}
_TRANSMISSION: Final = b"MQXMIT  "
_STAGED: Final = b"TERNDLAY"  # on the delay queue: the delay header is before all that was put
_FRONT_LEAST: Final = 28
_FRONTS_MAX: Final = 16


@final
class Parts:
    """A message in its two parts, and its descriptor's Encoding, CCSID and Format."""

    __slots__ = ("area", "data", "fields")

    def __init__(self, area: bytes, data: bytes, fields: bytes) -> None:
        self.area = area
        self.data = data
        self.fields = fields  # 16 bytes, as in the canonical descriptor


@final
class _Front:
    """The headers in front of a body's place for an MQRFH2, and what is said of that place."""

    __slots__ = ("ccsid", "encoding", "end", "fields_at", "format", "order", "said", "text_ccsid")

    def __init__(self, encoding: int, ccsid: int, format: bytes) -> None:
        self.end = 0
        self.fields_at = -1  # in the data; -1: in the descriptor
        self.order = LITTLE  # of those fields
        self.text_ccsid = UTF8
        self.encoding = encoding
        self.ccsid = ccsid  # known: not inherited
        self.said = ccsid  # as the field says it
        self.format = format


def may_be_split(base: bytes) -> bool:
    """Whether data with that descriptor may hold an MQRFH2 where a put looks for it."""
    fourth = base[FORMAT_AT + 3]
    if fourth != _OF_RULES and fourth != _OF_DEAD_LETTERS and fourth != _OF_EXTENSIONS:
        return False
    format = base[FORMAT_AT:_FORMAT_END]
    return format == FORMAT or (format in _FRONTS and format != _TRANSMISSION)


def split(data: bytes, base: bytes) -> Parts | None:
    """The parts of a message as it was put; None if all of it is body."""
    front = _front_of(data, base, False)
    if front is None or front.format != FORMAT:
        return None
    rest = data[front.end :] if front.end else data
    apart = take_apart(rest, front.encoding, front.ccsid)
    if apart is None:
        return None
    original = Original(rest[: apart.end], apart.kept, front.encoding, front.said, FORMAT)
    # A header without a single property is given back as it came, whatever its folders are.
    is_for_jms = apart.is_for_jms or not apart.properties
    area = pack_area(apart.typed_properties(), original, True, is_for_jms)
    if front.end == 0:
        fields = _PAIR.pack(apart.encoding, apart.ccsid) + apart.format
        return Parts(area, apart.data, fields)
    changed = _with_fields(data, front, apart.encoding, apart.ccsid, apart.format)
    return Parts(area, changed + apart.data, base[ENCODING_AT:_FORMAT_END])


def as_put(
    area: bytes, data: bytes, base: bytes, original_only: bool = False
) -> tuple[bytes, bytes]:
    """Data and descriptor of a message with its properties in an MQRFH2. `original_only`: none is
    made for properties that were put otherwise."""
    original = _original_before(area, base)
    if original is None and original_only:
        return data, base
    front = _front_of(data, base, True)
    if front is None:
        return data, base
    if original is not None and (original_only or area_flags(area) & ORIGINAL_IS_ALL):
        header = original.header
        rest = data[front.end + original.replaced :]
        encoding, ccsid, format = original.encoding, original.ccsid, original.format
    else:
        header = as_mqrfh2(area, front.encoding, front.ccsid, front.format)
        rest = data[front.end :]
        encoding, ccsid, format = mq.MQENC_NATIVE, UTF8, FORMAT
    if front.fields_at >= 0:
        return _with_fields(data, front, encoding, ccsid, format) + header + rest, base
    fields = _PAIR.pack(encoding, ccsid) + format
    return header + rest, base[:ENCODING_AT] + fields + base[_FORMAT_END:]


def length_as_put(area: bytes, data: bytes, base: bytes, original_only: bool = False) -> int:
    """The length of that data."""
    original = _original_before(area, base)
    if original is not None and (original_only or area_flags(area) & ORIGINAL_IS_ALL):
        front = _front_of(data, base, True)
        end = len(data) if front is None else front.end
        # An area from outside may say that it takes the place of more than there is.
        return end + len(original.header) + max(len(data) - end - original.replaced, 0)
    return len(as_put(area, data, base, original_only)[0])


def _original_before(area: bytes, base: bytes) -> Original | None:
    """The original of an area, if it describes what this data begins with: that of a staged message
    describes what is behind the delay header."""
    return None if base[FORMAT_AT:_FORMAT_END] == _STAGED else original_of(area)


# ---- headers in front


def _front_of(data: bytes, base: bytes, through_transmission: bool) -> _Front | None:
    """What stands in front of the place for an MQRFH2; None if a header there is invalid."""
    encoding, ccsid = _PAIR.unpack_from(base, ENCODING_AT)
    front = _Front(encoding, ccsid, base[FORMAT_AT:_FORMAT_END])
    for _ in range(_FRONTS_MAX):
        known = _FRONTS.get(front.format)
        if known is None or (front.format == _TRANSMISSION and not through_transmission):
            return front
        if not _pass_header(data, front, known[0], known[1], known[2]):
            # A put looks no further; a header that is made goes before it.
            return front if through_transmission else None
    return front if through_transmission else None


def _pass_header(data: bytes, front: _Front, struc_id: bytes, fields_at: int, length: int) -> bool:
    """Step over one header; False if it is invalid."""
    at = front.end
    if len(data) - at < _FRONT_LEAST:
        return False
    order = byte_order(front.encoding)
    text_ccsid = front.ccsid if front.ccsid > 0 else UTF8
    if characters(data[at : at + 4], text_ccsid) != struc_id:
        return False
    if length == 0:
        length = struct.unpack_from(f"{order}i", data, at + 8)[0]
    if not fields_at + 16 <= length <= len(data) - at:
        return False
    encoding, ccsid, format = struct.unpack_from(f"{order}ii8s", data, at + fields_at)
    front.fields_at = at + fields_at
    front.order = order
    front.text_ccsid = text_ccsid
    front.encoding = encoding
    front.said = ccsid
    if ccsid > 0:
        front.ccsid = ccsid
    front.format = characters(format, text_ccsid)
    front.end = at + length
    return True


def _with_fields(data: bytes, front: _Front, encoding: int, ccsid: int, format: bytes) -> bytes:
    """The headers in front, of which the last says something else of what follows it."""
    text = format
    if is_known(front.text_ccsid) and not is_wide(front.text_ccsid):
        try:
            found = encode(format.decode("latin-1"), front.text_ccsid)
        except (MQError, UnicodeError):
            found = format
        if len(found) == 8:
            text = found
    at = front.fields_at
    fields = struct.pack(f"{front.order}ii8s", encoding, ccsid, text)
    return data[:at] + fields + data[at + 16 : front.end]


# ---- a header from properties


def as_mqrfh2(area: bytes, encoding: int, ccsid: int, format: bytes) -> bytes:
    """An MQRFH2 with all properties of the index, before data with these fields."""
    by_folder: dict[str, list[Property]] = {}
    for one in read_properties(area):
        writable = _writable(one)
        by_folder.setdefault(folder_of(writable.name), []).append(writable)
    texts = [text for row in by_folder.values() for text in folders_of(row)]
    header = RulesHeader2(encoding=encoding, ccsid=ccsid if ccsid > 0 else UTF8, folders=texts)
    packed = header.pack(LITTLE, UTF8)
    return packed[:20] + format + packed[28:]


def _writable(one: Property) -> Property:
    """A property with a name and a text that a folder can have: characters of a name that cannot be
    in an element are escaped, those of a text are replaced."""
    name = one.name
    parts = name.split(".")
    if not all(is_element(part) for part in parts):
        name = ".".join([_tag(part) for part in parts])
    value = one.value
    if isinstance(value, str) and NOT_XML.search(value) is not None:
        value = NOT_XML.sub("\ufffd", value)
    if name is one.name and value is one.value:
        return one
    return Property(name, one.type, value, one.support, one.context, one.copy_options)


def _tag(name: str) -> str:
    if is_element(name):
        return name
    safe = "".join(
        letter
        if letter == "_" or (letter.isalnum() and is_element(f"_{letter}"))
        else f"_x{ord(letter):04X}_"
        for letter in name
    )
    return safe if safe and is_element(safe) else f"_{safe}"


def as_text(one: Property) -> tuple[str, str | None]:
    """The `dt` of a property and its value as text, as a folder has them; None is a null."""
    text = None if one.value is None else text_of_value(one.value)
    return DT_OF_TYPE.get(one.type, STRING_DT), text
