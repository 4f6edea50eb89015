"""Goal: the trigger monitor starts what trigger messages name, and buries what is none.

Method: a queue manager in memory, trigger messages put by hand as the queue manager would put them,
real small commands.
"""

import os
import warnings
from pathlib import Path

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.cli.control import runmqtrm
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqtm import TriggerMessage

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
    own = ternmq.Descriptor(format="MQTRIG", put_appl_type=mq.MQAT_QMGR)
    qm.put("INIT", trigger.pack(), descriptor=own, options=mq.MQPMO_SET_ALL_CONTEXT)


def program(folder: Path) -> tuple[Path, Path]:
    """A program that writes its first argument into the file that the second names."""
    script = folder / "program"
    script.write_text('#!/bin/sh\nprintf "%s" "$1" > "$2"\n')
    script.chmod(0o755)
    return script, folder / "argument"


def test_a_program_is_started_with_the_trigger_message(
    attached: ternmq.QueueManager, tmp_path: Path, capsys: Capture
) -> None:
    attached.define_queue("INIT")
    script, out = program(tmp_path)
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
        ("forged", mq.MQFB_TM_ERROR, "Not a valid trigger message."),
        ("shell", mq.MQFB_APPL_CANNOT_BE_STARTED, "Error starting triggered application."),
        ("quote", mq.MQFB_APPL_CANNOT_BE_STARTED, "Error starting triggered application."),
        ("empty", mq.MQFB_APPL_CANNOT_BE_STARTED, "Error starting triggered application."),
    ],
)
def test_what_cannot_be_started_is_buried(
    attached: ternmq.QueueManager,
    capsys: Capture,
    tmp_path: Path,
    make: str,
    reason: int,
    line: str,
) -> None:
    ran = tmp_path / "ran"
    attached.define_queue("INIT")
    attached.define_queue("DLQ")
    with warnings.catch_warnings(action="ignore", category=ternmq.InertAttribute):
        attached.alter_qmgr(DEADQ="DLQ")
    if make == "no trigger":
        attached.put("INIT", "something else")
    elif make == "windows":
        put_trigger(attached, "notepad", application_type=11)
    elif make == "forged":
        forged = TriggerMessage(application_type=mq.MQAT_UNIX, application_id=f"touch {ran}")
        attached.put("INIT", forged.pack(), descriptor=ternmq.Descriptor(format="MQTRIG"))
    elif make == "shell":
        put_trigger(attached, f"true; touch {ran} ;")
    elif make == "quote":
        put_trigger(attached, f"touch '{ran}")
    elif make == "empty":
        put_trigger(attached, "")
    else:
        put_trigger(attached, "/nowhere/to/be/found")
    assert runmqtrm.main(["-q", "INIT"]) == 0
    assert line in said(capsys)
    with attached.queue("DLQ") as queue:
        message = queue.get()
    assert message.format == "MQDEAD"
    assert DeadLetterHeader.unpack(message.data).reason == reason
    assert not ran.exists()


def test_when_data_has_characters_of_a_shell_then_they_stay_characters(
    attached: ternmq.QueueManager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    attached.define_queue("INIT")
    script, out = program(tmp_path)
    ran = tmp_path / "ran"
    put_trigger(attached, str(script), environment_data="argument$(touch ran)")
    put_trigger(attached, str(script), environment_data="'argument' `touch ran` $HOME *")
    assert runmqtrm.main(["-m", "QM1", "-q", "INIT"]) == 0
    assert not ran.exists()
    assert out.exists()  # of the second: its words are what stands there


def test_when_environment_data_ends_in_an_ampersand_then_the_monitor_does_not_wait(
    attached: ternmq.QueueManager,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    monkeypatch.chdir(tmp_path)
    attached.define_queue("INIT")
    done = tmp_path / "done"
    script = tmp_path / "slow"
    script.write_text('#!/bin/sh\nread line < "$2"; echo > "$3"\n')
    script.chmod(0o755)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    put_trigger(attached, str(script), environment_data="pipe done &")
    assert runmqtrm.main(["-m", "QM1", "-q", "INIT"]) == 0  # the program waits for the pipe
    assert not done.exists()
    with open(pipe, "w") as end:
        end.write("go\n")
    for process in runmqtrm._beside:
        assert process.wait(20) == 0
    assert done.exists()
    assert " &" in capsys.readouterr().out


def test_an_initiation_queue_that_cannot_be_used(
    attached: ternmq.QueueManager, capsys: Capture
) -> None:
    assert runmqtrm.main(["-q", "NONE"]) == 20
    assert said(capsys)[0] == "Initiation queue missing or wrong type."
    attached.define_queue("INIT", get="DISABLED")
    assert runmqtrm.main(["-q", "INIT"]) == 10
    assert "Initiation queue not enabled for input." in said(capsys)
    assert runmqtrm.main(["-m", "OTHER"]) == 20
