"""Gets with a selector, and what properties cost.

100,000 messages (20,000 with --quick) of 200 bytes with five properties each are on one queue, and
only the last one matches. The first get of a new handle looks at all of them: 300 ms in memory,
600 ms where they were swept to segment files, with the queue's memory within its buffer. The second
get of a handle goes on where the first one ended; a selector on CorrelId uses the index (1 ms).
Beside it ActiveMQ Artemis with the same messages and selector, in memory and paged, if Java and
Maven are here. Then put + get with five properties, all of them read, as a share of the same
without: 40 % in process, 75 % over TCP.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final

import ternmq
from benchmarks.bench_memory import peak_growth
from benchmarks.bench_network import progress
from benchmarks.brokers import Missing
from benchmarks.brokers_ternmq import CHANNEL, QMGR, BrokerServer
from benchmarks.contest import Contest, Work, rate_of
from benchmarks.figures import AT_LEAST, AT_MOST, Figure, Goal, Settings, short
from benchmarks.rival_artemis import IN_MEMORY, NAME, PAGED, PAGED_UNLIMITED, Artemis
from benchmarks.selector_messages import (
    BODY,
    SELECTOR,
    Sample,
    by_correl_id,
    samples,
    write_lines,
)

QUEUE: Final = "SELECT"
LARGE_BUFFER: Final = 1 << 36
SMALL_BUFFER: Final = 1 << 20
REPEATS: Final = 20  # of what is over in less than a millisecond
NOT_FOUND_S: Final = 10.0
NEVER_NS: Final = 1 << 62
AHEAD: Final = Goal(AT_MOST, 1.0, of_ratio=True)
NOT_FROM_THE_HEAD: Final = Goal(AT_MOST, 0.1, of_ratio=True, compiled_only=False)


def put(queue: ternmq.Queue, row: Sample) -> None:
    """With its properties."""
    queue.put(BODY, correl_id=row.correl_id, properties=row.properties)


class Held:
    """A queue with the messages, and the handle that selects from it."""

    def __init__(self, qmgr: ternmq.QueueManager, rows: list[Sample], buffer: int) -> None:
        qmgr.define_queue(QUEUE, max_depth=999_999_999, nonpersistent_buffer=buffer)
        self._qmgr = qmgr
        self._rows = rows
        self._random = random.Random(1)
        self._chosen: ternmq.Queue | None = None
        self._has_match = True
        self.queue = qmgr.queue(QUEUE)
        self._is_in_memory = buffer == LARGE_BUFFER
        if self._is_in_memory:  # what nobody gets is swept after seconds, whatever the buffers
            qmgr.started.shell.engine.sweeper.due_ns = NEVER_NS
        for row in rows:
            put(self.queue, row)
        qmgr.started.shell.run_effects()

    def first(self) -> float:
        """Milliseconds of opening and the first get; the match is taken."""
        self._prepare()
        gc.collect()
        start = time.perf_counter()
        chosen = self._qmgr.queue(QUEUE, selector=SELECTOR)
        message = chosen.get()
        took = time.perf_counter() - start
        self._chosen = chosen
        self._has_match = False
        self._check(message, self._rows[-1])
        if self._is_in_memory and self.queue.storage_status().swept:
            raise RuntimeError("messages that are to be in memory were swept")
        return 1000 * took

    def _prepare(self) -> None:
        if self._chosen is not None:
            self._chosen.close()
            self._chosen = None
        if not self._has_match:
            put(self.queue, self._rows[-1])
            self._has_match = True

    def seconds(self) -> tuple[float, float]:
        """Milliseconds of the same handle's next get, alone and with the put of what it finds."""
        if self._chosen is None:
            raise RuntimeError("no first get")
        gets: list[float] = []
        pairs: list[float] = []
        for _ in range(REPEATS):
            start = time.perf_counter()
            put(self.queue, self._rows[-1])
            middle = time.perf_counter()
            message = self._chosen.get()
            end = time.perf_counter()
            gets.append(1000 * (end - middle))
            pairs.append(1000 * (end - start))
            self._check(message, self._rows[-1])
        return median(gets), median(pairs)

    def by_correl_id(self) -> float:
        """Milliseconds of opening with a CorrelId and the get; the message is put again."""
        spent: list[float] = []
        for row in self._random.sample(self._rows[:-1], REPEATS):
            start = time.perf_counter()
            with self._qmgr.queue(QUEUE, selector=by_correl_id(row)) as chosen:
                message = chosen.get()
                spent.append(1000 * (time.perf_counter() - start))
            self._check(message, row)
            put(self.queue, row)
        return median(spent)

    @staticmethod
    def _check(message: ternmq.Message, row: Sample) -> None:
        if message.correl_id != row.correl_id:
            raise RuntimeError("a get with a selector found another message")


