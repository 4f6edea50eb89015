"""An invoice in a group: its head and its lines are messages of their own, and come together.

Lines arrive in any order and mixed with those of other invoices. A getter with
MQGMO_ALL_MSGS_AVAILABLE and MQGMO_LOGICAL_ORDER begins an invoice only when all of it is there, and
gets its messages in order; the unit of work ends with the last one.

    python examples/invoice_in_a_group.py
"""

import ternmq
from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor

WHOLE_IN_ORDER = mq.MQGMO_ALL_MSGS_AVAILABLE | mq.MQGMO_LOGICAL_ORDER


def put_part(queue: ternmq.Queue, invoice: str, number: int, last: int, text: str) -> None:
    """One message of an invoice: its number in the group, and whether it is the last."""
    flags = mq.MQMF_MSG_IN_GROUP | (mq.MQMF_LAST_MSG_IN_GROUP if number == last else 0)
    md = Descriptor(group_id=invoice.encode().ljust(24), msg_seq_number=number, msg_flags=flags)
    queue.put(text, descriptor=md)


def next_invoice(qmgr: ternmq.QueueManager, queue: ternmq.Queue) -> list[str]:
    """The messages of the next invoice of which all is there, in order; empty if there is none."""
    parts: list[str] = []
    with qmgr.unit_of_work():
        while True:
            message = queue.try_get(options=WHOLE_IN_ORDER)
            if message is None:
                return parts
            parts.append(message.text)
            if message.group_status != mq.MQGS_MSG_IN_GROUP:  # the last one, or in no group
                return parts


def main() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("INVOICES")
        with qmgr.queue("INVOICES") as queue:
            put_part(queue, "2026-1", 2, 3, "pencils, 10")
            put_part(queue, "2026-2", 1, 2, "invoice 2026-2")
            put_part(queue, "2026-1", 1, 3, "invoice 2026-1")
            put_part(queue, "2026-2", 2, 2, "paper, 500")
            print(next_invoice(qmgr, queue))
            print(next_invoice(qmgr, queue))
            for group in queue.groups(incomplete=True):
                print(f"{group.messages} messages of an invoice that is not complete")
            put_part(queue, "2026-1", 3, 3, "pens, 5")
            print(next_invoice(qmgr, queue))


if __name__ == "__main__":
    main()
