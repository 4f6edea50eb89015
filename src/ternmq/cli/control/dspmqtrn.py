"""dspmqtrn: shows units of work that are prepared and wait for their transaction manager, and those
that an operator has ended in its place."""

from __future__ import annotations

from typing import Final

from ternmq.base.errors import MQError
from ternmq.base.message_table import message_line
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control import tool_status, transactions
from ternmq.cli.output import write, write_json
from ternmq.values.status import PREPARED, UnitInDoubt

ABOUT: Final = "show units of work in doubt"


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("dspmqtrn", ABOUT, tool_status.BAD_ARGUMENTS)
    for letter, about in (
        ("a", "all: the default"),
        ("e", "those of transaction managers outside: all are"),
        ("h", "those that were ended by an operator, too"),
        ("i", "those that the queue manager coordinates: there are none"),
    ):
        line.add_argument(f"-{letter}", action="store_true", help=about)
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    line.add_json()
    asked = line.parse_args(argv)
    try:
        with attach.attach_admin(asked.m, "dspmqtrn") as connection:
            found = [
                one
                for one in connection.units_in_doubt()
                if (one.state == PREPARED or asked.h) and (asked.e or asked.a or not asked.i)
            ]
    except MQError as error:
        return tool_status.refused(error, asked.m)
    if asked.json:
        write_json([_row(one) for one in found])
    elif found:
        write(message_line("AMQ7107I", (0, "TernMQ")))
        for one in found:
            _show(one)
    else:
        write("There are no prepared transactions.")
    return tool_status.OK if found else tool_status.NONE_FOUND


def _row(unit: UnitInDoubt) -> dict[str, object]:
    xid = unit.xid
    return {
        "number": transactions.number_of(xid),
        "state": unit.state,
        "xid": transactions.written(xid),
        "formatId": xid.format_id,
        "gtrid": xid.global_id.hex(),
        "bqual": xid.branch_qualifier.hex(),
        "user": xid.owner,
    }


def _show(unit: UnitInDoubt) -> None:
    xid = unit.xid
    number = transactions.number_of(xid)
    if unit.state == PREPARED:
        write(message_line("AMQ7056I", (number,)))
    else:
        write(f"Transaction number {number} was {unit.state} by an operator.")
    write(
        f"    XID: formatID {xid.format_id}, gtrid_length {len(xid.global_id)}, "
        f"bqual_length {len(xid.branch_qualifier)}"
    )
    write(f"         gtrid [{xid.global_id.hex().upper()}]")
    write(f"         bqual [{xid.branch_qualifier.hex().upper()}]")
