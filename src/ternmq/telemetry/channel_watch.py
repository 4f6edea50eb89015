"""The channels of an interval, and the loop that serves them: each family of destinations sees what
was counted since its own last look.
"""

from __future__ import annotations

from typing import final

from ternmq.base.constants import MQMON_OFF
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.kernel.kernel import Kernel
from ternmq.telemetry.sampling import (
    NOTHING_COUNTED,
    Counted,
    channel_sample,
    counted_by,
    statistics_of_channel,
)
from ternmq.telemetry.snapshot import ChannelSample, InitiatorSample


@final
class ChannelWatch:
    """What one family has seen of channels."""

    def __init__(self) -> None:
        self._before: dict[int, Counted] = {}
        self._gone: list[ChannelInstance] = []

    def left(self, gone: list[ChannelInstance]) -> None:
        """These have ended since the last look."""
        self._gone += gone

    def look(self, kernel: Kernel) -> list[ChannelSample]:
        """All that run now or have ended since the last look, where STATCHL is on."""
        running = list(kernel.parts.instances.values())
        before = self._before
        self._before = {}
        samples: list[ChannelSample] = []
        for instance in self._gone + running:
            now = counted_by(instance)
            if not instance.stopped_ns:
                self._before[instance.number] = now
            if statistics_of_channel(kernel, instance) != MQMON_OFF:
                earlier = before.get(instance.number, NOTHING_COUNTED)
                samples.append(channel_sample(kernel, instance, earlier, now))
        self._gone = []
        return samples


@final
class InitiatorWatch:
    """What one family has seen of the loop that serves channels."""

    def __init__(self) -> None:
        self._turns = 0

    def look(self, kernel: Kernel) -> InitiatorSample:
        """Since the last look."""
        dispatcher = kernel.meter.dispatcher
        sample = InitiatorSample()
        sample.channels = len(kernel.parts.instances)
        sample.channels_high = max(int(dispatcher.channels_high), int(sample.channels))
        sample.channels_max = dispatcher.channels_max
        sample.active_max = kernel.parts.control.active_max
        turns = int(dispatcher.turns)
        sample.requests = turns - self._turns
        self._turns = turns
        dispatcher.channels_high = sample.channels
        return sample
