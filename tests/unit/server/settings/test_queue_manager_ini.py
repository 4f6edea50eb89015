"""Goal: qm.ini is believed only where it can be, and a fault names file, line and reason.

Method: every row of the table with a value that fits and one that does not; files of IniConfig.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ternmq.base.ini import IniError, IniFile
from ternmq.server.settings.queue_manager_ini import FREE, ROWS, Row, check, read_queue_manager_ini
from tools.layers import ROOT


def text_of(row: Row, value: object) -> str:
    return f"# first\n{row.stanza}:\n   {row.name}={value}\n"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.stanza}.{row.name}")
def test_value_when_it_fits_or_not_then_taken_or_refused(row: Row) -> None:
    good = row.words[0].lower() if row.words else str(row.highest if row.highest > 0 else "text")
    reported = [one.why for one in check(IniFile(text_of(row, good), "qm.ini"))]
    idle = f"attribute {row.name} of stanza {row.stanza} has no effect here"
    assert reported == ([] if row.works else [idle])
    wrong = ["nonsense"] if row.words or row.highest >= row.lowest else []
    if row.highest >= row.lowest:
        wrong += [str(row.lowest - 1), str(row.highest + 1), ""]
    for value in wrong:
        with pytest.raises(IniError) as fault:
            check(IniFile(text_of(row, value), "qm.ini"))
        assert (fault.value.file, fault.value.line) == ("qm.ini", 3)
        assert row.name in fault.value.why


def test_unknown_when_there_then_reported_and_kept() -> None:
    text = "Colours:\n   Sky=blue\nLog:\n   LogColour=red\n"
    reported = [(one.line, one.why) for one in check(IniFile(text))]
    assert reported == [
        (1, "unknown stanza Colours"),
        (4, "unknown attribute LogColour of stanza Log"),
    ]


@pytest.mark.parametrize("stanza", FREE)
def test_free_stanza_when_anything_is_in_it_then_it_is_reported_without_effect(stanza: str) -> None:
    (reported,) = check(IniFile(f"{stanza}:\n   Anything=at all\n   More=of it\n"))
    assert (reported.line, reported.why) == (1, f"stanza {stanza} has no effect here")


@pytest.mark.parametrize("stanza", ["ApiExitLocal", "ApiExitCommon", "ApiExitTemplate"])
def test_exits_of_the_api_when_there_are_some_then_they_are_refused(stanza: str) -> None:
    text = f"{stanza}:\n   Name=audit\n   Module=/opt/audit\n"
    with pytest.raises(IniError, match="no call would reach this one"):
        check(IniFile(text))


def test_more_files_when_given_then_they_count_more(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.mkdir()
    (config / "a.ini").write_text("QMErrorLog:\n   ErrorLogSize=65536\n")
    (config / "b.ini").write_text("QMErrorLog:\n   ErrorLogSize=99999\nTCP:\n   Port=1515\n")
    (config / "note.txt").write_text("not read")
    (tmp_path / "qm.ini").write_text(f"AutoConfig:\n   IniConfig={config}\n")
    ini = read_queue_manager_ini(str(tmp_path))
    log, tcp = ini.first("QMErrorLog"), ini.first("TCP")
    assert log is not None
    assert tcp is not None
    assert (log.get("ErrorLogSize"), tcp.get("Port")) == ("99999", "1515")
    (config / "c.ini").write_text("TCP:\n   Port=none\n")
    with pytest.raises(IniError) as fault:
        read_queue_manager_ini(str(tmp_path))
    assert fault.value.file == str(config / "c.ini")


def test_page_when_read_then_it_reports_what_has_an_effect() -> None:
    page = (ROOT / "docs" / "operations" / "running.md").read_text(encoding="utf-8")
    missing = [f"{row.stanza}.{row.name}" for row in ROWS if f"`{row.name}`" not in page]
    assert missing == []
