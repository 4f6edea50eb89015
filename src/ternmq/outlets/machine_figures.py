"""What the operating system says of processors, memory and file systems, for the publications
CPU and DISK. Where it does not say something, as on systems without /proc, that is 0.
"""

from __future__ import annotations

import glob
import os
from typing import Final

_MEGABYTE: Final = 1 << 20
_WHOLE: Final = 10_000  # hundredths of a percent


class FileSystem:
    """The file system that a folder is in; nothing if there is no folder."""

    def __init__(self, folder: str) -> None:
        self.used_bytes = 0
        self.limit_bytes = 0
        free = 0
        try:
            if folder:
                figures = os.statvfs(folder)
                self.limit_bytes = figures.f_blocks * figures.f_frsize
                self.used_bytes = (figures.f_blocks - figures.f_bfree) * figures.f_frsize
                free = figures.f_bavail * figures.f_frsize
        except OSError:
            pass
        self.used_megabytes = self.used_bytes // _MEGABYTE
        self.free_percent = part_of(free, self.limit_bytes)


class MachineFigures:
    """The machine over a stretch of time."""

    def __init__(self, before: ProcessorTimes, now: ProcessorTimes) -> None:
        all_ticks = now.all_ticks - before.all_ticks
        self.user_percent = part_of(now.user_ticks - before.user_ticks, all_ticks)
        self.system_percent = part_of(now.system_ticks - before.system_ticks, all_ticks)
        elapsed_s = (now.elapsed_s - before.elapsed_s) * (os.cpu_count() or 1)
        self.own_user_percent = part_of(now.own_user_s - before.own_user_s, elapsed_s)
        self.own_system_percent = part_of(now.own_system_s - before.own_system_s, elapsed_s)
        self.load_1, self.load_5, self.load_15 = _loads()
        total, free = _memory()
        self.memory_megabytes = total // _MEGABYTE
        self.memory_free_percent = part_of(free, total)


class ProcessorTimes:
    """How long the processors were busy since the machine was started, and by this process."""

    def __init__(self) -> None:
        self.user_ticks = self.system_ticks = self.all_ticks = 0
        times = os.times()
        self.own_user_s = times.user
        self.own_system_s = times.system
        self.elapsed_s = times.elapsed
        words = _first_line("/proc/stat").split()[1:9]
        if len(words) == 8 and all(one.isdecimal() for one in words):
            user, nice, system, idle, waiting, irq, soft, stolen = map(int, words)
            self.user_ticks = user + nice
            self.system_ticks = system + irq + soft
            self.all_ticks = self.user_ticks + self.system_ticks + idle + waiting + stolen


def fault_reports(folder: str) -> int:
    """How many reports of internal faults there are in an errors folder."""
    return len(glob.glob(os.path.join(glob.escape(folder), "*.FDC"))) if folder else 0


def part_of(part: float, whole: float) -> int:
    """In hundredths of a percent, at most all of it."""
    return max(0, min(_WHOLE, round(_WHOLE * part / whole))) if whole > 0 else 0


def _loads() -> tuple[int, int, int]:
    try:
        one, five, fifteen = os.getloadavg()
    except OSError:
        return 0, 0, 0
    return round(100 * one), round(100 * five), round(100 * fifteen)


def _memory() -> tuple[int, int]:
    """Bytes in all, and those that are free or can be made so."""
    found: dict[str, int] = {}
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                name, _, value = line.partition(":")
                words = value.split()
                if words and words[0].isdecimal():
                    found[name] = int(words[0]) * 1024
    except (OSError, UnicodeDecodeError):
        pass
    return found.get("MemTotal", 0), found.get("MemAvailable", 0)


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.readline()
    except (OSError, UnicodeDecodeError):
        return ""
