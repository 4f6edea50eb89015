"""Goal: initial data of every level are read and written, and both roles agree by the rules.

Method: the published request and its two answers, byte for byte; data made at random; offers and
requests made at random, negotiated to their end between the two roles.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.base.errors import LocalProtocolError, RemoteProtocolError
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.wire.fap import vocabulary as v
from ternmq.wire.fap.initial_data import (
    InitialData,
    bytes_of_level,
    initial_data_rows,
    read_initial_data,
    write_initial_data,
)
from ternmq.wire.fap.negotiation import (
    ROUNDS_MAX,
    Agreement,
    Offer,
    accepted,
    answer,
    bytes_of_call_max,
    heartbeat_taken,
    revised,
)
from ternmq.wire.fap.segment import Header, Segment, SegmentError, read_segment, segment
from tests.unit.wire.fap_samples import row_values
from tests.unit.wire.fap_vectors import ACCEPTING_ID, CLIENT_ID, REFUSING_ID

pytestmark = pytest.mark.core

# The simplest server that the reference describes: no sharing, no SPI, no XA, no heartbeats.
PLAIN = Offer(
    fap_level=10,
    qmgr_name="QM1",
    qmgr_id="QM1_2026-01-01_00.00.00",
    product_id="MQMM07000000",
    message_bytes_max=104857600,
    heartbeat_s=0,
    conversations_max=0,
    capabilities_2=0x01,
    process_id=1,
    thread_id=1,
    trace_id=1,
)


@st.composite
def initial_data(draw: st.DrawFn) -> InitialData:
    made = InitialData(draw(st.integers(0, 20)))
    values = {
        row.name: draw(row_values(row))
        for row in initial_data_rows()
        if row.name not in ("ID  ", "fap_level", "extended_length")
        and not row.name.startswith("protection_")
    }
    made.set(values)
    made.protections = draw(st.lists(st.integers(0, 5), max_size=10))
    made.rest = draw(st.binary(max_size=20)) if made.has_bytes == 240 else b""
    return made


def test_request_when_published_then_understood_and_written() -> None:
    one = read_segment(CLIENT_ID)
    read = read_initial_data(one)
    assert (read.fap_level, read.capabilities_1, read.capabilities_2) == (13, 0x26, 0x51)
    assert (read.capabilities_3, read.conversations_max, read.heartbeat_s) == (0x08, 10, 1)
    assert (read.segment_bytes_max, read.message_bytes_max) == (32748, 104857600)
    assert (read.channel_name, read.qmgr_name, read.ccsid) == ("DEV.APP.SVRCONN", "QM1", 1208)
    assert (read.extended_length, read.protections) == (138, [1, 0])
    assert read.product_id == "MQJB09000000"
    assert read.random == bytes(range(0x30, 0x3C))
    assert write_initial_data(one.header, read) == one.body


def test_server_role_when_published_then_answers_byte_for_byte() -> None:
    asked = read_segment(CLIENT_ID)
    made, is_error = answer(read_initial_data(asked), PLAIN)
    assert is_error
    header = asked.header.answer(v.INITIAL_DATA, v.ERROR)
    assert segment(header, write_initial_data(header, made)) == REFUSING_ID

    second = revised(read_initial_data(asked), made)
    assert (second.fap_level, second.extended_length, second.has_bytes) == (10, 106, 208)
    made, is_error = answer(second, PLAIN)
    assert not is_error
    header = asked.header.answer(v.INITIAL_DATA, 0)
    assert segment(header, write_initial_data(header, made)) == ACCEPTING_ID
    agreed = accepted(second, made)
    assert (agreed.fap_level, agreed.heartbeat_s, agreed.is_shared) == (10, 0, False)
    assert (agreed.has_spi, agreed.has_xa, agreed.has_shared_get) == (False, False, False)
    assert bytes_of_call_max(agreed) > 104857600 + 2000


@given(initial_data(), st.sampled_from([LITTLE, BIG]), st.sampled_from([False, True]))
def test_data_of_every_level_when_written_then_read_again(
    data: InitialData, order: str, is_ebcdic: bool
) -> None:
    ccsid = 500 if is_ebcdic else 1208
    header = Header(v.INITIAL_DATA, order=order, ccsid=ccsid, is_ebcdic=is_ebcdic)
    body = write_initial_data(header, data)
    assert len(body) == bytes_of_level(data.fap_level) + len(data.rest)
    read = read_initial_data(Segment(header, body, 0))
    assert read == data
    assert read.copy() == data
    assert write_initial_data(header, read) == body


def test_length_of_each_level() -> None:
    assert [bytes_of_level(n) for n in (0, 3, 4, 8, 9, 10, 11, 17)] == [
        44, 44, 102, 102, 208, 208, 240, 240,
    ]  # fmt: skip


def test_data_when_longer_than_the_level_has_then_read() -> None:
    body = bytearray(read_segment(REFUSING_ID).body)
    body[4] = 8
    read = read_initial_data(Segment(Header(v.INITIAL_DATA, order=BIG), bytes(body), 0))
    assert (read.fap_level, read.has_bytes, read.product_id) == (8, 208, "MQMM07000000")


def test_data_when_cut_then_refused_or_of_a_lower_level() -> None:
    body = read_segment(ACCEPTING_ID).body
    for size in range(len(body)):
        one = Segment(Header(v.INITIAL_DATA, order=BIG), body[:size], 0)
        if size < 44:
            with pytest.raises(SegmentError, match="INITIAL_DATA") as caught:
                read_initial_data(one)
            assert caught.value.status == v.PROTOCOL_ID_ERROR
        else:
            assert read_initial_data(one).has_bytes == (44 if size < 102 else 102)


def test_data_when_the_eye_catcher_is_wrong_then_refused() -> None:
    data = CLIENT_ID[:28] + b"IE  " + CLIENT_ID[32:]
    with pytest.raises(SegmentError, match="INITIAL_DATA"):
        read_initial_data(read_segment(data))


def test_count_of_bytes_when_of_another_level_then_not_believed() -> None:
    body = bytearray(read_segment(ACCEPTING_ID).body)
    body[100:102] = (138).to_bytes(2, "big")
    read = read_initial_data(Segment(Header(v.INITIAL_DATA, order=BIG), bytes(body), 0))
    assert (read.extended_length, read.has_bytes) == (138, 208)


@given(st.binary(max_size=300))
def test_data_when_anything_then_only_segment_error(data: bytes) -> None:
    for body in (data, b"ID  " + data, b"ID  \x0d" + bytes(40) + data):
        try:
            read_initial_data(Segment(Header(v.INITIAL_DATA, order=BIG), body, 0))
        except SegmentError:
            pass


def asks(**fields: int | str) -> InitialData:
    made = InitialData(13)
    usual: dict[str, int | str] = {
        "capabilities_1": 0x26,
        "capabilities_2": 0x51,
        "segment_bytes_max": 32748,
        "message_bytes_max": 104857600,
        "heartbeat_s": 300,
        "conversations_max": 10,
        "channel_name": "DEV.APP.SVRCONN",
    }
    made.set({**usual, **fields})
    made.protections = [1, 0]
    return made


SAME = Offer(fap_level=13, message_bytes_max=104857600)


def test_request_when_all_suits_then_one_round() -> None:
    made, is_error = answer(asks(), SAME)
    assert not is_error
    agreed = accepted(asks(), made)
    assert (agreed.is_shared, agreed.has_spi, agreed.has_xa, agreed.protection) == (
        True, True, True, 0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "bits"),
    [
        ({"heartbeat_s": 1}, v.REFUSED_HEARTBEAT),
        ({"message_bytes_max": 104857601}, v.REFUSED_MESSAGE_SIZE),
        ({"segment_bytes_max": 65000}, v.REFUSED_TRANSMISSION_SIZE),
        ({"batch_messages_max": 50}, v.REFUSED_BATCH_SIZE),
        ({"sequence_wrap": 5}, v.REFUSED_SEQUENCE_WRAP),
        ({"conversations_max": 11}, 0),
        ({"heartbeat_s": 301, "message_bytes_max": 1, "segment_bytes_max": 2000}, -1),
    ],
)
def test_value_when_not_taken_then_its_bit(fields: dict[str, int | str], bits: int) -> None:
    made, is_error = answer(asks(**fields), SAME)
    assert is_error == (bits >= 0)
    assert made.refused_1 == max(bits, 0)


def test_compressions_when_wished_then_refused() -> None:
    asked = asks()
    asked.header_compressions = b"\x08\x00"
    asked.message_compressions = b"\x02\x00" + b"\xff" * 14
    made, is_error = answer(asked, SAME)
    assert (made.refused_2, is_error) == (3, True)
    second = revised(asked, made)
    assert answer(second, SAME)[1] is False


def test_capability_that_java_clients_keep_then_left_out_and_not_refused() -> None:
    made, is_error = answer(asks(capabilities_3=0x28), SAME)
    assert (made.capabilities_3, made.refused_capabilities_3, is_error) == (0, 0x08, True)
    made, is_error = answer(asks(capabilities_3=0x20), SAME)
    assert (made.capabilities_3, made.refused_capabilities_3, is_error) == (0, 0, False)


@pytest.mark.parametrize(
    ("one", "other", "taken"), [(300, 1, 300), (1, 300, 300), (0, 300, 0), (300, 0, 0), (5, 5, 5)]
)
def test_heartbeat_then_the_less_frequent(one: int, other: int, taken: int) -> None:
    assert heartbeat_taken(one, other) == taken


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"capabilities_1": 0x07}, v.CHANNEL_WRONG_TYPE),
        ({"fap_level": 3}, v.FAP_LEVEL),
        ({"segment_bytes_max": 100}, v.NEGOTIATION_FAILED),
    ],
)
def test_request_when_nothing_helps_then_the_status(
    fields: dict[str, int | str], status: int
) -> None:
    with pytest.raises(SegmentError) as caught:
        answer(asks(**fields), SAME)
    assert caught.value.status == status


def test_sharing_below_level_9_then_none_without_another_round() -> None:
    asked = asks()
    made, _ = answer(asked, Offer(fap_level=8, message_bytes_max=104857600))
    second = revised(asked, made)
    made, is_error = answer(second, Offer(fap_level=8, message_bytes_max=104857600))
    assert not is_error
    assert not accepted(second, made).is_shared


def test_client_role_when_refused_without_a_change_then_gives_up() -> None:
    own = asks()
    with pytest.raises(RemoteProtocolError, match=r"DEV\.APP\.SVRCONN"):
        revised(own, own)


@pytest.mark.parametrize(
    "fields", [{"fap_level": 14}, {"fap_level": 3}, {"segment_bytes_max": 32749}]
)
def test_client_role_when_more_than_asked_then_refused(fields: dict[str, int | str]) -> None:
    with pytest.raises(RemoteProtocolError):
        accepted(asks(), asks(**fields))


def test_client_role_when_segments_are_too_short_then_refused() -> None:
    with pytest.raises(RemoteProtocolError, match="too short"):
        revised(asks(), asks(segment_bytes_max=100))


@settings(max_examples=40)
@given(initial_data(), initial_data(), st.integers(4, 17), st.integers(1024, 2**32 - 1))
def test_roles_when_they_negotiate_then_they_come_to_an_end(
    own: InitialData, theirs: InitialData, level: int, size: int
) -> None:
    own.fap_level = max(own.fap_level, 4)
    own.has_bytes = bytes_of_level(own.fap_level)
    own.rest = b""
    own.capabilities_1 |= v.CAP_MQI
    own.segment_bytes_max = size
    offer = Offer(
        fap_level=level,
        message_bytes_max=theirs.message_bytes_max,
        heartbeat_s=theirs.heartbeat_s,
        conversations_max=theirs.conversations_max,
        capabilities_1=theirs.capabilities_1 | v.CAP_MQI,
        capabilities_2=theirs.capabilities_2,
        capabilities_3=theirs.capabilities_3,
        batch_messages_max=theirs.batch_messages_max,
        sequence_wrap=theirs.sequence_wrap,
    )
    made, is_error = answer(own, offer)
    rounds = 1
    while is_error and rounds < ROUNDS_MAX:
        own = revised(own, made)
        made, is_error = answer(own, offer)
        rounds += 1
    assert not is_error
    client, server = accepted(own, made), Agreement(made)
    for name in ("fap_level", "segment_bytes_max", "message_bytes_max", "conversations_max"):
        assert getattr(client, name) == getattr(server, name)
    assert client.has_spi == server.has_spi
    assert client.heartbeat_s == server.heartbeat_s


def test_data_when_a_value_does_not_fit_then_ours() -> None:
    with pytest.raises(LocalProtocolError):
        write_initial_data(Header(v.INITIAL_DATA), asks(channel_name="C" * 21))
    with pytest.raises(LocalProtocolError):
        write_initial_data(Header(v.INITIAL_DATA), asks(heartbeat_s=-1))
