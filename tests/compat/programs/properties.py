"""Message properties through message handles."""

import sys

import pymqi
from pymqi import CMQC

qmgr = pymqi.connect(*sys.argv[1:])
queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)

put_handle = pymqi.MessageHandle(qmgr, pymqi.CMHO())
put_handle.properties.set(b"company", "Tern & Co <Ltd>")
put_handle.properties.set(b"count", 42, CMQC.MQTYPE_INT32)
put_handle.properties.set(b"urgent", True, CMQC.MQTYPE_BOOLEAN)
put_handle.properties.set(b"rate", 1.5, CMQC.MQTYPE_FLOAT64)
put_handle.properties.set(b"token", b"\x00\xff", CMQC.MQTYPE_BYTE_STRING)
put_handle.properties[b"city"] = "Tromsø"

pmo = pymqi.PMO(Version=CMQC.MQPMO_VERSION_3)
pmo.OriginalMsgHandle = put_handle.msg_handle
md = pymqi.MD(Version=CMQC.MQMD_VERSION_2, Format=CMQC.MQFMT_STRING)
for _ in range(3):
    queue.put(b"the data", md, pmo)
    md.MsgId = CMQC.MQMI_NONE

get_handle = pymqi.MessageHandle(qmgr, pymqi.CMHO())
gmo = pymqi.GMO(Version=CMQC.MQGMO_VERSION_4, Options=CMQC.MQGMO_PROPERTIES_IN_HANDLE)
gmo.MsgHandle = get_handle.msg_handle
get_md = pymqi.MD()
print(queue.get(None, get_md, gmo), get_md.Format)
for name in (b"company", b"count", b"urgent", b"rate", b"token", b"city"):
    print(name, get_handle.properties.get(name))

try:
    get_handle.properties.get(b"missing")
except pymqi.MQMIError as e:
    print(e.errorAsString())
put_handle.properties.set(b"long", "x" * 100)
try:
    put_handle.properties.get(b"long", max_value_length=10)
except pymqi.MQMIError as e:
    print(e.errorAsString(), e.value, e.dataLength)

# The data alone, and all of it.
get_md = pymqi.MD()
print(queue.get_no_rfh2(None, get_md), get_md.Format)
headers: list[pymqi.RFH2] = []
get_md = pymqi.MD()
print(queue.get_rfh2(None, get_md, pymqi.GMO(), headers), get_md.Format, "usr" in headers[0].get())

queue.close()
qmgr.disconnect()
