"""Goal: a crash at any call on the disk while durable subscriptions are made, altered, deleted and
consolidated leaves each as it was answered, or whole, or absent (row F3). Method: the machine stops
at each call in turn, un-forced writes are lost, kept, or each as chance has it.
"""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from ternmq.kernel.inquire import apply_definition
from ternmq.pubsub.publish_subscribe import PublishSubscribe, pubsub_of
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.subscription_message import SUBSCRIBER_QUEUE
from ternmq.runtime.embedded import QueueManager
from ternmq.testing.simulation import crash_everywhere
from tests.conformance.pubsub.bed import ALTER, D, M
from tests.conformance.pubsub.crash_bed import CrashBed

pytestmark = [pytest.mark.promise("P1"), pytest.mark.promise("P2")]

MANY = 70  # enough for a consolidation


class Answered:
    """What the application has been answered in the life that is stopped."""

    def __init__(self) -> None:
        self.steps: list[str] = []


def bed_of(qmgr: QueueManager) -> CrashBed:
    return CrashBed.over(qmgr)


def pubsub(qmgr: QueueManager) -> PublishSubscribe:
    return pubsub_of(qmgr.started.shell.engine.kernel)


def shrink(qmgr: QueueManager) -> None:
    """Most messages are swept: a consolidation reads them, and its unit of work stays open."""
    kernel = qmgr.started.shell.engine.kernel
    definition = kernel.catalog.definitions[SUBSCRIBER_QUEUE]
    definition.attributes["persistent_buffer"] = 4_000
    definition.attributes["nonpersistent_buffer"] = 4_000
    kernel.coordinator.define(kernel.catalog, definition)
    apply_definition(kernel, definition)


def check_whole(qmgr: QueueManager, one: Subscription) -> None:
    """Its queue is there, and what is published comes to it."""
    bed = bed_of(qmgr)
    assert one.destination in bed.managed()
    before = bed.kernel.topics.by_id[one.sub_id].messages
    bed.pub(one.topic_string, "afterwards", persistent=True)
    assert bed.kernel.topics.by_id[one.sub_id].messages == before + 1


def check_first(qmgr: QueueManager, done: list[str], one: Subscription | None) -> None:
    """The subscription that was made, altered and removed, after those of the steps that were
    answered."""
    if one is None:
        assert "removed" in done or "altered" in done or "made" not in done
        return
    assert "removed" not in done
    assert one.user_data in (("two",) if "altered" in done else ("one", "two"))
    if "published" in done:
        assert bed_of(qmgr).depth_of(one.destination) == 1
    check_whole(qmgr, one)


def check_queues(qmgr: QueueManager) -> None:
    """A managed queue for each subscription, and no other."""
    subscriptions = pubsub(qmgr).by_id.values()
    wanted = sorted(one.destination for one in subscriptions if one.terms.is_managed)
    assert bed_of(qmgr).managed() == wanted


def test_create_alter_delete_when_stopped_anywhere_then_what_was_answered_is_there() -> None:
    answered = Answered()

    def application(qmgr: QueueManager) -> None:
        answered.steps = []
        bed = bed_of(qmgr)
        one = bed.sub("walk/a", M | D, "S1", user_data="one")
        answered.steps.append("made")
        bed.pub("walk/a", "first", persistent=True)
        answered.steps.append("published")
        bed.sub("walk/a", M | D, "S1", action=ALTER, user_data="two")
        answered.steps.append("altered")
        one.close(mq.MQCO_REMOVE_SUB)
        one.close_queue()
        answered.steps.append("removed")
        bed.sub("walk/b", M | D, "S2")
        answered.steps.append("again")
        queue = bed.open("WQ", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT)
        bed.sub("walk/c", D, "S3", queue=queue)
        answered.steps.append("provided")
        bed.put(bed.open("WQ", mq.MQOO_OUTPUT), "z", persistent=True)

    def check(qmgr: QueueManager) -> None:
        by_name = pubsub(qmgr).by_name
        check_first(qmgr, answered.steps, by_name.get("S1"))
        assert "S2" in by_name or "again" not in answered.steps
        assert "S3" in by_name or "provided" not in answered.steps
        if "S2" in by_name:
            check_whole(qmgr, by_name["S2"])
        check_queues(qmgr)

    def prepare(qmgr: QueueManager) -> None:
        qmgr.mqsc("DEFINE QLOCAL(WQ)")

    assert crash_everywhere(application, check, prepare=prepare) > 30


def test_consolidation_when_stopped_anywhere_then_none_is_lost_and_none_comes_back() -> None:
    """Also with a change of one that is in a message with others."""

    def prepare(qmgr: QueueManager) -> None:
        bed = bed_of(qmgr)
        qmgr.mqsc("DEFINE QLOCAL(WQ)")
        handle = bed.open("WQ", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT)
        for number in range(MANY):
            bed.sub(f"w/{number}", D, f"S{number}", queue=handle).close(mq.MQCO_KEEP_SUB)
            if number == 0:
                shrink(qmgr)

    removed: list[str] = []

    def application(qmgr: QueueManager) -> None:
        removed.clear()
        shell = qmgr.started.shell
        for name in ("", "", "S3", "", "S69"):
            if name:
                bed = bed_of(qmgr)
                handle = bed.open("WQ", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT)
                one = bed.sub("", D, name, action=mq.MQSO_RESUME, queue=handle)
                one.close(mq.MQCO_REMOVE_SUB)
                removed.append(name)
            with shell.lock:
                shell.engine.tick()
                shell.engine.keeper.begin(True, False)
            while shell.run_effects():
                pass
            qmgr.put("WQ", "force", persistent=True)

    def check(qmgr: QueueManager) -> None:
        names = set(pubsub(qmgr).by_name)
        assert not names & set(removed)
        expected = {f"S{number}" for number in range(MANY)} - {"S3", "S69"}
        assert expected <= names <= expected | {"S3", "S69"}

    assert crash_everywhere(application, check, prepare=prepare, every=5) > 30
