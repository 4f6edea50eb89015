"""Goal: every command is where people look for it.

Method: compare the table of commands with pyproject.toml, with the modules and with docs.
"""

import re
import tomllib

import pytest

from ternmq.cli.__main__ import EXIT_USAGE, main
from ternmq.cli.commands import BY_NAME, COMMANDS, command
from tools.layers import ROOT


def test_every_row_is_a_program_of_its_own() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    expected = {row.name: "ternmq.cli.__main__:by_name" for row in COMMANDS if row.own_name}
    assert project["scripts"] == {"ternmq": "ternmq.cli.__main__:entry", **expected}


def test_names_are_unique() -> None:
    assert len(BY_NAME) == len(COMMANDS)


def test_every_command_has_its_function() -> None:
    assert [row.name for row in COMMANDS if not callable(command(row))] == []


def test_help_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0
    told = capsys.readouterr().out
    assert [row.name for row in COMMANDS if f"  {row.name} " not in told] == []


def test_unknown_command_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mkqmgr"]) == EXIT_USAGE
    assert "mkqmgr" in capsys.readouterr().err


def test_every_command_has_its_page() -> None:
    pages = [
        "control-commands", "error-logs", "mqsc", "pcf", "samples", "security", "tools",
        "media-recovery", "triggers",
    ]  # fmt: skip
    text = "\n".join((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8") for page in pages)
    words = set(re.findall(r"[a-z0-9]+", text))
    assert [row.name for row in COMMANDS if row.name not in words] == []
