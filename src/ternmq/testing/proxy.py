"""A TCP proxy that breaks connections where a test wants it: at any segment, at any byte.

    with Proxy(("127.0.0.1", port)) as proxy:
        proxy.break_at(Fault(TO_SERVER, segment=7, kind=CUT))
        connection = ternmq.connect("QM1", channel=..., conn=proxy.conn)

It runs in a thread of its own and carries any number of connections. It counts segments of MQ's
protocol (`segment_length`), or records of TLS (`record_length`). A fault strikes once, at the
connection that first comes to its place:

    CUT     both ends are closed, as when a process ends
    RESET   both ends are reset, as when a machine is gone
    STALL   nothing passes any more, either way, and neither end knows; as when a cable is cut
    PASS    nothing happens to the connection

`byte` says how many bytes of the segment pass before that. `break_when` chooses the segment by its
header instead of its number, and may call something when it comes: to kill an end, say.
"""

from __future__ import annotations

import selectors
import socket
import struct
import threading
from collections.abc import Callable
from typing import Final, NamedTuple

TO_SERVER: Final = 0
TO_CLIENT: Final = 1
DIRECTIONS: Final = (TO_SERVER, TO_CLIENT)

CUT: Final = "cut"
RESET: Final = "reset"
STALL: Final = "stall"
PASS: Final = "pass"
KINDS: Final = (CUT, RESET, STALL)

_READ_BYTES: Final = 65_536
_HEAD_BYTES: Final = 8
HEADER_BYTES: Final = 28  # what `break_when` is shown of a segment
_RECORD_HEAD_BYTES: Final = 5
_FLUSH_S: Final = 5.0
_LINGER_NOT: Final = struct.pack("ii", 1, 0)


# Sees direction and header of a segment; whether the fault strikes there.
Chooses = Callable[[int, bytes], bool]


class Fault(NamedTuple):
    """Where and how: before a segment of a direction, or `byte` bytes into it."""

    direction: int
    segment: int
    kind: str = CUT
    byte: int = 0


def segment_length(buffer: bytes | bytearray) -> int:
    """How long the segment is that begins here; 0 if that is not known yet."""
    if len(buffer) < _HEAD_BYTES:
        return 0
    return max(int.from_bytes(buffer[4:8], "big"), _HEAD_BYTES)


def record_length(buffer: bytes | bytearray) -> int:
    """For what is encrypted: the same for the records of TLS."""
    if len(buffer) < _RECORD_HEAD_BYTES:
        return 0
    return _RECORD_HEAD_BYTES + int.from_bytes(buffer[3:5], "big")


class _Flow:
    """One direction of one connection."""

    def __init__(self, direction: int, source: socket.socket, target: socket.socket) -> None:
        self.direction = direction
        self.source = source
        self.target = target
        self.waiting = bytearray()  # read, and not yet let through
        self.leaving = bytearray()  # let through, and not yet taken by the target
        self.segments = 0  # begun
        self.left = 0  # bytes of the segment that is passing
        self.ended = False  # the source sends no more


