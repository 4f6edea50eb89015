"""Functions that are called with messages: MQCB and MQCTL.

Orders and cancellations come on two queues of one connection. Each is worked on in a unit of work
of its own; one that cannot be read makes the function raise, and the event handler decides what
becomes of it. At the end the same with tasks.

    python examples/callbacks.py
"""

import asyncio
import threading

import ternmq
import ternmq.aio
from ternmq import constants as mq

ORDERS = ["3 puffins", "2 terns", "many gulls", "1 auk"]


class Desk:
    """Takes orders by callbacks."""

    def __init__(self, connection: ternmq.Connection) -> None:
        self._connection = connection
        self._orders = connection.queue("ORDERS")
        self._cancelled = connection.queue("CANCELLED")
        self.total = 0
        self.closed = threading.Event()
        self._orders.on_message(self._take, syncpoint=True)
        self._cancelled.on_message(self._cancel)
        connection.on_event(self._event)

    def _take(self, message: ternmq.Message) -> None:
        if message.backout_count:
            # It has failed before: put it where somebody looks at it.
            self._connection.put("FAILED", message.data, syncpoint=True)
        else:
            number, name = message.text.split()
            self.total += int(number)
            self._connection.put("BILLS", f"{number} x {name}", syncpoint=True)
        self._connection.commit()

    def _cancel(self, message: ternmq.Message) -> None:
        print(f"cancelled: {message.text}")
        self.closed.set()

    def _event(self, context: ternmq.CallContext) -> None:
        if context.reason == mq.MQRC_CALLBACK_ROUTINE_ERROR:
            print(f"a callback raised {context.error!r}; the order is back on its queue")
            context.consumer.resume()


def by_threads(qmgr: ternmq.QueueManager) -> None:
    """One thread of the connection calls the functions."""
    with qmgr.connect() as connection:
        desk = Desk(connection)
        with connection.consuming(), qmgr.queue("BILLS") as bills:
            for order in ORDERS:
                qmgr.put("ORDERS", order)
            for _ in range(3):
                print(f"bill: {bills.get(wait=10).text}")
            with qmgr.queue("FAILED") as failed:
                print(f"for somebody to look at: {failed.get(wait=10).text!r}")
            try:
                connection.put("ORDERS", "another")
            except ternmq.MQError as error:
                print(f"meanwhile the connection is theirs: {error.reason}")
            qmgr.put("CANCELLED", "2 terns")
            desk.closed.wait(10)
        print(f"birds ordered: {desk.total}")


async def by_tasks() -> None:
    """The same with coroutine functions, in one task."""
    async with ternmq.aio.memory("QM2") as qmgr:
        await qmgr.define_queue("ORDERS")
        connection = await qmgr.connect()
        seen: list[str] = []

        async def take(message: ternmq.Message) -> None:
            seen.append(message.text)
            if len(seen) == len(ORDERS):
                await connection.stop()

        queue = await connection.queue("ORDERS")
        await queue.on_message(take)
        for order in ORDERS:
            await qmgr.put("ORDERS", order)
        await connection.start(wait=True)  # until take() stops it
        await connection.disconnect()
        print(f"a task has called the function {len(seen)} times, in order: {seen == ORDERS}")


if __name__ == "__main__":
    with ternmq.memory("QM1") as started:
        for name in ("ORDERS", "CANCELLED", "BILLS", "FAILED"):
            started.define_queue(name)
        by_threads(started)
    asyncio.run(by_tasks())
