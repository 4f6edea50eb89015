"""A start with many durable subscriptions: their names, what they match and where they go have to
be in memory before the first verb.

They are on a queue that all share, so that the time is that of subscriptions and not of queues; the
messages that hold them are consolidated before. Baseline: the start of the same queue manager with
none. No goal in the issue but "quick".
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import ternmq
from benchmarks.contest import timed
from benchmarks.figures import Figure, Settings
from ternmq import constants as mq
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.values.calls.objects import Close, Open
from ternmq.values.calls.topics import Subscribe

SUBSCRIPTIONS = 100_000
SUBSCRIPTIONS_QUICK = 10_000
CONSOLIDATION_S = 120.0


def filled(folder: Path, count: int) -> tuple[float, int]:
    """Make them; seconds for each, and how many messages hold them in the end."""
    with ternmq.embedded(folder, "BENCH", create=True) as qmgr:
        qmgr.define_queue("ALL", max_depth=999_999_999)
        opened = Open(ObjectDescriptor(object_name="ALL"), mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT)
        queue = qmgr.run(opened).opened()
        options = mq.MQSO_CREATE | mq.MQSO_DURABLE
        begun = time.perf_counter()
        for number in range(count):
            sd = SubscriptionDescriptor(options=options)
            topic = f"bench/{number % 1000}/{number}"
            call = Subscribe(sd, topic, f"APP.SUB.{number:06d}", "", "", queue)
            handle = qmgr.run(call).done()[1]
            qmgr.run(Close(handle, mq.MQCO_KEEP_SUB))
        each = (time.perf_counter() - begun) / max(count, 1)
        pubsub = pubsub_of(qmgr.started.shell.engine.kernel)
        store = pubsub.store
        ends = time.monotonic() + CONSOLIDATION_S
        while len(store.small) >= store.together and time.monotonic() < ends:
            time.sleep(0.1)
        return each, len({id(one.stored) for one in pubsub.by_id.values()})


def run(settings: Settings) -> list[Figure]:
    """Seconds of a start, microseconds of MQSUB and MQCLOSE."""
    count = settings.scaled(SUBSCRIPTIONS, SUBSCRIPTIONS_QUICK)
    folder = settings.place("durable_start")
    each, messages = filled(folder / "many", count)
    filled(folder / "none", 0)

    def start(path: Path) -> float:
        opened: list[ternmq.QueueManager] = []
        took = timed(lambda: opened.append(ternmq.embedded(path, "BENCH")))
        opened[0].close()
        return took

    many = sorted(start(folder / "many") for _ in range(max(settings.rounds, 1)))
    none = sorted(start(folder / "none") for _ in range(max(settings.rounds, 1)))
    shutil.rmtree(folder)
    middle = many[len(many) // 2]
    before = none[len(none) // 2]
    note = f"{messages} messages hold them"
    return [
        Figure(
            f"start with {count:,} durable subscriptions",
            middle,
            "s",
            "the same start without them",
            before,
            middle / before,
            None,
            note,
            many,
        ),
        Figure("durable MQSUB and MQCLOSE, each forced", each * 1e6, "us", rounds=[each * 1e6]),
    ]
