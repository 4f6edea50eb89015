"""CPU time and memory of a process and its descendants, as the system reports them."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any, NamedTuple


class Gauge(NamedTuple):
    """Both at one moment; zero where the system does not report them."""

    cpu_s: float
    resident_kb: int


def family(pid: int) -> list[int]:
    """A process and its descendants."""
    found = [pid]
    for one in found:
        for children in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += [int(word) for word in children.read_text().split()]
            except OSError:
                pass  # it has just ended
    return found


def gauge(pid: int) -> Gauge:
    """Of a process and its descendants, as far as they live."""
    ticks = kilobytes = 0
    for one in family(pid):
        try:
            words = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            lines = Path(f"/proc/{one}/status").read_text().splitlines()
        except OSError:
            continue
        ticks += int(words[11]) + int(words[12])
        kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
    return Gauge(ticks / os.sysconf("SC_CLK_TCK"), kilobytes)


def machine() -> dict[str, Any]:
    """What a figure depends on, besides the program."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "processors": os.cpu_count() or 1,
        "python": platform.python_version(),
    }
