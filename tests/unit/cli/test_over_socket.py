"""Goal: tools and samples do over the local socket what they do on an embedded queue manager.

Method: a queue manager that a thread serves, found through the data folder as any application finds
it; one round through each kind of tool.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.cli.control import (
    dmpmqmsg,
    dspmqfls,
    dspmqtrn,
    qtune,
    rcdmqimg,
    rcrmqobj,
    rsvmqtrn,
    runmqdlq,
    runmqtrm,
)
from ternmq.cli.control.transactions import number_of
from ternmq.cli.samples import amqsbcg, amqsget, amqsput, amqsreq, sample_server
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.runtime.starting import log_parameters, start_in_folder
from tests.unit.api.served import Served

Capture = pytest.CaptureFixture[str]
Typed = Callable[[str], None]


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    monkeypatch.setattr(amqsget, "WAIT_S", 0.0)
    monkeypatch.setattr(runmqtrm, "WAIT_S", 0.0)
    monkeypatch.setattr(sample_server, "WAIT_S", 0.0)
    parameters = log_parameters("linear", 3, 2, 64, False)
    started = start_in_folder(tmp_path, "QM1", True, parameters, None, None)
    with Served(tmp_path, started=started) as one:
        yield one


@pytest.fixture
def qm(served: Served) -> Iterator[ternmq.Connection]:
    with served.connect() as connection:
        connection.define_queue("A")
        connection.define_queue("B")
        yield connection


def texts(qm: ternmq.Connection, name: str) -> list[str]:
    with qm.queue(name) as queue:
        return [message.text for message in queue.browse()]


def test_samples(qm: ternmq.Connection, typed: Typed, capsys: Capture) -> None:
    typed("one\ntwo\n")
    assert amqsput.main(["A", "QM1"]) == 0
    assert amqsbcg.main(["A", "QM1"]) == 0
    assert " 2 messages browsed." in capsys.readouterr().out
    assert amqsget.main(["A", "QM1"]) == 0
    assert capsys.readouterr().out.splitlines()[1:4] == [
        "message <one>",
        "message <two>",
        "no more messages",
    ]


def test_messages_to_a_file_and_back(qm: ternmq.Connection, tmp_path: Path) -> None:
    for text in ("one", "two", "three"):
        qm.put("A", text)
    file = str(tmp_path / "messages")
    assert dmpmqmsg.main(["-m", "QM1", "-I", "A", "-f", file, "-s", "t", "-q"]) == 0
    assert texts(qm, "A") == ["one"]
    assert dmpmqmsg.main(["-m", "QM1", "-o", "B", "-f", file, "-q"]) == 0
    assert texts(qm, "B") == ["two", "three"]
    assert dmpmqmsg.main(["-m", "QM1", "-I", "B", "-o", "A", "-q"]) == 0
    assert texts(qm, "A") == ["one", "two", "three"]


def test_dead_letters(qm: ternmq.Connection, typed: Typed) -> None:
    header = DeadLetterHeader(
        reason=2053, destination_queue="A", encoding=mq.MQENC_NATIVE, ccsid=1208, format="MQSTR"
    )
    md = ternmq.Descriptor(format="MQDEAD")
    for text in ("one", "two"):
        qm.put("B", header.pack() + text.encode(), descriptor=md)
    qm.put("B", "no dead letter")
    typed("WAIT(NO)\nREASON(MQRC_Q_FULL) ACTION(RETRY)\n")
    assert runmqdlq.main(["B", "QM1"]) == 0
    assert texts(qm, "A") == ["one", "two"]
    assert texts(qm, "B") == ["no dead letter"]


def test_media_images_files_and_buffers(qm: ternmq.Connection, capsys: Capture) -> None:
    with qm.queue("A") as queue:
        queue.put("kept", persistent=True)
    assert rcdmqimg.main(["-m", "QM1", "-t", "ql", "A"]) == 0
    assert rcrmqobj.main(["-m", "QM1", "-t", "ql", "A"]) == 0
    assert texts(qm, "A") == ["kept"]
    assert dspmqfls.main(["-m", "QM1", "-t", "ql", "A"]) == 0
    assert qtune.main(["-m", "QM1", "-p", "2M", "A"]) == 0
    capsys.readouterr()
    assert qtune.main(["-m", "QM1", "A", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["persistent_buffer"] == 2 << 20


def test_units_in_doubt(served: Served, qm: ternmq.Connection, capsys: Capture) -> None:
    xid = ternmq.XID(5, b"global", b"branch")
    with served.connect() as connection:
        connection.begin()
        with connection.queue("A") as queue:
            queue.put("decided", persistent=True)
        assert connection.prepare(xid)
    assert dspmqtrn.main(["-m", "QM1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["number"] == number_of(xid)
    assert rsvmqtrn.main(["-m", "QM1", "-c", number_of(xid)]) == 0
    assert texts(qm, "A") == ["decided"]


def test_a_request_starts_the_program_that_answers_it(
    qm: ternmq.Connection,
    typed: Typed,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    """amqsreq puts a request, its trigger message makes runmqtrm start amqsech, which replies."""
    for line in (
        "DEFINE QLOCAL(INIT)",
        "DEFINE PROCESS(ECHO) APPLICID('amqsech')",
        "DEFINE QLOCAL(SERVER) TRIGGER TRIGTYPE(FIRST) INITQ(INIT) PROCESS(ECHO)",
    ):
        qm.mqsc(line)
    commands: list[list[str]] = []

    def start(words: list[str], beside: bool) -> int:
        from ternmq.cli.samples import amqsech

        commands.append(words)
        return amqsech.main([words[1]])

    monkeypatch.setattr(runmqtrm, "start", start)
    with qm.queue("INIT", options=mq.MQOO_INPUT_SHARED):  # a monitor that is slow
        monkeypatch.setattr(amqsreq, "FIRST_WAIT_S", 0.0)
        typed("anybody there?\n")
        assert amqsreq.main(["SERVER", "QM1", "A"]) == 0
        assert runmqtrm.main(["-m", "QM1", "-q", "INIT"]) == 0
    assert len(commands) == 1
    assert texts(qm, "A") == ["anybody there?"]
    assert "Sample AMQSECHA end" in capsys.readouterr().out
