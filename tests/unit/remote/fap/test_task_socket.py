"""The socket of an asyncio client: what happens when it is lost."""

from __future__ import annotations

import asyncio

import pytest

from ternmq.remote.fap.task_socket import TaskSocket


class LostTlsTransport(asyncio.Transport):
    """As asyncio's for TLS in Python 3.11.2: one that is lost has no protocol to abort."""

    def __init__(self) -> None:
        super().__init__()
        self.is_lost = False

    def write(self, data: bytes | bytearray | memoryview[int]) -> None:
        pass

    def close(self) -> None:
        pass

    def abort(self) -> None:
        if self.is_lost:
            raise AttributeError("'NoneType' object has no attribute '_abort'")


def test_loss_when_the_transport_cannot_be_aborted_any_more_then_the_caller_is_woken() -> None:
    async def lose() -> None:
        socket = TaskSocket()
        transport = LostTlsTransport()
        socket.connection_made(transport)
        waiting = asyncio.create_task(socket.first_segment(b"hello"))
        await asyncio.sleep(0)
        transport.is_lost = True
        socket.connection_lost(None)
        assert socket.closed.done()
        with pytest.raises(EOFError, match="closed the connection"):
            await waiting

    asyncio.run(lose())
