"""Goal: a put with a form that another kind of connection has made is refused with a reason, the
same one on every binding, and costs nothing but itself.

Method: forms of an embedded connection given to remote ones and the other way round, to MQPUT and
MQPUT1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.values.calls.messages import Put1
from ternmq.values.calls.objects import Open
from tests.unit.api.faces import in_loop
from tests.unit.api.networked import Networked

pytestmark = pytest.mark.core


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Networked]:
    with Networked(tmp_path) as one:
        with one.connect() as connection:
            connection.define_queue("A")
        yield one


def refused(work: Callable[[], object]) -> tuple[int, str]:
    with pytest.raises(ternmq.MQError) as error:
        work()
    assert "another connection" in str(error.value)
    return error.value.reason, error.value.verb


def opened() -> Open:
    return Open(ObjectDescriptor(object_name="A"), mq.MQOO_OUTPUT)


@pytest.mark.parametrize("binding", ["embedded", "local", "network"])
def test_put_when_the_form_is_of_another_binding_then_pmo_error(
    served: Networked, binding: str
) -> None:
    embedded = ternmq.QueueManager(served.started).connect()
    remote = served.connect()
    local = ternmq.connect("QM1", data=served.data)
    mine = {"embedded": embedded, "local": local, "network": remote}[binding]
    other = remote if binding == "embedded" else embedded
    foreign = other.transport.put_form(Descriptor(), 0, "MQPUT")
    handle = mine.run(opened()).opened()
    put = refused(lambda: mine.transport.put(handle, foreign, b"x"))
    put1 = refused(lambda: mine.run(Put1(ObjectDescriptor(object_name="A"), foreign, b"x")))
    assert (put, put1) == ((mq.MQRC_PMO_ERROR, "MQPUT"), (mq.MQRC_PMO_ERROR, "MQPUT1"))
    own = mine.transport.put_form(Descriptor(), 0, "MQPUT")
    assert len(mine.transport.put(handle, own, b"x")) == 24
    for one in (embedded, remote, local):
        one.disconnect()


@pytest.mark.parametrize("binding", ["embedded", "local", "network"])
@in_loop
async def test_put_of_tasks_when_the_form_is_of_another_binding_then_pmo_error(
    tmp_path: Path, binding: str
) -> None:
    with Networked(tmp_path) as served:
        async with (
            ternmq.aio.memory("QM2") as embedded,
            served.connect_task() as remote,
            ternmq.aio.connect("QM1", data=served.data) as local,
        ):
            await embedded.define_queue("A")
            await remote.define_queue("A")
            mine: Any = {"embedded": embedded, "local": local, "network": remote}[binding]
            other: Any = remote if binding == "embedded" else embedded
            foreign = other.transport.put_form(Descriptor(), 0, "MQPUT")
            handle = (await mine.run(opened())).opened()
            call = Put1(ObjectDescriptor(object_name="A"), foreign, b"x")
            for work, verb in (
                (mine.transport.put(handle, foreign, b"x"), "MQPUT"),
                (mine.run(call), "MQPUT1"),
            ):
                with pytest.raises(ternmq.MQError, match="another connection") as error:
                    await work
                assert (error.value.reason, error.value.verb) == (mq.MQRC_PMO_ERROR, verb)
            if binding == "network":
                for now in (mine.transport.put_now, mine.transport.plain_put):
                    arguments = (handle, foreign, b"x")[: 3 if now.__name__ == "put_now" else 2]
                    with pytest.raises(ternmq.MQError, match="another connection"):
                        now(*arguments)
            own = mine.transport.put_form(Descriptor(), 0, "MQPUT")
            assert len(await mine.transport.put(handle, own, b"x")) == 24
