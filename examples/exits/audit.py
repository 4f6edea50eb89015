"""Exits that write down what a channel does, and let in only queue managers that are listed.

ALTER CHANNEL(A.TO.B) CHLTYPE(RCVR) MSGEXIT('audit(message)') MSGDATA('/var/log/a_to_b.log') +
                                    SCYEXIT('audit(partner)') SCYDATA('QMA QMC')
ALTER QMGR CHAD(ENABLED) CHADEXIT('audit(new_channel)')
"""

import datetime

from ternmq.base import constants as mq
from ternmq.channel.exit_structures import MQCD, MQCXP

NAMES = 48  # characters of a queue's and of a queue manager's name in MQXQH


def message(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> None:
    if mqcxp.ExitReason == mq.MQXR_MSG:
        queue = data[8 : 8 + NAMES].decode("ascii", "replace").strip()
        line = f"{mqcd.ChannelName} {mqcxp.PartnerName} {queue} {len(data) - mqcxp.HeaderLength}"
    elif mqcxp.ExitReason in (mq.MQXR_INIT, mq.MQXR_TERM):
        line = f"{mqcd.ChannelName} {'begins' if mqcxp.ExitReason == mq.MQXR_INIT else 'ends'}"
    else:
        return
    with open(mqcxp.ExitData, "a") as log:
        log.write(f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S} {line}\n")


def partner(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> None:
    """A security exit that sends nothing: it looks at who the partner says it is."""
    if mqcxp.ExitReason == mq.MQXR_INIT_SEC and mqcxp.PartnerName not in mqcxp.ExitData.split():
        mqcxp.ExitResponse = mq.MQXCC_CLOSE_CHANNEL


def new_channel(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> None:
    """An auto-definition exit: receivers only, and none for names that are not of this house."""
    wanted = mqcxp.ExitReason == mq.MQXR_AUTO_RECEIVER and mqcd.ChannelName.startswith("HOUSE.")
    if wanted:
        mqcd.MaxMsgLength = 1_000_000
    else:
        mqcxp.ExitResponse = mq.MQXCC_SUPPRESS_FUNCTION
