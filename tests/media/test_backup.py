"""Goal (P7): a backup queue manager that only replays shipped extents has, when it is activated,
everything that was in them: messages, definitions, units of work in doubt; those that never ended
are backed out.

Method: workloads on a linear log; full extents are shipped now and then, sometimes with a power
loss on the backup's side; the activated backup is compared with the model at the place of the log
where the shipped part ends.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import ternmq
from ternmq.base.command_reasons import MQRCCF_LOG_TYPE_ERROR
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_OPERATION_NOT_ALLOWED, MQRC_Q_MGR_NOT_AVAILABLE
from ternmq.engine.backup import activate_backup, make_backup, replay_backup
from ternmq.log.archive import take_extent
from ternmq.log.control import load_control
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.log.record import LogDamaged
from ternmq.runtime.backup import Backup
from ternmq.testing.chance import Chance
from ternmq.testing.crash_walk import at_random
from ternmq.testing.machine import Machine, create
from ternmq.testing.model import State, found_state
from ternmq.testing.sim_disk import Crash, SimDisk
from tests.media.bench import DUAL, SINGLE, MediaWorkload, deleted, files_of, recovered_state

pytestmark = [pytest.mark.core, pytest.mark.promise("P7")]


class ShippedWorkload(MediaWorkload):
    """Knows where in the log each state is complete."""

    def __init__(self, seed: int, parameters: LogParameters, lazy: bool) -> None:
        self.places: list[tuple[int, State]] = []
        super().__init__(seed, parameters, lazy)

    def stepped(self) -> None:
        super().stepped()
        self.places.append((int(self.machine.engine.log.end_lsn), self.snapshots[-1].state))

    def state_at(self, lsn: int) -> State:
        """The last state whose records end before an LSN."""
        return [state for end, state in self.places if end <= lsn][-1]


def full_extents(disk: SimDisk, machine: Machine, after: int) -> list[int]:
    current = machine.engine.log.forced_lsn // SINGLE.extent_bytes
    return [
        int(path[-11:-4])
        for path in sorted(disk.names)
        if path.startswith("log/active/") and after <= int(path[-11:-4]) < current
    ]


def ship(source: SimDisk, target: SimDisk, extents: list[int]) -> None:
    control = load_control(target)
    for extent in extents:
        name = f"S{extent:07d}.LOG"
        file = source.open(f"log/active/{name}")
        assert take_extent(target, control, name, file) == extent


@pytest.mark.parametrize("dual", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_extents_shipped_and_replayed_then_the_activated_backup_has_it_all(
    seed: int, dual: bool
) -> None:
    run = ShippedWorkload(seed, DUAL if dual else SINGLE, seed % 2 == 1)
    run.go(20)
    run.machine.settle()
    backup = run.disk.settled()
    copied = int(run.machine.engine.log.end_lsn) // SINGLE.extent_bytes  # the copy has part of it
    make_backup(backup)
    chance = Chance(f"shipping {seed}")
    sent = 0
    saved = 0
    end_lsn = 0
    for _ in range(8):
        run.go(chance.randrange(40) + 5)
        extents = full_extents(run.disk, run.machine, sent)
        if not extents:
            continue
        sent = extents[-1]
        ship(run.disk, backup, extents)
        report = replay_backup(backup)
        saved += report.is_saved
        end_lsn = report.end_lsn
        assert report.extent <= max(extents[-1], copied)
    assert saved > 2
    activate_backup(backup)
    found = found_state(Machine(backup), drain=False)
    assert found == run.state_at(end_lsn)
    machine = Machine(backup)
    machine.checkpoint(full=True)
    assert found_state(machine) == run.state_at(end_lsn)


@pytest.mark.parametrize("seed", range(4))
def test_crash_inside_replay_then_it_is_done_again(seed: int) -> None:
    run = ShippedWorkload(seed, SINGLE, False)
    run.go(20)
    run.machine.settle()
    made = run.disk.settled()
    make_backup(made)
    run.go(120)
    ship(run.disk, made, full_extents(run.disk, run.machine, 0))
    chance = Chance(f"replay {seed}")
    stop_at = 1
    while True:
        disk = made.settled()
        disk.stop_at = stop_at
        try:
            replay_backup(disk)
        except Crash:
            disk = at_random(disk, chance)
        else:
            break
        end_lsn = replay_backup(disk).end_lsn
        activate_backup(disk)
        assert found_state(Machine(disk)) == run.state_at(end_lsn), f"stopped at {stop_at}"
        stop_at += 5
    assert stop_at > 60


def test_activated_backup_has_media_recovery_too() -> None:
    run = ShippedWorkload(3, SINGLE, False)
    run.go(20)
    run.machine.settle()
    backup = run.disk.settled()
    make_backup(backup)
    run.go(150)
    ship(run.disk, backup, full_extents(run.disk, run.machine, 0))
    end_lsn = replay_backup(backup).end_lsn
    activate_backup(backup)
    for path in files_of(backup, "A"):
        deleted(backup, path)
    state, _ = recovered_state(Machine(backup), ["A"])
    assert state == run.state_at(end_lsn)


def test_what_a_backup_refuses() -> None:
    run = MediaWorkload(0)
    run.go(30)
    run.machine.settle()
    disk = run.disk.settled()
    for verb in (replay_backup, activate_backup):
        with pytest.raises(MQError) as refused:
            verb(disk)
        assert refused.value.reason == MQRC_OPERATION_NOT_ALLOWED
    make_backup(disk)
    with pytest.raises(MQError) as refused:
        Machine(disk)
    assert refused.value.reason == MQRC_Q_MGR_NOT_AVAILABLE
    activate_backup(disk)
    with pytest.raises(MQError) as refused:
        replay_backup(disk)
    assert refused.value.reason == MQRC_OPERATION_NOT_ALLOWED
    circular = SimDisk()
    create(circular, LogParameters(CIRCULAR, 3, 2, 8, False))
    with pytest.raises(MQError) as refused:
        make_backup(circular)
    assert refused.value.reason == MQRCCF_LOG_TYPE_ERROR


def test_extent_that_is_missing_or_of_another_log_then_named() -> None:
    run = MediaWorkload(0)
    run.go(20)
    run.machine.settle()
    disk = run.disk.settled()
    make_backup(disk)
    run.go(100)
    extents = full_extents(run.disk, run.machine, 0)
    first = load_control(disk).forced_lsn // SINGLE.extent_bytes
    wanted = [one for one in extents if one >= first]
    assert len(wanted) > 3
    ship(run.disk, disk, wanted[:1] + wanted[2:])
    with pytest.raises(LogDamaged, match=f"S{wanted[1]:07d}.LOG|extent {wanted[1]} missing"):
        replay_backup(disk)
    ship(run.disk, disk, wanted[1:2])
    replay_backup(disk)
    path = f"log/active/S{wanted[0]:07d}.LOG"
    control = load_control(disk)
    with pytest.raises(LogDamaged, match="is not extent"):
        take_extent(disk, control, "S0000099.LOG", run.disk.open(path))
    with pytest.raises(LogDamaged, match="is not extent"):
        take_extent(disk, control, "notes.txt", run.disk.open(path))
    run.disk.spoil(path, lambda data: data[:-1])
    with pytest.raises(LogDamaged, match="bytes, not"):
        take_extent(disk, control, f"S{wanted[0]:07d}.LOG", run.disk.open(path))


def test_backup_in_a_folder(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    options = {"log_type": "linear", "log_file_pages": 64}
    with ternmq.embedded(here, "QM1", create=True, **options) as qmgr:  # type: ignore[arg-type]
        qmgr.define_queue("A", default_persistence="YES", max_depth=10_000)
        with pytest.raises(MQError, match="in use"):
            Backup.create(here, there, "QM1")
    backup = Backup.create(here, there, "QM1")
    with pytest.raises(MQError, match="not activated"):
        ternmq.embedded(there, "QM1")
    folder = here / "qmgrs" / "QM1" / "log" / "active"
    with ternmq.embedded(here, "QM1") as qmgr:
        with qmgr.queue("A") as queue:
            for number in range(600):
                queue.put(b"%d" % number + bytes(1000))
        backup.replay([folder / name for name in qmgr.log_extents().archivable])
        with qmgr.queue("A") as queue:
            for _ in range(100):
                queue.get()
            for number in range(600, 900):
                queue.put(b"%d" % number + bytes(1000))
        names = qmgr.log_extents().archivable
        report = Backup(there, "QM1").replay([folder / name for name in names])
        assert report.is_saved
        assert report.records > 0
    backup.activate()
    with ternmq.embedded(there, "QM1") as qmgr, qmgr.queue("A") as queue:
        found = [int(message.data.rstrip(b"\0")) for message in queue]
    assert found[0] == 100
    assert found == list(range(100, 100 + len(found)))
    assert found[-1] > 700  # all but what was in the extent that was not full


def test_large_unit_of_work_never_ended_in_what_came_then_the_start_makes_room_to_undo_it() -> None:
    """The log ends with the last file that was shipped."""
    run = MediaWorkload(0)
    machine = run.machine
    machine.workload = None
    machine.settle()
    backup = run.disk.settled()
    make_backup(backup)
    machine.put("A", b"before ")
    for number in range(900):
        machine.put("A", b"%d " % number, sync=True, link=run.links[0])
    machine.force(int(machine.engine.log.end_lsn))
    ship(run.disk, backup, full_extents(run.disk, machine, 0))
    replay_backup(backup)
    activate_backup(backup)
    assert Machine(backup).drain("A") == [b"before "]
