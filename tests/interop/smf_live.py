"""A queue manager at work, and what mq-smf-csv must print of it: the figures of the work itself.

The judge of SMF records (`smf_judge`) writes the records to a file, has IBM's program print it, and
compares with the numbers here, which nobody computed from records.
"""

from __future__ import annotations

from typing import Final

import ternmq
from tests.unit.api.intervals import end_intervals

QUEUES: Final = 60  # more than one record holds, of statistics and of a task
LONG: Final = 5000
COMMANDS: Final = (
    "ALTER QMGR STATQ(ON) ACCTQ(ON)",
    "START TRACE(STAT) CLASS(1,2,3,4,5)",
    "START TRACE(ACCTG) CLASS(1,3,4)",
)


def queue_name(number: int) -> str:
    return f"APP.QUEUE.{number:05d}"


def live_records() -> list[bytes]:
    """On each queue a message of its number's length and a long persistent one; the first is
    got. One more is put and backed out."""
    with ternmq.memory("QM1") as qmgr:
        for command in COMMANDS:
            qmgr.mqsc(command)
        for number in range(QUEUES):
            qmgr.define_queue(queue_name(number))
        with qmgr.connect(application="payments") as application:
            for number in range(QUEUES):
                with application.queue(queue_name(number)) as queue:
                    queue.put(b"x" * number)
                    queue.put(b"y" * LONG, persistent=True)
                    queue.get()
            application.begin()
            application.put(queue_name(1), b"zz")
            application.backout()
        end_intervals(qmgr.started.shell)
        found = qmgr.smf_read(1)
        records = list(found.records)
        while found.records:
            found = qmgr.smf_read(found.next)
            records += found.records
        return records


def expected_of_queue(number: int) -> dict[str, int]:
    """QQST, by mq-smf-csv's headings."""
    backed_out = number == 1
    return {
        "Current_Depth": 1,
        "Queue_Depth_High_Water": 2,
        "Put": 2,
        "Put1": int(backed_out),
        "Put_NP": 1,
        "Put_P": 1,
        "Put_Bytes": number + LONG,
        "Put_Bytes_P": LONG,
        "Get": 1,
        "Get_Bytes": number,
        "Msg_Length_Max": LONG,
        "Rollback_Put": int(backed_out),
    }


def expected_of_task(number: int) -> dict[str, int]:
    """WQ, the same."""
    put1s = int(number == 1)
    return {
        "Put_Count": 2,
        "Put1_Count": put1s,
        "Get_Count": 1,
        "Total_Bytes_Put": number + LONG + 2 * put1s,
        "Total_Bytes_Get": number,
        "Total_Valid_Puts": 2 + put1s,
        "Total_Valid_Gets": 1,
        "Put_Persistent_Count": 1,
        "Put_Max_Msg_Size": LONG,
        "Get_Max_Msg_Size": number,
    }


def wrong_of(printed: dict[str, list[list[str]]]) -> list[str]:
    """Where the program's lines do not say what was done."""
    wrong: list[str] = []
    for section, name_column, expected in (
        ("QQST", "Queue", expected_of_queue),
        ("WQ", "Base_Name", expected_of_task),
    ):
        heading, *lines = printed[section]
        rows = [dict(zip(heading, line, strict=False)) for line in lines]
        by_name = {row[name_column].strip(): row for row in rows}
        for number in range(QUEUES):
            row = by_name.get(queue_name(number), {})
            for column, value in expected(number).items():
                if row.get(column) != str(value):
                    wrong.append(
                        f"{section} {queue_name(number)} {column}: {row.get(column)}, not {value}"
                    )
    return wrong
