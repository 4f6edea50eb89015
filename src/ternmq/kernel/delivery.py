"""New messages meet waiting gets: hand-over, and serving waiters from the queue.

Called in the step that made a message available: a put, a commit, a backout.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.kernel.alerts import raise_alert, raise_alerts
from ternmq.kernel.connection import Connection
from ternmq.kernel.get import attempt, refuse_if_inhibited, stop_waiting
from ternmq.kernel.kernel import QUIESCING, RUNNING, Kernel
from ternmq.kernel.metering import waits_on, was_got
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.property_options import fits_buffer
from ternmq.kernel.requests import GetCall
from ternmq.kernel.waiters import asked_at_once
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import (
    AVAILABLE,
    PERSISTENT,
    REPORTS,
    ZERO_ID,
    Entry,
    shows_persistent,
)

LOOK_AGAIN_AT_ONCE: Final = 4  # waiting gets, each of which may look at many messages


def hand_over(kernel: Kernel, connection: Connection, local: LocalQueue, entry: Entry) -> bool:
    """Give a message that is not yet on the queue straight to a waiting get; False if none can
    take it so."""
    if local.queue.stream is not None or entry.flags & REPORTS:
        return False  # it must be on the queue, if only for this step, to be in the stream
    if (entry.group_id is not ZERO_ID and entry.group_id != ZERO_ID) or (
        entry.expiry_at and entry.expiry_at <= kernel.clock.now_ns()
    ):
        return False  # a get may want all of its group; or it has expired
    call = _getter(local, entry)
    if call is None:
        return False
    request = call.request
    if (
        request.grouping
        or call.handle.logical is not None
        or not call.matches(entry)
        or request.syncpoint
        or (request.syncpoint_if_persistent and shows_persistent(entry))
        or (request.spares and request.spared(entry))
        or (
            (entry.length > request.buffer_length or request.extends or entry.properties)
            and not fits_buffer(call, entry)
        )
        or local.get_inhibited
        or kernel.status not in (RUNNING, QUIESCING)
        or _inhibited(call, local)
    ):
        return False
    if call.reserved == 0 and entry.flags & PERSISTENT:
        call.reserved = kernel.coordinator.reserve_return(
            None, entry.length + len(entry.properties)
        )
        if call.reserved == 0:
            return False
    durable_at = kernel.coordinator.hand_over(local.queue, entry)
    if local.watched:
        local.watch.got(entry.put_ns, entry.put_ns)
    if kernel.measured:
        was_got(kernel, call.handle, local, entry, request, entry.put_ns)
    connection.depends_on(durable_at)
    local.waiters.end_turn()
    _answer(kernel, call, entry, durable_at)
    raise_alerts(kernel, local)  # read ahead, it is for a get of that connection's
    return True


def _answer(kernel: Kernel, call: GetCall, entry: Entry, durable_at: i64) -> None:
    stop_waiting(kernel, call)
    if not call.beside:
        call.connection.begin_verb()
        call.connection.depends_on(durable_at)
    call.durable_at = durable_at
    call.entry = entry
    if call.handle.options & mq.MQOO_SAVE_ALL_CONTEXT:
        call.handle.context = entry
    kernel.outbox.wake(call.waker)


def _getter(local: LocalQueue, entry: Entry) -> GetCall | None:
    """The get that would take the message, if nobody browses ahead of it."""
    call = local.waiters.first_any()
    if call is None and not local.waiters.browsing:
        for candidate in local.waiters.for_entry(entry):
            return candidate
    return call


def _inhibited(call: GetCall, local: LocalQueue) -> bool:
    try:
        refuse_if_inhibited(call.handle, local)
    except MQError:
        return True
    return False


def serve(kernel: Kernel, local: LocalQueue, entry: Entry) -> None:
    """A message has become available: browsers first, then one getter."""
    waiters = local.waiters
    raise_alerts(kernel, local)
    for call in waiters.looking:
        if call.request.grouping or call.request.matches(entry):
            call.missed = True
    for call in list(waiters.browsing):
        if call.is_concerned(entry) if call.request.grouping else call.request.matches(entry):
            serve_one(kernel, call)
    getters = waiters.for_entry(entry)
    rest: list[GetCall] = []
    if waiters.selecting:  # who is asked below may leave, or come again
        rest = list(waiters.selecting.values())
        del rest[: asked_at_once(rest, entry)]
    waiters.end_turn()
    for call in getters:
        if call.is_concerned(entry):
            serve_one(kernel, call)
            if entry.state != AVAILABLE:
                return  # somebody has it now
    if rest:
        kernel.outbox.add(AskRest(kernel, local, entry, rest))


@final
class AskRest(Effect):
    """Asks waiters with a selection string, those that the put did not ask, a few in each step: a
    put must not pay for all of them. There is nothing to run outside a step."""

    def __init__(
        self, kernel: Kernel, local: LocalQueue, entry: Entry, rest: list[GetCall]
    ) -> None:
        super().__init__()
        self.kernel = kernel
        self.local = local
        self.entry = entry
        self.rest = rest

    def run(self, disk: Disk) -> None:
        pass

    def fail(self, error: OSError) -> None:
        """A signal came while nothing was run: the waiters are asked all the same."""
        self.complete()

    def complete(self) -> None:
        entry = self.entry
        count = asked_at_once(self.rest, entry)
        for call in self.rest[:count]:
            if entry.state != AVAILABLE or self.local.deleted:
                return
            if call.waiting and call.is_concerned(entry):
                serve_one(self.kernel, call)
        rest = self.rest[count:]
        if rest and entry.state == AVAILABLE:
            self.kernel.outbox.add(AskRest(self.kernel, self.local, entry, rest))


@final
class AskUnlocked(Effect):
    """Lets waiting gets look again after a browse lock has ended, a few in each step, until one of
    them has the message. Not in the step that ends the lock: that one may be a get itself."""

    def __init__(self, kernel: Kernel, local: LocalQueue, number: int, rest: list[GetCall]) -> None:
        super().__init__()
        self.kernel = kernel
        self.local = local
        self.number = number  # of the message
        self.rest = rest

    def run(self, disk: Disk) -> None:
        pass

    def fail(self, error: OSError) -> None:
        """A signal came while nothing was run: the waiters look all the same."""
        self.complete()

    def complete(self) -> None:
        raise_alerts(self.kernel, self.local)
        for call in self.rest[:LOOK_AGAIN_AT_ONCE]:
            if self.local.deleted or self.number in self.local.queue.locks:
                return
            if call.waiting:
                serve_one(self.kernel, call)
                entry = call.entry
                if entry is not None and not call.browse and entry.number == self.number:
                    return
        rest = self.rest[LOOK_AGAIN_AT_ONCE:]
        if rest:
            self.kernel.outbox.add(AskUnlocked(self.kernel, self.local, self.number, rest))


def wake_own(kernel: Kernel, connection: Connection, local: LocalQueue) -> None:
    """A unit of work has put a message: gets of its own connection that wait for one look again, in
    a step of their own, and those that are looking have maybe passed its place."""
    for call in local.waiters.looking:
        if call.connection is connection:
            call.missed = True
    calls: list[GetCall] = []
    for handle in connection.handles.values():
        if handle.local is local:
            raise_alert(kernel, handle)
            waiting = kernel.waiting.get(handle.key)
            if waiting is not None:
                calls.append(waiting)
    if calls:
        kernel.outbox.add(AskOwn(kernel, calls))


def wake_own_since(kernel: Kernel, connection: Connection, unit: UnitOfWork, before: i64) -> None:
    """The same for what was put for a connection, a report say, after so many changes of its
    unit."""
    if unit is connection.unit:
        for change in unit.changes[before:]:
            local = kernel.locals.get(change.queue.name)
            if local is not None and local.waiters.count:
                wake_own(kernel, connection, local)


@final
class AskOwn(Effect):
    """Lets waiting gets of one connection look again: its unit of work has put a message. Not in
    the step of the put, for that is a verb of the same connection."""

    def __init__(self, kernel: Kernel, calls: list[GetCall]) -> None:
        super().__init__()
        self.kernel = kernel
        self.calls = calls

    def run(self, disk: Disk) -> None:
        pass

    def fail(self, error: OSError) -> None:
        """A signal came while nothing was run: they look all the same."""
        self.complete()

    def complete(self) -> None:
        for call in self.calls:
            # A get undoes what a verb of several messages has left. If that goes on, it is the put,
            # whose last step asks again.
            if call.connection.undertaking is None:
                serve_one(self.kernel, call)


def serve_one(kernel: Kernel, call: GetCall) -> None:
    """Try a waiting get again; it goes on waiting if there is still nothing for it."""
    was_waiting = call.waiting  # a name of its own: the attempt sets it again
    if not was_waiting:
        return  # a report that an earlier one caused was for it
    stop_waiting(kernel, call)
    if call.beside:
        _attempt_beside(kernel, call)
    else:
        _attempt(kernel, call)
    if not call.waiting:
        kernel.outbox.wake(call.waker)
    elif kernel.measured:
        waits_on(kernel, call)


def _attempt(kernel: Kernel, call: GetCall) -> None:
    try:
        attempt(kernel, call)
    except MQError as error:
        call.error = error
    call.durable_at = call.connection.durable_at


def _attempt_beside(kernel: Kernel, call: GetCall) -> None:
    """Another verb of the connection may be under way: it is a commit that serves this get, say, or
    it has released the lock and not looked yet at what its answer waits for. That stays."""
    connection = call.connection
    durable_at = connection.durable_at
    park = connection.park
    again = connection.again
    warning = connection.warning
    _attempt(kernel, call)
    connection.durable_at = durable_at
    connection.park = park
    connection.again = again
    connection.warning = warning


def serve_all(kernel: Kernel, local: LocalQueue) -> None:
    """Something about the queue changed (an inhibit, say): everybody who waits looks again."""
    raise_alerts(kernel, local)
    for call in local.waiters.all():
        serve_one(kernel, call)
