"""Connect through a channel, in the ways that there are, with user and password."""

import sys

import pymqi

queue_manager, channel, conn_info, user, password = sys.argv[1:]
host, port = conn_info.rstrip(")").split("(")

# All in one.
qmgr = pymqi.connect(queue_manager, channel, f"{host}({port})", user, password)
queue = pymqi.Queue(qmgr, "DEV.QUEUE.1")
queue.put("over the network")
queue.close()
qmgr.disconnect()

# With a channel definition.
cd = pymqi.CD()
cd.ChannelName = channel.encode()
cd.ConnectionName = conn_info.encode()
cd.ChannelType = pymqi.CMQC.MQCHT_CLNTCONN
cd.TransportType = pymqi.CMQC.MQXPT_TCP
qmgr = pymqi.QueueManager(None)
qmgr.connect_with_options(
    queue_manager,
    cd=cd,
    user=user,
    password=password,
    opts=pymqi.CMQC.MQCNO_HANDLE_SHARE_BLOCK,
)
md = pymqi.MD()
print(pymqi.Queue(qmgr, "DEV.QUEUE.1").get(None, md), md.UserIdentifier.strip())
try:
    qmgr.begin()
except pymqi.MQMIError as e:
    print(e.errorAsString())
qmgr.disconnect()

# The old names.
qmgr = pymqi.QueueManager(None)
qmgr.connectTCPClient(queue_manager, pymqi.cd(), channel, conn_info, user, password)
print(qmgr.is_connected, qmgr.inquire(pymqi.CMQC.MQCA_Q_MGR_NAME).strip())
qmgr.disconnect()

for wrong in (
    (queue_manager, channel, conn_info, user, "wrong"),
    (queue_manager, channel, conn_info),
    (queue_manager, "NO.SUCH.CHANNEL", conn_info, user, password),
    ("OTHER", channel, conn_info, user, password),
    (queue_manager, channel, "127.0.0.1(1)", user, password),
):
    try:
        pymqi.connect(*wrong)
    except pymqi.MQMIError as e:
        print(e.reason, e.errorAsString())
try:
    pymqi.connect(queue_manager, channel, conn_info, user)
except ValueError as e:
    print(e)
