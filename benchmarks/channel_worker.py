"""Applications at one end of channels: requesters that wait for their own reply, or servers.

    python -m benchmarks.channel_worker requester|server DATA QMGR PAIRS TASKS SIZE COMPRESSIBLE

For each of the pairs so many tasks. It prints `ready`; requesters then read a line with seconds,
work for so long and print how many replies they got. Servers work until their input ends.
Non-persistent messages; both get and put in a unit of work.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import ternmq

WAIT_S = 30.0
LOOK_S = 0.5


def body(size: int, compressible: int) -> bytes:
    """So many percent of it are zeros, the rest is chance."""
    zeros = size * compressible // 100
    return os.urandom(size - zeros) + bytes(zeros)


async def ask(connection: ternmq.aio.Connection, number: int, data: bytes, end: float) -> int:
    """Requests over a remote queue; the reply has the MsgId of its request as CorrelId."""
    requests = await connection.queue(f"ASK.{number}")
    replies = await connection.queue(f"REPLY.{number}")
    answered = 0
    while time.perf_counter() < end:
        async with connection.unit_of_work():
            msg_id = await requests.put(data, persistent=False)
        async with connection.unit_of_work():
            await replies.get(wait=WAIT_S, correl_id=msg_id)
        answered += 1
    return answered


async def serve(connection: ternmq.aio.Connection, number: int, over: asyncio.Event) -> None:
    """Answer with what came."""
    requests = await connection.queue(f"REQUEST.{number}")
    replies = await connection.queue(f"ANSWER.{number}")
    while not over.is_set():
        async with connection.unit_of_work():
            message = await requests.try_get(wait=LOOK_S)
            if message is not None:
                await replies.put(message.data, persistent=False, correl_id=message.msg_id)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def main() -> None:
    role, data, qmgr = sys.argv[1:4]
    pairs, tasks, size, compressible = (int(word) for word in sys.argv[4:8])
    loop = asyncio.get_running_loop()
    numbers = [number for number in range(1, pairs + 1) for _ in range(tasks)]
    links = [await ternmq.aio.connect(qmgr, data=Path(data)) for _ in numbers]
    try:
        if role == "server":
            over = asyncio.Event()
            serving = [
                asyncio.create_task(serve(*one, over)) for one in zip(links, numbers, strict=True)
            ]
            say("ready")
            await loop.run_in_executor(None, sys.stdin.readline)
            over.set()
            await asyncio.gather(*serving)
            return
        say("ready")
        seconds = float(await loop.run_in_executor(None, sys.stdin.readline))
        message = body(size, compressible)
        end = time.perf_counter() + seconds
        counts = await asyncio.gather(
            *(ask(link, number, message, end) for link, number in zip(links, numbers, strict=True))
        )
        say(str(sum(counts)))
    finally:
        for link in links:
            await link.disconnect()


if __name__ == "__main__":
    asyncio.run(main())
