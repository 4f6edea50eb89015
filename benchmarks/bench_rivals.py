"""Durable puts beside other brokers: each by its client for Python and by its own fastest one.

A client library for Python needs more CPU than most servers, so it is the limit of what `network`
shows of a rival. Here a rival is also driven by the client that it is measured with by its makers.
2 KB messages, 16 and 64 putters, each waits for its own confirmation. What a confirmation promises
differs, and stands beside the figure, with the server's CPU for each message. What is not installed
is named and left out.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Final

from benchmarks.bench_network import SECONDS, progress
from benchmarks.brokers import Missing, Server
from benchmarks.contest import Contest
from benchmarks.figures import Figure, Settings, short
from benchmarks.network_crew import Round
from benchmarks.rival_clients import Client, GoClient, PerfTest, PythonClient, RedisBenchmark

FORCED: Final = "forced before it is confirmed"
NOT_FORCED: Final = "NOT forced: lost when the power fails"


@dataclass(frozen=True)
class Rival:
    """A server, what its confirmation promises, and its clients."""

    module: str
    kind: str  # its server
    promise: str
    library: str  # for Python
    fastest: type[Client] | None


OURS: Final = Rival("ternmq", "BrokerServer", FORCED, "ternmq.aio", None)
RIVALS: Final = (
    Rival("nats", "BrokerServer", NOT_FORCED, "nats-py", GoClient),
    Rival("nats", "ForcedServer", FORCED, "nats-py", GoClient),
    Rival("redis", "BrokerServer", FORCED, "redis-py", RedisBenchmark),
    Rival("rabbitmq", "BrokerServer", FORCED, "aio-pika", PerfTest),
)


class Turns:
    """One client in one size: a rate when called, the rounds are kept."""

    def __init__(self, title: str, client: Client, seconds: float) -> None:
        self.title = title
        self.client = client
        self.rounds: list[Round] = []
        self._seconds = seconds

    def __call__(self) -> float:
        self.rounds.append(self.client.go(self._seconds))
        rate = self.rounds[-1].rate
        progress(f"{self.title}, round {len(self.rounds)}: {short(rate)}")
        return rate

    @property
    def cpu_us(self) -> float:
        """Of the server, for each message, over all rounds."""
        done = sum(one.done for one in self.rounds)
        return sum(one.cpu_us * one.done for one in self.rounds) / max(done, 1)


def start(settings: Settings, rivals: tuple[Rival, ...]) -> tuple[dict[Rival, Server], list[str]]:
    """Those servers that are here, running; why the others are not."""
    servers: dict[Rival, Server] = {}
    missing: list[str] = []
    for rival in rivals:
        kind: type[Server] = getattr(
            importlib.import_module(f"benchmarks.brokers_{rival.module}"), rival.kind
        )
        try:
            kind.check()
            server = kind(settings.place(f"{rival.module}-{rival.kind}"))
            servers[rival] = server
            server.start()
            progress(f"{kind.durable_name} runs")
        except Missing as why:
            servers.pop(rival, None)
            missing.append(f"{kind.durable_name} is left out: {why}")
    return servers, missing


def clients_of(rival: Rival, server: Server, putters: int) -> tuple[list[Client], list[str]]:
    """The client for Python, and the fastest if it is here; why it is not."""
    found: list[Client] = [PythonClient(server, putters, rival.module, rival.library)]
    if rival.fastest is None:
        return found, []
    try:
        rival.fastest.check()
    except Missing as why:
        return found, [f"{server.durable_name} by {rival.fastest.name} is left out: {why}"]
    return [*found, rival.fastest(server, putters)], []


def measured(
    servers: dict[Rival, Server], putters: int, settings: Settings
) -> tuple[list[Figure], list[str]]:
    """Everybody takes turns; ours beside each."""
    turns: dict[str, Turns] = {}
    promises: dict[str, str] = {}
    missing: list[str] = []
    try:
        for rival, server in servers.items():
            clients, why = clients_of(rival, server, putters)
            missing += why
            for client in clients:
                title = f"{server.durable_name}, {client.name}"
                turns[title] = Turns(
                    f"{putters} putters, {title}", client, SECONDS * settings.seconds
                )
                promises[title] = rival.promise
        contest = Contest(dict(turns)).run(settings.rounds)
    finally:
        for one in turns.values():
            one.client.close()
    ours = next(iter(turns))
    found = [
        Figure(
            f"{putters} putters / {title}",
            contest.value(ours),
            "puts/s",
            title,
            contest.value(title),
            contest.ratio(ours, title),
            note=(
                f"{promises[title]}; server CPU {one.cpu_us:.0f} us a message,"
                f" ours {turns[ours].cpu_us:.0f}"
            ),
            rounds=contest.rounds[title],
        )
        for title, one in turns.items()
        if title != ours
    ]
    if not found:
        note = f"{FORCED}; server CPU {turns[ours].cpu_us:.0f} us a message"
        found = [Figure(f"{putters} putters", contest.value(ours), "puts/s", note=note)]
    return found, missing


def run(settings: Settings) -> list[Figure]:
    """16 putters, then 64."""
    servers, missing = start(settings, (OURS, *RIVALS))
    found: list[Figure] = []
    try:
        for putters in (16, 64):
            figures, more = measured(servers, putters, settings)
            found += figures
            missing += [one for one in more if one not in missing]
    finally:
        for server in servers.values():
            server.stop()
    found += [Figure(why.partition(" is left out: ")[0], None, "", note=why) for why in missing]
    return found
