"""Goal: a verb that finds the log full waits for whatever may still give it room, and is refused
only when nothing will. Method: a keeper on a small log, asked in the moments between the effects of
a checkpoint.
"""

import pytest

from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk
from ternmq.txn.checkpoint import Checkpoint
from ternmq.txn.keeper import CHEAPER_TRIES, ExtentPrepare, Keeper

pytestmark = [pytest.mark.core, pytest.mark.promise("P8")]

LATE = CHEAPER_TRIES + 2


def started() -> Machine:
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 16, False))
    machine = Machine(disk)
    machine.define("A", 20_000)
    machine.checkpoint(full=True)
    machine.put("A", b"one ")
    return machine


def failed(keeper: Keeper, full: bool) -> None:
    """A checkpoint that found no room."""
    checkpoint = Checkpoint(keeper, full, False)
    keeper.running = checkpoint
    keeper.checkpoint_failed(checkpoint, "no room")


def test_room_when_a_full_checkpoint_did_all_that_it_can_then_there_is_nothing_to_wait_for() -> (
    None
):
    machine = started()
    machine.checkpoint(full=True)
    assert machine.engine.keeper.make_room(LATE) is None


def test_room_when_a_unit_ended_during_a_full_checkpoint_then_another_one_is_begun() -> None:
    machine = started()
    keeper = machine.engine.keeper
    machine.put("A", b"pinned ", link=machine.link, sync=True)
    first = keeper.begin(True, False)
    machine.commit(machine.link)  # its record comes before that of the checkpoint
    machine.settle()
    assert keeper.make_room(LATE) is not None
    assert keeper.running is not None
    assert keeper.running is not first


def test_room_when_a_checkpoint_failed_that_moves_only_old_bodies_then_a_full_one_is_begun() -> (
    None
):
    keeper = started().engine.keeper
    failed(keeper, full=False)
    assert keeper.make_room(LATE) is not None
    assert keeper.running is not None
    assert keeper.running.full


def test_room_when_a_full_checkpoint_failed_then_tried_once_more_after_what_is_cheaper() -> None:
    keeper = started().engine.keeper
    failed(keeper, full=True)
    assert keeper.make_room(LATE) is None
    assert keeper.make_room(CHEAPER_TRIES + 1) is not None


def test_log_file_when_extents_were_released_meanwhile_then_it_needs_no_room_and_is_made() -> None:
    machine = started()
    keeper = machine.engine.keeper
    extent = keeper.space.ready
    asked = ExtentPrepare(keeper, extent, 4 * int(keeper.extent_bytes))  # as a secondary
    keeper.preparing = asked
    keeper.space.oldest = extent - 1
    asked.fail(OSError(28, "no room for another log file and what it may hold"))
    assert keeper.prepare_error == ""
    assert keeper.preparing is not None
    assert keeper.preparing is not asked
    machine.settle()
    assert keeper.space.ready > extent
