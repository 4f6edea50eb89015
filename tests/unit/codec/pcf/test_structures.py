"""Goal: PCF messages come back as they were, in each byte order and character set; bad ones get the
reason that PCF documents, and no length is trusted.

Method: hypothesis over trees of structures; published layouts byte by byte; messages with one
length made wrong, cut at every byte, nested deeply.
"""

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base import command_reasons as rccf
from ternmq.base import constants as mq
from ternmq.base.errors import CommandError, MQError
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter, PCFError
from ternmq.codec.pcf.structures import NESTING_MAX, PCFMessage, unpack_header, unpack_pcf
from tests.unit.codec.structure_samples import CCSIDS, ORDERS

pytestmark = pytest.mark.core

I32 = st.integers(-(2**31), 2**31 - 1)
I64 = st.integers(-(2**63), 2**63 - 1)
TEXT = st.text("abzAZ09./_% ", max_size=30).map(lambda text: text.rstrip(" "))
WIDTH = st.sampled_from([0, 1, 12, 48])
DATA = st.binary(max_size=30)
LEAVES = st.one_of(
    st.builds(pcf.integer, I32, I32),
    st.builds(pcf.integer64, I32, I64),
    st.builds(pcf.integers, I32, st.lists(I32, max_size=5)),
    st.builds(pcf.integers64, I32, st.lists(I64, max_size=5)),
    st.builds(pcf.string, I32, TEXT, WIDTH),
    st.builds(pcf.strings, I32, st.lists(TEXT, max_size=5), WIDTH),
    st.builds(pcf.byte_string, I32, DATA),
    st.builds(pcf.integer_filter, I32, I32, I32),
    st.builds(pcf.string_filter, I32, I32, TEXT),
    st.builds(pcf.byte_string_filter, I32, I32, DATA),
)
STRUCTURES = st.recursive(
    LEAVES, lambda inner: st.builds(pcf.group, I32, st.lists(inner, max_size=3)), max_leaves=8
)


def message_of(*parameters: Parameter) -> PCFMessage:
    return PCFMessage(mq.MQCFT_COMMAND, mq.MQCMD_INQUIRE_Q, list(parameters))


@given(st.lists(STRUCTURES, max_size=5), st.sampled_from(ORDERS), st.sampled_from(CCSIDS))
def test_messages_come_back(parameters: list[Parameter], order: str, ccsid: int) -> None:
    made = PCFMessage(
        mq.MQCFT_RESPONSE,
        mq.MQCMD_INQUIRE_Q,
        parameters,
        version=3,
        sequence=7,
        control=mq.MQCFC_NOT_LAST,
        comp=1,
        reason=3008,
    )
    packed = made.pack(order, ccsid)
    assert len(packed) % 4 == 0
    read = unpack_pcf(packed, order, ccsid)
    assert read == made
    assert read.pack(order, ccsid) == packed


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_an_error(data: bytes) -> None:
    head = struct.pack("<9i", 1, 36, 1, 13, 1, 1, 0, 0, 2)
    for order in ORDERS:
        for candidate in (data, head + data):
            with contextlib.suppress(PCFError):
                read = unpack_pcf(candidate, order)
                assert unpack_pcf(read.pack(order), order) == read


@given(st.lists(STRUCTURES, min_size=1, max_size=3), st.data())
def test_a_message_cut_anywhere_is_an_error(
    parameters: list[Parameter], data: st.DataObject
) -> None:
    packed = message_of(*parameters).pack()
    length = data.draw(st.integers(0, len(packed) - 1))
    with pytest.raises(PCFError):
        unpack_pcf(packed[:length])
    with pytest.raises(PCFError):
        unpack_pcf(packed + b"more")


