"""Goal: commands from programs: the same answers from both APIs, also for what is on disk only.

Method: `mqsc` and `command` of the blocking and the asyncio connection; a restart in between.
"""

from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.values.command import Command, Filter
from tests.unit.api.faces import FACES, in_loop

pytestmark = pytest.mark.core


@pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())
@in_loop
async def test_mqsc_when_several_commands_then_all_answers_in_order(api: Any) -> None:
    async with api.memory("QM9") as qmgr:
        text = "DEFINE QLOCAL(A) MAXDEPTH(7)\n* comment\nDIS QL(A) MAXDEPTH; DELETE QL(B)\nFLY"
        answers = await qmgr.mqsc(text)
        messages = [answer.message for answer in answers]
        assert messages == ["AMQ8006I", "AMQ8409I", "AMQ8147E", "AMQ8405I"]
        assert [answer.ok for answer in answers] == [True, True, False, False]
        shown = answers[1]
        assert shown["MAXDEPTH"] == 7
        assert shown.keys() == ["QUEUE", "TYPE", "MAXDEPTH"]
        assert "MAXDEPTH" in shown
        assert "PUT" not in shown
        assert shown.get("PUT", "none") == "none"
        with pytest.raises(KeyError):
            shown["PUT"]


@pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())
@in_loop
async def test_command_when_made_by_a_program_then_carried_out(api: Any) -> None:
    async with api.memory("QM9") as qmgr:
        command = Command("DEFINE", "QLOCAL", "A")
        command.given["MAXDEPTH"] = "7"
        assert [one.message for one in await qmgr.command(command)] == ["AMQ8006I"]
        command = Command("DISPLAY", "QUEUE", "*")
        command.where = Filter("MAXDEPTH", "EQ", "7")
        assert [one["QUEUE"] for one in await qmgr.command(command)] == ["A"]
        (answer,) = await qmgr.command(Command("FLY", "MOON"))
        # Over the network it is a text that cannot be understood.
        assert answer.message in ("AMQ8561E", "AMQ8405I")
        assert not answer.ok


def test_command_when_a_value_is_wrong_then_refused_with_its_reason() -> None:
    with ternmq.memory("QM1") as qmgr:
        command = Command("DEFINE", "QLOCAL", "A")
        command.given["MAXDEPTH"] = "many"
        (answer,) = qmgr.command(command)
        assert not answer.ok
        assert "MAXDEPTH" in answer.detail
        assert "A" not in qmgr.queue_names()


def test_display_when_queues_are_on_disk_only_then_their_depth_is_found(tmp_path: Path) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr:
        qmgr.mqsc("DEFINE QLOCAL(A) DEFPSIST(YES)\nDEFINE QLOCAL(B) DEFPSIST(YES)")
        for number in range(3):
            qmgr.put("A", f"message {number}")
    with ternmq.embedded(tmp_path, "QM1") as qmgr:
        kernel = qmgr.started.shell.engine.kernel
        assert kernel.catalog.definitions["B"].object_id not in kernel.catalog.queues
        answers = qmgr.mqsc("DIS QL(*) WHERE(CURDEPTH GT 0)")
        assert {one["QUEUE"]: one["CURDEPTH"] for one in answers}["A"] == 3
        assert [one["CURDEPTH"] for one in qmgr.mqsc("DIS QS(A)")] == [3]
        (rest,) = qmgr.mqsc("DIS QL(B) CURDEPTH")
        assert rest["CURDEPTH"] == 0


