"""What the sections of a page share: a survey of the tables, charts, words of the overview."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from ternmq.spark.report import report_data as data
from ternmq.spark.report.charts import COLOURS, Mark, Series, lines
from ternmq.spark.report.numbers import (
    COUNT,
    MICROSECONDS,
    NOTHING,
    RATE,
    shown,
    shown_time_of,
    top_of,
)
from ternmq.spark.report.page import Card, Tile
from ternmq.spark.report.point_lines import Lines, Period
from ternmq.spark.report.report_data import Rates, Survey
from ternmq.spark.report.report_tables import Tables
from ternmq.spark.report.spikes import spike_of

MANAGERS_MAX: Final = 8  # queue managers that a chart has lines of
SPIKES_MAX: Final = 10


class Maker:
    """Asks the tables for what the sections of one page share."""

    def __init__(self, tables: Tables, survey: Survey, period: Period) -> None:
        self.tables: Final = tables
        self.survey: Final = survey
        self.period: Final = period
        self.tiles: Final[list[Tile]] = []
        self.charts: Final[list[str]] = []
        self.words: Final[list[str]] = []
        self.spikes: Final[list[Card]] = []
        self.findings = 0
        # A queue manager has the same colour in all charts.
        self.colours: Final = {name: n % COLOURS + 1 for n, name in enumerate(survey.managers)}

    @cached_property
    def anomalies(self) -> list[dict[str, Any]]:
        return data.anomaly_rows(self.tables["anomalies"]) if self.has("anomalies") else []

    def has(self, name: str) -> bool:
        return self.survey.has(name)

    def time_of(self, moment: datetime) -> str:
        """A moment, for words."""
        return shown_time_of(moment, self.period.first, self.period.last)

    def is_one(self) -> bool:
        """Whether the page is about one queue manager."""
        return len(self.survey.managers) <= 1

    def add_spikes(self, found: Lines, words: str) -> None:
        """Findings about lines that have a spike; `words` say what took so long, with places for
        the {name} of the line and the {time}."""
        for name, values in found.values.items():
            spike = spike_of(values)
            if spike is None:
                continue
            when = found.words(name, spike.place)
            again = f", {spike.times:,} times" if spike.times > 1 else ""
            self.spikes.append(
                Card(
                    "Latency spike",
                    f"{words.format(name=name, time=shown(spike.value, MICROSECONDS))}; "
                    f"{shown(spike.usual, MICROSECONDS)} is usual.",
                    f"{when}{again}",
                    "warning",
                )
            )


def manager_chart(
    maker: Maker, title: str, found: Lines, *, about: str = "", one: str = "", **chosen: Any
) -> str:
    """A chart with a line for each queue manager; of one queue manager `one` is its name."""
    some = busiest_first(found)
    if maker.is_one() and one:
        some = some.renamed(dict.fromkeys(some.values, one))
    more = len(some.values) - MANAGERS_MAX
    if more > 0:
        some = some.only(list(some.values)[:MANAGERS_MAX])
        about = f"{about}; {more} more queue managers are not shown".removeprefix("; ")
    is_named = not maker.is_one()
    return chart(title, some, about=about, colours=maker.colours, is_named=is_named, **chosen)


def busiest_first(found: Lines) -> Lines:
    """Lines with the highest values first; those on which nothing happened are left out."""
    busy = {name: top_of(values) for name, values in found.values.items()}
    names = [name for name in sorted(busy, key=lambda one: (-busy[one], one)) if busy[name]]
    return found.only(names)


def chart(
    title: str,
    found: Lines,
    *,
    unit: str = COUNT,
    about: str = "",
    area: bool = False,
    marks: Sequence[Mark] = (),
    ceiling: float = 0.0,
    wide: bool = False,
    colours: Mapping[str, int] | None = None,
    is_named: bool = False,
) -> str:
    """A chart of lines; nothing where there is no line."""
    chosen = colours or {}
    series = [
        Series(name, values, area, chosen.get(name, 0), found.breaks[name])
        for name, values in found.values.items()
        if any(value is not None for value in values)
    ]
    if not series or not found:
        return ""
    return lines(
        title,
        found.moments,
        series,
        unit=unit,
        about=about,
        marks=marks,
        ceiling=ceiling,
        wide=wide,
        is_named=is_named,
    )


def together(lines_of: Mapping[str, Lines]) -> Lines:
    """Lines of one queue manager, by what they show; all are of the same query."""
    first = next(iter(lines_of.values()))
    values = {label: next(iter(one.values.values())) for label, one in lines_of.items() if one}
    breaks = {label: next(iter(one.breaks.values())) for label, one in lines_of.items() if one}
    spans = {label: next(iter(one.spans.values())) for label, one in lines_of.items() if one}
    return Lines(first.moments, values, breaks, spans)


def small(found: Lines, colour: int) -> str:
    """A small picture of the line of one queue manager; of several none, as each has its own."""
    return found.small(next(iter(found.values)), colour) if len(found.values) == 1 else ""


def at_top(found: Lines, name: str, unit: str = RATE) -> str:
    """The highest of a line, and when that was."""
    values = found.values[name]
    highest = top_of(values)
    place = next((n for n, value in enumerate(values) if value == highest), None)
    if place is None:
        return NOTHING
    return f"{shown(highest, unit)}, {found.words(name, place)}"


def add_rates(maker: Maker, totals: Sequence[Rates], rates: Mapping[str, Lines]) -> None:
    """Tiles, the first chart and the first sentences: how much went through."""
    for label, name, colour in (("Messages put", "put", 1), ("Messages got", "got", 2)):
        found = rates[name]
        spark = small(found, colour)
        if len(totals) == 1:
            rate = totals[0].put_rate if name == "put" else totals[0].got_rate
            note = f"highest {at_top(found, totals[0].manager)}"
            maker.tiles.append(Tile(label, shown(rate, RATE), note, spark))
        else:
            each = {t.manager: t.put_rate if name == "put" else t.got_rate for t in totals}
            known = [rate for rate in each.values() if rate is not None]
            total = shown(sum(known) if known else None, RATE)
            maker.tiles.append(Tile(f"{label}, all together", total, by_name(each), spark))
    for one in totals[:MANAGERS_MAX]:
        name = "" if len(totals) == 1 else f"{one.manager}: "
        maker.words.append(
            f"{name}{one.puts:,} messages were put, {shown(one.put_rate, RATE)} on average; the "
            f"highest rate was {at_top(rates['put'], one.manager)}."
        )
    add_rate_charts(maker, rates)


def add_rate_charts(maker: Maker, rates: Mapping[str, Lines]) -> None:
    """One queue manager has both lines in one chart; of several each has a line in two charts."""
    if maker.is_one():
        found = together({"put": rates["put"], "got": rates["got"]})
        series = [
            Series(name, found.values[name], name == "put", breaks=found.breaks[name])
            for name in ("put", "got")
        ]
        about = "all queues together"
        maker.charts.append(
            lines("Messages per second", found.moments, series, unit=RATE, about=about, wide=True)
        )
        return
    for title, name in (("Messages put per second", "put"), ("Messages got per second", "got")):
        about = "all queues of each queue manager"
        maker.charts.append(manager_chart(maker, title, rates[name], unit=RATE, about=about))


def add_depth(maker: Maker, row: Mapping[str, Any], depths: Lines) -> None:
    """A tile and a sentence: the deepest queue."""
    name, deepest = row["name"], row["deepest"]
    maker.tiles.append(Tile("Deepest queue", shown(deepest), name, depths.small(name, 3)))
    maker.words.append(f"The deepest queue was {name}, with {deepest:,} messages.")


def add_calls(maker: Maker, found: Mapping[str, Lines]) -> None:
    """Tiles from the calls, where no queue reports statistics."""
    for name, label, colour in (("put_per_s", "MQPUT calls", 1), ("get_per_s", "MQGET calls", 2)):
        own = found[name]
        each = own.means()
        total = [rate for rate in each.values() if rate is not None]
        if not total:
            continue
        note = by_name(each)
        if len(each) == 1:
            note = f"highest {at_top(own, next(iter(each)))}"
        maker.tiles.append(Tile(label, shown(sum(total), RATE), note, small(own, colour)))


def by_name(rates: Mapping[str, float | None], unit: str = RATE) -> str:
    """Some rates with their names."""
    return ", ".join(f"{name} {shown(rate, unit)}" for name, rate in list(rates.items())[:4])
