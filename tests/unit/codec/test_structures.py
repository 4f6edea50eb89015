"""Goal: what is written is read again, in both byte orders, several character sets and both forms;
what is not a whole, known structure is refused with the reason code of the structure.

Method: hypothesis over all fields of all structures; every shorter length; wrong first bytes.
"""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.base.errors import FormatError, MQError
from ternmq.codec.headers.mqmde import DescriptorExtension
from ternmq.codec.headers.mqtmc import TriggerMessageText
from ternmq.codec.mqi.charv import CharV
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.structure import Structure
from tests.unit.codec.structure_samples import ALL, CCSIDS, ORDERS, PLAIN, structures, versions

pytestmark = pytest.mark.core

REASONS = {
    "ConnectOptions": 2139,
    "DeadLetterHeader": 2141,
    "Descriptor": 2026,
    "DescriptorExtension": 2248,
    "GetOptions": 2186,
    "ObjectDescriptor": 2044,
    "PutOptions": 2173,
    "RulesHeader": 2334,
    "RulesHeader2": 2334,
    "SecurityParameters": 2595,
    "Status": 2426,
    "SubscriptionDescriptor": 2424,
    "TransmissionHeader": 2260,
    "TriggerMessage": 2265,
    "TriggerMessageText": 2191,
}


@pytest.mark.parametrize("kind", PLAIN)
@settings(max_examples=30)
@given(data=st.data())
def test_structure_is_read_as_it_was_written(kind: type[Structure], data: st.DataObject) -> None:
    made = data.draw(structures(kind))
    order = data.draw(st.sampled_from(ORDERS))
    ccsid = data.draw(st.sampled_from(CCSIDS))
    native = data.draw(st.booleans())
    before = data.draw(st.binary(max_size=9))
    packed = made.pack(order, ccsid, native)
    assert len(packed) == made.size(native)
    read = kind.unpack(before + packed + b"after", len(before), order, ccsid, native)
    assert read == made
    assert read.pack(order, ccsid, native) == packed


@pytest.mark.parametrize("kind", ALL)
def test_structure_that_is_cut_is_refused_at_every_length(kind: type[Structure]) -> None:
    for order in ORDERS:
        for version in versions(kind.LAYOUT):
            made = kind()
            made.version = version
            packed = made.pack(order)
            for length in range(len(packed)):
                with pytest.raises(FormatError) as caught:
                    kind.unpack(packed[:length], 0, order)
                assert caught.value.reason == REASONS[kind.__name__]


@pytest.mark.parametrize("kind", ALL)
def test_offset_outside_the_data_is_refused(kind: type[Structure]) -> None:
    packed = kind().pack()
    for offset in (-1, 1, len(packed), len(packed) + 9):
        with pytest.raises(FormatError) as caught:
            kind.unpack(packed, offset)
        assert caught.value.reason == REASONS[kind.__name__]


@pytest.mark.parametrize("kind", ALL)
def test_wrong_eye_catcher_is_refused(kind: type[Structure]) -> None:
    with pytest.raises(FormatError, match="eye-catcher") as caught:
        kind.unpack(b"XXXX" + kind().pack()[4:])
    assert caught.value.reason == REASONS[kind.__name__]


