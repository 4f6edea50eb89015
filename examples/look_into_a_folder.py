"""Looks into the folder of a queue manager that is down: its files, its log, its buffers.

One byte of a segment is then damaged: `verify` names the file and says what a start would do, and
`salvage` saves what can still be read of the queue, here all of it.
"""

import tempfile
from pathlib import Path

import ternmq
from ternmq.inspect.buffers import buffers_lines, set_buffers
from ternmq.inspect.dump import LogDump, Range, text_lines
from ternmq.inspect.folder import Folder
from ternmq.inspect.report import report_lines
from ternmq.inspect.salvage import salvage_to_file
from ternmq.inspect.verify import verify

with tempfile.TemporaryDirectory() as place:
    data = Path(place)
    with ternmq.embedded(data, "QM1", create=True, log_file_pages=512) as qmgr:
        qmgr.define_queue("ORDERS", persistent_buffer=1 << 16)
        with qmgr.queue("ORDERS") as orders:
            for number in range(60):
                orders.put(f"order {number} ".ljust(3000, "."), persistent=True)
            with qmgr.unit_of_work():
                orders.get()
                orders.put("a late order", persistent=True)

    print("== the log, its last unit of work")
    with Folder(data) as folder:
        dump = LogDump(folder)
        unit = [record.lsn for record in dump.records(Range(base=True)) if record.uow]
        for line in text_lines(dump, Range(start=unit[0]), data_bytes=16):
            print(line)

    print("\n== the buffers, set while nobody runs it")
    rows = set_buffers(data, pattern="ORDERS", persistent=4 << 20)
    print("\n".join(buffers_lines(rows)))

    segment = next(data.rglob("ORDERS~*/*.seg"))
    content = bytearray(segment.read_bytes())
    content[2000] ^= 1
    segment.write_bytes(content)

    print(f"\n== verified, after a byte of {segment.name} was damaged")
    report = verify(data)
    print("\n".join(report_lines(report)).replace(str(data), "data"))
    print(f"exit status: {report.exit_status}")

    print("\n== salvaged")
    found = salvage_to_file(data, "QM1", "ORDERS", data / "orders.jsonl")
    print("\n".join(found.lines()))
    saved = len((data / "orders.jsonl").read_text().splitlines())
    print(f"saved {saved} of 60 orders: the log still has what the segment has lost")
