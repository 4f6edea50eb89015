"""Goal: event messages are shown for people and as JSON; looking leaves them.

Method: a queue manager in memory that makes a real event, and a message that is none.
"""

import json

import pytest

import ternmq
from ternmq.cli.samples import amqsevt

Capture = pytest.CaptureFixture[str]
PERFM = "SYSTEM.ADMIN.PERFM.EVENT"


@pytest.fixture
def full(attached: ternmq.QueueManager) -> ternmq.QueueManager:
    """A queue manager with one Queue Full event."""
    attached.alter_qmgr(PERFMEV="ENABLED")
    attached.define_queue("Q", max_depth=1, QDPMAXEV="ENABLED")
    attached.put("Q", "x")
    with pytest.raises(ternmq.Full):
        attached.put("Q", "x")
    return attached


def test_for_people(full: ternmq.QueueManager, capsys: Capture) -> None:
    assert amqsevt.main(["-m", "QM1", "-q", PERFM, "-w", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("**** Message #1 (")
    assert any("Queue Full [2053]" in line for line in lines)
    assert amqsevt.main(["-m", "QM1", "-q", PERFM, "-w", "0"]) == 0
    assert capsys.readouterr().out == ""


def test_looking_leaves_them(full: ternmq.QueueManager, capsys: Capture) -> None:
    for _ in range(2):
        assert amqsevt.main(["-b", "-q", PERFM, "-o", "json"]) == 0
        values = json.loads(capsys.readouterr().out)
        assert values["eventReason"]["value"] == 2053


def test_the_usual_queues_are_read(full: ternmq.QueueManager, capsys: Capture) -> None:
    assert amqsevt.main(["-w", "0"]) == 0
    assert "Queue Full" in capsys.readouterr().out


def test_what_is_no_event_is_reported(attached: ternmq.QueueManager, capsys: Capture) -> None:
    attached.define_queue("Q")
    attached.put("Q", "no event")
    assert amqsevt.main(["-q", "Q", "-w", "0"]) == 0
    assert "message 1 on Q" in capsys.readouterr().err


def test_no_such_queue(attached: ternmq.QueueManager, capsys: Capture) -> None:
    assert amqsevt.main(["-q", "NONE"]) == 1
    assert "NONE" in capsys.readouterr().err


def test_several_queues_and_one_line_each(full: ternmq.QueueManager, capsys: Capture) -> None:
    names = f"SYSTEM.ADMIN.QMGR.EVENT,{PERFM}"
    assert amqsevt.main(["-m", "QM1", "-q", names, "-o", "json_compact", "-b"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [
        json.loads(line)["eventData"]["baseObjectName"] for line in lines if "Full" in line
    ] == ["Q"]


def test_names_that_would_steer_a_terminal_are_shown(
    attached: ternmq.QueueManager, capsys: Capture
) -> None:
    attached.alter_qmgr(LOCALEV="ENABLED")
    with attached.connect(application="a\x1b[2J\nb") as other, pytest.raises(ternmq.ObjectUnknown):
        other.queue("NONE")
    assert amqsevt.main(["-m", "QM1", "-q", "SYSTEM.ADMIN.QMGR.EVENT", "-w", "0"]) == 0
    out = capsys.readouterr().out
    assert r"a\x1b[2J\x0ab" in out
    assert "\x1b" not in out
