"""The queue managers that the rows run on: a new one for each test, once for each binding.

`bed` is in memory, `secured` too and with authority checks, `lasting` in a folder, for restarts. A
row that is about one binding takes `embedded`. A queue manager starts in about 20 ms.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.pubsub.bed import BINDINGS, Bed


@pytest.fixture(params=BINDINGS)
def bed(request: pytest.FixtureRequest) -> Iterator[Bed]:
    made = Bed(request.param)
    yield made
    made.close()


@pytest.fixture
def embedded() -> Iterator[Bed]:
    made = Bed("embedded")
    yield made
    made.close()


@pytest.fixture(params=("embedded", "tcp"))
def secured(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """With authority checks. The local socket knows no user but the process's own."""
    made = Bed(request.param, security=True)
    yield made
    made.close()


@pytest.fixture(params=BINDINGS)
def lasting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bed]:
    """In a folder: `restart` keeps what lasts."""
    made = Bed(request.param, tmp_path)
    yield made
    made.close()
