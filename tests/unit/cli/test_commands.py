"""Goal: every command is where people look for it.

Method: compare the table of commands with pyproject.toml, with the modules and with docs.
"""

import io
import re
import sys
import tomllib
from pathlib import Path

import pytest

import ternmq
from ternmq.cli.__main__ import EXIT_UNEXPECTED, EXIT_USAGE, main, run
from ternmq.cli.commands import BY_NAME, COMMANDS, Row, command
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
    output = capsys.readouterr().out
    assert [row.name for row in COMMANDS if f"  {row.name} " not in output] == []


def test_unknown_command_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mkqmgr"]) == EXIT_USAGE
    assert "mkqmgr" in capsys.readouterr().err


def test_every_command_has_its_page() -> None:
    pages = [
        "control-commands", "error-logs", "mqsc", "pcf", "samples", "security", "tools", "lake",
        "media-recovery", "network", "perf", "pipeline", "reports", "smf-reader", "triggers",
    ]  # fmt: skip
    paths = {path.stem: path for path in (ROOT / "docs").rglob("*.md")}
    text = "\n".join(paths[page].read_text(encoding="utf-8") for page in pages)
    words = set(re.findall(r"[a-z0-9]+", text))
    assert [row.name for row in COMMANDS if row.name not in words] == []


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: str(row.name))
def test_every_command_has_help(row: Row, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = run(row, ["--help"])
    except SystemExit as end:  # how the parser of options ends
        status = int(end.code or 0)
    assert status == 0
    assert row.name in capsys.readouterr().out


def test_fault_ends_with_report_and_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(argv: list[str]) -> int:
        raise KeyError("nobody foresaw this")

    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    monkeypatch.setattr("ternmq.cli.control.dspmq.main", broken)
    assert run(BY_NAME["dspmq"], []) == EXIT_UNEXPECTED
    reports = list((tmp_path / "errors").glob("AMQ*.FDC"))
    assert len(reports) == 1
    assert "nobody foresaw this" in reports[0].read_text(encoding="utf-8")
    output = capsys.readouterr().err
    assert output.startswith("AMQ6125E: ")
    assert str(reports[0]) in output
    assert "Traceback" not in output


def test_fault_is_reported_where_no_report_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()

    def broken(argv: list[str]) -> int:
        raise ValueError("again")

    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path / "file"))
    monkeypatch.setattr("ternmq.cli.control.dspmq.main", broken)
    assert run(BY_NAME["dspmq"], []) == EXIT_UNEXPECTED
    assert "could not be written" in capsys.readouterr().err


def test_wrong_configuration_file_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mqs.ini").write_text("AllQueueManagers:\nwhat is this\n", encoding="utf-8")
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    assert run(BY_NAME["dspmq"], []) == EXIT_UNEXPECTED
    output = capsys.readouterr().err
    assert output.startswith(
        f"AMQ6162E: An error has occurred reading the ini file {tmp_path}/mqs.ini"
    )
    assert "line 2" in output
    assert not (tmp_path / "errors").exists()


def test_version_reports_the_level_that_queue_managers_have(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(BY_NAME["dspmqver"], ["-b", "-f", "4096"]) == 0
    level = attached.mqsc("DISPLAY QMGR CMDLEVEL")[0]["CMDLEVEL"]
    assert capsys.readouterr().out == f"{level}\n"
    assert run(BY_NAME["dspmqver"], ["-b", "-f", "2"]) == 0
    reported = attached.mqsc("DISPLAY QMGR VERSION")[0]["VERSION"]
    numbers = [str(int(str(reported)[at : at + 2])) for at in (0, 2, 4, 6)]
    assert capsys.readouterr().out == ".".join(numbers) + "\n"


def test_message_identifiers_without_letter_for_old_scripts(
    attached: ternmq.QueueManager,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("PING QMGR\n"))
    monkeypatch.setenv("AMQ_DIAGNOSTIC_MSG_SEVERITY", "0")
    assert run(BY_NAME["runmqsc"], ["QM1"]) == 0
    assert "\nAMQ8415: Ping TernMQ Queue Manager command complete.\n" in capsys.readouterr().out
    assert run(BY_NAME["runmqsc"], ["QM2"]) == 20
    assert capsys.readouterr().err.startswith("AMQ8118: ")
    monkeypatch.setenv("AMQ_DIAGNOSTIC_MSG_SEVERITY", "1")
    assert run(BY_NAME["runmqsc"], ["QM2"]) == 20
    assert capsys.readouterr().err.startswith("AMQ8118E: ")
