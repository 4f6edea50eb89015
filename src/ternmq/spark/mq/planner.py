"""What the driver of a stream does: from which number to which the next batch goes, and how far the
queue manager may forget.

    offset    {"ORDERS": {"incarnation": 3, "next": 17, "cursor": "SPARK.1F0C22AB.ORDERS"}}

`next` is the number of the first message that was not read.

ORDER: a batch is done before the cursor passes it. Spark calls `commit` for a batch only when the
next one has data, so the last batch would never be committed; but the start of `latestOffset` is
the end of the last batch that is done, so the cursor advances there too.
"""

from __future__ import annotations

import os
import time
from typing import Final, final

from ternmq.api.connection import Connection
from ternmq.base.errors import MQError
from ternmq.spark.mq.limits import divided, shares
from ternmq.spark.mq.mq_options import SourceOptions, matches
from ternmq.spark.mq.positions import EARLIEST, LATEST, Position
from ternmq.spark.mq.query_cursors import Cursors, NoStream, Place
from ternmq.spark.mq.queue_streams import (
    HINT,
    DataLoss,
    Range,
    bounds_of,
    bytes_a_number,
    first_from,
    queues_of,
)
from ternmq.spark.mq.spark_connection import connect
from ternmq.values.status import Bounds

Offset = dict[str, Place]
LOOK_S: Final = 10.0  # how often a pattern is looked up again


