"""The fixtures of the battery: a queue manager on every disk and behind a socket, and both sides of
syncpoint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ternmq import QueueManager
from tests.battery.bindings import bindings_of
from tests.battery.places import Place
from tests.bindings.bound import as_parameters

OWN = ("memory", "folder", "dual", "served", "network")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test runs on each of our own places; those of messages by the other bindings too."""
    if "place" in metafunc.fixturenames:
        kinds = (*OWN, *bindings_of(metafunc.module.__name__, metafunc.function.__name__))
        metafunc.parametrize("place", as_parameters(kinds), indirect=True)


@pytest.fixture
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
