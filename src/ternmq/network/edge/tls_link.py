"""TLS on a socket of the loop, and nothing else: handshake, then bytes in and out.

Python's own TLS transport drops the alert of a handshake that failed, so the other end does not
know what was wrong; and it reads whatever comes. Here the alert goes out before the socket is
closed, and a handshake may have so many bytes.

`TlsLink` is the protocol of the plain transport; `TlsTransport` is what the protocol inside sees.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import Any, Final

from ternmq.base.limits import HANDSHAKE_BYTES_MAX

_READ_BYTES: Final = 262_144
_WRITE_BYTES: Final = 262_144
_RECORD_BYTES: Final = 16_384  # the longest record of TLS
# What a look at the records gave.
_MORE: Final = 0
_ALL: Final = 1
_ENDED: Final = 2
_BROKEN: Final = 3


class TlsTransport(asyncio.Transport):
    """The transport that the protocol inside uses."""

    def __init__(self, link: TlsLink, plain: asyncio.Transport) -> None:
        super().__init__()
        self._link = link
        self._plain = plain

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        if name == "ssl_object":
            return self._link.channel
        return self._plain.get_extra_info(name, default)

    def is_closing(self) -> bool:
        return self._plain.is_closing()

    def close(self) -> None:
        self._link.close()

    def abort(self) -> None:
        self._plain.abort()

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        self._link.write(data)

    def writelines(self, list_of_data: Any) -> None:
        self._link.write(b"".join(list_of_data))

    def write_eof(self) -> None:
        raise NotImplementedError("TLS has no half-closed connections")

    def can_write_eof(self) -> bool:
        return False

    def pause_reading(self) -> None:
        self._link.pause_reading()

    def resume_reading(self) -> None:
        self._link.resume_reading()

    def is_reading(self) -> bool:
        return not self._link.is_paused

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._plain.set_write_buffer_limits(high, low)

    def get_write_buffer_size(self) -> int:
        return self._plain.get_write_buffer_size()

    def get_write_buffer_limits(self) -> tuple[int, int]:
        return self._plain.get_write_buffer_limits()

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        if not isinstance(protocol, asyncio.Protocol):
            raise TypeError(f"no protocol for a stream: {protocol!r}")
        self._link.inside = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        if self._link.inside is None:
            raise RuntimeError("the handshake is not over")
        return self._link.inside


class TlsLink(asyncio.Protocol):
    """One side of TLS between a plain transport and a protocol: the server's, unless it has the
    name of one to ask for. The caller's side begins with `begin`."""

    def __init__(
        self,
        plain: asyncio.Transport,
        context: ssl.SSLContext,
        made: Callable[[asyncio.Transport], asyncio.Protocol],
        failed: Callable[[BaseException], None],
        server_name: str = "",
    ) -> None:
        self._plain = plain
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self.channel = context.wrap_bio(
            self._incoming,
            self._outgoing,
            server_side=not server_name,
            server_hostname=server_name or None,
        )
        self._transport = TlsTransport(self, plain)
        self.inside: asyncio.Protocol | None = None  # once the handshake is over
        self.is_paused = False
        self._made: Callable[[asyncio.Transport], asyncio.Protocol] | None = made
        self._failed: Callable[[BaseException], None] | None = failed
        self._before = 0  # bytes of the handshake
        self._closed = False

    def begin(self) -> None:
        """The caller's first bytes."""
        self._shake_hands()

    # ---- from the plain transport

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        self._incoming.write(data)
        if self.inside is None:
            self._before += len(data)
            self._shake_hands()
        if self.inside is not None:
            self._read()

    def eof_received(self) -> bool:
        """The other side will say nothing more."""
        return False

    def connection_lost(self, error: Exception | None) -> None:
        """The other side has gone."""
        self._closed = True
        if self.inside is not None:
            self.inside.connection_lost(error)
        else:
            self._fail(error or ConnectionResetError("the other end closed the connection"))

    def pause_writing(self) -> None:
        """The other side does not read."""
        if self.inside is not None:
            self.inside.pause_writing()

    def resume_writing(self) -> None:
        """It has read enough."""
        if self.inside is not None:
            self.inside.resume_writing()

    # ---- handshake

    def _shake_hands(self) -> None:
        try:
            self.channel.do_handshake()
        except ssl.SSLWantReadError:
            self._flush()
            if self._before > HANDSHAKE_BYTES_MAX:
                self._plain.abort()
                self._fail(ssl.SSLError(f"a handshake of more than {HANDSHAKE_BYTES_MAX} bytes"))
        except ssl.SSLError as error:
            self._flush()  # the alert
            self._plain.close()
            self._fail(error)
        else:
            self._flush()
            made = self._made
            self._made = None  # the callback need not be kept
            self._failed = None
            if made is not None:
                self.inside = made(self._transport)

    def _fail(self, error: BaseException) -> None:
        if self._failed is not None:
            failed = self._failed
            self._failed = None
            failed(error)

    # ---- data

    def _read(self) -> None:
        """Give the protocol what has come, until it wants no more."""
        inside = self.inside
        outcome = _MORE
        while outcome == _MORE and inside is not None and self._may_read():
            parts: list[bytes] = []
            outcome = self._take_records(parts)
            if parts:
                inside.data_received(b"".join(parts))
        if outcome == _ENDED:
            self.close()
        elif outcome == _BROKEN:
            self._plain.abort()
        else:
            self._flush()

    def _take_records(self, parts: list[bytes]) -> int:
        """As many records as have come, up to a limit: a read gives one, and the protocol inside
        has as much to do for a record as for many."""
        left = _READ_BYTES
        try:
            while left > 0:
                data = self.channel.read(_RECORD_BYTES)
                if not data:
                    return _ENDED
                parts.append(data)
                left -= len(data)
        except ssl.SSLWantReadError:
            return _ALL
        except ssl.SSLZeroReturnError:
            return _ENDED
        except ssl.SSLError:
            return _BROKEN  # a record that was tampered with
        return _MORE

    def _may_read(self) -> bool:
        return not self.is_paused and not self._is_ending()

    def _is_ending(self) -> bool:
        return self._closed or self._plain.is_closing()

    def pause_reading(self) -> None:
        """The protocol has enough for now."""
        self.is_paused = True
        self._plain.pause_reading()

    def resume_reading(self) -> None:
        """It wants more; what has come already is given in a later turn."""
        if self.is_paused:
            self.is_paused = False
            self._plain.resume_reading()
            asyncio.get_running_loop().call_soon(self._read)

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Send."""
        if self._is_ending():
            return
        left = memoryview(data)
        while len(left):  # what is in between grows by copies, so it is kept short
            left = left[self.channel.write(left[:_WRITE_BYTES]) :]
            if self._outgoing.pending >= _WRITE_BYTES:
                self._flush()
        self._flush()

    def _flush(self) -> None:
        if self._outgoing.pending:
            self._plain.write(self._outgoing.read())

    def close(self) -> None:
        """Say that nothing more comes, and close."""
        if not self._is_ending():
            try:
                self.channel.unwrap()
            except ssl.SSLError:
                pass  # the other side's close_notify is not waited for
            self._flush()
        self._plain.close()
