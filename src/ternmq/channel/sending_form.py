"""A message as it is sent: properties for partners that do not know them (PROPCTL), then message
exits, then compression.

    PROPCTL   a partner without MSG_PROP_CAPABLE gets
    ALL       the MQRFH2, as every other partner
    COMPAT    the MQRFH2 if it has a property of mcd, jms, usr or mqext; else none
    NONE      none

The MQMD in the MQXQH describes the data, and is changed with it.
"""

from __future__ import annotations

import struct
from typing import Final

from ternmq.base import constants as mq
from ternmq.channel.agent import Agent
from ternmq.channel.exit_points import PASS, ExitChain
from ternmq.channel.transmission_message import HEADER_BYTES, is_transmission_message
from ternmq.codec.mqi.mqmd import ENCODING_AT
from ternmq.codec.property_area import HAS_JMS_FOLDER, area_flags
from ternmq.codec.property_header import may_be_split, split

_DESCRIPTOR_AT: Final = 104
_VERSION: Final = struct.Struct("<i")
_FIELDS_BYTES: Final = 16  # Encoding, CCSID and Format


def _is_ours(message: bytes) -> bool:
    """Whether the MQXQH is in this machine's byte order: a program may have made another."""
    return bool(_VERSION.unpack_from(message, 4)[0] == 1)


def without_properties(message: bytes, control: int) -> bytes:
    """The message for a partner that knows no properties, by PROPCTL."""
    if control == mq.MQPROP_ALL or not _is_ours(message):
        return message
    base = message[_DESCRIPTOR_AT:HEADER_BYTES]
    if not may_be_split(base):
        return message
    parts = split(message[HEADER_BYTES:], base)
    if parts is None:
        return message
    if control == mq.MQPROP_COMPATIBILITY and area_flags(parts.area) & HAS_JMS_FOLDER:
        return message
    end = ENCODING_AT + _FIELDS_BYTES
    described = base[:ENCODING_AT] + parts.fields + base[end:]
    return message[:_DESCRIPTOR_AT] + described + parts.data


def through_exits(agent: Agent, exits: ExitChain, message: bytes) -> tuple[bytes, int]:
    """What message exits have made of it, or the reason why they do not want it sent."""
    exits.header_compression = agent.header_compression
    exits.message_compression = agent.message_compression
    verdict = exits.message(message)
    if verdict.kind != PASS:
        return verdict.message, verdict.reason or mq.MQFB_STOPPED_BY_MSG_EXIT
    if not is_transmission_message(verdict.message):
        return verdict.message, mq.MQFB_XMIT_Q_MSG_ERROR
    return verdict.message, 0


def packed(agent: Agent, exits: ExitChain, message: bytes) -> tuple[bytes, int]:
    """The message as it is sent, and flags 2 of its segments."""
    packer = agent.packer
    if packer is None:
        return message, 0
    if not exits.has_message:
        return packer.pack(message, HEADER_BYTES)
    header, data = exits.header_compression, exits.message_compression
    return packer.pack_with(message, HEADER_BYTES, header, data)