def repeated(once: Callable[[], float]) -> Callable[[], float]:
    """The median of several."""
    return lambda: median(once() for _ in range(REPEATS))


def figure(
    name: str, contest: Contest, other: str, goal: Goal | None, note: str = "", ours: str = "ours"
) -> Figure:
    """Ours beside another contender, where it took part."""
    is_there = other in contest.rounds
    return Figure(
        name,
        contest.value(ours),
        "ms",
        other if is_there else "",
        contest.value(other) if is_there else None,
        contest.ratio(ours, other) if is_there else None,
        goal,
        note,
        contest.rounds[ours],
    )


def gets(held: Held, kept: str, first_ms: float, rival: Artemis | None, few: int) -> list[Figure]:
    """First, second and by CorrelId; `kept` is where the messages are."""
    is_swept = kept != "in memory"
    theirs = f"{NAME}, {'all pages read' if is_swept else 'in memory'}"
    firsts: dict[str, Callable[[], float]] = {"ours": held.first}
    pairs: dict[str, Callable[[], float]] = {"ours": lambda: held.seconds()[1]}
    by_id: dict[str, Callable[[], float]] = {"ours": held.by_correl_id}
    note = ""
    if rival is not None:
        firsts[theirs] = rival.timer("first")
        pairs[theirs] = repeated(rival.timer("second", "pair_ms"))
        by_id[theirs] = repeated(rival.timer("correl"))
        heap = rival.ask("status")["heap"] or 0.0
        note = f"its heap holds {heap / 1e6:.0f} MB"
    first = Contest(firsts).run(few)
    alone = Contest({"first get": held.first, "ours": lambda: held.seconds()[0]}).run(few)
    pair = Contest(pairs).run(few)
    correl = Contest(by_id).run(few)
    found = [
        figure(f"first get, {kept}", first, theirs, Goal(AT_MOST, first_ms), note),
        figure(f"second get of a handle, {kept}", alone, "first get", NOT_FROM_THE_HEAD),
        figure(f"get by CorrelId, {kept}", correl, theirs, Goal(AT_MOST, 1.0)),
    ]
    title = f"put + second get, {kept}"
    found.append(figure(title, pair, theirs, None if rival is None else AHEAD))
    return found


def memory(held: Held, count: int) -> list[Figure]:
    """KB of the queue after a get, and that the process grows by during one."""
    growth = peak_growth(held.first)
    status = held.queue.storage_status()
    goal = Goal(AT_MOST, SMALL_BUFFER / 1024, compiled_only=False)
    note = f"{status.swept:,} of {count:,} messages are in segment files alone"
    files = f"segment files have {status.file_bytes / 1024:,.0f} KB"
    title = "most that the process grows in a first get, swept"
    return [
        Figure(
            "memory of the queue, swept", status.memory_bytes / 1024, "KB", goal=goal, note=note
        ),
        Figure(title, growth / 1024, "KB", note=f"with what reading takes; {files}"),
    ]


