"""A message of a transmission queue whose data is converted for the partner of its channel, as
CONVERT(YES) wants it: the data behind MQXQH and MQMDE, as MQGMO_CONVERT does it. The headers stay
the queue manager's. Done outside the engine's lock: exits may be asked.
"""

from __future__ import annotations

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_MSG_TOO_BIG_FOR_CHANNEL
from ternmq.codec.conversion import convert_for_buffer
from ternmq.codec.conversion_service import ConversionService
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.headers.transmitted import Transmitted, transmitted_message
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.values.get_request import UNLIMITED_LENGTH


def convert_message(
    message: bytes, ccsid: int, encoding: int, bytes_max: int, service: ConversionService | None
) -> tuple[bytes, int]:
    """The message in that character set and encoding, and 0; as it was, and the reason, if it
    cannot be converted or does not fit the channel then."""
    try:
        header = TransmissionHeader.unpack(message)
        md, data = transmitted_message(message)
    except MQError:
        return message, 0  # what is wrong with it is for others to say
    target = (ccsid, encoding)
    made = convert_for_buffer(data, md.pack(), target, UNLIMITED_LENGTH, False, service)
    if made.warning:
        return message, made.warning
    own = Descriptor.unpack(made.base)
    md.encoding = own.encoding
    md.ccsid = own.ccsid
    converted = Transmitted(header.remote_queue, header.remote_qmgr, md, made.data).pack()
    if bytes_max and len(converted) > bytes_max:
        return message, MQRC_MSG_TOO_BIG_FOR_CHANNEL
    return converted, 0
