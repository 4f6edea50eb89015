"""What the sections of a page share: a survey of the tables, charts, words of the overview."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from ternmq.spark.report.charts import Mark, Series, lines, sparkline
from ternmq.spark.report.numbers import COUNT, RATE, shown, shown_time_of, top_of
from ternmq.spark.report.page import Tile
from ternmq.spark.report.report_data import Lines, Period, Survey
from ternmq.spark.report.report_tables import Tables


class Maker:
    """Asks the tables for what the sections of one page share."""

    def __init__(self, tables: Tables, survey: Survey, period: Period) -> None:
        self.tables: Final = tables
        self.survey: Final = survey
        self.period: Final = period
        self.tiles: Final[list[Tile]] = []
        self.charts: Final[list[str]] = []
        self.words: Final[list[str]] = []
        self.findings = 0
        self.anomalies: list[dict[str, Any]] = []

    def has(self, name: str) -> bool:
        return self.survey.has(name)

    def time_of(self, moment: datetime) -> str:
        """A moment, for words."""
        return shown_time_of(moment, (self.period.last - self.period.first).total_seconds())


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
) -> str:
    """A chart of lines; nothing where there is no line."""
    chosen = colours or {}
    series = [
        Series(name, values, area, chosen.get(name, 0))
        for name, values in found.values.items()
        if known(values)
    ]
    if not series or not found:
        return ""
    return lines(
        title,
        found.times,
        series,
        unit=unit,
        about=about,
        marks=marks,
        ceiling=ceiling,
        wide=wide,
    )


def known(values: Sequence[float | None]) -> bool:
    return any(value is not None for value in values)


def only(found: Lines, names: Sequence[str]) -> Lines:
    return Lines(found.times, {name: found.values[name] for name in names if name in found.values})


def relabelled(found: Lines, labels: Mapping[str, str]) -> Lines:
    """Only the lines that have a label, under it, and only if anything happened on them."""
    return Lines(
        found.times,
        {labels[name]: v for name, v in found.values.items() if name in labels and top_of(v)},
    )


def mean(values: Sequence[float | None]) -> float:
    some = [value for value in values if value is not None]
    return sum(some) / len(some) if some else 0.0


def spark_of(found: Lines, name: str, colour: int) -> str:
    return sparkline(found.values.get(name, []), colour)


def at_top(times: Sequence[datetime], values: Sequence[float | None]) -> str:
    """The highest, and when."""
    highest = top_of(values)
    when = next((t for t, v in zip(times, values, strict=True) if v == highest), times[0])
    span_s = (times[-1] - times[0]).total_seconds()
    return f"{shown(highest, RATE)} at {shown_time_of(when, span_s)}"


def add_rates(maker: Maker, rates: Lines, total: int) -> None:
    """Tiles, the first chart and the first sentence: how much went through."""
    put, got = rates.values["put"], rates.values["got"]
    for label, values, colour in (("Messages put", put, 1), ("Messages got", got, 2)):
        note = f"at most {at_top(rates.times, values)}"
        maker.tiles.append(Tile(label, shown(mean(values), RATE), note, sparkline(values, colour)))
    maker.words.append(
        f"{total:,} messages came in, {shown(mean(put), RATE)} on average and at most "
        f"{at_top(rates.times, put)}."
    )
    series = [Series("put", put, True), Series("got", got)]
    maker.charts.append(
        lines(
            "Messages a second",
            rates.times,
            series,
            unit=RATE,
            about="all queues together",
            wide=True,
        )
    )


def add_depth(maker: Maker, row: Mapping[str, Any], depths: Lines) -> None:
    """A tile and a sentence: the deepest queue."""
    name, deepest = row["name"], row["deepest"]
    spark = spark_of(depths, name, 3)
    maker.tiles.append(Tile("Deepest queue", shown(deepest), name, spark))
    maker.words.append(f"The deepest queue was {name}, with {deepest:,} messages.")


def add_calls(maker: Maker, found: Lines) -> None:
    """Tiles from the calls, where no queue reports statistics."""
    for name, label, colour in (("put_per_s", "Puts", 1), ("get_per_s", "Gets", 2)):
        values = found.values[name]
        note = f"at most {at_top(found.times, values)}"
        maker.tiles.append(Tile(label, shown(mean(values), RATE), note, sparkline(values, colour)))
