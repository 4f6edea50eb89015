"""Two queue managers in processes of their own, a message channel from one to the other, and a
proxy between them that knows the frames of the protocol. Where this process may make network
namespaces, each queue manager has one of its own, and the link between them can be taken down;
elsewhere all of it is on loopback.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import ternmq
from ternmq.remote.local.folder_lookup import find
from ternmq.server.folder.status_file import status_of
from ternmq.testing.proxy import Proxy

SENDER: Final = "QA"
RECEIVER: Final = "QB"
CHANNEL: Final = "QA.QB"
NAMES: Final = (SENDER, RECEIVER)
PATIENCE_S: Final = 60.0
SMALL: Final = ("-lp", "2", "-ls", "1", "-lf", "64")


def until(condition: Callable[[], bool], what: str, seconds: float = PATIENCE_S) -> None:
    """Wait for something."""
    ends = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < ends, f"{what}: not within {seconds} s"
        pause.wait(0.02)


def may_make_namespaces() -> bool:
    """Whether this process is allowed to, and has `ip`."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    name = f"ternmq-try-{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False)
    if made.returncode == 0:
        subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)
    return made.returncode == 0


class Namespaces:
    """A namespace for each queue manager, each linked with the one of this process."""

    def __init__(self) -> None:
        tag = os.getpid() % 10_000
        block = 16 + os.getpid() % 200
        self.names = {name: f"tq{tag}{name}" for name in NAMES}
        self.here = {name: f"10.201.{block}.{16 * at + 1}" for at, name in enumerate(NAMES)}
        self.there = {name: f"10.201.{block}.{16 * at + 2}" for at, name in enumerate(NAMES)}
        self.outer = {name: f"o{tag}{name}" for name in NAMES}
        for name in NAMES:
            space, outer = self.names[name], self.outer[name]
            inner = f"i{tag}{name}"
            self._ip("netns", "add", space)
            self._ip("link", "add", outer, "type", "veth", "peer", "name", inner)
            self._ip("link", "set", inner, "netns", space)
            self._ip("addr", "add", f"{self.here[name]}/28", "dev", outer)
            self._ip("link", "set", outer, "up")
            self._ip("-n", space, "addr", "add", f"{self.there[name]}/28", "dev", inner)
            self._ip("-n", space, "link", "set", inner, "up")
            self._ip("-n", space, "link", "set", "lo", "up")

    @staticmethod
    def _ip(*words: str) -> None:
        subprocess.run(["ip", *words], check=True, capture_output=True)

    def link(self, name: str, up: bool) -> None:
        """Take the cable of a queue manager out, or put it back."""
        self._ip("link", "set", self.outer[name], "up" if up else "down")

    def close(self) -> None:
        for name in NAMES:
            subprocess.run(["ip", "link", "delete", self.outer[name]], check=False)
            subprocess.run(["ip", "netns", "delete", self.names[name]], check=False)


