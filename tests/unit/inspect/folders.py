"""Data folders of real queue managers for the tests of the tools, and what is in their files."""

from __future__ import annotations

import hashlib
import multiprocessing
from collections.abc import Callable
from pathlib import Path

import ternmq
from ternmq import constants as mq


def small(
    data: Path, name: str = "QM1", log_type: str = "circular", dual_log: bool = False
) -> ternmq.QueueManager:
    """A queue manager with a small log, made if it is not there, that tells nobody of its starts:
    its queues have what the tests put."""
    qmgr = ternmq.embedded(
        data, name, create=True, log_file_pages=64, log_type=log_type, dual_log=dual_log
    )
    qmgr.alter_qmgr(STRSTPEV="DISABLED")
    qmgr.clear_queue("SYSTEM.ADMIN.QMGR.EVENT")
    qmgr.checkpoint()
    return qmgr


def root_of(data: Path, name: str = "QM1") -> Path:
    """The queue manager's own folder."""
    return data / "qmgrs" / name


def contents(data: Path) -> dict[str, str]:
    """Every file and its digest, to see that nothing was changed."""
    files = sorted(path for path in data.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def crashed(data: Path, work: Callable[[Path], None]) -> None:
    """Do the work in a process that is then gone, as a kill leaves it."""
    process = multiprocessing.get_context("fork").Process(target=_die_after, args=(work, data))
    process.start()
    process.join()
    assert process.exitcode == 7


def _die_after(work: Callable[[Path], None], data: Path) -> None:
    import os

    work(data)
    os._exit(7)


def every_kind(qmgr: ternmq.QueueManager) -> None:
    """Work that leaves a record of every kind that is written so far."""
    qmgr.define_queue("A", max_depth=10_000)
    qmgr.define_queue("GONE")
    qmgr.delete_queue("GONE")
    persistent = ternmq.Descriptor(persistence=mq.MQPER_PERSISTENT)
    with qmgr.queue("A") as queue:
        queue.put("first", persistent=True, correl_id=b"correlation", priority=3)
        queue.put(b"\x00\x01\xfe binary", persistent=True)
        queue.get()
        with qmgr.unit_of_work():
            queue.put("in a unit", persistent=True)
            queue.get()
        qmgr.begin()
        queue.put("backed out", persistent=True)
        queue.get()
        qmgr.backout()
        queue.put("short", descriptor=persistent, expiry=0.1)
        for branch in (b"resolved", b"forgotten", b"in doubt"):
            qmgr.begin()
            queue.put("prepared", persistent=True)
            qmgr.prepare(ternmq.XID(1, b"global", branch))
        for branch in (b"resolved", b"forgotten"):
            qmgr.resolve(ternmq.XID(1, b"global", branch), commit=branch == b"resolved")
        qmgr.forget(ternmq.XID(1, b"global", b"forgotten"))
    qmgr.define_queue("BATCHES")
    xid = ternmq.batch_xid("sink", 7, b"task")
    qmgr.begin()
    qmgr.put("BATCHES", "of a batch", descriptor=persistent)
    qmgr.prepare(xid)
    qmgr.commit_batch("sink", 7, [xid])
    qmgr.mqsc("DELETE LEDGER('sink')")
    qmgr.define_queue("READ")
    qmgr.put("READ", "before the cursor", descriptor=persistent)
    cursor = qmgr.cursor("READER", "READ", start="earliest")
    for _ in cursor:
        pass
    cursor.advance()
    qmgr.define_queue("CLEARED")
    qmgr.put("CLEARED", "x", descriptor=persistent)
    qmgr.clear_queue("CLEARED")
    hand_over(qmgr)


def hand_over(qmgr: ternmq.QueueManager) -> None:
    """A persistent message to a getter that waits: PUT_GOT."""
    import threading

    qmgr.define_queue("HANDED")

    def take() -> None:
        with qmgr.connect() as connection, connection.queue("HANDED") as queue:
            queue.get(wait=-1)

    thread = threading.Thread(target=take)
    thread.start()
    kernel = qmgr.started.shell.engine.kernel
    while not kernel.waiting:
        pass
    qmgr.put("HANDED", "hi", descriptor=ternmq.Descriptor(persistence=mq.MQPER_PERSISTENT))
    thread.join()


def two_queues(data: Path, log_type: str = "circular", dual_log: bool = False) -> list[str]:
    """A queue manager with messages in segments, in the log and in doubt, stopped cleanly; what is
    on queue A."""
    with small(data, log_type=log_type, dual_log=dual_log) as qmgr:
        qmgr.define_queue("A", max_depth=10_000, persistent_buffer=1 << 16)
        qmgr.define_queue("B", nonpersistent_class="HIGH")
        with qmgr.queue("A") as queue:
            for number in range(90):
                queue.put(f"message {number} " + "x" * 3000, persistent=True)
            for _ in range(30):
                queue.get()
            qmgr.checkpoint()
            queue.put("the last", persistent=True)
            texts = [message.text for message in queue.browse()]
        with qmgr.queue("B") as queue:
            for number in range(10):
                queue.put(f"plain {number}")
    return texts
