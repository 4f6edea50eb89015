"""Where a figure comes from, as text in a table: `figures.traffic.puts + figures.streamed`.

    source      term, then + or - and another term ...; then, if it is to be converted, `:` and how
    term        a path of attributes from the object that a row is about, or a whole number
    conversion  us, ms, s nanoseconds to microseconds, milliseconds, seconds
                pages     bytes to pages of 4 KB, the last one may be part of one
                tod       nanoseconds to the unit of a z/OS clock, 4096 in a microsecond
                clock     Unix nanoseconds to a z/OS clock; 0 stays 0
                least     a smallest value: X'0FFFFFFF' if there was none
                floor     nothing less than 0

A path that leads to a list is the sum of it. One table then drives what is written, what is tested
and what the docs say. `Sources` gets many from one object with one call.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final, final

from ternmq.codec.smf.clock_values import duration_of_ns, tod_of_ns

NO_MINIMUM: Final = 0x0FFFFFFF  # getminms and putminms of WQST, when there was nothing
_PAGE: Final = 4096

Value = int | str | bytes
# a constant, paths with their signs, how to convert
Summed = tuple[int, list[tuple[int, int]], Callable[[int], int] | None]


def clock(nanoseconds: int) -> int:
    """Unix time as z/OS's clock, which began in 1900; 0 is not set."""
    return tod_of_ns(nanoseconds) if nanoseconds > 0 else 0


CONVERSIONS: Final[dict[str, Callable[[int], int]]] = {
    "us": lambda value: value // 1000,
    "ms": lambda value: value // 1_000_000,
    "s": lambda value: value // 1_000_000_000,
    "pages": lambda value: -(-value // _PAGE),
    "tod": duration_of_ns,
    "clock": clock,
    "least": lambda value: NO_MINIMUM if value < 0 else value,
    "floor": lambda value: max(value, 0),
}


@final
class Source:
    """A parsed source: a constant, and paths with their signs."""

    __slots__ = ("constant", "convert", "paths", "signs", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        expression, _, conversion = text.partition(":")
        self.convert = CONVERSIONS[conversion.strip()] if conversion else None
        self.constant = 0
        self.paths: list[str] = []
        self.signs: list[int] = []
        sign = 1
        for word in expression.split():
            if word in ("+", "-"):
                sign = 1 if word == "+" else -1
            elif word.isdigit():
                self.constant += sign * int(word)
            else:
                self.paths.append(word)
                self.signs.append(sign)

    @property
    def is_plain(self) -> bool:
        """One path and nothing to do with it."""
        return len(self.paths) == 1 and not self.constant and self.convert is None


@final
class Sources:
    """Several sources of one object."""

    def __init__(self, sources: list[Source]) -> None:
        paths = list(dict.fromkeys(path for one in sources for path in one.paths))
        self._single = len(paths) == 1
        self._get = operator.attrgetter(*paths) if paths else None
        self._plain: list[tuple[int, int]] = []  # place of the source, of its path
        self._sums: list[tuple[int, Summed]] = []
        self._empty: list[Value] = [0] * len(sources)
        for number, one in enumerate(sources):
            places = [paths.index(path) for path in one.paths]
            if one.is_plain:
                self._plain.append((number, places[0]))
            elif not places:
                constant = one.constant
                self._empty[number] = constant if one.convert is None else one.convert(constant)
            else:
                terms = list(zip(one.signs, places, strict=True))
                self._sums.append((number, (one.constant, terms, one.convert)))

    def of(self, root: object) -> list[Value]:
        """The values, in the order of the sources."""
        values = list(self._empty)
        if self._get is None:
            return values
        got = self._get(root)
        found: tuple[Any, ...] = (got,) if self._single else got
        for number, place in self._plain:
            value = found[place]
            values[number] = sum(value) if type(value) is list else value
        for number, summed in self._sums:
            values[number] = _summed(summed, found)
        return values


def _summed(summed: Summed, found: tuple[Any, ...]) -> int:
    total, terms, convert = summed
    for sign, place in terms:
        value = found[place]
        if type(value) is list:
            value = sum(value)
        total += value if sign > 0 else -value
    return total if convert is None else convert(total)
