"""How much of the log is reserved for the ends of units of work in doubt, and for whose.

A prepared unit is never the victim of a full log, so what it has reserved is gone until it
is ended. Units of all users together may have half of the log, those of one user a quarter: what is
left is for work that ends by itself. Administrators are not limited. Called by the coordinator.
"""

from __future__ import annotations

from typing import Final, final

ALL_PART: Final = 2  # of the log, for all users together
USER_PART: Final = 4


@final
class InDoubt:
    """Reservations of prepared units, by unit and by user."""

    __slots__ = ("_by_unit", "_by_user", "_counts", "total")

    def __init__(self) -> None:
        self._by_unit: dict[int, tuple[str, int]] = {}
        self._by_user: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self.total = 0

    def add(self, unit_id: int, user: str, count: int) -> None:
        """A unit is prepared, with so many bytes reserved."""
        self._by_unit[unit_id] = (user, count)
        self._by_user[user] = self._by_user.get(user, 0) + count
        self._counts[user] = self._counts.get(user, 0) + 1
        self.total += count

    def remove(self, unit_id: int) -> None:
        """A unit has ended; one that was never in doubt changes nothing."""
        found = self._by_unit.pop(unit_id, None)
        if found is None:
            return
        user, count = found
        self.total -= count
        self._by_user[user] -= count
        self._counts[user] -= 1
        if self._counts[user] == 0:
            del self._by_user[user]
            del self._counts[user]

    def refusal(self, user: str, count: int, log_bytes: int) -> str:
        """Why a unit of a user may not be prepared with so many bytes reserved; empty if it may.
        The first unit of all always may."""
        mine = self._by_user.get(user, 0)
        if mine and mine + count > log_bytes // USER_PART:
            return (
                f"{self._counts[user]} units of work in doubt of user {user!r} have {mine} bytes "
                f"of the recovery log reserved, and {log_bytes // USER_PART} are a user's share"
            )
        if self.total and self.total + count > log_bytes // ALL_PART:
            return (
                f"{len(self._by_unit)} units of work in doubt have {self.total} bytes of the "
                f"recovery log reserved, and {log_bytes // ALL_PART} are the share of all users"
            )
        return ""
