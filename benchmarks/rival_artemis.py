"""ActiveMQ Artemis as a rival in selectors: a broker and its JMS client in one Java process.

`benchmarks/artemis` has the program, and the orders that it knows. Each order is a line, and so is
each answer: a JSON object whose times are null where nothing was found.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final

from benchmarks.brokers import Missing, end
from benchmarks.rival_tools import artemis_select

NAME: Final = "ActiveMQ Artemis"
IN_MEMORY: Final = "memory"
PAGED: Final = "paged"
PAGED_UNLIMITED: Final = "paged-unlimited"
HEAP: Final = "-Xmx2g"
WAIT_S: Final = 60.0

Answer = dict[str, float | None]


class Artemis:
    """One process; a context manager that ends it."""

    def __init__(
        self, mode: str, folder: Path, messages: Path, selector: str, wait_s: float = WAIT_S
    ) -> None:
        words = artemis_select()
        words = [words[0], HEAP, *words[1:], "ArtemisSelect", mode, str(folder / "data")]
        self._said = folder / "said"
        with self._said.open("wb") as said:
            self._process = subprocess.Popen(
                [*words, str(messages), selector, str(round(1000 * wait_s))],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
            )
        first = self._line()
        if first != "ready":
            self.close()
            raise Missing(f"it does not start: {first or self._last_words()}")

    def ask(self, order: str) -> Answer:
        """What it answers to an order."""
        if self._process.stdin is None:
            raise RuntimeError("Artemis has no pipes")
        self._process.stdin.write(f"{order}\n".encode())
        self._process.stdin.flush()
        line = self._line()
        if not line:
            raise RuntimeError(f"Artemis ended at {order}: {self._last_words()}")
        return answer_of(line)

    def timer(self, order: str, key: str = "ms") -> Callable[[], float]:
        """A contender: milliseconds of an order."""
        return lambda: time_of(order, self.ask(order), key)

    def _line(self) -> str:
        if self._process.stdout is None:
            raise RuntimeError("Artemis has no pipes")
        return self._process.stdout.readline().decode().strip()

    def _last_words(self) -> str:
        lines = self._said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        reported = [line for line in lines if not line.startswith(("SLF4J", "\tat "))]
        return reported[-1].strip() if reported else "it said nothing"

    def close(self) -> None:
        """End it; its folder is the caller's."""
        if self._process.poll() is None:
            end(self._process)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Artemis:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def answer_of(line: str) -> Answer:
    """An answer from its line."""
    try:
        reported = json.loads(line)
    except ValueError as error:
        raise RuntimeError(f"Artemis did not answer with JSON: {line[:200]}") from error
    if not isinstance(reported, dict):
        raise RuntimeError(f"Artemis did not answer with an object: {line[:200]}")
    return {key: None if value is None else float(value) for key, value in reported.items()}


def time_of(order: str, answer: Answer, key: str) -> float:
    """A time that must be there."""
    value = answer.get(key)
    if value is None:
        raise RuntimeError(f"Artemis found nothing at {order}: {answer}")
    return value
