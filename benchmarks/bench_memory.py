"""Resident memory of a message on a queue, beyond its body: in memory, and spilled to segment
files.

Baseline: a dictionary of 24-byte keys to one-slot objects, the least that Python can index
messages with. All messages share one body, so that what grows is what the queue keeps for each.
Each figure comes from a process of its own. A first look; no goal yet.
"""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ternmq
from benchmarks.figures import Figure, Settings

BODY = bytes(2048)
QUEUE = "RESIDENT"
WARM = 5_000


class Kept:
    """The least object."""

    __slots__ = ("body",)

    def __init__(self, body: bytes) -> None:
        self.body = body


def resident() -> int:
    """Bytes of this process in memory, without what the allocator could give back."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak_growth(work: Callable[[], object]) -> int:
    """Bytes that this process had in memory at most during the work, beyond those before it."""
    before = resident()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins here
    work()
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 - before
    raise RuntimeError("/proc/self/status has no VmHWM")


def dictionary(count: int) -> float:
    """Bytes an entry."""
    before = resident()
    table = {number.to_bytes(24, "big"): Kept(BODY) for number in range(count)}
    return (resident() - before) / len(table)


def messages(path: Path, count: int, kind: str) -> float:
    """Bytes a message."""
    spilled = "spilled" in kind
    persistent = "persistent" in kind
    with ternmq.embedded(path, "BENCH", create=True, log_primary_files=32) as qmgr:
        size: dict[str, Any] = (
            {} if spilled else {"nonpersistent_buffer": 1 << 36, "persistent_buffer": 1 << 36}
        )
        qmgr.define_queue(QUEUE, max_depth=999_999_999, **size)
        with qmgr.queue(QUEUE) as target:
            put_all(qmgr, target, WARM, kind, persistent)
            before = resident()
            put_all(qmgr, target, count, kind, persistent)
            qmgr.started.shell.run_effects()
            grown = resident() - before
    return grown / count


def put_all(
    qmgr: ternmq.QueueManager, target: ternmq.Queue, count: int, kind: str, persistent: bool
) -> None:
    """Put, with CorrelIds of their own if the kind says so."""
    for start in range(0, count, 500):
        with qmgr.unit_of_work():
            for number in range(start, start + 500):
                if "correl" in kind:
                    own = number.to_bytes(24, "big")
                    target.put(BODY, persistent=persistent, correl_id=own)
                else:
                    target.put(BODY, persistent=persistent)


KINDS = {
    "in memory": "memory",
    "in memory, with CorrelId": "memory correl",
    "spilled": "spilled",
    "spilled, with CorrelId": "spilled correl",
    "persistent, spilled": "persistent spilled",
}


def run(settings: Settings) -> list[Figure]:
    """Bytes a message beyond its body."""
    folder = settings.place("memory")
    count = settings.scaled(200_000, 50_000)

    def child(kind: str) -> float:
        command = [sys.executable, "-m", "benchmarks.bench_memory", kind, str(count)]
        command.append(str(folder / kind.replace(" ", "-")))
        return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)

    baseline = child("dictionary")
    lines = []
    for name, kind in KINDS.items():
        value = child(kind)
        note = f"{count:,} messages, body not counted"
        lines.append(
            Figure(
                name, value, "bytes/msg", "dict", baseline, value / baseline, None, note, [value]
            )
        )
    return lines


if __name__ == "__main__":
    what, number, where = sys.argv[1:4]
    if what == "dictionary":
        sys.stdout.write(str(dictionary(int(number))))
    else:
        sys.stdout.write(str(messages(Path(where), int(number), what)))
