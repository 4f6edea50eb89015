"""What the rows of `monitor_rows` start from, where that is more than one object of a snapshot.
Nothing is counted here.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.telemetry.smf.counter_views import mean, merged, sizes_put
from ternmq.telemetry.snapshot import QueueSample, StatisticsInterval

_WHOLE: Final = 10_000  # hundredths of a percent


@final
class MQIView:
    """The queue manager (STATMQI)."""

    def __init__(self, interval: StatisticsInterval) -> None:
        self.figures = interval.figures
        self.traffic = interval.figures.traffic
        self.marks = interval.figures.topics
        self.topics = interval.figures.topics.counts


@final
class QueueView:
    """One queue (STATQ). A put avoids the queue if a get already waits for the message."""

    def __init__(self, queue: QueueSample) -> None:
        self.queue = queue
        self.figures = queue.figures
        self.traffic = queue.figures.traffic
        sizes = sizes_put(self.traffic)
        avoided = self.traffic.handed_over_puts + self.traffic.handed_over_put1s
        self.avoided_puts = _part(int(avoided), int(sizes.count))
        self.avoided_bytes = _part(int(self.traffic.handed_over_bytes), int(sizes.total))
        self.lay_ns = mean(merged([self.traffic.plain_lay, self.traffic.persistent_lay]))


def _part(part: int, whole: int) -> int:
    return _WHOLE * part // whole if whole else 0
