"""One connection that the tasks of a loop use: whose turn it is, and all that a verb may wait for.

A task may be cancelled wherever it waits. A get that is cancelled is taken back: its message, if it
had one already, is on the queue again before CancelledError is raised. A put is not: once the
message is on its queue and waits for its force, it stays. Every other verb goes to its end first.
"""

from __future__ import annotations

import asyncio

from mypy_extensions import i64

from ternmq.api.waiting_tasks import task_of_verb
from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from ternmq.host.attempt import attempt
from ternmq.host.connection_session import Session
from ternmq.host.loop_shell import LoopShell, TaskWaker
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.ending import give_up
from ternmq.kernel.get import cancel
from ternmq.kernel.requests import GetCall, PutRequest
from ternmq.kernel.verb_clock import FORCE, MESSAGE, SUSPENSION
from ternmq.mqi.sharing import BY_UNIT
from ternmq.mqi.steps import objects
from ternmq.mqi.steps.step import Step
from ternmq.ports.effect import Wakeable
from ternmq.values.calls.call import WAIT_PIECE_S
from ternmq.values.calls.objects import Close
from ternmq.values.entry import Entry


class TaskSession(Session):
    """What waits, in a loop, for one connection."""

    def __init__(
        self, loop_shell: LoopShell, user: str, application: str, share: int = BY_UNIT
    ) -> None:
        task = task_of_verb(asyncio.current_task())
        super().__init__(loop_shell.shell, user, application, share, id(task))
        self.loop_shell = loop_shell
        self._task: object = task  # the owner, kept so that its id() is not used again

    # ---- whose turn

    def begin_task(self, verb: str) -> None:
        """Take the connection for a verb of the running task."""
        task = asyncio.current_task()
        if task is not self._task:
            task = task_of_verb(task)
        self.begin(id(task), verb)
        self._task = task
        self.loop_shell.begin_verb()

    def claim_task(self, verb: str) -> None:
        """The same for what does not belong to the unit of work, or ends it."""
        task = asyncio.current_task()
        if task is not self._task:
            task = task_of_verb(task)
        self.claim(id(task), verb)
        self._task = task
        self.loop_shell.begin_verb()

    def end_task(self) -> None:
        """Give the connection back."""
        self.end()
        self.loop_shell.end_verb()

    def start_clock(self) -> None:
        clock = self.link.clock
        if clock is not None:
            clock.begin(self.engine.clock.monotonic_ns(), self.loop_shell.cpu)

    def give_up(self, step: Step, failure: BaseException) -> None:
        if not isinstance(failure, GeneratorExit):
            super().give_up(step, failure)
        elif step.got is not None:
            # The task was dropped, maybe by the collector, so no lock may be touched here.
            self.shell.orphans.append(step.got)

    # ---- steps

    def attempt(self, link: Link, step: Step) -> bool:
        """As much of a step as can be done now."""
        if link.clock is not None:
            self.go_on()
        return attempt(self.shell, link, step)

    async def run_step(self, link: Link, step: Step) -> None:
        """Cancelled or not, the step is done to its end; only its force is not waited for then."""
        cancelled: asyncio.CancelledError | None = None
        while not self.attempt(link, step):
            try:
                if link.park is not None:
                    await self.loop_shell.park(link)
                else:
                    await self.pause()
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled
        forced = self.forced(link.durable_at)
        if forced is not None:
            await forced

    async def pause(self) -> None:
        """Between two attempts of a long verb, others have their turn."""
        clock = self.link.clock
        if clock is not None:
            clock.wait(SUSPENSION, self.engine.clock.monotonic_ns())
        await self.loop_shell.pause()

    def forced(self, durable_at: i64) -> asyncio.Future[None] | None:
        """What the answer of the verb has to wait for, if for anything."""
        if durable_at > self.engine.log.forced_lsn:
            clock = self.link.clock
            if clock is not None:
                clock.wait(FORCE, self.engine.clock.monotonic_ns())
            return self.loop_shell.forced(int(durable_at))
        return None

    async def await_more(self, link: Link, step: Step, left_s: float) -> bool:
        """Wait until there may be more, but no longer than a piece of the time that is left; False
        if there is nothing more to attempt."""
        shell = self.shell
        kernel = self.engine.kernel
        if left_s <= 0:
            with shell.lock:
                return step.time_is_over(kernel, link)
        loop_shell = self.loop_shell
        waker = TaskWaker(loop_shell, None)
        with shell.lock:
            waits = step.await_more(kernel, link, waker)
        if waits:
            piece_s = min(left_s, WAIT_PIECE_S)
            timer = loop_shell.loop.call_later(piece_s, waker.finish)
            loop_shell.verbs = 0
            clock = link.clock
            if clock is not None:
                clock.wait(MESSAGE, self.engine.clock.monotonic_ns())
            dropped = False
            try:
                await waker.future
            except GeneratorExit:
                dropped = step.got is not None  # maybe inside the collector: see `give_up`
                raise
            finally:
                timer.cancel()
                if not dropped:
                    self.go_on()
                    with shell.lock:
                        step.stop_awaiting(kernel, link, waker)
        return True

    def unopen(self, handle: Handle | None) -> None:
        """The opening task was cancelled: what it opened is closed, what it created is deleted."""
        if handle is not None and self.link.connected:
            local = handle.local
            made = local is not None and local.creator is handle
            options = mq.MQCO_DELETE_PURGE if made else mq.MQCO_NONE
            step = objects.Close(Close(handle, options))
            while not self.attempt(self.link, step) and self.link.again:
                pass  # a long list of destinations

    # ---- put

    async def put_after_park(self, handle: Handle, request: PutRequest, data: bytes) -> Entry:
        """A put that was parked, once that is over."""
        entry: Entry | None = None
        while entry is None:
            try:
                if self.link.park is None:
                    await self.loop_shell.pause()  # the next step of a long put
                await self.loop_shell.park(self.link)
            except BaseException:
                with self.shell.lock:
                    give_up(self.engine.kernel, self.link)
                    self.shell.settle()
                raise
            self.go_on()
            entry = self.shell.try_put(self.link, handle, request, data)
        return entry

    # ---- get

    def waker_of(self, call: GetCall, waiter: Wakeable | None) -> Wakeable | None:
        self.link.get_call = call
        return TaskWaker(self.loop_shell, call)

    def must_wait(self, call: GetCall) -> bool:
        """Whether a get that has begun is not over: `finish_get` waits for it."""
        # While the call has a waker, another thread may be at work on it: look at nothing else.
        return (
            call.waker is not None
            or call.entry is None
            or self.link.durable_at > self.engine.log.forced_lsn
        )

    async def finish_get(self, call: GetCall) -> None:
        """Wait for all that a get may have to wait for; if that is cut short, take it back."""
        link = self.link
        done = False
        try:
            while True:
                if call.waker is not None:
                    await self._wait_for_message(call)
                elif link.park is not None:
                    await self.loop_shell.park(link)
                    self._resume(call)
                elif link.again:
                    await self.pause()
                    self._resume(call)
                else:
                    break
            forced = self.forced(link.durable_at)
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
                self.take_back(call)

    def _resume(self, call: GetCall) -> None:
        self.go_on()
        self.attempt_get(call.handle, call.request, call, None)

    async def _wait_for_message(self, call: GetCall) -> None:
        waker = call.waker
        if not isinstance(waker, TaskWaker):
            return
        timer: asyncio.TimerHandle | None = None
        loop_shell = self.loop_shell
        loop_shell.verbs = 0
        if call.deadline_ns:
            left_ns = int(call.deadline_ns) - self.engine.clock.monotonic_ns()
            timer = loop_shell.loop.call_later(max(left_ns, 0) / 1e9, self._time_over, call, waker)
        try:
            await waker.future
        finally:
            if timer is not None:
                timer.cancel()
        self.go_on()
        call.waker = None
        self.link.get_call = None
        if call.error is not None:
            raise call.error

    def _time_over(self, call: GetCall, waker: TaskWaker) -> None:
        with self.shell.lock:
            cancel(self.engine.kernel, call, MQRC_NO_MSG_AVAILABLE)
        waker.finish()

    def order_force(self, lsn: int) -> None:
        self.loop_shell.order(lsn)
