"""Goal: an MQBACK that is refused counts as a failed one, whatever the application is written with.

Method: a unit of work that is not what it should be, so that the queue manager breaks at its end.
"""

from __future__ import annotations

import asyncio

import pytest

import ternmq
from ternmq.kernel.connection import Connection as Link
from ternmq.txn.unit import ENDED
from tests.mqi import link_of, mqi

pytestmark = pytest.mark.core


def spoil(link: Link) -> None:
    unit = link.unit
    assert unit is not None
    unit.state = ENDED


def failed(link: Link) -> int:
    account = link.account
    assert account is not None
    return account.back_out.failed


def test_back_out_when_refused_then_counted_for_threads() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("A")
        qmgr.mqsc("ALTER QMGR ACCTMQI(ON)")
        connection = qmgr.connect()
        connection.begin()
        connection.put("A", "x")
        spoil(mqi(connection).link)
        with pytest.raises(ternmq.MQError):
            connection.backout()
        assert failed(mqi(connection).link) == 1


def test_back_out_when_refused_then_counted_for_tasks() -> None:
    async def story() -> int:
        async with await ternmq.aio.memory("QM1") as qmgr:
            await qmgr.define_queue("A")
            await qmgr.mqsc("ALTER QMGR ACCTMQI(ON)")
            connection = await qmgr.connect()
            await connection.begin()
            await connection.put("A", "x")
            spoil(link_of(connection))
            with pytest.raises(ternmq.MQError):
                await connection.backout()
            return failed(link_of(connection))

    assert asyncio.run(story()) == 1
