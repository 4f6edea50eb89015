"""Goal: a torn last batch is the quiet end of the log; anything else that is wrong is named, and
never read past.
Method: cut, zero and flip every byte of small logs; plant stale blocks, old control files, foreign,
swapped and missing extents.
"""

import pytest

from ternmq.base.errors import IntegrityError
from ternmq.log.control import CONTROL_PATHS, load_control
from ternmq.log.extents import extent_path, slot_of_name
from ternmq.log.opened import create_log, open_log
from ternmq.log.parameters import CIRCULAR, LINEAR
from ternmq.log.record import LogDamaged, checksum_seed
from ternmq.log.writer import LogWriter
from ternmq.ports.disk import Disk
from ternmq.ports.memory_disk import MemoryDisk
from tests.unit.log.sample import (
    IDENTITY,
    SampleLog,
    copy_disk,
    load,
    parameters,
    patch,
    read_pairs,
    store,
)

pytestmark = [pytest.mark.core, pytest.mark.promise("P6"), pytest.mark.timeout(60)]

ACTIVE = extent_path(0, 0)
BLOCK = 4096


def three_batches() -> SampleLog:
    """Batches in the stream blocks 1, 2 to 3, and 4; all in the first extent, none proven."""
    log = SampleLog(MemoryDisk(), parameters(pages=8))
    log.batch(b"first", b"of" * 30, b"batch one")
    log.batch(b"second" * 5, b"x" * 4000, b"end of batch two")
    log.batch(b"third", b"y" * 1200, b"", b"last" * 9)
    return log


def place(lsn: int) -> int:
    """Where an LSN of the first extent is in its file."""
    return BLOCK + lsn


def test_cut_after_every_byte_then_a_prefix_and_work_goes_on() -> None:
    log = three_batches()
    image = load(log.disk, ACTIVE)
    starts = [lsn for lsn, _ in log.written]
    last = place(starts[6])
    for fill in (b"", b"\0", b"\xee"):
        disk = copy_disk(log.disk)
        for cut in range(last, place(log.writer.end_lsn) + 1):
            left = image[:cut] + fill * (len(image) - cut)
            store(disk, ACTIVE, left)
            found = read_pairs(disk)
            assert found == log.written[: len(found)]
            whole = [ends(lsn, data) for lsn, data in log.written]
            assert len(found) == sum(1 for end in whole if left[:end] == image[:end])
            if cut % 97 == 0:
                again = SampleLog(copy_disk(disk))
                again.batch(b"more")
                assert again.restart() == found + again.written


def ends(lsn: int, data: bytes) -> int:
    return place(lsn) + 40 + len(data)


def test_cut_before_a_later_batch_then_damaged() -> None:
    log = three_batches()
    image = load(log.disk, ACTIVE)
    middle = [lsn for lsn, _ in log.written][3]
    for cut in range(place(middle), place(4 * BLOCK), 61):
        disk = copy_disk(log.disk)
        store(disk, ACTIVE, image[:cut] + bytes(place(4 * BLOCK) - cut) + image[place(4 * BLOCK) :])
        damaged_or_complete(disk, log)


def damaged_or_complete(disk: Disk, log: SampleLog) -> bool:
    """Whether reading names the damage; if it does not, it must give everything."""
    text = ""
    try:
        assert read_pairs(disk) == log.written
    except LogDamaged as error:
        text = str(error)
        if "S0000000.LOG offset" not in text:
            raise
    return text != ""


def test_flip_of_every_byte_of_the_first_two_batches_then_named_or_no_effect() -> None:
    log = three_batches()
    disk = copy_disk(log.disk)
    image = load(disk, ACTIVE)
    quiet = []
    for offset in range(place(BLOCK), place(4 * BLOCK)):
        patch(disk, ACTIVE, offset, bytes([image[offset] ^ 0x10]))
        if not damaged_or_complete(disk, log):
            quiet.append(offset - BLOCK)
        patch(disk, ACTIVE, offset, image[offset : offset + 1])
    # Only the bytes that align a record to 8 may be wrong unnoticed.
    unused = [
        byte
        for lsn, data in log.written[:6]
        for byte in range(lsn + 40 + len(data), (lsn + 47 + len(data)) & -8)
    ]
    assert quiet == unused


def test_flip_of_every_byte_of_the_last_batch_then_prefix() -> None:
    log = three_batches()
    disk = copy_disk(log.disk)
    image = load(disk, ACTIVE)
    for offset in range(place(4 * BLOCK), place(5 * BLOCK)):
        patch(disk, ACTIVE, offset, bytes([image[offset] ^ 0x10]))
        found = read_pairs(disk)
        assert found == log.written[: len(found)]
        assert len(found) >= 6
        patch(disk, ACTIVE, offset, image[offset : offset + 1])


