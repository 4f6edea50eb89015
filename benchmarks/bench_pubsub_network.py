"""Publications over TCP from one process to ten subscriber processes, beside other brokers.

2 KB, transient, one topic. Each contender by its client for Python; then the same server by its own
client, reported beside it, with the server's CPU time for each delivery. A delivery counts when the
subscriber's application has it. Publishers wait for slow subscribers (`brokers_fanout`), and every
publication has to come to every subscriber. A broker that is not installed is named and left out.
"""

from __future__ import annotations

from typing import Final

import ternmq
from benchmarks.bench_network import SECONDS, progress
from benchmarks.brokers import Missing, Server, server_of
from benchmarks.brokers_fanout import CREDIT, SUBSCRIBERS, TOPIC
from benchmarks.brokers_ternmq import DEEP, QMGR, BrokerServer
from benchmarks.contest import Contest
from benchmarks.fanout_clients import NATIVE, PYTHON, NativeCrew, python_crew
from benchmarks.figures import AT_LEAST, Figure, Goal, Settings, short
from benchmarks.network_crew import Crew, Round

OURS: Final = "ternmq"
RIVALS: Final = ("nats", "mosquitto", "redis")
AHEAD: Final = Goal(AT_LEAST, 1.0, of_ratio=True)
MODEL: Final = "FAN.MODEL"
SCRIPT: Final = f"""
DEFINE QMODEL({MODEL}) DEFTYPE(TEMPDYN) {DEEP} DEFREADA(YES)
DEFINE TOPIC({TOPIC.upper()}) TOPICSTR('{TOPIC}') MNDURMDL({MODEL}) DEFPRESP(ASYNC)
DEFINE QLOCAL({CREDIT.upper()}) {DEEP} DEFPRESP(ASYNC)
"""


class FanOutServer(BrokerServer):
    """strmqm with a topic."""

    def start(self) -> None:
        super().start()
        self.command("runmqsc", QMGR, text=SCRIPT)

    def empty(self) -> None:
        with ternmq.connect(QMGR, data=self.folder) as connection:
            connection.clear_queue(CREDIT.upper())


class Turns:
    """One contender: a rate when called, the rounds are kept."""

    def __init__(self, title: str, crew: Crew | NativeCrew, seconds: float) -> None:
        self.title = title
        self.crew = crew
        self.rounds: list[Round] = []
        self._seconds = seconds

    def __call__(self) -> float:
        one = self.crew.go(self._seconds)
        self.rounds.append(one)
        progress(f"{self.title}, round {len(self.rounds)}: {short(one.rate)}")
        return one.rate

    @property
    def lost(self) -> int:
        """Publications that did not come to a subscriber."""
        return sum(one.sent * SUBSCRIBERS - one.done for one in self.rounds)

    def cpu_us(self, of_server: bool = True) -> float:
        """For each delivery, over all rounds."""
        done = sum(one.done for one in self.rounds)
        used = sum((one.cpu_us if of_server else one.client_us) * one.done for one in self.rounds)
        return used / max(done, 1)


def start(settings: Settings, servers: dict[str, Server]) -> list[str]:
    """Start the servers that are here; why the others are not."""
    missing: list[str] = []
    for name in (OURS, *RIVALS):
        kind = FanOutServer if name == OURS else server_of(name)
        try:
            kind.check()
            servers[name] = kind(settings.place(name))
            servers[name].start()
            progress(f"{kind.name} runs")
        except Missing as why:
            servers.pop(name, None)
            missing.append(f"{kind.name} is left out: {why}")
    return missing


def crews(servers: dict[str, Server], seconds: float) -> tuple[dict[str, Turns], list[str]]:
    """Everybody who takes turns, by `contender, client`; whose own client is not here."""
    turns: dict[str, Turns] = {}
    missing: list[str] = []
    for name, server in servers.items():
        title = f"{server.name}, {PYTHON[name]}"
        turns[title] = Turns(title, python_crew(name, server), seconds)
    for name, (client, program) in NATIVE.items():
        if name not in servers:
            continue
        title = f"{servers[name].name}, {client}"
        try:
            turns[title] = Turns(title, NativeCrew(servers[name], program()), seconds)
        except Missing as why:
            missing.append(f"{title} is left out: {why}")
    return turns, missing


def figures_of(turns: dict[str, Turns], contest: Contest) -> list[Figure]:
    """Ours beside each."""
    ours = next(iter(turns))
    found: list[Figure] = []
    of_python = {f", {library}" for library in PYTHON.values()}
    for title, one in turns.items():
        if title == ours and len(turns) > 1:
            continue
        is_python = any(title.endswith(library) for library in of_python)
        note = f"server CPU {one.cpu_us():.1f} us a delivery, ours {turns[ours].cpu_us():.1f};"
        note += f" clients {one.cpu_us(False):.1f}, ours {turns[ours].cpu_us(False):.1f}"
        for who in dict.fromkeys((title, ours)):
            if turns[who].lost:
                note += f"; {who}: {turns[who].lost} deliveries LOST"
        found.append(
            Figure(
                f"1 to {SUBSCRIBERS} / {title}",
                contest.value(ours),
                "deliveries/s",
                title,
                contest.value(title),
                contest.ratio(ours, title),
                AHEAD if is_python and title != ours else None,
                note,
                contest.rounds[title],
            )
        )
    return found


def run(settings: Settings) -> list[Figure]:
    """All contenders take turns."""
    servers: dict[str, Server] = {}
    turns: dict[str, Turns] = {}
    try:
        missing = start(settings, servers)
        turns, more = crews(servers, SECONDS * settings.seconds)
        contest = Contest(dict(turns)).run(settings.rounds)
        found = figures_of(turns, contest)
    finally:
        for one in turns.values():
            one.crew.close()
        for server in servers.values():
            server.stop()
    return found + [
        Figure(why.partition(" is left out: ")[0], None, "", note=why) for why in missing + more
    ]
