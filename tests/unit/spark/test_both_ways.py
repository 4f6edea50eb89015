"""Goal: a small report or search gives the same without Spark as on it, and says what is missing.

Method: real dumps, where they are present, and a sample through both; each text, each object and
the whole page are compared. Then the commands, which start no Java for little data.
"""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyarrow")

from ternmq.cli.__main__ import main
from ternmq.codec.smf.clock_values import tod_of_ns
from ternmq.codec.smf.record import Stamp, build, correlator, header_values
from ternmq.spark.frames.functions import in_process
from ternmq.spark.lake.lake_search import Search, days, found, shown
from ternmq.spark.lake.small_search import files_for, found_here, is_small
from ternmq.spark.report import small_tables
from ternmq.spark.report.mqsmf_text import REPORTS, lines, objects, read, sections_for
from ternmq.spark.report.report_html import ReportPage, html_page
from ternmq.spark.report.report_tables import of_dumps
from tests.unit.codec.test_smf_real_dumps import DUMPS, FOLDER
from tests.unit.spark.sample_dump import BEGIN, PROGRAM, S, record, sample, task

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(params=["sample", "real"])
def dumps(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    if request.param == "real":
        found_dumps = [str(FOLDER / name) for name in DUMPS]
        if not all(Path(name).exists() for name in found_dumps):
            pytest.skip("the real dumps are not here")
        return found_dumps
    return [written(tmp_path, sample())]


def written(folder: Path, records: bytes) -> str:
    path = folder / "dump.smf"
    path.write_bytes(records)
    return str(path)


def page_here(dump: str) -> ReportPage:
    with in_process():
        return html_page(small_tables.of_small_dumps([dump]))


@pytest.mark.spark
def test_reports_when_made_both_ways_then_they_are_the_same(
    spark: "SparkSession", dumps: list[str], tmp_path: Path
) -> None:
    reports = list(REPORTS.values())
    theirs = read(spark, dumps, str(tmp_path / "sections"), reports)
    there = {each.name: list(lines(each, theirs)) for each in reports}
    rows = {each.name: [json.loads(row) for row in objects(each, theirs)] for each in reports}
    page = html_page(of_dumps(spark, dumps, str(tmp_path / "tables"))).html
    with in_process():
        ours = small_tables.sections_here(dumps, sections_for(reports))
        for each in reports:
            assert list(lines(each, ours)) == there[each.name]
            assert [json.loads(row) for row in objects(each, ours)] == rows[each.name]
        assert html_page(small_tables.of_small_dumps(dumps)).html == page


def kept(spark: "SparkSession", folder: Path) -> str:
    """A lake of 300 messages on two queues and two days; some do not say when they were put."""
    from pyspark.sql import functions as f

    from ternmq.spark.lake.lake_table import PARTITIONED_BY, WRITE_OPTIONS, lake
    from ternmq.spark.mq.message_schema import COLUMNS

    n = f.col("id")
    put = f.lit(datetime(2026, 11, 16, 23, tzinfo=UTC)) + f.make_dt_interval(mins=n.cast("int"))
    put = f.when(n % 50 != 49, put)
    values: dict[str, Any] = {
        "queue_manager": f.lit("QM1"),
        "queue": f.concat(f.lit("ORDERS."), (n % 2).cast("string")),
        "seq": n,
        "msg_id": f.unhex(f.lpad(f.hex(n), 48, "0")),
        "put_timestamp": put,
        "properties": f.create_map(f.lit("customer"), (n % 10).cast("string")),
        "property_types": f.create_map(f.lit("customer"), f.lit("string")),
        "body": f.concat(f.lit("order "), n.cast("string")).cast("binary"),
        "text": f.concat(f.lit("order "), n.cast("string")),
    }
    columns = [values.get(name, f.lit(None)).cast(kind).alias(name) for name, kind in COLUMNS]
    writer = lake(spark.range(300).select(*columns)).write.options(**WRITE_OPTIONS)
    writer.partitionBy(*PARTITIONED_BY).parquet(str(folder / "messages"))
    return str(folder)


SEARCHES = (
    Search(),
    Search(queue="ORDERS.1", text="9"),
    Search(queue="ORD*", since=datetime(2026, 11, 17, 1, tzinfo=UTC)),
    Search(until=datetime(2026, 11, 17, 0, 30, tzinfo=UTC), properties=(("customer", "7"),)),
    Search(msg_id=bytes(23) + b"\x05"),
    Search(msg_id=bytes(20), properties=(("customer", None),)),
    Search(selector="customer = '3' OR customer = '4'"),
    Search(queue="NONE"),
)


@pytest.mark.spark
def test_searches_when_made_both_ways_then_they_find_the_same(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.pipeline.served_tables import table

    lake = kept(spark, tmp_path)
    for search in SEARCHES:
        there = found(table(spark, lake, "messages"), search)
        rows = [row.asDict() for row in shown(there, True, 1000).collect()]
        counts = [row.asDict() for row in days(there).collect()]
        with in_process():
            assert is_small(lake, search)
            here = found_here(files_for(lake, search), search)
            rows_here: list[Any] = [] if here is None else shown(here, True, 1000).collect()
            counts_here: list[Any] = [] if here is None else days(here).collect()
            assert rows_here == rows
            assert counts_here == counts
    assert not is_small(lake, Search(where="seq > 5"))


def test_search_when_older_files_lack_a_column_then_they_are_searched_too(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = {"queue_manager": ["QM1"], "seq": [1], "text": ["an order"], "body": [b"an order"]}
    put = pa.array([datetime(2026, 11, 16, tzinfo=UTC)], pa.timestamp("us", "UTC"))
    maps = pa.array([[("customer", "7")]], pa.map_(pa.string(), pa.string()))
    older = pa.table({**rows, "put_timestamp": put})
    for number, table in enumerate((older, older.append_column("properties", maps))):
        folder = tmp_path / "messages" / f"put_date=2026-11-1{6 - number}" / "queue=ORDERS"
        folder.mkdir(parents=True)
        pq.write_table(table, folder / "part.parquet")
        os.utime(folder / "part.parquet", (number + 1, number + 1))
    counts = {}
    for search in (Search(), Search(text="order"), Search(properties=(("customer", "7"),))):
        with in_process():
            here = found_here(files_for(str(tmp_path), search), search)
            counts[search] = 0 if here is None else shown(here, True, 10).count()
    assert list(counts.values()) == [2, 2, 1]


def test_page_when_made_of_the_sample_then_gaps_spikes_and_programs_are_as_they_were(
    tmp_path: Path,
) -> None:
    page = page_here(written(tmp_path, sample()))
    assert page.title == "QM1, QM2"
    assert "Messages stayed on QM1 \u00b7 ORDERS for 1.5 s; 21 ms is usual." in page.html
    assert "<small>14:39:00 to 14:40:00 UTC</small>" in page.html
    assert page.findings == 1
    assert f'<td class="t">{PROGRAM}</td><td class="t">app</td>' in page.html
    assert '<td class="t">Local program</td>' in page.html
    assert "TSO" not in page.html
    assert "Cost of a transaction" not in page.html
    for words in ("Empty gets", "Messages put per second", "Highest depth"):
        assert words in page.html
    put = page.html.partition("<h3>Messages put per second</h3>")[2].partition("</figure>")[0]
    lines_of = [part.partition('"')[0] for part in put.split('class="line c')[1:]]
    assert len(lines_of) == 4  # two queue managers, in two widths
    first = put.partition('class="line c1" d="')[2].partition('"')[0]
    second = put.partition('class="line c2" d="')[2].partition('"')[0]
    assert (first.count("M"), second.count("M")) == (2, 1)  # QM1 lacks five intervals


def test_page_when_a_queue_of_many_has_a_spike_then_it_is_found_though_others_are_busier(
    tmp_path: Path,
) -> None:
    records = []
    for n in range(6):
        for queue in range(60):
            stayed = 1_500_000 if (n, queue) == (3, 59) else 21_000
            gets = 1000 - 10 * queue
            values: Any = {"qqstqnam": f"Q{queue}", "qqstputs": gets, "qqstgets": gets}
            records.append(record("QM1", n, 115, 216, QQST=[{**values, "qqstqtst": stayed}]))
    page = page_here(written(tmp_path, b"".join(records)))
    assert "Messages stayed on Q59 for 1.5 s; 21 ms is usual." in page.html
    assert page.findings == 1
    chart = page.html.partition("<h3>Time on queue</h3>")[2].partition("</figure>")[0]
    assert '"n":"Q59"' in chart


def test_page_when_a_damaged_record_has_huge_numbers_then_it_is_made(tmp_path: Path) -> None:
    huge: Any = {"qqstqnam": "HUGE", "qqstputs": 2**32 - 1, "qqstgets": 2**32 - 1}
    huge |= {"qqstqtst": 2**32 - 1}
    longest = Stamp("SYS1", "QM1", BEGIN + S, 0, BEGIN, 2**51)
    head = header_values(115, 216, longest)
    page = page_here(written(tmp_path, build(115, 216, head, {"QQST": [huge]})))
    assert page.sections == ["Overview", "Findings", "Queues"]


def test_finding_when_there_is_one_of_something_then_it_says_so(tmp_path: Path) -> None:
    ends = {"wtasints": tod_of_ns(BEGIN), "wtasinte": tod_of_ns(BEGIN + S)}
    own: Any = {"wtasstrt": tod_of_ns(BEGIN), "wtaswqct": 1, **ends}
    queue: Any = {"objname": "POLLED", "basename": "POLLED", "getn": 500, "validget": 1}
    queue |= {"correl": correlator(own)}
    page = page_here(written(tmp_path, record("QM1", 0, 116, 1, WTID=[{}], WTAS=[own], WQ=[queue])))
    assert "POLLED: 500 gets for 1 message; a get that waits" in page.html


def test_task_when_it_is_of_z_os_then_its_job_and_kind_are_as_they_were(tmp_path: Path) -> None:
    who: Any = {"wtidccn": "PAYROLL", "wtidopid": "USER1", "wtidatyp": 2}
    ends = {"wtasints": tod_of_ns(BEGIN), "wtasinte": tod_of_ns(BEGIN + S)}
    own: Any = {"wtasstrt": tod_of_ns(BEGIN), "wtascmn": 2, "wtascmct": 4096, **ends}
    page = page_here(written(tmp_path, record("QM1", 0, 116, 1, WTID=[who], WTAS=[own])))
    assert '<td class="t">PAYROLL</td>' in page.html
    assert '<td class="t">Batch or TSO</td>' in page.html


@pytest.fixture
def without_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may start Spark."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("Spark was started")

    monkeypatch.setattr("ternmq.spark.session.session", refuse)


@pytest.mark.usefixtures("without_java")
def test_command_when_the_dump_lacks_records_then_it_names_what_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dump = written(tmp_path, task())
    assert main(["smf", "report", "QSTAT", dump, "--quiet"]) == 10
    said = capsys.readouterr()
    assert said.out == ""
    assert "QSTAT has nothing to show: it needs records 115-216, which START TRACE(" in said.err
    assert "the dump has 1 record 116-1" in said.err
    assert main(["smf", "report", "ALL", dump, "-o", str(tmp_path / "all"), "--quiet"]) == 0
    assert [path.name for path in (tmp_path / "all").iterdir()] == ["TASK.txt"]
    assert f"Local program Jobname:{PROGRAM}" in (tmp_path / "all" / "TASK.txt").read_text()


@pytest.mark.usefixtures("without_java")
@pytest.mark.parametrize(
    ("held", "not_read"),
    [
        (b"", ""),
        (
            b"\x89PNG no dump at all",
            "not all could be read: lost: 19 bytes"
            " (SMF: at byte 0: 89504E47 is not a record descriptor word)",
        ),
    ],
)
def test_command_when_a_page_has_nothing_to_show_then_it_names_what_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], held: bytes, not_read: str
) -> None:
    dump, page = written(tmp_path, held), tmp_path / "page.html"
    assert main(["report", "html", dump, "-o", str(page), "--quiet"]) == 10
    said = capsys.readouterr().err
    nothing = "ternmq report: there is nothing to show: the dump has no records 115 or 116 of MQ\n"
    assert said == nothing + (f"ternmq report: {dump}: {not_read}\n" if not_read else "")
    assert "There is no measurement with a time in dump.smf." in page.read_text()


def test_log_when_the_writer_idled_longer_than_the_interval_then_it_was_not_busy(
    tmp_path: Path,
) -> None:
    log: Any = {"qjstciwr": 1, "qjstslptu": 60_001_000}
    dump = written(tmp_path, record("QM1", 0, 115, 1, QJST=[log]))
    with in_process():
        found_lines = list(lines(REPORTS["LOG"], small_tables.sections_here([dump], ["QJST"])))
    assert "Logger task busy 0.0%" in found_lines


@pytest.mark.usefixtures("without_java")
def test_command_when_the_dump_is_small_then_a_page_needs_no_spark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dump, page = written(tmp_path, sample()), tmp_path / "page.html"
    assert main(["report", "html", dump, "-o", str(page), "--quiet", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["title"], told["findings"]) == ("QM1, QM2", 1)
    only = ["report", "html", dump, "-o", str(page), "--quiet", "--json", "-m", "QM2"]
    assert main([*only, "--since", "2026-09-21T14:30"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "QM2"


@pytest.mark.parametrize("asked", [["smf", "report", "ALL"], ["report", "html"]])
def test_program_when_the_dump_is_small_then_it_does_not_load_pandas_or_spark(
    tmp_path: Path, asked: list[str]
) -> None:
    dump = written(tmp_path, sample())
    command = [sys.executable, "-X", "importtime", "-m", "ternmq", *asked, dump]
    command += ["--output", str(tmp_path / "made"), "--quiet"]
    ended = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert "pyarrow.lib" in loaded
    assert loaded.isdisjoint({"pandas.core", "pyspark", "py4j"})


@pytest.mark.parametrize(("limit", "is_little"), [(0, False), (10**9, True)])
def test_dump_when_it_is_above_the_limit_then_it_is_for_spark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, is_little: bool
) -> None:
    monkeypatch.setattr(small_tables, "SMALL_DUMP_BYTES", limit)
    assert small_tables.are_small_dumps([written(tmp_path, task())]) is is_little
    assert not small_tables.are_here(["s3://bucket/dump"])


@pytest.mark.usefixtures("without_java")
def test_search_when_the_folder_is_no_warehouse_then_it_says_what_fills_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lake", "find", str(tmp_path), "--text", "x"]) == 71
    said = capsys.readouterr().err
    assert f"{tmp_path} is not a warehouse: there is no table in it. `ternmq pipeline run`" in said
