"""What measurement costs: the network benchmark's scenarios with nothing on, with statistics of all
classes, and with accounting of class 3, in turns on one server; the same in process; how long the
engine is held at the end of an interval with 1,000 queues; and a scrape by Prometheus of 10,000
queues that are all in use.

Goals: statistics take less than 2 % of the throughput over the network, accounting less than 8 %;
the end of an interval with 1,000 queues takes the engine less than 1 ms, and a scrape of 10,000
less than 5. In process, where reading the thread's clock costs as much as a small verb, the figure
is only told. The server's CPU time for a message stands beside each rate: it is what is left where
the clients are the limit.
"""

from __future__ import annotations

import http.client
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Final

import ternmq
from benchmarks.bench_network import SCENARIOS, SECONDS, Scenario, progress
from benchmarks.brokers import Server, server_of
from benchmarks.brokers_ternmq import QMGR
from benchmarks.contest import Contest, rate_of
from benchmarks.figures import AT_LEAST, AT_MOST, Figure, Goal, Settings, short
from benchmarks.network_crew import Crew, Round
from ternmq.host.shell import Shell
from ternmq.outlets.metrics import Metrics
from ternmq.outlets.metrics_server import MetricsServer
from ternmq.telemetry.cut import Cutter

OFF: Final = "off"
STATISTICS: Final = "statistics"
ACCOUNTING: Final = "accounting"
STOP: Final = "STOP TRACE(*)\nALTER QMGR STATQ(OFF) STATMQI(OFF) STATCHL(OFF)\n"
SWITCHES: Final = {
    OFF: STOP,
    STATISTICS: STOP + "ALTER QMGR STATQ(ON)\nSTART TRACE(STAT) CLASS(1,2,3,4,5)\n",
    ACCOUNTING: STOP + "START TRACE(ACCTG) CLASS(3)\n",
}
GOALS: Final = {STATISTICS: 0.98, ACCOUNTING: 0.92}
QUEUES: Final = 1000
INTERVAL_GOAL_MS: Final = 1.0
SCRAPED: Final = 10_000
SCRAPED_QUICKLY: Final = 1_000
SCRAPE_GOAL_MS: Final = 5.0


class Switched:
    """One scenario with one kind of measurement: switches it on, then takes its turn."""

    def __init__(self, server: Server, crew: Crew, mode: str, seconds: float) -> None:
        self.rounds: list[Round] = []
        self._server = server
        self._crew = crew
        self._mode = mode
        self._seconds = seconds

    def __call__(self) -> float:
        switch(self._server, self._mode)
        self.rounds.append(self._crew.go(self._seconds))
        rate = self.rounds[-1].rate
        progress(f"{self._mode}, round {len(self.rounds)}: {short(rate)}")
        return rate

    @property
    def cpu_us(self) -> float:
        """Of the server, for each message or round trip."""
        return median(one.cpu_us for one in self.rounds)


def switch(server: Server, mode: str) -> None:
    """By the commands that an operator would use."""
    with ternmq.connect(QMGR, data=server.folder) as connection:
        for line in SWITCHES[mode].splitlines():
            connection.mqsc(line)


def network_figures(scenario: Scenario, server: Server, settings: Settings) -> list[Figure]:
    """Rates beside those with nothing on."""
    crew = Crew(server, "ternmq", scenario.roles)
    seconds = SECONDS * settings.seconds
    turns = {mode: Switched(server, crew, mode, seconds) for mode in SWITCHES}
    try:
        contest = Contest(dict(turns)).run(settings.rounds)
    finally:
        crew.close()
        switch(server, OFF)
    found: list[Figure] = []
    for mode, limit in GOALS.items():
        us = (turns[OFF].cpu_us, turns[mode].cpu_us)
        found.append(
            Figure(
                f"{scenario.name}: {mode}",
                contest.value(mode),
                scenario.unit,
                OFF,
                contest.value(OFF),
                contest.ratio(mode, OFF),
                Goal(AT_LEAST, limit, of_ratio=True),
                note=f"server CPU {us[1]:.1f} us for each, {us[0]:.1f} with nothing on",
                rounds=contest.rounds[mode],
            )
        )
    return found


def process_figures(settings: Settings) -> list[Figure]:
    """A thread that puts a message and gets it again."""
    body = b"x" * 2048
    with ternmq.memory("MEASURED") as qmgr:
        qmgr.define_queue("A")
        with qmgr.queue("A") as queue:

            def work(times: int) -> None:
                for _ in range(times):
                    queue.put(body)
                    queue.get()

            def contender(mode: str) -> Callable[[], float]:
                def turn() -> float:
                    for line in SWITCHES[mode].splitlines():
                        qmgr.mqsc(line)
                    return rate_of(work, settings.seconds)

                return turn

            contest = Contest({mode: contender(mode) for mode in SWITCHES}).run(settings.rounds)
    return [
        Figure(
            f"put and get in process: {mode}",
            contest.value(mode),
            "pairs/s",
            OFF,
            contest.value(OFF),
            contest.ratio(mode, OFF),
        )
        for mode in GOALS
    ]


