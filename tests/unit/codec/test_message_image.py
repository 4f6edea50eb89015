"""The message image: what is packed comes back, and lengths that cannot be are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.errors import IntegrityError
from ternmq.codec.message_image import (
    BACKOUT_COUNT_MAX,
    FIXED_BYTES,
    HEADER_BYTES,
    MQMD_BYTES,
    PARTS_BYTES_MAX,
    pack_header,
    unpack_header,
)

pytestmark = pytest.mark.core

U64 = st.integers(0, 2**62 - 1)
I64 = st.integers(-(2**62), 2**62 - 1)


@given(
    U64,
    U64,
    I64,
    I64,
    st.binary(max_size=40),
    st.integers(0, 9),
    st.integers(0, 255),
    st.integers(0, BACKOUT_COUNT_MAX),
    U64,
    st.binary(max_size=30),
    st.binary(max_size=9),
)
def test_header_packed_comes_back(
    number: int,
    sequence: int,
    put_ns: int,
    expiry_at: int,
    data: bytes,
    priority: int,
    flags: int,
    backout_count: int,
    visible_lsn: int,
    area: bytes,
    before: bytes,
) -> None:
    packed = pack_header(
        number,
        sequence,
        put_ns,
        expiry_at,
        len(data),
        priority,
        flags,
        backout_count,
        visible_lsn,
        len(area),
    )
    assert len(packed) == HEADER_BYTES
    header = unpack_header(before + packed + bytes(MQMD_BYTES) + area + data, len(before))
    assert header.area_length == len(area)
    assert (header.number, header.sequence) == (number, sequence)
    assert (header.put_ns, header.expiry_at) == (put_ns, expiry_at)
    assert (header.data_length, header.priority, header.flags) == (len(data), priority, flags)
    assert (header.backout_count, header.visible_lsn) == (backout_count, visible_lsn)


def test_header_layout_is_the_one_specified() -> None:
    packed = pack_header(1, 2, 3, -4, 5, 6, 1, 7, 8, 9)
    words = [int.from_bytes(packed[at : at + 8], "little") for at in (0, 8, 16, 40)]
    assert words == [1, 2, 3, 8]
    assert int.from_bytes(packed[24:32], "little", signed=True) == -4
    assert packed[32:40] == b"\x05\0\0\0\x06\x01\x07\0"
    assert packed[48:] == b"\x09\0\0\0"


def test_backout_count_beyond_its_field_stays_at_the_highest() -> None:
    packed = pack_header(1, 2, 3, 4, 0, 5, 1, 70_000, 8)
    assert unpack_header(packed + bytes(MQMD_BYTES), 0).backout_count == BACKOUT_COUNT_MAX


@pytest.mark.parametrize(
    ("length", "area"), [(-1, 0), (PARTS_BYTES_MAX + 1, 0), (1, PARTS_BYTES_MAX)]
)
def test_lengths_that_cannot_be_stored_are_refused(length: int, area: int) -> None:
    with pytest.raises(IntegrityError, match="message 7: data length"):
        pack_header(7, 0, 0, 0, length, 0, 0, 0, 0, area)


def test_image_cut_anywhere_is_refused() -> None:
    image = pack_header(1, 2, 3, 4, 10, 5, 1, 0, 0, 7) + bytes(MQMD_BYTES) + bytes(17)
    for end in range(FIXED_BYTES + 17):
        with pytest.raises(IntegrityError, match="message image at 0"):
            unpack_header(image[:end], 0)
    with pytest.raises(IntegrityError, match="message image at -1"):
        unpack_header(image, -1)
