"""A stream cursor: a named, durable position in the stream of one queue.

Plain data. The table of all cursors is `txn.cursors`, which logs every change; how far a stream may
be trimmed follows from the positions of its cursors.
"""

from __future__ import annotations

from typing import final


@final
class StreamCursor:
    """The number of the next message that its owner has not done with."""

    __slots__ = (
        "altered_ns",
        "defined_ns",
        "incarnation",
        "name",
        "owner",
        "position",
        "queue_id",
        "queue_name",
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
    ) -> None:
        self.name = name
        self.queue_id = queue_id
        self.queue_name = queue_name
        self.incarnation = incarnation  # of the stream that the position is of
        self.position = position
        self.owner = owner  # the user who defined it
        self.defined_ns = defined_ns
        self.altered_ns = altered_ns  # when the position was last changed
