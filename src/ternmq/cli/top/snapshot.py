"""What `ternmq top` knows of a queue manager at one moment, without any terminal.

`take` asks the commands of the table and keeps the answers as they are; `snapshot` makes the rows
of the views of one such sample, with rates since the sample before. A figure that is not measured,
or needs a sample before, is None. What the user may not see is in `hidden`, with the reason.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final, Protocol

from ternmq.base.attributes import Value
from ternmq.base.errors import NotAuthorized
from ternmq.base.message_table import message_text
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.cli.top.columns import QUEUE_MANAGER, QUEUES, SHARE, VIEWS, Column, View
from ternmq.values.command import Answer
from ternmq.values.status import LogStatus

Record = dict[str, Value | float]  # one answer, by keyword
Cell = str | int | float | None
Row = dict[str, Cell]  # by key of column

DEPTH_LIMITS: Final = "DISPLAY QLOCAL(*) MAXDEPTH"
_RUNNING: Final = "RUNNING"
_PERCENT: Final = 100
_SYSTEM: Final = "SYSTEM."


class Watched(Protocol):
    """What can be asked: every connection."""

    @property
    def name(self) -> str: ...

    def mqsc(self, text: str) -> list[Answer]: ...

    def log_status(self) -> LogStatus: ...


@dataclass(frozen=True)
class Sample:
    """The answers of one moment."""

    at_s: float  # by a clock that is never set
    time: str  # by the clock on the wall, ISO 8601
    name: str
    records: dict[str, list[Record]]  # by view
    hidden: dict[str, str]  # by view: why there is nothing


@dataclass(frozen=True)
class Snapshot:
    """The rows of all views."""

    name: str
    time: str
    seconds: float | None  # that rates are over
    rows: dict[str, list[Row]]
    hidden: dict[str, str]

    @property
    def queue_manager(self) -> Row:
        """The one row of its view; empty if the user may not see it."""
        rows = self.rows[QUEUE_MANAGER.name]
        return rows[0] if rows else {}

    def to_json(self) -> dict[str, object]:
        """What --json prints."""
        views: dict[str, object] = {view.name: self.rows[view.name] for view in VIEWS}
        views[QUEUE_MANAGER.name] = self.queue_manager or {"name": self.name}
        return {"time": self.time, "interval_s": self.seconds, **views, "hidden": self.hidden}


# ---- asking


def take(connection: Watched, at_s: float, time: str) -> Sample:
    """Ask the queue manager everything once."""
    records: dict[str, list[Record]] = {}
    hidden: dict[str, str] = {}
    for view in VIEWS:
        records[view.name], refusal = _asked(connection, view.command)
        if refusal:
            hidden[view.name] = refusal
    _add_limits(connection, records[QUEUES.name])
    _add_log(connection, records[QUEUE_MANAGER.name])
    for one in records[QUEUE_MANAGER.name]:
        one.update(_totals(records))
    return Sample(at_s, time, connection.name, records, hidden)


def _asked(connection: Watched, command: str) -> tuple[list[Record], str]:
    """The answers to a command, and why the user may not have them."""
    answers = connection.mqsc(command)
    refusals = [one for one in answers if one.reason == MQRC_NOT_AUTHORIZED]
    if refusals:
        first = refusals[0]
        return [], first.detail or message_text(first.message, first.inserts)
    return [dict(one.attributes()) for one in answers if one.ok], ""


def _add_limits(connection: Watched, queues: list[Record]) -> None:
    if not queues:
        return
    limits = {one["QUEUE"]: one["MAXDEPTH"] for one in _asked(connection, DEPTH_LIMITS)[0]}
    for queue in queues:
        if queue["QUEUE"] in limits:
            queue["MAXDEPTH"] = limits[queue["QUEUE"]]


def _add_log(connection: Watched, queue_managers: list[Record]) -> None:
    if not queue_managers:
        return
    try:
        log = asdict(connection.log_status())
    except NotAuthorized:
        return
    queue_managers[0].update({f"log.{name}": value for name, value in log.items()})


def _totals(records: dict[str, list[Record]]) -> Record:
    queues = records[QUEUES.name]
    running = [one for one in records["channels"] if one.get("STATUS") == _RUNNING]
    return {
        "total.queues": len(queues),
        "total.depth": _sum(queues, "CURDEPTH"),
        "total.arrived": _sum(queues, "TOTALIN"),
        "total.left": _sum(queues, "TOTALOUT"),
        "total.megabytes": _sum(queues, "CURFSIZE"),
        "total.channels": len(running),
    }


def _sum(records: list[Record], keyword: str) -> float:
    return sum(_number(one.get(keyword, 0)) or 0 for one in records)


# ---- rows


def snapshot(now: Sample, before: Sample | None = None) -> Snapshot:
    """The rows of a sample; rates are since the sample before."""
    seconds = now.at_s - before.at_s if before is not None else 0.0
    rows: dict[str, list[Row]] = {}
    for view in VIEWS:
        earlier = _by_identity(view, before.records[view.name]) if before and seconds > 0 else {}
        rows[view.name] = [
            _row(view, one, earlier.get(_identity(view, one)), seconds)
            for one in now.records[view.name]
        ]
    return Snapshot(now.name, now.time, seconds if seconds > 0 else None, rows, now.hidden)


def _identity(view: View, record: Record) -> tuple[str, ...]:
    return tuple(str(record.get(keyword, "")) for keyword in view.identity)


def _by_identity(view: View, records: list[Record]) -> dict[tuple[str, ...], Record]:
    return {_identity(view, one): one for one in records}


def _row(view: View, record: Record, earlier: Record | None, seconds: float) -> Row:
    return {one.key: _cell(one, record, earlier, seconds) for one in view.columns}


def _cell(column: Column, record: Record, earlier: Record | None, seconds: float) -> Cell:
    if column.is_text:
        words = [str(record.get(keyword, "")).strip() for keyword in column.source.split("+")]
        return " ".join(words).strip() or None
    if column.kind == SHARE:
        return _share(column.source, record)
    value = _number(record.get(column.source, ""))
    if not column.is_rate:
        return value
    start = None if earlier is None else _number(earlier.get(column.source, ""))
    if value is None or start is None or value < start:  # new, or it counts from 0 again
        return None
    return round((value - start) / seconds, 3)


def _share(source: str, record: Record) -> float | None:
    part, _, whole = source.partition("/")
    value = _number(record.get(part, ""))
    if value is None:
        return None
    if not whole:  # a share already: in percent, but for those of the log
        return round(value if source.startswith("log.") else value / _PERCENT, 4)
    limit = _number(record.get(whole, ""))
    return round(value / limit, 4) if limit else None


def _number(value: Value | float) -> int | float | None:
    if isinstance(value, int | float):
        return value
    return int(value) if value.strip().isdecimal() else None


# ---- which rows, in which order


def chosen(
    view: View, rows: list[Row], order: str, descending: bool, text: str = "", system: bool = True
) -> list[Row]:
    """The rows that have a text in one of their words, sorted by a column; rows without a value
    come last. Without `system`, objects whose names begin with SYSTEM. are left out."""
    words = [one.key for one in view.columns if one.is_text]
    wanted = text.casefold()
    found = [
        row
        for row in rows
        if (system or not str(row[words[0]] or "").startswith(_SYSTEM))
        and any(wanted in str(row[key] or "").casefold() for key in words)
    ]
    found.sort(key=lambda row: str(row[words[0]] or ""))
    known = [row for row in found if row[order] is not None]
    unknown = [row for row in found if row[order] is None]
    known.sort(key=lambda row: _sort_key(row[order]), reverse=descending)
    return known + unknown


def _sort_key(value: Cell) -> tuple[float, str]:
    return (0.0, value.casefold()) if isinstance(value, str) else (float(value or 0), "")
