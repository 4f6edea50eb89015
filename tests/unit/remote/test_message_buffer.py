"""The buffer of a multicast subscription: order, what expires, and what another buffer had."""

from __future__ import annotations

from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.remote.multicast.message_buffer import MessageBuffer, Received
from ternmq.values.get_request import GetRequest

LATER = 1 << 60
EACH = 512 + 1  # bytes that a message takes


def received(data: bytes, expires_ms: int = LATER) -> Received:
    return Received(Descriptor().pack(), b"", data, expires_ms)


def drained(buffer: MessageBuffer, now: int = 0) -> list[bytes]:
    request = GetRequest(0)
    found: list[bytes] = []
    while (one := buffer.find(request, now)) is not None:
        buffer.take(one)
        found.append(one.data)
    return found


def test_buffer_when_the_subscription_was_made_again_then_what_came_before_is_first() -> None:
    before, after = MessageBuffer(10 * EACH), MessageBuffer(10 * EACH)
    for data in (b"1", b"2"):
        before.add(received(data))
    after.add(received(b"3"))
    after.take_over(before)
    assert drained(after) == [b"1", b"2", b"3"]


def test_buffer_when_another_has_more_than_there_is_room_for_then_the_oldest_go() -> None:
    before, after = MessageBuffer(4 * EACH), MessageBuffer(4 * EACH)
    for data in (b"1", b"2", b"3"):
        before.add(received(data))
    for data in (b"4", b"5"):
        after.add(received(data))
    after.take_over(before)
    assert after.dropped == 1
    assert drained(after) == [b"2", b"3", b"4", b"5"]


def test_buffer_when_messages_expire_then_they_go_and_make_room() -> None:
    buffer = MessageBuffer(3 * EACH)
    for data, expires_ms in ((b"1", 5), (b"2", LATER), (b"3", 5)):
        buffer.add(received(data, expires_ms))
    assert buffer.find(GetRequest(0), 5) is not None
    buffer.add(received(b"4"))
    assert buffer.dropped == 0
    assert drained(buffer, 5) == [b"2", b"4"]
