"""Goal: a client whose channel compresses sees the same messages, and fewer bytes travel.
Method: a queue manager on loopback, threads and tasks, every algorithm; counts of the server's end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq.base.reasons import MQRC_CHANNEL_CONFIG_ERROR, MQRC_CONNECTION_BROKEN
from ternmq.remote.fap.ccdt import channels_of
from ternmq.wire.fap.compression import Packer, available_messages
from ternmq.wire.fap.compression_lists import NAMES
from ternmq.wire.fap.segment_compression import SegmentCompression
from tests.unit.api.networked import Networked

DATA = b"one line of an order".ljust(80) * 2500
KINDS = [NAMES[one] for one in available_messages()]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Networked]:
    with Networked(tmp_path_factory.mktemp("data")) as made:
        with made.connect() as connection:
            connection.define_queue("A", max_message_length=10_000_000)
            for text in (
                "DEFINE CHANNEL(PACKED) CHLTYPE(SVRCONN) COMPMSG(ANY) COMPHDR(SYSTEM) MONCHL(HIGH)",
                "ALTER QMGR MONCHL(OFF)",
                "DEFINE CHANNEL(ZLIB) CHLTYPE(SVRCONN) COMPMSG(ZLIBHIGH)",
            ):
                assert connection.mqsc(text)[0].ok
        yield made


def compression_of(served: Networked, channel: str) -> SegmentCompression | None:
    assert served.host is not None
    sockets = [
        one
        for one in served.host.sockets
        if one.line.instance is not None and one.line.instance.name == channel
    ]
    return sockets[-1].compression


@pytest.mark.parametrize("kind", KINDS)
def test_client_when_channel_compresses_then_messages_are_whole_and_bytes_are_few(
    served: Networked, kind: str
) -> None:
    options: dict[str, Any] = {"channel": "PACKED", "message_compression": kind}
    with served.connect(**options, header_compression="SYSTEM") as connection:
        with connection.queue("A") as queue:
            for size in (0, 10, 5000, len(DATA)):
                queue.put(DATA[:size], persistent=True)
                assert queue.get().data == DATA[:size]
        status = connection.mqsc("DISPLAY CHSTATUS(PACKED) ALL")[0]
        found = compression_of(served, "PACKED")
    assert str(status["COMPMSG"]).split(",")[0] == kind
    assert str(status["COMPHDR"]).split(",")[0] == "SYSTEM"
    assert int(str(status["COMPRATE"]).split(",")[0]) > 20
    assert int(str(status["COMPTIME"]).split(",")[0]) > 0
    assert 0 < int(status["BYTSSENT"]) < len(DATA)  # as on the wire
    assert 0 < int(status["BYTSRCVD"]) < len(DATA)
    assert found is not None
    sent, received = found.packer.rates, found.expander.rates
    assert NAMES[found.packer.message_kind] == kind
    plain, wire = sent.plain_bytes + received.plain_bytes, sent.sent_bytes + received.sent_bytes
    assert plain > 2 * len(DATA)
    assert wire < plain // 2


def test_client_when_tasks_compress_then_messages_are_whole(served: Networked) -> None:
    async def work() -> None:
        way = {**served.way, "channel": "PACKED", "message_compression": "ZLIBFAST"}
        connected = ternmq.aio.connect(served.name, **way)
        async with connected as connection, connection.queue("A") as queue:
            for number in range(20):
                await queue.put(DATA[: number * 3000])
            for number in range(20):
                assert (await queue.get()).data == DATA[: number * 3000]

    asyncio.run(work())


def test_client_when_lists_have_nothing_in_common_then_no_compression(served: Networked) -> None:
    for channel, wish in (("ZLIB", "RLE"), ("APP.SVRCONN", "ZLIBFAST,RLE")):
        with served.connect(channel=channel, message_compression=wish) as connection:
            connection.put("A", DATA)
            assert compression_of(served, channel) is None
            assert connection.queue("A").get().data == DATA


def test_client_when_it_has_several_then_its_order_counts(served: Networked) -> None:
    with served.connect(channel="PACKED", message_compression="RLE,ZLIBHIGH") as connection:
        connection.put("A", b"x")
        found = compression_of(served, "PACKED")
        assert connection.queue("A").get().data == b"x"
    assert found is not None
    assert NAMES[found.packer.message_kind] == "RLE"


@pytest.mark.parametrize("words", ["ANY", "LZ77", "SYSTEM"])
def test_client_when_compression_is_unknown_then_2539(served: Networked, words: str) -> None:
    with pytest.raises(ternmq.MQError, match="compression") as caught:
        served.connect(message_compression=words)
    assert caught.value.reason == MQRC_CHANNEL_CONFIG_ERROR


def test_client_when_it_sends_a_bomb_then_the_channel_ends(
    served: Networked, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pack(packer: Packer, body: bytes, head_bytes: int) -> tuple[bytes, int]:
        return packer.pack_with(body + bytes(10_000_000), head_bytes, 0, packer.message_kind)

    with served.connect(channel="ZLIB", message_compression="ZLIBHIGH") as connection:
        queue = connection.queue("A")
        with monkeypatch.context() as patched:
            patched.setattr(Packer, "pack", pack)
            with pytest.raises(ternmq.MQError) as caught:
                queue.put(DATA)
    assert caught.value.reason == MQRC_CONNECTION_BROKEN
    assert served.host is not None
    notices = served.host.engine.kernel.notices.take()
    assert any("expand to more" in str(one.inserts) for one in notices)


def test_ccdt_when_it_has_compressions_then_they_are_wishes() -> None:
    text = b"""{"channel": [{"name": "A", "type": "clientConnection",
      "clientConnection": {"connection": [{"host": "h", "port": 1}]},
      "compression": {"header": ["system"], "message": ["zlibFast", "rle"]}}]}"""
    found = channels_of(text, "here")[0]
    assert (found.header_compression, found.message_compression) == ("SYSTEM", "ZLIBFAST,RLE")
