"""One connection's verbs for tasks: as `Verbs`, but nothing in the loop waits.

A task may be cancelled wherever it waits. A get that is cancelled is taken back: its message, if it
had one already, is on the queue again before CancelledError is raised. A put is not: once the
message is on its queue and waits for its force, it stays. Every other verb goes to its end first.
"""

from __future__ import annotations

import asyncio
from typing import final

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import IntegrityError, MQError
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from ternmq.client import steps
from ternmq.client.aio_shell import VERBS_WITHOUT_PAUSE, LoopShell, TaskWaker
from ternmq.client.extension_steps import WAIT_PIECE_S, ExtensionStep
from ternmq.client.inert import warn_inert_set
from ternmq.client.message import Message
from ternmq.client.session import BY_UNIT, Session, get_verb
from ternmq.client.waiting_tasks import task_of_verb
from ternmq.codec.mqod import ObjectDescriptor
from ternmq.kernel import two_phase
from ternmq.kernel.connection import Handle
from ternmq.kernel.get import cancel, get_returnable, resume
from ternmq.kernel.kernel import RUNNING
from ternmq.kernel.requests import GetCall, GetRequest, PutRequest
from ternmq.kernel.returning import answered, take_back
from ternmq.kernel.verb_clock import FORCE, MESSAGE, SUSPENSION
from ternmq.mqi.getting import check_open_for
from ternmq.mqi.putting import check_open_for_output, put1_open_options
from ternmq.store.entry import Entry
from ternmq.txn.unit import XID


