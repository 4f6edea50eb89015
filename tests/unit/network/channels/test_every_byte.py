"""Goal: a partner that dies at any byte of any flow of a channel loses no message, doubles none and
changes no order, and its channel can be started again.

Method: two queue managers in one loop, a proxy that cuts the socket after so many bytes of one
direction; then the channel is started again over a whole line. Few steps of bytes here; all of
them with `make every-byte`.
"""

from __future__ import annotations

import asyncio
import os

import pytest

from ternmq.channel.agent import NORMAL, End
from ternmq.kernel.channel_instance import QUIESCE
from tests.unit.network.channels.byte_cutter import DIRECTIONS, ByteCutter, cutter
from tests.unit.network.channels.two_managers import Node, two_managers, until

NAME = "QMA.QMB"
MESSAGES = 3

ALL_BYTES = pytest.mark.skipif("EVERY_BYTE" not in os.environ, reason="make every-byte runs it")


class Flow:
    """Who starts the channel, over which line."""

    def __init__(self, one: Node, other: Node, is_requested: bool, is_callback: bool) -> None:
        self.one = one
        self.other = other
        self.caller = other if is_requested else one
        self.called = one if is_requested else other
        self.is_callback = is_callback
        self.type = "RQSTR" if is_requested else "SDR"
        self.number = 0

    def call_by(self, conn: str) -> None:
        """Let the next calls take this line: of a callback, both of them."""
        self.caller.run(f"ALTER CHANNEL({NAME}) CHLTYPE({self.type}) CONNAME('{conn}')")

    async def idle(self) -> None:
        """Nothing runs at either end: a sender that does is stopped, and what waits for a call that
        does not come."""

        def is_over() -> bool:
            for instance in self.other.channels.instances_of(NAME):
                if instance.status == "REQUESTING":
                    self.other.channels.stop(instance, QUIESCE)
            for instance in self.one.channels.instances_of(NAME):
                if not instance.stop_requested:
                    self.one.channels.stop(instance, QUIESCE)
            return self.one.channels.is_idle and self.other.channels.is_idle

        await until(is_over)

    async def cut(self, line: ByteCutter, direction: int, count: int) -> bool:
        """One run that is cut there; False if it came to its end before."""
        data = [b"%d" % (self.number + number) for number in range(MESSAGES)]
        self.number += MESSAGES
        line.cut_after(direction, count)
        self.call_by(line.conn)
        self.one.put("R", *data)
        ended = len(self.caller.seen.ends)
        self.caller.start(NAME)
        await until(lambda: line.has_cut or self.is_sent() or len(self.caller.seen.ends) > ended)
        await self.idle()
        await self.sent_at_last(data)
        return line.has_cut

    def is_sent(self) -> bool:
        """Whether the transmission queue has nothing more, got or not."""
        instances = self.one.channels.instances_of(NAME)
        agent = instances[0].agent if instances else None
        if agent is None or self.other.depth("T") < MESSAGES:
            return False
        return self.one.depth("QMB") == 0 and not agent.is_in_doubt and not agent.current_messages

    async def sent_at_last(self, data: list[bytes]) -> None:
        """Over a line that is not cut, all are there, once and in order."""
        self.call_by(self.called.conn)
        self.caller.start(NAME)
        await until(self.is_sent, f"{self.one.logged[-9:]} {self.other.logged[-9:]}")
        assert self.other.get_all("T") == data
        await self.idle()


def define(one: Node, other: Node, is_requested: bool, is_callback: bool) -> None:
    one.pair(other, "BATCHSZ(2) HBINT(5)")
    if is_requested:
        other.run(
            f"DELETE CHANNEL({NAME})",
            f"DEFINE CHANNEL({NAME}) CHLTYPE(RQSTR) CONNAME('{one.conn}') HBINT(5)",
        )
        if not is_callback:
            one.run(
                f"DELETE CHANNEL({NAME})",
                f"DEFINE CHANNEL({NAME}) CHLTYPE(SVR) XMITQ(QMB) BATCHSZ(2) HBINT(5)",
            )


async def walked(step: int, is_requested: bool, is_callback: bool) -> int:
    """Cut at every `step` bytes of both directions; how often that was."""
    cuts = 0
    async with two_managers() as (one, other):
        define(one, other, is_requested, is_callback)
        flow = Flow(one, other, is_requested, is_callback)
        async with cutter(flow.called.port) as line:
            for direction in DIRECTIONS:
                count = 0
                while await flow.cut(line, direction, count):
                    cuts += 1
                    count += step
    return cuts


@pytest.mark.parametrize(
    ("is_requested", "is_callback"), [(False, False), (True, False), (True, True)]
)
def test_partner_when_it_dies_at_some_bytes_then_messages_come_once_and_in_order(
    is_requested: bool, is_callback: bool
) -> None:
    assert asyncio.run(walked(211, is_requested, is_callback)) > 3


@pytest.mark.slow
@ALL_BYTES
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("is_requested", "is_callback"), [(False, False), (True, False), (True, True)]
)
def test_partner_when_it_dies_at_every_byte_then_messages_come_once_and_in_order(
    is_requested: bool, is_callback: bool
) -> None:
    assert asyncio.run(walked(1, is_requested, is_callback)) > 500


async def pinged(step: int) -> int:
    """Cut a ping at every `step` bytes of both directions."""
    cuts = 0
    async with two_managers() as (one, other):
        one.pair(other)
        definition = one.kernel.catalog.find(32, NAME)
        assert definition is not None
        async with cutter(other.port) as line:
            one.run(f"ALTER CHANNEL({NAME}) CHLTYPE(SDR) CONNAME('{line.conn}')")
            for direction in DIRECTIONS:
                for count in range(0, 1000, step):
                    ends: list[End] = []
                    line.cut_after(direction, count)
                    one.channels.ping(definition, bytes(64), ends.append)
                    await until(lambda ends=ends: ends != [])  # type: ignore[misc]
                    await until(lambda: other.channels.is_idle)
                    if ends[0].kind == NORMAL:
                        break
                    assert line.has_cut
                    cuts += 1
            assert one.channels.is_idle
    return cuts


def test_ping_when_the_partner_dies_at_some_bytes_then_it_fails_and_nothing_is_left() -> None:
    assert asyncio.run(pinged(97)) > 3


@pytest.mark.slow
@ALL_BYTES
@pytest.mark.timeout(600)
def test_ping_when_the_partner_dies_at_every_byte_then_it_fails_and_nothing_is_left() -> None:
    assert asyncio.run(pinged(1)) > 500
