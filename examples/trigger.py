"""Triggering: the first message on a queue starts the program that serves it.

On a running queue manager `runmqtrm` does what `monitor` does here: it waits on the initiation
queue and starts the program that the process definition names.

python examples/trigger.py
"""

import ternmq
from ternmq import constants as mq
from ternmq.codec.headers.mqtm import TriggerMessage

DEFINITIONS = """
DEFINE QLOCAL(INIT)
DEFINE PROCESS(SHIP) APPLICID('ship') USERDATA('warehouse 7')
DEFINE QLOCAL(ORDERS) TRIGGER TRIGTYPE(FIRST) INITQ(INIT) PROCESS(SHIP)
"""


def ship(qmgr: ternmq.QueueManager, trigger: TriggerMessage) -> None:
    """The program: serves the queue until it is empty, then ends."""
    with (
        qmgr.connect(application="ship") as connection,
        connection.queue(trigger.queue_name, options=mq.MQOO_INPUT_SHARED) as orders,
    ):
        while (order := orders.try_get()) is not None:
            print(f"  {trigger.user_data} ships {order.text}")


PROGRAMS = {"ship": ship}


def monitor(qmgr: ternmq.QueueManager, initiation: ternmq.Queue) -> int:
    """Start what each trigger message names; how many there were."""
    count = 0
    while (message := initiation.try_get(wait=0)) is not None:
        trigger = TriggerMessage.unpack(message.data)
        print(f"trigger: {trigger.queue_name} wants {trigger.application_id}")
        PROGRAMS[trigger.application_id](qmgr, trigger)
        count += 1
    return count


def main() -> None:
    with ternmq.memory("QM1") as qmgr:
        for line in DEFINITIONS.split("\n"):
            if line:
                qmgr.mqsc(line)
        with (
            qmgr.connect() as connection,
            connection.queue("INIT", options=mq.MQOO_INPUT_SHARED) as initiation,
        ):
            for order in ("a boat", "two oars"):
                qmgr.put("ORDERS", order)
            first = monitor(qmgr, initiation)
            qmgr.put("ORDERS", "a sail")
            second = monitor(qmgr, initiation)
        print(f"three orders, programs started: {first + second}")


if __name__ == "__main__":
    main()
