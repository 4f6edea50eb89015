"""A queue manager that checks authority, on every binding. A module that says in BY_OTHERS which of
its tests run by pymqi, ibmmq and IBM's Java client gets those, too: their channel says who they
are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.runtime.starting import start_in_memory
from tests.bindings import bound
from tests.bindings.bound import JAVA
from tests.security.granting import USERS, Place, grant
from tests.unit.api.networked import Networked
from tests.unit.api.served import Served

OWN = ("embedded", "served", "network")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "place" in metafunc.fixturenames:
        others = getattr(metafunc.module, "BY_OTHERS", {})
        names = (*OWN, *others.get(metafunc.function.__name__, ()))
        metafunc.parametrize("place", bound.as_parameters(names), indirect=True)


def as_user(binding: str, served: Networked, qm: ternmq.QueueManager, user: str) -> Any:
    """These bindings cannot name a user without a password."""
    channel = f"AS.{user.upper()}"
    (made,) = qm.mqsc(f"DEFINE CHANNEL({channel}) CHLTYPE(SVRCONN) MCAUSER('{user}') REPLACE")
    assert made.ok, made
    return bound.connect(binding, served, channel)


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A queue manager that checks, as its administrator has it, and a way to connect as a user."""
    bound.need(request.param)
    started = start_in_memory("QM1", None, None, security=USERS)
    qm = ternmq.QueueManager(started)
    qm.define_queue("HIDDEN.ONE")
    qm.define_queue("HIDDEN.TWO")
    qm.cursor("C", "HIDDEN.ONE")
    for user in ("fred", "ann"):
        grant(qm, "qmgr", "self", user, "connect inq" if request.param == JAVA else "connect")
    if request.param == "embedded":
        with qm:
            yield qm, lambda user: qm.connect(user=user)
        return
    if request.param in bound.BINDINGS:
        with Networked(tmp_path, "QM1", started) as network:
            yield qm, lambda user: as_user(request.param, network, qm, user)
        return
    kind = Served if request.param == "served" else Networked
    with kind(tmp_path, "QM1", started) as served:
        yield qm, lambda user: served.connect(user=user)
