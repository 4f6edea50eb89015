"""Messages with MQRFH2 headers, as JMS programs send them."""

import sys

import pymqi
from pymqi import CMQC

qmgr = pymqi.connect(*sys.argv[1:])
queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)

put_mqmd = pymqi.md()
put_mqmd["Format"] = CMQC.MQFMT_RF_HEADER_2
put_mqmd["Encoding"] = 273
put_mqmd["CodedCharSetId"] = 1208

rfh2 = pymqi.RFH2()
rfh2["StrucId"] = CMQC.MQRFH_STRUC_ID
rfh2["Version"] = CMQC.MQRFH_VERSION_2
rfh2["Format"] = CMQC.MQFMT_STRING
rfh2["NameValueCCSID"] = 1208
rfh2["Encoding"] = 273
rfh2["CodedCharSetId"] = 1208
rfh2.add_folder(b"<psc><Topic>topic</Topic></psc>")
rfh2.add_folder(b"<mcd><Msd>xmlnsc</Msd></mcd>")
print(rfh2["StrucLength"], rfh2["psc"], rfh2["pscLength"])

try:
    rfh2.add_folder(b"<a>no end")
except pymqi.PYIFError as e:
    print(str(e)[:46])

queue.put_rfh2(b"the data", put_mqmd, pymqi.pmo(), [rfh2])

get_mqmd = pymqi.md()
headers: list[pymqi.RFH2] = []
message = queue.get_rfh2(None, get_mqmd, pymqi.gmo(), headers)
print(message, get_mqmd["Format"], len(headers))
print(headers[0]["mcd"].strip(), headers[0]["Format"], headers[0]["Encoding"])
print(sorted(name for name in headers[0].get() if name.endswith("Length")))

# Two headers, one after the other.
second = pymqi.RFH2(Format=CMQC.MQFMT_STRING, Encoding=546, CodedCharSetId=1208)
second["NameValueCCSID"] = 1208
second.add_folder(b"<usr><a>1</a></usr>")
rfh2["Format"] = CMQC.MQFMT_RF_HEADER_2
rfh2["Encoding"] = 546
queue.put_rfh2(b"more", put_mqmd, pymqi.pmo(), [rfh2, second])
headers = []
print(queue.get_rfh2(None, pymqi.md(), pymqi.gmo(), headers), len(headers))

queue.close()
qmgr.disconnect()
