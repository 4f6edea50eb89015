"""The processes of the applications: two groups, requesters and servers.

They are started once for a run and get point after point; tasks of a crew are dealt out over the
processes of its group, so that a crew of sixty does not need sixty interpreters.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from ternmq.perf.tasks import ROLES, Place, Task
from ternmq.perf.workload import Crew, Point

END_S: Final = 10


class ApplicationFailed(Exception):
    """Applications could not do their work; the text is what they said last."""


@dataclass(frozen=True)
class Seen:
    """What the applications of a point saw."""

    begin_s: float  # when the last of them began, by the wall clock
    end_s: float  # when the first of them was through
    done: int
    bytes: int
    seconds: float
    cpu_s: float


class Process:
    """One process of tasks."""

    def __init__(self, place: Place) -> None:
        words = [sys.executable, "-m", "ternmq.perf.worker", place.name, place.data]
        self._process = subprocess.Popen(
            [*words, str(place.port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def send(self, *words: object) -> None:
        """A line to it."""
        stdin = self._process.stdin
        if stdin is not None:
            try:
                stdin.write(json.dumps(words) + "\n")
                stdin.flush()
            except BrokenPipeError:
                self._fail()

    def answer(self) -> Any:
        """Its next line."""
        stdout = self._process.stdout
        line = "" if stdout is None else stdout.readline()
        if not line:
            self._fail()
        reply = json.loads(line)
        if isinstance(reply, dict) and "error" in reply:
            raise ApplicationFailed(reply["error"])
        return reply

    def _fail(self) -> NoReturn:
        stderr = self._process.stderr
        said = "" if stderr is None else stderr.read()
        lines = [line for line in said.splitlines() if line.strip()]
        raise ApplicationFailed(lines[-1] if lines else "a process of applications has ended")

    def close(self) -> None:
        """It ends with its input; if not, it is ended."""
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass  # it has failed, and that was reported
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Applications:
    """All processes of the applications."""

    def __init__(self, place: Place, processes: int, serving: Place | None = None) -> None:
        self._asking = [Process(place) for _ in range(processes)]
        self._serving = [Process(serving or place) for _ in range(processes)]
        self._busy: list[Process] = []

    def open(self, point: Point) -> None:
        """Connect all tasks that the point needs."""
        shares: list[tuple[Process, list[dict[str, Any]]]] = []
        for group, serves in ((self._asking, False), (self._serving, True)):
            crews = [one for one in point.crews if is_serving(one) == serves]
            for number, process in enumerate(group):
                share = dealt(crews, number, len(group))
                if share:
                    shares.append((process, share))
        # Servers are ready first: no requester starts before.
        self._busy = [process for process, _ in reversed(shares)]
        for process, share in reversed(shares):
            process.send("open", share)
        self._answers(self._busy)

    def go(self, seconds: float) -> Seen:
        """Work for so long."""
        for process in self._busy:
            process.send("go", seconds)
        answers = self._answers(self._busy)
        return Seen(
            begin_s=max(one["begin"] for one in answers),
            end_s=min(one["begin"] + one["seconds"] for one in answers),
            done=sum(one["done"] for one in answers),
            bytes=sum(one["bytes"] for one in answers),
            seconds=max(one["seconds"] for one in answers),
            cpu_s=sum(one["cpu_s"] for one in answers),
        )

    def stop(self) -> int:
        """All tasks disconnect; how much they did in all, also after their time."""
        busy, self._busy = self._busy, []
        for process in busy:
            process.send("stop")
        return sum(one["done"] for one in self._answers(busy))

    def _answers(self, processes: list[Process]) -> list[Any]:
        """One of each; what failed is reported when all have answered."""
        answers, failed = [], []
        for process in processes:
            try:
                answers.append(process.answer())
            except ApplicationFailed as error:
                failed.append(error)
        if failed:
            raise failed[0]
        return answers

    def close(self) -> None:
        """The processes end."""
        for process in (*self._asking, *self._serving):
            process.close()


def is_serving(crew: Crew) -> bool:
    """Whether tasks of this crew work until `stop`."""
    role = ROLES[crew.role]
    return isinstance(role, type) and issubclass(role, Task) and role.serves


def dealt(crews: list[Crew], number: int, of: int) -> list[dict[str, Any]]:
    """The share of one process out of several: a stretch of each crew."""
    found = []
    for crew in crews:
        first = crew.count * number // of
        count = crew.count * (number + 1) // of - first
        if count:
            found.append({**crew.to_dict(), "count": count, "first": first})
    return found
