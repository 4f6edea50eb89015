"""Goal: a retained publication that was cleared, or replaced by one that is not persistent, does
not come back when the queue manager is killed or its machine loses power.

Method: embedded queue managers on a simulated disk, stopped right after the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from ternmq.pubsub.retained import RETAINED_QUEUE
from tests.conformance.pubsub.bed import M
from tests.conformance.pubsub.crash_bed import CrashBed

pytestmark = [pytest.mark.promise("P1"), pytest.mark.promise("P2")]
ENDS = ("end", "kill", "crash")


@pytest.fixture
def bed() -> Iterator[CrashBed]:
    made = CrashBed()
    yield made
    made.close()


def retain(bed: CrashBed, data: bytes, persistent: bool) -> None:
    bed.qmgr.publish("a", data, retain=True, persistent=persistent)


def replace_in_unit(bed: CrashBed) -> None:
    with bed.qmgr.topic("a") as topic:
        topic.put(b"2", retain=True, persistent=False, syncpoint=True)
        bed.qmgr.commit()


def swept_topics(bed: CrashBed) -> list[str]:
    """Topics whose retained publication is in a segment and not in memory."""
    found: list[str] = []
    queue = bed.kernel.locals[RETAINED_QUEUE].queue
    for number in range(40):
        retained = bed.pubsub.tree.ensure(f"t/{number}").retained
        assert retained is not None
        if queue.msg_ids.first(retained.msg_id) is None:
            found.append(f"t/{number}")
    return found


REPLACEMENTS: list[Callable[[CrashBed], None]] = [
    lambda bed: retain(bed, b"2", False),
    replace_in_unit,
]


@pytest.mark.parametrize("how", ENDS)
def test_clear_when_the_queue_manager_stops_then_nothing_comes_back(
    bed: CrashBed, how: str
) -> None:
    retain(bed, b"1", True)
    bed.mqsc("CLEAR TOPICSTR('a') CLRTYPE(RETAINED)")
    bed.restart(how)
    assert bed.sub("a", M).texts() == []
    assert bed.depth_of(RETAINED_QUEUE) == 0


@pytest.mark.parametrize("how", ENDS)
def test_clear_when_an_outdated_one_is_still_there_then_that_does_not_come_back(
    bed: CrashBed, how: str
) -> None:
    retain(bed, b"1", True)
    node = bed.pubsub.tree.ensure("a")
    before = node.retained
    assert before is not None
    node.retained = None  # as if its removal had to wait
    bed.pubsub.retained_waste.append(before.msg_id)
    retain(bed, b"2", True)
    bed.mqsc("CLEAR TOPICSTR('a') CLRTYPE(RETAINED)")
    bed.restart(how)
    assert bed.sub("a", M).texts() == []


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("replace", REPLACEMENTS)
def test_replace_when_the_new_one_is_not_persistent_then_the_old_one_does_not_come_back(
    bed: CrashBed, how: str, replace: Callable[[CrashBed], None]
) -> None:
    retain(bed, b"1", True)
    replace(bed)
    bed.restart(how)
    assert bed.sub("a", M).texts() == []


@pytest.mark.parametrize("how", ENDS)
def test_removal_when_the_message_is_swept_then_it_is_read_first(bed: CrashBed, how: str) -> None:
    bed.mqsc(f"ALTER QLOCAL({RETAINED_QUEUE}) PBUFFER(65536) NPBUFFER(65536)")
    for number in range(40):
        bed.qmgr.publish(f"t/{number}", b"1" * 20_000, retain=True, persistent=True)
    bed.tick(5)
    cleared, replaced = swept_topics(bed)[:2]
    bed.mqsc(f"CLEAR TOPICSTR('{cleared}') CLRTYPE(RETAINED)")
    bed.qmgr.publish(replaced, b"2", retain=True, persistent=False)
    bed.restart(how)
    assert bed.sub(cleared, M).texts() == []
    assert bed.sub(replaced, M).texts() == []
    assert bed.depth_of(RETAINED_QUEUE) == 38
