"""Recording media images: of what, when, in which steps; and which extents of the log are needed.

Method: an engine in one thread on a simulated disk with a linear log; the clock is turned by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

from ternmq.admin.commands import objects
from ternmq.admin.default_objects import default_objects
from ternmq.base import constants as mq
from ternmq.base.attributes import ALIAS, LOCAL, MODEL
from ternmq.base.command_reasons import MQRCCF_LOG_TYPE_ERROR
from ternmq.base.errors import MQError
from ternmq.base.object_types import NAMELIST, QUEUES
from ternmq.base.reasons import (
    MQRC_OBJECT_DAMAGED,
    MQRC_OPERATION_NOT_ALLOWED,
    MQRC_Q_MGR_STOPPING,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel.media import ImageOrder, begin_image
from ternmq.kernel.recreate import Recreation
from ternmq.log.archive import extent_name, stored_extents
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_clock import SimClock
from ternmq.testing.sim_disk import SimDisk
from ternmq.txn.media.extent_needs import CATALOG_NAME, ExtentRemoval, extent_needs
from ternmq.txn.media.image_recording import PIECE_BYTES_MAX
from tests.media.bench import SINGLE, carry_out, deleted, files_of, record, recreate

pytestmark = [pytest.mark.core, pytest.mark.promise("P7")]

if TYPE_CHECKING:
    from _typeshed import SupportsLenAndGetItem

T = TypeVar("T")
DEFAULTS = {name for kind, name, _ in default_objects() if kind == LOCAL}


def started(
    parameters: LogParameters = SINGLE, clock: SimClock | None = None
) -> tuple[Machine, SimDisk]:
    disk = SimDisk()
    create(disk, parameters)
    machine = Machine(disk, clock=clock)
    machine.settle()
    return machine, disk


def define(machine: Machine, kind: int, name: str, **given: object) -> None:
    assert objects.define(machine.kernel, machine.link, kind, name, dict(given), False)


def alter(machine: Machine, name: str, **given: object) -> None:
    assert objects.alter(machine.kernel, machine.link, QUEUES, name, dict(given))


def alter_qmgr(machine: Machine, **given: object) -> None:
    assert objects.alter_queue_manager(machine.kernel, machine.link, dict(given))


def reason_of(machine: Machine, order: ImageOrder | Recreation) -> int:
    with pytest.raises(MQError) as refused:
        carry_out(machine, order)
    return refused.value.reason


def image_lsn(machine: Machine, name: str) -> int:
    catalog = machine.kernel.catalog
    number = 0 if name == CATALOG_NAME else catalog.definitions[name].object_id
    row = catalog.register.get(number)
    return 0 if row is None else row.image_lsn


# ---- of what


def test_circular_log_then_refused() -> None:
    machine, _ = started(LogParameters(CIRCULAR, 3, 2, 8, False))
    machine.define("A")
    assert reason_of(machine, ImageOrder("*")) == MQRCCF_LOG_TYPE_ERROR
    assert reason_of(machine, Recreation("A")) == MQRCCF_LOG_TYPE_ERROR


def test_one_object_some_or_all() -> None:
    machine, _ = started()
    for name in ("APP.ONE", "APP.TWO", "OTHER"):
        machine.define(name)
    define(machine, ALIAS, "APP.ALIAS", target="OTHER")
    define(machine, MODEL, "MODEL")
    assert record(machine, "APP.ONE") == ["APP.ONE"]
    assert record(machine, "APP.*") == ["APP.ONE", "APP.TWO", CATALOG_NAME]
    assert record(machine, "O*") == ["OTHER"]
    assert record(machine, "APP.ALIAS") == [CATALOG_NAME]
    assert record(machine, "MODEL") == [CATALOG_NAME]
    define(machine, NAMELIST, "LIST.ONE")
    assert record(machine, "LIST.ONE") == record(machine, "LIST.*") == [CATALOG_NAME]
    assert set(record(machine)) == {"APP.ONE", "APP.TWO", "OTHER", *DEFAULTS, CATALOG_NAME}
    for unknown in ("APP.THREE", "Z*"):
        assert reason_of(machine, ImageOrder(unknown)) == MQRC_UNKNOWN_OBJECT_NAME
    assert reason_of(machine, Recreation("APP.THREE")) == MQRC_UNKNOWN_OBJECT_NAME


def test_alias_re_created_then_the_catalog_is_written_again() -> None:
    machine, disk = started()
    machine.define("A")
    define(machine, ALIAS, "ALIAS", target="A")
    define(machine, NAMELIST, "LIST", names="A,B")
    for name in ("ALIAS", "LIST"):
        machine.checkpoint()
        disk.spoil("catalog", lambda data: data[:20])
        recreate(machine, name)
        again = Machine(disk)
        assert again.kernel.catalog.definitions["ALIAS"].text("target") == "A"
        assert again.kernel.catalog.table_of(NAMELIST)["LIST"].text("names") == "A,B"
        assert not any("Recovered" in line for line in again.engine.report)
        machine = again


def test_what_is_not_recoverable_has_no_image() -> None:
    machine, _ = started()
    machine.define("NEVER", image_recover="NO")
    machine.define("ALWAYS", image_recover="YES")
    machine.define("A")
    define(machine, ALIAS, "ALIAS", target="A")
    assert reason_of(machine, ImageOrder("NEVER")) == MQRC_OPERATION_NOT_ALLOWED
    assert reason_of(machine, Recreation("NEVER")) == MQRC_OPERATION_NOT_ALLOWED
    assert "NEVER" not in record(machine)
    alter_qmgr(machine, image_recover_queues="NO", image_recover_objects="NO")
    assert record(machine) == ["ALWAYS"]
    for name in ("A", "ALIAS"):
        assert reason_of(machine, ImageOrder(name)) == MQRC_OPERATION_NOT_ALLOWED


def test_temporary_queue_then_refused() -> None:
    machine, _ = started()
    define(machine, LOCAL, "TEMPORARY")
    definition = machine.kernel.catalog.definitions["TEMPORARY"]
    definition.definition_type = mq.MQQDT_TEMPORARY_DYNAMIC
    assert reason_of(machine, ImageOrder("TEMPORARY")) == MQRC_OPERATION_NOT_ALLOWED


def test_queue_made_recoverable_again_then_it_needs_an_image_first() -> None:
    machine, disk = started()
    machine.define("A")
    machine.put("A", b"one ")
    alter(machine, "A", image_recover="NO")
    extent_needs(machine.engine.keeper)
    alter(machine, "A", image_recover="YES")
    machine.close_handles()
    assert reason_of(machine, Recreation("A")) == MQRC_OPERATION_NOT_ALLOWED
    record(machine, "A")
    machine.checkpoint(full=True)
    for path in files_of(disk, "A"):
        deleted(disk, path)
    recreate(machine, "A")
    assert machine.drain("A") == [b"one "]


def test_damaged_queue_then_no_image_of_it_but_of_the_others() -> None:
    machine, disk = started()
    machine.define("A", 2000)
    machine.define("B")
    for number in range(20):
        machine.put("A", b"%d " % number + bytes(300))
    machine.checkpoint(full=True)
    for path in files_of(disk, "A", ".seg"):
        disk.spoil(path, lambda data: data[:200] + b"?" + data[201:])
    before = image_lsn(machine, "A")
    assert reason_of(machine, ImageOrder("A")) == MQRC_OBJECT_DAMAGED
    order = ImageOrder("*")
    assert reason_of(machine, order) == MQRC_OBJECT_DAMAGED
    assert set(order.recorded) == {"B", *DEFAULTS, CATALOG_NAME}
    assert image_lsn(machine, "A") == before
    recreate(machine, "A")
    assert len(machine.drain("A")) == 20


# ---- in which steps


class NoChance(Chance):
    """Effects run when the test says so."""

    def choice(self, seq: SupportsLenAndGetItem[T]) -> T:
        return seq[0]


def deep(messages: int = 60) -> tuple[Machine, SimDisk]:
    """A queue of several segments."""
    machine, disk = started(LogParameters(LINEAR, 3, 0, 32, False))
    machine.define("A", 2000)
    machine.define("B")
    for number in range(messages):
        machine.put("A", b"%d " % number + bytes(1000))
    machine.checkpoint(full=True)
    machine.close_handles()
    machine.chance = NoChance(0)
    return machine, disk


def test_image_goes_on_in_bounded_steps_while_others_work() -> None:
    machine, _ = deep()
    recording = begin_image(machine.kernel, machine.link, "A")
    assert recording is not None
    log = machine.engine.log
    steps = 0
    while not recording.is_done:
        effect = recording.awaited()
        assert effect is not None
        machine.run(effect)
        before = log.end_lsn
        machine.finish(effect)
        assert log.end_lsn - before <= machine.engine.keeper.extent_bytes
        assert recording.piece_bytes <= PIECE_BYTES_MAX
        machine.put("B", b"%d " % steps)
        steps += 1
    assert steps > 5
    assert recording.reason == 0
    assert len(machine.drain("B")) == steps


def test_segments_die_while_they_are_copied_then_the_image_is_whole_all_the_same() -> None:
    """Their files stay until the image is done, and then go."""
    machine, disk = deep()
    segments = files_of(disk, "A", ".seg")
    recording = begin_image(machine.kernel, machine.link, "A")
    assert recording is not None
    taken = 0
    while not recording.is_done:
        effect = recording.awaited()
        assert effect is not None
        machine.run(effect)
        machine.finish(effect)
        for _ in range(12):
            taken += machine.get("A") is not None
        machine.engine.keeper.begin(False, False)
        while machine.engine.keeper.running is not None:
            machine.run(machine.engine.keeper.running.awaited() or machine.engine.outbox.effects[0])
            machine.finish(machine.running[0][0])
    assert recording.reason == 0
    assert taken == 60
    for number in range(3):
        machine.put("A", b"late %d " % number)
    machine.close_handles()
    recreate(machine, "A")
    assert machine.browse("A") == [b"late %d " % number for number in range(3)]
    machine.checkpoint(full=True)
    assert not set(segments) & set(disk.names)


def test_queue_deleted_while_its_image_is_recorded_then_there_is_none() -> None:
    machine, disk = deep()
    order = ImageOrder("A")
    assert not order.attempt(machine.kernel, machine.connect())
    recording = machine.engine.keeper.recordings.popitem()[1]
    machine.engine.keeper.recordings[recording.object_id] = recording
    machine.delete("A")
    machine.settle()
    assert recording.reason == MQRC_UNKNOWN_OBJECT_NAME
    machine.checkpoint()
    machine.checkpoint()
    assert files_of(disk, "A") == []


def test_stop_while_an_image_is_recorded_then_the_one_before_counts() -> None:
    machine, disk = deep()
    before = image_lsn(machine, "A")
    recording = begin_image(machine.kernel, machine.link, "A")
    assert recording is not None
    machine.engine.stop()
    machine.settle()
    assert recording.reason == MQRC_Q_MGR_STOPPING
    machine.engine.keeper.begin(False, True)
    machine.settle()
    again = Machine(disk)
    assert image_lsn(again, "A") == before
    recreate(again, "A")
    assert len(again.drain("A")) == 60


def test_two_orders_for_one_object_then_one_image() -> None:
    machine, _ = deep()
    first, second = ImageOrder("A"), ImageOrder("A")
    assert not first.attempt(machine.kernel, machine.link)
    assert not second.attempt(machine.kernel, machine.connect())
    assert len(machine.engine.keeper.recordings) == 1
    carry_out(machine, first)
    carry_out(machine, second)
    assert first.recorded == second.recorded == ["A"]


def test_disk_full_then_the_image_fails_and_work_goes_on() -> None:
    machine, disk = deep(500)
    disk.capacity = disk.used() + 8192
    with pytest.raises(MQError, match="2102"):
        record(machine, "A")
    machine.put("B", b"still ")
    disk.capacity = 0
    assert record(machine, "A") == ["A"]


# ---- by themselves


def test_images_by_the_clock() -> None:
    clock = SimClock()
    machine, _ = started(clock=clock)
    machine.define("A")
    machine.put("A", b"one ")
    first = image_lsn(machine, "A")

    def pass_time(minutes: int) -> None:
        clock.advance(minutes * 60)
        machine.engine.tick()
        machine.settle()

    pass_time(200)
    assert image_lsn(machine, "A") == first  # IMGSCHED(MANUAL) is the default
    alter_qmgr(machine, image_schedule="AUTO", image_interval_minutes=30)
    pass_time(1)
    second = image_lsn(machine, "A")
    assert second > first
    assert image_lsn(machine, CATALOG_NAME) > first
    pass_time(20)
    assert image_lsn(machine, "A") == second
    pass_time(11)
    assert image_lsn(machine, "A") > second
    third = image_lsn(machine, "A")
    alter_qmgr(machine, image_interval_minutes="OFF")
    pass_time(500)
    assert image_lsn(machine, "A") == third


def test_images_by_the_growth_of_the_log() -> None:
    clock = SimClock()
    machine, _ = started(LogParameters(LINEAR, 3, 0, 64, False), clock)
    machine.define("A")
    machine.define("B")
    alter_qmgr(machine, image_schedule="AUTO", image_interval_minutes="OFF", image_log_megabytes=1)
    first = image_lsn(machine, "A")
    for round_number in range(3):
        for _ in range(3):
            machine.put("B", bytes(200_000))
        clock.advance(11)
        machine.engine.tick()
        machine.settle()
        assert (image_lsn(machine, "A") > first) == (round_number >= 1)
    assert machine.engine.images.recorded >= 2


def test_many_queues_then_each_gets_its_image_in_one_go() -> None:
    clock = SimClock()
    machine, disk = started(LogParameters(LINEAR, 3, 0, 64, False), clock)
    for number in range(30):
        machine.define(f"Q{number}")
        machine.put(f"Q{number}", b"one ")
    machine.close_handles()
    for _ in range(3):
        machine.checkpoint()
    assert not machine.kernel.catalog.queues
    again = Machine(disk, clock=clock)
    alter_qmgr(again, image_schedule="AUTO", image_interval_minutes=1)
    clock.advance(120)
    before = again.engine.log.end_lsn
    again.engine.tick()
    again.settle()
    assert all(image_lsn(again, f"Q{number}") >= before for number in range(30))
    again.checkpoint()
    assert not again.kernel.catalog.queues  # loaded for that alone


# ---- extents


def test_extents_before_the_oldest_image_and_restart_are_superfluous() -> None:
    machine, disk = started()
    control = machine.engine.opened.control
    machine.define("A")
    machine.define("B")
    for number in range(60):
        machine.put("A", b"%d " % number + bytes(1000))
        machine.put("B", b"%d " % number + bytes(1000))
        if number % 10 == 9:
            machine.checkpoint(full=True)
    needs = extent_needs(machine.engine.keeper)
    assert needs.restart > needs.media == needs.oldest == 0
    record(machine)
    machine.checkpoint(full=True)
    needs = extent_needs(machine.engine.keeper)
    assert 0 < needs.media <= needs.restart <= needs.current
    removal = ExtentRemoval(machine.engine.keeper)
    machine.engine.outbox.add(removal)
    machine.settle()
    assert removal.removed == [extent_name(one) for one in range(needs.oldest)]
    assert stored_extents(disk, control)[0] == needs.oldest
    machine.put("A", b"more ")
    machine.close_handles()
    for name in ("A", "B"):
        for path in files_of(disk, name):
            deleted(disk, path)
        recreate(machine, name)
    assert len(machine.browse("A")) == 61
    again = Machine(disk)
    assert len(again.browse("A")) == 61
    assert len(again.browse("B")) == 60
    catalog = disk.settled()
    deleted(catalog, "catalog")
    assert len(Machine(catalog).drain("B")) == 60


def test_object_whose_image_is_oldest_is_named() -> None:
    machine, _ = started()
    machine.define("A")
    machine.define("B")
    for _ in range(10):
        machine.put("B", bytes(20_000))
    record(machine, "B")
    record(machine, "SYSTEM.*")
    needs = extent_needs(machine.engine.keeper)
    assert needs.media_object == "A"
    record(machine, "A")
    assert extent_needs(machine.engine.keeper).media > needs.media
