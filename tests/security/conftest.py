"""A queue manager that checks authority, on every binding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq.runtime.starting import start_in_memory
from tests.security.granting import USERS, Place, grant
from tests.unit.api.networked import Networked
from tests.unit.api.served import Served


@pytest.fixture(params=["embedded", "served", "network"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A queue manager that checks, as its administrator has it, and a way to connect as a user."""
    started = start_in_memory("QM1", None, None, security=USERS)
    qm = ternmq.QueueManager(started)
    qm.define_queue("HIDDEN.ONE")
    qm.define_queue("HIDDEN.TWO")
    qm.cursor("C", "HIDDEN.ONE")
    for user in ("fred", "ann"):
        grant(qm, "qmgr", "self", user, "connect")
    if request.param == "embedded":
        with qm:
            yield qm, lambda user: qm.connect(user=user)
        return
    kind = Served if request.param == "served" else Networked
    with kind(tmp_path, "QM1", started) as served:
        yield qm, lambda user: served.connect(user=user)
