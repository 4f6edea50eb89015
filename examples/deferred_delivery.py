"""Messages that are delivered later: reminders for an order that is not paid.

All are put when it is placed. It is paid after two days, so the reminders that are left are taken
back: on the delay queue each has the MsgId that its put returned as CorrelId. In between the power
fails. Time is simulated.

python examples/deferred_delivery.py
"""

from ternmq.testing import Simulation

DAY_S = 86_400
DELAYED = "SYSTEM.DDELAY.LOCAL.QUEUE"

with Simulation() as simulation:
    qmgr = simulation.start()
    qmgr.define_queue("REMINDERS")
    with qmgr.queue("REMINDERS") as reminders, qmgr.unit_of_work():
        sent = [
            reminders.put(f"order 4711: reminder {day}", delay=day * DAY_S, persistent=True)
            for day in (1, 3, 7)
        ]
    for message in qmgr.queue(DELAYED).browse():
        print("waits:", message.data[-10:].decode())

    simulation.crash()  # persistent messages are there again, and due when they were
    qmgr = simulation.start()
    simulation.pass_time(2)
    simulation.clock.advance(2 * DAY_S)
    simulation.pass_time(1)
    with qmgr.queue("REMINDERS") as reminders:
        print("due:", [message.text for message in reminders])

    with qmgr.queue(DELAYED) as delayed:  # the customer has paid
        taken_back = [delayed.try_get(correl_id=msg_id) is not None for msg_id in sent]
        print("taken back:", taken_back, "left:", delayed.depth)
    assert taken_back == [False, True, True]
