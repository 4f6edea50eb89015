"""Administration by messages: the command server, inquiries in PCF, a filter, an error, an event.

python examples/pcf_inquiry.py
"""

import ternmq
from ternmq import constants as mq
from ternmq.admin.events.event_text import event_text
from ternmq.codec.pcf.parameter import integer_filter

with ternmq.memory("QM1") as qmgr:
    qmgr.start_command_server()
    with ternmq.PCFExecute(qmgr) as pcf:
        # Two queues, one with messages.
        local = {mq.MQIA_Q_TYPE: mq.MQQT_LOCAL}
        for name in ("ORDERS", "INVOICES"):
            pcf.MQCMD_CREATE_Q({mq.MQCA_Q_NAME: name, **local, mq.MQCA_Q_DESC: name.lower()})
        for _ in range(5):
            qmgr.put("ORDERS", b"a message")

        # Which local queues have messages? System queues hold events, so they are left out.
        wanted = [mq.MQIA_CURRENT_Q_DEPTH, mq.MQCA_Q_DESC]
        deep = pcf.MQCMD_INQUIRE_Q(
            {mq.MQCA_Q_NAME: "*", **local, mq.MQIACF_Q_ATTRS: wanted},
            filters=[integer_filter(mq.MQIA_CURRENT_Q_DEPTH, mq.MQCFOP_GREATER, 0)],
        )
        for queue in deep:
            if not str(queue[mq.MQCA_Q_NAME]).startswith("SYSTEM."):
                print(queue[mq.MQCA_Q_NAME], queue[mq.MQIA_CURRENT_Q_DEPTH], queue[mq.MQCA_Q_DESC])

        # What fails raises, with its reason and the parameter to blame.
        try:
            pcf.MQCMD_CHANGE_Q({mq.MQCA_Q_NAME: "ORDERS", **local, mq.MQIA_MAX_Q_DEPTH: -1})
        except ternmq.CommandError as error:
            print(error.reason_name, error.detail)

        # The queue manager reports what it does: here, that it has started.
        with qmgr.queue("SYSTEM.ADMIN.QMGR.EVENT") as events:
            event = events.get()
            for line in event_text(1, events.name, event.descriptor, event.data):
                print(line)
