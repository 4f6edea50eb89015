"""The thread shell of an embedded queue manager: one lock around the engine, effects outside it,
one housekeeper.

A verb runs in its caller's thread under the lock. If it is parked, the caller runs the effect it
waits for, or waits for the thread that does; if the log must be forced before the answer leaves,
the forcer sees to that. The housekeeper runs all other effects and gives the engine the time.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Final, final

from mypy_extensions import mypyc_attr

from ternmq.base.errors import ForceFailed, IntegrityError, MQError
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from ternmq.engine.engine import Engine
from ternmq.host.forcer import Forcer, Gate
from ternmq.host.step_lock import Locks, has_lock
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.ending import disconnect, give_up
from ternmq.kernel.get import cancel, get, resume
from ternmq.kernel.kernel import BROKEN
from ternmq.kernel.put import put
from ternmq.kernel.requests import GetCall, PutRequest
from ternmq.kernel.returning import take_back
from ternmq.kernel.verb_clock import FORCE, MESSAGE, READ, SUSPENSION
from ternmq.mqi.put_data import without_headers
from ternmq.mqi.steps.step import Step
from ternmq.ports.disk import INTERRUPTED, Disk
from ternmq.ports.effect import Effect, Wakeable
from ternmq.store.fetching import MessageFetch, SegmentFetch
from ternmq.values.entry import Entry
from ternmq.values.get_request import GetRequest

TICK_S: Final = 1.0
DUE_MIN_S: Final = 0.001  # an interval that is about to end
STEPS_A_TICK: Final = 4096  # of background work
# What a verb may raise and leave the engine as it was: its reason, or what a wrong type leads to.
_OF_VERBS: Final = (MQError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError)


def kind_of_wait(effect: Effect) -> int:
    """As accounting distinguishes them: the reading of a segment, or anything else."""
    return READ if isinstance(effect, (SegmentFetch, MessageFetch)) else SUSPENSION


@mypyc_attr(allow_interpreted_subclasses=True)
class Companion:
    """Something beside the engine that ends with it, as the asyncio side of one loop."""

    def end(self) -> None:
        """The queue manager has stopped."""
        raise NotImplementedError


@final
class Shell(Wakeable):
    """What runs one engine in this process."""

    def __init__(
        self, engine: Engine, disk: Disk, has_housekeeper: bool = True, locks: Locks | None = None
    ) -> None:
        """Without `has_housekeeper` there is no thread: the caller runs effects and gives the time,
        or calls `keep_house` in one of its own."""
        self.engine = engine
        engine.kernel.delays.waker = self
        self.disk = disk
        self._locks = made = locks or Locks()
        self.make_lock = made.lock
        self.lock = made.step()
        self.forcer = Forcer(engine, self.lock, made.lock)
        # Gets whose loop was closed, or whose task was dropped: to be taken back. Code that adds
        # one may be in the collector and must not touch a lock; the housekeeper looks each tick.
        self.orphans: deque[GetCall] = deque()
        # Connections that were dropped without MQDISC: their units of work are backed out. The
        # same holds for code that adds one.
        self.dropped: deque[Link] = deque()
        self.companions: list[Companion] = []
        self._delivering = made.lock()  # of figures: one thread at a time
        self._claimed: list[Effect] = []  # those that some thread runs
        self._watching: list[Gate] = []  # of threads that wait until one of them ends
        self._work = made.semaphore(0)
        self._called = False  # the housekeeper knows that there is work
        self._ending = False
        self._gives_back = False  # the disk is closed when no thread uses it any more
        self._was_waiting = False  # when a signal handler raised; that is in one thread only
        self._housekeeper = threading.Thread(
            target=self.keep_house, name=f"ternmq-{engine.name}", daemon=True
        )
        if has_housekeeper:
            self._housekeeper.start()

    def disown(self) -> None:
        """In a forked child: nothing may be done here. Threads of the parent may have held the
        locks in the moment of the fork, so there are new ones."""
        self.lock = self._locks.step()
        self.disk.abandon()  # copies of the parent's descriptors
        self.forcer.renew_locks(self.lock)
        self._work = self._locks.semaphore(0)
        kernel = self.engine.kernel
        kernel.status = BROKEN
        kernel.broken_by = "this process was forked from the one that runs the queue manager"

    # ---- verbs

    def put(self, link: Link, handle: Handle, request: PutRequest, data: bytes) -> Entry:
        """MQPUT, to the end."""
        entry = self.try_put(link, handle, request, data)
        while entry is None:
            self._wait_outside(link)
            entry = self.try_put(link, handle, request, data)
        durable_at = link.durable_at
        if durable_at > self.engine.log.forced_lsn:
            self._force(link, int(durable_at))
        return entry

    def _force(self, link: Link, lsn: int) -> None:
        """Before a verb is answered."""
        clock = link.clock
        self.engine.kernel.meter.log.force_requests += 1
        if clock is None:
            self.forcer.force(lsn)
            return
        clock.wait(FORCE, self.engine.clock.monotonic_ns())
        try:
            self.forcer.force(lsn)
        finally:
            clock.go_on(self.engine.clock.monotonic_ns())

    def _wait_outside(self, link: Link) -> None:
        with self.lock:
            try:
                self.wait_for_park(link)
            except BaseException as failure:
                give_up(self.engine.kernel, link)
                self.step_failed(failure)
                raise

    def try_put(self, link: Link, handle: Handle, request: PutRequest, data: bytes) -> Entry | None:
        """MQPUT, once and without waiting: None if the connection is parked. The caller sees to
        the force."""
        if request.splits:
            request, data = without_headers(request, data)
        engine = self.engine
        lock = self.lock
        lock.acquire()
        try:
            entry = put(engine.kernel, link, handle, request, data)
            if link.durable_at or link.unit is not None:
                engine.after_step()
            outbox = engine.outbox
            woken: list[Wakeable] | None = None
            if outbox.woken:
                woken = outbox.woken
                outbox.woken = []
            more = len(outbox.effects) > 0
        except BaseException as failure:
            self.failed(failure, "MQPUT")
            raise
        finally:
            lock.release()
        if woken is not None:
            for waker in woken:
                waker.wake()
        if more:
            self.wake()
        return entry

    def get(self, link: Link, handle: Handle, request: GetRequest) -> GetCall:
        """MQGET, to the end; the answer is in the call."""
        engine = self.engine
        lock = self.lock
        lock.acquire()
        try:
            call = get(engine.kernel, link, handle, request)
            while call.entry is None or link.park is not None:
                if call.waiting:
                    self._wait_for_message(link, call)
                elif link.park is not None:
                    self.wait_for_park(link)
                    resume(engine.kernel, call)
                elif link.again:
                    self._search_on(call)
                else:
                    break
            durable_at = link.durable_at
            if durable_at or link.unit is not None:
                engine.after_step()
            if engine.outbox.woken or engine.outbox.effects:
                self.flush()
        except BaseException as failure:
            self.failed(failure, "MQGET")
            raise
        finally:
            lock.release()
        if durable_at > engine.log.forced_lsn:
            self._force(link, int(durable_at))
        return call

    def failed(self, failure: BaseException, verb: str) -> None:
        """With the lock: an attempt of a verb has raised. If an invariant is broken, the queue
        manager stops, and the caller gets the reason; anything else the caller raises again."""
        if isinstance(failure, IntegrityError):
            self.engine.break_down(str(failure))
            self.flush()
            raise self.engine.kernel.ending_error(verb) from failure
        self.step_failed(failure)

    def step_failed(self, failure: BaseException) -> None:
        """With the lock: something was raised in this thread. If that is nothing that verbs raise,
        but a signal handler did it (sys.exit, say) or memory is out, in the middle of a step, the
        engine is half changed and stops; the next start has the log. Signals come between steps
        when compiled; plain files know both."""
        if not self._was_waiting and not isinstance(failure, _OF_VERBS):
            self.engine.break_down(f"a step was interrupted: {type(failure).__name__}")
        self.flush()  # a refused verb may have put an event message that a get waits for
        self._was_waiting = False

    def _let_others_in(self) -> BaseException | None:
        """Between two steps of a verb: called and left with the lock. Returns what a signal handler
        has raised meanwhile."""
        raised: BaseException | None = None
        try:
            self.lock.release()
        except BaseException as failure:
            raised = failure
        try:
            self._lock_again()
        except BaseException as failure:
            raised = failure
        self._was_waiting = False
        return raised

    def _lock_again(self) -> None:
        """The lock after a wait, even if a signal handler raises now, or did before the release."""
        locked = has_lock(self.lock)
        try:
            if not locked:
                self.lock.acquire()
                locked = True
        finally:
            if not locked:
                if not has_lock(self.lock):
                    self.lock.acquire()
                self._was_waiting = True

    def _wait_for_message(self, link: Link, call: GetCall) -> None:
        """Called and left with the lock; sleeps without it."""
        gate = Gate(self.make_lock())
        call.waker = gate
        link.get_call = call
        timeout_s = -1.0
        if call.deadline_ns:
            left_ns = call.deadline_ns - self.engine.clock.monotonic_ns()
            timeout_s = max(int(left_ns), 0) / 1e9
        self.flush()
        clock = link.clock
        if clock is not None:
            clock.wait(MESSAGE, self.engine.clock.monotonic_ns())
        interrupted = True
        try:
            self.lock.release()
            gate.wait(timeout_s)
            interrupted = False
        finally:
            try:
                self._lock_again()
            except BaseException:
                interrupted = True
                raise
            finally:
                self._after_wait(link, call, interrupted)
        if call.error is not None:
            raise call.error

    def _after_wait(self, link: Link, call: GetCall, interrupted: bool) -> None:
        """With the lock: the get does not wait any more."""
        clock = link.clock
        if clock is not None and clock.waits_for:
            clock.go_on(self.engine.clock.monotonic_ns())
        link.get_call = None
        call.waker = None
        if interrupted:
            self._was_waiting = True
            self._give_up(call)
        elif call.waiting:  # the time is over
            cancel(self.engine.kernel, call, MQRC_NO_MSG_AVAILABLE)

    def _search_on(self, call: GetCall) -> None:
        """The next step of a long search."""
        raised = self._let_others_in()
        if raised is not None:
            self._was_waiting = True
            self._give_up(call)
            raise raised
        resume(self.engine.kernel, call)

    def _give_up(self, call: GetCall) -> None:
        """A signal handler raised in the waiting thread: a message that has just come for it goes
        back, unless the log has no room to say so."""
        entry = call.entry
        kernel = self.engine.kernel
        if entry is None or kernel.coordinator.has_room(None, entry.length + len(entry.properties)):
            take_back(kernel, call)
            self.settle()

    def run(self, link: Link, step: Step) -> None:
        """Any other verb, to the end. If it is interrupted between its steps, it does the others
        first: half of a backout is nothing to go on from."""
        kernel = self.engine.kernel
        raised: BaseException | None = None
        self.lock.acquire()
        try:
            while not step.attempt(kernel, link):
                if link.park is not None:
                    self.wait_for_park(link)
                else:
                    self.settle()
                    raised = self._let_others_in() or raised
            durable_at = link.durable_at
            self.settle()
        except BaseException as failure:
            self.failed(failure, step.verb)
            raise
        finally:
            self.lock.release()
        if raised is not None:
            raise raised
        if durable_at > self.engine.log.forced_lsn:
            self._force(link, int(durable_at))

    def settle(self) -> None:
        """After a step of a verb, with the lock: run what is due, wake the waiters that are due."""
        self.engine.after_step()
        self.flush()

    def wait_for_park(self, link: Link) -> None:
        """Run or await the effect that a verb is parked on. Called and left with the lock."""
        effect = link.park
        if effect is None:
            return
        link.park = None
        if effect.done:
            return
        clock = link.clock
        if clock is not None:
            clock.wait(kind_of_wait(effect), self.engine.clock.monotonic_ns())
        gate: Gate | None = None
        if effect.claimed:
            gate = Gate(self.make_lock())
            effect.waiting.append(gate)
        else:
            self.claim(effect)
        self.flush()
        interrupted = True
        try:
            self.lock.release()
            if gate is not None:
                gate.wait()
            else:
                self.run_claimed(effect)
            interrupted = False
        finally:
            self._lock_again()
            self._was_waiting = interrupted
            if interrupted:
                give_up(self.engine.kernel, link)
        if clock is not None and clock.waits_for:
            clock.go_on(self.engine.clock.monotonic_ns())
        error = self.engine.error_for("")
        if error is not None:
            raise error

    # ---- effects

    def claim(self, effect: Effect) -> None:
        """With the lock: the caller will run it."""
        effect.claimed = True
        self._claimed.append(effect)
        effects = self.engine.outbox.effects
        if effect in effects:
            effects.remove(effect)

    def flush(self) -> None:
        """With the lock: wake callers, and the housekeeper if there is work."""
        outbox = self.engine.outbox
        if outbox.woken:
            woken = outbox.woken
            outbox.woken = []
            for waker in woken:
                waker.wake()
        if outbox.effects:
            self.wake()

    def run_claimed(self, effect: Effect) -> None:
        """Run a claimed effect, without the lock. If a signal handler raises in the middle, the
        effect has failed: others may wait for it."""
        error: Exception | None = OSError(INTERRUPTED, "interrupted")
        broken = False
        try:
            if effect.after_lsn > self.engine.log.forced_lsn:
                self.forcer.force(effect.after_lsn)
            if effect.on_log:
                with self.forcer.files_lock:
                    self._run_on_log(effect)
            else:
                effect.run(self.disk)
            error = None
        except (OSError, IntegrityError, ForceFailed) as failure:
            error = failure
        except MQError:
            broken = True  # the queue manager broke down before this could run
        finally:
            self._finish_claimed(effect, error, broken)

    def _run_on_log(self, effect: Effect) -> None:
        """ORDER: nothing touches the log's files after a failed force. A thread that has waited for
        their lock must see the failure, so it is recorded before the lock is released."""
        broken = self.engine.error_for("")
        if broken is not None:
            raise broken
        try:
            effect.run(self.disk)
        except (IntegrityError, ForceFailed) as failure:
            with self.lock:
                self.engine.break_down(str(failure))
            raise

    def _finish_claimed(self, effect: Effect, error: Exception | None, broken: bool) -> None:
        self._lock_again()
        try:
            if broken:
                self.engine.outbox.done(effect)  # callers that wait for it get the error
            else:
                self.engine.finish(effect, error)
            self._let_go(effect)
            self.flush()
        finally:
            self.lock.release()

    def _let_go(self, effect: Effect) -> None:
        if effect in self._claimed:
            self._claimed.remove(effect)
        if self._gives_back and not self._claimed:
            self.disk.close()
        for gate in self._watching:
            gate.wake()
        self._watching = []

    def run_effects(self) -> bool:
        """Run everything that waits to be run; False if there was nothing."""
        any_run = False
        while True:
            self.lock.acquire()
            effects = self.engine.outbox.effects
            effect = effects[0] if effects else None
            if effect is not None:
                self.claim(effect)
            self.lock.release()
            if effect is None:
                return any_run
            any_run = True
            self.run_claimed(effect)

    def wait_for_effect(self) -> bool:
        """Wait until some other thread's effect has ended; False if none is under way."""
        gate = Gate(self.make_lock())
        self.lock.acquire()
        busy = len(self._claimed) > 0
        if busy:
            self._watching.append(gate)
        self.lock.release()
        if busy:
            gate.wait()
        return busy

    def finish_effects(self) -> None:
        """Run everything that waits to be run, and wait for what other threads run."""
        while self.run_effects() or self.wait_for_effect():
            pass

    def give_back_disk(self) -> None:
        """The queue manager has stopped: the disk is closed, now or when the last effect that a
        thread is still at has ended (after a breakdown no thread waits for those)."""
        with self.lock:
            self._gives_back = True
            if not self._claimed:
                self.disk.close()

    def wake(self) -> None:
        """Call the housekeeper."""
        if not self._called:
            self._called = True
            self._work.release()

    def keep_house(self) -> None:
        """Run effects that no caller waits for, give the engine the time, until `end_house`."""
        while True:
            self._work.acquire(True, max(self.engine.due_in_s(TICK_S), DUE_MIN_S))
            self._called = False  # ORDER: before it looks for work
            if self._ending:
                break
            try:
                self.run_effects()
                if self.engine.error_for("") is not None:
                    with self.lock:
                        self.flush()  # wake the gets that wait for a message
                    break  # the queue manager has broken down; its callers get the error
                self.return_orphans()
                self.end_dropped()
                with self.lock:
                    self.engine.tick()
                    self.flush()
                self._work_through()
                self.deliver()
            except IntegrityError as failure:
                with self.lock:
                    self.engine.break_down(str(failure))
                    self.flush()
                break
            except Exception as fault:  # another name: compiled, it would have the type above
                if self._break_down_without_housekeeper(fault):
                    raise  # so that threading's excepthook reports it in full
                break

    def _break_down_without_housekeeper(self, fault: Exception) -> bool:
        """An unforeseen exception was raised: nothing would be tidied and no time would pass
        any more, so the queue manager stops and says why. False if it has broken already."""
        with self.lock:
            if self.engine.error_for("") is not None:
                self.flush()
                return False
            why = f"the housekeeper has failed: {type(fault).__name__}: {fault}"
            self.engine.break_down(why)
            self.flush()
        return True

    def deliver(self, wait: bool = False) -> None:
        """Deliver figures of what has ended; with `wait` also those that another thread is at."""
        collector = self.engine.collector
        if wait or collector.has_turns:
            with self._delivering:
                collector.deliver()

    def return_orphans(self) -> None:
        """Put messages back on their queues whose caller will not take them."""
        while self.orphans:
            call = self.orphans.popleft()
            with self.lock:
                take_back(self.engine.kernel, call)
                self.settle()

    def end_dropped(self) -> None:
        """End connections that no code refers to any more, as if their applications had died."""
        while self.dropped:
            link = self.dropped.popleft()
            more = link.connected
            while more:
                with self.lock:
                    disconnect(self.engine.kernel, link, True)
                    more = link.again
                    self.settle()

    def _work_through(self) -> None:
        for _ in range(STEPS_A_TICK):
            with self.lock:
                more = self.engine.work_some()
                self.settle()
            if self.engine.is_parked:  # on what this thread is to run
                more = self.run_effects()
            if self._ending or not more:
                break

    def disconnect_all(self) -> None:
        """Connections that are left have lost the queue manager: back out their units of work."""
        kernel = self.engine.kernel
        while kernel.connections:
            with self.lock:
                for link in list(kernel.connections.values())[:1]:
                    disconnect(kernel, link, True)
                self.engine.after_step()
                self.flush()

    def end_house(self) -> None:
        """No more housekeeping."""
        self._ending = True
        self._work.release()

    def stop_housekeeper(self) -> None:
        """End the thread, if there is one, and wait for it."""
        self.end_house()
        if self._housekeeper.ident is not None:
            self._housekeeper.join()
