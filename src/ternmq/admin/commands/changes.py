"""DEFINE, ALTER, DELETE and CLEAR: the commands that change objects, over `objects`.

An attribute that has no function yet is stored; a command that sets one to something else than its
default gets a warning beside the success.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_table import CommandRow
from ternmq.admin.commands import objects
from ternmq.admin.execution import Execution
from ternmq.base import object_types as types
from ternmq.base.attributes import BARE, row_of, setting_of
from ternmq.base.command_reasons import MQRCCF_PARM_MISSING
from ternmq.base.constants import MQCC_WARNING
from ternmq.base.errors import MQError, mq_error
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.values.command import Answer, Command


def object_type_of(command: Command, row: CommandRow) -> int:
    """The bits that the command is about: CHLTYPE and AUTHTYPE say more than the noun."""
    bits = row.types
    for keyword in ("CHLTYPE", "AUTHTYPE"):
        kind = types.BY_NOUN.get(command.given.get(keyword, "").upper())
        if kind is not None and kind.bit & row.types:
            bits = kind.bit
    if command.given.get("CHLTABLE", "") == "CLNTTBL":
        bits = types.CLNTCONN
    elif bits == types.CHANNELS:
        bits &= ~types.CLNTCONN
    return bits


def settings_of(command: Command, row: CommandRow) -> dict[str, object]:
    """The attributes among what was given."""
    left_out = ("CHLTYPE", "AUTHTYPE")
    settings: dict[str, object] = {}
    for keyword, value in command.given.items():
        if keyword in row.parameters or keyword in left_out:
            continue
        settings[keyword] = value
    return settings


def inert_warnings(object_type: int, name: str, settings: dict[str, object]) -> list[Answer]:
    """A warning for each attribute that was set and does nothing yet."""
    found: list[Answer] = []
    for keyword, value in settings.items():
        row = row_of(object_type, keyword)
        if row is None or not row.inert:
            continue
        checked = row.checked(setting_of(row, keyword, value))
        if checked != row.default:
            shown = f"{row.keyword}({row.shown(checked)})"
            if row.secret:
                shown = row.keyword
            elif row.kind == BARE:
                shown = row.shown(checked)
            found.append(Answer("AMQ8082W", (shown, name), comp=MQCC_WARNING))
    return found


# Kinds of objects that nothing acts on in this version.
_LATER: Final[tuple[tuple[int, str], ...]] = (
    (types.CLUSSDR | types.CLUSRCVR, "Cluster channels are not there yet"),
    (types.AMQP, "AMQP channels are not there yet"),
)


def later_warning(object_type: int, name: str) -> list[Answer]:
    """A warning for an object whose whole kind has no function yet."""
    for bits, why in _LATER:
        if object_type & bits:
            kind = types.BY_BIT[object_type].text.capitalize()
            return [Answer("AMQ8083W", (kind, name, why), comp=MQCC_WARNING)]
    return []


class Change(Execution):
    """What the commands share: reasons as commands give them."""

    def change(self, kernel: Kernel, link: Link) -> bool:
        """Do it; False if it is parked."""
        raise NotImplementedError

    def step(self, kernel: Kernel, link: Link) -> bool:
        try:
            return self.change(kernel, link)
        except MQError as error:
            error.reason = objects.command_reason(error.reason, object_type_of_lowest(self))
            raise


def object_type_of_lowest(execution: Execution) -> int:
    """One type of those that a command is about."""
    bits = object_type_of(execution.command, execution.row)
    return bits & -bits


@final
class Define(Change):
    """DEFINE of any object."""

    def change(self, kernel: Kernel, link: Link) -> bool:
        command = self.command
        bits = object_type_of(command, self.row)
        for keyword in ("CHLTYPE", "AUTHTYPE"):
            if keyword in self.row.required and keyword not in command.given:
                raise mq_error(MQRCCF_PARM_MISSING, object=command.name, detail=keyword)
        settings = settings_of(command, self.row)
        replace = "REPLACE" in command.given
        like = command.given.get("LIKE", "")
        if not objects.define(kernel, link, bits, command.name, settings, replace, like):
            return False
        self.succeed()
        warnings = inert_warnings(bits, command.name, settings)
        self.answers.extend(warnings or later_warning(bits, command.name))
        return True


@final
class Alter(Change):
    """ALTER of any object."""

    def change(self, kernel: Kernel, link: Link) -> bool:
        command = self.command
        bits = object_type_of(command, self.row)
        settings = settings_of(command, self.row)
        force = "FORCE" in command.given
        if not objects.alter(kernel, link, bits, command.name, settings, force):
            return False
        self.succeed()
        definition = objects.find(kernel, bits, command.name, self.verb)
        self.answers.extend(inert_warnings(definition.object_type, command.name, settings))
        return True


@final
class AlterQueueManager(Change):
    """ALTER QMGR."""

    def change(self, kernel: Kernel, link: Link) -> bool:
        settings = settings_of(self.command, self.row)
        if not objects.alter_queue_manager(kernel, link, settings):
            return False
        self.succeed(kernel.name)
        self.answers.extend(inert_warnings(types.QMGR, kernel.name, settings))
        return True


@final
class Delete(Change):
    """DELETE of any object."""

    def change(self, kernel: Kernel, link: Link) -> bool:
        command = self.command
        bits = object_type_of(command, self.row)
        purge = "PURGE" in command.given
        ignore = command.given.get("IGNSTATE", "NO") == "YES"
        name = command.name
        is_given = "CHLTABLE" in command.given or "CHLTYPE" in command.given
        if not is_given and bits & types.SVRCONN:
            # without them the client's table is looked at too, if the other has no such name
            if kernel.catalog.find(types.SVRCONN, name) is None:
                if kernel.catalog.find(types.CLNTCONN, name) is not None:
                    bits = types.CLNTCONN
        keep_authority = command.given.get("AUTHREC", "YES") == "NO"
        if not objects.delete(kernel, link, bits, name, purge, ignore, keep_authority):
            return False
        return self.succeed()


@final
class Clear(Change):
    """CLEAR QLOCAL."""

    def change(self, kernel: Kernel, link: Link) -> bool:
        if not objects.clear(kernel, link, self.command.name):
            return False
        return self.succeed()
