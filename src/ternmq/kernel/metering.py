"""Counting what verbs do, for statistics and accounting. Called in the step that does it, and only
while `Kernel.measured` is not 0.

A queue's counters are made at its first use in an interval, so that an interval ends by counting to
the next number and queues that nobody used cost nothing. Calls that worked are counted here; calls
that were refused are counted by whoever tells the application (see `refusals`), because many are
before they come this far.
"""

from __future__ import annotations

from mypy_extensions import i64

from ternmq.base.accounts import TaskAccount, TaskQueueAccount, VerbTime
from ternmq.base.constants import MQOT_Q
from ternmq.base.counters import (
    ENDED_BY_QMGR,
    ENDED_IMPLICITLY,
    ENDED_NORMALLY,
    OBJECT_TYPES,
    QueueFigures,
    Traffic,
)
from ternmq.base.object_types import BY_BIT
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE, MQRC_TRUNCATED_MSG_FAILED
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import BROKEN, STOPPING, Kernel
from ternmq.kernel.meter import ACCOUNTING, STATISTICS, EndedTask
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.requests import GetCall, GetRequest
from ternmq.store.entry import PERSISTENT, Entry
from ternmq.store.queue import Queue
from ternmq.txn.unit import CHANGE_GET, CHANGE_PUT, Change


def figures_of(kernel: Kernel, local: LocalQueue) -> QueueFigures:
    """The counters of a queue, begun at its first use."""
    figures = local.figures
    meter = kernel.meter
    if figures is None or figures.interval != meter.interval:
        figures = QueueFigures(local.queue.depth, local.open_input, local.open_output)
        figures.interval = meter.interval
        local.figures = figures
        meter.touched.append((local, figures))
    return figures


def book(connection: Connection, verb: VerbTime) -> None:
    """The verb that runs is this one."""
    verb.calls += 1
    clock = connection.clock
    if clock is not None and clock.booked is None:  # else one that a consumer got meanwhile
        clock.booked = verb


def account_of(kernel: Kernel, handle: Handle) -> TaskQueueAccount | None:
    """Where the connection's account keeps what is done with a handle; None: nothing is kept, or it
    is no queue."""
    task = handle.connection.account
    if task is None:
        return None
    if handle.accounted_in is not task:  # its first use since the account began
        handle.accounted_in = task
        handle.account = _begin_account(kernel, task, handle)
    return handle.account


def _begin_account(kernel: Kernel, task: TaskAccount, handle: Handle) -> TaskQueueAccount | None:
    local = handle.local
    if local is None:
        return None
    definition = handle.definition
    account = task.queue(local.name if definition is None else definition.name, local.name)
    if account.opened_ns == 0:
        account.opened_ns = handle.opened_ns or kernel.clock.now_ns()
        account.created_ns = local.definition.created_ns
        account.definition_type = local.definition.definition_type
        if definition is not None:
            account.queue_type = BY_BIT[definition.object_type].subtype
    account.reported = kernel.is_accounted(local.definition)
    return account


# ---- messages


def was_put(
    kernel: Kernel, handle: Handle, local: LocalQueue, entry: Entry, handed_over: bool
) -> None:
    """MQPUT or MQPUT1 has put a message."""
    if kernel.measured & STATISTICS:
        figures = local.figures
        if figures is None or figures.interval != kernel.meter.interval:
            figures = figures_of(kernel, local)
            if not handed_over:
                figures.depth_low -= 1  # as it was before
        elif not handed_over:
            figures.see_depth(local.queue.depth)
        _add_put(figures.traffic, handle, entry, handed_over)
    account = account_of(kernel, handle)
    if account is not None:
        _add_put(account.traffic, handle, entry, handed_over)
        depth = local.queue.depth
        if depth > account.depth_high:
            account.depth_high = depth
        connection = handle.connection
        task = connection.account
        if task is not None:
            task.put_sizes.add(entry.length)
        book(connection, account.put1 if handle.is_put1 else account.put)


def _add_put(traffic: Traffic, handle: Handle, entry: Entry, handed_over: bool) -> None:
    persistent = entry.flags & PERSISTENT
    if handle.is_put1:
        (traffic.persistent_put1s if persistent else traffic.plain_put1s).add(entry.length)
        if handed_over:
            traffic.handed_over_put1s += 1
            traffic.handed_over_bytes += entry.length
        return
    if persistent:
        traffic.persistent_puts.add(entry.length)
    else:
        traffic.plain_puts.add(entry.length)
    if handed_over:
        traffic.handed_over_puts += 1
        traffic.handed_over_bytes += entry.length


