"""Goal: the dialogue keeps its order: who breaks it is told why and cut off, nobody else is hurt,
and the end of the queue manager reaches every conversation.

Method: a partner in the same loop says what it should not, or nothing. The tables of the dialogue
are tested by themselves, in tests/unit/wire/fap/test_dialogue.py.
"""

import asyncio

import pytest

from ternmq.base import constants as mq
from ternmq.base.build import is_compiled
from ternmq.base.errors import LocalProtocolError
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.channel_instance import FORCE, QUIESCE, RUNNING, TERMINATE
from ternmq.network.clients.conversation import Conversation
from ternmq.network.clients.mqi_calls import CALLS
from ternmq.server.host import QUIESCING
from ternmq.server.trace import Trace
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.dialogue import CONNECTED_TYPES
from ternmq.wire.fap.flow import read_body
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import TSHC, Header
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

ALL = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING


async def close_notify(partner: Partner) -> int:
    """The code with which the queue manager closes."""
    one = await partner.next(fap.STATUS_DATA)
    assert one.header.flags_1 & (fap.ERROR | fap.CLOSE_CHANNEL) == fap.ERROR | fap.CLOSE_CHANNEL
    assert partner.pipe.closed
    return int(read_body(one, 10).values["code"])


def waiting_get(handle: int, options: int = mq.MQGMO_WAIT) -> Values:
    return {
        "handle": handle,
        "descriptor": Descriptor(),
        "options": GetOptions(options=options, wait_interval=-1),
        "buffer_length": 100,
    }


def test_agreement_when_opened_then_instance_has_it() -> None:
    async def story(place: Place, partner: Partner) -> None:
        instance = partner.socket.line.instance
        assert instance is not None
        assert partner.agreed is not None
        assert (instance.fap_level, partner.agreed.fap_level) == (10, 10)
        assert (instance.heartbeat_s, instance.conversations_max) == (300, 10)
        assert instance.message_bytes_max == 1_000_000
        assert (instance.product, instance.version) == ("MQJB", "09030500")
        assert (instance.status, instance.conversations) == (RUNNING, 1)
        assert instance.buffers_received >= 4
        assert instance.bytes_sent > 0
        link = partner.socket.line.conversations[1].connected().link
        assert (link.channel_name, link.connection_name) == ("APP", "127.0.0.1")

    run_story(story)


def test_channel_when_unknown_then_partner_is_notified() -> None:
    async def story(place: Place, partner: Partner) -> None:
        other = Partner(place.host)
        with pytest.raises(AssertionError, match="STATUS_DATA"):
            await other.open_channel("NONE")
        assert other.pipe.closed
        await other.socket.gone

    run_story(story)


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", fap.PROTOCOL_GENERAL),
        (b"TSH \0\0\0\7" + bytes(40), fap.PROTOCOL_LENGTH_ERROR),
        (b"TSH \xff\xff\xff\xff" + bytes(40), fap.PROTOCOL_LENGTH_ERROR),
        (b"TSH \0\0\0\x1c\7" + bytes(19), fap.PROTOCOL_SEGMENT_ERROR),
        (b"TSH \0\0\0\x1c\1\x44" + bytes(18), fap.PROTOCOL_SEGMENT_TYPE),
    ],
)
@pytest.mark.parametrize("is_open", [False, True])
def test_bytes_that_cannot_be_then_socket_is_closed(
    data: bytes, status: int, is_open: bool
) -> None:
    async def story(place: Place, partner: Partner) -> None:
        other = partner if is_open else Partner(place.host)
        other.socket.data_received(data)
        assert await close_notify(other) == status
        assert "AMQ9504E" in place.notices()
        await other.socket.gone
        assert other.socket not in place.host.sockets

    run_story(story)


def test_mqconn_when_it_cannot_be_read_then_nothing_of_its_socket_stays() -> None:
    async def story(place: Place, partner: Partner) -> None:
        other = Partner(place.host)
        await other.open_channel()
        other.send(other.header(fap.MQCONN), bytes(20))
        await close_notify(other)
        await asyncio.wait_for(other.socket.gone, 5)
        assert other.socket not in place.host.sockets

    run_story(story)


def test_segment_when_cut_anywhere_then_it_is_understood() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.held = []
        partner.send_flow(fap.MQPUT, partner.put_values(handle, b"hello"))
        partner.send_flow(fap.MQCMIT, {})
        stream = b"".join(partner.held)
        for cut in range(1, len(stream), 37):
            partner.socket.data_received(stream[:cut])
            partner.socket.data_received(stream[cut:])
            assert (await partner.values(fap.MQPUT + fap.REPLY))["reason"] == 0
            assert (await partner.values(fap.MQCMIT + fap.REPLY))["reason"] == 0

    run_story(story)