class Proxy:
    """Listens on a port of its own; a context manager that closes everything."""

    def __init__(
        self,
        target: tuple[str, int],
        length: Callable[[bytes | bytearray], int] = segment_length,
        host: str = "127.0.0.1",
    ) -> None:
        self._target = target
        self._host = host
        self._length = length
        self._fault: Fault | None = None
        self._chooses: Chooses | None = None
        self._then: Callable[[], None] | None = None
        self._struck = threading.Event()
        self._lock = threading.Lock()
        self._counts = [0, 0]
        self._listener = socket.create_server((host, 0))
        self._listener.setblocking(False)
        self._wake_up, self._woken = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._links: dict[socket.socket, tuple[_Flow, _Flow]] = {}
        self._stalled: list[socket.socket] = []
        self._runs = True
        self._drops = False
        self.ended = 0  # how many connections have
        self.ended_before = 0  # how many had when the last fault struck
        self._worker = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._worker.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self._listener.getsockname()[1]
        return port

    @property
    def conn(self) -> str:
        """The same as a connection name."""
        return f"{self._host}({self.port})"

    @property
    def segments(self) -> tuple[int, int]:
        """How many segments passed so far, to the server and to the client."""
        return self._counts[TO_SERVER], self._counts[TO_CLIENT]

    def break_at(self, fault: Fault | None) -> None:
        """Set the next fault; counting begins at 0 with each connection."""
        with self._lock:
            self._fault = fault
            self._chooses = None
            self._then = None
            self._struck.clear()

    def break_when(
        self, chooses: Chooses, kind: str, byte: int = 0, then: Callable[[], None] | None = None
    ) -> None:
        """Set the next fault, at the first segment that is chosen; `then` is called, in the
        thread of the proxy, before it strikes."""
        with self._lock:
            self._fault = Fault(TO_SERVER, 0, kind, byte)
            self._chooses = chooses
            self._then = then
            self._struck.clear()

    @property
    def has_struck(self) -> bool:
        """Whether the fault that was set has happened."""
        return self._struck.is_set()

    def wait_until_struck(self, timeout_s: float | None = None) -> bool:
        """Wait for the fault."""
        return self._struck.wait(timeout_s)

    def drop_all(self) -> None:
        """End all connections, as when a network device is started again."""
        self._drops = True
        self._wake_up.send(b"x")

    def close(self) -> None:
        """End all connections and the listener."""
        self._runs = False
        self._wake_up.send(b"x")
        self._worker.join()
        self._wake_up.close()
        self._woken.close()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    # ---- the thread

    def _run(self) -> None:
        try:
            while self._runs:
                for key, events in self._selector.select():
                    self._serve(key.fileobj, events)
        finally:
            for one in (*self._links, *self._stalled):
                one.close()
            self._listener.close()
            self._selector.close()

    def _serve(self, ready: object, events: int) -> None:
        if ready is self._listener:
            self._accept()
            return
        if ready is self._woken:
            self._woken.recv(_READ_BYTES)
            if self._drops:
                self._drops = False
                for one in list(self._links):
                    self._end(one)
            return
        if not isinstance(ready, socket.socket) or ready not in self._links:
            return
        outward, inward = self._links[ready]
        try:
            if events & selectors.EVENT_WRITE:
                self._write(inward)
            if events & selectors.EVENT_READ and ready in self._links:
                self._read(outward)
        except OSError:
            self._end(ready)

    def _accept(self) -> None:
        client, _ = self._listener.accept()
        try:
            server = socket.create_connection(self._target)
        except OSError:
            client.close()
            return
        to_server = _Flow(TO_SERVER, client, server)
        to_client = _Flow(TO_CLIENT, server, client)
        for one in (client, server):
            one.setblocking(False)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(one, selectors.EVENT_READ)
        # By each socket: what it sends, and what is sent to it.
        self._links[client] = (to_server, to_client)
        self._links[server] = (to_client, to_server)

    def _read(self, flow: _Flow) -> None:
        if flow.ended:
            return
        data = flow.source.recv(_READ_BYTES)
        if not data:
            flow.ended = True
        flow.waiting += data
        if self._pass_on(flow):
            self._write(flow)

    def _pass_on(self, flow: _Flow) -> bool:
        """Let segments through, up to the fault; False if it struck."""
        while flow.waiting:
            if flow.left == 0:
                length = self._length(flow.waiting)
                if self._chooses is not None and len(flow.waiting) < min(length, HEADER_BYTES):
                    break
                fault = self._fault_at(flow)
                needed = 1 if fault is None else min(fault.byte, length)
                if length == 0 or len(flow.waiting) < needed:
                    break  # the rest comes with the next read
                if fault is not None and self._strike(flow, fault, needed):
                    return False
                flow.segments += 1
                self._counts[flow.direction] += 1
                flow.left = length
            count = min(flow.left, len(flow.waiting))
            flow.leaving += flow.waiting[:count]
            del flow.waiting[:count]
            flow.left -= count
        return True

    def _strike(self, flow: _Flow, fault: Fault, passes: int) -> bool:
        """The fault happens; True if the connection ends by it."""
        self.ended_before = self.ended
        with self._lock:
            then, self._then = self._then, None
        if then is not None:
            then()
        if fault.kind == PASS:
            with self._lock:
                self._fault = None
            self._struck.set()
            return False
        flow.leaving += flow.waiting[:passes]
        self._break(flow, fault.kind)
        return True

    def _fault_at(self, flow: _Flow) -> Fault | None:
        """The fault, if its place is here."""
        with self._lock:
            fault = self._fault
            chooses = self._chooses
        if fault is not None and chooses is not None:
            head = bytes(flow.waiting[:HEADER_BYTES])
            return fault if chooses(flow.direction, head) else None
        if fault is None or (fault.direction, fault.segment) != (flow.direction, flow.segments):
            return None
        return fault

    def _break(self, flow: _Flow, kind: str) -> None:
        """The fault: what was let through before it still arrives."""
        with self._lock:
            self._fault = None
        # Before an end of the connection can notice it.
        self._struck.set()
        flow.target.settimeout(_FLUSH_S)
        try:
            flow.target.sendall(flow.leaving)
        finally:
            self._forget(flow)
            for one in (flow.source, flow.target):
                if kind == STALL:
                    self._stalled.append(one)
                    continue
                if kind == RESET:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
                one.close()

    def _forget(self, flow: _Flow) -> None:
        self.ended += 1
        for one in (flow.source, flow.target):
            self._links.pop(one, None)
            self._selector.unregister(one)

    def _write(self, flow: _Flow) -> None:
        if flow.leaving:
            try:
                del flow.leaving[: flow.target.send(flow.leaving)]
            except BlockingIOError:
                pass
        wants = selectors.EVENT_READ | (selectors.EVENT_WRITE if flow.leaving else 0)
        self._selector.modify(flow.target, wants)
        if flow.ended and not flow.leaving:
            self._end(flow.source)

    def _end(self, one: socket.socket) -> None:
        """A side has gone: the other one goes too."""
        flow = self._links.get(one)
        if flow is None:
            return
        self._forget(flow[0])
        for other in (flow[0].source, flow[0].target):
            other.close()
