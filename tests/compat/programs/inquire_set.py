"""Ask a queue and its queue manager for attributes, and change what programs may change."""

import sys

import pymqi
from pymqi import CMQC

qmgr = pymqi.connect(*sys.argv[1:])
print(qmgr.inquire(CMQC.MQCA_Q_MGR_NAME).strip())
print(qmgr.inquire(CMQC.MQIA_PLATFORM) > 0, qmgr.inquire(CMQC.MQIA_COMMAND_LEVEL) > 800)
print(qmgr.inquire(CMQC.MQCA_COMMAND_INPUT_Q_NAME))

queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", CMQC.MQOO_INQUIRE | CMQC.MQOO_SET | CMQC.MQOO_OUTPUT)
print(queue.inquire(CMQC.MQIA_CURRENT_Q_DEPTH), queue.inquire(CMQC.MQIA_Q_TYPE))
print(queue.inquire(CMQC.MQCA_Q_NAME))

queue.set(CMQC.MQIA_INHIBIT_PUT, CMQC.MQQA_PUT_INHIBITED)
try:
    queue.put(b"too late")
except pymqi.MQMIError as e:
    print(e.errorAsString())
queue.set(CMQC.MQIA_INHIBIT_PUT, CMQC.MQQA_PUT_ALLOWED)
queue.put(b"now")
queue.set(CMQC.MQCA_TRIGGER_DATA, b"some data")
print(queue.inquire(CMQC.MQCA_TRIGGER_DATA).strip(), queue.inquire(CMQC.MQIA_CURRENT_Q_DEPTH))
queue.set(CMQC.MQCA_TRIGGER_DATA, b"")

try:
    queue.inquire(4711)
except pymqi.MQMIError as e:
    print(e.errorAsString())
queue.close()

# Without open options a queue is opened for what is asked first.
queue = pymqi.Queue(qmgr, "DEV.QUEUE.1")
print(queue.get())
try:
    queue.inquire(CMQC.MQIA_CURRENT_Q_DEPTH)
except pymqi.MQMIError as e:
    print(e.errorAsString())
queue.close()
qmgr.disconnect()
