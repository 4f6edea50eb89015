"""Client processes and a server process on one machine, beside other brokers in the same run.

2 KB messages. Durable puts by 16 and 64 putters of one process, each of which waits for its own
confirmation; a stream of transient messages from one process to another; requests of 5 processes to
4 repliers; the time of a round trip; the server's CPU time in each; memory of idle connections. A
broker that is not installed is named and left out.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Final

from benchmarks.brokers import Missing, Server, server_of
from benchmarks.contest import Contest
from benchmarks.figures import AT_LEAST, AT_MOST, Figure, Goal, Settings, short
from benchmarks.network_crew import Crew, Round, resident_kb

OURS: Final = "ternmq"
RIVALS: Final = ("nats", "rabbitmq", "redis")
BLOCKING: Final = "ternmq.BlockingParty"
SECONDS: Final = 2.0  # of a round, for each second asked for
CONNECTIONS: Final = 5_000
FEW_CONNECTIONS: Final = 500


@dataclass
class Scenario:
    """Who does what, and how many times a rival's rate ours is to be."""

    name: str
    unit: str
    roles: tuple[tuple[str, int], ...]
    goals: dict[str, float]
    is_durable: bool = False
    is_blocking_too: bool = False
    is_timed: bool = False


SCENARIOS: Final = (
    Scenario(
        "16 putters, durable",
        "puts/s",
        (("putters", 16),),
        {"nats": 1.0, "rabbitmq": 3.0},
        is_durable=True,
    ),
    Scenario(
        "64 putters, durable",
        "puts/s",
        (("putters", 64),),
        {"nats": 1.0, "rabbitmq": 3.0},
        is_durable=True,
    ),
    Scenario("transient stream", "messages/s", (("receiver", 1), ("sender", 1)), {"nats": 1.0}),
    Scenario(
        "5 requesters, 4 repliers",
        "round trips/s",
        (("replier", 1),) * 4 + (("requester", 1),) * 5,
        {"nats": 1.0},
        is_blocking_too=True,
    ),
    Scenario(
        "1 requester, 1 replier",
        "round trips/s",
        (("replier", 1), ("requester", 1)),
        {},
        is_blocking_too=True,
        is_timed=True,
    ),
)


def progress(text: str) -> None:
    """A run takes minutes."""
    sys.stderr.write(f"{datetime.now():%H:%M:%S} {text}\n")
    sys.stderr.flush()


class Turns:
    """One contender in one scenario: a rate when called, the rest is kept."""

    def __init__(self, name: str, crew: Crew, seconds: float) -> None:
        self.name = name
        self.crew = crew
        self.rounds: list[Round] = []
        self._seconds = seconds

    def __call__(self) -> float:
        self.rounds.append(self.crew.go(self._seconds))
        rate = self.rounds[-1].rate
        progress(f"{self.name}, round {len(self.rounds)}: {short(rate)}")
        return rate

    def cpu_us(self, is_server: bool) -> float:
        """For each message or round trip; of the server, or of all client processes."""
        return median(one.cpu_us if is_server else one.client_us for one in self.rounds)

    def time_us(self, part: float) -> float:
        """A percentile of all rounds."""
        times = sorted(time for one in self.rounds for time in one.times)
        return 1e6 * times[min(int(part * len(times)), len(times) - 1)]


def measured(
    scenario: Scenario, servers: dict[str, Server], settings: Settings
) -> tuple[Contest, dict[str, Turns]]:
    """Everybody takes turns."""
    parties = {name: name for name in servers}
    if scenario.is_blocking_too:
        parties[BLOCKING] = OURS
    turns: dict[str, Turns] = {}
    try:
        for party, name in parties.items():
            crew = Crew(servers[name], party, scenario.roles)
            title = f"{scenario.name}, {party}"
            turns[party] = Turns(title, crew, SECONDS * settings.seconds)
        return Contest(dict(turns)).run(settings.rounds), turns
    finally:
        for one in turns.values():
            one.crew.close()


