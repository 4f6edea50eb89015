"""The plan of a replay: which messages of the lake, rewritten how, in which order and batches.

A plan is made once and stored in a folder of its own, so that a replay that is begun again after a
crash sends what the first one would have sent, however the lake has grown meanwhile:

    messages/    Parquet: the messages as they will be put, with `place`, which rises in the order
                 in which they were put once (then by queue and stream number)
    plan.json    written last: who the replay is in the queue manager's ledger, how many messages
                 there are, how many a batch has, and up to which place each batch goes

Batch n is the messages with ends[n - 1] < place <= ends[n]. So nothing is numbered row by row, and
a batch reads its own pages of the files.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from ternmq.spark.lake.lake_table import OWN_COLUMNS
from ternmq.spark.lake.replay_properties import BAD_PROPERTIES, FAIL, unfit, without_unfit
from ternmq.spark.pipeline.served_tables import file_system

PLAN: Final = "plan.json"
MESSAGES: Final = "messages"
PLACE: Final = "place"
# What an order needs, and what a put does not take.
_ORDER: Final = ("put_timestamp", "queue_manager", "queue", "incarnation", "seq")
_PARTITION_BITS: Final = 33  # of monotonically_increasing_id
UTF8: Final = 1208


class Plan(NamedTuple):
    """A plan that is made."""

    folder: str
    owner: str  # in the ledger
    messages: int
    batch_messages: int
    ends: tuple[int, ...]  # the last place of each batch
    about: str  # what was asked for, in the asker's words
    without: int = 0  # messages that go without a property, as it cannot be put

    @property
    def batches(self) -> int:
        return len(self.ends)

    def size_of(self, batch: int) -> int:
        """How many messages a batch has."""
        return min(self.batch_messages, self.messages - batch * self.batch_messages)


def rewritten(messages: DataFrame, changes: Mapping[str, str]) -> DataFrame:
    """Columns set to expressions of SQL over the message as it was. A change of text changes the
    body with it, in UTF-8. ValueError if there is no such column."""
    known = set(messages.columns) - set(OWN_COLUMNS)
    for name in changes:
        if name not in known:
            raise ValueError(
                f"a message has no column {name}; there are {', '.join(sorted(known))}"
            )
    if "text" in changes and "body" in changes:
        raise ValueError("text is the body in characters: one of the two can be changed")
    types = {field.name: field.dataType for field in messages.schema.fields}
    made = {name: f.expr(text).cast(types[name]) for name, text in changes.items()}
    if "text" in made:
        # Where there was no text there is none to rewrite: the bytes stay.
        is_text = f.col("text").isNotNull()
        made["body"] = f.when(is_text, f.encode(made["text"], "UTF-8")).otherwise(f.col("body"))
        made["ccsid"] = f.when(is_text, f.lit(UTF8)).otherwise(f.col("ccsid"))
    return messages.withColumns(made)


def make(
    chosen: DataFrame,
    folder: str,
    batch_messages: int,
    changes: Mapping[str, str],
    about: str,
    bad_properties: str = FAIL,
) -> Plan:
    """Make a plan in a folder; one that was not finished there is made again. ValueError if a
    message has a property that cannot be put, unless those are to be left out."""
    if bad_properties not in BAD_PROPERTIES:
        raise ValueError(f"bad_properties is {bad_properties!r}, not {' or '.join(BAD_PROPERTIES)}")
    path = f"{folder}/{MESSAGES}"
    wrong = unfit(rewritten(chosen, changes))
    if wrong.messages and bad_properties == FAIL:
        raise ValueError(
            f"{wrong.messages} messages have properties that cannot be put ({wrong.example}); "
            "--bad-properties skip puts them without"
        )
    # Ordered by what they were, also where a change gives them another queue or time.
    order = [f.col(name).alias(f"_{name}") for name in _ORDER]
    changed = rewritten(chosen.select("*", *order), changes).drop(*OWN_COLUMNS)
    if wrong.messages:
        changed = without_unfit(changed)
    placed = changed.orderBy(*(f"_{name}" for name in _ORDER)).drop(
        *(f"_{name}" for name in _ORDER)
    )
    placed.withColumn(PLACE, f.monotonically_increasing_id()).write.mode("overwrite").parquet(path)
    runs = (
        chosen.sparkSession.read.parquet(path)
        .groupBy(f.shiftright(PLACE, _PARTITION_BITS).alias("run"))
        .agg(f.min(PLACE).alias("first"), f.count(f.lit(1)).alias("messages"))
        .orderBy("run")
        .collect()
    )
    counts = [(int(row["first"]), int(row["messages"])) for row in runs]
    total = sum(count for _, count in counts)
    plan = Plan(
        folder,
        f"replay-{uuid.uuid4().hex}",
        total,
        batch_messages,
        tuple(ends_of(counts, batch_messages)),
        about,
        wrong.messages,
    )
    write(plan)
    return plan


def ends_of(runs: list[tuple[int, int]], batch_messages: int) -> list[int]:
    """The place of the last message of each batch; places follow one another within a run, which
    is described by its first place and its length."""
    ends: list[int] = []
    wanted = batch_messages  # messages up to the end of the next batch
    before = 0
    last = -1
    for first, count in runs:
        while wanted <= before + count:
            ends.append(first + wanted - before - 1)
            wanted += batch_messages
        before += count
        last = first + count - 1
    if before > wanted - batch_messages:
        ends.append(last)
    return ends


def write(plan: Plan) -> None:
    """Put plan.json there, whole or not at all where the file system can move files."""
    system, inside = file_system(plan.folder)
    text = json.dumps(plan._asdict(), indent=1).encode()
    with system.open_output_stream(f"{inside}/.{PLAN}") as file:
        file.write(text)
    system.move(f"{inside}/.{PLAN}", f"{inside}/{PLAN}")


def read(folder: str) -> Plan | None:
    """The plan in a folder; None if none was finished there."""
    text = read_text(folder, PLAN)
    if text is None:
        return None
    values: dict[str, Any] = json.loads(text)
    return Plan(**{**values, "folder": folder, "ends": tuple(values["ends"])})


def read_text(folder: str, name: str) -> str | None:
    """What stands in a small file; None if there is none."""
    from pyarrow import fs

    system, inside = file_system(folder)
    path = f"{inside}/{name}"
    if system.get_file_info(path).type != fs.FileType.File:
        return None
    with system.open_input_stream(path) as file:
        return bytes(file.read()).decode()


def batch_of(spark: SparkSession, plan: Plan, batch: int) -> DataFrame:
    """The messages of one batch, in order."""
    after = plan.ends[batch - 1] if batch else -1
    return (
        spark.read.parquet(f"{plan.folder}/{MESSAGES}")
        .where((f.col(PLACE) > after) & (f.col(PLACE) <= plan.ends[batch]))
        .orderBy(PLACE)
        .drop(PLACE)
    )


_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def check_name(name: str) -> str:
    """A name for a replay, which becomes a folder. ValueError if it cannot."""
    if _NAME.fullmatch(name) is None:
        raise ValueError(f"{name!r} is not a name for a replay: letters, digits, and . _ - within")
    return name


def remove(folder: str) -> None:
    """Remove a plan and what belongs to it; the plan itself first."""
    from pyarrow import fs

    system, inside = file_system(folder)
    if system.get_file_info(f"{inside}/{PLAN}").type == fs.FileType.File:
        system.delete_file(f"{inside}/{PLAN}")
    if system.get_file_info(inside).type == fs.FileType.Directory:
        system.delete_dir(inside)
