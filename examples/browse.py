"""Browsing: look at messages without taking them, then take exactly the one that was seen.

python examples/browse.py
"""

import ternmq
from ternmq import constants as mq


def oldest_large_order(queue: ternmq.Queue) -> ternmq.Message | None:
    """The first order above 1000 on the queue; nothing is removed."""
    for message in queue.browse():
        if message.json()["amount"] > 1000:
            return message
    return None


def main() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("ORDERS")
        with qmgr.queue("ORDERS") as orders:
            for amount in (20, 5000, 310, 7000):
                orders.put({"amount": amount})

            print("on the queue:", [message.json()["amount"] for message in orders.browse()])

            # A message has a token that names it on its queue: what was seen is what is taken.
            large = oldest_large_order(orders)
            if large is not None:
                taken = orders.get(token=large.token)
                print("taken by token:", taken.json()["amount"])
            print("left:", [message.json()["amount"] for message in orders.browse()])

        # The MQI's own way: a handle with a cursor, a browse lock, a get of what is under it.
        options = mq.MQOO_BROWSE | mq.MQOO_INPUT_SHARED | mq.MQOO_INQUIRE
        with (
            qmgr.queue("ORDERS", options=options) as mine,
            qmgr.connect() as other,
            other.queue("ORDERS") as theirs,
        ):
            seen = mine.get(options=mq.MQGMO_BROWSE_FIRST | mq.MQGMO_LOCK)
            print("locked while I think:", seen.json()["amount"])
            print("somebody else gets:", theirs.get().json()["amount"])
            mine.get(options=mq.MQGMO_MSG_UNDER_CURSOR)
            print("left:", [message.json()["amount"] for message in theirs.browse()])


if __name__ == "__main__":
    main()
