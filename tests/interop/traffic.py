"""Real traffic for tshark: what IBM's Java client and our own client say to our server, through a
relay that records it, as a capture file and as the names of the segments.

Only over TCP: nobody reads what goes through TLS.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import ternmq
from tests.interop import served
from tests.interop.capture import CaptureFile, Relay
from tests.interop.cases import JavaCase
from tests.interop.judge import Verdict, judge

# One of everything the Java client says.
JAVA_SUITES: Final = (
    *("BaseMessages", "BaseBrowse", "BaseUnits", "BaseProperties", "BaseAsync", "BaseObjects"),
    *("JmsPointToPoint", "JmsListeners", "JmsDistributed", "JmsMessages", "JmsSelectors"),
)


def chosen(cases: list[JavaCase]) -> list[JavaCase]:
    """Each case of those classes once over TCP, at the places in turn, with the sizes around a
    segment."""
    plain = [f"tcp{sharing}" for sharing in (0, 1, 10)]
    by_method: dict[tuple[str, str], list[JavaCase]] = {}
    for case in cases:
        if case.place in plain and case.suite in JAVA_SUITES:
            by_method.setdefault((case.suite, case.method), []).append(case)
    some = [where[turn % len(where)] for turn, where in enumerate(by_method.values())]
    sizes = [case for case in cases if case.place in plain and case.method.startswith("of_32")]
    return some + sizes


def java_traffic(
    class_path: str, cases: list[JavaCase], port: int, work: Path, client: Path
) -> dict[int, Verdict]:
    """The chosen cases once more, recorded into `work`/java.pcap."""
    relay = Relay(port)
    try:
        verdicts = judge(class_path, chosen(cases), relay.port, work, client)
    finally:
        relay.close()
    write(relay, work / "java.pcap")
    return verdicts


def python_traffic(port: int, work: Path) -> None:
    """Our own client over each number of sharing conversations, into `work`/python.pcap."""
    relay = Relay(port)
    try:
        for sharing in (0, 1, 10):
            _python(f"J.TCP{sharing}", relay.port)
    finally:
        relay.close()
    write(relay, work / "python.pcap")


def _python(channel: str, port: int) -> None:
    with ternmq.connect(
        served.NAME,
        channel=channel,
        conn=f"127.0.0.1({port})",
        user=served.USER,
        password=served.PASSWORD,
    ) as connection:
        with connection.queue("J.PYTHON") as queue:
            for size in (0, 1, 100, 32_768, 100_000):
                queue.put(b"x" * size)
            assert queue.depth == 5
            assert len([message.data for message in queue.browse()]) == 5
            for _ in range(5):
                queue.get()
            connection.begin()
            queue.put("in a unit")
            connection.commit()
            connection.begin()
            queue.get()
            connection.backout()
            assert queue.get().backout_count == 1
        connection.put("J.PYTHON", "by put1")
        with connection.queue("J.PYTHON") as queue:
            queue.get()


def write(relay: Relay, path: Path) -> None:
    """The capture file, and beside it what we read in it."""
    file = CaptureFile(path)
    for conversation in relay.conversations:
        file.add(conversation)
    file.close()
    named = [[one.segments(True), one.segments(False)] for one in relay.conversations]
    path.with_suffix(".json").write_text(json.dumps(named), encoding="utf-8")


def named_segments(path: Path) -> list[tuple[list[str], list[str]]]:
    """For each socket the names of what the client said and of what the server said."""
    named = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return [(by_client, by_server) for by_client, by_server in named]
