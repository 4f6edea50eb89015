"""The rate of the log with 1 MB persistent messages, one caller, single and dual copies.

Baseline: a bare loop of pwrite + fdatasync of 1 MB to a file of real zeros, to two files for dual
copies. Goal: half of it. The log is large enough, and the buffer of the queue, that a round meets
neither a checkpoint nor a spill; the last line is the same with default log and buffers and a get
after each put: segments, checkpoints and all.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import ternmq
from benchmarks.contest import Contest
from benchmarks.figures import AT_LEAST, Figure, Goal, Settings
from benchmarks.raw_disk import RawFile, force_loop

MEGABYTE = 1 << 20
BODY = bytes(range(256)) * 4096
QUEUE = "LARGE"
BUFFER = 1 << 32
GOAL = Goal(AT_LEAST, 0.5, of_ratio=True)


def start(path: Path, name: str, dual: bool, large: bool) -> ternmq.QueueManager:
    """A queue manager whose log holds several rounds, or one with the default log."""
    primary = 8 if large else 3
    pages = 32768 if large else 4096
    qmgr = ternmq.embedded(
        path, name, create=True, dual_log=dual, log_primary_files=primary, log_file_pages=pages
    )
    size: dict[str, Any] = {"persistent_buffer": BUFFER} if large else {}
    qmgr.define_queue(QUEUE, max_depth=999_999, **size)
    return qmgr


def put_rate(qmgr: ternmq.QueueManager, times: int) -> float:
    """MB/s of puts; the queue is emptied afterwards, off the clock."""
    with qmgr.queue(QUEUE) as target:
        begin = time.perf_counter()
        for _ in range(times):
            target.put(BODY, persistent=True)
        took = time.perf_counter() - begin
    qmgr.clear_queue(QUEUE)
    qmgr.checkpoint()
    return times * len(BODY) / MEGABYTE / took


def pair_rate(qmgr: ternmq.QueueManager, times: int) -> float:
    """MB/s where each message is got, and its get forced, before the next is put."""
    with qmgr.queue(QUEUE) as target:
        begin = time.perf_counter()
        for _ in range(times):
            target.put(BODY, persistent=True)
            target.get()
        took = time.perf_counter() - begin
    return times * len(BODY) / MEGABYTE / took


def raw_rate(files: list[RawFile], times: int) -> float:
    """MB/s of the bare loop."""
    begin = time.perf_counter()
    force_loop(files, BODY, times)
    return times * len(BODY) / MEGABYTE / (time.perf_counter() - begin)


def run(settings: Settings) -> list[Figure]:
    """MB of message data a second."""
    times = settings.scaled(128, 32)
    folder = settings.place("log_rate")
    files = [RawFile(folder / f"raw{number}", times * MEGABYTE) for number in range(2)]
    one = start(folder, "SINGLE", False, True)
    two = start(folder, "DUAL", True, True)
    usual = start(folder, "USUAL", False, False)
    try:
        contest = Contest(
            {
                "single": lambda: put_rate(one, times),
                "raw1": lambda: raw_rate(files[:1], times),
                "dual": lambda: put_rate(two, times),
                "raw2": lambda: raw_rate(files, times),
                "pairs": lambda: pair_rate(usual, times),
            }
        ).run(settings.rounds)
    finally:
        for qmgr in (one, two, usual):
            qmgr.close()
        for file in files:
            file.close()
    lines = []
    for name, key, raw, goal, note in (
        ("puts, single log", "single", "raw1", GOAL, "log 8 x 128 MB"),
        ("puts, dual log", "dual", "raw2", GOAL, "log 8 x 128 MB, twice"),
        ("put + get, default log", "pairs", "raw1", None, "log 3 x 16 MB, buffers 1 MB"),
    ):
        lines.append(
            Figure(
                name,
                contest.value(key),
                "MB/s",
                "pwrite+fdatasync 1 MB" + (" x 2" if raw == "raw2" else ""),
                contest.value(raw),
                contest.ratio(key, raw),
                goal,
                note,
                contest.rounds[key],
            )
        )
    return lines