def figures_of(scenario: Scenario, servers: dict[str, Server], settings: Settings) -> list[Figure]:
    """Rates beside each rival's, then CPU, then times."""
    contest, turns = measured(scenario, servers, settings)
    ours = [party for party in turns if party.partition(".")[0] == OURS]
    found: list[Figure] = []
    for party in ours:
        name = scenario.name + (", blocking" if party == BLOCKING else "")
        for rival in servers:
            if rival != OURS:
                limit = scenario.goals.get(rival)
                found.append(_beside(name, scenario, party, rival, contest, servers, limit))
        if len(servers) == 1:
            found.append(Figure(name, contest.value(party), scenario.unit))
        for text, is_server in (("server CPU", True), ("client CPU", False)):
            us = {one: turns[one].cpu_us(is_server) for one in (*servers, party)}
            reported = [f"{servers[one].name} {us[one]:.0f}" for one in servers if one != OURS]
            found.append(Figure(f"{name}: {text}", us[party], "us", note=", ".join(reported)))
        if scenario.is_timed:
            found += _times(name, party, servers, turns)
    return found


def _beside(
    name: str,
    scenario: Scenario,
    party: str,
    rival: str,
    contest: Contest,
    servers: dict[str, Server],
    limit: float | None,
) -> Figure:
    server = servers[rival]
    return Figure(
        f"{name} / {server.name}",
        contest.value(party),
        scenario.unit,
        server.durable_name if scenario.is_durable else server.name,
        contest.value(rival),
        contest.ratio(party, rival),
        None if limit is None else Goal(AT_LEAST, limit, of_ratio=True),
        rounds=contest.rounds[party],
    )


def _times(
    name: str, party: str, servers: dict[str, Server], turns: dict[str, Turns]
) -> list[Figure]:
    found = []
    for text, part in (("p50", 0.5), ("p99", 0.99)):
        reported = [f"{servers[rival].name} {turns[rival].time_us(part):.0f}" for rival in servers]
        value = turns[party].time_us(part)
        found.append(Figure(f"{name}: {text}", value, "us", note=", ".join(reported[1:])))
    return found


def idle_figures(servers: dict[str, Server], settings: Settings) -> list[Figure]:
    """Memory that a server needs for a connection over which nothing travels."""
    count = settings.scaled(CONNECTIONS, FEW_CONNECTIONS)
    kb: dict[str, float] = {}
    for name, server in servers.items():
        kb[name] = idle_kb(server, name, count)
        progress(f"idle connections, {name}: {short(kb[name])} KB")
    reported = [f"{servers[name].name} {kb[name]:.1f}" for name in kb if name != OURS]
    goal = Goal(AT_MOST, 20)
    text = f"idle connection, of {count} held"
    return [Figure(text, kb[OURS], "KB", goal=goal, note=", ".join(reported))]


def idle_kb(server: Server, party: str, count: int) -> float:
    """Resident KB for each of so many connections, all of which are there at once."""
    warm = Crew(server, party, (("idle", 100),))
    try:
        warm.ready()
        before = resident_kb(server.pid)
        crew = Crew(server, party, (("idle", count),))
        try:
            crew.ready()
            return (resident_kb(server.pid) - before) / count
        finally:
            crew.close()
    finally:
        warm.close()


def start(settings: Settings, servers: dict[str, Server]) -> list[str]:
    """Start the servers that are here; why the others are not."""
    missing: list[str] = []
    for name in (OURS, *RIVALS):
        kind = server_of(name)
        try:
            kind.check()
            servers[name] = kind(settings.place(name))
            servers[name].start()
            progress(f"{kind.name} runs")
        except Missing as why:
            servers.pop(name, None)
            missing.append(f"{kind.name} is left out: {why}")
    return missing


def run(settings: Settings) -> list[Figure]:
    """Connections, then every scenario."""
    servers: dict[str, Server] = {}
    found: list[Figure] = []
    try:
        missing = start(settings, servers)
        for text in missing:
            sys.stderr.write(f"{text}\n")
        # First: a server that has worked has free memory that connections would fill unseen.
        idle = idle_figures(servers, settings)
        for scenario in SCENARIOS:
            found += figures_of(scenario, servers, settings)
        found += idle
    finally:
        for server in servers.values():
            server.stop()
    if missing:
        found[0].note = "; ".join([*missing, found[0].note]).strip("; ")
    return found
