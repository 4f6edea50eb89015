"""Look at all messages, take the second one under the cursor, look again."""

import sys

import pymqi
from pymqi import CMQC

qmgr = pymqi.connect(*sys.argv[1:])
output = pymqi.Queue(qmgr, "DEV.QUEUE.1", CMQC.MQOO_OUTPUT)
for text in ("first", "second", "third"):
    output.put(text)
output.close()

open_options = CMQC.MQOO_BROWSE | CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_FAIL_IF_QUIESCING
queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", open_options)


def browse() -> list[str]:
    found = []
    gmo = pymqi.GMO()
    gmo.Options = CMQC.MQGMO_BROWSE_FIRST
    while True:
        try:
            found.append(queue.get(None, pymqi.MD(), gmo).decode())
        except pymqi.MQMIError as e:
            if e.reason != CMQC.MQRC_NO_MSG_AVAILABLE:
                raise
            return found
        gmo.Options = CMQC.MQGMO_BROWSE_NEXT


print(browse())

gmo = pymqi.GMO(Options=CMQC.MQGMO_BROWSE_FIRST)
queue.get(None, pymqi.MD(), gmo)
gmo.Options = CMQC.MQGMO_BROWSE_NEXT
queue.get(None, pymqi.MD(), gmo)
gmo.Options = CMQC.MQGMO_MSG_UNDER_CURSOR
print("took", queue.get(None, pymqi.MD(), gmo))

print(browse())
print(queue.get(), queue.get())
queue.close()
qmgr.disconnect()
