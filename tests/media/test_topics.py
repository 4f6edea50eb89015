"""Goal: durable subscriptions and retained publications come back from media images of the queues
that hold them, without a start. Method: a folder with a linear log, whose files are lost.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.base.names import file_name
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.pubsub.publish_subscribe import PublishSubscribe, pubsub_of
from ternmq.pubsub.retained import RETAINED_QUEUE
from ternmq.pubsub.subscription_message import SUBSCRIBER_QUEUE
from ternmq.runtime.backup import Backup
from ternmq.values.calls.objects import Close
from ternmq.values.calls.topics import Subscribe
from tests.battery.places import until
from tests.media.test_api import new

pytestmark = [pytest.mark.core, pytest.mark.promise("P7"), pytest.mark.timeout(60)]

_D = mq.MQSO_CREATE | mq.MQSO_DURABLE | mq.MQSO_MANAGED


def lose(folder: Path, queue: str) -> None:
    (place,) = (folder / "qmgrs" / "QM1" / "queues").glob(f"{file_name(queue)}~*")
    shutil.rmtree(place)


def pubsub(qmgr: ternmq.QueueManager) -> PublishSubscribe:
    return pubsub_of(qmgr.started.shell.engine.kernel)


def subscribe(qmgr: ternmq.QueueManager, name: str, topic: str) -> None:
    call = qmgr.run(Subscribe(SubscriptionDescriptor(options=_D), topic, name))
    queue, subscription = call.done()
    qmgr.run(Close(subscription, mq.MQCO_KEEP_SUB))
    qmgr.run(Close(queue, 0))


def filled(folder: Path, count: int = 100) -> None:
    with new(folder) as qmgr:
        for number in range(count):
            subscribe(qmgr, f"S{number}", f"m/{number}")
        for number in range(5):
            qmgr.publish(f"m/{number}", f"kept {number}", retain=True, persistent=True)
        qmgr.record_image(SUBSCRIBER_QUEUE)
        qmgr.record_image(RETAINED_QUEUE)
        subscribe(qmgr, "LAST", "m/+")
    ternmq.embedded(folder, "QM1").close()  # the next start has nothing to replay


def test_subscriber_queue_when_its_files_are_lost_then_recreate_brings_all_back(
    tmp_path: Path,
) -> None:
    filled(tmp_path)
    lose(tmp_path, SUBSCRIBER_QUEUE)
    with ternmq.embedded(tmp_path, "QM1") as qmgr:
        assert not pubsub(qmgr).by_name
        managed = [
            one
            for one in qmgr.started.shell.engine.kernel.catalog.definitions
            if one.startswith("SYSTEM.MANAGED.DURABLE.")
        ]
        assert len(managed) == 101  # they are kept: their subscriptions are only not known
        with pytest.raises(ternmq.MQError) as refused:
            subscribe(qmgr, "NEW", "n")
        assert refused.value.reason == 2436
        qmgr.recreate(SUBSCRIBER_QUEUE)
        until(lambda: len(pubsub(qmgr).by_name) == 101)
        subscribe(qmgr, "NEW", "n")
        qmgr.publish("m/7", "x", persistent=True)
    with ternmq.embedded(tmp_path, "QM1") as qmgr:
        assert len(pubsub(qmgr).by_name) == 102


def test_retained_queue_when_its_files_are_lost_then_recreate_and_start_bring_all_back(
    tmp_path: Path,
) -> None:
    filled(tmp_path, 1)
    lose(tmp_path, RETAINED_QUEUE)
    with ternmq.embedded(tmp_path, "QM1") as qmgr:
        qmgr.recreate(RETAINED_QUEUE)
        until(lambda: retained_topics(qmgr) == 5)
    with ternmq.embedded(tmp_path, "QM1") as qmgr:
        assert retained_topics(qmgr) == 5


def retained_topics(qmgr: ternmq.QueueManager) -> int:
    tree = pubsub(qmgr).tree
    nodes = [tree.find(f"m/{number}") for number in range(5)]
    return sum(node is not None and node.retained is not None for node in nodes)


def test_backup_when_it_is_activated_then_it_has_subscriptions_and_retained_publications(
    tmp_path: Path,
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    filled(here, 5)
    backup = Backup.create(here, there, "QM1")
    folder = here / "qmgrs" / "QM1" / "log" / "active"
    with ternmq.embedded(here, "QM1") as qmgr:
        subscribe(qmgr, "LATER", "later")
        qmgr.publish("later", "kept", retain=True, persistent=True)
        qmgr.define_queue("FILL", max_depth=999_999)
        for _ in range(600):  # until the extent is full
            qmgr.put("FILL", bytes(1000), persistent=True)
        backup.replay([folder / name for name in qmgr.log_extents().archivable])
    backup.activate()
    with ternmq.embedded(there, "QM1") as qmgr:
        assert {"S0", "S4", "LAST", "LATER"} <= set(pubsub(qmgr).by_name)
        assert retained_topics(qmgr) == 5
        node = pubsub(qmgr).tree.find("later")
        assert node is not None
        assert node.retained is not None
