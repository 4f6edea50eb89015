"""Queues, channels and storage as they are when an interval ends: read outside the engine's lock,
value by value, so a sample may be a message or two apart from the next one.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.counters import QueueFigures
from ternmq.base.object_types import BY_BIT, SENDER, SERVER
from ternmq.base.user_names import carried_name
from ternmq.channel.agent import Agent
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.kernel.channel_transitions import STATES
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.store.catalog import Definition
from ternmq.store.queue import Queue
from ternmq.telemetry.snapshot import ChannelSample, QueueSample, StorageSample, TaskIdentity
from ternmq.wire.fap.compression import Expander, Packer

_SECOND_NS: Final = 1_000_000_000
_TOKEN_AT: Final = 12  # AccountingToken in a packed context, behind UserIdentifier
_TOKEN_END: Final = 44


def queue_sample(local: LocalQueue, figures: QueueFigures | None, now_ns: int) -> QueueSample:
    """A queue now, with what it has counted; None: no call has used it in the interval."""
    queue = local.queue
    if figures is None:
        figures = QueueFigures(queue.depth, local.open_input, local.open_output)
    sample = QueueSample(local.name, figures)
    definition = local.definition
    sample.created_ns = definition.created_ns
    sample.definition_type = definition.definition_type
    sample.reported = local.reported
    sample.is_open = local.in_use
    if local.deleted:
        return sample
    sample.depth = queue.depth
    sample.open_output = local.open_output
    sample.open_input = local.open_input
    sample.is_uncommitted = queue.uncommitted_puts + queue.uncommitted_gets > 0
    oldest_ns = oldest_put_ns(queue)
    if oldest_ns:
        sample.oldest_age_s = max(0, (now_ns - oldest_ns) // _SECOND_NS)
    if local.watched:
        watch = local.watch
        sample.short_lay_ns = watch.short_ns
        sample.long_lay_ns = watch.long_ns
        sample.last_put_ns = watch.last_put_ns
        sample.last_get_ns = watch.last_get_ns
    sample.memory_bytes = queue.plain_bytes + queue.persistent_bytes
    sample.segment_bytes = queue.file_bytes
    return sample


def resting_sample(definition: Definition, depth: int) -> QueueSample:
    """A queue that is not in use: nothing happens on it."""
    sample = QueueSample(definition.name, QueueFigures(depth, 0, 0))
    sample.created_ns = definition.created_ns
    sample.definition_type = definition.definition_type
    sample.depth = depth
    return sample


def oldest_put_ns(queue: Queue) -> int:
    """When the message was put that has waited longest among the first of each priority; 0 if none
    is in memory."""
    oldest = 0
    for lane in queue.lanes:
        head = lane.front.head
        if head is not None and (oldest == 0 or head.put_ns < oldest):
            oldest = int(head.put_ns)
    return oldest


def storage_sample(loaded: list[LocalQueue]) -> StorageSample:
    """Message buffers and segments of all loaded queues."""
    storage = StorageSample()
    storage.queues_loaded = len(loaded)
    for local in loaded:
        queue = local.queue
        storage.plain_bytes += queue.plain_bytes
        storage.persistent_bytes += queue.persistent_bytes
        storage.buffer_limit_bytes += queue.plain_limit + queue.persistent_limit
        storage.segment_bytes += queue.file_bytes
        storage.segments += len(queue.segments)
    return storage


def statistics_of_channel(kernel: Kernel, instance: ChannelInstance) -> int:
    """STATCHL of a channel, or of the queue manager where the channel leaves it to that, or has no
    such attribute: MQMON_."""
    default = kernel.number("statistics_channels")
    if default == mq.MQMON_NONE:
        return mq.MQMON_OFF
    value = instance.channel.attributes.get("statistics", mq.MQMON_Q_MGR)
    if not isinstance(value, int) or value == mq.MQMON_Q_MGR:
        return default
    return value


Counted = list[int]
NOTHING_COUNTED: Final[Counted] = [0] * 16


def counted_by(instance: ChannelInstance) -> Counted:
    """What an instance has counted since it began; a message channel's agent has counted."""
    agent = instance.agent
    if agent is None:
        own = [
            int(instance.messages),
            int(instance.buffers_sent),
            int(instance.buffers_received),
            int(instance.bytes_sent),
            int(instance.bytes_received),
        ]
        return own + NOTHING_COUNTED[len(own) :]
    figures = agent.figures
    return [
        int(agent.messages),
        int(agent.buffers_sent),
        int(agent.buffers_received),
        int(agent.bytes_sent),
        int(agent.bytes_received),
        int(figures.persistent_messages),
        int(agent.batches),
        int(figures.full_batches),
        int(figures.message_bytes),
        int(figures.persistent_bytes),
        int(figures.network.times),
        int(figures.net_ns),
        int(figures.put_retries),
        int(figures.empty_queue),
        int(agent.exit_figures.times),
        int(agent.exit_figures.total_ns),
    ]


