"""The users port on the operating system's users and groups."""

from __future__ import annotations

import grp
import os
import pwd
from typing import final

from ternmq.ports.users import Users


@final
class OsUsers(Users):
    """Users and groups as the name service of the machine has them."""

    def groups(self, user: str) -> tuple[str, ...]:
        try:
            primary = pwd.getpwnam(user).pw_gid
        except KeyError:
            return ()
        numbers = os.getgrouplist(user, primary)
        names = [_group_name(number) for number in numbers]
        first = _group_name(primary)
        return (first, *sorted(name for name in names if name and name != first))

    def has_user(self, user: str) -> bool:
        try:
            pwd.getpwnam(user)
        except KeyError:
            return False
        return True

    def has_group(self, group: str) -> bool:
        try:
            grp.getgrnam(group)
        except KeyError:
            return False
        return True

    def number(self, user: str) -> int:
        try:
            return pwd.getpwnam(user).pw_uid
        except KeyError:
            return -1


def _group_name(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
