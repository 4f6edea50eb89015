"""A SQLite table used as a queue: WAL, synchronous=FULL, a commit for each message.

Two ways in which people do it with threads: a connection for each thread, which then meet at
SQLite's own lock and sleep there; and one connection behind a lock. The better one of each round
is the baseline.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from benchmarks.contest import rate_of_threads

INSERT = "INSERT INTO queue (body) VALUES (?)"


def connect(path: Path) -> sqlite3.Connection:
    """A connection that commits each statement, durably."""
    connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection


class SqliteQueue:
    """One table, emptied before each round."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = connect(path)
        self._connection.execute(
            "CREATE TABLE queue (id INTEGER PRIMARY KEY AUTOINCREMENT, body BLOB NOT NULL)"
        )

    def best_rate(self, body: bytes, threads: int, seconds: float) -> float:
        """Messages a second of the better way."""
        return max(
            self._rate(self._own_connection(body), threads, seconds),
            self._rate(self._shared_connection(body), threads, seconds),
        )

    def close(self) -> None:
        self._connection.close()

    def _rate(
        self, make: Callable[[int], Callable[[], None]], threads: int, seconds: float
    ) -> float:
        self._connection.execute("DELETE FROM queue")
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return rate_of_threads(make, threads, seconds)

    def _own_connection(self, body: bytes) -> Callable[[int], Callable[[], None]]:
        row = (body,)

        def make(_: int) -> Callable[[], None]:
            connection = connect(self._path)

            def once() -> None:
                connection.execute(INSERT, row)

            return once

        return make

    def _shared_connection(self, body: bytes) -> Callable[[int], Callable[[], None]]:
        row = (body,)
        lock = threading.Lock()
        connection = self._connection

        def once() -> None:
            with lock:
                connection.execute(INSERT, row)

        return lambda _: once
