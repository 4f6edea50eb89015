"""PCF statistics and accounting messages from snapshots, by the table in `pcf_rows`.

Statistics: 164 for the queue manager, 165 for queues, 166 for channels. Accounting: 167 for a task,
168 for the queues that it used. A message has at most 100 groups; several of the same kind and
interval are numbered, and the last one says so. Dates and times are UTC, as in DISPLAY QSTATUS. A
number that a parameter of 32 bits has no room for is the largest it can hold.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final, final

from ternmq.base.accounts import TaskQueueAccount
from ternmq.base.ids import put_stamp
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.kernel.inquire import COMMAND_LEVEL
from ternmq.telemetry.pcf import pcf_rows as rows
from ternmq.telemetry.smf.counter_views import mean, merged
from ternmq.telemetry.snapshot import (
    ChannelSample,
    QueueSample,
    StatisticsInterval,
    TaskRecord,
)
from ternmq.telemetry.source import Sources

GROUPS_MAX: Final = 100
STATISTICS_TYPE: Final = 21  # MQCFT_STATISTICS
ACCOUNTING_TYPE: Final = 22
_VERSION: Final = 3
_INTEGER_MAX: Final = (1 << 31) - 1


def date_text(ns: int) -> str:
    """2026-11-16; "" for never."""
    if ns <= 0:
        return ""
    stamp = put_stamp(ns).decode("ascii")
    return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}"


def time_text(ns: int) -> str:
    """07.50.12; "" for never."""
    if ns <= 0:
        return ""
    stamp = put_stamp(ns).decode("ascii")
    return f"{stamp[8:10]}.{stamp[10:12]}.{stamp[12:14]}"


@final
class _Opening:
    """What all five begin with."""

    def __init__(self, qmgr_name: str, started_ns: int, ended_ns: int) -> None:
        self.qmgr_name = qmgr_name
        self.start_date = date_text(started_ns)
        self.start_time = time_text(started_ns)
        self.end_date = date_text(ended_ns)
        self.end_time = time_text(ended_ns)
        self.command_level = COMMAND_LEVEL


@final
class _MQIView:
    def __init__(self, interval: StatisticsInterval) -> None:
        self.figures = interval.figures
        self.traffic = interval.figures.traffic
        self.topics = interval.figures.topics.counts
        self.marks = interval.figures.topics


@final
class _QueueView:
    def __init__(self, queue: QueueSample) -> None:
        self.queue = queue
        self.figures = queue.figures
        self.traffic = queue.figures.traffic
        self.created_date = date_text(int(queue.created_ns))
        self.created_time = time_text(int(queue.created_ns))
        self.plain_lay_mean = mean(self.traffic.plain_lay)
        self.persistent_lay_mean = mean(self.traffic.persistent_lay)


@final
class _ChannelView:
    def __init__(self, channel: ChannelSample) -> None:
        self.channel = channel
        self.plain_messages = int(channel.messages - channel.persistent_messages)
        self.plain_bytes = int(channel.message_bytes - channel.persistent_bytes)
        times = int(channel.net_times)
        self.net_mean_ns = int(channel.net_ns) // times if times else 0
        self.net_shortest_ns = max(0, int(channel.net_shortest_ns))
        times = int(channel.exit_times)
        self.exit_mean_ns = int(channel.exit_ns) // times if times else 0
        self.exit_shortest_ns = max(0, int(channel.exit_shortest_ns))
        batches = int(channel.batches)
        self.batch_size_mean = int(channel.messages) // batches if batches else 0


@final
class _TaskView:
    def __init__(self, record: TaskRecord) -> None:
        account = record.account
        self.record = record
        self.identity = record.identity
        self.account = account
        self.traffic = account.traffic_total()
        self.topics = account.topics
        self.connected_date = date_text(int(account.started_ns))
        self.connected_time = time_text(int(account.started_ns))
        ended_ns = record.ended_ns if record.is_last else 0
        self.disconnected_date = date_text(ended_ns)
        self.disconnected_time = time_text(ended_ns)


@final
class _TaskQueueView:
    def __init__(self, queue: TaskQueueAccount) -> None:
        traffic = queue.traffic
        self.queue = queue
        self.traffic = traffic
        self.created_date = date_text(int(queue.created_ns))
        self.created_time = time_text(int(queue.created_ns))
        self.opened_date = date_text(int(queue.opened_ns))
        self.opened_time = time_text(int(queue.opened_ns))
        self.closed_date = date_text(int(queue.closed_ns))
        self.closed_time = time_text(int(queue.closed_ns))
        self.plain_sizes_put = merged([traffic.plain_puts, traffic.plain_put1s])
        self.persistent_sizes_put = merged([traffic.persistent_puts, traffic.persistent_put1s])
        self.plain_lay_mean = mean(traffic.plain_lay)
        self.persistent_lay_mean = mean(traffic.persistent_lay)
        self.plain_lay_least = max(0, int(traffic.plain_lay.smallest))
        self.persistent_lay_least = max(0, int(traffic.persistent_lay.smallest))


@final
class _Counted:
    def __init__(self, object_count: int) -> None:
        self.object_count = object_count


# ---- parameters

_NOTHING: Final = ([""], [0])


@final
class _Part:
    """The parameters of one part of the table."""

    def __init__(self, name: str) -> None:
        self._rows = rows.ROWS[name]
        self._sources = Sources(
            [one for row in self._rows if not row.is_list for one in row.sources]
        )
        self._lists = [
            operator.attrgetter(row.sources[0].text) if row.is_list else None for row in self._rows
        ]

    def parameters(self, root: object) -> list[Parameter]:
        """Those of one object."""
        values = iter(self._sources.of(root))
        found: list[Parameter] = []
        for row, getter in zip(self._rows, self._lists, strict=True):
            numbers: list[Any]
            if getter is not None:
                numbers = list(getter(root))
            else:
                numbers = [next(values) for _ in row.sources]
            if not (row.optional and numbers in _NOTHING):
                found.append(_parameter(row, numbers))
        return found


def _parameter(row: rows.PCFRow, values: list[Any]) -> Parameter:
    if row.kind == rows.NUMBER:
        return pcf.integer(row.parameter, _fit(values[0]))
    if row.kind == rows.LIST:
        return pcf.integers(row.parameter, [_fit(one) for one in values])
    if row.kind == rows.LIST64:
        return pcf.integers64(row.parameter, values)
    if row.kind == rows.BYTES:
        return pcf.byte_string(row.parameter, values[0])
    return pcf.string(row.parameter, values[0][: row.width], row.width)


def _fit(value: int) -> int:
    return max(-_INTEGER_MAX - 1, min(int(value), _INTEGER_MAX))


_PARTS: Final[dict[str, _Part]] = {name: _Part(name) for name in rows.ROWS}


# ---- messages


def statistics_messages(interval: StatisticsInterval) -> list[PCFMessage]:
    """What STATMQI, STATQ and STATCHL ask for, of an interval."""
    opening = _opening(interval.qmgr_name, interval.started_ns, interval.ended_ns)
    found: list[PCFMessage] = []
    if interval.mqi_reported:
        parameters = opening + _PARTS["164"].parameters(_MQIView(interval))
        found.append(_message(STATISTICS_TYPE, rows.MQI_STATISTICS, parameters))
    queues = [_QueueView(one) for one in interval.queues if one.reported and _was_accessed(one)]
    found += _grouped(
        STATISTICS_TYPE, rows.QUEUE_STATISTICS, rows.QUEUE_STATISTICS_GROUP, opening, queues
    )
    channels = [_ChannelView(one) for one in interval.channels]
    found += _grouped(
        STATISTICS_TYPE, rows.CHANNEL_STATISTICS, rows.CHANNEL_STATISTICS_GROUP, opening, channels
    )
    return found


def _was_accessed(queue: QueueSample) -> bool:
    """An application has it open, or a call has used it: MQ reports no other queues."""
    figures = queue.figures
    traffic = figures.traffic
    calls = figures.opens + figures.closes + figures.inquires + figures.sets
    failed = traffic.failed_puts + traffic.failed_put1s + traffic.failed_gets
    moved = traffic.puts + traffic.put1s + traffic.gets + traffic.browses
    gone = figures.expired + figures.purged
    return queue.is_open or int(calls + failed + traffic.failed_browses + moved + gone) > 0


def accounting_messages(record: TaskRecord) -> list[PCFMessage]:
    """What ACCTMQI and ACCTQ ask for, of a task."""
    opening = _opening(record.qmgr_name, int(record.account.since_ns), record.ended_ns)
    view = _TaskView(record)
    opening += _PARTS[rows.TASK].parameters(view)
    found: list[PCFMessage] = []
    if record.mqi_reported:
        parameters = opening + _PARTS["167"].parameters(view)
        found.append(_message(ACCOUNTING_TYPE, rows.MQI_ACCOUNTING, parameters))
    if record.queues_reported:
        used = [one for one in record.account.queues.values() if one.reported and one.was_used]
        queues = [_TaskQueueView(one) for one in used]
        found += _grouped(
            ACCOUNTING_TYPE, rows.QUEUE_ACCOUNTING, rows.QUEUE_ACCOUNTING_GROUP, opening, queues
        )
    return found


def _opening(qmgr_name: str, started_ns: int, ended_ns: int) -> list[Parameter]:
    return _PARTS[rows.OPENING].parameters(_Opening(qmgr_name, started_ns, ended_ns))


def _grouped(
    kind: int, command: int, group: int, opening: list[Parameter], roots: Sequence[object]
) -> list[PCFMessage]:
    part = _PARTS[str(group)]
    found: list[PCFMessage] = []
    for at in range(0, len(roots), GROUPS_MAX):
        some = roots[at : at + GROUPS_MAX]
        groups = [pcf.group(group, part.parameters(one)) for one in some]
        counted = _PARTS[str(command)].parameters(_Counted(len(some)))
        message = _message(kind, command, [*opening, *counted, *groups])
        message.sequence = len(found) + 1
        message.control = 1 if at + GROUPS_MAX >= len(roots) else 0
        found.append(message)
    return found


def _message(kind: int, command: int, parameters: list[Parameter]) -> PCFMessage:
    return PCFMessage(kind, command, parameters, version=_VERSION)
