"""Runs the verbs of a connection to another process in threads: turns, forks, the end.

How bytes are sent and awaited is for `local_threads` and `fap_threads`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from typing import Any

from ternmq.api.dropped import warn_dropped
from ternmq.base.reasons import MQRC_HCONN_ERROR
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.remote.remote_verbs import Exchange, PackedPut, RemoteVerbs, Result, packed_form
from ternmq.remote.turns import Turns
from ternmq.values.calls.call import Call
from ternmq.values.calls.messages import Get, Put
from ternmq.values.calls.units import BackOut
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PutForm, foreign_form
from ternmq.values.transport import Transport


class RemoteThreads(Transport):
    """The verbs of one connection, blocking."""

    def __init__(self, verbs: RemoteVerbs, share: int) -> None:
        super().__init__()
        self._process = os.getpid()
        self.verbs = verbs
        self.turns = Turns(verbs, share, threading.get_ident())

    # ---- what is known of it

    @property
    def in_unit(self) -> bool:
        return self.verbs.in_unit

    @property
    def qmgr_name(self) -> str:
        return self.verbs.name

    @property
    def user(self) -> str:
        return self.verbs.link.user

    @property
    def connection_id(self) -> bytes:
        return self.verbs.link.tag

    @property
    def has_unit(self) -> bool:
        return self.verbs.in_unit or self.verbs.has_changes

    def has_handle(self, handle: ObjectHandle) -> bool:
        link = self.verbs.link
        return link.connected and handle.handle_id in link.handles

    def consume_by(self, caller: int) -> None:
        self.turns.consume_by(caller)

    def release(self) -> None:
        self.turns.release()

    def put_form(self, md: Descriptor, options: int, verb: str) -> PutForm:
        return packed_form(md, options, verb)

    @property
    def is_ours(self) -> bool:
        """Not in a forked child: there the connection is the parent's, which goes on using it."""
        return self._process == os.getpid()

    @property
    def is_alive(self) -> bool:
        return self.verbs.link.connected

    # ---- verbs

    def run(self, call: Call) -> None:
        if isinstance(call, Put):
            call.msg_id = self.put(call.handle, call.form, call.data)
            call.warning = self.verbs.put_warning()
            call.place = self.verbs.put_place()
        elif isinstance(call, Get):
            call.message = self.get(call.handle, call.request)
        else:
            self.exchange(call.verb, self.verbs.run(call))

    def exchange(self, verb: str, exchange: Exchange[Result]) -> Result:
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

    def put(self, handle: ObjectHandle, form: PutForm, data: bytes) -> bytes:
        if not isinstance(form, PackedPut):
            raise foreign_form("MQPUT")
        return self.exchange("MQPUT", self.verbs.put(handle, form, data))

    def put_many(
        self, handle: ObjectHandle, options: int, puts: Iterable[tuple[bytes, bytes]]
    ) -> None:
        """MQPUT of packed descriptors and their data, in order, in few round trips. Where puts are
        not answered one by one, MQSTAT reports afterwards whether all went well."""
        for packed, data in puts:
            self.put(handle, PackedPut(options, packed), data)

    def get(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        waits = request.wait_ms != 0
        return self.exchange("MQGET", self.verbs.get(handle, request, waits))

    def end(self, vanished: bool) -> None:
        verbs = self.verbs
        if not verbs.link.connected:
            return
        try:
            if not vanished:
                self.exchange("MQDISC", verbs.disconnect())
            elif not self.turns.busy:
                self.run(BackOut())
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
