"""The part of a channel initiator that reads its initiation queue: each trigger message names a
channel to be started.

The channel is the one that TRIGDATA of the transmission queue names, else USERDATA of its process,
else the first by name that serves the queue (SDR, or SVR with a CONNAME). Only trigger messages of
the queue manager itself count; others go to the dead-letter queue.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ternmq.api.aio import Connection
from ternmq.base import constants as mq
from ternmq.base import object_types as types
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_CONNECTION_BROKEN, MQRC_Q_MGR_QUIESCING, MQRC_Q_MGR_STOPPING
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqtm import TriggerMessage
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.host.loop_shell import LoopShell
from ternmq.host.tasks import LoopTransport, task_transport
from ternmq.store.catalog import Catalog, Definition
from ternmq.values.message import Message

APPLICATION: Final = "runmqchi"
_ENDINGS: Final = (MQRC_Q_MGR_QUIESCING, MQRC_Q_MGR_STOPPING, MQRC_CONNECTION_BROKEN)
_NATIVE: Final = 0xF  # the bits of an encoding about integers
_REVERSED: Final = 2


class TriggerMonitor:
    """Serves one initiation queue until it is cancelled."""

    def __init__(
        self,
        loop_shell: LoopShell,
        user: str,
        queue_name: str,
        opened: Callable[[str], None],
        triggered: Callable[[TriggerMessage], None],
    ) -> None:
        self._loop_shell = loop_shell
        self._user = user
        self.queue_name: Final = queue_name
        self._opened = opened
        self._triggered = triggered

    async def run(self) -> MQError | None:
        """Until the queue manager ends, or the queue cannot be used any more: why."""
        transport = task_transport(self._loop_shell, self._user, APPLICATION, None)
        transport.warns = False
        connection = Connection(transport)
        try:
            await self._serve(connection)
        except MQError as error:
            return None if error.reason in _ENDINGS else error
        finally:
            await end_quietly(transport)
        return None

    async def _serve(self, connection: Connection) -> None:
        options = mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_FAIL_IF_QUIESCING
        async with connection.queue(self.queue_name, options=options) as queue:
            self._opened(self.queue_name)
            while True:
                message = await queue.try_get(
                    wait=-1.0, options=mq.MQGMO_FAIL_IF_QUIESCING, syncpoint=False
                )
                if message is None:
                    continue
                trigger = trigger_of(message)
                if trigger is None:
                    await _bury(connection, self.queue_name, message)
                else:
                    self._triggered(trigger)


async def end_quietly(transport: LoopTransport) -> None:
    """Disconnect, unless the queue manager has done so."""
    try:
        await transport.end(True)
    except MQError:
        return


def trigger_of(message: Message) -> TriggerMessage | None:
    """What the queue manager says in it; None if it is not a trigger message of its own."""
    md = message.descriptor
    if md.format != mq.MQFMT_TRIGGER or md.put_appl_type != mq.MQAT_QMGR:
        return None
    order = LITTLE if md.encoding & _NATIVE == _REVERSED else BIG
    try:
        return TriggerMessage.unpack(message.data, 0, order, md.ccsid if md.ccsid > 0 else 1208)
    except MQError:
        return None


def channel_of(catalog: Catalog, trigger: TriggerMessage) -> tuple[str, Definition | None]:
    """The name of the channel that is meant, and its definition if there is one."""
    table = catalog.table_of(types.SENDER)
    for text in (trigger.trigger_data, trigger.user_data):
        name = text.split(" ")[0].rstrip("\0")
        if name:
            return name, table.get(name)
    for name in sorted(table):
        one = table[name]
        if not one.object_type & (types.SENDER | types.SERVER):
            continue
        if one.text("transmission_queue") != trigger.queue_name:
            continue
        if one.object_type == types.SENDER or one.text("connection_name"):
            return name, one
    return trigger.queue_name, None


async def _bury(connection: Connection, queue_name: str, message: Message) -> None:
    """To the dead-letter queue; without one, or if it does not take it, the message is gone."""
    attributes = await connection.qmgr_attributes()
    name = str(attributes.get("dead_letter_queue", ""))
    if not name:
        return
    md = message.descriptor.copy()
    header = DeadLetterHeader(
        reason=mq.MQFB_TM_ERROR,
        destination_queue=queue_name,
        destination_qmgr=connection.name,
        encoding=md.encoding,
        ccsid=md.ccsid,
        format=md.format,
        put_appl_type=mq.MQAT_UNIX,
        put_appl_name=APPLICATION,
    )
    md.format = mq.MQFMT_DEAD_LETTER_HEADER
    md.encoding = mq.MQENC_NATIVE
    md.ccsid = 1208
    try:
        await connection.put(name, header.pack() + message.data, descriptor=md)
    except MQError:
        return
