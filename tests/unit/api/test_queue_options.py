"""Goal: a queue that was opened with options is that one handle, with its cursor and its limits.

Method: the public API on a memory queue manager.
"""

from pathlib import Path

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from tests.mqi import mqi

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


@pytest.mark.parametrize("expiry", [0, -1, -0.5, 1e9, float("nan")])
def test_put_when_the_expiry_is_no_time_to_come_then_refused(expiry: float) -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("A")
        with qmgr.queue("A") as queue:
            with pytest.raises(ternmq.MQError) as refused:
                queue.put(b"", expiry=expiry)
            assert refused.value.reason == mq.MQRC_EXPIRY_ERROR
            assert str(expiry) in str(refused.value)
            queue.put(b"", expiry=float("inf"))
            queue.put(b"", expiry=0.001)
            assert queue.get().descriptor.expiry == mq.MQEI_UNLIMITED


def test_put_when_a_connection_is_ended_by_others_then_its_answer_still_waits(
    tmp_path: Path,
) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr:
        qmgr.define_queue("A")
        connection = qmgr.connect()
        verbs = mqi(connection)
        handle = verbs.open(ObjectDescriptor(object_name="A"), mq.MQOO_OUTPUT)
        request = verbs.request_put(Descriptor(persistence=1), PutOptions())
        assert verbs.shell.try_put(verbs.link, handle, request, b"") is not None
        # Here the putting thread has left the step and not yet looked for what to force.
        waits_for = verbs.link.durable_at
        assert waits_for > verbs.shell.engine.log.forced_lsn
        verbs.shell.disconnect_all()
        assert not connection.connected
        assert verbs.link.durable_at >= waits_for
