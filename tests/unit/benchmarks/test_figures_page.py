"""The tables of figures in the pages.

Goal: a page shows what the record says, in one line for each client of each broker.
Method: a record by hand, through the generator.
"""

from __future__ import annotations

from typing import Any

import pytest

from tools.generate_figures import rivals_of


def record(*figures: dict[str, Any]) -> dict[str, Any]:
    machine = {"processors": "2 x P", "system": "S", "python": "3", "load": "0.1"}
    values = {
        "machine": machine,
        "rounds": 5,
        "benchmarks": {"rivals": {"compiled": list(figures)}},
    }
    return {"rivals": values}


def figure(name: str, note: str, value: float | None = 300.0) -> dict[str, Any]:
    known = value is not None
    return {
        "name": name,
        "value": value,
        "unit": "puts/s",
        "baseline": "it",
        "baseline_value": 100.0 if known else None,
        "ratio": 3.0 if known else None,
        "goal": None,
        "note": note,
        "rounds": [],
        "met": None,
    }


def test_rivals_of_when_two_sizes_then_they_share_a_line_and_the_promise_is_shown() -> None:
    forced = "forced before it is confirmed; server CPU 7 us a message, ours 9"
    lost = "NOT forced: lost when the power fails; server CPU 8 us a message, ours 9"
    page = rivals_of(
        record(
            figure("16 putters / Broker, set so, client-py", forced),
            figure("64 putters / Broker, set so, client-py", forced),
            figure("16 putters / Other, fast", lost),
        )
    )
    lines = page.splitlines()
    assert "| Broker, set so | client-py | forced | 100 | 3 | 7 | 100 | 3 | 7 |" in lines
    assert "| Other | fast | **not forced** | 100 | 3 | 8 |" in lines
    assert "| TernMQ | `ternmq.aio` | forced | 300 |  | 9 | 300 |  | 9 |" in lines


def test_rivals_of_when_a_rival_was_left_out_then_it_has_no_line() -> None:
    page = rivals_of(record(figure("Broker by Go", "Broker by Go is left out: no Go", None)))
    assert "Broker" not in page


def test_rivals_of_when_a_figure_lacks_its_rate_then_it_refuses() -> None:
    note = "forced before it is confirmed; server CPU 7 us a message, ours 9"
    with pytest.raises(SystemExit, match="has no figures"):
        rivals_of(record(figure("16 putters / Broker, client-py", note, None)))
