"""A trigger monitor: the queue manager says which program has work to do."""

import sys

import pymqi
from pymqi import CMQC

qmgr = pymqi.connect(*sys.argv[1:])
pcf = pymqi.PCFExecute(qmgr)
pcf.MQCMD_CREATE_Q({CMQC.MQCA_Q_NAME: b"TRIG.INIT", CMQC.MQIA_Q_TYPE: CMQC.MQQT_LOCAL})
pcf.MQCMD_CREATE_PROCESS(
    {
        CMQC.MQCA_PROCESS_NAME: b"TRIG.PROCESS",
        CMQC.MQCA_APPL_ID: b"billing",
        CMQC.MQCA_USER_DATA: b"--fast",
    }
)
pcf.MQCMD_CREATE_Q(
    {
        CMQC.MQCA_Q_NAME: b"TRIG.WORK",
        CMQC.MQIA_Q_TYPE: CMQC.MQQT_LOCAL,
        CMQC.MQIA_TRIGGER_CONTROL: CMQC.MQTC_ON,
        CMQC.MQIA_TRIGGER_TYPE: CMQC.MQTT_FIRST,
        CMQC.MQCA_INITIATION_Q_NAME: b"TRIG.INIT",
        CMQC.MQCA_PROCESS_NAME: b"TRIG.PROCESS",
        CMQC.MQCA_TRIGGER_DATA: b"hurry",
    }
)

initiation = pymqi.Queue(qmgr, "TRIG.INIT", CMQC.MQOO_INPUT_SHARED)
qmgr.put1("TRIG.WORK", "work")

gmo = pymqi.GMO(Options=CMQC.MQGMO_WAIT, WaitInterval=5000)
md = pymqi.MD()
message = initiation.get(None, md, gmo)
tm = pymqi.TM()
tm.unpack(message)
print(md.Format, tm.get_length() == len(message))
print(tm.QName.strip(), tm.ProcessName.strip(), tm["ApplId"].strip(), tm.UserData.strip())
print(tm.TriggerData.strip())

initiation.close()
for name in (b"TRIG.WORK", b"TRIG.INIT"):
    pcf.MQCMD_CLEAR_Q({CMQC.MQCA_Q_NAME: name})
    pcf.MQCMD_DELETE_Q({CMQC.MQCA_Q_NAME: name})
pcf.MQCMD_DELETE_PROCESS({CMQC.MQCA_PROCESS_NAME: b"TRIG.PROCESS"})
pcf.disconnect()
qmgr.disconnect()
