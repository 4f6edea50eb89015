"""Goal: structures, constants and errors of both libraries behave as programs expect.

Method: members by every way, bytes there and back, lengths as in C, a few constants by value.
"""

from __future__ import annotations

import struct

import pytest

from ternmq.compat import ibmmq, pymqi
from ternmq.compat.ibmmq import CMQSTRC
from ternmq.compat.pymqi import CMQC, CMQCFC, CMQXC, CMQZC

pytestmark = pytest.mark.core

# How long each structure is in C on a 64-bit machine, in the version that the class has.
LENGTHS = {
    "MD": 364, "OD": 424, "GMO": 112, "PMO": 184, "SD": 344, "SRO": 16, "CMHO": 12, "PD": 24,
    "SMPO": 20, "IMPO": 64, "TM": 684, "TMC2": 732, "XQH": 104, "CFH": 36, "CFIN": 16, "CFIN64": 24,
    "CFIF": 20, "CFGR": 16, "RFH2": 36,
}  # fmt: skip
IBMMQ_LENGTHS = LENGTHS | {
    "CD": 2000, "SCO": 672, "CNO": 272, "CSP": 104, "BNO": 20, "STS": 280, "DLH": 172, "MDE": 72,
    "DMHO": 12, "DMPO": 12, "IIH": 84, "CIH": 180,
}  # fmt: skip


@pytest.mark.parametrize("name", LENGTHS)
def test_length_as_in_c(name: str) -> None:
    one = getattr(pymqi, name)()
    assert len(one.pack()) == one.get_length() == LENGTHS[name]


@pytest.mark.parametrize("name", IBMMQ_LENGTHS)
def test_length_of_ibmmq_as_in_c(name: str) -> None:
    assert len(getattr(ibmmq, name)().pack()) == IBMMQ_LENGTHS[name]


def test_members_by_attribute_item_and_keyword() -> None:
    md = pymqi.MD(Priority=3, Format=CMQC.MQFMT_STRING)
    md["CorrelId"] = b"c"
    md.set(MsgType=CMQC.MQMT_REQUEST, ReplyToQ=b"Q")
    assert (md.Priority, md["Format"], md.CorrelId) == (3, b"MQSTR   ", b"c")
    assert md.get()["MsgType"] == CMQC.MQMT_REQUEST
    other = pymqi.MD()
    other.unpack(md.pack())
    assert other.CorrelId == b"c".ljust(24, b"\0")
    assert other.ReplyToQ == b"Q".ljust(48, b"\0")
    assert str(pymqi.SRO()).splitlines()[0] == "StrucId: b'SRO '"
    assert repr(pymqi.SRO()) == str(pymqi.SRO().pack())
    for wrong in ("NoSuch", "priority"):
        with pytest.raises(AttributeError):
            md[wrong] = 1
        with pytest.raises(AttributeError):
            pymqi.MD(**{wrong: 1})


def test_text_is_refused_by_pymqi_and_taken_by_ibmmq() -> None:
    with pytest.raises(TypeError):
        pymqi.MD(Format="MQSTR")
    md = pymqi.MD()
    md.Format = "MQSTR"
    with pytest.raises(TypeError):
        md.pack()
    theirs = ibmmq.MD(Format="MQSTR", ReplyToQ="Q")
    assert theirs.pack()[32:40] == b"MQSTR\0\0\0"
    theirs.MsgId = "text"
    with pytest.raises(TypeError, match="MsgId"):
        theirs.pack()
    read = ibmmq.MD().unpack(ibmmq.MD(Format="MQSTR").pack())
    assert read.to_string().Format == "MQSTR"


def test_lists_of_numbers_come_back_whole() -> None:
    cd = pymqi.CD(HdrCompList=[1, 2])
    other = pymqi.CD()
    other.unpack(cd.pack())
    assert other.HdrCompList == [1, 2]
    assert len(other.MsgCompList) == 16
    assert other.CertificateLabel == bytes(64)


