"""Text from a mainframe: got as it is, and converted."""

import sys

import pymqi
from pymqi import CMQC

qmgr = pymqi.connect(*sys.argv[1:])
queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)

md = pymqi.MD(Format=CMQC.MQFMT_STRING, CodedCharSetId=500)
for _ in range(2):
    queue.put("Grüße".encode("cp500"), md)
    md.MsgId = CMQC.MQMI_NONE

get_md = pymqi.MD()
print(queue.get(None, get_md).decode("cp500"), get_md.CodedCharSetId)

get_md = pymqi.MD(CodedCharSetId=1208)
gmo = pymqi.GMO(Options=CMQC.MQGMO_CONVERT)
print(queue.get(None, get_md, gmo).decode(), get_md.CodedCharSetId)

# What has no format cannot be converted: the message comes with a warning.
queue.put(b"\x01\x02", pymqi.MD(CodedCharSetId=500))
try:
    queue.get(None, pymqi.MD(CodedCharSetId=1208), gmo)
except pymqi.MQMIError as e:
    print(e.comp, e.reason, e.message)

queue.close()
qmgr.disconnect()
