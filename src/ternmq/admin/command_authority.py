"""Checks of authority for commands: the column of the command table, and what it is asked for on.

    DEFINE    crt on the class of the kind, and dsp on the object whose attributes are taken: the
              one that LIKE names, or the default object. With REPLACE and an object that is there:
              chg on it, and dsp on the one that LIKE names
    DISPLAY   dsp on each object; those without it are left out, and if that leaves none it is
              refused, without their names
    others    the authority of the row, on the object or on the queue manager

A cursor is not an object that authority is given for: what counts is `chg`, or to display it `dsp`,
on its queue.

A subscription is not an object that authority is given for: what counts is `sub` on its topic, as
for MQSUB, or to display it `dsp` on its topic object. Publications are put with the authority of
its user: to let that be somebody else, or to change somebody else's, takes `altusr` on the queue
manager.
"""

from __future__ import annotations

from typing import Final

from ternmq.admin.command_table import ON_QUEUE_MANAGER, CommandRow
from ternmq.admin.topic_command_authority import topics_refused
from ternmq.base import constants as mq
from ternmq.base import object_types as types
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import BY_BIT, BY_NOUN
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.kernel.authority import check, lacking, may_display_named
from ternmq.kernel.connection import Connection
from ternmq.kernel.cursor_authority import check_queue_of
from ternmq.kernel.cursors import cursors
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.ledger import owns_row
from ternmq.security import authorities as auth
from ternmq.security.authorities import BY_WORD, CLASS_PROFILE, KIND_BY_MQOT, SELF_PROFILE
from ternmq.store.catalog import Definition
from ternmq.values.command import Command

BASE_TOPIC: Final = "SYSTEM.BASE.TOPIC"
_KIND_OF_NOUN: Final[dict[str, int]] = {
    "QUEUE": mq.MQOT_Q,
    "QSTATUS": mq.MQOT_Q,
    "QSTATS": mq.MQOT_Q,
    "CHSTATUS": mq.MQOT_CHANNEL,
    "CHANNEL": mq.MQOT_CHANNEL,
    "LSSTATUS": mq.MQOT_LISTENER,
    "SVSTATUS": mq.MQOT_SERVICE,
    "AUTHINFO": mq.MQOT_AUTH_INFO,
    "SUB": mq.MQOT_TOPIC,
    "SBSTATUS": mq.MQOT_TOPIC,
    "TPSTATUS": mq.MQOT_TOPIC,
    "TOPICSTR": mq.MQOT_TOPIC,
    "CURSOR": mq.MQOT_Q,
}
_ON_TOPIC: Final = ("SUB", "SBSTATUS", "TPSTATUS", "TOPICSTR")


def kind_of(row: CommandRow) -> int:
    """The kind of object that a command is about, as MQOT_."""
    kind = _KIND_OF_NOUN.get(row.noun)
    return BY_NOUN[row.noun].mqot if kind is None else kind


def authority_of(row: CommandRow) -> int:
    """What a command needs, as a bit."""
    if row.noun == "SUB" and row.action != "DISPLAY":
        return auth.SUB
    return BY_WORD[row.authority.lower()].bit


def check_command(kernel: Kernel, link: Connection, command: Command, row: CommandRow) -> None:
    """MQRC_NOT_AUTHORIZED unless the user of the connection may do this."""
    if link.privileged:
        return
    if row.noun == "LEDGER" and row.action == "DELETE" and owns_row(kernel, link, command.name):
        return
    wanted = authority_of(row)
    if row.authority_on == ON_QUEUE_MANAGER:
        _check(kernel, link, row, mq.MQOT_Q_MGR, SELF_PROFILE, wanted)
    elif row.noun == "CURSOR":
        _check_cursor(kernel, link, command, row)
    elif row.action == "DEFINE" and row.noun != "SUB":
        _check_define(kernel, link, command, row)
    elif row.noun in _ON_TOPIC and row.action != "DISPLAY":
        for name in topics_refused(kernel, command, link.user, wanted):
            _check(kernel, link, row, mq.MQOT_TOPIC, name, wanted)
    elif row.action != "DISPLAY" and not _is_generic(command, row):
        mqot, name = _subject(kernel, command, row)
        _check(kernel, link, row, mqot, name, wanted)
        if "TOQLOCAL" in command.given:  # MOVE changes both queues
            _check(kernel, link, row, mqot, command.given["TOQLOCAL"], wanted)


def _check_cursor(kernel: Kernel, link: Connection, command: Command, row: CommandRow) -> None:
    """A cursor is its queue's: the authority is asked for there, and DISPLAY asks for each."""
    if row.action == "DISPLAY":
        return
    names = {one.queue_name for one in cursors(kernel) if one.name == command.name}
    named = command.given.get("QUEUE", "")
    if row.action == "DEFINE":
        names.add(named)
    wanted = authority_of(row)
    verb = f"{row.action} {row.noun}"
    qualifier = mq.MQRQ_CMD_NOT_AUTHORIZED
    for name in sorted(names):
        check_queue_of(kernel, link, command.name, name, wanted, verb, qualifier, row.pcf, named)
    if not names:
        _check(kernel, link, row, mq.MQOT_Q_MGR, SELF_PROFILE, wanted)


