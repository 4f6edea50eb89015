"""PING CHANNEL: data to the other end and back, without a message and without a sequence number."""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_table import CommandRow
from ternmq.admin.commands.channel_commands import ChannelCommand
from ternmq.base import object_types as types
from ternmq.base.command_reasons import (
    MQRCCF_CHANNEL_IN_USE,
    MQRCCF_COMMAND_FAILED,
    MQRCCF_HOST_NOT_AVAILABLE,
    MQRCCF_MISSING_CONN_NAME,
    MQRCCF_PING_DATA_COUNT_ERROR,
    MQRCCF_PING_ERROR,
)
from ternmq.base.errors import mq_error
from ternmq.kernel.channel_instance import STARTING
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.parts import Pinging
from ternmq.store.catalog import Definition
from ternmq.values.command import Command

DATA_BYTES: Final = 64
DATA_BYTES_MIN: Final = 16
DATA_BYTES_MAX: Final = 32_768
_NO_HOST: Final = "AMQ9202E"


@final
class PingChannel(ChannelCommand):
    """PING CHANNEL."""

    allowed = types.SENDER | types.SERVER | types.CLUSSDR
    wrong_type = MQRCCF_PING_ERROR

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._pinging: Pinging | None = None

    def carry_out(self, kernel: Kernel, link: Link, channel: Definition) -> bool:
        pinging = self._pinging
        if pinging is None:
            data = self._data()
            control = kernel.parts.control
            one = control.channels.get(channel.name)
            if control.is_running(channel.name) or (one is not None and one.status == STARTING):
                return self.refuse("AMQ9514E", channel.name, reason=MQRCCF_CHANNEL_IN_USE)
            if not channel.text("connection_name"):
                return self.refuse(
                    "AMQ9502E", channel.name, self.verb, reason=MQRCCF_MISSING_CONN_NAME
                )
            pinging = kernel.parts.ping(channel, data)
            if pinging is None:
                return self.refuse("AMQ9503E", channel.name, reason=MQRCCF_COMMAND_FAILED)
            self._pinging = pinging
        if not pinging.done:
            link.park = pinging
            return False
        if not pinging.message_id:
            return self.succeed()
        unreachable = pinging.message_id == _NO_HOST
        reason = MQRCCF_HOST_NOT_AVAILABLE if unreachable else MQRCCF_PING_ERROR
        inserts = [one if isinstance(one, int) else str(one) for one in pinging.inserts]
        return self.refuse(pinging.message_id, *inserts, reason=reason)

    def _data(self) -> bytes:
        """Every byte value in turn, so that a conversion on the way would show."""
        length = int(self.command.given.get("DATALEN", DATA_BYTES))
        if not DATA_BYTES_MIN <= length <= DATA_BYTES_MAX:
            detail = f"DATALEN is {DATA_BYTES_MIN} to {DATA_BYTES_MAX}, not {length}"
            raise mq_error(MQRCCF_PING_DATA_COUNT_ERROR, object=self.command.name, detail=detail)
        return bytes(at % 256 for at in range(length))


@final
class PurgeChannel(ChannelCommand):
    """PURGE CHANNEL is for channels of telemetry and AMQP, which are not run here."""

    allowed = 0
