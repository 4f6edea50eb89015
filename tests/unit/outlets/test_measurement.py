"""Goal: what an application does is what the records and messages say, value by value, from the
call to the reader; every way to a queue manager reads the same stream.

Method: real queue managers with traces started by command; records read by the reader of dumps.
"""

from __future__ import annotations

import asyncio
import io
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import ternmq
import ternmq.aio
from ternmq import constants as mq
from ternmq.base.message_table import message_text
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.codec.smf.decoding import Record
from ternmq.codec.smf.reader import Reader
from ternmq.outlets.measurement import MeasureSettings
from ternmq.outlets.pcf_destination import ACCOUNTING_QUEUE, STATISTICS_QUEUE
from ternmq.outlets.smf_data_sets import data_sets
from ternmq.outlets.smf_settings import SMFDestination
from ternmq.runtime.starting import start_in_memory
from ternmq.telemetry.pcf.measurement_text import PARAMETERS
from ternmq.values.status import SMFRead
from tests.unit.api.intervals import end_intervals
from tests.unit.api.served import Served

pytestmark = pytest.mark.core


def commands(qmgr: ternmq.Connection, *texts: str) -> None:
    for text in texts:
        answers = qmgr.mqsc(text)
        assert all(one.ok for one in answers), (text, answers)


def read(data: bytes) -> list[Record]:
    reader = Reader(io.BytesIO(data).read)
    records = list(reader)
    assert reader.tally.not_read == 0
    return records


def of_kind(records: list[Record], subtype: int, kind: int = 115) -> list[Record]:
    return [one for one in records if (one.row.record_type, one.row.subtype) == (kind, subtype)]


def work(qmgr: ternmq.Connection) -> None:
    """Three puts of 10, 20 and 30 bytes, one persistent MQPUT1 of 5, two gets, a browse."""
    options = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE
    with qmgr.queue("ORDERS", options=options) as queue:
        for size in (10, 20, 30):
            queue.put(b"x" * size)
        assert queue.get().data == b"x" * 10
        assert queue.get().data == b"x" * 20
        assert next(iter(queue.browse())).data == b"x" * 30
        assert queue.try_get(msg_id=b"\1" * 24) is None
    qmgr.put("ORDERS", b"p" * 5, descriptor=Descriptor(persistence=mq.MQPER_PERSISTENT))


def test_smf_when_an_application_works_then_its_records_say_what_it_did(tmp_path: Path) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr:
        qmgr.define_queue("ORDERS")
        commands(
            qmgr,
            "ALTER QMGR STATQ(ON) ACCTQ(ON)",
            "START TRACE(STAT) CLASS(1,2,3,4,5)",
            "START TRACE(ACCTG) CLASS(1,3,4)",
        )
        end_intervals(qmgr.started.shell)
        with qmgr.connect(application="payments") as application:
            work(application)
            end_intervals(qmgr.started.shell)
        folder = os.path.join(tmp_path, "qmgrs", "QM1", "smf", "SMF")
    files = data_sets(folder, "SMF")
    records = read(b"".join(Path(path).read_bytes() for path in files))
    kinds = {one.row.name for one in records}
    assert kinds >= {f"115-{subtype}" for subtype in (1, 2, 5, 6, 7, 201, 215, 216, 231)}
    assert kinds >= {"116-0", "116-1"}
    _, second, *_ = of_kind(records, 216)
    (queue,) = [one for one in second.values_of("QQST") if one["qqstqnam"] == "ORDERS"]
    expected = {
        "qqstdpth": 2,
        "qqstdphi": 3,
        "qqstdplo": 0,
        "qqstputs": 3,
        "qqstput1": 1,
        "qqstnppt": 3,
        "qqstppt": 0,
        "qqstpp1": 1,
        "qqstputb": 60,
        "qqstpt1b": 5,
        "qqstmsmi": 5,
        "qqstmsma": 30,
        "qqstmsav": 16,
        "qqstgets": 2,
        "qqstgetb": 30,
        "qqstbrws": 1,
        "qqstbrwb": 30,
        "qqstflgt": 1,
        "qqstnmag": 1,
        "qqstopen": 2,  # a browse has a handle of its own
        "qqstclos": 2,
    }
    assert {name: queue[name] for name in expected} == expected
    messages = of_kind(records, 2)[1].values_of("QMST")[0]
    assert (messages["qmstput"], messages["qmstput1"], messages["qmstget"]) == (3, 1, 4)
    assert (messages["qmstspp"], messages["qmstpbp"]) == (1, 5)
    log = of_kind(records, 1)[1].values_of("QJST")[0]
    assert log["qjstlogw"] == 1  # the persistent put


