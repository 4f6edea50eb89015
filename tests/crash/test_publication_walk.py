"""Goal: a crash at any call on the disk while a persistent publication is put leaves all of its
copies or none: those that share a record, those with records of their own, and what is retained.
Method: the machine stops at each call in turn, un-forced writes are lost, kept, or each as chance
has it.
"""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.pubsub.retained import RETAINED_QUEUE
from ternmq.runtime.embedded import QueueManager
from ternmq.testing.simulation import crash_everywhere
from tests.conformance.pubsub.crash_bed import CrashBed

pytestmark = [pytest.mark.promise("P1"), pytest.mark.promise("P2")]

OBJECTS = """
DEFINE QLOCAL(Q1)
DEFINE QLOCAL(Q2)
DEFINE QLOCAL(RFH)
DEFINE QLOCAL(FULL) MAXDEPTH(0)
DEFINE QLOCAL(DLQ)
DEFINE QLOCAL(QM2) USAGE(XMITQ)
DEFINE QREMOTE(AWAY) RNAME(THERE) RQMNAME(QM2) XMITQ(QM2)
ALTER QMGR DEADQ(DLQ)
DEFINE TOPIC(T) TOPICSTR('walk')
DEFINE QALIAS(QA) TARGET(T) TARGTYPE(TOPIC)
DEFINE QLOCAL(ORIGINAL) STREAMQ(QA) STRMQOS(MUSTDUP)
DEFINE SUB(S1) TOPICSTR('walk') DEST(Q1)
DEFINE SUB(S2) TOPICSTR('#') DEST(Q1)
DEFINE SUB(S3) TOPICSTR('walk') DEST(Q2) USERDATA('three')
"""
AWKWARD = """
DEFINE SUB(S4) TOPICSTR('walk') DEST(RFH) PSPROP(RFH2)
DEFINE SUB(S5) TOPICSTR('walk') DEST(FULL)
DEFINE SUB(S6) TOPICSTR('walk') DEST(AWAY)
"""
PLAIN = {"Q1": 2, "Q2": 1, "RFH": 0, "DLQ": 0, "QM2": 0}
ALL = {"Q1": 2, "Q2": 1, "RFH": 1, "DLQ": 1, "QM2": 1}


def depths(qmgr: QueueManager, names: dict[str, int]) -> dict[str, int]:
    bed = CrashBed.over(qmgr)
    return {name: bed.depth_of(name) for name in names}


@pytest.mark.parametrize("awkward", [False, True])
@pytest.mark.parametrize("syncpoint", [False, True])
def test_publish_when_stopped_anywhere_then_all_copies_or_none(
    awkward: bool, syncpoint: bool
) -> None:
    wanted = {**(ALL if awkward else PLAIN), RETAINED_QUEUE: 1}
    answered: list[str] = []

    def prepare(qmgr: QueueManager) -> None:
        CrashBed.over(qmgr).mqsc(OBJECTS + (AWKWARD if awkward else ""))

    def application(qmgr: QueueManager) -> None:
        answered.clear()
        bed = CrashBed.over(qmgr)
        options = mq.MQPMO_RETAIN | (mq.MQPMO_SYNCPOINT if syncpoint else 0)
        bed.pub("walk", b"x" * 3000, options, persistent=True)
        if syncpoint:
            bed.connection.commit()
        answered.append("published")

    def check(qmgr: QueueManager) -> None:
        found = depths(qmgr, wanted)
        none = dict.fromkeys(wanted, 0)
        assert found in ((wanted,) if answered else (wanted, none))
        node = pubsub_of(qmgr.started.shell.engine.kernel).tree.ensure("walk")
        assert (node.retained is not None) == (found == wanted)

    assert crash_everywhere(application, check, prepare=prepare) > 3


def test_put_with_streamed_publication_when_stopped_anywhere_then_together() -> None:
    wanted = {**ALL, "ORIGINAL": 1}
    answered: list[str] = []

    def prepare(qmgr: QueueManager) -> None:
        CrashBed.over(qmgr).mqsc(OBJECTS + AWKWARD)

    def application(qmgr: QueueManager) -> None:
        answered.clear()
        bed = CrashBed.over(qmgr)
        bed.put(bed.open("ORIGINAL", mq.MQOO_OUTPUT), b"x" * 3000, persistent=True)
        answered.append("put")

    def check(qmgr: QueueManager) -> None:
        found = depths(qmgr, wanted)
        none = dict.fromkeys(wanted, 0)
        assert found in ((wanted,) if answered else (wanted, none))

    assert crash_everywhere(application, check, prepare=prepare) > 3
