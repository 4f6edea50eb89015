"""crtmqm: create a queue manager."""

from __future__ import annotations

import argparse
import os
from typing import Final

from ternmq.base.constants import MQ_Q_MGR_DESC_LENGTH
from ternmq.base.errors import MQError
from ternmq.base.limits import (
    LOG_FILE_PAGES_DEFAULT,
    LOG_PRIMARY_FILES_DEFAULT,
    LOG_SECONDARY_FILES_DEFAULT,
)
from ternmq.base.message_table import message_line, message_text
from ternmq.base.names import is_name
from ternmq.cli.arguments import BAD_ARGUMENTS, CommandLine
from ternmq.cli.output import write, write_error
from ternmq.runtime.starting import log_parameters
from ternmq.server.folder.creating import AlreadyThere, BadLogPath, Creation, create
from ternmq.server.folder.data_folder import data_folder
from ternmq.server.folder.scripts import ScriptFailed

EXIT_EXISTS: Final = 8
EXIT_LOG_PATH: Final = 100
EXIT_BAD_LOG: Final = 115
EXIT_UNEXPECTED: Final = 71
EXIT_NAME: Final = 72
_PORTS: Final = range(1, 65_536)


def command_line() -> CommandLine:
    """Options as those of IBM MQ."""
    line = CommandLine("crtmqm", "Create a queue manager.")
    line.add_argument("-q", action="store_true", help="make it the default queue manager")
    line.add_argument("-u", metavar="QUEUE", default="", help="dead-letter queue")
    line.add_argument("-d", metavar="QUEUE", default="", help="default transmission queue")
    line.add_argument("-c", metavar="TEXT", default="", help="description")
    line.add_argument("-h", metavar="N", type=_from_one, help="handles of a connection (MAXHANDS)")
    line.add_argument("-t", metavar="MS", type=_from_zero, help="trigger interval (TRIGINT)")
    line.add_argument("-x", metavar="N", type=_from_one, help="messages of a unit (MAXUMSGS)")
    line.add_suppress()
    kind = line.add_mutually_exclusive_group()
    kind.add_argument("-lc", action="store_true", help="circular log (the default)")
    kind.add_argument("-ll", action="store_true", help="linear log")
    kind.add_argument("-lla", action="store_true", help="linear log; here the same as -ll")
    line.add_argument(
        "-lp",
        metavar="N",
        type=int,
        default=LOG_PRIMARY_FILES_DEFAULT,
        help="primary log files (%(default)s)",
    )
    line.add_argument(
        "-ls",
        metavar="N",
        type=int,
        default=LOG_SECONDARY_FILES_DEFAULT,
        help="secondary log files (%(default)s)",
    )
    line.add_argument(
        "-lf",
        metavar="PAGES",
        type=int,
        default=LOG_FILE_PAGES_DEFAULT,
        help="pages of 4 KiB in a log file (%(default)s)",
    )
    line.add_argument("-ld", metavar="FOLDER", default="", help="folder of the log")
    line.add_argument("-md", metavar="FOLDER", default="", help="folder of the queue manager")
    line.add_argument("-p", metavar="PORT", type=int, default=0, help="listener on this port")
    line.add_argument("-ic", metavar="PATH", default="", help="MQSC to run at each start")
    line.add_argument("-ii", metavar="PATH", default="", help="configuration to take in")
    line.add_argument(
        "-oa",
        choices=("user", "group", "UserExternal"),
        default="",
        help="SecurityPolicy: who gets authority for what a user makes; any user name",
    )
    line.add_argument("--dual-log", action="store_true", help="two copies of the log")
    line.add_argument("--dev", action="store_true", help="DEV.* objects, users and rules")
    line.add_argument("name", metavar="QMGR", help="the queue manager")
    return line


def _from_zero(text: str) -> int:
    number = int(text)
    if number not in range(1_000_000_000):
        raise argparse.ArgumentTypeError(f"0 to 999999999, not {text}")
    return number


def _from_one(text: str) -> int:
    number = _from_zero(text)
    if number == 0:
        raise argparse.ArgumentTypeError("1 to 999999999, not 0")
    return number


def main(argv: list[str]) -> int:
    """Create it; the exit status."""
    options = command_line().parse_args(argv)
    name: str = options.name
    if not is_name(name):
        write_error(message_line("AMQ7048E", (name,)))
        return EXIT_NAME
    wrong = _wrong(options)
    if wrong:
        write_error(f"crtmqm: {wrong}")
        return BAD_ARGUMENTS
    try:
        asked = _asked(options)
    except ValueError as error:
        write_error(message_line("AMQ7073E", (error,)))
        return EXIT_BAD_LOG
    try:
        create(data_folder(), asked)
    except AlreadyThere:
        write_error(message_line("AMQ8110S", (name,)))
        return EXIT_EXISTS
    except BadLogPath as bad:
        write_error(message_line("AMQ7064E", (bad,)))
        return EXIT_LOG_PATH
    except ScriptFailed as failed:
        write_error(message_line("AMQ7018E", (failed,)))
        return EXIT_UNEXPECTED
    except (MQError, OSError) as error:
        write_error(message_line("AMQ7019E", (error,)))
        return EXIT_UNEXPECTED
    _report(asked)
    return 0


def _wrong(options: argparse.Namespace) -> str:
    """What is wrong with a value, if something is."""
    for option, queue in (("-u", options.u), ("-d", options.d)):
        if queue and not is_name(queue):
            return f"{option}: {queue!r} is not the name of a queue"
    if len(options.c.encode("utf-8", "surrogateescape")) > MQ_Q_MGR_DESC_LENGTH:
        return f"-c: a description has at most {MQ_Q_MGR_DESC_LENGTH} bytes"
    if options.p and options.p not in _PORTS:
        return f"-p is a port from 1 to 65535, not {options.p}"
    return ""


def _asked(options: argparse.Namespace) -> Creation:
    kind = "linear" if options.ll or options.lla else "circular"
    parameters = log_parameters(kind, options.lp, options.ls, options.lf, options.dual_log)
    asked = Creation(options.name, parameters)
    asked.is_default = options.q
    asked.dead_letter_queue = options.u
    asked.transmission_queue = options.d
    asked.description = options.c
    limits = {"MAXHANDS": options.h, "TRIGINT": options.t, "MAXUMSGS": options.x}
    asked.limits = {keyword: number for keyword, number in limits.items() if number is not None}
    asked.log_folder = options.ld
    asked.data_folder = options.md
    asked.port = options.p
    asked.script_path = options.ic
    asked.ini_path = options.ii
    asked.security_policy = options.oa
    asked.developer = options.dev or os.environ.get("MQ_DEV", "").lower() in ("true", "1")
    return asked


def _report(asked: Creation) -> None:
    """What people are used to see, once it is there."""
    write(message_text("AMQ8001I", (asked.name,)))
    write(f"Directory '{asked.folder}' created.")
    write(f"The queue manager is associated with installation '{asked.installation}'.")
    write(f"Creating or replacing default objects for queue manager '{asked.name}'.")
    write(message_text("AMQ8048I", (asked.objects, 0, 0)))
    write("Completing setup.")
    write("Setup completed.")
    for warning in asked.warnings:
        write_error(f"Warning: {warning}")