@given(st.lists(STRUCTURES, min_size=1, max_size=3), st.data())
def test_a_message_with_one_number_changed_is_read_or_refused(
    parameters: list[Parameter], data: st.DataObject
) -> None:
    packed = message_of(*parameters).pack()
    at = 4 * data.draw(st.integers(0, len(packed) // 4 - 1))
    value = data.draw(st.one_of(st.sampled_from([-1, 0, 1, 4, 16, 2**31 - 1, -(2**31)]), I32))
    changed = packed[:at] + struct.pack("<i", value) + packed[at + 4 :]
    with contextlib.suppress(PCFError):
        unpack_pcf(changed)


def test_structures_have_the_published_form() -> None:
    made = message_of(
        pcf.string(mq.MQCA_Q_NAME, "DEV*"),
        pcf.integer(mq.MQIA_Q_TYPE, mq.MQQT_LOCAL),
        pcf.integers(mq.MQIACF_Q_ATTRS, [mq.MQCA_Q_NAME, mq.MQIA_CURRENT_Q_DEPTH]),
        pcf.integer_filter(mq.MQIA_CURRENT_Q_DEPTH, mq.MQCFOP_GREATER, 0),
        pcf.string_filter(mq.MQCA_Q_DESC, mq.MQCFOP_LIKE, "a*"),
        pcf.byte_string(mq.MQBACF_CONNECTION_ID, b"\x01\x02\x03"),
        pcf.byte_string_filter(mq.MQBACF_EXTERNAL_UOW_ID, mq.MQCFOP_EQUAL, b"\x09"),
        pcf.strings(mq.MQCACF_Q_NAMES, ["A", "BCD"]),
        pcf.integer64(746, 5),
        pcf.integers64(746, [1, -1]),
        pcf.group(mq.MQGACF_Q_STATISTICS_DATA, [pcf.integer(1, 2)]),
    )
    expected = struct.pack(">9i", 1, 36, 1, 13, 1, 1, 0, 0, 11)
    expected += struct.pack(">5i4s", 4, 24, 2016, 0, 4, b"DEV*")
    expected += struct.pack(">4i", 3, 16, 20, 1)
    expected += struct.pack(">6i", 5, 24, 1002, 2, 2016, 3)
    expected += struct.pack(">5i", 13, 20, 3, 4, 0)
    expected += struct.pack(">6i4s", 14, 28, 2013, 18, 0, 2, b"a*\0\0")
    expected += struct.pack(">4i4s", 9, 20, 7006, 3, b"\x01\x02\x03\0")
    expected += struct.pack(">5i4s", 15, 24, 7005, 2, 1, b"\x09\0\0\0")
    expected += struct.pack(">6i8s", 6, 32, 3011, 0, 2, 3, b"A  BCD\0\0")
    expected += struct.pack(">4iq", 23, 24, 746, 0, 5)
    expected += struct.pack(">4i2q", 25, 32, 746, 2, 1, -1)
    expected += struct.pack(">4i", 20, 16, 8011, 1) + struct.pack(">4i", 3, 16, 1, 2)
    assert made.pack(BIG) == expected
    assert unpack_pcf(expected, BIG) == made


def test_a_string_in_a_set_of_its_own_is_read_in_that() -> None:
    one = pcf.string(mq.MQCA_Q_DESC, "Größe")
    one.ccsid = 500
    other = pcf.strings(mq.MQCA_NAMES, ["é", "ab"])
    other.ccsid = 1200
    read = unpack_pcf(message_of(one, other).pack(LITTLE, 1208))
    assert [read.parameters[0].value, read.parameters[1].value] == ["Größe", ["é", "ab"]]
    assert [one.ccsid for one in read.parameters] == [500, 1200]
    assert read.find(mq.MQCA_NAMES) == other
    assert read.find(1) is None


@pytest.mark.parametrize(
    ("structure", "reason"),
    [
        (struct.pack("<4i", 3, 20, 1, 2) + bytes(4), rccf.MQRCCF_CFIN_LENGTH_ERROR),
        (struct.pack("<3i", 3, 12, 1), rccf.MQRCCF_CFIN_LENGTH_ERROR),
        (struct.pack("<4i", 23, 16, 1, 2), rccf.MQRCCF_CFIN_LENGTH_ERROR),
        (struct.pack("<5i", 5, 20, 1, -1, 0), rccf.MQRCCF_CFIL_COUNT_ERROR),
        (struct.pack("<5i", 5, 20, 1, 2, 0), rccf.MQRCCF_CFIL_LENGTH_ERROR),
        (struct.pack("<4i", 5, 16, 1, 2**31 - 1), rccf.MQRCCF_CFIL_LENGTH_ERROR),
        (struct.pack("<5i", 25, 20, 1, 1, 0), rccf.MQRCCF_CFIL_LENGTH_ERROR),
        (struct.pack("<4i", 4, 16, 1, 0), rccf.MQRCCF_CFST_LENGTH_ERROR),
        (struct.pack("<5i", 4, 20, 1, 0, 1), rccf.MQRCCF_CFST_STRING_LENGTH_ERR),
        (struct.pack("<5i", 4, 20, 1, 0, -1), rccf.MQRCCF_CFST_STRING_LENGTH_ERR),
        (struct.pack("<5i4s", 4, 22, 1, 0, 2, b"ab\0\0"), rccf.MQRCCF_CFST_LENGTH_ERROR),
        (struct.pack("<5i4s", 4, 24, 1, 0, 0, b"abcd"), rccf.MQRCCF_CFST_STRING_LENGTH_ERR),
        (struct.pack("<5i4s", 4, 24, 1, 4711, 4, b"abcd"), rccf.MQRCCF_CCSID_ERROR),
        (struct.pack("<6i", 6, 24, 1, 0, -1, 4), rccf.MQRCCF_CFSL_COUNT_ERROR),
        (struct.pack("<6i", 6, 24, 1, 0, 2**31 - 1, 0), rccf.MQRCCF_CFSL_COUNT_ERROR),
        (struct.pack("<6i", 6, 24, 1, 0, 1, -4), rccf.MQRCCF_CFSL_STRING_LENGTH_ERR),
        (struct.pack("<6i", 6, 24, 1, 0, 2**31 - 1, 8), rccf.MQRCCF_CFSL_TOTAL_LENGTH_ERROR),
        (struct.pack("<5i", 6, 20, 1, 0, 0), rccf.MQRCCF_CFSL_LENGTH_ERROR),
        (struct.pack("<4i", 9, 16, 1, 7), rccf.MQRCCF_CFBS_STRING_LENGTH_ERR),
        (struct.pack("<3i", 9, 12, 1), rccf.MQRCCF_CFBS_LENGTH_ERROR),
        (struct.pack("<4i", 13, 16, 1, 1), rccf.MQRCCF_CFIF_LENGTH_ERROR),
        (struct.pack("<5i", 14, 20, 1, 1, 0), rccf.MQRCCF_CFSF_LENGTH_ERROR),
        (struct.pack("<6i", 14, 24, 1, 1, 0, 9), rccf.MQRCCF_CFSF_FILTER_VAL_LEN_ERR),
        (struct.pack("<4i", 15, 16, 1, 1), rccf.MQRCCF_CFBF_LENGTH_ERROR),
        (struct.pack("<5i", 15, 20, 1, 1, 9), rccf.MQRCCF_CFBF_FILTER_VAL_LEN_ERR),
        (struct.pack("<3i", 20, 12, 1), rccf.MQRCCF_CFGR_LENGTH_ERROR),
        (struct.pack("<4i", 20, 16, 1, 1), rccf.MQRCCF_CFGR_PARM_COUNT_ERROR),
        (struct.pack("<4i", 20, 16, 1, -1), rccf.MQRCCF_CFGR_PARM_COUNT_ERROR),
        (struct.pack("<4i", 99, 16, 1, 1), rccf.MQRCCF_STRUCTURE_TYPE_ERROR),
        (struct.pack("<4i", 3, 4096, 1, 1), rccf.MQRCCF_MSG_LENGTH_ERROR),
        (struct.pack("<4i", 3, -16, 1, 1), rccf.MQRCCF_CFIN_LENGTH_ERROR),
    ],
)
def test_a_bad_structure_has_its_reason_and_names_its_parameter(
    structure: bytes, reason: int
) -> None:
    head = struct.pack("<9i", 1, 36, 1, 13, 1, 1, 0, 0, 1)
    with pytest.raises(PCFError) as caught:
        unpack_pcf(head + structure)
    assert caught.value.reason == reason
    assert caught.value.offset == 36
    expected = 0 if reason == rccf.MQRCCF_STRUCTURE_TYPE_ERROR else 1
    assert caught.value.parameter == expected
    assert isinstance(caught.value, CommandError)


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ((1, 40, 1, 13, 1, 1, 0, 0, 0), rccf.MQRCCF_CFH_LENGTH_ERROR),
        ((1, 36, 0, 13, 1, 1, 0, 0, 0), rccf.MQRCCF_CFH_VERSION_ERROR),
        ((1, 36, 4, 13, 1, 1, 0, 0, 0), rccf.MQRCCF_CFH_VERSION_ERROR),
        ((1, 36, 1, 13, 1, 1, 0, 0, -1), rccf.MQRCCF_CFH_PARM_COUNT_ERROR),
        ((1, 36, 1, 13, 1, 1, 0, 0, 2**31 - 1), rccf.MQRCCF_CFH_PARM_COUNT_ERROR),
    ],
)
def test_a_bad_header_has_its_reason(header: tuple[int, ...], reason: int) -> None:
    for order in ORDERS:
        with pytest.raises(PCFError) as caught:
            unpack_pcf(struct.pack(order + "9i", *header), order)
        assert caught.value.reason == reason
    with pytest.raises(PCFError) as caught:
        unpack_header(bytes(35))
    assert caught.value.reason == rccf.MQRCCF_CFH_LENGTH_ERROR


