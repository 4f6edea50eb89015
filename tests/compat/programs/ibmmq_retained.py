"""Asks for a retained publication, by ibmmq."""

import sys

import ibmmq
from ibmmq import CMQC

qmgr = ibmmq.connect(*sys.argv[1:])
topic = ibmmq.Topic(qmgr, topic_string="prices/apples")
topic.put("1.20", ibmmq.MD(), ibmmq.PMO(Options=CMQC.MQPMO_RETAIN))

sd = ibmmq.SD()
sd.Options = CMQC.MQSO_CREATE | CMQC.MQSO_MANAGED | CMQC.MQSO_PUBLICATIONS_ON_REQUEST
sd.set_vs("ObjectString", "prices/+")
subscription = ibmmq.Subscription(qmgr)
subscription.sub(sub_desc=sd)
sro = ibmmq.SRO()
subscription.subrq(sro=sro)
print(sro.NumPubs, subscription.get())
try:
    subscription.subrq(sub_action=0)
except ibmmq.MQMIError as e:
    print(e.reason)
subscription.close(close_sub_queue=True)
topic.close()
qmgr.disconnect()
