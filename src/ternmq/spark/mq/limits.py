"""How much a batch reads: limits divided among queues, and ranges divided among tasks."""

from __future__ import annotations

from typing import Final

from ternmq.spark.mq.queue_streams import Range

PARTITION_NUMBERS_MIN: Final = 2048  # fewer messages are not worth a task of their own


def shares(backlogs: dict[str, int], most: int, turn: int = 0) -> dict[str, int]:
    """A limit divided by how much there is to read, and one at least for each queue that has
    something. If the limit is not enough for that, queues take turns: `turn` says where to begin,
    and the one who asks again with as many more as were given comes to all of them."""
    if sum(backlogs.values()) <= most:
        return dict(backlogs)
    waiting = sorted(queue for queue, backlog in backlogs.items() if backlog)
    found = dict.fromkeys(backlogs, 0)
    if most < len(waiting):
        for number in range(most):
            found[waiting[(turn + number) % len(waiting)]] = 1
        return found
    left = most - len(waiting)
    rest = sum(backlogs.values()) - len(waiting)
    for queue in waiting:
        found[queue] = 1 + left * (backlogs[queue] - 1) // rest
    spare = most - sum(found.values())  # what rounding has left, one by one to the longest
    for queue in sorted(waiting, key=lambda name: (found[name] - backlogs[name], name))[:spare]:
        found[queue] += 1
    return found


def divided(ranges: list[Range], tasks: int, is_given: bool) -> list[list[Range]]:
    """Ranges for each task, of about as many numbers: exactly as many tasks as a user asked for, or
    no more than are worth it."""
    whole = sum(part.end - part.first for part in ranges)
    if not whole:
        return []
    if not is_given:
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
