"""The client's end of a channel without a socket, and the first words of a client.

What comes in, in whatever pieces and form, reaches its conversation; every answer to the initial
data is understood. Segments are written by the tables of `wire`, as a queue manager would.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq import Descriptor, MQError
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.base.errors import RemoteProtocolError
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.property import Property
from ternmq.codec.property_area import pack_area
from ternmq.kernel.connection import Connection, Handle
from ternmq.remote.fap.client_channel import Address, ClientChannel
from ternmq.remote.fap.client_conversation import ChannelEnd, ChannelEnded, Reply, Stream
from ternmq.remote.fap.client_dialogue import (
    ConnectParameters,
    Negotiated,
    connecting,
    ended_segment,
    meeting,
    refused,
    wishes,
)
from ternmq.remote.fap.frames import FapRequest
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.dialogue import CONVERSATION
from ternmq.wire.fap.flow import read_body, write_body
from ternmq.wire.fap.initial_data import read_initial_data, write_initial_data
from ternmq.wire.fap.negotiation import Agreement, Offer, answer
from ternmq.wire.fap.segment import TSHM, Header, Segment, read_segment, segment
from ternmq.wire.fap.segment_reader import Assembler, SegmentReader, split

pytestmark = pytest.mark.core

CHANNEL = ClientChannel("APP", (Address("h", 1),))
FORMS = [(LITTLE, 1208, False), (BIG, 819, False), (BIG, 500, True)]
IDS = ["little", "big", "ebcdic"]


def agreed(**values: Any) -> Agreement:
    data = wishes(CHANNEL, "QM1")
    for name, value in values.items():
        setattr(data, name, value)
    return Agreement(data)


def end_with(conversations: int = 1, **values: Any) -> ChannelEnd:
    end = ChannelEnd(agreed(**values))
    for _ in range(conversations):
        end.add()
    return end


def header(type: int, conversation: int = 1, form: tuple[str, int, bool] = FORMS[0]) -> Header:
    order, ccsid, is_ebcdic = form
    return Header(
        type,
        variant=TSHM,
        conversation=conversation,
        order=order,
        ccsid=ccsid,
        is_ebcdic=is_ebcdic,
    )


def flow(type: int, values: dict[str, Any], **where: Any) -> bytes:
    """A whole flow of a queue manager, in as many segments as it needs."""
    one = header(type, **where)
    return b"".join(split(one, write_body(one, values, 10), 32_748))


def got(data: bytes, **more: Any) -> dict[str, Any]:
    """The values of a reply to MQGET."""
    descriptor = Descriptor(msg_id=b"m" * 24, put_date="20260101", put_time="12000000", format="F")
    gmo = GetOptions(version=3, message_token=b"\0\0\0\5\1\0\0\0\0\7\0\0\0\0\0\x09")
    return {
        "descriptor": descriptor,
        "options": gmo,
        "data": data,
        "data_length": len(data),
        **more,
    }


@pytest.mark.parametrize("form", FORMS, ids=IDS)
@pytest.mark.parametrize("size", [0, 5, 32_768, 200_000])
def test_a_message_arrives_in_any_form_and_in_any_pieces(
    form: tuple[str, int, bool], size: int
) -> None:
    data = bytes(number % 255 for number in range(size))
    stream = flow(fap.MQGET + fap.REPLY, got(data), form=form)
    for piece in (1 << 20, 40_000, 1000 if size > 5 else 1):
        end = end_with()
        for at in range(0, len(stream), piece):
            end.feed(stream[at : at + piece])
        reply = end.conversations[1].take_reply()
        assert reply is not None
        message = reply.message(1 << 22)
        assert (message.data, message.msg_id, message.format) == (data, b"m" * 24, "F")
        assert (message.sequence, message.length) == (7, size)
        assert message.put_time is not None
        assert message.put_time.year == 2026


def test_answers_go_to_their_own_conversation() -> None:
    end = end_with(3)
    assert list(end.conversations) == [1, 3, 5]
    end.feed(flow(fap.MQCMIT + fap.REPLY, {"reason": 5}, conversation=3))
    assert end.conversations[1].take_reply() is None
    reply = end.conversations[3].take_reply()
    assert reply is not None
    assert reply.reason == 5
    end.feed(flow(fap.MQCMIT + fap.REPLY, {}, conversation=99))  # of one that has ended


def test_the_answer_to_an_interrupted_verb_is_dropped() -> None:
    end = end_with()
    conversation = end.conversations[1]
    conversation.skip = 1
    end.feed(flow(fap.MQCMIT + fap.REPLY, {"reason": 1}))
    end.feed(flow(fap.MQCMIT + fap.REPLY, {"reason": 2}))
    reply = conversation.take_reply()
    assert reply is not None
    assert reply.reason == 2


@pytest.mark.parametrize("form", FORMS, ids=IDS)
@pytest.mark.parametrize("size", [3, 100_000])
def test_messages_that_are_pushed_come_to_the_stream_of_their_handle(
    form: tuple[str, int, bool], size: int
) -> None:
    end = end_with()
    conversation = end.conversations[1]
    stream = conversation.streams[2] = Stream(1000)
    for index in (1, 2):
        values = {
            "handle": 2,
            "message_index": index,
            "global_message_index": index,
            "total_length": size,
            "actual_length": size,
            "message_token": bytes(16),
            "resolved_queue_name": "QUEUE.A",
            "descriptor": Descriptor(correl_id=b"%d" % index * 24),
            "data": bytes(size),
        }
        end.feed(flow(fap.ASYNC_MESSAGE, values, form=form))
        end.feed(flow(fap.ASYNC_MESSAGE, {**values, "handle": 4}, form=form))  # closed
    first, second = stream.take(), stream.take()
    assert first is not None
    assert second is not None
    assert (first.correl_id[:1], second.correl_id[:1]) == (b"1", b"2")
    assert (len(first.data), stream.index, stream.name) == (size, 2, "QUEUE.A")
    assert stream.take_consumed() == 2 * (size + 364)
    assert stream.take() is None


def test_a_notification_says_why_no_more_messages_come() -> None:
    end = end_with()
    stream = end.conversations[1].streams[2] = Stream(1000)
    stream.is_armed = True
    values = {"handle": 2, "code": fap.GET_INHIBITED, "value": rc.MQRC_GET_INHIBITED}
    end.feed(flow(fap.NOTIFICATION, values))
    assert (stream.fault, stream.is_armed) == (rc.MQRC_GET_INHIBITED, False)
    values = {"handle": 2, "code": fap.CHECK_MSG, "value": 7}
    end.feed(flow(fap.NOTIFICATION, values))
    reply = end.conversations[1].take_reply()
    assert reply is not None
    assert reply.reason == 7


def test_a_heartbeat_is_answered_if_it_asks() -> None:
    end = end_with()
    asks = Header(fap.HEARTBEAT, variant="TSHC", flags_1=fap.CONFIRM_REQUEST)
    end.feed(segment(asks))
    (answered,) = end.out
    one = read_segment(answered)
    assert (one.header.type, one.header.flags_1) == (fap.HEARTBEAT, 0)
    end.out.clear()
    end.heartbeat_due = True
    end.feed(answered)
    assert (end.out, end.heartbeat_due) == ([], False)


def test_a_status_ends_every_conversation_with_its_code() -> None:
    end = end_with(2)
    woken: list[int] = []
    for number, conversation in end.conversations.items():
        conversation.wake = lambda number=number: woken.append(number)
    one = header(fap.STATUS_DATA)
    one.flags_1 = fap.ERROR | fap.CLOSE_CHANNEL
    end.feed(segment(one, write_body(one, {"code": fap.QM_TERMINATING}, 10)))
    assert woken == [1, 3]
    for conversation in end.conversations.values():
        assert isinstance(conversation.ended, ChannelEnded)
        assert conversation.ended.status == fap.QM_TERMINATING
    assert not end.has_room


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"TSHM" + (1 << 30).to_bytes(4, "big") + bytes(40),
        b"TSHM" + (10).to_bytes(4, "big") + bytes(40),
        segment(header(fap.MQCMIT + fap.REPLY), b"short"),
        segment(header(fap.MQPUT), bytes(100)),
        segment(header(fap.ASYNC_MESSAGE), bytes(30)),
    ],
    ids=["stranger", "long", "short", "cut reply", "a request", "cut message"],
)
def test_what_no_queue_manager_says_is_refused(data: bytes) -> None:
    end = end_with()
    with pytest.raises(RemoteProtocolError):
        end.feed(data)


# ---- requests


@pytest.mark.parametrize("sharing", [0, 10])
@pytest.mark.parametrize("size", [0, 2000, 100_000])
def test_a_put_by_offsets_is_what_the_tables_would_write(sharing: int, size: int) -> None:
    end = end_with(conversations_max=sharing)
    conversation = end.conversations[1]
    packed = Descriptor(format="MQSTR", priority=3).pack()
    request = FapRequest(fap.MQPUT, Handle(Connection(0, b"", "", ""), 8, 0), packed, bytes(size))
    request.options = 4
    request.msg_id = b"i" * 24
    whole = assembled(request.encoded(conversation))
    values = read_body(whole, 10).values
    assert values["handle"] == 8
    assert values["data"] == bytes(size)
    assert values["descriptor"].msg_id == b"i" * 24
    assert values["descriptor"].priority == 3
    assert isinstance(values["options"], PutOptions)
    assert values["options"].options == 4
    own = 36 if sharing else 28
    assert values["call_length"] == own + 16 + 364 + 128 + 4 + size


def assembled(data: bytes) -> Segment:
    """One call of all its segments."""
    reader = SegmentReader(40_000)
    assembler = Assembler(1 << 20, 4)
    reader.feed(data)
    found: Segment | None = None
    while (one := reader.next()) is not None:
        found = assembler.add(one)
    assert found is not None
    return found


# ---- the first words


def play(offer: Offer, channel: ClientChannel = CHANNEL) -> tuple[Negotiated, list[str]]:
    """The exchange of initial data with a queue manager that offers this; the headers used."""
    words = meeting(channel, "QM1")
    data = next(words)
    variants: list[str] = []
    while True:
        one = read_segment(data)
        variants.append(one.header.variant)
        made, again = answer(read_initial_data(one), offer)
        back = one.header.answer(fap.INITIAL_DATA, fap.ERROR if again else 0)
        try:
            data = words.send(read_segment(segment(back, write_initial_data(back, made))))
        except StopIteration as end:
            negotiated: Negotiated = end.value
            return negotiated, variants


def test_both_sides_agree_on_the_least_of_both() -> None:
    offer = Offer(
        fap_level=10,
        qmgr_name="QM1",
        qmgr_id="QM1_X",
        message_bytes_max=5000,
        heartbeat_s=60,
        conversations_max=3,
        capabilities_3=fap.CAP_MULTIPLEX_SYNCGET,
    )
    negotiated, variants = play(offer)
    agreement = negotiated.agreement
    assert (negotiated.qmgr_name, negotiated.qmgr_id) == ("QM1", "QM1_X")
    assert (agreement.message_bytes_max, agreement.heartbeat_s) == (5000, 300)
    assert (agreement.conversations_max, agreement.has_shared_get) == (3, True)
    assert variants == ["TSH ", "TSHM"]


def test_without_sharing_everything_has_the_plain_header() -> None:
    negotiated, variants = play(Offer(fap_level=10, conversations_max=0))
    assert not negotiated.agreement.is_shared
    assert variants == ["TSH ", "TSH "]


def test_a_queue_manager_of_an_old_level_is_met_there() -> None:
    negotiated, _variants = play(Offer(fap_level=8))
    assert (negotiated.agreement.fap_level, negotiated.agreement.is_shared) == (8, False)


def test_a_refusal_has_its_reason_with_host_and_channel() -> None:
    words = meeting(CHANNEL, "QM1")
    next(words)
    back = Header(fap.STATUS_DATA, flags_1=fap.ERROR | fap.CLOSE_CHANNEL)
    one = read_segment(segment(back, write_body(back, {"code": fap.NO_CHANNEL}, 10)))
    with pytest.raises(ChannelEnded) as ended:
        words.send(one)
    error = refused(ended.value, CHANNEL, "h(1)")
    assert isinstance(error, MQError)
    assert error.reason == rc.MQRC_UNKNOWN_CHANNEL_NAME
    assert "h(1)" in error.detail
    assert "APP" in error.detail
    assert refused(ChannelEnded(77, 0), CHANNEL, "h(1)").reason == rc.MQRC_Q_MGR_NOT_AVAILABLE


def refuse_for_ever() -> None:
    words = meeting(CHANNEL, "QM1")
    data = next(words)
    while True:
        one = read_segment(data)
        made, _again = answer(read_initial_data(one), Offer(fap_level=10))
        back = one.header.answer(fap.INITIAL_DATA, fap.ERROR)
        data = words.send(read_segment(segment(back, write_initial_data(back, made))))


def test_a_queue_manager_that_never_agrees_is_given_up() -> None:
    with pytest.raises(RemoteProtocolError):
        refuse_for_ever()


ANSWERS: dict[int, tuple[int, dict[str, Any]]] = {
    fap.SOCKET_ACTION: (fap.SOCKET_ACTION, {"action": fap.ACTION_STARTED}),
    fap.CONAUTH_INFO: (fap.STATUS_DATA, {}),
    fap.MQCONN: (fap.MQCONN + fap.REPLY, {"qmgr_name": "QM1", "fcno": {}}),
}


def connect(number: int, password: str | None, wrong: dict[int, int]) -> list[Header]:
    """The first words of a conversation, in which some are answered by segments of other types;
    what the client sent."""
    end = end_with(number)
    *_others, conversation = end.conversations.values()
    negotiated = Negotiated(end.agreement, "QM1", "QM1_X")
    parameters = ConnectParameters("QM1", "joe", "joe", password, "app")
    words = connecting(conversation, negotiated, parameters, "channel APP at localhost(1414)")
    sent: list[Header] = []
    reply: Reply | None = None
    while True:
        try:
            request = words.send(reply)
        except StopIteration:
            break
        one = read_segment(request.encoded(conversation))
        sent.append(one.header)
        reply = None
        if request.is_answered:
            type, values = ANSWERS[request.type]
            body = write_body(Header(type), values, 10) or bytes(16)
            reply = Reply(wrong.get(request.type, type), body, 0, len(body), 10)
    sent.append(read_segment(ended_segment(conversation)).header)
    return sent


@pytest.mark.parametrize("password", [None, "secret"])
@pytest.mark.parametrize("number", [1, 2])
def test_first_words_have_the_flags_of_their_rows(number: int, password: str | None) -> None:
    sent = connect(number, password, {})
    types = [fap.SOCKET_ACTION] * (number > 1) + [fap.USERID_DATA]
    types += [fap.CONAUTH_INFO] * (password is not None) + [fap.MQCONN, fap.SOCKET_ACTION]
    assert [one.type for one in sent] == types
    for one in sent:
        flags = {row.flags for row in CONVERSATION.rows if one.type in row.types and not row.text}
        assert {one.flags_1} == flags


@pytest.mark.parametrize("request_type", ANSWERS)
@pytest.mark.parametrize(
    "answer_type", [fap.STATUS_DATA, fap.SOCKET_ACTION, fap.MQCMIT + fap.REPLY]
)
def test_first_words_when_answered_by_another_segment_then_the_queue_manager_is_left(
    request_type: int, answer_type: int
) -> None:
    if answer_type == ANSWERS[request_type][0]:
        connect(2, "secret", {request_type: answer_type})
        return
    with pytest.raises(RemoteProtocolError, match=f"answers {fap.type_name(request_type)}"):
        connect(2, "secret", {request_type: answer_type})


def test_a_message_with_an_area_that_is_not_sound_ends_the_conversation() -> None:
    area = pack_area([Property("a", mq.MQTYPE_STRING, "red")])
    for data, is_sound in ((area + b"body", True), (area[:-1] + b"\xffbody", False)):
        values = got(data, data_length=4)
        values["options"].returned_length = len(data)
        end = end_with()
        end.feed(flow(fap.MQGET + fap.REPLY, values))
        reply = end.conversations[1].take_reply()
        assert reply is not None
        if is_sound:
            message = reply.message(100)
            assert (message.data, dict(message.properties)) == (b"body", {"a": "red"})
            continue
        with pytest.raises(RemoteProtocolError):
            reply.message(100)
