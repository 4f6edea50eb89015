"""Goal: a checkpoint ends while definitions and ledger rows change, tells the catalog file what
changed and no more, and a crash or damage there is found. Method: a machine whose work goes on
between any two effects of a checkpoint; the disk's history of writes; disks cut and spoilt.
"""

from collections.abc import Callable

import pytest

from ternmq.base.errors import IntegrityError
from ternmq.engine.engine import Engine
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.store.catalog_file import CATALOG_PATH, CHANGES_PATH, load_catalog
from ternmq.testing.machine import Machine, create
from ternmq.testing.operations import Write
from ternmq.testing.sim_clock import SimClock
from ternmq.testing.sim_disk import Image, SimDisk
from ternmq.values.xid import XID

pytestmark = pytest.mark.promise("P6")

EFFECTS_MAX = 12


def started(kind: int = CIRCULAR) -> tuple[Machine, SimDisk]:
    disk = SimDisk()
    create(disk, LogParameters(kind, 3, 60, 64, False))
    return Machine(disk), disk


def written_bytes(disk: SimDisk, since: int, path: str) -> int:
    key = disk.names[path]
    return sum(
        len(one.data) for one in disk.history[since:] if isinstance(one, Write) and one.key == key
    )


def alter(machine: Machine, name: str, description: str) -> None:
    kernel = machine.kernel
    definition = kernel.catalog.definitions[name]
    definition.attributes["description"] = description
    machine.force(int(kernel.coordinator.define(kernel.catalog, definition)))


def define_more(machine: Machine, number: int) -> None:
    machine.define(f"MORE.{number}")


def commit_more(machine: Machine, number: int) -> None:
    xid = XID(1, b"g%d" % number, b"b", "")
    machine.put("A", b"x", sync=True)
    machine.prepare(xid)
    machine.commit_batch("SINK", number, [xid])


class Busy(Machine):
    """Effects wait until they are asked for."""

    is_busy = False

    def dawdle(self) -> None:
        if not self.is_busy:
            super().dawdle()


@pytest.mark.parametrize("change", [define_more, commit_more])
def test_checkpoint_when_definitions_or_rows_change_all_the_time_then_it_ends(
    change: Callable[[Machine, int], None],
) -> None:
    disk = started()[1]
    machine = Busy(disk)
    machine.define("A")
    machine.settle()
    keeper = machine.engine.keeper
    before = int(keeper.checkpoints)
    keeper.begin(False, False)
    effects = 0
    while int(keeper.checkpoints) == before:
        effects += 1
        assert effects < EFFECTS_MAX, "the checkpoint begins again with every change"
        machine.run(machine.engine.outbox.effects[0])
        machine.is_busy = True
        change(machine, effects)
        machine.is_busy = False
        machine.finish(machine.running[0][0])
    names = machine.kernel.catalog.queue_names()
    rows = sorted(machine.kernel.catalog.ledger)
    again = Machine(SimDisk(disk.image()))
    assert again.kernel.catalog.queue_names() == names
    assert sorted(again.kernel.catalog.ledger) == rows


def test_checkpoint_when_one_of_many_definitions_changed_then_its_size_follows_the_change() -> None:
    machine, disk = started()
    for number in range(1000):
        machine.define(f"Q{number:04d}")
    machine.checkpoint()
    whole = len(disk.contents[disk.names[CATALOG_PATH]])
    for number in range(3):
        since = len(disk.history)
        alter(machine, f"Q{number:04d}", "changed")
        machine.delete(f"Q{500 + number:04d}")
        machine.checkpoint()
        assert written_bytes(disk, since, CATALOG_PATH) == 0
        assert 0 < written_bytes(disk, since, CHANGES_PATH) < 4096 < whole
    again = Machine(SimDisk(disk.image()))
    assert again.kernel.catalog.queue_names() == machine.kernel.catalog.queue_names()
    assert again.kernel.catalog.definitions["Q0002"].text("description") == "changed"


