"""Ports where no queue manager answers: one where nobody listens, and one that counts the calls and
hangs up."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def closed_port() -> int:
    """A port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


class Calls:
    """A listener that hangs up at once."""

    def __init__(self, listener: socket.socket) -> None:
        self.port = int(listener.getsockname()[1])
        self.count = 0
        self._listener = listener

    def serve(self) -> None:
        """Until the listener is closed."""
        while True:
            try:
                caller, _ = self._listener.accept()
            except OSError:
                return
            self.count += 1
            caller.close()


@contextmanager
def counted_calls() -> Iterator[Calls]:
    """Count who calls."""
    listener = socket.create_server(("127.0.0.1", 0))
    calls = Calls(listener)
    worker = threading.Thread(target=calls.serve, daemon=True)
    worker.start()
    try:
        yield calls
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        worker.join()


@contextmanager
def silent_port() -> Iterator[int]:
    """A port where the call is taken, and nobody says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield int(listener.getsockname()[1])
