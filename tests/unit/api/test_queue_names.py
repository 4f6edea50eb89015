"""Goal: a name that is not one gets one answer, whichever way it travels.

Method: names that do not fit an MQOD, on every binding. MQ's rule: ObjectName that nothing has is
MQRC_UNKNOWN_OBJECT_NAME, ObjectQMgrName MQRC_UNKNOWN_OBJECT_Q_MGR, DynamicQName matters for model
queues alone; blanks at the end do not belong to a name.
"""

from __future__ import annotations

from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from tests.unit.api.faces import FACES, in_loop

pytestmark = [pytest.mark.core, pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())]

LONG = "A" * 49
WRONG = [LONG, "A" * 500, "ü" * 30, "ü", "A B", " A", "A\0B", "", "   "]


async def refusal(work: Any) -> ternmq.MQError:
    with pytest.raises(ternmq.MQError) as refused:
        await work
    return refused.value


@in_loop
async def test_queue_when_its_name_cannot_be_one_then_unknown_object_name(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A" * 48)
        for name in WRONG:
            for verb, work in (
                ("MQOPEN", qmgr.queue(name)),
                ("MQOPEN", qmgr.queue(name, options=mq.MQOO_OUTPUT)),
                ("MQPUT1", qmgr.put(name, b"")),
            ):
                error = await refusal(work)
                assert (error.reason, error.verb) == (mq.MQRC_UNKNOWN_OBJECT_NAME, verb), name
        error = await refusal(qmgr.queue(LONG))
        assert error.object == LONG
        assert "1 to 48 characters" in str(error)


@in_loop
async def test_put_when_the_name_of_another_queue_manager_is_long_then_it_is_unknown(
    api: Any,
) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("QM2", usage="XMITQ")
        error = await refusal(qmgr.put("A", b"", qmgr_name="Q" * 49))
        assert error.reason == mq.MQRC_UNKNOWN_OBJECT_Q_MGR
        error = await refusal(qmgr.put(LONG, b"", qmgr_name="Q" * 49))
        assert error.reason == mq.MQRC_UNKNOWN_OBJECT_Q_MGR
        error = await refusal(qmgr.put(LONG, b"", qmgr_name="QM2"))
        assert error.reason == mq.MQRC_UNKNOWN_OBJECT_NAME
        await qmgr.put("A" * 48, b"", qmgr_name="QM2")


@in_loop
async def test_queue_when_the_dynamic_name_is_long_then_only_a_model_refuses(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        await qmgr.define_model("M")
        error = await refusal(qmgr.queue("M", dynamic_name=LONG))
        assert error.reason == mq.MQRC_DYNAMIC_Q_NAME_ERROR
        await (await qmgr.queue("A", dynamic_name=LONG)).close()


@in_loop
async def test_queue_when_its_name_ends_in_blanks_then_they_do_not_count(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        for name in ("A ", "A" + " " * 60, "A\0\0"):
            await qmgr.put(name, "one", qmgr_name=qmgr.name + "  ")
            async with qmgr.queue(name) as queue:
                assert queue.name == "A"
                assert (await queue.get()).text == "one"