class Pair:
    """Both queue managers, and what runs between them."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ternmq-proof-"))
        self.spaces = Namespaces() if may_make_namespaces() else None
        self.pids: dict[str, int] = {}
        self.got: list[int] = []
        self.sent = 0
        self.unknown: set[int] = set()  # put without an answer
        for name in NAMES:
            self._command("", "crtmqm", *SMALL, name)
            ini = Path(find(str(self.folder), name).folder) / "qm.ini"
            ini.write_text(ini.read_text() + "TCP:\n   Port=0\n")
            self.start(name)
        self._define_receiver()
        host = self.spaces.there[RECEIVER] if self.spaces else "127.0.0.1"
        self.port = self._port()
        here = self.spaces.here[SENDER] if self.spaces else "127.0.0.1"
        self.proxy = Proxy((host, self.port), host=here)
        self._define_sender(f"{here}({self.proxy.port})")

    def close(self) -> None:
        for name in NAMES:
            self.kill(name)
        self.proxy.close()
        if self.spaces is not None:
            self.spaces.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- processes

    def _command(self, name: str, *words: str) -> None:
        command = [sys.executable, "-m", "ternmq.cli", *words]
        if name and self.spaces is not None:
            command = ["ip", "netns", "exec", self.spaces.names[name], *command]
        environment = {**os.environ, "TERNMQ_DATA": str(self.folder)}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)

    def start(self, name: str) -> None:
        self._command(name, "strmqm", name)
        self.pids[name] = status_of(find(str(self.folder), name).folder).pid
        if name == RECEIVER and hasattr(self, "port"):
            self._listen(self.port)

    def kill(self, name: str) -> None:
        """kill -9."""
        pid = self.pids.pop(name, 0)
        if pid:
            os.kill(pid, signal.SIGKILL)
            until(lambda: not Path(f"/proc/{pid}").exists() or _is_zombie(pid), f"end of {name}")

    def signal(self, name: str, number: int) -> None:
        os.kill(self.pids[name], number)

    def connect(self, name: str) -> ternmq.Connection:
        return ternmq.connect(name, data=self.folder)

    def mqsc(self, name: str, *commands: str) -> None:
        with self.connect(name) as operator:
            for command in commands:
                for answer in operator.mqsc(command):
                    assert answer.ok, (command, answer)

    # ---- definitions

    def _define_receiver(self) -> None:
        self.mqsc(
            RECEIVER,
            "ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')",
            "DEFINE QLOCAL(IN) MAXDEPTH(100000)",
            f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR) TRPTYPE(TCP) HBINT(1)",
        )
        self._listen(0)

    def _listen(self, port: int) -> None:
        host = self.spaces.there[RECEIVER] if self.spaces else "127.0.0.1"
        self.mqsc(
            RECEIVER,
            f"DEFINE LISTENER(TCP) TRPTYPE(TCP) IPADDR('{host}') PORT({port}) REPLACE",
            "START LISTENER(TCP)",
        )

    def _port(self) -> int:
        with self.connect(RECEIVER) as operator:
            (shown,) = operator.mqsc("DISPLAY LSSTATUS(TCP)")
            return int(shown["PORT"])

    def _define_sender(self, conn: str) -> None:
        self.mqsc(
            SENDER,
            f"DEFINE QLOCAL({RECEIVER}) USAGE(XMITQ) MAXDEPTH(100000)",
            f"DEFINE QREMOTE(OUT) RNAME(IN) RQMNAME({RECEIVER}) XMITQ({RECEIVER})",
            f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SDR) TRPTYPE(TCP) CONNAME('{conn}') "
            f"XMITQ({RECEIVER}) BATCHSZ(10) HBINT(1) SHORTTMR(1) SHORTRTY(999999999)",
        )

    # ---- work

    def put(self, count: int) -> None:
        """So many messages, in order; some of several segments. A put that is not answered may
        have happened or not, and the next is tried when the queue manager is there again."""
        ends = self.sent + count
        while self.sent < ends:
            try:
                with self.connect(SENDER) as application, application.queue("OUT") as queue:
                    while self.sent < ends:
                        self.sent += 1
                        size = 50_000 if self.sent % 17 == 0 else 100
                        self.unknown.add(self.sent)
                        queue.put(f"{self.sent} " + "x" * size, persistent=True)
                        self.unknown.discard(self.sent)
            except ternmq.MQError:
                threading.Event().wait(0.05)

    def drain(self) -> int:
        """Get what has arrived; the number of the last message."""
        with self.connect(RECEIVER) as application, application.queue("IN") as queue:
            while True:
                one = queue.try_get(syncpoint=False)
                if one is None:
                    return self.got[-1] if self.got else 0
                self.got.append(int(one.text.partition(" ")[0]))

    def converge(self) -> None:
        """Everything has arrived, once and in order, and nothing is in doubt."""
        sure = [number + 1 for number in range(self.sent) if number + 1 not in self.unknown]
        until(lambda: self.drain() >= sure[-1] and not set(sure) - set(self.got), "all messages")
        until(self._is_settled, "an empty transmission queue and nothing in doubt")
        self.drain()
        wanted = [n for n in range(1, self.sent + 1) if n in self.got or n not in self.unknown]
        assert self.got == wanted, f"{len(self.got)} got, {len(wanted)} wanted"

    def _is_settled(self) -> bool:
        with self.connect(SENDER) as operator:
            (queue,) = operator.mqsc(f"DISPLAY QLOCAL({RECEIVER}) CURDEPTH")
            shown = operator.mqsc(f"DISPLAY CHSTATUS({CHANNEL}) INDOUBT STATUS")
        quiet = all(one.get("INDOUBT", "NO") == "NO" for one in shown if one.ok)
        return int(queue["CURDEPTH"]) == 0 and quiet

    def begin(self) -> None:
        """START CHANNEL, unless it runs."""
        with self.connect(SENDER) as operator:
            operator.mqsc(f"START CHANNEL({CHANNEL})")


def _is_zombie(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"
