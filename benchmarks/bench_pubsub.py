"""Publish/subscribe in process: fan-out to many managed queues, a large topic tree, start.

2 KB non-persistent publications, through the API. Fan-out: 1,000 subscriptions, each with a managed
queue, on one topic; every delivery is got and counted. Tree: 1,000,000 topics of six levels, and
100,000 subscriptions with wildcards, a third each with `+` inside, `#` at the end, and both, of
which at most ten match a topic; for topics that are there, and for strings never seen. They are
durable: start is with all of them, beside a start without any, and memory is the difference in
resident memory after it, divided by their number. `pubsub_network` has the fan-out over TCP.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice, product
from pathlib import Path
from statistics import median
from typing import Final

import ternmq
from benchmarks.bench_memory import resident
from benchmarks.bench_network import progress
from benchmarks.contest import Contest, timed
from benchmarks.figures import AT_LEAST, AT_MOST, Figure, Goal, Settings

BODY: Final = bytes(range(256)) * 8  # 2 KB
SUBSCRIPTIONS: Final = 1_000
PUBLICATIONS: Final = 16  # before they are got
LEVELS: Final = 6
WORDS: Final = 10  # of each level
PLUS_LEVELS: Final = (1, 2, 3, 4)  # where a lone "+" may stand: with the rest, ten can match
MATCHES_MAX: Final = 10
QUEUES: Final = 16  # that the subscriptions share
THREADS: Final = 32  # that make durable subscriptions, and share forces
SEED: Final = 19
PUTS: Final = Goal(AT_LEAST, 600_000)
GOT: Final = Goal(AT_LEAST, 200_000)
COST: Final = Goal(AT_MOST, 20)
MEMORY: Final = Goal(AT_MOST, 600)


@contextmanager
def queue_manager(folder: Path) -> Iterator[ternmq.QueueManager]:
    """One with room for many handles and messages."""
    with ternmq.embedded(
        folder, "PUBSUB", create=True, log_primary_files=8, log_file_pages=32768
    ) as qmgr:
        qmgr.mqsc("ALTER QMGR MAXHANDS(999999999)")
        yield qmgr


# ---- fan-out


class FanOut:
    """A topic, and subscriptions with a managed queue each."""

    def __init__(self, qmgr: ternmq.QueueManager, count: int) -> None:
        self._topic = qmgr.topic("bench/fan")
        self._subscriptions = [qmgr.subscribe("bench/fan") for _ in range(count)]

    def once(self) -> tuple[float, float]:
        """Seconds of some publications, and of getting all of them everywhere."""
        put = self._topic.put
        start = time.perf_counter()
        for _ in range(PUBLICATIONS):
            put(BODY)
        published = time.perf_counter()
        got = 0
        for subscription in self._subscriptions:
            get = subscription.try_get
            while get() is not None:
                got += 1
        end = time.perf_counter()
        if got != PUBLICATIONS * len(self._subscriptions):
            raise RuntimeError(f"{got} deliveries of {PUBLICATIONS} publications were got")
        return published - start, end - published

    def rates(self, seconds: float) -> tuple[float, float]:
        """Deliveries a second, put and got, and put alone."""
        put_s = got_s = 0.0
        turns = 0
        while put_s + got_s < seconds:
            put, got = self.once()
            put_s += put
            got_s += got
            turns += 1
        deliveries = turns * PUBLICATIONS * len(self._subscriptions)
        return deliveries / (put_s + got_s), deliveries / put_s


def fan_out(settings: Settings) -> list[Figure]:
    """Both rates."""
    with queue_manager(settings.place("fan")) as qmgr:
        fan = FanOut(qmgr, SUBSCRIPTIONS)
        fan.once()
        rounds = [fan.rates(settings.seconds) for _ in range(settings.rounds)]
    both, alone = ([one[at] for one in rounds] for at in (0, 1))
    progress(f"fan-out: {median(both):,.0f} deliveries/s, puts alone {median(alone):,.0f}")
    text = f"1 to {SUBSCRIPTIONS:,} managed queues"
    return [
        Figure(f"{text}, got", median(both), "deliveries/s", goal=GOT, rounds=both),
        Figure(f"{text}, puts", median(alone), "deliveries/s", goal=PUTS, rounds=alone),
    ]


# ---- the tree


def word(level: int, number: int) -> str:
    """A word of a level of a topic string."""
    return f"level{level}-{number}"


def topics() -> Iterator[str]:
    """Every topic, WORDS ** LEVELS of them."""
    words = [[word(level, number) for number in range(WORDS)] for level in range(LEVELS)]
    return map("/".join, product(*words))


def some_topic(source: random.Random) -> str:
    """One of them."""
    return "/".join(word(level, source.randrange(WORDS)) for level in range(LEVELS))


def patterns(count: int, source: random.Random) -> list[str]:
    """Subscriptions, no two alike: `+` inside, `#` at the end, both."""
    found: dict[str, None] = {}
    while len(found) < count:
        levels = some_topic(source).split("/")
        kind = len(found) % 3
        if kind == 0:
            levels[source.choice(PLUS_LEVELS)] = "+"
        else:
            levels[-1] = "#"
        if kind == 2:
            levels[source.randrange(LEVELS - 1)] = "+"
        found["/".join(levels)] = None
    return list(found)


class Tree:
    """Topics that were published to, beside the subscriptions that are there already."""

    def __init__(self, qmgr: ternmq.QueueManager, nodes: int) -> None:
        self._qmgr = qmgr
        self._source = random.Random(SEED)
        self._numbers = iter(range(1 << 62))
        self.cpu_us: dict[bool, list[float]] = {False: [], True: []}  # of the publishing thread
        self._queues = [qmgr.queue(queue_name(number)) for number in range(QUEUES)]
        for number, topic in enumerate(islice(topics(), nodes)):
            qmgr.publish(topic, b"")
            if number % 10_000 == 0:
                self.empty()
        self.empty()
        progress(f"{nodes:,} topics")

    def empty(self) -> int:
        """Remove all deliveries; how many there were."""
        found = 0
        for queue in self._queues:
            while queue.try_get() is not None:
                found += 1
        return found

    def cost_us(self, seconds: float, is_new: bool) -> float:
        """Microseconds of a publication. The strings are made before."""
        source, publish = self._source, self._qmgr.publish
        took = used = 0.0
        done = 0
        while took < seconds:
            strings = [some_topic(source) for _ in range(1_000)]
            if is_new:
                strings = [self._renamed(one) for one in strings]
            start, used_before = time.perf_counter(), time.thread_time()
            for topic in strings:
                publish(topic, BODY)
            took += time.perf_counter() - start
            used += time.thread_time() - used_before
            done += len(strings)
            found = self.empty()
            if not 0 < found <= MATCHES_MAX * len(strings):
                raise RuntimeError(f"{found} deliveries of {len(strings)} publications")
        self.cpu_us[is_new].append(1e6 * used / done)
        return 1e6 * took / done

    def _renamed(self, topic: str) -> str:
        """A string that nobody has published to: its last word is new, or one in between."""
        levels = topic.split("/")
        levels[-1 if self._source.random() < 0.5 else 2] = f"new{next(self._numbers)}"
        return "/".join(levels)


def tree(settings: Settings, folder: Path, text: str) -> list[Figure]:
    """What a publication costs."""
    nodes = settings.scaled(WORDS**LEVELS, 100_000)
    with queue_manager(folder) as qmgr:
        made = Tree(qmgr, nodes)
        contest = Contest(
            {
                "known": lambda: made.cost_us(settings.seconds, False),
                "new": lambda: made.cost_us(settings.seconds, True),
            }
        ).run(settings.rounds)
    return [
        Figure(
            f"{nodes:,} topics, {text}: {what}",
            contest.value(key),
            "us",
            goal=COST,
            note=f"CPU {median(made.cpu_us[key == 'new']):.1f} us",
            rounds=contest.rounds[key],
        )
        for key, what in (("known", "a publication"), ("new", "a string never seen"))
    ]


# ---- the subscriptions


def queue_name(number: int) -> str:
    """A queue that subscriptions share."""
    return f"TREE.{number % QUEUES}"


def subscribe(qmgr: ternmq.QueueManager, wanted: list[tuple[int, str]]) -> None:
    """Durable subscriptions, by number and topic, that nobody has open."""
    with qmgr.connect() as connection:
        queues = [connection.queue(queue_name(number)) for number in range(QUEUES)]
        for number, topic in wanted:
            queue = queues[number % QUEUES]
            connection.subscribe(topic, durable=f"DURABLE.{number}", queue=queue).close(keep=True)


def made(folder: Path, count: int) -> float:
    """A queue manager with so many durable subscriptions; how many were made in a second."""
    numbered = list(enumerate(patterns(count, random.Random(SEED))))
    with queue_manager(folder) as qmgr:
        for number in range(QUEUES):
            qmgr.define_queue(queue_name(number), max_depth=999_999_999)
        shares = [numbered[at::THREADS] for at in range(THREADS)]
        with ThreadPoolExecutor(THREADS) as threads:
            took = timed(lambda: list(threads.map(lambda share: subscribe(qmgr, share), shares)))
    progress(f"{count:,} durable subscriptions are made")
    return count / took


def start_elsewhere(folder: Path) -> tuple[float, float]:
    """A start in a process of its own: seconds, and bytes that it took."""
    words = [sys.executable, "-m", "benchmarks.bench_pubsub", str(folder)]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True)
    seconds, size = map(float, done.stdout.split())
    return seconds, size


def print_start(folder: Path) -> None:
    """What `start_elsewhere` reads."""
    opened: list[ternmq.QueueManager] = []
    before = resident()
    took = timed(lambda: opened.append(ternmq.embedded(folder, "PUBSUB")))
    sys.stdout.write(f"{took} {resident() - before}")
    opened[0].close()


def start(settings: Settings, folders: dict[str, Path], count: int, rate: float) -> list[Figure]:
    """Seconds of a start, and what a subscription takes then."""
    sizes: dict[str, list[float]] = {name: [] for name in folders}

    def started(name: str) -> float:
        took, size = start_elsewhere(folders[name])
        sizes[name].append(size)
        return took

    contest = Contest({name: partial(started, name) for name in folders}).run(settings.few)
    each = (median(sizes["with"]) - median(sizes["without"])) / count
    return [
        Figure(
            f"start with {count:,} durable subscriptions",
            contest.value("with"),
            "s",
            "without any",
            contest.value("without"),
            contest.ratio("with", "without"),
            note=f"{1e6 * contest.value('with') / count:.1f} us for each; {THREADS} threads made"
            f" {rate:,.0f} a second, each forced",
            rounds=contest.rounds["with"],
        ),
        Figure(
            f"{count:,} wildcard subscriptions: memory of each",
            each,
            "bytes",
            goal=MEMORY,
            note="after a start; nobody has them open",
        ),
    ]


def open_ones(settings: Settings) -> Figure:
    """Memory of subscriptions that an application has open, with its handle in the engine."""
    count = settings.scaled(100_000, 10_000)
    source = random.Random(SEED)
    wanted = patterns(count + 100, source)
    with queue_manager(settings.place("open")) as qmgr:
        qmgr.define_queue(queue_name(0))
        with qmgr.queue(queue_name(0)) as queue:
            for pattern in wanted[:100]:
                qmgr.subscribe(pattern, queue=queue)
            before = resident()
            for pattern in wanted[100:]:
                qmgr.subscribe(pattern, queue=queue)  # the object for it is not counted
            each = (resident() - before) / count
    return Figure(
        f"{count:,} subscriptions that are open: memory of each",
        each,
        "bytes",
        note="not durable; the handle of each is in it",
    )


def run(settings: Settings) -> list[Figure]:
    """All figures."""
    count = settings.scaled(100_000, 20_000)
    folders = {"with": settings.place("with"), "without": settings.place("without")}
    of_open = open_ones(settings)  # first: freed memory would hide what others take
    found = fan_out(settings)
    made(folders["without"], 0)
    rate = made(folders["with"], count)
    of_start = start(settings, folders, count, rate)
    found += tree(settings, folders["with"], f"{count:,} wildcard subscriptions")
    return [*found, *of_start, of_open]


if __name__ == "__main__":
    print_start(Path(sys.argv[1]))
