"""Between MQRFH2 headers and the property area: the split of a put, and the way back at a get.

A put is split if its data begins with an MQRFH2, or with one behind MQDLH, MQMDE and MQRFH headers.
The area takes the properties; the body keeps the headers in front, folders that are no properties
and the payload, and whatever stands before the payload says its Format, Encoding and CCSID. The
rules for what is sound are those of `properties`: what cannot be read stays in the body.

On the way back the header goes where IBM MQ puts it: behind MQXQH, MQDLH, MQRFH and MQMDE headers
of the body, before everything else. It is the original, byte by byte, if that says all that the
index does; else it is made from the index, with a folder for each first part of the names.
"""

from __future__ import annotations

import re
import struct
from typing import Final, final
from xml.sax.saxutils import escape, quoteattr

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.charset import UTF8, encode, is_known, is_wide
from ternmq.codec.headers.mqrfh import RulesHeader2
from ternmq.codec.mqi.layout import LITTLE, byte_order
from ternmq.codec.mqi.mqmd import ENCODING_AT, FORMAT_AT
from ternmq.codec.properties import (
    FOLDER_USER,
    FOLDERS,
    FORMAT,
    STRING,
    Apart,
    characters,
    is_element,
    is_of_type,
    take_apart,
)
from ternmq.codec.property import Property, PropertyValue
from ternmq.codec.property_area import (
    ORIGINAL_IS_ALL,
    Original,
    area_flags,
    original_of,
    pack_area,
    read_properties,
)

_PAIR: Final = struct.Struct("<ii")
_FORMAT_END: Final = FORMAT_AT + 8
# What tells the formats from most others: their fourth character.
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
_FRONT_LEAST: Final = 28
_FRONTS_MAX: Final = 16

_DT: Final[dict[int, str]] = {
    mq.MQTYPE_BOOLEAN: "boolean",
    mq.MQTYPE_BYTE_STRING: "bin.hex",
    mq.MQTYPE_INT8: "i1",
    mq.MQTYPE_INT16: "i2",
    mq.MQTYPE_INT32: "i4",
    mq.MQTYPE_INT64: "i8",
    mq.MQTYPE_FLOAT32: "r4",
    mq.MQTYPE_FLOAT64: "r8",
}
_TYPES: Final[dict[str, int]] = {dt: kind for kind, dt in _DT.items()}
# Elements of the folder jms that are numbers without a dt.
_JMS_TYPES: Final[dict[str, str]] = {
    "jms.Dlv": "i4",
    "jms.Exp": "i8",
    "jms.Pri": "i4",
    "jms.Tms": "i8",
    "jms.Seq": "i4",
}
_COPIES: Final[dict[str, int]] = {
    "all": mq.MQCOPY_ALL,
    "forward": mq.MQCOPY_FORWARD,
    "publish": mq.MQCOPY_PUBLISH,
    "reply": mq.MQCOPY_REPLY,
    "report": mq.MQCOPY_REPORT,
}
_NO_XML: Final = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f{chr(0xD800)}-{chr(0xDFFF)}\ufffe\uffff]")
_REALS: Final = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_RETURN: Final = {"\r": "&#13;"}  # as it is, it would be read as the end of a line
_NIL: Final = ' xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


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
    area = pack_area(typed_properties(apart), original, True, is_for_jms)
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
    original = original_of(area)
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
    original = original_of(area)
    if original is not None and (original_only or area_flags(area) & ORIGINAL_IS_ALL):
        return len(data) + len(original.header) - original.replaced
    return len(as_put(area, data, base, original_only)[0])


# ---- headers in front


def _front_of(data: bytes, base: bytes, through_transmission: bool) -> _Front | None:
    """What stands in front of the place for an MQRFH2; None if a header there is not sound."""
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
    """Step over one header; False if it is not sound."""
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


# ---- properties from folders


def typed_properties(apart: Apart) -> list[Property]:
    """The properties that were read, with the types and values that their `dt` says."""
    found: list[Property] = []
    marks = apart.marks
    for place, (name, dt, text) in enumerate(apart.properties):
        one = typed_property(name, dt, text)
        if place in marks:
            _mark(one, marks[place])
        found.append(one)
    return found


