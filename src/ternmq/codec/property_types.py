"""Types of message properties: Python values, text of an MQRFH2, bytes of MQSETMP and MQINQMP.

    MQTYPE        Python   dt        text of an element        bytes
    BOOLEAN       bool     boolean   0 or 1 (true, false)      MQLONG, 0 or 1
    BYTE_STRING   bytes    bin.hex   two hex digits a byte     as they are
    INT8 to INT64 int      i1 to i8  decimal, with a sign      1 to 8 bytes in the encoding
    FLOAT32, 64   float    r4, r8    decimal, NaN, Infinity    IEEE in the encoding
    STRING        str      string    as it is; no dt needed    text in the CCSID
    NULL          None               none, but xsi:nil         no bytes

`int` is read as i8, as IBM MQ does. MQIMPO_CONVERT_TYPE converts by `TARGETS` and nothing else.
"""

from __future__ import annotations

import math
import re
import struct
from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_BUFFER_LENGTH_ERROR,
    MQRC_ENCODING_NOT_SUPPORTED,
    MQRC_PROP_CONV_NOT_SUPPORTED,
    MQRC_PROP_NUMBER_FORMAT_ERROR,
    MQRC_PROPERTY_TYPE_ERROR,
)
from ternmq.codec.charset import UTF8, decode, encode
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.property import PropertyValue

STRING_DT: Final = "string"
DT_OF_TYPE: Final[dict[int, str]] = {
    mq.MQTYPE_BOOLEAN: "boolean",
    mq.MQTYPE_BYTE_STRING: "bin.hex",
    mq.MQTYPE_INT8: "i1",
    mq.MQTYPE_INT16: "i2",
    mq.MQTYPE_INT32: "i4",
    mq.MQTYPE_INT64: "i8",
    mq.MQTYPE_FLOAT32: "r4",
    mq.MQTYPE_FLOAT64: "r8",
    mq.MQTYPE_STRING: STRING_DT,
}
TYPE_OF_DT: Final[dict[str, int]] = {
    **{dt: type for type, dt in DT_OF_TYPE.items()},
    "int": mq.MQTYPE_INT64,
}
# What MQIMPO_CONVERT_TYPE can make of each type: nothing that could lose a part of a number.
TARGETS: Final[dict[int, tuple[int, ...]]] = {
    mq.MQTYPE_BOOLEAN: (
        mq.MQTYPE_STRING,
        mq.MQTYPE_INT8,
        mq.MQTYPE_INT16,
        mq.MQTYPE_INT32,
        mq.MQTYPE_INT64,
    ),
    mq.MQTYPE_BYTE_STRING: (mq.MQTYPE_STRING,),
    mq.MQTYPE_INT8: (mq.MQTYPE_STRING, mq.MQTYPE_INT16, mq.MQTYPE_INT32, mq.MQTYPE_INT64),
    mq.MQTYPE_INT16: (mq.MQTYPE_STRING, mq.MQTYPE_INT32, mq.MQTYPE_INT64),
    mq.MQTYPE_INT32: (mq.MQTYPE_STRING, mq.MQTYPE_INT64),
    mq.MQTYPE_INT64: (mq.MQTYPE_STRING,),
    mq.MQTYPE_FLOAT32: (mq.MQTYPE_STRING, mq.MQTYPE_FLOAT64),
    mq.MQTYPE_FLOAT64: (mq.MQTYPE_STRING,),
    mq.MQTYPE_STRING: (
        mq.MQTYPE_BOOLEAN,
        mq.MQTYPE_INT8,
        mq.MQTYPE_INT16,
        mq.MQTYPE_INT32,
        mq.MQTYPE_INT64,
        mq.MQTYPE_FLOAT32,
        mq.MQTYPE_FLOAT64,
    ),
    mq.MQTYPE_NULL: (),
}
# Characters that no folder of an MQRFH2 can have, and surrogates, which stand for invalid bytes.
NOT_XML: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_INTEGER_FORMATS: Final[dict[int, str]] = {
    mq.MQTYPE_BOOLEAN: "i",
    mq.MQTYPE_INT8: "b",
    mq.MQTYPE_INT16: "h",
    mq.MQTYPE_INT32: "i",
    mq.MQTYPE_INT64: "q",
}
_BITS: Final[dict[int, int]] = {
    mq.MQTYPE_INT8: 8,
    mq.MQTYPE_INT16: 16,
    mq.MQTYPE_INT32: 32,
    mq.MQTYPE_INT64: 64,
}
_FLOATS: Final = (mq.MQTYPE_FLOAT32, mq.MQTYPE_FLOAT64)
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,40}")
_REAL: Final = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|NaN|-?Infinity|-?INF"
)
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2})*")
# How a string of MQIMPO_CONVERT_TYPE begins; what follows the number is left out.
_LEADING_INTEGER: Final = re.compile(r" *([+-]?[0-9]{1,40})(?![0-9])")
_LEADING_REAL: Final = re.compile(r" *([+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)")
_BOOLEAN_WORDS: Final = {"true": True, "1": True, "false": False, "0": False}
_SPECIAL_REALS: Final = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def type_name(type: int) -> str:
    """MQTYPE_INT32 for 64, to show in an error."""
    if type == mq.MQTYPE_NULL:
        return "MQTYPE_NULL"
    dt = DT_OF_TYPE.get(type, "")
    words = {"boolean": "BOOLEAN", "bin.hex": "BYTE_STRING", "string": "STRING"}
    if dt in words:
        return f"MQTYPE_{words[dt]}"
    if not dt:
        return f"{type}, which is not a type of a property"
    return f"MQTYPE_{'INT' if dt[0] == 'i' else 'FLOAT'}{int(dt[1]) * 8}"


