"""A unit of work: what is put and got inside it happens whole or not at all.

Orders move from one queue to two others. One of them cannot be processed: everything that its
unit of work did is undone, the order is back in its place, and its backout count says that it was
tried.

    python examples/unit_of_work.py
"""

import tempfile

import ternmq


class OutOfStock(Exception):
    """The warehouse has no such thing."""


def process(qmgr: ternmq.QueueManager) -> None:
    """Take one order; put a pick list and an invoice for it."""
    with (
        qmgr.queue("ORDERS") as orders,
        qmgr.queue("PICK.LISTS") as picks,
        qmgr.queue("INVOICES") as invoices,
        qmgr.unit_of_work(),  # commits at the end of the block, backs out if it raises
    ):
        order = orders.get()
        invoices.put(f"invoice for {order.text}")
        if order.text == "unicorn":
            raise OutOfStock(order.text)
        picks.put(f"fetch {order.text}")


def show(qmgr: ternmq.QueueManager, when: str) -> None:
    depths = []
    for name in ("ORDERS", "PICK.LISTS", "INVOICES"):
        with qmgr.queue(name) as queue:
            depths.append(f"{name} {queue.depth}")
    print(f"{when:24} {'   '.join(depths)}")


def main(folder: str) -> None:
    with ternmq.embedded(folder, "QM1", create=True) as qmgr:
        for name in ("ORDERS", "PICK.LISTS", "INVOICES"):
            qmgr.define_queue(name, default_persistence="YES")
        qmgr.put("ORDERS", "hammer")
        qmgr.put("ORDERS", "unicorn")
        show(qmgr, "two orders:")

        process(qmgr)
        show(qmgr, "one processed:")

        try:
            process(qmgr)
        except OutOfStock as problem:
            show(qmgr, f"no {problem}, backed out:")

        with qmgr.queue("ORDERS") as orders:
            order = orders.get()
            print(f"{order.text} was tried {order.backout_count} time before")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(temporary)
