"""asyncio: a pipeline of tasks, each stage a unit of work, some of them cancelled on the way.

Four workers move messages from RAW to COOKED; every so often one is cancelled in the middle of what
it does and replaced. Its unit of work is backed out: in the end every message has arrived once.

    python examples/async_pipeline.py
"""

import asyncio
import random

import ternmq

MESSAGES = 200
WORKERS = 4


async def cook(qmgr: ternmq.aio.QueueManager) -> None:
    """A worker: takes a message, thinks about it, passes it on."""
    async with (
        qmgr.connect() as connection,
        connection.queue("RAW") as raw,
        connection.queue("COOKED") as cooked,
    ):
        while True:
            async with connection.unit_of_work():
                message = await raw.get(wait=-1)
                await asyncio.sleep(0)  # may be cancelled here, or anywhere else
                await cooked.put(message.text.upper(), persistent=True, correl_id=message.msg_id)


async def main() -> None:
    chance = random.Random(1)
    async with ternmq.aio.memory("KITCHEN") as qmgr:
        await qmgr.define_queue("RAW")
        await qmgr.define_queue("COOKED")
        async with qmgr.queue("RAW") as raw:
            for number in range(MESSAGES):
                await raw.put(f"dish {number}", persistent=True)

        workers = [asyncio.create_task(cook(qmgr)) for _ in range(WORKERS)]
        cancelled = 0
        done: list[str] = []
        async with qmgr.queue("COOKED") as cooked:
            while len(done) < MESSAGES:
                done.append((await cooked.get(wait=10)).text)
                if chance.random() < 0.2:
                    worker = chance.randrange(WORKERS)
                    workers[worker].cancel()
                    await asyncio.wait([workers[worker]])
                    workers[worker] = asyncio.create_task(cook(qmgr))
                    cancelled += 1
        for task in workers:
            task.cancel()
        await asyncio.wait(workers)

        expected = sorted(f"DISH {number}" for number in range(MESSAGES))
        print(f"{len(done)} dishes; cooks were cancelled on the way: {cancelled > 10}")
        print(f"each arrived once: {sorted(done) == expected}")


if __name__ == "__main__":
    asyncio.run(main())
