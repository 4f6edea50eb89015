"""Confirm on delivery: a sender that knows of each order whether it arrived, was got, or expired.

Each order asks for reports: COA when it is on its queue, COD when somebody gets it, EXPIRATION if
nobody does in time. The queue manager makes them and puts them on the sender's own queue, each in
one unit of work with what it reports. CorrelId of a report is MsgId of its order.

    python examples/confirm_on_delivery.py
"""

import time

import ternmq
from ternmq import constants as mq

WORDS = {
    mq.MQFB_COA: "arrived",
    mq.MQFB_COD: "got",
    mq.MQFB_EXPIRATION: "expired",
    mq.MQFB_PAN: "done",
}


def shop(qmgr: ternmq.QueueManager) -> None:
    """Gets orders in units of work; one of them fails at first."""
    with qmgr.queue("ORDERS") as orders:
        with qmgr.unit_of_work() as unit:
            orders.get()
            unit.backout()  # the report on this get is never seen
        with qmgr.unit_of_work():
            order = orders.get()
            answer = order.report_descriptor(mq.MQFB_PAN)  # by the program, not the queue manager
            qmgr.put(order.descriptor.reply_to_queue, b"", descriptor=answer)
        orders.get()


def main() -> None:
    asking = ternmq.Descriptor(
        report=mq.MQRO_COA | mq.MQRO_COD | mq.MQRO_EXPIRATION_WITH_DATA | mq.MQRO_PAN,
        reply_to_queue="CONFIRMED",
        format=mq.MQFMT_STRING,
        ccsid=1208,
    )
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("ORDERS")
        qmgr.define_queue("CONFIRMED")
        with qmgr.queue("ORDERS") as orders, qmgr.queue("CONFIRMED") as confirmed:
            names: dict[bytes, str] = {}
            for name, expiry in (("two puffins", None), ("a tern", None), ("a dodo", 0.1)):
                sent = orders.put(name, descriptor=asking, persistent=True, expiry=expiry)
                names[sent] = name
            shop(qmgr)
            time.sleep(0.2)
            assert orders.try_get() is None  # the dodo's time has passed; the get removes it
            became: dict[str, list[str]] = {name: [] for name in names.values()}
            for _ in range(7):
                report = confirmed.get(wait=5.0)
                became[names[report.correl_id]].append(WORDS[report.descriptor.feedback])
                if report.data:
                    print(f"came back with its report: {report.text}")
            for name, words in became.items():
                print(f"{name}: {', '.join(words)}")
            print(f"reports left: {confirmed.depth}")


if __name__ == "__main__":
    main()
