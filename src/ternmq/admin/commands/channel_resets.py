"""RESET CHANNEL and RESOLVE CHANNEL: sequence numbers, and batches in doubt, by an operator's word.

A sender's RESET travels to its partner with the next start; until then DISPLAY CHANNEL shows it as
RESETSEQ. A receiver's counts here alone, at once. Neither is done while the channel runs.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_table import CommandRow
from ternmq.admin.commands.channel_commands import ChannelCommand
from ternmq.base import object_types as types
from ternmq.base.command_reasons import (
    MQRCCF_CHANNEL_IN_USE,
    MQRCCF_CHANNEL_TYPE_ERROR,
    MQRCCF_COMMAND_FAILED,
    MQRCCF_MSG_SEQ_NUMBER_ERROR,
)
from ternmq.base.errors import mq_error
from ternmq.kernel.channel_kept import note_reset
from ternmq.kernel.channel_orders import Resetting, Resolving
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.store.catalog import Definition
from ternmq.values.command import Command

SENDING: Final = types.SENDER | types.SERVER | types.CLUSSDR


@final
class ResetChannel(ChannelCommand):
    """RESET CHANNEL."""

    allowed = types.MESSAGE_CHANNELS
    wrong_type = MQRCCF_CHANNEL_TYPE_ERROR

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._resetting: Resetting | None = None
        self._is_reset = False

    def carry_out(self, kernel: Kernel, link: Link, channel: Definition) -> bool:
        resetting = self._resetting
        if resetting is None:
            sequence = int(self.command.given.get("SEQNUM", 1))
            highest = channel.number("sequence_wrap")
            if not 1 <= sequence <= highest:
                detail = f"SEQNUM is 1 to {highest} (SEQWRAP), not {sequence}"
                raise mq_error(MQRCCF_MSG_SEQ_NUMBER_ERROR, object=channel.name, detail=detail)
            if kernel.parts.control.is_running(channel.name):
                return self.refuse("AMQ9514E", channel.name, reason=MQRCCF_CHANNEL_IN_USE)
            is_sender = channel.object_type & SENDING != 0
            resetting = Resetting(channel.name, is_sender, sequence)
            self._resetting = resetting
        if not self._is_reset:
            if not resetting.go_on(kernel, link, self.verb):
                return False
            self._is_reset = True
        if resetting.is_sender and not note_reset(kernel, link, channel, resetting.sequence):
            return False
        return self.succeed()


@final
class ResolveChannel(ChannelCommand):
    """RESOLVE CHANNEL."""

    allowed = SENDING
    wrong_type = MQRCCF_CHANNEL_TYPE_ERROR

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._resolving: Resolving | None = None

    def carry_out(self, kernel: Kernel, link: Link, channel: Definition) -> bool:
        resolving = self._resolving
        if resolving is None:
            if kernel.parts.control.is_running(channel.name):
                return self.refuse("AMQ9514E", channel.name, reason=MQRCCF_CHANNEL_IN_USE)
            resolving = Resolving(channel.name, self.command.given["ACTION"] == "COMMIT")
            self._resolving = resolving
        if not resolving.go_on(kernel, link, self.verb):
            return False
        if not resolving.was_in_doubt:
            return self.refuse("AMQ8996E", channel.name, reason=MQRCCF_COMMAND_FAILED)
        return self.succeed()
