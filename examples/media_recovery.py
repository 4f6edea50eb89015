"""Two queues lose their files and are re-created from the log, while others work.

A queue manager with a linear log records media images. Then the files of two queues are deleted, as
a failing disk or a wrong command would do it. One of them has a unit of work in doubt, so the start
needs it and re-creates it by itself. The other answers MQRC_OBJECT_DAMAGED until somebody orders
it, and everything else goes on. At last the extents of the log that nobody needs any more go.

    python examples/media_recovery.py
"""

import shutil
import sys
import tempfile
from pathlib import Path

import ternmq

ORDER = ternmq.XID(1, b"order 800", b"")


def fill(qmgr: ternmq.QueueManager, name: str, first: int, count: int) -> None:
    with qmgr.queue(name) as queue, qmgr.unit_of_work():
        for number in range(first, first + count):
            queue.put(f"{number}".ljust(1000))


def numbers(qmgr: ternmq.QueueManager, name: str) -> list[str]:
    with qmgr.queue(name) as queue:
        return [message.text.strip() for message in queue]


def work(qmgr: ternmq.QueueManager) -> None:
    for name in ("ORDERS", "STOCK", "OTHERS"):
        qmgr.define_queue(name, default_persistence="YES", max_depth=100_000)
    for name in ("ORDERS", "STOCK"):
        fill(qmgr, name, 0, 500)
    print("images of:", ", ".join(qmgr.record_image()))
    for name in ("ORDERS", "STOCK"):
        fill(qmgr, name, 500, 300)  # after the image: in the log alone
        with qmgr.queue(name) as queue:
            for _ in range(100):
                queue.get()
    with qmgr.connect() as clerk, clerk.queue("ORDERS") as orders:
        orders.put("in doubt", syncpoint=True)
        clerk.prepare(ORDER)


def recover(qmgr: ternmq.QueueManager) -> None:
    print(next(line for line in qmgr.report() if line.startswith("Re-created")).split(".")[0])
    expected = [f"{number}" for number in range(100, 800)]
    try:
        numbers(qmgr, "STOCK")
    except ternmq.Damaged as damaged:
        print(f"STOCK: {damaged.reason_name}")
    qmgr.put("OTHERS", "others go on")
    qmgr.recreate("STOCK")
    print("STOCK is back, each once and in order:", numbers(qmgr, "STOCK") == expected)
    qmgr.commit_prepared(ORDER)
    found = numbers(qmgr, "ORDERS")
    print("ORDERS, with what was in doubt:", found == [*expected, "in doubt"])


def tidy(qmgr: ternmq.QueueManager) -> None:
    qmgr.record_image()
    qmgr.checkpoint()
    stored = len(qmgr.log_extents().stored)
    print(f"{len(qmgr.delete_log_extents())} of {stored} files of the log were superfluous")


def main(folder: str) -> None:
    with ternmq.embedded(folder, "QM1", create=True, log_type="linear", log_file_pages=64) as qmgr:
        work(qmgr)
    queues = Path(folder) / "qmgrs" / "QM1" / "queues"
    for place in [*queues.glob("ORDERS~*"), *queues.glob("STOCK~*")]:
        shutil.rmtree(place)
    print("the files of ORDERS and STOCK are gone")
    with ternmq.embedded(folder, "QM1") as qmgr:
        recover(qmgr)
        tidy(qmgr)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(temporary)
