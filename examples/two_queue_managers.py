"""Two queue managers and a channel: orders cross from one to the other, and survive its loss.

Both run in processes of their own. An application puts orders at LONDON; a channel takes them to
PARIS, in batches. In the middle PARIS is killed: the channel is tried again by itself, finds out
what had arrived, and goes on. Every order is at PARIS once, in order.

    python examples/two_queue_managers.py
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ternmq

ORDERS = 300
BEFORE_THE_KILL = 120


def command(*words: str) -> None:
    """What an administrator types."""
    subprocess.run([sys.executable, "-m", "ternmq", *words], check=True, stdout=subprocess.DEVNULL)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def kill(name: str) -> None:
    """As when the power fails."""
    lock = Path(os.environ["TERNMQ_DATA"], "qmgrs", name, "lock")
    pid = int(lock.read_text(encoding="utf-8").split()[1])
    os.kill(pid, signal.SIGKILL)
    while Path(f"/proc/{pid}").exists():
        time.sleep(0.01)


def define(port: int) -> None:
    """PARIS receives; LONDON sends what is put to PARIS.ORDERS, and tries again each second."""
    with ternmq.connect("PARIS") as paris:
        paris.define_queue("ORDERS")
        paris.mqsc("DEFINE CHANNEL(LONDON.PARIS) CHLTYPE(RCVR) TRPTYPE(TCP)")
    with ternmq.connect("LONDON") as london:
        london.mqsc("DEFINE QLOCAL(PARIS) USAGE(XMITQ)")
        london.mqsc("DEFINE QREMOTE(PARIS.ORDERS) RNAME(ORDERS) RQMNAME(PARIS)")
        london.mqsc(
            "DEFINE CHANNEL(LONDON.PARIS) CHLTYPE(SDR) TRPTYPE(TCP) XMITQ(PARIS) BATCHSZ(10) "
            f"SHORTTMR(1) CONNAME('127.0.0.1({port})')"
        )
        london.mqsc("START CHANNEL(LONDON.PARIS)")


def order(first: int, last: int) -> None:
    with ternmq.connect("LONDON") as london, london.queue("PARIS.ORDERS") as orders:
        for number in range(first, last):
            orders.put(str(number), persistent=True)


def main() -> None:
    port = free_port()
    for name, listens in (("LONDON", ()), ("PARIS", ("-p", str(port)))):
        command("crtmqm", "-u", "SYSTEM.DEAD.LETTER.QUEUE", *listens, name)
        command("strmqm", name)
    try:
        define(port)
        order(0, BEFORE_THE_KILL)
        kill("PARIS")
        print("PARIS was killed; LONDON takes orders all the same")
        order(BEFORE_THE_KILL, ORDERS)
        command("strmqm", "PARIS")
        with ternmq.connect("PARIS") as paris, paris.queue("ORDERS") as orders:
            found = [int(orders.get(wait=30).text) for _ in range(ORDERS)]
            print("orders at PARIS:", len(found), "more:", orders.try_get() is not None)
            print("each once, in order:", found == list(range(ORDERS)))
        with ternmq.connect("LONDON") as london:
            (status,) = london.mqsc("DISPLAY CHSTATUS(LONDON.PARIS) STATUS")
            print("the channel is", status["STATUS"])
    finally:
        for name in ("LONDON", "PARIS"):
            command("endmqm", "-i", name)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TERNMQ_DATA"] = folder
        main()
