"""The first bytes of a connection: TLS or not, and which server name a ClientHello asks for.

One port serves channels with TLS and without, and the channel that is asked for decides on versions
and certificate; both must be known before the handshake begins. So the first record is looked at
and goes to the handshake unchanged, which alone decides whether it is valid.

    at 0  22 (handshake)          at 5   1 (ClientHello), length u24, version u16, random 32 bytes
       1  version u16                43  session id: length u8 and as many bytes
       3  length u16                     cipher suites: length u16; compressions: length u8
       5  the record                     extensions: length u16; each type u16, length u16
                                         type 0: length u16, kind u8 (0), length u16, the name

A hello that is not whole in one record, or wrong in any way, has no server name.
"""

from __future__ import annotations

from typing import Final, final

RECORD_HEAD_BYTES: Final = 5
RECORD_BYTES_MAX: Final = 16_384
_HANDSHAKE: Final = 22
_MAJOR_VERSION: Final = 3
_CLIENT_HELLO: Final = 1
_SERVER_NAME: Final = 0
_HOST_NAME: Final = 0
_BEFORE_SESSION_ID: Final = 43
# "T" of an eye-catcher, in ASCII and in EBCDIC
_SEGMENT_BEGINS: Final = (0x54, 0xE3)


def is_tls(first: int) -> bool:
    """Whether a first byte begins a handshake of TLS."""
    return first == _HANDSHAKE


def is_segment(first: int) -> bool:
    """Whether a first byte begins a segment of the client protocol."""
    return first in _SEGMENT_BEGINS


def bytes_wanted(data: bytes) -> int:
    """How many bytes show the whole first record, as far as its head is there."""
    if len(data) > 1 and data[1] != _MAJOR_VERSION:
        return len(data)  # no record: there is no use in waiting for the rest of one
    if len(data) < RECORD_HEAD_BYTES:
        return RECORD_HEAD_BYTES
    return RECORD_HEAD_BYTES + min(data[3] << 8 | data[4], RECORD_BYTES_MAX)


@final
class _Reader:
    """A place in a hello; behind the end everything is nothing."""

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self.data = data
        self.at = at
        self.end = end

    def number(self, size: int) -> int:
        if self.at + size > self.end:
            self.at = self.end
            return 0
        value = int.from_bytes(self.data[self.at : self.at + size], "big")
        self.at += size
        return value

    def skip(self, size: int) -> None:
        self.at = min(self.at + size, self.end)

    @property
    def more(self) -> bool:
        return self.at < self.end


def server_name(data: bytes) -> str:
    """The server name that a ClientHello asks for; "" if it asks for none."""
    end = min(len(data), bytes_wanted(data))
    if end < _BEFORE_SESSION_ID or data[0] != _HANDSHAKE or data[5] != _CLIENT_HELLO:
        return ""
    reader = _Reader(data, _BEFORE_SESSION_ID, end)
    reader.skip(reader.number(1))
    reader.skip(reader.number(2))
    reader.skip(reader.number(1))
    extensions = reader.number(2)
    reader.end = min(reader.end, reader.at + extensions)
    while reader.more:
        kind = reader.number(2)
        size = reader.number(2)
        if kind == _SERVER_NAME and size:
            return _first_name(_Reader(data, reader.at, min(reader.at + size, reader.end)))
        reader.skip(size)
    return ""


def _first_name(reader: _Reader) -> str:
    reader.number(2)
    if reader.number(1) != _HOST_NAME:
        return ""
    size = reader.number(2)
    if size == 0 or reader.at + size > reader.end:
        return ""
    name = reader.data[reader.at : reader.at + size]
    return name.decode("ascii") if name.isascii() else ""
