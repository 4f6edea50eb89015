"""Publishes to a topic and gets what was published by two subscriptions."""

import sys

import pymqi
from pymqi import CMQC

qmgr = pymqi.connect(*sys.argv[1:])

managed = pymqi.Subscription(qmgr)
managed.sub(sub_name="listener", topic_string="sport/#")

sd = pymqi.SD(Options=CMQC.MQSO_CREATE | CMQC.MQSO_SET_CORREL_ID, SubCorrelId=b"mine")
sd.set_vs("ObjectString", "sport/football")
queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", CMQC.MQOO_INPUT_SHARED)
provided = pymqi.Subscription(qmgr)
provided.sub(sub_desc=sd, sub_queue=queue)

topic = pymqi.Topic(qmgr, topic_string="sport/football")
topic.open(open_opts=CMQC.MQOO_OUTPUT)
for text in (b"kick-off", b"goal"):
    topic.pub(text)
topic.close()
pymqi.Topic(qmgr, topic_string="sport/tennis").pub(b"ace")

md = pymqi.MD()
print([managed.get() for _ in range(3)])
print([provided.get(None, md), provided.get(None, pymqi.MD())], md.CorrelId.rstrip(b"\0"))
try:
    provided.get()
except pymqi.MQMIError as e:
    print(e.reason)

provided.close(close_sub_queue=True)
managed.close(sub_close_options=CMQC.MQCO_NONE, close_sub_queue=True)
try:
    managed.close()
except pymqi.PYIFError as e:
    print(e)
qmgr.disconnect()
