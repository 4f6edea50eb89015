"""Metrics in Prometheus' text format, version 0.0.4, by the table in `metric_rows`.

    # HELP ibmmq_queue_depth messages on the queue
    # TYPE ibmmq_queue_depth gauge
    ibmmq_queue_depth{cluster="-",description="-",platform="UNIX",qmgr="QM1",queue="Q",...} 3

Samples of one metric stand together, as the format wants it. Labels are those of the exporter for
its names (a text that is empty is "-", as there), and only qmgr for the container's. In a label's
value backslash, quote and line end are escaped. The text comes in pieces, because that of 10,000
queues is long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, final

from ternmq.telemetry.metrics import metric_rows as rows
from ternmq.telemetry.metrics.metric_rows import MetricRow
from ternmq.telemetry.source import Sources, Value

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
BOTH: Final = "Both"
EXPORTER: Final = "Exporter"
CONTAINER: Final = "Container"
PIECE_LINES: Final = 1000
PLATFORM: Final = "UNIX"
_SECOND_NS: Final = 1_000_000_000
_OF_SCHEME: Final = {
    BOTH: rows.EXPORTER + rows.CONTAINER + rows.OWN,
    EXPORTER: rows.EXPORTER + rows.OWN,
    CONTAINER: rows.CONTAINER + rows.OWN,
}


@final
class Subject:
    """What has values: the queue manager, a queue, an instance of a channel."""

    __slots__ = ("is_used", "labels", "root", "short_labels")

    def __init__(
        self, root: object, labels: dict[str, str], short: dict[str, str], is_used: bool = True
    ) -> None:
        self.root = root
        self.labels = labels_text(labels)
        self.short_labels = labels_text(short)
        self.is_used = is_used


def labels_text(labels: dict[str, str]) -> str:
    """{a="1",b="2"}, by name."""
    parts = [f'{name}="{escaped(labels[name])}"' for name in sorted(labels)]
    return "{" + ",".join(parts) + "}"


def escaped(text: str) -> str:
    """A label's value inside its quotes."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def chosen(about: str, scheme: str) -> list[MetricRow]:
    """The metrics of one kind of object in a scheme; a name that two have, once."""
    letters = _OF_SCHEME[scheme]
    found: dict[str, MetricRow] = {}
    for row in rows.ROWS:
        if row.about == about and row.scheme in letters:
            found.setdefault(row.name, row)
    return list(found.values())


def metrics_text(subjects: Mapping[str, Sequence[Subject]], scheme: str = BOTH) -> Iterator[str]:
    """All metrics of what there is, in pieces."""
    for about in (rows.QMGR, rows.QUEUE, rows.CHANNEL):
        table = chosen(about, scheme)
        some = subjects.get(about, ())
        if table and some:
            yield from _of_kind(table, some)


def _of_kind(table: list[MetricRow], subjects: Sequence[Subject]) -> Iterator[str]:
    sources = Sources([row.source for row in table])
    values = [sources.of(one.root) for one in subjects]
    for place, row in enumerate(table):
        lines = [f"# HELP {row.name} {row.help}", f"# TYPE {row.name} {row.kind}"]
        used_only = row.name in rows.USED_ONLY
        for one, found in zip(subjects, values, strict=True):
            if used_only and not one.is_used:
                continue
            labels = one.short_labels if row.scheme == rows.CONTAINER else one.labels
            lines.append(f"{row.name}{labels} {_shown(row, found[place])}")
            if len(lines) >= PIECE_LINES:
                yield "\n".join(lines) + "\n"
                lines = []
        if lines:
            yield "\n".join(lines) + "\n"


def _shown(row: MetricRow, value: Value) -> str:
    number = int(value)
    if row.unit == rows.SECONDS:
        return repr(number / _SECOND_NS)
    return str(number)
