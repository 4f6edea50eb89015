"""runmqdlq [QUEUE] [QMGR] < RULES: works through a dead-letter queue by the rules of a table."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError
from ternmq.base.message_table import message_line
from ternmq.base.reasons import MQRC_Q_MGR_QUIESCING
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control.dead_letters import OPEN, DeadLetters
from ternmq.cli.control.dlq_rules import read_table
from ternmq.cli.output import write_error, write_json, write_now

if TYPE_CHECKING:
    from ternmq.api.connection import Connection

ABOUT: Final = "work through a dead-letter queue by the rules of a table"
FAILED: Final = 1


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("runmqdlq", ABOUT)
    line.add_argument("-f", metavar="FILE", help="the rules; else from standard input")
    line.add_argument("-c", action="store_true", help="as a client, over the network")
    line.add_argument("-u", metavar="USER", default="", help="asks for the password")
    line.add_argument("queue", nargs="?", default="", help="the queue, before INPUTQ of the rules")
    line.add_argument("qmgr", nargs="?", default="", help="the queue manager, before INPUTQM")
    line.add_json()
    asked = line.parse_args(argv)
    try:
        text = _rules(asked.f)
    except UnicodeDecodeError as wrong:
        write_error(f"runmqdlq: the rules are not text in UTF-8: {wrong.reason}")
        return FAILED
    table, errors = read_table(text)
    for error in errors:
        write_error(str(error))
    if errors:
        write_error(message_line("AMQ8758E", (len(errors),)))
        return FAILED
    if not table.rules:
        write_error(message_line("AMQ8750E"))
        return FAILED
    qmgr = asked.qmgr or table.qmgr
    try:
        connection = attach.attach(qmgr, "runmqdlq", asked.u, asked.c)
    except MQError as failure:
        write_error(message_line("AMQ8741E", (qmgr, failure.reason)))
        return FAILED
    with connection:
        name = asked.queue or table.queue or _dead_letter_queue(connection)
        try:
            queue = connection.queue(name, options=OPEN)
        except MQError as failure:
            write_error(message_line("AMQ8745E", (name, failure.reason)))
            return FAILED
        if not asked.json:
            write_now(message_line("AMQ8708I", (name,)))
        letters = DeadLetters(connection, queue, table)
        status = _run(letters)
        queue.close()
    if asked.json:
        counts = {"moved": letters.moved, "discarded": letters.discarded, "left": letters.left}
        write_json({"queue": name, **counts})
    else:
        write_now(message_line("AMQ8709I"))
    return status


def _rules(path: str | None) -> str:
    if path is None:
        return sys.stdin.read()
    with open(path, encoding="utf-8") as file:
        return file.read()


def _run(letters: DeadLetters) -> int:
    try:
        letters.run()
    except MQError as error:
        if error.reason == MQRC_Q_MGR_QUIESCING:
            return 0
        write_error(message_line("AMQ8766E", (error.reason,)))
        return FAILED
    return 0


def _dead_letter_queue(connection: Connection) -> str:
    """The one that the queue manager names, else the usual one."""
    return str(connection.qmgr_attributes().get("dead_letter_queue", "")) or (
        "SYSTEM.DEAD.LETTER.QUEUE"
    )