def was_got(
    kernel: Kernel,
    handle: Handle,
    local: LocalQueue,
    entry: Entry,
    request: GetRequest | None,
    now_ns: i64,
) -> None:
    """A message has left its queue for a get; without a request, for any message."""
    length = entry.length
    if request is not None and length > request.buffer_length:
        length = request.buffer_length
    lay_ns = now_ns - entry.put_ns
    if lay_ns < 0:  # the clock was set back
        lay_ns = 0
    persistent = entry.flags & PERSISTENT != 0
    if kernel.measured & STATISTICS:
        figures = figures_of(kernel, local)
        figures.see_depth(local.queue.depth)
        _add_get(figures.traffic, persistent, length, lay_ns)
    account = account_of(kernel, handle)
    if account is not None:
        _add_get(account.traffic, persistent, length, lay_ns)
        connection = handle.connection
        task = connection.account
        if task is not None:
            task.get_sizes.add(length)
        if request is None or request.plain:
            account.gets_any += 1
        else:
            account.gets_specific += 1
        book(connection, account.get)


def _add_get(traffic: Traffic, persistent: bool, length: i64, lay_ns: i64) -> None:
    if persistent:
        traffic.persistent_gets.add(length)
        traffic.persistent_lay.add(lay_ns)
    else:
        traffic.plain_gets.add(length)
        traffic.plain_lay.add(lay_ns)


def was_browsed(
    kernel: Kernel, call: GetCall, local: LocalQueue, entry: Entry, reason: i64
) -> None:
    """A message was shown to a browse, or was too long for a get."""
    if reason == MQRC_TRUNCATED_MSG_FAILED:
        got_nothing(kernel, call, local, reason)
        return
    length = entry.length
    if length > call.request.buffer_length:
        length = call.request.buffer_length
    persistent = entry.flags & PERSISTENT
    if kernel.measured & STATISTICS:
        traffic = figures_of(kernel, local).traffic
        (traffic.persistent_browses if persistent else traffic.plain_browses).add(length)
    account = account_of(kernel, call.handle)
    if account is not None:
        traffic = account.traffic
        (traffic.persistent_browses if persistent else traffic.plain_browses).add(length)
        task = call.connection.account
        if task is not None:
            task.get_sizes.add(length)
        _count_kind(account, call)


def _count_kind(account: TaskQueueAccount, call: GetCall) -> None:
    """One MQGET more, of its kind."""
    if call.browse:
        if call.request.plain:
            account.browses_any += 1
        else:
            account.browses_specific += 1
    elif call.request.plain:
        account.gets_any += 1
    else:
        account.gets_specific += 1
    book(call.connection, account.get)


def got_nothing(kernel: Kernel, call: GetCall, local: LocalQueue, reason: i64) -> None:
    """An MQGET ends without a message, and not because it was refused."""
    waited = call.request.wait_ms != 0
    if kernel.measured & STATISTICS:
        if waited:
            kernel.meter.figures.ended_waits += 1
        figures = figures_of(kernel, local)
        if call.browse:
            figures.traffic.failed_browses += 1
            figures.browse_waits_failed += 1 if waited else 0
            if reason == MQRC_NO_MSG_AVAILABLE:
                figures.browses_without_message += 1
            elif reason == MQRC_TRUNCATED_MSG_FAILED:
                figures.browses_cut += 1
        else:
            figures.traffic.failed_gets += 1
            figures.get_waits_failed += 1 if waited else 0
            if reason == MQRC_NO_MSG_AVAILABLE:
                figures.gets_without_message += 1
            elif reason == MQRC_TRUNCATED_MSG_FAILED:
                figures.gets_cut += 1
    account = account_of(kernel, call.handle)
    if account is not None:
        if call.browse:
            account.traffic.failed_browses += 1
        else:
            account.traffic.failed_gets += 1
        account.get.failed += 1
        _count_kind(account, call)


