"""Goal: programs of pymqi and ibmmq put and get groups and segments as with MQ; the rows are those
of docs/reference/conformance-messages.md.
Method: on the machine and through a channel, with a queue that takes 4096 bytes.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq.compat.pymqi import CMQC
from tests.battery.test_segments import body
from tests.compat.conftest import Program

pytestmark = pytest.mark.core

LOGICAL = CMQC.MQPMO_LOGICAL_ORDER
COMPLETE = CMQC.MQGMO_COMPLETE_MSG
IN_GROUP = CMQC.MQMF_MSG_IN_GROUP
LAST = CMQC.MQMF_LAST_MSG_IN_GROUP
ALLOWED = CMQC.MQMF_SEGMENTATION_ALLOWED
DATA = body(10_000)


@pytest.fixture
def queue(program: Program) -> Any:
    program.mqsc("DEFINE QLOCAL(SHORT) MAXMSGL(4096) REPLACE")
    program.mqsc("CLEAR QLOCAL(SHORT)")
    return program.queue("SHORT")


def put(program: Program, queue: Any, flags: int, data: bytes = b"x", **fields: Any) -> Any:
    """Put in logical order; the MQMD as it comes back."""
    md = program.md(MsgFlags=flags, **fields)
    queue.put(data, md, program.library.PMO(Options=LOGICAL))
    return md


def test_put_in_logical_order_then_the_mqmd_is_filled(program: Program, queue: Any) -> None:
    """G1."""
    mds = [put(program, queue, flags) for flags in (IN_GROUP, IN_GROUP, LAST)]
    assert [md.MsgSeqNumber for md in mds] == [1, 2, 3]
    assert [md.MsgFlags for md in mds] == [IN_GROUP, IN_GROUP, LAST]
    assert len({md.GroupId for md in mds}) == 1
    assert mds[0].GroupId != CMQC.MQGI_NONE
    got = program.md()
    for _ in mds:
        got = program.md()
        queue.get(None, got, program.gmo())
    assert (got.MsgFlags, got.MsgSeqNumber, got.GroupId) == (LAST | IN_GROUP, 3, mds[0].GroupId)


def test_put_of_segments_then_offset_and_original_length_come_back(
    program: Program, queue: Any
) -> None:
    flags = (CMQC.MQMF_SEGMENT, CMQC.MQMF_LAST_SEGMENT)
    mds = [put(program, queue, flag, b"12345", OriginalLength=99) for flag in flags]
    assert [(md.Offset, md.OriginalLength, md.MsgFlags) for md in mds] == [(0, 5, 2), (5, 5, 4)]
    assert program.plain(queue, COMPLETE) == b"1234512345"


def test_put_in_no_group_then_the_mqmd_says_so(program: Program, queue: Any) -> None:
    """G4."""
    md = program.md(GroupId=b"g" * 24, MsgSeqNumber=3, Offset=50)
    queue.put(b"x", md)
    assert (md.GroupId, md.MsgSeqNumber, md.Offset) == (CMQC.MQGI_NONE, 1, 0)


def test_put_when_a_group_is_left_then_refused_or_a_warning(program: Program, queue: Any) -> None:
    """G7, G8, G10."""
    put(program, queue, IN_GROUP)
    assert program.reason(put, program, queue, 0) == 2241
    with pytest.raises(program.error) as caught:
        queue.put(b"x", program.md())
    assert (caught.value.comp, caught.value.reason) == (CMQC.MQCC_WARNING, 2241)
    put(program, queue, CMQC.MQMF_SEGMENT)
    with pytest.raises(program.error) as caught:
        queue.close()
    assert (caught.value.comp, caught.value.reason) == (CMQC.MQCC_WARNING, 2242)


def test_put_when_split_then_get_complete_by_handle_and_without(
    program: Program, queue: Any
) -> None:
    """Z1, Z10, X1."""
    for by_handle in (True, False):
        md = program.md(MsgFlags=ALLOWED)
        program.put(queue, DATA, {"a": "1", "b": "2" * 900}, md)
        assert (md.MsgFlags, md.Offset, md.MsgSeqNumber) == (ALLOWED, 0, 1)
        assert md.GroupId != CMQC.MQGI_NONE
        if by_handle:
            data, got, properties = program.get(queue, COMPLETE)
            assert properties.get(b"a") == "1"
        else:
            got = program.md()
            gmo = program.gmo(Options=COMPLETE | CMQC.MQGMO_NO_PROPERTIES)
            data = queue.get(None, got, gmo)
            assert gmo.SegmentStatus == ord("L")
        assert data == DATA
        assert (got.MsgId, got.Offset) == (md.MsgId, 0)
        assert got.MsgFlags & 6 == 6


@pytest.mark.parametrize("by_handle", [False, True])
def test_get_complete_when_the_buffer_is_short_then_the_whole_length(
    program: Program, queue: Any, by_handle: bool
) -> None:
    """Z11, X10."""
    program.put(queue, DATA, {"a": "1" * 900}, program.md(MsgFlags=ALLOWED))
    options = COMPLETE if by_handle else COMPLETE | CMQC.MQGMO_NO_PROPERTIES
    get = program.get if by_handle else program.plain
    with pytest.raises(program.error) as caught:
        get(queue, options, 5000)
    assert caught.value.reason == 2080
    assert caught.value.original_length == len(DATA)
    assert program.plain(queue, COMPLETE | CMQC.MQGMO_NO_PROPERTIES) == DATA


def test_put_by_handle_without_an_mqmd_then_split_all_the_same(
    program: Program, queue: Any
) -> None:
    """X1: the descriptor is composed of the handles."""
    handle = program.handle()
    handle.properties.set(b"a", b"1" * 60, CMQC.MQTYPE_STRING)
    handle.properties.set(b"Root.MQMD.MsgFlags", ALLOWED, CMQC.MQTYPE_INT32)
    pmo = program.library.PMO(
        Version=CMQC.MQPMO_VERSION_3,
        NewMsgHandle=handle.msg_handle,
        Options=CMQC.MQPMO_MD_FOR_OUTPUT_ONLY,
    )
    queue.put(DATA, program.md(), pmo)
    data, _, properties = program.get(queue, COMPLETE)
    assert (data, properties.get(b"a")) == (DATA, "1" * 60)
