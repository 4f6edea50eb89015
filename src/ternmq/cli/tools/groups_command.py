"""groups: the message groups on a queue, how much of each is there, and a way to remove one.

    ternmq groups -m QM1 INVOICES                   all groups
    ternmq groups -m QM1 INVOICES --incomplete      those that lack a message or a segment
    ternmq groups -m QM1 INVOICES --remove 414D51   take the group whose GroupId begins so

A group is removed in one unit of work: all of it, or nothing.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.words import count_text
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control import tool_status
from ternmq.cli.output import write, write_error, write_json

if TYPE_CHECKING:
    from ternmq.api.connection import Connection
    from ternmq.api.queue import Queue
    from ternmq.values.status import GroupFigures

ABOUT: Final = "show message groups of a queue, remove one"
_CUT: Final = mq.MQGMO_ACCEPT_TRUNCATED_MSG  # the data is not wanted
HEADINGS: Final = ("GROUPID", "MESSAGES", "COMPLETE", "FIRST", "LAST", "WHOLE")


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("ternmq groups", ABOUT, tool_status.BAD_ARGUMENTS)
    line.add_argument("queue", help="a local queue")
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    line.add_argument("-c", action="store_true", help="as a client, by MQSERVER or a CCDT")
    line.add_argument("-u", metavar="USER", default="", help="the user that connects")
    line.add_argument("--incomplete", action="store_true", help="only groups that lack a message")
    line.add_argument(
        "--remove", metavar="GROUPID", default="", help="its first hexadecimal digits, or all"
    )
    line.add_json()
    asked = line.parse_args(argv)
    try:
        with (
            attach.attach(asked.m, "groups", asked.u, asked.c) as connection,
            connection.queue(asked.queue) as queue,
        ):
            groups = queue.groups(incomplete=asked.incomplete)
            if asked.remove:
                return _remove(connection, queue, groups, asked.remove.lower(), asked.json)
    except MQError as error:
        return tool_status.refused(error, asked.m, "queue")
    _show(groups, asked.json)
    return tool_status.OK


def _show(groups: list[GroupFigures], as_json: bool) -> None:
    if as_json:
        write_json([asdict(group) for group in groups])
        return
    if not groups:
        write("No groups.")
        return
    write("{:<48} {:>9} {:>9} {:>9} {:>9} {}".format(*HEADINGS))
    for one in groups:
        whole = "yes" if one.is_whole else "no"
        write(
            f"{one.group_id.upper():<48} {one.messages:>9} {one.complete:>9} {one.first:>9} "
            f"{one.last:>9} {whole}"
        )


def _remove(
    connection: Connection, queue: Queue, groups: list[GroupFigures], begins: str, as_json: bool
) -> int:
    """Take all messages of the one group whose GroupId begins so."""
    fitting = [group for group in groups if group.group_id.startswith(begins)]
    if len(fitting) != 1:
        write_error(
            f"{count_text(len(fitting), 'group')} on the queue have a GroupId that begins with "
            f"{begins.upper()}; give more of it."
            if fitting
            else f"No group on the queue has a GroupId that begins with {begins.upper()}."
        )
        return tool_status.NONE_FOUND
    group_id = bytes.fromhex(fitting[0].group_id)
    removed = 0
    try:
        while (
            queue.try_get(group_id=group_id, max_length=0, options=_CUT, syncpoint=True) is not None
        ):
            removed += 1
        connection.commit()
    except BaseException:
        connection.backout()
        raise
    if as_json:
        write_json({"group_id": fitting[0].group_id, "removed": removed})
    else:
        write(f"{count_text(removed, 'message')} removed.")
    return tool_status.OK
