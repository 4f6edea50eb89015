"""Goal: the transmission header carries the descriptor of the message in version 1.

Method: write and read it with descriptors of both versions, and damage the one inside.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.errors import FormatError
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.structure import Structure
from tests.unit.codec.structure_samples import CCSIDS, ORDERS, structures

pytestmark = pytest.mark.core


@given(structures(Descriptor), st.sampled_from(ORDERS), st.sampled_from(CCSIDS))
def test_header_comes_back_with_version_1(inside: Structure, order: str, ccsid: int) -> None:
    assert isinstance(inside, Descriptor)
    made = TransmissionHeader(remote_queue="ORDERS", remote_qmgr="QM2", descriptor=inside)
    before = inside.version
    packed = made.pack(order, ccsid)
    assert len(packed) == made.size() == 428
    assert inside.version == before
    read = TransmissionHeader.unpack(b"abc" + packed, 3, order, ccsid)
    expected = Descriptor.unpack(packed, 104, order, ccsid)
    assert expected.version == 1
    assert read == TransmissionHeader(remote_queue="ORDERS", remote_qmgr="QM2", descriptor=expected)
    assert read.descriptor.reply_to_queue == inside.reply_to_queue


def test_damaged_descriptor_is_refused_with_its_own_reason() -> None:
    packed = bytearray(TransmissionHeader().pack())
    packed[104] = 0
    with pytest.raises(FormatError) as caught:
        TransmissionHeader.unpack(bytes(packed))
    assert caught.value.reason == 2026


def test_descriptor_of_version_2_is_refused() -> None:
    packed = TransmissionHeader().pack()[:104] + Descriptor().pack()
    with pytest.raises(FormatError, match="version 2") as caught:
        TransmissionHeader.unpack(packed)
    assert caught.value.reason == 2260


def test_repr_shows_where_it_goes() -> None:
    made = TransmissionHeader(remote_queue="Q", descriptor=Descriptor(version=1, priority=4))
    shown = "descriptor=Descriptor(version=1, priority=4)"
    assert repr(made) == f"TransmissionHeader(remote_queue='Q', {shown})"
