"""Counting calls that are not about messages, for statistics and accounting: on objects, on units
of work, by tasks as a whole. Called in the step that does them, and only while `Kernel.measured` is
not 0; `metering` counts messages.
"""

from __future__ import annotations

from ternmq.base.constants import MQOT_Q
from ternmq.base.counters import (
    ENDED_BY_QMGR,
    ENDED_IMPLICITLY,
    ENDED_NORMALLY,
    OBJECT_TYPES,
    REGISTERED,
)
from ternmq.kernel.call_trace import (
    BACK,
    CB,
    CLOSE,
    CMIT,
    CTL,
    DISC,
    INQ,
    OPEN,
    SET,
    STAT,
    trace,
)
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import BROKEN, STOPPING, Kernel
from ternmq.kernel.meter import ACCOUNTING, STATISTICS, TRACED, EndedTask
from ternmq.kernel.metering import account_of, book, figures_of
from ternmq.kernel.objects import LocalQueue

# ---- objects


def was_opened(kernel: Kernel, handle: Handle) -> None:
    """MQOPEN has worked. What MQPUT1 opens is counted as MQPUT1."""
    if kernel.measured & TRACED and not handle.is_put1:
        trace(kernel, handle.connection, OPEN, handle)
    local = handle.local
    connection = handle.connection
    if kernel.measured & STATISTICS:
        if local is not None:
            figures = figures_of(kernel, local)
            figures.see_handles(local.open_input, local.open_output)
            if not handle.is_put1:
                figures.opens += 1
        if not handle.is_put1:
            kernel.meter.figures.opens[place_of(handle)] += 1
    task = connection.account
    if task is None:
        return
    if handle.is_put1:
        return
    handle.opened_ns = kernel.clock.now_ns()
    task.opens[place_of(handle)] += 1
    account = account_of(kernel, handle)
    if account is not None:
        account.handles_opened += 1
        account.closed_ns = 0
        book(connection, account.open)
    else:
        book(connection, task.other)


def was_widened(kernel: Kernel, handle: Handle) -> None:
    """An open handle may be used for more: no MQOPEN of its own, but the queue has a user more. One
    that led to no queue before is accounted for from here on."""
    local = handle.local
    if local is None:
        return
    if kernel.measured & STATISTICS:
        figures_of(kernel, local).see_handles(local.open_input, local.open_output)
    task = handle.connection.account
    if task is not None and handle.accounted_in is task and handle.account is None:
        handle.accounted_in = None
        account = account_of(kernel, handle)
        if account is not None:
            account.handles_opened += 1


def was_closed(kernel: Kernel, handle: Handle, local: LocalQueue | None, by_call: bool) -> None:
    """MQCLOSE has worked, or the end of its connection has closed a handle. `local` is what it was
    open on."""
    if kernel.measured & TRACED and by_call and not handle.is_put1:
        trace(kernel, handle.connection, CLOSE, handle)
    if kernel.measured & STATISTICS:
        if local is not None:
            figures = figures_of(kernel, local)
            figures.see_handles(local.open_input, local.open_output)
            if by_call and not handle.is_put1:
                figures.closes += 1
        if by_call and not handle.is_put1:
            kernel.meter.figures.closes[place_of(handle)] += 1
    connection = handle.connection
    task = connection.account
    if task is None or handle.is_put1:
        return
    account = handle.account if handle.accounted_in is task else None
    if account is None and local is not None:  # its first use, and it is detached already
        handle.local = local
        account = account_of(kernel, handle)
        handle.local = None
    if account is not None:
        account.closed_ns = kernel.clock.now_ns()
    if by_call:
        task.closes[place_of(handle)] += 1
        book(connection, task.other if account is None else account.close)


def was_inquired(kernel: Kernel, handle: Handle) -> None:
    """MQINQ has worked."""
    if kernel.measured & TRACED:
        trace(kernel, handle.connection, INQ, handle)
    if kernel.measured & STATISTICS:
        if handle.local is not None:
            figures_of(kernel, handle.local).inquires += 1
        kernel.meter.figures.inquires[place_of(handle)] += 1
    task = handle.connection.account
    if task is not None:
        task.inquires[place_of(handle)] += 1
        account = account_of(kernel, handle)
        book(handle.connection, task.other if account is None else account.inquire)


