"""Messages that are longer than the buffer."""

import sys

import pymqi
from pymqi import CMQC

qmgr = pymqi.connect(*sys.argv[1:])
queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)
queue.put(b"0123456789" * 1000)

try:
    queue.get(10)
except pymqi.MQMIError as e:
    print(e.comp, e.errorAsString(), e.message, e.original_length)

# It is still there, and comes whole if no length is given.
print(len(queue.get()))

queue.put(b"abcdefghij")
gmo = pymqi.GMO(Options=CMQC.MQGMO_ACCEPT_TRUNCATED_MSG)
md = pymqi.MD()
try:
    queue.get(4, md, gmo)
except pymqi.MQMIError as e:
    print(e.comp, e.errorAsString(), e.message, e.original_length, md.MsgId[:4])

queue.put(b"abcdefghij")
try:
    queue.get(None, pymqi.MD(), gmo)
except pymqi.MQMIError as e:
    print(e.errorAsString(), e.message, e.original_length)

try:
    queue.get()
except pymqi.MQMIError as e:
    print(e.errorAsString())
queue.close()
qmgr.disconnect()
