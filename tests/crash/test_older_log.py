"""Goal (G8): a log that is older than the files beside it, or newer, is refused by name and never
worked with. Method: a queue manager's disk at one time and at a later time; then single folders of
the one beside the rest of the other, as after a restore that brought back only a part.
"""

import threading

import pytest

from ternmq.base.errors import IntegrityError, MQError
from ternmq.base.reasons import MQRC_OBJECT_DAMAGED
from ternmq.host.forcer import Forcer
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import Image, SimDisk

pytestmark = pytest.mark.promise("P6")


def worked(kind: int) -> tuple[Machine, Image]:
    """A queue manager with two queues, and its disk before the later half of the work."""
    disk = SimDisk()
    create(disk, LogParameters(kind, 3, 2, 32, False))
    machine = Machine(disk)
    machine.define("A", 2000)
    machine.define("B", 2000)
    for number in range(20):
        machine.put("A", b"a%d " % number + bytes(300))
        machine.put("B", b"b%d " % number + bytes(300))
    machine.checkpoint(full=True)
    earlier = disk.image()
    for number in range(20, 40):
        machine.put("A", b"a%d " % number + bytes(300))
    return machine, earlier


def image_of(machine: Machine) -> Image:
    assert isinstance(machine.disk, SimDisk)
    return machine.disk.image()


def beside(older: Image, newer: Image, *old_paths: str) -> SimDisk:
    """The newer disk with what lies below some paths as it was on the older one."""
    names = {path: key for path, key in newer.names.items() if not path.startswith(old_paths)}
    contents = {key: newer.contents[key] for key in names.values()}
    for path, key in older.names.items():
        if path.startswith(old_paths):
            names[path] = max(contents) + 1
            contents[names[path]] = older.contents[key]
    return SimDisk(Image(names, contents, newer.folders | older.folders))


def check_damaged(machine: Machine) -> None:
    with pytest.raises(MQError) as caught:
        machine.put("A", b"more")
    assert caught.value.reason == MQRC_OBJECT_DAMAGED


@pytest.mark.parametrize("kind", [CIRCULAR, LINEAR])
def test_log_older_than_the_queues_then_start_refuses_and_names_the_file(kind: int) -> None:
    machine, earlier = worked(kind)
    machine.checkpoint(full=True)
    mixed = beside(earlier, image_of(machine), "log/")
    with pytest.raises(IntegrityError, match=r"queues/.*older than"):
        Machine(mixed)


@pytest.mark.parametrize("kind", [CIRCULAR, LINEAR])
def test_log_older_than_the_catalog_then_start_refuses_and_names_it(kind: int) -> None:
    machine, earlier = worked(kind)
    machine.define("C")
    machine.checkpoint()
    mixed = beside(earlier, image_of(machine), "log/", "queues/")
    with pytest.raises(IntegrityError, match=r"catalog.*older than"):
        Machine(mixed)


@pytest.mark.parametrize("messages", [1, 20])
def test_queues_older_than_the_log_then_start_refuses_and_names_a_journal(messages: int) -> None:
    """The old register goes with the old journals, so it proves nothing against them."""
    machine, _ = worked(CIRCULAR)
    for _ in range(messages):
        earlier = image_of(machine)
        machine.checkpoint(full=True)
        machine.put("A", b"more")
    for _ in range(2):
        machine.put("B", bytes(3000))
        machine.checkpoint(full=True)
    with pytest.raises(IntegrityError, match=r"queues/B~\d+/state.*older than the log"):
        Machine(beside(earlier, image_of(machine), "queues/"))


def test_newest_journal_when_its_queue_is_deleted_then_another_one_is() -> None:
    machine, earlier = worked(CIRCULAR)
    machine.checkpoint(full=True)
    machine.define("C")
    machine.put("C", b"c")
    machine.checkpoint(full=True)
    machine.delete("C")
    machine.checkpoint(full=True)
    mixed = beside(earlier, image_of(machine), "queues/")
    with pytest.raises(IntegrityError, match=r"queues/A~\d+/state.*older than the log"):
        Machine(mixed)


def test_journal_newer_than_the_log_and_the_register_then_named() -> None:
    """One queue's folder was brought back. The start reads only journals that the log speaks of:
    there it is refused, and the others are damaged when they are first used."""
    machine, earlier = worked(CIRCULAR)
    machine.checkpoint(full=True)
    newer = image_of(machine)
    mixed = beside(newer, earlier, "queues/A~")
    again = Machine(mixed)
    with pytest.raises((MQError, IntegrityError), match=r"queues/A~\d+/state.*older than"):
        again.get("A")
    check_damaged(again)
    assert len(again.drain("B")) == 20
    spoken_of = Machine(SimDisk(earlier))
    assert spoken_of.get("A") is not None
    with pytest.raises(IntegrityError, match=r"queues/A~\d+/state.*older than"):
        Machine(beside(newer, image_of(spoken_of), "queues/A~"))


def test_segment_newer_than_its_journal_then_the_queue_is_damaged() -> None:
    """Two lives of a queue after one backup give a segment the same number, with other messages."""
    machine, earlier = worked(CIRCULAR)
    machine.checkpoint(full=True)
    other = Machine(SimDisk(earlier))
    for number in range(60):  # the log is longer when the segment of that number is made
        other.put("B", b"b%d " % number + bytes(3000))
    for number in range(20, 40):
        other.put("A", b"a%d " % number + bytes(300))
    other.checkpoint(full=True)
    here, there = image_of(machine), image_of(other)
    fresh = [
        path
        for path in there.names
        if "/A~" in path and path.endswith(".seg") and path in here.names
        if here.contents[here.names[path]] != there.contents[there.names[path]]
    ]
    assert fresh
    again = Machine(beside(there, here, *fresh))
    with pytest.raises((MQError, IntegrityError), match=r"\.seg.*LSN"):
        again.drain("A")
    check_damaged(again)
    assert len(again.drain("B")) == 20


def test_crash_right_after_journals_or_register_then_no_refusal() -> None:
    """Files that reach as far as the forced log, with no checkpoint that tells of them."""
    machine, _ = worked(CIRCULAR)
    machine.settle()
    machine.engine.keeper.begin(True, False)
    looked_at = 0
    while machine.engine.outbox.effects:
        machine.run(machine.engine.outbox.effects[0])
        again = Machine(SimDisk(image_of(machine)))
        assert len(again.drain("A")) == 40
        looked_at += 1
        machine.finish(machine.running[0][0])
    assert looked_at > 2


@pytest.mark.timeout(10)
def test_force_beyond_the_end_of_the_log_then_an_error_and_no_endless_loop() -> None:
    machine, _ = worked(CIRCULAR)
    machine.settle()
    engine = machine.engine
    with pytest.raises(MQError) as caught:
        Forcer(engine, threading.Lock(), threading.Lock).force(int(engine.log.end_lsn) + 1)
    assert caught.value.reason != 0
    assert "beyond the end of the log" in str(caught.value)
