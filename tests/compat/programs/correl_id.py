"""Messages by their identifiers: correlation id, message id, and both made by the queue manager."""

import sys

import pymqi
from pymqi import CMQC

qmgr = pymqi.connect(*sys.argv[1:])
queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)

for customer in (b"customer-1", b"customer-2", b"customer-3"):
    put_md = pymqi.MD(CorrelId=customer)
    queue.put(b"order of " + customer, put_md)
    print(len(put_md.MsgId), put_md.MsgId[:4])

get_md = pymqi.MD(CorrelId=b"customer-2")
print(queue.get(None, get_md))
print(get_md.CorrelId)

# The same descriptor again: it holds the ids of the message that came.
try:
    queue.get(None, get_md)
except pymqi.MQMIError as e:
    print(e.errorAsString())

pmo = pymqi.PMO(Options=CMQC.MQPMO_NEW_MSG_ID | CMQC.MQPMO_NEW_CORREL_ID)
put_md = pymqi.MD()
queue.put(b"new ids", put_md, pmo)
first = (put_md.MsgId, put_md.CorrelId)
queue.put(b"newer ids", put_md, pmo)
print(first[0] != put_md.MsgId, first[1] != put_md.CorrelId, first[1] != CMQC.MQCI_NONE)

gmo = pymqi.GMO(Version=CMQC.MQGMO_VERSION_2, MatchOptions=CMQC.MQMO_MATCH_MSG_ID)
print(queue.get(None, pymqi.MD(MsgId=put_md.MsgId), gmo))
gmo.MatchOptions = CMQC.MQMO_MATCH_CORREL_ID
print(queue.get(None, pymqi.MD(CorrelId=first[1]), gmo))
gmo.MatchOptions = CMQC.MQMO_NONE
any_md = pymqi.MD(CorrelId=b"whatever")
print(queue.get(None, any_md, gmo), queue.get(None, any_md, gmo))

queue.close()
qmgr.disconnect()
