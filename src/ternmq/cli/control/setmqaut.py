"""setmqaut: give users and groups authority for objects, or take it away.

usage: setmqaut -m QMGR [-n NAME] -t TYPE {-p USER | -g GROUP} ... {+WORD | -WORD | -remove} ...

  -m QMGR    the queue manager
  -n NAME    an object or a generic profile such as 'DEV.**'; not with -t qmgr
  -t TYPE    queue, topic, channel, qmgr, authinfo, clntconn, comminfo, listener, namelist, process,
             rqmname or service
  -p USER    a user; several times
  -g GROUP   a group; several times
  +WORD      give: get browse put inq set pub sub resume connect altusr passid passall setid setall
             crt dlt chg dsp clr ctrl ctrlx system, or allmqi, alladm, all, none
  -WORD      take away
  -remove    remove the record
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ternmq.base.errors import MQError
from ternmq.base.message_table import message_line
from ternmq.base.reasons import MQRC_UNKNOWN_OBJECT_NAME
from ternmq.cli import attach
from ternmq.cli.control import tool_status
from ternmq.cli.control.authority_arguments import (
    AUTHORITY_MISSING,
    BAD_AUTHORITY,
    ENTITY_MISSING,
    UNKNOWN_OBJECT,
    Arguments,
    BadArguments,
    report_refusals,
)
from ternmq.cli.output import write, write_error
from ternmq.security.authorities import Kind, bits_of
from ternmq.values.command import Command

if TYPE_CHECKING:
    from ternmq.api.connection import Connection


def main(argv: list[str]) -> int:
    """Run the command."""
    try:
        asked = Arguments(argv)
        kind = asked.kind()
        if kind is not None:
            _check(asked, kind)
    except BadArguments as error:
        write_error(str(error))
        return error.status
    try:
        with attach.attach(asked.qmgr, "setmqaut") as connection:
            status = _change(connection, asked)
    except MQError as error:
        return tool_status.refused(error, asked.qmgr)
    if status == tool_status.OK:
        write("The setmqaut command completed successfully.")
    return status


def _check(asked: Arguments, kind: Kind) -> None:
    if not asked.entities():
        raise BadArguments(ENTITY_MISSING, "AMQ7095E", "neither -p nor -g")
    changes = asked.add + asked.remove
    if not changes and not asked.remove_profile:
        raise BadArguments(AUTHORITY_MISSING, "AMQ7096E", "none is given")
    if changes and asked.remove_profile:
        raise BadArguments(BAD_AUTHORITY, "AMQ7096E", "-remove goes with no authority")
    for word in changes:
        if bits_of(word, kind) is None:
            raise BadArguments(BAD_AUTHORITY, "AMQ7097E", word)


def _is_unknown(connection: Connection, asked: Arguments) -> bool:
    """Authority for one object by its name is given only if that object exists: a mistyped name
    must not become a profile that a later object falls under. A generic profile needs no object."""
    kind = asked.kind()
    profile = asked.profile
    if kind is None or kind.space in ("", "qmgr") or not asked.add:
        return False
    if profile == "@class" or "*" in profile or "?" in profile:
        return False
    noun = "CHANNEL" if kind.word == "clntconn" else kind.objtype
    answers = connection.command(Command("DISPLAY", noun, profile))
    return any(answer.reason == MQRC_UNKNOWN_OBJECT_NAME for answer in answers)


def _change(connection: Connection, asked: Arguments) -> int:
    if _is_unknown(connection, asked):
        write_error(message_line("AMQ7085E", (asked.profile, asked.object_type)))
        return UNKNOWN_OBJECT
    for entity_type, entity in asked.entities():
        command = Command("DELETE" if asked.remove_profile else "SET", "AUTHREC")
        command.given["OBJTYPE"] = asked.object_type.upper()
        command.given[entity_type] = entity
        if asked.profile:
            command.given["PROFILE"] = asked.profile
        if asked.add:
            command.given["AUTHADD"] = ",".join(asked.add)
        if asked.remove:
            command.given["AUTHRMV"] = ",".join(asked.remove)
        status = report_refusals(connection.command(command))
        if status:
            return status
    return tool_status.OK
