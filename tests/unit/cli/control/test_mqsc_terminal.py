"""Goal: runmqsc on a terminal helps who types: names by TAB, syntax by `help` and `?`, Ctrl-C that
keeps the session, whole commands in the history; and input that is piped knows nothing of it.

Method: the functions by themselves, and runmqsc on a pseudo-terminal, typed into.
"""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.admin.command_table import COMMANDS
from ternmq.cli.control import runmqsc
from ternmq.cli.control.mqsc_completion import NAMES_MAX, completions
from ternmq.cli.control.mqsc_help import COLUMNS, asked_about, help_lines
from ternmq.cli.control.mqsc_history import history_path
from ternmq.cli.control.mqsc_terminal import DROPPED, WELCOME, typed_lines
from ternmq.values.command import Answer, Item

# ---- names


@pytest.fixture
def named(qm: ternmq.QueueManager) -> ternmq.QueueManager:
    for command in (
        "DEFINE QLOCAL(ORDERS.NEW)",
        "DEFINE QLOCAL(ORDERS.OLD)",
        "DEFINE QLOCAL('orders.small')",
        "DEFINE QALIAS(ORDERS) TARGET(ORDERS.NEW)",
        "DEFINE CHANNEL(ORDERS.SVRCONN) CHLTYPE(SVRCONN)",
    ):
        assert qm.mqsc(command)[0].ok
    return qm


@pytest.mark.parametrize(
    ("before", "word", "expected"),
    [
        ("DISPLAY QLOCAL(", "ORD", ["ORDERS.NEW", "ORDERS.OLD"]),
        ("dis q(", "ord", ["orders", "orders.new", "orders.old"]),
        ("CLEAR QLOCAL(", "ORDERS.N", ["ORDERS.NEW"]),
        ("DIS QS(", "ORDERS.", ["ORDERS.NEW", "ORDERS.OLD"]),
        ("DIS CHS(", "ORD", ["ORDERS.SVRCONN"]),
        ("DEFINE QALIAS(X) TARGET(", "ORDERS.O", ["ORDERS.OLD"]),
        ("DEFINE QLOCAL(X) LIKE(", "ORDERS.O", ["ORDERS.OLD"]),
        ("DEFINE QLOCAL(", "ORD", []),  # a new name
        ("DISPLAY QLOCAL(", "'ord", []),
        ("help def", "", ["DEFINE"]),
    ],
)
def test_completion_when_a_name_stands_there_then_names_of_the_queue_manager(
    named: ternmq.QueueManager, before: str, word: str, expected: list[str]
) -> None:
    if before.startswith("help"):
        before, word = "help ", "DEF"
    assert completions(before, word, named.mqsc) == expected


def test_completion_when_the_connection_is_broken_then_none() -> None:
    def ask(text: str) -> list[Any]:
        raise ternmq.MQError(2, 2009)

    assert completions("DIS QL(", "A", ask) == []


def test_completion_when_there_are_very_many_names_then_no_letter_that_only_some_have() -> None:
    def ask(text: str) -> list[Any]:
        answers = [Answer("AMQ8409I") for _ in range(10_000)]
        for number, one in enumerate(answers):
            one.items.append(Item("QUEUE", f"Q{number:05}"))
        return answers

    found = completions("DIS QL(", "Q", ask)
    assert len(found) == NAMES_MAX
    assert (found[0], found[-1]) == ("Q00000", "Q09999")


# ---- help


def test_help_when_asked_for_a_command_then_its_syntax() -> None:
    assert help_lines(["START", "CHL"]) == [
        "START CHANNEL(name)",
        "    parameters IGNSTATE(YES|NO)",
        "    authority  ctrl on the object",
    ]
    text = "\n".join(help_lines(["DEF", "QL"]))
    assert text.startswith("DEFINE QLOCAL(name)\n    parameters LIKE(text) REPLACE NOREPLACE\n")
    assert "MAXDEPTH(0..999999999)" in text
    assert "GET(ENABLED|DISABLED)" in text
    assert "CURDEPTH" not in text
    assert "must have  CHLTYPE(SDR|" in help_lines(["DEFINE", "CHANNEL"])[1]


