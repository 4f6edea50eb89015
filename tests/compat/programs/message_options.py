"""Priority, persistence and expiry of messages."""

import sys

import pymqi
from pymqi import CMQC

qmgr = pymqi.connect(*sys.argv[1:])
queue = pymqi.Queue(
    qmgr, "DEV.QUEUE.1", CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT | CMQC.MQOO_INQUIRE
)

for priority in (2, 9, 5):
    md = pymqi.MD()
    md.Priority = priority
    queue.put(f"priority {priority}", md)
for _ in range(3):
    print(queue.get())

for persistence in (CMQC.MQPER_PERSISTENT, CMQC.MQPER_NOT_PERSISTENT):
    queue.put(b"x", pymqi.MD(Persistence=persistence))
    md = pymqi.MD()
    queue.get(None, md)
    print("persistent" if md.Persistence == CMQC.MQPER_PERSISTENT else "not persistent")

queue.put(b"soon over", pymqi.MD(Expiry=36000))
md = pymqi.MD()
queue.get(None, md)
print(0 < md.Expiry <= 36000)

# One descriptor for many messages: the second has the id of the first unless it is reset.
md = pymqi.MD()
queue.put(b"one", md)
first = md.MsgId
queue.put(b"two", md)
print(md.MsgId == first)
queue.put(b"three", md, pymqi.PMO(Options=CMQC.MQPMO_NEW_MSG_ID))
print(md.MsgId == first, queue.inquire(CMQC.MQIA_CURRENT_Q_DEPTH))
while queue.inquire(CMQC.MQIA_CURRENT_Q_DEPTH):
    queue.get()

# A priority that is too high is a warning: the message is there.
try:
    queue.put(b"urgent", pymqi.MD(Priority=99))
except pymqi.MQMIError as e:
    print(e)
md = pymqi.MD()
print(queue.get(None, md), md.Priority)

queue.close()
qmgr.disconnect()
