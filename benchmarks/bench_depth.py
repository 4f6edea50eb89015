"""Whether the cost of put + get grows with depth: by place (FIFO), by MsgId and by CorrelId of
random messages.

Baseline: the same loop on a shallower queue beside it. Goal: at 1,000,000 (100,000 with --quick) at
most 1.5 x the time. Non-persistent messages of 2 KB, all with their own MsgId and CorrelId.

    all in memory   buffers that hold everything; against 1,000 messages
    in segments     the default buffer of 1 MB, where nearly all of the deep queue lies in segment
                    files (in the page cache); against 50,000 messages, which lie there too
    default buffer  the same against 1,000 messages, which fit into the buffer: what segment files
                    cost against memory, and no question of depth; it has no goal
"""

from __future__ import annotations

import random
import time
from typing import Any

import ternmq
from benchmarks.contest import Contest, timed
from benchmarks.figures import AT_MOST, Figure, Goal, Settings

BODY = bytes(2048)
SHALLOW = 1_000
SWEPT = 50_000  # enough to lie in segments but for the ends
LARGE_BUFFER = 1 << 36
GOAL = Goal(AT_MOST, 1.5, of_ratio=True, compiled_only=False)

Ids = list[tuple[bytes, bytes]]


class Pool:
    """A filled queue and the identifiers of its messages."""

    def __init__(
        self, qmgr: ternmq.QueueManager, name: str, depth: int, buffer: int | None
    ) -> None:
        size: dict[str, Any] = {} if buffer is None else {"nonpersistent_buffer": buffer}
        qmgr.define_queue(name, max_depth=999_999_999, **size)
        self.queue = qmgr.queue(name)
        self.depth = depth
        self._random = random.Random(depth)
        self.fill_s = timed(self._fill)

    def _fill(self) -> None:
        self.ids: Ids = [self._put() for _ in range(self.depth)]

    def _put(self) -> tuple[bytes, bytes]:
        correl_id = self._random.randbytes(24)
        return self.queue.put(BODY, correl_id=correl_id), correl_id

    def by_msg_id(self, times: int) -> float:
        """Microseconds for a put and a get of a random message."""
        return self._by_id(0, times)

    def by_correl_id(self, times: int) -> float:
        """The same by CorrelId."""
        return self._by_id(1, times)

    def _by_id(self, kind: int, times: int) -> float:
        # The application's own lists are as deep as the queue. They are not what is measured: the
        # identifiers are copied out before and brought up to date afterwards.
        if times > self.depth:
            rounds = times // self.depth
            return sum(self._by_id(kind, self.depth) for _ in range(rounds)) / rounds
        places = self._random.sample(range(self.depth), times)
        wanted = [bytes(bytearray(self.ids[place][kind])) for place in places]
        fresh = [self._random.randbytes(24) for _ in places]
        put, get = self.queue.put, self.queue.get
        given: list[bytes] = []
        start = time.perf_counter()
        if kind == 0:
            for key, correl_id in zip(wanted, fresh, strict=True):
                get(msg_id=key)
                given.append(put(BODY, correl_id=correl_id))
        else:
            for key, correl_id in zip(wanted, fresh, strict=True):
                get(correl_id=key)
                given.append(put(BODY, correl_id=correl_id))
        spent = time.perf_counter() - start
        for place, msg_id, correl_id in zip(places, given, fresh, strict=True):
            self.ids[place] = msg_id, correl_id
        return spent / len(places) * 1e6

    def by_place(self, times: int) -> float:
        """The first message each time; the identifiers are no longer known afterwards."""
        put, get = self.queue.put, self.queue.get
        start = time.perf_counter()
        for _ in range(times):
            put(BODY)
            get()
        return (time.perf_counter() - start) / times * 1e6


def compare(
    deep: Pool, other: Pool, kept: str, settings: Settings, goal: Goal | None
) -> list[Figure]:
    """Both queues in turns."""
    times = settings.scaled(20_000, 5_000)
    lines: list[Figure] = []
    for name, way, count in (
        ("by MsgId", Pool.by_msg_id, times),
        ("by CorrelId", Pool.by_correl_id, times),
        ("FIFO", Pool.by_place, 4 * times),
    ):
        contest = Contest(
            {
                "deep": lambda way=way, count=count: way(deep, count),  # type: ignore[misc]
                "other": lambda way=way, count=count: way(other, count),  # type: ignore[misc]
            }
        ).run(settings.few)
        lines.append(
            Figure(
                f"{name}, {kept}",
                contest.value("deep"),
                "us/pair",
                f"depth {other.depth:,}",
                contest.value("other"),
                contest.ratio("deep", "other"),
                goal,
                f"depth {deep.depth:,}, filled in {deep.fill_s:.1f} s"
                if name == "by MsgId"
                else "",
                contest.rounds["deep"],
            )
        )
    return lines


def run(settings: Settings) -> list[Figure]:
    """Microseconds a pair."""
    folder = settings.place("depth")
    depth = settings.scaled(1_000_000, 100_000)
    if not ternmq.build_info().compiled:
        depth = 100_000  # a million takes plain files many minutes
    with ternmq.embedded(folder / "memory", "BENCH", create=True) as qmgr:
        deep = Pool(qmgr, "DEEP", depth, LARGE_BUFFER)
        lines = compare(
            deep, Pool(qmgr, "SHALLOW", SHALLOW, LARGE_BUFFER), "all in memory", settings, GOAL
        )
    for other, kept, goal in ((SWEPT, "in segments", GOAL), (SHALLOW, "default buffer", None)):
        with ternmq.embedded(folder / kept, "BENCH", create=True) as qmgr:
            deep = Pool(qmgr, "DEEP", depth, None)
            lines += compare(deep, Pool(qmgr, "OTHER", other, None), kept, settings, goal)
    return lines
