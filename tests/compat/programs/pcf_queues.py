"""Create, alter, inquire, clear and delete queues by PCF."""

import sys

import pymqi
from pymqi import CMQC, CMQCFC

qmgr = pymqi.connect(*sys.argv[1:])
pcf = pymqi.PCFExecute(qmgr)

print(pcf.MQCMD_PING_Q_MGR())

args = {
    CMQC.MQCA_Q_NAME: b"PCF.TEST.1",
    CMQC.MQIA_Q_TYPE: CMQC.MQQT_LOCAL,
    CMQC.MQIA_MAX_Q_DEPTH: 123456,
    CMQC.MQCA_Q_DESC: "made by PCF",
}
pcf.MQCMD_CREATE_Q(args)
pcf.MQCMD_CREATE_Q({CMQC.MQCA_Q_NAME: "PCF.TEST.2", CMQC.MQIA_Q_TYPE: CMQC.MQQT_LOCAL})
pcf.MQCMD_CREATE_Q(
    {
        CMQC.MQCA_Q_NAME: b"PCF.ALIAS",
        CMQC.MQIA_Q_TYPE: CMQC.MQQT_ALIAS,
        CMQC.MQCA_BASE_Q_NAME: b"PCF.TEST.1",
    }
)

attributes = [CMQC.MQCA_Q_NAME, CMQC.MQIA_MAX_Q_DEPTH, CMQC.MQCA_Q_DESC]
response = pcf.MQCMD_INQUIRE_Q(
    {
        CMQC.MQCA_Q_NAME: b"PCF.TEST.*",
        CMQC.MQIA_Q_TYPE: CMQC.MQQT_LOCAL,
        CMQCFC.MQIACF_Q_ATTRS: attributes,
    }
)
for queue in response:
    name = queue[CMQC.MQCA_Q_NAME].strip()
    print(name, queue[CMQC.MQIA_MAX_Q_DEPTH], queue[CMQC.MQCA_Q_DESC].strip())

response = pcf.MQCMD_INQUIRE_Q_NAMES({CMQC.MQCA_Q_NAME: b"PCF.*"})
print(sorted(name.strip() for name in response[0][CMQCFC.MQCACF_Q_NAMES]))

# Only the deep ones.
deep = pymqi.Filter(CMQC.MQIA_MAX_Q_DEPTH).greater(100000)
response = pcf.MQCMD_INQUIRE_Q({CMQC.MQCA_Q_NAME: b"PCF.*"}, [deep])
print([queue[CMQC.MQCA_Q_NAME].strip() for queue in response])

about = pymqi.Filter(CMQC.MQCA_Q_DESC).like(b"made by*")
response = pcf.MQCMD_INQUIRE_Q({CMQC.MQCA_Q_NAME: b"PCF.*"}, [about])
print(sorted(pymqi.PCFExecute.stringify_keys(response[0]))[:2])

qmgr.put1(b"PCF.TEST.1", b"x")
pcf.MQCMD_CLEAR_Q({CMQC.MQCA_Q_NAME: b"PCF.TEST.1"})
status = pcf.MQCMD_INQUIRE_Q_STATUS(
    {CMQC.MQCA_Q_NAME: b"PCF.TEST.1", CMQCFC.MQIACF_Q_STATUS_ATTRS: CMQCFC.MQIACF_ALL}
)
print(status[0][CMQC.MQIA_CURRENT_Q_DEPTH])

for name in (b"PCF.ALIAS", b"PCF.TEST.1", b"PCF.TEST.2"):
    pcf.MQCMD_DELETE_Q({CMQC.MQCA_Q_NAME: name})

try:
    pcf.MQCMD_INQUIRE_Q({CMQC.MQCA_Q_NAME: b"PCF.TEST.1"})
except pymqi.MQMIError as e:
    print(e.comp, e.reason, e.errorAsString())
try:
    pcf.MQCMD_INQUIRE_CHANNEL({CMQCFC.MQCACH_CHANNEL_NAME: b"NO.SUCH.CHANNEL"})
except pymqi.MQMIError as e:
    print(e.comp, e.reason, e.errorAsString())

pcf.disconnect()
qmgr.disconnect()