def test_flip_in_the_last_batch_when_proven_then_damaged() -> None:
    log = three_batches()
    log.save(clean=True)
    image = load(log.disk, ACTIVE)
    quiet = 0
    for offset in range(place(4 * BLOCK), place(5 * BLOCK)):
        patch(log.disk, ACTIVE, offset, bytes([image[offset] ^ 0x10]))
        quiet += 0 if damaged_or_complete(log.disk, log) else 1
        patch(log.disk, ACTIVE, offset, image[offset : offset + 1])
    assert quiet == sum(-len(data) & 7 for _, data in log.written[6:])


@pytest.mark.parametrize("proven", [False, True])
def test_zeroed_sectors_when_a_later_batch_or_proof_is_there_then_damaged(proven: bool) -> None:
    """Zeros at the end of a batch look like padding, zeros for a whole batch like the end."""
    log = three_batches()
    if proven:
        log.save()
    end = 5 if proven else 4
    for start in range(BLOCK, end * BLOCK, 512):
        for stop in range(start + 512, end * BLOCK + 1, 512):
            disk = copy_disk(log.disk)
            patch(disk, ACTIVE, place(start), bytes(stop - start))
            if load(disk, ACTIVE) != load(log.disk, ACTIVE):
                assert damaged_or_complete(disk, log)


@pytest.mark.parametrize("proven", [False, True])
def test_zeros_from_a_record_to_the_end_of_its_batch_then_damaged(proven: bool) -> None:
    """What is left is a valid batch with padding; only the length of the padding is wrong."""
    log = three_batches()
    if proven:
        log.save()
    ends = [2, 2, 2, 4, 4, 4, 5, 5, 5, 5]
    for (lsn, _), end in list(zip(log.written, ends, strict=True))[: 10 if proven else 6]:
        disk = copy_disk(log.disk)
        patch(disk, ACTIVE, place(lsn), bytes(end * BLOCK - lsn))
        # The damage begins at the record, or at the block after if that looks like padding.
        places = f"LSN ({lsn}|{(lsn + BLOCK) & -BLOCK}):"
        with pytest.raises(LogDamaged, match=places):
            read_pairs(disk)


def test_lost_middle_block_of_the_last_batch_then_torn_tail_and_residue_never_believed() -> None:
    """Records that fill blocks exactly: the residue sits where the next record would be."""
    log = SampleLog(MemoryDisk(), parameters(pages=8))
    log.batch(b"a" * 4056, b"b" * 4056, b"c" * 4056, b"d" * 4056)
    residue = load(log.disk, ACTIVE)
    for lost in range(4):
        disk = copy_disk(log.disk)
        patch(disk, ACTIVE, place((1 + lost) * BLOCK), bytes(BLOCK))
        assert read_pairs(disk) == log.written[:lost]
        again = SampleLog(disk)
        assert read_pairs(disk) == log.written[:lost]
        again.batch(b"new" * 10 + bytes(4026))
        assert (
            load(disk, ACTIVE)[place((2 + lost) * BLOCK) :]
            == (residue[place((2 + lost) * BLOCK) :])
        )
        assert read_pairs(disk) == log.written[:lost] + again.written
        assert again.restart() == log.written[:lost] + again.written


def test_stale_batch_start_of_a_lower_epoch_then_end_of_log() -> None:
    log = SampleLog(MemoryDisk(), parameters(pages=8))
    log.restart()
    log.batch(b"epoch two")
    stale = LogWriter(3 * BLOCK, 0, 1, checksum_seed(IDENTITY))
    stale.append(1, 0, 0, [b"stale"])
    batch = stale.take()
    assert batch is not None
    patch(log.disk, ACTIVE, place(3 * BLOCK), b"".join(batch.parts))
    assert read_pairs(log.disk) == log.written


def test_record_planted_in_a_body_without_the_identity_then_not_believed() -> None:
    log = SampleLog(MemoryDisk(), parameters(pages=8))
    forged = LogWriter(3 * BLOCK, 0, 1, 0)
    forged.append(1, 0, 0, [b"forged"])
    batch = forged.take()
    assert batch is not None
    log.batch(b"a" * (2 * BLOCK - 40) + b"".join(batch.parts))
    assert read_pairs(log.disk) == log.written
    patch(log.disk, ACTIVE, place(BLOCK) + 50, b"torn")
    assert read_pairs(log.disk) == []