@pytest.mark.parametrize("kind", ALL)
def test_unknown_version_is_refused(kind: type[Structure]) -> None:
    packed = kind().pack()
    for version in (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x63\0\0\0", b"   9", b"\xb2\xb2\xb2\xb2"):
        with pytest.raises(FormatError, match="version") as caught:
            kind.unpack(packed[:4] + version + packed[8:])
        assert caught.value.reason == REASONS[kind.__name__]
    made = kind()
    made.version = 99
    with pytest.raises(FormatError, match="version 99"):
        made.pack()


@pytest.mark.parametrize("kind", ALL)
def test_structure_in_the_other_byte_order_is_refused(kind: type[Structure]) -> None:
    if kind is TriggerMessageText:
        return  # it has no integers, so both orders are the same bytes
    with pytest.raises(FormatError):
        kind.unpack(kind().pack(BIG), 0, LITTLE)


@pytest.mark.parametrize("kind", ALL)
def test_structure_cannot_be_in_a_wide_or_unknown_character_set(kind: type[Structure]) -> None:
    for ccsid in (1200, 4711):
        for call in (lambda c: kind().pack(ccsid=c), lambda c: kind.unpack(bytes(900), ccsid=c)):
            with pytest.raises(MQError) as caught:
                call(ccsid)
            assert caught.value.reason == 2330


@settings(max_examples=60)
@given(data=st.binary(max_size=900), order=st.sampled_from(ORDERS), native=st.booleans())
def test_noise_never_does_worse_than_a_format_error(data: bytes, order: str, native: bool) -> None:
    for kind in ALL:
        eye_catcher = kind.LAYOUT.eye_catcher.encode()
        for start in (b"", eye_catcher, kind().pack(order)[:8]):
            with contextlib.suppress(FormatError):
                kind.unpack(start + data, 0, order, 1208, native)


def test_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(FormatError, match="MQGMO"):
        GetOptions(options=2**31).pack()


def test_text_and_bytes_that_do_not_fit_are_refused_by_name() -> None:
    with pytest.raises(FormatError, match="object_name has 49 bytes, 48 fit"):
        ObjectDescriptor(object_name="X" * 49).pack()
    with pytest.raises(FormatError, match="object_name has 50 bytes, 48 fit"):
        ObjectDescriptor(object_name="é" * 25).pack()
    with pytest.raises(FormatError, match="message_token has 17 bytes, 16 fit"):
        GetOptions(message_token=bytes(17)).pack()


def test_field_of_an_older_version_keeps_its_default() -> None:
    read = GetOptions.unpack(GetOptions(options=1, returned_length=5, version=2).pack())
    assert (read.version, read.options, read.returned_length) == (2, 1, -1)


def test_status_of_one_character_is_given_as_it_is() -> None:
    packed = GetOptions(group_status="G").pack()
    assert packed[76:80] == b"G   "
    assert GetOptions.unpack(packed).group_status == "G"
    assert GetOptions.unpack(packed).segment_status == " "


def test_text_ends_at_a_nul() -> None:
    packed = bytearray(ObjectDescriptor(object_name="ORDERS").pack())
    packed[15:20] = b"\0junk"
    assert ObjectDescriptor.unpack(bytes(packed)).object_name == "ORD"


def test_trigger_text_has_its_version_in_characters() -> None:
    packed = TriggerMessageText(queue_name="Q", application_type="6").pack(ccsid=37)
    assert packed[:8] == bytes.fromhex("e3d4c340404040f2")
    assert TriggerMessageText.unpack(packed, ccsid=37).version == 2


def test_extension_with_a_wrong_length_is_refused() -> None:
    with pytest.raises(FormatError, match="length field is 71") as caught:
        DescriptorExtension.unpack(DescriptorExtension(structure_length=71).pack())
    assert caught.value.reason == 2248


def test_repr_shows_only_what_is_not_usual() -> None:
    assert repr(GetOptions()) == "GetOptions()"
    assert repr(GetOptions(options=1, version=2)) == "GetOptions(version=2, options=1)"
    shown = repr(GetOptions(message_token=b"\x01" + bytes(15)))
    assert shown == f"GetOptions(message_token=0x01{'00' * 15})"
    assert repr(ObjectDescriptor(object_string=CharV(length=3))) == (
        "ObjectDescriptor(object_string=CharV(ptr=0, offset=0, buffer_size=0, length=3, ccsid=-3))"
    )


def test_structures_are_equal_by_kind_version_and_fields() -> None:
    assert GetOptions(options=1) == GetOptions(options=1)
    assert GetOptions(options=1) != GetOptions(options=2)
    assert GetOptions(version=1) != GetOptions(version=2)
    assert GetOptions() != ObjectDescriptor()
    assert ObjectDescriptor(object_string=CharV(length=3)) != ObjectDescriptor()


def test_structures_of_one_kind_do_not_share_their_strings() -> None:
    one = ObjectDescriptor()
    one.object_string.length = 9
    assert ObjectDescriptor().object_string.length == 0
