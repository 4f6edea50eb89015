"""One connection's verbs, blocking: the checks of `mqi`, whose turn it is, and the shell's waiting.

The public classes stand on this; so will the language bindings. Its asyncio twin is `aio_verbs`;
what both share is in `session` and `steps`.
"""

from __future__ import annotations

from threading import get_ident
from time import monotonic

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import MQError
from ternmq.client import steps
from ternmq.client.extension_steps import WAIT_PIECE_S, ExtensionStep
from ternmq.client.forcer import Gate
from ternmq.client.inert import warn_inert_set
from ternmq.client.session import BY_UNIT, Session, get_verb
from ternmq.client.shell import Shell
from ternmq.codec.mqod import ObjectDescriptor
from ternmq.kernel import two_phase
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import GetCall, GetRequest, PutRequest
from ternmq.kernel.verb_clock import MESSAGE
from ternmq.mqi.getting import check_open_for
from ternmq.mqi.putting import check_open_for_output, put1_open_options
from ternmq.store.entry import Entry
from ternmq.txn.unit import XID


class Verbs(Session):
    """The MQI of one connection to an embedded queue manager."""

    def __init__(self, shell: Shell, user: str, application: str, share: int = BY_UNIT) -> None:
        super().__init__(shell, user, application, share, get_ident())

    # ---- measurement

    def start_clock(self) -> None:
        super().start_clock()
        self._cpu_ns = int(self.engine.clock.cpu_ns())

    def stop_clock(self) -> None:
        clock = self.link.clock
        if clock is None or clock.begun_ns == 0:  # accounting began in the middle of the verb
            return
        super().stop_clock()
        if clock.booked is not None:
            clock.booked.cpu_ns += self.engine.clock.cpu_ns() - self._cpu_ns
            clock.booked = None

    # ---- steps

    def run(self, step: steps.Step) -> None:
        """A verb to its end."""
        self.begin(get_ident(), step.verb)
        try:
            self.shell.run(self.link, step)
        except MQError:
            self.refuse(step.verb, step.subject)
            raise
        finally:
            self.end()

    def administer(self, step: steps.Step) -> None:
        """The same for what does not belong to the unit of work."""
        self.claim(get_ident(), step.verb)
        try:
            self.shell.run(self.link, step)
        except MQError:
            self.refuse(step.verb, step.subject)
            raise
        finally:
            self.end()

    def extended(self, step: ExtensionStep) -> None:
        """A verb of our own, to its end; one that has found nothing may wait for more."""
        self.claim(get_ident(), step.verb)
        try:
            shell = self.shell
            shell.run(self.link, step)
            if step.wait_s > 0 and step.lacks():
                deadline_s = monotonic() + step.wait_s
                while step.lacks() and self._await_more(step, deadline_s - monotonic()):
                    shell.run(self.link, step)
        finally:
            self.end()

    def _await_more(self, step: ExtensionStep, left_s: float) -> bool:
        """Wait until there may be more, but no longer than a piece of the time that is left; False
        if none is."""
        if left_s <= 0:
            return False
        shell = self.shell
        kernel = self.engine.kernel
        gate = Gate()
        with shell.lock:
            waits = step.await_more(kernel, self.link, gate)
        if waits:
            clock = self.link.clock
            if clock is not None:
                clock.wait(MESSAGE, self.engine.clock.monotonic_ns())
            try:
                gate.wait(min(left_s, WAIT_PIECE_S))
            finally:
                if clock is not None:
                    clock.go_on(self.engine.clock.monotonic_ns())
                with shell.lock:
                    step.stop_awaiting(kernel, self.link, gate)
        return True

    # ---- objects

    def open(self, od: ObjectDescriptor, options: int) -> Handle:
        """MQOPEN."""
        step = steps.Open(od, options)
        self.run(step)
        return step.opened()

    def close(self, handle: Handle, options: int = 0) -> None:
        """MQCLOSE."""
        self.run(steps.Close(handle, options))

    def inquire(self, handle: Handle, selectors: list[int]) -> list[Value]:
        """MQINQ: the values in the order of the selectors."""
        step = steps.Inquire(handle, selectors)
        self.run(step)
        return step.answer()

    def set(self, handle: Handle, values: dict[int, Value]) -> None:
        """MQSET."""
        warn_inert_set(handle, values)
        self.run(steps.Set(handle, values))

    # ---- messages

    def put(self, handle: Handle, request: PutRequest, data: bytes) -> Entry:
        """MQPUT with a checked request."""
        self.begin(get_ident(), "MQPUT")
        try:
            check_open_for_output(handle, int(request.options), "MQPUT")
            return self.shell.put(self.link, handle, request, data)
        except MQError:
            self.refuse("MQPUT", handle)
            raise
        finally:
            self.end()

    def put1(self, od: ObjectDescriptor, request: PutRequest, data: bytes) -> Entry:
        """MQPUT1: open, put, close."""
        self.begin(get_ident(), "MQPUT1")
        handle: Handle | None = None
        try:
            step = steps.Open(od, put1_open_options(int(request.options)), "MQPUT1")
            self.shell.run(self.link, step)
            handle = step.opened()
            try:
                return self.shell.put(self.link, handle, request, data)
            finally:
                self.shell.run(self.link, steps.Close(handle, 0))
        except MQError:
            self.refuse("MQPUT1", handle)
            raise
        finally:
            self.end()

    def get(self, handle: Handle, request: GetRequest) -> GetCall:
        """MQGET with a checked request; the call holds the message, or the reason there is none."""
        self.begin(get_ident(), "MQGET")
        try:
            check_open_for(handle, int(request.options))
            if request.options & mq.MQGMO_UNLOCK:
                return self.unlocked(handle, request)
            return self.shell.get(self.link, handle, request)
        except MQError:
            self.refuse(get_verb(request), handle)
            raise
        finally:
            self.end()

    # ---- units of work

    def start_unit(self) -> None:
        """MQBEGIN; puts and gets are inside syncpoint from now on."""
        self.run(steps.Begin())
        self.enter_unit()

    def commit(self) -> None:
        """MQCMIT."""
        self.begin(get_ident(), "MQCMIT")
        try:
            self.in_unit = False
            self.shell.run(self.link, steps.Commit())
        except MQError:
            self.refuse("MQCMIT", None)
            raise
        finally:
            self.end()

    def back_out(self) -> None:
        """MQBACK; nothing happens if the connection is gone, and its unit of work with it."""
        if not self.link.connected:
            self.in_unit = False
            return
        self.claim(get_ident(), "MQBACK")
        try:
            self.in_unit = False
            self.shell.run(self.link, steps.BackOut())
        except MQError:
            self.refuse("MQBACK", None)
            raise
        finally:
            self.end()

    # ---- two-phase commit

    def prepare(self, xid: XID) -> bool:
        """Prepare the unit of work under an XID; False if it changed nothing."""
        step = steps.Prepare(xid)
        self.run(step)
        self.in_unit = False
        return step.prepared

    def end_prepared(self, xid: XID, commit: bool, heuristic: bool) -> None:
        """Commit or back out a prepared unit; `heuristic` if an operator decides."""
        self.administer(steps.EndPrepared(xid, commit, heuristic))

    def recover(self) -> list[XID]:
        """What is in doubt."""
        with self.shell.lock:
            return two_phase.recover_for(self.engine.kernel, self.link)

    def forget(self, xid: XID) -> None:
        """Drop the memory of a heuristic outcome."""
        self.administer(steps.Forget(xid))

    # ---- the end

    def disconnect(self, vanished: bool = False) -> None:
        """MQDISC; commits unless the application has vanished."""
        if not self.link.connected:
            return
        if not vanished:
            self.check_turn(get_ident(), "MQDISC")
        self.in_unit = False
        step = steps.Disconnect(vanished)
        self.shell.run(self.link, step)
        step.tell()
