"""Goal: reports say what the records say: those of MQSMF in their layout, the page in its charts.

Method: records of our writer with known values, through Spark into each report; the page is opened
in Chromium, where there is one, and looked at.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ternmq.cli.tools.report_command import STEPS
from ternmq.codec.smf.clock_values import tod_of_ns
from ternmq.codec.smf.record import Stamp, build, correlator, header_values
from ternmq.codec.smf.section_layout import Scalar, Values
from tests.unit.spark.browser import document, screenshot

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ternmq.spark.report.mqsmf_text import Sections

pytestmark = pytest.mark.spark

S = 1_000_000_000
MS = 1000 * 4096  # a millisecond in units of the clock
BEGIN = 1_790_000_040 * S  # 2026-09-21 14:14:00
INTERVALS = 3


def stamp(n: int) -> Stamp:
    """An interval of ten seconds, of a system two hours east."""
    return Stamp("SYS1", "QM1", BEGIN + (n + 1) * 10 * S, 7200, BEGIN + n * 10 * S, 10_000_000)


def record(n: int, kind: int, subtype: int, **sections: list[Values]) -> bytes:
    return build(kind, subtype, header_values(kind, subtype, stamp(n)), sections)


def statistics(n: int) -> bytes:
    queues: list[Values] = [
        {"qqstqnam": "ORDERS", "qqstdpth": 40 * n, "qqstdphi": 40 * n + 5, "qqstputs": 600,
         "qqstgets": 560, "qqstqtst": 700 + n, "qqstpsid": 1, "qqstbpid": 1},
        {"qqstqnam": "REPLIES", "qqstdpth": 2, "qqstputs": 300, "qqstgets": 300},
    ]  # fmt: skip
    writes: tuple[dict[str, Scalar], ...] = (
        {"qjstiocount": 800, "qjstioci": 800, "qjstiototio": 8_500 * MS, "qjstiomaxio": 40 * MS},
    )
    log: Values = {"qjstwrf": 90, "qjstciwr": 2560, "qjstlogw": 1000, "qjstio": writes}
    pool: Values = {"qpstpool": 1, "qpstnbuf": 1000, "qpstcbsl": 20, "qpstcbs": 500, "qpstsos": 4}
    calls: Values = {"qmstput": 900, "qmstget": 860, "qmstopen": 12, "qmstclos": 11}
    return (
        record(n, 115, 216, QQST=queues)
        + record(n, 115, 1, QJST=[log])
        + record(n, 115, 2, QMST=[calls])
        + record(n, 115, 215, QPST=[pool])
    )


def channel_initiator() -> bytes:
    task: Values = {"qcttskn": 1, "qctreqn": 100, "qctcptm": 5 * MS, "qcteltm": 20 * MS}
    return record(
        0, 115, 231,
        QCCT=[{"qcctnocc": 3, "qcctmxcc": 200, "qcctnoac": 2, "qcctmxac": 100}],
        QCTADP=[task, {**task, "qcttskn": 2, "qctreqn": 0, "qctcptm": 0, "qcteltm": 0}],
    )  # fmt: skip


def accounting() -> bytes:
    own: Values = {
        "wtasstrt": tod_of_ns(BEGIN), "wtasmthr": b"0001", "wtaswqct": 1, "wtascmn": 2,
        "wtascmet": 3 * MS, "wtascmct": 1 * MS, "wtasints": tod_of_ns(BEGIN),
        "wtasinte": tod_of_ns(BEGIN + 10 * S),
    }  # fmt: skip
    queue: Values = {
        "objname": "LQ1000", "basename": "LQ1000", "correl": correlator(own), "openn": 1,
        "openet": 39 * 4096, "openct": 37 * 4096, "putn": 10, "putet": 110 * 4096,
        "putct": 100 * 4096, "validput": 10, "putbytes": 10_240, "putmaxms": 1024, "putminms": 1024,
    }  # fmt: skip
    who: Values = {"wtidccn": "R001", "wtidopid": "PERFTASK", "wtidatyp": 2}
    # Time on queue without a get: what nobody foresaw must not end a report.
    polled: Values = {**queue, "basename": "POLLED", "objname": "POLLED", "getn": 5000}
    polled["totlatnt"] = 5 * MS
    return record(0, 116, 1, WTID=[who], WTAS=[{**own, "wtaswqct": 2}], WQ=[queue, polled])


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dump") / "dump.smf"
    records = [statistics(n) for n in range(INTERVALS)]
    path.write_bytes(b"".join(records) + channel_initiator() + accounting())
    return path


@pytest.fixture(scope="module")
def sections(
    spark: "SparkSession", dump: Path, tmp_path_factory: pytest.TempPathFactory
) -> "Sections":
    from ternmq.spark.report.mqsmf_text import REPORTS, read

    folder = tmp_path_factory.mktemp("read") / "sections"
    return read(spark, [str(dump)], str(folder), list(REPORTS.values()))


@pytest.fixture(scope="module")
def tables(
    spark: "SparkSession", dump: Path, tmp_path_factory: pytest.TempPathFactory
) -> "dict[str, DataFrame]":
    """Those that a page is made of."""
    from ternmq.spark.report.report_tables import of_dumps

    return of_dumps(spark, [str(dump)], str(tmp_path_factory.mktemp("tables") / "sections"))


def printed(name: str, sections: "Sections") -> list[str]:
    from ternmq.spark.report.mqsmf_text import REPORTS, lines

    return list(lines(REPORTS[name], sections))


def test_qstat_when_printed_then_it_has_the_layout_of_mqsmf(sections: "Sections") -> None:
    head = "SYS1,QM1,2026/09/21,16:14:10,VRM:945,"
    found = printed("QSTAT", sections)
    assert found[:3] == [
        "",
        head,
        "From 2026/09/21,16:14:00 to 2026/09/21,16:14:10, duration 10 seconds.",
    ]
    assert found[3] == f"= Queue Name {'ORDERS':<48} COMPLETE RECORD        {head}"
    assert found[4] == "> Disposition Private Pageset ID 1      Bufferpool ID 1"
    assert found[5:9] == [
        "Current Depth 0",
        "High Depth 5",
        "Time on Queue short 700 uS",
        "Puts 600",
    ]
    names = [line.split()[3] for line in found if line.startswith("= ")]
    assert names == ["ORDERS", "REPLIES"] * INTERVALS
    assert found.count("") == INTERVALS  # a head for each record, not for each queue


def test_qstatcsv_when_printed_then_each_line_has_its_headings(sections: "Sections") -> None:
    head, first, *others = [line.split(",") for line in printed("QSTATCSV", sections)]
    assert len(others) == 2 * INTERVALS - 1
    assert {len(line) for line in (first, *others)} == {len(head)}
    reported = dict(zip(head, first, strict=True))
    assert (reported["Queue"], reported["Time"], reported["Duration"]) == (
        "ORDERS",
        "16:14:10",
        "10",
    )
    assert (reported["Put"], reported["Get"], reported["Queue_Depth_High_Water"]) == (
        "600",
        "560",
        "5",
    )


def test_statistics_when_printed_then_figures_are_those_of_the_records(
    sections: "Sections",
) -> None:
    log = printed("LOG", sections)
    assert "Write_Force         90" in log[3]
    assert "Log write rate 1.049 MB/s per copy" in log
    assert "Logger I/O busy 85.0%" in log
    assert any(
        line.startswith("Log 1, 1 page  : writes 800, pages 800, mean 10625 uS") for line in log
    )
    calls = printed("MSGM", sections)
    assert calls[3] == (
        "MQOPENs             12, MQCLOSEs            11, MQGETs             860, "
        "MQPUTs             900"
    )
    pools = printed("BUFF", sections)
    assert pools[3] == "= BPool  1, Size     1000,%full now  50, Highest %full  98, Disk reads 0"
    assert pools[6].split()[-2:] == ["SOS", "4"]


def test_chinit_when_printed_then_tasks_are_summed(sections: "Sections") -> None:
    found = printed("CHINIT", sections)
    assert "Peak number used of current channels...........    3" in found
    assert "   0,ADAP,     100,   0.2,   0.005000,   0.1,       50,     200" in found
    assert "Summ,ADAP,     100,   0.1,   0.005000,   0.0,       50,     200" in found


def test_task_when_printed_then_its_queues_follow_it(sections: "Sections") -> None:
    found = printed("TASK", sections)
    assert (
        found[2] == "From 2026/09/21,16:14:00 to 2026/09/21,16:14:10, duration 10.000000 seconds."
    )
    assert found[3].endswith("Jobname:R001 Userid:PERFTASK")
    for label, value, name in (
        ("Commit count", "2", ""),
        ("Commit avg elapsed time", "1500 uS", ""),
        ("Put count", "10", " LQ1000"),
        ("Put avg elapsed time", "11 uS", " LQ1000"),
        ("Put size average", "1024 bytes", " LQ1000"),
        ("Total queue CPU used", "137 uS", " LQ1000"),
    ):
        assert f"{label:<30} {value:>18}{name}" in found
    assert [line.split()[-1] for line in found if line.startswith("Open name")] == [
        "LQ1000",
        "POLLED",
    ]


def test_objects_when_asked_for_then_each_row_is_json(sections: "Sections") -> None:
    from ternmq.spark.report.mqsmf_text import REPORTS, objects

    found = [json.loads(line) for line in objects(REPORTS["MSGM"], sections)]
    assert [row["Put"] for row in found] == [900] * INTERVALS


EXCHANGES = (
    "queue_manager string, request_queue string, reply_to_q string, reply_queue string,"
    " requested_at timestamp, latency_us bigint"
)
ANOMALIES = (
    "queue_manager string, queue string, rule string, window_start timestamp,"
    " value double, expected double, score double, words string"
)


def messages_of(spark: "SparkSession") -> "dict[str, DataFrame]":
    """What the other half of a warehouse has."""
    first = datetime(2026, 9, 21, 14, 14, tzinfo=UTC)
    exchanges = [
        ("QM1", "ORDERS", "REPLIES", "REPLIES", first + timedelta(seconds=n // 4), 1000 + 10 * n)
        for n in range(100)
    ]
    anomaly = [
        ("QM1", "ORDERS", "grows", first + timedelta(seconds=10), 80.0, 2.0, 9.5, "ORDERS grows")
    ]
    return {
        "exchanges": spark.createDataFrame(
            exchanges,
            EXCHANGES,
        ),
        "anomalies": spark.createDataFrame(
            anomaly,
            ANOMALIES,
        ),
    }


def test_page_when_made_of_dumps_then_it_has_every_section_and_a_browser_shows_it(
    spark: "SparkSession", tables: "dict[str, DataFrame]", tmp_path: Path
) -> None:
    from ternmq.spark.report.page_sections import SECTIONS
    from ternmq.spark.report.report_html import html_page

    steps: list[str] = []
    reported = html_page(tables | messages_of(spark), step=steps.append, source="dump.smf")
    assert len(steps) + 1 == len(SECTIONS) + 2 == STEPS
    assert reported.title == "QM1"
    assert reported.sections == [
        "Overview", "Findings", "Queues", "Latency", "Log", "Calls", "Applications", "Buffer pools",
    ]  # fmt: skip
    assert reported.findings == 3  # polling, the log, a buffer pool
    assert "2,700 messages were put, 90/s on average" in reported.html
    assert "The deepest queue was ORDERS, with 85 messages." in reported.html
    assert "Of those on ORDERS the median reply time was 1.49 ms" in reported.html
    assert "ORDERS grows" in reported.html
    assert "Not on this page" not in reported.html
    page = tmp_path / "report.html"
    page.write_text(reported.html, encoding="utf-8")
    assert 'data-ready="yes"' in document(page)
    picture = screenshot(page, tmp_path / "report.png", 800, 600)
    assert picture.count("#1f78c8") + picture.count("#5aa9ee") > 100


def test_page_when_only_a_time_is_asked_for_then_only_that_is_reported(
    tables: "dict[str, DataFrame]",
) -> None:
    from ternmq.spark.report.report_data import survey_of
    from ternmq.spark.report.report_tables import between

    since = datetime(2026, 9, 21, 14, 14, 10, tzinfo=UTC)
    some = {n: tables[n] for n in ("queues", "log", "tasks", "chargeback", "queue_use")}
    later = survey_of(between(some, since, None))
    assert (later.rows["queues"], later.rows["log"]) == (4, 2)
    # Sums over all time: one is made anew, of what it is a sum of the other is not there.
    assert later.rows["chargeback"] == 0
    assert "queue_use" not in later.rows
    others = survey_of(between({"queues": tables["queues"]}, None, None, "QM2"))
    assert others.period is None


QUEUES_MANY = 2000


def awkward(spark: "SparkSession") -> "dict[str, DataFrame]":
    """Tables with what a page must bear: very many rows, gaps, nonsense, markup in names."""
    from pyspark.sql import functions as f

    first = datetime(2026, 9, 21, 14, 14, tzinfo=UTC)
    number = f.col("id")
    nothing = f.lit(None)
    queues = spark.range(QUEUES_MANY).select(
        f.lit("QM1").alias("queue_manager"),
        f.format_string("<b>Q%04d", number).alias("queue"),
        f.when(number != 3, f.lit(first)).alias("interval_start"),
        f.when(number == 4, 0.0).otherwise(10.0).alias("interval_s"),
        f.when(number != 5, f.lit(QUEUES_MANY) - number).alias("puts"),
        f.when(number != 5, f.lit(1)).cast("long").alias("gets"),
        *(f.when(number == QUEUES_MANY - 1, 777).alias(name) for name in ("depth", "depth_high")),
        f.lit(1.0).alias("puts_per_s"),
        *(
            nothing.cast("long").alias(name)
            for name in ("time_on_queue_us", "oldest_s", "gets_without_message", "expired",
                         "backed_out", "readers", "writers")
        ),
    )  # fmt: skip
    exchanges = [
        *[("QM1", "COPIES", "CONFIRMATIONS", "COPIES", first, 1000)] * 3,
        ("QM1", "COPIES", "CONFIRMATIONS", "COPIES", first, -50),
        ("QM1", "COPIES", "CONFIRMATIONS", None, first, None),
        ("QM1", "COPIES", "CONFIRMATIONS", "COPIES", datetime(9998, 1, 1, tzinfo=UTC), 5),
    ]
    anomalies = [("QM1", None, "grows", first, None, None, None, None)] * 20
    findings = [("QM1", "polling", f"<i>{n}", first, "polls") for n in range(30)]
    payers = [("QM1", None, None, None, 1, 1, None, None, None, 5, 5.0, None)]
    return {
        "queues": queues,
        "exchanges": spark.createDataFrame(exchanges, EXCHANGES),
        "anomalies": spark.createDataFrame(anomalies, ANOMALIES),
        "findings": spark.createDataFrame(
            findings,
            "queue_manager string, rule string, object string, interval_start timestamp,"
            " words string",
        ),
        "chargeback": spark.createDataFrame(
            payers,
            "queue_manager string, kind string, application string, user string, tasks long,"
            " transactions long, calls long, puts long, gets long, cpu_us long,"
            " cpu_us_per_transaction double, log_bytes long",
        ),
    }


def test_page_when_tables_are_awkward_then_it_is_small_and_right(spark: "SparkSession") -> None:
    from ternmq.spark.report.report_html import html_page

    reported = html_page(awkward(spark))
    html = reported.html
    assert len(html) < 600_000
    assert "<b>" not in html
    assert "<i>2" not in html
    assert "The first 500 rows; there are more." in html
    # Of all queues, not of those that are shown.
    puts = sum(QUEUES_MANY - n for n in range(QUEUES_MANY) if n != 5)
    assert f"{puts:,} messages were put" in html
    assert f"The deepest queue was &lt;b&gt;Q{QUEUES_MANY - 1}, with 777 messages." in html
    assert reported.period is not None
    assert reported.period.last.year == 2026  # whatever a message says
    assert "Of those answered on CONFIRMATIONS the median reply time was 1 ms" in html
    assert html.count('<td class="t">CONFIRMATIONS</td><td class="t">COPIES</td>') == 1
    assert (reported.findings, reported.anomalies) == (30, 20)
    assert "20 others like these are in the table." in html
    assert "8 other anomalies are in the table." in html


def test_page_when_tables_are_empty_then_it_says_so(spark: "SparkSession") -> None:
    from ternmq.spark.report.report_html import html_page

    reported = html_page({name: table.limit(0) for name, table in messages_of(spark).items()})
    assert reported.period is None
    assert "There is no measurement with a time in the tables" in reported.html


def test_lines_when_a_name_has_controls_then_a_terminal_does_not_get_them(
    spark: "SparkSession",
) -> None:
    from ternmq.spark.report.mqsmf_text import Report, lines

    columns = "QMgr string, LPAR string, Time_UTC timestamp, Record_File string"
    row = ("QM1", "SYS1", None, "dump", 0, "= Queue \x1b[2J\x9b1m\x07A\nnext")
    made = spark.createDataFrame([row], f"{columns}, Record_Position long, text string")
    report = Report("ANY", "any", (), lambda _: made)
    assert list(lines(report, {})) == ["= Queue ?[2J?1m?A", "next"]
