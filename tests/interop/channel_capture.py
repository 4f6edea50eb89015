"""Records what both ends of message channels say, for whoever can compare it with IBM's.

    python -m tests.interop.channel_capture [--folder build/capture] [LISTEN=HOST(PORT) ...]

Each word is a relay: it listens on a port of this machine and passes on to a queue manager. CONNAME
of a sending channel then names the relay. It records until Ctrl-C. Without words two queue managers
of ours are made, and a channel between them sends messages of several kinds, is pinged, stopped,
started and reset. The folder then has

    channel.pcap    for Wireshark and tshark: packets with made-up addresses, port 1414
    channel.txt     every segment in words and bytes, in order, with its time and its sender
    channel.tshark  what tshark reads in it, where tshark is installed

Over TLS only the length of what was said can be seen. Data of messages is recorded; passwords are
in the pcap file alone.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import ternmq
from ternmq.wire.fap.segment import SegmentError
from ternmq.wire.fap.segment_reader import SegmentReader
from ternmq.wire.fap.segment_trace import trace_segment
from tests.interop.capture import PORT, CaptureFile, Conversation, Relay, has_tshark

FAP_LEVEL: Final = 13
SEGMENT_MAX: Final = 1 << 20
BYTES_SHOWN: Final = 600
WAIT_S: Final = 30.0
_WORD: Final = re.compile(
    r"(?:(?P<address>[^=]*):)?(?P<listen>\d+)=(?P<host>[^()]+)\((?P<port>\d+)\)$"
)
CHANNEL: Final = "QMA.TO.QMB"


def relay_of(word: str) -> Relay:
    """LISTEN=HOST(PORT), or ADDRESS:LISTEN=HOST(PORT)."""
    found = _WORD.match(word)
    if found is None:
        raise SystemExit(f"'{word}' is not PORT=HOST(PORT), such as 1415=mq.example.com(1414)")
    listen = (found["address"] or "127.0.0.1", int(found["listen"]))
    return Relay(int(found["port"]), found["host"], listen)


def in_words(conversation: Conversation, number: int) -> list[str]:
    """The segments of a socket, in the order in which they came."""
    readers = {True: SegmentReader(SEGMENT_MAX), False: SegmentReader(SEGMENT_MAX)}
    ports = f"socket {number}, {conversation.server}"
    lines = [f"==== {ports}"]
    for (by_client, data), when in zip(conversation.said, conversation.times, strict=True):
        moment = datetime.fromtimestamp(when, UTC).strftime("%H:%M:%S.%f")
        who = "caller" if by_client else "called"
        try:
            readers[by_client].feed(data)
            while (one := readers[by_client].next()) is not None:
                text = trace_segment(one, FAP_LEVEL, BYTES_SHOWN)
                lines.append(f"{moment} {who}: {text}")
        except SegmentError as error:
            lines.append(f"{moment} {who}: {len(data)} bytes, not a segment (TLS?): {error}")
            break
    return lines


def write(conversations: list[Conversation], folder: Path) -> None:
    """All files."""
    folder.mkdir(parents=True, exist_ok=True)
    file = CaptureFile(folder / "channel.pcap")
    lines: list[str] = []
    for number, conversation in enumerate(conversations):
        file.add(conversation)
        lines += in_words(conversation, number)
    file.close()
    (folder / "channel.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if has_tshark():
        words = ["tshark", "-r", str(file.path), "-d", f"tcp.port=={PORT},mq", "-V", "-O", "mq"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        (folder / "channel.tshark").write_text(done.stdout, encoding="utf-8")


# ---- two queue managers of ours


def command(data: Path, *words: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "ternmq.cli", *words],
        env={**os.environ, "TERNMQ_DATA": str(data)},
        check=True,
        stdout=subprocess.DEVNULL,
    )


def listening(connection: ternmq.Connection) -> int:
    """The port that the system has chosen for a listener."""
    connection.mqsc("DEFINE LISTENER(L) TRPTYPE(TCP) IPADDR('127.0.0.1')")
    connection.mqsc("START LISTENER(L)")
    (answer,) = connection.mqsc("DISPLAY LSSTATUS(L) PORT")
    return int(str(answer["PORT"]))


def said(connection: ternmq.Connection, *lines: str) -> None:
    for line in lines:
        for answer in connection.mqsc(line):
            if answer.comp == ternmq.constants.MQCC_FAILED:
                raise SystemExit(f"{line}: {answer}")


def await_status(connection: ternmq.Connection, wanted: tuple[str, ...]) -> None:
    limit = time.monotonic() + WAIT_S
    while True:
        (answer, *_) = connection.mqsc(f"DISPLAY CHSTATUS({CHANNEL}) STATUS")
        if str(answer.get("STATUS", "INACTIVE")) in wanted:
            return
        if time.monotonic() > limit:
            raise SystemExit(f"{CHANNEL} is {answer.get('STATUS')}, not {wanted[0]}")
        threading.Event().wait(0.05)


def our_own() -> list[Conversation]:
    """What two of ours say to each other."""
    with tempfile.TemporaryDirectory(prefix="ternmq-capture-") as name:
        data = Path(name)
        for qmgr in ("QMA", "QMB"):
            command(data, "crtmqm", "-u", "SYSTEM.DEAD.LETTER.QUEUE", qmgr)
            with (data / "qmgrs" / qmgr / "qm.ini").open("a", encoding="utf-8") as settings:
                settings.write("TCP:\n   Port=0\n")
            command(data, "strmqm", qmgr)
        try:
            with ternmq.connect("QMA", data=data) as a, ternmq.connect("QMB", data=data) as b:
                return converse(a, b)
        finally:
            for qmgr in ("QMA", "QMB"):
                command(data, "endmqm", "-i", qmgr)


def converse(a: ternmq.Connection, b: ternmq.Connection) -> list[Conversation]:
    """One of everything that a sender and a receiver say."""
    said(b, "ALTER QMGR CHLAUTH(DISABLED)")
    relay = Relay(listening(b))
    try:
        said(
            b,
            "DEFINE QLOCAL(T)",
            f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR) TRPTYPE(TCP) HBINT(1)",
        )
        said(
            a,
            "DEFINE QLOCAL(QMB) USAGE(XMITQ)",
            "DEFINE QREMOTE(R) RNAME(T) RQMNAME(QMB)",
            f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SDR) TRPTYPE(TCP) XMITQ(QMB) HBINT(1)"
            f" BATCHSZ(3) CONNAME('127.0.0.1({relay.port})')",
            f"PING CHANNEL({CHANNEL}) DATALEN(64)",
        )
        with a.queue("R") as remote, b.queue("T") as target:
            for length, persistent in ((10, True), (100_000, True), (10, False), (0, True)):
                remote.put(b"x" * length, persistent=persistent)
            said(a, f"START CHANNEL({CHANNEL})")
            for _ in range(4):
                target.get(wait=WAIT_S)
            # Longer than the heartbeat interval.
            target.try_get(wait=1.4)
            said(a, f"STOP CHANNEL({CHANNEL})")
            await_status(a, ("STOPPED",))
            said(a, f"RESET CHANNEL({CHANNEL}) SEQNUM(77)", f"START CHANNEL({CHANNEL})")
            remote.put("after the reset", persistent=True)
            target.get(wait=WAIT_S)
            said(a, f"STOP CHANNEL({CHANNEL})")
            await_status(a, ("STOPPED",))
    finally:
        relay.close()
    return relay.conversations


def main() -> None:
    """Record, and write the files."""
    line = argparse.ArgumentParser(description="Record what both ends of message channels say.")
    line.add_argument("--folder", type=Path, default=Path("build/capture"))
    line.add_argument("relays", nargs="*", metavar="LISTEN=HOST(PORT)")
    given = line.parse_args()
    if given.relays:
        relays = [relay_of(word) for word in given.relays]
        over = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: over.set())
        print("recording until Ctrl-C", flush=True)
        over.wait()
        for relay in relays:
            relay.close()
        conversations = [one for relay in relays for one in relay.conversations]
    else:
        conversations = our_own()
    write(conversations, given.folder)
    count = sum(len(one.said) for one in conversations)
    print(f"{len(conversations)} sockets, {count} pieces: {given.folder}/channel.pcap, .txt")


if __name__ == "__main__":
    main()
