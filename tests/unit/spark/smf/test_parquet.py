"""Goal: a dump goes into Parquet whole, every section in one pass, and only once.

Method: dumps of our writer through Spark; what Spark reads back is what the plain reader counts.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ternmq.spark.smf.section_columns import SECTION_NAMES, all_columns
from tests.unit.codec.smf.test_framing import as_rdw
from tests.unit.codec.smf_samples import sample_records
from tests.unit.spark.smf_expected import decoded, lines_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
RECORDS = sample_records(90405)


def test_dump_when_written_then_every_section_has_its_rows_and_types(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.smf.parquet import to_parquet

    one = as_rdw(RECORDS)
    (tmp_path / "dump").write_bytes(one * 3 + RECORDS[0][:40])
    target = tmp_path / "lake"
    totals = to_parquet(spark, str(tmp_path / "dump"), str(target), splitBytes="100000")
    found = {total.section: total.rows for total in totals}
    expected = {name: 3 * len(lines_of(one, name)) for name in SECTION_NAMES}
    assert found == {**{name: rows for name, rows in expected.items() if rows}, "_rejects": 1}
    assert max(total.files for total in totals) > 1
    assert spark.read.parquet(str(target / "_rejects")).count() == 1
    frame = spark.read.parquet(str(target / "QMAC"))
    assert [(f.name, f.dataType.simpleString()) for f in frame.schema] == [
        (name, kind.replace("long", "bigint")) for name, kind in all_columns("QMAC")
    ]
    rows = frame.select("Record_Position", "Authorisation_ID", "Puts_Len_10000").collect()
    wanted = {row["Authorisation_ID"]: row["Puts_Len_10000"] for row in decoded(one, "QMAC")}
    assert len({row[0] for row in rows}) == len(rows) == expected["QMAC"]
    assert all(wanted[row[1]] == row[2] for row in rows)
    assert not [path for path in target.rglob("*") if path.name.startswith(".")]


def test_target_when_not_empty_then_mode_says_what_happens(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.smf.parquet import to_parquet

    (tmp_path / "dump").write_bytes(as_rdw(RECORDS))
    source, target = str(tmp_path / "dump"), str(tmp_path / "lake")
    (first,) = to_parquet(spark, source, target, sections=["qmac"])
    with pytest.raises(ValueError, match="is not empty"):
        to_parquet(spark, source, target, sections=["QMAC"])
    to_parquet(spark, source, target, sections=["QMAC"], mode="append")
    assert spark.read.parquet(f"{target}/QMAC").count() == 2 * first.rows
    to_parquet(spark, source, target, sections=["QMAC"], mode="overwrite")
    assert spark.read.parquet(f"{target}/QMAC").count() == first.rows


def test_attempts_that_do_not_count_when_others_finish_then_they_leave_nothing(
    tmp_path: Path,
) -> None:
    from ternmq.spark.smf.parquet import Work, name_files, target_of
    from ternmq.spark.smf.ranges import Range

    data = as_rdw(RECORDS)
    (tmp_path / "dump").write_bytes(data)
    work = Work(str(tmp_path / "lake"), ("QMAC",), "run1", "")
    job = (0, [Range(str(tmp_path / "dump"), "rdw", 0, len(data))])
    work.one(job)  # an attempt whose answer never came
    counted = work.one(job)
    system, folder = target_of(str(tmp_path / "lake"))
    assert len(list((tmp_path / "lake" / "QMAC").iterdir())) == 2
    name_files(system, folder, counted, "run1")
    (left,) = (tmp_path / "lake" / "QMAC").iterdir()
    assert left.name.startswith("part-run1-00000-")
