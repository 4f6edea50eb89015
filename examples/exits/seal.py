"""Send and receive exits that encrypt a channel's segments and refuse any that was changed.

    ALTER CHANNEL(A.TO.B) CHLTYPE(SDR)  SENDEXIT('seal(send)') SENDDATA('key of both ends') +
                                        RCVEXIT('seal(receive)') RCVDATA('key of both ends')

and the same at the receiver; or at a SVRCONN channel, and in "exits" of the client's CCDT.
It shows what exits can do: TLS (SSLCIPH) does more, and faster. Each segment gets a number, so
that none can be repeated or left out.
"""

import hashlib
import hmac

from ternmq.base import constants as mq
from ternmq.channel.exit_structures import MQCD, MQCXP

SEAL = 32


def send(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> bytes | None:
    if mqcxp.ExitReason == mq.MQXR_INIT:
        mqcxp.ExitSpace = SEAL
    if mqcxp.ExitReason != mq.MQXR_XMIT:
        return None
    number, key = counted(mqcxp), mqcxp.ExitData.encode()
    head, body = parted(data)
    body = masked(key, number, body)
    return head + body + seal(key, number, body)


def receive(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> bytes | None:
    if mqcxp.ExitReason != mq.MQXR_XMIT:
        return None
    number, key = counted(mqcxp), mqcxp.ExitData.encode()
    head, body = parted(data[:-SEAL])
    sent = data[-SEAL:]
    if not hmac.compare_digest(sent, seal(key, number, body)):
        mqcxp.ExitResponse = mq.MQXCC_CLOSE_CHANNEL
        return None
    return head + masked(key, number, body)


def parted(data: bytes) -> tuple[bytes, bytes]:
    """What an exit leaves as it is, and the rest: eye-catcher and length; of a client's segment
    (TSHM) the numbers of its conversation and request, too."""
    clear = 16 if data[:4] == b"TSHM" else 8
    return data[:clear], data[clear:]


def counted(mqcxp: MQCXP) -> int:
    """The number of this segment; ExitUserArea is kept from call to call."""
    number = int.from_bytes(mqcxp.ExitUserArea, "big")
    mqcxp.ExitUserArea = (number + 1).to_bytes(16, "big")
    return number


def masked(key: bytes, number: int, body: bytes) -> bytes:
    """The body, exclusive or a stream of bytes that the key and the number give."""
    stream = hashlib.shake_256(b"stream" + number.to_bytes(16, "big") + key).digest(len(body))
    return (int.from_bytes(body, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(body), "big")


def seal(key: bytes, number: int, body: bytes) -> bytes:
    return hmac.digest(key, number.to_bytes(16, "big") + body, "sha256")
