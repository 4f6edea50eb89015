"""Goal: `spark.read.format("mqsmf")` and its stream give what is in the files, once each.

Method: dumps of our writer in folders, read by Spark; codec/smf_reader says what must come.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ternmq.spark.errors import SparkError, explained
from ternmq.spark.smf.section_columns import all_columns
from tests.unit.codec.smf.test_framing import as_bdw, as_nordw, as_rdw
from tests.unit.codec.smf_samples import sample_records
from tests.unit.spark.smf_expected import decoded, lines_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
RECORDS = sample_records(90405)


@pytest.fixture(scope="session")
def smf(spark: "SparkSession") -> "SparkSession":
    from ternmq.spark.smf.smf_source import register

    register(spark)
    return spark


def load(spark: "SparkSession", path: Path, section: str, **options: str) -> "DataFrame":
    reader = spark.read.format("mqsmf").option("section", section)
    return reader.options(**options).load(str(path))


def keys(rows: list[Any], *names: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(row[name] for name in names) for row in rows)


def test_section_when_loaded_then_rows_types_and_values_are_those_of_the_file(
    smf: "SparkSession", tmp_path: Path
) -> None:
    data = as_rdw(RECORDS, 2000)
    (tmp_path / "dump").write_bytes(data)
    frame = load(smf, tmp_path / "dump", "WQ")
    assert [(f.name, f.dataType.simpleString()) for f in frame.schema] == [
        (name, kind.replace("long", "bigint")) for name, kind in all_columns("WQ")
    ]
    names = ("Base_Name", "Queue", "Get_Count", "Open_ET_US", "CFCount_Put1_Delete", "Open")
    some = load(smf, tmp_path / "dump", "WQ", columns=",".join((*names, "Record_File")))
    rows = [row.asDict() for row in some.collect()]
    expected = decoded(data, "WQ")
    assert len(rows) == len(lines_of(data, "WQ")) > 0
    for row, wanted in zip(
        sorted(rows, key=lambda r: str(r["Base_Name"])),
        sorted(expected, key=lambda r: str(r["Base_Name"])),
    ):
        for name in names[:-1]:
            assert row[name] == wanted[name]
        assert row["Open"].timestamp() == wanted["Open"].timestamp()
        assert row["Record_File"] == str(tmp_path / "dump")


def test_folder_when_files_have_different_forms_then_all_are_read(
    smf: "SparkSession", tmp_path: Path
) -> None:
    for name, data in (("a", as_rdw(RECORDS)), ("b", as_bdw(RECORDS)), ("c", as_nordw(RECORDS))):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "_SUCCESS").write_bytes(b"no dump")
    one = decoded(as_rdw(RECORDS), "WTAS")
    frame = load(smf, tmp_path, "WTAS", columns="Correl,Record_File")
    assert frame.columns == ["Correl", "Record_File"]
    found = frame.collect()
    assert keys(found, "Correl") == sorted((row["Correl"],) for row in one * 3)
    assert load(smf, tmp_path, "WTAS", pathGlobFilter="a").count() == len(one)


def test_files_of_sparks_own_connectors_when_read_then_rows_are_the_same(
    smf: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.smf.spark_files import read_smf

    (tmp_path / "a").write_bytes(as_rdw(RECORDS))
    (tmp_path / "b").write_bytes(as_bdw(RECORDS))
    names = "Record_Position,Base_Name,Get_Count"
    found = read_smf(smf, tmp_path.as_uri(), "WQ", columns=names).collect()
    wanted = load(smf, tmp_path, "WQ", columns=names).collect()
    assert keys(found, "Base_Name", "Record_Position") == keys(
        wanted, "Base_Name", "Record_Position"
    )
    rejects = read_smf(smf, tmp_path.as_uri(), "_rejects", pathGlobFilter="a")
    assert rejects.count() == 0


def test_long_file_when_divided_then_tasks_share_it_and_nothing_is_lost(
    smf: "SparkSession", tmp_path: Path
) -> None:
    data = as_rdw(RECORDS * 10)
    (tmp_path / "dump").write_bytes(data)
    frame = load(smf, tmp_path / "dump", "QMAC", splitBytes="100000")
    assert frame.rdd.getNumPartitions() > 5
    positions = keys(frame.collect(), "Record_Position")
    assert len(set(positions)) == len(positions) == 10 * len(decoded(as_rdw(RECORDS), "QMAC"))


def test_rejects_when_counted_then_they_are_reported_by_reason(
    smf: "SparkSession", tmp_path: Path
) -> None:
    newer = bytearray(RECORDS[0])
    newer[24:27] = "520".encode("cp037")
    data = RECORDS[0] + newer + newer + RECORDS[1][:50]
    (tmp_path / "dump").write_bytes(data)
    (tmp_path / "text").write_bytes(b"This is no dump at all, whatever its name says.")
    found = load(smf, tmp_path, "_rejects").groupBy("Reason").count().collect()
    assert dict(map(tuple, found)) == {"unknown level": 2, "truncated": 1, "lost": 1}
    assert load(smf, tmp_path, "QSST").count() == len(decoded(RECORDS[0], "QSST"))


def test_failfast_when_a_record_is_cut_then_the_sentence_says_where(
    smf: "SparkSession", tmp_path: Path
) -> None:
    (tmp_path / "dump").write_bytes(RECORDS[0] + RECORDS[1][:50])
    frame = load(smf, tmp_path, "QSST", mode="FAILFAST")
    with pytest.raises(SparkError) as caught, explained():
        frame.collect()
    where = f"{tmp_path / 'dump'} at byte {len(RECORDS[0])}"
    assert caught.value.sentence == f"{where}: truncated: the file ends within a record"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"section": "QXYZ"}, "option section is 'QXYZ'; it may be QSST"),
        ({"section": "WQ", "columns": "Gets"}, "WQ has no column Gets"),
        ({"section": "WQ", "form": "vb"}, "option form is 'vb'; it may be auto, rdw, bdw, nordw"),
        ({"section": "WQ", "defaultZone": "Nowhere/No"}, "defaultZone is 'Nowhere/No'"),
        ({"section": "WQ", "splitBytes": "10"}, "option splitBytes is '10'"),
    ],
)
def test_option_when_wrong_then_the_sentence_says_what_it_may_be(
    smf: "SparkSession", tmp_path: Path, options: dict[str, str], words: str
) -> None:
    with pytest.raises(SparkError) as caught, explained():
        smf.read.format("mqsmf").options(**options).load(str(tmp_path)).collect()
    assert caught.value.sentence.startswith(words) or words in caught.value.sentence


def test_path_when_there_is_nothing_then_the_sentence_says_so(
    smf: "SparkSession", tmp_path: Path
) -> None:
    with pytest.raises(SparkError) as caught, explained():
        load(smf, tmp_path / "nothing", "WQ").collect()
    assert caught.value.sentence == f"there is no file {tmp_path / 'nothing'}"


def run_once(spark: "SparkSession", folder: Path, **options: str) -> list[tuple[Any, ...]]:
    """All that is there now, by a stream that goes on where the last one stopped."""
    stream = spark.readStream.format("mqsmf").option("section", "WTAS").options(**options)
    stream = stream.option("columns", "Correl,Record_File,Record_Position")
    query = (
        stream.load(str(folder / "in"))
        .writeStream.format("parquet")
        .option("path", str(folder / "out"))
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    rows = spark.read.parquet(str(folder / "out")).collect()
    return keys(rows, "Record_File", "Record_Position")


def test_stream_when_files_grow_then_each_record_comes_once(
    smf: "SparkSession", tmp_path: Path
) -> None:
    data = as_rdw(RECORDS * 2)
    (tmp_path / "in").mkdir()
    grown, whole = tmp_path / "in" / "b", tmp_path / "in" / "a"
    places = sorted(row["Record_Position"] for row in decoded(data, "WTAS"))
    cut = places[1] + 20
    grown.write_bytes(data[:cut])
    assert run_once(smf, tmp_path) == [(str(grown), places[0])]
    with grown.open("ab") as file:
        file.write(data[cut:])
    whole.write_bytes(data)
    expected = [(str(path), place) for path in (whole, grown) for place in places]
    assert run_once(smf, tmp_path, maxBytesPerTrigger="100000") == expected
    assert run_once(smf, tmp_path) == expected


def test_stream_when_a_file_got_shorter_then_it_stops_with_the_files_name(
    smf: "SparkSession", tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / "dump"
    file.write_bytes(as_rdw(RECORDS))
    before = run_once(smf, tmp_path)
    file.write_bytes(as_rdw(RECORDS[:1]))
    with pytest.raises(SparkError, match=f"{file} has .* bytes and was read up to"), explained():
        run_once(smf, tmp_path)
    assert run_once(smf, tmp_path, failOnDataLoss="false") == before
