"""dspmqaut: show what a user or group may do with an object, all profiles and groups together.

dspmqaut -m QM1 -n DEV.QUEUE.1 -t queue -p app
"""

from __future__ import annotations

from ternmq.base.errors import MQError
from ternmq.cli import attach
from ternmq.cli.control import tool_status
from ternmq.cli.control.authority_arguments import (
    ENTITY_MISSING,
    Arguments,
    BadArguments,
    report_refusals,
)
from ternmq.cli.output import write, write_error, write_json
from ternmq.security.authorities import BY_WORD, words
from ternmq.values.command import Command


def main(argv: list[str]) -> int:
    """Run the command."""
    try:
        asked = Arguments(argv)
        asked.kind()
        if len(asked.entities()) != 1:
            raise BadArguments(ENTITY_MISSING, "AMQ7095E", "one -p or one -g is needed")
    except BadArguments as error:
        write_error(str(error))
        return error.status
    entity_type, entity = asked.entities()[0]
    command = Command("DISPLAY", "ENTAUTH")
    command.given["OBJTYPE"] = asked.object_type.upper()
    command.given[entity_type] = entity
    if asked.profile:
        command.given["OBJNAME"] = asked.profile
    try:
        with attach.attach(asked.qmgr, "dspmqaut") as connection:
            answers = connection.command(command)
            name = asked.profile or connection.name
    except MQError as error:
        return tool_status.refused(error, asked.qmgr)
    status = report_refusals(answers)
    if status:
        return status
    _show(entity, name, _ordered(str(answers[0]["AUTHLIST"])), asked.json)
    return tool_status.OK


def _ordered(authlist: str) -> list[str]:
    """The words in the order of this command."""
    bits = 0
    for word in authlist.lower().split(","):
        if word in BY_WORD:
            bits |= BY_WORD[word].bit
    return words(bits)


def _show(entity: str, name: str, authorities: list[str], as_json: bool) -> None:
    if as_json:
        write_json({"entity": entity, "object": name, "authorities": authorities})
        return
    write(f"Entity {entity} has the following authorizations for object {name}:")
    for word in authorities:
        write(f"\t{word}")
