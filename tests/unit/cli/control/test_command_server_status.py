"""Goal: strmqcsv, endmqcsv and dspmqcsv start, end and show the command server of a running queue
manager, with the exit statuses that scripts look at; PCF works over the local socket.

Method: a queue manager that a thread serves, found through the data folder.
"""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base.errors import RemoteProtocolError
from ternmq.cli.control import dspmqcsv, endmqcsv, strmqcsv
from ternmq.runtime.starting import Started
from ternmq.server.command_server import (
    RUNNING,
    STATUS,
    STOPPED,
    ask_command_server,
    start_command_server,
)
from tests.unit.api.served import Served

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    with Served(tmp_path) as one:
        yield one


def test_the_command_server_is_started_shown_and_ended(served: Served, capsys: Capture) -> None:
    assert served.name == "QM1"
    assert dspmqcsv.main(["QM1"]) == 0
    assert capsys.readouterr().out == "AMQ8027I: TernMQ command server status: Stopped.\n"
    assert strmqcsv.main(["QM1"]) == 0
    assert "Running" in capsys.readouterr().out
    assert strmqcsv.main(["QM1"]) == 10
    assert "AMQ8034I" in capsys.readouterr().err
    assert dspmqcsv.main(["--json", "QM1"]) == 0
    assert json.loads(capsys.readouterr().out) == {"status": "Running"}
    assert endmqcsv.main(["-c", "QM1"]) == 0
    assert "Stopped" in capsys.readouterr().out
    assert endmqcsv.main(["QM1"]) == 10
    assert "AMQ8196E" in capsys.readouterr().err


def test_nobody_to_ask_is_20(served: Served, capsys: Capture) -> None:
    assert strmqcsv.main(["NONE"]) == 20
    assert "AMQ8118E" in capsys.readouterr().err
    served.close()
    for main in (strmqcsv.main, endmqcsv.main, dspmqcsv.main):
        assert main(["QM1"]) == 20
        assert "AMQ8146E" in capsys.readouterr().err


def test_pcf_over_the_local_socket(served: Served) -> None:
    assert strmqcsv.main(["QM1"]) == 0
    with served.connect() as connection, ternmq.PCFExecute(connection) as pcf:
        pcf.MQCMD_CREATE_Q({mq.MQCA_Q_NAME: "NEW", mq.MQIA_Q_TYPE: mq.MQQT_LOCAL})
        (found,) = pcf.MQCMD_INQUIRE_Q({mq.MQCA_Q_NAME: "NEW"})
        assert found[mq.MQIA_CURRENT_Q_DEPTH] == 0


@pytest.mark.parametrize(("control", "now"), [("MANUAL", STOPPED), ("QMGR", RUNNING)])
def test_the_queue_manager_says_whether_it_starts_with_it(control: str, now: str) -> None:
    async def start(started: Started) -> object:
        await start_command_server(started)
        return (await ask_command_server(started, STATUS))["now"]

    with ternmq.memory("QM1") as qmgr:
        qmgr.alter_qmgr(command_server_control=control)
        assert asyncio.run(start(qmgr.started)) == now


def test_an_unknown_wish_is_refused() -> None:
    with ternmq.memory("QM1") as qmgr, pytest.raises(RemoteProtocolError, match="dance"):
        asyncio.run(ask_command_server(qmgr.started, "dance"))
