"""Goal: streaming queues do the same for whoever puts: inside the process, over the local socket
and over the network, blocking and asyncio. Method: one small program on every face of the API."""

from __future__ import annotations

from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from tests.unit.api.faces import FACES, in_loop

pytestmark = pytest.mark.core


@pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())
@in_loop
async def test_put_when_its_queue_streams_then_copied_or_refused_as_a_whole(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("COPY", max_depth=3)
        await qmgr.define_queue("A", stream_queue="COPY", stream_quality="MUSTDUP")
        async with qmgr.queue("A") as queue, qmgr.queue("COPY") as copies:
            msg_id = await queue.put("alone", persistent=True)
            async with qmgr.unit_of_work():
                await queue.put("in a unit")
            await qmgr.put("A", "by MQPUT1")
            with pytest.raises(ternmq.MQError) as refused:
                await queue.put("one too many")
            assert refused.value.reason == mq.MQRC_Q_FULL
            found = [message async for message in copies]
            assert [message.text for message in found] == ["alone", "in a unit", "by MQPUT1"]
            assert found[0].msg_id == msg_id
            assert [message.text async for message in queue] == ["alone", "in a unit", "by MQPUT1"]