def interval_figures(settings: Settings) -> list[Figure]:
    """Under the engine's lock, after every queue was used."""
    with ternmq.memory("MEASURED") as qmgr:
        names = [f"Q{number}" for number in range(QUEUES)]
        qmgr.mqsc(f"ALTER QMGR MAXHANDS({4 * QUEUES})")
        for name in names:
            qmgr.define_queue(name)
        for line in SWITCHES[STATISTICS].splitlines():
            qmgr.mqsc(line)
        queues = [qmgr.queue(name) for name in names]
        shell = qmgr.started.shell
        cutter = Cutter(shell.engine.kernel)
        took_ms: list[float] = []
        for _ in range(settings.rounds * 3):
            for queue in queues:
                queue.put(b"x")
                queue.get()
            with shell.lock:
                begun = time.perf_counter()
                cut = cutter.statistics(0)
                took_ms.append((time.perf_counter() - begun) * 1000)
            counted = len(cut.touched)
            del cut  # not in the next round's time
            if counted < QUEUES:
                raise RuntimeError(f"{counted} queues have counted, not {QUEUES}")
        for queue in queues:
            queue.close()
    name = f"end of an interval, {QUEUES} queues used: engine time"
    return [Figure(name, median(took_ms), "ms", goal=Goal(AT_MOST, INTERVAL_GOAL_MS))]


def scrape_figures(settings: Settings) -> list[Figure]:
    """Over HTTP, as Prometheus asks; and how long the engine is held for it."""
    count = settings.scaled(SCRAPED, SCRAPED_QUICKLY)
    with ternmq.memory("MEASURED") as qmgr:
        names = [f"APP.QUEUE.{number:05}" for number in range(count)]
        for name in names:
            qmgr.define_queue(name)
        shell = qmgr.started.shell
        server = MetricsServer(Metrics(shell), port=0)
        try:
            held_ms: list[float] = []
            took_ms: dict[str, list[float]] = {"identity": [], "gzip": []}
            cpu_ms: list[float] = []
            size: dict[str, int] = {}
            for _ in range(settings.rounds):
                for encoding, times in took_ms.items():
                    _use(qmgr, names)
                    cpu = time.process_time()
                    begun = time.perf_counter()
                    size[encoding] = _scraped(server.port, encoding)
                    times.append((time.perf_counter() - begun) * 1000)
                    if encoding == "identity":
                        cpu_ms.append((time.process_time() - cpu) * 1000)
                _use(qmgr, names)
                held_ms.append(_held_ms(shell))
        finally:
            server.close()
    name = f"scrape, {count} queues used"
    note = f"{size['identity'] / 1e6:.1f} MB of text, CPU {median(cpu_ms):.0f} ms with the reader's"
    zipped = f"{size['gzip'] / 1e6:.1f} MB"
    goal = Goal(AT_MOST, SCRAPE_GOAL_MS * count / SCRAPED)
    return [
        Figure(f"{name}: engine time", median(held_ms), "ms", goal=goal),
        Figure(name, median(took_ms["identity"]), "ms", note=note),
        Figure(f"{name}: gzip", median(took_ms["gzip"]), "ms", note=zipped),
    ]


def _use(qmgr: ternmq.QueueManager, names: list[str]) -> None:
    for name in names:
        with qmgr.queue(name) as queue:
            queue.put(b"x")
            queue.get()


def _scraped(port: int, encoding: str) -> int:
    """Bytes of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/metrics", headers={"Accept-Encoding": encoding})
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200 or not body:
            raise RuntimeError(f"a scrape was answered with {answer.status}")
        return len(body)
    finally:
        connection.close()


def _held_ms(shell: Shell) -> float:
    """What a scrape does with the engine's lock, all at once."""
    kernel = shell.engine.kernel
    with shell.lock:
        begun = time.perf_counter()
        shell.engine.collector.count_now()
        kept = [*kernel.locals.values(), *kernel.parts.instances.values()]
        took = time.perf_counter() - begun
    shell.deliver(wait=True)
    if not kept:
        raise RuntimeError("no queue is in use")
    return took * 1000


def run(settings: Settings) -> list[Figure]:
    """The engine first, then the network."""
    found = interval_figures(settings) + scrape_figures(settings) + process_figures(settings)
    server = server_of("ternmq")(settings.place("telemetry"))
    try:
        server.start()
        for scenario in SCENARIOS:
            found += network_figures(scenario, server, settings)
    except subprocess.SubprocessError as failure:
        sys.stderr.write(f"the server did not start: {failure}\n")
        raise
    finally:
        server.stop()
    return found
