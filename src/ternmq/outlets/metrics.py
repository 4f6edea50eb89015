"""What a scrape shows, taken from a running queue manager: totals since metrics were switched on,
and queues and channels as they are now.

The engine's lock is held for copies of a few lists; values are read outside it, one by one, as
statistics do. A queue that has messages on disk and is not in memory is loaded, a few of them with
each scrape, and shown from then on.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.object_types import BY_BIT, LOCAL, SENDER
from ternmq.base.topic_counters import ALL
from ternmq.channel.figures import ChannelFigures
from ternmq.host.shell import Shell
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import BROKEN, QUIESCING, RUNNING, STOPPING, Kernel
from ternmq.kernel.objects import FILE_MEGABYTES_DEFAULT, MEGABYTE, LocalQueue
from ternmq.kernel.parts import LISTENERS, SERVICES
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.store.catalog import Definition
from ternmq.telemetry.accumulation import QueueSum, StatisticsSum
from ternmq.telemetry.metrics import metric_rows as rows
from ternmq.telemetry.metrics.metric_text import PLATFORM, Subject
from ternmq.telemetry.sampling import (
    NOTHING_COUNTED,
    channel_sample,
    counted_by,
    queue_sample,
    storage_sample,
)
from ternmq.telemetry.smf.counter_views import mean, merged

LOADS_A_SCRAPE: Final = 64
QUEUES_A_STEP: Final = 1000  # looked at with the engine's lock
NOTHING: Final = "-"  # what a label says where there is nothing to say
ALL_QUEUES: Final = ("*",)
_SECOND_NS: Final = 1_000_000_000
_PAGE: Final = 4096
_STATUS: Final = {RUNNING: 2, QUIESCING: 3, STOPPING: 3, BROKEN: 0}
_STOPPED: Final = 0
_SERVING: Final = 2
_SQUASHED: Final = {mq.MQCHS_RUNNING: 2, mq.MQCHS_STOPPED: 0}


class QueueManagerMetrics:
    """The queue manager itself."""

    def __init__(
        self, shell: Shell, totals: StatisticsSum, loaded: list[LocalQueue], channels_max: int
    ) -> None:
        kernel = shell.engine.kernel
        self.figures = totals.figures
        self.traffic = totals.figures.traffic
        self.marks = totals.figures.topics
        self.topics = self.marks.counts
        self.topic_nodes = int(pubsub_of(kernel).tree.nodes)
        subscriptions = kernel.meter.subscriptions
        self.durable_subscriptions = subscriptions.durable[ALL]
        self.other_subscriptions = subscriptions.other[ALL]
        self.log = totals.log
        self.storage = storage_sample(loaded)
        self.status = _STATUS.get(kernel.status, 0)
        self.uptime_s = max(0, int(kernel.clock.now_ns()) - kernel.started_ns) // _SECOND_NS
        self.connections = len(kernel.connections)
        self.listeners = len(kernel.parts.running[LISTENERS])
        self.services = len(kernel.parts.running[SERVICES])
        serves = kernel.environment.get("CMDSERV", "") == "RUNNING"
        self.command_server = _SERVING if serves else _STOPPED
        control = kernel.parts.control
        self.initiator = _SERVING if "RUNNING" in control.initiators.values() else _STOPPED
        self.channels_max = channels_max
        self.active_max = control.active_max or channels_max
        writes = int(self.log.writes)
        self.log_physical_bytes = int(self.log.blocks) * _PAGE
        self.log_latency_ns = int(self.log.io_ns) // writes if writes else 0
        self.log_write_bytes = self.log_physical_bytes // writes if writes else 0
        end_lsn = int(kernel.coordinator.log.end_lsn)
        self.log_used_percent = round(100 * kernel.keeper.space.used_fraction(end_lsn))


class QueueMetrics:
    """One queue."""

    def __init__(self, local: LocalQueue, counted: QueueSum | None, now_ns: int) -> None:
        definition = local.definition
        figures = None if counted is None else counted.figures
        self.sample = queue_sample(local, figures, now_ns)
        self.figures = self.sample.figures
        self.traffic = self.figures.traffic
        self.max_depth = definition.number("max_depth")
        self.usage = definition.number("usage")
        self.since_put_s = _since(int(self.sample.last_put_ns), now_ns)
        self.since_get_s = _since(int(self.sample.last_get_ns), now_ns)
        used = int(self.sample.memory_bytes + self.sample.segment_bytes)
        self.file_megabytes = -(-used // MEGABYTE)
        most = definition.number("max_file_megabytes")
        self.file_megabytes_max = FILE_MEGABYTES_DEFAULT if most < 0 else most
        self.lay_mean_ns = mean(merged([self.traffic.plain_lay, self.traffic.persistent_lay]))


class ChannelMetrics:
    """One instance of a channel."""

    def __init__(self, shell: Shell, instance: ChannelInstance, same: int, now_ns: int) -> None:
        kernel = shell.engine.kernel
        channel = instance.channel
        self.sample = channel_sample(kernel, instance, NOTHING_COUNTED, counted_by(instance))
        self.squashed = _SQUASHED.get(int(self.sample.status), 1)
        self.since_message_s = _since(int(self.sample.last_message_ns), now_ns)
        self.started_s = int(self.sample.started_ns) // _SECOND_NS
        self.instances = same
        self.instances_max = _number(channel, "max_instances")
        self.instances_of_client_max = _number(channel, "max_client_instances")
        figures = ChannelFigures() if instance.agent is None else instance.agent.figures
        self.network = figures.network
        self.on_queue = figures.on_queue
        self.batch_size = figures.batch_size


class Metrics:
    """What scrapes of one queue manager see."""

    def __init__(
        self, shell: Shell, queues: Sequence[str] = ALL_QUEUES, channels_max: int = 0
    ) -> None:
        self._shell = shell
        self._channels_max = channels_max
        self._link = Link(0, b"", "", shell.engine.kernel.name)
        self._patterns = tuple(queues)  # APP.*, !APP.TEMP*: the last that fits counts
        self._host = shell.engine.kernel.environment.get("HOSTNAME", "") or NOTHING
        with shell.lock:
            shell.engine.collector.keep_totals()

    def subjects(self) -> dict[str, Sequence[Subject]]:
        """Everything there is to show now."""
        shell = self._shell
        kernel = shell.engine.kernel
        collector = shell.engine.collector
        self._load_some()
        with shell.lock:
            collector.count_now()
            loaded = list(kernel.locals.values())
            instances = list(kernel.parts.instances.values())
            instances += waiting_channels(kernel)
        shell.deliver(wait=True)
        now_ns = int(kernel.clock.now_ns())
        totals = collector.totals or StatisticsSum(now_ns)
        return {
            rows.QMGR: [self._queue_manager(totals, loaded)],
            rows.QUEUE: [self._queue(one, totals, now_ns) for one in loaded if self._is_shown(one)],
            rows.CHANNEL: self._channels(instances, now_ns),
        }

    def _load_some(self) -> None:
        """Load queues that have messages on disk and were not used yet, a few at a time."""
        shell = self._shell
        catalog = shell.engine.kernel.catalog
        with shell.lock:
            definitions = list(catalog.table_of(LOCAL).values())
        left = LOADS_A_SCRAPE
        for at in range(0, len(definitions), QUEUES_A_STEP):
            with shell.lock:
                for definition in definitions[at : at + QUEUES_A_STEP]:
                    if left > 0 and self._is_missing(definition):
                        self._load(definition)
                        left -= 1
                shell.flush()

    def _is_missing(self, definition: Definition) -> bool:
        kernel = self._shell.engine.kernel
        number = definition.object_id
        is_there = number in kernel.catalog.with_state or number in kernel.catalog.queues
        return is_there and definition.name not in kernel.locals and self._fits(definition.name)

    def _load(self, definition: Definition) -> None:
        """With the lock: begin to load it, or take it into use if it is loaded."""
        link = self._link
        link.begin_verb()
        try:
            self._shell.engine.kernel.local_queue(link, definition)
        except MQError:
            pass  # it is damaged, or cannot be loaded now: an application that uses it gets that
        link.park = None

    def _is_shown(self, local: LocalQueue) -> bool:
        return not local.deleted and self._fits(local.name)

    def _fits(self, name: str) -> bool:
        shown = False
        for pattern in self._patterns:
            if fnmatchcase(name, pattern.removeprefix("!")):
                shown = not pattern.startswith("!")
        return shown

    def _queue_manager(self, totals: StatisticsSum, loaded: list[LocalQueue]) -> Subject:
        kernel = self._shell.engine.kernel
        labels = {
            "qmgr": kernel.name,
            "description": str(kernel.catalog.qmgr["description"]) or NOTHING,
            "platform": PLATFORM,
            "hostname": self._host,
        }
        root = QueueManagerMetrics(self._shell, totals, loaded, self._channels_max)
        return Subject(root, labels, {"qmgr": kernel.name})

    def _queue(self, local: LocalQueue, totals: StatisticsSum, now_ns: int) -> Subject:
        counted = totals.queues.get(local.definition.object_id)
        root = QueueMetrics(local, counted, now_ns)
        name = self._shell.engine.kernel.name
        labels = {
            "qmgr": name,
            "queue": local.name,
            "usage": "XMITQ" if root.usage == mq.MQUS_TRANSMISSION else "NORMAL",
            "description": local.definition.text("description") or NOTHING,
            "cluster": NOTHING,
            "platform": PLATFORM,
        }
        return Subject(root, labels, {"qmgr": name, "object": local.name}, counted is not None)

    def _channels(self, instances: list[ChannelInstance], now_ns: int) -> list[Subject]:
        name = self._shell.engine.kernel.name
        same = Counter(one.name for one in instances)
        found: list[Subject] = []
        for one in instances:
            labels = {
                "qmgr": name,
                "channel": one.name,
                "platform": PLATFORM,
                "description": one.channel.text("description") or NOTHING,
                "type": BY_BIT[one.channel.object_type].noun,
                "rqmname": one.partner_qmgr or NOTHING,
                "connname": one.address or NOTHING,
                # distinguishes instances that are the same else
                "jobname": f"{os.getpid():08X}{one.number:08X}",
                "sslciph": one.cipher or NOTHING,
            }
            root = ChannelMetrics(self._shell, one, same[one.name], now_ns)
            found.append(Subject(root, labels, {"qmgr": name, "object": one.name}))
        return found


def waiting_channels(kernel: Kernel) -> list[ChannelInstance]:
    """Channels that are current and have no agent, as if they were instances."""
    found: list[ChannelInstance] = []
    for name, one in kernel.parts.control.channels.items():
        definition = kernel.catalog.find(SENDER, name)
        if one.number or definition is None:
            continue
        made = ChannelInstance(0, definition, definition.text("connection_name"), 0)
        made.status = one.status
        found.append(made)
    return found


def _since(then_ns: int, now_ns: int) -> int:
    """Seconds; 0 if it never was, or is not watched."""
    return max(0, now_ns - then_ns) // _SECOND_NS if then_ns else 0


def _number(definition: Definition, name: str) -> int:
    value = definition.attributes.get(name, 0)
    return value if isinstance(value, int) else 0
