"""A queue that grows faster than it is served: most of it leaves memory, and nobody notices.

python examples/slow_queue.py [folder]
"""

import sys
import tempfile

import ternmq

MESSAGES = 20_000


def main(folder: str) -> None:
    with ternmq.embedded(folder, "QM1", create=True) as qmgr:
        qmgr.define_queue("SLOW", max_depth=1_000_000, nonpersistent_buffer=1 << 20, replace=True)
        with qmgr.queue("SLOW") as slow:
            middle = b""
            for number in range(MESSAGES):
                msg_id = slow.put(b"%08d" % number * 64, priority=number % 2)
                if number == MESSAGES // 2:
                    middle = msg_id
            status = slow.storage_status()
            print(f"{status.depth} messages, most of them swept: {status.swept > status.in_memory}")
            print(f"one from the middle: {int(slow.get(msg_id=middle).data[:8])}")
            found = [(message.priority, int(message.data[:8])) for message in slow]
            print(f"the others by priority, in order: {found == sorted(found, key=order)}")
            status = slow.storage_status()
            print(f"brought back as needed: {status.unsweeps > 0}; left: {status.depth}")


def order(one: tuple[int, int]) -> tuple[int, int]:
    priority, number = one
    return -priority, number


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as scratch:
            main(scratch)
