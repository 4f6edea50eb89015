"""Goal: forces are few and in the right order; a failed one ends all; no needed slot is reused.
Method: a disk that records its calls and fails or stops at the n-th.
"""

import errno
import random
from collections.abc import Callable

import pytest

from ternmq.base.errors import ForceFailed, IntegrityError
from ternmq.log.control import CONTROL_PATHS, Control
from ternmq.log.extents import FOLDERS, extent_path
from ternmq.log.files import LogFiles
from ternmq.log.opened import create_log, open_log
from ternmq.log.parameters import CIRCULAR, LINEAR
from ternmq.log.record import LogDamaged
from ternmq.log.tail import TAIL_PATH, save_tail_copy
from ternmq.log.writer import LogBatch
from ternmq.ports.disk import write_all
from ternmq.ports.memory_disk import MemoryDisk
from tests.unit.log.faulty_disk import Crash, PlanDisk
from tests.unit.log.sample import IDENTITY, SampleLog, load, pair, parameters, store

pytestmark = [pytest.mark.core, pytest.mark.promise("P9")]

BLOCK = 4096


def test_write_then_one_write_and_one_datasync_for_each_file_touched() -> None:
    disk = PlanDisk()
    log = SampleLog(disk, parameters(pages=4))
    disk.trace.clear()
    log.batch(b"a" * 100, b"b" * 2000, b"c")
    assert disk.trace == ["pwritev log/active/S0000000.LOG", "datasync log/active/S0000000.LOG"]
    disk.trace.clear()
    for _ in range(30):
        log.append(b"d" * 250)
    batch = log.writer.take()
    assert batch is not None
    assert batch.start_lsn // (4 * BLOCK) == 0
    assert batch.end_lsn // (4 * BLOCK) == 1
    log.files.write(batch)
    assert disk.trace == [
        "pwritev log/active/S0000000.LOG",
        "pwritev log/active/S0000001.LOG",
        "datasync log/active/S0000000.LOG",
        "datasync log/active/S0000001.LOG",
    ]


def test_write_when_dual_then_both_copies_before_it_returns() -> None:
    disk = PlanDisk()
    log = SampleLog(disk, parameters(dual=True))
    disk.trace.clear()
    log.batch(b"a")
    first, second = extent_path(0, 0), extent_path(1, 0)
    wanted = [f"pwritev {first}", f"pwritev {second}", f"datasync {first}", f"datasync {second}"]
    assert disk.trace == wanted
    assert load(disk, first) == load(disk, second)


def test_write_when_the_file_of_an_extent_is_gone_then_force_failed() -> None:
    log = SampleLog(MemoryDisk(), parameters())
    log.opened.reader.table.close()
    log.opened.reader.table.present[0].clear()
    log.append(b"x")
    with pytest.raises(ForceFailed, match=r"S0000000.LOG is not there"):
        log.force()


def test_order_zeros_header_and_name_are_forced_before_an_extent_is_used() -> None:
    disk = PlanDisk()
    log = SampleLog(disk, parameters(LINEAR))
    disk.trace.clear()
    log.files.prepare(3)
    path = extent_path(0, 3)
    assert disk.trace == [
        f"create {path}",
        f"pwritev {path}",
        f"datasync {path}",
        f"pwritev {path}",
        f"datasync {path}",
        "sync_dir log/active",
    ]
    assert disk.durable[disk.keys[path]] == load(disk, path)
    assert disk.size(path) == 5 * BLOCK


def test_order_header_before_records_when_a_slot_is_reused() -> None:
    disk = PlanDisk()
    log = SampleLog(disk, parameters(secondary=0))
    while log.writer.end_lsn < 5 * BLOCK:
        log.batch(b"x" * 3000)
    disk.trace.clear()
    log.checkpoint()
    path = extent_path(0, 0)
    saves = [index for index, line in enumerate(disk.trace) if CONTROL_PATHS[1] in line]
    reuse = disk.trace.index(f"pwritev {path}")
    assert reuse > max(saves)
    assert disk.trace[reuse + 1] == f"datasync {path}"
    assert log.opened.reader.table.slots[3] == 0


def test_prepare_when_every_slot_is_needed_then_integrity_error() -> None:
    log = SampleLog(MemoryDisk(), parameters(secondary=0))
    with pytest.raises(IntegrityError, match="still needed"):
        log.files.prepare(3)
    log.batch(b"x" * 17000)
    with pytest.raises(IntegrityError, match="before the end"):
        log.files.prepare(0)


