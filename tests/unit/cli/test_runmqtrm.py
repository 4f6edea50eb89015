"""Goal: the trigger monitor starts what trigger messages name, and buries what is none.

Method: a queue manager in memory, trigger messages put by hand, real small commands of the shell.
"""

import warnings
from pathlib import Path

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.cli import runmqtrm
from ternmq.codec.mqdlh import DeadLetterHeader
from ternmq.codec.mqtm import TriggerMessage

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runmqtrm, "WAIT_S", 0.0)


def said(capsys: Capture) -> list[str]:
    """What was written, without the times."""
    lines = capsys.readouterr().out.splitlines()
    return [line.partition(" : ")[2] or line for line in lines]


def put_trigger(qm: ternmq.QueueManager, application: str, **fields: object) -> None:
    trigger = TriggerMessage(
        queue_name="ORDERS",
        process_name="P",
        application_type=int(str(fields.pop("application_type", mq.MQAT_UNIX))),
        application_id=application,
        **fields,  # type: ignore[arg-type]
    )
    qm.put("INIT", trigger.pack(), descriptor=ternmq.Descriptor(format="MQTRIG"))


def test_a_program_is_started_with_the_trigger_message(
    attached: ternmq.QueueManager, tmp_path: Path, capsys: Capture
) -> None:
    attached.define_queue("INIT")
    script = tmp_path / "program"
    script.write_text('#!/bin/sh\nprintf "%s" "$1" > "$2"\n')
    script.chmod(0o755)
    out = tmp_path / "argument"
    put_trigger(attached, str(script), environment_data=str(out), user_data="it's for you")
    assert runmqtrm.main(["-m", "QM1", "-q", "INIT"]) == 0
    argument = out.read_text()
    assert len(argument) == 732
    assert argument[:8] == "TMC    2"
    assert argument[8:56].rstrip() == "ORDERS"
    assert "it's for you" in argument
    assert argument[684:].rstrip() == "QM1"
    lines = said(capsys)
    assert lines[0] == "TernMQ trigger monitor started."
    assert lines[1] == "_" * 50
    assert lines[2] == "Waiting for a trigger message"
    assert lines[3].startswith(f"{script} 'TMC    2ORDERS")
    assert lines[4:] == [
        "End of application trigger.",
        "_" * 50,
        "Waiting for a trigger message",
        "TernMQ trigger monitor ended.",
    ]


@pytest.mark.parametrize(
    ("make", "reason", "line"),
    [
        ("no trigger", mq.MQFB_TM_ERROR, "Not a valid trigger message."),
        ("windows", mq.MQFB_APPL_TYPE_ERROR, "Application type 11 not supported."),
        ("missing", mq.MQFB_APPL_CANNOT_BE_STARTED, "Error starting triggered application."),
    ],
)
def test_what_cannot_be_started_is_buried(
    attached: ternmq.QueueManager, capsys: Capture, make: str, reason: int, line: str
) -> None:
    attached.define_queue("INIT")
    attached.define_queue("DLQ")
    with warnings.catch_warnings(action="ignore", category=ternmq.InertAttribute):
        attached.alter_qmgr(DEADQ="DLQ")
    if make == "no trigger":
        attached.put("INIT", "something else")
    elif make == "windows":
        put_trigger(attached, "notepad", application_type=11)
    else:
        put_trigger(attached, "/nowhere/to/be/found")
    assert runmqtrm.main(["-q", "INIT"]) == 0
    assert line in said(capsys)
    with attached.queue("DLQ") as queue:
        message = queue.get()
    assert message.format == "MQDEAD"
    assert DeadLetterHeader.unpack(message.data).reason == reason


def test_an_initiation_queue_that_cannot_be_used(
    attached: ternmq.QueueManager, capsys: Capture
) -> None:
    assert runmqtrm.main(["-q", "NONE"]) == 20
    assert said(capsys)[0] == "Initiation queue missing or wrong type."
    attached.define_queue("INIT", get="DISABLED")
    assert runmqtrm.main(["-q", "INIT"]) == 10
    assert "Initiation queue not enabled for input." in said(capsys)
    assert runmqtrm.main(["-m", "OTHER"]) == 20