def test_monitoring_when_on_then_times_are_known_and_when_off_blank() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.mqsc("DEFINE QLOCAL(A)")
        qmgr.put("A", "x")
        (off,) = qmgr.mqsc("DIS QS(A) LPUTDATE MSGAGE QTIME MONQ")
        assert (off["LPUTDATE"], off["MSGAGE"], off["QTIME"], off["MONQ"]) == ("", "", " , ", "OFF")
        qmgr.mqsc("ALTER QMGR MONQ(HIGH)")
        qmgr.put("A", "y")
        with qmgr.queue("A") as queue:
            queue.get()
        (on,) = qmgr.mqsc("DIS QS(A) LPUTDATE LGETDATE MSGAGE QTIME MONQ")
        assert on["MONQ"] == "HIGH"
        assert on["LPUTDATE"]
        assert on["LGETDATE"]
        assert isinstance(on["MSGAGE"], int)
        assert all(part.strip().isdecimal() for part in str(on["QTIME"]).split(","))
        qmgr.mqsc("ALTER QMGR MONQ(NONE)\nALTER QLOCAL(A) MONQ(HIGH)")
        assert qmgr.mqsc("DIS QS(A) MONQ")[0]["MONQ"] == "OFF"


@pytest.mark.parametrize("asked", ["IPPROCS", "MONITOR", "MONITOR IPPROCS OPPROCS", "UNCOM"])
def test_status_of_queues_when_attributes_are_named_then_the_depth_is_shown_too(asked: str) -> None:
    with ternmq.memory("QM9") as qmgr:
        qmgr.define_queue("A")
        qmgr.put("A", "x")
        (shown,) = qmgr.mqsc(f"DISPLAY QSTATUS(A) {asked}")
        assert shown.keys()[:3] == ["QUEUE", "TYPE", "CURDEPTH"]
        assert shown["CURDEPTH"] == 1
        words = asked.replace("MONITOR", "MONQ").split()
        assert set(words) < set(shown.keys())


@pytest.mark.parametrize(
    "command",
    [
        "DEFINE CHANNEL(R) CHLTYPE(CLUSRCVR) CLUSTER(C) CONNAME('h')",
        "DEFINE CHANNEL(A) CHLTYPE(AMQP)",
        "DEFINE CHANNEL(S) CHLTYPE(CLUSSDR) CLUSTER(C) CONNAME('h')",
    ],
)
def test_object_when_its_kind_has_no_function_yet_then_its_definition_warns(command: str) -> None:
    with ternmq.memory("QM9") as qmgr:
        first, *others = qmgr.mqsc(command)
        assert first.ok
        assert others
        assert all(one.message in ("AMQ8082W", "AMQ8083W") for one in others)
        assert len(qmgr.mqsc("DEFINE QLOCAL(Q)")) == 1


@pytest.mark.parametrize("log_type", ["circular", "linear"])
def test_connection_when_in_a_unit_of_work_then_its_start_is_shown(
    tmp_path: Path, log_type: str
) -> None:
    keywords = ("UOWSTATE", "UOWSTDA", "UOWSTTI", "UOWLOGDA", "UOWLOGTI", "UOWLOG")
    with ternmq.embedded(tmp_path, "QM9", create=True, log_type=log_type) as qmgr:
        qmgr.define_queue("A")
        with qmgr.connect(application="unit") as one:
            ask = f"DISPLAY CONN(*) WHERE(APPLTAG EQ 'unit') {' '.join(keywords)}"
            (idle,) = qmgr.mqsc(ask)
            assert [idle[word] for word in keywords] == ["NONE", "", "", "", "", ""]
            one.begin()
            one.put("A", "x", descriptor=ternmq.Descriptor(persistence=1))
            (busy,) = qmgr.mqsc(ask)
            assert busy["UOWSTATE"] == "ACTIVE"
            assert all(busy[word] for word in keywords[:5])
            assert (busy["UOWLOG"] != "") is (log_type == "linear")
            one.backout()


def test_status_of_the_queue_manager_when_it_logs_then_what_came_since_the_checkpoint() -> None:
    with ternmq.memory("QM9") as qmgr:
        qmgr.define_queue("A", max_depth=100)

        def shown() -> tuple[int, int]:
            (one,) = qmgr.mqsc("DISPLAY QMSTATUS CHKPTOPS CHKPTSZ")
            return int(one["CHKPTOPS"]), int(one["CHKPTSZ"])

        before, _ = shown()
        for _ in range(3):
            qmgr.put("A", b"x", descriptor=ternmq.Descriptor(persistence=1))
        assert shown() == (before + 3, 0)
