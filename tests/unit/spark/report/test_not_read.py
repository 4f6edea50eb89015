"""Goal: a report of dumps that are cut, damaged or packed says what of which file was not read and
why, the same on Spark and without, and nothing if everything was read.

Method: the commands over a sample with a damaged record and an end that is missing, and others.
"""

import gzip
import json
from html import escape
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

from ternmq.cli.__main__ import main
from ternmq.spark.frames.functions import in_process
from ternmq.spark.pipeline.interval_tables import calls
from ternmq.spark.report import small_tables
from ternmq.spark.smf.not_read import FILES_SHOWN, Rejected, sentences
from ternmq.spark.smf.section_columns import REJECTS
from tests.unit.spark.sample_dump import sample, statistics, task

TASK = task()
OTHERS = statistics("QM1", 1)
LOST_AT = b"\xff\xff\xff\xff no record"


def damaged() -> bytes:
    """A record whose product section is behind its end."""
    return TASK[:28] + b"\x7f\xff" + TASK[30:]


DETAIL = "SMF: 116-1: product section of 128 bytes at 2147423524, the record has 5540"
CUT = TASK[:100]
WORDS = (
    f"damaged: 2 records, {2 * len(TASK)} bytes (first: {DETAIL});"
    " truncated: 1 record, 100 bytes (the file ends within a record)"
)


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "dump.smf"
    path.write_bytes(sample() + damaged() * 2 + CUT)
    return path


def told(dump: Path) -> list[dict[str, Any]]:
    """What programs are told about it."""
    rows = (
        Rejected(str(dump), "damaged", 2, 2 * len(TASK), DETAIL),
        Rejected(str(dump), "truncated", 1, 100, "the file ends within a record"),
    )
    return [row._asdict() for row in rows]


