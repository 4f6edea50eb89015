"""MQSC through a command message, as runmqsc does it for a remote queue manager."""

import sys

import pymqi
from pymqi import CMQC, CMQCFC

qmgr = pymqi.connect(*sys.argv[1:])
pcf = pymqi.PCFExecute(qmgr, response_wait_interval=15000)


def mqsc(command: str) -> list[str]:
    args = {
        CMQCFC.MQIACF_ESCAPE_TYPE: CMQCFC.MQET_MQSC,
        CMQCFC.MQCACF_ESCAPE_TEXT: command,
    }
    answers = pcf.MQCMD_ESCAPE(args)
    return [one[CMQCFC.MQCACF_ESCAPE_TEXT].rstrip(b"\0").decode().strip() for one in answers]


print(mqsc("DEFINE QLOCAL(MQSC.TEST) DESCR('from a program') MAXDEPTH(10)")[0])
shown = " ".join(" ".join(mqsc("DISPLAY QLOCAL(MQSC.TEST) DESCR MAXDEPTH")).split())
print("DESCR(from a program)" in shown, "MAXDEPTH(10)" in shown)
print(mqsc("DELETE QLOCAL(MQSC.TEST)")[0])
try:
    print(mqsc("DELETE QLOCAL(MQSC.TEST)"))
except pymqi.MQMIError as e:
    print("refused:", e.comp == CMQC.MQCC_FAILED)

pcf.disconnect()
qmgr.disconnect()
