"""Read dead letters: the header in front says why, and where the message was to go."""

import struct
import sys

import pymqi
from pymqi import CMQC

DLH = "4sii48s48sii8si28s8s8s"  # MQDLH as it stands in memory
dlq_name = "DEV.DEAD.LETTER.QUEUE"

qmgr = pymqi.connect(*sys.argv[1:])

# Somebody could not deliver a message.
header = struct.pack(
    DLH,
    CMQC.MQDLH_STRUC_ID,
    CMQC.MQDLH_VERSION_1,
    CMQC.MQRC_Q_FULL,
    b"ORDERS".ljust(48),
    b"QM1".ljust(48),
    CMQC.MQENC_NATIVE,
    1208,
    CMQC.MQFMT_STRING,
    CMQC.MQAT_UNIX,
    b"billing".ljust(28),
    b"20240131",
    b"12000000",
)
md = pymqi.MD(Format=CMQC.MQFMT_DEAD_LETTER_HEADER)
queue = pymqi.Queue(qmgr, dlq_name)
queue.put(header + b"an order", md)
queue.close()

md = pymqi.MD()
queue = pymqi.Queue(qmgr, dlq_name)
message = queue.get(None, md)
if md.Format == CMQC.MQFMT_DEAD_LETTER_HEADER:
    size = struct.calcsize(DLH)
    fields = struct.unpack(DLH, message[:size])
    print(size == CMQC.MQDLH_LENGTH_1, fields[0], fields[3].strip(), fields[7].strip())
    print(str(pymqi.MQMIError(CMQC.MQCC_FAILED, fields[2])))
    print(message[size:])
queue.close()
qmgr.disconnect()
