"""Goal: every body of the client protocol is read and written by its table, and a body that lies
or ends early is refused with what is wrong, and with no other exception.

Method: published segments; for every type values made at random from its table, in both byte
orders, ASCII and EBCDIC; every truncation and changed bytes of what was made.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.base.errors import LocalProtocolError
from ternmq.codec.mqi.charv import write_charv
from ternmq.codec.mqi.layout import BIG
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.wire.fap import vocabulary as v
from ternmq.wire.fap.flow import read_body, write_body
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import TSHM, Header, Segment, SegmentError, read_segment, segment
from tests.unit.wire.fap_samples import BODIES, bodies, headers
from tests.unit.wire.fap_vectors import CONNECT_REPLY, GET_REPLY, NO_CHANNEL, OPEN_REPLY, STATUS_OK

pytestmark = pytest.mark.core


def made(type: int, values: Values, fap_level: int = 13, order: str = BIG) -> Segment:
    header = Header(type, order=order)
    return read_segment(segment(header, write_body(header, values, fap_level)))


def again(type: int, values: Values, fap_level: int = 13) -> Values:
    return read_body(made(type, values, fap_level), fap_level).values


@pytest.mark.parametrize("data", [CONNECT_REPLY, OPEN_REPLY, GET_REPLY, NO_CHANNEL, STATUS_OK])
@pytest.mark.parametrize("is_packed", [False, True])
def test_body_when_published_then_written_byte_for_byte(data: bytes, is_packed: bool) -> None:
    one = read_segment(data)
    body = read_body(one, 10, is_packed=is_packed)
    assert segment(one.header, write_body(one.header, body.values, 10)) == data


def test_connect_reply_when_published_then_understood() -> None:
    values = read_body(read_segment(CONNECT_REPLY), 10).values
    assert values["qmgr_name"] == "QM1"
    assert values["appl_name"] == "MyApp"
    assert (values["appl_type"], values["options"], values["call_length"]) == (28, 3, 304)
    assert values["fcno"]["version"] == 1
    assert values["fcno"]["connection_tag"][:24] == b"AMQCQM1         \1\2\3\4\5\6\7\x08"
    assert "reconnect_id" not in values
    assert "rest" not in values


def test_open_reply_when_published_then_understood() -> None:
    values = read_body(read_segment(OPEN_REPLY), 10).values
    assert (values["handle"], values["options"]) == (2, 0x2011)
    assert values["object"] == ObjectDescriptor(object_name="DEV.QUEUE.1", version=1)
    assert values["fopa"]["default_put_response"] == 1


def test_get_reply_when_published_then_understood() -> None:
    body = read_body(read_segment(GET_REPLY), 10)
    assert body.values["data"] == b"hello"
    assert body.values["descriptor"].put_appl_name == "MyApp"
    assert isinstance(body.values["options"], GetOptions)
    assert body.starts == {"descriptor": 44, "options": 44 + 324}


def test_status_when_published_then_understood() -> None:
    assert read_body(read_segment(NO_CHANNEL), 10).values == {"length": 8, "code": v.NO_CHANNEL}
    assert read_body(read_segment(STATUS_OK), 10).values == {}
    reported = again(v.STATUS_DATA, {"length": 12, "code": 4, "value": 77})
    assert reported == {"length": 12, "code": 4, "value": 77}


@pytest.mark.parametrize("type", BODIES)
@settings(max_examples=15)
@given(data=st.data())
def test_body_of_every_type_when_written_then_read_again(type: int, data: st.DataObject) -> None:
    header = data.draw(headers([type]))
    values = data.draw(bodies(type))
    level = data.draw(st.sampled_from([4, 10, 13, 17]))
    body = write_body(header, values, level)
    one = Segment(header, body, 0)
    for is_packed in (False, True):
        read = read_body(one, level, is_packed=is_packed)
        assert write_body(header, read.values, level) == body


@pytest.mark.parametrize("type", BODIES)
@settings(max_examples=8)
@given(data=st.data())
def test_body_of_every_type_when_spoilt_then_only_segment_error(
    type: int, data: st.DataObject
) -> None:
    header = data.draw(headers([type]))
    body = bytearray(write_body(header, data.draw(bodies(type)), 17))
    for _ in range(data.draw(st.integers(0, 3)) if body else 0):
        at = data.draw(st.integers(0, len(body) - 1))
        body[at] = data.draw(st.sampled_from([0, 1, 0x7F, 0x80, 0xFF]))
    for size in {len(body), data.draw(st.integers(0, len(body)))}:
        text = ""
        try:
            read_body(Segment(header, bytes(body[:size]), 0), 17)
        except SegmentError as error:
            text = str(error)
        assert not text or text.startswith(v.TYPE_NAMES[type])


def test_call_when_truncated_anywhere_then_refused() -> None:
    for data, optional in ((OPEN_REPLY, {len(OPEN_REPLY) - 28}), (CONNECT_REPLY, {28 + 16 + 120})):
        for size in range(28, len(data)):
            one = read_segment(data[:4] + size.to_bytes(4, "big") + data[8:size])
            if size in optional:
                read_body(one, 10)
            elif data is OPEN_REPLY and size in (len(data) - 25, len(data) - 26, len(data) - 27):
                assert "rest" in read_body(one, 10).values
            else:
                with pytest.raises(SegmentError):
                    read_body(one, 10)


@pytest.mark.parametrize("length", [-1, 6, 2**31 - 1, -(2**31)])
def test_put_when_the_length_lies_then_refused(length: int) -> None:
    values = {"descriptor": Descriptor(), "options": PutOptions(), "data": b"hello"}
    one = made(v.MQPUT, {**values, "data_length": length})
    with pytest.raises(SegmentError, match=f"data_length is {length}") as caught:
        read_body(one, 13)
    assert caught.value.status == v.PROTOCOL_LENGTH_ERROR


def test_get_reply_when_the_message_was_cut_then_what_is_there() -> None:
    values = {"descriptor": Descriptor(), "options": GetOptions(), "data": b"hello"}
    read = again(v.MQGET + v.REPLY, {**values, "data_length": 1000})
    assert (read["data_length"], read["data"]) == (1000, b"hello")
    with pytest.raises(SegmentError):
        again(v.MQGET + v.REPLY, {**values, "data_length": -1})


@pytest.mark.parametrize("count", [-1, 3, 2**30, 2**31 - 1])
def test_selectors_when_the_count_lies_then_refused_before_they_are_made(count: int) -> None:
    one = made(v.MQINQ, {"selectors": [2015, 31], "selector_count": count})
    with pytest.raises(SegmentError, match="selector_count"):
        read_body(one, 13)


@pytest.mark.parametrize("count", [-1, 2, 2**31 - 1])
def test_branches_when_the_count_lies_then_refused(count: int) -> None:
    branch = {"format_id": 1, "gtrid": b"g" * 5, "bqual": b"b"}
    one = made(v.XA_RECOVER + v.REPLY, {"xids": [branch], "count": count})
    with pytest.raises(SegmentError):
        read_body(one, 13)


@pytest.mark.parametrize("records", [2, 2**24, 2**31 - 1])
def test_distribution_list_when_the_count_lies_then_refused(records: int) -> None:
    object = ObjectDescriptor(version=2, records_present=records, object_record_offset=200)
    one = made(v.MQOPEN, {"object": object, "object_following": bytes(96)})
    with pytest.raises(SegmentError, match="object_following"):
        read_body(one, 13)


def test_distribution_list_then_records_are_found() -> None:
    object = ObjectDescriptor(version=2, records_present=2, response_record_offset=392)
    object.object_record_offset = 200
    put = PutOptions(version=2, records_present=2, put_record_fields=0x09, response_record_offset=1)
    put.put_record_offset = 152
    values: Values = {
        "object": object,
        "object_following": b"o" * (2 * 96 + 2 * 8),
        "descriptor": Descriptor(),
        "options": put,
        "options_following": b"p" * (2 * 28 + 2 * 8),
        "data": b"hello",
    }
    read = again(v.MQPUT1, values)
    assert {name: read[name] for name in values} == values
    assert "rest" not in read


def test_distribution_list_when_an_offset_is_zero_then_those_records_are_not_there() -> None:
    values: Values = {
        "object": ObjectDescriptor(version=2, records_present=2, response_record_offset=200),
        "object_following": b"r" * (2 * 8),
        "descriptor": Descriptor(),
        "options": PutOptions(version=2, records_present=2, put_record_fields=0x01),
        "data": b"hello",
    }
    read = again(v.MQPUT1, values)
    assert {name: read[name] for name in values} == values
    assert "options_following" not in read


def test_object_strings_when_behind_the_structure_then_found() -> None:
    object = ObjectDescriptor(version=4)
    string = write_charv(object.object_string, "news/today", 400, 1208)
    values = {"object": object, "object_following": string + b"\0\0", "options": 16}
    body = read_body(made(v.MQOPEN, values), 13)
    assert body.values["options"] == 16
    assert body.string("object", body.values["object"].object_string, 10240) == "news/today"
    with pytest.raises(SegmentError):
        body.string("object", body.values["object"].object_string, 9)


def test_call_length_counts_the_header_and_the_output_area() -> None:
    for variant, more in (("TSH ", 0), (TSHM, 8)):
        header = Header(v.MQINQ, variant=variant)
        values = {"selectors": [31, 2015], "integer_count": 1, "character_length": 48}
        body = write_body(header, values, 13)
        assert int.from_bytes(body[:4], "big") == more + 28 + 16 + 12 + 8 + 4 + 48
        reply = Header(v.MQCMIT + v.REPLY, variant=variant)
        assert write_body(reply, {}, 13)[:4] == b"\0\0\0\x2c"
    got = {"descriptor": Descriptor(version=1), "options": GetOptions(version=1)}
    read = again(v.MQGET, {**got, "buffer_length": 1000})
    assert read["call_length"] == 28 + 16 + 324 + 72 + 4 + 1000


def test_request_for_messages_then_only_the_ids_that_are_matched() -> None:
    plain = write_body(Header(v.REQUEST_MSGS), {"handle": 2}, 13)
    assert len(plain) == 40
    values = {"request_flags": v.SELECTION, "match_options": 0x22, "correl_id": b"c" * 24}
    chosen = write_body(Header(v.REQUEST_MSGS), values, 13)
    assert len(chosen) == 64 + 24 + 16
    with pytest.raises(SegmentError, match="message_token"):
        read_body(Segment(Header(v.REQUEST_MSGS), chosen[:-1], 0), 13)


def test_async_message_then_as_its_table_says() -> None:
    values = {"resolved_queue_name": "DEV.Q", "descriptor": Descriptor(), "data": b"hello"}
    body = write_body(Header(v.ASYNC_MESSAGE, order=BIG), values, 13)
    assert body[16:20] == b"\0\0\0\5"
    assert body[54:60] == b"\5DEV.Q"
    assert body[60:64] == b"MD  "
    assert len(body) == 60 + 364 + 5
    read = read_body(Segment(Header(v.ASYNC_MESSAGE, order=BIG), body + b"\0\0\0", 0), 13)
    assert (read.values["data"], read.values["rest"]) == (b"hello", b"\0\0\0")


@pytest.mark.parametrize(("level", "size"), [(13, 24), (16, 24), (17, 32)])
def test_authentication_of_each_level(level: int, size: int) -> None:
    values = {"user_id": "app", "password": b"secret"}
    body = write_body(Header(v.CONAUTH_INFO), values, level)
    assert body[size:] == b"appsecret"
    read = read_body(Segment(Header(v.CONAUTH_INFO), body, 0), level)
    assert (read.values["user_id"], read.values["password"]) == ("app", b"secret")
    assert (size + 3, size + 9) in read.secrets


def test_user_id_of_each_level() -> None:
    short = {"user_id": "APP", "password": ""}
    assert len(write_body(Header(v.USERID_DATA), short, 4)) == 28
    long = {**short, "long_user_id": "application"}
    assert len(write_body(Header(v.USERID_DATA), long, 5)) == 132
    assert again(v.USERID_DATA, long) == {**long, "security_id": bytes(40)}


def test_connection_of_each_level_then_as_long_as_known() -> None:
    header = Header(v.MQCONN)
    reconnect = {"reconnect_id": bytes(24)}
    lengths = [
        len(write_body(header, values, 13)) - 16
        for values in (
            {},
            {"fcno": {"version": 1}},
            {"fcno": {"version": 2}, **reconnect},
            {"fcno": {"version": 3}, **reconnect},
            {"fcno": {"version": 4}, **reconnect},
        )
    ]
    assert lengths == [120, 260, 332, 460, 472]


def test_query_of_the_verbs_as_the_real_one_answers() -> None:
    verbs = [{"verb": n, "in_out_version": 1} for n in range(1, 13)]
    values: Values = {"verb": v.SPI_QUERY, "spqo": {"length": 256, "verbs": verbs}}
    body = write_body(Header(v.SPI + v.REPLY, order=BIG), values, 13)
    assert body[16 + 12 : 16 + 24] == b"SPQU\0\0\0\1\0\0\0\x0c"
    assert body[40:56] == b"SPQO\0\0\0\1\0\0\1\0\0\0\0\x0c"
    assert len(body) == 40 + 256


def test_reservation_of_tags_as_the_java_client_asks() -> None:
    asked = bytes.fromhex(
        "00000078 00000000 00000000 00000000 00000006 00000001 0000002c"
        "53505255 00000001 0000000c 53505249 00000001 00000014 00000018 00ffffff"
    )
    values = read_body(Segment(Header(v.SPI, order=BIG), asked, 0), 13).values
    assert values["spri"] == {
        "version": 1,
        "length": 20,
        "tag_bytes": 24,
        "reservation": 0xFFFFFF,
    }
    values = {"verb": v.SPI_RESERVE, "spro": {"tag": b"t" * 24}}
    made = write_body(Header(v.SPI + v.REPLY), values, 13)
    assert len(made) == 16 + 12 + 12 + 44


def test_status_as_the_java_client_asks() -> None:
    asked = bytes.fromhex("00000110 00000000 00000000 00000000 00000000") + b"STAT\0\0\0\1"
    one = Segment(Header(v.MQSTAT, order=BIG), asked + bytes(216), 0)
    values = read_body(one, 10).values
    assert (values["status_type"], values["status"].version) == (0, 1)
    assert "rest" not in values


def test_verb_when_its_layout_is_not_known_then_the_rest() -> None:
    read = again(v.SPI, {"verb": v.SPI_SYNCPOINT, "rest": b"whatever"})
    assert (read["verb"], read["rest"]) == (v.SPI_SYNCPOINT, b"whatever")


def test_branch_then_padded() -> None:
    values = {"xid": {"format_id": 1, "gtrid": b"ggg", "bqual": b"bb"}, "flags": 0x04000000}
    body = write_body(Header(v.XA_END, order=BIG), values, 13)
    assert body[16:] == b"\0\0\0\1\3\2gggbb\0"
    assert again(v.XA_END, values)["xid"]["bqual"] == b"bb"


def test_reply_of_a_failed_call_without_a_body_then_understood() -> None:
    header = Header(v.MQOPEN + v.REPLY, order=BIG)
    body = bytes.fromhex("0000002c 00000002 00000825 ffffffff")
    assert read_body(Segment(header, body, 0), 13).values["reason"] == 2085
    worked = bytes.fromhex("0000002c 00000000 00000000 00000002")
    with pytest.raises(SegmentError, match="MQOPEN_REPLY: "):
        read_body(Segment(header, worked, 0), 13)


@pytest.mark.parametrize(
    ("type", "values"),
    [
        (v.MQPUT, {}),
        (v.MQCLOSE, {"options": 2**31}),
        (v.MQCLOSE, {"options": "1"}),
        (v.MQCONN, {"qmgr_name": "Q" * 49}),
        (v.MQINQ, {"selectors": [2**31]}),
        (v.CONAUTH_INFO, {"user_id": "app", "user_id_length": 4}),
    ],
)
def test_value_when_it_does_not_fit_then_ours(type: int, values: Values) -> None:
    with pytest.raises(LocalProtocolError):
        write_body(Header(type), values, 13)
