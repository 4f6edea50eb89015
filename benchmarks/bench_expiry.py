"""The expiry scanner: messages removed for each second of CPU that the process uses.

Goal: 250,000. Baseline: taking entries one by one out of a dictionary of the same size, by the
same clock. Queues are filled with messages of 256 bytes that expire at once, with the scanner's
own timer off; then one pass is driven through the engine under its lock, with the effects it
leaves, as the housekeeper does it. Spilled: the default buffers of 1 MB.
"""

from __future__ import annotations

import gc
import time
from typing import Any

import ternmq
from benchmarks.contest import Contest
from benchmarks.figures import AT_LEAST, Figure, Goal, Settings

BODY = bytes(256)
QUEUE = "EXPIRING"
GOAL = Goal(AT_LEAST, 250_000)
LARGE = 1 << 32
UNIT = 1000


def fill(qmgr: ternmq.QueueManager, count: int, persistent: bool) -> None:
    """Messages with the shortest life, in units of work so that filling is quick."""
    with qmgr.queue(QUEUE) as target:
        for start in range(0, count, UNIT):
            with qmgr.unit_of_work():
                for _ in range(min(UNIT, count - start)):
                    target.put(BODY, persistent=persistent, expiry=0.1)
    qmgr.started.shell.run_effects()
    time.sleep(0.15)


def scan(qmgr: ternmq.QueueManager, count: int) -> float:
    """Messages removed a CPU second."""
    shell = qmgr.started.shell
    engine = shell.engine
    before = engine.kernel.expired_total
    gc.collect()
    begin = time.process_time()
    while engine.kernel.expired_total - before < count:
        with shell.lock:
            engine.begin_expiry_scan()
        more = True
        while more:
            with shell.lock:
                more = engine.scan_expired(4)
                engine.after_step()
        shell.run_effects()
    took = time.process_time() - begin
    with qmgr.queue(QUEUE) as target:
        if target.depth:
            raise RuntimeError(f"{target.depth} messages are left")
    return count / took


def dictionary(count: int) -> float:
    """Removals a CPU second from a dictionary of such size."""
    table = {number.to_bytes(24, "big"): BODY for number in range(count)}
    keys = list(table)
    begin = time.process_time()
    for key in keys:
        table.pop(key)
    return count / (time.process_time() - begin)


def measure(settings: Settings, name: str, persistent: bool, spilled: bool) -> Figure:
    """Rounds of fill and scan."""
    count = settings.scaled(200_000, 50_000)
    folder = settings.place(f"expiry-{persistent:d}{spilled:d}")
    with ternmq.embedded(folder, "BENCH", create=True, log_primary_files=16) as qmgr:
        qmgr.alter_qmgr(expiry_interval_s=0)
        size: dict[str, Any] = (
            {} if spilled else {"nonpersistent_buffer": LARGE, "persistent_buffer": LARGE}
        )
        qmgr.define_queue(QUEUE, max_depth=999_999_999, **size)

        def once() -> float:
            fill(qmgr, count, persistent)
            return scan(qmgr, count)

        contest = Contest({"scan": once, "dict": lambda: dictionary(count)}).run(settings.few)
    return Figure(
        name,
        contest.value("scan"),
        "msg/CPU s",
        "dict.pop",
        contest.value("dict"),
        contest.ratio("scan", "dict"),
        GOAL,
        f"{count:,} messages",
        contest.rounds["scan"],
    )


def run(settings: Settings) -> list[Figure]:
    """Removals a CPU second."""
    return [
        measure(settings, "non-persistent, in memory", False, False),
        measure(settings, "non-persistent, spilled", False, True),
        measure(settings, "persistent, in memory", True, False),
        measure(settings, "persistent, spilled", True, True),
    ]