def channel_sample(
    kernel: Kernel, instance: ChannelInstance, before: Counted, now: Counted
) -> ChannelSample:
    """An instance over a stretch of time."""
    sample = ChannelSample(instance.name, BY_BIT[instance.channel.object_type].subtype)
    sample.number = instance.number
    sample.status = STATES.get(instance.status, mq.MQCHS_RUNNING)
    sample.statistics = statistics_of_channel(kernel, instance)
    sample.connection_name = instance.address
    sample.started_ns = instance.started_ns
    sample.stopped_ns = instance.stopped_ns
    sample.last_message_ns = instance.last_message_ns
    sample.conversations = instance.conversations
    sample.remote_name = instance.application
    sample.certificate_issuer = instance.certificate_issuer
    sample.cipher = instance.cipher
    sample.remote_product = instance.product
    sample.remote_version = instance.version
    sample.messages = now[0] - before[0]
    sample.buffers_sent = now[1] - before[1]
    sample.buffers_received = now[2] - before[2]
    sample.bytes_sent = now[3] - before[3]
    sample.bytes_received = now[4] - before[4]
    agent = instance.agent
    if agent is not None:
        _add_agent(kernel, sample, agent, before, now)
        sample.compression_rate = _compression_rate(agent.packer, agent.expander)
    else:
        sample.compression_rate = _compression_rate(instance.packer, instance.expander)
    return sample


def _compression_rate(packer: Packer | None, expander: Expander | None) -> int:
    """How much shorter, in per cent: of what this end sends, if it has sent anything."""
    if packer is not None and packer.rates.messages:
        return packer.rates.rate_percent()[0]
    return 0 if expander is None else expander.rates.rate_percent()[0]


def _add_agent(
    kernel: Kernel, sample: ChannelSample, agent: Agent, before: Counted, now: Counted
) -> None:
    """What a message channel has beside that. The shortest and the longest round trip, and the
    same of exits, are those since the instance began."""
    figures = agent.figures
    sample.remote_name = agent.partner_qmgr
    sample.batch_size = agent.batch_messages
    sample.last_message_ns = _wall_ns(kernel, int(figures.last_message_ns))
    sample.persistent_messages = now[5] - before[5]
    sample.batches = now[6] - before[6]
    sample.full_batches = now[7] - before[7]
    sample.message_bytes = now[8] - before[8]
    sample.persistent_bytes = now[9] - before[9]
    sample.net_times = now[10] - before[10]
    sample.net_ns = now[11] - before[11]
    sample.net_shortest_ns = figures.net_shortest_ns
    sample.net_longest_ns = figures.net_longest_ns
    sample.net_longest_at_ns = _wall_ns(kernel, int(figures.net_longest_at_ns))
    sample.put_retries = now[12] - before[12]
    sample.empty_queue = now[13] - before[13]
    exits = agent.exit_figures
    sample.exit_times = now[14] - before[14]
    sample.exit_ns = now[15] - before[15]
    sample.exit_shortest_ns = exits.shortest_ns
    sample.exit_longest_ns = exits.longest_ns
    sample.exit_longest_at_ns = _wall_ns(kernel, int(exits.longest_at_ns))
    if agent.settings.kind & (SENDER | SERVER):
        sample.batch_interval_ms = agent.settings.batch_interval_ms
        sample.batch_kilobytes = agent.settings.batch_kilobytes


def _wall_ns(kernel: Kernel, monotonic_ns: int) -> int:
    if not monotonic_ns:
        return 0
    return int(kernel.clock.now_ns()) - (int(kernel.clock.monotonic_ns()) - monotonic_ns)


def identity_of(connection: Connection) -> TaskIdentity:
    """User, application and origin of a task."""
    identity = TaskIdentity(connection.connection_id, connection.tag)
    identity.application = connection.application
    identity.user = carried_name(connection.user)
    identity.process_id = connection.process_id
    identity.thread_id = connection.thread_id
    identity.channel_name = connection.channel_name
    identity.connection_name = connection.connection_name
    identity.accounting_token = connection.context[_TOKEN_AT:_TOKEN_END]  # once it has put
    return identity
