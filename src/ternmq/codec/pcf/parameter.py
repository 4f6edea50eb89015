"""The parameter structures of PCF as values, and the writing of each.

A structure is a multiple of four bytes and begins with its type and its whole length, both i32, in
the byte order that the message descriptor gives; `Parameter` is what it is about.

    type  structure  after type and length
      3   MQCFIN     parameter, value                                         length 16
     23   MQCFIN64   parameter, reserved, value i64                           length 24
      5   MQCFIL     parameter, count, values                                 length 16 + 4 count
     25   MQCFIL64   parameter, count, values i64                             length 16 + 8 count
      4   MQCFST     parameter, CCSID, string length, string                  length 20 + string
      6   MQCFSL     parameter, CCSID, count, length of one, strings          length 24 + all
      9   MQCFBS     parameter, string length, bytes                          length 16 + string
     13   MQCFIF     parameter, operator, value                               length 20
     14   MQCFSF     parameter, operator, CCSID, string length, string        length 24 + string
     15   MQCFBF     parameter, operator, string length, bytes                length 20 + string
     20   MQCFGR     parameter, count: as many structures follow, and belong  length 16
                 to the group; a group among them counts as one

Strings are filled up to a multiple of four; what fills them does not count in the string length.
All strings of a list have one length, filled with blanks. A CCSID of 0 (MQCCSI_DEFAULT) is that of
the message descriptor. Reading, and what makes a structure invalid: `pcf`.
"""

from __future__ import annotations

import struct
from typing import Any, Final, final

from ternmq.base import constants as mq
from ternmq.base.command_reasons import MQRCCF_PARM_VALUE_ERROR, MQRCCF_STRUCTURE_TYPE_ERROR
from ternmq.base.errors import CommandError, mq_error
from ternmq.codec.charset import UTF8, encode

CFIN: Final = mq.MQCFT_INTEGER
CFIN64: Final = mq.MQCFT_INTEGER64
CFIL: Final = mq.MQCFT_INTEGER_LIST
CFIL64: Final = mq.MQCFT_INTEGER64_LIST
CFST: Final = mq.MQCFT_STRING
CFSL: Final = mq.MQCFT_STRING_LIST
CFBS: Final = mq.MQCFT_BYTE_STRING
CFIF: Final = mq.MQCFT_INTEGER_FILTER
CFSF: Final = mq.MQCFT_STRING_FILTER
CFBF: Final = mq.MQCFT_BYTE_STRING_FILTER
CFGR: Final = mq.MQCFT_GROUP

STRUCTURE_NAMES: Final[dict[int, str]] = {
    CFIN: "MQCFIN",
    CFIN64: "MQCFIN64",
    CFIL: "MQCFIL",
    CFIL64: "MQCFIL64",
    CFST: "MQCFST",
    CFSL: "MQCFSL",
    CFBS: "MQCFBS",
    CFIF: "MQCFIF",
    CFSF: "MQCFSF",
    CFBF: "MQCFBF",
    CFGR: "MQCFGR",
}


@final
class PCFError(CommandError):
    """A PCF message that is not valid: besides the reason, which parameter and where."""

    def __init__(self, reason: int, detail: str, *, parameter: int = 0, offset: int = 0) -> None:
        super().__init__(mq.MQCC_FAILED, reason, detail=detail)
        self.parameter = parameter  # MQIACF_PARAMETER_ID of the answer; 0 if none is to blame
        self.offset = offset

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild_error, (self.reason, self.detail, self.parameter, self.offset))


def _rebuild_error(reason: int, detail: str, parameter: int, offset: int) -> PCFError:
    return PCFError(reason, detail, parameter=parameter, offset=offset)


