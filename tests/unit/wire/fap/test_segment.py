"""Goal: headers of the client protocol are read and written byte for byte, and what cannot be a
segment is refused with the reason, before anything is kept for it.

Method: published segments, headers made at random, bytes in pieces, every truncation, lies.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.errors import LocalProtocolError
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.wire.fap import vocabulary as v
from ternmq.wire.fap.segment import (
    EBCDIC,
    TSH,
    TSHC,
    TSHM,
    Header,
    SegmentError,
    read_segment,
    segment,
)
from ternmq.wire.fap.segment_reader import (
    ROOM_BYTES_MAX,
    ROOM_BYTES_MIN,
    SegmentReader,
    bytes_allowed,
)
from tests.unit.wire.fap_samples import headers
from tests.unit.wire.fap_vectors import CLIENT_ID, GET_REPLY, NO_CHANNEL, OPEN_REPLY, STATUS_OK

pytestmark = pytest.mark.core

FIELDS = (
    *("variant", "is_ebcdic", "conversation", "request", "order", "type", "flags_1", "flags_2"),
    *("luwid", "encoding", "ccsid", "reserved"),
)
ALL = CLIENT_ID + NO_CHANNEL + STATUS_OK + OPEN_REPLY + GET_REPLY


def test_header_when_published_then_understood() -> None:
    one = read_segment(CLIENT_ID)
    header = one.header
    assert (header.variant, header.type, header.flags_1) == (TSH, v.INITIAL_DATA, 0x31)
    assert (header.order, header.encoding, header.ccsid) == (BIG, 273, 1208)
    assert one.body == CLIENT_ID[28:]
    assert segment(header, one.body) == CLIENT_ID


def test_header_of_a_conversation_then_as_its_table_says() -> None:
    header = Header(
        v.MQCLOSE, variant=TSHM, conversation=3, request=9, order=LITTLE, encoding=546, ccsid=819
    )
    made = segment(header, b"body")
    assert (
        made
        == bytes.fromhex(
            "5453484d 00000028 00000003 00000009 02 84 30 00 0000000000000000 22020000 3303 0000"
        )
        + b"body"
    )


@pytest.mark.parametrize(("variant", "start"), [(TSH, "e3e2c840"), (TSHM, "e3e2c8d4")])
def test_header_of_an_ebcdic_partner(variant: str, start: str) -> None:
    made = segment(Header(v.HEARTBEAT, variant=variant, is_ebcdic=True, ccsid=500))
    assert made[:4].hex() == start
    read = read_segment(made).header
    assert (read.variant, read.is_ebcdic, read.text_ccsid) == (variant, True, 500)


@pytest.mark.parametrize(
    ("ccsid", "is_ebcdic", "used"),
    [
        (819, False, 819),
        (0, False, 1208),
        (1200, False, 1208),
        (37, False, 1208),
        (1047, True, 1047),
        (0, True, EBCDIC),
        (819, True, EBCDIC),
    ],
)
def test_character_set_when_it_cannot_be_then_that_of_the_eye_catcher(
    ccsid: int, is_ebcdic: bool, used: int
) -> None:
    assert Header(v.MQCONN, ccsid=ccsid, is_ebcdic=is_ebcdic).text_ccsid == used


@given(headers(), st.binary(max_size=50))
def test_header_when_written_then_read_again(header: Header, body: bytes) -> None:
    data = segment(header, body)
    one = read_segment(data)
    assert one.body == body
    assert segment(one.header, one.body) == data
    assert all(getattr(one.header, name) == getattr(header, name) for name in FIELDS)


def test_answer_mirrors_what_it_answers() -> None:
    asked = Header(v.MQGET, variant=TSHM, conversation=5, request=7, order=BIG, ccsid=500)
    asked.is_ebcdic = True
    made = asked.answer(v.MQGET + v.REPLY)
    assert (made.variant, made.conversation, made.request) == (TSHM, 5, 7)
    assert (made.order, made.ccsid, made.is_ebcdic, made.encoding) == (BIG, 500, True, 273)


@pytest.mark.parametrize("piece", [1, 2, 7, 27, 28, 29, 100, 5000])
def test_segments_when_cut_anywhere_then_whole(piece: int) -> None:
    reader = SegmentReader(bytes_allowed(32748))
    found = []
    for at in range(0, len(ALL), piece):
        reader.feed(ALL[at : at + piece])
        while (one := reader.next()) is not None:
            found.append(one.data)
    assert found == [CLIENT_ID, NO_CHANNEL, STATUS_OK, OPEN_REPLY, GET_REPLY]
    assert reader.kept_bytes == 0


@pytest.mark.parametrize("piece", [1, 7, 28, 100, 5000])
def test_segments_when_they_are_read_into_room_then_whole(piece: int) -> None:
    reader = SegmentReader(bytes_allowed(32748))
    found = []
    at = 0
    while at < len(ALL):
        with reader.room() as room:
            count = min(piece, len(room), len(ALL) - at)
            room[:count] = ALL[at : at + count]
        reader.filled(count)
        assert reader.newest(count) == ALL[at : at + count]
        at += count
        while (one := reader.next()) is not None:
            found.append(one.data)
    assert found == [CLIENT_ID, NO_CHANNEL, STATUS_OK, OPEN_REPLY, GET_REPLY]
    assert reader.kept_bytes == 0


def test_room_when_a_partner_says_much_then_it_grows_and_shrinks_when_it_says_little() -> None:
    reader = SegmentReader(bytes_allowed(32748))
    sizes = []
    for _ in range(5):
        with reader.room() as room:
            sizes.append(len(room))
            room[:] = bytes(len(room))
        reader.filled(sizes[-1])
        assert reader.kept_bytes == sum(sizes)
    assert sizes == [ROOM_BYTES_MIN, 16_384, 65_536, ROOM_BYTES_MAX, ROOM_BYTES_MAX]
    other = SegmentReader(bytes_allowed(32748))
    stream = segment(Header(v.HEARTBEAT)) * 32_768
    at = 0
    while at < len(stream):
        with other.room() as room:
            count = min(len(room), len(stream) - at)
            room[:count] = stream[at : at + count]
        other.filled(count)
        at += count
        while other.next() is not None:
            pass
    assert len(other.room()) == ROOM_BYTES_MAX
    other.filled(1)
    assert len(other.room()) == ROOM_BYTES_MIN


def test_reader_reports_what_is_missing() -> None:
    reader = SegmentReader(1000)
    assert reader.missing == 8
    reader.feed(STATUS_OK[:5])
    assert reader.missing == 3
    assert reader.next() is None
    reader.feed(STATUS_OK[5:20])
    assert reader.missing == 8
    assert reader.next() is None
    reader.feed(STATUS_OK[20:])
    assert reader.missing == 0


@pytest.mark.parametrize("length", [0, 27, 1001, 0x7FFFFFFF, 0xFFFFFFFF])
def test_length_when_impossible_then_refused_at_once(length: int) -> None:
    reader = SegmentReader(1000)
    reader.feed(b"TSH " + length.to_bytes(4, "big"))
    with pytest.raises(SegmentError, match=f"length of {length}") as caught:
        reader.next()
    assert caught.value.status == v.PROTOCOL_LENGTH_ERROR
    with pytest.raises(SegmentError):
        _ = reader.missing


def test_length_of_a_conversation_when_shorter_than_its_header_then_refused() -> None:
    reader = SegmentReader(1000)
    reader.feed(b"TSHM" + (35).to_bytes(4, "big"))
    with pytest.raises(SegmentError, match="36"):
        reader.next()


def test_length_when_more_was_agreed_then_allowed() -> None:
    reader = SegmentReader(100)
    reader.allow(300)
    reader.feed(CLIENT_ID)
    assert reader.next() is not None


@pytest.mark.parametrize("start", [b"GET ", b"\x16\x03\x01\x02", b"TSHX", b"tsh "])
def test_unauthenticated_connection_when_four_bytes_came_then_refused(start: bytes) -> None:
    reader = SegmentReader(1000)
    reader.feed(start)
    with pytest.raises(SegmentError, match=start.hex()):
        reader.next()


@pytest.mark.parametrize("type", [0, 0x10, 0x80, 0x90, 0xA0, 0xAB, 0xB0, 0xBB, 0xFF])
def test_type_when_unknown_then_refused(type: int) -> None:
    data = bytearray(STATUS_OK)
    data[9] = type
    with pytest.raises(SegmentError, match=f"0x{type:02X}") as caught:
        read_segment(bytes(data))
    assert caught.value.status == v.PROTOCOL_SEGMENT_TYPE


@pytest.mark.parametrize("order", [0, 3, 255])
def test_byte_order_when_unknown_then_refused(order: int) -> None:
    data = bytearray(STATUS_OK)
    data[8] = order
    with pytest.raises(SegmentError, match="byte order"):
        read_segment(bytes(data))


def test_segment_when_truncated_anywhere_then_refused() -> None:
    for size in range(len(NO_CHANNEL)):
        with pytest.raises(SegmentError):
            read_segment(NO_CHANNEL[:size])
    with pytest.raises(SegmentError):
        read_segment(NO_CHANNEL + b"x")


@given(st.binary(max_size=200))
def test_anything_at_all_then_a_segment_or_a_segment_error(data: bytes) -> None:
    for start in (b"", b"TSH ", b"TSHM", b"TSHC\0\0\0"):
        reader = SegmentReader(4096)
        reader.feed(start + data)
        try:
            while reader.next() is not None:
                pass
        except SegmentError:
            pass


def test_header_when_a_value_does_not_fit_then_ours() -> None:
    with pytest.raises(LocalProtocolError, match="HEARTBEAT"):
        segment(Header(v.HEARTBEAT, variant=TSHC, ccsid=70000))