@pytest.mark.parametrize(
    ("type", "conversation", "status"),
    [
        (fap.MQCMIT, 5, fap.CONV_ID_ERROR),
        (fap.MQCONN, 1, fap.PROTOCOL_GENERAL),
        (fap.MQCMIT + fap.REPLY, 1, fap.PROTOCOL_GENERAL),
    ],
)
def test_call_when_out_of_order_then_socket_is_closed(
    type: int, conversation: int, status: int
) -> None:
    async def story(place: Place, partner: Partner) -> None:
        values: Values = {"fcno": {}} if type == fap.MQCONN else {}
        partner.send_flow(type, values, conversation)
        assert await close_notify(partner) == status

    run_story(story)


def test_call_before_connect_then_socket_is_closed() -> None:
    async def story(place: Place, partner: Partner) -> None:
        await partner.call(fap.MQDISC, {})
        partner.send_flow(fap.MQCMIT, {})
        assert await close_notify(partner) == fap.PROTOCOL_SEGMENT_TYPE

    run_story(story)


def test_conversations_when_several_then_each_is_a_connection() -> None:
    async def story(place: Place, partner: Partner) -> None:
        for number in (3, 5):
            partner.action(fap.ACTION_START, number)
            started = await partner.values(fap.SOCKET_ACTION)
            assert (started["action"], started["conversation"]) == (fap.ACTION_STARTED, number)
            assert (await partner.connect(number))["reason"] == 0
        assert partner.socket.applications == 3
        one = await partner.open("A", ALL, 1)
        other = await partner.open("A", ALL, 3)
        assert one != other  # handles are unique on a socket
        given = partner.put_values(other, b"x", mq.MQPMO_SYNCPOINT)
        assert (await partner.call(fap.MQPUT, given, 3))["reason"] == 0
        assert (await partner.call(fap.MQCMIT, {}, 1))["reason"] == 0
        partner.action(fap.ACTION_END, 3)  # without MQDISC: backed out
        await partner.until(lambda: partner.socket.applications == 2)
        assert place.depth("A") == 0
        partner.action(fap.ACTION_START, 5)
        assert await close_notify(partner) == fap.CONV_ID_ERROR

    run_story(story)


def test_conversations_when_too_many_then_socket_is_closed() -> None:
    async def story(place: Place, partner: Partner) -> None:
        partner.action(fap.ACTION_START, 3)
        assert await close_notify(partner) == fap.MAX_CONNS_LIMIT_REACHED

    run_story(story, 1)


def test_heartbeat_when_asked_for_then_answered() -> None:
    async def story(place: Place, partner: Partner) -> None:
        header = partner.header(fap.HEARTBEAT)
        header.flags_1 = fap.CONFIRM_REQUEST
        partner.send(header, b"")
        assert not (await partner.next(fap.HEARTBEAT)).header.flags_1 & fap.CONFIRM_REQUEST
        partner.send_flow(fap.HEARTBEAT, {})
        assert not partner.look()

    run_story(story)


def test_silence_when_long_then_partner_is_asked_and_cut_off_if_it_says_nothing() -> None:
    async def story(place: Place, partner: Partner) -> None:
        line = partner.socket.line
        for answers in (True, False):
            line.heard_ns -= 301_000_000_000
            partner.socket._beat()
            asked = await partner.next(fap.HEARTBEAT)
            assert asked.header.flags_1 & fap.CONFIRM_REQUEST
            assert asked.header.variant == TSHC
            if answers:
                partner.send_flow(fap.HEARTBEAT, {})
                partner.socket._beat()
                assert not partner.pipe.closed
        partner.socket._beat()
        assert not partner.pipe.closed  # it has time to answer
        partner.socket._asked_ns -= 361_000_000_000
        line.heard_ns -= 361_000_000_000
        partner.socket._beat()
        assert partner.pipe.is_closing()
        assert "AMQ9208E" in place.notices()

    run_story(story)


def test_queue_manager_when_it_quiesces_then_waits_end() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.request(handle, flags=fap.STREAM, options=mq.MQGMO_FAIL_IF_QUIESCING)
        place.host.end(QUIESCING)
        note = await partner.values(fap.NOTIFICATION)
        assert (note["code"], note["value"]) == (fap.QM_QUIESCING, 2161)
        partner.came.clear()
        assert (await partner.put(handle, b"x", mq.MQPMO_FAIL_IF_QUIESCING))["reason"] == 2161
        assert (await partner.put(handle, b"x"))["reason"] == 0
        place.host.engine.kernel.status = 0

    run_story(story)


