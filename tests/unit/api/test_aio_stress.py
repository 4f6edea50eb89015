"""Goal: with tasks that put, get and are cancelled at any moment, nothing is lost, nothing doubled.

Method: 4 putters and 4 getters, in and out of syncpoint, cancelled by a seeded source of chance;
then everything that was acknowledged must have been got exactly once or lie on the queue, in order.
"""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

import ternmq
import ternmq.aio
from tests.unit.api.faces import in_loop

pytestmark = [pytest.mark.core, pytest.mark.timeout(60)]

PUTTERS = 4
GETTERS = 4
CANCELS = 60
LENGTH = 2000  # so that buffers overflow


def name_of(message: ternmq.Message) -> str:
    return message.text.rstrip()


class Ledger:
    """What each side knows. A put that was cancelled may have happened; a get may not."""

    def __init__(self) -> None:
        self.acknowledged: set[str] = set()
        self.attempted: set[str] = set()
        self.got: list[str] = []
        self.progress = asyncio.Event()

    def acknowledge(self, texts: list[str]) -> None:
        self.acknowledged.update(texts)
        self.progress.set()

    async def wait_for_progress(self) -> None:
        self.progress.clear()
        await self.progress.wait()


async def putter(qmgr: Any, ledger: Ledger, name: str, chance: random.Random) -> None:
    """One life of a putter: until it is cancelled."""
    async with qmgr.connect() as connection, connection.queue("A") as queue:
        for number in range(1_000_000):
            texts = [f"{name}.{number}.{part}" for part in range(chance.choice((1, 1, 3)))]
            persistent = chance.random() < 0.5
            ledger.attempted.update(texts)
            if len(texts) == 1:
                await queue.put(texts[0].ljust(LENGTH), persistent=persistent)
            else:
                async with connection.unit_of_work():
                    for text in texts:
                        await queue.put(text.ljust(LENGTH), persistent=persistent)
            ledger.acknowledge(texts)
            if chance.random() < 0.3:
                await asyncio.sleep(0)


async def getter(qmgr: Any, ledger: Ledger, chance: random.Random) -> None:
    """One life of a getter: until it is cancelled."""
    async with qmgr.connect() as connection, connection.queue("A") as queue:
        while True:
            if chance.random() < 0.5:
                message = await queue.get(wait=-1)
                ledger.got.append(name_of(message))
                continue
            unseen: list[str] = []
            async with connection.unit_of_work() as unit:
                for _ in range(chance.choice((1, 2, 3))):
                    message = await queue.get(wait=-1)
                    unseen.append(name_of(message))
                if chance.random() < 0.2:
                    await unit.backout()
                    unseen.clear()
                # From here on only the commit is left: cancelled or not, it happens.
                ledger.got.extend(unseen)


async def live_and_die(qmgr: Any, ledger: Ledger, chance: random.Random) -> None:
    lives = 0

    def start(number: int) -> asyncio.Task[None]:
        nonlocal lives
        lives += 1
        if number < PUTTERS:
            return asyncio.create_task(putter(qmgr, ledger, f"{number}.{lives}", chance))
        return asyncio.create_task(getter(qmgr, ledger, chance))

    tasks = [start(number) for number in range(PUTTERS + GETTERS)]
    for _ in range(CANCELS):
        for _ in range(chance.randrange(4)):
            await ledger.wait_for_progress()
        for _ in range(chance.randrange(6)):
            await asyncio.sleep(0)
        victim = chance.randrange(len(tasks))
        tasks[victim].cancel()
        await asyncio.wait([tasks[victim]])
        assert tasks[victim].cancelled()
        tasks[victim] = start(victim)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


def account(ledger: Ledger, left: list[str]) -> None:
    everything = ledger.got + left
    assert len(everything) == len(set(everything)), "doubled"
    assert ledger.acknowledged - set(everything) == set(), "lost"
    assert set(everything) - ledger.attempted == set(), "made up"
    for name in {text.rpartition(".")[0].rpartition(".")[0] for text in left}:
        mine = [text for text in left if text.startswith(name + ".")]
        assert mine == sorted(mine, key=place), "wrong order"


def place(text: str) -> tuple[int, int]:
    number, part = text.split(".")[2:]
    return int(number), int(part)


@pytest.mark.parametrize("seed", range(4))
@in_loop
async def test_tasks_when_cancelled_at_random_then_every_message_is_accounted_for(
    seed: int,
) -> None:
    chance = random.Random(seed)
    ledger = Ledger()
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A", max_depth=999_999)
        await live_and_die(qmgr, ledger, chance)
        async with qmgr.queue("A") as queue:
            assert await queue.depth() == len([m async for m in queue.browse()])
            left = [name_of(message) async for message in queue]
    account(ledger, left)
    assert len(ledger.got) > 50


@pytest.mark.parametrize("seed", range(4, 7))
@in_loop
async def test_tasks_when_forced_and_swept_then_every_message_is_accounted_for(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    ledger = Ledger()
    async with ternmq.aio.embedded(tmp_path, "QM1", create=True, log_file_pages=64) as qmgr:
        await qmgr.define_queue(
            "A",
            max_depth=999_999,
            persistent_buffer=64 << 10,
            nonpersistent_buffer=64 << 10,
            nonpersistent_class="HIGH",
        )
        await live_and_die(qmgr, ledger, chance)
    async with ternmq.aio.embedded(tmp_path, "QM1") as qmgr, qmgr.queue("A") as queue:
        left = [name_of(message) async for message in queue]
    account(ledger, left)
    assert len(ledger.got) > 50
