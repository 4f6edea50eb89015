"""mqrc: what a reason code or a diagnostic message means.

By number (decimal, or hexadecimal with 0x), by name (MQRC_Q_FULL) or by message id (AMQ8409).
"""

from __future__ import annotations

import textwrap
from typing import Final

from ternmq.base.message_table import MessageRow, all_messages, find_message
from ternmq.base.reason_lookup import Reason, all_reasons
from ternmq.base.similar import did_you_mean
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_error, write_json, write_lines

ABOUT: Final = "show what a reason code or a diagnostic message means"
NOT_FOUND: Final = 1
_COMPLETIONS: Final = ("MQCC_OK", "MQCC_WARNING", "MQCC_FAILED")
_WIDTH: Final = 79


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("mqrc", ABOUT)
    line.add_argument("-b", action="store_true", help="messages without explanation and action")
    line.add_argument("--explain", action="store_true", help="reason codes with what they mean")
    line.add_argument("-R", action="store_true", help="all reason codes, or those from -f to -l")
    line.add_argument("-M", action="store_true", help="all messages, or those from -f to -l")
    line.add_argument("-f", metavar="FIRST", default="", help="the first number of a range")
    line.add_argument("-l", metavar="LAST", default="", help="the last number of a range")
    line.add_argument("-r", metavar="CODE", help="a reason code")
    line.add_argument("-m", metavar="AMQ", help="a message id")
    line.add_argument("-s", metavar="NAME", help="a name")
    line.add_argument("what", nargs="*", help="2035, 0x7f3, MQRC_Q_FULL, AMQ8409")
    line.add_json()
    asked = line.parse_args(argv)
    wanted = [*asked.what, *(one for one in (asked.r, asked.m, asked.s) if one)]
    if not wanted and not asked.R and not asked.M:
        line.error("a reason code, a name or a message id is needed")
    try:
        first, last = _number(asked.f or "0"), _number(asked.l or "0x7fffffff")
    except ValueError:
        line.error(f"{asked.f} to {asked.l} is not a range of numbers")
    reasons: list[Reason] = []
    messages: list[MessageRow] = []
    if asked.R:
        reasons = [one for one in all_reasons() if first <= one.number <= last]
    if asked.M:
        messages = [one for one in all_messages() if first <= int(one.message_id[3:7]) <= last]
    unknown = [one for one in wanted if not _find(one, reasons, messages)]
    _show(reasons, messages, brief=asked.b, explain=asked.explain, as_json=asked.json)
    for one in unknown:
        names = [reason.name for reason in all_reasons()]
        hint = did_you_mean(one.upper(), names) or "mqrc -R lists reason codes, mqrc -M messages."
        write_error(f"mqrc: no reason code and no message is named {one}. {hint}")
    return NOT_FOUND if unknown or not (reasons or messages) else 0


def _number(written: str) -> int:
    return int(written, 16) if written.lower().startswith("0x") else int(written)


def _find(wanted: str, reasons: list[Reason], messages: list[MessageRow]) -> bool:
    """Add what one argument names; False if there is nothing."""
    if wanted.upper().startswith("AMQ"):
        row = find_message(wanted)
        if row is not None:
            messages.append(row)
        return row is not None
    try:
        number = _number(wanted)
    except ValueError:
        found = [one for one in all_reasons() if one.name == wanted.upper()]
    else:
        found = [one for one in all_reasons() if one.number == number]
    reasons.extend(found)
    return bool(found)


def _show(
    reasons: list[Reason], messages: list[MessageRow], *, brief: bool, explain: bool, as_json: bool
) -> None:
    if as_json:
        write_json([*map(_reason_json, reasons), *map(_message_json, messages)])
        return
    for reason in reasons:
        write()
        write(f"{reason.number:>10}  0x{reason.number:08x}  {reason.name}")
        if explain:
            write_lines(["", *textwrap.wrap(reason.text, _WIDTH)])
    for row in messages:
        write()
        write(f"{row.message_id}: {row.text}" if brief else row.message_id)
        if not brief:
            write_lines(["", "MESSAGE:", *textwrap.wrap(row.text, _WIDTH)])
            write_lines(["", "EXPLANATION:", *textwrap.wrap(row.explanation, _WIDTH)])
            write_lines(["", "ACTION:", *textwrap.wrap(row.action, _WIDTH)])
    write()


def _reason_json(reason: Reason) -> dict[str, object]:
    return {
        "number": reason.number,
        "hex": f"0x{reason.number:08x}",
        "name": reason.name,
        "completion": _COMPLETIONS[reason.comp],
        "text": reason.text,
    }


def _message_json(row: MessageRow) -> dict[str, object]:
    return {
        "id": row.message_id,
        "severity": row.severity,
        "text": row.text,
        "explanation": row.explanation,
        "action": row.action,
    }
