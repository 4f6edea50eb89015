"""Waiting for a message on any of several open queues, by alerts."""

from __future__ import annotations

from typing import final

from ternmq.kernel.alerts import end_wait, set_alert
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.waiters import AlertWait
from ternmq.mqi.steps.step import Step
from ternmq.ports.effect import Wakeable
from ternmq.values.calls import awaiting as calls
from ternmq.values.handle import ObjectHandle


@final
class AwaitMessages(Step):
    """Which queues may have a message. A handle that is not open is one of them: the get by it says
    what is wrong."""

    def __init__(self, call: calls.AwaitMessages) -> None:
        super().__init__(call.verb)
        self.call = call
        self._wait = AlertWait()

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        kernel.refuse_if_ending(True, self.verb)
        link.begin_verb()
        call = self.call
        if call.connection != link.tag.hex():
            call.is_stale = True
            return True
        for given in call.handles:
            handle = _opened(link, given)
            if handle is None or set_alert(kernel, handle):
                call.ready.append(given.handle_id)
        return True

    def await_more(self, kernel: Kernel, link: Link, waker: Wakeable) -> bool:
        wait = self._wait
        wait.waker = waker
        for given in self.call.handles:
            handle = _opened(link, given)
            alert = None if handle is None else handle.alert
            if alert is None or alert.is_raised:
                wait.waker = None
                return False
            alert.wait = wait
        return True

    def stop_awaiting(self, kernel: Kernel, link: Link, waker: Wakeable) -> None:
        self._wait.waker = None

    def interrupt(self, kernel: Kernel) -> None:
        self.call.is_interrupted = True
        end_wait(kernel, self._wait)


def _opened(link: Link, given: ObjectHandle) -> Handle | None:
    """The open object that a call names."""
    return link.handles.get(given.handle_id)
