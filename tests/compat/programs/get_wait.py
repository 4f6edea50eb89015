"""Wait for messages until none comes for a while."""

import sys

import pymqi

qmgr = pymqi.connect(*sys.argv[1:])
queue = pymqi.Queue(qmgr, "DEV.QUEUE.1")
for number in range(3):
    queue.put(f"message {number}")
queue.close()

md = pymqi.MD()

gmo = pymqi.GMO()
gmo.Options = pymqi.CMQC.MQGMO_WAIT | pymqi.CMQC.MQGMO_FAIL_IF_QUIESCING
gmo.WaitInterval = 50

queue = pymqi.Queue(qmgr, "DEV.QUEUE.1")
keep_running = True

while keep_running:
    try:
        # Wait up to gmo.WaitInterval for a new message.
        print(queue.get(None, md, gmo).decode())

        # Reset the MsgId, CorrelId & GroupId so that we can reuse
        # the same 'md' object again.
        md.MsgId = pymqi.CMQC.MQMI_NONE
        md.CorrelId = pymqi.CMQC.MQCI_NONE
        md.GroupId = pymqi.CMQC.MQGI_NONE

    except pymqi.MQMIError as e:
        if e.comp == pymqi.CMQC.MQCC_FAILED and e.reason == pymqi.CMQC.MQRC_NO_MSG_AVAILABLE:
            print("No message:", e)
            keep_running = False
        else:
            raise

queue.close()
qmgr.disconnect()
