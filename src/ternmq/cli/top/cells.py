"""How the figures of `ternmq top` are written: 1,234, 12.5, 3m 12s, 1.2 MB, a dash if unknown."""

from __future__ import annotations

from typing import Final

from ternmq.base.visible_text import visible_in_line
from ternmq.cli.top.columns import AGE, BYTES, MEGABYTES, RATE, SHARE, Column
from ternmq.cli.top.snapshot import Cell

UNKNOWN: Final = "–"  # noqa: RUF001 - it is not measured, or not known yet
_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_THOUSAND: Final = 1000
_MEBIBYTE: Final = 1 << 20  # what MQSC calls a megabyte
_SMALL_RATE: Final = 100


def cell_text(column: Column, value: Cell) -> str:
    """The value of a column for eyes."""
    if value is None:
        return UNKNOWN
    if isinstance(value, str):
        return visible_in_line(value)
    if column.kind == AGE:
        return age_text(int(value))
    if column.kind == SHARE:
        return f"{100 * value:.0f} %"
    if column.kind == BYTES:
        return bytes_text(value)
    if column.kind == MEGABYTES:
        return bytes_text(value * _MEBIBYTE)
    if column.kind == RATE and value < _SMALL_RATE:
        return f"{value:,.1f}"
    return f"{value:,.0f}"


def age_text(seconds: int) -> str:
    """The two largest units of it."""
    if seconds < _MINUTE:
        return f"{seconds}s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE}m {seconds % _MINUTE:02}s"
    if seconds < _DAY:
        return f"{seconds // _HOUR}h {seconds % _HOUR // _MINUTE:02}m"
    return f"{seconds // _DAY}d {seconds % _DAY // _HOUR:02}h"


def bytes_text(count: float) -> str:
    """In the largest unit that leaves a number of at least 1."""
    unit = "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if count < _THOUSAND:
            break
        count /= _THOUSAND
        unit = larger
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
