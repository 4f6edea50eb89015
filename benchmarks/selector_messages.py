"""The messages of the benchmark `selectors`, the same for every broker: a CorrelId of its own, five
properties and 200 bytes of body each. Only the last one matches the selector.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

BODY: Final = bytes(200)
SELECTOR: Final = "colour = 'red' AND size > 90 AND fragile = FALSE"
COLOURS: Final = ("red", "green", "blue", "white")
SIZES: Final = 40

Properties = dict[str, str | int | float | bool]


@dataclass(frozen=True)
class Sample:
    """What one message has beside its body."""

    correl_id: bytes
    properties: Properties

    @property
    def line(self) -> str:
        """The same for a program in Java, between tabs."""
        cells = [jms_id(self.correl_id), *map(as_java, self.properties.values())]
        return "\t".join(cells)


def as_java(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def jms_id(identifier: bytes) -> str:
    """How JMS writes an identifier, in selectors too."""
    return f"ID:{identifier.hex()}"


def by_correl_id(sample: Sample) -> str:
    """The selector that finds one message."""
    return f"JMSCorrelationID = '{jms_id(sample.correl_id)}'"


def samples(count: int) -> list[Sample]:
    """So many, the match last."""
    return list(_each(count))


def _each(count: int) -> Iterator[Sample]:
    chance = random.Random(count)
    for number in range(count):
        is_match = number == count - 1
        properties: Properties = {
            "colour": COLOURS[0] if is_match else COLOURS[number % len(COLOURS)],
            "size": 99 if is_match else number % SIZES,
            "weight": number / 8,
            "fragile": not is_match and number % 3 == 0,
            "customer": f"C{number:08}",
        }
        yield Sample(chance.randbytes(24), properties)


def write_lines(path: Path, rows: list[Sample]) -> None:
    """A file for a program in Java."""
    path.write_text("".join(f"{row.line}\n" for row in rows), encoding="ascii")
