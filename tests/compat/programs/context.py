"""Who a message is from: set by its program, passed on from another message."""

import sys

import pymqi
from pymqi import CMQC

qmgr = pymqi.connect(*sys.argv[1:])

# Set the identity.
queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", CMQC.MQOO_OUTPUT | CMQC.MQOO_SET_IDENTITY_CONTEXT)
md = pymqi.MD(UserIdentifier=b"alice", ApplIdentityData=b"batch 7")
queue.put(b"from alice", md, pymqi.PMO(Options=CMQC.MQPMO_SET_IDENTITY_CONTEXT))
queue.close()

# Pass it on.
source = pymqi.Queue(qmgr, "DEV.QUEUE.1", CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_SAVE_ALL_CONTEXT)
got = pymqi.MD()
data = source.get(None, got)
print(data, got.UserIdentifier, got.ApplIdentityData.strip())

target = pymqi.Queue(qmgr, "DEV.QUEUE.2", CMQC.MQOO_OUTPUT | CMQC.MQOO_PASS_ALL_CONTEXT)
pmo = pymqi.PMO(Options=CMQC.MQPMO_PASS_ALL_CONTEXT, Context=source.get_handle())
target.put(b"passed on", pymqi.MD(), pmo)
target.close()
source.close()

queue = pymqi.Queue(qmgr, "DEV.QUEUE.2")
md = pymqi.MD()
print(queue.get(None, md), md.UserIdentifier, md.PutTime == got.PutTime)
queue.close()
qmgr.disconnect()
