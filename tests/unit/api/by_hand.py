"""Frames of the local binding made by hand, for what an application would not send."""

from __future__ import annotations

import socket
from typing import Any

from ternmq.remote.local.folder_lookup import socket_path
from ternmq.wire import local as wire
from tests.unit.api.served import Served

HELLO = {"protocol": [wire.PROTOCOL_OLDEST, wire.PROTOCOL_NEWEST], "application": "by hand"}


def by_hand(served: Served, hello: Any = HELLO) -> tuple[socket.socket, wire.FrameReader]:
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(socket_path(str(served.folder)))
    peer.sendall(wire.json_frame(wire.HELLO, 1, hello))
    return peer, wire.FrameReader(wire.ANSWERS)


def answers(peer: socket.socket, reader: wire.FrameReader, count: int) -> list[wire.Frame]:
    found: list[wire.Frame] = []
    while len(found) < count:
        frame = reader.next()
        if frame is not None:
            found.append(frame)
            continue
        data = peer.recv(65536)
        if not data:
            break
        reader.feed(data)
    return found
