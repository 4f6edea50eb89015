"""A queue that nobody reads: 10,000,000 non-persistent messages of 1 KB (500,000 with --quick), all
with their own MsgId and CorrelId, some of them found by either, then all drained.

Goals: resident memory grows by at most 40 bytes a message (24 is hoped for); the last tenth is put
at 0.7 x the rate of the first one at least. Baseline: the first tenth. Everything passes through
segment files; the page cache is not counted as memory.
"""

from __future__ import annotations

import random
import time
from statistics import median

import ternmq
from benchmarks.bench_memory import resident
from benchmarks.figures import AT_LEAST, AT_MOST, Figure, Goal, Settings

BODY = bytes(1024)
WARM = 20_000
TENTHS = 10
LOOKUPS = 2_000


def own_id(number: int) -> bytes:
    """The CorrelId of a message."""
    return number.to_bytes(24, "big")


class Backlog:
    """The queue, and the MsgIds of some of its messages."""

    def __init__(self, queue: ternmq.Queue, count: int) -> None:
        self.queue = queue
        chosen = random.Random(count).sample(range(WARM, WARM + count), 2 * LOOKUPS)
        self.by_correl_id = chosen[:LOOKUPS]
        self.by_msg_id = set(chosen[LOOKUPS:])
        self.msg_ids: list[bytes] = []

    def fill(self, first: int, count: int) -> float:
        """Messages a second."""
        put, watched = self.queue.put, self.by_msg_id
        start = time.perf_counter()
        for number in range(first, first + count):
            msg_id = put(BODY, correl_id=number.to_bytes(24, "big"))
            if number in watched:
                self.msg_ids.append(msg_id)
        return count / (time.perf_counter() - start)

    def find(self) -> tuple[float, float]:
        """Median microseconds of a get by MsgId and of one by CorrelId."""
        get = self.queue.get
        random.Random(1).shuffle(self.msg_ids)
        spent: list[list[float]] = [[], []]
        for msg_id, number in zip(self.msg_ids, self.by_correl_id, strict=True):
            start = time.perf_counter()
            found = get(msg_id=msg_id)
            middle = time.perf_counter()
            other = get(correl_id=own_id(number))
            end = time.perf_counter()
            spent[0].append((middle - start) * 1e6)
            spent[1].append((end - middle) * 1e6)
            if found.msg_id != msg_id or other.correl_id != own_id(number):
                raise RuntimeError("a get by identifier found another message")
        return median(spent[0]), median(spent[1])

    def drain(self, count: int) -> float:
        """Messages a second, first to last; their order is checked."""
        last = b""
        seen = 0
        start = time.perf_counter()
        for message in self.queue:
            seen += 1
            if message.correl_id <= last:
                raise RuntimeError("out of order")
            last = message.correl_id
        spent = time.perf_counter() - start
        if seen != count:
            raise RuntimeError(f"{seen} messages, not {count}")
        return seen / spent


def run(settings: Settings) -> list[Figure]:
    """Rates, bytes and microseconds."""
    count = settings.scaled(10_000_000, 500_000)
    if not ternmq.build_info().compiled:
        count = 200_000  # ten million take plain files an hour
    tenth = count // TENTHS
    with ternmq.embedded(settings.place("backlog"), "BENCH", create=True) as qmgr:
        qmgr.define_queue("BACKLOG", max_depth=999_999_999)
        with qmgr.queue("BACKLOG") as queue:
            backlog = Backlog(queue, count)
            backlog.fill(0, WARM)  # past the buffers
            qmgr.started.shell.run_effects()
            before = resident()
            rates = [backlog.fill(WARM + at * tenth, tenth) for at in range(TENTHS)]
            qmgr.started.shell.run_effects()
            grown = (resident() - before) / count
            by_msg_id, by_correl_id = backlog.find()
            drained = backlog.drain(WARM + count - 2 * LOOKUPS)
    note = f"{count:,} messages"
    first, last = rates[0], rates[-1]
    rate_goal = Goal(AT_LEAST, 0.7, of_ratio=True)
    memory_goal = Goal(AT_MOST, 40.0)
    return [
        Figure("put", last, "msg/s", "first tenth", first, last / first, rate_goal, note, rates),
        Figure("resident", grown, "bytes/msg", goal=memory_goal, note="page cache not counted"),
        Figure("get by MsgId", by_msg_id, "us", note=f"median of {LOOKUPS:,} random ones"),
        Figure("get by CorrelId", by_correl_id, "us"),
        Figure("drain", drained, "msg/s", "put", first, drained / first),
    ]
