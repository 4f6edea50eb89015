"""DISPLAY QSTATUS with TYPE(QUEUE) and TYPE(HANDLE), and RESET QSTATS: what queues do now."""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_authority import may_change_named
from ternmq.admin.commands.display import objects_of, queue_in_memory
from ternmq.admin.events.performance_events import reset_counts
from ternmq.admin.status.connection_status import handle_is_active, thread_of, unit_name
from ternmq.admin.status.status_display import StatusDisplay, Values, date_of, time_of, yes
from ternmq.base import constants as mq
from ternmq.base.object_types import LOCAL
from ternmq.kernel.authority import may_display_named
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import FILE_MEGABYTES_DEFAULT, MEGABYTE, LocalQueue
from ternmq.kernel.stream import bounds_of, stream_of
from ternmq.store.catalog import Definition
from ternmq.store.queue import Queue

NS_PER_SECOND: Final = 1_000_000_000
NS_PER_MICROSECOND: Final = 1000
_LEVELS: Final = {
    mq.MQMON_OFF: "OFF",
    mq.MQMON_LOW: "LOW",
    mq.MQMON_MEDIUM: "MEDIUM",
    mq.MQMON_HIGH: "HIGH",
}


class QueueWalk(StatusDisplay):
    """Over local queues."""

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        return [one.name for one in objects_of(kernel, LOCAL, self.command.name)]

    def allowed(self, kernel: Kernel, link: Link, subject: str) -> bool:
        return may_display_named(kernel, link, mq.MQOT_Q, subject)


@final
class QueueStatus(QueueWalk):
    """DISPLAY QSTATUS TYPE(QUEUE) or TYPE(HANDLE)."""

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        definition = kernel.catalog.definitions.get(subject)
        if definition is None:
            return []  # deleted since the last step
        local = queue_in_memory(kernel, link, definition)
        if link.park is not None:
            return None
        if local is not None:
            link.depends_on(local.queue.last_lsn)
        given = self.command.given
        if given.get("TYPE", "QUEUE") == "QUEUE":
            return [queue_values(kernel, definition, local)]
        if local is None:
            return []
        kind = given.get("OPENTYPE", "ALL")
        return [handle_values(kernel, one) for one in local.handles if _is_open_for(one, kind)]


def _is_open_for(handle: Handle, kind: str) -> bool:
    if kind == "INPUT":
        return handle.input != 0
    return kind == "ALL" or handle.options & mq.MQOO_OUTPUT != 0


