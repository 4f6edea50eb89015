"""Goal: what a local application sends or finds cannot make the queue manager report a fault of its
own, steer the terminal of who reads its log, or give the application an error that is no MQ reason.
Method: calls with wrong types over the local socket; folders that are not what they should be;
names with control characters.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

import ternmq
import ternmq.aio
from ternmq.admin.mqsc.printer import answer_lines
from ternmq.base import constants as mq
from ternmq.base.reasons import (
    MQRC_CHANNEL_CONFIG_ERROR,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_RESOURCE_PROBLEM,
)
from ternmq.cli.samples.amqsbcg import descriptor_lines
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.server.error_log.error_log import ErrorLog
from ternmq.server.error_log.fault_report import FaultReports
from ternmq.server.error_log.log_entry import LogEntry, Origin
from ternmq.server.error_log.syslog import datagram
from ternmq.values.command import Command
from tests.unit.api.served import Served


@pytest.mark.parametrize("noun", ["", "QMGR", "CHLAUTH", "AUTHREC", "NONSENSE", "\x00", "Q" * 300])
def test_define_of_an_unknown_type_then_an_mq_reason_and_no_report(
    noun: str, tmp_path: Path
) -> None:
    with Served(tmp_path) as served, served.connect() as connection:
        host = served.host
        assert host is not None
        host.faults = FaultReports(tmp_path / "errors", Origin("QM1", "1"), None)
        answers = connection.command(Command("DEFINE", noun, "X"))
        assert [answer.ok for answer in answers] == [False]
        assert answers[0].reason
        connection.define_queue("X")
        assert "X" in connection.queue_names()
    assert not list((tmp_path / "errors").glob("*.FDC"))


def file_for_folder(data: Path) -> None:
    (data / "qmgrs").write_text("")


def folder_for_ini(data: Path) -> None:
    (data / "mqs.ini").mkdir()


def wrong_ini(data: Path) -> None:
    (data / "mqs.ini").write_text("nonsense\n")


def wrong_bytes(data: Path) -> None:
    (data / "mqs.ini").write_bytes(b"\xff\xfe")


@pytest.mark.parametrize("spoil", [file_for_folder, folder_for_ini, wrong_ini, wrong_bytes])
@pytest.mark.parametrize("given", [False, True])
def test_connect_when_the_data_folder_is_wrong_then_an_mq_reason(
    spoil: Callable[[Path], None],
    given: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spoil(tmp_path)
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    data = tmp_path if given else None

    async def by_task() -> None:
        await ternmq.aio.connect("QM1", data=data)

    for connect in (
        lambda: ternmq.connect("QM1", data=data),
        lambda: asyncio.run(by_task()),
    ):
        with pytest.raises(ternmq.MQError) as refused:
            connect()
        assert refused.value.reason == MQRC_Q_MGR_NOT_AVAILABLE
        assert str(tmp_path) in str(refused.value)


def test_connect_when_the_process_has_no_descriptors_then_resource_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.makedirs(tmp_path / "qmgrs" / "QM1")

    def refuse(*given: object) -> socket.socket:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(socket, "socket", refuse)
    with pytest.raises(ternmq.MQError) as refused:
        ternmq.connect("QM1", data=tmp_path)
    assert refused.value.reason == MQRC_RESOURCE_PROBLEM


NAMES = ["\x1b[2Jroot", "a\x9b31m", "x\x07\x00y", "abc\u202etxt.exe", "a\u2028b", "c\x7f"]


@pytest.mark.parametrize("name", NAMES)
def test_name_with_control_characters_then_the_logs_show_them_as_text(
    name: str, tmp_path: Path
) -> None:
    entry = LogEntry(Origin("QM1", "1"), "AMQ8077W", (name, "connect", "QM1"), remote_host=name)
    reported = [
        entry.as_text(),
        datagram(entry, "ternmq").decode(),
        json.loads(entry.as_json())["message"],
    ]
    for text in reported:
        assert all(one.isprintable() or one == "\n" for one in text), repr(text)
        assert "\\x" in text or "\\u" in text
    log = ErrorLog(tmp_path, Origin("QM1", "1"))
    log.write("AMQ8077W", (name, "connect", "QM1"))
    written = (tmp_path / "AMQERR01.LOG").read_text()
    assert all(one.isprintable() or one == "\n" for one in written)


def test_name_in_another_script_then_it_stays_as_it_is() -> None:
    entry = LogEntry(Origin("QM1", "1"), "AMQ8077W", ("Jürgen 漢字", "connect", "QM1"))
    assert "Jürgen 漢字" in entry.as_text()


def test_display_when_an_application_has_control_characters_then_they_are_shown_as_text(
    tmp_path: Path,
) -> None:
    name = "evil\x1b[2J\r\nAMQ8888I: ok"
    with Served(tmp_path) as served, served.connect(application=name), served.connect() as admin:
        lines = [
            line for one in admin.mqsc("DISPLAY CONN(*) APPLTAG") for line in answer_lines(one)
        ]
    assert sum("evil\\x1b[2J\\x0d\\x0aAMQ8888I: ok" in line for line in lines) == 1
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".example", "\u00e4..b", "a\0b"])
def test_connect_when_no_system_can_look_the_host_up_then_an_mq_reason(host: str) -> None:
    async def waiting() -> None:
        await ternmq.aio.connect("QM1", channel="A", conn=f"{host}(1414)")

    with pytest.raises(ternmq.MQError) as refused:
        ternmq.connect("QM1", channel="A", conn=f"{host}(1414)")
    assert refused.value.reason == MQRC_CHANNEL_CONFIG_ERROR
    with pytest.raises(ternmq.MQError, match="the host"):
        asyncio.run(waiting())


def test_amqsbcg_when_a_message_has_control_characters_then_they_are_shown_as_text() -> None:
    md = Descriptor(reply_to_queue="A\x1bB", put_appl_name="evil\x1b[2J\rok\nAMQ8888I: ok")
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("A")
        qmgr.put("A", b"\x1b", descriptor=md, options=mq.MQPMO_SET_ALL_CONTEXT)
        with qmgr.queue("A") as queue:
            lines = descriptor_lines(queue.get())
    assert all(line.isprintable() for line in lines)
    assert any("evil\\x1b[2J\\x0dok\\x0aAMQ8888I: ok" in line for line in lines)
