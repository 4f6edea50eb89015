"""Segment bytes and the id hash, without files: layout as specified, spread, known values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.errors import IntegrityError
from ternmq.store.segment_format import (
    HASH_BITS,
    SegmentBuilder,
    hash_id,
    index_bytes,
)
from tests.unit.store.segment_samples import Sample, built, message_id, small_segment

pytestmark = pytest.mark.core


def test_parts_and_file_bytes_agree() -> None:
    builder = built(small_segment())
    content = b"".join(builder.parts())
    assert len(content) == builder.file_bytes()
    assert len(content) == builder.bytes + index_bytes(4, [3, 3, 1]) + 64
    assert content[:8] == b"TERNSEG\0"
    assert content[-64:-56] == b"TERNFOOT"
    assert content == b"".join(builder.parts())


def test_bodies_are_not_copied() -> None:
    body = bytes(5000)
    parts = built([Sample(1, body)]).parts()
    assert any(part is body for part in parts)


@pytest.mark.parametrize(("header", "mqmd"), [(51, 364), (52, 363), (53, 364), (52, 365)])
def test_add_of_wrong_lengths_is_refused(header: int, mqmd: int) -> None:
    builder = SegmentBuilder(1, 1, 1)
    no_id = bytes(24)
    with pytest.raises(IntegrityError, match="message 9"):
        builder.add(bytes(header), bytes(mqmd), b"", b"", 9, 0, 0, 0, 0, no_id, no_id, no_id)


def test_hash_id_has_known_values() -> None:
    """The hash lies in files, so it may not change, nor differ between builds."""
    assert hash_id(bytes(24)) == 686210263411173018
    assert hash_id(message_id(1)) == 2491068279869124526
    assert hash_id(bytes(range(232, 256))) == 2090386571823605486


@given(st.binary(min_size=24, max_size=24))
def test_hash_id_fits_its_bits(identifier: bytes) -> None:
    assert 0 <= hash_id(identifier) < 1 << HASH_BITS


@pytest.mark.parametrize("length", [0, 23, 25])
def test_hash_of_wrong_length_is_refused(length: int) -> None:
    with pytest.raises(IntegrityError, match=f"{length} bytes"):
        hash_id(bytes(length))


def make_consecutive(count: int) -> list[bytes]:
    return [message_id(0x0011223344000000 + n) for n in range(count)]


def make_high_counter(count: int) -> list[bytes]:
    return [n.to_bytes(8, "big") + b"fixed tail 12345" for n in range(count)]


def make_one_bit(count: int) -> list[bytes]:
    singles = [1 << bit for bit in range(192)]
    pairs = [one | two for one in singles for two in singles]
    return [value.to_bytes(24, "little") for value in sorted(set(pairs))[:count]]


@pytest.mark.parametrize("make", [make_consecutive, make_high_counter, make_one_bit])
@pytest.mark.parametrize("shift", [0, 29, 52])
def test_hash_of_ids_alike_spreads(make: object, shift: int) -> None:
    """10,000 ids in 1,024 bins of any ten bits: as even as chance, and no two hashes equal."""
    assert callable(make)
    identifiers: list[bytes] = make(10_000)
    hashes = [hash_id(identifier) for identifier in identifiers]
    assert len(set(hashes)) == len(identifiers)
    bins = [0] * 1024
    for value in hashes:
        bins[value >> shift & 1023] += 1
    mean = len(hashes) / 1024
    chi_square = sum((held - mean) ** 2 / mean for held in bins)
    # Expected 1,023 with deviation 45; more evenly than chance is no fault.
    assert chi_square < 1023 + 6 * 45
