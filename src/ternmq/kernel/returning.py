"""Gets whose caller may go away before it is answered: a cancelled task, a loop that was closed.

Such a get is started with `get_returnable` and ended with exactly one of `answered` and
`take_back`. In between, log space for taking it back is set aside, so that a full log never loses a
message.
"""

from __future__ import annotations

from ternmq.base.reasons import MQRC_TRUNCATED_MSG_FAILED
from ternmq.kernel.acceptance import relieve
from ternmq.kernel.complete_get import is_under_way
from ternmq.kernel.connection import Connection
from ternmq.kernel.delivery import serve, wake_own
from ternmq.kernel.ending import give_up
from ternmq.kernel.get import stop_looking, stop_waiting
from ternmq.kernel.kernel import BROKEN, Kernel
from ternmq.kernel.logical_order import give_place_back
from ternmq.kernel.metering import was_taken_back
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.requests import GetCall
from ternmq.txn.give_back import give_back_all
from ternmq.txn.own_puts import put_own_back
from ternmq.txn.single_changes import withdraw
from ternmq.txn.unit import ACTIVE, Change
from ternmq.values.entry import AVAILABLE, CANCELLED, GETTING, GONE, NOWHERE, PUTTING, Entry


def _give_back(
    kernel: Kernel, call: GetCall, local: LocalQueue, entry: Entry, parts: list[Entry]
) -> bool:
    """The messages that the answer is made of are on their queue again; False: their unit of work
    has brought them back before."""
    connection = call.connection
    coordinator = kernel.coordinator
    if entry.state == GETTING:
        unit = connection.unit
        if unit is None or unit.state != ACTIVE or entry.unit_id != unit.unit_id:
            return False
        for part in reversed(parts):
            coordinator.give_back_in_unit(unit, local.queue, part)
    elif entry.state == CANCELLED:
        if not _give_back_own(kernel, connection, local, entry):
            return False
    elif entry.state == GONE:
        if len(parts) == 1:
            connection.depends_on(coordinator.give_back(local.queue, parts[0]))
        else:
            connection.depends_on(give_back_all(coordinator, local.queue, parts))
    if call.reports is not None:
        for at, report in enumerate(call.reports):
            _take_report_back(kernel, connection, report, at > 0)
    return True


def _give_back_own(kernel: Kernel, connection: Connection, local: LocalQueue, entry: Entry) -> bool:
    """The same for a message that the unit of work had put itself. If that has committed since, the
    message comes to its queue now; if it was backed out, the message never was."""
    if entry.unit_id == 0:
        connection.depends_on(kernel.coordinator.put(None, local.queue, entry))
        return True
    unit = connection.unit
    if unit is None or unit.state != ACTIVE or entry.unit_id != unit.unit_id:
        return False
    put_own_back(kernel.coordinator, unit, local.queue, entry)
    if local.waiters.count:
        wake_own(kernel, connection, local)
    return True


def _take_report_back(
    kernel: Kernel, connection: Connection, report: Change, is_copy: bool
) -> None:
    """The message was not delivered after all, and its COD report goes, unless somebody has read
    that already; and so does a copy of it for a streaming queue."""
    queue = report.queue
    entry = report.entry
    unit = connection.unit
    if entry.state == PUTTING and unit is not None:
        withdraw(kernel.coordinator, unit, report)
        if is_copy:
            unit.copies -= 1
        return
    if entry.state != AVAILABLE or entry.place == NOWHERE or queue.dropped:
        return
    if int(entry.number) in queue.locks or not kernel.coordinator.has_room(None, 0):
        return
    kernel.coordinator.get(None, queue, entry)


def answered(kernel: Kernel, call: GetCall) -> None:
    """The caller has its answer; needed only if `call.reserved` is more than 0."""
    if call.reserved > 0:
        kernel.coordinator.space.release(int(call.reserved))
        call.reserved = 0


def _give_up_segments(kernel: Kernel, call: GetCall) -> None:
    """What a get of a complete message has taken so far goes back."""
    takes_back = is_under_way(call)
    call.assembly = None
    if takes_back:
        give_up(kernel, call.connection)


def take_back(kernel: Kernel, call: GetCall) -> None:
    """The caller is gone: it waits no more, and the message it was to get is as if never got.

    The message is offered at once to others who wait. The connection's `durable_at` is what to
    force so that the message also outlives a crash.
    """
    connection = call.connection
    connection.begin_verb()
    stop_waiting(kernel, call)
    stop_looking(call)
    answered(kernel, call)
    if call.assembly is not None:
        _give_up_segments(kernel, call)
    local = call.handle.local
    entry = call.entry
    call.entry = None
    if local is None:
        return
    walk = call.walk
    if walk is not None:
        walk.leave()
        local.queue.cursors.remove(walk)
        call.walk = None
    if entry is None or call.browse or call.reason == MQRC_TRUNCATED_MSG_FAILED:
        return
    if local.deleted or kernel.status == BROKEN:
        return
    give_place_back(call)
    parts = [entry] if call.parts is None else call.parts
    if not _give_back(kernel, call, local, entry, parts):
        return  # the unit was backed out meanwhile, and the message is back
    if kernel.measured:
        was_taken_back(kernel, local)
    for part in parts:
        if local.waiters.count and part.state == AVAILABLE:
            serve(kernel, local, part)
    relieve(kernel, local.queue)
