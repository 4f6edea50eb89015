"""The asyncio shell of an embedded queue manager: verbs run in the loop, nothing in it waits.

A verb runs in the loop's thread under the engine's lock, which is short. Then its task waits for a
future: for a message, for an effect that a thread of the executor runs, or for a force. One thread
forces for all tasks of the loop and wakes all that it served with a single call into the loop;
in a loop that is the queue manager's own (`may_block`), the loop forces by itself where forces are
quick, since two thread switches would take longer.
A caller that is not a task waits as a `Follower`, which is called instead of a future.
A queue manager in memory has nothing to wait for: its effects and forces run in place.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from typing import Final, final

from mypy_extensions import mypyc_attr

from ternmq.base.errors import MQError
from ternmq.host.shell import Companion, Shell, kind_of_wait
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.requests import GetCall
from ternmq.kernel.thread_cpu import ThreadCPU
from ternmq.ports.effect import Effect, Wakeable
from ternmq.ports.memory_disk import MemoryDisk

# Verbs that found nothing to wait for, before the loop gets a turn.
VERBS_WITHOUT_PAUSE: Final = 128
END: Final = 0
# A force that takes no longer, on average, is done in the loop itself.
QUICK_FORCE_NS: Final = 1_000_000


@final
class TaskWaker(Wakeable):
    """Wakes a task, from whatever thread."""

    def __init__(self, loop_shell: LoopShell, call: GetCall | None) -> None:
        self._loop_shell = loop_shell
        self._call = call
        self.future: asyncio.Future[None] = loop_shell.loop.create_future()

    def wake(self) -> None:
        """Let the task go on; a message for a task that never will returns to its queue."""
        try:
            if threading.get_ident() == self._loop_shell.thread_id:
                self.finish()
            else:
                self._loop_shell.post(self)
        except RuntimeError:  # the loop is closed
            if self._call is not None:
                self._loop_shell.shell.orphans.append(self._call)

    def finish(self) -> None:
        """In the loop."""
        if not self.future.done():
            self.future.set_result(None)


@mypyc_attr(allow_interpreted_subclasses=True)
class Follower(Wakeable):
    """A caller in the loop that waits for an LSN."""

    def __init__(self, lsn: int) -> None:
        self.lsn = lsn

    def is_gone(self) -> bool:
        """Whether it does not wait any more."""
        return False

    def forced(self, error: MQError | None) -> None:
        """In the loop: the log is forced so far, or never will be."""
        raise NotImplementedError


@mypyc_attr(allow_interpreted_subclasses=True)
class Turn:
    """Around the moment in which followers are called: what follows from that is done together."""

    def begin(self) -> None:
        """Followers are about to be called."""
        raise NotImplementedError

    def settle(self) -> None:
        """They have been."""
        raise NotImplementedError


@final
class TaskFollower(Follower):
    """A task that waits for an LSN."""

    def __init__(self, lsn: int, future: asyncio.Future[None]) -> None:
        super().__init__(lsn)
        self.future = future

    def is_gone(self) -> bool:
        return self.future.done()

    def forced(self, error: MQError | None) -> None:
        if error is None:
            self.future.set_result(None)
        else:
            self.future.set_exception(error)


@final
class LoopShell(Companion):
    """What the tasks of one loop share of one queue manager. Made inside the loop."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        self.engine = shell.engine
        self.loop = asyncio.get_running_loop()
        self.thread_id = threading.get_ident()
        self.in_place = isinstance(shell.disk, MemoryDisk)
        self.verbs = 0  # since the loop had its last turn
        self._under_way = 0  # verbs that have begun and not ended
        self._idle: asyncio.Future[None] | None = None
        self._posted: deque[TaskWaker] = deque()
        self._will_drain = False
        self._followers: list[Follower] = []
        self._target = 0
        self._forcing = False
        self.turn: Turn | None = None
        self.may_block = False  # the loop is the queue manager's own
        self.cpu = ThreadCPU(self.engine.clock)
        self._force_ns = 0  # how long a force takes, on average; 0: not known yet
        self._orders: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._forcer: threading.Thread | None = None

    # ---- verbs under way

    def begin_verb(self) -> None:
        """A verb has begun."""
        self._under_way += 1
        self.verbs += 1

    def end_verb(self) -> None:
        """A verb has ended."""
        self._under_way -= 1
        if self._under_way == 0 and self._idle is not None and not self._idle.done():
            self._idle.set_result(None)

    async def drain(self) -> asyncio.CancelledError | None:
        """Nothing new from now on; wait until every verb under way has ended. Cancelled or not, it
        goes to its end, and the cancellation is returned."""
        cancelled: asyncio.CancelledError | None = None
        with self.shell.lock:
            self.engine.stop()
            self.shell.flush()
        while self._under_way > 0 and asyncio.get_running_loop() is self.loop:
            self._idle = self.loop.create_future()
            try:
                await self._idle
            except asyncio.CancelledError as error:
                cancelled = error
        return cancelled

    async def pause(self) -> None:
        """Let the loop have its turn: many verbs in a row found nothing to wait for."""
        self.verbs = 0
        await asyncio.sleep(0)

    # ---- wakes from other threads

    def post(self, waker: TaskWaker) -> None:
        """Wake a task from another thread; many at once cost one call. RuntimeError if the loop is
        closed."""
        self._posted.append(waker)
        if not self._will_drain:
            self._will_drain = True
            try:
                self.loop.call_soon_threadsafe(self._drain)
            except RuntimeError:
                self._will_drain = False
                raise

    def _drain(self) -> None:
        self._will_drain = False  # before looking, so that a later caller calls again
        posted = self._posted
        while posted:
            posted.popleft().finish()

    # ---- forces

    def forced(self, lsn: int) -> asyncio.Future[None] | None:
        """What to wait for until the log is forced up to here; None if it is."""
        if self.in_place:
            self.shell.forcer.force(lsn)
            return None
        self.verbs = 0
        self.engine.kernel.meter.log.force_requests += 1
        future: asyncio.Future[None] = self.loop.create_future()
        self._followers.append(TaskFollower(lsn, future))
        self.order(lsn)
        return future

    def follow(self, follower: Follower) -> None:
        """Call the follower when the log is forced up to its LSN; at once where that needs no
        wait."""
        if self.in_place:
            self.shell.forcer.force(follower.lsn)
            follower.forced(None)
            return
        self.engine.kernel.meter.log.force_requests += 1
        self._followers.append(follower)
        self.order(follower.lsn)

    def order(self, lsn: int) -> None:
        """See to it that the log is forced up to here, without waiting."""
        if self.in_place:
            self.shell.forcer.force(lsn)
            return
        if lsn > self._target:
            self._target = lsn
        if not self._forcing:
            self._forcing = True
            # After the tasks that are ready now, so that one force does for all of them.
            self.loop.call_soon(self._send_order)

    def order_ahead(self, lsn: int) -> None:
        """Have a thread force the log up to here while the loop goes on: nobody waits for it yet,
        and what is committed later finds less to force."""
        if self._forcing or self.in_place:
            return  # what is behind the force under way goes with the next order
        self._target = max(self._target, lsn)
        self._forcing = True
        self._give_order()

    def _send_order(self) -> None:
        quick = self.may_block and 0 < self._force_ns < QUICK_FORCE_NS
        # Another thread may have the log's files for long.
        if quick and not self.shell.forcer.files_lock.locked():
            self._force(self._target)
            self._serve()
            return
        self._give_order()

    def _give_order(self) -> None:
        """To the thread that forces."""
        if self._forcer is None:
            name = f"ternmq-{self.engine.name}-force"
            self._forcer = threading.Thread(target=self._force_on_order, name=name, daemon=True)
            self._forcer.start()
        self._orders.put(self._target)

    def _force_on_order(self) -> None:
        while True:
            lsn = self._orders.get()
            if lsn == END:
                break
            self._force(lsn)
            try:
                self.loop.call_soon_threadsafe(self._serve)
            except RuntimeError:
                break  # the loop is closed

    def _force(self, lsn: int) -> None:
        """A force, and how long it took."""
        clock = self.engine.clock
        begun_ns = clock.monotonic_ns()
        try:
            self.shell.forcer.force(lsn)
        except MQError:
            pass  # the queue manager has broken down; its callers get the error
        took_ns = max(int(clock.monotonic_ns() - begun_ns), 1)
        self._force_ns = (self._force_ns * 7 + took_ns) // 8 if self._force_ns else took_ns

    def _serve(self) -> None:
        """A force is done: call those that it served. They may order the next one."""
        forced = self.engine.log.forced_lsn
        error = self.engine.error_for("")
        followers = self._followers
        self._followers = []
        self._forcing = False
        left: list[Follower] = []
        turn = self.turn
        if turn is not None:
            turn.begin()
        for follower in followers:
            if follower.is_gone():
                continue
            if follower.lsn <= forced:
                follower.forced(None)
            elif error is not None:
                follower.forced(self.engine.kernel.ending_error(""))
            else:
                left.append(follower)
        if left:
            self._followers = left + self._followers
            self.order(self._target)
        if turn is not None:
            turn.settle()

    # ---- effects

    async def park(self, link: Link) -> None:
        """Wait for the effect that a verb is parked on."""
        waker = TaskWaker(self, None)
        if self.park_for(link, waker):
            self.verbs = 0
            await waker.future
        error = self.engine.error_for("")
        if error is not None:
            raise error

    def park_for(self, link: Link, waker: Wakeable) -> bool:
        """See to it that the effect which a verb is parked on is run, and the waker woken; False if
        it is done already."""
        shell = self.shell
        mine: Effect | None = None
        with shell.lock:
            effect = link.park
            link.park = None
            if effect is None or effect.done:
                return False
            clock = link.clock
            if clock is not None:
                clock.wait(kind_of_wait(effect), self.engine.clock.monotonic_ns())
            effect.waiting.append(waker)
            if not effect.claimed:
                shell.claim(effect)
                mine = effect
            shell.flush()
        if mine is not None:
            self._run(mine)
        return True

    def _run(self, effect: Effect) -> None:
        if self.in_place:
            self.shell.run_claimed(effect)
            return
        try:
            self.loop.run_in_executor(None, self.shell.run_claimed, effect)
        except RuntimeError:  # the executor is shut down; the effect is claimed and must be run
            self.shell.run_claimed(effect)

    # ---- the end

    def end(self) -> None:
        """No more forces for this loop."""
        self._orders.put(END)


def loop_shell_of(shell: Shell) -> LoopShell:
    """The running loop's part of a queue manager, made at its first use."""
    loop = asyncio.get_running_loop()
    found: LoopShell | None = None
    with shell.lock:
        for companion in list(shell.companions):
            if isinstance(companion, LoopShell):
                if companion.loop is loop:
                    found = companion
                elif companion.loop.is_closed():
                    companion.end()
                    shell.companions.remove(companion)
        if found is None:
            found = LoopShell(shell)
            shell.companions.append(found)
    return found
