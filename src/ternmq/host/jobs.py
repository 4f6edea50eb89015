"""One connection's verbs for the network: as `tasks`, but with a call when a verb may go on instead
of a coroutine, so that a request costs no task and no future.

`Job` is what waits: for an effect, for a message, for the log, or for its next step. `Turns` brings
jobs back into the loop, after the bytes that have come are dealt with, and keeps their deadlines.
Everything here runs in the loop's thread but `Job.wake`, which may be called from any.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from threading import get_ident
from typing import Final, final

from mypy_extensions import i64, mypyc_attr

from ternmq.base.accounts import TaskAccount
from ternmq.base.errors import MQError
from ternmq.host.answer_room import Room, Share
from ternmq.host.attempt import attempt
from ternmq.host.backpressure import Backpressure, Putter
from ternmq.host.connection_session import Session
from ternmq.host.loop_shell import Follower, LoopShell, Turn
from ternmq.kernel.connection import Handle
from ternmq.kernel.drawing import draw
from ternmq.kernel.get import cancel
from ternmq.kernel.requests import GetCall, PutRequest
from ternmq.kernel.verb_clock import FORCE, SUSPENSION, VerbClock
from ternmq.mqi.getting import check_open_for
from ternmq.mqi.putting import check_open_for_output
from ternmq.mqi.sharing import NO_BLOCK
from ternmq.mqi.steps.step import Step
from ternmq.values.entry import Entry
from ternmq.values.get_request import GetRequest

_CALLER: Final = 1  # a conversation has one caller
_STALE_MIN: Final = 256  # deadlines that count for nothing, before they are swept out
# Jobs that go on in one turn, before the loop looks at sockets again.
JOBS_A_TURN: Final = 4096


@mypyc_attr(allow_interpreted_subclasses=True)
class Job(Follower):
    """Something under way that waits."""

    def __init__(self, turns: Turns) -> None:
        super().__init__(0)
        self.turns = turns
        self.is_ready = False
        self.due_ns = 0  # its deadline; 0: none

    def wake(self) -> None:
        self.turns.post(self)

    def awaits_force(self) -> bool:
        """Whether the force that it waits for is not done: something else has woken it."""
        return self.lsn > self.turns.loop_shell.engine.log.forced_lsn

    def go_on(self) -> None:
        """What was waited for is there."""
        raise NotImplementedError

    def time_is_over(self) -> None:
        """Its deadline has come."""
        raise NotImplementedError


@mypyc_attr(allow_interpreted_subclasses=True)
class Outlet(Putter):
    """Something that was written to, and sends it at the end of the turn."""

    def __init__(self) -> None:
        super().__init__()
        self.is_dirty = False
        self.share: Share | None = None  # of the room for answers; see `answer_room`

    def send(self) -> None:
        """Send what was written."""
        raise NotImplementedError

    def sent_bytes(self) -> int:
        """Of all that was ever written, what has left."""
        raise NotImplementedError

    def unsent_bytes(self) -> int:
        """The rest."""
        raise NotImplementedError

    def held_bytes(self) -> int:
        """Memory for that."""
        raise NotImplementedError

    def cut_stalled(self, left_bytes: int) -> None:
        """The partner does not read, and others wait for the room that its answers take."""
        raise NotImplementedError


@final
class Turns(Turn):
    """Whose turn it is in one loop."""

    def __init__(self, loop_shell: LoopShell) -> None:
        loop_shell.turn = self
        self.loop_shell = loop_shell
        self.loop = loop_shell.loop
        self.clock = loop_shell.engine.clock
        self._dispatcher = loop_shell.engine.kernel.meter.dispatcher
        # when the bytes of this turn came, or the last verb of it ended; 0: not read yet
        self.clock_ns = 0
        # While puts without an answer follow each other: the handle that they are for, its account
        # and the verbs that serve them. See `LoopVerbs.start_put`.
        self.run: Handle | None = None
        self.run_account: TaskAccount | None = None
        self.run_verbs: LoopVerbs | None = None
        self.backpressure = Backpressure()
        self.room = Room(self)
        self._ready: deque[Job] = deque()
        self._later: list[Job] = []
        self._dirty: list[Outlet] = []
        self._inside = False  # the job that runs now will settle
        self._scheduled = False
        self._due: list[tuple[int, int, Job]] = []
        self._numbers = 0
        self._stale = 0
        self._timer: asyncio.TimerHandle | None = None
        self._timer_ns = 0

    # ---- jobs

    def post(self, job: Job) -> None:
        """From any thread: the job goes on in the loop. After the loop's end no job waits."""
        self._ready.append(job)
        if get_ident() == self.loop_shell.thread_id:
            if not self._inside:
                self.schedule()
        elif not self._scheduled:
            self._scheduled = True
            try:
                self.loop.call_soon_threadsafe(self._run)
            except RuntimeError:  # the loop is closed
                self._scheduled = False

    def later(self, job: Job) -> None:
        """The job goes on after the others had their turn."""
        self._later.append(job)
        self.schedule()

    def schedule(self) -> None:
        """A turn, soon."""
        if not self._scheduled:
            self._scheduled = True
            self.loop.call_soon(self._run)

    def _run(self) -> None:
        self._scheduled = False  # ORDER: before looking, so that a later caller calls again
        self.begin()
        later = self._later
        if later:
            self._later = []
            for job in later:
                job.go_on()
        self.settle()

    def begin(self) -> None:
        """Bytes have come, or something is done: what that leads to waits for `settle`."""
        self.clock_ns = 0
        self._inside = True

    def settle(self) -> None:
        """Let those go on that may, then send what was written."""
        if self.run is not None:
            self.end_run()
        self._dispatcher.turns += 1
        ready = self._ready
        turns = JOBS_A_TURN
        while ready and turns:
            ready.popleft().go_on()
            turns -= 1
        self._inside = False
        if ready:
            self.schedule()
        dirty = self._dirty
        if dirty:
            self._dirty = []
            for outlet in dirty:
                outlet.is_dirty = False
                outlet.send()

    def end_run(self) -> None:
        """No more puts follow: they are timed."""
        verbs = self.run_verbs
        self.run = None
        self.run_account = None
        self.run_verbs = None
        if verbs is not None:
            verbs.stop_clock()

    def dirty(self, outlet: Outlet) -> None:
        """It was written to."""
        outlet.is_dirty = True
        self._dirty.append(outlet)
        if not self._inside:
            self.schedule()

    # ---- deadlines

    def at(self, job: Job, due_ns: int) -> None:
        """Wake the job at this time, unless `not_at` comes first."""
        job.due_ns = due_ns
        self._numbers += 1
        heapq.heappush(self._due, (due_ns, self._numbers, job))
        if self._timer is None or due_ns < self._timer_ns:
            self._set_timer(due_ns)

    def not_at(self, job: Job) -> None:
        """The job needs no deadline any more."""
        if job.due_ns:
            job.due_ns = 0
            self._stale += 1
            if self._stale > _STALE_MIN and self._stale * 2 > len(self._due):
                self._due = [one for one in self._due if one[2].due_ns == one[0]]
                heapq.heapify(self._due)
                self._stale = 0

    def _set_timer(self, due_ns: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ns = due_ns
        left_s = max(due_ns - int(self.clock.monotonic_ns()), 0) / 1e9
        self._timer = self.loop.call_later(left_s, self._ring)

    def _ring(self) -> None:
        self._timer = None
        self.begin()
        now_ns = int(self.clock.monotonic_ns())
        while self._due and self._due[0][0] <= now_ns:
            due_ns, _number, job = heapq.heappop(self._due)
            if job.due_ns == due_ns:
                job.due_ns = 0
                job.time_is_over()
            elif self._stale:
                self._stale -= 1
        self._time_next()
        self.settle()

    def _time_next(self) -> None:
        """A job may have set the timer for itself, later than what others wait for."""
        if self._due and (self._timer is None or self._due[0][0] < self._timer_ns):
            self._set_timer(self._due[0][0])


@final
class LoopVerbs(Session):
    """The MQI of one conversation. A verb raises MQError, or leaves in the connection what its
    answer has to wait for: `durable_at`, `park`, `again`."""

    def __init__(self, turns: Turns, user: str, application: str) -> None:
        super().__init__(turns.loop_shell.shell, user, application, NO_BLOCK, _CALLER)
        self.turns = turns
        self.loop_shell = turns.loop_shell
        self.log = self.engine.log

    def begin_call(self, verb: str) -> None:
        """The connection is there."""
        if not self.link.connected:
            self.claim(_CALLER, verb)  # says why not

    # ---- measurement

    def start_clock(self) -> None:
        """One that follows another in a turn begins where that ended: one look at the clock is
        enough, and the reading of its bytes belongs to it."""
        if self.turns.run is not None:
            self.turns.end_run()
        clock = self.link.clock
        if clock is not None:
            now_ns = self.turns.clock_ns or int(self.engine.clock.monotonic_ns())
            clock.begin(now_ns, self.loop_shell.cpu)

    def stop_clock(self) -> None:
        clock = self.link.clock
        account = self.link.account
        if clock is not None and account is not None and clock.begun_ns:
            now_ns = int(self.engine.clock.monotonic_ns())
            self.turns.clock_ns = now_ns
            clock.end(now_ns, account.other)

    def start_put(self, handle: Handle) -> None:
        """A put without an answer begins. As each begins where the last one ended, those by one
        handle that follow each other take as long as from the first to the last: the clock is
        looked at when something else comes, or at the end of the turn."""
        turns = self.turns
        if turns.run is not handle or turns.run_account is not self.link.account:
            self.start_clock()

    def stop_put(self, handle: Handle) -> None:
        """It is done, and the next may follow."""
        turns = self.turns
        if turns.run is None:
            turns.run = handle
            turns.run_account = self.link.account
            turns.run_verbs = self

    def begin_aside(self, clock: VerbClock) -> VerbClock | None:
        """What a consumer does beside the calls of the connection is timed by itself."""
        if self.turns.run is not None:
            self.turns.end_run()  # ORDER: while the clock of the connection is in its place
        before = self.link.clock
        self.link.clock = clock
        self.start_clock()
        return before

    def end_aside(self, before: VerbClock | None) -> None:
        """It is done, until it is woken again."""
        clock = self.link.clock
        if clock is not None and clock.booked is not None:
            self.stop_clock()
        self.link.clock = before

    # ---- steps

    def attempt(self, step: Step) -> bool:
        """As much of a step as can be done now; True when it is done."""
        if self.link.clock is not None:
            self.go_on()
        return attempt(self.shell, self.link, step)

    def park(self, job: Job) -> None:
        """The job goes on when the connection's park is over, or after the others' turn."""
        if self.link.park is None:
            clock = self.link.clock
            if clock is not None:
                clock.wait(SUSPENSION, self.engine.clock.monotonic_ns())
            self.turns.later(job)
        elif not self.loop_shell.park_for(self.link, job):
            self.turns.post(job)

    def must_wait(self, job: Job, durable_at: int) -> bool:
        """Whether the log must be forced first; the job is called then."""
        if durable_at <= self.log.forced_lsn or self.loop_shell.in_place:
            if durable_at > self.log.forced_lsn:
                self.shell.forcer.force(durable_at)
            return False
        clock = self.link.clock
        if clock is not None:
            clock.wait(FORCE, self.engine.clock.monotonic_ns())
        job.lsn = durable_at
        self.loop_shell.follow(job)
        return True

    # ---- put

    def put(self, handle: Handle, request: PutRequest, data: bytes) -> Entry | None:
        """MQPUT; None: parked."""
        check_open_for_output(handle, int(request.options), "MQPUT")
        if self.link.clock is not None:
            self.go_on()
        return self.shell.try_put(self.link, handle, request, data)

    # ---- get

    def get(self, handle: Handle, request: GetRequest, job: Job, beside: bool = False) -> GetCall:
        """MQGET, which `answered` or `take_back` ends. If it waits, the job is woken. `beside`: it
        is a consumer's."""
        check_open_for(handle, int(request.options))
        return self.attempt_get(handle, request, None, job, beside)

    def get_again(self, call: GetCall, job: Job) -> None:
        """The same call, after a park or between its steps."""
        if self.link.clock is not None:
            self.go_on()
        self.attempt_get(call.handle, call.request, call, job)

    def draw(self, handle: Handle, request: GetRequest, bytes_max: i64) -> list[Entry]:
        """Gets of many messages at once, as `drawing` has it: each is the caller's, or goes back
        with `give_back`."""
        shell = self.shell
        shell.lock.acquire()
        try:
            return draw(self.engine.kernel, self.link, handle, request, bytes_max)
        except BaseException as failure:
            shell.failed(failure, "MQGET")
            raise
        finally:
            shell.lock.release()

    def give_back(self, handle: Handle, request: GetRequest, entry: Entry) -> None:
        """A message that was got outside syncpoint is on its queue again."""
        call = GetCall(self.link, handle, request)
        call.entry = entry
        self.take_back(call)

    def end_wait(self, call: GetCall, reason: int) -> bool:
        """A wait is over, with this reason; False if the call was served already."""
        with self.shell.lock:
            if not call.waiting:
                return False
            cancel(self.engine.kernel, call, reason)
        call.waker = None
        return True

    def order_force(self, lsn: int) -> None:
        self.loop_shell.order(lsn)


def completion_of(error: MQError) -> tuple[int, int]:
    """Completion code and reason."""
    return error.comp, error.reason
