"""Goal: a calculation gives the same in this process as it gives on Spark.

Method: expressions, aggregates, windows and joins over awkward values (null, ties, halves, sums
that do not fit), each written once and run both ways; then what has no counterpart on Spark.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

pa = pytest.importorskip("pyarrow")

from ternmq.spark.frames.frame import Frame  # noqa: E402
from ternmq.spark.frames.functions import Window, f, in_process  # noqa: E402
from ternmq.spark.frames.java_text import csv_line, moments, with_places  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LARGE = 2**63 - 1
MOMENT = datetime(2026, 9, 21, 14, 14, 0, 123_456, tzinfo=UTC)
ROWS: list[dict[str, Any]] = [
    {"k": "a", "n": 1, "x": 0.25, "t": "one", "at": MOMENT},
    {"k": "a", "n": 3, "x": 2.5, "t": None, "at": None},
    {"k": "b", "n": None, "x": None, "t": "two,\"2\"", "at": MOMENT},
    {"k": None, "n": -7, "x": -1.5, "t": "", "at": MOMENT},
    {"k": "b", "n": LARGE, "x": 1e6, "t": "two", "at": None},
    {"k": "b", "n": 5, "x": 0.125, "t": "\u00e9t\u00e9", "at": MOMENT},
]  # fmt: skip
SCHEMA = "k string, n long, x double, t string, at timestamp"
ARROW = pa.schema(
    [("k", pa.string()), ("n", pa.int64()), ("x", pa.float64()), ("t", pa.string()),
     ("at", pa.timestamp("us", "UTC"))]
)  # fmt: skip
Calculation = Callable[[Any], Any]


def expressions(rows: Any) -> Any:
    n, x = f.col("n"), f.col("x")
    return rows.select(
        "n",
        (x / 4).alias("quarter"),
        f.try_add(n, f.lit(1)).alias("next"),
        f.coalesce(n, f.lit(0)).alias("known"),
        f.nullif(n, f.lit(3)).alias("no_three"),
        f.greatest(n, f.lit(2)).alias("high"),
        f.least(x, f.lit(1.0)).alias("low"),
        f.floor(x).alias("floor"),
        f.round(x).cast("bigint").alias("round"),
        f.unix_micros("at").alias("micros"),
        f.date_format("at", "yyyy/MM/dd,HH:mm:ss").alias("moment"),
        f.concat_ws("-", "k", "t", n.cast("string")).alias("joined"),
        f.concat(f.col("k"), f.col("t")).alias("both"),
        f.format_string("%-6s|%5d|%.1f|%.2f %%", "t", "n", x, x).alias("text"),
        f.hex("t").alias("digits"),
        f.substring("t", 2, 2).alias("middle"),
        f.length("t").alias("length"),
        f.when(n > 2, "many").when(n > 0, "few").otherwise(f.col("k")).alias("words"),
        ((n > 2) | (x < 0.0)).alias("either"),
        (f.col("k").isin("a", "c") & n.isNotNull()).alias("inside"),
        f.startswith("t", f.lit("tw")).alias("begins"),
        f.contains("t", f.lit("w")).alias("contains"),
        f.regexp_replace("t", "[o,]", "?").alias("replaced"),
        f.to_csv(f.struct("k", "n", "t")).alias("csv"),
        f.to_csv(f.struct(f.lit("\x01 a\u00a0\x00 ").alias("odd"))).alias("trimmed"),
        f.date_format(
            f.lit("1970-01-01").cast("timestamp_ntz") + f.make_dt_interval(secs=x * 4e5),
            "yyyy/MM/dd,HH:mm:ss",
        ).alias("far"),
        (n / 3).alias("third"),
        (n > 2.5).alias("above"),
        f.coalesce(n, x).alias("number"),
        (n * 0.5).alias("half"),
    )


def aggregates(rows: Any) -> Any:
    return (
        rows.groupBy("k")
        .agg(
            f.try_sum("n").alias("sum"),
            f.sum("x").alias("total"),
            f.avg("x").alias("mean"),
            f.count(f.lit(1)).alias("rows"),
            f.count("n").alias("known"),
            f.countDistinct("t").alias("different"),
            f.min("t").alias("first"),
            f.max("at").alias("latest"),
            f.max_by("t", "n").alias("of_highest"),
            (f.sum("x") / f.nullif(f.count("x"), f.lit(0))).alias("own_mean"),
            f.percentile_approx("x", [0.5, 0.99], 1_000_000).alias("p"),
            f.array_join(
                f.transform(
                    f.array_sort(f.collect_list(f.struct("n", "t"))),
                    lambda one: f.coalesce(one["t"], f.lit("?")),
                ),
                ";",
            ).alias("listed"),
        )
        .orderBy("k")
        .select("*", f.unix_micros("latest").alias("micros"), f.col("p")[1].alias("high"))
    )


def windows(rows: Any) -> Any:
    by_k = Window.partitionBy("k")
    in_order = by_k.orderBy(f.desc("n"), "t")
    return rows.select(
        "k",
        "n",
        f.row_number().over(in_order).alias("place"),
        f.count(f.lit(1)).over(by_k).alias("alike"),
        f.last("t", ignorenulls=True).over(by_k.orderBy("x")).alias("last"),
    ).orderBy("k", "place")


def joins(rows: Any) -> Any:
    counts = rows.groupBy("k").count()
    few = counts.where(f.col("count") < 3)
    joined = rows.join(few, ["k"], "left").unionByName(rows.join(counts, ["k"]))
    return joined.orderBy("k", "n", "count").select("k", "n", "count")


def distinct(rows: Any) -> Any:
    twice = rows.unionByName(rows)
    return twice.distinct().orderBy("k", "n").limit(4).select("k", "n", "x")


def whole(rows: Any) -> Any:
    return rows.where(f.col("n") > 100_000_000).select(
        f.sum("n").alias("sum"), f.count(f.lit(1)).alias("rows"), f.max("k").alias("k")
    )


def plain(row: Any) -> dict[str, Any]:
    """A row whose values can be compared: instants are compared by their micros."""
    values = row.asDict()
    return {name: value for name, value in values.items() if not isinstance(value, datetime)}


@pytest.mark.spark
@pytest.mark.parametrize(
    "calculation", [expressions, aggregates, windows, joins, distinct, whole]
)  # fmt: skip
def test_calculation_when_run_both_ways_then_rows_are_the_same(
    spark: "SparkSession", calculation: Calculation
) -> None:
    theirs = calculation(spark.createDataFrame(ROWS, SCHEMA)).collect()
    with in_process():
        ours = calculation(Frame.of(pa.Table.from_pylist(ROWS, ARROW))).collect()
    assert [plain(row) for row in ours] == [plain(row) for row in theirs]


def test_sum_when_it_does_not_fit_then_it_is_unknown() -> None:
    with in_process():
        found = aggregates(Frame.of(pa.Table.from_pylist(ROWS, ARROW))).collect()
    assert [row["sum"] for row in found] == [-7, 4, None]
    assert [row["known"] for row in found] == [1, 2, 2]


@pytest.mark.parametrize(
    ("micros", "text"),
    [(0, "1970/01/01"), (-1, "1969/12/31"), (1_790_000_040_000_000, "2026/09/21"),
     (253_402_300_800_000_000, "+10000/01/01"), (10**18, "+33658/09/27")],
)  # fmt: skip
def test_moment_when_it_is_beyond_the_years_of_python_then_it_is_written_as_by_java(
    micros: int, text: str
) -> None:
    values = pa.array([micros]).cast(pa.timestamp("us"))
    assert moments(values, "yyyy/MM/dd").to_pylist() == [text]


def test_csv_when_texts_end_with_controls_then_they_are_trimmed_as_by_java() -> None:
    assert csv_line(["\x01 a\u00a0\x00 ", "\x02", None]) == 'a\u00a0,"",'


def test_number_when_a_double_cannot_hold_it_then_it_is_rounded() -> None:
    with in_process():
        found = expressions(Frame.of(pa.Table.from_pylist(ROWS, ARROW))).collect()
    assert found[4]["third"] == LARGE / 3
    assert found[4]["above"] is True
    assert found[4]["number"] == float(LARGE)


def test_sum_of_two_when_it_does_not_fit_then_it_is_refused_and_not_wrong() -> None:
    with in_process(), pytest.raises(ValueError, match="overflow"):
        Frame.of(pa.Table.from_pylist(ROWS, ARROW)).select((f.col("n") * 2).alias("twice"))


def test_frame_when_it_is_empty_then_groups_are_none_and_sums_unknown() -> None:
    empty = Frame.of(ARROW.empty_table())
    with in_process():
        assert aggregates(empty).collect() == []
        assert whole(empty).collect() == [{"sum": None, "rows": 0, "k": None}]


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [(0.25, 1, "0.3"), (2.5, 0, "3"), (-0.125, 2, "-0.13"), (1e6, 1, "1000000.0"),
     (float("nan"), 1, "NaN"), (float("inf"), 1, "Infinity")],
)  # fmt: skip
def test_number_when_rounded_then_halves_go_up_as_in_java(
    value: float, places: int, text: str
) -> None:
    assert with_places(value, places) == text


def test_column_when_there_is_none_then_the_error_names_those_there_are() -> None:
    with in_process(), pytest.raises(ValueError, match="no column q; there are k, n, x, t, at"):
        Frame.of(ARROW.empty_table()).select("q")
