"""Goal: what reports say of headers, properties, segments and copies is the same through every
binding. Method: messages that ask for COA or COD, on every place of the battery.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq import QueueManager
from ternmq import constants as mq
from ternmq.codec.headers.mqrfh import RulesHeader2
from tests.battery.test_report_messages import asking, define
from tests.unit.codec.test_header_chain import header
from tests.unit.kernel.test_reports import BODY, depths, reports

pytestmark = pytest.mark.core


def test_report_with_data_when_the_message_begins_with_headers_then_they_come_besides(
    qmgr: QueueManager,
) -> None:
    """Q2."""
    define(qmgr)
    data = header("MQHREF", 64) + header("MQSTR", 80) + BODY
    for option in (mq.MQRO_COA, mq.MQRO_COA_WITH_DATA, mq.MQRO_COA_WITH_FULL_DATA):
        qmgr.put("A", data, descriptor=asking(option, format="MQHREF"))
    plain, some, full = reports(qmgr)
    assert (plain.data, some.data, full.data) == (b"", data[:244], data)
    assert {one.format for one in (plain, some, full)} == {"MQHREF"}


def test_report_when_the_message_has_properties_then_those_for_reports_come_with_the_data(
    qmgr: QueueManager,
) -> None:
    """Q18."""
    define(qmgr)
    rfh2 = (
        "<usr><kept>1</kept><not_kept copy='forward'>2</not_kept>"
        "<to_all copy='all'>3</to_all></usr>"
    )
    front = RulesHeader2(format="MQSTR", folders=[rfh2]).pack()
    for option in (mq.MQRO_COD, mq.MQRO_COD_WITH_DATA, mq.MQRO_COD_WITH_FULL_DATA):
        qmgr.put("A", front + b"text", descriptor=asking(option, format="MQHRF2"))
    with qmgr.queue("A") as queue:
        assert [sorted(one.properties) for one in queue] == [["kept", "not_kept", "to_all"]] * 3
    plain, some, full = reports(qmgr)
    assert (plain.data, dict(plain.properties)) == (b"", {})
    for report in (some, full):
        assert (report.data, report.format) == (b"text", "MQSTR")
        assert dict(report.properties) == {"kept": "1", "to_all": "3"}


def test_report_on_a_segment_then_it_is_that_segment_of_a_report(
    qmgr: QueueManager,
) -> None:
    """Q13."""
    define(qmgr)
    flags = mq.MQMF_SEGMENT | mq.MQMF_MSG_IN_GROUP
    md = asking(
        mq.MQRO_COA_WITH_DATA, group_id=b"g" * 24, msg_seq_number=3, offset=400, msg_flags=flags
    )
    qmgr.put("A", BODY, descriptor=md)
    report = reports(qmgr)[0]
    made = report.descriptor
    assert (made.group_id, made.msg_seq_number, made.offset) == (b"g" * 24, 3, 400)
    assert (made.msg_flags, made.original_length) == (flags, len(BODY))
    assert report.data == BODY[:100]


def test_copy_for_a_streaming_queue_then_only_the_message_itself_is_reported(
    qmgr: QueueManager,
) -> None:
    """Q16."""
    define(qmgr)
    qmgr.define_queue("COPY")
    qmgr.alter_queue("A", stream_queue="COPY")
    for persistent in (False, True):
        md = asking(mq.MQRO_COA | mq.MQRO_COD)
        qmgr.put("A", BODY, descriptor=md, persistent=persistent)
        assert depths(qmgr, "A", "COPY", "REPLIES") == [1, 1, 1]
        with qmgr.queue("COPY") as copies:
            assert copies.get().descriptor.report == 0
        assert depths(qmgr, "A", "COPY", "REPLIES") == [1, 0, 1]
        with qmgr.queue("A") as queue:
            queue.get()
        assert [one.descriptor.feedback for one in reports(qmgr)] == [mq.MQFB_COA, mq.MQFB_COD]


def test_report_in_a_unit_when_it_would_be_one_too_many_then_the_verb_is_refused(
    qmgr: QueueManager,
) -> None:
    """Q14."""
    define(qmgr)
    qmgr.put("A", BODY, descriptor=asking(mq.MQRO_COD), persistent=True)
    qmgr.mqsc("ALTER QMGR MAXUMSGS(3)")
    with qmgr.queue("A") as queue:
        with qmgr.unit_of_work():
            queue.put(b"one")
            queue.put(b"two")
            for verb in (
                lambda: queue.put(BODY, descriptor=asking(mq.MQRO_COA)),
                lambda: queue.get(),
            ):
                with pytest.raises(ternmq.MQError) as refused:
                    verb()
                assert refused.value.reason == mq.MQRC_SYNCPOINT_LIMIT_REACHED
            queue.put(b"three")
        assert depths(qmgr) == [4, 0, 0]
