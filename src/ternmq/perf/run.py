"""A run: starts the queue manager and the applications, measures point after point, ends them.

    opened -> measurement begins -> all tasks work -> the window closes -> measurement ends

Measurement begins again for each point, after all tasks are connected, so that intervals begin with
the work and belong to one point only.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import ternmq
from ternmq.perf.channel_points import ChannelPoints
from ternmq.perf.crew import ApplicationFailed, Applications, Seen
from ternmq.perf.processes import Gauge, machine
from ternmq.perf.queue_manager import QueueManager
from ternmq.perf.record import MEGABYTE, Measured, Run, settled
from ternmq.perf.workload import (
    BYTES,
    FROM_APPLICATIONS,
    FROM_MEMORY,
    FROM_PAIR,
    LOG_BYTES,
    Point,
    Workload,
)

PARTNER: Final = "PERF2"
SECONDS: Final = 5.0
QUICK_SECONDS: Final = 3.2
Progress = Callable[[str], None]  # what is done now


@dataclass(frozen=True)
class Wish:
    """What is to be run."""

    workloads: Sequence[Workload]
    folder: Path
    seconds: float = SECONDS
    quick: bool = False
    processes: int = 1
    label: str = ""
    keep: bool = False  # the queue manager's folder too

    @property
    def steps(self) -> int:
        """How many steps are reported: the points, and the start."""
        return 1 + sum(len(one.chosen(self.quick)) for one in self.workloads)


def run(wish: Wish, progress: Progress) -> Run:
    """Everything that is wished for; the record is saved after each workload, and what there is
    of it when something fails."""
    begun = time.monotonic()
    record = Run(
        label=wish.label,
        begun=datetime.now(UTC).isoformat(timespec="seconds"),
        build="compiled" if ternmq.build_info().compiled else "plain",
        version=ternmq.__version__,
        seconds=wish.seconds,
        quick=wish.quick,
        processes=wish.processes,
        machine=machine(),
    )
    wish.folder.mkdir(parents=True, exist_ok=True)
    progress("starting the queue manager")
    apart = (FROM_MEMORY, FROM_PAIR)
    served = [one for one in wish.workloads if one.source not in apart]
    paired = [one for one in wish.workloads if one.source == FROM_PAIR]
    fresh = [one for one in wish.workloads if one.source == FROM_MEMORY]
    try:
        if served:
            _run_served(wish, served, record, progress)
        if paired:
            _run_paired(wish, paired, record, progress)
        for workload in fresh:
            _run_fresh(wish, workload, record, progress)
    finally:
        record.took_s = round(time.monotonic() - begun, 1)
        settled(record.points)
        if record.points:
            record.save(wish.folder)
        if not wish.keep:
            shutil.rmtree(wish.folder / "data", ignore_errors=True)
    return record


def _run_served(wish: Wish, workloads: list[Workload], record: Run, progress: Progress) -> None:
    """All points on one queue manager."""
    with (
        QueueManager(wish.folder) as qmgr,
        closing(Applications(qmgr.place, wish.processes)) as applications,
    ):
        for workload in workloads:
            for point in workload.chosen(wish.quick):
                progress(_words(workload, point))
                try:
                    one = measured(qmgr, applications, workload, point, wish.seconds)
                except (ApplicationFailed, ternmq.MQError) as error:
                    qmgr.check()
                    raise ApplicationFailed(f"{_words(workload, point)}: {error}") from error
                record.points.append(one)
            settled(record.points)
            record.save(wish.folder)


def _run_paired(wish: Wish, workloads: list[Workload], record: Run, progress: Progress) -> None:
    """All points on two queue managers with channels between them; servers are at the second."""
    folder = wish.folder / "pair"
    try:
        with (
            QueueManager(folder / PARTNER, name=PARTNER) as partner,
            QueueManager(folder / "PERF") as qmgr,
            closing(Applications(qmgr.place, wish.processes, partner.place)) as applications,
        ):
            channels = ChannelPoints(qmgr, partner, folder)
            for workload in workloads:
                for point in workload.chosen(wish.quick):
                    progress(_words(workload, point))
                    try:
                        channels.open(point)
                        one = measured_pair((qmgr, partner), applications, workload, point, wish)
                    except (ApplicationFailed, ternmq.MQError) as error:
                        qmgr.check()
                        partner.check()
                        raise ApplicationFailed(f"{_words(workload, point)}: {error}") from error
                    record.points.append(one)
                settled(record.points)
                record.save(wish.folder)
    finally:
        if not wish.keep:
            shutil.rmtree(folder, ignore_errors=True)


def measured_pair(
    qmgrs: tuple[QueueManager, QueueManager],
    applications: Applications,
    workload: Workload,
    point: Point,
    wish: Wish,
) -> Measured:
    """One point over channels: what the applications saw, what both processes used."""
    for qmgr in qmgrs:
        qmgr.empty()
    applications.open(point)
    from_s = time.time()
    before = _together([qmgr.gauge() for qmgr in qmgrs])
    seen = applications.go(wish.seconds)
    after = _together([qmgr.gauge() for qmgr in qmgrs])
    done = applications.stop()
    one = _measured(workload, point, seen, before, after)
    one.from_s, one.to_s, one.done = from_s, time.time(), done
    return one


def _together(gauges: list[Gauge]) -> Gauge:
    return Gauge(sum(one.cpu_s for one in gauges), sum(one.resident_kb for one in gauges))


def _run_fresh(wish: Wish, workload: Workload, record: Run, progress: Progress) -> None:
    """Each point on a queue manager of its own: what memory the points before it left free would
    hide what this one takes."""
    for number, point in enumerate(workload.chosen(wish.quick)):
        progress(_words(workload, point))
        folder = wish.folder / f"{workload.name}-{number}"
        folder.mkdir()
        try:
            with (
                QueueManager(folder) as qmgr,
                closing(Applications(qmgr.place, 1)) as applications,
            ):
                record.points.append(footprint(qmgr, applications, workload, point))
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def measured(
    qmgr: QueueManager,
    applications: Applications,
    workload: Workload,
    point: Point,
    seconds: float,
) -> Measured:
    """One point. What fails ends the run, and with it all tasks."""
    qmgr.empty()
    applications.open(point)
    from_s = time.time()
    qmgr.measure(point.mode)
    before = qmgr.gauge()
    seen = applications.go(seconds)
    after = qmgr.gauge()
    done = applications.stop()
    qmgr.stop_measuring(point.mode)
    one = _measured(workload, point, seen, before, after)
    one.from_s, one.to_s, one.done = from_s, time.time(), done
    return one


def footprint(
    qmgr: QueueManager, applications: Applications, workload: Workload, point: Point
) -> Measured:
    """What connections take: one first, so that code is loaded, then all of them."""
    (crew,) = point.crews
    first = type(crew)(**{**crew.to_dict(), "count": 1})
    applications.open(Point(point.x, (first,), point.counted))
    applications.stop()
    before = qmgr.gauge()
    applications.open(point)
    after = qmgr.gauge()
    seen = applications.go(0.0)
    applications.stop()
    one = _measured(workload, point, seen, before, after)
    one.seen_rate = (after.resident_kb - before.resident_kb) / crew.count
    one.seen_cost = one.application_cost = None
    return one


def _measured(
    workload: Workload, point: Point, seen: Seen, before: Gauge, after: Gauge
) -> Measured:
    done = seen.bytes / MEGABYTE if point.counts in (BYTES, LOG_BYTES) else float(seen.done)
    used_us = (after.cpu_s - before.cpu_s) * 1e6
    has_records = workload.source not in (FROM_APPLICATIONS, FROM_MEMORY, FROM_PAIR)
    return Measured(
        workload=workload.name,
        series=point.series,
        x=point.x,
        tasks=point.tasks,
        mode=point.mode,
        begin_s=seen.begin_s,
        end_s=seen.end_s,
        counted=point.counted if has_records else "",
        counts=point.counts,
        cost_of_putters=point.cost_of_putters,
        seen_rate=done / seen.seconds if seen.seconds else None,
        seen_cost=used_us / done if done else None,
        application_cost=seen.cpu_s * 1e6 / done if done else None,
        resident_kb=after.resident_kb,
    )


def _words(workload: Workload, point: Point) -> str:
    series = f", {point.series}" if point.series else ""
    return f"{workload.name}: {point.x}{series}"
