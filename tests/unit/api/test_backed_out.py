"""Goal: a task whose unit of work the queue manager backed out is refused inside it until it ends
the unit, and a commit says so by a warning, as IBM documents it for MQGET, MQPUT, MQCMIT and
MQDISC, in every binding. The battery has threads.

Method: a log so small that the oldest unit has to go.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from tests.unit.api.networked import in_folder

pytestmark = pytest.mark.core

LOG: dict[str, Any] = {"log_primary_files": 3, "log_secondary_files": 2, "log_file_pages": 64}


async def lose_unit(qmgr: Any, other: Any, verb: str) -> None:
    """`other` has a unit of work that is backed out, and ends it."""
    queue = await other.queue("A")
    await queue.put(b"old", persistent=True, syncpoint=True)
    async with qmgr.queue("A") as filling:
        for _ in range(200):
            await filling.put(bytes(16_000), persistent=True)
            await filling.get()
    for _ in range(2):  # as long as nobody ends it
        for refused in (queue.put(b"", syncpoint=True), queue.get(syncpoint=True)):
            with pytest.raises(ternmq.BackedOut) as caught:
                await refused
            assert caught.value.comp == mq.MQCC_FAILED
        await queue.put(b"outside", persistent=True, syncpoint=False)
    with pytest.raises(ternmq.BackedOut) as caught:
        await (other.commit() if verb == "MQCMIT" else other.disconnect())
    found = (caught.value.comp, caught.value.reason, caught.value.verb)
    assert found == (mq.MQCC_WARNING, rc.MQRC_BACKED_OUT, verb)
    await other.disconnect()
    assert not other.connected


@pytest.mark.parametrize("binding", ["network", "local"])
@pytest.mark.parametrize("verb", ["MQCMIT", "MQDISC"])
def test_task_of_a_client_when_its_unit_was_backed_out_then_a_warning(
    tmp_path: Path, binding: str, verb: str
) -> None:
    with in_folder(tmp_path, "QM1", create=True) as served:

        async def main() -> None:
            way = served.way if binding == "network" else {"data": served.data}
            async with (
                ternmq.aio.connect("QM1", **way) as qmgr,
                ternmq.aio.connect("QM1", **way) as other,
            ):
                await qmgr.define_queue("A")
                await lose_unit(qmgr, other, verb)

        asyncio.run(main())


@pytest.mark.parametrize("verb", ["MQCMIT", "MQDISC"])
def test_task_in_the_process_when_its_unit_was_backed_out_then_a_warning(
    tmp_path: Path, verb: str
) -> None:
    async def main() -> None:
        async with ternmq.aio.embedded(tmp_path, "QM1", create=True, **LOG) as qmgr:
            await qmgr.define_queue("A")
            await lose_unit(qmgr, await qmgr.connect(), verb)

    asyncio.run(main())
