"""The pytest plug-in of `make quick`: the battery's core, and an end in time.

tools/quick.py loads it. From the moment TERNMQ_QUICK_UNTIL (seconds since 1970) no further test
starts; those that did not are written to the file TERNMQ_QUICK_LEFT_OUT, a line each. The core of
the battery is every test in memory and over TCP, but for the deep queues; a file of the battery
that is named in TERNMQ_QUICK_WHOLE, because it has changed, runs whole.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

import pytest

UNTIL: Final = "TERNMQ_QUICK_UNTIL"
LEFT_OUT: Final = "TERNMQ_QUICK_LEFT_OUT"
WHOLE: Final = "TERNMQ_QUICK_WHOLE"
BATTERY: Final = "tests/battery/"
CORE_PLACES: Final = ("memory", "network")
DEEP: Final = "test_deep.py"


def in_core(nodeid: str, place: str | None) -> bool:
    """Whether a test is of the core, or not of the battery at all."""
    path = nodeid.partition("::")[0]
    if not path.startswith(BATTERY) or path in os.environ.get(WHOLE, "").split(os.pathsep):
        return True
    return not path.endswith(DEEP) and (place is None or place in CORE_PLACES)


def place_of(item: pytest.Item) -> str | None:
    """Where the queue manager of a test of the battery lives; None if it has none of those."""
    callspec = getattr(item, "callspec", None)
    found = None if callspec is None else callspec.params.get("place")
    return None if found is None else str(found)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    spared = [item for item in items if not in_core(item.nodeid, place_of(item))]
    if spared:
        config.hook.pytest_deselected(items=spared)
        without = set(spared)
        items[:] = [item for item in items if item not in without]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    if time.time() < float(os.environ.get(UNTIL, "inf")):
        return None
    with Path(os.environ[LEFT_OUT]).open("a", encoding="utf-8") as left_out:
        left_out.write(item.nodeid + "\n")
    return True  # it is done with, without a report
