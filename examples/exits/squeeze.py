"""Message exits that compress the data of messages at one end and expand them at the other.

    ALTER CHANNEL(A.TO.B) CHLTYPE(SDR)  MSGEXIT('squeeze(shrink)')
    ALTER CHANNEL(A.TO.B) CHLTYPE(RCVR) MSGEXIT('squeeze(grow)')

COMPMSG does it without an exit. What has no marker is taken as it is, so that the receiving end may
have the exit before the sending one.
"""

import zlib

from ternmq.base import constants as mq
from ternmq.channel.exit_structures import MQCD, MQCXP

MARK = b"SQZ1"
MOST = 100 * 1024 * 1024


def shrink(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> bytes | None:
    if mqcxp.ExitReason != mq.MQXR_MSG:
        return None
    header, body = data[: mqcxp.HeaderLength], data[mqcxp.HeaderLength :]
    small = MARK + zlib.compress(body, 1)
    return header + small if len(small) < len(body) else None


def grow(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> bytes | None:
    if mqcxp.ExitReason != mq.MQXR_MSG:
        return None
    header, body = data[: mqcxp.HeaderLength], data[mqcxp.HeaderLength :]
    if not body.startswith(MARK):
        return None
    return header + zlib.decompressobj().decompress(body[len(MARK) :], MOST)
