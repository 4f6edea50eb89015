"""Goal: `consume(syncpoint=True)` has each message, and what the loop does with it, in one unit of
work that the loop ends.

Method: small loops on both APIs, on a queue manager in this process, behind a socket and over TCP.
"""

from __future__ import annotations

from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from tests.unit.api.faces import FACES, in_loop

pytestmark = [pytest.mark.core, pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())]


@in_loop
async def test_loop_when_it_commits_or_backs_out_then_its_puts_go_with_the_message(
    api: Any,
) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        await qmgr.define_queue("DONE")
        for text in ("one", "two", "three"):
            await qmgr.put("A", text)
        failed = []
        async with qmgr.connect() as worker, worker.queue("A") as queue:
            async for message in queue.consume(wait=0.001, syncpoint=True):
                assert worker.in_unit
                await worker.put("DONE", message.text)
                if message.text == "two" and not message.backout_count:
                    failed.append(message.text)
                    await worker.backout()
                else:
                    await worker.commit()
            assert not worker.in_unit
        async with qmgr.queue("DONE") as done:
            assert [one.text async for one in done] == ["one", "two", "three"]
        assert failed == ["two"]


@in_loop
async def test_loop_when_it_is_left_by_an_exception_then_the_message_is_back(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        await qmgr.put("A", "one")
        with pytest.raises(ZeroDivisionError):  # noqa: PT012
            async with qmgr.connect() as worker, worker.queue("A") as queue:
                async for _ in queue.consume(syncpoint=True):
                    raise ZeroDivisionError
        async with qmgr.queue("A") as queue:
            message = await queue.get(wait=5.0)
            assert (message.text, message.backout_count) == ("one", 1)


@in_loop
async def test_loop_when_it_does_not_commit_then_the_next_messages_join_the_unit(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            await queue.put("one")
            await queue.put("two")
            found = [one.text async for one in queue.consume(wait=None, syncpoint=True)]
            assert found == ["one", "two"]
            assert qmgr.in_unit
            await qmgr.backout()
            assert await queue.depth() == 2


@in_loop
async def test_loop_when_nothing_comes_then_no_unit_is_left_open(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            assert [one async for one in queue.consume(wait=0.001, syncpoint=True)] == []
            assert not qmgr.in_unit
            async with qmgr.unit_of_work():  # one can begin
                await queue.put("one")


@in_loop
async def test_loop_when_the_get_fails_then_no_unit_is_left_open(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A", get="DISABLED")
        async with qmgr.queue("A") as queue:
            with pytest.raises(ternmq.Inhibited):
                [one async for one in queue.consume(syncpoint=True)]
            assert not qmgr.in_unit


@in_loop
async def test_loop_when_a_unit_has_begun_by_a_verb_then_the_message_joins_it(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            await queue.put("one")
            await queue.put("two", syncpoint=True)
            async for _ in queue.consume(wait=None, syncpoint=True):
                await qmgr.backout()
                break
            message = await queue.get()
            assert (message.text, message.backout_count) == ("one", 1)
            assert await queue.try_get() is None


@in_loop
async def test_loop_when_its_body_begins_another_unit_then_refused_and_nothing_is_lost(
    api: Any,
) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            await queue.put("one")
            with pytest.raises(ternmq.MQError) as refused:  # noqa: PT012
                async for _ in queue.consume(syncpoint=True):
                    async with qmgr.unit_of_work():
                        pass
            assert refused.value.reason == mq.MQRC_UOW_IN_PROGRESS
            await qmgr.backout()
            assert (await queue.get()).text == "one"


@in_loop
async def test_loop_in_a_unit_when_syncpoint_is_not_given_or_false_then_as_by_get(
    api: Any,
) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            for given in (None, False):
                for number in range(3):
                    await queue.put(f"{number}")
                await qmgr.begin()
                found = [one.text async for one in queue.consume(wait=None, syncpoint=given)]
                assert found == ["0", "1", "2"]
                await qmgr.backout()
                left = [one.text async for one in queue]
                assert left == ([] if given is False else found)


@in_loop
async def test_subscription_when_it_consumes_in_syncpoint_then_backout_brings_it_back(
    api: Any,
) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.subscribe("price/fish", queue="A") as subscription:
            await qmgr.publish("price/fish", "7")
            counts = []
            async for message in subscription.consume(wait=0.001, syncpoint=True):
                counts.append(message.backout_count)
                if message.backout_count:
                    await qmgr.commit()
                else:
                    await qmgr.backout()
            assert counts == [0, 1]
