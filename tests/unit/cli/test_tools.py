"""Goal: the tools of recovery say what MQ's say and end with the same statuses.

Method: an embedded queue manager with a linear log in the place of a running one, and one that is
down; what a tool writes and leaves is compared.
"""

import json
import os
from pathlib import Path

import pytest

import ternmq
from ternmq.base.message_table import message_line
from ternmq.cli.control import (
    dmpmqlog,
    dspmqfls,
    dspmqtrn,
    mqrc,
    qtune,
    rcdmqimg,
    rcrmqobj,
    rsvmqtrn,
)
from ternmq.cli.control.object_words import matches, types_of
from ternmq.cli.control.transactions import number_of, read, written
from ternmq.cli.output import write_json

Capture = pytest.CaptureFixture[str]


# ---- mqrc


@pytest.mark.parametrize("asked", ["2053", "0x805", "MQRC_Q_FULL", "mqrc_q_full"])
def test_a_reason_by_number_and_name(asked: str, capsys: Capture) -> None:
    assert mqrc.main([asked]) == 0
    assert capsys.readouterr().out == "\n      2053  0x00000805  MQRC_Q_FULL\n\n"


def test_a_message_with_what_to_do(capsys: Capture) -> None:
    assert mqrc.main(["AMQ8143"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["", "AMQ8143E", "", "MESSAGE:"]
    assert "EXPLANATION:" in lines
    assert "ACTION:" in lines


def test_ranges_and_json(capsys: Capture) -> None:
    assert mqrc.main(["-R", "-f", "2050", "-l", "2053", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert {"number": 2053, "name": "MQRC_Q_FULL"}.items() <= values[-1].items()
    assert mqrc.main(["-M", "-b", "-f", "8001", "-l", "8002"]) == 0
    assert "AMQ8002I: " in capsys.readouterr().out


def test_what_nobody_knows(capsys: Capture) -> None:
    assert mqrc.main(["MQRC_NOTHING"]) == 1
    assert "MQRC_NOTHING" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        mqrc.main([])


# ---- media images


def test_an_image_is_recorded_and_the_queue_recreated(
    linear: ternmq.QueueManager, capsys: Capture
) -> None:
    linear.define_queue("QL.A")
    with linear.queue("QL.A") as queue:
        queue.put("kept", persistent=True)
    assert rcdmqimg.main(["-m", "QM1", "-t", "qlocal", "QL.A"]) == 0
    assert capsys.readouterr().out == "Media image for object QL.A, type qlocal recorded.\n"
    assert rcrmqobj.main(["-m", "QM1", "-t", "ql", "QL.A"]) == 0
    assert capsys.readouterr().out == "AMQ7081I: Object QL.A, type qlocal recreated.\n"
    with linear.queue("QL.A") as queue:
        assert queue.get().text == "kept"


def test_all_images_and_the_files_that_are_needed(
    linear: ternmq.QueueManager, capsys: Capture
) -> None:
    linear.define_queue("QL.A")
    assert rcdmqimg.main(["-l", "-t", "all"]) == 0
    output = capsys.readouterr().out
    assert "object QL.A, type qlocal recorded." in output
    assert "object *, type catalog recorded." in output
    assert "AMQ7467I: The oldest log file required to start queue manager QM1 is S" in output
    assert "AMQ7468I: " in output


def test_definitions_alone(linear: ternmq.QueueManager, capsys: Capture) -> None:
    assert rcdmqimg.main(["-t", "catalog", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"recorded": [{"name": "*", "type": "catalog"}]}


def test_an_image_of_nothing(linear: ternmq.QueueManager, capsys: Capture) -> None:
    assert rcdmqimg.main(["-t", "ql", "NONE"]) == 128
    assert capsys.readouterr().err.startswith("AMQ7085E: Object NONE, type qlocal not found.")
    assert rcrmqobj.main(["-t", "ql", "NONE*"]) == 128


def test_a_circular_log_has_no_images(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    with ternmq.memory("QM1") as qm:
        monkeypatch.setattr("ternmq.cli.attach.attach_admin", lambda name, application: qm)
        assert rcdmqimg.main(["-t", "all"]) == 68
    assert "AMQ7044E: Media recovery not allowed." in capsys.readouterr().err


# ---- files


def test_files_of_a_running_one(
    linear: ternmq.QueueManager, tmp_path: Path, capsys: Capture
) -> None:
    linear.define_queue("QL.A")
    linear.define_alias("QA.A", "QL.A")
    assert dspmqfls.main(["-m", "QM1", "-t", "ql", "QL.A"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["TernMQ Display MQ Files", "", "QLOCAL    QL.A"]
    path = lines[3].strip()
    assert path.startswith(str(tmp_path / "qmgrs" / "QM1" / "queues" / "QL!A"))
    linear.put("QL.A", "x")
    linear.checkpoint()
    assert dspmqfls.main(["-m", "QM1", "QA.A", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["type"], os.path.basename(row["path"])) == ("QALIAS", "catalog")


def test_files_of_one_that_is_down(down: Path, capsys: Capture) -> None:
    assert dspmqfls.main(["-m", "QM1", "-t", "ql", "ORD*"]) == 0
    (path,) = [line.strip() for line in capsys.readouterr().out.splitlines() if "/queues/" in line]
    assert os.path.isdir(path)


def test_no_such_queue_manager(down: Path, capsys: Capture) -> None:
    assert dspmqfls.main(["-m", "QM2", "X"]) == 72
    assert "AMQ8118E: TernMQ queue manager does not exist.\n" in capsys.readouterr().err


# ---- units of work in doubt


def in_doubt(qm: ternmq.QueueManager, number: int) -> ternmq.XID:
    xid = ternmq.XID(77, bytes([number] * 4), b"\x01")
    connection = qm.connect()
    connection.begin()
    with connection.queue("Q") as queue:
        queue.put(str(number), persistent=True)
    assert connection.prepare(xid)
    connection.disconnect()
    return xid


def test_units_in_doubt_are_shown_and_ended(linear: ternmq.QueueManager, capsys: Capture) -> None:
    linear.define_queue("Q")
    assert dspmqtrn.main(["-m", "QM1"]) == 102
    assert capsys.readouterr().out == "There are no prepared transactions.\n"
    first, second = in_doubt(linear, 1), in_doubt(linear, 2)
    assert dspmqtrn.main(["-m", "QM1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "AMQ7107I: Resource manager 0 is TernMQ."
    assert lines[1] == message_line("AMQ7056I", (number_of(first),))
    assert lines[2:5] == [
        "    XID: formatID 77, gtrid_length 4, bqual_length 1",
        "         gtrid [01010101]",
        "         bqual [01]",
    ]
    assert rsvmqtrn.main(["-m", "QM1", "-c", number_of(first)]) == 0
    assert capsys.readouterr().out == f"Transaction number {number_of(first)} committed.\n"
    assert rsvmqtrn.main(["-m", "QM1", "-b", "-x", written(second), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "backed out"
    with linear.queue("Q") as queue:
        assert [message.text for message in queue.browse()] == ["1"]
    assert dspmqtrn.main(["-m", "QM1"]) == 102  # nothing waits any more
    capsys.readouterr()
    assert dspmqtrn.main(["-m", "QM1", "-h"]) == 0
    output = capsys.readouterr().out
    assert f"Transaction number {number_of(first)} was committed by an operator." in output
    assert f"Transaction number {number_of(second)} was backed out by an operator." in output
    assert rsvmqtrn.main(["-m", "QM1", "-f", number_of(first)]) == 0
    capsys.readouterr()
    assert dspmqtrn.main(["-h", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (read(row["xid"]), row["state"]) == (second, "backed out")


def test_many_units_in_doubt_are_ended_by_one_command(
    linear: ternmq.QueueManager, capsys: Capture
) -> None:
    linear.define_queue("Q")
    for number in range(1, 8):
        in_doubt(linear, number)
    user = linear.in_doubt()[0].owner
    assert rsvmqtrn.main(["-m", "QM1", "-b", "--user", "nobody"]) == 85
    assert "of user nobody" in capsys.readouterr().err
    assert rsvmqtrn.main(["-m", "QM1", "-b", "--user", user]) == 0
    assert capsys.readouterr().out == "7 transactions backed out.\n"
    assert dspmqtrn.main(["-m", "QM1"]) == 102
    capsys.readouterr()
    in_doubt(linear, 8)
    assert rsvmqtrn.main(["-m", "QM1", "-c", "--all", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values == {"outcome": "committed", "transactions": 1, "failed": 0}
    with linear.queue("Q") as queue:
        assert [message.text for message in queue.browse()] == ["8"]
    assert dspmqtrn.main(["-m", "QM1", "-h", "--json"]) == 0
    assert {row["user"] for row in json.loads(capsys.readouterr().out)} == {user}
    assert rsvmqtrn.main(["-m", "QM1", "-f", "--all"]) == 0
    assert capsys.readouterr().out == "8 transactions forgotten.\n"
    assert dspmqtrn.main(["-m", "QM1", "-h"]) == 102


@pytest.mark.parametrize(
    "words", [["-b"], ["-a", "--all"], ["-b", "--all", "0,5"], ["-b", "--user", "a", "--all"]]
)
def test_transactions_when_named_in_no_way_or_in_two_then_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        rsvmqtrn.main(["-m", "QM1", *words])
    assert ended.value.code == 36


def test_a_transaction_that_is_not_there(linear: ternmq.QueueManager, capsys: Capture) -> None:
    assert rsvmqtrn.main(["-m", "QM1", "-c", "0,5"]) == 85
    assert "0,5" in capsys.readouterr().err
    assert rsvmqtrn.main(["-m", "QM1", "-a"]) == 0
    assert capsys.readouterr().out.startswith("AMQ7108I: ")
    with pytest.raises(SystemExit) as end:
        rsvmqtrn.main(["-m", "QM1", "-c", "-x", "nonsense"])
    assert end.value.code == 36


# ---- log and buffers


def test_the_log_of_one_that_is_down(down: Path, capsys: Capture) -> None:
    assert dmpmqlog.main(["-m", "QM1", "-b"]) == 0
    assert "an order" in capsys.readouterr().out
    assert dmpmqlog.main(["-m", "QM1", "-b", "--json"]) == 0
    kinds = [json.loads(line).get("kind") for line in capsys.readouterr().out.splitlines()]
    assert "PUT" in kinds


def test_the_log_of_a_running_one_is_not_shown(
    linear: ternmq.QueueManager, capsys: Capture
) -> None:
    assert dmpmqlog.main(["-m", "QM1"]) == 5
    assert "AMQ7005E" in capsys.readouterr().err


def test_buffers_are_shown_and_set(linear: ternmq.QueueManager, capsys: Capture) -> None:
    linear.define_queue("Q")
    assert qtune.main(["-m", "QM1", "-p", "2M", "Q"]) == 0
    assert "2,097,152" in capsys.readouterr().out
    assert linear.attributes("Q")["persistent_buffer"] == 2 << 20
    assert qtune.main(["-m", "QM1", "NONE"]) == 128


def test_buffers_of_one_that_is_down(down: Path, capsys: Capture) -> None:
    assert qtune.main(["-m", "QM1", "-n", "3M", "ORDERS"]) == 0
    capsys.readouterr()
    assert qtune.main(["-m", "QM1", "ORDERS", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["nonpersistent_buffer"] == 3 << 20


# ---- words


def test_words_for_types() -> None:
    assert types_of("QUEUE") == types_of("q")
    assert types_of("ql") & types_of("queue")
    with pytest.raises(ValueError, match="is not a type of object"):
        types_of("house")
    assert matches("A.B", "A*")
    assert not matches("A.B", "A")


def test_without_a_name_and_without_a_default_one(down: Path, capsys: Capture) -> None:
    assert dmpmqlog.main([]) == 72
    assert "no default queue manager" in capsys.readouterr().err


def test_json_when_a_name_would_steer_a_terminal_then_it_is_escaped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    values = {"name": "a\x1bb\x9bc\u202ed\x7fe"}
    write_json(values)
    out = capsys.readouterr().out
    assert json.loads(out) == values
    assert not set(out) & {"\x1b", "\x9b", "\u202e", "\x7f"}
