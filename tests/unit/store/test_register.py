"""The register: rows come back as written, the last one wins, and whatever is not what the last
checkpoint spoke of is found. Method: a memory disk; files spoilt byte by byte.
"""

import pytest

from ternmq.base.errors import IntegrityError
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.store.register import (
    REGISTER_PATHS,
    REWRITE_FLOOR_BYTES,
    RegisterPosition,
    RegisterRow,
    append_register,
    load_register,
    no_register,
    rewrite_register,
    should_rewrite_register,
)

pytestmark = [pytest.mark.core, pytest.mark.promise("P6")]


def rows(first: int, count: int, lsn: int) -> list[tuple[int, RegisterRow]]:
    return [(first + at, RegisterRow(lsn + at, lsn + 2, lsn + 1, -at)) for at in range(count)]


def content(disk: MemoryDisk, path: str) -> bytes:
    file = disk.open(path)
    return file.pread(0, file.size())


def put(disk: MemoryDisk, path: str, data: bytes) -> None:
    disk.create(path).pwritev(0, [data])


def reported(disk: MemoryDisk, position: RegisterPosition) -> dict[int, tuple[int, int, int, int]]:
    found, table = load_register(disk, position.statement())
    assert (found.offset, found.statement()) == (position.offset, position.statement())
    return {
        number: (row.journal_lsn, row.image_lsn, row.media_lsn, row.image_ns)
        for number, row in table.items()
    }


def made() -> tuple[MemoryDisk, list[RegisterPosition]]:
    disk = MemoryDisk()
    disk.make_dir("queues")
    positions = [rewrite_register(disk, no_register(), rows(1, 40, 100))]
    positions.append(append_register(disk, positions[-1], rows(3, 1, 900)))
    positions.append(append_register(disk, positions[-1], rows(50, 20, 700)))
    return disk, positions


def test_rows_come_back_and_the_last_of_a_queue_counts() -> None:
    disk, positions = made()
    first = {number: (99 + number, 102, 101, 1 - number) for number in range(1, 41)}
    assert reported(disk, positions[0]) == first
    assert reported(disk, positions[1]) == {**first, 3: (900, 902, 901, 0)}
    assert len(reported(disk, positions[2])) == 60


def test_batch_after_the_statement_then_overwritten_by_the_next() -> None:
    disk, positions = made()
    after = append_register(disk, positions[0], rows(7, 1, 5000))
    assert reported(disk, after)[7] == (5000, 5002, 5001, 0)
    assert len(reported(disk, after)) == 40


def test_rewrite_then_the_file_of_the_last_checkpoint_stays() -> None:
    disk, positions = made()
    before = content(disk, REGISTER_PATHS[positions[-1].file])
    fresh = rewrite_register(disk, positions[-1], rows(1, 2, 10))
    assert fresh.file != positions[-1].file
    assert len(reported(disk, fresh)) == 2
    assert content(disk, REGISTER_PATHS[positions[-1].file]) == before
    assert len(reported(disk, positions[-1])) == 60
    again = rewrite_register(disk, fresh, rows(1, 3, 10))
    assert again.file == positions[-1].file
    assert len(reported(disk, again)) == 3


def test_rewrite_is_due_when_most_of_a_large_file_is_old() -> None:
    assert should_rewrite_register(no_register(), 0)
    assert not should_rewrite_register(RegisterPosition(0, 9, 0, REWRITE_FLOOR_BYTES), 1)
    assert should_rewrite_register(RegisterPosition(0, 9, 0, REWRITE_FLOOR_BYTES + 512), 1)
    assert not should_rewrite_register(RegisterPosition(0, 9, 0, 2 * 40 * 10_000), 10_000)


@pytest.mark.parametrize("at", [*range(0, 32), 40, 200, 1311, 1536, 1560, 2048, 2600])
def test_any_byte_changed_then_found(at: int) -> None:
    disk, positions = made()
    path = REGISTER_PATHS[positions[-1].file]
    data = content(disk, path)
    put(disk, path, data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    with pytest.raises(IntegrityError, match="register"):
        load_register(disk, positions[-1].statement())


def test_cut_anywhere_in_what_counts_then_found() -> None:
    disk, positions = made()
    path = REGISTER_PATHS[positions[-1].file]
    data = content(disk, path)
    end = positions[1].offset + 32 + 20 * 40
    for cut in range(0, end, 16):
        put(disk, path, data[:cut])
        with pytest.raises(IntegrityError, match="register"):
            load_register(disk, positions[-1].statement())


def test_missing_or_another_file_then_found() -> None:
    disk, positions = made()
    path = REGISTER_PATHS[positions[-1].file]
    other, others = made()
    last = append_register(other, others[1], rows(50, 20, 701))
    with pytest.raises(IntegrityError, match="not the one"):
        load_register(disk, last.statement())
    disk.unlink(path)
    with pytest.raises(IntegrityError, match="missing"):
        load_register(disk, positions[-1].statement())
    with pytest.raises(IntegrityError, match="no register"):
        load_register(disk, [2, 1, 0])


def test_none_yet_then_empty() -> None:
    assert reported(MemoryDisk(), no_register()) == {}
