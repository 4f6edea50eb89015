"""A poison message: one that can never be processed must not stop the others.

A worker that fails backs its unit of work out, and the message is back on the queue with a higher
backout count. The queue's definition says how often is enough (BOTHRESH) and where to put it then
(BOQNAME). As with IBM MQ those two are advice: the application reads and follows them, as here.

    python examples/poison_message.py
"""

import ternmq
from ternmq import constants as mq


def work(text: str) -> int:
    """Fails for what is not a number."""
    return 100 // int(text)


def run(qmgr: ternmq.QueueManager, name: str) -> None:
    """Process all messages of a queue; those that fail too often go to its backout queue."""
    with qmgr.queue(name) as queue:
        found = queue.inquire(mq.MQIA_BACKOUT_THRESHOLD, mq.MQCA_BACKOUT_REQ_Q_NAME)
        threshold, backout_queue = int(found[0]), str(found[1]).strip()
        while True:
            try:
                with qmgr.unit_of_work():
                    message = queue.try_get()
                    if message is None:
                        return
                    # 0 is the default of BOTHRESH: nothing is ever moved.
                    if backout_queue and 0 < threshold <= message.backout_count:
                        # The same unit of work takes it from here and puts it there.
                        qmgr.put(
                            backout_queue,
                            message.data,
                            descriptor=message.descriptor,
                            properties=message.properties,
                        )
                        print(f"{message.text!r} moved to {backout_queue}")
                        continue
                    print(f"{message.text!r} gives {work(message.text)}")
            except (ValueError, ZeroDivisionError) as problem:
                print(f"{type(problem).__name__}: backed out")


def main() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("WORK.FAILED")
        qmgr.define_queue("WORK", backout_threshold=2, backout_queue="WORK.FAILED")
        for text in ("4", "five", "20"):
            qmgr.put("WORK", text)
        run(qmgr, "WORK")
        with qmgr.queue("WORK.FAILED") as failed:
            print(f"{failed.depth} message for somebody to look at")


if __name__ == "__main__":
    main()
