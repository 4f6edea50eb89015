"""Looks after the sockets of threads while no thread waits on them: heartbeats and bad news.

One thread for the whole process, which ends when there is no socket left.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from typing import Final

from ternmq.remote.fap.client_socket import ClientSocket

_PERIOD_S_MAX: Final = 10.0
_PERIOD_S_MIN: Final = 0.2


class Watch:
    """The sockets, and the thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: weakref.WeakSet[ClientSocket] = weakref.WeakSet()
        self._again = threading.Event()
        self._runs = False

    def add(self, one: ClientSocket) -> None:
        """Look after a socket, until it is closed."""
        end = one.end
        if end is None or not end.agreement.heartbeat_s:
            return
        with self._lock:
            self._sockets.add(one)
            if not self._runs:
                self._runs = True
                threading.Thread(target=self._run, name="ternmq-heartbeats", daemon=True).start()
        self._again.set()

    def _run(self) -> None:
        while True:
            period_s = _PERIOD_S_MAX
            with self._lock:
                sockets = [one for one in self._sockets if not one.is_closed]
                self._sockets = weakref.WeakSet(sockets)
                if not sockets:
                    self._runs = False
                    return
                self._again.clear()
            for one in sockets:
                if one.end is not None:
                    beat_s = one.end.agreement.heartbeat_s
                    period_s = min(period_s, max(beat_s / 4, _PERIOD_S_MIN))
                    if time.monotonic() - one.last_s >= beat_s / 2:
                        _look(one)
            del sockets
            one = None  # type: ignore[assignment]
            self._again.wait(period_s)

    def forget(self) -> None:
        """After a fork, in the child: the thread is not there, and the sockets are the parent's."""
        self._lock = threading.Lock()
        self._sockets = weakref.WeakSet()
        self._again = threading.Event()
        self._runs = False


def _look(one: ClientSocket) -> None:
    """Exits may take long, or fail in ways of their own: others do not wait for them."""
    if one.exits is None:
        one.look()
    else:
        threading.Thread(target=one.look, name="ternmq-heartbeat", daemon=True).start()


WATCH: Final = Watch()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=WATCH.forget)
