"""The queue managers that the rows run on: a new one for each test, once for each binding.

`bed` is in memory, `secured` too and with authority checks, `lasting` in a folder, for restarts. A
row that is about one binding takes `embedded`. A queue manager starts in about 20 ms.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bindings.bound import as_parameters
from tests.conformance.pubsub.bed import Bed
from tests.conformance.pubsub.bindings import FIXTURES, bindings_of


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for fixture in FIXTURES:
        if fixture in metafunc.fixturenames:
            names = bindings_of(fixture, metafunc.function.__name__)
            metafunc.parametrize(fixture, as_parameters(names), indirect=True)


@pytest.fixture
def bed(request: pytest.FixtureRequest) -> Iterator[Bed]:
    made = Bed(request.param)
    yield made
    made.close()


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """For rows about clients over a channel."""
    made = Bed(request.param)
    yield made
    made.close()


@pytest.fixture
def java(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """For what only IBM's Java client can say."""
    made = Bed(request.param)
    yield made
    made.close()


@pytest.fixture
def embedded() -> Iterator[Bed]:
    made = Bed("embedded")
    yield made
    made.close()


@pytest.fixture
def secured(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """With authority checks."""
    made = Bed(request.param, security=True)
    yield made
    made.close()


@pytest.fixture
def lasting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bed]:
    """In a folder: `restart` keeps what lasts."""
    made = Bed(request.param, tmp_path)
    yield made
    made.close()
