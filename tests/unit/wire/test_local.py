"""Goal: the local binding's frames are what their page says, and nothing else is believed.

Method: bytes in pieces of every size; lengths, kinds and bodies that cannot be.
"""

import tracemalloc

import pytest

from ternmq.base.errors import RemoteProtocolError
from ternmq.base.limits import FRAME_BYTES_BEFORE_HELLO, MESSAGE_BYTES_MAX
from ternmq.codec.mqi.mqmd import BYTES_2, Descriptor
from ternmq.wire import local as wire
from ternmq.wire.local import FRAME_BYTES_MAX

pytestmark = pytest.mark.core


def frames(data: bytes, piece: int) -> list[tuple[int, int, bytes]]:
    reader = wire.FrameReader(wire.REQUESTS)
    found = []
    for at in range(0, len(data), piece):
        reader.feed(data[at : at + piece])
        while (frame := reader.next()) is not None:
            found.append((frame.kind, frame.number, frame.body))
    return found


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 8, 13, 1000])
def test_frames_when_cut_anywhere_then_whole(piece: int) -> None:
    sent = [(wire.HELLO, 1, b"{}"), (wire.PUT, 0xFFFFFFFF, b"x" * 50), (wire.COMMIT, 3, b"")]
    data = b"".join(wire.frame(*one) for one in sent)
    assert frames(data, piece) == sent


def test_long_frame_when_given_out_then_its_bytes_are_not_kept() -> None:
    reader = wire.FrameReader(wire.REQUESTS)
    reader.hello_is_done()
    body = bytes(3 << 20)
    tracemalloc.start()
    try:
        reader.feed(wire.frame(wire.PUT, 7, body))
        found = reader.next()
        assert found is not None
        assert (found.number, found.body) == (7, body)
        kept, _ = tracemalloc.get_traced_memory()
        assert kept < 1.2 * len(body)
    finally:
        tracemalloc.stop()
    reader.feed(wire.frame(wire.COMMIT, 8) + wire.frame(wire.PUT, 9, b"x")[:5])
    following = reader.next()
    assert following is not None
    assert following.kind == wire.COMMIT


def test_frame_layout() -> None:
    assert wire.frame(wire.GET, 7, b"ab") == bytes.fromhex("07000000 05 07000000") + b"ab"


@pytest.mark.parametrize("length", [0, 4, FRAME_BYTES_BEFORE_HELLO + 1, 0xFFFFFFFF])
def test_length_when_impossible_then_refused_at_once(length: int) -> None:
    reader = wire.FrameReader(wire.REQUESTS)
    reader.feed(length.to_bytes(4, "little"))
    with pytest.raises(RemoteProtocolError):
        reader.next()


def test_length_after_hello_then_a_message_fits() -> None:
    assert FRAME_BYTES_MAX > MESSAGE_BYTES_MAX + BYTES_2
    reader = wire.FrameReader(wire.REQUESTS)
    reader.hello_is_done()
    reader.feed(FRAME_BYTES_MAX.to_bytes(4, "little"))
    assert reader.next() is None
    assert reader.missing == FRAME_BYTES_MAX
    reader = wire.FrameReader(wire.REQUESTS)
    reader.hello_is_done()
    reader.feed((FRAME_BYTES_MAX + 1).to_bytes(4, "little"))
    with pytest.raises(RemoteProtocolError):
        reader.next()


@pytest.mark.parametrize("kind", [0, 63, wire.OK, wire.ENDED, 255])
def test_kind_when_of_the_other_side_or_unknown_then_refused(kind: int) -> None:
    reader = wire.FrameReader(wire.REQUESTS)
    reader.feed(wire.frame(kind, 1))
    with pytest.raises(RemoteProtocolError):
        reader.next()


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b'"x"', b"\xff", b"{} {}"])
def test_json_when_none_then_refused(body: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        wire.Frame(wire.CALL, 1, body).json()


@pytest.mark.parametrize("body", [b"", b"123", b"12345"])
def test_reference_when_no_number_then_refused(body: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        wire.Frame(wire.CANCEL, 1, body).referred()


def test_put_when_taken_apart_then_as_made() -> None:
    packed = Descriptor(priority=5).pack()
    put = wire.PutBody(wire.put_head(2, 4, 0, packed) + b"data", False)
    assert (put.handle, put.options, put.context) == (2, 4, 0)
    assert (put.descriptor, put.properties, put.data) == (packed, b"", b"data")
    put = wire.PutBody(wire.put_head(2, 4, 0, packed, b"area") + b"data", False)
    assert (put.descriptor, put.properties, put.data) == (packed, b"area", b"data")
    put = wire.PutBody(wire.put1_head({"object_name": "A"}, 4, 9, packed, b"") + b"data", True)
    assert (put.object, put.handle, put.context, put.data) == ({"object_name": "A"}, 0, 9, b"data")


def test_put_when_cut_short_anywhere_then_refused() -> None:
    packed = Descriptor().pack()
    for is_put1, whole in (
        (False, wire.put_head(2, 4, 0, packed)),
        (False, wire.put_head(2, 4, 0, packed, b"area")),
        (True, wire.put1_head({"object_name": "A"}, 4, 0, packed, b"area")),
    ):
        for length in range(len(whole)):
            with pytest.raises(RemoteProtocolError):
                wire.PutBody(whole[:length], is_put1)


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [([4, 4], 4), ([1, 9], 4), ([3, 3], 0), ([5, 9], 0), ([0, 0], 0), ([-5, 5], 4)],
)
def test_protocol_when_offered_then_the_newest_of_both(offered: list[int], chosen: int) -> None:
    assert wire.chosen_protocol(offered) == chosen


@pytest.mark.parametrize("offered", [None, 1, [], [1], [1, 2, 3], ["1", "2"]])
def test_protocol_when_no_range_then_refused(offered: object) -> None:
    with pytest.raises(RemoteProtocolError):
        wire.chosen_protocol(offered)
