"""The structures of PCF that have a variable part, and the reading of a whole PCF message."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final

from ternmq.base import constants as mq
from ternmq.compat.structure import MQOpts, TableStructure
from ternmq.compat.unicode import INTEGER64_TYPE, MQLONG_TYPE, padded_count

Members = list[list[Any]]


class CFH(TableStructure):
    """MQCFH: the header of a PCF message."""

    _structure = "CFH"


class CFGR(TableStructure):
    """MQCFGR: a group; its members follow it."""

    _structure = "CFGR"


class CFIN(TableStructure):
    """MQCFIN: a number."""

    _structure = "CFIN"


class CFIN64(TableStructure):
    """MQCFIN64: a number of 64 bits."""

    _structure = "CFIN64"


class CFIF(TableStructure):
    """MQCFIF: a filter on a number."""

    _structure = "CFIF"


def _rows(kind: int, fixed: int, variable: int, *rest: list[Any]) -> Members:
    """The members that all begin with, and the rest."""
    return [
        ["Type", kind, MQLONG_TYPE],
        ["StrucLength", fixed + variable, MQLONG_TYPE],
        ["Parameter", 0, MQLONG_TYPE],
        *rest,
    ]


def _text(kw: dict[str, Any], member: str) -> tuple[Any, int, int]:
    """A text, its length, and that length filled up to a multiple of four."""
    text = kw.pop(member, b"")
    length = kw.pop(f"{member}Length", len(text))
    return text, length, padded_count(length)


class CFST(MQOpts):
    """MQCFST: a text."""

    def __init__(self, **kw: Any) -> None:
        text, length, filled = _text(kw, "String")
        rows = _rows(
            mq.MQCFT_STRING,
            mq.MQCFST_STRUC_LENGTH_FIXED,
            filled,
            ["CodedCharSetId", mq.MQCCSI_DEFAULT, MQLONG_TYPE],
            ["StringLength", length, MQLONG_TYPE],
            ["String", text, f"{filled}s"],
        )
        super().__init__(rows, **kw)


class CFBS(MQOpts):
    """MQCFBS: a string of bytes."""

    def __init__(self, **kw: Any) -> None:
        data, length, filled = _text(kw, "String")
        rows = _rows(
            mq.MQCFT_BYTE_STRING,
            mq.MQCFBS_STRUC_LENGTH_FIXED,
            filled,
            ["StringLength", length, MQLONG_TYPE],
            ["String", data, f"{filled}s"],
        )
        super().__init__(rows, **kw)


class CFSF(MQOpts):
    """MQCFSF: a filter on a text."""

    def __init__(self, **kw: Any) -> None:
        text, length, filled = _text(kw, "FilterValue")
        rows = _rows(
            mq.MQCFT_STRING_FILTER,
            mq.MQCFSF_STRUC_LENGTH_FIXED,
            filled,
            ["Operator", 0, MQLONG_TYPE],
            ["CodedCharSetId", mq.MQCCSI_DEFAULT, MQLONG_TYPE],
            ["FilterValueLength", length, MQLONG_TYPE],
            ["FilterValue", text, f"{filled}s"],
        )
        super().__init__(rows, **kw)


class CFBF(MQOpts):
    """MQCFBF: a filter on a string of bytes."""

    def __init__(self, **kw: Any) -> None:
        data, length, filled = _text(kw, "FilterValue")
        rows = _rows(
            mq.MQCFT_BYTE_STRING_FILTER,
            mq.MQCFBF_STRUC_LENGTH_FIXED,
            filled,
            ["Operator", 0, MQLONG_TYPE],
            ["FilterValueLength", length, MQLONG_TYPE],
            ["FilterValue", data, f"{filled}s"],
        )
        super().__init__(rows, **kw)


class CFSL(MQOpts):
    """MQCFSL: texts, all of one length."""

    def __init__(self, **kw: Any) -> None:
        texts = list(kw.pop("Strings", []))
        longest = kw.pop("StringLength", max((len(text) for text in texts), default=0))
        count = kw.pop("Count", len(texts))
        filled = padded_count(longest) if count else 0
        rows = _rows(
            mq.MQCFT_STRING_LIST,
            mq.MQCFSL_STRUC_LENGTH_FIXED,
            filled * len(texts),
            ["CodedCharSetId", mq.MQCCSI_DEFAULT, MQLONG_TYPE],
            ["Count", count, MQLONG_TYPE],
            ["StringLength", filled, MQLONG_TYPE],
            ["Strings", texts or [b""], f"{filled}s", count or 1],
        )
        super().__init__(rows, **kw)


class CFIL(MQOpts):
    """MQCFIL: numbers."""

    def __init__(self, **kw: Any) -> None:
        values = list(kw.pop("Values", []))
        count = kw.pop("Count", len(values))
        rows = _rows(
            mq.MQCFT_INTEGER_LIST,
            mq.MQCFIL_STRUC_LENGTH_FIXED,
            4 * count,
            ["Count", count, MQLONG_TYPE],
            ["Values", values, MQLONG_TYPE, count],
        )
        super().__init__(rows, **kw)


class CFIL64(MQOpts):
    """MQCFIL64: numbers of 64 bits."""

    def __init__(self, **kw: Any) -> None:
        values = list(kw.pop("Values", []))
        count = kw.pop("Count", len(values))
        fixed = mq.MQCFIL_STRUC_LENGTH_FIXED
        rows = _rows(
            mq.MQCFT_INTEGER64_LIST,
            fixed,
            8 * count,
            ["Count", count, MQLONG_TYPE],
            ["Values", values, INTEGER64_TYPE, count],
        )
        super().__init__(rows, **kw)


# ---- reading


def _numbers(data: bytes, at: int, count: int) -> tuple[int, ...]:
    return struct.unpack_from(f"={count}i", data, at)


def _string(data: bytes, at: int) -> bytes:
    """With the zeros that fill it up, as pymqi has it."""
    length = _numbers(data, at + 16, 1)[0]
    return data[at + 20 : at + 20 + padded_count(length)]


def _exact_string(data: bytes, at: int) -> bytes:
    length = _numbers(data, at + 16, 1)[0]
    return data[at + 20 : at + 20 + length]


def _strings(data: bytes, at: int) -> list[bytes]:
    count, length = _numbers(data, at + 16, 2)
    first = at + 24
    return [data[first + n * length : first + (n + 1) * length] for n in range(count)]


def _bytes(data: bytes, at: int) -> bytes:
    length = _numbers(data, at + 12, 1)[0]
    return data[at + 16 : at + 16 + length]


def _integer64(data: bytes, at: int) -> int:
    value: int = struct.unpack_from("=q", data, at + 16)[0]
    return value


def _integers(data: bytes, at: int) -> list[int]:
    return list(_numbers(data, at + 16, _numbers(data, at + 12, 1)[0]))


def _integers64(data: bytes, at: int) -> list[int]:
    return list(struct.unpack_from(f"={_numbers(data, at + 12, 1)[0]}q", data, at + 16))


def _string_filter(data: bytes, at: int) -> tuple[int, bytes]:
    operator, _, length = _numbers(data, at + 12, 3)
    return operator, data[at + 24 : at + 24 + length]


def _bytes_filter(data: bytes, at: int) -> tuple[int, bytes]:
    operator, length = _numbers(data, at + 12, 2)
    return operator, data[at + 20 : at + 20 + length]


_READERS: Final[dict[int, Callable[[bytes, int], Any]]] = {
    mq.MQCFT_INTEGER: lambda data, at: _numbers(data, at + 12, 1)[0],
    mq.MQCFT_STRING: _string,
    mq.MQCFT_INTEGER_LIST: _integers,
    mq.MQCFT_STRING_LIST: _strings,
    mq.MQCFT_BYTE_STRING: _bytes,
    mq.MQCFT_INTEGER64: _integer64,
    mq.MQCFT_INTEGER64_LIST: _integers64,
    mq.MQCFT_INTEGER_FILTER: lambda data, at: _numbers(data, at + 12, 2),
    mq.MQCFT_STRING_FILTER: _string_filter,
    mq.MQCFT_BYTE_STRING_FILTER: _bytes_filter,
}


_EXACT_READERS: Final = _READERS | {mq.MQCFT_STRING: _exact_string}


def read_parameters(message: bytes, count: int, exact: bool) -> dict[int, Any]:
    """The parameters after the header, by number; a group is a list of such dictionaries. `exact`:
    texts come without the zeros that fill them up to a multiple of four."""
    readers = _EXACT_READERS if exact else _READERS
    found: dict[int, Any] = {}
    group: dict[int, Any] = found
    in_group = 0
    at = mq.MQCFH_STRUC_LENGTH
    while count > 0:
        kind, length, parameter = _numbers(message, at, 3)
        count -= 1
        if kind == mq.MQCFT_GROUP:
            in_group = _numbers(message, at + 12, 1)[0]
            count += in_group
            group = {}
            found.setdefault(parameter, []).append(group)
        else:
            reader = readers.get(kind)
            if reader is None:
                raise NotImplementedError(f"a PCF parameter of type {kind}")
            (group if in_group else found)[parameter] = reader(message, at)
            in_group = max(in_group - 1, 0)
        at += length
    return found