@final
class TaskVerbs(Session):
    """The MQI of one connection to an embedded queue manager, for the tasks of one loop."""

    def __init__(
        self, loop_shell: LoopShell, user: str, application: str, share: int = BY_UNIT
    ) -> None:
        task = task_of_verb(asyncio.current_task())
        super().__init__(loop_shell.shell, user, application, share, id(task))
        self._loop_shell = loop_shell
        self._task: object = task  # the owner, kept so that its id() is not used again

    # ---- whose turn

    def _begin(self, verb: str) -> None:
        task = asyncio.current_task()
        if task is not self._task:
            task = task_of_verb(task)
        self.begin(id(task), verb)
        self._task = task
        self._loop_shell.begin_verb()

    def _claim(self, verb: str) -> None:
        task = asyncio.current_task()
        if task is not self._task:
            task = task_of_verb(task)
        self.claim(id(task), verb)
        self._task = task
        self._loop_shell.begin_verb()

    def _end(self) -> None:
        self.end()
        self._loop_shell.end_verb()

    def start_clock(self) -> None:
        clock = self.link.clock
        if clock is not None:
            clock.begin(self.engine.clock.monotonic_ns(), self._loop_shell.cpu)

    async def run(self, step: steps.Step) -> None:
        """A verb to its end."""
        self._begin(step.verb)
        try:
            await self._run(step)
        except MQError:
            self.refuse(step.verb, step.subject)
            raise
        finally:
            self._end()

    async def administer(self, step: steps.Step) -> None:
        """The same for what does not belong to the unit of work."""
        self._claim(step.verb)
        try:
            await self._run(step)
        except MQError:
            self.refuse(step.verb, step.subject)
            raise
        finally:
            self._end()

    async def extended(self, step: ExtensionStep) -> None:
        """A verb of our own, to its end; one that has found nothing may wait for more."""
        self._claim(step.verb)
        try:
            await self._run(step)
            if step.wait_s > 0 and step.lacks():
                loop = self._loop_shell.loop
                deadline_s = loop.time() + step.wait_s
                while step.lacks() and await self._await_more(step, deadline_s - loop.time()):
                    await self._run(step)
        finally:
            self._end()

    async def _await_more(self, step: ExtensionStep, left_s: float) -> bool:
        """Wait until there may be more, but no longer than a piece of the time that is left; False
        if none is."""
        if left_s <= 0:
            return False
        shell = self.shell
        kernel = self.engine.kernel
        loop_shell = self._loop_shell
        waker = TaskWaker(loop_shell, None)
        with shell.lock:
            waits = step.await_more(kernel, self.link, waker)
        if waits:
            piece_s = min(left_s, WAIT_PIECE_S)
            timer = loop_shell.loop.call_later(piece_s, waker.finish)
            loop_shell.verbs = 0
            clock = self.link.clock
            if clock is not None:
                clock.wait(MESSAGE, self.engine.clock.monotonic_ns())
            try:
                await waker.future
            finally:
                timer.cancel()
                self._go_on()
                with shell.lock:
                    step.stop_awaiting(kernel, self.link, waker)
        return True

    async def _run(self, step: steps.Step) -> None:
        """Cancelled or not, the step is done to its end; only its force is not waited for then."""
        cancelled: asyncio.CancelledError | None = None
        link = self.link
        while not self._attempt(step):
            try:
                if link.park is not None:
                    await self._loop_shell.park(link)
                else:
                    await self._pause()
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled
        forced = self._forced()
        if forced is not None:
            await forced

    def _attempt(self, step: steps.Step) -> bool:
        shell = self.shell
        if self.link.clock is not None:
            self._go_on()
        shell.lock.acquire()
        try:
            done = step.attempt(self.engine.kernel, self.link)
            shell.settle()
        except IntegrityError as failure:
            raise shell.break_down(failure, step.verb) from failure
        except BaseException as other:  # another name: compiled, it would have the type above
            shell.step_failed(other)
            raise
        finally:
            shell.lock.release()
        return done

    def _forced(self) -> asyncio.Future[None] | None:
        """What the answer of the verb has to wait for, if for anything."""
        durable_at = self.link.durable_at
        if durable_at > self.engine.log.forced_lsn:
            clock = self.link.clock
            if clock is not None:
                clock.wait(FORCE, self.engine.clock.monotonic_ns())
            return self._loop_shell.forced(int(durable_at))
        return None

    async def _pause(self) -> None:
        """Between two steps of a long verb, others have their turn."""
        clock = self.link.clock
        if clock is not None:
            clock.wait(SUSPENSION, self.engine.clock.monotonic_ns())
        await self._loop_shell.pause()

    def _go_on(self) -> None:
        """What the verb waited for is there."""
        clock = self.link.clock
        if clock is not None and clock.waits_for:
            clock.go_on(self.engine.clock.monotonic_ns())

    # ---- objects

    async def open(self, od: ObjectDescriptor, options: int, verb: str = "MQOPEN") -> Handle:
        """MQOPEN."""
        step = steps.Open(od, options, verb)
        try:
            await self.run(step)
        except asyncio.CancelledError:
            self._unopen(step)
            raise
        return step.opened()

    def _unopen(self, step: steps.Open) -> None:
        """The opening task was cancelled: what it opened is closed, what it created is deleted."""
        handle = step.handle
        if handle is not None and self.link.connected:
            local = handle.local
            made = local is not None and local.creator is handle
            self._attempt(steps.Close(handle, mq.MQCO_DELETE_PURGE if made else mq.MQCO_NONE))

    async def close(self, handle: Handle, options: int = 0) -> None:
        """MQCLOSE."""
        await self.run(steps.Close(handle, options))

    async def inquire(self, handle: Handle, selectors: list[int]) -> list[Value]:
        """MQINQ: the values in the order of the selectors."""
        step = steps.Inquire(handle, selectors)
        await self.run(step)
        return step.answer()

    async def set(self, handle: Handle, values: dict[int, Value]) -> None:
        """MQSET."""
        warn_inert_set(handle, values)
        await self.run(steps.Set(handle, values))

    # ---- put

    async def put(self, handle: Handle, request: PutRequest, data: bytes) -> Entry:
        """MQPUT with a checked request."""
        if self._loop_shell.verbs >= VERBS_WITHOUT_PAUSE:
            await self._loop_shell.pause()
        self._begin("MQPUT")
        try:
            check_open_for_output(handle, int(request.options), "MQPUT")
            entry = self.shell.try_put(self.link, handle, request, data)
            if entry is None:
                entry = await self._put_after_park(handle, request, data)
            forced = self._forced()
            if forced is not None:
                await forced
            return entry
        except MQError:
            self.refuse("MQPUT", handle)
            raise
        finally:
            self._end()

    async def _put_after_park(self, handle: Handle, request: PutRequest, data: bytes) -> Entry:
        entry: Entry | None = None
        while entry is None:
            await self._loop_shell.park(self.link)
            self._go_on()
            entry = self.shell.try_put(self.link, handle, request, data)
        return entry

    async def put1(self, od: ObjectDescriptor, request: PutRequest, data: bytes) -> Entry:
        """MQPUT1: open, put, close."""
        self._begin("MQPUT1")
        handle: Handle | None = None
        try:
            step = steps.Open(od, put1_open_options(int(request.options)), "MQPUT1")
            try:
                await self._run(step)
                handle = step.opened()
                entry = self.shell.try_put(self.link, handle, request, data)
                if entry is None:
                    entry = await self._put_after_park(handle, request, data)
                forced = self._forced()
                if forced is not None:
                    await forced
                return entry
            finally:
                if step.handle is not None:
                    await self._run(steps.Close(step.handle, mq.MQCO_NONE))
        except MQError:
            self.refuse("MQPUT1", handle)
            raise
        finally:
            self._end()

    # ---- get

    async def get(self, handle: Handle, request: GetRequest) -> Message | None:
        """MQGET with a checked request; None if there is no message."""
        if self._loop_shell.verbs >= VERBS_WITHOUT_PAUSE:
            await self._loop_shell.pause()
        self._begin("MQGET")
        try:
            check_open_for(handle, int(request.options))
            if request.options & mq.MQGMO_UNLOCK:
                return self.message(self.unlocked(handle, request))
            call = self._start(handle, request)
            # While the call has a waker, another thread may be at work on it: look at nothing else.
            if (
                call.waker is not None
                or call.entry is None
                or self.link.durable_at > self.engine.log.forced_lsn
            ):
                await self._finish(call)
            if call.reserved > 0:
                self._answered(call)
        except MQError:
            self.refuse(get_verb(request), handle)
            raise
        finally:
            self._end()
        return self.message(call)

    async def get_returnable(self, handle: Handle, request: GetRequest) -> GetCall:
        """MQGET for somebody else: the caller ends it with `answered`, once its answer counts, or
        with `take_back`."""
        self._begin("MQGET")
        try:
            check_open_for(handle, int(request.options))
            if request.options & mq.MQGMO_UNLOCK:
                return self.unlocked(handle, request)
            call = self._start(handle, request)
            if (
                call.waker is not None
                or call.entry is None
                or self.link.durable_at > self.engine.log.forced_lsn
            ):
                await self._finish(call)
            return call
        except MQError:
            self.refuse(get_verb(request), handle)
            raise
        finally:
            self._end()

    def answered(self, call: GetCall) -> None:
        """The message of a get is its caller's for good."""
        if call.reserved > 0:
            self._answered(call)

    def take_back(self, call: GetCall) -> None:
        """A get has not happened: its message is on the queue again."""
        self._take_back(call)

    def _start(self, handle: Handle, request: GetRequest) -> GetCall:
        shell = self.shell
        shell.lock.acquire()
        try:
            call = get_returnable(self.engine.kernel, self.link, handle, request)
            self._after_attempt(call)
        except IntegrityError as failure:
            raise shell.break_down(failure, "MQGET") from failure
        except BaseException as other:  # another name: compiled, it would have the type above
            shell.step_failed(other)
            raise
        finally:
            shell.lock.release()
        return call

    def _resume(self, call: GetCall) -> None:
        self._go_on()
        shell = self.shell
        shell.lock.acquire()
        try:
            resume(self.engine.kernel, call)
            self._after_attempt(call)
        except IntegrityError as failure:
            raise shell.break_down(failure, "MQGET") from failure
        except BaseException as other:  # another name: compiled, it would have the type above
            shell.step_failed(other)
            raise
        finally:
            shell.lock.release()

    def _after_attempt(self, call: GetCall) -> None:
        """With the lock: who serves the call from now on finds whom to wake."""
        link = self.link
        if call.waiting:
            call.waker = TaskWaker(self._loop_shell, call)
            link.get_call = call
            if link.clock is not None:
                link.clock.wait(MESSAGE, self.engine.clock.monotonic_ns())
        if link.durable_at or link.unit is not None:
            self.engine.after_step()
        self.shell.flush()

    async def _finish(self, call: GetCall) -> None:
        """Wait for all that a get may have to wait for; if that is cut short, take it back."""
        link = self.link
        done = False
        try:
            while True:
                if call.waker is not None:
                    await self._wait_for_message(call)
                elif link.park is not None:
                    await self._loop_shell.park(link)
                    self._resume(call)
                elif link.again:
                    await self._pause()
                    self._resume(call)
                else:
                    break
            forced = self._forced()
            if forced is not None:
                await forced
            done = True
        except GeneratorExit:
            # The task was dropped, maybe by the collector, so no lock may be touched here.
            done = True
            self.shell.orphans.append(call)
            raise
        finally:
            if not done:
                self._take_back(call)

    async def _wait_for_message(self, call: GetCall) -> None:
        waker = call.waker
        if not isinstance(waker, TaskWaker):
            return
        timer: asyncio.TimerHandle | None = None
        loop_shell = self._loop_shell
        loop_shell.verbs = 0
        if call.deadline_ns:
            left_ns = int(call.deadline_ns) - self.engine.clock.monotonic_ns()
            timer = loop_shell.loop.call_later(max(left_ns, 0) / 1e9, self._time_over, call, waker)
        try:
            await waker.future
        finally:
            if timer is not None:
                timer.cancel()
        self._go_on()
        call.waker = None
        self.link.get_call = None
        if call.error is not None:
            raise call.error

    def _time_over(self, call: GetCall, waker: TaskWaker) -> None:
        with self.shell.lock:
            cancel(self.engine.kernel, call, MQRC_NO_MSG_AVAILABLE)
        waker.finish()

    def _take_back(self, call: GetCall) -> None:
        shell = self.shell
        with shell.lock:
            call.waker = None
            self.link.get_call = None
            take_back(self.engine.kernel, call)
            shell.settle()
        durable_at = self.link.durable_at
        # One that stops forces everything at its end; one that is broken, nothing any more.
        if durable_at > self.engine.log.forced_lsn and self.engine.kernel.status == RUNNING:
            self._loop_shell.order(int(durable_at))

    def _answered(self, call: GetCall) -> None:
        with self.shell.lock:
            answered(self.engine.kernel, call)

    # ---- units of work

    async def start_unit(self) -> None:
        """MQBEGIN; puts and gets are inside syncpoint from now on."""
        await self.run(steps.Begin())
        self.enter_unit()

    async def commit(self) -> None:
        """MQCMIT."""
        self._begin("MQCMIT")
        try:
            self.in_unit = False
            await self._run(steps.Commit())
        except MQError:
            self.refuse("MQCMIT", None)
            raise
        finally:
            self._end()

    async def back_out(self) -> None:
        """MQBACK; nothing happens if the connection is gone, and its unit of work with it."""
        if not self.link.connected:
            self.in_unit = False
            return
        self._claim("MQBACK")
        try:
            self.in_unit = False
            await self._run(steps.BackOut())
        except MQError:
            self.refuse("MQBACK", None)
            raise
        finally:
            self._end()

    # ---- two-phase commit

    async def prepare(self, xid: XID) -> bool:
        """Prepare the unit of work under an XID; False if it changed nothing."""
        step = steps.Prepare(xid)
        try:
            await self.run(step)
        finally:
            if step.done:
                self.in_unit = False
        return step.prepared

    async def end_prepared(self, xid: XID, commit: bool, heuristic: bool) -> None:
        """Commit or back out a prepared unit; `heuristic` if an operator decides."""
        await self.administer(steps.EndPrepared(xid, commit, heuristic))

    def recover(self) -> list[XID]:
        """What is in doubt."""
        with self.shell.lock:
            return two_phase.recover_for(self.engine.kernel, self.link)

    async def forget(self, xid: XID) -> None:
        """Drop the memory of a heuristic outcome."""
        await self.administer(steps.Forget(xid))

    # ---- the end

    async def disconnect(self, vanished: bool = False) -> None:
        """MQDISC; commits unless the application has vanished."""
        if not self.link.connected:
            return
        if not vanished:
            self.check_turn(id(task_of_verb(asyncio.current_task())), "MQDISC")
        self.in_unit = False
        step = steps.Disconnect(vanished)
        await self._run(step)
        step.tell()