def test_a_structure_of_ones_own() -> None:
    class Pair(pymqi.MQOpts):
        def __init__(self, **kw: int) -> None:
            super().__init__([["First", 1, "i"], ["Second", [2, 3], "i", 2]], **kw)

    pair = Pair(First=7)
    assert pair.pack() == struct.pack("3i", 7, 2, 3)
    pair.unpack(struct.pack("3i", 4, 5, 6))
    assert pair.get() == {"First": 4, "Second": [5, 6]}
    pair.unpack(b"\1\0\0\0")  # what is missing is zeros
    assert pair.get() == {"First": 1, "Second": [0, 0]}


def test_variable_strings() -> None:
    od = pymqi.OD(Version=CMQC.MQOD_VERSION_4)
    assert od.get_vs("ObjectString") is None
    od.set_vs("ObjectString", "a/b")
    assert od.get_vs("ObjectString") == od.get_vs("ObjectStringVSPtr") == b"a/b"
    assert od.ObjectStringVSLength == 3
    with pytest.raises(TypeError):
        od.set_vs("SelectionString", "text")


def test_rfh2_in_both_orders() -> None:
    header = pymqi.RFH2(NameValueCCSID=1208, Format=CMQC.MQFMT_STRING)
    header.add_folder(b"<usr><a>1</a></usr>")
    for encoding in (273, 546):
        packed = header.pack(encoding)
        assert len(packed) == header["StrucLength"] == 36 + 4 + 20
        for reported in (None, encoding):
            read = pymqi.RFH2()
            read.unpack(packed + b"the rest", reported)
            assert read["usr"] == b"<usr><a>1</a></usr> "
            assert read.Format == CMQC.MQFMT_STRING
    with pytest.raises(pymqi.PYIFError, match="StrucId"):
        pymqi.RFH2().unpack(b"ABCD" + packed[4:])
    with pytest.raises(pymqi.PYIFError, match="short"):
        pymqi.RFH2().unpack(packed[:20])
    with pytest.raises(pymqi.PYIFError, match="Expected: 60"):
        pymqi.RFH2().unpack(packed[:50])
    read = pymqi.RFH2()
    read.unpack(packed[:36])  # the head alone
    assert read["StrucLength"] == 60
    assert read.pack() == packed[:36]
    assert ibmmq.RFH2().unpack(packed).get_folders() == ["usr"]


def test_constants_as_in_c() -> None:
    assert CMQC.MQFMT_NONE == b" " * 8
    assert CMQC.MQMD_STRUC_ID == b"MD  "
    assert bytes(24) == CMQC.MQMI_NONE
    assert CMQC.MQGS_NOT_IN_GROUP == 32
    assert CMQC.MQTMC_VERSION_2 == b"   2"
    assert CMQC.MQMD_STRUC_ID_ARRAY == [b"M", b"D", b" ", b" "]
    assert CMQCFC.MQCMD_INQUIRE_Q == 13
    assert CMQXC.MQDCC_NONE == 0
    assert CMQZC.MQZAO_CONNECT == 1
    assert CMQZC.MQZED_STRUC_ID == b"ZED "
    assert ord("C") == ibmmq.CMQC.MQISS_CHECK
    assert CMQC.MQISS_CHECK == b"C"
    assert CMQSTRC.MQIA_DICT[20] == "MQIA_Q_TYPE"
    with pytest.raises(AttributeError):
        _ = CMQC.MQ_NO_SUCH_CONSTANT
    with pytest.raises(AttributeError):
        _ = CMQSTRC.NONSENSE_DICT


