"""How much a batch reads: limits divided among queues, and ranges divided among tasks."""

from __future__ import annotations

from typing import Final

from ternmq.spark.mq_streams import Range

PARTITION_NUMBERS_MIN: Final = 2048  # fewer messages are not worth a task of their own


def shares(backlogs: dict[str, int], most: int) -> dict[str, int]:
    """A limit divided by how much there is to read; whoever has most is served first, and each has
    at least one while there is room."""
    whole = sum(backlogs.values())
    if whole <= most:
        return dict(backlogs)
    found: dict[str, int] = {}
    left = most
    for queue, backlog in sorted(backlogs.items(), key=lambda item: (-item[1], item[0])):
        share = min(max(most * backlog // whole, 1), backlog, left)
        found[queue] = share
        left -= share
    return found


def divided(ranges: list[Range], tasks: int, is_told: bool) -> list[list[Range]]:
    """Ranges for each task, of about as many numbers: exactly as many tasks as a user told, or no
    more than are worth it."""
    whole = sum(part.end - part.first for part in ranges)
    if not whole:
        return []
    if not is_told:
        tasks = min(tasks, -(-whole // PARTITION_NUMBERS_MIN))
    size = -(-whole // tasks)
    found: list[list[Range]] = []
    current: list[Range] = []
    room = size
    for part in ranges:
        first = part.first
        while first < part.end:
            end = min(part.end, first + room)
            current.append(part._replace(first=first, end=end))
            room -= end - first
            first = end
            if not room:
                found.append(current)
                current, room = [], size
    if current:
        found.append(current)
    return found
