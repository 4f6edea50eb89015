"""The base of all calls: fields that travel as JSON by the table, and bytes behind them."""

from __future__ import annotations

from typing import Any, Final

from mypy_extensions import mypyc_attr

from ternmq.values.calls.kinds import ARGUMENTS, KINDS, RESULTS
from ternmq.values.handle import ObjectHandle

# What a call does to the unit of work of its connection.
UNIT_STAYS: Final = 0
UNIT_BEGINS: Final = 1  # once it is done
UNIT_ENDS: Final = 2  # before it is tried: whatever comes of it, the unit is over
UNIT_LEAVES: Final = 3  # once it is done: prepare

WAIT_PIECE_S: Final = 0.5  # a long wait goes in pieces, so that a cancelled caller is soon free


@mypyc_attr(allow_interpreted_subclasses=True)
class Call:
    """One verb: its arguments and, once it is done, its result."""

    def __init__(self, name: str, verb: str, unit: int = UNIT_STAYS) -> None:
        self.name = name  # in the table of calls, and on the wire
        self.verb = verb  # as errors and statistics name it
        self.unit = unit
        self.wait_s = 0.0  # how long it may wait for more, while there is nothing

    def subject(self) -> ObjectHandle | None:
        """The open object that it is about, if it is about one."""
        return None

    def arguments(self) -> dict[str, Any]:
        """What to send. TypeError or ValueError for what the queue manager would not take: there it
        would end the connection."""
        found: dict[str, Any] = {}
        for field in ARGUMENTS[self.name]:
            value = getattr(self, field.name)
            try:
                found[field.name] = KINDS[field.kind].to_json(value)
            except (TypeError, ValueError) as error:
                wrong = f"{self.verb}: {field.name} takes {error}, not {value!r}"
                raise type(error)(wrong) from None
        return found

    def result(self) -> dict[str, Any]:
        """What to answer, once it is done."""
        return {
            field.name: KINDS[field.kind].to_json(getattr(self, field.name))
            for field in RESULTS[self.name]
        }

    def body(self) -> list[bytes]:
        """Bytes that follow the result as they are."""
        return []

    def take(self, result: dict[str, Any], data: bytes, at: int) -> None:
        """The result as it came, and in `data` from `at` on the bytes behind it. KeyError,
        TypeError or ValueError if it cannot be one."""
        for field in RESULTS[self.name]:
            setattr(self, field.name, KINDS[field.kind].from_json(result[field.name]))

    def check_answer(self) -> None:
        """Raise the error that is its answer, if it is one. Any other is raised where it occurs."""

    def lacks(self) -> bool:
        """Whether it is done and has found nothing, so that it may wait for more."""
        return False
