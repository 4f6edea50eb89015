"""The same library under IBM's name: text is taken, and more can be said in one call."""

import sys

import ibmmq as mq

qmgr = mq.connect(*sys.argv[1:])
print(qmgr.get_name(), qmgr.is_connected)

od = mq.OD()
od.ObjectName = "DEV.QUEUE.1"
queue = mq.Queue(qmgr, od, mq.CMQC.MQOO_OUTPUT | mq.CMQC.MQOO_INPUT_SHARED | mq.CMQC.MQOO_INQUIRE)
md = mq.MD(Format="MQSTR", ReplyToQ="SOMEWHERE")
pmo = mq.PMO()
pmo.Options = mq.CMQC.MQPMO_NO_SYNCPOINT | mq.CMQC.MQPMO_FAIL_IF_QUIESCING
queue.put("text", md, pmo)
print(queue.get_name(), md.Version)

selectors = [mq.CMQC.MQIA_CURRENT_Q_DEPTH, mq.CMQC.MQCA_Q_NAME]
values = queue.inquire(selectors)
print(values[mq.CMQC.MQIA_CURRENT_Q_DEPTH], mq.to_string(values[mq.CMQC.MQCA_Q_NAME]))

md = mq.MD()
print(queue.get(None, md, mq.GMO()), md.to_string().ReplyToQ, md.Format)
try:
    queue.get(None, mq.MD(), mq.GMO())
except mq.MQMIError as e:
    print(e, mq.CMQSTRC.MQRC_DICT[e.reason])

handle = mq.MessageHandle(qmgr)
handle.properties.set("colour", "blue")
handle.properties.set("size", 3, mq.CMQC.MQTYPE_INT32)
pmo.OriginalMsgHandle = handle.get_handle()
queue.put("with properties", mq.MD(), pmo)

found = mq.MessageHandle(qmgr)
gmo = mq.GMO(Options=mq.CMQC.MQGMO_PROPERTIES_IN_HANDLE, MsgHandle=found.get_handle())
print(queue.get(None, mq.MD(), gmo))
option = mq.CMQC.MQIMPO_INQ_FIRST
while True:
    try:
        print(found.properties.get("%", impo_options=option))
    except mq.MQMIError as e:
        print(mq.CMQSTRC.MQRC_DICT[e.reason])
        break
    option = mq.CMQC.MQIMPO_INQ_NEXT
found.properties.dlt("size")
found.dlt()

pcf = mq.PCFExecute(qmgr)
for one in pcf.MQCMD_INQUIRE_Q({mq.CMQC.MQCA_Q_NAME: "DEV.QUEUE.*"}):
    print(mq.to_string(one[mq.CMQC.MQCA_Q_NAME]))
responses: list[tuple[dict[int, bytes], mq.CFH]] = []
try:
    pcf.MQCMD_INQUIRE_Q({mq.CMQC.MQCA_Q_NAME: "NO.SUCH.QUEUE"}, responses=responses)
except mq.MQMIError as e:
    print(e.reason, len(responses) <= 1)
pcf.disconnect()

queue.close()
qmgr.disconnect()
