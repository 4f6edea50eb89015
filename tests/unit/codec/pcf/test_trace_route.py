"""Goal: trace-route messages and activity reports come back as they were written, in both byte
orders, alone and embedded; everything else is left alone.

Method: pack and read; bytes cut off and changed.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq import constants as mq
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.trace_route import (
    TraceRoute,
    activity,
    activity_report,
    embedded,
    message_group,
    name_of,
    operation,
    read_report,
    read_trace_route,
)

pytestmark = pytest.mark.core
ENCODINGS = {LITTLE: 546, BIG: 273}


def one_activity() -> pcf.Parameter:
    described = message_group(10, Descriptor(format="MQSTR"), Descriptor(version=1))
    put = operation(
        mq.MQOPER_PUT, 1_700_000_000_123_000_000, "QM1", described, [name_of(mq.MQCA_Q_NAME, "Q")]
    )
    return activity("program", mq.MQAT_UNIX, "does something", [put])


def traced(order: str = LITTLE) -> TraceRoute:
    trace = TraceRoute()
    trace.order = order
    trace.recorded = 3
    trace.unrecorded = 1
    trace.discontinuities = 2
    trace.activities_max = 9
    trace.accumulation = mq.MQROUTE_ACCUMULATE_AND_REPLY
    trace.forwarding = mq.MQROUTE_FORWARD_ALL
    trace.delivery = mq.MQROUTE_DELIVER_YES
    trace.more = [pcf.integer(999, 5)]
    trace.activities = [one_activity()]
    return trace


@pytest.mark.parametrize("order", [LITTLE, BIG])
def test_message_when_packed_and_read_then_the_same(order: str) -> None:
    trace = traced(order)
    packed = trace.pack()
    read = read_trace_route(mq.MQFMT_ADMIN, packed, ENCODINGS[order], 1208)
    assert read is not None
    assert read.count == 6
    assert (read.accumulates, read.replies) == (True, True)
    assert read.message() == trace.message()
    assert read.pack() == packed


@pytest.mark.parametrize("order", [LITTLE, BIG])
def test_embedded_message_when_read_then_what_follows_stays(order: str) -> None:
    packed = traced(order).message_bytes()
    data = embedded(packed, order, 273, 500, b"MQSTR   ") + b"user data"
    read = read_trace_route(mq.MQFMT_EMBEDDED_PCF, data, ENCODINGS[order], 1208)
    assert read is not None
    assert read.is_embedded
    assert (read.following, read.tail) == ((273, 500, b"MQSTR   "), b"user data")
    assert read.pack() == data


def test_report_when_read_then_its_activity_and_the_counts() -> None:
    report = read_report(activity_report(one_activity(), traced()), 546, 1208)
    assert report is not None
    assert report.kind == mq.MQCFT_REPORT
    assert [one.parameter for one in report.parameters] == [
        mq.MQGACF_ACTIVITY,
        mq.MQGACF_TRACE_ROUTE,
    ]
    assert report.find(mq.MQGACF_ACTIVITY) == one_activity()
    assert read_report(b"EPH junk" * 20, 546, 1208) is None


def test_other_data_when_read_then_nothing() -> None:
    packed = traced().pack()
    assert read_trace_route("MQSTR", packed, 546, 1208) is None
    assert read_trace_route(mq.MQFMT_ADMIN, b"", 546, 1208) is None
    assert read_trace_route(mq.MQFMT_ADMIN, packed[:-1], 546, 1208) is None
    assert read_trace_route(mq.MQFMT_ADMIN, b"\1" + packed[1:], 546, 1208) is None
    assert read_trace_route(mq.MQFMT_EMBEDDED_PCF, packed, 546, 1208) is None
    bare = TraceRoute().message()
    bare.parameters = []
    assert read_trace_route(mq.MQFMT_ADMIN, bare.pack(), 546, 1208) is None


@given(st.binary(max_size=200), st.integers(0, 400))
def test_hostile_bytes_when_read_then_no_fault(junk: bytes, at: int) -> None:
    packed = embedded(traced().message_bytes(), LITTLE, 546, 1208, b" " * 8)
    changed = packed[:at] + junk + packed[at + len(junk) :]
    for format in (mq.MQFMT_ADMIN, mq.MQFMT_EMBEDDED_PCF):
        read_trace_route(format, changed, 546, 1208)
    read_report(changed, 546, 1208)
