"""Show a message with its whole descriptor, as amqsbcg does."""

import binascii
import sys

import pymqi
from pymqi import CMQC

qmgr = pymqi.connect(*sys.argv[1:])

put_md = pymqi.MD()
put_md.MsgType = CMQC.MQMT_DATAGRAM
put_md.Format = CMQC.MQFMT_STRING
put_md.Priority = 4
put_md.Persistence = CMQC.MQPER_PERSISTENT
put_md.Expiry = 6000
put_md.MsgId = b"0123456789abcdef01234567"
put_md.CorrelId = b"ABCDEF"
put_md.ReplyToQ = b"SOMEWHERE"
put_md.UserIdentifier = b"not mine to say"
qmgr.put1("DEV.QUEUE.1", b"\xff\x00text", put_md)

queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", CMQC.MQOO_BROWSE)
md = pymqi.MD(Version=CMQC.MQMD_VERSION_2)
gmo = pymqi.GMO(Options=CMQC.MQGMO_BROWSE_FIRST)
message = queue.get(None, md, gmo)
queue.close()

varies = ("PutDate", "PutTime", "PutApplName", "PutApplType", "UserIdentifier", "AccountingToken")
for name, value in md.get().items():
    if name == "Expiry":
        print("Expiry:", 0 < value <= 6000)
    elif name in varies:
        print(f"{name}: {len(value) if isinstance(value, bytes) else type(value).__name__}")
    else:
        print(f"{name}: {value!r}")
print(binascii.hexlify(message))

pymqi.Queue(qmgr, "DEV.QUEUE.1").get()
qmgr.disconnect()
