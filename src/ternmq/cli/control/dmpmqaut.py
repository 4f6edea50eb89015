"""dmpmqaut: list authority records, as they are or as the setmqaut commands that make them.

dmpmqaut -m QM1                             every record
dmpmqaut -m QM1 -n DEV.QUEUE.1 -t queue     those that count for this queue
dmpmqaut -m QM1 -n 'DEV.**' -t queue -x     those of this very profile
dmpmqaut -m QM1 -n Q -t queue -p app -e     also those of the groups of app
dmpmqaut -m QM1 -l                          only profiles and types
dmpmqaut -m QM1 -a                          as setmqaut commands
"""

from __future__ import annotations

import shlex
from typing import Final

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_UNKNOWN_OBJECT_NAME
from ternmq.cli import attach
from ternmq.cli.control import tool_status
from ternmq.cli.control.authority_arguments import Arguments, BadArguments, report_refusals
from ternmq.cli.output import write, write_error, write_json
from ternmq.security.authorities import BY_WORD, words
from ternmq.values.command import Answer, Command

SEPARATOR: Final = "- - - - - - - -"
NONE_FOUND: Final = "No matching authority records."


def main(argv: list[str]) -> int:
    """Run the command."""
    try:
        asked = Arguments(argv, flags="laex")
        asked.kind(required=False)
        if len(asked.entities()) > 1:
            raise BadArguments(tool_status.BAD_ARGUMENTS, "AMQ7095E", "more than one -p or -g")
        if len(asked.flags & set("la")) > 1 or len(asked.flags & set("ex")) > 1:
            flags = " ".join(f"-{flag}" for flag in sorted(asked.flags))
            raise BadArguments(tool_status.BAD_ARGUMENTS, "AMQ7095E", flags)
    except BadArguments as error:
        write_error(str(error))
        return error.status
    try:
        with attach.attach(asked.qmgr, "dmpmqaut") as connection:
            answers = connection.command(_command(asked))
            qmgr = connection.name
    except MQError as error:
        return tool_status.refused(error, asked.qmgr)
    if len(answers) == 1 and answers[0].reason == MQRC_UNKNOWN_OBJECT_NAME:
        answers = []
    status = report_refusals(answers)
    if status:
        return status
    _show(answers, asked, qmgr)
    return tool_status.OK


def _command(asked: Arguments) -> Command:
    command = Command("DISPLAY", "AUTHREC")
    if asked.object_type:
        command.given["OBJTYPE"] = asked.object_type.upper()
    if asked.profile:
        command.given["PROFILE"] = asked.profile
    for entity_type, entity in asked.entities():
        command.given[entity_type] = entity
    if "x" in asked.flags:
        command.given["MATCH"] = "EXACT"
    elif "e" in asked.flags:
        command.given["MATCH"] = "MEMBERSHIP"
    return command


def _show(answers: list[Answer], asked: Arguments, qmgr: str) -> None:
    if asked.json:
        write_json([_value(answer) for answer in answers])
    elif not answers:
        write(NONE_FOUND)
    elif "l" in asked.flags:
        shown: list[str] = []
        for answer in answers:
            line = f"profile: {answer['PROFILE']}, type: {str(answer['OBJTYPE']).lower()}"
            if line not in shown:
                shown.append(line)
                write(line)
    elif "a" in asked.flags:
        for answer in answers:
            write(setmqaut_line(answer, qmgr))
    else:
        for number, answer in enumerate(answers):
            if number:
                write(SEPARATOR)
            write(f"profile:     {answer['PROFILE']}")
            write(f"object type: {str(answer['OBJTYPE']).lower()}")
            write(f"entity:      {answer['ENTITY']}")
            write(f"entity type: {str(answer['ENTTYPE']).lower()}")
            write(f"authority:   {' '.join(_words(answer)) or 'none'}")


def _words(answer: Answer) -> list[str]:
    bits = 0
    for word in str(answer["AUTHLIST"]).lower().split(","):
        if word in BY_WORD:
            bits |= BY_WORD[word].bit
    return words(bits)


def _value(answer: Answer) -> dict[str, object]:
    return {
        "profile": answer["PROFILE"],
        "objectType": str(answer["OBJTYPE"]).lower(),
        "entity": answer["ENTITY"],
        "entityType": str(answer["ENTTYPE"]).lower(),
        "authorities": _words(answer),
    }


def setmqaut_line(answer: Answer, qmgr: str) -> str:
    """The command that makes a record again."""
    kind = str(answer["OBJTYPE"]).lower()
    parts = ["setmqaut", "-m", qmgr]
    if kind != "qmgr" or answer["PROFILE"] != "self":
        parts += ["-n", str(answer["PROFILE"])]
    parts += ["-t", kind, "-g" if answer["ENTTYPE"] == "GROUP" else "-p", str(answer["ENTITY"])]
    parts += [f"+{word}" for word in _words(answer)] or ["+none"]
    return shlex.join(parts)
