"""dmpmqlog: shows the records of a recovery log, of a queue manager that is down."""

from __future__ import annotations

from typing import Final

from ternmq.base.errors import MQError
from ternmq.base.message_table import message_line
from ternmq.base.reasons import MQRC_Q_MGR_NOT_AVAILABLE
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control import tool_status
from ternmq.cli.output import write_error, write_lines
from ternmq.inspect.dump import DATA_BYTES_SHOWN, LogDump, Range, json_lines, text_lines
from ternmq.inspect.folder import Folder

ABOUT: Final = "show the records of the recovery log"
RUNNING: Final = 5
LOG_DAMAGED: Final = 10


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("dmpmqlog", ABOUT, tool_status.BAD_ARGUMENTS)
    where = line.add_mutually_exclusive_group()
    where.add_argument("-b", action="store_true", help="from the oldest record there is")
    where.add_argument("-s", type=_lsn, metavar="LSN", help="from this LSN")
    where.add_argument("-n", type=int, metavar="EXTENT", help="from this extent")
    where.add_argument("-c", action="store_true", help="from the last checkpoint")
    line.add_argument("-e", type=_lsn, metavar="LSN", help="up to this LSN")
    line.add_argument("-f", metavar="FOLDER", help="the queue manager's folder, if it is elsewhere")
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    line.add_argument("--count", type=int, metavar="N", help="so many records")
    line.add_argument("--data", type=int, default=DATA_BYTES_SHOWN, metavar="N", help="data bytes")
    line.add_argument("--brief", action="store_true", help="a line a record")
    line.add_json()
    asked = line.parse_args(argv)
    wanted = Range(
        base=asked.b,
        start=asked.s,
        extent=asked.n,
        checkpoint=asked.c,
        end=asked.e,
        count=asked.count,
    )
    try:
        folder = asked.f or attach.place_of(asked.m).folder
        with Folder(folder) as held:
            dump = LogDump(held, 0)
            if asked.json:
                write_lines(json_lines(dump, wanted, asked.data))
            else:
                write_lines(text_lines(dump, wanted, asked.data, asked.brief))
    except ValueError as error:
        line.error(str(error))
    except MQError as error:
        if error.reason == MQRC_Q_MGR_NOT_AVAILABLE:  # for once because it is running
            write_error(message_line("AMQ7005E", (asked.m,)))
            write_error(error.detail)
            return RUNNING
        return tool_status.refused(error, asked.m)
    return tool_status.OK if dump.is_sound else LOG_DAMAGED


def _lsn(written: str) -> int:
    """Decimal, hexadecimal with 0x, or four numbers with colons as MQ writes them."""
    if ":" in written:
        parts = [int(part) for part in written.split(":")]
        if len(parts) != 4:
            raise ValueError(written)
        return (((parts[0] << 32 | parts[1]) << 32) | parts[2]) << 16 | parts[3]
    return int(written, 0)
