"""Goal: services run as DEFINE SERVICE says, and DISPLAY SVSTATUS shows them.

Method: a queue manager in memory with the server's parts in a loop; small Python programs as
services; the end of a process is awaited, not slept for.
"""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.server.host import Host
from ternmq.server.parts import ServerParts

WAITS = "-c 'import signal; signal.pause()'"


class Stage:
    """A queue manager whose parts are the server's."""

    def __init__(self, manager: ternmq.QueueManager) -> None:
        self.manager = manager
        self.logged: list[str] = []
        host = Host(manager.started)
        self.parts = ServerParts(host, self._log_message, {"MQ_DATA_PATH": "/data"})
        manager.started.shell.engine.kernel.parts = self.parts

    def _log_message(self, message: str, *inserts: object) -> None:
        self.logged.append(message)

    def first(self, text: str) -> str:
        return self.manager.mqsc(text)[0].message

    def end_all(self) -> None:
        """What a test that failed has left, or the next test would find it."""
        for process in self.parts._processes.values():
            process.kill()
            process.wait()

    async def settle(self) -> None:
        for _ in range(4):
            await asyncio.sleep(0)


def on_stage(test: Callable[[Stage], Coroutine[Any, Any, None]]) -> None:
    async def play() -> None:
        with ternmq.memory("QM1") as manager:
            stage = Stage(manager)
            try:
                await test(stage)
            finally:
                stage.end_all()

    asyncio.run(play())


def service(name: str, more: str) -> str:
    return f"DEFINE SERVICE({name}) STARTCMD('{sys.executable}') {more}"


def argument(text: str) -> str:
    return "STARTARG('" + text.replace("'", "''") + "')"


def test_server_when_started_then_shown_until_it_is_stopped() -> None:
    async def play(stage: Stage) -> None:
        stage.first(service("S", f"SERVTYPE(SERVER) {argument(WAITS)}"))
        assert stage.first("START SERVICE(S)") == "AMQ8733I"
        await stage.settle()
        (shown,) = stage.manager.mqsc("DIS SVSTATUS(S)")
        assert shown["STATUS"] == "RUNNING"
        assert int(shown["PID"]) > 0
        assert stage.first("START SERVICE(S)") == "AMQ8735W"
        assert stage.first("START SERVICE(S) IGNSTATE(YES)") == "AMQ8733I"
        assert stage.first("DELETE SERVICE(S)") == "AMQ8148E"
        task = stage.parts._tasks["S"]
        assert stage.first("STOP SERVICE(S)") == "AMQ8732I"
        await task
        assert stage.first("DIS SVSTATUS(S)") == "AMQ8147E"
        assert stage.first("STOP SERVICE(S)") == "AMQ8736W"
        assert stage.first("DELETE SERVICE(S)") == "AMQ8627I"
        assert stage.logged == ["AMQ5028I", "AMQ5029I"]

    on_stage(play)


def test_command_when_started_then_its_output_and_inserts_are_as_defined(tmp_path: Path) -> None:
    out = tmp_path / "out"

    async def play(stage: Stage) -> None:
        say = """-c "print('+QMNAME+', '+MQ_DATA_PATH+')" """
        stage.first(service("C", f"SERVTYPE(COMMAND) {argument(say)} STDOUT('{out}')"))
        assert stage.first("START SERVICE(C)") == "AMQ8733I"
        await stage.settle()
        await asyncio.gather(*stage.parts._loose)
        assert stage.logged == ["AMQ5030I"]

    on_stage(play)
    assert out.read_text(encoding="utf-8") == "QM1 /data\n"


@pytest.mark.parametrize(
    ("more", "reported"),
    [("STARTCMD('/no/such/program')", "AMQ5032E"), ("STARTARG('''open')", "AMQ5032E")],
)
def test_service_when_it_cannot_start_then_reported(more: str, reported: str) -> None:
    async def play(stage: Stage) -> None:
        stage.first(service("S", "SERVTYPE(SERVER)"))
        stage.first(f"ALTER SERVICE(S) {more}")
        assert stage.first("START SERVICE(S)") == "AMQ8733I"
        await stage.settle()
        assert stage.logged == [reported]
        assert stage.first("DIS SVSTATUS(S)") == "AMQ8147E"

    on_stage(play)


def test_queue_manager_when_it_begins_and_ends_then_control_decides() -> None:
    async def play(stage: Stage) -> None:
        for name, control in (("A", "QMGR"), ("B", "STARTONLY"), ("C", "MANUAL")):
            more = f"SERVTYPE(SERVER) CONTROL({control}) {argument(WAITS)}"
            stage.first(service(name, more))
        stage.parts.begin()
        await stage.settle()
        running = [one["SERVICE"] for one in stage.manager.mqsc("DIS SVSTATUS(*)")]
        assert running == ["A", "B"]
        await stage.parts.end()
        running = [one["SERVICE"] for one in stage.manager.mqsc("DIS SVSTATUS(*)")]
        assert running == ["B"]
        task = stage.parts._tasks["B"]
        stage.first("STOP SERVICE(B)")
        await task

    on_stage(play)


def test_stop_when_it_has_a_command_then_that_is_run() -> None:
    async def play(stage: Stage) -> None:
        # Not kill: a minimal Debian has no such program.
        kill = "STOPARG('-c \"import os; os.kill(+MQ_SERVER_PID+, 15)\"')"
        end = f"STOPCMD('{sys.executable}') {kill}"
        stage.first(service("S", f"SERVTYPE(SERVER) {argument(WAITS)} {end}"))
        stage.first("START SERVICE(S)")
        await stage.settle()
        task = stage.parts._tasks["S"]
        stage.first("STOP SERVICE(S)")
        await task
        await asyncio.gather(*stage.parts._loose)
        assert stage.logged == ["AMQ5028I", "AMQ5029I"]

    on_stage(play)


def test_stop_when_its_command_cannot_start_then_reported_and_the_service_goes_on() -> None:
    async def play(stage: Stage) -> None:
        more = f"SERVTYPE(SERVER) {argument(WAITS)} STOPCMD('/no/such/program')"
        stage.first(service("S", more))
        stage.first("START SERVICE(S)")
        await stage.settle()
        stage.first("STOP SERVICE(S)")
        await stage.settle()
        assert stage.logged == ["AMQ5028I", "AMQ8734E"]
        assert stage.manager.mqsc("DIS SVSTATUS(S)")[0]["STATUS"] == "RUNNING"

    on_stage(play)


def test_listener_when_started_then_refused_with_the_reason() -> None:
    async def play(stage: Stage) -> None:
        (answer,) = stage.manager.mqsc("START LISTENER(SYSTEM.DEFAULT.LISTENER.TCP)")
        assert (answer.message, answer.ok) == ("AMQ8561E", False)
        assert "no network" in str(answer.inserts[2])

    on_stage(play)


def test_connection_when_it_is_no_application_then_not_stopped() -> None:
    async def play(stage: Stage) -> None:
        (shown,) = stage.manager.mqsc("DIS CONN(*)")
        assert stage.first(f"STOP CONN({shown['CONN']})") == "AMQ8458E"
        assert stage.first("STOP CONN(0123456789ABCDEF)") == "AMQ8155E"

    on_stage(play)
