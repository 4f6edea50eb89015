"""A first queue: create a queue manager in a folder, put messages, get them in order.

    python examples/first_queue.py [folder]

Without a folder a temporary one is used. With one, run it twice: the second run finds the queue
manager and the message that the first run left behind.
"""

import sys
import tempfile

import ternmq


def main(folder: str) -> None:
    with ternmq.embedded(folder, "QM1", create=True) as qmgr:
        for line in qmgr.report():
            print(line)
        qmgr.define_queue("ORDERS", replace=True, max_depth=100_000, default_persistence="YES")

        with qmgr.queue("ORDERS") as orders:
            for message in orders:  # ends when the queue is empty
                print(f"left by an earlier run: {message.text}")

            orders.put("three nails")
            orders.put("one hammer", priority=7)
            orders.put({"item": "ladder", "steps": 12})
            print(f"{orders.depth} messages on the queue")

            # The highest priority first; within one priority, in the order they came.
            first = orders.get()
            print(
                f"first:  {first.text} (priority {first.priority}, persistent {first.persistent})"
            )
            second = orders.get()
            print(f"second: {second.text} (put at {second.put_time:%H:%M:%S} UTC)")
            third = orders.get()
            print(f"third:  {third.json()['steps']} steps (format {third.format})")

            try:
                orders.get(wait=0.1)
            except ternmq.NoMessage as nothing:
                print(f"then:   {nothing.reason_name}")

            orders.put("for the next run")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(temporary)
