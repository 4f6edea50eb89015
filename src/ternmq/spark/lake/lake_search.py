"""Looking for messages in the lake: by identifier, property, queue, time, text, any condition.

A `Search` becomes conditions that Spark turns into few reads: time and queue choose folders, an
identifier or a property chooses files by their Bloom filters, the rest is compared row by row.
Conditions that are not given do not restrict; those that are given must all hold.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from ternmq.spark.frames.functions import f, is_in_process
from ternmq.spark.lake import property_index
from ternmq.spark.lake.lake_selection import required, selected
from ternmq.spark.lake.lake_table import OWN_COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ID_BYTES: Final = 24
LINE: Final = ("put_timestamp", "queue", "seq", "msg_id", "format", "bytes", "text")


class Search(NamedTuple):
    """What is looked for."""

    queue: str = ""  # a name, or a beginning and an asterisk
    queue_manager: str = ""
    msg_id: bytes = b""  # fewer than 24 bytes: all that begin so
    correl_id: bytes = b""
    group_id: bytes = b""
    properties: tuple[tuple[str, str | None], ...] = ()  # name and value; None is any value
    since: datetime | None = None
    until: datetime | None = None  # up to before this
    text: str = ""  # a part of the text
    where: str = ""  # a condition in SQL over the columns of the lake
    selector: str = ""  # a selection string over the properties


def found(messages: DataFrame, search: Search) -> DataFrame:
    """The messages of a lake, of a batch or a stream, that a search is for."""
    if search.selector:
        held = (*search.properties, *required(search.selector))
        few = found(messages, search._replace(selector="", properties=held))
        return selected(few, search.selector)
    is_indexed = property_index.INDEX in messages.columns and not (
        messages.isStreaming or is_in_process()  # where all rows are looked at anyway
    )
    if not search.properties or not is_indexed:
        return _where(messages, conditions(search))
    # Two looks, each of which leaves files out; one condition for both would leave out none.
    indexed = _where(messages, conditions(search, is_indexed=True))
    others = _where(messages.where(property_index.is_without()), conditions(search))
    return indexed.unionByName(others)


def _where(messages: DataFrame, all_of: list[Column]) -> DataFrame:
    for condition in all_of:
        messages = messages.where(condition)
    return messages


def conditions(search: Search, is_indexed: bool = False) -> list[Column]:
    """What must hold, cheapest first; `is_indexed`: the rows have an index of their properties."""
    all_of: list[Column] = [*within(search.since, search.until)]
    if search.queue:
        all_of.append(named("queue", search.queue))
    if search.queue_manager:
        all_of.append(named("queue_manager", search.queue_manager))
    for column in ("msg_id", "correl_id", "group_id"):
        wanted: bytes = getattr(search, column)
        if wanted:
            all_of.append(identified(column, wanted))
    for name, value in search.properties:
        if is_indexed:
            all_of.append(property_index.may_have(name, value))
        held = f.col("properties")[name]
        all_of.append(held.isNotNull() if value is None else held == f.lit(value))
    if search.text:
        all_of.append(f.contains(f.col("text"), f.lit(search.text)))
    if search.where:
        all_of.append(f.expr(search.where))
    return all_of


def within(since: datetime | None, until: datetime | None) -> list[Column]:
    """Put between two moments; days choose folders, the moments themselves rows."""
    all_of: list[Column] = []
    if since is not None:
        moment = since.astimezone(UTC)
        all_of += [
            f.col("put_date") >= f.lit(moment.date()),
            f.col("put_timestamp") >= f.lit(moment),
        ]
    if until is not None:
        moment = until.astimezone(UTC)
        all_of += [
            f.col("put_date") <= f.lit(moment.date()),
            f.col("put_timestamp") < f.lit(moment),
        ]
    return all_of


def named(column: str, name: str) -> Column:
    """A name as MQSC takes it: whole, or the beginning before an asterisk."""
    if name.endswith("*"):
        return f.col(column).startswith(name[:-1])
    return f.col(column) == f.lit(name)


def identified(column: str, wanted: bytes) -> Column:
    """An identifier whole, or its first bytes."""
    literal = f.lit(bytearray(wanted))
    if len(wanted) == ID_BYTES:
        return f.col(column) == literal
    return f.startswith(f.col(column), literal)


_ID: Final = re.compile(r"(?:[0-9A-Fa-f]{2}){1,24}")


def identifier(given: str) -> bytes:
    """An identifier as people paste it: hexadecimal digits, perhaps with ID: or 0x before, or
    spaces within. ValueError if it is not an identifier."""
    digits = re.sub(r"^(?:ID:|0[xX]|X')|[ ']", "", given.strip())
    if _ID.fullmatch(digits) is None:
        raise ValueError(
            f"an identifier is up to {2 * ID_BYTES} hexadecimal digits, two a byte, not {given!r}"
        )
    return bytes.fromhex(digits)


def days(messages: DataFrame) -> DataFrame:
    """How many messages there are of each day and queue."""
    return (
        messages.groupBy("put_date", "queue_manager", "queue")
        .agg(f.count(f.lit(1)).alias("messages"), f.sum(f.length("body")).alias("bytes"))
        .orderBy("put_date", "queue_manager", "queue")
    )


def shown(messages: DataFrame, whole: bool, limit: int) -> DataFrame:
    """The newest messages for eyes and for JSON: bytes in hexadecimal, times in UTC. `whole` is
    every column, else those of a line."""
    by = (f.desc("put_timestamp"), f.desc("seq"), "queue_manager", "queue")
    newest = messages.orderBy(*by).limit(limit)
    columns = [column_shown(name, kind) for name, kind in newest.dtypes if name not in OWN_COLUMNS]
    frame = newest.select(*columns, f.length("body").alias("bytes"))
    return frame if whole else frame.select(*LINE)


def column_shown(name: str, kind: str) -> Column:
    """One column as text or number."""
    column = f.col(name)
    if kind == "binary":
        column = f.hex(column)
    elif kind == "timestamp":
        utc = f.to_utc_timestamp(column, f.current_timezone())
        column = f.date_format(utc, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'")
    return column.alias(name)
