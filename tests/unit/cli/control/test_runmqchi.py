"""Goal: runmqchi lasts as long as its initiator, also one that is slow to open its queue.

Method: a queue manager in memory; the test opens and closes the queue in the initiator's place.
"""

from __future__ import annotations

import ternmq
from ternmq import constants as mq
from ternmq.cli.control.runmqchi import STARTING_LOOKS_MAX, Watch


def test_watch_when_the_queue_is_not_open_yet_then_it_goes_on() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("I1")
        watch = Watch(qmgr, "I1")
        assert watch.runs()
        with qmgr.queue("I1", options=mq.MQOO_INPUT_SHARED):
            assert watch.runs()
        assert not watch.runs()  # it has ended


def test_watch_when_nobody_opens_the_queue_then_it_ends() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("I1")
        watch = Watch(qmgr, "I1")
        assert [watch.runs() for _ in range(STARTING_LOOKS_MAX)] == [True] * STARTING_LOOKS_MAX
        assert not watch.runs()


def test_watch_when_the_queue_does_not_exist_then_it_ends() -> None:
    with ternmq.memory("QM1") as qmgr:
        assert not Watch(qmgr, "I1").runs()
