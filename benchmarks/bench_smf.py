"""SMF records: megabytes of a dump that are read, and turned into CSV, for each second of CPU.

The dump is made here: tasks with two queues each (116-1) as they mostly are, a few values and many
zeros, and buffer pools (115-215). Baseline: finding the records alone. With the environment
variable MQSMFCSV naming IBM's program, its rate to CSV is measured beside ours. Plain Python on
both builds: struct does the work. Many sections at once is another way, with other figures.
"""

from __future__ import annotations

import csv
import io
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.contest import Contest
from benchmarks.figures import Figure, Settings
from ternmq.codec.smf.csv_lines import Lines, common_cells
from ternmq.codec.smf.framing import RDW, Framing, Source
from ternmq.codec.smf.reader import Reader
from ternmq.codec.smf.record import Stamp, build, header_values
from ternmq.codec.smf.section_layout import Values

STAMP = Stamp("SYS1", "QM1", 1_790_000_000_000_000_000, duration_us=60_000_000)


def dump(size: int) -> bytes:
    """About so many bytes of records."""
    queue: Values = {"objname": "ORDERS", "basename": "ORDERS", "putn": 100, "putet": 40_960_000}
    task: Values = {"wtascmn": 50, "wtascmet": 8_192_000, "wtaswqct": 2}
    who: Values = {"wtidccn": "JOB1", "wtidopid": "USER1"}
    tasks = build(
        116,
        1,
        header_values(116, 1, STAMP),
        {"WTID": [who], "WTAS": [task], "WQ": [queue, queue]},
    )
    pools: list[Values] = [{"qpstpool": n, "qpstnbuf": 1000} for n in range(4)]
    other = build(115, 215, header_values(115, 215, STAMP), {"QPST": pools})
    batch = tasks * 12 + other
    return batch * (size // len(batch))


def walk(data: bytes) -> None:
    for _ in Framing(Source(io.BytesIO(data).read), RDW).records():
        pass


def read(data: bytes) -> None:
    for record in Reader(io.BytesIO(data).read):
        record.sections()


def lines(data: bytes) -> None:
    makers: dict[str, Lines] = {}
    writer = csv.writer(io.StringIO())
    for record in Reader(io.BytesIO(data).read):
        common = common_cells(record)
        for name in dict.fromkeys(name for _, name in record.row.sections):
            maker = makers.get(name) or makers.setdefault(name, Lines(name))
            writer.writerows(maker.rows(record, record.sections((name,)), common))


def rate(work: Callable[[bytes], None], data: bytes) -> Callable[[], float]:
    """Megabytes a second of CPU."""

    def measured() -> float:
        begin = time.process_time()
        work(data)
        return len(data) / 1e6 / (time.process_time() - begin)

    return measured


def program_rate(program: str, path: Path, folder: Path) -> Callable[[], float]:
    """Megabytes a second of IBM's program."""

    def measured() -> float:
        begin = os.times()
        command = [program, "-i", str(path), "-o", str(folder), "-g", "yes", "-r"]
        subprocess.run(command, check=True, capture_output=True)
        end = os.times()
        cpu = end.children_user + end.children_system - begin.children_user - begin.children_system
        return path.stat().st_size / 1e6 / max(cpu, 0.01)

    return measured


def run(settings: Settings) -> list[Figure]:
    """Reading, lines, and the program if it is there."""
    data = dump(settings.scaled(20_000_000, 4_000_000))
    contenders = {"walk": rate(walk, data), "read": rate(read, data), "lines": rate(lines, data)}
    program = os.environ.get("MQSMFCSV", "")
    if program:
        folder = settings.place("smf")
        path = folder / "dump.smf"
        path.write_bytes(data)
        contenders["program"] = program_rate(program, path, folder)
    contest = Contest(contenders).run(settings.few)
    names = {"read": "every section read", "lines": "lines of CSV", "program": "mq-smf-csv"}
    return [
        Figure(
            names[key],
            contest.value(key),
            "MB/s",
            "records found",
            contest.value("walk"),
            contest.ratio(key, "walk"),
            rounds=contest.rounds[key],
        )
        for key in contenders
        if key != "walk"
    ]
