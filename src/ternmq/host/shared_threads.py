"""A connection that threads share in turn: MQCNO_HANDLE_SHARE_BLOCK.

Each verb waits until the verb of another thread has ended, however long that takes. A lock around
the verbs does it, so that connections which are not shared like this pay nothing for it.
"""

from __future__ import annotations

import threading
from threading import get_ident
from typing import final

from ternmq.host.shell import Shell
from ternmq.host.threads import ThreadTransport
from ternmq.mqi.sharing import BLOCK, sharing
from ternmq.mqi.steps.table import ASIDE, STEPS
from ternmq.values.calls.call import Call
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PutForm


@final
class SharedTransport(ThreadTransport):
    """Threads that use one connection, one after the other."""

    def __init__(self, shell: Shell, user: str, application: str) -> None:
        super().__init__(shell, user, application, BLOCK)
        self._turn = threading.Lock()

    def put(self, handle: ObjectHandle, form: PutForm, data: bytes) -> bytes:
        self.session.check_consumed(get_ident(), "MQPUT")
        with self._turn:
            return super().put(handle, form, data)

    def get(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        self.session.check_consumed(get_ident(), "MQGET")
        with self._turn:
            return super().get(handle, request)

    def run(self, call: Call) -> None:
        if STEPS[call.name].turn == ASIDE:
            super().run(call)
            return
        self.session.check_consumed(get_ident(), call.verb)
        with self._turn:
            super().run(call)

    def begin(self) -> None:
        self.session.check_consumed(get_ident(), "MQBEGIN")
        with self._turn:
            super().begin()

    def commit(self) -> None:
        self.session.check_consumed(get_ident(), "MQCMIT")
        with self._turn:
            super().commit()

    def back_out(self) -> None:
        self.session.check_consumed(get_ident(), "MQBACK")
        with self._turn:
            super().back_out()

    def end(self, vanished: bool) -> None:
        if vanished:  # a verb under way gets its error from the queue manager
            super().end(vanished)
            return
        with self._turn:
            super().end(vanished)


def thread_transport(
    shell: Shell, user: str, application: str, options: int | None
) -> ThreadTransport:
    """The transport of a connection with these MQCNO options, which are checked."""
    share = sharing(options)
    transport: ThreadTransport
    if share == BLOCK:
        transport = SharedTransport(shell, user, application)
    else:
        transport = ThreadTransport(shell, user, application, share)
    if options is not None:
        transport.link.connect_options = options
    return transport