def is_type(type: int) -> bool:
    """Whether a number is the type of a property."""
    return type in DT_OF_TYPE or type == mq.MQTYPE_NULL


# ---- Python


def checked_value(name: str, type: int, value: object) -> PropertyValue:
    """The value as one of its type, as a message can carry it; a 32-bit real is rounded to its
    bits. MQRC_PROPERTY_TYPE_ERROR says why it cannot be."""
    if not is_type(type):
        raise _refused(name, type_name(type))
    if type in _BITS:
        return _checked_integer(name, type, value)
    if type in _FLOATS:
        return _checked_real(name, type, value)
    if type == mq.MQTYPE_STRING:
        return _checked_text(name, value)
    if type == mq.MQTYPE_BOOLEAN:
        if isinstance(value, (bool, int)) and value in (0, 1):
            return bool(value)
        raise _refused(name, f"MQTYPE_BOOLEAN is True or False, not {value!r}")
    if type == mq.MQTYPE_BYTE_STRING:
        if isinstance(value, (bytes, bytearray, memoryview)):
            return bytes(value)
        raise _refused(name, f"MQTYPE_BYTE_STRING is bytes, not {value!r}")
    if value is not None:
        raise _refused(name, f"MQTYPE_NULL has no value, and {value!r} is one")
    return None


def _checked_integer(name: str, type: int, value: object) -> int:
    if not isinstance(value, int):
        raise _refused(name, f"{type_name(type)} is an integer, not {value!r}")
    highest = (1 << (_BITS[type] - 1)) - 1
    number = int(value)
    if not -highest - 1 <= number <= highest:
        text = f"{number} does not fit into {_BITS[type]} bits ({-highest - 1} to {highest})"
        raise _refused(name, f"{text}; use a longer type")
    return number


def _checked_real(name: str, type: int, value: object) -> float:
    if not isinstance(value, (int, float)):
        raise _refused(name, f"{type_name(type)} is a number, not {value!r}")
    try:
        return rounded_real(float(value), type)
    except OverflowError:
        raise _refused(name, f"{value} does not fit into {type_name(type)}") from None


def rounded_real(value: float, type: int) -> float:
    """As the type has it; OverflowError if it has no such number."""
    if type == mq.MQTYPE_FLOAT64:
        return value
    rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return rounded


def _checked_text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise _refused(name, f"MQTYPE_STRING is text, not {value!r}")
    found = NOT_XML.search(value)
    if found is not None:
        character = f"U+{ord(found.group()):04X}"
        raise _refused(
            name, f"an MQRFH2 cannot have the character {character}; set it as MQTYPE_BYTE_STRING"
        )
    return value


def _refused(name: str, text: str) -> MQError:
    return mq_error(
        MQRC_PROPERTY_TYPE_ERROR, verb="MQSETMP", detail=f"property {shown(name)}: {text}"
    )


def shown(name: str) -> str:
    """A name for an error: not all of one that is very long."""
    return repr(name if len(name) <= 64 else f"{name[:64]}...")


# ---- text of an MQRFH2


def text_of_value(value: PropertyValue) -> str:
    """A value as the text of its element, before characters are escaped."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, float):
        text = repr(value)
        return _SPECIAL_REALS.get(text, text)
    return value if isinstance(value, str) else str(value)


def is_of_type(dt: str, text: str) -> bool:
    """Whether a text is one of its `dt`; every text is a string, and one of an unknown type."""
    type = TYPE_OF_DT.get(dt, mq.MQTYPE_STRING)
    bits = _BITS.get(type, 0)
    if bits:
        highest = (1 << (bits - 1)) - 1
        return _INTEGER.fullmatch(text) is not None and -highest - 1 <= int(text) <= highest
    if type in _FLOATS:
        return _REAL.fullmatch(text) is not None
    if type == mq.MQTYPE_BOOLEAN:
        return text in _BOOLEAN_WORDS
    if type == mq.MQTYPE_BYTE_STRING:
        return _HEX.fullmatch(text) is not None
    return True


def value_of_text(dt: str, text: str | None) -> tuple[int, PropertyValue]:
    """MQTYPE and value of an element. A text that is not one of its type is a string, as it is:
    nobody's value may keep a message from being got."""
    if text is None:
        return mq.MQTYPE_NULL, None
    type = TYPE_OF_DT.get(dt, mq.MQTYPE_STRING)
    if type == mq.MQTYPE_STRING:
        return type, text
    stripped = text.strip()
    if not is_of_type(dt, stripped):
        return mq.MQTYPE_STRING, text
    if type == mq.MQTYPE_BOOLEAN:
        return type, _BOOLEAN_WORDS[stripped]
    if type == mq.MQTYPE_BYTE_STRING:
        return type, bytes.fromhex(stripped)
    if type not in _FLOATS:
        return type, int(stripped)
    try:
        return type, rounded_real(float(stripped), type)
    except OverflowError:
        return mq.MQTYPE_STRING, text


