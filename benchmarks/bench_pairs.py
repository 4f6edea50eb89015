"""Put and get of 2 KB non-persistent messages outside syncpoint, one thread, the bytes path of the
public API.

Baseline: `queue.SimpleQueue`, the quickest queue of the standard library (it is C), with the same
bytes object; and `queue.Queue`, the one most programs use. Goal: 300,000 pairs/s compiled; under
100,000 is a failure.
"""

from __future__ import annotations

import queue

import ternmq
from benchmarks.contest import Contest, CpuMeter, Work, rate_of
from benchmarks.figures import AT_LEAST, Figure, Goal, Settings

BODY = bytes(2048)
BURST = 256
GOAL = 300_000
FLOOR = 100_000


def alternating(target: ternmq.Queue) -> Work:
    """A put, a get, a put, a get."""

    def work(times: int) -> None:
        put, get = target.put, target.get
        for _ in range(times):
            put(BODY)
            get()

    return work


def bursts(target: ternmq.Queue) -> Work:
    """Many puts, then as many gets."""

    def work(times: int) -> None:
        put, get = target.put, target.get
        for _ in range(times // BURST):
            for _ in range(BURST):
                put(BODY)
            for _ in range(BURST):
                get()

    return work


def plain_queue(target: queue.SimpleQueue[bytes] | queue.Queue[bytes]) -> Work:
    """The same with a queue of the standard library."""

    def work(times: int) -> None:
        put, get = target.put, target.get
        for _ in range(times):
            put(BODY)
            get()

    return work


def run(settings: Settings) -> list[Figure]:
    """Pairs a second."""
    seconds = settings.seconds
    meter = CpuMeter()
    with ternmq.embedded(settings.place("pairs"), "BENCH", create=True) as qmgr:
        qmgr.define_queue("PAIRS")
        with qmgr.queue("PAIRS") as target:
            contest = Contest(
                {
                    "alternating": lambda: meter.rate_of(alternating(target), seconds),
                    "simple": lambda: rate_of(plain_queue(queue.SimpleQueue()), seconds),
                    "bursts": lambda: rate_of(bursts(target), seconds, BURST),
                    "queue": lambda: rate_of(plain_queue(queue.Queue()), seconds),
                }
            ).run(settings.rounds)
    floor = "kept" if contest.value("alternating") >= FLOOR else "MISSED"
    return [
        Figure(
            "put, get, put, get",
            contest.value("alternating"),
            "pairs/s",
            "SimpleQueue",
            contest.value("simple"),
            contest.ratio("alternating", "simple"),
            Goal(AT_LEAST, GOAL),
            f"{1e6 / meter.us:,.0f} pairs/CPU s; floor {FLOOR:,}: {floor}",
            contest.rounds["alternating"],
        ),
        Figure(
            f"{BURST} puts, {BURST} gets",
            contest.value("bursts"),
            "pairs/s",
            "queue.Queue",
            contest.value("queue"),
            contest.ratio("bursts", "queue"),
            None,
            "",
            contest.rounds["bursts"],
        ),
    ]
