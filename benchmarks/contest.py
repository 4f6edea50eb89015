"""Timing side by side: contenders take turns for several rounds, and medians are compared.

Other work on the machine comes and goes; what is measured in turns meets the same weather. A
ratio is the median of the ratios of each round, not the ratio of two medians.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from statistics import median

Work = Callable[[int], None]  # does its work so many times
Contender = Callable[[], float]  # gives a rate, or a time


def rate_of(work: Work, seconds: float, chunk: int = 64) -> float:
    """How often a second `work` is done, over about so many seconds of one thread."""
    done = 0
    gc.collect()
    start = time.perf_counter()
    deadline = start + seconds
    while True:
        before = time.perf_counter()
        work(chunk)
        done += chunk
        now = time.perf_counter()
        if now >= deadline:
            return done / (now - start)
        if now - before < seconds / 20:
            chunk *= 2


class CpuMeter:
    """CPU microseconds of the process for each piece of work; busy neighbours do not change it."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._done = 0

    def rate_of(self, work: Work, seconds: float) -> float:
        """As `rate_of`, watched."""

        def counted(times: int) -> None:
            work(times)
            self._done += times

        begin = time.process_time()
        rate = rate_of(counted, seconds)
        self._seconds += time.process_time() - begin
        return rate

    @property
    def us(self) -> float:
        return self._seconds / max(self._done, 1) * 1e6


def rate_of_threads(
    make: Callable[[int], Callable[[], None]], threads: int, seconds: float
) -> float:
    """How often a second so many threads together do what `make(number)` gives each of them."""
    counts = [0] * threads
    ready = threading.Barrier(threads + 1)
    stop = threading.Event()
    failures: list[BaseException] = []

    def body(number: int) -> None:
        try:
            once = make(number)
            once()
            ready.wait()
            done = 0
            while not stop.is_set():
                once()
                done += 1
            counts[number] = done
        except BaseException as failure:
            failures.append(failure)
            ready.abort()
            raise

    running = [threading.Thread(target=body, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    try:
        ready.wait()
        start = time.perf_counter()
        stop.wait(seconds)
        stop.set()
    except threading.BrokenBarrierError:
        raise failures[0] from None
    finally:
        stop.set()
        for thread in running:
            thread.join()
    if failures:
        raise failures[0]
    return sum(counts) / (time.perf_counter() - start)


class Contest:
    """Rounds in which each contender is measured once, in turn."""

    def __init__(self, contenders: dict[str, Contender]) -> None:
        self._contenders = contenders
        self.rounds: dict[str, list[float]] = {name: [] for name in contenders}

    def run(self, rounds: int) -> Contest:
        """Measure; every second round goes the other way round."""
        names = list(self._contenders)
        for number in range(rounds):
            for name in names if number % 2 == 0 else reversed(names):
                self.rounds[name].append(self._contenders[name]())
        return self

    def value(self, name: str) -> float:
        return median(self.rounds[name])

    def ratio(self, name: str, baseline: str) -> float:
        pairs = zip(self.rounds[name], self.rounds[baseline])
        return median(one / other for one, other in pairs)


def timed(work: Callable[[], object]) -> float:
    """Seconds that it takes once."""
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