def test_help_when_asked_for_other_words_then_what_they_are() -> None:
    assert help_lines(["MAXDEPTH"]) == [
        "    MAXDEPTH(0..999999999)",
        "An attribute of QLOCAL QMODEL",
    ]
    assert help_lines(["QSTATS"]) == ["Commands for QSTATS:", "    RESET QSTATS"]
    assert help_lines(["DEFINE", "QLOKAL"]) == ["DEFINE does not know QLOKAL. Did you mean QLOCAL?"]
    assert help_lines(["MAXDEPHT"]) == [
        "MAXDEPHT is not a command, object or attribute. Did you mean MAXDEPTH?"
    ]
    assert help_lines(["DEF"])[0] == "DEFINE; help DEFINE AUTHINFO shows one:"


@pytest.mark.parametrize("pair", sorted(COMMANDS))
def test_help_of_every_command_then_lines_that_fit(pair: tuple[str, str]) -> None:
    lines = help_lines(list(pair))
    assert lines[0].startswith(" ".join(pair))
    long = [line for line in lines if len(line) > COLUMNS]
    assert [line for line in long if len(line.removeprefix("    must have ").split()) > 1] == []


def test_help_when_nothing_is_named_then_every_command() -> None:
    words = set("\n".join(help_lines([])).split())
    assert [pair for pair in COMMANDS if not words.issuperset(pair)] == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("help", []),
        ("?", []),
        ("HELP define QLOCAL", ["DEFINE", "QLOCAL"]),
        ("? def ql;", ["DEF", "QL"]),
        ("define qlocal ?", ["DEFINE", "QLOCAL"]),
        ("DEFINE QLOCAL(A) DESCR('why?')", None),
        ("DIS QL(A?)", None),
        ("", None),
        ("helpless", None),
    ],
)
def test_question_when_typed_then_known(line: str, words: list[str] | None) -> None:
    assert asked_about(line) == words


