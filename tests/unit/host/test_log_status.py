"""Goal: the figures of the log are those of the work that was done.

Method: a memory queue manager, known work, the difference of two snapshots.
"""

import pytest

import ternmq

pytestmark = pytest.mark.core


def test_log_status_when_work_is_done_then_it_is_counted() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("A", default_persistence="YES")
        before = qmgr.log_status()
        with qmgr.queue("A") as queue:
            queue.put(b"alone")
            with qmgr.unit_of_work():
                queue.put(b"one")
                queue.put(b"two")
            qmgr.begin()
            queue.get()
            qmgr.backout()
            queue.put(b"no trace in the log", persistent=False)
        after = qmgr.log_status()
        # PUT; PUT, PUT, COMMIT; GET, COMPENSATE, BACKOUT
        assert after.records - before.records == 7
        assert after.forces - before.forces == 3  # the put, the commit, the backout
        assert after.commits - before.commits == 1
        assert after.backouts - before.backouts == 1
        assert after.written_bytes - before.written_bytes >= 2 * 4096
        assert after.records_per_force > 1
        assert after.used > 0
        qmgr.checkpoint()
        assert qmgr.log_status().checkpoints == after.checkpoints + 1
