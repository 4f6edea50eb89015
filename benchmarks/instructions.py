"""Counts the instructions of one message, by callgrind. A busy machine does not change the figure.

Each workload runs twice under valgrind, with N and with 3 N messages; the difference, divided by
2 N, is the cost of one message without the start. In process, the whole program is counted. Over
TCP, the queue manager's process is counted and the client runs beside it.

    python benchmarks/instructions.py [WORKLOAD ...] [--site FOLDER] [--json FILE]

`--site` names a folder with another build of the package (the contents of its site-packages), so
that two builds can be compared. Needs valgrind; says so where it is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MESSAGES = 2_000
IN_PROCESS = ("pairs", "properties", "persistent", "units")
OVER_TCP = ("tcp-put-get", "tcp-properties", "tcp-request-reply")
PROPERTIES: dict[str, str | int | float | bool] = {
    "colour": "red",
    "size": 4,
    "weight": 0.5,
    "fragile": True,
    "customer": "C00000001",
}
TOTAL = re.compile(r"^(?:summary|totals): (\d+)", re.MULTILINE)
START_S = 240.0


def work_in_process(name: str, count: int) -> None:
    """The workload itself; runs under valgrind."""
    import ternmq

    body = bytes(2048)
    with (
        tempfile.TemporaryDirectory() as folder,
        ternmq.embedded(Path(folder) / "qm", "QM1", create=True) as qmgr,
    ):
        qmgr.define_queue("A", max_depth=100_000)
        with qmgr.queue("A") as queue:
            for _ in range(count):
                if name == "properties":
                    queue.put(body, properties=PROPERTIES)
                    found = queue.get().properties
                    for one in PROPERTIES:
                        found[one]
                elif name == "units":
                    with qmgr.unit_of_work():
                        queue.put(body, persistent=True)
                    with qmgr.unit_of_work():
                        queue.get()
                else:
                    queue.put(body, persistent=name == "persistent")
                    queue.get()


def work_over_tcp(name: str, count: int, port: int) -> None:
    """A client's work; the queue manager is counted, not this process."""
    import ternmq

    body = bytes(2048)
    connection = ternmq.connect("QM1", channel="BENCH", conn=f"127.0.0.1({port})")
    with connection, connection.queue("A") as asked, connection.queue("B") as answers:
        given = PROPERTIES if name == "tcp-properties" else None
        for _ in range(count):
            asked.put(body, properties=given)
            if name == "tcp-request-reply":
                answers.put(asked.get(wait=10).data)
                answers.get(wait=10)
            else:
                asked.get(wait=10)


def _environment(site: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TERNMQ_PURE")}
    kept |= {"PYTHONHASHSEED": "0"}
    if site:
        kept["PYTHONPATH"] = site
    return kept


def _valgrind(outcome: Path) -> list[str]:
    return [
        "valgrind",
        "--tool=callgrind",
        f"--callgrind-out-file={outcome}",
        "--log-file=/dev/null",
        sys.executable,
    ]


def _total(outcome: Path) -> int:
    found = TOTAL.search(outcome.read_text())
    if found is None:
        sys.exit(f"instructions: {outcome} has no total; the counted process did not end well")
    return int(found.group(1))


def counted_in_process(name: str, count: int, site: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        outcome = Path(folder) / "out"
        words = [*_valgrind(outcome), __file__, "--work", name, str(count)]
        subprocess.run(words, check=True, env=_environment(site), cwd=folder)
        return _total(outcome)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def counted_over_tcp(name: str, count: int, site: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        outcome, port = Path(folder) / "out", _free_port()
        environment = _environment(site) | {"TERNMQ_DATA": folder}
        script = Path(folder) / "bench.mqsc"
        script.write_text(
            "DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)\n"
            "DEFINE CHANNEL(BENCH) CHLTYPE(SVRCONN)\n"
            "ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')\n"
            f"DEFINE LISTENER(L) TRPTYPE(TCP) IPADDR(127.0.0.1) PORT({port}) CONTROL(QMGR)\n"
        )
        command = [sys.executable, "-m", "ternmq.cli"]
        subprocess.run(
            [*command, "crtmqm", "-ic", str(script), "QM1"],
            check=True,
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        server = subprocess.Popen(
            [*_valgrind(outcome), "-m", "ternmq.cli", "run", "QM1"],
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        try:
            _await_port(port, server)
            words = [sys.executable, __file__, "--work", name, str(count), "--port", str(port)]
            subprocess.run(words, check=True, env=environment, cwd=folder)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(START_S)
        return _total(outcome)


def _await_port(port: int, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    sys.exit(
        "instructions: the queue manager did not start; run `ternmq run QM1` by hand to see why"
    )


def cost(name: str, site: str) -> int:
    """Instructions of one message."""
    counted = counted_over_tcp if name in OVER_TCP else counted_in_process
    few, many = (counted(name, count, site) for count in (MESSAGES, 3 * MESSAGES))
    return (many - few) // (2 * MESSAGES)


def main() -> None:
    parser = argparse.ArgumentParser(description="Instructions of one message, by callgrind.")
    parser.add_argument(
        "names", nargs="*", metavar="WORKLOAD", help=", ".join(IN_PROCESS + OVER_TCP)
    )
    parser.add_argument("--site", default="", help="another build of the package")
    parser.add_argument("--json", default="", metavar="FILE")
    parser.add_argument("--work", nargs=2, metavar=("WORKLOAD", "COUNT"), help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        name, count = given.work[0], int(given.work[1])
        if given.port:
            work_over_tcp(name, count, given.port)
        else:
            work_in_process(name, count)
        return
    if shutil.which("valgrind") is None:
        sys.exit("instructions: valgrind is missing; install it (Debian: apt-get install valgrind)")
    unknown = [name for name in given.names if name not in IN_PROCESS + OVER_TCP]
    if unknown:
        parser.error(f"unknown workload {unknown[0]}; there are {', '.join(IN_PROCESS + OVER_TCP)}")
    costs = {}
    for name in given.names or IN_PROCESS + OVER_TCP:
        costs[name] = cost(name, given.site)
        print(f"{name:20} {costs[name]:>10,} instructions a message", flush=True)
    if given.json:
        Path(given.json).write_text(json.dumps(costs, indent=1) + "\n")


if __name__ == "__main__":
    main()
