"""Verifying a queue manager that is down: every file of its folder, and a rehearsal of its start.

Nothing is changed: the folder is seen through an `Overlay`, and the start of the rehearsal writes
into memory. What is wrong with a file and whether the queue manager would start all the same are
two questions, so both are answered.
"""

from __future__ import annotations

import os

from ternmq.base.attributes import LOCAL
from ternmq.base.errors import ForceFailed, IntegrityError, MQError
from ternmq.engine.engine import Engine
from ternmq.inspect.folder import LOCK_PATH, Folder
from ternmq.inspect.overlay import Overlay
from ternmq.inspect.report import SOUND, QueueVerdict, Report
from ternmq.inspect.verify_log import verify_control, verify_extents, verify_tail
from ternmq.inspect.verify_queues import (
    verify_catalog,
    verify_leftovers,
    verify_queue,
    verify_register,
)
from ternmq.log.control import Control
from ternmq.log.opened import OpenedLog, open_log
from ternmq.ports.os_clock import OsClock
from ternmq.store.catalog import Catalog, Definition
from ternmq.store.disk_reserve import RESERVE_PATH
from ternmq.store.loading import load_queue
from ternmq.store.queue import Queue
from ternmq.store.register import RegisterRow
from ternmq.store.segment import ALIVE
from ternmq.txn.media.catalog_recovery import last_checkpoint


def verify(path: str | os.PathLike[str], name: str | None = None) -> Report:
    """Everything. MQRC_Q_MGR_NOT_AVAILABLE if the queue manager is running."""
    with Folder(path, name) as folder:
        report = Report(folder.root)
        disk = folder.overlay()
        if disk.exists(LOCK_PATH):
            size = disk.size(LOCK_PATH)
            report.add(LOCK_PATH, "lock", SOUND, "no process holds it", size)
        if disk.exists(RESERVE_PATH):
            size = disk.size(RESERVE_PATH)
            report.add(RESERVE_PATH, "disk reserve", SOUND, "its content means nothing", size)
        control = verify_control(disk, report)
        catalog: Catalog | None = None
        if control is not None:
            verify_tail(disk, control, report)
            verify_extents(folder, disk, control, report)
            catalog = _verify_store(disk, control, report)
        verify_leftovers(folder.overlay(), catalog, report)
        rehearse(folder.overlay(), report)
        return report


def _verify_store(disk: Overlay, control: Control, report: Report) -> Catalog | None:
    try:
        opened = open_log(disk)
    except (IntegrityError, ForceFailed):
        return None  # reported by the log's own verdicts, and by the rehearsal
    try:
        catalog = verify_catalog(disk, opened, report)
        rows = verify_register(disk, opened, report)
        if catalog is not None:
            for definition in catalog.definitions.values():
                if definition.object_type == LOCAL:
                    row = rows.get(definition.object_id)
                    trust = _outlives(definition, row, opened, control)
                    verify_queue(disk, definition, row, trust, report)
        return catalog
    except IntegrityError as error:
        report.start_error = str(error)  # the last checkpoint itself cannot be read
        return None
    finally:
        opened.close()


def _outlives(
    definition: Definition, row: RegisterRow | None, opened: OpenedLog, control: Control
) -> bool:
    """Whether the queue's non-persistent messages count at the next start."""
    untrusted = last_checkpoint(opened).get("untrusted")
    is_lost = isinstance(untrusted, list) and definition.object_id in untrusted
    is_high = definition.attributes.get("nonpersistent_class", 0) != 0
    return control.is_clean_stop and is_high and not is_lost


def rehearse(disk: Overlay, report: Report) -> None:
    """Start the queue manager in the overlay, load every queue and count its messages."""
    try:
        engine = Engine(disk, OsClock())
    except (IntegrityError, ForceFailed, MQError, OSError) as error:
        report.start_error = str(error)
        return
    try:
        report.name = engine.name
        report.start_report = list(engine.report)
        catalog = engine.kernel.catalog
        for name in catalog.names(LOCAL):
            report.queues.append(_count(disk, catalog, catalog.definitions[name]))
    finally:
        engine.files.close()
        engine.opened.close()


def _count(disk: Overlay, catalog: Catalog, definition: Definition) -> QueueVerdict:
    number = definition.object_id
    damage = catalog.damaged.get(number, "")
    if damage:
        return QueueVerdict(definition.name, 0, 0, damage)
    queue = catalog.loaded(definition)
    if queue is None:
        trust = number not in catalog.untrusted
        try:
            queue = load_queue(
                disk,
                definition,
                trust,
                False,
                catalog.proven_lsn(number),
                catalog.newest_lsn(number),
                catalog.id_seed,
            )
        except IntegrityError as error:
            return QueueVerdict(definition.name, 0, 0, str(error))
    return QueueVerdict(definition.name, int(queue.depth), _messages(queue), "")


def _messages(queue: Queue) -> int:
    """Messages one by one: in memory, and alive in the segments that are swept."""
    counted = int(queue.uncommitted_puts)
    for lane in queue.lanes:
        for chain in (lane.front, lane.rear, lane.strays):
            entry = chain.head
            while entry is not None:
                counted += 1
                entry = entry.next
        for segment in lane.swept:
            counted += segment.states.count(ALIVE)
    return counted
