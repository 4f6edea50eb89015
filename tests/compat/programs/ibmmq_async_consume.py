"""Messages that come to a function."""

import sys
import threading
from typing import Any

import ibmmq as mq

finished = threading.Event()
found: list[str] = []


def cb_func(**kwargs: Any) -> None:
    cbc = kwargs["cbc"]
    if cbc.CallType == mq.CMQC.MQCBCT_MSG_REMOVED:
        found.append(kwargs["msg"].decode())
        print(kwargs["queue"].get_name(), kwargs["msg"], cbc.CallbackArea, cbc.ConnectionArea)
        kwargs["queue_manager"].commit()
    elif cbc.Reason == mq.CMQC.MQRC_NO_MSG_AVAILABLE and len(found) == 3 and not finished.is_set():
        print(mq.CMQSTRC.MQCBCT_DICT[cbc.CallType], mq.CMQSTRC.MQRC_DICT[cbc.Reason])
        finished.set()


qmgr = mq.connect(*sys.argv[1:])
q = mq.Queue(qmgr, "DEV.QUEUE.1", mq.CMQC.MQOO_INPUT_AS_Q_DEF)

gmo = mq.GMO()
gmo.Options = mq.CMQC.MQGMO_SYNCPOINT | mq.CMQC.MQGMO_WAIT
gmo.WaitInterval = 100
cbd = mq.CBD()
cbd.CallbackFunction = cb_func
cbd.CallbackArea = b"My CB Area"
cbd.CallbackType = mq.CMQC.MQCBT_MESSAGE_CONSUMER
q.cb(operation=mq.CMQC.MQOP_REGISTER, cbd=cbd, md=mq.MD(), gmo=gmo)

ctlo = mq.CTLO()
ctlo.ConnectionArea = b"My Connection Area"
qmgr.ctl(mq.CMQC.MQOP_START, ctlo)

other = mq.connect(*sys.argv[1:])
for number in range(3):
    other.put1("DEV.QUEUE.1", f"message {number}")
other.disconnect()

finished.wait(10)
qmgr.ctl(mq.CMQC.MQOP_STOP, ctlo)
q.cb(operation=mq.CMQC.MQOP_DEREGISTER)
try:
    q.cb(operation=mq.CMQC.MQOP_DEREGISTER)
except mq.MQMIError as e:
    print(e.error_as_string())
q.close()
qmgr.disconnect()