def test_groups_nest_only_so_deep() -> None:
    made = pcf.integer(1, 2)
    for _ in range(NESTING_MAX):
        made = pcf.group(5, [made])
    assert unpack_pcf(message_of(made).pack()).parameters == [made]
    with pytest.raises(PCFError) as caught:
        unpack_pcf(message_of(pcf.group(5, [made])).pack())
    assert caught.value.reason == rccf.MQRCCF_CFGR_PARM_COUNT_ERROR


def test_a_count_below_what_is_there_is_an_error() -> None:
    packed = message_of(pcf.integer(1, 2), pcf.integer(3, 4)).pack()
    with pytest.raises(PCFError) as caught:
        unpack_pcf(packed[:32] + struct.pack("<i", 1) + packed[36:])
    assert caught.value.reason == rccf.MQRCCF_MSG_LENGTH_ERROR
    assert caught.value.offset == 52


def test_values_that_do_not_fit_are_refused() -> None:
    with pytest.raises(MQError, match="MQRCCF_PARM_VALUE_ERROR"):
        pcf.integer(1, 2**31).pack()
    with pytest.raises(PCFError):
        Parameter(99, 1).pack()


def test_structures_show_themselves() -> None:
    made = message_of(pcf.string(2016, "A"), pcf.group(1, [pcf.integer(20, 1)]))
    assert repr(made.parameters) == "[MQCFST(2016, 'A'), MQCFGR(1, [MQCFIN(20, 1)])]"
    assert "2016" in repr(made)
    assert made != "x"
    assert made.parameters[0] != 3
