"""Preloaded persistent messages over one channel, batches of 200, both ends forcing.

Beside it, in the same rounds: two processes on the same disk, one writing and forcing the received
bytes a batch at a time, the other the sender's two records of each batch (`raw_channel`; goal: 0.6
of it with 1 MB, 0.4 with 10 KB); the same two with the bytes over TCP and in the order of a
channel, which is what a bare program would reach; and RabbitMQ, quorum queues on single nodes at
both ends, a shovel with `on-confirm` and a prefetch of 1,000 (goal: 3 times as fast). Ours counts
from START CHANNEL, theirs from the first message that has arrived. CPU time a message at each end,
and bytes of log for each byte of message.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median

from benchmarks.brokers import Missing
from benchmarks.channel_pair import BATCH, ChannelPair, Used
from benchmarks.contest import Contest
from benchmarks.figures import AT_LEAST, Figure, Goal, Settings
from benchmarks.raw_channel import raw_seconds
from benchmarks.shovel_rabbitmq import Shovel

KB = 1024
MB = 1024 * KB
# size, messages, messages of a quick run, part of the raw disk
SIZES = ((MB, 1000, 400, 0.6), (10 * KB, 20_000, 2000, 0.4))
RIVAL_TIMES = 3.0


class Transfers:
    """Messages of one size, as contenders: each gives megabytes a second."""

    def __init__(
        self, size: int, messages: int, pair: ChannelPair, folder: Path, shovel: Shovel | None
    ) -> None:
        self.size = size
        self.messages = messages
        self.pair = pair
        self.folder = folder
        self.shovel = shovel
        self.used: list[Used] = []
        self.rival_cpu: list[list[float]] = []

    def channel(self) -> float:
        """Ours; every message must have arrived."""
        self.pair.preload(bytes(self.size), self.messages)
        used = self.pair.transfer()
        arrived = self.pair.arrived()
        if arrived != self.messages - 1:  # the last one was got
            raise RuntimeError(f"{arrived + 1} of {self.messages} messages have arrived")
        self.used.append(used)
        self.pair.rest()
        return self.messages * self.size / MB / used.seconds

    def raw(self) -> float:
        seconds = raw_seconds(self.folder, BATCH * self.size, self.messages // BATCH)
        return self.messages * self.size / MB / seconds

    def bare(self) -> float:
        """The same disk behind a socket, in the order of a channel."""
        seconds = raw_seconds(self.folder, BATCH * self.size, self.messages // BATCH, True)
        return self.messages * self.size / MB / seconds

    def rival(self) -> float:
        if self.shovel is None:
            raise RuntimeError("there is no rival")
        seconds, cpu = self.shovel.transfer(bytes(self.size), self.messages)
        self.rival_cpu.append(cpu)
        return self.size / MB / seconds

    def figures(self, rounds: int, raw_part: float) -> list[Figure]:
        """The figures of this size."""
        contenders = {"channel": self.channel, "raw": self.raw, "bare": self.bare}
        if self.shovel is not None:
            contenders["rival"] = self.rival
        contest = Contest(contenders).run(rounds)
        title = f"{self.size // MB} MB" if self.size >= MB else f"{self.size // KB} KB"
        found = [
            Figure(
                f"{title} / raw disk",
                contest.value("channel"),
                "MB/s",
                "two processes, writing and forcing",
                contest.value("raw"),
                contest.ratio("channel", "raw"),
                Goal(AT_LEAST, raw_part, True),
                note=self.note(),
                rounds=contest.rounds["channel"],
            )
        ]
        found.append(
            Figure(
                f"{title} / socket and disk",
                contest.value("channel"),
                "MB/s",
                "the same in the order of a channel",
                contest.value("bare"),
                contest.ratio("channel", "bare"),
                note="the bytes come over TCP, without headers and queues",
            )
        )
        if self.shovel is not None:
            found.append(
                Figure(
                    f"{title} / RabbitMQ",
                    contest.value("channel"),
                    "MB/s",
                    "shovel, quorum queues",
                    contest.value("rival"),
                    contest.ratio("channel", "rival"),
                    Goal(AT_LEAST, RIVAL_TIMES, True),
                    note=self.rival_note(),
                    rounds=contest.rounds["rival"],
                )
            )
        return [*found, *self.costs(title)]

    def note(self) -> str:
        return f"{self.messages:,} messages, batches of {BATCH}"

    def rival_note(self) -> str:
        us = [median(one[end] for one in self.rival_cpu) for end in (0, 1)]
        each = " and ".join(f"{1e6 * one / self.messages:.0f}" for one in us)
        return f"its brokers use {each} us of CPU a message, source and target"

    def costs(self, title: str) -> list[Figure]:
        """CPU and log of both ends."""
        found = []
        total = self.messages * self.size
        for end in ("sender", "receiver"):
            cpu = median(getattr(one, f"{end}_cpu_s") for one in self.used)
            log = median(getattr(one, f"{end}_log_bytes") for one in self.used)
            found += [
                Figure(f"{title}, CPU of the {end}", 1e6 * cpu / self.messages, "us/message"),
                Figure(f"{title}, log of the {end}", log / total, "bytes/byte"),
            ]
        return found


def started_rival(settings: Settings) -> tuple[Shovel | None, list[Figure]]:
    """The brokers, running; or why they are left out."""
    try:
        Shovel.check()
        shovel = Shovel(settings.place("shovel"))
    except Missing as why:
        return None, [Figure("RabbitMQ", None, "", note=f"left out: {why}")]
    try:
        shovel.start()
    except Missing as why:
        shovel.stop()
        return None, [Figure("RabbitMQ", None, "", note=f"left out: {why}")]
    return shovel, []


def run(settings: Settings) -> list[Figure]:
    """1 MB, then 10 KB."""
    shovel, found = started_rival(settings)
    try:
        pair = ChannelPair(settings.place("pair"))
        try:
            pair.define()
            for size, full, quick, raw_part in SIZES:
                messages = settings.scaled(full, quick)
                folder = settings.place(f"raw-{size}")
                transfers = Transfers(size, messages, pair, folder, shovel)
                found = [*transfers.figures(settings.few, raw_part), *found]
        finally:
            pair.stop()
    finally:
        if shovel is not None:
            shovel.stop()
    return found
