"""Channels between two queue managers under load: defined and started for each point with channels.

The first queue manager asks by remote queues PERF.ASK.nn, the second answers by PERF.ANSWER.nn;
each number has a channel and a transmission queue each way.
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Final

from ternmq.perf.queue_manager import QueueManager, QueueManagerFailed
from ternmq.perf.queues import ANSWER, ASK, REPLY, REQUEST, queue_name
from ternmq.perf.workload import Point

STOP_S: Final = 60.0
LOOK_S: Final = 0.05
KEY_DAYS: Final = "2"
_DOWN: Final = ("STOPPED", "INACTIVE")
_REQUEST: Final = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", KEY_DAYS)


class ChannelPoints:
    """The channels of one point after the other."""

    def __init__(self, here: QueueManager, there: QueueManager, folder: Path) -> None:
        self._here: Final = here
        self._there: Final = there
        self._keys: Final = folder.absolute() / "keys"
        self._running: list[tuple[QueueManager, str]] = []

    def open(self, point: Point) -> None:
        """Stop those of the point before, define and start those of this one."""
        self._stop()
        if "SSLCIPH" in point.attributes and not self._keys.exists():
            self._make_keys()
        for qmgr in (self._here, self._there):
            qmgr.mqsc(f"ALTER QMGR SSLRKEYC({point.key_reset_bytes})")
        for number in range(1, point.channels + 1):
            self._define(self._here, self._there, "PERF.TO", ASK, REQUEST, number, point)
            self._define(self._there, self._here, "PERF.BACK", ANSWER, REPLY, number, point)
        for qmgr, name in self._running:
            qmgr.mqsc(f"START CHANNEL({name})")

    def _define(
        self,
        sender: QueueManager,
        receiver: QueueManager,
        prefix: str,
        remote: str,
        target: str,
        number: int,
        point: Point,
    ) -> None:
        name = f"{prefix}.{number:02}"
        waiting = queue_name("PERF.XMIT", number)
        sender.mqsc(f"DEFINE QLOCAL({waiting}) REPLACE USAGE(XMITQ) MAXDEPTH(999999999)")
        sender.mqsc(
            f"DEFINE QREMOTE({queue_name(remote, number)}) REPLACE"
            f" RNAME({queue_name(target, number)}) RQMNAME({receiver.name}) XMITQ({waiting})"
        )
        sender.mqsc(
            f"DEFINE CHANNEL({name}) CHLTYPE(SDR) REPLACE TRPTYPE(TCP) XMITQ({waiting})"
            f" CONNAME('127.0.0.1({receiver.port})') {point.attributes}"
        )
        receiver.mqsc(
            f"DEFINE CHANNEL({name}) CHLTYPE(RCVR) REPLACE TRPTYPE(TCP) {point.attributes}"
        )
        self._running.append((sender, name))

    def _stop(self) -> None:
        stopped, self._running = self._running, []
        for qmgr, name in stopped:
            qmgr.mqsc(f"STOP CHANNEL({name})")
        end = time.monotonic() + STOP_S
        for qmgr, name in stopped:
            while qmgr.channel_status(name) not in _DOWN:
                if time.monotonic() > end:
                    raise QueueManagerFailed(f"channel {name} does not stop")
                time.sleep(LOOK_S)

    def _make_keys(self) -> None:
        """Certificates of both, of one authority, by the program openssl."""
        self._keys.mkdir()
        authority = self._keys / "authority.crt"
        signing = self._keys.parent / "authority.key"
        _openssl("Authority", signing, authority)
        for qmgr in (self._here, self._there):
            own = self._keys / f"ibmwebspheremq{qmgr.name.lower()}"
            signed = ("-CA", str(authority), "-CAkey", str(signing))
            _openssl(qmgr.name, own.with_suffix(".key"), own.with_suffix(".crt"), *signed)
            qmgr.mqsc(f"ALTER QMGR SSLKEYR('{self._keys}')")
            qmgr.mqsc("REFRESH SECURITY TYPE(SSL)")


def _openssl(name: str, key: Path, certificate: Path, *more: str) -> None:
    words = (*_REQUEST, "-subj", f"/O=TernMQ/CN={name}", "-keyout", str(key))
    try:
        subprocess.run([*words, "-out", str(certificate), *more], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise QueueManagerFailed(f"the program openssl makes no certificate: {error}") from error
