"""Goal: the proxy carries what it is given, and breaks exactly where it was told to.

Method: a server that answers each segment with another one, real sockets.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from ternmq.testing.proxy import (
    CUT,
    KINDS,
    PASS,
    RESET,
    STALL,
    TO_CLIENT,
    TO_SERVER,
    Fault,
    Proxy,
    record_length,
)


def segment(text: bytes) -> bytes:
    """A head with the length, and the text."""
    return b"TSH " + (8 + len(text)).to_bytes(4, "big") + text


def read(one: socket.socket, count: int) -> bytes:
    """So many bytes, or what came before the end."""
    found = b""
    while len(found) < count:
        data = one.recv(count - len(found))
        if not data:
            break
        found += data
    return found


class Answering:
    """Answers each segment with itself in capitals."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.got: list[bytes] = []
        self.gone = threading.Event()
        self._workers: list[threading.Thread] = []
        self._worker = threading.Thread(target=self._run, daemon=True)
        self._worker.start()

    def _run(self) -> None:
        while True:
            try:
                one, _ = self.listener.accept()
            except OSError:
                return
            worker = threading.Thread(target=self._serve, args=(one,), daemon=True)
            self._workers.append(worker)
            worker.start()

    def _serve(self, one: socket.socket) -> None:
        with one:
            self._answer(one)
        self.gone.set()

    def _answer(self, one: socket.socket) -> None:
        while True:
            try:
                head = read(one, 8)
                body = read(one, int.from_bytes(head[4:8], "big") - 8) if len(head) == 8 else b""
                self.got.append(head[8:] + body)
                if len(head) < 8:
                    return
                one.sendall(segment(body.upper()))
            except OSError:
                return

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for worker in (self._worker, *self._workers):
            worker.join()


@pytest.fixture
def server() -> Iterator[Answering]:
    made = Answering()
    yield made
    made.close()


@pytest.fixture
def proxy(server: Answering) -> Iterator[Proxy]:
    with Proxy(("127.0.0.1", server.listener.getsockname()[1])) as made:
        yield made


def connect(proxy: Proxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=10)


def ask(one: socket.socket, text: bytes) -> bytes:
    one.sendall(segment(text))
    return read(one, 8 + len(text))[8:]


def test_without_a_fault_everything_passes(proxy: Proxy) -> None:
    with connect(proxy) as one, connect(proxy) as other:
        assert ask(one, b"hello") == b"HELLO"
        assert ask(other, b"x" * 500_000) == b"X" * 500_000
        one.sendall(segment(b"a") + segment(b"b"))
        assert read(one, 18) == segment(b"A") + segment(b"B")
    assert proxy.segments == (4, 4)
    assert not proxy.has_struck


@pytest.mark.parametrize("kind", [CUT, RESET])
@pytest.mark.parametrize("direction", [TO_SERVER, TO_CLIENT])
def test_a_fault_strikes_before_its_segment(
    proxy: Proxy, server: Answering, kind: str, direction: int
) -> None:
    proxy.break_at(Fault(direction, 2, kind))
    with connect(proxy) as one:
        assert ask(one, b"a") == b"A"
        assert ask(one, b"b") == b"B"
        one.sendall(segment(b"c"))
        try:
            assert read(one, 9) == b""
        except ConnectionResetError:
            assert kind == RESET
        assert proxy.wait_until_struck(10)
    server.gone.wait(10)
    assert [text for text in server.got if text] == [b"a", b"b", b"c"][: 2 + direction]
    with connect(proxy) as one:  # it strikes once
        assert ask(one, b"again") == b"AGAIN"


@pytest.mark.parametrize("byte", [1, 7, 8, 10])
def test_a_fault_may_strike_inside_a_segment(proxy: Proxy, byte: int) -> None:
    proxy.break_at(Fault(TO_CLIENT, 1, CUT, byte))
    with connect(proxy) as one:
        assert ask(one, b"a") == b"A"
        one.sendall(segment(b"long"))
        assert read(one, 12) == segment(b"LONG")[:byte]


def test_a_stalled_connection_stays_open_and_nothing_passes(proxy: Proxy) -> None:
    proxy.break_at(Fault(TO_SERVER, 1, STALL))
    with connect(proxy) as one, connect(proxy) as other:
        assert ask(one, b"a") == b"A"
        one.sendall(segment(b"b"))
        assert proxy.wait_until_struck(10)
        one.settimeout(0.05)
        with pytest.raises(TimeoutError):
            one.recv(1)
        assert ask(other, b"x") == b"X"  # others go on


def test_what_is_encrypted_is_counted_in_records() -> None:
    assert record_length(b"") == record_length(b"\x17\x03\x03\x00") == 0
    assert record_length(b"\x17\x03\x03\x01\x02 and more") == 5 + 0x102


def test_a_server_that_is_not_there_is_a_connection_that_ends() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with Proxy(("127.0.0.1", port)) as proxy, connect(proxy) as one:
        assert one.recv(1) == b""


def test_kinds_are_reported() -> None:
    assert KINDS == (CUT, RESET, STALL)


def test_a_fault_may_choose_its_segment_by_its_header(proxy: Proxy) -> None:
    called: list[str] = []
    proxy.break_when(
        lambda direction, head: direction == TO_SERVER and head[8:] == b"two",
        CUT,
        then=lambda: called.append("now"),
    )
    with socket.create_connection(("127.0.0.1", proxy.port)) as one:
        one.sendall(segment(b"one"))
        assert read(one, 11) == segment(b"ONE")
        assert called == []
        one.sendall(segment(b"two"))
        assert read(one, 11) == b""
    assert called == ["now"]
    assert proxy.has_struck


def test_a_fault_that_lets_pass_only_calls(proxy: Proxy) -> None:
    called: list[str] = []
    proxy.break_when(lambda direction, head: True, PASS, then=lambda: called.append("now"))
    with socket.create_connection(("127.0.0.1", proxy.port)) as one:
        one.sendall(segment(b"one"))
        assert read(one, 11) == segment(b"ONE")
        one.sendall(segment(b"two"))
        assert read(one, 11) == segment(b"TWO")
    assert called == ["now"]


def test_connections_when_all_are_dropped_then_new_ones_are_carried(proxy: Proxy) -> None:
    with socket.create_connection(("127.0.0.1", proxy.port)) as one:
        one.sendall(segment(b"one"))
        assert read(one, 11) == segment(b"ONE")
        proxy.drop_all()
        assert read(one, 11) == b""
    with socket.create_connection(("127.0.0.1", proxy.port)) as one:
        one.sendall(segment(b"two"))
        assert read(one, 11) == segment(b"TWO")


def test_connections_that_ended_before_a_fault_are_counted_when_it_strikes(proxy: Proxy) -> None:
    with connect(proxy) as one:
        one.sendall(segment(b"one"))
        assert read(one, 11) == segment(b"ONE")
        proxy.drop_all()
        assert read(one, 11) == b""
    proxy.break_when(lambda direction, head: True, PASS)
    with connect(proxy) as one:
        one.sendall(segment(b"two"))
        assert read(one, 11) == segment(b"TWO")
        proxy.drop_all()
        assert read(one, 11) == b""
    # However late somebody asks, the end of the second connection came after the fault.
    assert (proxy.ended_before, proxy.ended) == (1, 2)
