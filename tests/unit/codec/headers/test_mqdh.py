"""Goal: an MQDH and its records are read as they were written, in every byte order and character
set; one that is cut or lies is MQRC_DH_ERROR.

Method: headers of several kinds, packed and unpacked; fields spoiled one by one.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ternmq
from ternmq.base import constants as mq
from ternmq.codec.headers.mqdh import DistributionHeader, header_bytes
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.list_records import (
    Destination,
    PutRecord,
    pack_responses,
    put_record_bytes,
    unpack_responses,
)

NAMES = st.text("ABCXYZ.09", min_size=1, max_size=48)
IDS = st.binary(min_size=24, max_size=24)
RECORDS = st.builds(
    PutRecord, IDS, IDS, IDS, st.integers(-(2**31), 2**31 - 1), st.binary(min_size=32, max_size=32)
)


def kept(record: PutRecord, fields: int) -> PutRecord:
    """What is left of a record with these fields."""
    empty = PutRecord()
    return PutRecord(
        record.msg_id if fields & 1 else empty.msg_id,
        record.correl_id if fields & 2 else empty.correl_id,
        record.group_id if fields & 4 else empty.group_id,
        record.feedback if fields & 8 else empty.feedback,
        record.accounting_token if fields & 16 else empty.accounting_token,
    )


@given(
    st.lists(st.tuples(NAMES, NAMES, RECORDS), min_size=1, max_size=5),
    st.integers(0, 31),
    st.sampled_from([LITTLE, BIG]),
    st.sampled_from([1208, 819, 37, 500]),
)
def test_header_then_it_is_read_as_it_was_written(
    rows: list[tuple[str, str, PutRecord]], fields: int, order: str, ccsid: int
) -> None:
    header = DistributionHeader(
        encoding=546,
        ccsid=1208,
        format="MQSTR",
        flags=mq.MQDHF_NEW_MSG_IDS,
        put_record_fields=fields,
        destinations=[Destination(queue, qmgr) for queue, qmgr, _ in rows],
        put_records=[kept(record, fields) for *_, record in rows] if fields else [],
    )
    packed = header.pack(order, ccsid)
    assert len(packed) == header.size() == header_bytes(len(rows), fields)
    assert DistributionHeader.unpack(b"before" + packed + b"data", 6, order, ccsid) == header
    assert put_record_bytes(fields) * len(rows) == len(packed) - 48 - 96 * len(rows)


def packed(**spoiled: int) -> bytes:
    """A header with two destinations, some of whose numbers are others."""
    places = {"length": 8, "fields": 32, "count": 36, "objects": 40, "puts": 44}
    header = DistributionHeader(
        destinations=[Destination("A"), Destination("B", "QM2")],
        put_record_fields=mq.MQPMRF_MSG_ID,
        put_records=[PutRecord(), PutRecord()],
    )
    data = bytearray(header.pack())
    for name, value in spoiled.items():
        data[places[name] : places[name] + 4] = value.to_bytes(4, "little", signed=True)
    return bytes(data)


@pytest.mark.parametrize(
    "spoiled",
    [
        {"length": 400},
        {"length": 100},
        {"length": -1},
        {"count": 0},
        {"count": -1},
        {"count": 3},
        {"count": 2**31 - 1},
        {"fields": 32},
        {"fields": 31},
        {"objects": 0},
        {"objects": -96},
        {"puts": 0},
        {"puts": 2**31 - 1},
    ],
)
def test_header_when_a_number_lies_then_dh_error(spoiled: dict[str, int]) -> None:
    assert DistributionHeader.unpack(packed()).destinations[1].qmgr == "QM2"
    with pytest.raises(ternmq.FormatError) as refused:
        DistributionHeader.unpack(packed(**spoiled))
    assert refused.value.reason == 2135


@pytest.mark.parametrize("length", range(0, 288, 7))
def test_header_when_it_is_cut_then_dh_error(length: int) -> None:
    with pytest.raises(ternmq.FormatError) as refused:
        DistributionHeader.unpack(packed()[:length])
    assert refused.value.reason == 2135


@pytest.mark.parametrize("order", [LITTLE, BIG])
def test_responses_then_they_are_read_as_they_were_written(order: str) -> None:
    rows = [(0, 0), (2, 2085), (1, 2049)]
    assert unpack_responses(b"xx" + pack_responses(rows, order), 2, 3, order) == rows
