"""Goal: every command explains itself by -h and --help, with examples that work.

Method: a walk over the table of commands. Each example is parsed by its command's own options,
which end before anything is done.
"""

from __future__ import annotations

import argparse
import shlex

import pytest

from ternmq.cli.__main__ import run
from ternmq.cli.arguments import CommandLine
from ternmq.cli.commands import BY_NAME, COMMANDS, Row
from ternmq.cli.examples import EXAMPLES, command_of, examples_text

# -h alone is a whole command line of IBM MQ's.
OWN_H = {"dspmqtrn"}
LINES = [(name, line) for name, rows in EXAMPLES.items() for line, _ in rows]


def helped(row: Row, word: str, capsys: pytest.CaptureFixture[str]) -> str:
    try:
        status = run(row, [word])
    except SystemExit as end:  # how the parser of options ends
        status = int(end.code or 0)
    assert status == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: str(row.name))
def test_help_of_every_command_then_its_examples(
    row: Row, capsys: pytest.CaptureFixture[str]
) -> None:
    text = helped(row, "--help", capsys)
    assert text.rstrip().endswith(examples_text(row.name))
    assert all(about for _, about in EXAMPLES[row.name])
    words = ("-?",) if row.name in OWN_H else ("-?", "-h")
    assert {helped(row, word, capsys) for word in words} == {text}


@pytest.mark.parametrize(
    "row", [row for row in COMMANDS if not row.bare], ids=lambda row: str(row.name)
)
def test_help_of_every_command_then_each_option_and_the_command_are_explained(
    row: Row, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[CommandLine] = []
    monkeypatch.setattr(CommandLine, "print_help", lambda line, file=None: lines.append(line))
    helped(row, "--help", capsys)
    (line,) = lines
    assert line.prog == (row.name if row.own_name else f"ternmq {row.name}")
    about = str(line.description)
    assert about[0].isupper()
    assert about.partition("\n\n")[0].endswith(".")
    assert not about.endswith("\n.")
    assert [action.dest for action in line._actions if not action.help] == []


def test_examples_when_walked_then_each_is_of_a_command() -> None:
    assert sorted(EXAMPLES) == sorted(BY_NAME)


class ParsedError(Exception):
    """The options were understood."""


@pytest.mark.parametrize(
    ("name", "line"), [(name, line) for name, line in LINES if not BY_NAME[name].bare]
)
def test_example_when_parsed_then_its_options_are_those_of_the_command(
    name: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = argparse.ArgumentParser.parse_args

    def parse(parser: CommandLine, words: list[str]) -> None:
        whole(parser, words)
        raise ParsedError

    monkeypatch.setattr(CommandLine, "parse_args", parse)
    assert BY_NAME[name].own_name is not line.rpartition("| ")[2].startswith("ternmq ")
    with pytest.raises(ParsedError):
        __import__(f"ternmq.cli.{BY_NAME[name].module}", fromlist=["main"]).main(
            shlex.split(command_of(line)[1])
        )
