"""A standby instance: waits until the folder of a queue manager is free, then runs it.

It takes over when the active instance has died, or was ended so that it should (endmqm -s). It ends
when the active instance was ended otherwise, and by SIGTERM, SIGINT and SIGHUP (endmqm -x). There
is one at a time: it holds a lock of its own, by which others see it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Final

from ternmq.base.message_table import message_line
from ternmq.ports.disk import DiskLocked
from ternmq.ports.os_disk import OsDisk
from ternmq.remote.local.folder_lock import STANDBY_LOCK
from ternmq.remote.local.folder_lookup import Place
from ternmq.runtime.starting import Started
from ternmq.server.folder.status_file import ENDED_UNEXPECTEDLY, status_of
from ternmq.server.process import EXIT_RUNNING, Process, StartFailed

EXIT_STANDBYS: Final = 47  # there is one already
LOOK_S: Final = 0.1
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Standby:
    """Until it is its turn, or it is not needed any more."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._ended = threading.Event()

    def wait_and_start(self, process: Process, waiting: Callable[[], None]) -> Started | None:
        """The queue manager, once it is this one's to run; None if it is not needed. `waiting` is
        called when it stands by."""
        disk = OsDisk(self.place.folder)
        try:
            lock = disk.lock_file(STANDBY_LOCK)
        except DiskLocked as locked:
            text = message_line("AMQ7274E", (self.place.name,))
            raise StartFailed(EXIT_STANDBYS, text) from locked
        finally:
            disk.close()
        before = [signal.signal(number, self._signalled) for number in _SIGNALS]
        try:
            waiting()
            return self._wait_and_start(process)
        finally:
            lock.release()
            for number, action in zip(_SIGNALS, before, strict=True):
                signal.signal(number, action)

    def _wait_and_start(self, process: Process) -> Started | None:
        while True:
            now = status_of(self.place.folder)
            if not now.is_up:
                if now.state != ENDED_UNEXPECTEDLY and not now.switches:
                    return None  # it was ended, all of it
                try:
                    return process.start(after_standby=True)
                except StartFailed as failed:
                    if failed.exit_status != EXIT_RUNNING:
                        raise
                    # Another one was quicker.
            if self._ended.wait(LOOK_S):
                return None

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        self._ended.set()
