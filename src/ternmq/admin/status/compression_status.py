"""COMPHDR, COMPMSG, COMPRATE and COMPTIME of DISPLAY CHSTATUS: what compresses, and how well."""

from __future__ import annotations

from ternmq.admin.status.status_display import Values
from ternmq.base import constants as mq
from ternmq.wire.fap.compression import Expander, Packer
from ternmq.wire.fap.compression_lists import NAMES


def compression_values(
    packer: Packer | None, expander: Expander | None, is_monitored: bool
) -> Values:
    """What is agreed, and what was done with the last message. A client's channel has both
    directions: the figures are of what this end sends, if it has sent anything. Rate and time are
    there only where MONCHL collects them."""
    last_header = last_message = mq.MQCOMPRESS_NONE
    rates = None
    if expander is not None and expander.rates.messages:
        last_header, last_message = expander.last_header_kind, expander.last_message_kind
        rates = expander.rates
    if packer is not None and packer.rates.messages:
        last_header, last_message = packer.last_header_kind, packer.last_message_kind
        rates = packer.rates
    header = message = mq.MQCOMPRESS_NONE
    if packer is not None:
        header, message = packer.header_kind, packer.message_kind
    elif expander is not None:
        header, message = expander.header_kind, expander.message_kind
    rate = (0, 0) if rates is None or not is_monitored else rates.rate_percent()
    time = (0, 0) if rates is None or not is_monitored else rates.time_us()
    return {
        "COMPHDR": f"{NAMES[header]},{NAMES[last_header]}",
        "COMPMSG": f"{NAMES[message]},{NAMES[last_message]}",
        "COMPRATE": f"{rate[0]},{rate[1]}",
        "COMPTIME": f"{time[0]},{time[1]}",
    }
