"""The command line of dspmqrte, and what its options mean together."""

from __future__ import annotations

import argparse
from typing import Final

from ternmq.base import constants as mq
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control import route_display

ABOUT: Final = "show the route that a message takes to a queue"
EXPIRY_DEFAULT_S: Final = 60
WAIT_AFTER_EXPIRY_S: Final = 60
DETAILS: Final = {
    "low": mq.MQROUTE_DETAIL_LOW,
    "medium": mq.MQROUTE_DETAIL_MEDIUM,
    "high": mq.MQROUTE_DETAIL_HIGH,
}
_REPORTS: Final = {
    "none": mq.MQRO_NONE,
    "activity": mq.MQRO_ACTIVITY,
    "coa": mq.MQRO_COA,
    "cod": mq.MQRO_COD,
    "exception": mq.MQRO_EXCEPTION,
    "expiration": mq.MQRO_EXPIRATION,
    "discard": mq.MQRO_DISCARD_MSG,
}
_VERBOSITIES: Final = ("all", "none", "outline", "summary")
_YES_NO: Final = ("yes", "no")


def parsed(argv: list[str]) -> argparse.Namespace:
    """The options; a wrong one ends the command. `report` is what MQMD asks for, `words` is what
    was said after -v outline, `id` is the identifier of -i."""
    line = CommandLine("dspmqrte", ABOUT)
    add = line.add_argument
    add("-q", metavar="QUEUE", default="", help="the queue to go to")
    add("-qm", metavar="QMGR", default="", help="the queue manager that has it")
    add("-m", metavar="QMGR", default="", help="the queue manager to begin at")
    add("-c", action="store_true", help="connect as a client")
    add("-u", metavar="USER", default="", help="the user; a password is asked for")
    add("-i", metavar="ID", default="", help="show what is on the queue about this message")
    add("-ac", action="store_true", help="collect activities in the message")
    add("-ar", action="store_true", help="with -ac: have them sent back at the end")
    add("-d", choices=_YES_NO, default="no", help="put it on the queue at the end")
    add("-f", choices=_YES_NO, default="no", help="also through those that cannot trace")
    add("-l", choices=_YES_NO, default="no", help="a persistent message")
    add("-o", action="store_true", help="do not bind to one instance of a queue (clusters)")
    add("-p", metavar="PRIORITY", type=int, help="its priority; else the queue's")
    add("-ro", metavar="OPTIONS", help=f"reports: {', '.join(_REPORTS)}")
    add("-rq", metavar="QUEUE", default="", help="where reports go to")
    add("-rqm", metavar="QMGR", default="", help="the queue manager of that queue")
    add("-s", metavar="NUMBER", type=int, default=0, help="at most so many activities")
    add("-t", choices=tuple(DETAILS), default="medium", help="which activities are recorded")
    add("-ts", metavar="TOPIC", help="not here: publications are not traced, queues are")
    add("-xs", metavar="SECONDS", type=int, default=EXPIRY_DEFAULT_S, help="how long it lives")
    add("-xp", choices=_YES_NO, default="no", help="reports live no longer")
    add("-n", action="store_true", help="put the message and show nothing")
    add("-b", action="store_true", help="leave what is read on its queue")
    add("-v", nargs="+", default=["summary"], help="none, summary, outline [WORD...] or all")
    add("-w", metavar="SECONDS", type=float, help="wait so long for information")
    line.add_json()
    asked = line.parse_args(argv)
    if asked.ts is not None:
        line.error(
            "-ts is not supported: a publication is not traced. Trace the way to the queue of a "
            "subscription: -q QUEUE -qm QMGR, from DEST and DESTQMGR of DISPLAY SUB"
        )
    if not asked.q:
        line.error("-q is needed: the queue to go to, or with -i the queue of the reports")
    _settle_display(line, asked)
    _settle_reports(line, asked)
    _settle_times(line, asked)
    return asked


def _settle_display(line: CommandLine, asked: argparse.Namespace) -> None:
    words = [word for one in asked.v for word in one.lower().split(",") if word]
    asked.v = words.pop(0) if words else "summary"
    asked.words = words
    if asked.v not in _VERBOSITIES:
        line.error(f"-v is one of {', '.join(_VERBOSITIES)}, not {asked.v}")
    wrong = [word for word in words if word not in route_display.WORDS]
    if wrong or (words and asked.v != "outline"):
        allowed = ", ".join(route_display.WORDS)
        line.error(f"only -v outline has more words ({allowed}), not {' '.join(words)}")
    asked.id = b""
    if asked.i:
        digits = asked.i.strip()
        is_hex = all(one in "0123456789abcdefABCDEF" for one in digits)
        if not is_hex or len(digits) != 2 * mq.MQ_MSG_ID_LENGTH:
            line.error(f"-i is a message identifier of 48 hexadecimal digits, not {asked.i}")
        asked.id = bytes.fromhex(digits)


def _settle_reports(line: CommandLine, asked: argparse.Namespace) -> None:
    asked.report = mq.MQRO_ACTIVITY | mq.MQRO_DISCARD_MSG
    if asked.ro is not None:
        words = asked.ro.lower().split(",")
        unknown = [word for word in words if word not in _REPORTS]
        if unknown or ("none" in words and len(words) > 1):
            line.error(f"-ro takes none, or some of {', '.join(_REPORTS)}; not {asked.ro}")
        asked.report = sum({_REPORTS[word] for word in words})
    if asked.ar and not asked.ac:
        line.error("-ar needs -ac")
    if asked.rqm and not asked.rq:
        line.error("-rqm needs -rq")
    is_answered = asked.ar or asked.report & ~mq.MQRO_DISCARD_MSG != 0
    is_lasting = asked.n or asked.l == "yes"
    if is_answered and is_lasting and not asked.rq and not asked.i:
        line.error("-rq is needed: answers to this message cannot go to a temporary queue")


def _settle_times(line: CommandLine, asked: argparse.Namespace) -> None:
    if asked.w is None:
        asked.w = 0 if asked.i else asked.xs + WAIT_AFTER_EXPIRY_S
    for name, value in (("-s", asked.s), ("-xs", asked.xs), ("-w", asked.w)):
        if value < 0:
            line.error(f"{name} is 0 or more, not {value:g}")
