"""The thread that serves the multicast sockets of a process: what arrives, and what is due.

It begins with the first socket and ends with the last one. Sockets are few, so all of them are
asked what is due next.
"""

from __future__ import annotations

import os
import selectors
import socket
import threading
import time
from typing import Final

from mypy_extensions import mypyc_attr

from ternmq.values.multicast_figures import MulticastFigures
from ternmq.wire.multicast.transmitter import NEVER_MS

_SLEEP_MS_MAX: Final = 3_600_000
DATAGRAMS_AT_ONCE: Final = 256
DATAGRAM_BYTES_MAX: Final = 2048


def now_ms() -> int:
    """The time of the machines."""
    return time.monotonic_ns() // 1_000_000


@mypyc_attr(allow_interpreted_subclasses=True)
class Endpoint:
    """A socket with a machine behind it."""

    def __init__(self, opened: socket.socket) -> None:
        self.socket = opened
        self.lock = threading.Lock()  # of the machine
        self.is_over = False  # the socket can be closed
        self.monitor_ms = 0  # MONINT; 0: it does not report
        self.reported_ms = now_ms()

    def figures(self) -> MulticastFigures:
        """What it has counted."""
        raise NotImplementedError

    def report(self) -> MulticastFigures | None:
        """What is to be reported to the queue manager; None if that is not due."""
        now = now_ms()
        if not self.monitor_ms or now - self.reported_ms < self.monitor_ms:
            return None
        self.reported_ms = now
        with self.lock:
            return self.figures()

    def arrived(self, data: bytes, place: tuple[str, int], now: int) -> None:
        """A datagram; called by the thread, with the lock."""
        raise NotImplementedError

    def due_ms(self) -> int:
        """When it wants to be called next."""
        raise NotImplementedError

    def due(self, now: int) -> None:
        """Do what is due, after datagrams too; called by the thread, with the lock."""
        raise NotImplementedError


class SocketThread:
    """The sockets, and the thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._endpoints: list[Endpoint] = []
        self._selector = selectors.DefaultSelector()
        self._wakes: socket.socket | None = None  # one end of a pair: a byte ends the sleep
        self._sleeps_until = 0

    def add(self, one: Endpoint) -> None:
        """Serve a socket."""
        with self._lock:
            self._endpoints.append(one)
            if self._wakes is None:
                self._begin()
            self._selector.register(one.socket, selectors.EVENT_READ, one)
        self.wake()

    def _begin(self) -> None:
        wakes, woken = socket.socketpair()
        wakes.setblocking(False)
        woken.setblocking(False)
        self._wakes = wakes
        self._selector = selectors.DefaultSelector()
        self._selector.register(woken, selectors.EVENT_READ, None)
        thread = threading.Thread(
            target=self._run,
            args=(self._selector, wakes, woken),
            name="ternmq-multicast",
            daemon=True,
        )
        thread.start()

    def remove(self, one: Endpoint) -> None:
        """Serve it no more, and close its socket."""
        with self._lock:
            if one not in self._endpoints:
                return
            self._endpoints.remove(one)
            self._selector.unregister(one.socket)
        with one.lock:
            one.socket.close()
        self.wake()

    def wake(self) -> None:
        """Something has changed: look again."""
        wakes = self._wakes
        if wakes is not None:
            try:
                wakes.send(b"w")
            except (BlockingIOError, OSError):
                return  # it has enough to wake it, or has ended

    def wants(self, due_ms: int) -> None:
        """Wake the thread if it would sleep longer than that."""
        if due_ms < self._sleeps_until:
            self.wake()

    def _served(self) -> list[Endpoint]:
        """All sockets; if there is none, the thread ends."""
        with self._lock:
            if not self._endpoints:
                self._wakes = None
            return list(self._endpoints)

    def _run(
        self, selector: selectors.BaseSelector, wakes: socket.socket, woken: socket.socket
    ) -> None:
        while served := self._served():
            now = now_ms()
            soonest = min([self._looked_after(one, now) for one in served])
            self._sleeps_until = soonest
            wait_ms = min(max(soonest - now_ms(), 0), _SLEEP_MS_MAX)
            for key, _ in selector.select(wait_ms / 1000):
                if key.data is None:
                    _empty(woken)
                else:
                    self._read(key.data)
            self._sleeps_until = 0
        selector.close()
        wakes.close()
        woken.close()

    def _looked_after(self, one: Endpoint, now: int) -> int:
        with one.lock:
            if one.due_ms() <= now:
                one.due(now)
            due_ms = NEVER_MS if one.is_over else one.due_ms()
        if one.is_over:
            self.remove(one)
        return due_ms

    def _read(self, one: Endpoint) -> None:
        with one.lock:
            if one.socket.fileno() < 0:
                return
            now = now_ms()
            for _ in range(DATAGRAMS_AT_ONCE):
                try:
                    data, place = one.socket.recvfrom(DATAGRAM_BYTES_MAX, socket.MSG_DONTWAIT)
                except BlockingIOError:
                    break
                except OSError:
                    break  # a port that nobody has: ICMP says so to the socket that asked
                one.arrived(data, (str(place[0]), int(place[1])), now)
            one.due(now)

    def forget(self) -> None:
        """After a fork, in the child: the sockets are the parent's."""
        self._lock = threading.Lock()
        self._endpoints = []
        self._wakes = None


def _empty(woken: socket.socket) -> None:
    try:
        while woken.recv(4096):
            pass
    except OSError:
        return


SOCKETS: Final = SocketThread()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=SOCKETS.forget)
