"""Whether the cost of put + get grows with depth: by place (FIFO), by MsgId and by CorrelId of
random messages.

Baseline: the same loop on a queue of 1,000 messages beside it. Goal: at 1,000,000 (100,000 with
--quick) at most 1.5 x the time. Non-persistent messages of 256 bytes, all with their own MsgId
and CorrelId. Once with buffers that hold everything, once with the default buffer of 1 MB, where
nearly all of the deep queue lies in segment files (in the page cache).
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import ternmq
from benchmarks.contest import Contest, timed
from benchmarks.figures import AT_MOST, Figure, Goal, Settings

BODY = bytes(256)
SHALLOW = 1_000
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
        queue, ids, depth = self.queue, self.ids, self.depth
        places = [self._random.randrange(depth) for _ in range(times)]
        start = time.perf_counter()
        for place in places:
            queue.get(msg_id=ids[place][0])
            ids[place] = self._put()
        return (time.perf_counter() - start) / times * 1e6

    def by_correl_id(self, times: int) -> float:
        """The same by CorrelId."""
        queue, ids, depth = self.queue, self.ids, self.depth
        places = [self._random.randrange(depth) for _ in range(times)]
        start = time.perf_counter()
        for place in places:
            queue.get(correl_id=ids[place][1])
            ids[place] = self._put()
        return (time.perf_counter() - start) / times * 1e6

    def by_place(self, times: int) -> float:
        """The first message each time; the identifiers are no longer known afterwards."""
        put, get = self.queue.put, self.queue.get
        start = time.perf_counter()
        for _ in range(times):
            put(BODY)
            get()
        return (time.perf_counter() - start) / times * 1e6


def measure(path: Path, settings: Settings, buffer: int | None) -> list[Figure]:
    """Both queues in one queue manager, in turns."""
    depth = settings.scaled(1_000_000, 100_000)
    if not ternmq.build_info().compiled:
        depth = 100_000  # a million takes plain files many minutes
    times = settings.scaled(20_000, 5_000)
    kept = "default buffer" if buffer is None else "all in memory"
    lines: list[Figure] = []
    with ternmq.embedded(path, "BENCH", create=True) as qmgr:
        deep = Pool(qmgr, "DEEP", depth, buffer)
        shallow = Pool(qmgr, "SHALLOW", SHALLOW, buffer)
        for name, way, count in (
            ("by MsgId", Pool.by_msg_id, times),
            ("by CorrelId", Pool.by_correl_id, times),
            ("FIFO", Pool.by_place, 4 * times),
        ):
            contest = Contest(
                {
                    "deep": lambda way=way, count=count: way(deep, count),  # type: ignore[misc]
                    "shallow": lambda way=way, count=count: way(shallow, count),  # type: ignore[misc]
                }
            ).run(settings.few)
            lines.append(
                Figure(
                    f"{name}, {kept}",
                    contest.value("deep"),
                    "us/pair",
                    f"depth {SHALLOW:,}",
                    contest.value("shallow"),
                    contest.ratio("deep", "shallow"),
                    GOAL,
                    f"depth {depth:,}, filled in {deep.fill_s:.1f} s" if name == "by MsgId" else "",
                    contest.rounds["deep"],
                )
            )
    return lines


def run(settings: Settings) -> list[Figure]:
    """Microseconds a pair."""
    folder = settings.place("depth")
    return [
        *measure(folder / "memory", settings, LARGE_BUFFER),
        *measure(folder / "spilled", settings, None),
    ]
