"""Goal: what an application forgets is told: a connection dropped without disconnect, a coroutine
that nobody awaits; and the unit of work of such a connection ends.

Method: each binding, blocking and for tasks; the warning is caught, the depth watched.
"""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_WAIT_INTERVAL_ERROR
from tests.unit.api.networked import Networked
from tests.unit.api.served import Served

pytestmark = pytest.mark.core

WAIT_S = 10.0  # a connection is ended in the background


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Networked]:
    one = Networked(tmp_path_factory.mktemp("data"))
    with one:
        with Served.connect(one) as connection:
            connection.define_queue("Q")
        yield one


def caught(drop: Callable[[], None]) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        drop()
        gc.collect()
    return [str(one.message) for one in found if one.category is ResourceWarning]


@pytest.mark.parametrize("binding", ["embedded", "local", "channel"])
def test_connection_when_dropped_then_it_warns_and_its_unit_ends(
    binding: str, served: Networked
) -> None:
    with ternmq.memory("QM1") as embedded, Served.connect(served) as other:
        watcher: Any = embedded if binding == "embedded" else other
        if binding == "embedded":
            embedded.define_queue("Q")
        ways: dict[str, Callable[[], Any]] = {
            "embedded": embedded.connect,
            "local": lambda: Served.connect(served),
            "channel": served.connect,
        }
        connections = [ways[binding]()]
        with watcher.queue("Q") as queue:
            queue.put(b"x")
            connections[0].begin()
            connections[0].queue("Q").get()
            (said,) = caught(connections.clear)
            assert "QM1 was dropped without disconnect(), and its unit of work" in said
            assert queue.get(wait=WAIT_S).backout_count == 1


@pytest.mark.parametrize("binding", ["local", "channel"])
def test_connection_of_a_task_when_dropped_then_it_warns_and_its_unit_ends(
    binding: str, served: Networked
) -> None:
    async def run(watched: Any) -> None:
        opening: Any
        if binding == "channel":
            opening = served.connect_task()
        else:
            opening = ternmq.aio.connect("QM1", data=served.data)
        connections = [await opening]
        watched.put(b"x")
        await connections[0].begin()
        async with connections[0].queue("Q") as queue:
            await queue.get()
        del queue
        (said,) = caught(connections.clear)
        assert "QM1 was dropped without disconnect()" in said
        loop = asyncio.get_running_loop()
        message = await loop.run_in_executor(None, lambda: watched.get(wait=WAIT_S))
        assert message.backout_count == 1

    with Served.connect(served) as other, other.queue("Q") as queue:
        asyncio.run(run(queue))


def test_connection_of_a_task_when_embedded_and_dropped_then_its_unit_ends() -> None:
    async def run() -> None:
        async with ternmq.aio.memory("QM1") as qmgr:
            await qmgr.define_queue("Q")
            connections = [await qmgr.connect()]
            async with qmgr.queue("Q") as queue:
                await queue.put(b"x")
                await connections[0].begin()
                async with connections[0].queue("Q") as own:
                    await own.get()
                del own
                (said,) = caught(connections.clear)
                assert "QM1 was dropped without disconnect(), and its unit of work" in said
                assert (await queue.get(wait=WAIT_S)).backout_count == 1

    asyncio.run(run())


def test_connection_when_disconnected_then_nothing_is_said(served: Networked) -> None:
    def leave() -> None:
        ways: list[Callable[[], Any]] = [lambda: Served.connect(served), served.connect]
        for way in ways:
            connection = way()
            connection.disconnect()
            with way():
                pass

    assert caught(leave) == []


def test_coroutine_when_nobody_awaits_it_then_python_warns() -> None:
    async def run() -> list[str]:
        async with ternmq.aio.memory("QM1") as qmgr:
            await qmgr.define_queue("Q")
            async with qmgr.queue("Q") as queue:
                with warnings.catch_warnings(record=True) as found:
                    warnings.simplefilter("always")
                    queue.put(b"forgotten")  # type: ignore[unused-coroutine]
                    queue.get()  # type: ignore[unused-coroutine]
                    gc.collect()
                return [str(one.message) for one in found if one.category is RuntimeWarning]

    said = asyncio.run(run())
    assert ["never awaited" in one for one in said] == [True, True]


# ---- waits


@pytest.mark.parametrize("wait", [-0.5, -2, -1.5, float("-inf"), float("nan")])
@pytest.mark.parametrize("binding", ["embedded", "local", "channel"])
def test_get_when_the_wait_is_negative_then_it_is_refused(
    binding: str, wait: float, served: Networked
) -> None:
    ways: dict[str, Callable[[], Any]] = {
        "embedded": lambda: ternmq.memory("QM1"),
        "local": lambda: Served.connect(served),
        "channel": served.connect,
    }
    with ways[binding]() as qmgr:
        if binding == "embedded":
            qmgr.define_queue("Q")
        with qmgr.queue("Q") as queue, pytest.raises(MQError, match="wait of") as refused:
            queue.try_get(wait=wait)
        assert refused.value.reason == MQRC_WAIT_INTERVAL_ERROR


def test_get_of_a_task_when_the_wait_is_negative_then_it_is_refused() -> None:
    async def run() -> None:
        async with ternmq.aio.memory("QM1") as qmgr:
            await qmgr.define_queue("Q")
            async with qmgr.queue("Q") as queue:
                with pytest.raises(MQError, match="wait of"):
                    await queue.get(wait=-0.5)

    asyncio.run(run())
