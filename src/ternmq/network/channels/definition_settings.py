"""What an agent needs to know: from the definition of its channel and from its queue manager."""

from __future__ import annotations

import os
from typing import Final

from ternmq.base import constants as mq
from ternmq.channel.settings import ChannelSettings
from ternmq.kernel.inquire import COMMAND_LEVEL
from ternmq.kernel.kernel import Kernel
from ternmq.store.catalog import Definition
from ternmq.wire.fap.compression import available_headers, available_messages
from ternmq.wire.fap.compression_lists import named

PRODUCT_ID: Final = f"MQMM{COMMAND_LEVEL // 100:02}{COMMAND_LEVEL // 10 % 10:02}0000"
# Attributes that the settings have under the same name.
_SAME: Final = (
    "batch_messages",
    "batch_kilobytes",
    "batch_interval_ms",
    "batch_heartbeat_ms",
    "disconnect_s",
    "heartbeat_s",
    "sequence_wrap",
    "property_control",
    "message_retries",
    "message_retry_ms",
)
_S: Final = 1_000_000_000


def settings_of(
    kernel: Kernel, channel: Definition, address: str, pipelines: bool
) -> ChannelSettings:
    """The settings of one instance; its number is set when it has one."""
    made = ChannelSettings(channel.name, channel.object_type, kernel.name)
    made.qmgr_id = kernel.identity[: mq.MQ_Q_MGR_IDENTIFIER_LENGTH]
    made.product_id = PRODUCT_ID
    made.process_id = os.getpid()
    made.address = address
    made.started_s = int(kernel.clock.now_ns()) // _S
    made.ccsid = kernel.number("ccsid")
    made.uncommitted_max = int(kernel.max_uncommitted)
    made.pipelines = pipelines
    given = channel.attributes
    for name in _SAME:
        if name in given:
            setattr(made, name, channel.number(name))
    made.message_bytes_max = channel.number("max_message_length") or kernel.number(
        "max_message_length"
    )
    made.is_fast = channel.number("nonpersistent_speed") == mq.MQNPMS_FAST
    made.converts = given.get("convert") == mq.MQCDC_SENDER_CONVERSION
    made.header_compression = compressions_of(channel, "header_compression")
    made.message_compression = compressions_of(channel, "message_compression")
    made.clock = kernel.clock
    return made


def compressions_of(channel: Definition, name: str) -> list[int]:
    """COMPHDR or COMPMSG: those that can be used here, the preferred one first."""
    is_header = name == "header_compression"
    available = available_headers() if is_header else available_messages()
    return named(str(channel.attributes.get(name, "")), available)