def limited(held: Held, folder: Path, lines: Path) -> Figure:
    """Beside Artemis with its usual limits on what it reads from pages: it may find nothing."""
    with Artemis(PAGED, folder, lines, SELECTOR, NOT_FOUND_S) as rival:
        theirs = rival.ask("first")["ms"]
        pages = rival.ask("status")["pages"] or 0.0
    ours = held.first()
    note = f"{pages:.0f} pages; it reads more of them only when messages are taken"
    if theirs is None:
        note = f"it found nothing within {NOT_FOUND_S:.0f} s: {note}"
    ratio = None if theirs is None else ours / theirs
    name = "first get, swept / paged"
    return Figure(name, ours, "ms", f"{NAME}, paged", theirs, ratio, AHEAD, note, [ours])


def selections(settings: Settings) -> list[Figure]:
    """In memory, then swept, each beside Artemis in the same state."""
    rows = samples(settings.scaled(100_000, 20_000))
    folder = settings.place("selectors")
    lines = folder / "messages"
    write_lines(lines, rows)
    found: list[Figure] = []
    missing = ""
    for kept, buffer, first_ms, mode in (
        ("in memory", LARGE_BUFFER, 300.0, IN_MEMORY),
        ("swept", SMALL_BUFFER, 600.0, PAGED_UNLIMITED),
    ):
        with ExitStack() as stack:
            qmgr = stack.enter_context(ternmq.embedded(folder / kept, "BENCH", create=True))
            held = Held(qmgr, rows, buffer)
            progress(f"{len(rows):,} messages, {kept}: first get {short(held.first())} ms")
            rival = None
            try:
                rival = stack.enter_context(
                    Artemis(mode, settings.place(f"artemis-{mode}"), lines, SELECTOR)
                )
            except Missing as why:
                missing = f"{NAME} is left out: {why}"
            found += gets(held, kept, first_ms, rival, settings.few)
            if buffer == SMALL_BUFFER:
                if rival is not None:
                    found.append(limited(held, settings.place(f"artemis-{PAGED}"), lines))
                found += memory(held, len(rows))
    if missing:
        found.append(Figure(NAME, None, "", note=missing))
    return found


def without_properties(queue: ternmq.Queue) -> Work:
    """A put, a get."""

    def work(times: int) -> None:
        put, get = queue.put, queue.get
        for _ in range(times):
            put(BODY)
            get()

    return work


def with_properties(queue: ternmq.Queue, row: Sample) -> Work:
    """The same with five properties, all of which are read."""
    wanted = row.properties

    def work(times: int) -> None:
        put, get = queue.put, queue.get
        for _ in range(times):
            put(BODY, properties=wanted)
            found = get().properties
            for name in wanted:
                found[name]

    return work


def shares(connection: ternmq.Connection, how: str, goal: float, settings: Settings) -> Figure:
    """Pairs a second with properties beside those without."""
    connection.define_queue("PAIRS")
    row = samples(2)[0]
    with connection.queue("PAIRS") as queue:
        put(queue, row)
        if dict(queue.get().properties) != row.properties:
            raise RuntimeError("a message came back with other properties")
        contest = Contest(
            {
                "with": lambda: rate_of(with_properties(queue, row), settings.seconds),
                "without": lambda: rate_of(without_properties(queue), settings.seconds),
            }
        ).run(settings.rounds)
    return Figure(
        f"put + get with 5 properties, {how}",
        contest.value("with"),
        "pairs/s",
        "without properties",
        contest.value("without"),
        contest.ratio("with", "without"),
        Goal(AT_LEAST, goal, of_ratio=True),
        rounds=contest.rounds["with"],
    )


def run(settings: Settings) -> list[Figure]:
    """Milliseconds, kilobytes and shares."""
    found = selections(settings)
    with ternmq.embedded(settings.place("pairs"), "BENCH", create=True) as qmgr:
        found.append(shares(qmgr, "in process", 0.4, settings))
    server = BrokerServer(settings.place("tcp"))
    server.start()
    try:
        conn = f"127.0.0.1({server.port})"
        with ternmq.connect(QMGR, channel=CHANNEL, conn=conn) as connection:
            found.append(shares(connection, "over TCP", 0.75, settings))
    finally:
        server.stop()
    return found
