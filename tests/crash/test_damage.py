"""Goal (G8): damage is found, named and confined. In the middle of the log it stops the start
and is named with file and place; a torn tail is normal; in the files of one queue it is that
queue's alone; never is wrong data given. Method: a workload's disk, all of it durable, with one
byte, sector or file spoilt; then restart and compare.
"""

import os
import random
from collections.abc import Callable

import pytest

from ternmq.base.errors import IntegrityError, MQError
from ternmq.base.reasons import MQRC_OBJECT_DAMAGED
from ternmq.engine.engine import Engine
from ternmq.log.control import load_control
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.log.record import LogDamaged
from ternmq.testing.machine import Machine, create
from ternmq.testing.model import State, found_state, name_of, name_of_message
from ternmq.testing.sim_clock import SimClock
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.workload import Workload

pytestmark = pytest.mark.promise("P6")

EVERY = int(os.environ.get("DAMAGE_EVERY", "601"))

Spoil = Callable[[bytes], bytes]


def finished(seed: int) -> tuple[SimDisk, State]:
    """A workload's disk, with everything durable, and what is on it."""
    run = Workload(seed, LogParameters(CIRCULAR, 3, 2, 8, False))
    run.go(120)
    # The control file proves the log to its end; beyond that, damage looks like a torn tail.
    engine = run.machine.engine
    engine.opened.control.note_forced(engine.log)
    engine.opened.control.save(run.disk)
    return run.disk.settled(), run.snapshots[-1].state


def copy_of(disk: SimDisk) -> SimDisk:
    return disk.survivor()


def spoil(disk: SimDisk, path: str, how: Spoil) -> SimDisk:
    copy = copy_of(disk)
    key = copy.names[path]
    copy.contents[key] = how(bytes(copy.contents[key]))
    return copy


def flip(at: int) -> Spoil:
    return lambda data: data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]


def outcome(disk: SimDisk, expected: State) -> str:
    """ "refused", "confined", or "no effect"; wrong data is an error."""
    try:
        machine = Machine(disk)
    except IntegrityError:
        return "refused"
    damaged = confined(machine)
    for name, names in expected[0].items():
        if name not in damaged:
            try:
                found = [name_of_message(one) for one in machine.take_all(name)]
            except MQError as error:
                if error.reason != MQRC_OBJECT_DAMAGED:
                    raise
                damaged.add(name)
            else:
                assert found == names, f"{name}: {found}, expected {names}"
    if damaged:
        return "confined"
    assert set(machine.kernel.catalog.queue_names()) >= set(expected[0])
    return "no effect"


def confined(machine: Machine) -> set[str]:
    """Queues that were found damaged."""
    catalog = machine.kernel.catalog
    return {
        definition.name
        for definition in catalog.definitions.values()
        if definition.object_id in catalog.damaged
    }


