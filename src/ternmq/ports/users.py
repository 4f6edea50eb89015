"""Who there is: users and their groups, as the core sees them.

`GroupTable` is one in memory: for simulations and tests, and for the users of the password file.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class Users:
    """A directory of users. A user that it does not know has no groups."""

    def groups(self, user: str) -> tuple[str, ...]:
        """The groups of a user, the primary one first; () if the user is not known."""
        raise NotImplementedError

    def has_user(self, user: str) -> bool:
        """Whether the user is known."""
        raise NotImplementedError

    def has_group(self, group: str) -> bool:
        """Whether the group is known."""
        raise NotImplementedError

    def number(self, user: str) -> int:
        """The number by which the system knows the user; -1 if it does not."""
        return -1


@final
class GroupTable(Users):
    """Users and groups that stand in a table; users not in it may be in another directory."""

    def __init__(self, table: dict[str, tuple[str, ...]], beyond: Users | None = None) -> None:
        self.table = table
        self.beyond = beyond

    def groups(self, user: str) -> tuple[str, ...]:
        own = self.table.get(user)
        beyond = self.beyond
        others: tuple[str, ...] = () if beyond is None else beyond.groups(user)
        if own is None:
            return others
        return own + tuple(group for group in others if group not in own)

    def has_user(self, user: str) -> bool:
        beyond = self.beyond
        return user in self.table or (beyond is not None and beyond.has_user(user))

    def has_group(self, group: str) -> bool:
        for groups in self.table.values():
            if group in groups:
                return True
        beyond = self.beyond
        return beyond is not None and beyond.has_group(group)

    def number(self, user: str) -> int:
        beyond = self.beyond
        return -1 if beyond is None else beyond.number(user)
