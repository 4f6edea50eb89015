"""Samples of a queue manager, one after the other; connects again if the connection broke."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Final, Self, final

from ternmq.api.connection import Connection
from ternmq.base.errors import MQError
from ternmq.cli.top.snapshot import Sample, Snapshot, snapshot, take


@final
class Watch:
    """Takes samples; keeps the last one, for rates."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect: Final = connect
        self._connection: Connection | None = None
        self._before: Sample | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def next(self) -> Snapshot:
        """The queue manager as it is now. After MQError the next call connects again."""
        try:
            if self._connection is None:
                self._connection = self._connect()
            moment = datetime.now().astimezone().isoformat(timespec="seconds")
            now = take(self._connection, time.monotonic(), moment)
        except MQError:
            self.close()
            raise
        before = self._before
        self._before = now
        return snapshot(now, before)

    def close(self) -> None:
        """End the connection; rates begin with the next one."""
        connection = self._connection
        self._connection = None
        self._before = None
        if connection is None:
            return
        try:
            connection.disconnect()
        except MQError:  # it was broken
            return