def test_help_when_piped_then_a_syntax_error_as_ever(
    attached: ternmq.QueueManager, typed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    typed("help\n?\n")
    assert runmqsc.main(["QM1"]) == 10
    output = capsys.readouterr().out
    assert "2 commands have a syntax error." in output
    assert WELCOME not in output


# ---- Ctrl-C and history


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


def test_interrupt_when_a_command_is_half_typed_then_it_is_dropped(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed: Iterator[str | BaseException] = iter(
        ["DEFINE QLOCAL(A) +", KeyboardInterrupt(), "help start channel", "ping +", "qmgr"]
    )

    def answer(prompt: str) -> str:
        one = next(typed, EOFError())
        if isinstance(one, BaseException):
            raise one
        return one

    monkeypatch.setattr("builtins.input", answer)
    assert list(typed_lines("QM1")) == ["ping +", "qmgr"]
    output = capsys.readouterr().out
    assert DROPPED in output
    assert "START CHANNEL(name)" in output


def test_interrupt_when_a_command_runs_then_the_second_one_ends_it(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: "ping qmgr")
    before = signal.getsignal(signal.SIGINT)
    lines = typed_lines("QM1")
    assert next(lines) == "ping qmgr"
    signal.raise_signal(signal.SIGINT)
    assert "The command still runs" in capsys.readouterr().err
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    lines.close()  # type: ignore[attr-defined]
    assert signal.getsignal(signal.SIGINT) is before


PROGRAM = """
import signal
import sys
import ternmq
from ternmq.cli import attach
from ternmq.cli.control import runmqsc
with ternmq.memory("QM1") as qmgr:
    qmgr.define_queue("ORDERS.NEW")
    attach.attach = lambda *given: qmgr.connect()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    sys.exit(runmqsc.main(["QM1"]))
"""


# The line that goes on, as the terminal shows it, and the prompt behind it: a terminal may show the
# prompt once more before the line.
CONTINUED = r"\+[^\n]*\n[^\n]*> $"


class Typist:
    """runmqsc on a pseudo-terminal."""

    def __init__(self, state: Path) -> None:
        self._near, far = pty.openpty()
        environment = os.environ | {"XDG_STATE_HOME": str(state), "MQPROMPT": "> ", "TERM": "dumb"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdin=far, stdout=far, stderr=far, env=environment,
            start_new_session=True,
        )  # fmt: skip
        os.close(far)
        self.seen = ""

    def until(self, pattern: str) -> str:
        """What is shown up to a text that comes; the test's time limit ends it."""
        while not re.search(pattern, self.seen):
            select.select([self._near], [], [])
            try:
                self.seen += os.read(self._near, 65_536).decode(errors="replace")
            except OSError:  # its end
                break
        assert re.search(pattern, self.seen), self.seen
        shown, self.seen = self.seen, ""
        return shown

    def types(self, text: str) -> None:
        os.write(self._near, text.encode("utf-8", "surrogateescape"))

    def interrupts(self) -> None:
        """Ctrl-C, once more each second until something is shown: readline notices a signal only
        while it waits for keys, and that begins a moment after the prompt is shown."""
        shown: list[int] = []
        while not shown:
            self.process.send_signal(signal.SIGINT)
            shown, _, _ = select.select([self._near], [], [], 1.0)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._near)


@pytest.fixture
def typist(tmp_path: Path) -> Iterator[Typist]:
    one = Typist(tmp_path)
    yield one
    one.close()


def test_terminal_when_typed_into_then_names_are_completed_and_commands_remembered(
    typist: Typist, tmp_path: Path
) -> None:
    typist.until(r"\n> $")
    typist.types("DISPLAY QLOCAL(ORD\t) MAXDEPTH\n")
    assert "ORDERS.NEW" in typist.until(r"MAXDEPTH\(\d+\)[\s\S]*> $")
    typist.types("PING +\n")
    typist.until("> $")
    typist.types("QMGR\n")
    typist.until(r"AMQ8415I[\s\S]*> $")
    typist.types("end\n")
    typist.until("MQSC commands? read|commands read")
    assert typist.process.wait() == 0
    history = (tmp_path / "ternmq" / "runmqsc_history").read_text(encoding="utf-8")
    assert history.splitlines()[-2:] == ["PING QMGR", "end"]


def test_terminal_when_bytes_are_typed_that_are_not_utf_8_then_the_session_goes_on(
    typist: Typist,
) -> None:
    typist.until(r"\n> $")
    typist.types("DISPLAY QLOCAL(\udcff)\n")
    typist.until(r"not UTF-8[\s\S]*> $")
    typist.types("PING QMGR\n")
    typist.until(r"AMQ8415I[\s\S]*> $")


def test_history_when_a_command_has_a_password_then_it_is_not_kept(
    typist: Typist, tmp_path: Path
) -> None:
    typist.until(r"\n> $")
    channel = "DEFINE CHANNEL(A) CHLTYPE(SDR) CONNAME(A) XMITQ(B)"
    typist.types(f"{channel} password ('hunter2')\n")
    typist.until(r"AMQ8014I[\s\S]*> $")
    typist.types(f"{channel} +\n")
    typist.until(CONTINUED)
    typist.types("REPLACE PASSWORD('hunter2')\n")
    typist.until(r"AMQ\d+[\s\S]*> $")
    typist.types("ALTER QMGR +\n")
    typist.until(CONTINUED)
    typist.types("KEYRPWD('hunter2') +\n")
    typist.until(CONTINUED)
    typist.interrupts()
    typist.until(r"Dropped[\s\S]*> $")
    typist.types("end\n")
    typist.until("MQSC commands? read|commands read")
    typist.process.wait()
    history = (tmp_path / "ternmq" / "runmqsc_history").read_text(encoding="utf-8")
    assert "hunter2" not in history
    assert history.splitlines()[-1] == "end"


@pytest.mark.parametrize("is_folder", [False, True])
def test_history_when_it_cannot_be_kept_then_commands_run_all_the_same(
    tmp_path: Path, is_folder: bool
) -> None:
    if is_folder:
        (tmp_path / "ternmq" / "runmqsc_history").mkdir(parents=True)
    else:
        (tmp_path / "ternmq").write_text("a file in the way", encoding="utf-8")
    typist = Typist(tmp_path)
    typist.until(r"\n> $")
    typist.types("PING QMGR\n")
    typist.until(r"AMQ8415I[\s\S]*> $")
    typist.types("end\n")
    shown = typist.until("commands? read[\\s\\S]*cannot be kept")
    assert "Traceback" not in shown
    assert typist.process.wait() == 0
    typist.close()


def test_history_when_nobody_knows_the_home_then_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    assert history_path() is None
