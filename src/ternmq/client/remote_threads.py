"""Runs the verbs of a connection to another process in threads: turns, forks, the end.

How bytes are sent and awaited is for `local_socket` and `net_threads`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from typing import Any

from ternmq.base.reasons import MQRC_HCONN_ERROR
from ternmq.client.dropped import warn_dropped
from ternmq.client.local_turns import Turns
from ternmq.client.message import Message
from ternmq.client.remote_verbs import Exchange, RemoteVerbs, Result
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import GetRequest


class BlockingVerbs:
    """The verbs of one connection, blocking."""

    def __init__(self, verbs: RemoteVerbs, share: int) -> None:
        self._process = os.getpid()
        self.warns = True  # if it is dropped
        self.verbs = verbs
        self.turns = Turns(verbs, share, threading.get_ident())

    @property
    def is_ours(self) -> bool:
        """Not in a forked child: there the connection is the parent's, who goes on using it."""
        return self._process == os.getpid()

    @property
    def is_alive(self) -> bool:
        """Whether the connection can still be used, as far as is known."""
        return self.verbs.link.connected

    def run(self, verb: str, exchange: Exchange[Result]) -> Result:
        """A verb, to its end."""
        if not self.is_ours:
            self.turns.break_off(MQRC_HCONN_ERROR, "the connection of the process it forked from")
        self.turns.take(threading.get_ident(), verb)
        try:
            return self._run(verb, exchange)
        finally:
            self.turns.give_back()

    def _run(self, verb: str, exchange: Exchange[Result]) -> Result:
        try:
            request = next(exchange)
            while True:
                request = exchange.send(self.exchanged(verb, request))
        except StopIteration as end:
            result: Result = end.value
            return result

    def exchanged(self, verb: str, request: Any) -> Any:
        """Send a request and wait for what answers it."""
        raise NotImplementedError

    def put(self, handle: Handle, options: int, packed: bytes, data: bytes) -> bytes:
        """MQPUT."""
        return self.run("MQPUT", self.verbs.put(handle, options, packed, data))

    def put_many(self, handle: Handle, options: int, puts: Iterable[tuple[bytes, bytes]]) -> None:
        """MQPUT of packed descriptors and their data, in order, in few round trips. Where puts are
        not answered one by one, `status` tells afterwards whether all went well."""
        for packed, data in puts:
            self.put(handle, options, packed, data)

    def get(self, handle: Handle, request: GetRequest) -> Message | None:
        """MQGET."""
        waits = request.wait_ms != 0
        return self.run("MQGET", self.verbs.get(handle, request, waits))

    def disconnect(self, vanished: bool = False) -> None:
        """MQDISC; commits unless the application has failed."""
        verbs = self.verbs
        if not verbs.link.connected:
            return
        try:
            if not vanished:
                self.run("MQDISC", verbs.disconnect())
            elif not self.turns.busy:
                self.run("MQBACK", verbs.back_out())
        finally:
            if vanished or not self.turns.busy:
                verbs.link.connected = False
                verbs.in_unit = False
                self.close()

    def close(self) -> None:
        """Let the socket go."""
        raise NotImplementedError

    def __del__(self) -> None:
        # The socket goes with this, and the queue manager backs the unit of work out.
        verbs = getattr(self, "verbs", None)
        if verbs is not None and self.warns and verbs.link.connected and self.is_ours:
            warn_dropped(verbs.name, verbs.in_unit or verbs.has_changes)
