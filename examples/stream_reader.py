"""A reader that follows a queue by number, through a crash of the queue manager.

An application puts and gets orders as it always did. Beside it an audit reads everything that ever
appeared on the queue: its cursor is a position in the queue's stream, kept by the queue manager. In
the middle of it all the queue manager is killed, as the simulator does it: what was not forced is
lost. The audit goes on where it was, misses nothing and sees nothing twice.

    python examples/stream_reader.py
"""

import ternmq
from ternmq.testing import Simulation


def put(qmgr: ternmq.QueueManager, orders: range) -> None:
    """The application: each order is put, and got by whoever works on it."""
    with qmgr.queue("ORDERS") as queue:
        for number in orders:
            queue.put(f"order {number}", persistent=True)
            queue.get()


def main() -> None:
    """Audit, crash, audit."""
    with Simulation() as simulation:
        qmgr = simulation.start()
        qmgr.define_queue("ORDERS")
        cursor = qmgr.cursor("AUDIT", "ORDERS")

        put(qmgr, range(1, 6))
        seen = [message.text for message in cursor.read(count=3)]
        cursor.advance()  # from here on the three are done with, whatever happens
        seen_too = [message.text for message in cursor.read()]
        print(f"done with {len(seen)}, looked at {len(seen_too)} more: {seen_too}")

        simulation.crash()
        qmgr = simulation.start()
        put(qmgr, range(6, 9))

        cursor = qmgr.cursor("AUDIT")
        found = cursor.read()
        seen += [message.text for message in found]
        cursor.advance()
        print(f"after the crash: {[message.text for message in found]}")
        print(f"numbers rise: {found.numbers == sorted(set(found.numbers))}")
        print(f"each order once, in order: {seen == [f'order {n}' for n in range(1, 9)]}")


if __name__ == "__main__":
    main()
