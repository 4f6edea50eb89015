"""Goal: what was written is read back, over blocks, extents, laps and restarts, in both kinds of
log, single and dual; a copy that is bad is named and not needed.
Method: small logs in memory, compared with what was appended.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.log.control import load_control
from ternmq.log.extents import slot_of_name
from ternmq.log.kinds import COMMIT
from ternmq.log.opened import open_log
from ternmq.log.parameters import CIRCULAR, LINEAR
from ternmq.log.reader import LogReader
from ternmq.log.record import LogDamaged
from ternmq.ports.memory_disk import MemoryDisk
from tests.unit.log.faulty_disk import PlanDisk
from tests.unit.log.sample import SampleLog, load, pair, parameters, patch, read_pairs

pytestmark = pytest.mark.core

ACTIVE = "log/active/S0000000.LOG"


@given(st.lists(st.lists(st.binary(max_size=5000), max_size=4), max_size=6), st.booleans())
def test_batches_when_read_back_then_the_same(batches: list[list[bytes]], dual: bool) -> None:
    log = SampleLog(MemoryDisk(), parameters(LINEAR, dual=dual))
    for payloads in batches:
        log.batch(*payloads)
    assert read_pairs(log.disk) == log.written
    assert log.restart() == log.written


def test_record_when_read_then_every_field_is_there() -> None:
    log = SampleLog(MemoryDisk(), parameters())
    first = log.writer.append(1, 5, 0, [b"one"])
    second = log.writer.append(COMMIT, 5, first, [])
    log.force()
    records = list(LogReader(log.disk, load_control(log.disk)).records(4096))
    assert [record.lsn for record in records] == [first, second]
    last = records[1]
    assert (last.kind, last.uow, last.previous, last.payload) == (COMMIT, 5, first, b"")
    assert (last.flags, last.epoch, last.end_lsn) == (0, 1, second + 40)


def test_record_when_spanning_blocks_and_extents_then_whole() -> None:
    log = SampleLog(MemoryDisk(), parameters(LINEAR))
    log.batch(b"a" * 5000)
    log.batch(b"b" * 13000, b"c" * 40000)
    log.batch(b"d")
    assert read_pairs(log.disk) == log.written
    for lsn, payload in log.written:
        assert log.opened.reader.record_at(lsn).payload == payload


def test_record_when_larger_than_the_window_then_whole() -> None:
    log = SampleLog(MemoryDisk(), parameters(LINEAR, pages=100))
    log.batch(b"a" * 700_000, b"b" * 700_000, b"c" * 3_000_000, b"d")
    assert read_pairs(log.disk) == log.written
    assert log.opened.reader.record_at(log.written[2][0]).payload == b"c" * 3_000_000


@pytest.mark.parametrize("dual", [False, True], ids=["single", "dual"])
@pytest.mark.parametrize("kind", [CIRCULAR, LINEAR], ids=["circular", "linear"])
def test_log_when_written_for_many_laps_and_lives_then_nothing_is_lost(
    kind: int, dual: bool
) -> None:
    chance = random.Random(5)
    log = SampleLog(MemoryDisk(), parameters(kind, dual=dual))
    for _ in range(25):
        for _ in range(12):
            if not log.space.fits(4 * 4096, 0):
                log.checkpoint()
            for _ in range(chance.randrange(1, 4)):
                log.append(chance.randbytes(chance.randrange(3000)))
            log.force()
            if chance.random() < 0.5:
                log.checkpoint(log.written[-1][0])
        if chance.random() < 0.5:
            log.save(clean=True)
        log.opened.close()
        redo = load_control(log.disk).redo_lsn
        assert log.restart() == log.since(redo)
    assert log.writer.epoch == 26
    laps = log.writer.end_lsn // (5 * log.opened.control.parameters.extent_bytes)
    assert laps > 5
    names = log.disk.list("log/active")
    assert len(names) <= 5 if kind == CIRCULAR else len(names) > 25
    assert log.disk.list("log/active2") == (names if dual else [])


def test_redo_lsn_when_it_points_at_padding_then_reading_starts_at_the_next_batch() -> None:
    log = SampleLog(MemoryDisk(), parameters())
    log.batch(b"first")
    end = log.written[-1][0] + 48
    log.batch(b"second")
    reader = LogReader(log.disk, load_control(log.disk))
    assert [record.payload for record in reader.records(end)] == [b"second"]


@pytest.mark.parametrize("kind", [CIRCULAR, LINEAR], ids=["circular", "linear"])
def test_dual_when_one_copy_is_bad_in_any_sector_then_read_and_repaired(kind: int) -> None:
    log = SampleLog(MemoryDisk(), parameters(kind, dual=True, pages=2, secondary=4))
    log.batch(b"a" * 100, b"b" * 700)
    log.batch(b"c" * 3900, b"d" * 1200)
    log.batch(b"e" * 9000)
    log.batch(b"f")
    for copy in ("active", "active2"):
        for name in log.disk.list("log/active"):
            path = f"log/{copy}/{name}"
            good = load(log.disk, path)
            # The part of the file that holds records.
            start = slot_of_name(name) * 8192 - 4096
            low, high = max(4096, 4096 - start), max(log.writer.end_lsn - start, 0)
            for offset in range(0, len(good), 512):
                for junk in (bytes(512), b"\xa5" * 512):
                    patch(log.disk, path, offset, junk)
                    opened = open_log(log.disk)
                    reader = opened.reader
                    found = [pair(record) for record in reader.records(4096)]
                    assert found == log.written
                    for repair in reader.repairs:
                        assert f"log/{copy}/" in repair.place
                    opened.resume(reader.end_lsn)
                    opened.close()
                    assert copy == "active2" or load(log.disk, path)[low:high] == good[low:high]
                    patch(log.disk, path, 0, good)
    assert read_pairs(log.disk) == log.written


def test_dual_when_a_file_or_a_whole_copy_is_gone_then_made_again() -> None:
    log = SampleLog(MemoryDisk(), parameters(dual=True))
    for index in range(6):
        log.batch(bytes([index]) * 4000, b"x")
    for copy in ("active", "active2"):
        names = log.disk.list(f"log/{copy}")
        images = [load(log.disk, f"log/{copy}/{name}")[4096:] for name in names]
        for name in names:
            log.disk.unlink(f"log/{copy}/{name}")
        assert log.restart() == log.written
        assert log.opened.reader.repairs == [] or copy == "active"
        again = [load(log.disk, f"log/{copy}/{name}")[4096:] for name in names[:2]]
        assert again == images[:2]
    assert read_pairs(log.disk) == log.written


def test_dual_when_a_file_is_cut_then_made_whole_from_the_other_copy() -> None:
    for copy in ("active", "active2"):
        log = SampleLog(MemoryDisk(), parameters(dual=True))
        log.batch(b"a" * 9000)
        log.save()
        path = f"log/{copy}/S0000000.LOG"
        good = load(log.disk, path)
        for length in (0, 100, 4096, 9000, 9001, 16384):
            file = log.disk.open(path)
            file.truncate(length)
            file.close()
            assert log.restart() == log.written
            assert load(log.disk, path) == good


def test_dual_when_both_files_are_cut_after_the_end_then_filled_with_zeros() -> None:
    log = SampleLog(MemoryDisk(), parameters(dual=True))
    log.batch(b"a" * 9000)
    good = load(log.disk, ACTIVE)
    for copy in ("active", "active2"):
        file = log.disk.open(f"log/{copy}/S0000000.LOG")
        file.truncate(18001)
        file.close()
    assert log.restart() == log.written
    assert load(log.disk, ACTIVE) == load(log.disk, "log/active2/S0000000.LOG") == good


@pytest.mark.parametrize("copy", ["active", "active2"])
def test_dual_when_a_file_cannot_be_read_then_the_other_copy_serves(copy: str) -> None:
    disk = PlanDisk()
    log = SampleLog(disk, parameters(dual=True))
    log.batch(b"a" * 9000, b"b" * 9000)
    disk.broken.add((f"log/{copy}/S0000000.LOG", "pread"))
    reader = open_log(disk).reader
    assert [pair(record) for record in reader.records(4096)] == log.written
    assert [repair.bad_copy for repair in reader.repairs] == ([0, 0] if copy == "active" else [])


def test_single_when_a_file_cannot_be_read_then_oserror_names_it() -> None:
    disk = PlanDisk()
    log = SampleLog(disk, parameters())
    log.batch(b"a")
    disk.broken.add((ACTIVE, "pread"))
    with pytest.raises(OSError, match=ACTIVE):
        open_log(disk)


def test_record_at_when_there_is_none_then_damaged_names_the_place() -> None:
    log = SampleLog(MemoryDisk(), parameters())
    log.batch(b"first")
    with pytest.raises(LogDamaged, match=r"S0000000.LOG offset 8240, LSN 4144"):
        log.opened.reader.record_at(4144)
    with pytest.raises(LogDamaged, match="extent 61035 missing"):
        log.opened.reader.record_at(10**9)


def test_record_at_when_one_copy_is_bad_then_the_other_serves() -> None:
    log = SampleLog(MemoryDisk(), parameters(dual=True))
    log.batch(b"first")
    patch(log.disk, ACTIVE, 8192 + 41, b"X")
    assert log.opened.reader.record_at(4096).payload == b"first"
