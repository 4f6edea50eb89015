"""Goal: an MQSUB that has to wait for the disk leaves nothing behind, whatever others do meanwhile.

Method: the queue of durable subscriptions leaves memory, so that MQSUB waits until it is loaded;
its step is attempted by hand, and another application subscribes in between.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ternmq import MQError
from ternmq import constants as mq
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.mqi.steps.topics import Subscribe as Step
from ternmq.values.calls.topics import Subscribe
from tests.conformance.pubsub.bed import Bed, C, D, M, R

pytestmark = pytest.mark.core
QUEUE = "SYSTEM.DURABLE.SUBSCRIBER.QUEUE"


def unloaded(bed: Bed) -> None:
    """Let the queue of durable subscriptions leave memory."""
    bed.sub("a", M | D, "S0").end(mq.MQCO_KEEP_SUB)
    catalog = bed.kernel.catalog
    for _ in range(5):
        bed.connection.checkpoint()
        if catalog.definitions[QUEUE].object_id not in catalog.queues:
            return
    raise AssertionError("it is still in memory")


def managed(bed: Bed) -> int:
    return len([one for one in bed.connection.queue_names() if "MANAGED" in one])


def test_mqsub_when_another_takes_the_name_while_it_waits_then_2432_and_nothing_left(
    tmp_path: Path,
) -> None:
    bed = Bed("embedded", tmp_path)
    unloaded(bed)
    waiting = bed.connect()
    kernel = bed.kernel
    link = max(kernel.connections.values(), key=lambda one: one.connection_id)
    step = Step(Subscribe(SubscriptionDescriptor(options=C | M | D), "a", "S1"))
    shell = bed.served.started.shell
    with shell.lock:
        assert not step.attempt(kernel, link)
        assert link.park is not None
    bed.sub("b", M | D, "S1")
    assert managed(bed) == 3
    with shell.lock, pytest.raises(MQError) as caught:
        step.attempt(kernel, link)
    assert caught.value.reason == mq.MQRC_SUB_ALREADY_EXISTS
    assert managed(bed) == 2
    assert link.handles == {}
    assert kernel.topics.by_name["S1"].topic_string == "b"
    waiting.disconnect()
    bed.close()


def test_mqsub_when_its_application_vanishes_while_it_waits_then_nothing_left(
    tmp_path: Path,
) -> None:
    bed = Bed("embedded", tmp_path)
    unloaded(bed)
    waiting = bed.connect()
    kernel = bed.kernel
    link = max(kernel.connections.values(), key=lambda one: one.connection_id)
    step = Step(Subscribe(SubscriptionDescriptor(options=C | M | D), "a", "S1"))
    with bed.served.started.shell.lock:
        assert not step.attempt(kernel, link)
    assert managed(bed) == 2
    waiting.disconnect()
    assert managed(bed) == 1
    assert sorted(kernel.topics.by_name) == ["S0"]
    bed.close()


def test_mqsub_when_resumed_queue_must_be_loaded_then_it_waits_and_goes_on(tmp_path: Path) -> None:
    bed = Bed("embedded", tmp_path)
    bed.sub("a", M | D, "S1").end(mq.MQCO_KEEP_SUB)
    bed.pub("a", "kept", persistent=True)
    bed.restart()
    assert bed.sub("", M | D, "S1", action=R).texts() == ["kept"]
    bed.close()
