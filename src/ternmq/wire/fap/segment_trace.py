"""Segments in words: what a person reads to see what two sides said to each other.

    MQCLOSE  TSHM 56 bytes, conversation 1, request 5, FIRST+LAST, big endian, CCSID 1208 ...
        call_length 48
        comp 0
        ...
        0000  54 53 48 4d 00 00 00 38  ...  TSHM...8

Names and values come from the tables that read and write the bodies. Passwords and tokens are
never shown, neither as values nor in the bytes, and nothing of the body of an identity flow that
cannot be read.
"""

from __future__ import annotations

from typing import Any, Final

from ternmq.codec.charset import decode
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.structure import Structure
from ternmq.wire.fap.flow import body_table, read_body, verb_table
from ternmq.wire.fap.initial_data import initial_data_rows, read_initial_data
from ternmq.wire.fap.part import Part, Row, Values
from ternmq.wire.fap.segment import TSHM, Segment, SegmentError
from ternmq.wire.fap.vocabulary import (
    CONAUTH_INFO,
    FLAGS_1,
    FLAGS_2,
    INITIAL_DATA,
    USERID_DATA,
    Named,
    flag_names,
    type_name,
)

BYTES_SHOWN: Final = 1024
_TEXT_SHOWN: Final = 64
_A_LINE: Final = 16
_INDENT: Final = "    "
_SECRET: Final = ("password", "token")
_IDENTITY: Final = (USERID_DATA, CONAUTH_INFO)


def trace_segment(one: Segment, fap_level: int, bytes_shown: int = BYTES_SHOWN) -> str:
    """One segment, or one call put together from several, in lines."""
    lines = [headline(one)]
    hidden: list[tuple[int, int]] = []
    try:
        if one.header.type == INITIAL_DATA:
            rows = {row.name: row for row in initial_data_rows()}
            _show(lines, read_initial_data(one).values(), rows, {}, _INDENT)
        else:
            body = read_body(one, fap_level)
            hidden = body.secrets
            table = [*body_table(one.header.type), *verb_table(one.header.type, body.values)]
            _show_parts(lines, body.values, table, _INDENT)
    except SegmentError as error:
        lines.append(f"{_INDENT}cannot be read: {error}")
        if one.header.type in _IDENTITY:
            hidden = [(one.body_at, len(one.data))]
    lines += [_INDENT + line for line in hex_lines(one, hidden, bytes_shown)]
    return "\n".join(lines)


def headline(one: Segment) -> str:
    """Type, length and header of a segment in one line."""
    header = one.header
    size = header.size + one.body_bytes
    parts = [f"{type_name(header.type)}  {header.variant.strip()} {size} bytes"]
    if header.variant == TSHM:
        parts += [f"conversation {header.conversation}", f"request {header.request}"]
    if header.flags_1:
        parts.append(flag_names(header.flags_1, FLAGS_1))
    if header.flags_2:
        parts.append(flag_names(header.flags_2, FLAGS_2))
    parts.append("little endian" if header.order == LITTLE else "big endian")
    parts.append(f"CCSID {header.ccsid}{' (EBCDIC)' if header.is_ebcdic else ''}")
    parts.append(f"encoding {header.encoding}")
    if any(header.luwid):
        parts.append(f"LUWID {header.luwid.hex()}")
    return ", ".join(parts)


def hex_lines(one: Segment, hidden: list[tuple[int, int]], bytes_shown: int) -> list[str]:
    """The first bytes in hexadecimal and characters; hidden ones as asterisks."""
    data = one.data[:bytes_shown]
    ccsid = one.header.text_ccsid
    lines = []
    for start in range(0, len(data), _A_LINE):
        cells: list[str] = []
        text = ""
        for at in range(start, min(start + _A_LINE, len(data))):
            if any(begin <= at < end for begin, end in hidden):
                cells.append("**")
                text += "*"
            else:
                cells.append(f"{data[at]:02x}")
                text += _character(data[at : at + 1], ccsid)
        cells += ["  "] * (_A_LINE - len(cells))
        lines.append(f"{start:04x}  {' '.join(cells[:8])}  {' '.join(cells[8:])}  {text}")
    if len(one.data) > bytes_shown:
        lines.append(f"... {len(one.data) - bytes_shown} bytes more")
    return lines


def _character(byte: bytes, ccsid: int) -> str:
    try:
        text = decode(byte, ccsid)
    except UnicodeError:
        return "."
    return text if len(text) == 1 and text.isprintable() and text.isascii() else "."


def _show_parts(lines: list[str], values: Values, table: list[Part], indent: str) -> None:
    rows: dict[str, Row] = {}
    inner: dict[str, list[Part]] = {}
    for part in table:
        for row in part.rows():
            rows[row.name] = row
        if part.parts():
            inner[part.name] = part.parts()
    _show(lines, values, rows, inner, indent)


def _show(
    lines: list[str],
    values: Values,
    rows: dict[str, Row],
    inner: dict[str, list[Part]],
    indent: str,
) -> None:
    for name, value in values.items():
        if isinstance(value, dict):
            lines.append(f"{indent}{name}:")
            _show_parts(lines, value, inner.get(name, []), indent + _INDENT)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for number, record in enumerate(value):
                lines.append(f"{indent}{name} {number}:")
                _show_parts(lines, record, inner.get(name, []), indent + _INDENT)
        elif isinstance(value, Structure):
            lines.append(f"{indent}{name} {value!r}")
        else:
            row = rows.get(name)
            lines.append(f"{indent}{name} {_shown(name, value, row.names if row else None)}")


def _shown(name: str, value: Any, names: Named | None) -> str:
    if name in _SECRET and value:
        return "not shown"
    if isinstance(value, bytes):
        start = value[:_TEXT_SHOWN].hex()
        if not value.strip(b"\0"):
            return f"{len(value)} bytes, all zero"
        more = "..." if len(value) > _TEXT_SHOWN else ""
        return f"{len(value)} bytes {start}{more}"
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, int) and names is not None:
        shown = names.show(value)
        return f"{value} {shown}" if shown else str(value)
    return str(value)