def test_queue_manager_when_it_ends_then_calls_end_and_the_socket_is_closed() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        await partner.put(handle, b"no", mq.MQPMO_SYNCPOINT)
        partner.send_flow(fap.MQGET, waiting_get(await partner.open("B", ALL)))
        await place.host.loop_shell.drain()
        assert (await partner.values(fap.MQGET + fap.REPLY))["reason"] == 2162
        partner.socket.notify_end(False)
        assert await close_notify(partner) == fap.QM_TERMINATING
        await partner.socket.gone
        assert place.depth("A") == 0

    run_story(story)


@pytest.mark.parametrize("how", [QUIESCE, FORCE, TERMINATE])
def test_channel_when_stopped_then_socket_is_closed(how: int) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.send_flow(fap.MQGET, waiting_get(handle))
        partner.socket.ask_to_stop(how)
        await partner.socket.gone
        codes = [one.header.type for one in partner.look()]
        assert (fap.STATUS_DATA in codes) == (how != TERMINATE)
        with place.admin.queue("A") as queue:
            queue.put(b"x")
        assert place.depth("A") == 1

    run_story(story)


@pytest.mark.parametrize("doing", ["nothing", "waiting", "consuming", "putting"])
def test_connection_when_stopped_then_others_of_the_socket_go_on(doing: str) -> None:
    async def story(place: Place, partner: Partner) -> None:
        partner.action(fap.ACTION_START, 3)
        await partner.values(fap.SOCKET_ACTION)
        assert (await partner.connect(3))["reason"] == 0
        kept = await partner.open("A", ALL, 1)
        handle = await partner.open("B", ALL, 3)
        given = partner.put_values(handle, b"x", mq.MQPMO_SYNCPOINT)
        assert (await partner.call(fap.MQPUT, given, 3))["reason"] == 0
        if doing == "waiting":
            partner.send_flow(fap.MQGET, waiting_get(handle), 3)
        elif doing == "consuming":
            partner.request(handle, flags=fap.STREAM, conversation=3)
        socket = partner.socket
        number = socket.connection_ids[1]
        socket.end_connection(number)
        if doing == "waiting":
            assert (await partner.values(fap.MQGET + fap.REPLY))["reason"] == 2009
        elif doing == "consuming":
            assert (await partner.values(fap.NOTIFICATION))["value"] == 2009
        assert (place.depth("B"), socket.applications) == (0, 1)
        assert number not in place.host.engine.kernel.connections
        given = partner.put_values(handle, b"late", mq.MQPMO_NO_SYNCPOINT)
        assert (await partner.call(fap.MQPUT, given, 3))["reason"] == 2009
        assert (await partner.call(fap.MQDISC, {}, 3))["reason"] == 2009
        assert (await partner.put(kept, b"y"))["reason"] == 0
        assert place.depth("A") == 1
        partner.action(fap.ACTION_END, 3)
        await partner.until(lambda: list(socket.line.conversations) == [1])
        socket.end_connection(socket.connection_ids[0])  # the last one: the socket goes with it
        await socket.gone

    run_story(story)


@pytest.mark.skipif(is_compiled(), reason="compiled attributes take no wrong type")
def test_fault_of_ours_then_its_caller_is_notified_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def story(place: Place, partner: Partner) -> None:
        faults: list[str] = []
        monkeypatch.setattr(place.host, "fault", lambda error, doing: faults.append(doing))
        handle = await partner.open("A", ALL)
        line = partner.socket.line
        line.message_bytes_max = "no number"  # type: ignore[assignment]
        assert (await partner.put(handle, b"x"))["reason"] == 2195
        assert faults == ["a call MQPUT"]
        line.message_bytes_max = 1000
        assert (await partner.put(handle, b"x"))["reason"] == 0

    run_story(story)


@pytest.mark.skipif(is_compiled(), reason="compiled methods cannot be replaced")
def test_answer_when_it_cannot_be_made_then_socket_is_closed_and_nothing_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def story(place: Place, partner: Partner) -> None:
        faults: list[str] = []
        monkeypatch.setattr(place.host, "fault", lambda error, doing: faults.append(doing))
        handle = await partner.open("A", ALL)
        await partner.put(handle, b"no", mq.MQPMO_SYNCPOINT)

        def broken(conversation: Conversation, header: Header, values: Values) -> None:
            raise LocalProtocolError("a value that does not fit")

        monkeypatch.setattr(Conversation, "reply", broken)
        partner.send_flow(fap.MQCMIT, {})
        assert await close_notify(partner) == fap.PROTOCOL_GENERAL
        assert faults
        await partner.socket.gone
        monkeypatch.undo()

    run_story(story)


