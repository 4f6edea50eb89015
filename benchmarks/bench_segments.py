"""A message of 100 MB in segments of 4 MB, put and got complete, beside one physical message.

    python -m benchmarks.bench_segments [--megabytes 100] [--rounds 3] [--json FILE]

For each way to the queue manager: megabytes a second of put and get together, for one physical
message and for segments, and the second as a part of the first. In process one message is handed on
as it is, so there only segments are shown; also persistent, beside what raw writes of as many bytes
with a force each 4 MB reach on the same disk, in a new file and in one that was written before, and
the peak of memory above the message itself. Goals: in process 500 MB/s; persistent half of the raw
writes; a socket and TCP 30 % of one physical message; memory below twice the message.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ternmq
from ternmq import constants as mq
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.ports.os_disk import OsDisk
from ternmq.runtime.starting import start
from tests.unit.api.networked import Networked, NetworkedQueueManager
from tests.unit.api.served import Served, ServedQueueManager

MEGABYTE = 1 << 20
LIMIT = 4 * MEGABYTE
NAME = "QM1"


def resident_bytes() -> int:
    """Memory of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Peak:
    """The highest memory while something runs, looked at every few milliseconds."""

    def __init__(self) -> None:
        gc.collect()
        self.before = resident_bytes()
        self.highest = self.before
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def _watch(self) -> None:
        while not self._over.wait(0.002):
            self.highest = max(self.highest, resident_bytes())

    def end(self) -> int:
        """Bytes above what there was."""
        self._over.set()
        self._watcher.join()
        return self.highest - self.before


def once(connection: ternmq.Connection, name: str, data: bytes, persistent: bool) -> float:
    """Seconds for a put and a get of the whole message."""
    md = ternmq.Descriptor(version=2, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED)
    with connection.queue(name) as queue:
        begun = time.perf_counter()
        queue.put(data, descriptor=md, persistent=persistent)
        message = queue.get(options=mq.MQGMO_COMPLETE_MSG)
        seconds = time.perf_counter() - begun
        assert len(message.data) == len(data)
        assert queue.depth == 0
    return seconds


def best(
    connection: ternmq.Connection, name: str, data: bytes, persistent: bool, rounds: int
) -> float:
    """Megabytes a second, the best of some rounds."""
    seconds = min(once(connection, name, data, persistent) for _ in range(rounds))
    return len(data) / MEGABYTE / seconds


def define(connection: ternmq.Connection, length: int) -> None:
    """A queue for one physical message, and one for segments."""
    connection.mqsc(f"ALTER QMGR MAXMSGL({max(length, LIMIT)})")
    buffers: dict[str, Any] = {"nonpersistent_buffer": 4 * length, "persistent_buffer": 4 * length}
    connection.define_queue("WHOLE", max_message_length=length, **buffers)
    connection.define_queue("SEGMENTS", max_message_length=LIMIT, **buffers)


@contextmanager
def started(way: str, folder: Path, length: int) -> Iterator[ternmq.Connection]:
    """A connection to a queue manager whose log holds the message."""
    pages = 16_384  # of 4096 bytes
    files = 3 * length // (pages * 4096) + 3
    (folder / way).mkdir()
    parameters = LogParameters(CIRCULAR, files, 2, pages, False)
    running = start(OsDisk(str(folder / way)), NAME, True, parameters, "tester", "bench")
    if way == "in process":
        with ternmq.QueueManager(running) as qmgr, qmgr.connect() as connection:
            yield connection
    elif way == "local socket":
        served = ServedQueueManager(Served(folder / "socket", NAME, running), user="tester")
        try:
            with served.connect() as connection:
                yield connection
        finally:
            served.close()
    else:
        networked = NetworkedQueueManager(Networked(folder / "tcp", NAME, running), user="tester")
        try:
            with networked.connect() as connection:
                yield connection
        finally:
            networked.close()


def raw_rate(folder: Path, length: int) -> float:
    """Megabytes a second that are written and forced, 4 MB at a time."""
    piece = os.urandom(LIMIT)
    file = os.open(folder / "raw", os.O_CREAT | os.O_WRONLY)
    try:
        os.posix_fallocate(file, 0, length)
        begun = time.perf_counter()
        for at in range(0, length, LIMIT):
            os.pwrite(file, piece, at)
            os.fdatasync(file)
        return length / MEGABYTE / (time.perf_counter() - begun)
    finally:
        os.close(file)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", default="", help="write the figures to this file")
    given = parser.parse_args()
    length = given.megabytes * MEGABYTE
    data = os.urandom(length)
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for way in ("in process", "local socket", "TCP"):
            with started(way, folder, length) as connection:
                define(connection, length)
                found = {"segments": best(connection, "SEGMENTS", data, False, given.rounds)}
                if way == "in process":
                    found |= in_process(connection, folder, data, given.rounds)
                else:
                    whole = best(connection, "WHOLE", data, False, given.rounds)
                    found |= {"one message": whole, "part of it": found["segments"] / whole}
            figures[way] = found
            print(f"{way:12} " + ", ".join(f"{key} {value:.4g}" for key, value in found.items()))
    if given.json:
        Path(given.json).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def in_process(
    connection: ternmq.Connection, folder: Path, data: bytes, rounds: int
) -> dict[str, float]:
    """Memory, and the persistent message beside raw writes."""
    length = len(data)
    peak = Peak()
    once(connection, "SEGMENTS", data, False)
    above = peak.end()
    new = raw_rate(folder, length)
    again = max(raw_rate(folder, length) for _ in range(rounds))
    kept = best(connection, "SEGMENTS", data, True, rounds)
    return {
        "memory above the message": above / length,
        "persistent": kept,
        "raw, new file": new,
        "raw, written before": again,
        "part of new": kept / new,
        "part of written before": kept / again,
    }


if __name__ == "__main__":
    main()
