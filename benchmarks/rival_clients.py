"""The fastest clients that brokers come with, as contenders for durable puts.

Each puts messages of 2 KB, so many at the same time, and each put waits for its own confirmation:
nats.go with a goroutine for each putter (natsput), redis-benchmark without pipelining, and
RabbitMQ's PerfTest with one unconfirmed message for each producer. Python clients are those of the
benchmark `network`.
"""

from __future__ import annotations

import json
import re
import subprocess
from abc import ABC, abstractmethod
from typing import Any, Final

from benchmarks.brokers import BODY, Missing, Server, program
from benchmarks.network_crew import Crew, Round, cpu_s
from benchmarks.rival_tools import natsput, perf_test

_TEXT: Final = "x" * len(BODY)
_PROBE: Final = 2_000  # puts by which redis-benchmark finds out how many it can do
_RATE: Final = re.compile(r"([\d.]+) requests per second")
_SENT: Final = re.compile(r"sending rate avg: ([\d.]+) msg/s")
_MARGIN_S: Final = 60.0


class Client(ABC):
    """Something that puts durable messages to one server."""

    name: str

    def __init__(self, server: Server, putters: int) -> None:
        self.server = server
        self.putters = putters

    @staticmethod
    def check() -> None:
        """Raise `Missing` if it cannot run here."""
        return

    @abstractmethod
    def go(self, seconds: float) -> Round:
        """Put for so long."""

    def close(self) -> None:
        """Give back what it holds."""
        return


class PythonClient(Client):
    """The client library for Python, as in the benchmark `network`."""

    def __init__(self, server: Server, putters: int, party: str, name: str) -> None:
        super().__init__(server, putters)
        self.name = name
        self._crew = Crew(server, party, (("putters", putters),))

    def go(self, seconds: float) -> Round:
        return self._crew.go(seconds)

    def close(self) -> None:
        self._crew.close()


class GoClient(Client):
    """nats.go."""

    name = "nats.go"

    @staticmethod
    def check() -> None:
        natsput()

    def go(self, seconds: float) -> Round:
        words = [natsput(), str(self.server.port), str(self.putters)]
        with subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            if process.stdin is None or process.stdout is None:
                raise RuntimeError("natsput has no pipes")
            if process.stdout.readline().strip() != "ready":
                raise RuntimeError("natsput was not ready")
            before = cpu_s(self.server.pid)
            process.stdin.write(f"{seconds}\n")
            process.stdin.flush()
            values: dict[str, Any] = json.loads(process.stdout.readline())
            used = cpu_s(self.server.pid) - before
        return round_of(int(values["done"]), values["seconds"], used, values["cpu"])


class RedisBenchmark(Client):
    """redis-benchmark, one request at a time on each of its connections."""

    name = "redis-benchmark"

    @staticmethod
    def check() -> None:
        program("redis-benchmark", "redis-tools")

    def go(self, seconds: float) -> Round:
        self._run("DEL", "durable", count=1)
        rate = self._run("XADD", "durable", "*", "body", _TEXT, count=_PROBE)
        count = max(int(rate * seconds), _PROBE)
        before = cpu_s(self.server.pid)
        rate = self._run("XADD", "durable", "*", "body", _TEXT, count=count)
        return round_of(count, count / rate, cpu_s(self.server.pid) - before)

    def _run(self, *command: str, count: int) -> float:
        words = [program("redis-benchmark", "redis-tools"), "-h", "127.0.0.1", "-q"]
        words += ["-p", str(self.server.port), "-c", str(min(self.putters, count))]
        said = output_of([*words, "-n", str(count), *command], _MARGIN_S * 5)
        found = _RATE.findall(said)
        if not found:
            raise RuntimeError(f"redis-benchmark told no rate: {said[-300:]}")
        return float(found[-1])


class PerfTest(Client):
    """RabbitMQ's own load generator."""

    name = "PerfTest"

    @staticmethod
    def check() -> None:
        perf_test()

    def go(self, seconds: float) -> Round:
        whole_s = max(round(seconds), 2)  # it knows whole seconds only
        words = [*perf_test(), "--uri", f"amqp://guest:guest@127.0.0.1:{self.server.port}"]
        words += ["--producers", str(self.putters), "--consumers", "0", "--confirm", "1"]
        words += ["--quorum-queue", "--queue", "durable", "--flag", "persistent"]
        words += ["--size", str(len(BODY)), "--time", str(whole_s)]
        before = cpu_s(self.server.pid)
        said = output_of(words, whole_s + _MARGIN_S)
        used = cpu_s(self.server.pid) - before
        found = _SENT.search(said)
        if found is None:
            raise RuntimeError(f"PerfTest told no rate: {said[-300:]}")
        return round_of(int(float(found[1]) * whole_s), whole_s, used)


def round_of(done: int, seconds: float, used_s: float, client_s: float = 0.0) -> Round:
    each = 1e6 / max(done, 1)
    return Round(done=done, seconds=seconds, cpu_us=used_s * each, client_us=client_s * each)


def output_of(words: list[str], limit_s: float) -> str:
    """What a program says; `Missing` if it does not run as it should."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired as error:
        raise Missing(f"{words[0]} did not end within {limit_s:.0f} s") from error
    if done.returncode != 0:
        raise Missing(f"{words[0]} failed: {(done.stderr or done.stdout)[-300:]}")
    return done.stdout
