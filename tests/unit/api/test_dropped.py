"""Goal: a connection that nobody holds any more does not keep messages. Method: drop one in the
middle of its unit of work and look from another.
"""

import gc

import pytest

import ternmq

pytestmark = pytest.mark.core


@pytest.mark.filterwarnings("ignore:a connection to:ResourceWarning")
def test_dropped_connection_then_its_unit_of_work_is_backed_out() -> None:
    with ternmq.memory() as qmgr:
        qmgr.define_queue("Q")
        qmgr.put("Q", "kept")
        connection = qmgr.connect()
        connection.begin()
        queue = connection.queue("Q")
        assert queue.get().text == "kept"
        queue.put("never seen")
        del queue, connection
        gc.collect()
        with qmgr.queue("Q") as again:
            assert again.get(wait=10).text == "kept"
            assert again.depth == 0


def test_connection_that_is_held_then_stays() -> None:
    with ternmq.memory() as qmgr:
        held = [qmgr.connect() for _ in range(3)]
        gc.collect()
        qmgr.started.shell.end_dropped()
        assert all(one.connected for one in held)


def test_connection_that_was_never_made_then_is_no_trouble() -> None:
    with ternmq.memory() as qmgr:
        with pytest.raises(ternmq.MQError):
            qmgr.connect(options=-1)
        gc.collect()
