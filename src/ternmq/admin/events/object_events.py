"""Configuration events and command events: who changed what, and which commands were given.

A configuration event has the identity of who did it, the object's type and name, and all its
attributes. A change is two messages with one CorrelId: how it was, how it is. A command event has
two groups: the context of the command, and what was commanded: the text, or the parameters.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.events.event_put import COMMAND_EVENTS, CONFIGURATION_EVENTS, EventQueues
from ternmq.admin.mqsc.lexer import CLOSE, OPEN, WORD, tokens_of
from ternmq.admin.pcf.attribute_values import parameter_of
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.base.attributes import ATTRIBUTES, Value, attributes_of, row_of
from ternmq.base.object_types import BY_BIT, QMGR
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.kernel.connection import Connection
from ternmq.kernel.events import COMMAND, CONFIGURATION
from ternmq.kernel.kernel import Kernel
from ternmq.store.catalog import Definition
from ternmq.values.command import Command

# The parameter that has the name of an object of each type (MQOT_), and the one of its subtype.
NAME_PARAMETERS: Final[dict[int, int]] = {
    0: mq.MQCACF_SUB_NAME,
    mq.MQOT_Q: mq.MQCA_Q_NAME,
    mq.MQOT_NAMELIST: mq.MQCA_NAMELIST_NAME,
    mq.MQOT_PROCESS: mq.MQCA_PROCESS_NAME,
    mq.MQOT_Q_MGR: mq.MQCA_Q_MGR_NAME,
    mq.MQOT_CHANNEL: mq.MQCACH_CHANNEL_NAME,
    mq.MQOT_CHLAUTH: mq.MQCACH_CHANNEL_NAME,
    mq.MQOT_AUTH_INFO: mq.MQCA_AUTH_INFO_NAME,
    mq.MQOT_AUTH_REC: mq.MQCACF_AUTH_PROFILE_NAME,
    mq.MQOT_TOPIC: mq.MQCA_TOPIC_NAME,
    mq.MQOT_COMM_INFO: mq.MQCA_COMM_INFO_NAME,
    mq.MQOT_LISTENER: mq.MQCACH_LISTENER_NAME,
    mq.MQOT_SERVICE: mq.MQCA_SERVICE_NAME,
}
SUBTYPE_PARAMETERS: Final[dict[int, int]] = {
    mq.MQOT_Q: mq.MQIA_Q_TYPE,
    mq.MQOT_CHANNEL: mq.MQIACH_CHANNEL_TYPE,
    mq.MQOT_AUTH_INFO: mq.MQIA_AUTH_INFO_TYPE,
}


MASK: Final = "********"
_SECRETS: Final = frozenset([row.selector for row in ATTRIBUTES if row.secret])
_SECRET_KEYWORDS: Final = frozenset([row.keyword for row in ATTRIBUTES if row.secret])


def name_parameter(object_type: int, name: str) -> Parameter:
    """The name of an object, under the parameter that its type has for it."""
    row = BY_BIT[object_type]
    width = mq.MQ_OBJECT_NAME_LENGTH
    if row.mqot == mq.MQOT_CHANNEL:
        width = mq.MQ_CHANNEL_NAME_LENGTH
    return pcf.string(NAME_PARAMETERS[row.mqot], name, 0 if row.mqot == 0 else width)


def identity_parameters(object_type: int, name: str) -> list[Parameter]:
    """Name and subtype of an object; a record's attributes say to what it applies."""
    row = BY_BIT[object_type]
    if not row.name_selector:
        return []
    found = [name_parameter(object_type, name)]
    if row.mqot in SUBTYPE_PARAMETERS:
        found.append(pcf.integer(SUBTYPE_PARAMETERS[row.mqot], row.subtype))
    return found