@pytest.mark.core
@pytest.mark.parametrize("seed", [0, 2])
def test_any_byte_flipped_then_found_and_named_or_without_effect(seed: int) -> None:
    disk, expected = finished(seed)
    counts = {"refused": 0, "confined": 0, "no effect": 0}
    for path, key in sorted(disk.names.items()):
        size = len(disk.contents[key])
        for at in range(seed, size, max(1, min(EVERY, size // 4))):
            try:
                counts[outcome(spoil(disk, path, flip(at)), expected)] += 1
            except Exception as error:
                raise AssertionError(f"seed {seed}, {path} offset {at}: {error}") from error
    assert counts["refused"] > 0
    assert counts["confined"] > 0


@pytest.mark.parametrize("seed", [0, 2])
def test_sector_zeroed_or_file_cut_then_found_and_named_or_without_effect(seed: int) -> None:
    disk, expected = finished(seed)
    chance = random.Random(seed)
    for path, key in sorted(disk.names.items()):
        size = len(disk.contents[key])
        for _ in range(6):
            sector = chance.randrange(0, max(size, 1), 512)

            def zero(data: bytes, at: int = sector) -> bytes:
                return data[:at] + bytes(min(512, len(data) - at)) + data[at + 512 :]

            def cut(data: bytes, at: int = sector) -> bytes:
                return data[:at]

            for how in (zero, cut):
                try:
                    outcome(spoil(disk, path, how), expected)
                except Exception as error:
                    raise AssertionError(f"seed {seed}, {path} at {sector}: {error}") from error


# ---- the log


def test_damage_in_the_middle_of_the_log_then_start_refuses_and_names_it() -> None:
    disk, _ = finished(0)
    control = load_control(disk)
    payload = control.parameters.extent_bytes
    # A record that restart reads, well before the end that the control file proves.
    lsn = control.redo_lsn
    extent = lsn // payload
    engine = Engine(copy_of(disk), SimClock())
    slot = engine.opened.reader.table.slots[extent]
    path = f"log/active/S{slot:07d}.LOG"
    broken = spoil(disk, path, flip(4096 + lsn % payload + 16))
    with pytest.raises(LogDamaged) as caught:
        Machine(broken)
    text = str(caught.value)
    assert path in text
    assert f"offset {4096 + lsn % payload}" in text
    assert f"LSN {lsn}" in text
    with pytest.raises(LogDamaged, match="LSN"):
        Machine(broken)  # still: nothing was skipped or thrown away


def test_torn_tail_of_the_log_then_start_is_normal() -> None:
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 8, False))
    machine = Machine(disk)
    machine.define("A")
    machine.put("A", b"first ")
    before = copy_of(disk)
    machine.put("A", b"second " + bytes([7]) * 9000)
    for path, key in disk.names.items():
        old, new = before.contents[before.names[path]], disk.contents[key]
        if bytes(old) != bytes(new) and path.startswith("log/active"):
            at = next(n for n in range(len(new)) if old[n] != new[n])
            torn = copy_of(disk)
            end = at + 512
            torn.contents[key] = bytes(new[:end]) + bytes(old[end:])
            state = found_state(Machine(torn))
            assert state == ({"A": ["first"]}, {})


def test_both_control_files_damaged_then_named() -> None:
    disk, _ = finished(0)
    broken = spoil(spoil(disk, "log/control.1", flip(40)), "log/control.2", flip(40))
    with pytest.raises(LogDamaged, match=r"control\.1.*control\.2"):
        Machine(broken)


@pytest.mark.parametrize("path", ["log/control.1", "log/control.2"])
def test_one_control_file_damaged_then_no_effect(path: str) -> None:
    disk, expected = finished(0)
    assert outcome(spoil(disk, path, flip(40)), expected) == "no effect"


# ---- the catalog


def test_catalog_damaged_then_named() -> None:
    disk, _ = finished(0)
    with pytest.raises(IntegrityError, match="catalog"):
        Machine(spoil(disk, "catalog", flip(30)))


def test_catalog_missing_then_named() -> None:
    disk, _ = finished(0)
    del disk.names["catalog"]
    with pytest.raises(IntegrityError, match="catalog"):
        Machine(disk)


# ---- one queue


class TwoQueues:
    """Queue A has messages in a swept segment, B is sound; nothing of A is in the log."""

    def __init__(self) -> None:
        self.disk = SimDisk()
        create(self.disk, LogParameters(CIRCULAR, 3, 2, 32, False))
        machine = Machine(self.disk)
        machine.define("A", 2000)
        machine.define("B", 2000)
        self.ids: list[bytes] = []
        for number in range(20):
            self.ids.append(machine.put("A", b"a%d " % number + bytes(300)).msg_id)
            machine.put("B", b"b%d " % number + bytes(300))
        machine.checkpoint(full=True)
        machine.checkpoint(full=True)

    def segments(self, queue: str) -> list[str]:
        return [path for path in self.disk.names if f"/{queue}~" in path and path.endswith(".seg")]

    def journal(self, queue: str) -> str:
        return next(p for p in self.disk.names if f"/{queue}~" in p and p.endswith("/state"))

    def check_b(self, machine: Machine) -> None:
        assert [name_of(data) for data in machine.drain("B")] == [f"b{n}" for n in range(20)]


def test_body_in_a_segment_damaged_then_only_that_queue_is() -> None:
    two = TwoQueues()
    path = two.segments("A")[0]
    machine = Machine(spoil(two.disk, path, flip(900)))
    with pytest.raises(MQError) as caught:
        machine.drain("A")
    assert caught.value.reason == MQRC_OBJECT_DAMAGED
    assert path in str(caught.value)
    with pytest.raises(MQError) as caught:
        machine.put("A", b"more")
    assert caught.value.reason == MQRC_OBJECT_DAMAGED
    two.check_b(machine)
    machine.checkpoint(full=True)


def test_index_of_a_segment_damaged_then_only_that_queue_is() -> None:
    two = TwoQueues()
    path = two.segments("A")[0]
    machine = Machine(spoil(two.disk, path, lambda data: data[:-40] + bytes(40)))
    with pytest.raises((MQError, IntegrityError), match="segment"):
        machine.get("A")
    two.check_b(machine)


@pytest.mark.parametrize("how", ["flipped", "segment missing", "cut"])
def test_damage_when_the_log_speaks_of_the_queue_then_it_stays_damaged(how: str) -> None:
    """Restart passes over the log's records of a queue that it cannot load; so that queue must
    not come back with old content, even if its files can be read again."""
    two = TwoQueues()
    machine = Machine(two.disk)
    gone = machine.get("A")
    assert gone is not None
    sound = copy_of(two.disk)
    path = two.segments("A")[0]
    broken = copy_of(two.disk)
    if how == "flipped":
        broken = spoil(broken, two.journal("A"), flip(20))
    elif how == "cut":
        broken = spoil(broken, path, lambda data: data[: len(data) // 2])
    else:
        del broken.names[path]
    machine = Machine(broken)
    assert confined(machine) == {"A"}
    assert any("Damaged" in line and "A~" in line for line in machine.engine.report)
    with pytest.raises(MQError) as caught:
        machine.put("A", b"more")
    assert caught.value.reason == MQRC_OBJECT_DAMAGED
    machine.checkpoint(full=True)
    machine.put("B", b"b20 ")
    # The files of A are as they were before the damage, but the log has gone on.
    after = copy_of(broken)
    for name in sound.names:
        if "/A~" in name:
            after.names[name] = len(after.contents) + 1
            after.contents[after.names[name]] = bytes(sound.contents[sound.names[name]])
    machine = Machine(after)
    assert confined(machine) == {"A"}
    machine.delete("A")
    machine.define("A")
    machine.put("A", b"new ")
    assert machine.drain("A") == [b"new "]
    assert len(machine.drain("B")) == 21


@pytest.mark.parametrize("how", ["cut at the end of a batch", "empty", "missing", "folder missing"])
@pytest.mark.parametrize("checkpoints_after", [0, 60])
def test_journal_cut_or_missing_then_found(how: str, checkpoints_after: int) -> None:
    """Also where the log has long forgotten the queue: the journal looks whole by itself."""
    two = TwoQueues()
    machine = Machine(two.disk)
    for number in (6, 10, 14):
        assert machine.get("A", msg_id=two.ids[number]) is not None
    machine.checkpoint()
    path = two.journal("A")
    data = bytes(two.disk.contents[two.disk.names[path]])
    last = data.rindex(b"TERNSTAT")
    assert last > 0
    for number in range(checkpoints_after):
        machine.put("B", b"b%d " % (20 + number) + bytes(3000))
        machine.checkpoint(full=True)
    broken = copy_of(two.disk)
    if how == "cut at the end of a batch":
        broken = spoil(broken, path, lambda data: data[:last])
    elif how == "empty":
        broken = spoil(broken, path, lambda data: b"")
    else:
        for name in [name for name in broken.names if name == path or "folder" in how]:
            if name.startswith(path.rpartition("/")[0]):
                del broken.names[name]
    machine = Machine(broken)
    with pytest.raises((MQError, IntegrityError), match=f"journal {path}"):
        machine.drain("A")
    assert confined(machine) == {"A"}
    assert len(machine.drain("B")) == 20 + checkpoints_after
    machine.checkpoint(full=True)
    assert Machine(copy_of(two.disk)).drain("A") == [
        b"a%d " % number + bytes(300) for number in range(20) if number not in (6, 10, 14)
    ]


@pytest.mark.parametrize("how", [flip(5), flip(40), lambda data: data[:512], lambda data: b""])
def test_register_damaged_then_named_and_recreated(how: Spoil) -> None:
    two = TwoQueues()
    machine = Machine(two.disk)
    machine.get("A", msg_id=two.ids[6])
    machine.checkpoint()
    path = next(name for name in two.disk.names if "/register." in name)
    broken = spoil(two.disk, path, how)
    machine = Machine(broken)
    assert any(path in line for line in machine.engine.report)
    machine.checkpoint()
    journal = two.journal("A")
    cut = bytes(broken.contents[broken.names[journal]])
    cut = cut[: cut.rindex(b"TERNSTAT")]
    machine = Machine(spoil(broken, journal, lambda data: cut))
    assert not any("register" in line for line in machine.engine.report)
    with pytest.raises((MQError, IntegrityError), match=f"journal {journal}"):
        machine.drain("A")
    assert len(Machine(broken).drain("A")) == 19


@pytest.mark.parametrize("path", ["catalog", "catalog.changes"])
def test_catalog_of_an_earlier_checkpoint_then_named(path: str) -> None:
    two = TwoQueues()
    earlier = bytes(two.disk.contents[two.disk.names[path]])
    machine = Machine(two.disk)
    machine.define("C")
    if path == "catalog":
        machine.kernel.catalog.write_whole()
    machine.checkpoint()
    with pytest.raises(IntegrityError, match="catalog is of LSN"):
        Machine(spoil(two.disk, path, lambda data: earlier))


def test_journal_deleted_while_running_then_the_next_checkpoints_rewrite_it() -> None:
    two = TwoQueues()
    machine = Machine(two.disk)
    machine.get("A", msg_id=two.ids[6])
    del two.disk.names[two.journal("A")]
    machine.checkpoint()
    assert "state journal" in machine.engine.keeper.last_failure
    machine.checkpoint()
    assert machine.engine.keeper.last_failure == ""
    assert len(Machine(two.disk).drain("A")) == 19


def test_new_segment_deleted_while_running_then_only_that_queue_is_given_up() -> None:
    two = TwoQueues()
    machine = Machine(two.disk)
    before = set(two.segments("A"))
    for number in range(20, 40):
        machine.put("A", b"a%d " % number + bytes(300))
    machine.settle()
    fresh = set(two.segments("A")) - before
    assert fresh
    for path in fresh:
        del two.disk.names[path]
    machine.checkpoint(full=True)
    with pytest.raises(MQError, match="is missing") as caught:
        machine.put("A", b"more")
    assert caught.value.reason == MQRC_OBJECT_DAMAGED
    machine = Machine(two.disk)
    assert confined(machine) == {"A"}
    two.check_b(machine)
