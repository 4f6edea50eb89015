"""Goal: the descriptor, which has a reader and writer of its own, agrees with its table.

Method: compare with the general reader and writer; known bytes; the fields one by one.
"""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.errors import FormatError
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqmd import LAYOUT, Descriptor
from ternmq.codec.mqi.structure import Structure
from tests.unit.codec.structure_samples import ORDERS, structures

pytestmark = pytest.mark.core

DESCRIPTORS = structures(Descriptor)


@given(DESCRIPTORS, st.sampled_from(ORDERS))
def test_own_writer_agrees_with_the_general_one(made: Structure, order: str) -> None:
    assert made.pack(order) == LAYOUT.write(made.version, made.values(), order)


@given(DESCRIPTORS, st.sampled_from(ORDERS))
def test_own_reader_agrees_with_the_general_one(made: Structure, order: str) -> None:
    packed = made.pack(order)
    version, values = LAYOUT.read(packed, 0, order)
    read = Descriptor.unpack(packed, 0, order)
    assert read.version == version
    for name, value in values.items():
        assert getattr(read, name) == value


@given(st.binary(min_size=364, max_size=364), st.sampled_from([1, 2]))
def test_any_bytes_are_read_alike_and_written_again(noise: bytes, version: int) -> None:
    data = b"MD  " + version.to_bytes(4, "little") + noise[8:]
    _, values = LAYOUT.read(data)
    read = Descriptor.unpack(data)
    assert {name: getattr(read, name) for name in values} == values
    again = Descriptor.unpack(read.pack())
    assert again == read


def test_defaults_are_those_of_the_mqi() -> None:
    packed = Descriptor().pack()
    assert packed == (
        b"MD  "
        + b"".join(n.to_bytes(4, "little", signed=True) for n in (2, 0, 8, -1, 0, 546, 0))
        + b" " * 8
        + (-1).to_bytes(4, "little", signed=True)
        + (2).to_bytes(4, "little")
        + bytes(24 + 24 + 4)
        + b" " * (48 + 48 + 12)
        + bytes(32)
        + b" " * 32
        + bytes(4)
        + b" " * (28 + 8 + 8 + 4)
        + bytes(24)
        + (1).to_bytes(4, "little")
        + bytes(8)
        + (-1).to_bytes(4, "little", signed=True)
    )


def test_version_1_is_the_first_324_bytes() -> None:
    made = Descriptor(msg_id=b"M" * 24, group_id=b"G" * 24, reply_to_queue="REPLIES")
    whole = made.pack(BIG)
    made.version = 1
    assert made.pack(BIG) == whole[:4] + b"\0\0\0\x01" + whole[8:324]


def test_short_identifiers_are_filled_with_zeros() -> None:
    assert Descriptor.unpack(Descriptor(msg_id=b"ABC").pack()).msg_id == b"ABC" + bytes(21)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (Descriptor(user_id="x" * 13), "user_id has 13 bytes, 12 fit"),
        (Descriptor(msg_id=bytes(25)), "msg_id has 25 bytes, 24 fit"),
        (Descriptor(group_id=bytes(25)), "group_id has 25 bytes, 24 fit"),
        (Descriptor(report=2**31), "MQMD: "),
        (Descriptor(version=3), "version 3 is not known"),
    ],
)
def test_field_that_does_not_fit_is_refused(made: Descriptor, text: str) -> None:
    for ccsid in (1208, 500):
        with pytest.raises(FormatError, match=text) as caught:
            made.pack(ccsid=ccsid)
        assert caught.value.reason == 2026


def test_texts_come_without_blanks_and_end_at_a_nul() -> None:
    packed = bytearray(Descriptor(put_appl_name="amqsput", user_id="app").pack())
    packed[276 + 7 : 276 + 10] = b" \0x"
    packed[32:40] = b"\0STR    "
    read = Descriptor.unpack(bytes(packed))
    assert (read.put_appl_name, read.user_id, read.format) == ("amqsput", "app", "")


def test_bytes_that_are_no_text_survive() -> None:
    packed = bytearray(Descriptor().pack())
    packed[240:244] = b"\xff\xfe\x80A"
    assert Descriptor.unpack(bytes(packed)).pack() == bytes(packed)


def test_put_moment_is_read_from_date_and_time() -> None:
    made = Descriptor(put_date="20260102", put_time="03040567")
    assert made.put_datetime == datetime(2026, 1, 2, 3, 4, 5, 670_000, tzinfo=UTC)
    assert Descriptor().put_datetime is None


def test_copy_is_equal_and_apart() -> None:
    made = Descriptor(msg_id=b"M" * 24, version=1)
    copied = made.copy()
    assert copied == made
    copied.priority = 7
    assert made.priority == -1


def test_repr_shows_the_fields_that_were_set() -> None:
    assert repr(Descriptor(format="MQSTR", priority=3)) == "Descriptor(format='MQSTR', priority=3)"


def test_ebcdic_descriptor_has_ebcdic_characters() -> None:
    packed = Descriptor(format="MQSTR").pack(BIG, 37)
    assert packed[:4] == bytes.fromhex("d4c44040")
    assert packed[32:40] == bytes.fromhex("d4d8e2e3d9404040")
    assert Descriptor.unpack(packed, 0, BIG, 37).format == "MQSTR"
    with pytest.raises(FormatError):
        Descriptor.unpack(packed, 0, LITTLE, 1208)
