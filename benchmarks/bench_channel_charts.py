"""The channel charts of IBM's performance report for MQ for z/OS 9.3, as workloads on this machine.

32 KB requests and replies, non-persistent, in syncpoint: over 1 to 5 channels each way; the same
with TLS (ECDHE_RSA_AES_256_CBC_SHA384), without key reset and with one each MB; over one channel
each way with each compression, messages that are 0, 20 and 80 % compressible, alone and with TLS.
The figure is round trips a second; the note has the CPU time that both queue managers use for one.
Then the memory that a channel keeps after messages of 1 KB, 32 KB, 64 KB and 4 MB, both ends
together, beside what the report says of the channel initiator of z/OS, one end.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import trustme

from benchmarks.channel_pair import B, ChannelPair, End, await_true
from benchmarks.figures import Figure, Settings
from benchmarks.network_crew import cpu_s, resident_kb

KB = 1024
SIZE = 32 * KB
TASKS = 8  # requesters, and servers, for each channel
COUNTS = (1, 2, 3, 4, 5)
QUICK_COUNTS = (1, 5)
CIPHER = "SSLCIPH(ECDHE_RSA_AES_256_CBC_SHA384)"
COMPRESSIONS = ("NONE", "RLE", "ZLIBFAST", "ZLIBHIGH", "LZ4FAST", "LZ4HIGH")
QUICK_COMPRESSIONS = ("NONE", "ZLIBFAST")
COMPRESSIBLE = (0, 20, 80)
KEY_RESET_BYTES = 1024 * KB
MEMORY_CHANNELS = 100
QUICK_MEMORY_CHANNELS = 20
# size: KB that a channel takes in the channel initiator of MQ for z/OS 9.3
FOOTPRINTS = {1 * KB: 90, 32 * KB: 100, 64 * KB: 109, 4096 * KB: 1125}
WAIT_S = 60.0


class Worker:
    """A process with applications of one end."""

    def __init__(self, role: str, end: End, pairs: int, compressible: int) -> None:
        words = [sys.executable, "-m", "benchmarks.channel_worker", role, str(end.data), end.name]
        numbers = (pairs, TASKS, SIZE, compressible)
        self._process = subprocess.Popen(
            [*words, *(str(number) for number in numbers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if self.line() != "ready":
            raise RuntimeError(f"a {role} at {end.name} does not start")

    def line(self) -> str:
        stdout = self._process.stdout
        return "" if stdout is None else stdout.readline().strip()

    def work(self, seconds: float) -> int:
        """Requests that were answered."""
        if self._process.stdin is not None:
            self._process.stdin.write(f"{seconds}\n")
            self._process.stdin.flush()
        return int(self.line())

    def end(self) -> None:
        self._process.communicate()


class Charts:
    """One pair of queue managers, whose channels are defined again for each point."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.pair = ChannelPair(settings.place("charts"))
        self._reset_bytes = 0
        self._channels = 0
        write_keys((self.pair.a, self.pair.b))

    def define(self, channels: int, attributes: str = "", reset_bytes: int = 0) -> None:
        """Channels each way and the queues of their applications, running."""
        self.rest()
        pair = self.pair
        for end in (pair.a, pair.b):
            if reset_bytes != self._reset_bytes:
                end.say(f"ALTER QMGR SSLRKEYC({reset_bytes})")
        self._reset_bytes = reset_bytes
        pair.define(channels, attributes, both_ways=True)
        for number in range(1, channels + 1):
            remote = (
                "DEFINE QREMOTE({name}.{n}) REPLACE RNAME({to}.{n}) RQMNAME({q}) XMITQ({x}.{n})"
            )
            asks = remote.format(name="ASK", n=number, to="REQUEST", q=B, x="XB")
            answers = remote.format(name="ANSWER", n=number, to="REPLY", q=pair.a.name, x="XA")
            pair.a.say(f"DEFINE QLOCAL(REPLY.{number}) REPLACE", asks)
            pair.b.say(f"DEFINE QLOCAL(REQUEST.{number}) REPLACE", answers)
            pair.a.say(f"START CHANNEL(TO.B.{number})")
            pair.b.say(f"START CHANNEL(TO.A.{number})")
        self._channels = channels

    def rest(self) -> None:
        """Stop what runs, so that it can be defined again."""
        for number in range(1, self._channels + 1):
            for end, name in ((self.pair.a, f"TO.B.{number}"), (self.pair.b, f"TO.A.{number}")):
                end.say(f"STOP CHANNEL({name})")
                await_stopped(end, name)
        self._channels = 0

    def round_trips(self, title: str, compressible: int = 0) -> Figure:
        """Requests and replies over the channels that are defined."""
        ends = (self.pair.a, self.pair.b)
        servers = Worker("server", self.pair.b, self._channels, compressible)
        requesters = Worker("requester", self.pair.a, self._channels, compressible)
        seconds = 3 * self.settings.seconds
        before = [cpu_s(end.pid) for end in ends]
        done = requesters.work(seconds)
        used = sum(cpu_s(end.pid) - was for end, was in zip(ends, before, strict=True))
        requesters.end()
        servers.end()
        note = f"CPU of both queue managers: {1e6 * used / max(done, 1):.0f} us a round trip"
        return Figure(title, done / seconds, "round trips/s", note=note)

    def memory(self, size: int) -> Figure:
        """KB that one more channel takes, both ends, after messages of this size."""
        pair = self.pair
        self.rest()
        more = self.settings.scaled(MEMORY_CHANNELS, QUICK_MEMORY_CHANNELS)
        channels = more + 1
        pair.define(channels)
        for number in range(1, channels + 1):
            to = f"RNAME(TARGET) RQMNAME({B}) XMITQ(XB.{number})"
            pair.a.say(f"DEFINE QREMOTE(MEMORY.{number}) REPLACE {to}")
        self._pass(1, size)
        before = resident_kb(pair.a.pid) + resident_kb(pair.b.pid)
        for number in range(2, channels + 1):
            self._pass(number, size)
        grown = resident_kb(pair.a.pid) + resident_kb(pair.b.pid) - before
        for number in range(1, channels + 1):
            pair.a.say(f"STOP CHANNEL(TO.B.{number})")
        for number in range(1, channels + 1):
            await_stopped(pair.a, f"TO.B.{number}")
        return Figure(
            f"memory of a channel, {size // KB} KB",
            grown / more,
            "KB",
            "channel initiator of z/OS",
            float(FOOTPRINTS[size]),
        )

    def _pass(self, number: int, size: int) -> None:
        """Start a channel, and three messages over it."""
        data = bytes(size)
        self.pair.a.say(f"START CHANNEL(TO.B.{number})")
        with (
            self.pair.a.connection.queue(f"MEMORY.{number}") as out,
            self.pair.b.connection.queue("TARGET") as target,
        ):
            for _ in range(3):
                out.put(data)
                target.get(wait=WAIT_S)