@final
class Planner:
    """The positions of one query. Holds one connection."""

    def __init__(self, options: SourceOptions) -> None:
        self._options: Final = options
        self._cursors: Final = Cursors(options)
        self._connection: Connection | None = None
        self._has_patterns: Final = any("*" in name for name in options.queues)
        self._looked_s = 0.0
        self._wants_bound = False
        self._bound: dict[str, int] | None = None  # of availableNow: numbers to end before
        self._is_used = False
        self._began: Offset | None = None
        self._has_planned = False
        self._bounds: dict[str, Bounds] = {}
        self._turn = 0  # of queues, where a limit is not enough for all

    @property
    def connection(self) -> Connection:
        """The connection, made again if it is broken."""
        connection = self._connection
        if connection is None or not connection.connected:
            connection = self._connection = connect(self._options.connection, reconnect=True)
        return connection

    def initial(self) -> Offset:
        """Where a query without a checkpoint begins. Spark asks twice for its first batch, and
        `latest` would be another place by then."""
        if self._began is not None:
            return self._began
        self._looked_s = time.monotonic()
        found: Offset = {}
        try:
            for queue in queues_of(self.connection, self._options):
                wanted = self._options.position_of(queue) if self._options.has_start else None
                found[queue] = self._cursors.begun(self.connection, queue, wanted)
        except (MQError, ValueError, DataLoss):
            if self.connection.connected:
                self._cursors.forget(self.connection)  # or they would keep messages for nobody
            raise
        self._began = found
        return found

    def stop_at_what_is_there(self) -> None:
        """Of availableNow: what comes later than the next look is left for another run."""
        self._wants_bound = True

    # ---- the end of the next batch

    def latest(self, start: Offset, rows_max: int, bytes_max: int) -> Offset:
        """How far the next batch goes; 0 means no limit. All before `start` is done with."""
        self.advance(start)
        self._has_planned = True
        noted = self._cursors.noted
        begins = {queue: noted(self.connection, queue, place) for queue, place in start.items()}
        begins.update(self._appeared(start))
        ends: dict[str, int] = {}
        self._bounds = {}
        for queue in sorted(begins):
            if not any(matches(queue, pattern) for pattern in self._options.queues):
                continue  # the option named it once: its place is kept, in case it does again
            bounds, begins[queue] = self._sound(queue, begins[queue])
            if bounds is not None:
                self._bounds[queue] = bounds
                ends[queue] = bounds.next
        if self._wants_bound and self._bound is None:
            self._bound = dict(ends)
        if self._bound is not None:
            ends = {queue: min(end, self._bound.get(queue, 0)) for queue, end in ends.items()}
        firsts = {queue: int(begins[queue]["next"]) for queue in ends}
        ends = {queue: max(end, firsts[queue]) for queue, end in ends.items()}
        if rows_max:
            ends = self._within_rows(firsts, ends, rows_max)
        if bytes_max:
            ends = self._within_bytes(firsts, ends, bytes_max)
        found = {
            queue: {**place, "next": ends.get(queue, place["next"])}
            for queue, place in begins.items()
        }
        self._is_used = self._is_used or found != start
        return found

    def _appeared(self, start: Offset) -> Offset:
        """Queues that fit a pattern, or are named, and were not there before; they are read from
        their first message."""
        now_s = time.monotonic()
        is_due = self._has_patterns and now_s - self._looked_s >= LOOK_S
        if not is_due and all("*" in name or name in start for name in self._options.queues):
            return {}
        self._looked_s = now_s
        new = [name for name in queues_of(self.connection, self._options) if name not in start]
        begin = Position(EARLIEST)
        return {name: self._cursors.begun(self.connection, name, begin) for name in new}

    def _sound(self, queue: str, place: Place) -> tuple[Bounds | None, Place]:
        """The stream of a queue, and the place from which it can be read: another one if messages
        are lost and the user wants to go on."""
        bounds = bounds_of(self.connection, queue)
        first, incarnation = int(place["next"]), int(place["incarnation"])
        is_same = bounds is not None and bounds.incarnation == incarnation
        if bounds is not None and is_same and bounds.earliest <= first <= bounds.next:
            self._cursors.check_kept(self.connection, queue, place, bounds)
            return bounds, place
        if self._options.fail_on_loss:
            raise DataLoss(lost(queue, place, bounds))
        if bounds is not None and is_same:
            return bounds, {**place, "next": self._restart(queue, place, bounds)}
        try:
            place = self._cursors.begun(self.connection, queue, Position(EARLIEST))
        except (MQError, NoStream):
            return None, place  # deleted, or without a stream; it may come back
        return bounds_of(self.connection, queue), place

    def _restart(self, queue: str, place: Place, bounds: Bounds) -> int:
        """Where to go on in a stream that does not have a place any more: behind what was purged;
        in an earlier state of the queue manager where the cursor was then."""
        if int(place["next"]) <= bounds.next:
            return bounds.earliest
        position = self._cursors.position(self.connection, queue, place)
        return min(max(position or 0, bounds.earliest), bounds.next)

    def _within_rows(
        self, firsts: dict[str, int], ends: dict[str, int], rows_max: int
    ) -> dict[str, int]:
        """Ends with no more than so many messages before them. Numbers may have gaps, so a range
        is counted from the first message that is there."""
        backlogs = {queue: end - firsts[queue] for queue, end in ends.items()}
        found: dict[str, int] = {}
        self._turn = (self._turn or sum(firsts.values())) + rows_max
        for queue, share in shares(backlogs, rows_max, self._turn).items():
            end = ends[queue]
            if share < backlogs[queue]:
                block = first_from(self.connection, queue, self._bounds[queue], firsts[queue], end)
                end = end if block is None else min(end, block.first + share)
            found[queue] = end if share else firsts[queue]
        return found

    def _within_bytes(
        self, firsts: dict[str, int], ends: dict[str, int], bytes_max: int
    ) -> dict[str, int]:
        """Ends with about so many bytes before them."""
        sizes: dict[str, float] = {}
        for queue, end in ends.items():
            if end > firsts[queue]:
                sizes[queue] = bytes_a_number(
                    self.connection, queue, self._bounds[queue], firsts[queue], end
                )
        backlogs = {
            queue: int(size * (ends[queue] - firsts[queue])) for queue, size in sizes.items()
        }
        found = dict(ends)
        for queue, share in shares(backlogs, bytes_max).items():
            numbers = max(int(share / sizes[queue]), 1 if share else 0)
            found[queue] = min(ends[queue], firsts[queue] + numbers)
        return found

    # ---- what a batch reads

    def partitions(self, start: Offset, end: Offset) -> list[list[Range]]:
        """The messages between two offsets, divided among tasks."""
        self._is_used = True
        ranges: list[Range] = []
        for queue, place in sorted(end.items()):
            first = self._first(queue, start.get(queue), place)
            last = int(place["next"])
            if first < last:
                ranges.append(Range(queue, int(place["incarnation"]), first, last))
        tasks = self._options.partitions_min
        return divided(ranges, tasks or os.cpu_count() or 1, bool(tasks))

    def _first(self, queue: str, begin: Place | None, place: Place) -> int:
        """Where a queue is read from. One that was not there before, is another by now, or is in an
        earlier state, is read from where its cursor is, which has not passed anything of it yet; so
        is the first batch of a query whose driver died, as its beginning is in no checkpoint."""
        is_same = begin is not None and begin["incarnation"] == place["incarnation"]
        if is_same and begin is not None and self._is_repeated(queue):
            return self._first_again(queue, begin, place)
        if is_same and begin is not None and begin["next"] <= place["next"]:
            return int(begin["next"])
        position = self._cursors.position(self.connection, queue, place)
        if position is not None:
            return position
        bounds = bounds_of(self.connection, queue)
        return int(place["next"]) if bounds is None else bounds.earliest

    def _is_repeated(self, queue: str) -> bool:
        """Whether another driver planned the first batch, and this one was asked for its
        beginning."""
        return self._began is not None and queue in self._began and not self._has_planned

    def _first_again(self, queue: str, begin: Place, place: Place) -> int:
        self._cursors.drop_other(self.connection, begin, place)
        position = self._cursors.position(self.connection, queue, place)
        if position is not None:
            return position
        wanted = self._options.position_of(queue) if self._options.has_start else None
        if wanted is not None and wanted.word != LATEST:
            return int(begin["next"])
        if self._options.fail_on_loss:
            raise DataLoss(
                f"where the first batch of {queue} began is not known any more, as it began with "
                f"the latest message and has no cursor; {HINT}"
            )
        return int(place["next"])

    # ---- what is done

    def advance(self, done: Offset) -> None:
        """All messages before an offset are done with."""
        for queue, place in done.items():
            self._cursors.advance(self.connection, queue, place)

    def reported(self) -> Offset | None:
        """Where the streams end, without limits, as the last look saw it."""
        if not self._bounds:
            return None
        return {
            queue: {"incarnation": bounds.incarnation, "next": bounds.next}
            for queue, bounds in self._bounds.items()
        }

    def close(self) -> None:
        """The query has stopped. Its own cursors are of no use if it has never read anything."""
        connection = self._connection
        if connection is None or not connection.connected:
            return
        if not self._is_used:
            self._cursors.forget(connection)
        connection.disconnect()
        self._connection = None


def lost(queue: str, place: Place, bounds: Bounds | None) -> str:
    """What is missing, in words."""
    first, incarnation = place["next"], place["incarnation"]
    if bounds is None:
        return f"{queue} was read up to {first} and has no stream any more; {HINT}"
    if bounds.incarnation != incarnation:
        return (
            f"{queue} has been deleted and defined again since it was read up to {first}: "
            f"incarnation {bounds.incarnation}, not {incarnation}; {HINT}"
        )
    if first > bounds.next:
        return (
            f"{queue} was read up to {first}, and its next message is {bounds.next}: the queue "
            f"manager is an earlier one, restored from a backup; {HINT}"
        )
    return (
        f"messages of {queue} from {first} to {bounds.earliest - 1} were purged before they were "
        f"read; {HINT}"
    )
