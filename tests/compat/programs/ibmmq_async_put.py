"""Puts that are not waited for, and how they went."""

import sys

import ibmmq as mq

qmgr = mq.connect(*sys.argv[1:])
queue = mq.Queue(qmgr, "DEV.QUEUE.1", mq.CMQC.MQOO_OUTPUT | mq.CMQC.MQOO_INPUT_SHARED)
pmo = mq.PMO(Options=mq.CMQC.MQPMO_ASYNC_RESPONSE | mq.CMQC.MQPMO_SYNCPOINT)
for number in range(5):
    queue.put(f"message {number}", mq.MD(), pmo)
qmgr.commit()

status = qmgr.stat(mq.CMQC.MQSTAT_TYPE_ASYNC_ERROR)
print(status.PutFailureCount, status.PutWarningCount, status.CompCode, status.Reason)

gmo = mq.GMO(Options=mq.CMQC.MQGMO_WAIT | mq.CMQC.MQGMO_SYNCPOINT, WaitInterval=1000)
print([queue.get(None, mq.MD(), gmo).decode() for _ in range(5)])
qmgr.commit()

queue.close()
qmgr.disconnect()