def queue_values(kernel: Kernel, definition: Definition, local: LocalQueue | None) -> Values:
    """TYPE(QUEUE)."""
    megabytes = definition.number("max_file_megabytes")
    level = kernel.monitoring_of(definition)
    values: Values = {
        "QUEUE": definition.name,
        "TYPE": "QUEUE",
        "CURDEPTH": 0,
        "CURFSIZE": 0,
        "CURMAXFS": FILE_MEGABYTES_DEFAULT if megabytes < 0 else megabytes,
        "IPPROCS": 0,
        "LGETDATE": "",
        "LGETTIME": "",
        "LPUTDATE": "",
        "LPUTTIME": "",
        "MEDIALOG": "",
        "MONQ": _LEVELS.get(level, "OFF"),
        "MSGAGE": "" if level == mq.MQMON_OFF else 0,
        "OPPROCS": 0,
        "QTIME": " , ",
        "UNCOM": "NO",
        "TOTALIN": 0,
        "TOTALOUT": 0,
        "OLDAGE": "",
    }
    if local is not None:
        queue = local.queue
        used = queue.file_bytes + queue.plain_bytes + queue.persistent_bytes
        values["CURDEPTH"] = int(queue.depth)
        values["CURFSIZE"] = -(-int(used) // MEGABYTE)
        values["IPPROCS"] = int(local.open_input)
        values["OPPROCS"] = int(local.open_output)
        values["UNCOM"] = yes(queue.uncommitted_puts + queue.uncommitted_gets > 0)
        if level != mq.MQMON_OFF:
            _monitored(kernel, local, values)
        if queue.stream is not None:
            _streamed(kernel, local, values)
        _selected(local, values)
        _counted(kernel, local, values)
    return values


def _counted(kernel: Kernel, local: LocalQueue, values: Values) -> None:
    """Totals since the queue was created, for rates. Nothing is counted on the way: messages have
    numbers, and those that are not there any more have left."""
    arrived = int(local.queue.next_number) - 1
    values["TOTALIN"] = arrived
    values["TOTALOUT"] = max(0, arrived - int(local.queue.depth))
    oldest_ns = oldest_put_ns(local.queue)
    if oldest_ns:
        values["OLDAGE"] = _age(kernel, oldest_ns)


def _age(kernel: Kernel, put_ns: int) -> int:
    return max(0, (kernel.clock.now_ns() - put_ns) // NS_PER_SECOND)


def _selected(local: LocalQueue, values: Values) -> None:
    """What selectors have looked at since the queue was loaded; a queue without any is shown as in
    MQ."""
    selections = [one.selection for one in local.handles if one.selection is not None]
    looked = int(local.selector_looked)
    matched = int(local.selector_matched)
    for one in selections:
        looked += int(one.looked_at)
        matched += int(one.matched)
    if selections or looked:
        values["SELLOOK"] = looked
        values["SELMATCH"] = matched


def _streamed(kernel: Kernel, local: LocalQueue, values: Values) -> None:
    """What there is of a stream; a queue without one is shown as in MQ."""
    bounds = bounds_of(kernel, local, stream_of(local))
    values["CURSORS"] = bounds.cursors
    values["STRMFRST"] = bounds.earliest
    values["STRMNEXT"] = bounds.next_number
    values["STRMSIZE"] = bounds.bytes


def _monitored(kernel: Kernel, local: LocalQueue, values: Values) -> None:
    """What is known only with MONQ on."""
    watch = local.watch
    values["LGETDATE"] = date_of(int(watch.last_get_ns))
    values["LGETTIME"] = time_of(int(watch.last_get_ns))
    values["LPUTDATE"] = date_of(int(watch.last_put_ns))
    values["LPUTTIME"] = time_of(int(watch.last_put_ns))
    oldest_ns = oldest_put_ns(local.queue)
    if oldest_ns:
        values["MSGAGE"] = _age(kernel, oldest_ns)
    if watch.gets:
        short = int(watch.short_ns) // NS_PER_MICROSECOND
        values["QTIME"] = f"{short}, {int(watch.long_ns) // NS_PER_MICROSECOND}"


def oldest_put_ns(queue: Queue) -> int:
    """When the message was put that has waited longest among the first of each priority; 0 if none
    is in memory."""
    oldest = 0
    for lane in queue.lanes:
        head = lane.front.head
        if head is not None and (oldest == 0 or head.put_ns < oldest):
            oldest = int(head.put_ns)
    return oldest


def handle_values(kernel: Kernel, handle: Handle) -> Values:
    """TYPE(HANDLE)."""
    link = handle.connection
    options = int(handle.options)
    inputs = {0: "NO", mq.MQOO_INPUT_EXCLUSIVE: "EXCL"}
    local = handle.local
    selection = handle.selection
    return {
        "QUEUE": handle.resolved_name if local is None else local.name,
        "TYPE": "HANDLE",
        "APPLDESC": "",
        "APPLTAG": link.application,
        "APPLTYPE": "USER",
        "BROWSE": yes(options & mq.MQOO_BROWSE != 0),
        "CHANNEL": link.channel_name,
        "CONNAME": link.connection_name,
        "ASTATE": "NONE",
        "HSTATE": "ACTIVE" if handle_is_active(kernel, handle) else "INACTIVE",
        "INPUT": inputs.get(handle.input, "SHARED"),
        "INQUIRE": yes(options & mq.MQOO_INQUIRE != 0),
        "OUTPUT": yes(options & mq.MQOO_OUTPUT != 0),
        "PID": link.process_id,
        "QMURID": unit_name(link),
        "SELECTOR": "" if selection is None else selection.text,
        "SELLOOK": 0 if selection is None else int(selection.looked_at),
        "SELMATCH": 0 if selection is None else int(selection.matched),
        "SET": yes(options & mq.MQOO_SET != 0),
        "TID": thread_of(link),
        "URID": "XA_FORMATID[] XA_GTRID[] XA_BQUAL[]",
        "URTYPE": "QMGR",
        "USERID": link.user,
    }


@final
class ResetQueueStatistics(QueueWalk):
    """RESET QSTATS: what came and went since the last time; the counts begin at 0 again."""

    def allowed(self, kernel: Kernel, link: Link, subject: str) -> bool:
        if not may_display_named(kernel, link, mq.MQOT_Q, subject):
            return False
        return may_change_named(kernel, link, mq.MQOT_Q, subject)

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        definition = kernel.catalog.definitions.get(subject)
        if definition is None:
            return []
        local = queue_in_memory(kernel, link, definition)
        if link.park is not None:
            return None
        values: Values = {"QSTATS": subject, "HIQDEPTH": 0, "MSGSIN": 0, "MSGSOUT": 0}
        values["RESETINT"] = 0
        if local is not None:
            statistics = reset_counts(kernel, local)
            values["HIQDEPTH"] = statistics.high_depth
            values["MSGSIN"] = statistics.enqueued
            values["MSGSOUT"] = statistics.dequeued
            values["RESETINT"] = statistics.seconds
        return [values]
