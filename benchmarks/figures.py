"""What a benchmark hands back: figures with their baseline, their goal and the verdict.

A figure is a value, and where there is a baseline the ratio to it; the goal may be on either.
Both are medians over rounds in which the measured and the baseline took turns.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

AT_LEAST = "at least"
AT_MOST = "at most"


@dataclass
class Goal:
    """A limit on the value or on the ratio; `compiled_only`: plain files are not judged by it."""

    sense: str
    limit: float
    of_ratio: bool = False
    compiled_only: bool = True

    @property
    def text(self) -> str:
        sign = ">=" if self.sense == AT_LEAST else "<="
        return f"{sign} {short(self.limit)}{' x' if self.of_ratio else ''}"


@dataclass
class Figure:
    """One line of the table."""

    name: str
    value: float | None  # None: it could not be measured, `note` says why
    unit: str
    baseline: str = ""
    baseline_value: float | None = None
    ratio: float | None = None
    goal: Goal | None = None
    note: str = ""
    rounds: list[float] = field(default_factory=list)

    @property
    def goal_text(self) -> str:
        """The goal in the unit that it is judged in: a ratio (x), or the figure's own unit."""
        if self.goal is None:
            return ""
        return self.goal.text if self.goal.of_ratio else f"{self.goal.text} {self.unit}"

    def met(self) -> bool | None:
        """Whether the goal is met; None if there is none, or nothing was measured."""
        if self.goal is None:
            return None
        seen = self.ratio if self.goal.of_ratio else self.value
        if seen is None:
            return None
        if self.goal.sense == AT_LEAST:
            return seen >= self.goal.limit
        return seen <= self.goal.limit

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "met": self.met()}


def figure_from_json(values: dict[str, Any]) -> Figure:
    """The figure that a worker process printed."""
    fields = {key: value for key, value in values.items() if key != "met"}
    if fields["goal"] is not None:
        fields["goal"] = Goal(**fields["goal"])
    return Figure(**fields)


@dataclass
class Settings:
    """How long and how deep, and where files may be made."""

    folder: Path
    seconds: float  # of one round of one contender
    rounds: int
    quick: bool

    def scaled(self, full: int, quick: int) -> int:
        """A number of messages or bytes."""
        return quick if self.quick else full

    @property
    def few(self) -> int:
        """Rounds where each has to fill queues first."""
        return min(self.rounds, 3)

    def place(self, name: str) -> Path:
        """A new folder inside the benchmark's own."""
        path = self.folder / name
        path.mkdir(parents=True)
        return path


def short(value: float) -> str:
    """A number as people read it: three digits that count, thousands apart."""
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    if abs(value) >= 0.1:
        return f"{value:.2f}"
    return f"{value:.2g}"
