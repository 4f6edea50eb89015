"""Goal (G20, P7): with a linear log any damaged or deleted file is made good from the log, up to
the present: queues with units of work in doubt, the catalog, the register, one copy of a dual log.

Method: workloads of all verbs that record images now and then; their disks, with files spoilt in
every way; then a start, re-creation of what is damaged, and a comparison with the model.
"""

from __future__ import annotations

import functools

import pytest

from ternmq.base.attributes import Value
from ternmq.base.errors import IntegrityError
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.machine import Machine, create
from ternmq.testing.model import State, found_state
from ternmq.testing.sim_disk import SimDisk
from tests.media.bench import (
    DUAL,
    SINGLE,
    SPOILS,
    MediaWorkload,
    files_of,
    recovered_state,
    recreate,
)

pytestmark = [pytest.mark.core, pytest.mark.promise("P7")]

SEEDS = range(8)


@functools.cache
def finished(seed: int, dual: bool = False) -> tuple[SimDisk, State]:
    """A workload's disk, with everything durable, and what is on it: images lie before the end by
    more for the higher seeds."""
    run = MediaWorkload(seed, DUAL if dual else SINGLE, lazy=seed % 2 == 1)
    run.go(60 + 13 * seed)
    while run.images == 0:
        run.go(5)
    run.go(7 * seed)
    run.machine.settle()
    return run.disk.settled(), run.snapshots[-1].state


def copy_of(disk: SimDisk) -> SimDisk:
    return disk.settled()


# ---- queues


@pytest.mark.parametrize("kind", ["state", ".seg", ""])
@pytest.mark.parametrize("how", SPOILS)
def test_files_of_a_queue_spoilt_then_re_created_up_to_the_present(kind: str, how: str) -> None:
    made = 0
    for seed in SEEDS:
        sound, expected = finished(seed)
        for queue in ("A", "B"):
            disk = copy_of(sound)
            paths = files_of(disk, queue, kind)
            for path in paths:
                SPOILS[how](disk, path)
            machine = Machine(disk)
            report = [line for line in machine.engine.report if line.startswith("Re-created")]
            state, count = recovered_state(machine, [queue])
            assert state == expected, f"seed {seed}, {queue} {paths} {how}"
            made += count + len(report)
    assert made >= 5


@pytest.mark.parametrize("how", ["deleted", "flipped"])
def test_all_queues_spoilt_at_once_then_all_come_back(how: str) -> None:
    for seed in SEEDS:
        sound, expected = finished(seed)
        disk = copy_of(sound)
        for path in files_of(disk, "A") + files_of(disk, "B"):
            SPOILS[how](disk, path)
        state, _ = recovered_state(Machine(disk), ["A", "B"], drain=False)
        assert state == expected, f"seed {seed}"
        state, count = recovered_state(Machine(disk), ["A", "B"])
        assert state == expected, f"seed {seed}, started once more"
        assert count == 0


@pytest.mark.parametrize("how", SPOILS)
def test_one_segment_spoilt_then_re_created(how: str) -> None:
    made = 0
    for seed in SEEDS:
        sound, expected = finished(seed)
        for path in files_of(sound, "A", ".seg") + files_of(sound, "B", ".seg"):
            disk = copy_of(sound)
            SPOILS[how](disk, path)
            machine = Machine(disk)
            report = [line for line in machine.engine.report if line.startswith("Re-created")]
            state, count = recovered_state(machine, ["A", "B"])
            assert state == expected, f"seed {seed}, {path} {how}"
            made += count + len(report)
    assert made >= 10


def test_sound_queue_re_created_then_the_same() -> None:
    for seed in SEEDS:
        sound, expected = finished(seed)
        disk = copy_of(sound)
        machine = Machine(disk)
        for queue in expected[0]:
            recreate(machine, queue)
        assert found_state(machine, drain=False) == expected, f"seed {seed}"
        for queue in expected[0]:
            machine.close_handles()
            recreate(machine, queue)
        assert found_state(machine, drain=False) == expected, f"seed {seed}, once more"
        assert found_state(Machine(disk)) == expected, f"seed {seed}, started again"


# ---- the catalog and the register


def definitions(machine: Machine) -> dict[int, tuple[int, str, dict[str, Value]]]:
    """Objects of every type."""
    return {
        one.object_id: (one.object_type, one.name, one.attributes)
        for one in machine.kernel.catalog.all_definitions()
    }


