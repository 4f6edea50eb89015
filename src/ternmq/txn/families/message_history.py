"""What the log did to messages, event by event: the base for readers of the log without a store.

Record kinds report to it (`RecordKind.follow`); the salvage tool implements it.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class MessageHistory:
    """Takes events in the order of the log. Unit 0 means no unit: the event counts at once."""

    def put(self, lsn: int, unit: int, queue_id: int, number: int, image: bytes) -> None:
        """A message was put; its image is as this queue has it."""
        raise NotImplementedError

    def got(self, unit: int, queue_id: int, number: int) -> None:
        """A message was got."""
        raise NotImplementedError

    def committed(self, unit: int, rows: list[tuple[int, int, int]]) -> None:
        """A unit ended well; queue, number and sequence of each persistent put."""
        raise NotImplementedError

    def undone(self, unit: int, change: int, queue_id: int, number: int) -> None:
        """A put or get of a unit was taken back."""
        raise NotImplementedError

    def expired(self, queue_id: int, number: int) -> None:
        """A message was too old."""
        raise NotImplementedError

    def cleared(self, queue_id: int, next_number: int) -> None:
        """All messages of a queue with lower numbers are gone."""
        raise NotImplementedError