@final
class Parameter:
    """One parameter structure: of each only the values that its type has are used."""

    __slots__ = (
        "ccsid",
        "data",
        "kind",
        "members",
        "number",
        "numbers",
        "operator",
        "parameter",
        "text",
        "texts",
        "width",
    )

    def __init__(self, kind: int, parameter: int) -> None:
        self.kind = kind
        self.parameter = parameter
        self.number = 0  # MQCFIN, MQCFIN64, MQCFIF
        self.numbers: list[int] = []  # MQCFIL, MQCFIL64
        self.text = ""  # MQCFST, MQCFSF: without the blanks at its end
        self.texts: list[str] = []  # MQCFSL
        self.data = b""  # MQCFBS, MQCFBF
        self.members: list[Parameter] = []  # MQCFGR
        self.operator = 0  # of the filters
        self.width = 0  # strings are filled with blanks up to this many bytes; 0: no more than fits
        self.ccsid = 0  # as in the structure

    @property
    def value(self) -> object:
        """What it holds, as Python's own types; the members of a group as they are."""
        if self.kind in (CFIN, CFIN64, CFIF):
            return self.number
        if self.kind in (CFIL, CFIL64):
            return self.numbers
        if self.kind in (CFST, CFSF):
            return self.text
        if self.kind == CFSL:
            return self.texts
        return self.members if self.kind == CFGR else self.data

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Parameter):
            return NotImplemented
        return (
            self.kind == other.kind
            and self.parameter == other.parameter
            and self.operator == other.operator
            and self.value == other.value
        )

    def __repr__(self) -> str:
        name = STRUCTURE_NAMES.get(self.kind, str(self.kind))
        return f"{name}({self.parameter}, {self.value!r})"

    def pack(self, order: str = "<", ccsid: int = UTF8) -> bytes:
        """The bytes of the structure, of a group with its members; `ccsid` is that of the message
        descriptor."""
        try:
            return self._packed(order, ccsid)
        except struct.error as error:
            detail = f"{self!r}: {error}"
            raise mq_error(MQRCCF_PARM_VALUE_ERROR, detail=detail) from error

    def _packed(self, order: str, ccsid: int) -> bytes:
        kind = self.kind
        if kind == CFIN:
            return struct.pack(order + "4i", kind, 16, self.parameter, self.number)
        if kind == CFIN64:
            return struct.pack(order + "4iq", kind, 24, self.parameter, 0, self.number)
        if kind == CFIF:
            operator = self.operator
            return struct.pack(order + "5i", kind, 20, self.parameter, operator, self.number)
        if kind == CFGR:
            head = struct.pack(order + "4i", kind, 16, self.parameter, len(self.members))
            return head + b"".join([one.pack(order, ccsid) for one in self.members])
        if kind in (CFIL, CFIL64):
            return self._packed_numbers(order)
        if kind == CFSL:
            return self._packed_list(order, ccsid)
        return self._packed_string(order, ccsid)

    def _packed_numbers(self, order: str) -> bytes:
        count = len(self.numbers)
        letter, size = ("i", 4) if self.kind == CFIL else ("q", 8)
        return struct.pack(
            f"{order}4i{count}{letter}",
            self.kind,
            16 + size * count,
            self.parameter,
            count,
            *self.numbers,
        )

    def _packed_string(self, order: str, ccsid: int) -> bytes:
        kind = self.kind
        if kind in (CFST, CFSF):
            data = _filled(self.text, self.width, self.ccsid or ccsid, order)
        else:
            data = self.data
        length = len(data)
        data += bytes(-length % 4)
        head: tuple[int, ...]
        if kind == CFST:
            head = (kind, 20 + len(data), self.parameter, self.ccsid, length)
        elif kind == CFBS:
            head = (kind, 16 + len(data), self.parameter, length)
        elif kind == CFSF:
            head = (kind, 24 + len(data), self.parameter, self.operator, self.ccsid, length)
        elif kind == CFBF:
            head = (kind, 20 + len(data), self.parameter, self.operator, length)
        else:
            raise PCFError(MQRCCF_STRUCTURE_TYPE_ERROR, f"there is no structure of type {kind}")
        return struct.pack(f"{order}{len(head)}i", *head) + data

    def _packed_list(self, order: str, ccsid: int) -> bytes:
        own = self.ccsid or ccsid
        strings = [encode(text, own, order) for text in self.texts]
        length = max([self.width, *[len(one) for one in strings]])
        body = b"".join([_filled(text, length, own, order) for text in self.texts])
        body += bytes(-len(body) % 4)
        head = (self.kind, 24 + len(body), self.parameter, self.ccsid, len(strings), length)
        return struct.pack(order + "6i", *head) + body


def _filled(text: str, width: int, ccsid: int, order: str) -> bytes:
    data = encode(text, ccsid, order)
    if len(data) >= width:
        return data
    blank = encode(" ", ccsid, order)
    return data + blank * ((width - len(data)) // len(blank))


# ---- the structures by the names of their use


def integer(parameter: int, number: int) -> Parameter:
    """MQCFIN."""
    made = Parameter(CFIN, parameter)
    made.number = number
    return made


def integer64(parameter: int, number: int) -> Parameter:
    """MQCFIN64."""
    made = Parameter(CFIN64, parameter)
    made.number = number
    return made


def integers(parameter: int, numbers: list[int]) -> Parameter:
    """MQCFIL."""
    made = Parameter(CFIL, parameter)
    made.numbers = numbers
    return made


def integers64(parameter: int, numbers: list[int]) -> Parameter:
    """MQCFIL64."""
    made = Parameter(CFIL64, parameter)
    made.numbers = numbers
    return made


def string(parameter: int, text: str, width: int = 0) -> Parameter:
    """MQCFST; filled with blanks up to `width` bytes."""
    made = Parameter(CFST, parameter)
    made.text = text
    made.width = width
    return made


def strings(parameter: int, texts: list[str], width: int = 0) -> Parameter:
    """MQCFSL; each filled with blanks up to `width` bytes, or to the longest."""
    made = Parameter(CFSL, parameter)
    made.texts = texts
    made.width = width
    return made


def byte_string(parameter: int, data: bytes) -> Parameter:
    """MQCFBS."""
    made = Parameter(CFBS, parameter)
    made.data = data
    return made


def integer_filter(parameter: int, operator: int, number: int) -> Parameter:
    """MQCFIF."""
    made = Parameter(CFIF, parameter)
    made.operator = operator
    made.number = number
    return made


def string_filter(parameter: int, operator: int, text: str) -> Parameter:
    """MQCFSF."""
    made = Parameter(CFSF, parameter)
    made.operator = operator
    made.text = text
    return made


def byte_string_filter(parameter: int, operator: int, data: bytes) -> Parameter:
    """MQCFBF."""
    made = Parameter(CFBF, parameter)
    made.operator = operator
    made.data = data
    return made


def group(parameter: int, members: list[Parameter]) -> Parameter:
    """MQCFGR with what belongs to it."""
    made = Parameter(CFGR, parameter)
    made.members = members
    return made
