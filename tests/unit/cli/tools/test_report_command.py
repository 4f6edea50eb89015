"""Goal: `ternmq report` and `ternmq smf report` refuse what makes no sense before Spark starts.

Method: the commands with wrong words; what they make is seen in tests/unit/spark/test_reports.py.
"""

from pathlib import Path

import pytest

from ternmq.cli.__main__ import main
from ternmq.cli.tools.progress_steps import Steps
from ternmq.cli.tools.smf_report import NAMES


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["report", "pdf", "x"], "pdf"),
        (["report", "html", "nowhere.smf"], "nowhere.smf: there is no such file or folder"),
        (["report", "html", ".", "--since", "noon"], "noon is not a time"),
        (["smf", "report", "QALL", "x"], "QALL"),
        (["report", "html", ".", "-o", "no/page.html"], "that is not a file in an existing folder"),
        (["report", "html", ".", "-o", "."], "that is not a file in an existing folder"),
        (["smf", "report", "ALL", "x"], "--output"),
        (["smf", "report", "LOG", "x.smf"], "x.smf: there is no such file or folder"),
    ],
)
def test_words_when_wrong_then_refused(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 36
    assert said in capsys.readouterr().err


def test_names_when_listed_then_those_that_can_be_made() -> None:
    pytest.importorskip("pyspark")
    from ternmq.spark.report.mqsmf_text import REPORTS

    assert list(REPORTS) == list(NAMES)


def test_steps_when_no_terminal_then_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with Steps("report", 2) as steps:
        steps.next("this")
        steps.next("that")
    assert capsys.readouterr().err == "report: this (1 of 2)\nreport: that (2 of 2)\n"
    with Steps("report", 2, quiet=True) as steps:
        steps.next("this")
    assert capsys.readouterr().err == ""
