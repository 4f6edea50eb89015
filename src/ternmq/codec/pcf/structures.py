"""PCF, the programmable command formats: a header (MQCFH) and the parameter structures after it.

    at 0  type            MQCFT_COMMAND, MQCFT_RESPONSE, MQCFT_EVENT ...
       4  length          36
       8  version         1, 2 or 3: what the structures after it may be; not what they are
      12  command         MQCMD_
      16  sequence        of this message in its set, from 1
      20  control         MQCFC_LAST 1, MQCFC_NOT_LAST 0
      24  completion      MQCC_; 0 in a command
      28  reason          MQRC_ or MQRCCF_; 0 in a command
      32  parameters      how many structures follow, a group and what it holds as one
      36  structures      see `parameter`

Integers are in the byte order of the message descriptor's Encoding, strings in the CCSID of their
structure, or in that of the descriptor if theirs is 0.

Validity, each with its own MQRCCF_ reason: the header is there, of length 36 and a version known;
a structure's type is known, its length is that of its type, counts and string lengths, and all of
it is present; counts are not negative; groups are nested at most 8 deep; the structures fill the
message exactly. A length is compared with what is present before anything is made from it. Whether
type, command, sequence and control suit a command is checked where it is carried out.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base import command_reasons as rccf
from ternmq.base import constants as mq
from ternmq.base.errors import FormatError
from ternmq.codec.charset import UTF8, decode
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.pcf.parameter import (
    CFBF,
    CFBS,
    CFGR,
    CFIF,
    CFIL,
    CFIL64,
    CFIN,
    CFIN64,
    CFSF,
    CFSL,
    CFST,
    STRUCTURE_NAMES,
    Parameter,
    PCFError,
)

HEADER_BYTES: Final = mq.MQCFH_STRUC_LENGTH
NESTING_MAX: Final = 8
PARTS_ANY: Final = 1 << 31

_HEADER: Final = {LITTLE: struct.Struct("<9i"), BIG: struct.Struct(">9i")}
# For each structure: length of its fixed part, and the reasons of a bad length and of a bad length
# or count inside.
_FIXED: Final[dict[int, tuple[int, int, int]]] = {
    CFIN: (16, rccf.MQRCCF_CFIN_LENGTH_ERROR, 0),
    CFIN64: (24, rccf.MQRCCF_CFIN_LENGTH_ERROR, 0),
    CFIL: (16, rccf.MQRCCF_CFIL_LENGTH_ERROR, rccf.MQRCCF_CFIL_COUNT_ERROR),
    CFIL64: (16, rccf.MQRCCF_CFIL_LENGTH_ERROR, rccf.MQRCCF_CFIL_COUNT_ERROR),
    CFST: (20, rccf.MQRCCF_CFST_LENGTH_ERROR, rccf.MQRCCF_CFST_STRING_LENGTH_ERR),
    CFSL: (24, rccf.MQRCCF_CFSL_LENGTH_ERROR, rccf.MQRCCF_CFSL_STRING_LENGTH_ERR),
    CFBS: (16, rccf.MQRCCF_CFBS_LENGTH_ERROR, rccf.MQRCCF_CFBS_STRING_LENGTH_ERR),
    CFIF: (20, rccf.MQRCCF_CFIF_LENGTH_ERROR, 0),
    CFSF: (24, rccf.MQRCCF_CFSF_LENGTH_ERROR, rccf.MQRCCF_CFSF_FILTER_VAL_LEN_ERR),
    CFBF: (20, rccf.MQRCCF_CFBF_LENGTH_ERROR, rccf.MQRCCF_CFBF_FILTER_VAL_LEN_ERR),
    CFGR: (16, rccf.MQRCCF_CFGR_LENGTH_ERROR, rccf.MQRCCF_CFGR_PARM_COUNT_ERROR),
}


@final
class PCFMessage:
    """A header with its parameters: a command, a response, an event."""

    __slots__ = (
        "command",
        "comp",
        "control",
        "kind",
        "parameters",
        "reason",
        "sequence",
        "version",
    )

    def __init__(
        self,
        kind: int,
        command: int,
        parameters: list[Parameter] | None = None,
        *,
        version: int = mq.MQCFH_VERSION_1,
        sequence: int = 1,
        control: int = mq.MQCFC_LAST,
        comp: int = mq.MQCC_OK,
        reason: int = 0,
    ) -> None:
        self.kind = kind
        self.command = command
        self.parameters: list[Parameter] = [] if parameters is None else parameters
        self.version = version
        self.sequence = sequence
        self.control = control
        self.comp = comp
        self.reason = reason

    def pack(self, order: str = LITTLE, ccsid: int = UTF8) -> bytes:
        """The bytes of header and parameters."""
        head = _HEADER[order].pack(
            self.kind,
            HEADER_BYTES,
            self.version,
            self.command,
            self.sequence,
            self.control,
            self.comp,
            self.reason,
            len(self.parameters),
        )
        return head + b"".join([one.pack(order, ccsid) for one in self.parameters])

    def find(self, parameter: int) -> Parameter | None:
        """The first structure about that parameter, outside groups."""
        for one in self.parameters:
            if one.parameter == parameter:
                return one
        return None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PCFMessage):
            return NotImplemented
        return self._head() == other._head() and self.parameters == other.parameters

    def _head(self) -> tuple[int, ...]:
        return (
            self.kind,
            self.command,
            self.version,
            self.sequence,
            self.control,
            self.comp,
            self.reason,
        )

    def __repr__(self) -> str:
        return f"PCFMessage{self._head()!r}{self.parameters!r}"


def unpack_pcf(
    data: bytes, order: str = LITTLE, ccsid: int = UTF8, parts_max: int = PARTS_ANY
) -> PCFMessage:
    """Header and parameters of a whole message; PCFError says what is wrong with it. It may have
    so many structures and strings of lists."""
    message, count = unpack_header(data, order)
    reader = _Reader(data, order, ccsid, parts_max)
    message.parameters = reader.structures(count, 0)
    if reader.at != len(data):
        left = len(data) - reader.at
        detail = f"{left} bytes follow the {count} structures that the header counts"
        raise PCFError(rccf.MQRCCF_MSG_LENGTH_ERROR, detail, offset=reader.at)
    return message


def unpack_header(data: bytes, order: str = LITTLE) -> tuple[PCFMessage, int]:
    """The header alone, and how many structures it says are to follow."""
    if len(data) < HEADER_BYTES:
        detail = f"{len(data)} bytes, the header has {HEADER_BYTES}"
        raise PCFError(rccf.MQRCCF_CFH_LENGTH_ERROR, detail)
    kind, length, version, command, sequence, control, comp, reason, count = _HEADER[
        order
    ].unpack_from(data)
    if length != HEADER_BYTES:
        detail = f"the header says that it has {length} bytes, not {HEADER_BYTES}"
        raise PCFError(rccf.MQRCCF_CFH_LENGTH_ERROR, detail)
    if not mq.MQCFH_VERSION_1 <= version <= mq.MQCFH_VERSION_3:
        raise PCFError(rccf.MQRCCF_CFH_VERSION_ERROR, f"version {version}")
    # Each structure has at least 12 bytes, which limits the count.
    if count < 0 or count > (len(data) - HEADER_BYTES) // 12:
        detail = f"the header counts {count} structures, {len(data) - HEADER_BYTES} bytes follow"
        raise PCFError(rccf.MQRCCF_CFH_PARM_COUNT_ERROR, detail)
    message = PCFMessage(
        kind,
        command,
        version=version,
        sequence=sequence,
        control=control,
        comp=comp,
        reason=reason,
    )
    return message, count


@final
class _Reader:
    """Reads structures one after the other."""

    def __init__(self, data: bytes, order: str, ccsid: int, parts_max: int) -> None:
        self.left = parts_max
        self.data = data
        self.order = order
        self.ccsid = ccsid
        self.at = HEADER_BYTES

    def structures(self, count: int, depth: int) -> list[Parameter]:
        """So many, from here on."""
        if depth > NESTING_MAX:
            detail = f"groups are nested more than {NESTING_MAX} deep"
            raise PCFError(rccf.MQRCCF_CFGR_PARM_COUNT_ERROR, detail, offset=self.at)
        self._take(count)
        return [self._structure(depth) for _ in range(count)]

    def _take(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            detail = "there are more structures and strings than may be read here"
            raise PCFError(rccf.MQRCCF_CFH_PARM_COUNT_ERROR, detail, offset=self.at)

    def _structure(self, depth: int) -> Parameter:
        at = self.at
        left = len(self.data) - at
        if left < 12:
            detail = f"{left} bytes are left where a structure begins"
            raise PCFError(rccf.MQRCCF_MSG_LENGTH_ERROR, detail, offset=at)
        kind, length, parameter = struct.unpack_from(self.order + "3i", self.data, at)
        row = _FIXED.get(kind)
        if row is None:
            detail = f"there is no structure of type {kind}"
            raise PCFError(rccf.MQRCCF_STRUCTURE_TYPE_ERROR, detail, offset=at)
        if length < row[0] or length % 4 != 0:
            raise self._wrong(row[1], kind, parameter, f"its length is {length}")
        if length > left:
            detail = f"its length is {length}, {left} bytes are left"
            raise self._wrong(rccf.MQRCCF_MSG_LENGTH_ERROR, kind, parameter, detail)
        made = Parameter(kind, parameter)
        if kind in (CFIN, CFIN64, CFIF, CFGR):
            if length != row[0]:
                raise self._wrong(row[1], kind, parameter, f"its length is {length}, not {row[0]}")
            self._read_fixed(made, at)
            self.at += length
            if kind == CFGR:
                made.members = self.structures(made.number, depth + 1)
                made.number = 0
        else:
            self._read_lengths(made, at, length)
            self.at += length
        return made

    def _read_fixed(self, made: Parameter, at: int) -> None:
        data = self.data
        if made.kind == CFIN64:
            made.number = struct.unpack_from(self.order + "q", data, at + 16)[0]
        elif made.kind == CFIF:
            made.operator, made.number = struct.unpack_from(self.order + "2i", data, at + 12)
        elif made.kind == CFIN:
            made.number = struct.unpack_from(self.order + "i", data, at + 12)[0]
        else:
            count = struct.unpack_from(self.order + "i", data, at + 12)[0]
            left = len(data) - at - 16
            if count < 0 or count > left // 12:
                detail = f"it counts {count} structures, {left} bytes follow"
                raise self._wrong(_FIXED[CFGR][2], CFGR, made.parameter, detail)
            made.number = count  # until they are read

    def _read_lengths(self, made: Parameter, at: int, length: int) -> None:
        kind = made.kind
        if kind in (CFIL, CFIL64):
            self._read_numbers(made, at, length)
        elif kind == CFSL:
            self._read_list(made, at, length)
        elif kind in (CFST, CFSF):
            skip = 12 if kind == CFST else 16
            if kind == CFSF:
                made.operator = struct.unpack_from(self.order + "i", self.data, at + 12)[0]
            made.ccsid = struct.unpack_from(self.order + "i", self.data, at + skip)[0]
            data = self._string(made, at + skip + 4, at + length)
            made.width = len(data)
            made.text = self._text(made, data)
        elif kind == CFBF:
            made.operator = struct.unpack_from(self.order + "i", self.data, at + 12)[0]
            made.data = self._string(made, at + 16, at + length)
        else:
            made.data = self._string(made, at + 12, at + length)

    def _read_numbers(self, made: Parameter, at: int, length: int) -> None:
        size, letter = (4, "i") if made.kind == CFIL else (8, "q")
        count = struct.unpack_from(self.order + "i", self.data, at + 12)[0]
        row = _FIXED[made.kind]
        if count < 0:
            raise self._wrong(row[2], made.kind, made.parameter, f"its count is {count}")
        if length != 16 + size * count:
            detail = f"its length is {length} with {count} values"
            raise self._wrong(row[1], made.kind, made.parameter, detail)
        made.numbers = list(struct.unpack_from(f"{self.order}{count}{letter}", self.data, at + 16))

    def _read_list(self, made: Parameter, at: int, length: int) -> None:
        made.ccsid, count, size = struct.unpack_from(self.order + "3i", self.data, at + 12)
        row = _FIXED[CFSL]
        if count < 0 or (count > 0 and size == 0 and count > length):
            detail = f"its count is {count}"
            raise self._wrong(rccf.MQRCCF_CFSL_COUNT_ERROR, CFSL, made.parameter, detail)
        if size < 0:
            raise self._wrong(row[2], CFSL, made.parameter, f"the length of one is {size}")
        used = count * size
        if length != 24 + used + -used % 4:
            detail = f"its length is {length} with {count} strings of {size}"
            raise self._wrong(rccf.MQRCCF_CFSL_TOTAL_LENGTH_ERROR, CFSL, made.parameter, detail)
        self._take(count)
        made.width = size
        first = at + 24
        for number in range(count):
            start = first + number * size
            made.texts.append(self._text(made, self.data[start : start + size]))

    def _string(self, made: Parameter, length_at: int, end: int) -> bytes:
        """The bytes of a string whose length stands ahead of it."""
        length = struct.unpack_from(self.order + "i", self.data, length_at)[0]
        start = length_at + 4
        if length < 0 or length > end - start or end - start != length + -length % 4:
            detail = f"the length of its string is {length}, there is room for {end - start}"
            raise self._wrong(_FIXED[made.kind][2], made.kind, made.parameter, detail)
        return self.data[start : start + length]

    def _text(self, made: Parameter, data: bytes) -> str:
        ccsid = made.ccsid or self.ccsid
        try:
            text = decode(data, ccsid, self.order)
        except (FormatError, UnicodeDecodeError) as error:
            detail = f"CCSID {ccsid} is not supported, or not what the string is in"
            raise self._wrong(rccf.MQRCCF_CCSID_ERROR, made.kind, made.parameter, detail) from error
        end = text.find("\0")
        return (text if end < 0 else text[:end]).rstrip(" ")

    def _wrong(self, reason: int, kind: int, parameter: int, detail: str) -> PCFError:
        text = f"{STRUCTURE_NAMES[kind]} of parameter {parameter} at {self.at}: {detail}"
        return PCFError(reason, text, parameter=parameter, offset=self.at)
