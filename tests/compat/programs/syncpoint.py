"""Puts and gets in units of work: committed, backed out, and the backout count."""

import sys

import pymqi
from pymqi import CMQC

qmgr = pymqi.connect(*sys.argv[1:])
queue = pymqi.Queue(
    qmgr, "DEV.QUEUE.1", CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT | CMQC.MQOO_INQUIRE
)
pmo = pymqi.PMO(Options=CMQC.MQPMO_SYNCPOINT)

queue.put("gone", pymqi.MD(), pmo)
qmgr.backout()
print("after backout:", queue.inquire(CMQC.MQIA_CURRENT_Q_DEPTH))

queue.put("one", pymqi.MD(), pmo)
queue.put("two", pymqi.MD(), pmo)
qmgr.commit()
print("after commit:", queue.inquire(CMQC.MQIA_CURRENT_Q_DEPTH))

gmo = pymqi.GMO(Options=CMQC.MQGMO_SYNCPOINT)
for _ in range(3):
    md = pymqi.MD()
    print(queue.get(None, md, gmo), "backed out before:", md.BackoutCount)
    qmgr.backout()

print(queue.get(None, pymqi.MD(), gmo), queue.get(None, pymqi.MD(), gmo))
qmgr.commit()
print("at the end:", queue.inquire(CMQC.MQIA_CURRENT_Q_DEPTH))

queue.close()
qmgr.disconnect()