def was_set(kernel: Kernel, handle: Handle) -> None:
    """MQSET has worked."""
    if kernel.measured & TRACED:
        trace(kernel, handle.connection, SET, handle)
    if kernel.measured & STATISTICS:
        if handle.local is not None:
            figures_of(kernel, handle.local).sets += 1
        kernel.meter.figures.sets[place_of(handle)] += 1
    task = handle.connection.account
    if task is not None:
        task.sets[place_of(handle)] += 1
        account = account_of(kernel, handle)
        book(handle.connection, task.other if account is None else account.set)


def place_of(handle: Handle) -> int:
    """Where its type of object is counted."""
    return handle.object_type if 0 <= handle.object_type < OBJECT_TYPES else MQOT_Q


# ---- units of work


def was_committed(kernel: Kernel, connection: Connection) -> None:
    """MQCMIT has worked."""
    if kernel.measured & TRACED:
        trace(kernel, connection, CMIT)
    if kernel.measured & STATISTICS:
        kernel.meter.figures.commits += 1
    task = connection.account
    if task is not None:
        book(connection, task.commit)


def was_backed_out(kernel: Kernel, connection: Connection) -> None:
    """MQBACK has worked."""
    if kernel.measured & TRACED:
        trace(kernel, connection, BACK)
    if kernel.measured & STATISTICS:
        kernel.meter.figures.backouts += 1
    task = connection.account
    if task is not None:
        book(connection, task.back_out)


def was_prepared(kernel: Kernel, connection: Connection) -> None:
    """The first phase of a two-phase commit has worked."""
    if kernel.measured & STATISTICS:
        kernel.meter.figures.prepares += 1
    task = connection.account
    if task is not None:
        book(connection, task.prepare)


def was_asked(kernel: Kernel, connection: Connection) -> None:
    """MQSTAT has worked."""
    if kernel.measured & TRACED:
        trace(kernel, connection, STAT)
    if kernel.measured & STATISTICS:
        kernel.meter.figures.statuses += 1
    task = connection.account
    if task is not None:
        book(connection, task.status)


def was_registered(kernel: Kernel, connection: Connection) -> None:
    """A client has registered a callback (MQCB), and says so."""
    if kernel.measured & TRACED:
        trace(kernel, connection, CB)
    if kernel.measured & STATISTICS:
        kernel.meter.figures.callbacks[REGISTERED] += 1
    task = connection.account
    if task is not None:
        task.callback.calls += 1


def was_controlled(kernel: Kernel, connection: Connection, how: int) -> None:
    """A client has started or stopped its callbacks (MQCTL), and says so."""
    if kernel.measured & TRACED:
        trace(kernel, connection, CTL)
    if kernel.measured & STATISTICS:
        kernel.meter.figures.controls[how] += 1
    task = connection.account
    if task is not None:
        task.control.calls += 1


# ---- tasks


def has_connected(kernel: Kernel, connection: Connection) -> None:
    """MQCONN has worked."""
    connection.started_ns = kernel.clock.now_ns()
    if kernel.measured & STATISTICS:
        figures = kernel.meter.figures
        figures.connects += 1
        if len(kernel.connections) > figures.connections_high:
            figures.connections_high = len(kernel.connections)
    if kernel.measured & ACCOUNTING:
        kernel.account_for(connection, connection.started_ns)


def has_ended(kernel: Kernel, connection: Connection, vanished: bool, handles: int) -> None:
    """A connection is gone; so many handles were open at the end."""
    if kernel.measured & TRACED:
        trace(kernel, connection, DISC)
    how = ENDED_NORMALLY
    if vanished:
        is_ending = kernel.status == STOPPING or kernel.status == BROKEN
        how = ENDED_BY_QMGR if is_ending else ENDED_IMPLICITLY
    if kernel.measured & STATISTICS:
        figures = kernel.meter.figures
        figures.disconnects[how] += 1
        if handles:
            figures.handles_closed_for += 1
    account = connection.account
    if account is not None:
        connection.account = None
        ended = EndedTask(connection, account, kernel.clock.now_ns(), how)
        kernel.meter.ended.append(ended)