def test_record_when_its_epoch_is_unknown_to_the_control_file_then_damaged() -> None:
    log = SampleLog(MemoryDisk(), parameters())
    old = [load(log.disk, path) for path in CONTROL_PATHS]
    log.restart()
    log.batch(b"epoch two")
    for path, sector in zip(CONTROL_PATHS, old, strict=True):
        store(log.disk, path, sector)
    with pytest.raises(LogDamaged, match="epoch 1, but a record of epoch 2"):
        read_pairs(log.disk)


def filled(kind: int) -> SampleLog:
    """A log whose records reach into the third extent."""
    log = SampleLog(MemoryDisk(), parameters(kind))
    for index in range(9):
        log.batch(bytes([index]) * 2000, bytes([index]) * 1000)
    assert log.writer.end_lsn // (4 * BLOCK) == 2
    return log


@pytest.mark.parametrize("kind", [CIRCULAR, LINEAR], ids=["circular", "linear"])
@pytest.mark.parametrize("slot", [0, 1, 2])
def test_extent_when_its_header_is_gone_then_damaged_even_if_it_is_the_last(
    kind: int, slot: int
) -> None:
    log = filled(kind)
    patch(log.disk, extent_path(0, slot), 0, b"\xff" * BLOCK)
    with pytest.raises(LogDamaged, match=f"extent {slot} missing"):
        read_pairs(log.disk)


@pytest.mark.parametrize("half", [0, 2048])
def test_extent_when_half_its_header_is_gone_then_no_effect(half: int) -> None:
    log = filled(CIRCULAR)
    for slot in range(3):
        patch(log.disk, extent_path(0, slot), half, b"\xff" * 2048)
    assert read_pairs(log.disk) == log.written
    assert log.restart() == log.written
    assert load(log.disk, extent_path(0, 1))[:2048] == load(log.disk, extent_path(0, 1))[2048:4096]


@pytest.mark.parametrize("kind", [CIRCULAR, LINEAR], ids=["circular", "linear"])
def test_extents_when_swapped_or_missing_then_damaged(kind: int) -> None:
    log = filled(kind)
    first, second = load(log.disk, extent_path(0, 1)), load(log.disk, extent_path(0, 2))
    disk = copy_disk(log.disk)
    store(disk, extent_path(0, 1), second)
    store(disk, extent_path(0, 2), first)
    with pytest.raises(LogDamaged):
        read_pairs(disk)
    disk = copy_disk(log.disk)
    disk.unlink(extent_path(0, 1))
    with pytest.raises(LogDamaged, match="extent 1 missing"):
        read_pairs(disk)


def test_extent_when_of_another_log_then_damaged() -> None:
    log = filled(CIRCULAR)
    other = MemoryDisk()
    create_log(other, parameters(), b"another identity")
    for slot in range(3):
        store(log.disk, extent_path(0, slot), load(other, extent_path(0, slot)))
    log.save()
    with pytest.raises(LogDamaged):
        read_pairs(log.disk)


def test_extent_when_in_two_slots_then_damaged() -> None:
    log = filled(CIRCULAR)
    patch(log.disk, extent_path(0, 2), 0, log.opened.reader.table.header(1, 2))
    with pytest.raises(LogDamaged, match="two slots"):
        open_log(log.disk)


def test_stale_header_of_an_earlier_lap_then_damaged() -> None:
    log = SampleLog(MemoryDisk(), parameters(secondary=0))
    while log.writer.end_lsn < 8 * BLOCK:
        log.batch(b"x" * 3000)
    old = load(log.disk, extent_path(0, 0))[:BLOCK]
    log.checkpoint()
    while log.writer.end_lsn < 14 * BLOCK:
        log.batch(b"y" * 3000)
    assert read_pairs(log.disk) == log.since(load_control(log.disk).redo_lsn)
    patch(log.disk, extent_path(0, 0), 0, old)
    with pytest.raises(LogDamaged, match="extent 3 missing"):
        read_pairs(log.disk)


def test_resume_when_not_read_to_the_end_then_integrity_error() -> None:
    log = three_batches()
    opened = open_log(log.disk)
    with pytest.raises(IntegrityError):
        opened.resume(4096)
    next(iter(opened.reader.records(4096)))
    with pytest.raises(IntegrityError):
        opened.resume(opened.reader.end_lsn)


def test_names_of_other_files_in_the_folder_then_ignored() -> None:
    log = three_batches()
    for name in ("S0000000.LOG.bak", "readme", "S000000x.LOG", "S1.LOG", "S00000000.LOG"):
        assert slot_of_name(name) == -1
        store(log.disk, f"log/active/{name}", b"junk")
    assert slot_of_name("S12345678.LOG") == 12345678
    assert read_pairs(log.disk) == log.written
