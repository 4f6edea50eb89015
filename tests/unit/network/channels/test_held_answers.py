"""Goal: a receiver forces a batch while the next one comes, answers no batch before it is forced,
and forces a long batch as it comes.

Method: two queue managers in one loop, the receiving one on disk. Who holds the lock of the log's
files lets no force through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from ternmq.channel.agent import RETRY, Agent
from ternmq.kernel.channel_instance import FORCE
from ternmq.network.channels.agent_driver import AHEAD_BYTES
from ternmq.network.edge.network_settings import NetworkSettings
from tests.unit.network.channels.two_managers import Node, two_managers, until

Play = Callable[[Node, Node], Coroutine[Any, Any, None]]
NAME = "QMA.QMB"
BATCH = 5


def played(folder: Path, play: Play) -> None:
    async def main() -> None:
        settings = NetworkSettings()
        settings.pipelines = True
        async with two_managers(settings=settings, disk=folder) as (one, other):
            one.pair(other, f"BATCHSZ({BATCH}) BATCHINT(60000)")
            one.start(NAME)
            await until(lambda: one.status(NAME) == other.status(NAME) == "RUNNING")
            await play(one, other)

    asyncio.run(main())


def agent_of(node: Node) -> Agent:
    agent = node.instance(NAME).agent
    assert agent is not None
    return agent


def texts(first: int, after: int) -> list[bytes]:
    return [b"%d" % number for number in range(first, after)]


def test_batch_when_it_is_not_forced_then_it_has_no_answer_and_the_next_one_comes(
    tmp_path: Path,
) -> None:
    async def play(one: Node, other: Node) -> None:
        sender, receiver = agent_of(one), agent_of(other)
        with other.host.shell.forcer.files_lock:
            one.put("R", *texts(0, 2 * BATCH))
            await until(lambda: receiver.messages == 2 * BATCH, "the second batch")
            assert other.host.engine.log.forced_lsn < other.host.engine.log.end_lsn
            assert (sender.batches, sender.is_in_doubt) == (0, True)
        await until(lambda: sender.batches == 2, "both answers")
        assert other.get_all("T") == texts(0, 2 * BATCH)

    played(tmp_path, play)


def test_channel_when_it_is_stopped_before_the_force_then_the_answer_comes_first(
    tmp_path: Path,
) -> None:
    async def play(one: Node, other: Node) -> None:
        sender, receiver = agent_of(one), agent_of(other)
        with other.host.shell.forcer.files_lock:
            one.put("R", *texts(0, BATCH))
            await until(lambda: receiver.batches == 1, "the commit")
            other.channels.stop(other.instance(NAME), FORCE)
            for _ in range(50):
                await asyncio.sleep(0)
            assert sender.batches == 0
        await until(lambda: sender.end is not None and not other.channels.instances_of(NAME))
        assert (sender.batches, sender.is_in_doubt) == (1, False)

    played(tmp_path, play)


def test_batch_when_it_never_will_be_forced_then_it_has_no_answer(tmp_path: Path) -> None:
    async def play(one: Node, other: Node) -> None:
        sender, receiver = agent_of(one), agent_of(other)
        engine = other.host.engine
        with other.host.shell.forcer.files_lock:
            one.put("R", *texts(0, BATCH))
            await until(lambda: receiver.batches == 1, "the commit")
            with other.host.shell.lock:
                engine.break_down("a test breaks it")
        await until(lambda: sender.end is not None, "the end")
        assert (sender.batches, sender.is_in_doubt) == (0, True)
        assert receiver.end is not None
        assert (receiver.end.kind, receiver.end.message_id) == (RETRY, "AMQ9540E")

    played(tmp_path, play)


def test_batch_when_it_is_long_then_the_log_is_forced_before_it_ends(tmp_path: Path) -> None:
    async def play(one: Node, other: Node) -> None:
        before = int(other.host.engine.log.forced_lsn)
        one.put("R", bytes(AHEAD_BYTES), bytes(AHEAD_BYTES))
        log = other.host.engine.log
        await until(lambda: log.forced_lsn - before > AHEAD_BYTES, "a force")
        await until(lambda: agent_of(other).messages == 2, "the second message")
        # The batch waits for more messages (BATCHINT): nobody waits for that force.
        assert agent_of(other).batches == 0

    played(tmp_path, play)
