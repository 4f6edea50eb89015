"""What the driver of a stream of a topic does: it has a durable subscription, and plans the queue
of it as `planner` does.

    offset    {"SYSTEM.MANAGED.DURABLE.6A01": {..., "subscription": "SPARK.1F0C22AB"}}

A subscription that is removed and made again has another queue, and nobody knows what was published
in between: that is DataLoss.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.api.connection import Connection
from ternmq.spark.mq.mq_options import SourceOptions
from ternmq.spark.mq.planner import Offset, Planner
from ternmq.spark.mq.queue_streams import HINT, DataLoss, Range
from ternmq.spark.mq.spark_connection import connect
from ternmq.spark.mq.topic_subscription import TopicSubscription

SUBSCRIPTION: Final = "subscription"  # in a place: through which the query reads its queue


@final
class TopicPlanner:
    """The positions of one query that reads a topic."""

    def __init__(self, options: SourceOptions) -> None:
        self._options: Final = options
        self._subscription: Final = TopicSubscription(options)
        self._connection: Connection | None = None
        self._queue = ""
        self._name = ""
        self._planner: Planner | None = None
        self._wants_bound = False
        self._is_used = False

    # ---- the subscription and its queue

    def _of(self, offset: Offset) -> Planner:
        """The planner of the subscription's queue, once that is open."""
        connection = self._connection
        if connection is None or not connection.connected:
            connection = self._connection = connect(self._options.connection, reconnect=True)
        known = self._known(offset) or self._name
        queue = self._subscription.queue(connection, known)
        self._name = self._subscription.name(known)
        if self._planner is None or queue != self._queue:
            if self._planner is not None:
                self._planner.close()
            self._queue = queue
            self._planner = Planner(self._options.of_queue(queue))
            if self._wants_bound:
                self._planner.stop_at_what_is_there()
        return self._planner

    def _known(self, offset: Offset) -> str:
        """The subscription that an offset names: the one that the user wants, if it does."""
        names = [str(place[SUBSCRIPTION]) for place in offset.values() if SUBSCRIPTION in place]
        wanted = self._options.subscription
        if wanted:
            return wanted if wanted in names else ""
        return names[-1] if names else ""

    def _sound(self, offset: Offset) -> Offset:
        """An offset without the queue that the subscription had before it was made again; DataLoss
        if that matters."""
        lost = [
            queue
            for queue, place in offset.items()
            if queue != self._queue and place.get(SUBSCRIPTION) == self._name
        ]
        if lost and self._options.fail_on_loss:
            raise DataLoss(
                f"the subscription {self._name} was removed and made again since {lost[0]} was "
                f"read, and what was published meanwhile is missing; {HINT}"
            )
        return {queue: place for queue, place in offset.items() if queue not in lost}

    def _noted(self, offset: Offset) -> Offset:
        place = offset.get(self._queue)
        if place is not None:
            offset[self._queue] = {**place, SUBSCRIPTION: self._name}
        return offset

    # ---- what Spark asks

    def initial(self) -> Offset:
        """Where a query without a checkpoint begins."""
        planner = self._of({})
        return self._noted(dict(planner.initial()))

    def stop_at_what_is_there(self) -> None:
        """Of availableNow: what comes later than the next look is left for another run."""
        self._wants_bound = True
        if self._planner is not None:
            self._planner.stop_at_what_is_there()

    def latest(self, start: Offset, rows_max: int, bytes_max: int) -> Offset:
        """How far the next batch goes; 0 means no limit."""
        planner = self._of(start)
        start = self._sound(start)
        found = self._noted(planner.latest(start, rows_max, bytes_max))
        self._is_used = self._is_used or found != start
        return found

    def partitions(self, start: Offset, end: Offset) -> list[list[Range]]:
        """The messages between two offsets, divided among tasks."""
        self._is_used = True
        return self._of(end).partitions(start, end)

    def advance(self, done: Offset) -> None:
        """All messages before an offset are done with."""
        self._of(done).advance(self._sound(done))

    def reported(self) -> Offset | None:
        """Where the stream ends, as the last look saw it."""
        return None if self._planner is None else self._planner.reported()

    def close(self) -> None:
        """The query has stopped."""
        if self._planner is not None:
            self._planner.close()
        self._subscription.close(self._is_used)
        if self._connection is not None and self._connection.connected:
            self._connection.disconnect()