def check_both_commands(
    dump: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> tuple[str, str]:
    """The report and the page, which are made alike."""
    line = f"{dump}: not all could be read: {WORDS}\n"
    assert main(["smf", "report", "QSTAT", str(dump), "--quiet", *more]) == 0
    said = capsys.readouterr()
    assert said.err == f"ternmq smf report: {line}"
    folder = str(dump.parent / "made")
    asked = ["smf", "report", "TASK", str(dump), "--quiet", "--json", "-o", folder, *more]
    assert main(asked) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert one["rejected"] == told(dump)
    page = dump.parent / "page.html"
    asked = ["report", "html", str(dump), "-o", str(page), "--quiet", *more]
    assert main(asked) == 0
    assert capsys.readouterr().err == f"ternmq report: {line}"
    assert main([*asked, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["rejected"] == told(dump)
    assert answer["sections"][:2] == ["Not read", "Overview"]
    html = page.read_text(encoding="utf-8")
    assert f"<h3>{escape(str(dump))}</h3><p>{escape(WORDS)}</p>" in html
    return said.out, html


def test_commands_when_a_dump_is_cut_and_damaged_then_they_say_what_was_not_read(
    dump: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report, _ = check_both_commands(dump, capsys)
    dump.write_bytes(sample())
    assert main(["smf", "report", "QSTAT", str(dump), "--quiet"]) == 0
    assert capsys.readouterr().out == report


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_commands_when_on_spark_then_they_say_the_same(
    dump: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = check_both_commands(dump, capsys)
    assert check_both_commands(dump, capsys, "--master", "local[2]") == here


def test_commands_when_everything_was_read_then_they_say_nothing_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dump, page = tmp_path / "dump.smf", tmp_path / "page.html"
    dump.write_bytes(sample())
    assert main(["smf", "report", "QSTAT", str(dump), "--quiet"]) == 0
    assert main(["report", "html", str(dump), "-o", str(page), "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert "Not read" not in page.read_text(encoding="utf-8")
    assert main(["report", "html", str(dump), "-o", str(page), "--quiet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rejected"] == []


def test_record_of_no_documented_layout_when_in_a_dump_then_nothing_is_said_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pools = next(each for each in records_of(OTHERS) if each[22:24] == bytes((0, 215)))
    dump = tmp_path / "dump.smf"
    dump.write_bytes(OTHERS + pools[:22] + bytes((0, 240)) + pools[24:])
    assert main(["smf", "report", "QSTAT", str(dump), "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def records_of(data: bytes) -> list[bytes]:
    found = []
    while data:
        length = int.from_bytes(data[:2], "big")
        found.append(data[:length])
        data = data[length:]
    return found


def test_dump_when_nothing_makes_sense_from_somewhere_on_then_the_rest_is_counted_in_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dump = tmp_path / "dump.smf"
    dump.write_bytes(OTHERS + LOST_AT + OTHERS)
    assert main(["smf", "report", "QSTAT", str(dump), "--quiet"]) == 0
    assert capsys.readouterr().err == (
        f"ternmq smf report: {dump}: not all could be read: lost:"
        f" {len(LOST_AT + OTHERS)} bytes"
        f" (SMF: at byte {len(OTHERS)}: FFFFFFFF is not a record descriptor word)\n"
    )


@pytest.mark.parametrize("name", ["dump.smf.gz", "dump.smf"])
@pytest.mark.parametrize("asked", [["smf", "report", "QSTAT"], ["report", "html"]])
def test_dump_when_packed_by_gzip_then_it_says_to_unpack_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, asked: list[str]
) -> None:
    dump = tmp_path / name
    dump.write_bytes(gzip.compress(sample()))
    assert main([*asked, str(dump), "--quiet", "-o", str(tmp_path / "made")]) == 10
    said = capsys.readouterr().err
    assert f"{dump}: not all could be read: lost: {dump.stat().st_size} bytes (SMF: at" in said
    assert "; the file is packed by gzip: unpack it first (gunzip))\n" in said
    if asked[0] == "report":
        assert "packed by gzip: unpack it first (gunzip)" in (tmp_path / "made").read_text()


def test_page_when_many_files_are_cut_then_some_are_named_and_the_rest_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dumps = tmp_path / "dumps"
    dumps.mkdir()
    for n in range(FILES_SHOWN + 2):
        (dumps / f"dump{n:02}").write_bytes(OTHERS + CUT)
    page = tmp_path / "page.html"
    assert main(["report", "html", str(dumps), "-o", str(page), "--quiet"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == FILES_SHOWN + 1
    assert lines[-1] == "ternmq report: not all could be read of 2 more files"
    html = page.read_text(encoding="utf-8")
    assert html.count("truncated: 1 record, 100 bytes") == FILES_SHOWN
    assert "<h3>2 more files</h3>" in html


def warehouse(dump: Path) -> Path:
    """Tables as a pipeline leaves them, one served and the rejects."""
    pq = pytest.importorskip("pyarrow.parquet")
    folder = dump.parent / "warehouse"
    read = small_tables.sections_here([str(dump)], ["QMST", REJECTS])
    with in_process():
        tables: dict[str, Any] = {"calls": calls(read["QMST"]), "smf_rejects": read[REJECTS]}
    for name, table in tables.items():
        (folder / name).mkdir(parents=True)
        pq.write_table(table.arrow(), folder / name / "part.parquet")
    return folder


def check_page_of_warehouse(
    dump: Path, folder: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> str:
    page = folder.parent / "page.html"
    asked = ["report", "html", str(folder), "-o", str(page), "--quiet", "-m", "QM1", *more]
    assert main(asked) == 0
    line = f"ternmq report: {dump}: not all could be read: {WORDS}\n"
    assert capsys.readouterr().err == line
    assert main([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rejected"] == told(dump)
    return page.read_text(encoding="utf-8")


def test_page_when_the_pipeline_of_its_warehouse_rejected_records_then_it_says_so(
    dump: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = warehouse(dump)
    html = check_page_of_warehouse(dump, folder, capsys)
    assert f"<h3>{escape(str(dump))}</h3><p>{escape(WORDS)}</p>" in html
    (folder / "smf_rejects" / "part.parquet").unlink()
    assert main(["report", "html", str(folder), "-o", str(folder / "page"), "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_page_of_a_warehouse_when_on_spark_then_it_says_the_same(
    dump: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = warehouse(dump)
    here = check_page_of_warehouse(dump, folder, capsys)
    assert check_page_of_warehouse(dump, folder, capsys, "--master", "local[2]") == here


def test_words_when_there_is_one_byte_then_they_are_of_one() -> None:
    (line,) = sentences([Rejected("dump", "truncated", 1, 1, "why")], "; more")
    assert line == "dump: not all could be read: truncated: 1 record, 1 byte (why); more"