def test_queues_when_nobody_has_opened_them_since_the_start_then_they_are_reported(
    tmp_path: Path,
) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr:
        for name in ("UNREAD", "MIXED"):
            qmgr.define_queue(name, statistics="on")
        qmgr.define_queue("UNUSED", statistics="on")
        qmgr.define_queue("OFF")
        qmgr.define_alias("ALIAS", target="UNREAD")
        for name in ("UNREAD", "OFF", "MIXED"):
            with qmgr.queue(name) as queue:
                for at in range(5):
                    queue.put(b"x", persistent=name != "MIXED" or at % 2 == 0)
    with ternmq.embedded(tmp_path, "QM1", smf=[SMFDestination("MEM", "Memory")]) as qmgr:
        shell = qmgr.started.shell
        commands(qmgr, "START TRACE(STAT) CLASS(5)")
        shell.finish_effects()
        end_intervals(shell)
        assert not shell.engine.kernel.locals.keys() & {"UNREAD", "UNUSED", "MIXED"}
        for name in ("UNREAD", "MIXED"):
            qmgr.queue(name).close()
        defined = shell.engine.kernel.catalog.definitions
        numbers = {defined[name].object_id for name in ("UNREAD", "MIXED")}
        for _ in range(3):  # what nobody has open leaves memory
            qmgr.checkpoint()
        assert not shell.engine.kernel.catalog.queues.keys() & numbers
        end_intervals(shell)
        end_intervals(shell)
        records = of_kind(read(b"".join(qmgr.smf_read(1).records)), 216)
        assert len(records) == 3
        for record in records:
            queues = {one["qqstqnam"]: one for one in record.values_of("QQST")}
            depths = {name: one["qqstdpth"] for name, one in queues.items()}
            assert depths == {"UNREAD": 5, "UNUSED": 0, "MIXED": 3}
            assert (queues["UNREAD"]["qqstdphi"], queues["UNREAD"]["qqstdplo"]) == (5, 5)
        assert [one.values_of("QQST")[0]["qqstopen"] for one in records] == [0, 1, 0]


def test_smf_accounting_when_a_task_ends_then_its_totals_and_queues() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("ORDERS")
        commands(qmgr, "START TRACE(ACCTG) CLASS(1,3)")
        with qmgr.connect(application="payments", user="alice") as application:
            work(application)
        end_intervals(qmgr.started.shell)
        records = read(b"".join(qmgr.smf_read(1).records))
        totals = [one for one in of_kind(records, 0, 116) if one.header["qwhccn"] == "payments"]
        assert len(totals) == 1
        (sizes,) = totals[0].values_of("QMAC")
        assert (sizes["qmacputa"], sizes["qmacgeta"]) == (4, 3)
        (task,) = [
            one
            for one in of_kind(records, 1, 116)
            if one.values_of("WTID")[0]["wtidccn"] == "payments"
        ]
        (queue,) = task.values_of("WQ")
        expected = {
            "objname": "ORDERS",
            "basename": "ORDERS",
            "putn": 3,
            "put1n": 1,
            "getn": 4,
            "geta": 2,
            "gets": 1,
            "getbrwa": 1,
            "geterr": 1,
            "validput": 4,
            "validget": 3,
            "putbytes": 65,
            "getbytes": 60,
            "putminms": 5,
            "putmaxms": 30,
            "put1pmsg": 1,
        }
        assert {name: queue[name] for name in expected} == expected
        (statistics,) = task.values_of("WTAS")
        assert statistics["wtaswqct"] == 1
        assert statistics["wtasflag"] == b"\x20\x80\x00\x00"


def group(message: PCFMessage, name: str) -> dict[int, object]:
    for one in message.parameters:
        if one.members and one.members[0].text == name:
            return {member.parameter: member.value for member in one.members}
    raise AssertionError(name)


