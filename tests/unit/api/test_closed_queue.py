"""Goal: a handle that was closed, or whose queue is gone, never looks like an empty queue.

Method: the public API on a memory queue manager, each verb after a close or a delete.
"""

from collections.abc import Iterator
from typing import Any, cast

import pytest

import ternmq
from ternmq import constants as mq

pytestmark = pytest.mark.core


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as one:
        yield one


def test_verbs_when_the_queue_is_closed_then_handle_error(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_queue("A")
    queue = qmgr.queue("A")
    queue.put("one")
    queue.put("two")
    queue.get()
    queue.close()
    for verb in (lambda: queue.put("x"), queue.get, lambda: queue.depth, lambda: list(queue)):
        with pytest.raises(ternmq.BadHandle) as refused:
            verb()
        assert refused.value.reason == mq.MQRC_HOBJ_ERROR


def test_verbs_when_the_queue_was_deleted_then_q_deleted(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_model(
        "MODEL", definition_type="PERMDYN", default_input_open="SHARED", shareable="SHARE"
    )
    mine = qmgr.queue("MODEL", dynamic_name="MINE.*")
    with qmgr.connect() as other:
        theirs = other.queue(mine.name)
        theirs.put("one")
        theirs.put("two")
        theirs.get()
        mine.close(purge=True)
        for verb in (lambda: theirs.put("x"), theirs.get, lambda: theirs.depth):
            with pytest.raises(ternmq.ObjectUnknown) as refused:
                verb()
            assert refused.value.reason == mq.MQRC_Q_DELETED


def test_close_when_the_delete_is_refused_then_the_queue_stays_open(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.define_model("MODEL", definition_type="PERMDYN")
    queue = qmgr.queue("MODEL", dynamic_name="MINE.*")
    queue.put("one")
    with pytest.raises(ternmq.ObjectInUse) as refused:
        queue.close(delete=True)
    assert refused.value.reason == mq.MQRC_Q_NOT_EMPTY
    assert queue.get().text == "one"
    queue.close(delete=True)
    assert queue.name not in qmgr.queue_names()


def test_put_when_the_data_is_no_message_then_type_error(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue, pytest.raises(TypeError):
        queue.put(cast("Any", 5))
