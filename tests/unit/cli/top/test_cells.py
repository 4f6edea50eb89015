"""Goal: figures are written so that eyes can compare them. Method: each kind, at its limits."""

from __future__ import annotations

import pytest

from ternmq.cli.top.cells import UNKNOWN, age_text, bytes_text, cell_text
from ternmq.cli.top.columns import CONNECTIONS, QUEUE_MANAGER, QUEUES


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59, "59s"), (60, "1m 00s"), (3599, "59m 59s"), (3600, "1h 00m"),
     (86_399, "23h 59m"), (90_000, "1d 01h")],
)  # fmt: skip
def test_age_then_its_two_largest_units(seconds: int, text: str) -> None:
    assert age_text(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_250_000, "1.2 MB"), (3e15, "3000.0 TB")],
)
def test_bytes_then_the_largest_unit(count: float, text: str) -> None:
    assert bytes_text(count) == text


def test_cell_then_by_its_kind() -> None:
    assert cell_text(QUEUES.column("depth"), 12345) == "12,345"
    assert cell_text(QUEUES.column("depth"), None) == UNKNOWN
    assert cell_text(QUEUES.column("full"), 0.504) == "50 %"
    assert cell_text(QUEUES.column("put_rate"), 3.14159) == "3.1"
    assert cell_text(QUEUES.column("put_rate"), 31415.9) == "31,416"
    assert cell_text(QUEUES.column("oldest"), 61) == "1m 01s"
    assert cell_text(QUEUES.column("file_size"), 1) == "1.0 MB"
    assert cell_text(QUEUE_MANAGER.column("log_bytes"), 2048.0) == "2.0 kB"
    assert cell_text(CONNECTIONS.column("user"), "fred") == "fred"
