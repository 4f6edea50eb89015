"""Administration from Python with the commands that runmqsc takes; answers are mappings.

python examples/mqsc.py
"""

import ternmq

SCRIPT = """
DEFINE QLOCAL(ORDERS) MAXDEPTH(3) DESCR('Orders of today') +
       MONQ(LOW)
DEFINE QALIAS(IN) TARGET(ORDERS)
DEFINE QLOCAL(ORDERS)
"""


def main() -> None:
    with ternmq.memory("QM1") as qmgr:
        for answer in qmgr.mqsc(SCRIPT):
            print(answer.message, "done" if answer.ok else "refused")
        qmgr.put("IN", "three nails")
        for queue in qmgr.mqsc("DISPLAY QSTATUS(O*) WHERE(CURDEPTH GT 0) LPUTDATE"):
            print(f"{queue['QUEUE']} has {queue['CURDEPTH']} message of {queue['LPUTDATE']}")
        (shown,) = qmgr.mqsc("DISPLAY QLOCAL(ORDERS) MAXDEPTH DESCR")
        print(shown.attributes())


if __name__ == "__main__":
    main()
