"""Output for eyes: aligned tables, hexadecimal next to text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

_ROW_BYTES: Final = 16


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Columns of equal width; numbers to the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    numeric = [
        bool(cells) and all(row[at][:1].isdigit() or row[at] in ("", "-") for row in cells)
        for at in range(len(head))
    ]
    widths = [max([len(head[at]), *(len(row[at]) for row in cells)]) for at in range(len(head))]

    def line(row: Sequence[str]) -> str:
        parts = [
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(row, widths, numeric)
        ]
        return "  ".join(parts).rstrip()

    return [line(head), line(["-" * width for width in widths]), *(line(row) for row in cells)]


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def hex_rows(data: bytes) -> Iterator[str]:
    """Offset, bytes, and the same as text where it can be printed."""
    for at in range(0, len(data), _ROW_BYTES):
        row = data[at : at + _ROW_BYTES]
        digits = " ".join(f"{byte:02x}" for byte in row).ljust(3 * _ROW_BYTES - 1)
        letters = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        yield f"{at:06x}  {digits}  {letters}"