def test_pcf_messages_there_and_back() -> None:
    rows = [
        pymqi.CFST(Parameter=1, String=b"abcde"),
        pymqi.CFIN(Parameter=2, Value=-5),
        pymqi.CFSL(Parameter=3, Strings=[b"a", b"bcd"]),
        pymqi.CFIL(Parameter=4, Values=[1, 2, 3]),
        pymqi.CFBS(Parameter=5, String=b"\0\1\2"),
        pymqi.CFIN64(Parameter=6, Value=1 << 40),
        pymqi.CFIL64(Parameter=7, Values=[1, -1]),
        pymqi.CFSF(Parameter=8, Operator=CMQCFC.MQCFOP_LIKE, FilterValue=b"x*"),
        pymqi.CFIF(Parameter=9, Operator=CMQCFC.MQCFOP_LESS, FilterValue=3),
        pymqi.CFBF(Parameter=10, Operator=CMQCFC.MQCFOP_EQUAL, FilterValue=b"\5"),
        pymqi.CFGR(Parameter=11, ParameterCount=1),
        pymqi.CFIN(Parameter=12, Value=1),
        pymqi.CFGR(Parameter=11, ParameterCount=0),
        pymqi.CFIN(Parameter=13, Value=2),
    ]
    assert all(row.StrucLength == len(row.pack()) for row in rows)
    header = pymqi.CFH(Command=CMQCFC.MQCMD_PING_Q_MGR, ParameterCount=len(rows) - 1)
    packed = header.pack() + b"".join(row.pack() for row in rows)
    reported, read = pymqi.PCFExecute.unpack(packed)
    assert read.Command == CMQCFC.MQCMD_PING_Q_MGR
    assert reported == {
        1: b"abcde\0\0\0", 2: -5, 3: [b"a\0\0\0", b"bcd\0"], 4: [1, 2, 3], 5: b"\0\1\2", 6: 1 << 40,
        7: [1, -1], 8: (CMQCFC.MQCFOP_LIKE, b"x*"), 9: (CMQCFC.MQCFOP_LESS, 3),
        10: (CMQCFC.MQCFOP_EQUAL, b"\5"), 11: [{12: 1}, {}], 13: 2,
    }  # fmt: skip
    assert ibmmq.PCFExecute.unpack(packed)[0] == reported | {1: b"abcde"}
    failed = pymqi.CFH(CompCode=2, Reason=CMQCFC.MQRCCF_CHANNEL_NOT_FOUND).pack()
    with pytest.raises(pymqi.MQMIError) as caught:
        pymqi.PCFExecute.unpack(failed)
    assert caught.value.reason == CMQCFC.MQRCCF_CHANNEL_NOT_FOUND


def test_filters() -> None:
    one = pymqi.Filter(CMQC.MQCA_Q_DESC).like(b"A*")
    assert isinstance(one, pymqi.StringFilter)
    assert (one.selector, one.value, one.operator) == (CMQC.MQCA_Q_DESC, b"A*", 18)
    assert isinstance(pymqi.Filter(CMQC.MQIA_Q_TYPE).equal(1), pymqi.IntegerFilter)
    with pytest.raises(pymqi.Error, match="not supported"):
        pymqi.Filter(CMQC.MQIA_Q_TYPE).nonsense(1)
    with pytest.raises(pymqi.Error, match="selector"):
        pymqi.Filter(99999).equal(1)
    with pytest.raises(TypeError):
        pymqi.Filter(CMQC.MQCA_Q_DESC).like("text")


def test_errors_say_what_pymqi_says() -> None:
    assert str(pymqi.MQMIError(2, 2035)) == (
        "MQI Error. Comp: 2, Reason 2035: FAILED: MQRC_NOT_AUTHORIZED"
    )
    assert pymqi.MQMIError(0, 0).errorAsString() == "OK"
    assert pymqi.MQMIError(1, 2079, message=b"m").message == b"m"  # type: ignore[attr-defined]
    assert "not defined" in str(pymqi.MQMIError(1, 12345678))
    assert str(ibmmq.PYIFError("x")) == "PYIBMMQ Error: x"
    assert isinstance(ibmmq.MQMIError(2, 2033), pymqi.MQMIError)
    assert pymqi.padded_count(5) == 8
    assert pymqi.padded_count(8) == 8