@final
class ObjectEvents:
    """Makes them."""

    def __init__(self, kernel: Kernel, queues: EventQueues) -> None:
        self._kernel = kernel
        self._queues = queues

    # ---- configuration

    def created(self, connection: Connection, definition: Definition) -> None:
        """CREATE OBJECT."""
        found = self._object(connection, 0, definition, definition.attributes)
        self._put(rc.MQRC_CONFIG_CREATE_OBJECT, found)

    def deleted(self, connection: Connection, definition: Definition) -> None:
        """DELETE OBJECT."""
        found = self._object(connection, 0, definition, definition.attributes)
        self._put(rc.MQRC_CONFIG_DELETE_OBJECT, found)

    def refreshed(self, connection: Connection, definition: Definition) -> None:
        """REFRESH OBJECT: REFRESH QMGR TYPE(CONFIGEV) asks for the state of all."""
        found = self._object(connection, 0, definition, definition.attributes)
        self._put(rc.MQRC_CONFIG_REFRESH_OBJECT, found)

    def changed(
        self,
        connection: Connection,
        definition: Definition,
        before: dict[str, Value],
        origin: int,
    ) -> None:
        """CHANGE OBJECT: before and after."""
        old = self._object(connection, origin, definition, before)
        new = self._object(connection, origin, definition, definition.attributes)
        self._put_pair(old, new)

    def queue_manager_changed(self, connection: Connection, before: dict[str, Value]) -> None:
        """CHANGE OBJECT of the queue manager; also if it switched these very events on or off."""
        kernel = self._kernel
        switch = row_of(QMGR, "CONFIGEV")
        was_on = switch is not None and before.get(switch.name) == mq.MQEVR_ENABLED
        if not was_on and not kernel.events & CONFIGURATION:
            return
        self._put_pair(
            self._queue_manager(connection, before),
            self._queue_manager(connection, kernel.catalog.qmgr),
        )

    def _put_pair(self, old: list[Parameter], new: list[Parameter]) -> None:
        correl_id = self._kernel.new_id()
        first = _event(mq.MQCMD_CONFIG_EVENT, rc.MQRC_CONFIG_CHANGE_OBJECT, old)
        first.control = mq.MQCFC_NOT_LAST
        second = _event(mq.MQCMD_CONFIG_EVENT, rc.MQRC_CONFIG_CHANGE_OBJECT, new)
        second.sequence = 2
        self._queues.put(CONFIGURATION_EVENTS, first, correl_id)
        self._queues.put(CONFIGURATION_EVENTS, second, correl_id)

    def _put(self, reason: int, found: list[Parameter]) -> None:
        event = _event(mq.MQCMD_CONFIG_EVENT, reason, found)
        self._queues.put(CONFIGURATION_EVENTS, event)

    def _object(
        self,
        connection: Connection,
        origin: int,
        definition: Definition,
        attributes: dict[str, Value],
    ) -> list[Parameter]:
        kind = definition.object_type
        found = self._origin(connection, origin)
        found.append(pcf.integer(mq.MQIACF_OBJECT_TYPE, BY_BIT[kind].mqot))
        found.extend(identity_parameters(kind, definition.name))
        found.extend(_attributes(kind, attributes))
        return found

    def _queue_manager(
        self, connection: Connection, attributes: dict[str, Value]
    ) -> list[Parameter]:
        found = self._origin(connection, 0)
        found.append(pcf.integer(mq.MQIACF_OBJECT_TYPE, mq.MQOT_Q_MGR))
        found.append(name_parameter(QMGR, self._kernel.name))
        found.extend(_attributes(QMGR, attributes))
        return found

    def _origin(self, connection: Connection, origin: int) -> list[Parameter]:
        """Who did it, and from where."""
        by_message = len(connection.command_descriptor) > 0
        if origin == 0:
            origin = mq.MQEVO_MSG if by_message else mq.MQEVO_CONSOLE
        width = mq.MQ_Q_MGR_NAME_LENGTH
        found = [
            pcf.string(mq.MQCACF_EVENT_USER_ID, connection.user, mq.MQ_USER_ID_LENGTH),
            pcf.integer(mq.MQIACF_EVENT_ORIGIN, origin),
            pcf.string(mq.MQCACF_EVENT_Q_MGR, self._kernel.name, width),
        ]
        if by_message:
            md = Descriptor.unpack(connection.command_descriptor)
            found.append(pcf.byte_string(mq.MQBACF_EVENT_ACCOUNTING_TOKEN, md.accounting_token))
            found.append(pcf.string(mq.MQCACF_EVENT_APPL_IDENTITY, md.appl_identity_data, 32))
            found.append(pcf.integer(mq.MQIACF_EVENT_APPL_TYPE, md.put_appl_type))
            found.append(pcf.string(mq.MQCACF_EVENT_APPL_NAME, md.put_appl_name, 28))
            found.append(pcf.string(mq.MQCACF_EVENT_APPL_ORIGIN, md.appl_origin_data, 4))
        return found

    # ---- commands

    def command_done(self, connection: Connection, command: Command, number: int) -> None:
        """A command that did what it said; `number` is its MQCMD_. NODISPLAY leaves inquiries
        out."""
        if command.action == "DISPLAY" and not self._kernel.events & COMMAND:
            return
        data = [one for one in command.parameters if one.parameter not in _SECRETS]
        context = self._origin(connection, 0)
        context.append(pcf.integer(mq.MQIACF_COMMAND, number))
        reason = rc.MQRC_COMMAND_PCF
        if command.text:
            reason = rc.MQRC_COMMAND_MQSC
            data = [pcf.string(mq.MQCACF_COMMAND_MQSC, _without_secrets(command))]
        groups = [
            pcf.group(mq.MQGACF_COMMAND_CONTEXT, context),
            pcf.group(mq.MQGACF_COMMAND_DATA, data),
        ]
        self._queues.put(COMMAND_EVENTS, _event(mq.MQCMD_COMMAND_EVENT, reason, groups))


def _without_secrets(command: Command) -> str:
    """The text of a command, passwords taken out, however they are written."""
    text = command.text
    if _SECRET_KEYWORDS.isdisjoint(command.given):
        return text
    shown = ""
    begin = 0
    opened = False
    previous = ""
    for token in tokens_of(text):
        if token.kind == OPEN and previous in _SECRET_KEYWORDS:
            shown += text[begin : token.end]
            opened = True
        elif token.kind == CLOSE and opened:
            shown += f"'{MASK}'"
            begin = token.begin
            opened = False
        previous = token.value if token.kind == WORD else ""
    return shown + text[begin:]


def _attributes(object_type: int, attributes: dict[str, Value]) -> list[Parameter]:
    """All that are stored and that PCF knows; no password leaves in an event."""
    return [
        parameter_of(row, attributes[row.name])
        for row in attributes_of(object_type)
        if row.selector and row.name in attributes and not row.secret
    ]


def _event(command: int, reason: int, parameters: list[Parameter]) -> PCFMessage:
    return PCFMessage(
        mq.MQCFT_EVENT,
        command,
        parameters,
        version=mq.MQCFH_VERSION_3,
        comp=mq.MQCC_WARNING,
        reason=reason,
    )
