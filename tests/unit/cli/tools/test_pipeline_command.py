"""Goal: `ternmq pipeline` takes settings by both their names and refuses others; lines that go to a
file are whole.

Method: the commands in this process, without Spark.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ternmq.cli.tools import lake_command as lake
from ternmq.cli.tools import pipeline_command as pipeline
from ternmq.spark.errors import SparkError
from ternmq.spark.pipeline.settings import Settings
from ternmq.spark.pipeline_rejects import sentences
from ternmq.spark.smf.not_read import FILES_SHOWN, Rejected


def settings_of(capsys: pytest.CaptureFixture[str], folder: Path, *output: str) -> dict[str, str]:
    arguments = ["init", str(folder), "--queue", "ORDERS", "--json"]
    for one in output:
        arguments += ["--set", one]
    assert pipeline.main(arguments) == 0
    found: dict[str, str] = json.loads(capsys.readouterr().out)["settings"]
    return found


def test_set_when_given_with_and_without_the_prefix_then_it_is_the_same_setting(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    short = settings_of(capsys, tmp_path / "a", "mq.connName=h(1)", "mq.channel=APP")
    long = settings_of(
        capsys, tmp_path / "b", "spark.ternmq.mq.connName=h(1)", "spark.ternmq.mq.channel=APP"
    )
    assert short == long == {"mq.queue": "ORDERS", "mq.connName": "h(1)", "mq.channel": "APP"}
    text = (tmp_path / "b" / "spark-pipeline.yml").read_text(encoding="utf-8")
    assert '  spark.ternmq.mq.channel: "APP"' in text
    assert "spark.ternmq.spark" not in text


@pytest.mark.parametrize(
    ("output", "hint"),
    [
        ("mq.channelx=APP", "is mq.channel meant?"),
        ("spark.ternmq.smf.section=WQ", "is smf.sections meant?"),
        ("exchange.within=1 day", "is exchanges.within meant?"),
        ("nonsense=1", "there is no such setting"),
    ],
)
def test_set_when_there_is_no_such_setting_then_it_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, output: str, hint: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        pipeline.main(["init", str(tmp_path / "p"), "--queue", "ORDERS", "--set", output])
    assert caught.value.code == pipeline.BAD_ARGUMENTS
    assert hint in capsys.readouterr().err
    assert not (tmp_path / "p").exists()


def test_settings_when_a_spec_has_one_that_is_none_then_the_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SparkError, match=r"spark\.ternmq\.mq\.quueue: .* is mq\.queue meant\?"):
        Settings({"spark.ternmq.mq.quueue": "ORDERS", "spark.sql.x": "1"}, tmp_path)


def test_lines_when_they_go_to_a_file_then_they_are_not_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lake._write_lines([{"queue": "ORDERS", "text": "x" * 300}])
    assert capsys.readouterr().out == f"ORDERS  {'x' * 300}\n"


def test_rejects_when_many_files_have_them_then_some_are_named_and_the_rest_counted() -> None:
    cut = [Rejected(f"dump{at:02}", "truncated", 1, 9, "cut") for at in range(FILES_SHOWN + 2)]
    found = [cut[0], Rejected("dump00", "damaged", 2, 70, "why"), *cut[1:]]
    lines = sentences(found)
    assert lines[0] == (
        "dump00: not all could be read: truncated: 1 record, 9 bytes (cut);"
        " damaged: 2 records, 70 bytes (first: why); table smf_rejects has the rest"
    )
    assert lines[-1] == "not all could be read of 2 more files; table smf_rejects has the rest"
    assert len(lines) == FILES_SHOWN + 1
