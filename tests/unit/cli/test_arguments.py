"""Goal: no command accepts an option and ignores it; -z suppresses error messages.
Method: for every command with a parser, each option's value is read somewhere in the command's own
modules; and commands that fail with -z write nothing.
"""

from __future__ import annotations

import argparse
import importlib
import re
from contextlib import suppress
from pathlib import Path

import pytest

from ternmq.cli.__main__ import main
from ternmq.cli.arguments import CommandLine
from ternmq.cli.commands import COMMANDS

CLI = Path(importlib.import_module("ternmq.cli").__path__[0])
IMPORTED = re.compile(r"from ternmq\.cli\.([\w.]+) import")
# By command: -lc is the default and excludes -ll; the parser lets -t be nothing but tcp.
IGNORED: dict[str, set[str]] = {"crtmqm": {"lc"}, "runmqlsr": {"t"}}


def text_of(module: str) -> str:
    path = CLI / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file.read_text(encoding="utf-8")


def source_of(module: str) -> str:
    """The module and the modules of the package that it imports, without the declarations."""
    own = text_of(module)
    texts = [
        own,
        *(text_of(name) for name in IMPORTED.findall(own)),
    ]
    lines = "\n".join(texts).splitlines()
    return "\n".join(line for line in lines if "add_argument" not in line)


def parsers() -> list[tuple[str, str, argparse.ArgumentParser]]:
    found = []
    for row in COMMANDS:
        module = importlib.import_module(f"ternmq.cli.{row.module}")
        if hasattr(module, "command_line"):
            found.append((row.name, source_of(row.module), module.command_line()))
    return found


def is_read(destination: str, source: str) -> bool:
    return re.search(rf"""\.{destination}\b|["']{destination}["']""", source) is not None


def test_commands_when_they_have_an_option_then_something_reads_it() -> None:
    ignored = [
        f"{name} {action.option_strings or action.dest}"
        for name, source, parser in parsers()
        for action in parser._actions
        if action.nargs != 0 or action.const is not None
        if action.dest not in IGNORED.get(name, set()) and not is_read(action.dest, source)
    ]
    assert ignored == []


@pytest.mark.parametrize("command", ["crtmqm", "dltmqm", "endmqm", "strmqm"])
def test_command_when_it_fails_with_z_then_it_writes_no_error(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    name = "NOT A NAME" if command == "crtmqm" else "NOWHERE"
    assert main([command, name]) != 0
    assert "AMQ" in capsys.readouterr().err
    assert main([command, "-z", name]) != 0
    assert capsys.readouterr().err == ""
    assert main([command, name]) != 0  # the next command writes again
    assert "AMQ" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["strmqn"], "ternmq: there is no command 'strmqn'. Did you mean strmqm?"),
        (["fly"], "ternmq: there is no command 'fly'. `ternmq help` lists all."),
        (
            ["top", "--intervall", "1"],
            "ternmq top: unrecognized arguments: --intervall. Did you mean --interval?",
        ),
        (["dspmq", "--jsn"], "dspmq: unrecognized arguments: --jsn. Did you mean --json?"),
        (["dspmq", "--colour"], "dspmq: unrecognized arguments: --colour"),
        (["dspmq", "--c\x1b[2J"], r"dspmq: unrecognized arguments: --c\x1b[2J"),
    ],
)
def test_word_when_mistyped_then_the_one_that_is_meant(
    words: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with suppress(SystemExit):  # how the parser of options ends
        main(words)
    assert capsys.readouterr().err.splitlines()[0] == text


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["crtmqm", "-lp", "many", "Q"], "argument -lp: 'many' is not a whole number"),
        (["dmpmqmsg", "-w", "long"], "argument -w: 'long' is not a number"),
        (["dmpmqlog", "-s", "x:y", "Q"], "argument -s: 'x:y' is not valid"),
    ],
)
def test_argument_when_its_value_cannot_be_then_no_name_of_python_is_shown(
    capsys: pytest.CaptureFixture[str], words: list[str], expected: str
) -> None:
    with pytest.raises(SystemExit):
        main(words)
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    "about", ["what it does", "What it does.", "What it does.\n\n  a   list\n"]
)
def test_help_when_a_list_follows_the_sentence_then_no_stop_stands_alone(about: str) -> None:
    text = CommandLine("ternmq sample", about).format_help()
    assert "What it does." in text
    assert "\n." not in text