def test_pcf_when_an_application_works_then_messages_say_what_it_did() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("ORDERS")
        commands(qmgr, "ALTER QMGR STATQ(ON) STATMQI(ON) ACCTQ(ON) ACCTMQI(ON)")
        with qmgr.connect(application="payments") as application:
            work(application)
        commands(qmgr, "RESET QMGR TYPE(STATISTICS)")
        end_intervals(qmgr.started.shell)
        with qmgr.queue(STATISTICS_QUEUE) as queue:
            messages = [unpack_pcf(one.data) for one in queue]
        queues = next(one for one in messages if one.command == 165)
        found = group(queues, "ORDERS")
        assert found[PARAMETERS["PutCount"]] == [3, 0]
        assert found[PARAMETERS["Put1Count"]] == [0, 1]
        assert found[PARAMETERS["PutBytes"]] == [60, 5]
        assert found[PARAMETERS["GetCount"]] == [2, 0]
        assert found[PARAMETERS["BrowseCount"]] == [1, 0]
        assert found[PARAMETERS["QMaxDepth"]] == 3
        with qmgr.queue(ACCOUNTING_QUEUE) as queue:
            accounts = [unpack_pcf(one.data) for one in queue]
        name = PARAMETERS["ApplicationName"]
        mine = [one for one in accounts if str(getattr(one.find(name), "text", "")) == "payments"]
        assert [one.command for one in mine] == [167, 168]
        put_count = mine[0].find(PARAMETERS["PutCount"])
        assert put_count is not None
        assert put_count.numbers == [3, 0]
        assert group(mine[1], "ORDERS")[PARAMETERS["GetCount"]] == [2, 0]


def test_end_when_the_queue_manager_stops_then_the_last_interval_is_written(
    tmp_path: Path,
) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr:
        commands(qmgr, "START TRACE(STAT) CLASS(2)")
    files = data_sets(os.path.join(tmp_path, "qmgrs", "QM1", "smf", "SMF"), "SMF")
    records = read(b"".join(Path(path).read_bytes() for path in files))
    assert [one.row.name for one in records] == ["115-7"]


def test_end_when_messages_are_due_then_they_are_on_their_queues_at_the_next_start(
    tmp_path: Path,
) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr:
        commands(
            qmgr,
            f"ALTER QLOCAL({STATISTICS_QUEUE}) DEFPSIST(YES)",
            f"ALTER QLOCAL({ACCOUNTING_QUEUE}) DEFPSIST(YES)",
            "ALTER QMGR STATMQI(ON) ACCTMQI(ON)",
        )
        qmgr.put("SYSTEM.DEFAULT.LOCAL.QUEUE", b"x")
    assert [one.lost for one in qmgr.measurement.messages.queues.values()] == [0, 0]
    with ternmq.embedded(tmp_path, "QM1") as qmgr:
        with qmgr.queue(STATISTICS_QUEUE) as queue:
            assert unpack_pcf(queue.get().data).command == 164
        with qmgr.queue(ACCOUNTING_QUEUE) as queue:
            assert unpack_pcf(queue.get().data).command == 167


