"""Ending units of work: MQCMIT, MQBACK, and the end of a connection.

A commit is one step, bounded by MAXUMSGS; a backout goes on in bounded steps. What becomes
available is offered to waiting gets in the same step.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_BACKED_OUT, MQRC_HCONN_ERROR
from ternmq.kernel.acceptance import relieve
from ternmq.kernel.connection import Connection
from ternmq.kernel.delivery import serve
from ternmq.kernel.get import cancel
from ternmq.kernel.kernel import BROKEN, Kernel
from ternmq.kernel.metering import were_backed_out
from ternmq.kernel.metering_calls import has_ended, was_backed_out, was_closed, was_committed
from ternmq.kernel.resolve import close_handle
from ternmq.store.queue import Queue
from ternmq.txn.partial_undo import undo_latest
from ternmq.txn.unit import ACTIVE, BACKING_OUT, CHANGE_GET, CHANGE_PUT, ENDED, UnitOfWork
from ternmq.values.entry import AVAILABLE, Entry

BACKOUT_STEP_CHANGES: Final = 256
QUEUES_FEW: Final = 8


def refuse_prepare(connection: Connection) -> None:
    """The queue manager has backed out the unit of work: for a transaction manager the branch has
    ended with that (XA_RBROLLBACK)."""
    unit = connection.unit
    if unit is not None and unit.backed_out_by:
        if unit.state == ENDED:
            connection.unit = None
        raise mq_error(MQRC_BACKED_OUT, verb="prepare", detail=unit.backed_out_by)


def backed_out(verb: str, why: str) -> MQError:
    """The error of a call that was to commit a unit of work which was backed out instead: a
    warning, because the call has ended the unit. Others fail with the same reason."""
    return mq_error(MQRC_BACKED_OUT, comp=mq.MQCC_WARNING, verb=verb, detail=why)


def abandon(kernel: Kernel, connection: Connection) -> bool:
    """A verb of several messages that has failed, or that its caller has given up, is undone, a
    bounded part of it; True when nothing is left of it, else `again` is set."""
    state = connection.undertaking
    if state is None:
        return True
    state.is_given_up = True
    coordinator = kernel.coordinator
    if state.reserved:
        coordinator.space.release(int(state.reserved))
        state.reserved = 0
    unit = state.unit
    done = True
    if unit.state == ACTIVE:
        came_back = [
            (change.queue, change.entry)
            for change in unit.changes[state.changes_before :][-BACKOUT_STEP_CHANGES:]
            if change.kind == CHANGE_GET
        ]
        done = undo_latest(coordinator, unit, state.changes_before, BACKOUT_STEP_CHANGES)
        unit.copies = state.copies_before if done else unit.copies
        if done and state.is_inner:
            back_out_some(kernel, unit)
        if unit.first_lsn:
            connection.depends_on(coordinator.log.end_lsn)
        for queue, entry in reversed(came_back):
            _offer(kernel, queue, entry)
    if done:
        connection.undertaking = None
    else:
        connection.again = True
    return done


def give_up(kernel: Kernel, connection: Connection) -> None:
    """A verb that waits will not be tried again: if it is several messages, nothing of it stays."""
    if kernel.status != BROKEN:
        while not abandon(kernel, connection):
            pass


def commit(kernel: Kernel, connection: Connection) -> None:
    """MQCMIT; `again` is set while there is more to undo of what the queue manager backs out."""
    connection.begin_verb()
    if connection.undertaking is not None and not abandon(kernel, connection):
        return
    kernel.refuse_if_broken("MQCMIT")
    unit = connection.unit
    if unit is not None:
        if unit.backed_out_by:
            if unit.state == BACKING_OUT:
                _back_out_part(kernel, connection, unit)
                if connection.again:
                    return
            connection.unit = None
            raise backed_out("MQCMIT", unit.backed_out_by)
        commit_unit(kernel, connection, unit)
    if kernel.measured:
        was_committed(kernel, connection)


def commit_unit(kernel: Kernel, connection: Connection, unit: UnitOfWork) -> None:
    """End a unit and serve the gets that waited for its messages. Those of the connection itself
    are in its next unit."""
    news = CommitNews()
    news.expect(kernel, unit)
    connection.depends_on(kernel.coordinator.commit(unit))
    if unit is connection.unit:
        connection.unit = None
    news.serve_waiters(kernel)
    connection.depends_on(unit_committed(kernel, int(unit.unit_id)))


def unit_committed(kernel: Kernel, number: int) -> i64:
    """Report the end of a unit of work to whatever has waited for it; what must be forced before
    that is answered."""
    durable_at: i64 = 0
    if kernel.triggers.in_units:
        kernel.triggers.unit_ended(number)
    if kernel.topics.in_units:
        durable_at = kernel.topics.unit_ended(number, True)
    if kernel.delays.in_units:
        kernel.delays.unit_committed(number)
    return durable_at


@final
class CommitNews:
    """The waiting gets that a commit concerns: noted before it, served after it."""

    def __init__(self) -> None:
        self.puts: list[tuple[Queue, Entry]] = []
        self.queues: list[Queue] = []
        self._ids: set[int] | None = None  # of the queues, once they are more than a few

    def expect(self, kernel: Kernel, unit: UnitOfWork) -> None:
        """What this unit will make visible."""
        puts = self.puts
        queues = self.queues
        is_awaited = kernel.waits > 0
        for change in unit.changes:
            if change.kind == CHANGE_PUT:
                if not self._knows(change.queue):
                    queues.append(change.queue)
                if is_awaited and _has_waiters(kernel, change.queue):
                    puts.append((change.queue, change.entry))

    def _knows(self, queue: Queue) -> bool:
        """Whether it is one of the queues. Most units have one or two; a publication may be for
        thousands."""
        ids = self._ids
        if ids is None:
            if len(self.queues) < QUEUES_FEW:
                return _is_among(self.queues, queue)
            ids = {int(one.queue_id) for one in self.queues}
            self._ids = ids
        number = int(queue.queue_id)
        if number in ids:
            return True
        ids.add(number)
        return False

    def serve_waiters(self, kernel: Kernel) -> None:
        """It is visible: serve waiting gets, and sweep what is too much."""
        for queue, entry in self.puts:
            _offer(kernel, queue, entry)
        for queue in self.queues:
            relieve(kernel, queue)


def _is_among(queues: list[Queue], queue: Queue) -> bool:
    """Whether it is one of these."""
    return any(one is queue for one in queues)


def _has_waiters(kernel: Kernel, queue: Queue) -> bool:
    local = kernel.locals.get(queue.name)
    return local is not None and local.queue is queue and local.waiters.count > 0


def _offer(kernel: Kernel, queue: Queue, entry: Entry) -> None:
    local = kernel.locals.get(queue.name)
    if local is not None and local.waiters.count and entry.state == AVAILABLE:
        serve(kernel, local, entry)


def back_out(kernel: Kernel, connection: Connection) -> None:
    """MQBACK; `again` is set while there is more to undo."""
    connection.begin_verb()
    if connection.undertaking is not None and not abandon(kernel, connection):
        return
    unit = connection.unit
    if unit is not None:
        if unit.backed_out_by and unit.state == ENDED:
            connection.unit = None  # it is backed out, which is what was asked for
        else:
            _back_out_part(kernel, connection, unit)
    if kernel.measured and not connection.again:
        was_backed_out(kernel, connection)


def _back_out_part(kernel: Kernel, connection: Connection, unit: UnitOfWork) -> None:
    """Backout counts survive a crash: their record is forced before the answer."""
    if back_out_some(kernel, unit):
        connection.unit = None
    else:
        connection.again = True
    if unit.first_lsn:
        connection.depends_on(kernel.coordinator.log.end_lsn)


def back_out_some(kernel: Kernel, unit: UnitOfWork) -> bool:
    """A bounded part of a backout; True when the unit has ended."""
    came_back = [
        (change.queue, change.entry)
        for change in unit.changes[-BACKOUT_STEP_CHANGES:]
        if change.kind == CHANGE_GET and _has_waiters(kernel, change.queue)
    ]
    if kernel.measured:
        undone = unit.changes[-BACKOUT_STEP_CHANGES:]
        ended = kernel.coordinator.back_out_some(unit, BACKOUT_STEP_CHANGES)
        were_backed_out(kernel, undone)
    else:
        ended = kernel.coordinator.back_out_some(unit, BACKOUT_STEP_CHANGES)
    came_back.reverse()
    for queue, entry in came_back:
        _offer(kernel, queue, entry)
    if ended and kernel.triggers.in_units:
        kernel.triggers.unit_ended(int(unit.unit_id))
    if ended and kernel.topics.in_units:
        kernel.topics.unit_ended(int(unit.unit_id), False)
    return ended


def _close_all(kernel: Kernel, connection: Connection) -> int:
    """Messages for the end of a connection are put, its handles closed; how many these were."""
    if connection.held is not None:
        from ternmq.kernel.held_messages import put_held  # which puts, and puts end here

        put_held(kernel, connection)
    open_handles = list(connection.handles.values())
    for handle in open_handles:
        local = handle.local
        close_handle(kernel, handle, 0)
        if kernel.measured:
            was_closed(kernel, handle, local, False)
    return len(open_handles)


def disconnect(kernel: Kernel, connection: Connection, vanished: bool) -> None:
    """MQDISC commits; an application that vanishes is backed out. `again` is set while there is
    more to do.

    Another thread may be at the end of its verb on this connection, without the lock: what its
    answer waits for must not be forgotten.
    """
    connection.park = None
    connection.again = False
    call = connection.get_call
    if call is not None:
        if call.waiting:  # by another thread or task, which must not wait for ever
            cancel(kernel, call, MQRC_HCONN_ERROR)
            kernel.outbox.wake(call.waker)
        connection.get_call = None
    if connection.undertaking is not None and not abandon(kernel, connection):
        return
    unit = connection.unit
    if unit is not None and unit.state == ACTIVE and not vanished:
        commit_unit(kernel, connection, unit)
        connection.unit = None
    elif unit is not None and unit.state in (ACTIVE, BACKING_OUT):
        _back_out_part(kernel, connection, unit)
        if connection.again:
            return
    open_handles = _close_all(kernel, connection)
    if kernel.measured and connection.connected:
        has_ended(kernel, connection, vanished, open_handles)
    connection.connected = False
    kernel.connections.pop(connection.connection_id, None)
