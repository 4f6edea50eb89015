"""Goal: the delay header is what its head says, and nothing else is taken for one."""

from __future__ import annotations

import struct

import pytest

from ternmq.base.errors import IntegrityError
from ternmq.codec.headers.delay_header import HEADER_BYTES, DelayHeader, unpack_delay_header
from ternmq.codec.mqi.mqmd import Descriptor

pytestmark = pytest.mark.core

FIELDS = ("descriptor", "due_ns", "expiry_at", "flags", "put_ns", "qmgr", "queue", "xmitq")


def header() -> DelayHeader:
    made = DelayHeader("A.QUEUE", "QM2", "TO.QM2", 3)
    made.put_ns = 2
    made.expiry_at = 5
    made.flags = 17
    made.descriptor = Descriptor(msg_id=b"m" * 24, priority=4, persistence=1).pack()
    return made


def test_header_when_packed_and_unpacked_then_it_is_the_same() -> None:
    packed = header().pack()
    assert len(packed) == HEADER_BYTES == 548
    found = unpack_delay_header(packed + b"data")
    for name in FIELDS:
        assert getattr(found, name) == getattr(header(), name)


def test_header_when_packed_then_fields_are_where_the_page_says() -> None:
    packed = header().pack()
    assert struct.unpack_from("<4sIIIqqq", packed) == (b"TDDH", 1, 548, 17, 3, 2, 5)
    assert packed[40:88].rstrip() == b"A.QUEUE"
    assert packed[88:136].rstrip() == b"QM2"
    assert packed[136:184].rstrip() == b"TO.QM2"
    assert packed[184:188] == b"MD  "


@pytest.mark.parametrize("at", [0, 4, 8])
def test_header_when_a_first_field_is_another_then_it_is_none(at: int) -> None:
    packed = bytearray(header().pack())
    packed[at] ^= 1
    with pytest.raises(IntegrityError):
        unpack_delay_header(bytes(packed))


def test_header_when_it_is_short_then_it_is_none() -> None:
    with pytest.raises(IntegrityError):
        unpack_delay_header(header().pack()[:-1])


def test_name_when_it_has_other_characters_then_it_fits() -> None:
    made = DelayHeader("Größe €" + 60 * "x", "", "", 1)
    made.descriptor = Descriptor(priority=4, persistence=0).pack()
    assert unpack_delay_header(made.pack()).queue.startswith("Größe ?xxx")
