"""Goal: a message whose properties make it longer than its channel passes stays on the queue, and
the connection goes on.

Method: channels with a low MAXMSGL on loopback, which share conversations or do not; the message is
put by another channel.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.wire.fap.negotiation import SEGMENT_BYTES_USUAL
from tests.unit.api import networked

pytestmark = pytest.mark.core

LIMIT = 50_000
SHORT = "SHORT.SVRCONN"
ALONE = "SHORT.ALONE"
BOTH = (SHORT, ALONE)


@pytest.fixture(scope="module")
def server() -> Iterator[networked.Networked]:
    with networked.in_memory("QM1") as found:
        with found.connect() as admin:
            admin.mqsc(f"DEFINE CHANNEL({ALONE}) CHLTYPE(SVRCONN) MAXMSGL({LIMIT}) SHARECNV(0)")
        yield found


def filled(server: networked.Networked, ahead: str, property_bytes: int, persistent: bool) -> None:
    with server.connect() as admin:
        admin.define_queue("A", replace=True)
        admin.mqsc(f"ALTER QLOCAL(A) DEFREADA({ahead})")
        admin.mqsc("CLEAR QLOCAL(A)")
        admin.put("A", b"body", properties={"p": "y" * property_bytes}, persistent=persistent)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("ahead", ["NO", "YES"])
@pytest.mark.parametrize("channel", BOTH)
def test_get_when_properties_make_it_too_long_for_the_channel_then_2080_and_it_stays(
    server: networked.Networked, channel: str, ahead: str, persistent: bool
) -> None:
    filled(server, ahead, 3 * LIMIT, persistent)
    with server.connect(channel=channel) as connection, connection.queue("A") as queue:
        for _ in range(2):
            with pytest.raises(ternmq.Truncated, match=f"properties more .* passes, {LIMIT}"):
                queue.get(wait=1)
        assert queue.depth == 1
    with server.connect() as other, other.queue("A") as queue:
        assert queue.get().properties["p"] == "y" * (3 * LIMIT)


@pytest.mark.parametrize("channel", BOTH)
def test_get_when_it_accepts_a_part_then_the_body_comes_without_the_properties(
    server: networked.Networked, channel: str
) -> None:
    filled(server, "NO", 3 * LIMIT, True)
    with server.connect(channel=channel) as connection, connection.queue("A") as queue:
        message = queue.get(wait=1, options=mq.MQGMO_ACCEPT_TRUNCATED_MSG)
        assert (message.data, message.truncated, len(message.properties)) == (b"body", True, 0)
        assert queue.try_get() is None


@pytest.mark.parametrize("channel", BOTH)
@pytest.mark.parametrize("ahead", ["NO", "YES"])
def test_get_when_body_and_properties_are_as_long_as_can_be_then_both_come(
    server: networked.Networked, channel: str, ahead: str
) -> None:
    around = 12 + 8 + 1  # of an area with one property of one letter
    longest = LIMIT + SEGMENT_BYTES_USUAL - 1024
    for more, fits in ((0, True), (1, False)):
        filled(server, ahead, longest - around - len("body") + more, True)
        with server.connect(channel=channel) as connection, connection.queue("A") as queue:
            if fits:
                assert queue.get(wait=1).data == b"body"
                continue
            with pytest.raises(ternmq.Truncated) as raised:
                queue.get(wait=1)
            assert raised.value.reason == rc.MQRC_TRUNCATED_MSG_FAILED
