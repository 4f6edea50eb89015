"""A proxy in the loop that cuts one connection after so many bytes, and carries all others."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

CALLER_SENDS: Final = 0
CALLED_SENDS: Final = 1
DIRECTIONS: Final = (CALLER_SENDS, CALLED_SENDS)
_NEVER: Final = -1


class ByteCutter:
    """Forwards between whoever connects and one port of loopback."""

    def __init__(self, port: int) -> None:
        self._target = port
        self.port = 0
        self.carried = [0, 0]  # bytes of each direction, of the last connection
        self._direction = CALLER_SENDS
        self._left = _NEVER
        self.has_cut = False

    @property
    def conn(self) -> str:
        """As CONNAME has it."""
        return f"127.0.0.1({self.port})"

    def cut_after(self, direction: int, count: int) -> None:
        """The next connection is cut when so many bytes have passed that way."""
        self._direction = direction
        self._left = count
        self.has_cut = False

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection until one of its ends is closed."""
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        left, self._left = self._left, _NEVER
        self.carried = [0, 0]
        lefts = [_NEVER, _NEVER]
        lefts[self._direction] = left
        flows = [
            asyncio.create_task(self._carry(CALLER_SENDS, reader, back, lefts)),
            asyncio.create_task(self._carry(CALLED_SENDS, there, writer, lefts)),
        ]
        try:
            await asyncio.wait(flows, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for flow in flows:
                flow.cancel()
            await asyncio.gather(*flows, return_exceptions=True)
            for one in (writer, back):
                if self.has_cut:
                    one.transport.abort()
                else:
                    one.close()

    async def _carry(
        self,
        direction: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        lefts: list[int],
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                left = lefts[direction]
                if left != _NEVER and len(data) >= left:
                    writer.write(data[:left])
                    await writer.drain()
                    self.carried[direction] += left
                    self.has_cut = True
                    return
                if left != _NEVER:
                    lefts[direction] = left - len(data)
                self.carried[direction] += len(data)
                writer.write(data)
                await writer.drain()


@contextlib.asynccontextmanager
async def cutter(port: int) -> AsyncIterator[ByteCutter]:
    """One that listens on a port of its own."""
    made = ByteCutter(port)
    server = await asyncio.start_server(made.accept, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