# ---- bytes of MQSETMP and MQINQMP


def pack_value(type: int, value: PropertyValue, encoding: int, ccsid: int) -> bytes:
    """The bytes of a value; MQRC_ENCODING_NOT_SUPPORTED or MQRC_CODED_CHAR_SET_ID_ERROR if the
    encoding or the character set cannot have it."""
    if value is None:
        return b""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return encode(value, _character_set(ccsid), byte_order(encoding))
    if isinstance(value, float):
        return struct.pack(_real_format(type, encoding), value)
    return struct.pack(byte_order(encoding) + _INTEGER_FORMATS[type], int(value))


def unpack_value(name: str, type: int, data: bytes, encoding: int, ccsid: int) -> PropertyValue:
    """The value of bytes that MQSETMP was given; MQRC_BUFFER_LENGTH_ERROR if the type has another
    length."""
    if type == mq.MQTYPE_STRING:
        return decode(data, _character_set(ccsid), byte_order(encoding))
    if type == mq.MQTYPE_BYTE_STRING:
        return data
    if type == mq.MQTYPE_NULL:
        _check_length(name, type, data, 0)
        return None
    if type in _FLOATS:
        real = struct.Struct(_real_format(type, encoding))
        _check_length(name, type, data, real.size)
        number: float = real.unpack(data)[0]
        return number
    form = _INTEGER_FORMATS.get(type, "")
    if not form:
        raise _refused(name, type_name(type))
    integer = struct.Struct(byte_order(encoding) + form)
    _check_length(name, type, data, integer.size)
    whole: int = integer.unpack(data)[0]
    if type == mq.MQTYPE_BOOLEAN:
        return whole != 0
    return whole


def _check_length(name: str, type: int, data: bytes, length: int) -> None:
    if len(data) != length:
        detail = f"property {shown(name)}: {type_name(type)} has {length} bytes, not {len(data)}"
        raise mq_error(MQRC_BUFFER_LENGTH_ERROR, verb="MQSETMP", detail=detail)


def _real_format(type: int, encoding: int) -> str:
    kind = encoding & mq.MQENC_FLOAT_MASK
    if kind not in (mq.MQENC_FLOAT_IEEE_NORMAL, mq.MQENC_FLOAT_IEEE_REVERSED):
        detail = f"encoding {encoding} has no IEEE numbers; ask for MQENC_NATIVE"
        raise mq_error(MQRC_ENCODING_NOT_SUPPORTED, detail=detail)
    order = ">" if kind == mq.MQENC_FLOAT_IEEE_NORMAL else "<"
    return order + ("f" if type == mq.MQTYPE_FLOAT32 else "d")


def _character_set(ccsid: int) -> int:
    """The queue manager's set and the application's are UTF-8 here."""
    return UTF8 if ccsid <= 0 else ccsid


# ---- MQIMPO_CONVERT_TYPE


def converted(name: str, type: int, value: PropertyValue, target: int) -> PropertyValue:
    """A value as one of another type; MQRC_PROP_CONV_NOT_SUPPORTED if MQ does not convert the one
    to the other, MQRC_PROP_NUMBER_FORMAT_ERROR if a string is not such a value."""
    if type == target:
        return value
    if target not in TARGETS.get(type, ()):
        detail = f"property {shown(name)} is of type {type_name(type)}, not {type_name(target)}"
        raise mq_error(MQRC_PROP_CONV_NOT_SUPPORTED, verb="MQINQMP", detail=detail)
    if target == mq.MQTYPE_STRING:
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        return text_of_value(value)
    if not isinstance(value, str):
        return float(value) if isinstance(value, float) else int(value or 0)
    found = _read_leading(value, target)
    if found is None:
        detail = f"property {shown(name)} is {shown(value)}, which is not of {type_name(target)}"
        raise mq_error(MQRC_PROP_NUMBER_FORMAT_ERROR, verb="MQINQMP", detail=detail)
    return found


def _read_leading(text: str, target: int) -> PropertyValue:
    """The value that a string begins with; None if it does not begin with one."""
    if target == mq.MQTYPE_BOOLEAN:
        return _BOOLEAN_WORDS.get(text.lower())
    found = (_LEADING_REAL if target in _FLOATS else _LEADING_INTEGER).match(text)
    if found is None:
        return None
    digits: str = found.group(1)
    if target not in _FLOATS:
        number = int(digits)
        highest = (1 << (_BITS[target] - 1)) - 1
        return number if -highest - 1 <= number <= highest else None
    try:
        real = rounded_real(float(digits), target)
    except OverflowError:
        return None
    return None if math.isinf(real) else real
