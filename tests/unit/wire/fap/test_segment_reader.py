"""Goal: a call of any length comes out of its segments as it went in, and no peer can make us keep
more than was agreed.

Method: calls split at sizes around the limit and put together again, two conversations at once;
segments out of order, doubled, without end.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.errors import LocalProtocolError
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.wire.fap import vocabulary as v
from ternmq.wire.fap.flow import read_body, write_body
from ternmq.wire.fap.segment import TSHM, Header, Segment, SegmentError, read_segment, segment
from ternmq.wire.fap.segment_reader import Assembler, split

pytestmark = pytest.mark.core


def put_together(segments: list[bytes], assembler: Assembler) -> Segment:
    found = [assembler.add(read_segment(one)) for one in segments]
    assert found[:-1] == [None] * (len(found) - 1)
    assert found[-1] is not None
    assert assembler.kept_bytes == 0
    return found[-1]


@given(
    st.binary(max_size=500),
    st.integers(64, 200),
    st.sampled_from(["TSH ", TSHM]),
    st.sampled_from([LITTLE, BIG]),
)
def test_call_when_split_then_put_together(
    body: bytes, size: int, variant: str, order: str
) -> None:
    header = Header(v.MQPUT, variant=variant, conversation=1, request=3, order=order)
    segments = list(split(header, body, size))
    assert all(len(one) <= size for one in segments)
    flags = [read_segment(one).header.flags_1 for one in segments]
    assert flags == [
        (v.FIRST if at == 0 else 0) | (v.LAST if at == len(segments) - 1 else 0)
        for at in range(len(segments))
    ]
    whole = put_together(segments, Assembler(1000, 1))
    assert whole.body == body
    assert whole.header.flags_1 == v.FIRST_AND_LAST


@pytest.mark.parametrize("kind", [v.MQGET, v.ASYNC_MESSAGE])
@pytest.mark.parametrize("length", [0, 1, 30, 100, 1000])
@pytest.mark.parametrize("size", [120, 200, 32_000])
def test_call_when_its_front_is_given_apart_then_the_same_segments(
    kind: int, length: int, size: int
) -> None:
    data = bytes(range(250)) * 4
    front = bytearray(b"front of the call" * 3)
    front[16:20] = length.to_bytes(4, "little")  # of ASYNC_MESSAGE: how much data there is
    apart = list(split(Header(kind), data[:length], size, bytes(front)))
    assert apart == list(split(Header(kind), bytes(front) + data[:length], size))


@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_call_at_the_size_then_one_segment_or_two(beyond: int) -> None:
    body = b"x" * (32748 - 28 + beyond)
    segments = list(split(Header(v.MQPUT), body, 32748))
    assert [len(one) for one in segments] == ([32748 + beyond] if beyond <= 0 else [32748, 29])


@pytest.mark.parametrize("order", [LITTLE, BIG])
@pytest.mark.parametrize("length", [0, 1, 500, 5000])
def test_message_when_delivered_in_segments_then_whole(length: int, order: str) -> None:
    data = bytes(n % 251 for n in range(length))
    header = Header(v.ASYNC_MESSAGE, variant=TSHM, conversation=1, request=1, order=order)
    values = {"handle": 2, "selection_index": 7, "total_length": length, "data": data}
    values |= {"descriptor": Descriptor(), "resolved_queue_name": "DEV.QUEUE.1"}
    segments = list(split(header, write_body(header, values, 13), 1024))
    for number, one in enumerate(segments[1:], 1):
        byte_order = "little" if order == LITTLE else "big"
        assert int.from_bytes(one[36 + 20 : 36 + 22], byte_order) == number  # type: ignore[arg-type]
        assert int.from_bytes(one[36 + 16 : 36 + 20], byte_order) == len(one) - 60  # type: ignore[arg-type]
    whole = put_together(segments, Assembler(10000, 1))
    read = read_body(whole, 13).values
    assert read["data"] == data
    assert read["segment_length"] == length
    assert {name: read[name] for name in values} == values


def test_conversations_when_mixed_then_each_whole() -> None:
    assembler = Assembler(1000, 2)
    one = list(split(Header(v.MQPUT, variant=TSHM, conversation=1), b"1" * 100, 90))
    other = list(split(Header(v.MQPUT, variant=TSHM, conversation=3), b"3" * 100, 90))
    found = []
    for pair in zip(one, other, strict=True):
        found += [assembler.add(read_segment(data)) for data in pair]
    assert [made.body for made in found if made] == [b"1" * 100, b"3" * 100]


def test_conversation_when_it_ends_then_its_calls_are_dropped() -> None:
    assembler = Assembler(1000, 2)
    for conversation in (1, 3):
        header = Header(v.MQPUT, variant=TSHM, conversation=conversation)
        assembler.add(read_segment(next(split(header, b"x" * 100, 90))))
    assert assembler.kept_bytes == 2 * 54
    assembler.forget(1)
    assert assembler.kept_bytes == 54


@pytest.mark.parametrize("flags", [0, v.FIRST, v.LAST, v.CONFIRM_REQUEST])
@pytest.mark.parametrize("type", [v.NOTIFICATION, v.SOCKET_ACTION, v.HEARTBEAT, v.XA_START])
def test_types_that_never_split_then_whole_whatever_the_flags(type: int, flags: int) -> None:
    one = read_segment(segment(Header(type, flags_1=flags), b"x"))
    assert Assembler(0, 0).add(one) is one
    assert list(split(Header(type, flags_1=flags), b"x", 100)) == [one.data]


def piece(flags: int, body: bytes = b"x" * 10, order: str = LITTLE) -> Segment:
    return read_segment(segment(Header(v.MQPUT, flags_1=flags, order=order), body))


def test_segment_when_out_of_place_then_refused() -> None:
    assembler = Assembler(100, 1)
    for flags in (0, v.LAST):
        with pytest.raises(SegmentError, match="MQPUT: no FIRST"):
            assembler.add(piece(flags))
    assert assembler.add(piece(v.FIRST)) is None
    for flags in (v.FIRST, v.FIRST_AND_LAST):
        with pytest.raises(SegmentError, match="not complete"):
            assembler.add(piece(flags))
    with pytest.raises(SegmentError, match="byte order"):
        assembler.add(piece(0, order=BIG))


def test_call_when_longer_than_agreed_then_refused() -> None:
    assembler = Assembler(15, 1)
    assembler.add(piece(v.FIRST))
    with pytest.raises(SegmentError, match="more than the 15 bytes") as caught:
        assembler.add(piece(v.LAST))
    assert caught.value.status == v.MESSAGE_LENGTH_ERROR
    assembler = Assembler(15, 1)
    assembler.allow(20)
    assembler.add(piece(v.FIRST))
    assert assembler.add(piece(v.LAST)) is not None


def test_nothing_without_end_then_refused() -> None:
    assembler = Assembler(100, 1)
    assembler.add(piece(v.FIRST))
    with pytest.raises(SegmentError, match="is empty"):
        assembler.add(piece(0, b""))
    assert Assembler(0, 1).add(piece(v.FIRST, b"")) is None


def test_calls_without_end_then_refused() -> None:
    assembler = Assembler(100, 2)
    for request in (1, 2):
        header = Header(v.MQPUT, variant=TSHM, request=request, flags_1=v.FIRST)
        assembler.add(read_segment(segment(header, b"x")))
    header = Header(v.MQPUT, variant=TSHM, request=3, flags_1=v.FIRST)
    with pytest.raises(SegmentError, match="2 calls are not complete"):
        assembler.add(read_segment(segment(header, b"x")))


def delivery(flags: int, **head: int) -> Segment:
    values = {"version": 1, "handle": 2, "index": 1, "global": 1, "length": 4, "number": 0} | head
    header = Header(v.ASYNC_MESSAGE, flags_1=flags, order=BIG)
    sizes = [4, 4, 4, 4, 4, 2]
    body = b"".join(
        value.to_bytes(size, "big", signed=True)
        for value, size in zip(values.values(), sizes, strict=True)
    )
    return read_segment(segment(header, body + b"\0\0data"))


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ({"number": 2}, "segment 2"),
        ({"number": 1, "handle": 3}, "another message"),
        ({"number": 1, "index": 2}, "another message"),
        ({"number": 1, "length": 5}, "5 bytes of data"),
        ({"number": 1, "length": -1}, "-1 bytes of data"),
    ],
)
def test_delivery_when_a_head_lies_then_refused(head: dict[str, int], text: str) -> None:
    assembler = Assembler(1000, 1)
    assert assembler.add(delivery(v.FIRST)) is None
    with pytest.raises(SegmentError, match=text):
        assembler.add(delivery(v.LAST, **head))


def test_delivery_when_shorter_than_its_head_then_refused() -> None:
    header = Header(v.ASYNC_MESSAGE, flags_1=v.FIRST)
    with pytest.raises(SegmentError, match="23 bytes"):
        Assembler(1000, 1).add(read_segment(segment(header, bytes(23))))


def test_body_when_it_cannot_be_split_then_ours() -> None:
    for type, size in ((v.SOCKET_ACTION, 100), (v.MQPUT, 40)):
        with pytest.raises(LocalProtocolError):
            list(split(Header(type), bytes(100), size))
    with pytest.raises(LocalProtocolError, match="bytes of data"):
        list(split(Header(v.ASYNC_MESSAGE), bytes(100), 90))
