"""Goal: a queue that an application opens is one handle, whatever it is used for, and only for what
it was used for.

Method: the API on every binding, looked at with DISPLAY CONN and DISPLAY QSTATUS as an operator
does.
"""

from __future__ import annotations

from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from tests.unit.api.faces import FACES, in_loop

pytestmark = [pytest.mark.core, pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())]


async def handles(qmgr: Any, name: str = "A") -> list[set[str]]:
    """The options of each handle of a queue, and nothing but what both displays agree in."""
    shown = await qmgr.mqsc(f"DISPLAY CONN(*) TYPE(HANDLE) WHERE(OBJNAME EQ {name}) ALL")
    found = [set(str(one["OPENOPTS"]).split(",")) for one in shown if "OPENOPTS" in one]
    queue = await qmgr.mqsc(f"DISPLAY QSTATUS({name}) TYPE(HANDLE) ALL")
    assert len([one for one in queue if "OUTPUT" in one]) == len(found)
    return found


async def counts(qmgr: Any) -> tuple[Any, Any]:
    [shown] = await qmgr.mqsc("DISPLAY QUEUE(A) IPPROCS OPPROCS")
    return shown["IPPROCS"], shown["OPPROCS"]


INQUIRES = {"MQOO_INQUIRE"}
PUTS = {"MQOO_OUTPUT", "MQOO_FAIL_IF_QUIESCING"}
GETS = {"MQOO_INPUT_AS_Q_DEF", "MQOO_BROWSE", "MQOO_FAIL_IF_QUIESCING"}


@in_loop
async def test_queue_when_used_for_everything_then_it_has_one_handle_for_that(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            assert await handles(qmgr) == [INQUIRES]
            assert await counts(qmgr) == (0, 0)
            await queue.put("one")
            assert await handles(qmgr) == [INQUIRES | PUTS]
            assert await counts(qmgr) == (0, 1)
            assert (await queue.get()).text == "one"
            assert await handles(qmgr) == [INQUIRES | PUTS | GETS]
            assert await counts(qmgr) == (1, 1)
            await queue.put("two", options=mq.MQPMO_SET_ALL_CONTEXT)
            assert await handles(qmgr) == [INQUIRES | PUTS | GETS | {"MQOO_SET_ALL_CONTEXT"}]
            assert await queue.depth() == 1
            assert await counts(qmgr) == (1, 1)
        assert await handles(qmgr) == []
        assert await counts(qmgr) == (0, 0)
        await qmgr.delete_queue("A", purge=True)


@in_loop
async def test_queue_when_opened_for_input_and_put_to_then_one_handle_keeps_its_cursor(
    api: Any,
) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        for text in ("one", "two", "three"):
            await qmgr.put("A", text)
        opening = mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_BROWSE
        async with qmgr.queue("A", options=opening) as queue:
            locking = mq.MQGMO_BROWSE_NEXT | mq.MQGMO_LOCK
            assert (await queue.get(options=locking)).text == "one"
            await queue.put("four")
            assert len(await handles(qmgr)) == 1
            # The message under the cursor is locked for this handle, and it alone has it open.
            taken = await queue.get(options=mq.MQGMO_MSG_UNDER_CURSOR)
            assert taken.text == "one"
            browsed = await queue.get(options=mq.MQGMO_BROWSE_NEXT)
            assert browsed.text == "two"


@in_loop
async def test_queue_when_it_only_puts_then_it_is_not_in_the_way_of_an_exclusive_get(
    api: Any,
) -> None:
    async with api.memory() as qmgr, qmgr.connect() as other:
        await qmgr.define_queue("A", default_input_open="EXCL")
        async with qmgr.queue("A") as queue, other.queue("A") as theirs:
            await queue.put("one")
            assert (await theirs.get()).text == "one"
            with pytest.raises(ternmq.ObjectInUse) as refused:
                await queue.get()
            assert refused.value.reason == mq.MQRC_OBJECT_IN_USE
            # What was refused has changed nothing, and can be had later.
            assert INQUIRES | PUTS in await handles(qmgr)
            await queue.put("two")
            await theirs.close()
            assert (await queue.get()).text == "two"
            assert await handles(qmgr) == [INQUIRES | PUTS | GETS]
            with pytest.raises(ternmq.ObjectInUse):
                await (await other.queue("A")).get()


@in_loop
async def test_queue_when_its_options_do_not_go_with_its_type_then_refused_at_that_verb(
    api: Any,
) -> None:
    async with api.memory() as qmgr:
        await qmgr.mqsc("DEFINE QLOCAL(XQ) USAGE(XMITQ)")
        await qmgr.mqsc("DEFINE QREMOTE(R) RNAME(THERE) RQMNAME(QM2) XMITQ(XQ)")
        async with qmgr.queue("R") as queue:
            await queue.put("gone")
            with pytest.raises(ternmq.MQError) as refused:
                await queue.get()
            assert refused.value.reason == mq.MQRC_OPTION_NOT_VALID_FOR_TYPE
            assert await queue.inquire(mq.MQCA_REMOTE_Q_NAME) == ["THERE"]
            await queue.put("gone too")
        async with qmgr.queue("XQ") as waiting:
            assert await waiting.depth() == 2


@in_loop
async def test_queue_when_it_is_dynamic_and_used_then_its_handle_still_ends_it(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_model("M", definition_type="TEMPDYN")
        queue = await qmgr.queue("M", dynamic_name="MINE.*")
        await queue.put("one")
        assert (await queue.get()).text == "one"
        assert len(await handles(qmgr, queue.name)) == 1
        name = queue.name
        await queue.close()
        assert name not in await qmgr.queue_names()