def typed_property(name: str, dt: str, text: str | None) -> Property:
    """One property; a value that does not fit its `dt` is a string."""
    if text is None:
        return Property(name, mq.MQTYPE_NULL, None)
    if dt not in _TYPES:
        dt = _JMS_TYPES.get(name, "")
    kind = _TYPES.get(dt, mq.MQTYPE_STRING)
    stripped = text.strip()
    if kind == mq.MQTYPE_STRING or not is_of_type(dt, stripped):
        return Property(name, mq.MQTYPE_STRING, text)
    value: PropertyValue
    if kind == mq.MQTYPE_BOOLEAN:
        value = stripped in ("1", "true")
    elif kind == mq.MQTYPE_BYTE_STRING:
        value = bytes.fromhex(stripped)
    elif kind == mq.MQTYPE_FLOAT64:
        value = float(stripped)
    elif kind == mq.MQTYPE_FLOAT32:
        value = float(stripped)
        try:
            struct.pack("<f", value)
        except OverflowError:
            return Property(name, mq.MQTYPE_STRING, text)
    else:
        value = int(stripped)
    return Property(name, kind, value)


def _mark(one: Property, attributes: dict[str, str]) -> None:
    """Take the MQPD from the attributes of an element."""
    if attributes.get("context") == "user":
        one.context = mq.MQPD_USER_CONTEXT
    copies = attributes.get("copy")
    if copies is not None:
        one.copy_options = 0
        for word in copies.split(","):
            one.copy_options |= _COPIES.get(word.strip(), 0)
    if one.name.startswith("mq."):  # others' Support does not count
        if attributes.get("sr") == "required":
            one.support = mq.MQPD_SUPPORT_REQUIRED
        elif attributes.get("sx") == "local":
            one.support = mq.MQPD_SUPPORT_REQUIRED_IF_LOCAL


# ---- folders from properties


def as_mqrfh2(area: bytes, encoding: int, ccsid: int, format: bytes) -> bytes:
    """An MQRFH2 with all properties of the index, before data with these fields."""
    folders: dict[str, list[str]] = {}
    for one in read_properties(area):
        first, _, rest = one.name.partition(".")
        name = first if rest else FOLDER_USER
        folders.setdefault(name, []).append(_element(rest or first, one))
    texts: list[str] = []
    for name, elements in folders.items():
        tag = _tag(name)
        content = "" if name in FOLDERS else ' content="properties"'
        texts.append(f"<{tag}{content}>{''.join(elements)}</{tag}>")
    header = RulesHeader2(encoding=encoding, ccsid=ccsid if ccsid > 0 else UTF8, folders=texts)
    packed = header.pack(LITTLE, UTF8)
    return packed[:20] + format + packed[28:]


def _element(name: str, one: Property) -> str:
    attributes = _NIL if one.value is None else ""
    dt = _DT.get(one.type, "")
    if dt:
        attributes = f' dt="{dt}"'
    attributes += _written_mark(one)
    text = _written(one.value)
    for part in reversed(name.split(".")):
        tag = _tag(part)
        text = f"<{tag}{attributes}>{text}</{tag}>"
        attributes = ""
    return text


def _tag(name: str) -> str:
    """A name as that of an element; characters that cannot be in one are escaped."""
    if is_element(name):
        return name
    safe = "".join(
        letter
        if letter == "_" or (letter.isalnum() and is_element(f"_{letter}"))
        else _code(letter)
        for letter in name
    )
    return safe if safe and is_element(safe) else f"_{safe}"


def _code(letter: str) -> str:
    return f"_x{ord(letter):04X}_"


def _written_mark(one: Property) -> str:
    text = ""
    if one.context == mq.MQPD_USER_CONTEXT:
        text = ' context="user"'
    if one.copy_options != mq.MQCOPY_DEFAULT:
        words = ",".join(word for word, bit in _COPIES.items() if one.copy_options & bit)
        text += f" copy={quoteattr(words or 'none')}"
    if one.support & mq.MQPD_REJECT_UNSUP_MASK:
        text += ' sr="required"'
    elif one.support & mq.MQPD_ACCEPT_UNSUP_IF_XMIT_MASK:
        text += ' sx="local"'
    return text


def as_text(one: Property) -> tuple[str, str | None]:
    """The `dt` of a property and its value as text, as a folder has them; None is a null."""
    text = None if one.value is None else _text(one.value)
    return _DT.get(one.type, STRING), text


def _written(value: PropertyValue) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return escape(_NO_XML.sub("\ufffd", value), _RETURN)
    return _text(value)


def _text(value: PropertyValue) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, float):
        return _REALS.get(str(value), str(value))
    return str(value)
