"""STRMQOS(BESTEF) and STRMQOS(MUSTDUP) when the streaming queue is full: the experiment of IBM's
performance report for streaming queues, with a queue manager in a process of its own.

LQ1000 streams to STRMQ000, which has little room: once by MAXFSIZE, once by MAXDEPTH. The
application puts until it is refused or done; then the depths, what it was answered, and what the
queue manager wrote into its error log. With 500,000 messages of 1 KB it is the report's:

python examples/streaming_queues.py [messages] [bytes]
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import ternmq

LIMITS: tuple[dict[str, Any], ...] = (
    {"max_file_megabytes": 20, "max_depth": 999_999_999},
    {"max_depth": 400},
)
TITLES = ("MAXFSIZE(20)", "MAXDEPTH(400)")


def command(*words: str) -> None:
    """A control command, as it would be typed."""
    arguments = [sys.executable, "-m", "ternmq.cli", *words]
    subprocess.run(arguments, check=True, capture_output=True, text=True)


def application(connection: ternmq.Connection, messages: int, body: bytes) -> str:
    """Put so many messages; what it reports at its end."""
    with connection.queue("LQ1000", options=ternmq.constants.MQOO_OUTPUT) as queue:
        for number in range(messages):
            try:
                queue.put(body)
            except ternmq.MQError as error:
                failed = f"MQPUT failed with mqrc={error.reason} {error.reason_name}"
                return f"{failed}, on iteration {number + 1:,}"
    return f"{messages:,} messages put to queue LQ1000, return code 0"


def depth(connection: ternmq.Connection, name: str) -> int:
    with connection.queue(name, options=ternmq.constants.MQOO_INQUIRE) as queue:
        return queue.depth


def errors(data: str) -> list[str]:
    """What the error log says about copies that could not be put."""
    text = (Path(data) / "qmgrs" / "VTS1" / "errors" / "AMQERR01.LOG").read_text()
    found = re.findall(r"^AMQ7587E: .*?(?=\n\n)", text, re.MULTILINE | re.DOTALL)
    return [" ".join(one.split()) for one in found]


def experiment(messages: int, size: int) -> bool:
    """All four; whether MUSTDUP kept the two queues alike and BESTEF the application going."""
    right = True
    body = bytes(size)
    for limits, title in zip(LIMITS, TITLES):
        for quality in ("BESTEF", "MUSTDUP"):
            with ternmq.connect("VTS1") as connection:
                connection.define_queue("STRMQ000", **limits)
                connection.define_queue(
                    "LQ1000",
                    max_depth=999_999_999,
                    stream_queue="STRMQ000",
                    stream_quality=quality,
                )
                said = application(connection, messages, body)
                original, copies = (depth(connection, name) for name in ("LQ1000", "STRMQ000"))
                print(f"STRMQOS({quality}), STRMQ000 with {title}")
                print(f"  application:    {said}")
                print(f"  LQ1000 depth:   {original:,}")
                print(f"  STRMQ000 depth: {copies:,}")
                alike = original == copies if quality == "MUSTDUP" else original == messages
                right = right and alike and 0 < copies < messages
                for name in ("LQ1000", "STRMQ000"):
                    connection.delete_queue(name, purge=True)
    return right


def main(messages: int, size: int) -> None:
    with tempfile.TemporaryDirectory() as data:
        os.environ["TERNMQ_DATA"] = data
        command("crtmqm", "VTS1")
        command("strmqm", "VTS1")
        try:
            right = experiment(messages, size)
        finally:
            command("endmqm", "-i", "VTS1")
        logged = errors(data)
        print("the queue manager logs:")
        for line in logged:
            print(f"  {line}")
        # Once a handle, and what is the same as the entry before may be counted with it.
        reported = len(set(logged)) == 2 and len(logged) <= 4
        print(f"as in the report, logged once a handle: {right and reported}")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        main(int(sys.argv[1]), int(sys.argv[2]))
    else:
        main(800, 36_864)
