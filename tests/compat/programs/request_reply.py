"""A request, and its reply on a dynamic queue: both sides, each with its own connection."""

import sys
import threading

import pymqi
from pymqi import CMQC

REQUESTS = "DEV.QUEUE.1"


def serve() -> None:
    qmgr = pymqi.connect(*sys.argv[1:])
    requests = pymqi.Queue(qmgr, REQUESTS)
    gmo = pymqi.GMO(Options=CMQC.MQGMO_WAIT | CMQC.MQGMO_FAIL_IF_QUIESCING, WaitInterval=5000)
    request_md = pymqi.MD()
    request = requests.get(None, request_md, gmo)

    reply_md = pymqi.MD()
    reply_md.MsgType = CMQC.MQMT_REPLY
    reply_md.CorrelId = request_md.MsgId
    # ReplyToQ comes filled up with blanks.
    reply_queue = pymqi.Queue(qmgr, request_md.ReplyToQ.strip())
    reply_queue.put(b"reply to " + request, reply_md)
    reply_queue.close()
    requests.close()
    qmgr.disconnect()


server = threading.Thread(target=serve)
server.start()

qmgr = pymqi.connect(*sys.argv[1:])

# Dynamic queue's object descriptor.
dyn_od = pymqi.OD()
dyn_od.ObjectName = b"SYSTEM.DEFAULT.MODEL.QUEUE"
dyn_od.DynamicQName = b"MY.REPLIES.*"

# Open the dynamic queue.
dyn_queue = pymqi.Queue(qmgr, dyn_od, CMQC.MQOO_INPUT_EXCLUSIVE)
dyn_queue_name = dyn_od.ObjectName.strip()
print(dyn_queue_name.startswith(b"MY.REPLIES."), len(dyn_od.ObjectName))

md = pymqi.MD()
md.ReplyToQ = dyn_queue_name
md.MsgType = CMQC.MQMT_REQUEST
md.Format = CMQC.MQFMT_STRING
queue = pymqi.Queue(qmgr, REQUESTS)
queue.put(b"what?", md)
queue.close()

gmo = pymqi.GMO(
    Version=CMQC.MQGMO_VERSION_2,
    Options=CMQC.MQGMO_WAIT,
    WaitInterval=5000,
    MatchOptions=CMQC.MQMO_MATCH_CORREL_ID,
)
reply_md = pymqi.MD(CorrelId=md.MsgId)
print(dyn_queue.get(None, reply_md, gmo), reply_md.MsgType == CMQC.MQMT_REPLY)
dyn_queue.close()

server.join()
qmgr.disconnect()
