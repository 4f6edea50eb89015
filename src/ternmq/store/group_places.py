"""Groups by the place of their first message on the queue, in the order in which gets take them.

A place is one number: the lane, highest first, and the stream number. Owned by the index of groups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

if TYPE_CHECKING:
    from ternmq.store.group_index import Group

RUN_MAX: Final = 256  # groups; a run that gets twice as many is split
_LANE_SHIFT: Final = 56
_LANE_TOP: Final = 10
_SEQUENCE_MASK: Final = (1 << _LANE_SHIFT) - 1


def place_of(lane: i64, sequence: i64) -> i64:
    """The place of a message; lower ones are taken first."""
    return (_LANE_TOP - lane) << _LANE_SHIFT | sequence


def lane_of(place: i64) -> i64:
    """The lane of a place; above all lanes for 0, which is before every message."""
    return _LANE_TOP - (place >> _LANE_SHIFT)


def sequence_of(place: i64) -> i64:
    """The stream number of a place."""
    return place & _SEQUENCE_MASK


@final
class GroupPlaces:
    """Groups in order of their places."""

    __slots__ = ("_runs",)

    def __init__(self) -> None:
        self._runs: list[list[Group]] = []

    def add(self, group: Group) -> None:
        """Add a group at its place."""
        runs = self._runs
        if not runs or runs[-1][-1].place < group.place:
            if not runs or len(runs[-1]) >= RUN_MAX:
                runs.append([])
            runs[-1].append(group)
            return
        at = self._run_behind(group.place)
        run = runs[at]
        run.insert(int(_behind(run, group.place)), group)
        if len(run) >= 2 * RUN_MAX:
            runs.insert(int(at + 1), run[RUN_MAX:])
            del run[RUN_MAX:]

    def discard(self, group: Group) -> None:
        """Take out a group that is at its place."""
        at = self._run_behind(group.place - 1)
        run = self._runs[at]
        del run[int(_behind(run, group.place - 1))]
        if not run:
            del self._runs[int(at)]

    def after(self, place: i64) -> Group | None:
        """The first group behind a place."""
        at = self._run_behind(place)
        if at == len(self._runs):
            return None
        run = self._runs[at]
        return run[_behind(run, place)]

    @property
    def is_empty(self) -> bool:
        """Whether there is no group."""
        return not self._runs

    def groups(self) -> list[Group]:
        """All of them, in order; for tests."""
        return [group for run in self._runs for group in run]

    def _run_behind(self, place: i64) -> i64:
        low: i64 = 0
        high: i64 = len(self._runs)
        while low < high:
            middle = (low + high) // 2
            if self._runs[middle][-1].place > place:
                high = middle
            else:
                low = middle + 1
        return low


def _behind(run: list[Group], place: i64) -> i64:
    low: i64 = 0
    high: i64 = len(run)
    while low < high:
        middle = (low + high) // 2
        if run[middle].place > place:
            high = middle
        else:
            low = middle + 1
    return low
