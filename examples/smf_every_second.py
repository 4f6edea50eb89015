"""An application at work, and its queue manager's own account of it: SMF records every second.

The records go to data sets, as MQ for z/OS would write them; `ternmq smf` then shows what each
second had, and the sums are those of the application.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import ternmq
from ternmq import SMFDestination
from ternmq.cli.tools.smf_command import main as smf
from ternmq.codec.smf.reader import Reader

RUN_S = 2.5
COMMANDS = (
    "DEFINE QLOCAL(ORDERS) STATQ(ON)",
    "SET SYSTEM STATIME(0.01)",
    "START TRACE(STAT) CLASS(1,5)",
)


def work(qmgr: ternmq.QueueManager) -> int:
    """Put and get for a while; how many messages."""
    count = 0
    end = time.monotonic() + RUN_S
    with qmgr.queue("ORDERS") as queue:
        while time.monotonic() < end:
            queue.put(f"order {count}")
            queue.get()
            count += 1
            time.sleep(0.001)
    return count


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        destination = SMFDestination("MAN", path=f"{folder}/smf")
        with ternmq.embedded(folder, "QM1", create=True, smf=[destination]) as qmgr:
            for command in COMMANDS:
                qmgr.mqsc(command)
            done = work(qmgr)
        (data_set,) = Path(folder, "smf").iterdir()
        smf(["dump", "--quiet", "--section", "QQST", str(data_set)])
        puts: list[int] = []
        with data_set.open("rb") as file:
            for record in Reader(file.read, kinds=[(115, 216)]):
                puts += [int(str(queue["qqstputs"])) for queue in record.values_of("QQST")]
    print(f"the application put {done} messages")
    print(f"the records of {len(puts)} intervals have all of them: {sum(puts) == done}")


if __name__ == "__main__":
    main()
