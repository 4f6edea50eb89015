"""A pytest plug-in: with TERNMQ_LEFT_OUT=file, how many tests were skipped for which reason is
added to that file, a line of JSON for each run. `make test` runs pytest several times, and says the
sum of all at its end (tools/prepare.py --left-out).
"""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

SKIPPED = "Skipped: "


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    path = os.environ.get("TERNMQ_LEFT_OUT")
    if not path or hasattr(terminalreporter.config, "workerinput"):
        return
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        place = report.longrepr
        text = place[2] if isinstance(place, tuple) else str(place)
        reasons[text.removeprefix(SKIPPED)] += 1
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps(reasons) + "\n")
