"""Two queue managers as processes of their own, with listeners, for tests of message channels."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import ternmq
from ternmq.remote.local.folder_lookup import find
from tests.battery.places import until
from tests.integration.test_lifecycle import Machine

FIRST = "QMA"
SECOND = "QMB"
LOG = ["-lp", "3", "-ls", "2", "-lf", "1024"]  # room for messages of some megabytes


class Pair(Machine):
    """QMA and QMB. Each test takes names of its own, so that they can share both."""

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self.number = 0
        self.ports: dict[str, int] = {}
        self._operators: dict[str, ternmq.Connection] = {}

    def make(self, name: str, *stanzas: str) -> None:
        """A queue manager that listens."""
        self.run("crtmqm", *LOG, "-u", "SYSTEM.DEAD.LETTER.QUEUE", name)
        ini = Path(find(str(self.data), name).folder) / "qm.ini"
        text = ini.read_text()
        ini.write_text("\n".join([text, "TCP:", "   Port=0", *stanzas, ""]))
        self.run("strmqm", name)
        self.mqsc(
            name,
            "DEFINE LISTENER(TCP) TRPTYPE(TCP) IPADDR('127.0.0.1') CONTROL(QMGR)",
            "START LISTENER(TCP)",
        )
        self.find_port(name)

    def find_port(self, name: str) -> None:
        """The port of its listener, which the system chooses at each start."""
        (shown,) = self.operator(name).mqsc("DISPLAY LSSTATUS(TCP)")
        self.ports[name] = int(str(shown["PORT"]))

    def conn(self, name: str) -> str:
        """As CONNAME has it."""
        return f"127.0.0.1({self.ports[name]})"

    def operator(self, name: str) -> ternmq.Connection:
        """A connection for commands."""
        made = self._operators.get(name)
        if made is None:
            made = self._operators[name] = self.connect(name)
        return made

    def mqsc(self, name: str, *commands: str) -> None:
        """Commands that must succeed."""
        for command in commands:
            for answer in self.operator(name).mqsc(command):
                assert answer.ok, (name, command, answer)

    def ended(self, name: str) -> None:
        """Its process is no more, and connections to it of no use."""
        self._operators.pop(name, None)
        until(lambda: not self.pid(name))

    def end(self, name: str, *options: str) -> None:
        """endmqm, and wait for it."""
        self.leave(name)
        self.run("endmqm", *options, name)
        self.ended(name)

    def leave(self, name: str) -> None:
        """End the connection for commands: a queue manager that quiesces waits for it."""
        made = self._operators.pop(name, None)
        if made is not None:
            made.disconnect()

    def kill(self, name: str) -> None:
        """As a power loss of its process."""
        os.kill(self.pid(name), signal.SIGKILL)
        self.ended(name)

    def start(self, name: str) -> None:
        """strmqm; its port is another one."""
        self.run("strmqm", name)
        self.find_port(name)

    def close(self) -> None:
        """End both."""
        for name in list(self._operators):
            self.leave(name)
        self.end_all()

    # ---- channels

    def channel(self, more: str = "", receiver: str = "", conn: str = "") -> Channel:
        """A sender at QMA, its receiver at QMB, queues for both; a name that no other test has."""
        self.number += 1
        made = Channel(self, self.number)
        made.define(more, receiver, conn or self.conn(SECOND))
        return made

    def status(self, name: str, channel: str, *words: str) -> dict[str, str]:
        """DISPLAY CHSTATUS of the only instance; empty if there is none."""
        asked = " ".join(words)
        found = self.operator(name).mqsc(f"DISPLAY CHSTATUS({channel}) {asked}")
        rows = [one for one in found if one.message == "AMQ8417I"]
        return {key: str(rows[0][key]) for key in rows[0].keys()} if len(rows) == 1 else {}  # noqa: SIM118

    def depth(self, name: str, queue: str) -> int:
        """How many messages a queue has."""
        (shown,) = self.operator(name).mqsc(f"DISPLAY QLOCAL({queue}) CURDEPTH")
        return int(str(shown["CURDEPTH"]))

    def log(self, name: str) -> str:
        """The error log."""
        folder = Path(find(str(self.data), name).folder)
        return (folder / "errors" / "AMQERR01.LOG").read_text()


class Channel:
    """A channel of a test, with its queues."""

    def __init__(self, pair: Pair, number: int) -> None:
        self.pair = pair
        self.name = f"C{number}"
        self.transmission_queue = f"X{number}"
        self.remote = f"R{number}"
        self.target = f"T{number}"

    def define(self, more: str, receiver: str, conn: str) -> None:
        pair = self.pair
        pair.mqsc(
            FIRST,
            f"DEFINE QLOCAL({self.transmission_queue}) USAGE(XMITQ) DEFPSIST(YES)",
            f"DEFINE QREMOTE({self.remote}) RNAME({self.target}) RQMNAME({SECOND})"
            f" XMITQ({self.transmission_queue}) DEFPSIST(YES)",
            f"DEFINE CHANNEL({self.name}) CHLTYPE(SDR) CONNAME('{conn}')"
            f" XMITQ({self.transmission_queue}) SHORTTMR(1) {more}",
        )
        pair.mqsc(
            SECOND,
            f"DEFINE QLOCAL({self.target})",
            f"DEFINE CHANNEL({self.name}) CHLTYPE(RCVR) {receiver}",
        )

    def put(self, *data: bytes, **how: Any) -> list[bytes]:
        """Put to the remote queue, in one unit of work; their MsgIds."""
        with (
            self.pair.connect(FIRST) as connection,
            connection.queue(self.remote) as queue,
            connection.unit_of_work(),
        ):
            return [queue.put(one, **how) for one in data]

    def get(self, count: int, wait: float = 10.0) -> list[ternmq.Message]:
        """So many messages from the target, no more."""
        with self.pair.connect(SECOND) as connection, connection.queue(self.target) as queue:
            return [queue.get(wait=wait) for _ in range(count)]

    def start(self) -> None:
        self.pair.mqsc(FIRST, f"START CHANNEL({self.name})")

    def stop(self, *words: str) -> None:
        """It may have ended already."""
        self.pair.operator(FIRST).mqsc(f"STOP CHANNEL({self.name}) {' '.join(words)}")

    def status(self, name: str = FIRST) -> str:
        """STATUS at an end; "" if there is no instance."""
        return self.pair.status(name, self.name).get("STATUS", "")

    def runs(self) -> None:
        """Wait until both ends do."""
        until(lambda: self.status(FIRST) == self.status(SECOND) == "RUNNING")

    def depth(self) -> int:
        """Of the transmission queue."""
        return self.pair.depth(FIRST, self.transmission_queue)

    def arrived(self, count: int) -> None:
        """Wait until so many messages are on the target."""
        until(lambda: self.pair.depth(SECOND, self.target) == count)
