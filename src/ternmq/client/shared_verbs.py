"""A connection that threads share in turn: MQCNO_HANDLE_SHARE_BLOCK.

Each verb waits until the verb of another thread has ended, however long that takes. A lock around
the verbs does it, so that connections which are not shared like this pay nothing for it.
"""

from __future__ import annotations

import threading
from typing import final

from ternmq.client import steps
from ternmq.client.extension_steps import ExtensionStep
from ternmq.client.session import BLOCK, sharing
from ternmq.client.shell import Shell
from ternmq.client.verbs import Verbs
from ternmq.codec.mqod import ObjectDescriptor
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import GetCall, GetRequest, PutRequest
from ternmq.store.entry import Entry


@final
class SharedVerbs(Verbs):
    """The verbs that take the connection, one after the other; the others are made of these."""

    def __init__(self, shell: Shell, user: str, application: str) -> None:
        super().__init__(shell, user, application, BLOCK)
        self._turn = threading.Lock()

    def run(self, step: steps.Step) -> None:
        with self._turn:
            super().run(step)

    def administer(self, step: steps.Step) -> None:
        with self._turn:
            super().administer(step)

    def extended(self, step: ExtensionStep) -> None:
        with self._turn:
            super().extended(step)

    def put(self, handle: Handle, request: PutRequest, data: bytes) -> Entry:
        with self._turn:
            return super().put(handle, request, data)

    def put1(self, od: ObjectDescriptor, request: PutRequest, data: bytes) -> Entry:
        with self._turn:
            return super().put1(od, request, data)

    def get(self, handle: Handle, request: GetRequest) -> GetCall:
        with self._turn:
            return super().get(handle, request)

    def commit(self) -> None:
        with self._turn:
            super().commit()

    def back_out(self) -> None:
        with self._turn:
            super().back_out()

    def disconnect(self, vanished: bool = False) -> None:
        if vanished:  # whoever is in the middle of a verb is told by the queue manager
            super().disconnect(vanished)
            return
        with self._turn:
            super().disconnect(vanished)


def verbs_for(shell: Shell, user: str, application: str, options: int | None) -> Verbs:
    """The verbs of a connection with these MQCNO options, which are checked."""
    share = sharing(options)
    verbs: Verbs
    if share == BLOCK:
        verbs = SharedVerbs(shell, user, application)
    else:
        verbs = Verbs(shell, user, application, share)
    if options is not None:
        verbs.link.connect_options = options
    return verbs
