"""Positions in the streams of queues as users write them (startingOffsets, endingOffsets).

earliest, latest            the ends of the stream
2026-11-16T10:00:00Z        the first message that was put then or later; without a zone it is
                            UTC. Also milliseconds since 1970, as Kafka's options have them
{"ORDERS": 17, "AUDIT": "earliest", "PAID": {"incarnation": 3, "next": 17}}
                            a position for each queue, also as a stream's progress shows it;
                            queues that are not named are read as if nothing were given
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

EARLIEST: Final = "earliest"
LATEST: Final = "latest"
NUMBER: Final = "number"
TIME: Final = "time"
NUMBER_MAX: Final = (1 << 63) - 1


class Position(NamedTuple):
    """A place in the stream of one queue."""

    word: str  # EARLIEST, LATEST, NUMBER or TIME
    value: int = 0  # a stream number, or nanoseconds since 1970
    incarnation: int = 0  # that the number belongs to; 0: any


class Positions(NamedTuple):
    """Places in the streams of several queues."""

    usual: Position
    by_queue: tuple[tuple[str, Position], ...] = ()

    @property
    def word(self) -> str:
        """What counts for queues that are not named."""
        return self.usual.word

    def queues(self) -> tuple[str, ...]:
        """The queues that are named."""
        return tuple(name for name, _ in self.by_queue)

    def of(self, queue: str) -> Position:
        """The place in one queue's stream."""
        return dict(self.by_queue).get(queue, self.usual)


def position_given(options: Mapping[str, str], name: str, default: str) -> Positions:
    """An option that says positions."""
    stated = options.get(name.lower(), "").strip()
    if not stated.startswith("{"):
        return Positions(_place(name, stated or default))
    try:
        given = json.loads(stated)
    except ValueError as error:
        raise ValueError(f"option {name} is no JSON: {error}") from None
    places = tuple((str(queue), _place(name, place)) for queue, place in given.items())
    return Positions(Position(default), places)


def _place(name: str, stated: Any) -> Position:
    if isinstance(stated, dict):
        number, incarnation = stated.get("next"), stated.get("incarnation", 0)
        if type(number) is int and type(incarnation) is int:
            return Position(NUMBER, _checked(name, number), incarnation)
    if isinstance(stated, int) and not isinstance(stated, bool):
        return Position(NUMBER, _checked(name, stated))
    if isinstance(stated, str):
        if stated.lower() in (EARLIEST, LATEST):
            return Position(stated.lower())
        return Position(TIME, _nanoseconds(name, stated))
    raise ValueError(f"option {name}: {stated!r} is not a position")


def _checked(name: str, number: int) -> int:
    if not 0 <= number <= NUMBER_MAX:
        raise ValueError(f"option {name}: {number} is not a stream number")
    return number


def _nanoseconds(name: str, stated: str) -> int:
    if stated.isdecimal():
        return int(stated) * 1_000_000
    try:
        moment = datetime.fromisoformat(stated)
    except ValueError:
        raise ValueError(
            f"option {name} is {stated!r}; it may be earliest, latest, a time such as "
            "2026-11-16T10:00:00Z, or JSON with a position for each queue"
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1000