def _is_generic(command: Command, row: CommandRow) -> bool:
    """Whether it is for every object whose name fits: each is asked for on its own then."""
    return row.generic and command.name.endswith("*")


def may_display(kernel: Kernel, link: Connection, definition: Definition) -> bool:
    """Whether DISPLAY shows this object to the user of the connection."""
    if link.privileged:
        return True
    mqot, name = guard_of(definition)
    return may_display_named(kernel, link, mqot, name)


def may_change_named(kernel: Kernel, link: Connection, mqot: int, name: str) -> bool:
    """Whether a command for many objects may change this one."""
    return link.privileged or kernel.authority.granted(link.user, mqot, name) & auth.CHG != 0


def not_displayed(
    kernel: Kernel, link: Connection, command: Command, row: CommandRow, mqot: int, name: str
) -> MQError:
    """The error when everything that DISPLAY found had to be left out.

    Kind and name are of the object whose authority was missing for one of those: operators read
    them. The user reads what was asked for, which may be a generic name or that of a cursor.
    """
    qualifier = mq.MQRQ_CMD_NOT_AUTHORIZED
    wanted = auth.DSP if row.action == "DISPLAY" else auth.DSP | auth.CHG  # RESET QSTATS
    lacks = lacking(kernel, link, link.user, mqot, name, wanted, qualifier, row.pcf)
    asked = command.name
    what = f"{KIND_BY_MQOT[mqot].word} {name}" if asked == name else f"what {asked} stands for"
    detail = f"user '{link.user}' lacks {lacks or 'dsp'} on {what}"
    verb = f"{row.action} {row.noun}"
    return mq_error(MQRC_NOT_AUTHORIZED, verb=verb, object=asked, detail=detail)


def _check(
    kernel: Kernel, link: Connection, row: CommandRow, mqot: int, name: str, wanted: int
) -> None:
    verb = f"{row.action} {row.noun}"
    qualifier = mq.MQRQ_CMD_NOT_AUTHORIZED
    check(kernel, link, link.user, mqot, name, wanted, verb, qualifier, row.pcf)


def _check_define(kernel: Kernel, link: Connection, command: Command, row: CommandRow) -> None:
    mqot, _ = _subject(kernel, command, row)
    bit = _type_of(command, row)
    existing = kernel.catalog.find(bit, command.name)
    if existing is not None and "REPLACE" in command.given:
        mqot, name = guard_of(existing)
        _check(kernel, link, row, mqot, name, auth.CHG)
        model = command.given.get("LIKE", "")
    else:
        _check(kernel, link, row, mqot, CLASS_PROFILE, auth.CRT)
        model = command.given.get("LIKE", "") or BY_BIT[bit].default_object
    if model and kernel.catalog.find(bit, model) is not None:
        _check(kernel, link, row, mqot, model, auth.DSP)


def _type_of(command: Command, row: CommandRow) -> int:
    """The type of object that a DEFINE makes; what it says of it is checked later."""
    for keyword in ("CHLTYPE", "AUTHTYPE"):
        said = BY_NOUN.get(command.given.get(keyword, "").upper())
        if said is not None and said.bit & row.types:
            return said.bit
    return row.types & -row.types


def _subject(kernel: Kernel, command: Command, row: CommandRow) -> tuple[int, str]:
    """Kind and name of the object whose authority counts."""
    mqot = kind_of(row)
    if mqot == mq.MQOT_CHANNEL and _is_client_channel(kernel, command):
        mqot = mq.MQOT_CLNTCONN_CHANNEL
    return mqot, command.name


def _is_client_channel(kernel: Kernel, command: Command) -> bool:
    if "CHLTABLE" in command.given:  # which counts more than the type
        return command.given["CHLTABLE"].upper() == "CLNTTBL"
    if "CHLTYPE" in command.given:
        return command.given["CHLTYPE"].upper() == "CLNTCONN"
    catalog = kernel.catalog
    is_server = catalog.find(types.SVRCONN, command.name) is not None
    return not is_server and catalog.find(types.CLNTCONN, command.name) is not None


def check_subscription_user(
    kernel: Kernel, link: Connection, row: CommandRow, before: str, after: str
) -> None:
    """Who makes or alters a subscription whose user is, or was, somebody else; "" for nobody."""
    if link.privileged or {before, after} <= {"", link.user}:
        return
    _check(kernel, link, row, mq.MQOT_Q_MGR, SELF_PROFILE, auth.ALTUSR)


def guard_of(definition: Definition) -> tuple[int, str]:
    """Kind and name of the object whose authority counts for an object."""
    row = BY_BIT[definition.object_type]
    if definition.object_type == types.CLNTCONN:
        return mq.MQOT_CLNTCONN_CHANNEL, definition.name
    if definition.object_type == types.SUB:
        return mq.MQOT_TOPIC, str(definition.attributes.get("topic_object", "")) or BASE_TOPIC
    return row.mqot, definition.name
