"""Coded character sets: from the number that IBM gives one (CCSID) to text and back.

Fields of structures are in a set that writes each blank as one byte: ASCII and what extends it
(UTF-8 too), or EBCDIC. Bytes that stand for no character survive reading and writing unchanged.
The special values (0 the queue manager's, -1 embedded, -2 inherited, -3 the application's) must be
replaced by the set they stand for before anything here is called.
"""

from __future__ import annotations

import codecs
from typing import Any, Final

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_CODED_CHAR_SET_ID_ERROR
from ternmq.codec import single_byte_tables

UTF8: Final = 1208

_ASCII_FAMILY: Final[dict[int, str]] = {
    367: "ascii",
    437: "cp437",
    737: "cp737",
    775: "cp775",
    813: "iso8859-7",
    819: "latin-1",
    850: "cp850",
    852: "cp852",
    855: "cp855",
    857: "cp857",
    858: "cp858",
    860: "cp860",
    861: "cp861",
    862: "cp862",
    863: "cp863",
    864: "cp864",
    865: "cp865",
    866: "cp866",
    869: "cp869",
    874: "cp874",
    878: "koi8-r",
    912: "iso8859-2",
    913: "iso8859-3",
    914: "iso8859-4",
    915: "iso8859-5",
    916: "iso8859-8",
    919: "iso8859-10",
    920: "iso8859-9",
    921: "iso8859-13",
    923: "iso8859-15",
    932: "cp932",
    936: "gbk",
    943: "cp932",
    949: "cp949",
    950: "cp950",
    954: "euc-jp",
    970: "euc-kr",
    1051: "hp-roman8",
    1089: "iso8859-6",
    1168: "koi8-u",
    UTF8: "utf-8",
    1250: "cp1250",
    1251: "cp1251",
    1252: "cp1252",
    1253: "cp1253",
    1254: "cp1254",
    1255: "cp1255",
    1256: "cp1256",
    1257: "cp1257",
    1258: "cp1258",
    1275: "mac-roman",
    1363: "cp949",
    1375: "big5hkscs",
    1381: "gb2312",
    1383: "gb2312",
    1386: "gbk",
    1392: "gb18030",
    5348: "cp1252",
    5488: "gb18030",
    33722: "euc-jp",
}
_EBCDIC_FAMILY: Final[dict[int, str]] = {
    37: "cp037",
    424: "cp424",
    500: "cp500",
    875: "cp875",
    1026: "cp1026",
    1140: "cp1140",
}
_WIDE_FAMILY: Final[dict[int, str]] = {
    1200: "utf-16",
    1201: "utf-16-be",
    1202: "utf-16-le",
    1232: "utf-32",
    13488: "utf-16",
    17584: "utf-16",
}
_MULTI_BYTE: Final = frozenset(
    (932, 936, 943, 949, 950, 954, 970, 1363, 1375, 1381, 1383, 1386, 1392, 5488, 33722)
)
_KEEP: Final = "surrogateescape"
# As Python's surrogateescape, but for every byte: in some sets, EBCDIC ones above all, bytes below
# 0x80 stand for no character either, and wide characters may be cut off behind such a byte.
_KEEP_ALL: Final = "ternmq.keep_all"
_KEPT: Final = 0xDC00


def _keep_all(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeDecodeError):
        lost = error.object[error.start : error.end]
        return "".join([chr(_KEPT + byte) for byte in lost]), error.end
    if isinstance(error, UnicodeEncodeError):
        places = [ord(c) - _KEPT for c in error.object[error.start : error.end]]
        if all(0 <= place < 256 for place in places):
            return bytes(places), error.end
    raise error


codecs.register_error(_KEEP_ALL, _keep_all)


# How the sets of `single_byte_tables` are written, for codecs.charmap_encode.
_encodings: Final[dict[int, Any]] = {}


def is_known(ccsid: int) -> bool:
    """Whether text in this character set can be read and written."""
    return (
        ccsid in _ASCII_FAMILY
        or ccsid in _EBCDIC_FAMILY
        or ccsid in _WIDE_FAMILY
        or _has_own_table(ccsid)
    )


