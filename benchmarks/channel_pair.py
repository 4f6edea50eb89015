"""Two queue managers in processes of their own with channels between them, for benchmarks.

QMA sends over channels TO.B.n from transmission queues XB.n, QMB over TO.A.n from XA.n. The queue
managers are made and started by the commands that an administrator types; everything else goes over
connections to their local sockets.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import ternmq
from benchmarks.bench_served import command
from benchmarks.brokers import free_port
from benchmarks.network_crew import cpu_s
from ternmq.base.constants import MQCC_FAILED

A: Final = "QMA"
B: Final = "QMB"
TARGET: Final = "TARGET"
OUT: Final = "OUT"  # the remote queue at QMA that stands for TARGET at QMB
BATCH: Final = 200
WAIT_S: Final = 120.0
POLL_S: Final = 0.02
LOG_PAGES: Final = 16_384  # 64 MB a file
BUFFER_BYTES: Final = 2 << 30  # PBUFFER of the queues: they are deep and busy
LAST: Final = b"LAST".ljust(24, b"\0")


@dataclass(frozen=True)
class Used:
    """What one transfer took."""

    seconds: float
    sender_cpu_s: float
    receiver_cpu_s: float
    sender_log_bytes: int
    receiver_log_bytes: int


class End:
    """One of the two: its process and a connection to it."""

    def __init__(self, data: Path, name: str, log_files: int) -> None:
        self.data = data
        self.name = name
        self.port = free_port()
        words = ["-lf", str(LOG_PAGES), "-lp", str(log_files), "-ls", "2"]
        command(data, "crtmqm", *words, "-u", "SYSTEM.DEAD.LETTER.QUEUE", name)
        with (data / "qmgrs" / name / "qm.ini").open("a", encoding="utf-8") as ini:
            ini.write("Channels:\n   PipeLineLength=2\n")
        command(data, "strmqm", name)
        self.connection = ternmq.connect(name, data=data)
        lock = (data / "qmgrs" / name / "lock").read_text(encoding="utf-8")
        self.pid = int(lock.split()[1])
        self.say(
            "ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')",
            "REFRESH SECURITY TYPE(CONNAUTH)",
            f"DEFINE LISTENER(TCP) TRPTYPE(TCP) IPADDR('127.0.0.1') PORT({self.port})",
            "START LISTENER(TCP)",
        )

    def say(self, *lines: str) -> None:
        """Commands that must succeed."""
        for line in lines:
            for answer in self.connection.mqsc(line):
                if answer.comp == MQCC_FAILED:
                    raise RuntimeError(f"{self.name}: {line}: {answer}")

    def channel_status(self, channel: str) -> str:
        """STATUS of CHSTATUS; INACTIVE if there is none."""
        for answer in self.connection.mqsc(f"DISPLAY CHSTATUS({channel}) STATUS"):
            if answer.comp != MQCC_FAILED:
                return str(answer["STATUS"])
        return "INACTIVE"

    def stop(self) -> None:
        self.connection.disconnect()
        command(self.data, "endmqm", "-i", self.name)


class ChannelPair:
    """Both, with as many channels each way as wanted."""

    def __init__(self, data: Path, log_files: int = 20) -> None:
        data.mkdir(parents=True, exist_ok=True)
        self.a = End(data, A, log_files)
        self.b = End(data, B, log_files)

    def define(self, number: int = 1, attributes: str = "", both_ways: bool = False) -> None:
        """Channels with these attributes of both ends; the first is that of the remote queue."""
        for one in range(1, number + 1):
            self._define(self.a, self.b, f"TO.B.{one}", f"XB.{one}", attributes)
            if both_ways:
                self._define(self.b, self.a, f"TO.A.{one}", f"XA.{one}", attributes)
        self.b.say(f"DEFINE QLOCAL({TARGET}) REPLACE MAXDEPTH(999999999) PBUFFER({BUFFER_BYTES})")
        self.a.say(f"DEFINE QREMOTE({OUT}) REPLACE RNAME({TARGET}) RQMNAME({B}) XMITQ(XB.1)")

    @staticmethod
    def _define(
        sender: End, receiver: End, channel: str, transmission: str, attributes: str
    ) -> None:
        sender.say(
            f"DEFINE QLOCAL({transmission}) REPLACE USAGE(XMITQ) MAXDEPTH(999999999)"
            f" PBUFFER({BUFFER_BYTES})",
            f"DEFINE CHANNEL({channel}) CHLTYPE(SDR) REPLACE TRPTYPE(TCP) XMITQ({transmission})"
            f" CONNAME('127.0.0.1({receiver.port})') BATCHSZ({BATCH}) BATCHLIM(0) {attributes}",
        )
        receiver.say(
            f"DEFINE CHANNEL({channel}) CHLTYPE(RCVR) REPLACE TRPTYPE(TCP) BATCHSZ({BATCH})"
            f" {attributes}",
        )

    def preload(self, data: bytes, messages: int, queue: str = OUT) -> None:
        """Put persistent messages onto the transmission queue; the last one has a CorrelId."""
        with self.a.connection.queue(queue) as out:
            for first in range(0, messages, BATCH):
                with self.a.connection.unit_of_work():
                    for number in range(first, min(first + BATCH, messages)):
                        mark = LAST if number == messages - 1 else None
                        out.put(data, persistent=True, correl_id=mark)

    def transfer(self, channel: str = "TO.B.1") -> Used:
        """Start the channel, and wait until the last of the preloaded messages can be got."""
        ends = (self.a, self.b)
        cpu = [cpu_s(end.pid) for end in ends]
        logs = [end.connection.log_status().written_bytes for end in ends]
        with self.b.connection.queue(TARGET) as target:
            begun = time.perf_counter()
            self.a.say(f"START CHANNEL({channel})")
            target.get(wait=WAIT_S, correl_id=LAST)
            seconds = time.perf_counter() - begun
        cpu = [cpu_s(end.pid) - before for end, before in zip(ends, cpu)]
        logs = [end.connection.log_status().written_bytes - was for end, was in zip(ends, logs)]
        return Used(seconds, cpu[0], cpu[1], logs[0], logs[1])

    def arrived(self) -> int:
        """Messages on the target queue."""
        with self.b.connection.queue(TARGET) as target:
            return target.depth

    def rest(self, channel: str = "TO.B.1") -> None:
        """Stop the channel, and empty the target queue, for the next round."""
        self.a.say(f"STOP CHANNEL({channel})")
        await_true(lambda: self.a.channel_status(channel) in ("STOPPED", "INACTIVE"))
        self.b.say(f"CLEAR QLOCAL({TARGET})")

    def stop(self) -> None:
        """End both."""
        self.a.stop()
        self.b.stop()


def await_true(asked: Callable[[], bool]) -> None:
    """Return when it says yes."""
    limit = time.monotonic() + WAIT_S
    while not asked():
        if time.monotonic() > limit:
            raise TimeoutError("it does not come to rest")
        time.sleep(POLL_S)
