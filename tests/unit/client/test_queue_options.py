"""Goal: a queue that was opened with options is that one handle, with its cursor and its limits.

Method: the public API on a memory queue manager.
"""

import pytest

import ternmq
from ternmq import constants as mq

pytestmark = pytest.mark.core


def test_get_when_opened_for_browse_alone_then_the_handle_has_the_cursor() -> None:
    with ternmq.memory("QM1") as qmgr, qmgr.connect() as other:
        qmgr.define_queue("A")
        with qmgr.queue("A") as queue:
            queue.put("one")
            queue.put("two")
        with (
            other.queue("A", exclusive=True),
            qmgr.queue("A", options=mq.MQOO_BROWSE | mq.MQOO_INQUIRE) as mine,
        ):
            # No handle for input is opened behind the scenes: the exclusive one is not in the way.
            assert mine.get(options=mq.MQGMO_BROWSE_FIRST).text == "one"
            assert mine.get(options=mq.MQGMO_BROWSE_NEXT).text == "two"
            with pytest.raises(ternmq.BadHandle) as refused:
                mine.get()
            assert refused.value.reason == mq.MQRC_NOT_OPEN_FOR_INPUT


def test_get_when_opened_co_operatively_then_marks_are_shared() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("A")
        qmgr.put("A", "one")
        qmgr.put("A", "two")
        opening = mq.MQOO_BROWSE | mq.MQOO_CO_OP
        unmarked = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_UNMARKED_BROWSE_MSG
        marking = unmarked | mq.MQGMO_MARK_BROWSE_CO_OP
        with qmgr.queue("A", options=opening) as first, qmgr.queue("A", options=opening) as second:
            assert first.get(options=marking).text == "one"
            assert second.get(options=marking).text == "two"
            assert first.try_get(options=marking) is None
