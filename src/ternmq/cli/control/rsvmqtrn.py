"""rsvmqtrn: an operator decides for a transaction manager that does not come back.

`-c` commits, `-b` backs out, `-f` forgets a decision that the transaction manager has learnt. The
transaction is named by its number, as dspmqtrn shows it, or with -x by its XID. Ours: --user takes
all transactions of a user, --all those of all users.
"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError
from ternmq.base.message_table import message_line
from ternmq.base.words import count_text
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control import tool_status, transactions
from ternmq.cli.output import write, write_error, write_json
from ternmq.values.status import PREPARED
from ternmq.values.xid import XID

if TYPE_CHECKING:
    from ternmq.api.connection import Connection

ABOUT: Final = "end units of work in doubt in the place of their transaction manager"


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("rsvmqtrn", ABOUT, tool_status.BAD_ARGUMENTS)
    what = line.add_mutually_exclusive_group(required=True)
    what.add_argument("-a", action="store_true", help="all that the queue manager coordinates")
    what.add_argument("-b", action="store_true", help="back it out")
    what.add_argument("-c", action="store_true", help="commit it")
    what.add_argument("-f", action="store_true", help="forget what an operator decided")
    line.add_argument("-m", metavar="QMGR", required=True, help="the queue manager")
    line.add_argument("-r", metavar="ID", type=int, default=0, help="resource manager: 0")
    line.add_argument("-x", metavar="XID", help="formatID:gtrid:bqual")
    many = line.add_mutually_exclusive_group()
    many.add_argument("--all", action="store_true", help="every transaction; ours")
    many.add_argument("--user", metavar="USER", help="every transaction of a user; ours")
    line.add_argument("number", nargs="?", metavar="TRANSACTION", help="as dspmqtrn shows it")
    line.add_json()
    asked = line.parse_args(argv)
    named = bool(asked.x) + bool(asked.number) + asked.all + (asked.user is not None)
    if named != (0 if asked.a else 1):
        line.error("name a transaction by its number or with -x, or many with --user or --all")
    if asked.r:
        write_error(message_line("AMQ7022E", (asked.r,)))
        return 34
    try:
        with attach.attach_admin(asked.m, "rsvmqtrn") as connection:
            if asked.a:
                # None is coordinated here: each has a transaction manager of its own to wait for.
                write(message_line("AMQ7108I"))
                return tool_status.OK
            if asked.all or asked.user is not None:
                return _decide_many(connection, asked)
            xid = _find(connection, asked.x, asked.number)
            if xid is None:
                write_error(f"there is no transaction {asked.x or asked.number}; see dspmqtrn")
                return tool_status.NO_TRANSACTIONS
            done = _decide(connection, xid, forget=asked.f, commit=asked.c)
    except ValueError as error:
        line.error(str(error))
    except MQError as error:
        write_error(message_line("AMQ7112E", (asked.x or asked.number or "", str(error))))
        known = tool_status.refused(error, asked.m)
        return tool_status.CANNOT_RESOLVE if known == tool_status.UNEXPECTED else known
    if asked.json:
        write_json({"xid": transactions.written(xid), "outcome": done})
    else:
        write(f"Transaction number {transactions.number_of(xid)} {done}.")
    return tool_status.OK


def _decide_many(connection: Connection, asked: Namespace) -> int:
    """Each by itself; one that cannot be ended is reported, and the others go on."""
    found = [
        one.xid
        for one in connection.units_in_doubt()
        if (one.state == PREPARED) != asked.f and asked.user in (None, one.xid.owner)
    ]
    outcome = ""
    ended = 0
    for xid in found:
        try:
            outcome = _decide(connection, xid, forget=asked.f, commit=asked.c)
            ended += 1
        except MQError as error:
            write_error(message_line("AMQ7112E", (transactions.number_of(xid), str(error))))
    if asked.json:
        write_json({"outcome": outcome, "transactions": ended, "failed": len(found) - ended})
    elif ended:
        write(f"{count_text(ended, 'transaction')} {outcome}.")
    if not found:
        whose = "" if asked.user is None else f" of user {asked.user}"
        write_error(f"there are no such transactions{whose}; see dspmqtrn -h")
        return tool_status.NO_TRANSACTIONS
    return tool_status.OK if ended == len(found) else tool_status.CANNOT_RESOLVE


def _find(connection: Connection, word: str | None, number: str | None) -> XID | None:
    wanted = None if word is None else transactions.read(word)
    for xid in connection.in_doubt():
        if xid == wanted or (wanted is None and transactions.number_of(xid) == number):
            return xid
    return None


def _decide(connection: Connection, xid: XID, *, forget: bool, commit: bool) -> str:
    if forget:
        connection.forget(xid)
        return "forgotten"
    connection.resolve(xid, commit=commit)
    return "committed" if commit else "backed out"
