"""A process of tasks: python -m ternmq.perf.worker QMGR DATA PORT

It reads commands on standard input and answers on standard output, a line of JSON each:

    open CREWS        connect and open everything; "ready"
    go SECONDS        work; what was done, and when, once tasks that do not serve others are through
    stop              tasks that serve others end too; what was done in all, when all have left

What the queue manager refuses is answered as {"error": TEXT}. It ends with its input.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from typing import Any

from ternmq.base.errors import MQError
from ternmq.perf.tasks import ROLES, Place, Task, crew_from

OPEN_AT_ONCE = 32


class Worker:
    """The tasks of this process, point after point."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.tasks: list[Task] = []
        self.serving: list[asyncio.Task[None]] = []

    async def do(self, verb: str, argument: Any = None) -> object:
        """Carry out a command; the answer."""
        if verb == "open":
            return await self.open(argument)
        if verb == "go":
            return await self.go(float(argument))
        return await self.stop()

    async def open(self, crews: list[dict[str, Any]]) -> object:
        """Every task of these crews; `first` is the number of the first, the others follow."""
        for values in crews:
            first = int(values.pop("first"))
            crew = crew_from(values)
            for number in range(first, first + crew.count):
                self.tasks.append(ROLES[crew.role](self.place, crew, number))
        for at in range(0, len(self.tasks), OPEN_AT_ONCE):
            await asyncio.gather(*(task.open() for task in self.tasks[at : at + OPEN_AT_ONCE]))
        gc.collect()
        return "ready"

    async def go(self, seconds: float) -> object:
        """Work; tasks that serve others go on."""
        begun_s, begun = time.time(), time.perf_counter()
        used = time.process_time()
        end = begun + seconds
        self.serving = [asyncio.ensure_future(one.work(end)) for one in self.tasks if one.serves]
        await asyncio.gather(*(one.work(end) for one in self.tasks if not one.serves))
        if all(one.serves for one in self.tasks):
            await asyncio.sleep(max(0.0, end - time.perf_counter()))
        for one in self.serving:
            if one.done():
                one.result()  # an error that ended it is this process's
        return {
            **self.counted(),
            "begin": begun_s,
            "seconds": time.perf_counter() - begun,
            "cpu_s": time.process_time() - used,
        }

    def counted(self) -> dict[str, int]:
        """What those whose work counts have done so far."""
        counted = [one for one in self.tasks if one.crew.is_counted]
        return {
            "done": sum(one.done for one in counted),
            "bytes": sum(one.done * one.crew.size for one in counted),
        }

    async def stop(self) -> object:
        """All tasks disconnect."""
        for task in self.tasks:
            task.stopping = True
        await asyncio.gather(*self.serving)
        await asyncio.gather(*(task.close() for task in self.tasks))
        answer = self.counted()
        self.tasks, self.serving = [], []
        return answer


async def heard() -> list[Any]:
    """The next line; empty at the end."""
    loop = asyncio.get_running_loop()
    line = await loop.run_in_executor(None, sys.stdin.readline)
    return list(json.loads(line)) if line else []


async def serve(place: Place) -> None:
    """Line after line."""
    worker = Worker(place)
    while words := await heard():
        try:
            answer = await worker.do(*words)
        except (MQError, OSError) as error:
            answer = {"error": str(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(serve(Place(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
