"""The crews of the fan-out: processes with the client for Python, and with the broker's own.

A program of a broker's own client talks as the workers of `network_worker` do, for one round: a
subscriber says `ready`, counts up to LAST and prints a JSON object; a publisher says `ready`, reads
seconds, publishes for so long and prints one. They are nats.go, libmosquitto and hiredis.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any, Final

from benchmarks.brokers import Server
from benchmarks.brokers_fanout import SUBSCRIBERS
from benchmarks.network_crew import Crew, Round, cpu_s, round_of_answers
from benchmarks.rival_tools import fan_client, natsput

ROLES: Final = (("receiver", 1),) * SUBSCRIBERS + (("sender", 1),)
PARTIES: Final = {
    "ternmq": "fanout.TernMQParty",
    "nats": "fanout.NatsParty",
    "mosquitto": "fanout.MosquittoParty",
    "redis": "fanout.RedisParty",
}
PYTHON: Final = {
    "ternmq": "ternmq.aio",
    "nats": "nats-py",
    "mosquitto": "paho-mqtt",
    "redis": "redis-py",
}


def _mosquitto() -> str:
    return fan_client("mosquittofan", "mosquitto", "libmosquitto-dev")


def _redis() -> str:
    return fan_client("redisfan", "hiredis", "libhiredis-dev")


# contender: what its own client is called, and the program, which `Missing` says is not there
NATIVE: Final[dict[str, tuple[str, Callable[[], str]]]] = {
    "nats": ("nats.go", natsput),
    "mosquitto": ("libmosquitto", _mosquitto),
    "redis": ("hiredis", _redis),
}


def python_crew(name: str, server: Server) -> Crew:
    """Publisher and subscribers with the client for Python."""
    return Crew(server, PARTIES[name], ROLES)


class NativeCrew:
    """The same with the broker's own client."""

    def __init__(self, server: Server, program: str) -> None:
        self._server = server
        self._program = program

    def go(self, seconds: float) -> Round:
        """Work for so long."""
        subscribers = [self._process("subscribe") for _ in range(SUBSCRIBERS)]
        everybody = list(subscribers)
        try:
            for one in subscribers:
                _expect_ready(one)
            publisher = self._process("publish", str(SUBSCRIBERS))
            everybody.append(publisher)
            _expect_ready(publisher)
            before = cpu_s(self._server.pid)
            if publisher.stdin is not None:
                publisher.stdin.write(f"{seconds}\n")
                publisher.stdin.flush()
            answers = [_answer(one) for one in everybody]
            return round_of_answers(answers, cpu_s(self._server.pid) - before)
        finally:
            for one in everybody:
                one.kill()  # those that are through have ended by themselves
                one.communicate()

    def _process(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self._program, str(self._server.port), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        """Every round has ended its own processes."""
        return


def _line(process: subprocess.Popen[str]) -> str:
    line = "" if process.stdout is None else process.stdout.readline()
    if not line:
        raise RuntimeError(f"{process.args!r} failed")
    return line


def _expect_ready(process: subprocess.Popen[str]) -> None:
    answer = _line(process).strip()
    if answer != "ready":
        raise RuntimeError(f"{process.args!r} said {answer} instead of ready")


def _answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(_line(process))
    return {**values, "done": int(values.get("done", 0)), "sent": int(values.get("sent", 0))}