def test_partner_when_it_sends_ahead_then_it_is_read_no_further_than_allowed() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.send_flow(fap.MQGET, waiting_get(handle))
        for _ in range(257):
            partner.send_flow(fap.MQCMIT, {})
        assert not partner.pipe.is_reading()
        with place.admin.queue("A") as queue:
            queue.put(b"x")
        await partner.until(lambda: len(partner.look()) == 258)
        assert partner.pipe.is_reading()
        partner.came.clear()

    run_story(story)


def test_partner_when_it_says_much_at_once_then_others_have_a_turn() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.held = []
        for _ in range(40):
            partner.send_flow(fap.MQPUT, partner.put_values(handle, bytes(1000)))
        partner.socket.data_received(b"".join(partner.held))
        assert not partner.pipe.is_reading()
        await asyncio.sleep(0)
        assert partner.pipe.reads
        assert len(partner.look()) == 40
        partner.came.clear()

    run_story(story)


def test_trace_when_on_then_it_reports_segments_and_not_of_what_is_in_them() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        lines: list[dict[str, object]] = []

        class Kept(Trace):
            def record(self, component: str, verb: str, **facts: object) -> None:
                lines.append({"component": component, "verb": verb, **facts})

        trace = Kept("", "QM1")
        trace.on = True
        place.host.trace = trace
        await partner.put(handle, b"secret")
        await partner.put(77, b"secret")
        place.host.trace = None
        reported = [(one["verb"], one["way"], one.get("reason")) for one in lines]
        assert reported == [
            ("MQPUT", "received", 0),
            ("MQPUT_REPLY", "sent", 0),
            ("MQPUT", "received", 0),
            ("MQPUT_REPLY", "sent", 2019),
        ]
        assert {one["component"] for one in lines} == {"comms"}
        assert {one["channel"] for one in lines} == {"APP"}
        assert "secret" not in str(lines)

    run_story(story)


def test_unauthenticated_connection_when_it_sends_much_then_it_is_cut_off() -> None:
    async def story(place: Place, partner: Partner) -> None:
        for kind in ("one call", "many calls", "conversations"):
            other = Partner(place.host)
            await other.open_channel()
            if kind == "one call":
                other.send_flow(fap.MQCONN, {"fcno": {}, "rest": bytes(200_000)})
            elif kind == "many calls":
                other.send_flow(fap.MQCONN, {"fcno": {}})
                for _ in range(40):
                    other.send_flow(fap.MQPUT, other.put_values(2, bytes(2000)))
            else:
                place.mqsc("ALTER CHANNEL(APP) CHLTYPE(SVRCONN) SHARECNV(1000)")
                other = Partner(place.host)
                await other.open_channel(conversations=1000)
                for number in range(3, 40, 2):
                    other.action(fap.ACTION_START, number)
            assert [one.header.type for one in other.look()][-1] == fap.STATUS_DATA, kind
            assert other.pipe.closed
            await other.socket.gone

    run_story(story)


def test_calls_then_they_are_what_the_table_of_the_dialogue_serves() -> None:
    assert set(CALLS) == set(CONNECTED_TYPES)


def test_turns_when_many_deadlines_are_dropped_then_they_are_swept() -> None:
    async def story(place: Place, partner: Partner) -> None:
        turns = place.host.turns
        handle = await partner.open("A", ALL)
        for _ in range(1000):
            partner.request(handle, options=mq.MQGMO_WAIT, wait_ms=1_000_000)
        assert len(turns._due) < 1000
        await asyncio.sleep(0)

    run_story(story)


@pytest.mark.parametrize("type", [fap.MQPUT, fap.MQGET, fap.REQUEST_MSGS])
def test_frequent_call_when_cut_short_then_it_is_the_partners_fault(
    type: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(place: Place, partner: Partner) -> None:
        faults: list[str] = []
        monkeypatch.setattr(place.host, "fault", lambda error, doing: faults.append(doing))
        handle = await partner.open("A", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT)
        await partner.put(handle, b"a message")  # the next ones are compared with it
        for size in (0, 8, 16, 20, 23, 30, 60, 100):
            if size > 30 and type == fap.REQUEST_MSGS:
                break  # that is a whole one
            other = Partner(place.host)
            await other.open_channel()
            await other.connect()
            whole = bytes(12) + handle.to_bytes(4, "big") + Descriptor().pack(other.order, 819)
            other.send(other.header(type), whole[:size])
            await other.next(fap.STATUS_DATA)
            assert other.pipe.closed
            await other.socket.gone
        assert faults == []

    run_story(story)
