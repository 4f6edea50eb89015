"""What goes wrong, and how programs tell it apart."""

import sys
from collections.abc import Callable

import pymqi
from pymqi import CMQC

try:
    pymqi.connect("NO.SUCH.QM")
except pymqi.MQMIError as e:
    print(e.comp == CMQC.MQCC_FAILED, e.reason)
try:
    pymqi.connect("")
except TypeError:
    print("TypeError")

qmgr = pymqi.QueueManager(None)
try:
    qmgr.get_handle()
except pymqi.PYIFError as e:
    print(e)
print(qmgr.is_connected)
qmgr = pymqi.connect(*sys.argv[1:])
print(qmgr.is_connected, isinstance(qmgr.get_handle(), int))

queue = pymqi.Queue(qmgr)
attempts: list[Callable[[], object]] = [
    lambda: queue.put(b"x"),
    lambda: queue.close(),
    lambda: pymqi.Queue(qmgr, "NO.SUCH.QUEUE", CMQC.MQOO_OUTPUT),
    lambda: pymqi.Queue(qmgr, "DEV.QUEUE.1", CMQC.MQOO_BROWSE).put(b"x"),
    lambda: pymqi.Queue(qmgr, "DEV.QUEUE.1", CMQC.MQOO_OUTPUT).get(),
    lambda: qmgr.put1("DEV.QUEUE.1", b"x", pymqi.MD(Priority=-5)),
    lambda: qmgr.put1("DEV.QUEUE.1", b"x", pymqi.MD(MsgType=CMQC.MQMT_REQUEST)),
    lambda: pymqi.Topic(qmgr, topic_name="NO.SUCH.TOPIC").pub(b"x"),
]
for attempt in attempts:
    try:
        attempt()
    except pymqi.MQMIError as e:
        print(e.comp, e.reason, e.errorAsString())
    except pymqi.PYIFError as e:
        print(e)

try:
    pymqi.MD(NoSuchMember=1)
except AttributeError:
    print("AttributeError")
try:
    pymqi.MD(Format="text, not bytes").pack()
except TypeError:
    print("TypeError")

qmgr.disconnect()
try:
    qmgr.commit()
except pymqi.PYIFError as e:
    print(e)
