"""A sink that writes batches exactly once, although it dies at the worst moments.

Each batch is written by several tasks, each in a unit of work of its own that it prepares. Then the
driver commits all of them, and the fact that the batch is written, by one call: the ledger of the
queue manager has it in the same record of the log. A driver that dies before the call leaves
prepared units behind; one that dies after it does not know that all is well. The next driver simply
does the batch again.

    python examples/exactly_once_batches.py
"""

import ternmq

OWNER = "nightly-load"
TASKS = 3


class Died(Exception):
    """The driver is gone."""


def task(qmgr: ternmq.QueueManager, batch: int, number: int, attempt: int) -> ternmq.XID:
    """Write a part of the batch, as far as prepared."""
    xid = ternmq.batch_xid(OWNER, batch, b"%d/%d" % (number, attempt))
    with qmgr.connect() as connection:
        connection.begin()
        connection.put("TARGET", f"batch {batch} part {number}")
        connection.prepare(xid)
    return xid


def drive(qmgr: ternmq.QueueManager, batch: int, attempt: int, dies: str) -> str:
    """One attempt at a batch; what the ledger says to it."""
    xids = [task(qmgr, batch, number, attempt) for number in range(TASKS)]
    if dies == "before":
        raise Died
    outcome = qmgr.commit_batch(OWNER, batch, xids)
    if dies == "after":
        raise Died
    left = len(outcome.backed_out)
    return f"{'written' if outcome.committed else 'was there already'}, {left} units backed out"


def main() -> None:
    """Three batches; the first driver of each but the last dies."""
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("TARGET")
        for batch, dies in ((1, "before"), (2, "after"), (3, "")):
            for attempt, moment in enumerate((dies, "") if dies else ("",)):
                try:
                    print(f"batch {batch}: {drive(qmgr, batch, attempt, moment)}")
                except Died:
                    print(f"batch {batch}: the driver died {moment} the commit")
        with qmgr.queue("TARGET") as queue:
            found = [message.text for message in queue]
        expected = [f"batch {b} part {n}" for b in (1, 2, 3) for n in range(TASKS)]
        print(f"nothing in doubt: {qmgr.in_doubt() == []}")
        print(f"each part once, in order: {found == expected}")


if __name__ == "__main__":
    main()
