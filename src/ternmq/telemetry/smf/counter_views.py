"""What the rows of `counter_rows` start from if that is more than one object of a snapshot: sums,
flags and names that an SMF section wants in its own form. Nothing is counted here.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.accounts import TaskQueueAccount
from ternmq.base.counters import Range, Traffic
from ternmq.telemetry.snapshot import (
    ChannelSample,
    InitiatorSample,
    QueueSample,
    StorageSample,
    TaskRecord,
)
from ternmq.telemetry.source import clock
from ternmq.wire.cipher_specs import cipher_specs_of

# All messages in memory are in one pool and all in files in one page set, so to speak.
POOL: Final = 0
PAGE_SET: Final = 1
ABOVE_THE_BAR: Final = 0x80000000  # qpstflags: addresses have 64 bits
UNCOMMITTED: Final = 0x20000000  # qqstflag
ACCOUNTED: Final = 0x2000  # flags of WQST: ACCTQ says so
IS_TOPIC: Final = 0x4000
EVERY_TASK: Final = 0x00800000  # wtasflag: on in every record of z/OS
TASK_ENDED: Final = 0x20000000
GLOBAL_64_BIT: Final = 0x48  # qsphflags
UNSET: Final = 0x8FFFFFFF  # qcstntmn, qcstetmn
BATCH: Final = 2  # qwhcatyp: connecting system
CHANNEL_INITIATOR: Final = 6
PROGRAM_BYTES: Final = 28  # MQ_APPL_NAME_LENGTH: of wtidnid and wtidcori together
NETWORK_ID_BYTES: Final = 16  # of wtidnid
_MQOT_TOPIC: Final = 8


@final
class PoolView:
    """One storage pool (QSPH): the buffers of persistent or of other messages."""

    def __init__(self, name: str, size: int, size_before: int) -> None:
        self.name = name
        self.bytes = size
        self.bytes_before = size_before
        self.flags = GLOBAL_64_BIT


@final
class StorageView:
    """Memory and files at the end of an interval, beside what they were at the end of the last."""

    def __init__(self, storage: StorageSample, before: StorageSample | None) -> None:
        self.storage = storage
        self.program = "TERNMQ"
        self.pool = POOL
        self.page_set = PAGE_SET
        self.pool_flags = ABOVE_THE_BAR
        self.process_bytes_before = 0 if before is None else int(before.process_bytes)
        self.free_bytes = free_bytes(storage)
        self.free_bytes_low = self.free_bytes
        if before is not None:
            self.free_bytes_low = min(self.free_bytes, free_bytes(before))


def free_bytes(storage: StorageSample) -> int:
    """Room in the message buffers before messages go to files."""
    used = storage.plain_bytes + storage.persistent_bytes
    return max(0, int(storage.buffer_limit_bytes - used))


@final
class QueueView:
    """A queue (QQST).

    How long messages were on the queue comes from MONQ; without MONQ it is the mean of those that
    were got in the interval, which statistics count anyway."""

    def __init__(self, queue: QueueSample) -> None:
        self.queue = queue
        self.figures = queue.figures
        self.traffic = queue.figures.traffic
        self.put_sizes = sizes_put(self.traffic)
        self.put_sizes_mean = mean(self.put_sizes)
        self.flags = UNCOMMITTED if queue.is_uncommitted else 0
        self.short_lay_ns = int(queue.short_lay_ns)
        self.long_lay_ns = int(queue.long_lay_ns)
        if not queue.last_get_ns:  # MONQ is off, or has seen no get
            lay = merged([self.traffic.plain_lay, self.traffic.persistent_lay])
            self.short_lay_ns = self.long_lay_ns = mean(lay)
        self.page_set = PAGE_SET
        self.pool = POOL


@final
class InitiatorView:
    """What serves channels (QCCT)."""

    def __init__(self, qmgr_name: str, initiator: InitiatorSample) -> None:
        self.initiator = initiator
        self.job_name = f"{qmgr_name[:4].rstrip()}CHIN"


@final
class ChannelView:
    """An instance of a channel (QCST)."""

    def __init__(self, channel: ChannelSample, collected_ns: int) -> None:
        self.channel = channel
        self.collected_ns = collected_ns
        specs = cipher_specs_of(channel.cipher)
        self.cipher_code = specs[0].number if len(specs) == 1 else 0
        times = int(channel.net_times)
        self.net_mean_ns = int(channel.net_ns) // times if times else 0
        shortest = int(channel.net_shortest_ns)
        self.net_shortest_us = UNSET if shortest < 0 else shortest // 1000
        times = int(channel.exit_times)
        self.exit_mean_ns = int(channel.exit_ns) // times if times else 0
        shortest = int(channel.exit_shortest_ns)
        self.exit_shortest_us = UNSET if shortest < 0 else shortest // 1000


@final
class TaskView:
    """A task (WTID, WTAS, QWAC, QMAC, QWHC)."""

    def __init__(self, record: TaskRecord, block_count: int) -> None:
        identity = record.identity
        account = record.account
        self.record = record
        self.identity = identity
        self.account = account
        self.verbs = account.verb_total()
        self.block_count = block_count
        self.flags = (EVERY_TASK | (TASK_ENDED if record.is_last else 0)).to_bytes(4, "big")
        # The job name has room for eight letters. The whole name of the program is in two fields
        # that z/OS leaves empty for batch programs, in UTF-8, which nothing of z/OS is.
        whole = identity.application.encode("utf-8")[:PROGRAM_BYTES].decode("utf-8", "ignore")
        program = whole.encode("utf-8").ljust(PROGRAM_BYTES, b"\0")
        self.program_begins = program[:NETWORK_ID_BYTES]
        self.program_ends = program[NETWORK_ID_BYTES:]
        self.connecting_system = CHANNEL_INITIATOR if identity.channel_name else BATCH
        number = identity.number & 0xFFFFFFFFFFFFFFFF
        self.correlator_high = (number >> 32).to_bytes(4, "big")
        self.correlator_low = (number & 0xFFFFFFFF).to_bytes(4, "big")
        started = clock(int(account.started_ns)).to_bytes(8, "big")
        self.correlator = started + self.correlator_high + self.correlator_low


@final
class TaskQueueView:
    """A queue as one task used it (WQST)."""

    def __init__(self, queue: TaskQueueAccount, correlator: bytes) -> None:
        traffic = queue.traffic
        self.queue = queue
        self.traffic = traffic
        self.correlator = correlator
        self.page_set = PAGE_SET
        self.pool = POOL
        self.put_sizes = sizes_put(traffic)
        self.got_sizes = merged(
            [
                traffic.plain_gets,
                traffic.persistent_gets,
                traffic.plain_browses,
                traffic.persistent_browses,
            ]
        )
        self.lay = merged([traffic.plain_lay, traffic.persistent_lay])
        self.shortest_lay = max(0, int(self.lay.smallest))
        self.flags = ACCOUNTED if queue.reported else 0
        # CPU time of verbs on a topic: the publisher's own, for it does the work itself
        self.topic_open_ns = self.topic_put_ns = self.topic_put1_ns = self.topic_close_ns = 0
        if queue.object_type == _MQOT_TOPIC:
            self.flags |= IS_TOPIC
            self.topic_open_ns = int(queue.open.cpu_ns)
            self.topic_put_ns = int(queue.put.cpu_ns)
            self.topic_put1_ns = int(queue.put1.cpu_ns)
            self.topic_close_ns = int(queue.close.cpu_ns)


def sizes_put(traffic: Traffic) -> Range:
    """Sizes of all messages that were put."""
    return merged(
        [
            traffic.plain_puts,
            traffic.persistent_puts,
            traffic.plain_put1s,
            traffic.persistent_put1s,
        ]
    )


def merged(ranges: list[Range]) -> Range:
    """One range of several."""
    total = Range()
    for one in ranges:
        total.merge(one)
    return total


def mean(values: Range) -> int:
    """Rounded down; 0 of nothing."""
    return int(values.total) // int(values.count) if values.count else 0
