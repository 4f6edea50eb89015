"""Two queue managers of their own processes in one data folder, with what a channel between them
needs: the common setting of docs/reference/conformance-channels.md."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import ternmq
from ternmq.remote.local.folder_lookup import find
from ternmq.values.command import Answer
from tests.battery.places import until
from tests.integration.test_lifecycle import SMALL, Machine

QMA: Final = "QMA"
QMB: Final = "QMB"


class ChannelPair(Machine):
    """QMA sends to QMB by the transmission queue QMB; listeners are on ports of the system's."""

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self.ports: dict[str, int] = {}
        self.operators: dict[str, ternmq.Connection] = {}

    def make(self, name: str, *ini: str) -> None:
        """Create and start a queue manager that listens."""
        self.run("crtmqm", *SMALL, "-u", "SYSTEM.DEAD.LETTER.QUEUE", name)
        self.configure(name, "TCP:", "   Port=0", *ini)
        self.start(name)
        self.mqsc(
            name,
            "ALTER QMGR CHLAUTH(DISABLED)",
            "DEFINE LISTENER(TCP) TRPTYPE(TCP) IPADDR('127.0.0.1') PORT(0) CONTROL(QMGR)",
        )
        self.listen(name)
        port = self.ports[name]
        self.mqsc(name, f"ALTER LISTENER(TCP) TRPTYPE(TCP) PORT({port})")

    def configure(self, name: str, *lines: str) -> None:
        """Add lines to qm.ini."""
        ini = Path(find(str(self.data), name).folder) / "qm.ini"
        ini.write_text(ini.read_text() + "\n".join(lines) + "\n")

    def start(self, name: str) -> None:
        """strmqm."""
        self.run("strmqm", name)
        self.operators[name] = self.connect(name)

    def stop(self, name: str, *options: str) -> None:
        """endmqm."""
        operator = self.operators.pop(name)
        operator.disconnect()
        self.run("endmqm", *(options or ("-i",)), name)
        until(lambda: not self.pid(name))

    def listen(self, name: str) -> None:
        """START LISTENER, and the port that it has."""
        self.mqsc(name, "START LISTENER(TCP)")
        (shown,) = self.operators[name].mqsc("DISPLAY LSSTATUS(TCP) PORT")
        self.ports[name] = int(shown["PORT"])

    def mqsc(self, name: str, *commands: str) -> None:
        """Commands that must go well."""
        for command in commands:
            for answer in self.operators[name].mqsc(command):
                assert answer.ok, (name, command, str(answer))

    def asked(self, name: str, command: str) -> tuple[str, int]:
        """The message of a command's only answer, and its reason."""
        (answer,) = self.operators[name].mqsc(command)
        return answer.message, answer.reason

    def connect_ends(self, channel: str = "A.TO.B", given: str = "", receiver: str = "") -> None:
        """A sender at QMA with its queue, and a receiver at QMB with a target."""
        self.mqsc(
            QMA,
            "DEFINE QLOCAL(QMB) USAGE(XMITQ) REPLACE",
            "DEFINE QREMOTE(TO.B) RNAME(TARGET) RQMNAME(QMB) XMITQ(QMB) REPLACE",
            f"DEFINE CHANNEL({channel}) CHLTYPE(SDR) XMITQ(QMB) {given} "
            f"CONNAME('127.0.0.1({self.ports[QMB]})')",
        )
        self.mqsc(
            QMB,
            "DEFINE QLOCAL(TARGET) REPLACE",
            f"DEFINE CHANNEL({channel}) CHLTYPE(RCVR) {receiver}",
        )

    def status(self, name: str, channel: str = "A.TO.B") -> str:
        """STATUS; INACTIVE if the channel is not current."""
        shown = self.operators[name].mqsc(f"DISPLAY CHSTATUS({channel})")[0]
        return str(shown["STATUS"]) if shown.ok else "INACTIVE"

    def shown(self, name: str, channel: str = "A.TO.B", how: str = "ALL") -> Answer:
        """The only answer of DISPLAY CHSTATUS."""
        (answer,) = self.operators[name].mqsc(f"DISPLAY CHSTATUS({channel}) {how}")
        assert answer.ok, str(answer)
        return answer

    def becomes(self, name: str, status: str, channel: str = "A.TO.B") -> None:
        """Wait for a state."""
        until(lambda: self.status(name, channel) == status)

    def depth(self, name: str, queue: str) -> int:
        """CURDEPTH."""
        (shown,) = self.operators[name].mqsc(f"DISPLAY QLOCAL({queue}) CURDEPTH")
        return int(shown["CURDEPTH"])

    def has(self, name: str, queue: str, depth: int) -> None:
        """Wait for messages."""
        until(lambda: self.depth(name, queue) == depth)

    def has_uncommitted(self, name: str, queue: str) -> bool:
        """Whether messages of a unit of work are among them: CURDEPTH counts these too."""
        (shown,) = self.operators[name].mqsc(f"DISPLAY QSTATUS({queue}) UNCOM")
        return shown["UNCOM"] != "NO"

    def send(self, *texts: str, queue: str = "TO.B", persistent: bool = True) -> None:
        """Put messages at QMA."""
        for text in texts:
            self.operators[QMA].put(queue, text, persistent=persistent)

    def received(self, queue: str = "TARGET") -> list[str]:
        """Get all messages at QMB, once their batches are committed."""
        texts: list[str] = []
        until(lambda: not self.has_uncommitted(QMB, queue))
        with self.operators[QMB].queue(queue) as target:
            while (message := target.try_get(wait=0)) is not None:
                texts.append(message.text)
        return texts

    def log(self, name: str) -> str:
        """The error log."""
        folder = Path(find(str(self.data), name).folder)
        return (folder / "errors" / "AMQERR01.LOG").read_text()
