"""passwd: the users of a queue manager's password file, for CONNAUTH.

    ternmq passwd -m QM1 app            set the password of app, read from the terminal or stdin
    ternmq passwd -m QM1 -g mqm admin   and the groups of the user
    ternmq passwd -m QM1 -d app         remove the user
    ternmq passwd -m QM1 -l             list the users

The file may be changed while the queue manager runs: passwords count from the next connect, groups
after REFRESH SECURITY.
"""

from __future__ import annotations

import getpass
import os
import sys
from contextlib import closing
from typing import Final

from ternmq.base.errors import MQError
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control import tool_status
from ternmq.cli.output import write, write_error, write_json
from ternmq.ports.os_disk import OsDisk
from ternmq.security.password_file import (
    SALT_BYTES,
    Account,
    PasswordFileError,
    is_user_name,
    read_accounts,
    save_accounts,
)
from ternmq.security.passwords import make_account

ABOUT: Final = "set passwords of users that a queue manager knows"


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("ternmq passwd", ABOUT, tool_status.BAD_ARGUMENTS)
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    line.add_argument("-g", metavar="GROUPS", help="groups of the user, with commas between them")
    line.add_argument("-d", action="store_true", help="remove the user")
    line.add_argument("-l", action="store_true", help="list the users")
    line.add_argument("user", nargs="?", default="", help="the user; asks for the new password")
    line.add_json()
    asked = line.parse_args(argv)
    groups = None if asked.g is None else tuple(one for one in asked.g.split(",") if one)
    for name in (() if asked.l else (asked.user,)) + (groups or ()):
        if not is_user_name(name):
            line.error(f"{name!r} is not a name of a user or group")
    try:
        with closing(OsDisk(attach.place_of(asked.m).folder)) as disk:
            accounts = read_accounts(disk)
            if asked.l:
                _list(accounts, asked.json)
            elif asked.d:
                if accounts.pop(asked.user, None) is None:
                    write_error(f"There is no user '{asked.user}' in the password file.")
                    return tool_status.NONE_FOUND
                save_accounts(disk, accounts)
                write(f"User '{asked.user}' removed.")
            else:
                _set(disk, accounts, asked.user, groups)
    except MQError as error:
        return tool_status.refused(error, asked.m)
    except (PasswordFileError, ValueError) as error:
        write_error(str(error))
        return tool_status.UNEXPECTED
    return tool_status.OK


def _list(accounts: dict[str, Account], as_json: bool) -> None:
    rows = [accounts[user] for user in sorted(accounts)]
    if as_json:
        write_json(
            [
                {"user": one.user, "groups": list(one.groups), "default": one.is_default}
                for one in rows
            ]
        )
        return
    for one in rows:
        default = "  (the default password)" if one.is_default else ""
        write(f"{one.user:<20}{','.join(one.groups):<20}{default}".rstrip())


def _set(
    disk: OsDisk, accounts: dict[str, Account], user: str, groups: tuple[str, ...] | None
) -> None:
    old = accounts.get(user)
    kept = old.groups if groups is None and old is not None else groups or ()
    accounts[user] = make_account(user, kept, _password(user), os.urandom(SALT_BYTES))
    save_accounts(disk, accounts)
    write(f"Password of user '{user}' set.")


def _password(user: str) -> str:
    """Asked for twice at a terminal, else the first line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = getpass.getpass(f"Password for user {user}: ")
    if getpass.getpass("Once more: ") != first:
        raise ValueError("The two passwords differ; nothing was changed.")
    return first
