"""ternmq lake: what is in the lake of messages, and looking for messages in it."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any, Final

from ternmq.base.words import count_text
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import terminal_columns, write, write_error, write_json
from ternmq.cli.tools.lake_arguments import add_choice, search_of
from ternmq.cli.tools.spark_command import has_arrow, in_spark, without_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ABOUT: Final = """\
The lake of a warehouse: streamed copies of messages, by day and queue.

  find   show messages by identifier, property, queue, time or any condition
  days   how many messages there are of each day and queue
"""
NAME: Final = "ternmq lake"
OK: Final = 0
NOT_FOUND: Final = 10
BAD_ARGUMENTS: Final = 36
LIMIT: Final = 20


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine(NAME, ABOUT, BAD_ARGUMENTS)
    line.add_argument(
        "action", choices=("find", "days"), help="find messages, or list days and queues"
    )
    line.add_argument("warehouse", metavar="WAREHOUSE", help="the folder that the pipeline fills")
    add_choice(line)
    line.add_argument("--limit", type=int, default=LIMIT, help=f"show so many at most ({LIMIT})")
    line.add_argument("--full", action="store_true", help="every field, and the data")
    line.add_argument("--master", default="", help="use Spark, on this; little is read without")
    line.add_argument("--quiet", action="store_true", help="do not show progress")
    line.add_json()
    asked = line.parse_args(argv)
    if asked.limit < 1:
        line.error(f"--limit is {asked.limit}; it is 1 or more")
    work = _Work(asked)
    if not asked.master and has_arrow() and work.is_small():
        return without_spark(NAME, work.done_here)
    return in_spark(NAME, asked.master, asked.quiet, work.done)


class _Work:
    """What is done, on Spark or in this process."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self._asked: Final = asked

    def done(self, spark: SparkSession) -> int:
        from ternmq.spark.lake.lake_search import found
        from ternmq.spark.pipeline.served_tables import table

        messages = found(table(spark, self._asked.warehouse, "messages"), search_of(self._asked))
        return self._days(messages) if self._asked.action == "days" else self._find(messages)

    def is_small(self) -> bool:
        """Whether there is little to look through. What is wrong is reported by the search."""
        from ternmq.spark.errors import SparkError
        from ternmq.spark.lake.small_search import is_small

        try:
            return is_small(os.path.abspath(self._asked.warehouse), search_of(self._asked))
        except (SparkError, ValueError):
            return True
        except OSError:  # a file that the lake lists is gone: Spark knows what to do
            return False

    def done_here(self) -> int:
        from ternmq.spark.lake.small_search import files_for, found_here

        search = search_of(self._asked)
        messages = found_here(files_for(os.path.abspath(self._asked.warehouse), search), search)
        if messages is None:
            return self._nothing()
        return self._days(messages) if self._asked.action == "days" else self._find(messages)

    def _nothing(self) -> int:
        if self._asked.json:
            write_json([])
        return NOT_FOUND

    def _days(self, messages: DataFrame) -> int:
        from ternmq.spark.lake.lake_search import days

        rows = [row.asDict() for row in days(messages).collect()]
        if self._asked.json:
            write_json([{**row, "put_date": str(row["put_date"])} for row in rows])
        for row in rows if not self._asked.json else ():
            write(
                f"{row['put_date']}  {row['queue_manager']}  {row['queue']}  "
                f"{count_text(row['messages'], 'message')}, {count_text(row['bytes'], 'byte')}"
            )
        return OK if rows else NOT_FOUND

    def _find(self, messages: DataFrame) -> int:
        from ternmq.spark.lake.lake_search import shown

        asked = self._asked
        frame = shown(messages, whole=asked.full or asked.json, limit=asked.limit + 1)
        rows = [row.asDict() for row in frame.collect()]
        more = len(rows) > asked.limit
        del rows[asked.limit :]
        if asked.json:
            write_json(rows)
        elif asked.full:
            for row in rows:
                _write_whole(row)
        else:
            _write_lines(rows)
        if more:
            write_error(f"ternmq lake: there are more; --limit shows more than {asked.limit}")
        return OK if rows else NOT_FOUND


def _write_lines(rows: list[dict[str, Any]]) -> None:
    """A line for each message; on a terminal cut at its edge."""
    cells = [[str(value if value is not None else "") for value in row.values()] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
    room = terminal_columns()
    for line in cells:
        padded = "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        shown = " ".join(padded.splitlines()).rstrip()
        write(shown if len(shown) <= (room or len(shown)) else f"{shown[: room - 3]}...")


def _write_whole(row: dict[str, Any]) -> None:
    """A message field by field; what it does not have is left out."""
    width = max(len(name) for name in row)
    for name, value in row.items():
        if value not in (None, "", {}):
            write(f"{name.ljust(width)} : {value}")
    write()
