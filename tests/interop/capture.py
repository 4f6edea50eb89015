"""Traffic as others see it: a relay that records what two sides say, a file of it in the format of
packet captures, and what tshark reads there.

Nothing is captured from the network, which would need rights that tests do not have: the bytes that
went through the relay are written as TCP segments of a made-up address.
"""

from __future__ import annotations

import shutil
import socket
import struct
import subprocess
import threading
import time
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from ternmq.wire.fap.segment_reader import SegmentReader
from ternmq.wire.fap.vocabulary import type_name

PORT: Final = 1414
_TCP_BYTES: Final = 1400
_RAW_IP: Final = 101  # link type: packets begin with their IP header
_PACKET: Final = struct.Struct(">BBHHHBBH4s4sHHIIBBHHH")
_CLIENT: Final = socket.inet_aton("192.0.2.1")  # addresses for documents
_SERVER: Final = socket.inet_aton("192.0.2.2")
_SEGMENT_MAX: Final = 1 << 20
_TSHARK_S: Final = 120
_SYN: Final = 0x02
_ACK: Final = 0x10
_PUSH: Final = 0x18
_FIN: Final = 0x11


@dataclass
class Conversation:
    """One socket: who said what, in order. True is the client, which has opened it."""

    said: list[tuple[bool, bytes]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)  # when, if a relay has recorded it
    server: str = ""  # who was called

    def segments(self, by_client: bool) -> list[str]:
        """The names of the segments of one side."""
        reader = SegmentReader(_SEGMENT_MAX)
        names = []
        for from_client, data in self.said:
            if from_client == by_client:
                reader.feed(data)
                while (one := reader.next()) is not None:
                    names.append(type_name(one.header.type))
        return names


class Relay:
    """Listens on a port of its own and passes on to another, with a record of all."""

    def __init__(
        self, port: int, host: str = "127.0.0.1", listen: tuple[str, int] = ("127.0.0.1", 0)
    ) -> None:
        self._target = (host, port)
        self._listening = socket.create_server(listen)
        self.port: int = self._listening.getsockname()[1]
        self.conversations: list[Conversation] = []
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._sockets: list[socket.socket] = []
        self._start(self._accept)

    def _start(self, work: object, *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self._target)
            except OSError:
                client.close()
                continue
            conversation = Conversation(server=f"{self._target[0]}({self._target[1]})")
            with self._lock:
                self.conversations.append(conversation)
                self._sockets += [client, server]
            self._start(self._pass, conversation, True, client, server)
            self._start(self._pass, conversation, False, server, client)

    def _pass(
        self,
        conversation: Conversation,
        from_client: bool,
        source: socket.socket,
        target: socket.socket,
    ) -> None:
        try:
            while data := source.recv(65536):
                with self._lock:
                    conversation.said.append((from_client, data))
                    conversation.times.append(time.time())
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # one of them went away

    def close(self) -> None:
        """Stop; everything said is in `conversations`."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for one in self._sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        for thread in self._threads:
            thread.join()
        for one in self._sockets:
            one.close()


class CaptureFile:
    """A file that tshark reads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = open(path, "wb")  # noqa: SIM115
        self._file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, _RAW_IP))
        self._packets = 0
        self._conversations = 0
        self._now = 0.0  # 0: nobody knows when

    def add(self, conversation: Conversation) -> None:
        """The packets of a socket, from SYN to FIN."""
        client = 20000 + self._conversations
        self._conversations += 1
        sent = {True: 1, False: 1}
        self._now = conversation.times[0] if conversation.times else 0.0
        self._packet(True, client, 0, 0, _SYN, b"")
        self._packet(False, client, 0, 1, _SYN | _ACK, b"")
        self._packet(True, client, 1, 1, _ACK, b"")
        for number, (from_client, data) in enumerate(conversation.said):
            self._now = conversation.times[number] if conversation.times else 0.0
            for at in range(0, len(data), _TCP_BYTES):
                part = data[at : at + _TCP_BYTES]
                self._packet(
                    from_client, client, sent[from_client], sent[not from_client], _PUSH, part
                )
                sent[from_client] += len(part)
        self._packet(True, client, sent[True], sent[False], _FIN, b"")
        self._packet(False, client, sent[False], sent[True] + 1, _FIN, b"")

    def _packet(
        self,
        from_client: bool,
        client: int,
        sequence: int,
        acknowledged: int,
        flags: int,
        data: bytes,
    ) -> None:
        addresses = (_CLIENT, _SERVER) if from_client else (_SERVER, _CLIENT)
        ports = (client, PORT) if from_client else (PORT, client)
        size = _PACKET.size + len(data)
        head = _PACKET.pack(
            *(0x45, 0, size, self._packets & 0xFFFF, 0x4000, 64, 6, 0),
            *addresses,
            *ports,
            *(sequence, acknowledged, 0x50, flags, 65535, 0, 0),
        )
        us = int(self._now * 1e6) if self._now else self._packets // 10 * 1000
        stamp = struct.pack("<IIII", us // 1_000_000, us % 1_000_000, size, size)
        self._file.write(stamp + head + data)
        self._packets += 1

    def close(self) -> None:
        self._file.close()


@dataclass(frozen=True)
class Decoded:
    """What tshark made of a file."""

    by_client: list[list[str]]  # types of segments, a list for each socket
    by_server: list[list[str]]
    complaints: list[str]


def has_tshark() -> bool:
    return shutil.which("tshark") is not None


def _tshark(*arguments: str) -> str:
    done = subprocess.run(
        ["tshark", *arguments], capture_output=True, text=True, timeout=_TSHARK_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@lru_cache
def tshark_type_names() -> dict[int, str]:
    """Its names of the types of segments."""
    rows = (line.split("\t") for line in _tshark("-G", "values").splitlines())
    return {int(row[2], 0): row[3] for row in rows if row[:2] == ["V", "mq.tsh.type"]}


def decode(path: Path, conversations: int) -> Decoded:
    """Let tshark read a file, every packet of our port as MQ: segment by segment, and once more
    with the segments of a call put together."""
    found: dict[bool, list[list[str]]] = {
        True: [[] for _ in range(conversations)],
        False: [[] for _ in range(conversations)],
    }
    names = tshark_type_names()
    complaints: list[str] = []
    for together in ("FALSE", "TRUE"):
        for number, line in enumerate(_fields(path, together), 1):
            stream, port, types, messages, malformed = (line.split("\t") + [""] * 5)[:5]
            if malformed or "alformed" in messages:
                complaints.append(f"packet {number}: {messages} {malformed}")
            if together == "FALSE":
                listed = [names[int(one, 0)] for one in types.split(";") if one]
                found[int(port) == PORT][int(stream)] += listed
    return Decoded(found[True], found[False], complaints)


def _fields(path: Path, together: str) -> list[str]:
    fields = ("tcp.stream", "tcp.dstport", "mq.tsh.type", "_ws.expert.message", "_ws.malformed")
    asked = [word for name in fields for word in ("-e", name)]
    output = _tshark(
        *("-r", str(path), "-d", f"tcp.port=={PORT},mq", "-o", f"mq.reassembly:{together}"),
        *("-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=;"),
        *asked,
    )
    return output.splitlines()