def test_loss_when_a_destination_cannot_be_written_then_it_is_reported_and_work_goes_on(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("no folder")
    wrong = SMFDestination("MAN", path=str(tmp_path / "file"))
    with ternmq.memory("QM1", smf=[wrong, SMFDestination("MEM", "Memory")]) as qmgr:
        commands(qmgr, "START TRACE(STAT) CLASS(2)")
        end_intervals(qmgr.started.shell)
        assert qmgr.measurement.smf.drain()
        status = {one.name: one for one in qmgr.smf_status()}
        assert (status["MAN"].lost, status["MAN"].written) == (1, 0)
        assert status["MAN"].why
        assert (status["MEM"].lost, status["MEM"].written) == (0, 1)
        with qmgr.started.shell.lock:
            taken = qmgr.started.shell.engine.kernel.notices.take()
        (trace,) = qmgr.mqsc("DISPLAY TRACE(*) ALL")
        assert (trace["SMFDEST"], trace["SMFLOST"]) == ("MAN,MEM", 1)
        reported = [message_text(one.message_id, one.inserts) for one in taken]
        assert [one for one in reported if "CSQW133E" in one and "'MAN'" in one]
        (tmp_path / "file").unlink()
        end_intervals(qmgr.started.shell)
        assert qmgr.measurement.smf.drain()
        with qmgr.started.shell.lock:
            taken = qmgr.started.shell.engine.kernel.notices.take()
        (end,) = [one for one in taken if one.message_id == "AMQ7992I"]
        assert end.inserts[:2] == ("MAN", 1)
        assert data_sets(str(tmp_path / "file"), "MAN")


def test_stream_when_read_over_every_way_then_the_same_records(tmp_path: Path) -> None:
    settings = MeasureSettings(smf=(SMFDestination("MEM", "Memory"),))
    started = start_in_memory("QM1", None, None, measure=settings)
    with Served(tmp_path, "QM1", started) as served, served.connect() as local:
        commands(local, "START TRACE(STAT) CLASS(2)")
        end_intervals(started.shell)
        here = started.measurement.smf_read(1)
        assert len(here.records) == 1
        there = local.smf_read(1, wait=10.0)
        assert there == here

        async def from_a_task() -> SMFRead:
            async with ternmq.aio.connect("QM1", data=served.data) as connection:
                assert [one.name for one in await connection.smf_status()] == ["MEM"]
                return await connection.smf_read(1, "MEM")

        assert asyncio.run(from_a_task()) == here
        assert local.smf_read(2).records == []
        (status,) = local.smf_status()
        assert (status.name, status.kind, status.written) == ("MEM", "Memory", 1)
        assert local.smf_switch() == []
        with pytest.raises(ternmq.ObjectUnknown, match="there are: MEM"):
            local.smf_read(1, "OTHER")
        with pytest.raises(ternmq.ObjectUnknown):
            local.smf_switch("MAN")


def test_stream_when_a_reader_waits_then_it_is_woken_by_the_next_record(tmp_path: Path) -> None:
    settings = MeasureSettings(smf=(SMFDestination("MEM", "Memory"),))
    started = start_in_memory("QM1", None, None, measure=settings)
    with Served(tmp_path, "QM1", started) as served, served.connect() as local:
        commands(local, "START TRACE(STAT) CLASS(2)", "SET SYSTEM STATIME(0.01)")
        assert _found_after(local, lambda: end_intervals(started.shell)).records
        started.measurement.smf_stream().end()
        assert local.smf_read(1000, wait=10.0).records == []


def test_stream_when_a_reader_waits_then_what_it_missed_is_still_reported(tmp_path: Path) -> None:
    settings = MeasureSettings(smf=(SMFDestination("MEM", "Memory"),))
    started = start_in_memory("QM1", None, None, measure=settings)
    with Served(tmp_path, "QM1", started) as served, served.connect() as local:
        at_once = local.smf_read(0)
        assert at_once.missed == 1  # records are numbered from 1
        assert local.smf_read(0, wait=0.05).missed == at_once.missed


def _found_after(local: ternmq.Connection, work: Callable[[], None]) -> SMFRead:
    worker = threading.Thread(target=work)
    worker.start()
    found = local.smf_read(1, wait=10.0)
    while not found.records:
        found = local.smf_read(1, wait=10.0)
    worker.join()
    return found


def test_metrics_when_a_port_is_given_then_served_until_the_end() -> None:
    with ternmq.memory("QM1", metrics_port=0) as qmgr:
        server = qmgr.measurement.metrics
        assert server is not None
        assert qmgr.measurement.serve_metrics() == server.port
        with pytest.raises(OSError, match=r"."):
            ternmq.memory("QM2", metrics_port=server.port)
    assert qmgr.measurement.metrics is None


def test_settings_when_they_cannot_be_then_refused_before_the_start() -> None:
    with pytest.raises(ValueError, match="metrics_port is 0 to 65535"):
        ternmq.memory("QM1", metrics_port=70_000)
    twice = [SMFDestination("A"), SMFDestination("A", "Memory")]
    with pytest.raises(ValueError, match="one name"):
        ternmq.memory("QM1", smf=twice)


def test_tasks_when_they_read_and_switch_then_as_threads_do(tmp_path: Path) -> None:
    destinations = [SMFDestination("MAN"), SMFDestination("MEM", "Memory")]

    async def work_of_a_task() -> None:
        async with ternmq.aio.embedded(
            tmp_path, "QM1", create=True, smf=destinations, metrics_port=0
        ) as qmgr:
            assert qmgr.measurement.metrics is not None
            (started,) = await qmgr.mqsc("START TRACE(STAT) CLASS(2)")
            assert started.ok
            shell = qmgr.measurement._shell
            waiting = asyncio.create_task(qmgr.smf_read(1, wait=10.0))
            await asyncio.to_thread(end_intervals, shell)
            assert len((await waiting).records) == 1
            assert (await qmgr.smf_read(2)).records == []
            assert (await qmgr.smf_read(2, wait=0.001)).records == []
            assert await qmgr.smf_switch() == ["MAN"]
            assert [one.written for one in await qmgr.smf_status()] == [1, 1]

    asyncio.run(work_of_a_task())
    assert len(data_sets(str(tmp_path / "qmgrs" / "QM1" / "smf" / "MAN"), "MAN")) == 2
