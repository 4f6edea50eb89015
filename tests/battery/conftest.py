"""The fixtures of the battery: a queue manager on every disk and behind a socket, and both sides of
syncpoint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ternmq import QueueManager
from tests.battery.places import Place


@pytest.fixture(params=["memory", "folder", "dual", "served", "network"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A queue manager that can be stopped and crashed."""
    place = Place(request.param, tmp_path)
    yield place
    place.close()


@pytest.fixture
def qmgr(place: Place) -> QueueManager:
    """The queue manager, for tests that never stop it."""
    return place.qmgr


@pytest.fixture(params=[False, True], ids=["outside", "inside"])
def inside(request: pytest.FixtureRequest) -> bool:
    """Whether puts and gets are inside syncpoint."""
    return bool(request.param)
