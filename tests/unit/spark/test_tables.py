"""Goal: tables and findings say what the records say, in the terms people ask in.

Method: records of our writer with known values, and real dumps where they are present, through the
source; figures worked out by hand, or from the plain reader's values.
"""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ternmq
from ternmq import SMFDestination
from ternmq.codec.smf.clock_values import tod_of_ns
from ternmq.codec.smf.reader import Reader
from ternmq.codec.smf.record import Stamp, build, correlator, header_values
from ternmq.codec.smf.section_layout import Scalar, Values
from tests.unit.codec.test_smf_real_dumps import FOLDER

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

pytestmark = pytest.mark.spark

BEGIN = 1_790_000_040_000_000_000
STAMP = Stamp("SYS1", "QM1", BEGIN + 10_000_000_000, 0, BEGIN, 10_000_000)
MS = 1000 * 4096  # a millisecond in units of the clock


# Thread cross-references: a CICS task has its number behind the name, a region of IMS before it.
WHO: dict[str, Values] = {
    "CICSA": {
        "wtidatyp": 1,
        "wtidcori": b"\x00\x01\x02\x03" + "PAY1".encode("cp037") + b"\x00\x47\x11\x5c",
    },
    "IMSA": {"wtidatyp": 4, "wtidcori": "0236BC1UDOC ".encode("cp037")},
    "CHIN": {"wtidatyp": 6, "wtidcori": bytes.fromhex("14866820E7E75C5C14866AE0")},
}


def record(kind: int, subtype: int, **sections: list[Values]) -> bytes:
    return build(kind, subtype, header_values(kind, subtype, STAMP), sections)


def reported_by(name: str) -> bytes:
    """What links queues to a task."""
    return correlator({"wtasstrt": tod_of_ns(BEGIN), "wtasmthr": name.encode()[-4:]})


def task(name: str, queues: list[Values], **values: Any) -> bytes:
    """A task with its queues."""
    own: Values = {"wtasstrt": tod_of_ns(BEGIN), "wtasmthr": name.encode()[-4:], **values}
    own["wtaswqct"] = len(queues)
    linked: list[Values] = [{**queue, "correl": reported_by(name)} for queue in queues]
    who: Values = {"wtidccn": name, "wtidopid": "USER1", **WHO.get(name, {"wtidatyp": 2})}
    sections = {"WTID": [who], "WTAS": [own], **({"WQ": linked} if linked else {})}
    return record(116, 1, **sections)


CHANNELS: list[Values] = [
    {"qcstchnm": "TO.QM2", "qcstchty": 1, "qcstcbsz": 50, "qcstnmsg": 1000, "qcstbatc": 900,
     "qcststrt": tod_of_ns(BEGIN), "qcstludt": tod_of_ns(BEGIN + 10_000_000_000),
     "qcstbyst": 1_000_000},
    # It has run for a day, and runs on; what it did is told of the ten seconds.
    {"qcstchnm": "TO.QM3", "qcstchty": 1, "qcstcbsz": 50, "qcstnmsg": 1000, "qcstbatc": 20,
     "qcststrt": tod_of_ns(BEGIN - 86_400_000_000_000), "qcstbyrc": 40_000,
     "qcstcltm": tod_of_ns(BEGIN + 10_000_000_000)},
]  # fmt: skip


# By selectors: one looks through a deep queue, one through a short one, one finds at once.
SCANNED: Values = {
    "basename": "SCANNED", "getn": 5, "validget": 4, "getsmsg": 9996, "selcount": 5,
    "selmaxln": 14, "maxqdpth": 2500, "gets": 1,
}  # fmt: skip
SELECTING: list[Values] = [
    SCANNED,
    {**SCANNED, "basename": "SHORT", "maxqdpth": 900},
    {**SCANNED, "basename": "FOUND", "getsmsg": 40},
]


