"""Goal: programs that were written for pymqi and ibmmq run here once their import line is changed.

Method: each program of `programs` is run with that change alone, its output compared with the text
beside it; once on the machine of the queue manager, once through a channel.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from ternmq.compat import pymqi
from ternmq.compat.pymqi import CMQC
from ternmq.security.password_file import PATH, SALT_BYTES, text_of
from ternmq.security.passwords import make_account
from ternmq.server.command_server import start_command_server
from tests.compat.running import PROGRAMS, run, with_our_import
from tests.unit.api.networked import CHANNEL, Networked
from tests.unit.api.served import Served

pytestmark = pytest.mark.core

QUEUES = ("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.DEAD.LETTER.QUEUE")
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py"))
WITH_PASSWORD = "client_tcp"
BOTH_WAYS = [name for name in NAMES if name != WITH_PASSWORD]
PASSWORDS = """
ALTER QMGR CONNAUTH('SYSTEM.DEFAULT.AUTHINFO.IDPWOS')
ALTER AUTHINFO('SYSTEM.DEFAULT.AUTHINFO.IDPWOS') AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED) ADOPTCTX(YES)
REFRESH SECURITY TYPE(CONNAUTH)
SET AUTHREC PRINCIPAL('app') OBJTYPE(QMGR) AUTHADD(ALLMQI)
SET AUTHREC PROFILE('DEV.**') PRINCIPAL('app') OBJTYPE(QUEUE) AUTHADD(ALLMQI)
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Networked]:
    one = Networked(tmp_path_factory.mktemp("data"))
    with one:
        asyncio.run(start_command_server(one.started))
        with Served.connect(one) as connection:
            for name in QUEUES:
                connection.define_queue(name)
        yield one


@pytest.fixture
def data(served: Networked, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("TERNMQ_DATA", str(served.data))
    yield served.data
    with Served.connect(served) as connection:
        for name in QUEUES:
            connection.clear_queue(name)


def expected(name: str) -> str:
    return (PROGRAMS / f"{name}.txt").read_text(encoding="utf-8")


def test_there_are_enough_programs() -> None:
    assert len(NAMES) >= 15
    assert sorted(path.stem for path in PROGRAMS.glob("*.txt")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_only_the_import_is_changed(name: str) -> None:
    source = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
    before, after = source.splitlines(), with_our_import(source).splitlines()
    changed = [line for line, new in zip(before, after, strict=True) if line != new]
    assert changed
    assert all(line.startswith(("import ", "from ")) for line in changed)


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_program_when_on_the_same_machine(name: str, data: Path) -> None:
    assert run(PROGRAMS / f"{name}.py", "QM1") == expected(name)


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_program_when_through_a_channel(name: str, served: Networked, data: Path) -> None:
    assert run(PROGRAMS / f"{name}.py", "QM1", CHANNEL, served.conn) == expected(name)


def test_program_when_a_password_is_asked_for(tmp_path: Path) -> None:
    one = Networked(tmp_path)
    with one:
        account = make_account("app", (), "passw0rd", bytes(SALT_BYTES))
        file = one.started.shell.disk.create(PATH)
        file.pwritev(0, [text_of({"app": account}).encode()])
        file.datasync()
        file.close()
        with Served.connect(one) as connection:
            connection.define_queue("DEV.QUEUE.1")
            assert all(answer.ok for answer in connection.mqsc(PASSWORDS))
        program = PROGRAMS / f"{WITH_PASSWORD}.py"
        printed = run(program, "QM1", CHANNEL, one.conn, "app", "passw0rd")
        assert printed == expected(WITH_PASSWORD)


def test_connection_when_dropped_then_its_unit_is_committed_as_by_mqdisc(
    served: Networked, data: Path
) -> None:
    for way in (("QM1",), ("QM1", CHANNEL, served.conn)):
        qmgr = pymqi.connect(*way)
        pmo = pymqi.PMO(Options=CMQC.MQPMO_SYNCPOINT)
        qmgr.put1("DEV.QUEUE.1", "left behind", pymqi.MD(), pmo)
        del qmgr
        qmgr = pymqi.connect(*way)
        assert pymqi.Queue(qmgr, "DEV.QUEUE.1").get() == b"left behind"
        del qmgr  # and with nothing to commit it is simply gone
