"""Goal: records come out as the format says, sealed on blocks; nothing is lost between parts.
Method: build batches, decode their bytes by hand and with the decoder.
"""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.checksum import crc32c
from ternmq.base.errors import IntegrityError
from ternmq.log.kinds import PUT
from ternmq.log.parts import LARGE_PART_BYTES, cut_parts, gather_parts
from ternmq.log.record import (
    PAYLOAD_BYTES_MAX,
    block_end,
    checksum_seed,
    decode_record,
    header_length,
    record_space,
)
from ternmq.log.writer import LogBatch, LogWriter

pytestmark = pytest.mark.core

SEED = checksum_seed(bytes(16))


def joined(batch: LogBatch | None) -> bytes:
    assert batch is not None
    data = b"".join(batch.parts)
    assert len(data) == batch.end_lsn - batch.start_lsn
    return data


def test_append_then_bytes_are_as_specified() -> None:
    writer = LogWriter(8192, 24, 3, SEED)
    lsn = writer.append(PUT, 77, 4096, [b"ab", b"", b"cde"])
    data = joined(writer.take())
    body = struct.pack("<IQBBHIQQ", 45, lsn, 1, 1, 24, 3, 77, 4096) + b"abcde"
    assert lsn == 8192
    assert data[:4] == struct.pack("<I", crc32c(body, SEED))
    assert data[4:45] == body
    assert data[45:] == bytes(4096 - 45)


def test_append_when_second_in_batch_then_no_flag_no_gap_and_aligned() -> None:
    writer = LogWriter(4096, 0, 1, SEED)
    writer.append(PUT, 0, 0, [b"x"])
    lsn = writer.append(PUT, 0, 0, [b"y" * 24])
    assert lsn == 4096 + 48
    assert writer.end_lsn == lsn + 64
    assert writer.records == 2
    assert writer.buffered_bytes == 48 + 64
    record = decode_record(joined(writer.take()), 48, 64, SEED)
    assert record is not None
    assert (record.flags, record.gap, record.lsn, record.end_lsn) == (0, 0, lsn, lsn + 64)


def test_take_when_nothing_buffered_then_none() -> None:
    writer = LogWriter(4096, 0, 1, SEED)
    assert writer.take() is None
    assert writer.end_lsn == 4096


def test_take_then_next_batch_starts_on_a_block_and_reports_the_gap() -> None:
    writer = LogWriter(4096, 0, 1, SEED)
    writer.append(PUT, 0, 0, [b"x" * 24])
    first = writer.take()
    assert first is not None
    assert (first.start_lsn, first.record_end, first.end_lsn) == (4096, 4160, 8192)
    assert writer.end_lsn == 8192
    writer.append(PUT, 0, 0, [b"y"])
    record = decode_record(joined(writer.take()), 0, 41, SEED)
    assert record is not None
    assert (record.flags, record.gap) == (1, 8192 - 4160)
    assert writer.forced_lsn == 4096
    writer.forced(first)
    assert (writer.forced_lsn, writer.forced_gap) == (8192, 8192 - 4160)


def test_take_when_record_ends_at_block_then_no_padding() -> None:
    writer = LogWriter(4096, 0, 1, SEED)
    writer.append(PUT, 0, 0, [bytes(4096 - 40)])
    batch = writer.take()
    assert batch is not None
    assert batch.record_end == batch.end_lsn == 8192


def test_forced_when_out_of_order_then_integrity_error() -> None:
    writer = LogWriter(4096, 0, 1, SEED)
    writer.append(PUT, 0, 0, [])
    writer.take()
    writer.append(PUT, 0, 0, [])
    second = writer.take()
    assert second is not None
    with pytest.raises(IntegrityError, match="out of order"):
        writer.forced(second)


def test_writer_when_start_is_not_a_block_then_integrity_error() -> None:
    with pytest.raises(IntegrityError):
        LogWriter(4100, 0, 1, SEED)


def test_append_when_too_long_then_integrity_error() -> None:
    writer = LogWriter(4096, 0, 1, SEED)
    part = bytes(1 << 20)
    with pytest.raises(IntegrityError, match="too long"):
        writer.append(PUT, 0, 0, [part] * ((PAYLOAD_BYTES_MAX >> 20) + 1))
    assert writer.take() is None


def test_decode_when_any_bit_is_flipped_then_refused() -> None:
    writer = LogWriter(4096, 0, 1, SEED)
    writer.append(PUT, 5, 6, [b"payload"])
    data = joined(writer.take())[:47]
    assert decode_record(data, 0, 47, SEED) is not None
    for bit in range(47 * 8):
        broken = bytearray(data)
        broken[bit // 8] ^= 1 << bit % 8
        length = header_length(bytes(broken), 0, 4096)
        if 0 < length <= 47:
            assert decode_record(bytes(broken), 0, length, SEED) is None


def test_decode_when_of_another_log_then_refused() -> None:
    writer = LogWriter(4096, 0, 1, SEED)
    writer.append(PUT, 5, 6, [b"payload"])
    data = joined(writer.take())
    assert decode_record(data, 0, 47, checksum_seed(b"another identity")) is None


def test_header_length_when_out_of_bounds_then_zero() -> None:
    for length, lsn in ((39, 8), (41 + PAYLOAD_BYTES_MAX, 8), (0xFFFFFFFF, 8), (40, 16)):
        header = struct.pack("<IIQBBHIQQ", 0, length, lsn, 1, 0, 0, 1, 0, 0)
        assert header_length(header, 0, 8) == 0


def test_sizes_then_aligned() -> None:
    assert [record_space(count) for count in (0, 1, 8, 9)] == [40, 48, 48, 56]
    assert [block_end(lsn) for lsn in (4096, 4097, 8191, 8192)] == [4096, 8192, 8192, 8192]


@given(st.lists(st.sampled_from([0, 1, 700, LARGE_PART_BYTES - 1, LARGE_PART_BYTES, 70000])))
def test_gather_parts_then_same_bytes_in_few_pieces(sizes: list[int]) -> None:
    parts = [bytes([index % 256]) * size for index, size in enumerate(sizes)]
    total = sum(sizes)
    gathered = gather_parts(parts, total)
    assert b"".join(gathered) == b"".join(parts)
    large = sum(1 for size in sizes if size >= LARGE_PART_BYTES)
    assert len(gathered) <= 2 * large + 1


@given(st.lists(st.binary(max_size=9)), st.integers(0, 60), st.integers(0, 60))
def test_cut_parts_then_the_slice_of_the_whole(parts: list[bytes], start: int, count: int) -> None:
    assert b"".join(cut_parts(parts, start, count)) == b"".join(parts)[start : start + count]
