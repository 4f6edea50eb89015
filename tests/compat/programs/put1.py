"""One message for each of several queues, without opening them."""

import sys

import pymqi
from pymqi import CMQC

qmgr = pymqi.connect(*sys.argv[1:])

qmgr.put1("DEV.QUEUE.1", "to a name")
qmgr.put1(b"DEV.QUEUE.2", b"to a name in bytes")

od = pymqi.OD(ObjectName=b"DEV.QUEUE.2")
md = pymqi.MD(Priority=7)
pmo = pymqi.PMO(Options=CMQC.MQPMO_SYNCPOINT)
qmgr.put1(od, b"to a descriptor", md, pmo)
print(md.MsgId != CMQC.MQMI_NONE)
qmgr.commit()

try:
    qmgr.put1("NO.SUCH.QUEUE", "nowhere")
except pymqi.MQMIError as e:
    print(e)
try:
    qmgr.put1("DEV.QUEUE.1", ["no", "message"])
except TypeError as e:
    print(type(e).__name__)

for name in ("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.2"):
    queue = pymqi.Queue(qmgr, name)
    md = pymqi.MD()
    print(queue.get(None, md), md.Format, md.Priority)
    queue.close()
qmgr.disconnect()
