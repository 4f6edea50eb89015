"""One end of a message channel made of bytes, for a real queue manager at the other end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

from ternmq.base.object_types import RECEIVER, SENDER
from ternmq.channel.channel_state import NO_LUWID
from ternmq.channel.opening import answered, revised_wishes, wishes
from ternmq.channel.settings import ChannelSettings
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.channel_flows import ChannelWriter, Status, read_resync, read_status
from ternmq.wire.fap.initial_data import read_initial_data, write_initial_data
from ternmq.wire.fap.segment import Header, Segment, read_segment, segment


class RawEnd:
    """What a test says and hears, on one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.bytes = ChannelWriter(1208)

    def say(self, *data: bytes) -> None:
        self._writer.write(b"".join(data))

    async def hear(self) -> Segment:
        """The next segment; heartbeats are answered."""
        while True:
            start = await asyncio.wait_for(self._reader.readexactly(8), 10)
            rest = await self._reader.readexactly(int.from_bytes(start[4:8], "big") - 8)
            one = read_segment(start + rest)
            if one.header.type != fap.HEARTBEAT:
                return one
            if one.header.flags_1 & fap.CONFIRM_REQUEST:
                self.say(self.bytes.plain(fap.HEARTBEAT, 0, NO_LUWID))

    async def hear_status(self) -> Status:
        one = await self.hear()
        assert one.header.type == fap.STATUS_DATA, fap.type_name(one.header.type)
        return read_status(one)

    def message(
        self, data: bytes, sequence: int, luwid: bytes, segment_bytes_max: int = 32_748
    ) -> list[bytes]:
        return self.bytes.pieces(data, sequence, luwid, 0, segment_bytes_max)

    async def ended(self) -> bool:
        """The other end has closed the connection."""
        return await asyncio.wait_for(self._reader.read(1), 10) == b""

    def close(self) -> None:
        self._writer.close()


def raw_settings(kind: int, name: str, qmgr: str) -> ChannelSettings:
    """The settings of a raw end."""
    made = ChannelSettings(name, kind, qmgr)
    made.ccsid = 1208
    made.is_fast = False
    made.product_id = "MQMM09040000"
    return made


async def raw_caller(port: int, name: str, qmgr: str = "QMX") -> RawEnd:
    """Calls a receiver, and has agreed with it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    end = RawEnd(reader, writer)
    own = wishes(raw_settings(SENDER, name, qmgr), False)
    while True:
        header = Header(fap.INITIAL_DATA, flags_1=fap.CONFIRM_REQUEST)
        end.say(segment(header, write_initial_data(header, own)))
        one = await end.hear()
        assert one.header.type == fap.INITIAL_DATA, read_status(one).code
        if not one.header.flags_1 & fap.ERROR:
            break
        own = revised_wishes(own, read_initial_data(one))
    return end


async def raw_sender(port: int, name: str, qmgr: str = "QMX") -> tuple[RawEnd, int, bytes]:
    """Calls a receiver: after resync, with the number and LUWID that it has committed last."""
    end = await raw_caller(port, name, qmgr)
    end.say(end.bytes.resync(fap.CONFIRM_REQUEST, 0, NO_LUWID))
    found = read_resync(await end.hear())
    return end, found.sequence, found.luwid


@contextlib.asynccontextmanager
async def raw_receiver(
    serve: Callable[[RawEnd], Awaitable[None]],
    name: str,
    heartbeat_s: int = 300,
    pipelines: bool = False,
) -> AsyncIterator[int]:
    """Answers senders on a port: agrees, then each connection is the test's."""
    tasks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks[task] = writer
        try:
            await talked(RawEnd(reader, writer))
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the other end has gone, or the test is over
        finally:
            writer.transport.abort()
            del tasks[task]

    async def talked(end: RawEnd) -> None:
        settings = raw_settings(RECEIVER, name, "QMB")
        settings.heartbeat_s = heartbeat_s
        settings.pipelines = pipelines
        while True:
            one = await end.hear()
            made, again = answered(settings, read_initial_data(one), one.header)
            header = one.header.answer(fap.INITIAL_DATA, fap.ERROR if again else 0)
            end.say(segment(header, write_initial_data(header, made)))
            if not again:
                break
        await serve(end)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        waited = list(tasks)
        for task, writer in tasks.items():
            writer.transport.abort()
            task.cancel()
        await asyncio.gather(*waited, return_exceptions=True)