@pytest.fixture(scope="module")
def dump(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> Path:
    from ternmq.spark.smf.smf_source import register

    register(spark)
    writes: tuple[dict[str, Scalar], ...] = (
        {"qjstiocount": 800, "qjstiototio": 8_500 * MS, "qjstiomaxio": 40 * MS},
        {"qjstiocount": 200, "qjstiototio": 500 * MS, "qjstiomaxio": 9 * MS},
    )
    log: Values = {
        "qjstciwr": 2560,
        "qjstlogw": 1000,
        "qjstwtb": 3,
        "qjstio": writes,
    }
    pools: list[Values] = [
        {"qpstpool": 1, "qpstnbuf": 1000, "qpstcbsl": 20, "qpstsos": 4, "qpstrio": 500},
        {"qpstpool": 2, "qpstnbuf": 1000, "qpstcbsl": 900},
    ]
    queues: list[Values] = [
        {"qqstqnam": "ORDERS", "qqstdpth": 400, "qqstdphi": 410, "qqstputs": 500, "qqstput1": 100,
         "qqstgets": 200, "qqstppt": 300, "qqstputb": 50_000, "qqstexpr": 50, "qqstrbpt": 20,
         "qqstrbgt": 30},
    ]  # fmt: skip
    calls: Values = {
        "qmstopen": 10, "qmstget": 40, "qmstput": 30, "qmstput1": 20, "qmstspp": 5, "qmstsnp": 45,
        "qmstpbp": 1000, "qmstnbp": 9000, "qmstsub": 20, "qmstpubs": 60,
    }  # fmt: skip
    page_set: Values = {
        "qis1psno": 4, "qis1bpno": 1, "qis1topg": 1000, "qis1unpg": 150, "qis1full": 2,
        "qis1dwpn": 10, "qis1dwpt": 20 * MS,
    }  # fmt: skip
    polled: Values = {"basename": "POLLED", "getn": 5000, "validget": 10, "getct": 50 * MS}
    searched: Values = {
        "basename": "SEARCHED", "getn": 10, "validget": 10, "gets": 10, "getsmsg": 4000,
        "getct": 5 * MS, "totlatnt": 70 * MS,
    }  # fmt: skip
    browsed: Values = {"basename": "BROWSED", "getbrws": 5, "getsmsg": 100, "validget": 5}
    used = [browsed, *SELECTING]
    more: Values = {"basename": "MORE", "putn": 1, "validput": 1, "putct": 2 * MS}
    data = b"".join(
        (
            record(115, 1, QJST=[log], QSST=[{}]),
            record(115, 215, QPST=pools),
            record(115, 216, QQST=queues),
            record(115, 2, QMST=[calls]),
            record(115, 201, QIS1=[page_set]),
            record(116, 10, QCST=CHANNELS),
            task("BATCH1", [polled, searched], wtascmn=5, wtascmct=10 * MS, wtasjwb=7000),
            record(116, 2, WTID=[{}], WQ=[{**more, "correl": reported_by("BATCH1")}]),
            *(task(name, []) for name in WHO),
            task("BATCH2", used, wtasotct=3 * MS, wtasotn=2, wtasstct=1 * MS, wtasstn=4),
        )
    )
    path = tmp_path_factory.mktemp("tables") / "dump"
    path.write_bytes(data)
    return path


def load(spark: "SparkSession", path: Path, section: str) -> "DataFrame":
    return spark.read.format("mqsmf").option("section", section).load(str(path))


def one(frame: "DataFrame") -> "Row":
    (row,) = frame.collect()
    return row


def test_queues_when_tabled_then_rates_depths_and_growth_are_there(
    spark: "SparkSession", dump: Path
) -> None:
    from ternmq.spark.pipeline.interval_tables import queues

    row = one(queues(load(spark, dump, "QQST")))
    assert (row["queue_manager"], row["queue"], row["interval_s"]) == ("QM1", "ORDERS", 10.0)
    assert (row["depth"], row["depth_high"], row["puts"], row["gets"]) == (400, 410, 600, 200)
    assert (row["puts_per_s"], row["gets_per_s"], row["growth_per_s"]) == (60.0, 20.0, 36.0)
    assert (row["put_bytes_per_s"], row["persistent_share"]) == (5000.0, 0.5)


def test_time_on_queue_when_nothing_was_got_then_unknown(spark: "SparkSession", dump: Path) -> None:
    from pyspark.sql import functions as f

    from ternmq.spark.pipeline.interval_tables import queues

    section = load(spark, dump, "QQST")
    cases = spark.createDataFrame([(200, 0), (0, 70), (0, 0)], "gets bigint, took bigint")
    reported = section.crossJoin(cases).withColumns(
        {"Get": f.col("gets"), "QTime_Short": f.col("took")}
    )
    rows = queues(reported.drop("gets", "took")).collect()
    assert sorted(str(row["time_on_queue_us"]) for row in rows) == ["0", "70", "None"]


def test_calls_when_tabled_then_they_are_for_each_second(spark: "SparkSession", dump: Path) -> None:
    from ternmq.spark.pipeline.interval_tables import calls

    row = one(calls(load(spark, dump, "QMST")))
    assert (row["open_per_s"], row["get_per_s"], row["put_per_s"]) == (1.0, 4.0, 3.0)
    assert (row["put1_per_s"], row["put_bytes_per_s"]) == (2.0, 1000.0)
    assert (row["persistent_puts_per_s"], row["nonpersistent_puts_per_s"]) == (0.5, 4.5)
    assert (row["subscribes_per_s"], row["published_per_s"]) == (2.0, 6.0)


def test_page_sets_when_tabled_then_percent_and_times_are_there(
    spark: "SparkSession", dump: Path
) -> None:
    from ternmq.spark.pipeline.interval_tables import page_sets

    row = one(page_sets(load(spark, dump, "QIS1")))
    assert (row["page_set"], row["buffer_pool"], row["pages"]) == (4, 1, 1000)
    assert (row["percent_full"], row["times_full"], row["mean_write_us"]) == (85.0, 2, 2000.0)
    assert row["mean_read_us"] is None


def test_numbers_that_are_too_large_when_added_then_the_sum_is_unknown_and_no_error(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.pipeline.interval_tables import queues

    most = (1 << 63) - 1
    wild: Values = {"qqstqnam": "WILD", "qqstputb": most, "qqstpt1b": most, "qqstgets": 7}
    (tmp_path / "dump").write_bytes(record(115, 216, QQST=[wild]))
    row = one(queues(load(spark, tmp_path / "dump", "QQST")))
    assert (row["put_bytes_per_s"], row["gets"]) == (None, 7)


def test_log_when_tabled_then_bytes_times_and_waits_are_there(
    spark: "SparkSession", dump: Path
) -> None:
    from ternmq.spark.pipeline.interval_tables import log

    row = one(log(load(spark, dump, "QJST")))
    assert row["log_bytes_per_s"] == 2560 * 4096 / 10
    assert (row["mean_io_us_1_1"], row["mean_io_us_1_2"]) == (10_625.0, 2500.0)
    assert row["mean_io_us_2_1"] is None
    assert (row["longest_io_us"], row["waits_for_buffer"]) == (40_000, 3)
    assert row["busy_share"] == 0.9
    assert (row["copies"], row["writer_busy_share"]) == (1, None)


def test_log_when_it_has_two_copies_then_its_rate_is_that_of_each(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.pipeline.interval_tables import log

    # As in real records: the totals are those of both copies.
    writes: tuple[dict[str, Scalar], ...] = (
        {"qjstiocount": 100, "qjstioci": 100, "qjstiototio": 400 * MS},
        {"qjstiocount": 20, "qjstioci": 60, "qjstiototio": 100 * MS},
        {"qjstiocount": 100, "qjstioci": 100, "qjstiototio": 700 * MS},
        {"qjstiocount": 20, "qjstioci": 60, "qjstiototio": 200 * MS},
    )
    values: Values = {"qjstciwr": 320, "qjstlogw": 240, "qjstio": writes, "qjstslptu": 9_000_000}
    (tmp_path / "dump").write_bytes(record(115, 1, QJST=[values], QSST=[{}]))
    row = one(log(load(spark, tmp_path / "dump", "QJST")))
    assert (row["copies"], row["writes_per_s"]) == (2, 12.0)
    assert row["log_bytes_per_s"] == 160 * 4096 / 10
    assert (row["mean_io_us_1_1"], row["mean_io_us_2_1"]) == (4000.0, 7000.0)
    assert (row["busy_share"], row["writer_busy_share"]) == (0.09, 0.1)


def test_tasks_when_tabled_then_cost_is_that_of_queues_and_commits(
    spark: "SparkSession", dump: Path
) -> None:
    from ternmq.spark.pipeline.task_tables import chargeback, tasks

    table = tasks(*(load(spark, dump, name) for name in ("WTID", "WTAS", "WQ")))
    rows = {row["application"]: row for row in table.collect()}
    first, second = rows["BATCH1"], rows["BATCH2"]
    assert (first["cpu_us"], first["transactions"]) == (67_000, 5)
    assert first["cpu_us_per_transaction"] == 13_400
    assert (first["gets"], first["puts"], first["user"]) == (20, 1, "USER1")
    assert first["log_bytes"] == 7000
    assert (second["cpu_us"], second["transactions"], second["gets"]) == (4000, 0, 5 + 12)
    assert second["cpu_us_per_transaction"] is None  # it has no transaction
    assert second["calls"] == 6 + 15
    names = {name: row["transaction_name"] for name, row in rows.items()}
    assert [names[name] for name in ("CICSA", "IMSA")] == ["PAY1", "BC1UDOC"]
    assert {names[name] for name in ("CHIN", "BATCH1", "BATCH2")} == {None}
    charged = {row["application"]: row for row in chargeback(table).collect()}
    assert (charged["BATCH1"]["tasks"], charged["BATCH1"]["cpu_us"]) == (1, 67_000)
    assert charged["BATCH1"]["cpu_us_per_transaction"] == 13_400


def test_queue_use_when_tabled_then_time_on_queue_is_a_mean(
    spark: "SparkSession", dump: Path
) -> None:
    from ternmq.spark.pipeline.task_tables import queue_use

    rows = {row["queue"]: row for row in queue_use(load(spark, dump, "WQ")).collect()}
    assert rows["SEARCHED"]["mean_time_on_queue_us"] == 7000
    assert rows["POLLED"]["gets_per_message"] == 500
    assert rows["POLLED"]["cpu_us_per_call"] == 10


def test_channels_when_tabled_then_rates_are_over_their_part_of_the_interval(
    spark: "SparkSession", dump: Path
) -> None:
    from ternmq.spark.pipeline.task_tables import channels

    rows = {row["channel"]: row for row in channels(load(spark, dump, "QCST")).collect()}
    assert (rows["TO.QM2"]["bytes_per_s"], rows["TO.QM2"]["messages_per_s"]) == (100_000.0, 100.0)
    assert (rows["TO.QM3"]["bytes_per_s"], rows["TO.QM3"]["messages_per_s"]) == (4_000.0, 100.0)


def test_dump_when_it_is_there_twice_then_nothing_counts_twice(
    spark: "SparkSession", dump: Path, tmp_path: Path
) -> None:
    from ternmq.spark.pipeline.interval_tables import once, queues
    from ternmq.spark.pipeline.task_tables import chargeback, queue_use, tasks

    (tmp_path / "monday").write_bytes(dump.read_bytes())
    (tmp_path / "week").write_bytes(dump.read_bytes())
    wtid, wtas, wq = (load(spark, tmp_path, name) for name in ("WTID", "WTAS", "WQ"))
    charged = {row["application"]: row for row in chargeback(tasks(wtid, wtas, wq)).collect()}
    assert (charged["BATCH1"]["cpu_us"], charged["BATCH1"]["gets"]) == (67_000, 20)
    assert (charged["BATCH2"]["cpu_us"], charged["BATCH2"]["transactions"]) == (4000, 0)
    used = {row["queue"]: (row["get_calls"], row["puts"]) for row in queue_use(wq).collect()}
    used = {name: used[name] for name in ("POLLED", "SEARCHED", "BROWSED", "MORE")}
    assert used == {"POLLED": (5000, 0), "SEARCHED": (10, 0), "BROWSED": (0, 0), "MORE": (0, 1)}
    assert once(queues(load(spark, tmp_path, "QQST"))).count() == 1


def test_queues_of_a_task_when_the_dump_ends_before_them_then_the_next_one_has_them(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.pipeline.task_tables import tasks

    second = 1_000_000_000
    parts: list[bytes] = []
    for n in range(3):  # a long task, told every second
        stamp = Stamp("SYS1", "QM1", BEGIN + (n + 1) * second, 0)
        own: Values = {
            "wtasstrt": tod_of_ns(BEGIN),
            "wtasints": tod_of_ns(BEGIN + n * second),
            "wtasinte": tod_of_ns(BEGIN + (n + 1) * second),
        }
        queue: Values = {"basename": "Q", "putn": n + 1, "validput": n + 1}
        queue["correl"] = correlator(own)
        head = header_values(116, 1, stamp)
        parts.append(build(116, 1, head, {"WTID": [{"wtidccn": "LONG"}], "WTAS": [own]}))
        head = header_values(116, 2, stamp)
        parts.append(build(116, 2, head, {"WTID": [{}], "WQ": [queue, {**queue, "objname": "A"}]}))
    (tmp_path / "1").write_bytes(b"".join(parts[:3]))
    (tmp_path / "2").write_bytes(b"".join(parts[3:]))
    made = tasks(*(load(spark, tmp_path, name) for name in ("WTID", "WTAS", "WQ")))
    rows = made.orderBy("interval_start").collect()
    assert [row["puts"] for row in rows] == [2, 4, 6]


def test_findings_when_made_then_each_rule_finds_its_case_and_no_other(
    spark: "SparkSession", dump: Path
) -> None:
    from ternmq.spark.pipeline.findings import findings
    from ternmq.spark.pipeline.interval_tables import buffer_pools, log
    from ternmq.spark.pipeline.task_tables import channels, queue_use

    table = findings(
        queue_use(load(spark, dump, "WQ")),
        log(load(spark, dump, "QJST")),
        buffer_pools(load(spark, dump, "QPST")),
        channels(load(spark, dump, "QCST")),
    )
    rows = {(row["rule"], row["object"]): row for row in table.collect()}
    assert set(rows) == {
        ("polling", "POLLED"),
        ("missing index", "BROWSED"),
        ("missing index", "SEARCHED"),
        ("selector scan", "SCANNED"),
        ("log bound", "QM1"),
        ("buffers short", "1"),
        ("empty batches", "TO.QM2"),
    }
    assert rows["polling", "POLLED"]["words"].startswith("POLLED: 5000 gets for 10 messages")
    scan = rows["selector scan", "SCANNED"]
    assert scan["value"] == 2500.0
    words = (
        "5 gets looked at 10000 messages for 4 that matched, 2500 for each, and it was 2500 deep"
    )
    assert words in scan["words"]
    assert "90 % of the interval, and 3 requests" in rows["log bound", "QM1"]["words"]
    assert "2.0 % free; tasks found none 4 times" in rows["buffers short", "1"]["words"]


def records_of_a_scan() -> bytes:
    """What a queue manager writes of a task that gets three messages of 1200 by a selector."""
    selector = "colour = 'red'"
    with ternmq.memory("QM1", smf=[SMFDestination("LIVE", "Memory")]) as qmgr:
        qmgr.define_queue("DEEP")
        with qmgr.queue("DEEP") as queue:
            for n in range(1200):
                colour = "red" if n % 400 == 399 else "blue"
                queue.put(b"x", persistent=False, properties={"colour": colour})
        qmgr.mqsc("START TRACE(ACCTG) CLASS(3)")
        with qmgr.connect() as task, task.queue("DEEP", selector=selector) as red:
            assert [red.try_get() is not None for _ in range(4)] == [True, True, True, False]
        return b"".join(qmgr.smf_read(1, wait=10.0).records)


def test_findings_when_a_selector_has_scanned_then_the_records_of_the_queue_manager_show_it(
    spark: "SparkSession", dump: Path, tmp_path: Path
) -> None:
    from ternmq.spark.pipeline.findings import selector_scan
    from ternmq.spark.pipeline.task_tables import queue_use

    (tmp_path / "dump").write_bytes(records_of_a_scan())
    row = one(selector_scan(queue_use(load(spark, tmp_path / "dump", "WQ"))))
    assert (row["object"], row["value"]) == ("DEEP", 400.0)
    looked = "4 gets looked at 1200 messages for 3 that matched, 400 for each"
    assert f"{looked}, and it was 1199 deep" in row["words"]
    assert "DISPLAY QSTATUS(DEEP) TYPE(HANDLE) SELECTOR" in row["words"]


def test_real_dump_when_tabled_then_sums_are_those_of_the_plain_reader(
    spark: "SparkSession", dump: Path
) -> None:
    from ternmq.spark.pipeline.task_tables import channels, queue_use, tasks

    path = FOLDER / "smf-mq800-channels.dat"
    if not path.exists():
        pytest.skip(f"not shown: there is no {path.name}")
    plain = list(Reader(io.BytesIO(path.read_bytes()).read))
    puts = gets = 0
    for each in plain:
        for values in each.values_of("WQ"):
            puts += int(str(values["validput"]))
            gets += int(str(values["validget"]))
    used = queue_use(load(spark, path, "WQ")).agg({"puts": "sum", "gets": "sum"})
    assert one(used).asDict() == {"sum(puts)": puts, "sum(gets)": gets}
    made = tasks(*(load(spark, path, name) for name in ("WTID", "WTAS", "WQ")))
    assert made.count() == sum(len(each.values_of("WTAS")) for each in plain) == 200
    assert made.where("application is null").count() == 0
    assert channels(load(spark, path, "QCST")).count() == 23
