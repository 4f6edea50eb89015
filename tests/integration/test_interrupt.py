"""Goal: an interrupt (Ctrl-C) at any moment leaves nobody waiting for ever, and nothing
acknowledged is lost. Method: a process whose main thread puts while others do; it is
interrupted again and again, goes on, and at last closes the queue manager; then what was
acknowledged is looked for.
"""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ternmq

pytestmark = [pytest.mark.core, pytest.mark.promise("P1")]

PROGRAM = """
import faulthandler, os, signal, sys, threading
import ternmq
faulthandler.register(signal.SIGUSR1, all_threads=True)
armed = False
def interrupt(number, frame):
    global armed
    if armed:
        armed = False
        raise KeyboardInterrupt
signal.signal(signal.SIGINT, interrupt)
qmgr = ternmq.embedded(sys.argv[1], "QM1", create=True, log_file_pages=64)
qmgr.define_queue("Q", max_depth=1_000_000)
report = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
stop = threading.Event()

def put(queue, name):
    queue.put(name, persistent=True)
    os.write(report, name + b"\\n")

def busy(number):
    queue = qmgr.connect().queue("Q")
    count = 0
    while not stop.is_set():
        count += 1
        try:
            put(queue, b"t%d.%d" % (number, count))
        except ternmq.MQError:
            return

def main(rounds):
    queue = qmgr.connect().queue("Q")
    count = 0
    global armed
    print("ready", flush=True)
    while rounds:
        try:
            armed = True
            while True:
                count += 1
                put(queue, b"m%d" % count)
        except KeyboardInterrupt:
            rounds -= 1
        except ternmq.MQError:
            armed = False
            return

threads = [threading.Thread(target=busy, args=(n,)) for n in range(3)]
for thread in threads:
    thread.start()
main(int(sys.argv[3]))
stop.set()
for thread in threads:
    thread.join()
qmgr.close()
print("closed", flush=True)
"""


def interrupted(data: Path, report: Path, rounds: int, chance: random.Random) -> None:
    command = [sys.executable, "-c", PROGRAM, str(data), str(report), str(rounds)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    for _ in range(2000):
        try:
            child.wait(0.003 + chance.random() * 0.03)
            break
        except subprocess.TimeoutExpired:
            os.kill(child.pid, signal.SIGINT)
    else:
        os.kill(child.pid, signal.SIGUSR1)
        try:
            _, stacks = child.communicate(timeout=2)
        except subprocess.TimeoutExpired:
            child.kill()
            _, stacks = child.communicate()
        raise AssertionError(f"it hangs: {stacks}")
    output, complaint = child.communicate()
    # The last interrupt may come when it is done and its handler is gone.
    assert output == "closed\n", complaint


@pytest.mark.timeout(120)
def test_interrupt_at_any_moment_then_nothing_hangs_and_nothing_is_lost(tmp_path: Path) -> None:
    report = tmp_path / "report"
    for seed in range(4):
        data = tmp_path / str(seed)
        report.write_bytes(b"")
        interrupted(data, report, 8, random.Random(seed))
        acknowledged = report.read_bytes().split()
        assert acknowledged
        with ternmq.embedded(data, "QM1") as qmgr, qmgr.queue("Q") as queue:
            found = [message.data for message in queue]
        assert len(set(found)) == len(found)
        assert not set(acknowledged) - set(found)
