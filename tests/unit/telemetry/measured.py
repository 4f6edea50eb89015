"""Snapshots in which every number is another one, and a reader of records that knows nothing of the
writer: what tests of destinations share."""

from __future__ import annotations

import struct
from itertools import count
from typing import Any

from ternmq.base.accounts import TaskAccount
from ternmq.base.counters import QueueFigures
from ternmq.codec.smf.record import KINDS
from ternmq.codec.smf.section_layout import LAYOUTS, Values
from ternmq.telemetry.snapshot import (
    PCF,
    SMF,
    ChannelInterval,
    ChannelSample,
    QueueSample,
    StatisticsInterval,
    TaskIdentity,
    TaskRecord,
)

START_NS = 1_700_000_000_000_000_000
END_NS = START_NS + 5_000_000_000
_KEPT = ("started_ns", "ended_ns", "since_ns", "created_ns", "sequence")


def attributes_of(thing: object) -> list[str]:
    """Names of what an object holds; compiled classes have neither slots nor a dict to ask."""
    names = [name for name in dir(thing) if not name.startswith("_")]
    return [name for name in names if not callable(getattr(thing, name))]


def fill(thing: object, numbers: Any) -> None:
    """Give every number inside another value, from 1001 on."""
    for name in attributes_of(thing):
        value = getattr(thing, name)
        if name in _KEPT or isinstance(value, bool | str | bytes | frozenset | dict):
            continue
        if isinstance(value, int | list):
            try:
                setattr(thing, name, _other(value, numbers))
            except AttributeError:
                pass  # a property
        else:
            fill(value, numbers)


def _other(value: Any, numbers: Any) -> Any:
    if isinstance(value, int):
        return next(numbers)
    return [next(numbers) if isinstance(one, int) else one for one in value]


def queue_sample(name: str, numbers: Any) -> QueueSample:
    sample = QueueSample(name, QueueFigures(0, 0, 0))
    fill(sample, numbers)
    sample.created_ns = START_NS - 1_000_000_000
    sample.definition_type = 1
    return sample


def channel_sample(name: str, numbers: Any) -> ChannelSample:
    sample = ChannelSample(name, 7)
    fill(sample, numbers)
    sample.channel_type = 7
    sample.status = 3
    sample.statistics = 33
    sample.started_ns = START_NS
    sample.connection_name = "192.0.2.7"
    sample.remote_name = "amqsputc"
    sample.cipher = "TLS_AES_256_GCM_SHA384"
    return sample


def interval(queues: int = 2, family: str = SMF, classes: str = "12345") -> StatisticsInterval:
    """An interval of five seconds with so many queues and one channel."""
    numbers = count(1001)
    made = StatisticsInterval(family, "QM1", START_NS, END_NS)
    fill(made, numbers)
    made.started_ns = START_NS
    made.ended_ns = END_NS
    made.sequence = 1
    made.classes = frozenset(int(one) for one in classes)
    made.mqi_reported = family == PCF
    made.queues = [queue_sample(f"QUEUE.{number}", numbers) for number in range(queues)]
    made.channels = [channel_sample("TO.HERE", numbers)]
    return made


def channel_interval(channels: int = 1) -> ChannelInterval:
    numbers = count(1001)
    made = ChannelInterval("QM1", START_NS, END_NS)
    made.channels = [channel_sample(f"CHANNEL.{number}", numbers) for number in range(channels)]
    return made


def task_record(
    queues: int = 2, family: str = SMF, classes: str = "13", is_last: bool = True
) -> TaskRecord:
    """A task that used so many queues."""
    numbers = count(1001)
    identity = TaskIdentity(0x123456789, bytes(range(24)))
    identity.application = "payments-service"
    identity.user = "alice"
    identity.process_id = 4711
    identity.thread_id = 12
    account = TaskAccount(START_NS, START_NS + 1_000_000_000)
    fill(account, numbers)
    for number in range(queues):
        queue = account.queue(f"ALIAS.{number}", f"QUEUE.{number}")
        fill(queue, numbers)
        queue.queue_type = 3
        queue.object_type = 1
        queue.definition_type = 1
        queue.created_ns = START_NS
        queue.opened_ns = START_NS
        queue.closed_ns = END_NS
    record = TaskRecord(family, "QM1", identity, account)
    record.ended_ns = END_NS
    record.is_last = is_last
    record.sequence = 3
    record.classes = frozenset(int(one) for one in classes)
    record.mqi_reported = record.queues_reported = family == PCF
    return record


def sections_of(record: bytes) -> tuple[str, dict[str, list[Values]]]:
    """Name of a record and the sections that its triplets lead to, the headers too."""
    length, _, _, record_type = struct.unpack_from(">HHBB", record)
    assert length == len(record) <= 32_756
    (subtype,) = struct.unpack_from(">H", record, 22)
    row = KINDS[record_type, subtype]
    offset, size, copies = struct.unpack_from(">IHH", record, 28)
    assert copies == 1
    header = min(52, size) if row.product == "long" else 36
    found: dict[str, list[Values]] = {"SMF": [LAYOUTS["SMF"].unpack(record, 0, 28)]}
    if row.product == "stub":
        assert (offset, size) == (28 + 8 * row.triplets, 4)
        triplets = row.triplets
    else:
        head = LAYOUTS["QWHS"].unpack(record, offset, header)
        found["QWHS"] = [head]
        if row.product == "short":
            found["QWHC"] = [LAYOUTS["QWHC"].unpack(record, offset + 36, 92)]
        assert offset + size == len(record)
        triplets = head["qwhsnsda"]  # type: ignore[assignment]
    for number, name in row.sections:
        if number < triplets and name:
            at, length, copies = struct.unpack_from(">IHH", record, 28 + 8 * number)
            found[name] = [
                LAYOUTS[name].unpack(record, at + length * copy, length) for copy in range(copies)
            ]
    return row.name, found