def test_write_when_extent_is_not_prepared_or_batch_is_misplaced_then_integrity_error() -> None:
    log = SampleLog(MemoryDisk(), parameters(secondary=0))
    log.writer.append(1, 0, 0, [b"x" * 60000])
    batch = log.writer.take()
    assert batch is not None
    with pytest.raises(IntegrityError, match="extent 3 is not prepared"):
        log.files.write(batch)
    batch.start_lsn += BLOCK
    with pytest.raises(IntegrityError, match="expected at 4096"):
        log.files.write(batch)
    with pytest.raises(IntegrityError, match="beyond the end"):
        log.files.release_before(1)
    with pytest.raises(IntegrityError, match="beyond the end"):
        log.files.rewrite(4096, b"x")


def check_refuses_all(disk: PlanDisk, files: LogFiles, batch: LogBatch) -> None:
    """Every use is refused, and none reaches the disk."""
    calls = disk.calls
    uses: list[Callable[[], None]] = [
        lambda: files.write(batch),
        lambda: files.prepare(3),
        lambda: files.release_before(0),
        lambda: files.rewrite(4096, b""),
        lambda: files.make_sound(0),
        files.drop_secondaries,
    ]
    for use in uses:
        with pytest.raises(ForceFailed):
            use()
    assert disk.calls == calls


@pytest.mark.parametrize("dual", [False, True], ids=["single", "dual"])
def test_write_when_any_call_fails_then_force_failed_and_nothing_further(dual: bool) -> None:
    failures = 0
    while True:
        disk = PlanDisk()
        log = SampleLog(disk, parameters(dual=dual))
        log.batch(b"kept")
        log.append(b"x" * 20000)
        batch = log.writer.take()
        assert batch is not None
        failures += 1
        disk.fail_at = disk.calls + failures
        try:
            log.files.write(batch)
        except ForceFailed:
            check_refuses_all(disk, log.files, batch)
        else:
            break
        disk.fail_at = 0
        log.opened.close()
        found = log.restart()
        assert found[0][1] == b"kept"
        assert found == log.written[: len(found)]
    assert failures == (9 if dual else 5)


@pytest.mark.parametrize("kind", [CIRCULAR, LINEAR], ids=["circular", "linear"])
@pytest.mark.parametrize("dual", [False, True], ids=["single", "dual"])
def test_prepare_when_a_file_cannot_be_made_then_oserror_and_later_it_can(
    kind: int, dual: bool
) -> None:
    failed_with: set[int | None] = set()
    failures = 0
    while True:
        disk = PlanDisk(error=errno.ENOSPC)
        log = SampleLog(disk, parameters(kind, dual=dual))
        log.batch(b"x" * 30000)
        extent = log.space.ready
        failures += 1
        disk.fail_at = disk.calls + failures
        try:
            log.files.prepare(extent)
        except OSError as error:
            failed_with.add(error.errno)
        else:
            break
        log.batch(b"goes on")
        log.opened.close()
        assert log.restart() == log.written
        log.batch(b"y" * 20000)
        assert log.restart() == log.written
    assert failures == (13 if dual else 7)
    assert failed_with == {errno.ENOSPC}


@pytest.mark.parametrize("dual", [False, True], ids=["single", "dual"])
def test_prepare_when_it_failed_and_another_slot_becomes_free_then_one_slot_has_the_extent(
    dual: bool,
) -> None:
    failures = 0
    while True:
        disk = PlanDisk(error=errno.ENOSPC)
        log = SampleLog(disk, parameters(dual=dual))
        log.batch(b"x" * 30000)
        extent = log.space.ready
        failures += 1
        disk.fail_at = disk.calls + failures
        before = [set(disk.list(folder)) for folder in FOLDERS[: 1 + dual]]
        try:
            log.files.prepare(extent)
        except OSError:
            assert [set(disk.list(folder)) for folder in FOLDERS[: 1 + dual]] == before
        else:
            break
        for _ in range(3):
            log.checkpoint()
        log.batch(b"y" * 20000)
        log.restart()
        assert log.restart() == log.since(log.opened.control.redo_lsn)
    assert failures == (13 if dual else 7)


@pytest.mark.parametrize("has_records", [False, True])
def test_restart_when_two_slots_name_an_extent_then_the_one_with_records_counts(
    has_records: bool,
) -> None:
    """The name of a file that was given up may come back after a power loss."""
    log = SampleLog(MemoryDisk(), parameters())
    log.batch(b"x" * 3000)
    table = log.opened._table
    file = log.disk.create(extent_path(0, 3))
    behind = b"r" if has_records else b"\0"
    write_all(file, 0, [table.header(0, 3), behind * table.extent_bytes])
    file.close()
    if has_records:
        with pytest.raises(LogDamaged, match="extent 0 is in two slots, 3 and 0"):
            log.restart()
    else:
        assert log.restart() == log.written


def test_restart_when_an_extent_ahead_is_missing_in_one_copy_then_prepared_again_later() -> None:
    log = SampleLog(MemoryDisk(), parameters(dual=True))
    log.batch(b"x")
    log.disk.unlink(extent_path(1, 2))
    assert log.restart() == log.written
    assert not log.disk.exists(extent_path(1, 2))
    assert log.space.ready == 2
    log.prepare()
    assert log.disk.exists(extent_path(1, 2))
    log.batch(b"y" * 40000)
    assert log.restart() == log.written