def await_stopped(end: End, channel: str) -> None:
    await_true(lambda: end.channel_status(channel) in ("STOPPED", "INACTIVE"))


def write_keys(ends: tuple[End, End]) -> None:
    """A key repository for each, of one authority."""
    authority = trustme.CA(organization_name="Bench", key_type=trustme.KeyType.RSA)
    for end in ends:
        folder = Path(end.data, "qmgrs", end.name, "ssl")
        folder.mkdir(parents=True, exist_ok=True)
        host = f"{end.name.lower()}.example.com"
        leaf = authority.issue_cert(host, common_name=end.name, key_type=trustme.KeyType.RSA)
        label = f"ibmwebspheremq{end.name.lower()}"
        leaf.private_key_and_cert_chain_pem.write_to_path(folder / f"{label}.pem")
        authority.cert_pem.write_to_path(folder / "authority.crt")
        end.say("REFRESH SECURITY TYPE(SSL)")


def counts(charts: Charts, quick: bool) -> list[Figure]:
    """1 to 5 channels each way: plain, TLS, TLS with a key reset each MB."""
    found = []
    for title, attributes, reset in (
        ("", "", 0),
        (", TLS", CIPHER, 0),
        (", TLS, key reset each MB", CIPHER, KEY_RESET_BYTES),
    ):
        for count in QUICK_COUNTS if quick else COUNTS:
            charts.define(count, attributes, reset)
            found.append(charts.round_trips(f"{count} each way{title}"))
    return found


def compressions(charts: Charts, quick: bool) -> list[Figure]:
    """One channel each way."""
    found = []
    for title, attributes in (("", ""), (", TLS", CIPHER)):
        for compression in QUICK_COMPRESSIONS if quick else COMPRESSIONS:
            charts.define(1, f"COMPMSG({compression}) {attributes}")
            found += [
                charts.round_trips(f"{compression}{title}, {part} %", part) for part in COMPRESSIBLE
            ]
    return found


def run(settings: Settings) -> list[Figure]:
    """All charts."""
    charts = Charts(settings)
    try:
        found = counts(charts, settings.quick) + compressions(charts, settings.quick)
        sizes = tuple(FOOTPRINTS)
        return found + [charts.memory(size) for size in (sizes[:2] if settings.quick else sizes)]
    finally:
        charts.pair.stop()
