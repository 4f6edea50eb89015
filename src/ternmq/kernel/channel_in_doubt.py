"""Batches of sending channels that are in doubt: prepared units of work under XIDs of our own,
which only the partner's answer or RESOLVE CHANNEL ends.

    format id          CHANNEL_FORMAT
    global id          LUWID 8, u32 last sequence number of the batch, u32 messages in it, then of
                       the batch before: LUWID 8, u32 last sequence number; then the channel's name
    branch qualifier   name of the partner's queue manager

Integers are little endian. The unit holds the gets from the transmission queue and the replacement
of the state message, so a restart needs no other record. Transaction managers never see them.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.channel.channel_state import ChannelState
from ternmq.kernel.channel_state_message import SYNC_QUEUE, read_state
from ternmq.kernel.kernel import Kernel
from ternmq.txn.unit import CHANGE_GET, CHANGE_PUT, UnitOfWork
from ternmq.values.xid import XID

CHANNEL_FORMAT: Final = 0x5443484C  # "TCHL"
_GLOBAL: Final = struct.Struct("<8sII8sI")


@final
class InDoubtBatch:
    """A batch whose fate only the partner knows."""

    def __init__(self, unit: UnitOfWork, xid: XID) -> None:
        luwid, sequence, messages, last_luwid, last_sequence = _GLOBAL.unpack_from(xid.global_id)
        self.unit: Final = unit
        self.channel: Final = xid.global_id[_GLOBAL.size :].decode("utf-8", "replace")
        self.partner_qmgr: Final = xid.branch_qualifier.decode("utf-8", "replace")
        self.transmission_queue: Final = _transmission_queue(unit)
        self.luwid: Final[bytes] = luwid
        self.sequence: Final[int] = sequence
        self.messages: Final[int] = messages
        self.last_luwid: Final[bytes] = last_luwid
        self.last_sequence: Final[int] = last_sequence

    def describe(self, state: ChannelState) -> None:
        """The state of the channel while the batch is in doubt: its message is in the unit."""
        state.partner_qmgr = self.partner_qmgr
        state.partner_address = state.partner_address or self._address()
        state.transmission_queue = self.transmission_queue
        state.last_sequence = self.last_sequence
        state.last_luwid = self.last_luwid
        state.is_in_doubt = True
        state.in_doubt_sequence = self.sequence
        state.in_doubt_luwid = self.luwid
        state.in_doubt_messages = self.messages

    def _address(self) -> str:
        """CONNAME, from the new state message if that is in memory."""
        for change in self.unit.changes:
            if change.kind == CHANGE_PUT and change.queue.name == SYNC_QUEUE:
                after = read_state(change.entry)
                return "" if after is None else after.partner_address
        return ""


def batch_xid(state: ChannelState, luwid: bytes, sequence: int, messages: int, owner: str) -> XID:
    """The name of a batch that is about to be in doubt; `state` is what was before it."""
    head = _GLOBAL.pack(luwid, sequence, messages, state.last_luwid, state.last_sequence)
    return XID(
        CHANNEL_FORMAT, head + state.channel.encode("utf-8"), state.partner_qmgr.encode(), owner
    )


def is_of_channel(xid: XID) -> bool:
    """Whether it names a batch of a channel."""
    return xid.format_id == CHANNEL_FORMAT


def batches_in_doubt(kernel: Kernel) -> list[InDoubtBatch]:
    """All of them."""
    found: list[InDoubtBatch] = []
    for unit in kernel.coordinator.prepared.values():
        xid = unit.xid
        if xid is not None and is_of_channel(xid) and len(xid.global_id) > _GLOBAL.size:
            found.append(InDoubtBatch(unit, xid))
    return found


def batch_of_channel(kernel: Kernel, channel: str, partner: str | None) -> InDoubtBatch | None:
    """That of a channel, with this partner or, if that is None, with any."""
    for batch in batches_in_doubt(kernel):
        if batch.channel == channel and partner in (None, batch.partner_qmgr):
            return batch
    return None


def _transmission_queue(unit: UnitOfWork) -> str:
    for change in unit.changes:
        if change.kind == CHANGE_GET and change.queue.name != SYNC_QUEUE:
            return change.queue.name
    return ""
