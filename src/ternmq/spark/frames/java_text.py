"""Text as Spark writes it: format strings, times by pattern, CSV and JSON of rows.

Java rounds half up the digits that a number is written with, where Python rounds half to even.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

import pyarrow as pa

_FORMAT: Final = re.compile(r"%(?:%|([-0]*)(\d*)(?:\.(\d+))?([sdf]))")
_TRIMMED: Final = "".join(map(chr, range(0x21)))  # what Java trims: control characters and blanks
_CYCLE_YEARS: Final = 400
_CYCLE_US: Final = 146_097 * 86_400 * 1_000_000
_YEAR_MAX: Final = 9999
# Letters of patterns of Java and how Python writes the same.
_LETTERS: Final = (
    ("yyyy", "%Y"), ("MM", "%m"), ("dd", "%d"), ("HH", "%H"), ("mm", "%M"), ("SSSSSS", "%f"),
    ("ss", "%S"), ("'", ""),
)  # fmt: skip


def formatted(pattern: str, columns: Sequence[Any], rows: int) -> Any:
    """The pattern with the values of each row in it; of null it says null."""
    values = [column.to_pylist() for column in columns]
    pieces = pieces_of(pattern)
    found = []
    for n in range(rows):
        row = iter([each[n] for each in values])
        found.append("".join(p if isinstance(p, str) else p(next(row)) for p in pieces))
    return pa.array(found, pa.string())


def pieces_of(pattern: str) -> list[str | Callable[[Any], str]]:
    """Plain text, and a function for each value."""
    pieces: list[str | Callable[[Any], str]] = []
    at = 0
    for match in _FORMAT.finditer(pattern):
        pieces.append(pattern[at : match.start()])
        at = match.end()
        if match[0] == "%%":
            pieces.append("%")
        else:
            pieces.append(writer_of(match[1], int(match[2] or 0), match[3], match[4]))
    return [*pieces, pattern[at:]]


def writer_of(flags: str, width: int, places: str | None, kind: str) -> Callable[[Any], str]:
    def write(value: Any) -> str:
        if value is None:
            text = "null"[: int(places) if places is not None else None]  # Java cuts it, too
        elif kind == "f":
            text = with_places(float(value), int(places or 6))
        else:
            text = str(value)
        if "-" in flags:
            return text.ljust(width)
        return text.rjust(width, "0" if "0" in flags and value is not None else " ")

    return write


def with_places(value: float, places: int) -> str:
    """A number with so many digits behind its point."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    step = Decimal(1).scaleb(-places)
    return f"{Decimal(repr(value)).quantize(step, ROUND_HALF_UP):f}"


def moments(values: Any, pattern: str) -> Any:
    """Times by a pattern, in UTC if they are instants."""
    written = pattern
    for letters, ours in _LETTERS:
        written = written.replace(letters, ours)
    # As numbers: a moment that a damaged record leads to may be beyond the years of Python.
    micros = values.cast(pa.timestamp("us", values.type.tz)).cast(pa.int64()).to_pylist()
    texts = [None if one is None else moment_text(one, written) for one in micros]
    return pa.array(texts, pa.string())


def moment_text(micros: int, written: str) -> str:
    """A moment by a pattern of Python, of any year: the calendar repeats every 400 years, and Java
    writes a plus before years of more than four digits."""
    cycles, rest = divmod(micros, _CYCLE_US)
    moment = datetime(1970, 1, 1) + timedelta(microseconds=rest)
    year = moment.year + cycles * _CYCLE_YEARS
    return moment.strftime(
        written.replace("%Y", f"{year:04d}" if year <= _YEAR_MAX else f"+{year}")
    )


def csv_line(values: Sequence[Any]) -> str:
    """A row as a line; null is nothing, an empty text two quotes."""
    return ",".join("" if value is None else csv_cell(value) for value in values)


def csv_cell(value: Any) -> str:
    text = value.strip(_TRIMMED) if isinstance(value, str) else str(value)
    if not text or any(letter in text for letter in ',"\n\r'):
        quoted = text.replace('"', '\\"')
        return f'"{quoted}"'
    return text


def json_line(row: dict[str, Any]) -> str:
    """A row as an object; what is null is left out."""
    known = {name: json_value(value) for name, value in row.items() if value is not None}
    return json.dumps(known, ensure_ascii=False, separators=(",", ":"))


def json_value(value: Any) -> Any:
    if isinstance(value, datetime):
        text = value.replace(tzinfo=None).isoformat(timespec="milliseconds")
        return f"{text}Z" if value.tzinfo in (UTC,) or value.tzinfo is not None else text
    if isinstance(value, date):
        return value.isoformat()
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value
