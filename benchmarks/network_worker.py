"""A client process of the network benchmark.

    python -m benchmarks.network_worker PARTY ROLE PORT COUNT

It is told on its standard input and answers on its standard output, a line each: `round` (connect;
`ready`), `go SECONDS` (work; a JSON object, then `closed`), `stop` for roles that work until then.
It ends with its input.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from benchmarks.brokers import Once, Party, StreamParty, party_of

Answer = dict[str, Any]
Work = Callable[[float], Awaitable[Answer]]


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def heard() -> str:
    """The next line; empty at the end."""
    loop = asyncio.get_running_loop()
    line: str = await loop.run_in_executor(None, sys.stdin.readline)
    return line.strip()


async def putters(party: Party, count: int) -> Work:
    """Concurrent putters, each waits for its confirmation."""
    each = [await party.durable_putter() for _ in range(count)]
    await asyncio.gather(*(put() for put in each))

    async def body(put: Once, end: float) -> int:
        done = 0
        while time.perf_counter() < end:
            await put()
            done += 1
        return done

    async def work(seconds: float) -> Answer:
        start = time.perf_counter()
        done = await asyncio.gather(*(body(put, start + seconds) for put in each))
        return {"done": sum(done), "seconds": time.perf_counter() - start}

    return work


async def sender(party: StreamParty, count: int) -> Work:
    """One putter of a stream."""
    send = await party.open_sender()

    async def work(seconds: float) -> Answer:
        return {"sent": await send(seconds)}

    return work


async def receiver(party: StreamParty, count: int) -> Work:
    """One getter of it."""
    receive = await party.open_receiver()

    async def work(seconds: float) -> Answer:
        done, took = await receive()
        return {"done": done, "seconds": took}

    return work


async def requester(party: Party, count: int) -> Work:
    """One request after the other, each timed."""
    ask = await party.requester()

    async def work(seconds: float) -> Answer:
        times: list[float] = []
        await ask()
        before = start = time.perf_counter()
        end = start + seconds
        while before < end:
            await ask()
            now = time.perf_counter()
            times.append(now - before)
            before = now
        return {"done": len(times), "seconds": before - start, "times": times}

    return work


async def replier(party: Party, count: int) -> Work:
    """Answers until it is told to stop."""
    reply = await party.open_replier()
    running = asyncio.ensure_future(reply())

    async def work(seconds: float) -> Answer:
        await heard()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return {}

    return work


async def idle(party: Party, count: int) -> Work:
    """Connections that do nothing until it is told to stop."""
    kept = [await party.idle_connection() for _ in range(count)]

    async def work(seconds: float) -> Answer:
        await heard()
        return {"held": len(kept)}

    return work


ROLES: dict[str, Callable[[Any, int], Awaitable[Work]]] = {
    "putters": putters,
    "sender": sender,
    "receiver": receiver,
    "requester": requester,
    "replier": replier,
    "idle": idle,
}


async def serve(name: str, role: str, port: int, count: int) -> None:
    """Round after round."""
    kind = party_of(name)
    while await heard() == "round":
        party = kind(port)
        work = await ROLES[role](party, count)
        gc.collect()
        say("ready")
        go = await heard()
        if not go:  # that it was ready was all that was wanted
            os._exit(0)  # client libraries take minutes to part with thousands of connections
        seconds = float(go.split()[1])
        before = time.process_time()
        answer = await work(seconds)
        say(json.dumps({**answer, "cpu": time.process_time() - before}))
        await party.close()
        say("closed")


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
