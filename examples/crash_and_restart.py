"""A process is killed while it works; its queue manager is opened again and everything is right.

A child process puts persistent messages, some alone and some in units of work of five. After each
acknowledgement it reports to its parent. The parent kills it with SIGKILL at a moment of its own
choosing, opens the same folder, and compares: what was acknowledged is there, once and in order;
a unit of work is there whole or not at all.

    python examples/crash_and_restart.py
"""

import subprocess
import sys
import tempfile

import ternmq

UNIT = 5
ACKNOWLEDGED_BEFORE_THE_KILL = 150


def child(folder: str) -> None:
    """Put for ever; say on stdout what has been acknowledged."""
    with ternmq.embedded(folder, "QM1", create=True) as qmgr:
        qmgr.define_queue("LEDGER", max_depth=1_000_000, default_persistence="YES")
        with qmgr.queue("LEDGER") as ledger:
            number = 0
            while True:
                number += 1
                ledger.put(f"{number}")
                print(number, flush=True)
                with qmgr.unit_of_work():
                    for part in range(UNIT):
                        ledger.put(f"{number}.{part}")
                print(f"{number}.all", flush=True)


def run_and_kill(folder: str) -> list[str]:
    """Start the child, kill it in the middle of its work; what it said before it died."""
    command = [sys.executable, __file__, "child", folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said: list[str] = []
        for line in process.stdout:
            said.append(line.strip())
            if len(said) == ACKNOWLEDGED_BEFORE_THE_KILL:
                process.kill()  # SIGKILL: no handler, no cleanup; what is in the pipe still comes
        return [line for line in said if line]


def expected(said: list[str]) -> list[str]:
    """The messages that were acknowledged."""
    messages: list[str] = []
    for line in said:
        number, _, unit = line.partition(".")
        messages += [f"{number}.{part}" for part in range(UNIT)] if unit else [number]
    return messages


def main(folder: str) -> None:
    said = run_and_kill(folder)
    promised = expected(said)
    print(f"killed after {len(said)} acknowledgements of {len(promised)} messages")

    with ternmq.embedded(folder, "QM1") as qmgr:
        for line in qmgr.report():
            print(f"  {line}")
        with qmgr.queue("LEDGER") as ledger:
            found = [message.text for message in ledger.browse()]

    lost = [message for message in promised if message not in found]
    more = found[len(promised) :]
    print(f"found {len(found)}: lost {len(lost)}, twice {len(found) - len(set(found))}")
    print(f"in order: {found[: len(promised)] == promised}")
    # The kill may have come after the force and before the answer: then there is one thing more.
    print(f"not acknowledged but there, whole: {len(more) in (0, 1, UNIT)}")
    if lost or found[: len(promised)] != promised or len(more) not in (0, 1, UNIT):
        raise SystemExit("something is wrong")


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(sys.argv[2])
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(temporary)
