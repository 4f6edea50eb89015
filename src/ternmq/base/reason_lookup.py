"""What a reason code means. The table is read at the first question, not at import."""

from __future__ import annotations

from typing import Final, final


@final
class Reason:
    """One reason code: `comp` is the usual completion code; `surface` is "raise" or "return"."""

    def __init__(
        self, number: int, name: str, comp: int, family: str, surface: str, text: str
    ) -> None:
        self.number: Final = number
        self.name: Final = name
        self.comp: Final = comp
        self.family: Final = family
        self.surface: Final = surface
        self.text: Final = text

    def __repr__(self) -> str:
        return f"Reason({self.number}, {self.name!r}, {self.comp}, {self.family!r})"


_by_number: Final[dict[int, Reason]] = {}


def reason(number: int) -> Reason:
    """The row of a reason code; of a number that is not defined, a row that says so."""
    row = _rows().get(number)
    if row is None:
        return Reason(number, f"MQRC_{number}", 2, "Other", "raise", "no such reason is defined")
    return row


def all_reasons() -> list[Reason]:
    """Every row, by number."""
    rows = _rows()
    return [rows[number] for number in sorted(rows)]


def _rows() -> dict[int, Reason]:
    if _by_number:
        return _by_number
    # Inside the function: a program that meets no error should not pay for the texts.
    try:
        from ternmq.base.command_reason_table import TABLE as COMMANDS
        from ternmq.base.reason_table import TABLE as CALLS
    except (ImportError, OSError):
        return {}  # no descriptor is left to read them by: an error must still have its number

    rows: dict[int, Reason] = {}
    for line in CALLS.splitlines() + COMMANDS.splitlines():
        number, comp, family, surface, name, text = line.split(" ", 5)
        rows[int(number)] = Reason(int(number), name, int(comp), family, surface, text)
    _by_number.update(rows)  # at once: another thread must not find a part of them
    return rows
