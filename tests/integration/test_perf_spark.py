"""Goal: a run of `ternmq perf` goes through the pipeline to its page, and SMF tells what was done.

Method: a point measured for a moment, its records through the real pipeline, the page beside an
earlier run that was far better.
"""

import json
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ternmq.cli.tools.perf_command import OK, main
from ternmq.perf.record import load, settled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300), pytest.mark.usefixtures("as_users")]


def test_run_when_its_records_went_through_the_pipeline_then_its_page_shows_them(
    spark: "SparkSession", tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, before = tmp_path / "now", tmp_path / "before"
    words = ["--only", "single", "--quick", "--seconds", "0.5", "--no-page", "--quiet"]
    assert main(["run", *words, "-o", str(folder)]) == OK
    record = load(folder)
    (point,) = record.points
    # However slow this machine is, a whole interval lies between start and end of measuring.
    point.begin_s, point.end_s = point.from_s, point.to_s
    record.save(folder)
    earlier = deepcopy(record)
    earlier.label = "the day before"
    earlier.points[0].smf_rate, earlier.points[0].smf_cost = 1e6, 1.0
    settled(earlier.points)
    before.mkdir()
    earlier.save(before)
    capsys.readouterr()
    assert main(["report", str(folder), "--with", str(before), "--json", "--quiet"]) == OK
    values = json.loads(capsys.readouterr().out)
    (found,) = load(folder).points
    assert found.smf_done == found.done > 0
    assert found.intervals >= 1
    assert found.source == "smf"
    assert found.rate is not None
    assert found.rate > 0
    assert found.cost is not None
    assert found.cost > 0
    assert values["compared"]["figures"] == {"within": 0, "better": 0, "worse": 2}
    page = Path(values["page"]).read_text(encoding="utf-8")
    assert "Beside the day before" in page
    assert page.count('class="verdict worse"') == 2
    assert "counted alike by SMF and by the applications" in page
    assert "1 of 1 point<" in page
