"""Counting what verbs do with messages, for statistics and accounting; `metering_calls` counts the
other calls. Called in the step that does it, and only while `Kernel.measured` is not 0.

A queue's counters are made at its first use in an interval, so that an interval ends by counting to
the next number and unused queues cost nothing. Calls that worked are counted here; calls
that were refused are counted where the application is answered (see `refusals`), because many are
before they come this far.
"""

from __future__ import annotations

from mypy_extensions import i64

from ternmq.base.accounts import TaskAccount, TaskQueueAccount, VerbTime
from ternmq.base.constants import MQ_Q_NAME_LENGTH, MQOT_TOPIC
from ternmq.base.counters import QueueFigures, Range, Traffic
from ternmq.base.object_types import BY_BIT
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE, MQRC_TRUNCATED_MSG_FAILED
from ternmq.kernel.call_trace import GET, PUT, PUT1, trace
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.meter import STATISTICS, TRACED
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.requests import GetCall
from ternmq.store.queue import Queue
from ternmq.txn.unit import CHANGE_GET, CHANGE_PUT, Change
from ternmq.values.entry import PERSISTENT, Entry
from ternmq.values.get_request import GetRequest


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
    is not a queue."""
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
        return _begin_topic_account(kernel, task, handle)
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


def _begin_topic_account(
    kernel: Kernel, task: TaskAccount, handle: Handle
) -> TaskQueueAccount | None:
    """SMF has a block for each topic, too; 168 has not."""
    topic = handle.topic
    if topic is None:
        return None
    account = task.queue(topic.object_name, topic.topic_string[:MQ_Q_NAME_LENGTH])
    if account.opened_ns == 0:
        account.opened_ns = handle.opened_ns or kernel.clock.now_ns()
        account.object_type = MQOT_TOPIC
        account.queue_type = MQOT_TOPIC
        account.reported = False
    return account


# ---- messages


def was_put(
    kernel: Kernel, handle: Handle, local: LocalQueue, entry: Entry, handed_over: bool
) -> None:
    """MQPUT or MQPUT1 has put a message."""
    depth = local.queue.depth
    if kernel.measured & STATISTICS:
        figures = local.figures
        if figures is None or figures.interval != kernel.meter.interval:
            figures = figures_of(kernel, local)
            if not handed_over:
                figures.depth_low -= 1  # as it was before
        elif depth > figures.depth_high:
            figures.depth_high = depth
        elif depth < figures.depth_low:
            figures.depth_low = depth
        _add_put(figures.traffic, handle, entry, handed_over)
    task = handle.connection.account
    if task is not None:
        account = account_of(kernel, handle)
        if account is not None:
            _add_put(account.traffic, handle, entry, handed_over)
            if depth > account.depth_high:
                account.depth_high = depth
            task.put_sizes.add(entry.length)
            book(handle.connection, account.put1 if handle.is_put1 else account.put)
    if kernel.measured & TRACED:
        trace(kernel, handle.connection, PUT1 if handle.is_put1 else PUT, handle, entry)


def _add_put(traffic: Traffic, handle: Handle, entry: Entry, handed_over: bool) -> None:
    if not (handed_over or handle.is_put1 or entry.flags & PERSISTENT):  # as most are
        traffic.plain_puts.add(entry.length)
        return
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
    if handle.selection is not None:
        _has_selected(kernel, handle, local, account)
    if kernel.measured & TRACED:
        trace(kernel, handle.connection, GET, handle, entry)


def were_got(
    kernel: Kernel, handle: Handle, local: LocalQueue, entries: list[Entry], now_ns: i64
) -> None:
    """Messages, at least one, have left their queue in one step, each for a get of any message:
    non-persistent ones, whole."""
    sizes = Range()
    lay = Range()
    _add_all(sizes, lay, entries, now_ns)
    if kernel.measured & STATISTICS:
        figures = local.figures
        if figures is None or figures.interval != kernel.meter.interval:
            figures = figures_of(kernel, local)
            figures.depth_high += sizes.count  # as it was before
        else:
            figures.see_depth(local.queue.depth)
        figures.traffic.plain_gets.merge(sizes)
        figures.traffic.plain_lay.merge(lay)
    account = account_of(kernel, handle)
    task = handle.connection.account
    if account is not None and task is not None:
        account.traffic.plain_gets.merge(sizes)
        account.traffic.plain_lay.merge(lay)
        account.gets_any += sizes.count
        for entry in entries:
            task.get_sizes.add(entry.length)
        book(handle.connection, account.get)
        account.get.calls += sizes.count - 1
    if kernel.measured & TRACED:
        for entry in entries:
            trace(kernel, handle.connection, GET, handle, entry)


def _add_all(sizes: Range, lay: Range, entries: list[Entry], now_ns: i64) -> None:
    """Lengths, and times on the queue, of messages that leave it now. With numbers of its own: this
    is what statistics cost where messages come by the hundred thousand."""
    smallest: i64 = entries[0].length
    largest: i64 = 0
    total: i64 = 0
    shortest_ns: i64 = now_ns
    longest_ns: i64 = 0
    lay_ns: i64 = 0
    for entry in entries:
        length = entry.length
        total += length
        if length < smallest:
            smallest = length
        if length > largest:
            largest = length
        one_ns = now_ns - entry.put_ns
        if one_ns < 0:  # the clock was set back
            one_ns = 0
        lay_ns += one_ns
        if one_ns < shortest_ns:
            shortest_ns = one_ns
        if one_ns > longest_ns:
            longest_ns = one_ns
    sizes.add_many(len(entries), smallest, largest, total)
    lay.add_many(len(entries), shortest_ns, longest_ns, lay_ns)


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
    _has_selected(kernel, call.handle, local, account)
    if kernel.measured & TRACED:
        trace(kernel, call.connection, GET, call.handle, entry)


def _count_kind(account: TaskQueueAccount, call: GetCall) -> None:
    """One MQGET more, of its kind."""
    if call.browse:
        if call.takes_any:
            account.browses_any += 1
        else:
            account.browses_specific += 1
    elif call.takes_any:
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
    _has_selected(kernel, call.handle, local, account)
    _trace_empty(kernel, call, reason)


def _trace_empty(kernel: Kernel, call: GetCall, reason: i64) -> None:
    if kernel.measured & TRACED:
        trace(kernel, call.connection, GET, call.handle, None, reason)


def _has_selected(
    kernel: Kernel, handle: Handle, local: LocalQueue, account: TaskQueueAccount | None
) -> None:
    """A get or browse has ended: what its selector, if it has one, looked at since it began."""
    selection = handle.selection
    if selection is None:
        return
    looked = selection.looked_at - selection.looked_before
    matched = selection.matched - selection.matched_before
    selection.looked_before = selection.looked_at
    selection.matched_before = selection.matched
    if kernel.measured & STATISTICS:
        figures = figures_of(kernel, local)
        figures.selector_looked += looked
        figures.selector_matched += matched
    if account is not None:
        account.selectors += 1
        depth = local.queue.depth
        if depth > account.depth_high:
            account.depth_high = depth
        account.selector_looked += looked
        account.selector_matched += matched
        length: i64 = selection.text_bytes
        if length > account.selector_bytes_max:
            account.selector_bytes_max = length


def got_nothing_yet(kernel: Kernel, call: GetCall, local: LocalQueue) -> None:
    """A step of an MQGET is over without a message, and it does not wait for one. When the queue
    manager itself looks whether there is one, no application got nothing."""
    if call.connection.connection_id == 0:
        return
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


def was_generated(kernel: Kernel, handle: Handle) -> None:
    """A put by this handle has made the queue manager put a message: a trigger message."""
    account = account_of(kernel, handle)
    if account is not None:
        account.generated += 1


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
