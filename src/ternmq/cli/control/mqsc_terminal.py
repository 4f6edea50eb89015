"""The terminal of runmqsc: a prompt, lines that can be edited, history, completion by TAB, help.

A command is handed on when all of its lines are there, so that Ctrl-C drops what was typed of one
and the session goes on. History has each command once, in one line.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Final, final

from ternmq.admin.mqsc.lexer import CommandReader
from ternmq.base.message_table import message_line
from ternmq.cli.control.mqsc_completion import Asked, completions, no_answers
from ternmq.cli.control.mqsc_help import asked_about, help_lines
from ternmq.cli.control.mqsc_history import History
from ternmq.cli.output import write, write_error, write_lines

STILL_RUNS: Final = "The command still runs; Ctrl-C again ends runmqsc."
WELCOME: Final = "help or ? shows how commands are written; TAB completes; end ends."
DROPPED: Final = "Dropped what was typed; end, exit or quit ends runmqsc."
_PROMPT: Final = "MQPROMPT"


def prompt_text(qmgr_name: str) -> str:
    """MQPROMPT, with what stands between + signs filled in: +QMNAME+, +USER+."""
    text = os.environ.get(_PROMPT, "")
    return text.replace("+QMNAME+", qmgr_name).replace("+USER+", os.environ.get("USER", ""))


def typed_lines(qmgr_name: str, ask: Asked = no_answers) -> Iterator[str]:
    """The lines of whole commands from the terminal, until its end; questions are answered here."""
    write(WELCOME)
    terminal = _Terminal(ask)
    prompt = prompt_text(qmgr_name)
    try:
        while True:
            try:
                lines = terminal.command(prompt)
            except EOFError:
                write()
                return
            except KeyboardInterrupt:
                write()
                write(DROPPED)
                continue
            with _OneInterrupt():
                yield from lines
    finally:
        terminal.keep_history()


@final
class _Terminal:
    """Lines that are typed, by readline where Python has it."""

    def __init__(self, ask: Asked) -> None:
        self._ask = ask
        self._before = ""  # of the command, above the line that is being typed
        self._found: list[str] = []
        self._history: History | None = None
        try:
            import readline
        except ImportError:  # a Python without it
            write(message_line("AMQ8521I"))
            return
        self._history = History()
        readline.set_completer_delims(" (),")
        readline.set_completer(self._completion)
        readline.parse_and_bind("tab: complete")

    def command(self, prompt: str) -> list[str]:
        """The lines of the next command, comment or blank line."""
        self._before = ""
        first_entry = self._history_length()
        text = ""
        try:
            while True:
                line = input(prompt)
                words = asked_about(line)
                if words is None:
                    break
                write_lines(help_lines(words))
                first_entry = self._history_length()
            lines, text = self._rest(prompt, line)
        finally:
            if self._history is not None:
                self._history.command_ended(first_entry, text)
        return lines

    def _rest(self, prompt: str, line: str) -> tuple[list[str], str]:
        """All lines of the command that begins so, and its text in one line."""
        reader = CommandReader()
        lines = [line]
        sources = reader.feed(line)
        while reader.continues:
            self._before += line.rstrip().rstrip("+-") + " "
            line = input(prompt)
            lines.append(line)
            sources = reader.feed(line)
        return lines, "; ".join(one.text.strip() for one in sources)

    def _completion(self, word: str, state: int) -> str | None:
        import readline

        if state == 0:
            line = readline.get_line_buffer()[: readline.get_begidx()]
            self._found = completions(self._before + line, word, self._ask)
        return self._found[state] if state < len(self._found) else None

    def _history_length(self) -> int:
        return 0 if self._history is None else self._history.length

    def keep_history(self) -> None:
        """For the next run."""
        if self._history is not None:
            self._history.keep()


@final
class _OneInterrupt:
    """While a command runs, the first Ctrl-C says so; the second one interrupts."""

    def __init__(self) -> None:
        self._before: object = None

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGINT, self._first)

    def __exit__(self, *raised: object) -> None:
        signal.signal(signal.SIGINT, self._before)  # type: ignore[arg-type]

    def _first(self, number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        write_error(STILL_RUNS)
