"""Memory of a long message behind a socket: what is read is not kept beside what is stored.

The queue manager and its client share this process, so that one count has both.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.remote.fap.frames import Framing
from ternmq.server.binding import Binding
from ternmq.wire.fap.vocabulary import MQPUT
from ternmq.wire.local import Frame
from tests.unit.api.networked import Networked, NetworkedQueueManager
from tests.unit.api.served import Served, ServedQueueManager

MEGABYTE = 1 << 20
LENGTH = 24 * MEGABYTE
SEGMENT = 4 * MEGABYTE


@pytest.fixture(params=["local socket", "TCP"])
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ternmq.Connection]:
    made: Any
    if request.param == "TCP":
        made = NetworkedQueueManager(Networked(tmp_path, "QM1"))
    else:
        made = ServedQueueManager(Served(tmp_path, "QM1"))
    try:
        with made.connect() as connection:
            connection.mqsc(f"ALTER QMGR MAXMSGL({LENGTH})")
            buffers: dict[str, Any] = {"nonpersistent_buffer": 4 * LENGTH}
            connection.define_queue("WHOLE", max_message_length=LENGTH, **buffers)
            connection.define_queue("SEGMENTS", max_message_length=SEGMENT, **buffers)
            yield connection
    finally:
        made.close()


def traced(work: Callable[[], object]) -> tuple[float, float]:
    """Memory after it and at its peak, as multiples of the message."""
    tracemalloc.start()
    try:
        work()
        left, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return left / LENGTH, peak / LENGTH


@pytest.mark.parametrize("name", ["WHOLE", "SEGMENTS"])
def test_put_when_it_is_done_then_the_message_is_in_memory_once(
    connection: ternmq.Connection, name: str
) -> None:
    data = bytes(LENGTH)
    md = ternmq.Descriptor(version=2, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED)
    with connection.queue(name) as queue:
        queue.put(b"first")  # what is made once is made
        left, peak = traced(lambda: queue.put(data, descriptor=md))
        assert left < 1.25
        assert peak < 3.25  # the client's segments, the message as it came, and as it is stored
        assert queue.get().data == b"first"
        assert queue.get(options=mq.MQGMO_COMPLETE_MSG).data == data


def test_get_when_its_answer_cannot_be_made_then_the_next_get_has_the_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Binding.get

    async def spoiled(self: Binding, frame: Frame) -> list[Any]:
        head, *_rest, data = await real(self, frame)
        return [head, "text", data]  # has a length, and cannot be joined with bytes

    served = ServedQueueManager(Served(tmp_path, "QM1"))
    try:
        with served.connect() as connection:
            connection.define_queue("A")
            with connection.queue("A") as queue:
                queue.put(bytes(100_000))
                with monkeypatch.context() as context:
                    context.setattr(Binding, "get", spoiled)
                    with pytest.raises(ternmq.MQError) as failed:
                        queue.get()
                assert failed.value.reason == mq.MQRC_UNEXPECTED_ERROR
                assert [len(message.data) for message in queue] == [100_000]
    finally:
        served.close()


def test_call_when_it_is_long_then_its_data_is_copied_once() -> None:
    framing = Framing(False, 0, 32_768, 4 * LENGTH)
    data = bytes(LENGTH)
    assert traced(lambda: framing.call(MQPUT, 1, b"body", data))[1] < 1.25
