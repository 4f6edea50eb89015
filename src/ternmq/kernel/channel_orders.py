"""RESET CHANNEL and RESOLVE CHANNEL, as far as the queue manager's data is concerned.

Both go on until they are done: `go_on` returns False while the connection is parked or has another
step to go. The caller has checked type of the channel, authority and values. Neither touches a unit
of work that the connection has under way.
"""

from __future__ import annotations

from typing import final

from ternmq.base import constants as mq
from ternmq.base.command_reasons import MQRCCF_CHANNEL_IN_USE, MQRCCF_CHANNEL_INDOUBT
from ternmq.base.errors import MQError, mq_error
from ternmq.channel.channel_state import ChannelState
from ternmq.kernel.channel_in_doubt import InDoubtBatch, batch_of_channel
from ternmq.kernel.channel_states import (
    StateListing,
    StateReplacing,
    exchange_unit,
    open_sync_queue,
)
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.ending import back_out_some, commit, commit_unit
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.resolve import close_handle
from ternmq.txn.unit import ENDED, UnitOfWork


@final
class Resolving:
    """RESOLVE CHANNEL: an operator decides what the partner cannot be asked. Nobody has to forget
    that later: the next start compares LUWIDs and sequence numbers anyway."""

    def __init__(self, channel: str, commits: bool) -> None:
        self.channel = channel
        self.commits = commits
        self.was_in_doubt = False
        self.messages = 0  # how many were
        self._undone: UnitOfWork | None = None

    def go_on(self, kernel: Kernel, connection: Connection, verb: str) -> bool:
        connection.begin_verb()
        kernel.refuse_if_broken(verb)
        unit = self._undone
        if unit is None:
            batch = batch_of_channel(kernel, self.channel, None)
            if batch is None:
                return True
            _refuse_running(kernel, batch, verb)
            self.was_in_doubt = True
            self.messages = batch.messages
            unit = batch.unit
            if self.commits:
                commit_unit(kernel, connection, unit)
                return True
            self._undone = unit
        connection.again = not back_out_some(kernel, unit)
        connection.depends_on(kernel.coordinator.log.end_lsn)
        return not connection.again


def _refuse_running(kernel: Kernel, batch: InDoubtBatch, verb: str) -> None:
    """While a channel runs it holds its transmission queue, and resolves the batch itself."""
    local = kernel.locals.get(batch.transmission_queue)
    if local is None:
        return
    for handle in local.handles:
        if handle.input == mq.MQOO_INPUT_EXCLUSIVE:
            raise mq_error(
                MQRCCF_CHANNEL_IN_USE,
                verb=verb,
                object=batch.channel,
                detail=f"its transmission queue {local.name} is in use; stop the channel first",
            )


@final
class Resetting:
    """RESET CHANNEL: at a sender, the next start sends this number to the partner; at a
    receiver, the next message of each partner has it. A channel that has never run gets a state for
    a partner that is not known yet."""

    def __init__(self, channel: str, is_sender: bool, sequence: int) -> None:
        self.channel = channel
        self.is_sender = is_sender
        self.sequence = sequence
        self._listing = StateListing()
        self._states: list[ChannelState] | None = None

    def go_on(self, kernel: Kernel, connection: Connection, verb: str) -> bool:
        states = self._states
        if states is None:
            if self.is_sender:
                _refuse_in_doubt(kernel, self.channel, verb)
            try:
                if not self._listing.go_on(kernel, connection, verb):
                    return False
            except MQError:
                self._listing.close(kernel)
                raise
            self._listing.close(kernel)
            states = self._changed()
            self._states = states
        handle = open_sync_queue(kernel, connection, verb)
        if handle is None:
            return False
        before = exchange_unit(connection, None)
        try:
            return self._replace(kernel, connection, handle, states)
        finally:
            unit = exchange_unit(connection, before)
            close_handle(kernel, handle, 0)
            if unit is not None and unit.state != ENDED:
                while not back_out_some(kernel, unit):
                    pass

    def _changed(self) -> list[ChannelState]:
        found = [
            one
            for one in self._listing.states
            if one.channel == self.channel and one.is_sender == self.is_sender
        ]
        if not found:
            found = [ChannelState(self.channel, self.is_sender)]
        for one in found:
            if self.is_sender:
                one.reset_sequence = self.sequence
            else:
                one.last_sequence = self.sequence - 1
        return found

    def _replace(
        self, kernel: Kernel, connection: Connection, handle: Handle, states: list[ChannelState]
    ) -> bool:
        """All of them in one unit of work, begun again if it had to wait."""
        for one in states:
            if not StateReplacing(handle, one).go_on(kernel):
                return False
        commit(kernel, connection)
        return True


def _refuse_in_doubt(kernel: Kernel, channel: str, verb: str) -> None:
    batch = batch_of_channel(kernel, channel, None)
    if batch is not None:
        raise mq_error(
            MQRCCF_CHANNEL_INDOUBT,
            verb=verb,
            object=channel,
            detail=f"{batch.messages} messages to {batch.partner_qmgr} are in doubt; use RESOLVE "
            f"CHANNEL({channel}) first",
        )