def test_changes_when_longer_than_the_catalog_then_it_is_written_whole() -> None:
    machine, disk = started()
    first = bytes(disk.contents[disk.names[CATALOG_PATH]])
    longest = 0
    machine.define("A")
    for number in range(400):
        alter(machine, "A", f"{number} " + "x" * 50)
        machine.put("A", b"%d" % number)
        machine.checkpoint()
        if CHANGES_PATH in disk.names:
            longest = max(longest, len(disk.contents[disk.names[CHANGES_PATH]]))
        if number % 40 == 0:
            found = load_catalog(SimDisk(disk.image()))
            assert found.definitions["A"].text("description").startswith(f"{number} ")
    assert bytes(disk.contents[disk.names[CATALOG_PATH]]) != first
    assert longest < 100_000


def spoilt(disk: SimDisk, how: str) -> SimDisk:
    image = disk.image()
    names = dict(image.names)
    contents = dict(image.contents)
    key = names[CHANGES_PATH]
    data = bytes(contents[key])
    if how == "missing":
        del names[CHANGES_PATH]
    elif how == "flipped":
        contents[key] = data[:40] + bytes([data[40] ^ 1]) + data[41:]
    elif how == "cut":
        contents[key] = data[: data.rindex(b"TERNCATC")]
    else:
        contents[key] = b""
    return SimDisk(Image(names, contents, image.folders))


@pytest.mark.parametrize("how", ["missing", "flipped", "cut", "empty"])
@pytest.mark.parametrize("kind", [CIRCULAR, LINEAR])
def test_changes_when_spoilt_then_named_and_with_a_linear_log_recovered(
    how: str, kind: int
) -> None:
    machine, disk = started(kind)
    machine.settle()
    machine.checkpoint()
    for name in ("A", "B", "C"):
        machine.define(name)
        machine.checkpoint()
    broken = spoilt(disk, how)
    if kind == CIRCULAR:
        with pytest.raises(IntegrityError, match=r"catalog\.changes"):
            Machine(broken)
        return
    again = Machine(broken)
    assert set(again.kernel.catalog.queue_names()) >= {"A", "B", "C"}
    assert any("catalog.changes" in line for line in again.engine.report)
    again.checkpoint()
    assert set(Machine(broken).kernel.catalog.queue_names()) >= {"A", "B", "C"}


def test_changes_that_no_checkpoint_reports_then_the_next_one_writes_the_catalog_whole() -> None:
    """A batch that was read back after a kill may never have reached the disk."""
    machine, disk = started()
    machine.checkpoint()
    machine.define("A")
    machine.settle()
    machine.engine.keeper.begin(False, False)
    before = written_bytes(disk, 0, CHANGES_PATH)
    while written_bytes(disk, 0, CHANGES_PATH) == before:
        for effect, _ in list(machine.running):
            machine.finish(effect)
        machine.run(machine.engine.outbox.effects[0])
    killed = SimDisk(disk.image())
    again = Machine(killed)
    assert again.engine.records_replayed > 0
    since = len(killed.history)
    again.checkpoint()
    assert written_bytes(killed, since, CATALOG_PATH) > 0
    # Whatever becomes of the batch.
    killed.names.pop(CHANGES_PATH)
    assert "A" in Machine(SimDisk(killed.image())).kernel.catalog.queue_names()


def test_changes_when_a_batch_fails_then_the_next_checkpoint_writes_the_catalog_whole() -> None:
    machine, disk = started()
    machine.checkpoint()
    machine.define("A")

    def fail(call: str, path: str, number: int) -> int | None:
        if path == CHANGES_PATH and call == "datasync":
            raise OSError(5, "input/output error", path)
        return None

    disk.faults = fail
    machine.checkpoint()
    assert "input/output" in machine.engine.keeper.last_failure
    machine.checkpoint()
    assert machine.engine.keeper.last_failure == ""
    disk.faults = None
    assert "A" in Engine(SimDisk(disk.image()), SimClock()).kernel.catalog.queue_names()
