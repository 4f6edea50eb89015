"""Groups in logical order: messages a second.

Goal: a group of ten times as many messages takes ten times as long, in memory and swept: at least
half the rate. Baseline: the same for the smaller group. Then 1,000 groups of ten messages, whose
messages arrived mixed, by two threads with ALL_MSGS_AVAILABLE; its baseline is plain gets of as
many messages by the same two threads. Swept: a buffer of 64 KiB.
"""

from __future__ import annotations

import gc
import threading
import time

import ternmq
from benchmarks.contest import Contest
from benchmarks.figures import AT_LEAST, Figure, Goal, Settings
from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor

BODY = bytes(256)
QUEUE = "GROUPS"
GOAL = Goal(AT_LEAST, 0.5, of_ratio=True)
LARGE = 1 << 32
SMALL = 1 << 16
IN_ORDER = mq.MQGMO_LOGICAL_ORDER | mq.MQGMO_ALL_MSGS_AVAILABLE
MEMBERS = 10
THREADS = 2


def put_group(queue: ternmq.Queue, count: int) -> None:
    """One group, in order."""
    md = Descriptor(version=2, group_id=b"G" * 24, msg_flags=mq.MQMF_MSG_IN_GROUP)
    for number in range(1, count + 1):
        md.msg_seq_number = number
        if number == count:
            md.msg_flags |= mq.MQMF_LAST_MSG_IN_GROUP
        queue.put(BODY, descriptor=md)


def put_groups(queue: ternmq.Queue, count: int) -> None:
    """Many groups: all first messages, all second ones and so on, the last messages first."""
    md = Descriptor(version=2, msg_flags=mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP)
    for number in range(MEMBERS, 0, -1):
        md.msg_seq_number = number
        for group in range(count):
            md.group_id = (group + 1).to_bytes(24, "big")  # zeros are no group
            queue.put(BODY, descriptor=md)
        md.msg_flags = mq.MQMF_MSG_IN_GROUP


def put_plain(queue: ternmq.Queue, count: int) -> None:
    """As many messages in no group."""
    for _ in range(count * MEMBERS):
        queue.put(BODY)


def drain(queue: ternmq.Queue, options: int) -> int:
    """Get all; how many that were."""
    got = 0
    while queue.try_get(options=options) is not None:
        got += 1
    return got


def rate_of_one(qmgr: ternmq.QueueManager, count: int) -> float:
    """Messages a second of one group."""
    with qmgr.queue(QUEUE) as queue:
        put_group(queue, count)
        qmgr.started.shell.run_effects()
        gc.collect()
        begin = time.perf_counter()
        got = drain(queue, IN_ORDER)
        took = time.perf_counter() - begin
    if got != count:
        raise RuntimeError(f"{got} of {count} messages")
    return count / took


def rate_of_two(qmgr: ternmq.QueueManager, groups: int, is_grouped: bool) -> float:
    """Messages a second by two threads, each with a connection of its own."""
    with qmgr.queue(QUEUE) as queue:
        (put_groups if is_grouped else put_plain)(queue, groups)
    counts = [0] * THREADS
    options = IN_ORDER if is_grouped else 0

    def take(number: int) -> None:
        with qmgr.connect() as connection, connection.queue(QUEUE) as queue:
            counts[number] = drain(queue, options)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(THREADS)]
    gc.collect()
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - begin
    if sum(counts) != groups * MEMBERS:
        raise RuntimeError(f"{sum(counts)} of {groups * MEMBERS} messages")
    return groups * MEMBERS / took


def opened(settings: Settings, name: str, swept: bool) -> ternmq.QueueManager:
    """A queue manager with the queue."""
    folder = settings.place(f"groups-{name}")
    qmgr = ternmq.embedded(folder, "BENCH", create=True, log_primary_files=16)
    size = SMALL if swept else LARGE
    qmgr.define_queue(QUEUE, max_depth=999_999_999, nonpersistent_buffer=size)
    return qmgr


def one_group(settings: Settings, swept: bool) -> Figure:
    """A large group against one of a tenth."""
    count = settings.scaled(100_000, 10_000)
    with opened(settings, f"one-{swept:d}", swept) as qmgr:
        contest = Contest(
            {
                "large": lambda: rate_of_one(qmgr, count),
                "small": lambda: rate_of_one(qmgr, count // 10),
            }
        ).run(settings.few)
    return Figure(
        f"one group, {'swept' if swept else 'in memory'}",
        contest.value("large"),
        "msg/s",
        "a tenth of it",
        contest.value("small"),
        contest.ratio("large", "small"),
        GOAL,
        f"{count:,} messages",
        contest.rounds["large"],
    )


def many_groups(settings: Settings) -> Figure:
    """Two handles that take whole groups."""
    count = settings.scaled(1_000, 100)
    with opened(settings, "many", False) as qmgr:
        contest = Contest(
            {
                "groups": lambda: rate_of_two(qmgr, count, True),
                "plain": lambda: rate_of_two(qmgr, count, False),
            }
        ).run(settings.few)
    return Figure(
        "groups of ten, two handles",
        contest.value("groups"),
        "msg/s",
        "plain gets",
        contest.value("plain"),
        contest.ratio("groups", "plain"),
        None,
        f"{count:,} groups",
        contest.rounds["groups"],
    )


def run(settings: Settings) -> list[Figure]:
    """Messages a second."""
    return [
        one_group(settings, False),
        one_group(settings, True),
        many_groups(settings),
    ]