@pytest.mark.parametrize("how", SPOILS)
def test_catalog_spoilt_then_recovered_at_the_start(how: str) -> None:
    for seed in SEEDS:
        sound, expected = finished(seed)
        known = Machine(copy_of(sound))
        disk = copy_of(sound)
        SPOILS[how](disk, "catalog")
        machine = Machine(disk)
        assert any("Recovered from the log: the catalog" in line for line in machine.engine.report)
        assert definitions(machine) == definitions(known)
        assert machine.kernel.catalog.qmgr == known.kernel.catalog.qmgr
        assert machine.kernel.catalog.facts == known.kernel.catalog.facts
        assert machine.kernel.catalog.next_id == known.kernel.catalog.next_id
        assert found_state(machine, drain=False) == expected
        machine.checkpoint()
        again = Machine(disk)
        assert not any("Recovered" in line for line in again.engine.report)
        assert found_state(again) == expected


@pytest.mark.parametrize("how", ["deleted", "cut", "flipped"])
def test_register_spoilt_then_images_are_found_in_the_log(how: str) -> None:
    for seed in SEEDS:
        sound, expected = finished(seed)
        disk = copy_of(sound)
        for path in [path for path in disk.names if "/register." in path]:
            SPOILS[how](disk, path)
        for path in files_of(disk, "A"):
            SPOILS[how](disk, path)
        state, _ = recovered_state(Machine(disk), ["A"])
        assert state == expected, f"seed {seed}"


@pytest.mark.parametrize("how", ["deleted", "cut", "flipped", "zeroed"])
def test_everything_but_the_log_spoilt_then_the_log_suffices(how: str) -> None:
    for seed in SEEDS:
        sound, expected = finished(seed)
        disk = copy_of(sound)
        for path in [path for path in disk.names if not path.startswith("log/")]:
            SPOILS[how](disk, path)
        machine = Machine(disk)
        state, _ = recovered_state(machine, ["A", "B"], drain=False)
        assert state == expected, f"seed {seed}"
        machine.checkpoint()
        assert found_state(Machine(disk)) == expected


# ---- two copies of the log


@pytest.mark.parametrize("copy", ["active", "active2"])
@pytest.mark.parametrize("how", SPOILS)
def test_one_copy_of_the_log_spoilt_then_the_other_suffices(copy: str, how: str) -> None:
    for seed in list(SEEDS)[:4]:
        sound, expected = finished(seed, dual=True)
        disk = copy_of(sound)
        for path in [path for path in disk.names if path.startswith(f"log/{copy}/")]:
            SPOILS[how](disk, path)
        for path in files_of(disk, "A"):
            SPOILS[how](disk, path)
        state, _ = recovered_state(Machine(disk), ["A"])
        assert state == expected, f"seed {seed}"


# ---- what cannot be recovered


def test_extent_that_is_needed_is_missing_then_named_and_once_it_is_back_all_is_well() -> None:
    sound, expected = finished(3)
    disk = copy_of(sound)
    machine = Machine(copy_of(sound))
    row = machine.kernel.catalog.register[machine.kernel.catalog.definitions["A"].object_id]
    first = row.media_lsn // SINGLE.extent_bytes
    assert first < machine.engine.opened.control.redo_lsn // SINGLE.extent_bytes
    path = f"log/active/S{first:07d}.LOG"
    key = disk.names.pop(path)
    for one in files_of(disk, "A"):
        SPOILS["deleted"](disk, one)
    machine = Machine(disk)
    if "A" not in {one.name for one in machine.kernel.catalog.definitions.values()}:
        pytest.fail("the queue is gone")
    with pytest.raises(Exception, match=f"S{first:07d}.LOG is needed and not there"):
        recreate(machine, "A")
    machine.put("B", b"later ")
    disk.names[path] = key
    recreate(machine, "A")
    assert found_state(machine, drain=False)[0]["A"] == expected[0]["A"]
    assert found_state(Machine(disk), drain=False)[0]["A"] == expected[0]["A"]


def test_catalog_spoilt_with_a_circular_log_then_the_start_is_refused() -> None:
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 8, False))
    Machine(disk).checkpoint()
    SPOILS["flipped"](disk, "catalog")
    with pytest.raises(IntegrityError, match="catalog"):
        Machine(disk)


def test_catalog_and_its_image_spoilt_then_the_start_is_refused_and_says_both() -> None:
    tried = 0
    for seed in SEEDS:
        sound, _ = finished(seed)
        machine = Machine(copy_of(sound))
        redo = machine.engine.opened.control.redo_lsn // SINGLE.extent_bytes
        image = machine.kernel.catalog.image_of_catalog() // SINGLE.extent_bytes
        if image < redo:
            disk = copy_of(sound)
            SPOILS["deleted"](disk, "catalog")
            SPOILS["zeroed"](disk, f"log/active/S{image:07d}.LOG")
            with pytest.raises(IntegrityError, match=f"catalog is missing.*S{image:07d}.LOG"):
                Machine(disk)
            tried += 1
    assert tried > 2
