"""Goal: what two queue managers agree on, batches, numbers and LUWIDs of their channels, and what a
partner may not say. The ids are those of docs/reference/conformance-channels.md.

Method: two queue managers in memory in one loop, over real sockets; a partner made of bytes where
the rule is about one that is wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from ternmq.base.object_types import SENDER
from ternmq.channel.agent import NO_RETRY, RETRY, Agent
from ternmq.channel.channel_state import NO_LUWID
from ternmq.channel.opening import wishes
from ternmq.kernel.channel_in_doubt import batches_in_doubt
from ternmq.network.edge.network_settings import NetworkSettings
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.channel_flows import read_piece
from ternmq.wire.fap.initial_data import write_initial_data
from ternmq.wire.fap.segment import Header, segment
from tests.integration.raw_channel_end import (
    RawEnd,
    raw_caller,
    raw_receiver,
    raw_sender,
    raw_settings,
)
from tests.unit.channel.model import message
from tests.unit.network.channels.two_managers import Node, two_managers, until

Play = Callable[[Node, Node], Coroutine[Any, Any, None]]
NAME = "QMA.QMB"
ONE, TWO = b"\x01" * 8, b"\x02" * 8


def played(play: Play, settings: NetworkSettings | None = None) -> None:
    async def main() -> None:
        async with two_managers(settings=settings) as (one, other):
            await play(one, other)

    asyncio.run(main())


def agents(*nodes: Node) -> list[Agent]:
    found = [node.instance(NAME).agent for node in nodes]
    return [agent for agent in found if agent is not None]


async def arrived(other: Node, count: int) -> None:
    await until(lambda: other.depth("T") == count, f"{count} messages; {other.logged}")


async def settled(node: Node, count: int) -> None:
    """So many messages of a channel are confirmed."""
    await until(lambda: agents(node)[0].batches > 0 and not agents(node)[0].is_in_doubt)
    await until(lambda: agents(node)[0].messages == count)
    await until(lambda: agents(node)[0].current_messages == 0)


# ---- what is agreed


def test_b1_batch_size_when_it_differs_then_the_lower_one_is_used() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "BATCHSZ(10)")
        other.run(f"ALTER CHANNEL({NAME}) CHLTYPE(RCVR) BATCHSZ(3)")
        one.put("R", *[b"%d" % n for n in range(10)])
        one.start(NAME)
        await arrived(other, 10)
        await settled(one, 10)
        assert [agent.batch_messages for agent in agents(one, other)] == [3, 3]
        assert [agent.batches for agent in agents(one, other)] == [4, 4]

    played(play)


@pytest.mark.parametrize("side", [0, 1])
def test_b2_batch_size_when_uncommitted_messages_are_few_then_they_bound_it(side: int) -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "BATCHSZ(50)")
        (one, other)[side].run("ALTER QMGR MAXUMSGS(2)")
        one.put("R", *[b"%d" % n for n in range(5)])
        one.start(NAME)
        await arrived(other, 5)
        assert [agent.batch_messages for agent in agents(one, other)] == [2, 2]

    played(play)


def test_b3_sequence_wrap_when_it_differs_then_the_channel_does_not_start() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "SEQWRAP(1000)")
        one.put("R", b"stays")
        one.start(NAME)
        await until(lambda: bool(one.seen.ends) and bool(other.seen.ends))
        found = [
            (end.kind, end.message_id, end.status) for end in (one.seen.ends[0], other.seen.ends[0])
        ]
        assert found == [(NO_RETRY, "AMQ9505E", fap.WRAP_VALUE_ERROR)] * 2
        assert one.depth("QMB") == 1

    played(play)


def test_b5_message_when_it_is_too_long_for_the_channel_then_it_is_buried_at_the_sender() -> None:
    async def play(one: Node, other: Node) -> None:
        one.run("DEFINE QLOCAL(DLQ)", "ALTER QMGR DEADQ(DLQ)")
        one.pair(other)
        other.run(f"ALTER CHANNEL({NAME}) CHLTYPE(RCVR) MAXMSGL(1000)")
        one.put("R", b"x" * 2000, b"next")
        one.start(NAME)
        await arrived(other, 1)
        await settled(one, 1)
        assert other.get_all("T") == [b"next"]
        assert one.depth("DLQ") == 1
        with one.manager.connect() as connection, connection.queue("DLQ") as queue:
            dead = queue.get().data
        assert dead[:4] == b"DLH "
        assert int.from_bytes(dead[8:12], "little") == 2218

    played(play)


def test_b5_message_when_there_is_no_dead_letter_queue_then_it_stays_and_the_channel_ends() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        other.run(f"ALTER CHANNEL({NAME}) CHLTYPE(RCVR) MAXMSGL(1000)")
        one.put("R", b"x" * 2000)
        one.start(NAME)
        await until(lambda: bool(one.seen.ends))
        assert one.seen.ends[0].message_id == "AMQ9565E"
        assert one.depth("QMB") == 1

    played(play)


# ---- batches


def test_c1_interval_then_waiting_messages_end_up_in_one_batch() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "BATCHINT(0)")
        one.start(NAME)
        for count in (1, 2):
            one.put("R", b"%d" % count)
            await arrived(other, count)
            await until(lambda: agents(one)[0].batches == count)  # noqa: B023

    played(play)


def test_c1_interval_when_it_is_long_then_both_messages_come_together() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "BATCHINT(700) BATCHSZ(50)")
        one.start(NAME)
        await until(lambda: one.status(NAME) == "RUNNING")
        loop = asyncio.get_running_loop()
        began = loop.time()
        one.put("R", b"1")
        await until(lambda: loop.time() > began + 0.3)
        one.put("R", b"2")
        await until(lambda: other.depth("T") > 0 and agents(one)[0].batches > 0)
        assert 0.6 < loop.time() - began < 1.7
        assert other.depth("T") == 2
        assert agents(one)[0].batches == 1

    played(play)


def test_c1_interval_when_messages_take_longer_to_send_then_it_does_not_end_the_batch() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "BATCHINT(1) BATCHSZ(2000) BATCHLIM(0)")
        other.run(f"ALTER CHANNEL({NAME}) CHLTYPE(RCVR) BATCHSZ(2000)")
        one.run("ALTER QLOCAL(QMB) MAXDEPTH(5000)")
        one.put("R", *[b"x" * 1000] * 600)
        one.start(NAME)
        await arrived(other, 600)
        await settled(one, 600)
        assert agents(one)[0].batches == 1

    played(play)


def test_c3_fast_messages_then_they_count_for_the_batch() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "BATCHSZ(2)")
        with one.manager.connect() as connection, connection.queue("R") as queue:
            for n in range(4):
                queue.put(b"%d" % n, persistent=n % 2 == 0)
        one.start(NAME)
        await arrived(other, 4)
        await settled(one, 4)
        assert agents(one)[0].batches == 2

    played(play)


def test_c5_numbers_when_they_wrap_then_all_arrive_once_and_in_order() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "SEQWRAP(100) BATCHSZ(7)")
        other.run(f"ALTER CHANNEL({NAME}) CHLTYPE(RCVR) SEQWRAP(100)")
        sent = [b"%d" % n for n in range(250)]
        one.put("R", *sent)
        one.start(NAME)
        await arrived(other, 250)
        await settled(one, 250)
        assert other.get_all("T") == sent
        assert [agent.last_sequence for agent in agents(one, other)] == [50, 50]
        assert "AMQ9526E" not in one.ids + other.ids

    played(play)


# ---- a raw sender


async def receiver_at(other: Node) -> RawEnd:
    other.run("DEFINE QLOCAL(T)", f"DEFINE CHANNEL({NAME}) CHLTYPE(RCVR)")
    end, sequence, luwid = await raw_sender(other.port, NAME)
    assert (sequence, luwid) == (0, NO_LUWID)
    return end


@pytest.mark.parametrize("number", [1, 3])
def test_c8_number_when_it_is_wrong_then_the_batch_is_backed_out(number: int) -> None:
    async def play(_one: Node, other: Node) -> None:
        end = await receiver_at(other)
        end.say(*end.message(message(b"a"), 1, ONE), *end.message(message(b"b"), number, ONE))
        end.say(end.bytes.confirm(ONE))
        status = await end.hear_status()
        assert (status.code, status.value) == (fap.MSG_SEQUENCE_ERROR, 2)
        assert await end.ended()
        await until(lambda: bool(other.seen.ends))
        assert other.seen.ends[0].message_id == "AMQ9526E"
        assert other.depth("T") == 0
        end.close()

    played(play)


def test_c8_segment_when_it_is_doubled_then_the_batch_is_backed_out() -> None:
    async def play(_one: Node, other: Node) -> None:
        end = await receiver_at(other)
        (data,) = end.message(message(b"a"), 1, ONE)
        end.say(data, data, end.bytes.confirm(ONE))
        assert (await end.hear_status()).code == fap.MSG_SEQUENCE_ERROR
        assert await end.ended()
        assert other.depth("T") == 0
        end.close()
        again, sequence, luwid = await raw_sender(other.port, NAME)
        assert (sequence, luwid) == (0, NO_LUWID)
        again.say(data, again.bytes.confirm(ONE))
        await again.hear()
        assert other.depth("T") == 1
        again.close()

    played(play)


def test_c9_confirm_when_it_has_another_luwid_then_it_is_refused() -> None:
    async def play(_one: Node, other: Node) -> None:
        end = await receiver_at(other)
        end.say(*end.message(message(b"a"), 1, ONE), end.bytes.confirm(TWO))
        assert (await end.hear_status()).code == fap.LUWID_MISMATCH
        assert await end.ended()
        assert other.depth("T") == 0
        end.close()

    played(play)


def test_partner_when_it_asks_and_reads_no_answers_then_they_do_not_fill_the_memory() -> None:
    async def play(_one: Node, other: Node) -> None:
        other.run(f"DEFINE CHANNEL({NAME}) CHLTYPE(RCVR) MAXMSGL(1024)")
        end = await raw_caller(other.port, NAME)
        await until(lambda: len(other.host.channel_sockets) == 1)
        (sock,) = other.host.channel_sockets
        data = end.bytes.ping(fap.CONFIRM_REQUEST, bytes(30_000))
        for _ in range(1000):
            end.say(data)
        await until(lambda: not sock.is_reading)
        assert sock.unsent_bytes() < 2_000_000
        for _ in range(1000):
            assert (await end.hear()).header.type == fap.PING_DATA
        end.close()

    played(play)


def test_l7_headers_when_their_character_set_is_unknown_then_the_channel_does_not_start() -> None:
    async def play(_one: Node, other: Node) -> None:
        other.run(f"DEFINE CHANNEL({NAME}) CHLTYPE(RCVR)")
        reader, writer = await asyncio.open_connection("127.0.0.1", other.port)
        end = RawEnd(reader, writer)
        own = wishes(raw_settings(SENDER, NAME, "QMX"), False)
        own.ccsid = 65_500
        header = Header(fap.INITIAL_DATA, flags_1=fap.CONFIRM_REQUEST)
        end.say(segment(header, write_initial_data(header, own)))
        assert (await end.hear_status()).code == fap.CCSID_NOT_SUPPORTED
        assert await end.ended()
        end.close()

    played(play)


# ---- a raw receiver


class Scripted:
    """A receiver that commits nothing by itself: the test says what it answers."""

    def __init__(self) -> None:
        self.connections = 0
        self.batches: list[bytes] = []
        self.seen: list[tuple[int, bytes]] = []
        self.last = (0, NO_LUWID)

    async def serve(self, end: RawEnd) -> None:
        self.connections += 1
        number = self.connections
        await end.hear()
        end.say(end.bytes.resync(fap.REQUEST_ACCEPTED, *self.last))
        last = 0
        while True:
            one = await end.hear()
            self.seen.append((one.header.type, one.header.luwid))
            if one.header.type == fap.MESSAGE_DATA:
                last = read_piece(one).sequence
            elif one.header.flags_1 & fap.CONFIRM_REQUEST:
                luwid = one.header.luwid
                self.batches.append(luwid)
                if not await self.answer(end, number, luwid, last):
                    return

    async def answer(self, end: RawEnd, number: int, luwid: bytes, sequence: int) -> bool:
        """Whether the connection goes on."""
        self.last = (sequence, luwid)
        end.say(end.bytes.accepted(luwid))
        return True


def sender_to(one: Node, port: int, more: str = "") -> None:
    one.run(
        "DEFINE QLOCAL(QMB) USAGE(XMITQ)",
        "DEFINE QREMOTE(R) RNAME(T) RQMNAME(QMB) XMITQ(QMB)",
        f"DEFINE CHANNEL({NAME}) CHLTYPE(SDR) CONNAME('127.0.0.1({port})') XMITQ(QMB)"
        f" NPMSPEED(NORMAL) {more}",
    )


def test_c9_batches_then_each_has_one_luwid_of_its_own() -> None:
    async def play(one: Node, _other: Node) -> None:
        script = Scripted()
        async with raw_receiver(script.serve, NAME) as port:
            sender_to(one, port, "BATCHSZ(2)")
            one.put("R", *[b"x" * 40_000] * 4)
            one.start(NAME)
            await until(lambda: len(script.batches) == 2 and one.depth("QMB") == 0)
            first, second = script.batches
            assert first != second
            assert NO_LUWID not in script.batches
            kinds = [kind for kind, luwid in script.seen if luwid == first]
            assert kinds == [*[fap.MESSAGE_DATA] * 4, fap.STATUS_DATA]
            assert {luwid for _kind, luwid in script.seen} == {first, second}

    played(play)


class Late(Scripted):
    """On the first connection the confirm is held back, on the second it comes for the first's
    batch, on the third all is well."""

    async def answer(self, end: RawEnd, number: int, luwid: bytes, sequence: int) -> bool:
        if number == 1:
            return False
        if number == 2:
            end.say(end.bytes.accepted(self.batches[0]))
            return True
        return await super().answer(end, number, luwid, sequence)


def test_d7_confirm_when_it_is_of_the_connection_before_then_it_is_refused() -> None:
    async def play(one: Node, _other: Node) -> None:
        script = Late()
        async with raw_receiver(script.serve, NAME) as port:
            sender_to(one, port)
            one.put("R", b"a", b"b")
            for number in (1, 2):
                one.start(NAME)
                await until(lambda: len(one.seen.ends) == number)  # noqa: B023
            assert one.seen.ends[1].status == fap.LUWID_MISMATCH
            one.start(NAME)
            await until(lambda: len(script.batches) == 3 and one.depth("QMB") == 0)
            assert len(set(script.batches)) == 3
            agent = agents(one)[0]
            await until(lambda: agent.last_luwid == script.batches[2])
            assert agent.last_sequence == 2

    played(play)


class Silent(Scripted):
    """A receiver that answers nothing on its first connection; it breaks after so many segments."""

    def __init__(self, segments: int) -> None:
        super().__init__()
        self.segments = segments

    async def answer(self, end: RawEnd, number: int, luwid: bytes, sequence: int) -> bool:
        if number > 1:
            return await super().answer(end, number, luwid, sequence)
        while len(self.seen) < self.segments:
            one = await end.hear()
            self.seen.append((one.header.type, one.header.luwid))
        return False


def test_d8_pipelined_batch_when_the_line_breaks_then_only_the_first_is_in_doubt() -> None:
    async def play(one: Node, _other: Node) -> None:
        script = Silent(5)
        async with raw_receiver(script.serve, NAME, pipelines=True) as port:
            sender_to(one, port, "BATCHSZ(2)")
            one.put("R", *[b"%d" % n for n in range(5)])
            one.start(NAME)
            await until(lambda: bool(one.seen.ends))
            kinds = [kind for kind, _luwid in script.seen]
            batch = [fap.MESSAGE_DATA, fap.MESSAGE_DATA]
            assert kinds == [*batch, fap.STATUS_DATA, *batch]
            (doubt,) = batches_in_doubt(one.kernel)
            assert (doubt.luwid, doubt.messages) == (script.batches[0], 2)
            script.seen = []
            one.start(NAME)
            await until(lambda: len(script.batches) == 4 and one.depth("QMB") == 0)
            await until(lambda: batches_in_doubt(one.kernel) == [])
            assert script.last[0] == 5
            assert [kind for kind, _luwid in script.seen].count(fap.MESSAGE_DATA) == 5

    played(play, NetworkSettings(pipelines=True))


def test_d8_pipelining_when_both_ends_do_then_all_messages_arrive_in_order() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "BATCHSZ(2)")
        sent = [b"%d" % n for n in range(9)]
        one.put("R", *sent)
        one.start(NAME)
        await arrived(other, 9)
        await settled(one, 9)
        assert other.get_all("T") == sent
        assert agents(one)[0].batches == 5

    played(play, NetworkSettings(pipelines=True))


def test_d8_pipelining_when_the_partner_does_not_then_batches_wait() -> None:
    async def play(one: Node, _other: Node) -> None:
        script = Silent(3)
        async with raw_receiver(script.serve, NAME) as port:
            sender_to(one, port, "BATCHSZ(2)")
            one.put("R", *[b"%d" % n for n in range(5)])
            one.start(NAME)
            await until(lambda: bool(one.seen.ends))
            kinds = [kind for kind, _luwid in script.seen]
            assert kinds == [fap.MESSAGE_DATA, fap.MESSAGE_DATA, fap.STATUS_DATA]
            one.start(NAME)
            await until(lambda: one.depth("QMB") == 0)

    played(play, NetworkSettings(pipelines=True))


def test_g9_batch_heartbeat_when_the_partner_is_gone_then_nothing_is_in_doubt() -> None:
    class Deaf(Scripted):
        async def serve(self, end: RawEnd) -> None:
            await end.hear()
            end.say(end.bytes.resync(fap.REQUEST_ACCEPTED, 0, NO_LUWID))
            await asyncio.Event().wait()

    async def play(one: Node, _other: Node) -> None:
        async with raw_receiver(Deaf().serve, NAME, 1) as port:
            sender_to(one, port, "BATCHHB(100) HBINT(1) BATCHINT(300)")
            one.start(NAME)
            await until(lambda: one.status(NAME) == "RUNNING")
            one.put("R", b"a")
            await until(lambda: bool(one.seen.ends))
            assert (one.seen.ends[0].kind, one.seen.ends[0].message_id) == (RETRY, "AMQ9259E")
            (shown,) = one.manager.mqsc(f"DISPLAY CHSTATUS({NAME}) SAVED INDOUBT") or (None,)
            assert shown is None or not shown.ok or shown["INDOUBT"] == "NO"
            assert one.depth("QMB") == 1

    played(play)


def test_e2_messages_when_they_are_mixed_then_each_kind_keeps_its_order() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        with one.manager.connect() as connection, connection.queue("R") as queue:
            for n in range(5):
                queue.put(b"P%d" % n, persistent=True)
                queue.put(b"N%d" % n, persistent=False)
        one.start(NAME)
        await arrived(other, 10)
        found = other.get_all("T")
        for kind in (b"P", b"N"):
            assert [data for data in found if data[:1] == kind] == [
                kind + b"%d" % n for n in range(5)
            ]

    played(play)


def test_start_then_resync_says_what_was_committed_last() -> None:
    async def play(_one: Node, other: Node) -> None:
        end = await receiver_at(other)
        end.say(*end.message(message(b"a"), 1, ONE), end.bytes.confirm(ONE))
        assert (await end.hear()).header.flags_1 & fap.REQUEST_ACCEPTED
        end.close()
        await until(lambda: bool(other.seen.ends))
        again, sequence, luwid = await raw_sender(other.port, NAME)
        assert (sequence, luwid) == (1, ONE)
        again.close()

    played(play)
