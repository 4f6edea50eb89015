"""Goal: what runmqsc prints is exactly what MQ people and their tools expect, command by command.

Method: each cases/NAME.mqsc is run on a fresh queue manager in memory and compared with NAME.out,
dates and identifiers masked. A comment `* @put QUEUE N`, `* @open QUEUE` or `* @close` is done by
an application. REWRITE_TRANSCRIPTS=1 writes the .out files anew: read what changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq.cli.control.runmqsc import Report, run

pytestmark = pytest.mark.core
CASES = sorted((Path(__file__).parent / "cases").glob("*.mqsc"))
COLUMN = 43  # where the second column begins
MASKS = (
    (r"\d{4}-\d\d-\d\d_\d\d\.\d\d\.\d\d", "<stamp>"),
    (r"\d{4}-\d\d-\d\d", "<date>"),
    (r"\(\d\d\.\d\d\.\d\d\)", "(<time>)"),
    (r"\bCONN\([0-9A-F]{16}\)", "CONN(<id>)"),
    (r"MQCT[0-9A-F]{16}", "MQCT<id>"),
    (r"PID\(\d+\)", "PID(<pid>)"),
    (r"INCARN\(\d+\)", "INCARN(<id>)"),
    (r"\bAGE\(\d+\)", "AGE(<n>)"),
    (r"QMURID\(0\.\d+\)", "QMURID(<unit>)"),
    (r"(SUBID|DESTCORL)\([0-9A-F]{48}\)", r"\1(<id>)"),
    (r"LOGSTRL\(.*?\)", "LOGSTRL(<lsn>)"),
    (r"(LOGINUSE|LOGUTIL|CHKPTCNT|MSGAGE|RESETINT)\(\d+\)", r"\1(<n>)"),
    (r"QTIME\(\d+, \d+\)", "QTIME(<n>, <n>)"),
)


class Application:
    """Who uses the queues while the administrator looks."""

    def __init__(self, connection: ternmq.Connection) -> None:
        self._connection = connection
        self._queue: ternmq.Queue | None = None

    def obey(self, words: list[str]) -> None:
        if words[0] == "@put":
            for number in range(int(words[2])):
                self._connection.put(words[1], f"message {number}")
        elif words[0] == "@get":
            with self._connection.queue(words[1]) as queue:
                queue.get()
        elif words[0] == "@open":
            self._queue = self._connection.queue(words[1])
            self._queue.put("one")
            self._queue.get()
        elif words[0] == "@begin":
            self._connection.begin()
            self._connection.put(words[1], "uncommitted")
        elif words[0] == "@batch":
            self._connection.commit_batch(words[1], int(words[2]), [])
        elif words[0] == "@end":
            self._connection.backout()
        else:
            self.close()

    def close(self) -> None:
        if self._queue is not None:
            self._queue.close()
            self._queue = None


def lines_of(path: Path, application: Application) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("* @"):
            application.obey(line[2:].split())
        else:
            yield line


def masked(line: str) -> str:
    """The line without what differs from run to run; the second column stays where it is."""
    is_item = line.startswith("   ") and len(line) > COLUMN and line[COLUMN - 1] == " "
    left, right = (line[:COLUMN], line[COLUMN:]) if is_item else (line, "")
    for pattern, mask in MASKS:
        left = re.sub(pattern, mask, left)
        right = re.sub(pattern, mask, right)
    return f"{left.rstrip():<{COLUMN}}{right}" if right else left


def transcript(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    with ternmq.memory("QM1", user="admin", application="runmqsc") as manager:
        application = Application(manager.connect(user="fred", application="orders"))
        lines = lines_of(path, application)
        status = run(manager, manager.name, lines, Report(True, False))
        application.close()
    output = [masked(line) for line in capsys.readouterr().out.splitlines()]
    return "\n".join([*output, f"exit status {status}", ""])


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_transcript_when_run_then_as_it_was(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = transcript(path, capsys)
    expected = path.with_suffix(".out")
    if os.environ.get("REWRITE_TRANSCRIPTS"):
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")


def test_there_are_cases() -> None:
    assert len(CASES) >= 15
