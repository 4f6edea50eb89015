"""asyncio: many tasks put persistent messages, and one force of the log does for all of them.

python examples/async_group_commit.py [folder]
"""

import asyncio
import sys
import tempfile

import ternmq

TASKS = 64
EACH = 20


async def producer(qmgr: ternmq.aio.QueueManager, number: int) -> None:
    """Every `put` returns when its message is safely on disk."""
    async with qmgr.connect() as connection, connection.queue("EVENTS") as events:
        for turn in range(EACH):
            await events.put({"from": number, "turn": turn}, persistent=True)


async def main(folder: str) -> None:
    async with ternmq.aio.embedded(folder, "QM1", create=True) as qmgr:
        await qmgr.define_queue("EVENTS", replace=True)
        before = (await qmgr.log_status()).forces
        await asyncio.gather(*(producer(qmgr, number) for number in range(TASKS)))
        forces = (await qmgr.log_status()).forces - before
        async with qmgr.queue("EVENTS") as events:
            print(f"{await events.depth()} messages, each acknowledged when it was on disk")
            print(f"more than ten messages a force: {10 * forces < TASKS * EACH}")
            in_order = True
            turns = [-1] * TASKS
            async for event in events:
                body = event.json()
                in_order = in_order and body["turn"] == turns[body["from"]] + 1
                turns[body["from"]] = body["turn"]
            print(f"each producer's messages in order: {in_order}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(main(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as scratch:
            asyncio.run(main(scratch))
