"""ternmq replay: messages of the lake put back on a queue, none twice however often it is begun."""

from __future__ import annotations

import argparse
import hashlib
import json
from typing import TYPE_CHECKING, Final

from ternmq.base.words import count_text
from ternmq.cli.arguments import CommandLine
from ternmq.cli.connection_arguments import add_connection, connection_of
from ternmq.cli.output import write, write_json
from ternmq.cli.tools.counting import Counting
from ternmq.cli.tools.lake_arguments import add_choice, search_of
from ternmq.cli.tools.spark_command import in_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ternmq.spark.lake.replay_plan import Plan

ABOUT: Final = """\
Put messages of the lake back on a queue, in the order in which they were put once.

The same command given again goes on where it was ended or killed, and puts nothing twice; when all
is put, it says so and does nothing. --again makes a new replay of it.
"""
OK: Final = 0
NOTHING: Final = 10
BAD_ARGUMENTS: Final = 36
FOLDER: Final = "_replays"
_PLACE: Final = ("queueManager", "connName", "ccdtUrl", "path")


def main(argv: list[str]) -> int:
    """Run the command."""
    line = _line()
    asked = line.parse_args(argv)
    if not asked.to and "queue" not in dict(asked.set):
        line.error("where to? --to QUEUE, or --set queue=... for each message its own")
    if asked.rate < 0:
        line.error(f"--rate is {asked.rate}; it is 0 (no limit) or more messages a second")
    return in_spark("ternmq replay", asked.master, asked.quiet, _Work(asked).done)


def _line() -> CommandLine:
    line = CommandLine("ternmq replay", ABOUT, BAD_ARGUMENTS)
    line.add_argument("warehouse", metavar="WAREHOUSE", help="the folder that the pipeline fills")
    line.add_argument("--to", metavar="QUEUE", default="", help="where the messages go")
    add_choice(line)
    how = line.add_argument_group("how")
    how.add_argument(
        "--set",
        metavar="COLUMN=SQL",
        type=_change,
        action="append",
        default=[],
        help="rewrite: priority=9, \"text=replace(text, 'EUR', 'USD')\", msg_id=null for new ones",
    )
    how.add_argument("--rate", type=float, default=0.0, help="messages a second; 0: no limit")
    how.add_argument(
        "--keep-context", action="store_true", help="who put them and when; needs +setall"
    )
    how.add_argument(
        "--bad-properties",
        choices=("fail", "skip"),
        default="fail",
        help="those that cannot be put, for their type or value: say so and put nothing, or go "
        "without them",
    )
    how.add_argument("--name", default="", help="of the replay; made of the arguments if left out")
    how.add_argument("--again", action="store_true", help="a new replay, also if there was one")
    how.add_argument("--dry-run", action="store_true", help="say how many, and put nothing")
    line.add_argument("--master", default="", help="of Spark; local[*] if left out")
    line.add_argument("--quiet", action="store_true", help="do not show progress")
    line.add_json()
    add_connection(line)
    return line


def _change(text: str) -> tuple[str, str]:
    name, equals, values = text.partition("=")
    if not name or not equals or not values:
        raise argparse.ArgumentTypeError(f"{text!r} is not a change; priority=9 is")
    return name.strip(), values


class _Work:
    """What is done once Spark runs."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self._asked: Final = asked
        self._name: Final = asked.name or _name(asked)

    def done(self, spark: SparkSession) -> int:
        from ternmq.spark.lake.replaying import done, forget_messages, replay

        asked = self._asked
        if asked.dry_run:
            return self._report_count(spark)
        plan = self._plan(spark)
        begun = done(plan)
        before = min(begun * plan.batch_messages, plan.messages)
        put = before
        with Counting("ternmq replay", "messages", plan.messages, quiet=asked.quiet) as progress:
            for sent in replay(
                spark,
                plan,
                connection_of(asked),
                asked.to,
                rate=asked.rate,
                keep_context=asked.keep_context,
            ):
                put = sent.messages
                progress.at(put)
        forget_messages(plan)
        self._report(plan, put - before)
        return OK if plan.messages else NOTHING

    def _folder(self) -> str:
        from ternmq.spark.lake.replay_plan import check_name

        return f"{self._asked.warehouse.rstrip('/')}/{FOLDER}/{check_name(self._name)}"

    def _plan(self, spark: SparkSession) -> Plan:
        from ternmq.spark.lake import replay_plan
        from ternmq.spark.lake.lake_search import found
        from ternmq.spark.lake.replaying import batch_messages
        from ternmq.spark.pipeline.served_tables import table

        asked = self._asked
        folder = self._folder()
        plan = None if asked.again else replay_plan.read(folder)
        if plan is not None:
            if plan.about != _about(asked):
                raise ValueError(
                    f"there is a replay {self._name} of other arguments: {plan.about}; "
                    "--again makes a new one in its place"
                )
            return plan
        chosen = found(table(spark, asked.warehouse, "messages"), search_of(asked))
        replay_plan.remove(folder)
        size = batch_messages(asked.rate)
        changes = dict(asked.set)
        return replay_plan.make(
            chosen, folder, size, changes, _about(asked), bad_properties=asked.bad_properties
        )

    def _report_count(self, spark: SparkSession) -> int:
        from ternmq.spark.lake.lake_search import found
        from ternmq.spark.lake.replay_plan import rewritten
        from ternmq.spark.lake.replay_properties import unfit
        from ternmq.spark.pipeline.served_tables import table

        chosen = found(table(spark, self._asked.warehouse, "messages"), search_of(self._asked))
        messages = rewritten(chosen, dict(self._asked.set))
        count, wrong = messages.count(), unfit(messages)
        if self._asked.json:
            write_json({"messages": count, "put": 0, "bad_properties": wrong.messages})
        else:
            write(f"{count_text(count, 'message')} would be put")
        if wrong.messages and not self._asked.json:
            write(f"{wrong.messages} have properties that cannot be put: {wrong.example}")
        return OK if count else NOTHING

    def _report(self, plan: Plan, put: int) -> None:
        if self._asked.json:
            values = {"name": self._name, "messages": plan.messages, "put": put}
            write_json({**values, "without_properties": plan.without, "owner": plan.owner})
        elif put or not plan.messages:
            without = f", {plan.without} without some of their properties" if plan.without else ""
            write(
                f"{put} of {count_text(plan.messages, 'message')} put{without}; replay {self._name}"
            )
        else:
            messages = count_text(plan.messages, "message")
            write(f"replay {self._name}: {messages}, all put before")


def _about(asked: argparse.Namespace) -> str:
    """The arguments that make one replay another, in words that can be compared."""
    values = {
        "to": asked.to,
        "set": dict(asked.set),
        "queue": asked.queue,
        "of": asked.of,
        "id": asked.id,
        "correl_id": asked.correl_id,
        "group_id": asked.group_id,
        "property": asked.property,
        "selector": asked.selector,
        "since": asked.since.text if asked.since else "",
        "until": asked.until.text if asked.until else "",
        "text": asked.text,
        "where": asked.where,
        "where to": [connection_of(asked).get(name, "") for name in _PLACE],
        "keep_context": asked.keep_context or "",
        "bad_properties": "" if asked.bad_properties == "fail" else asked.bad_properties,
    }
    return json.dumps({name: value for name, value in values.items() if value}, sort_keys=True)


def _name(asked: argparse.Namespace) -> str:
    return hashlib.sha256(_about(asked).encode()).hexdigest()[:12]
