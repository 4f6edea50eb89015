"""Goal: mq-smf-csv prints the same values of our records, and of real ones, as our reader.

Method: see smf_judge. The program is built by whoever has its source, and named by MQSMFCSV; real
dumps are where test_smf_real_dumps looks for them. Skipped without the program. That the comparison
finds differences is shown without it.
"""

import os
from pathlib import Path
from typing import Final

import pytest

from tests.interop.smf_judge import compare, judge, printed_here, queue_manager_records, same
from tests.unit.codec.smf_samples import LEVELS, sample_records
from tests.unit.codec.test_smf_real_dumps import DUMPS, FOLDER

PROGRAM: Final = Path(os.environ.get("MQSMFCSV", ""))
needs_program = pytest.mark.skipif(
    not PROGRAM.is_file(), reason="not shown: MQSMFCSV does not name the program"
)


@needs_program
@pytest.mark.parametrize("level", LEVELS)
def test_records_of_ours(level: int, tmp_path: Path) -> None:
    path = tmp_path / "ours.dat"
    path.write_bytes(b"".join(sample_records(level)))
    outcome = judge(PROGRAM, path)
    assert outcome.differences == []
    assert outcome.cells > 10_000


@needs_program
def test_records_of_the_queue_manager(tmp_path: Path) -> None:
    path = tmp_path / "written.dat"
    path.write_bytes(b"".join(queue_manager_records()))
    outcome = judge(PROGRAM, path)
    assert outcome.differences == []
    assert outcome.rows > 100


@needs_program
def test_records_of_ours_without_descriptor_words(tmp_path: Path) -> None:
    path = tmp_path / "ours.dat"
    path.write_bytes(b"".join(record[4:] for record in sample_records(90405)))
    outcome = judge(PROGRAM, path, "nordw")
    assert outcome.differences == []
    assert outcome.cells > 10_000


@needs_program
@pytest.mark.parametrize("name", DUMPS)
def test_real_dumps(name: str) -> None:
    if not (FOLDER / name).exists():
        pytest.skip(f"not shown: there is no {name}")
    outcome = judge(PROGRAM, FOLDER / name)
    assert outcome.differences == []
    assert outcome.cells > 500


def test_comparison_finds_a_difference(tmp_path: Path) -> None:
    path = tmp_path / "ours.dat"
    path.write_bytes(b"".join(sample_records(90405)))
    ours = printed_here(path)
    theirs = {name: [list(row) for row in rows] for name, rows in ours.items()}
    # As the program has it: one column for a clock, and no interval where there is none.
    at = theirs["QESD"][0].index("Buffer_Wait_Time(US)")
    for row in theirs["QESD"]:
        del row[at]
    for name in ("QSPH", "QSGM", "QSRS"):
        for row in theirs[name]:
            del row[6:9]
    assert compare(theirs, ours).differences == []
    theirs["WQ"][1][20] += "1"
    del theirs["QPST"][2]
    differences = compare(theirs, ours).differences
    assert [text.split()[0] for text in differences] == ["QPST:", "WQ"]


@pytest.mark.parametrize(
    ("theirs", "ours", "is_same"),
    [
        ("12", "12", True),
        (" 12 ", "12", True),
        ("12", "13", False),
        ("-1", "", True),
        ("-1", "5", False),
        ("7", "", False),
        ("....", "", True),
        ("AB", "AC", False),
        ("A.", "Aé", True),
    ],
)
def test_cells(theirs: str, ours: str, is_same: bool) -> None:
    assert (same("QMST", "Open", theirs, ours) is not None) == is_same
