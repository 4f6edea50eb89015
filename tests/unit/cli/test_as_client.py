"""Goal: tools and samples do over the network what they do on the queue manager's own machine.

Method: a queue manager that listens on loopback, MQSERVER, and the commands' own `main`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ternmq.cli.control import dmpmqcfg, dmpmqmsg, dspmqrte, runmqdlq, runmqsc
from ternmq.cli.samples import amqsbcgc, amqsevt, amqsgbrc, amqsget, amqsgetc, amqsputc
from ternmq.outlets.command_queue import CommandServer
from tests.unit.api.networked import CHANNEL, Networked

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Networked]:
    """A queue manager that is reached over the network alone."""
    one = Networked(tmp_path / "far")
    with one:
        monkeypatch.setenv("TERNMQ_DATA", str(tmp_path / "here"))
        monkeypatch.setenv("MQSERVER", f"{CHANNEL}/TCP/127.0.0.1({one.port})")
        server = CommandServer(one.started.shell, one.started.user)
        yield one
        server.stop()


def test_runmqsc_then_commands_are_done_and_reported(
    far: Networked, typed: Any, capsys: Capture
) -> None:
    typed("DEFINE QLOCAL(A) MAXDEPTH(7)\nDIS QL(A) MAXDEPTH\nDELETE QLOCAL(B)\nFLY\n")
    assert runmqsc.main(["-c", "QM1"]) == 10
    output = capsys.readouterr().out.splitlines()
    assert output[4:] == [
        "     1 : DEFINE QLOCAL(A) MAXDEPTH(7)",
        "AMQ8006I: TernMQ queue created.",
        "     2 : DIS QL(A) MAXDEPTH",
        "AMQ8409I: Display Queue details.",
        "   QUEUE(A)                                TYPE(QLOCAL)",
        "   MAXDEPTH(7)",
        "     3 : DELETE QLOCAL(B)",
        "AMQ8147E: TernMQ object B not found.",
        "     4 : FLY",
        *output[13:-3],
        "4 MQSC commands read.",
        "One command has a syntax error.",
        "One valid MQSC command could not be processed.",
    ]


def test_runmqsc_when_nobody_listens_then_20(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    monkeypatch.setenv("MQSERVER", f"{CHANNEL}/TCP/127.0.0.1(1)")
    assert runmqsc.main(["-c", "QM1"]) == 20
    assert capsys.readouterr().err


def test_dump_then_the_same_as_on_the_machine(far: Networked, capsys: Capture) -> None:
    with far.connect() as connection:
        connection.mqsc("DEFINE QLOCAL(ODD) DESCR('it''s') MAXDEPTH(9)")
    listed = ["-m", "QM1", "-a", "-o", "1line"]
    channel = f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(CLNTCONN) CONNAME('127.0.0.1({far.port})')"
    seen = []
    for way in (["-c", "default"], ["-c", channel]):
        assert dmpmqcfg.main([*listed, *way]) == 0
        seen.append([one for one in capsys.readouterr().out.splitlines() if one[:1] != "*"])
    assert seen[0] == seen[1]
    assert len(seen[0]) > 80
    assert [one for one in seen[0] if "ODD" in one and "'it''s'" in one]


def test_samples_then_messages_go_and_come(
    far: Networked, typed: Any, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(amqsget, "WAIT_S", 0.0)
    with far.connect() as connection:
        connection.define_queue("A")
    typed("one\ntwo\n\n")
    assert amqsputc.main(["A", "QM1"]) == 0
    assert amqsgbrc.main(["A", "QM1"]) == 0
    assert amqsbcgc.main(["A", "QM1"]) == 0
    output = capsys.readouterr().out
    assert "1 <one>" in output
    assert re.search(r"MQGET of message number 2", output)
    assert amqsgetc.main(["A", "QM1"]) == 0
    assert "message <two>" in capsys.readouterr().out


def test_tools_then_messages_are_copied_events_shown_and_letters_read(
    far: Networked, typed: Any, tmp_path: Path, capsys: Capture
) -> None:
    with far.connect() as connection:
        connection.define_queue("A")
        connection.put("A", "one")
    file = tmp_path / "messages"
    assert dmpmqmsg.main(["-c", "-m", "QM1", "-i", "A", "-f", str(file), "-q", "-dp"]) == 0
    assert 'S "one"' in file.read_text(encoding="utf-8")
    typed("WAIT(NO)\nACTION(DISCARD)\n")
    assert runmqdlq.main(["-c", "--json", "SYSTEM.DEAD.LETTER.QUEUE", "QM1"]) == 0
    assert json.loads(capsys.readouterr().out)["moved"] == 0
    assert amqsevt.main(["-c", "-m", "QM1", "-q", "SYSTEM.ADMIN.QMGR.EVENT", "-w", "0"]) == 0


def test_dspmqrte_then_it_names_the_queues_as_on_the_machine(
    far: Networked, capsys: Capture
) -> None:
    with far.connect() as connection:
        connection.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)\nDEFINE QLOCAL(HERE)")
        connection.mqsc("DEFINE QREMOTE(THERE) RNAME(FAR) RQMNAME(QM2)")
    assert dspmqrte.main(["-c", "-m", "QM1", "-q", "THERE", "-w", "0", "--json"]) == 10
    (done,) = json.loads(capsys.readouterr().out)["Activities"]
    (put,) = done["Operations"]
    assert (put["QMgrName"], put["ResolvedQName"]) == ("QM1", "QM2")
    assert (put["RemoteQName"], put["RemoteQMgrName"]) == ("FAR", "QM2")
    assert dspmqrte.main(["-c", "-m", "QM1", "-q", "HERE", "-d", "yes"]) == 0
    assert "AMQ8666I: Queue 'HERE' on queue manager 'QM1'." in capsys.readouterr().out
