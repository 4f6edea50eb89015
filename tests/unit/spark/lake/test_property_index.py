"""Goal: a search of the lake by property finds what the map of properties has, and reads few rows
for it.

Method: small lakes in Parquet, written as `keep` writes them; how many rows Spark has read is what
its scans count, behind the blocks that Parquet leaves out.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.spark.message_rows import at, messages

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
FILES = 5
ROWS = 200  # of each file
OLD = 2 * ROWS  # read of the file without an index, for each search: all of it, by both looks


def same_slot_as(name: str) -> str:
    """Another name that stands for the same slot."""
    from ternmq.spark.lake.property_index import SLOTS

    slot = zlib.crc32(name.encode()) % SLOTS
    others = (f"other{n}" for n in range(10_000))
    return next(one for one in others if zlib.crc32(one.encode()) % SLOTS == slot)


def properties(file: int, row: int) -> dict[str, str | None] | None:
    """Customers are of one file each; the last file has none, in the first some names collide."""
    if file == FILES - 1:
        return None
    given: dict[str, str | None] = {"customer": f"{file}-{row}", "colour": "red", "empty": ""}
    given["weight"] = str(row)
    if file == 0 and row == 7:
        given.update({"shared": "p", same_slot_as("shared"): "x"})
    if file == 1 and row == 3:
        given["lost"] = None
    return given


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A lake of some files, and one file from before there was an index."""
    from ternmq.spark.lake import lake_table

    folder = str(tmp_path_factory.mktemp("lake") / "messages")
    for file in range(FILES):
        rows = [
            {
                "seq": file * ROWS + row,
                "queue": "A",
                "put_timestamp": at(file),
                "properties": properties(file, row),
                "property_types": {"weight": "i4"},
                "text": f"{file}-{row}",
            }
            for row in range(ROWS)
        ]
        frame = lake_table.lake(messages(spark, rows)).coalesce(1)
        if file == 2:
            frame = frame.drop("property_index")
        writer = frame.write.mode("append").partitionBy(*lake_table.PARTITIONED_BY)
        writer.options(**lake_table.WRITE_OPTIONS).parquet(folder)
    return folder


def read(spark: SparkSession, folder: str) -> DataFrame:
    from ternmq.spark.lake.lake_table import LAKE_COLUMNS
    from ternmq.spark.mq.message_schema import ddl

    return spark.read.schema(ddl(LAKE_COLUMNS)).parquet(folder)


def searched(frame: DataFrame, **given: str | None) -> tuple[list[str], int]:
    """The texts that a search finds, and how many rows were read for it."""
    from ternmq.spark.lake.lake_search import Search, found

    rows = found(frame, Search(properties=tuple(given.items())))
    texts = sorted(row["text"] for row in rows.collect())
    return texts, read_by(rows)


def read_by(frame: DataFrame) -> int:
    """How many rows of files the last action of a DataFrame has read."""
    plan: Any = frame._jdf.queryExecution().executedPlan()
    leaves = plan.collectLeaves()
    counts = [leaves.apply(n).metrics().apply("numOutputRows") for n in range(leaves.size())]
    return int(sum(one.value() for one in counts))


def rows_read(frame: DataFrame) -> int:
    frame.collect()
    return read_by(frame)


@pytest.mark.usefixtures("as_users")
def test_search_when_by_property_then_only_files_that_may_have_it_are_read(
    spark: SparkSession, lake: str
) -> None:
    frame = read(spark, lake)
    assert searched(frame, customer="1-17") == (["1-17"], ROWS + OLD)
    assert searched(frame, customer="nobody") == ([], OLD)
    assert searched(frame, customer="2-17") == (["2-17"], OLD)
    assert searched(frame, lost=None) == ([], ROWS + OLD)  # there, but null
    assert searched(frame, nowhere=None) == ([], OLD)
    assert searched(frame, customer="3-5", colour="red") == (["3-5"], ROWS + OLD)


@pytest.mark.usefixtures("as_users")
def test_search_when_by_selector_then_types_count_and_few_files_are_read(
    spark: SparkSession, lake: str
) -> None:
    from ternmq.spark.lake.lake_search import Search, found

    frame = read(spark, lake)
    for selector, texts in (
        ("customer = '1-17'", ["1-17"]),
        ("customer = '1-17' AND colour = 'blue'", []),
        ("weight BETWEEN 198 AND 199 AND customer LIKE '3-%'", ["3-198", "3-199"]),
        ("weight = '7' AND customer = '3-7'", []),  # a number is no string
        ("lost IS NULL AND customer = '1-3'", ["1-3"]),
    ):
        rows = found(frame, Search(selector=selector))
        assert sorted(row["text"] for row in rows.collect()) == texts
    assert rows_read(found(frame, Search(selector="colour = 'red' AND customer = '1-17'"))) == (
        ROWS + OLD
    )


def test_search_when_the_selector_is_wrong_then_it_says_so(spark: SparkSession) -> None:
    from ternmq.spark.lake.lake_search import Search, found

    frame = messages(spark, [])
    for selector, words in (("a = ", "expected a name"), ("JMSPriority > 4", "--where compares")):
        with pytest.raises(ValueError, match="the selector") as raised:
            found(frame, Search(selector=selector))
        assert words in str(raised.value)


@pytest.mark.usefixtures("as_users")
def test_search_when_names_share_a_slot_then_it_is_found_and_the_file_is_read(
    spark: SparkSession, lake: str
) -> None:
    frame = read(spark, lake)
    assert searched(frame, shared="p") == (["0-7"], ROWS + OLD)
    assert searched(frame, **{same_slot_as("shared"): "x"}) == (["0-7"], ROWS + OLD)
    assert searched(frame, shared="nothing") == ([], ROWS + OLD)


def test_search_when_values_are_empty_then_they_are_values(spark: SparkSession, lake: str) -> None:
    texts, _ = searched(read(spark, lake), empty="")
    assert len(texts) == 4 * ROWS
    assert searched(read(spark, lake), lost="")[0] == []


def test_search_when_the_lake_has_no_index_then_all_of_it_is_looked_at(
    spark: SparkSession, lake: str
) -> None:
    frame = read(spark, lake).drop("property_index")
    assert searched(frame, customer="1-17") == (["1-17"], FILES * ROWS)


def test_index_when_made_then_a_message_without_properties_has_empty_slots(
    spark: SparkSession, tmp_path: Path
) -> None:
    from ternmq.spark.lake.property_index import with_index

    given: list[dict[str, str | None] | None] = [None, {}, {"a": "1", "b": None}]
    rows: list[dict[str, Any]] = [{"properties": one} for one in given]
    made = with_index(messages(spark, rows)).orderBy("seq").collect()
    index = [row["property_index"].asDict() for row in made]
    assert [one.pop("count") for one in index] == [0, 0, 2]
    assert [sum(value is not None for value in one.values()) for one in index] == [0, 0, 2]
