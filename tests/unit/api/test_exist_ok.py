"""Goal: `exist_ok` of the definitions leaves a queue that is there as it is, so that a program can
be run again; it shows no user more than before.

Method: both APIs on every binding; then users with single authorities.
"""

from __future__ import annotations

from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from tests.unit.api.faces import FACES, in_loop

pytestmark = pytest.mark.core

on_every_binding = pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())


@on_every_binding
@in_loop
async def test_queue_when_it_is_there_then_it_stays_as_it_is(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A", exist_ok=True, max_depth=7)
        await qmgr.put("A", "kept")
        await qmgr.define_queue("A", exist_ok=True, max_depth=9, description="another")
        found = await qmgr.attributes("A")
        assert (found["max_depth"], found["description"]) == (7, "")
        async with qmgr.queue("A") as queue:
            assert (await queue.get()).text == "kept"
        with pytest.raises(ternmq.MQError) as refused:
            await qmgr.define_queue("A")
        assert refused.value.reason == mq.MQRC_OBJECT_ALREADY_EXISTS
        assert "exist_ok=True" in refused.value.detail


@on_every_binding
@in_loop
async def test_model_and_alias_when_they_are_there_then_they_stay(api: Any) -> None:
    async with api.memory() as qmgr:
        for number in (5, 6):
            await qmgr.define_model("M", exist_ok=True, max_depth=number)
            await qmgr.define_alias("B", f"A{number}", exist_ok=True)
        assert (await qmgr.attributes("M"))["max_depth"] == 5
        assert (await qmgr.attributes("B"))["target"] == "A5"


@on_every_binding
@in_loop
async def test_queue_when_another_type_has_its_name_then_refused_as_before(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_alias("B", "A")
        details = []
        for exist_ok in (False, True):
            with pytest.raises(ternmq.MQError) as refused:
                await qmgr.define_queue("B", exist_ok=exist_ok)
            assert refused.value.reason == mq.MQRC_OBJECT_ALREADY_EXISTS
            details.append(str(refused.value))
        assert details[0] == details[1]


@on_every_binding
@in_loop
async def test_queue_when_an_attribute_is_wrong_then_refused_all_the_same(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        with pytest.raises(ternmq.BadOptions):
            await qmgr.define_queue("A", exist_ok=True, max_dept=5)


@pytest.mark.parametrize(
    ("of_class", "of_queue", "reason"),
    [
        ("DSP", "DSP", mq.MQRC_NOT_AUTHORIZED),  # it may see, and not define
        ("CRT", "PUT", mq.MQRC_OBJECT_ALREADY_EXISTS),  # it may define, and not see what is there
        ("CRT", "DSP", 0),
    ],
)
def test_queue_when_a_user_may_not_see_it_then_the_same_error_as_without(
    of_class: str, of_queue: str, reason: int
) -> None:
    rights = {"@CLASS": of_class, "HERS": of_queue, "SYSTEM.DEFAULT.LOCAL.QUEUE": "DSP"}
    with ternmq.memory("QM1", security=True) as qmgr:
        qmgr.define_queue("HERS")
        qmgr.mqsc("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('maker') AUTHADD(CONNECT)")
        for name, right in rights.items():
            (answer,) = qmgr.mqsc(
                f"SET AUTHREC PROFILE('{name}') OBJTYPE(QUEUE) PRINCIPAL('maker') AUTHADD({right})"
            )
            assert answer.ok
        with qmgr.connect(user="maker") as maker:
            without, with_it = (_error(maker, exist_ok) for exist_ok in (False, True))
        assert without is not None
        if reason:
            assert (str(with_it), without.reason) == (str(without), reason)
        else:
            assert with_it is None


def _error(connection: ternmq.Connection, exist_ok: bool) -> ternmq.MQError | None:
    try:
        connection.define_queue("HERS", exist_ok=exist_ok)
    except ternmq.MQError as error:
        return error
    return None
