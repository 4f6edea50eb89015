"""The message of SYSTEM.CHANNEL.SYNCQ that holds the state of a channel with one partner. All
integers are little endian, texts are UTF-8, padded with blanks.

    at   0  eye-catcher "TCHS"          at  28  u32 zero
         4  u32 version, 1                  32  channel c20
         8  u32 role: 1 sender, 2 receiver  52  partner's queue manager c48
        12  u32 last sequence number       100  transmission queue c48, of a sender
        16  last LUWID 8                   148  partner's address (CONNAME) c264
        24  u32 RESET to be sent; 0: none

Its MsgId is made of channel, partner and role (`state_id`), so that it is found without a search.
It is persistent, never expires, and its PutApplType is MQAT_QMGR: a message of an application,
which cannot set that, is not taken for a state. A partner that is not known, because the channel
has not run since RESET CHANNEL, is blank.
"""

from __future__ import annotations

import hashlib
import struct
from typing import Final

from ternmq.base import constants as mq
from ternmq.channel.channel_state import ChannelState
from ternmq.codec.mqi.mqmd import PUT_APPL_TYPE_AT, Descriptor
from ternmq.values.entry import Entry

FORMAT: Final = "TERNCHST"
SYNC_QUEUE: Final = "SYSTEM.CHANNEL.SYNCQ"
_EYE: Final = b"TCHS"
_VERSION: Final = 1
_SENDER: Final = 1
_RECEIVER: Final = 2
_HEAD: Final = struct.Struct("<4sIII8sII")
_CHANNEL_AT: Final = 32
_PARTNER_AT: Final = 52
_QUEUE_AT: Final = 100
_ADDRESS_AT: Final = 148
_BYTES: Final = 412


def state_id(channel: str, partner: str, is_sender: bool) -> bytes:
    """The MsgId of a state."""
    role = "sender" if is_sender else "receiver"
    return hashlib.sha256(f"{channel}\n{partner}\n{role}".encode()).digest()[:24]


def pack_state(state: ChannelState) -> bytes:
    """The data of the message."""
    head = _HEAD.pack(
        _EYE,
        _VERSION,
        _SENDER if state.is_sender else _RECEIVER,
        state.last_sequence,
        state.last_luwid,
        state.reset_sequence,
        0,
    )
    return b"".join(
        (
            head,
            _text(state.channel, _PARTNER_AT - _CHANNEL_AT),
            _text(state.partner_qmgr, _QUEUE_AT - _PARTNER_AT),
            _text(state.transmission_queue, _ADDRESS_AT - _QUEUE_AT),
            _text(state.partner_address, _BYTES - _ADDRESS_AT),
        )
    )


def read_state(entry: Entry) -> ChannelState | None:
    """The state that a message holds; None if it is not one of ours."""
    kind = int.from_bytes(entry.base[PUT_APPL_TYPE_AT : PUT_APPL_TYPE_AT + 4], "little")
    data = entry.data
    if kind != mq.MQAT_QMGR or len(data) != _BYTES:
        return None
    eye, version, role, sequence, luwid, reset, _ = _HEAD.unpack_from(data)
    if eye != _EYE or version != _VERSION or role not in (_SENDER, _RECEIVER):
        return None
    state = ChannelState(_read(data, _CHANNEL_AT, _PARTNER_AT), role == _SENDER)
    state.partner_qmgr = _read(data, _PARTNER_AT, _QUEUE_AT)
    state.transmission_queue = _read(data, _QUEUE_AT, _ADDRESS_AT)
    state.partner_address = _read(data, _ADDRESS_AT, _BYTES)
    state.last_sequence = sequence
    state.last_luwid = luwid
    state.reset_sequence = reset
    if entry.msg_id != state_id(state.channel, state.partner_qmgr, state.is_sender):
        return None
    return state


def state_descriptor(qmgr_name: str, ccsid: int) -> Descriptor:
    """The descriptor of the message."""
    return Descriptor(
        format=FORMAT,
        ccsid=ccsid,
        persistence=mq.MQPER_PERSISTENT,
        priority=0,
        put_appl_type=mq.MQAT_QMGR,
        put_appl_name=qmgr_name[: mq.MQ_PUT_APPL_NAME_LENGTH],
    )


def _text(value: str, size: int) -> bytes:
    return value.encode("utf-8")[:size].ljust(size)


def _read(data: bytes, at: int, end: int) -> str:
    return data[at:end].decode("utf-8", "replace").rstrip()
