"""Goal: `ternmq smf` shows what records say, in each form, and tells what it could not read.

Method: records of ours in files, the command run on them as people run it.
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from ternmq.cli.__main__ import main
from ternmq.cli.output import Progress
from ternmq.codec.smf.csv_lines import Lines
from ternmq.codec.smf.record import KINDS, Stamp, assemble, build, header_values
from ternmq.codec.smf.section_layout import Values
from ternmq.outlets.smf_log_streams import LogStream
from tests.unit.codec.smf_samples import sample_records

STAMP: Final = Stamp("SYS1", "QM1", 1_700_000_000_000_000_000, duration_us=60_000_000)


@pytest.fixture
def queues(tmp_path: Path) -> Path:
    """A record of two queues and one of a buffer pool."""
    rows: list[Values] = [
        {"qqstqnam": "ORDERS", "qqstdpth": 12, "qqstputs": 4000},
        {"qqstqnam": "REPLIES", "qqstputs": 3990},
    ]
    path = tmp_path / "queues.smf"
    path.write_bytes(
        build(115, 216, header_values(115, 216, STAMP), {"QQST": rows})
        + build(115, 215, header_values(115, 215, STAMP), {"QPST": [{"qpstpool": 3}]}, level=80000)
    )
    return path


def test_dump_is_a_table(queues: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["smf", "dump", "--width", "90", "--type", "115-216", str(queues)]) == 0
    output = capsys.readouterr()
    assert output.out.splitlines() == [
        "115-216 queues | written 2023-11-14 22:13:20.00 | SYS1 QM1 | level 9.4.5"
        " | interval 1970-01-01 00:00:00, 60 s",
        "  QQST: queue, 2 of them",
        "                                                           [0]                [1]",
        "    Queue                          qqstqnam             ORDERS            REPLIES",
        "    Queue_Disp/Record/Uncommitted  qqstflag  PRIVATE, FULL, NO  PRIVATE, FULL, NO",
        "    Current_Depth                  qqstdpth                 12                  0",
        "    Put                            qqstputs               4000               3990",
        "",
    ]
    assert output.err == "2 records; read: 115-216 1\n"


def test_dump_with_all_shows_zeros_and_eye_catchers(
    queues: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["smf", "dump", "--all", "--section", "qpst", str(queues)]) == 0
    output = capsys.readouterr().out
    assert "qpsteyec" in output
    assert "Buffer_Steals" in output


def test_dump_shows_as_many_copies_beside_each_other_as_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pools.smf"
    pools: list[Values] = [{"qpstpool": number, "qpstnbuf": 1000} for number in range(9)]
    path.write_bytes(build(115, 215, header_values(115, 215, STAMP), {"QPST": pools}))
    assert main(["smf", "dump", "--width", "70", "--quiet", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines[1:]) <= 70
    assert [line.split() for line in lines if "[" in line] == [
        ["[0]", "[1]"],
        ["[2]", "[3]"],
        ["[4]", "[5]"],
        ["[6]", "[7]"],
        ["[8]"],
    ]


def test_every_section_can_be_dumped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "all.smf"
    path.write_bytes(b"".join(sample_records(100000)))
    assert main(["smf", "dump", "--all", str(path)]) == 0
    output = capsys.readouterr()
    for word in ("WTID", "wtidcori", "qeststr", "CF Put", "IO_Max_Time [2.2]", "QWHC"):
        assert word in output.out
    assert "116-10 2" in output.err


def test_csv_to_standard_output(queues: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["smf", "csv", "--section", "QQST", "--quiet", str(queues)]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["Queue"], row["Current_Depth"], row["Put"]) for row in rows] == [
        ("ORDERS", "12", "4000"),
        ("REPLIES", "0", "3990"),
    ]


def test_csv_into_a_folder(queues: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out" / "csv"
    assert main(["smf", "csv", "-o", str(folder), str(queues), str(queues)]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["SMF-QPST.csv", "SMF-QQST.csv"]
    lines = (folder / "SMF-QQST.csv").read_text("utf-8").splitlines()
    assert lines[0] == ",".join(Lines("QQST").headings)
    assert len(lines) == 5


def test_csv_when_it_does_not_know_where_to(
    queues: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["smf", "csv", str(queues)])
    assert end.value.code == 36
    assert "--output" in capsys.readouterr().err


def test_json_is_an_object_on_a_line(queues: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["smf", "json", "--quiet", str(queues)]) == 0
    values = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["record"], one["section"], one["index"]) for one in values] == [
        ("115-216", "QQST", 0),
        ("115-216", "QQST", 1),
        ("115-215", "QPST", 0),
    ]
    assert values[0]["values"]["qqstqnam"] == "ORDERS"
    assert values[0]["values"]["qqstlput"] is None
    assert values[0]["interval_us"] == 60_000_000
    assert values[2]["release"] == "800"


def test_level_chooses_records(queues: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for asked, sections in (
        ("9.4.5", {"QQST"}),
        ("800", {"QPST"}),
        ("8.0-10.0", {"QPST", "QQST"}),
        ("9.0-9.3", set()),
    ):
        assert main(["smf", "json", "--quiet", "--level", asked, str(queues)]) == 0
        values = [json.loads(line)["section"] for line in capsys.readouterr().out.splitlines()]
        assert set(values) == sections


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--section", "QXYZ", "QXYZ is not a section"),
        ("--type", "117", "117 is not a known type of record"),
        ("--type", "115-99", "115-99 is not a known type of record"),
        ("--level", "nine", "nine is not a level"),
        ("--level", "9.4.5.1", "9.4.5.1 is not a level"),
    ],
)
def test_option_that_cannot_be_is_refused(
    option: str, value: str, said: str, queues: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["smf", "json", option, value, str(queues)])
    assert end.value.code == 36
    assert said in capsys.readouterr().err


def test_file_that_is_cut_is_read_as_far_as_it_goes(
    queues: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.smf"
    cut.write_bytes(queues.read_bytes()[:-1])
    assert main(["smf", "json", str(cut)]) == 10
    output = capsys.readouterr()
    assert len(output.out.splitlines()) == 2
    assert "cut short: 1" in output.err


def test_record_that_is_damaged_is_reported(
    queues: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = bytearray(queues.read_bytes())
    data[48:52] = "OOPS".encode("cp037")
    path = tmp_path / "damaged.smf"
    path.write_bytes(data)
    assert main(["smf", "json", str(path)]) == 10
    output = capsys.readouterr()
    assert "QPST" in output.out
    assert "not valid: 1" in output.err
    assert "record at byte 0: SMF: QQST: the eye-catcher is 'OOPS'" in output.err


def test_file_that_is_none_ends_with_its_status(
    queues: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("this is no dump at all")
    assert main(["smf", "json", str(text), str(tmp_path / "missing"), str(queues)]) == 71
    output = capsys.readouterr()
    assert f"{text}: SMF: the file begins with 74686973" in output.err
    assert "missing" in output.err
    assert len(output.out.splitlines()) == 3


def test_what_is_passed_over_is_counted(
    queues: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = queues.read_bytes()
    record = record[: int.from_bytes(record[:2], "big")]
    other = record[:5] + b"\x1e" + record[6:]
    subtype = record[:22] + b"\x00\x63" + record[24:]
    level = record[:24] + "701".encode("cp037") + record[27:]
    path = tmp_path / "mixed.smf"
    path.write_bytes(other + subtype + level + record)
    assert main(["smf", "json", str(path)]) == 10
    assert capsys.readouterr().err.splitlines() == [
        "4 records; read: 115-216 1",
        "other types, passed over: 30 1",
        "unknown subtypes, passed over: 115-99 1",
        "unknown levels, passed over (--newer reads those after the last): '701' 1",
    ]


def test_sections_that_nobody_knows_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header = header_values(115, 240, STAMP)
    data = assemble(KINDS[115, 240], 4, header, [(4, [b"abcd"]), (0, []), (0, [])], 90405)
    zeros = build(115, 1, header_values(115, 1, STAMP), {"QSST": [{}]})
    totals = build(116, 0, {**header_values(116, 0, STAMP), "qwhcaid": "ME"}, {"QMAC": [{}]})
    path = tmp_path / "internal.smf"
    path.write_bytes(data + zeros + totals)
    assert main(["smf", "dump", "--quiet", str(path)]) == 0
    output = capsys.readouterr().out
    assert "  section 1: 1 of 4 bytes, unknown" in output
    assert "    nothing but zeros" in output
    assert main(["smf", "json", "--quiet", str(path)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (lines[0]["section"], lines[0]["triplet"], lines[0]["bytes"]) == ("", 1, "61626364")
    assert lines[2]["task"]["qwhcaid"] == "ME"
    folder = tmp_path / "csv"
    assert main(["smf", "csv", "--quiet", "-o", str(folder), str(path)]) == 0
    assert sorted(p.name for p in folder.iterdir()) == ["SMF-QMAC.csv", "SMF-QSST.csv"]


def test_form_can_be_given(queues: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["smf", "json", "--form", "bdw", str(queues)]) == 71
    assert "at byte" in capsys.readouterr().err


def test_standard_input_and_a_reader_that_has_seen_enough(queues: Path) -> None:
    program = [sys.executable, "-m", "ternmq", "smf", "json", "-"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        out, _ = child.communicate(queues.read_bytes(), timeout=20)
    assert child.returncode == 0
    assert len(out.splitlines()) == 3


@pytest.mark.parametrize("compressed", [False, True])
def test_log_stream_is_read_as_a_folder_and_by_segment(
    compressed: bool, queues: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "stream"
    data = queues.read_bytes()
    first = int.from_bytes(data[:2], "big")
    for _ in range(2):  # each start of a queue manager begins a segment
        stream = LogStream(str(folder), compressed=compressed)
        stream.write([data[:first], data[first:]])
        stream.close()
    (folder / f"{99:020d}.smfs").write_bytes(b"TMQ")
    assert main(["smf", "json", "--quiet", str(folder)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 6
    segment = min(folder.iterdir())
    assert main(["smf", "json", "--quiet", str(segment)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    empty = tmp_path / "empty"
    empty.mkdir()
    assert main(["smf", "json", "--quiet", str(empty)]) == 71
    assert "no segment of a log stream" in capsys.readouterr().err


def test_log_stream_when_a_block_is_damaged_then_that_is_counted(
    queues: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = queues.read_bytes()
    first = int.from_bytes(data[:2], "big")
    stream = LogStream(str(tmp_path / "stream"), compressed=False)
    stream.write([data[:first]])
    stream.write([data[first:]])
    stream.close()
    (segment,) = (tmp_path / "stream").iterdir()
    written = segment.read_bytes()
    segment.write_bytes(written[:-20] + b"\xff" + written[-19:])
    for path in (segment, segment.parent):
        assert main(["smf", "json", str(path)]) == 10
        output = capsys.readouterr()
        assert 0 < len(output.out.splitlines()) < 3
        assert "cut short: 1" in output.err


def test_progress_is_for_terminals(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Progress("dump", 100) as progress:
        progress.at(50)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(Progress, "STEP_S", 0.0)
    with Progress("dump", 100_000_000) as progress:
        progress.at(50_000_000)
    output = capsys.readouterr().err
    assert output.startswith("\rdump:  50% 50 MB, ")
    assert output.endswith("\r")
