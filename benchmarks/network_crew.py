"""The client processes of one contender in one scenario, and the CPU and memory of its server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.brokers import Server

UNTIL_STOPPED: Final = ("replier", "idle")
_TICK: Final = os.sysconf("SC_CLK_TCK")


@dataclass
class Round:
    """What one round gave."""

    done: int = 0
    sent: int = 0  # of a stream
    seconds: float = 0.0
    cpu_us: float = 0.0  # of the server, for each message or round trip
    client_us: float = 0.0  # of the client processes
    times: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return self.done / self.seconds if self.seconds else 0.0


class Worker:
    """One client process."""

    def __init__(self, party: str, role: str, port: int, count: int) -> None:
        self.role = role
        words = [sys.executable, "-m", "benchmarks.network_worker", party, role]
        self._process = subprocess.Popen(
            [*words, str(port), str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def send(self, text: str) -> None:
        """A line to it."""
        stdin = self._process.stdin
        if stdin is not None:
            stdin.write(f"{text}\n")
            stdin.flush()

    def answer(self) -> str:
        """The next line from it."""
        stdout = self._process.stdout
        line = "" if stdout is None else stdout.readline()
        if not line:
            raise RuntimeError(f"a client process failed: {self._process.args!r}")
        return line.strip()

    def close(self) -> None:
        """It ends with its input."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass  # it has failed, and that was told
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Crew:
    """The client processes of one contender; roles in the order in which they must be ready."""

    def __init__(self, server: Server, party: str, roles: Sequence[tuple[str, int]]) -> None:
        self._server = server
        self._workers = [Worker(party, role, server.port, count) for role, count in roles]

    def ready(self) -> None:
        """Everybody is connected."""
        for worker in self._workers:
            worker.send("round")
            answer = worker.answer()
            if answer != "ready":
                raise RuntimeError(f"{answer} instead of ready")

    def go(self, seconds: float) -> Round:
        """Work for so long."""
        self._server.empty()
        self.ready()
        before = cpu_s(self._server.pid)
        for worker in self._workers:
            worker.send(f"go {seconds}")
        answers = [
            json.loads(one.answer()) for one in self._workers if one.role not in UNTIL_STOPPED
        ]
        used = cpu_s(self._server.pid) - before
        answers += self.stop()
        return round_of_answers(answers, used)

    def stop(self) -> list[dict[str, Any]]:
        """Those who work until they are told; what they have to say."""
        staying = [one for one in self._workers if one.role in UNTIL_STOPPED]
        for worker in staying:
            worker.send("stop")
        answers = [json.loads(worker.answer()) for worker in staying]
        for worker in self._workers:
            worker.answer()  # it has disconnected
        return answers

    def close(self) -> None:
        for worker in self._workers:
            worker.close()


def round_of_answers(answers: list[dict[str, Any]], used_s: float) -> Round:
    result = Round()
    for one in answers:
        result.done += one.get("done", 0)
        result.sent += one.get("sent", 0)
        result.seconds = max(result.seconds, one.get("seconds", 0.0))
        result.times += one.get("times", [])
    result.client_us = sum(one["cpu"] for one in answers) / max(result.done, 1) * 1e6
    result.cpu_us = used_s / max(result.done, 1) * 1e6
    return result


def family(pid: int) -> list[int]:
    """A process and its descendants."""
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += [int(word) for word in task.read_text().split()]
            except OSError:
                pass  # it has just ended
    return found


def cpu_s(pid: int) -> float:
    """CPU seconds of a process and its descendants, as far as they live."""
    ticks = 0
    for one in family(pid):
        try:
            words = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += int(words[11]) + int(words[12])
    return ticks / _TICK


def resident_kb(pid: int) -> int:
    """Resident memory of a process and its descendants."""
    total = 0
    for one in family(pid):
        try:
            lines = Path(f"/proc/{one}/status").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
    return total
