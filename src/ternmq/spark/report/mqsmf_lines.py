"""Lines of the reports that MQSMF prints, as columns of Spark.

MQSMF (of SupportPac MP1B) prints each record under a head of two lines: system, queue manager,
date, time and level, and the interval. What follows is lines of labels and values. Each line is
an expression over the row of a section; lines whose value the level of the record does not have are
null, and `text` leaves them out. Times are local to the system that wrote the record, as there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ternmq.spark.frames.functions import f

if TYPE_CHECKING:
    from pyspark.sql import Column


_MOMENT: Final = "yyyy/MM/dd,HH:mm:ss"
ORDER: Final = ("QMgr", "LPAR", "Time_UTC", "Record_File", "Record_Position")


def text(*lines: Column) -> Column:
    """Lines one below the other."""
    return f.concat_ws("\n", *lines)


def written() -> Column:
    """Which queue manager wrote the record, and when."""
    return f.concat_ws(
        ",",
        "LPAR",
        "QMgr",
        f.date_format("Time", _MOMENT),
        f.concat(f.lit("VRM:"), f.col("MQ_Version")),
        f.lit(""),
    )


def interval() -> Column:
    """The interval of the record."""
    length = f.col("Interval_Duration_US")
    line = f.format_string(
        "From %s to %s, duration %s seconds.",
        local(f.unix_micros("Interval_Start")),
        local(f.unix_micros("Interval_Start") + length),
        whole_or_exact(length),
    )
    return f.when(f.col("Interval_Start").isNotNull() & length.isNotNull(), line)


def local(micros: Column) -> Column:
    """Microseconds of an instant, as the clock of the system that wrote the record showed it."""
    seconds = (micros + f.coalesce(f.col("Zone_Offset"), f.lit(0)) * 1_000_000) / 1_000_000
    moment = f.lit("1970-01-01").cast("timestamp_ntz") + f.make_dt_interval(secs=seconds)
    return f.date_format(moment, _MOMENT)


def local_moment(name: str) -> Column:
    """A column that is an instant, in the same way; nothing if there was none."""
    return f.when(f.col(name).isNotNull(), local(f.unix_micros(name)))


def whole_or_exact(micros: Column) -> Column:
    """Seconds, with decimals only where there are any."""
    whole = f.format_string("%d", f.floor(micros / 1_000_000))
    return f.when(micros % 1_000_000 == 0, whole).otherwise(
        f.format_string("%.6f", micros / 1_000_000)
    )


def counts(*pairs: tuple[str, str]) -> Column:
    """Labels and counts on one line; those that the level does not have are left out."""
    return f.nullif(
        f.concat_ws(
            ", ",
            *(
                f.when(f.col(name).isNotNull(), f.format_string(f"{label:<12}%10d", f.col(name)))
                for label, name in pairs
            ),
        ),
        f.lit(""),
    )


def fact(label: str, value: Column, unit: str = "", name: Column | None = None) -> Column:
    """A label, a value with its unit, and the name that the line is about."""
    said = f.concat(value.cast("string"), f.lit(f" {unit}")) if unit else value.cast("string")
    line = f.format_string(f"{label:<30} %18s", said)
    if name is not None:
        line = f.concat_ws(" ", line, name)
    return f.when(value.isNotNull(), line)


def said(label: str, value: Column, unit: str = "") -> Column:
    """A label and a value, one blank between them."""
    line = f.concat(f.lit(f"{label} "), value.cast("string"), f.lit(f" {unit}" if unit else ""))
    return f.when(value.isNotNull(), line)


def mean(part: str, count: str) -> Column:
    """A total through how many times, rounded; nothing where there was none."""
    return f.when(f.col(count) > 0, f.round(f.col(part) / f.col(count)).cast("bigint"))


def some(name: str) -> Column:
    """A column where it is not zero; lines of what did not happen would hide the others."""
    return f.when(f.col(name) != 0, f.col(name))


def percent(part: Column, whole: Column) -> Column:
    return f.when(whole > 0, part / whole * 100)


def ordered(*more: str) -> Sequence[str]:
    """The order of a report: queue manager, time, place in the dump."""
    return (*ORDER, *more)
