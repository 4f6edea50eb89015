"""Stream cursors: named, durable positions in the streams of queues, and the table of all.

Plain data. Changes are logged by `txn.families.cursor_records`; a CHECKPOINT record has all
cursors. How far a stream may be trimmed follows from the positions of its cursors.
"""

from __future__ import annotations

from typing import final


@final
class StreamCursor:
    """The number of the next message that its owner has not done with."""

    __slots__ = (
        "altered_ns",
        "defined_ns",
        "expiry_m",
        "idle_since_ns",
        "incarnation",
        "name",
        "owner",
        "position",
        "queue_id",
        "queue_name",
        "used_ns",
        "visible_lsn",
    )

    def __init__(
        self,
        name: str,
        queue_id: int,
        queue_name: str,
        incarnation: int,
        position: int,
        owner: str,
        defined_ns: int,
        altered_ns: int,
        expiry_m: int,
    ) -> None:
        self.name = name
        self.queue_id = queue_id
        self.queue_name = queue_name
        self.incarnation = incarnation  # of the stream that the position is of
        self.position = position
        self.owner = owner  # the user who defined it
        self.defined_ns = defined_ns
        self.altered_ns = altered_ns  # when the position was last changed
        self.expiry_m = expiry_m  # minutes without a use after which it is deleted; 0: never
        self.used_ns = altered_ns  # when it was last used; before this life, when it was changed
        self.idle_since_ns = 0  # the same by the monotonic clock; 0: not looked at in this life
        self.visible_lsn = 0  # to be forced before an answer shows it; 0 after a restart


@final
class CursorTable:
    """All cursors of a queue manager, by name and by queue."""

    def __init__(self) -> None:
        self.by_name: dict[str, StreamCursor] = {}
        self.by_queue: dict[int, dict[str, StreamCursor]] = {}

    def add(self, cursor: StreamCursor) -> None:
        """A new cursor, or one in the place of another of its name."""
        self.remove(cursor.name)
        self.by_name[cursor.name] = cursor
        self.by_queue.setdefault(cursor.queue_id, {})[cursor.name] = cursor

    def remove(self, name: str) -> StreamCursor | None:
        """The cursor that was removed."""
        cursor = self.by_name.pop(name, None)
        if cursor is not None:
            others = self.by_queue[cursor.queue_id]
            del others[name]
            if not others:
                del self.by_queue[cursor.queue_id]
        return cursor

    def remove_queue(self, queue_id: int) -> None:
        """A queue is deleted: its cursors go with it."""
        for name in self.by_queue.pop(queue_id, {}):
            del self.by_name[name]

    def of_queue(self, queue_id: int) -> list[StreamCursor]:
        """The cursors of a queue, in the order of their names."""
        cursors = self.by_queue.get(queue_id, {})
        return [cursors[name] for name in sorted(cursors)]

    def has(self, queue_id: int) -> bool:
        """Whether the queue has a cursor."""
        return queue_id in self.by_queue

    def floor(self, queue_id: int) -> int:
        """The lowest position of a queue's cursors: all have passed lower numbers. 0 without
        cursors."""
        lowest = 0
        for cursor in self.by_queue.get(queue_id, {}).values():
            if lowest == 0 or cursor.position < lowest:
                lowest = cursor.position
        return lowest
