"""Goal: puts to lists and puts with a delay that no client of ours sends are refused, or end their
connection. None of them is a fault of the queue manager.

Method: frames made by hand on the local socket, with the faults that the queue manager reports.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from ternmq.base.reasons import (
    MQRC_CONNECTION_BROKEN,
    MQRC_HOBJ_ERROR,
    MQRC_MD_ERROR,
    MQRC_OBJECT_RECORDS_ERROR,
    MQRC_OPTIONS_ERROR,
    MQRC_PMO_ERROR,
    MQRC_PMO_RECORD_FLAGS_ERROR,
)
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.wire import local as wire
from ternmq.wire.extension import pack_request, unpack_answer
from tests.unit.api.served import Served, in_memory

pytestmark = pytest.mark.core

MD = Descriptor(version=2).pack()
ID, TOKEN = "00" * 24, "00" * 32
RECORD = [ID, ID, ID, 0, TOKEN]


class Raw:
    """A connection that sends what it is given."""

    def __init__(self, served: Served) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(served.folder / "local.sock"))
        self._reader = wire.FrameReader(wire.ANSWERS)
        self._reader.hello_is_done()
        hello = {"protocol": [wire.PROTOCOL_OLDEST, wire.PROTOCOL_NEWEST], "application": "raw"}
        self._socket.sendall(wire.json_frame(wire.HELLO, 1, hello))
        assert self._next().kind == wire.OK

    def _next(self) -> wire.Frame:
        while (frame := self._reader.next()) is None:
            data = self._socket.recv(65536)
            assert data, "the connection was closed without a word"
            self._reader.feed(data)
        return frame

    def ask(self, kind: int, body: bytes) -> wire.Frame:
        self._socket.sendall(wire.frame(kind, 2, body))
        return self._next()

    def open(self, call: str, **given: Any) -> int:
        frame = self.ask(wire.EXTENSION, pack_request(call, given))
        assert frame.kind == wire.OK, frame.body
        return int(unpack_answer(frame.body)[0]["handle"])

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def served() -> Iterator[Served]:
    with in_memory("QM1") as found:
        with found.connect() as connection:
            connection.define_queue("A")
        yield found


@pytest.fixture
def raw(served: Served, monkeypatch: pytest.MonkeyPatch) -> Iterator[Raw]:
    """A connection; at the end, the queue manager had no fault and serves others."""
    faults: list[str] = []
    monkeypatch.setattr(served.host, "fault", lambda error, doing: faults.append(repr(error)))
    found = Raw(served)
    yield found
    found.close()
    assert faults == []
    with served.connect() as other:
        other.put("A", "still there")


def reason(frame: wire.Frame) -> int:
    assert frame.kind in (wire.ERROR, wire.ENDED)
    return int(frame.json()["reason"])


def list_body(given: bytes, handle: int = 0, options: int = 0, md: bytes = MD) -> bytes:
    return wire.LENGTH.pack(len(given)) + given + wire.put_head(handle, options, 0, md) + b"data"


def given(**changed: Any) -> bytes:
    values: dict[str, Any] = {"fields": 0, "records": [], "od": {}, "destinations": [["A", ""]]}
    return json.dumps({**values, **changed}).encode()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        wire.LENGTH.pack(0xFFFFFFFF) + b"{}",
        list_body(b"{}"),
        list_body(b"[]"),
        list_body(b"[" * 100_000),
        list_body(given().replace(b'"fields": 0', b'"fields": 1e400')),
        list_body(given(fields=1 << 80)),
        list_body(given(fields=None)),
        list_body(given(records={"a": 1})),
        list_body(given(records=[RECORD[:4]])),
        list_body(given(records=[["zz", ID, ID, 0, TOKEN]])),
        list_body(given(records=[[ID, ID, ID, 1 << 31, TOKEN]])),
        list_body(given(od=None)),
        list_body(given(od={"records_present": "many"})),
        list_body(given(destinations="A")),
        list_body(given(destinations=[["A"]])),
        list_body(given(destinations=[[5, ""]])),
    ],
)
def test_put_to_a_list_when_it_is_malformed_then_the_connection_ends(raw: Raw, body: bytes) -> None:
    assert reason(raw.ask(wire.PUT_LIST, body)) == MQRC_CONNECTION_BROKEN


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (list_body(given(destinations=[])), MQRC_OBJECT_RECORDS_ERROR),
        (list_body(given(fields=-1)), MQRC_PMO_RECORD_FLAGS_ERROR),
        (list_body(given(), options=-1), MQRC_OPTIONS_ERROR),
        (list_body(given(), md=b"\xff" * len(MD)), MQRC_MD_ERROR),
        (list_body(given(), handle=77), MQRC_HOBJ_ERROR),
    ],
)
def test_put_to_a_list_when_it_is_wrong_then_it_is_refused(
    raw: Raw, body: bytes, expected: int
) -> None:
    frame = raw.ask(wire.PUT_LIST, body)
    assert (frame.kind, reason(frame)) == (wire.ERROR, expected)


@pytest.mark.parametrize("body", [b"", b"\x01", bytes(8), bytes(8) + b"x" * 100])
def test_put_with_a_delay_when_it_is_cut_then_the_connection_ends(raw: Raw, body: bytes) -> None:
    assert reason(raw.ask(wire.DEFER, body)) == MQRC_CONNECTION_BROKEN


@pytest.mark.parametrize("delay", [b"\xff" * 8, b"\x00" * 7 + b"\x80", b"\xff" * 7 + b"\x7f"])
def test_put_with_a_delay_when_that_cannot_be_then_it_is_refused(raw: Raw, delay: bytes) -> None:
    handle = raw.open(
        "open",
        od={"object_name": "A"},
        options=16,
        as_needed=False,
        exclusive=False,
        selector="",
        object_string="",
    )
    frame = raw.ask(wire.DEFER, delay + wire.put_head(handle, 0, 0, MD) + b"data")
    assert (frame.kind, reason(frame)) == (wire.ERROR, MQRC_OPTIONS_ERROR)


@pytest.mark.parametrize("kind", [wire.PUT, wire.DEFER])
def test_handle_of_a_list_when_one_queue_is_meant_then_the_put_is_refused(
    raw: Raw, kind: int
) -> None:
    handle = raw.open("open_list", od={}, destinations=[["A", ""]], options=16)
    delay = wire.DELAY.pack(1000) if kind == wire.DEFER else b""
    frame = raw.ask(kind, delay + wire.put_head(handle, 0, 0, MD) + b"data")
    assert frame.kind == wire.ERROR


@pytest.mark.parametrize("body", [b"", b"\x01", b"\x01\x00" + b"x" * 100, b"\x01\x01\xff\xff{}"])
def test_put_with_a_level_when_it_is_cut_then_the_connection_ends(raw: Raw, body: bytes) -> None:
    assert reason(raw.ask(wire.LEVEL, body)) == MQRC_CONNECTION_BROKEN


def test_put_with_a_level_when_that_cannot_be_then_it_is_refused(raw: Raw) -> None:
    head = wire.put1_head({"object_type": 8, wire.OBJECT_STRING: "a"}, 0, 0, MD, b"")
    frame = raw.ask(wire.LEVEL, wire.LEVEL_HEAD.pack(10, 1) + head + b"data")
    assert (frame.kind, reason(frame)) == (wire.ERROR, MQRC_PMO_ERROR)
    frame = raw.ask(wire.LEVEL, wire.LEVEL_HEAD.pack(3, 1) + head + b"data")
    assert frame.kind == wire.OK


def test_put1_when_its_topic_is_no_text_then_the_connection_ends(raw: Raw) -> None:
    head = wire.put1_head({"object_type": 8, wire.OBJECT_STRING: [1]}, 0, 0, MD, b"")
    assert reason(raw.ask(wire.PUT1, head + b"data")) == MQRC_CONNECTION_BROKEN