def _has_own_table(ccsid: int) -> bool:
    return ccsid in single_byte_tables.EBCDIC or ccsid in single_byte_tables.ASCII


def is_ascii_based(ccsid: int) -> bool:
    """Whether the characters of ASCII have the same bytes in this character set."""
    return ccsid in _ASCII_FAMILY or ccsid in single_byte_tables.ASCII


def is_ebcdic(ccsid: int) -> bool:
    """Whether it is one of IBM's sets for its larger machines."""
    return ccsid in _EBCDIC_FAMILY or ccsid in single_byte_tables.EBCDIC


def is_multi_byte(ccsid: int) -> bool:
    """Whether some characters take two bytes or more, and it is not Unicode."""
    return ccsid in _MULTI_BYTE


def is_single_byte(ccsid: int) -> bool:
    """Whether each character takes one byte."""
    return ccsid != UTF8 and ccsid not in _MULTI_BYTE and ccsid not in _WIDE_FAMILY


def is_wide(ccsid: int) -> bool:
    """Whether a blank takes more than one byte, so that no structure can be in this set."""
    return ccsid in _WIDE_FAMILY


def decode(data: bytes, ccsid: int, order: str = ">") -> str:
    """The text of the bytes; `order` ("<" or ">") is that of wide characters."""
    if ccsid == UTF8:
        return data.decode("utf-8", _KEEP)
    return decode_with(data, ccsid, order, _KEEP_ALL)


def decode_with(data: bytes, ccsid: int, order: str, errors: str) -> str:
    """The same, with one of Python's handlers for bytes that stand for no character."""
    if _has_own_table(ccsid):
        return codecs.charmap_decode(data, errors, single_byte_tables.table_of(ccsid))[0]
    return data.decode(python_name(ccsid, order), errors)


def encode(text: str, ccsid: int, order: str = ">") -> bytes:
    """The bytes of the text; MQRC_CODED_CHAR_SET_ID_ERROR if the set lacks a character."""
    try:
        if ccsid == UTF8:
            return text.encode("utf-8", _KEEP)
        return encode_with(text, ccsid, order, _KEEP_ALL)
    except UnicodeEncodeError as error:
        detail = f"CCSID {ccsid} has no character U+{ord(error.object[error.start]):04X}"
        raise mq_error(MQRC_CODED_CHAR_SET_ID_ERROR, detail=detail) from error


def encode_with(text: str, ccsid: int, order: str, errors: str) -> bytes:
    """The same, with one of Python's handlers for characters that the set lacks."""
    if not _has_own_table(ccsid):
        return text.encode(python_name(ccsid, order), errors)
    mapping = _encodings.get(ccsid)
    if mapping is None:
        mapping = codecs.charmap_build(single_byte_tables.table_of(ccsid))
        _encodings[ccsid] = mapping
    return codecs.charmap_encode(text, errors, mapping)[0]


def fitted(text: str, ccsid: int, size: int) -> str:
    """The text as a field of so many bytes can have it in this set: `?` stands for characters that
    the set lacks, and what has no room is left out."""
    kept: list[str] = []
    left = size
    for character in text:
        one = character
        try:
            left -= len(encode(one, ccsid))
        except MQError:
            one = "?"
            left -= 1
        if left < 0:
            break
        kept.append(one)
    return "".join(kept)


def python_name(ccsid: int, order: str) -> str:
    """Python's codec of a set that it knows."""
    name = _ASCII_FAMILY.get(ccsid) or _EBCDIC_FAMILY.get(ccsid)
    if name is not None:
        return name
    name = _WIDE_FAMILY.get(ccsid)
    if name is None:
        raise mq_error(MQRC_CODED_CHAR_SET_ID_ERROR, detail=f"CCSID {ccsid} is not supported")
    if name in ("utf-16", "utf-32"):
        # Without this Python would read and write a byte order mark.
        return name + ("-le" if order == "<" else "-be")
    return name
