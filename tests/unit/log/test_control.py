"""Goal: one damaged or torn copy of the control file never matters; two do, and are named.
Method: flip every byte and cut at every length, in either copy; stop and fail saves half way.
"""

import pytest

from ternmq.base.checksum import crc32c
from ternmq.base.errors import ForceFailed, IntegrityError
from ternmq.log.control import (
    CONTROL_PATHS,
    Control,
    decode_control,
    encode_control,
    load_control,
)
from ternmq.log.parameters import LINEAR
from ternmq.log.record import LogDamaged
from ternmq.ports.disk import Disk
from ternmq.ports.memory_disk import MemoryDisk
from tests.unit.log.faulty_disk import Crash, PlanDisk
from tests.unit.log.sample import IDENTITY, load, parameters, patch, store

pytestmark = [pytest.mark.core, pytest.mark.promise("P6")]


def saved(disk: Disk) -> Control:
    disk.make_dir("log")
    control = Control(parameters(LINEAR, primary=7, dual=True), IDENTITY)
    control.save(disk)
    control.epoch = 9
    control.forced_lsn = 1 << 40
    control.forced_gap = 4088
    control.checkpoint_lsn = (1 << 40) - 4096
    control.redo_lsn = 1 << 39
    control.oldest_extent = 12
    control.is_clean_stop = True
    control.save(disk)
    return control


def test_save_then_load_gives_every_field_back() -> None:
    disk = MemoryDisk()
    control = saved(disk)
    found = load_control(disk)
    assert encode_control(found) == encode_control(control)
    assert found.faults == []
    assert (found.epoch, found.forced_gap, found.is_clean_stop) == (9, 4088, True)
    assert (found.redo_lsn, found.oldest_extent, found.generation) == (1 << 39, 12, 2)
    assert found.parameters.is_dual
    assert found.parameters.is_linear
    assert len(load(disk, CONTROL_PATHS[0])) == 512


@pytest.mark.parametrize("index", [0, 1])
def test_load_when_any_byte_of_one_copy_is_wrong_then_the_other_counts(index: int) -> None:
    disk = MemoryDisk()
    control = saved(disk)
    sector = load(disk, CONTROL_PATHS[index])
    for offset in range(512):
        patch(disk, CONTROL_PATHS[index], offset, bytes([sector[offset] ^ 0x40]))
        found = load_control(disk)
        assert encode_control(found) == encode_control(control)
        assert CONTROL_PATHS[index] in found.faults[0]
        patch(disk, CONTROL_PATHS[index], offset, sector[offset : offset + 1])
    for length in range(512):
        store(disk, CONTROL_PATHS[index], sector[:length])
        assert load_control(disk).generation == 2
    disk.unlink(CONTROL_PATHS[index])
    assert load_control(disk).generation == 2


def test_load_when_both_copies_are_bad_then_damaged_names_both() -> None:
    disk = MemoryDisk()
    saved(disk)
    patch(disk, CONTROL_PATHS[0], 100, b"\xff")
    store(disk, CONTROL_PATHS[1], b"short")
    with pytest.raises(LogDamaged, match=r"control.1: checksum.*control.2: 5 bytes"):
        load_control(disk)


def test_load_when_one_copy_is_older_then_the_newer_counts() -> None:
    for index in (0, 1):
        disk = MemoryDisk()
        control = saved(disk)
        old = load(disk, CONTROL_PATHS[index])
        control.epoch = 10
        control.save(disk)
        store(disk, CONTROL_PATHS[index], old)
        assert load_control(disk).epoch == 10


@pytest.mark.parametrize("bad", [0, 1])
def test_order_copy_that_is_not_the_best_is_written_first(bad: int) -> None:
    first = PlanDisk()
    saved(first)
    patch(first, CONTROL_PATHS[bad], 0, b"garbage")
    control = load_control(first)
    first.trace.clear()
    control.save(first)
    writes = [line for line in first.trace if line.startswith("pwritev")]
    assert writes[0] == f"pwritev {CONTROL_PATHS[bad]}"
    assert first.trace[1] == f"datasync {CONTROL_PATHS[bad]}"
    assert load_control(first).faults == []


def test_save_when_stopped_anywhere_then_old_or_new_is_there() -> None:
    for stop in range(1, 5):
        disk = PlanDisk()
        control = saved(disk)
        disk.stop_at = disk.calls + stop
        control.epoch = 77
        with pytest.raises(Crash):
            control.save(disk)
        assert load_control(disk.restarted()).epoch in (9, 77)


def test_save_when_a_call_fails_then_force_failed() -> None:
    for call in range(1, 5):
        disk = PlanDisk()
        control = saved(disk)
        disk.fail_at = disk.calls + call
        with pytest.raises(ForceFailed, match="control"):
            control.save(disk)


def test_decode_when_content_makes_no_sense_then_damaged() -> None:
    control = Control(parameters(), IDENTITY)
    control.redo_lsn = 8192
    with pytest.raises(LogDamaged, match="redo"):
        decode_control(encode_control(control))
    control.redo_lsn = 4096
    sector = encode_control(control)
    for offset, text in ((12, "version 7"), (56, "7 copies")):
        body = sector[12:offset] + b"\7" + sector[offset + 1 :]
        broken = sector[:8] + crc32c(body).to_bytes(4, "little") + body
        with pytest.raises(LogDamaged, match=text):
            decode_control(broken)
    control.parameters.primary = 1
    with pytest.raises(LogDamaged, match="primary"):
        decode_control(encode_control(control))


def test_checkpoint_when_not_forced_or_going_back_then_integrity_error() -> None:
    control = Control(parameters(), IDENTITY)
    with pytest.raises(IntegrityError):
        control.note_checkpoint(4096, 4096)
    control.forced_lsn = 1 << 20
    assert control.note_checkpoint(50000, 40000) == 2
    assert control.oldest_extent == 2
    with pytest.raises(IntegrityError):
        control.note_checkpoint(60000, 39992)


def test_control_when_identity_has_the_wrong_length_then_integrity_error() -> None:
    with pytest.raises(IntegrityError):
        Control(parameters(), b"short")


def test_save_when_one_has_failed_then_refused_for_ever() -> None:
    """A second try may succeed although what the first one wrote is lost."""
    disk = PlanDisk()
    disk.make_dir("log")
    control = Control(parameters(), IDENTITY)
    control.save(disk)
    disk.fail_at = disk.calls + 1
    with pytest.raises(ForceFailed, match=r"control\.1"):
        control.save(disk)
    disk.fail_at = 0
    calls = disk.calls
    with pytest.raises(ForceFailed, match="before"):
        control.save(disk)
    assert disk.calls == calls
