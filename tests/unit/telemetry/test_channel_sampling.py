"""Goal: samples of a message channel have what its agent counted, since the last look alone.
Method: an instance with an agent that is counted up by hand; SMF's QCST read back by the codec.
"""

from __future__ import annotations

import ternmq
from ternmq.base import object_types as types
from ternmq.base.attributes import defaults_of
from ternmq.channel.agent import Agent
from ternmq.channel.settings import ChannelSettings
from ternmq.kernel.channel_instance import RETRYING, ChannelInstance
from ternmq.store.catalog import Definition
from ternmq.telemetry.channel_watch import ChannelWatch
from ternmq.telemetry.sampling import NOTHING_COUNTED, channel_sample, counted_by

MILLISECOND = 1_000_000


def running(qmgr: ternmq.QueueManager) -> ChannelInstance:
    """An instance that the queue manager shows."""
    attributes = defaults_of(types.SENDER)
    instance = ChannelInstance(
        5, Definition(types.SENDER, "A.TO.B", 1, attributes, 0), "10.0.0.1(1414)", 1
    )
    agent = Agent(ChannelSettings("A.TO.B", types.SENDER, "QMA"))
    agent.partner_qmgr = "QMB"
    agent.batch_messages = 4
    instance.agent = agent
    kernel = qmgr.started.shell.engine.kernel
    kernel.parts.instances[5] = instance
    return instance


def send(instance: ChannelInstance, messages: int, now_ns: int) -> None:
    """A batch, half of it persistent, with an answer after two milliseconds."""
    agent = instance.agent
    assert agent is not None
    for number in range(messages):
        agent.messages += 1
        agent.figures.message(100, number % 2 == 0, 7 * MILLISECOND, now_ns)
    agent.batches += 1
    agent.bytes_sent += messages * 600
    agent.figures.batch(messages, agent.batch_messages)
    agent.figures.asked(now_ns)
    agent.figures.answered(now_ns + 2 * MILLISECOND)


def test_sample_when_an_agent_has_counted_then_all_of_it() -> None:
    with ternmq.memory("QMA") as qmgr:
        kernel = qmgr.started.shell.engine.kernel
        instance = running(qmgr)
        now_ns = int(kernel.clock.monotonic_ns())
        send(instance, 4, now_ns)
        send(instance, 2, now_ns)
        sample = channel_sample(kernel, instance, NOTHING_COUNTED, counted_by(instance))
        assert (sample.remote_name, sample.batch_size) == ("QMB", 4)
        assert (sample.messages, sample.persistent_messages) == (6, 3)
        assert (sample.message_bytes, sample.persistent_bytes) == (600, 300)
        assert (sample.batches, sample.full_batches) == (2, 1)
        assert sample.bytes_sent == 3600
        assert (sample.net_times, sample.net_ns) == (2, 4 * MILLISECOND)
        assert sample.net_shortest_ns == sample.net_longest_ns == 2 * MILLISECOND
        assert sample.last_message_ns > 0
        figures = instance.agent.figures if instance.agent is not None else None
        assert figures is not None
        assert (figures.batch_size.short, figures.on_queue.long) == (3, 7 * MILLISECOND)


def test_watch_when_it_has_looked_then_only_what_came_since() -> None:
    with ternmq.memory("QMA") as qmgr:
        qmgr.alter_qmgr(statistics_channels="LOW")
        kernel = qmgr.started.shell.engine.kernel
        instance = running(qmgr)
        watch = ChannelWatch()
        send(instance, 4, 1)
        (first,) = watch.look(kernel)
        send(instance, 3, 2)
        (second,) = watch.look(kernel)
        assert (first.messages, second.messages) == (4, 3)
        assert (first.full_batches, second.full_batches, second.batches) == (1, 0, 1)


def test_status_when_a_channel_is_retrying_then_its_number() -> None:
    with ternmq.memory("QMA") as qmgr:
        kernel = qmgr.started.shell.engine.kernel
        instance = running(qmgr)
        instance.status = RETRYING
        sample = channel_sample(kernel, instance, NOTHING_COUNTED, counted_by(instance))
        assert sample.status == 5
