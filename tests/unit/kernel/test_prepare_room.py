"""Goal: a unit of work is prepared although the log has no room just now, as puts and gets are: the
verb waits for room, and is refused with the unit as it was if there comes none.

Method: an engine driven by hand on a memory disk, whose log is nearly all set aside.
"""

from __future__ import annotations

import pytest

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_RESOURCE_PROBLEM
from ternmq.kernel.ending import commit
from ternmq.kernel.two_phase import commit_prepared
from ternmq.mqi.steps.units import Prepare
from ternmq.txn.unit import PREPARED
from ternmq.values.calls import units
from ternmq.values.xid import XID
from tests.unit.kernel.test_returning import Bench

pytestmark = pytest.mark.core

NAME = XID(1, b"unit", b"")


def without_room(bench: Bench) -> int:
    """Set all of the log aside but a few bytes; how much that is."""
    space = bench.engine.coordinator.space
    room = int(space.limit_lsn - bench.engine.log.end_lsn - space.reserved) - 100
    space.reserve(room)
    return room


def prepare_again_and_again(bench: Bench) -> None:
    while not Prepare(units.Prepare(NAME)).attempt(bench.kernel, bench.link):
        pass


def test_prepare_when_the_log_has_no_room_then_it_waits_and_is_done() -> None:
    bench = Bench()
    bench.put("held", syncpoint=True)
    taken = without_room(bench)
    step = Prepare(units.Prepare(NAME))
    assert not step.attempt(bench.kernel, bench.link)
    assert bench.link.park is not None
    assert [step.call.prepared] == [False]
    bench.engine.coordinator.space.release(taken)
    assert step.attempt(bench.kernel, bench.link)
    assert step.call.prepared
    assert bench.engine.coordinator.prepared[NAME.key].state == PREPARED
    bench.restart()
    commit_prepared(bench.kernel, bench.link, NAME)
    assert bench.texts() == ["held"]


def test_prepare_when_no_room_comes_then_it_is_refused_and_the_unit_goes_on() -> None:
    bench = Bench()
    bench.put("held", syncpoint=True)
    taken = without_room(bench)
    with pytest.raises(MQError, match="the recovery log is full") as refused:
        prepare_again_and_again(bench)  # whatever it is parked on brings no room
    assert refused.value.reason == MQRC_RESOURCE_PROBLEM
    assert bench.engine.coordinator.prepared == {}
    bench.engine.coordinator.space.release(taken)
    commit(bench.kernel, bench.link)
    assert bench.texts() == ["held"]