def test_prepare_when_reused_header_cannot_be_forced_then_force_failed() -> None:
    for call in (1, 2):
        disk = PlanDisk()
        log = SampleLog(disk, parameters(secondary=0))
        while log.writer.end_lsn < 5 * BLOCK:
            log.batch(b"x" * 3000)
        log.files.release_before(1)
        disk.fail_at = disk.calls + call
        with pytest.raises(ForceFailed):
            log.files.prepare(3)


def test_secondaries_when_no_longer_needed_then_gone_after_restart() -> None:
    log = SampleLog(MemoryDisk(), parameters())
    log.batch(b"x" * 60000)
    assert len(log.disk.list("log/active")) == 5
    assert log.restart() == log.written
    assert len(log.disk.list("log/active")) == 5
    for _ in range(10):
        log.checkpoint()
    log.restart()
    assert len(log.disk.list("log/active")) == 3
    log.batch(b"y" * 30000)
    assert log.restart() == log.since(log.opened.control.redo_lsn)


def test_create_when_stopped_anywhere_then_no_log_or_a_whole_one() -> None:
    stop = 1
    while True:
        stop += 1
        disk = PlanDisk(stop_at=stop // 2)
        try:
            create_log(disk, parameters(dual=True), IDENTITY)
        except Crash:
            after = disk.restarted() if stop % 2 else disk.crash(random.Random(stop))
            if not any(after.exists(path) for path in CONTROL_PATHS):
                create_log(after, parameters(dual=True), IDENTITY)
            SampleLog(after).batch(b"works")
        else:
            break
    assert stop > 60
    with pytest.raises(FileExistsError, match="control"):
        create_log(disk, parameters(), IDENTITY)


def test_restart_when_any_call_of_it_fails_then_it_can_be_tried_again() -> None:
    failures = 0
    while True:
        disk = PlanDisk()
        log = SampleLog(disk, parameters(dual=True))
        log.batch(b"x" * 20000, b"y" * 100)
        failures += 1
        disk.fail_at = disk.calls + failures
        try:
            log.restart()
        except ForceFailed:
            assert log.restart() == log.written
        else:
            break
    assert failures > 20


def test_tail_when_rewritten_then_goes_through_the_tail_copy_piece_by_piece() -> None:
    disk = PlanDisk()
    log = SampleLog(disk, parameters(pages=4))
    log.batch(b"x" * 20000)
    disk.trace.clear()
    log.restart()
    tail = [index for index, line in enumerate(disk.trace) if line == f"pwritev {TAIL_PATH}"]
    assert len(tail) == 2
    pieces = [["pwritev"] * 2 + ["datasync"] * 2, ["pwritev", "datasync"]]
    for index, wanted in zip(tail, pieces, strict=True):
        assert disk.trace[index + 1] == f"datasync {TAIL_PATH}"
        calls = [line.split(" log/active/")[0] for line in disk.trace[index + 2 :]]
        assert calls[: len(wanted)] == wanted
    disk.trace.clear()
    log.restart()
    assert f"pwritev {TAIL_PATH}" not in disk.trace


def test_tail_copy_when_the_log_was_spoilt_while_rewriting_then_put_in_place() -> None:
    disk = PlanDisk()
    log = SampleLog(disk, parameters(pages=4))
    log.batch(b"x" * 9000, b"y")
    disk.trace.clear()
    log.restart()
    place = disk.calls - len(disk.trace) + disk.trace.index(f"pwritev {TAIL_PATH}") + 3
    again = PlanDisk()
    again.stop_at = place
    log = SampleLog(again, parameters(pages=4))
    log.batch(b"x" * 9000, b"y")
    with pytest.raises(Crash):
        log.restart()
    after = again.restarted()
    image = load(after, extent_path(0, 0))
    store(after, extent_path(0, 0), image[: 2 * BLOCK] + b"\x77" * (len(image) - 2 * BLOCK))
    opened = open_log(after)
    assert [pair(record) for record in opened.reader.records(4096)] == log.written


def test_tail_copy_when_not_valid_or_missing_then_made_again() -> None:
    foreign = MemoryDisk()
    foreign.make_dir("log")
    save_tail_copy(foreign, Control(parameters(), b"another identity"), 4096, b"x" * 100)
    for junk in (b"", b"x" * 5000, load(foreign, TAIL_PATH), None):
        log = SampleLog(MemoryDisk(), parameters())
        log.batch(b"x" * 5000)
        if junk is None:
            log.disk.unlink(TAIL_PATH)
        else:
            store(log.disk, TAIL_PATH, junk)
        assert log.restart() == log.written
