"""Goal: the thread that looks after idle sockets of a client serves all of them.
Method: sockets that only note when they are looked at.
"""

from __future__ import annotations

import threading
import types
from typing import Any, cast

from ternmq.remote.fap.client_socket import ClientSocket
from ternmq.remote.fap.socket_watch import Watch


class Idle:
    """A socket that was silent for long."""

    def __init__(self, has_exits: bool) -> None:
        self.end = types.SimpleNamespace(agreement=types.SimpleNamespace(heartbeat_s=1))
        self.exits: Any = object() if has_exits else None
        self.is_closed = False
        self.last_s = 0.0
        self.was_seen = threading.Event()
        self.gate = threading.Event()

    def look(self) -> None:
        self.was_seen.set()
        self.gate.wait(5)


def test_look_when_an_exit_does_not_return_then_other_sockets_are_looked_after() -> None:
    watch = Watch()
    slow = [Idle(True) for _ in range(3)]
    for one in slow:
        watch.add(cast("ClientSocket", one))
    for one in slow:
        assert one.was_seen.wait(3)
    plain = Idle(False)
    plain.gate.set()
    watch.add(cast("ClientSocket", plain))
    assert plain.was_seen.wait(3)
    for one in (*slow, plain):
        one.is_closed = True
        one.gate.set()