def got_nothing_yet(kernel: Kernel, call: GetCall, local: LocalQueue) -> None:
    """A step of an MQGET is over without a message, and it does not wait for one."""
    if call.reason != 0:
        got_nothing(kernel, call, local, call.reason)
    elif call.connection.park is not None and kernel.measured & STATISTICS:
        kernel.meter.figures.segment_reads += 1


def waits_on(kernel: Kernel, call: GetCall) -> None:
    """A waiting get was woken, and there was nothing for it."""
    local = call.handle.local
    if kernel.measured & STATISTICS and local is not None:
        figures = figures_of(kernel, local)
        if call.browse:
            figures.browse_waits_retried += 1
        else:
            figures.get_waits_retried += 1


def passed_over(kernel: Kernel, call: GetCall, messages: i64, expired: i64) -> None:
    """A search has looked at messages that it does not want."""
    local = call.handle.local
    if local is None:
        return
    if kernel.measured & STATISTICS:
        figures_of(kernel, local).skipped += messages
    account = account_of(kernel, call.handle)
    if account is not None:
        account.skipped += messages
        account.expired_met += expired


def have_expired(kernel: Kernel, queue: Queue, messages: i64) -> None:
    """Messages of a queue are gone because their time was over."""
    kernel.expired_total += messages
    if kernel.measured & STATISTICS:
        local = kernel.locals.get(queue.name)
        if local is not None and local.queue is queue:
            figures = figures_of(kernel, local)
            figures.expired += messages
            figures.see_depth(queue.depth)
        else:
            kernel.meter.figures.expired += messages


def were_purged(kernel: Kernel, local: LocalQueue, messages: i64) -> None:
    """Messages are gone with a CLEAR, or with their queue."""
    if kernel.measured & STATISTICS and messages > 0:
        figures = figures_of(kernel, local)
        figures.purged += messages
        figures.see_depth(local.queue.depth)


def were_streamed(kernel: Kernel, handle: Handle, local: LocalQueue, copies: i64) -> None:
    """Copies of a message were put to the queue's streaming queues."""
    if kernel.measured & STATISTICS:
        figures_of(kernel, local).streamed += copies
    account = account_of(kernel, handle)
    if account is not None:
        account.streamed += copies


def was_copied(kernel: Kernel, local: LocalQueue, entry: Entry) -> None:
    """A copy of a message has come to this queue: its statistics count it, no task does."""
    if kernel.measured & STATISTICS:
        figures = figures_of(kernel, local)
        traffic = figures.traffic
        (traffic.persistent_puts if entry.flags & PERSISTENT else traffic.plain_puts).add(
            entry.length
        )
        figures.see_depth(local.queue.depth)


def were_backed_out(kernel: Kernel, changes: list[Change]) -> None:
    """These changes of a unit of work are undone."""
    if not kernel.measured & STATISTICS:
        return
    for change in changes:
        local = kernel.locals.get(change.queue.name)
        if local is None or local.queue is not change.queue:
            continue
        figures = figures_of(kernel, local)
        if change.kind == CHANGE_PUT:
            figures.backed_out_puts += 1
        elif change.kind == CHANGE_GET:
            figures.backed_out_gets += 1
        figures.see_depth(local.queue.depth)


def was_taken_back(kernel: Kernel, local: LocalQueue) -> None:
    """The caller of a get was gone: its message is back."""
    if kernel.measured & STATISTICS:
        figures = figures_of(kernel, local)
        figures.backed_out_gets += 1
        figures.see_depth(local.queue.depth)


# ---- objects


def was_opened(kernel: Kernel, handle: Handle) -> None:
    """MQOPEN has worked. What MQPUT1 opens is counted as MQPUT1."""
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


def was_closed(kernel: Kernel, handle: Handle, local: LocalQueue | None, by_call: bool) -> None:
    """MQCLOSE has worked, or the end of its connection has closed a handle. `local` is what it was
    open on."""
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
    if kernel.measured & STATISTICS:
        kernel.meter.figures.commits += 1
    task = connection.account
    if task is not None:
        book(connection, task.commit)


def was_backed_out(kernel: Kernel, connection: Connection) -> None:
    """MQBACK has worked."""
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
    if kernel.measured & STATISTICS:
        kernel.meter.figures.statuses += 1
    task = connection.account
    if task is not None:
        book(connection, task.status)


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
