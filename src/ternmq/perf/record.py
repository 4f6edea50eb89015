"""A run as JSON: on which machine, what was measured at each point, what came of it.

`perf.json` in the folder of a run is all that a later run needs to be compared with it. What the
applications and the system saw is there from the beginning; rates and costs by SMF are added when
the pipeline has read the records.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from ternmq.perf.workload import LOG_BYTES

FORMAT: Final = 1
FILE: Final = "perf.json"
MEGABYTE: Final = 1_000_000


class NoRecord(Exception):
    """A file that cannot be read, or is not the record of a run; the text says why."""


@dataclass
class Measured:
    """One point of a run. Costs are CPU microseconds for each unit of the rate."""

    workload: str
    series: str
    x: str
    tasks: int
    mode: str
    begin_s: float = 0.0  # wall clock; between these all tasks were at work
    end_s: float = 0.0
    from_s: float = 0.0  # and between these the queue manager measured
    to_s: float = 0.0
    # What was counted, and of which queues: for readers of the SMF records.
    counted: str = ""
    counts: str = ""
    cost_of_putters: bool = False
    # By the applications' own counting, and by the system.
    done: int = 0  # from the first to the last, also when not all tasks were at work
    seen_rate: float | None = None
    seen_cost: float | None = None  # of the queue manager's process
    application_cost: float | None = None
    resident_kb: int = 0
    # By SMF.
    intervals: int = 0
    smf_done: int | None = None
    smf_rate: float | None = None
    smf_cost: float | None = None
    # What is reported.
    rate: float | None = None
    cost: float | None = None
    source: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes it the same point of another run."""
        return self.workload, self.series, self.x


@dataclass
class Run:
    """All of a run."""

    label: str
    begun: str  # UTC, ISO 8601
    build: str
    version: str
    seconds: float
    quick: bool
    processes: int
    machine: dict[str, Any]
    took_s: float = 0.0
    points: list[Measured] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The whole, for a file or for `--json`."""
        return {"format": FORMAT, **asdict(self)}

    def save(self, folder: Path) -> Path:
        """Write it, whole or not at all."""
        path = folder / FILE
        making = path.with_suffix(".making")
        text = json.dumps(self.to_json(), indent=1, ensure_ascii=False)
        try:
            making.write_text(text + "\n", encoding="utf-8")
            making.replace(path)
        except OSError:
            making.unlink(missing_ok=True)
            raise
        return path


def load(path: Path) -> Run:
    """The record in a folder, or in a file. NoRecord if there is none."""
    file = path / FILE if path.is_dir() else path
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise NoRecord(f"{file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise NoRecord(f"{file} is not a record of a run: {error}") from error
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise NoRecord(f"{file} is not a record of a run of format {FORMAT}")
    try:
        points = [Measured(**_known(Measured, one)) for one in values["points"]]
        return Run(**{**_known(Run, values), "points": points})
    except (KeyError, TypeError) as error:
        raise NoRecord(f"{file} is not a record of a run: {error}") from error


def _known(kind: type[Run] | type[Measured], values: dict[str, Any]) -> dict[str, Any]:
    names = {one.name for one in fields(kind)}
    return {name: value for name, value in values.items() if name in names}


def settled(points: Iterable[Measured]) -> None:
    """Choose what is reported: SMF where it has whole intervals, else what was seen. What the log
    wrote, applications do not see: they know the bytes of their messages only."""
    for one in points:
        if one.smf_rate is not None:
            one.rate, one.cost, one.source = one.smf_rate, one.smf_cost, "smf"
        elif one.counts == LOG_BYTES:
            one.rate, one.cost, one.source = None, None, ""
        else:
            one.rate, one.cost, one.source = one.seen_rate, one.seen_cost, "seen"
