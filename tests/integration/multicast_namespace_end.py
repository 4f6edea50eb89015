"""One end of the test of multicast between network namespaces, run inside one of them.

`serve ADDRESS` is a queue manager with a listener; `receive CONN COUNT` subscribes, says so, and
prints what came; `send CONN COUNT` publishes.
"""

from __future__ import annotations

import sys

import ternmq
from ternmq.server.embedded_network import open_network

SCRIPT = """
ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')
DEFINE CHANNEL(APP) CHLTYPE(SVRCONN)
DEFINE COMMINFO(MC1) TYPE(MULTICAST) GRPADDR(239.77.2.1) PORT(24150) MSGHIST(10000)
DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ENABLED) COMMINFO(MC1)
"""


def serve(address: str) -> None:
    with (
        ternmq.memory("QM1") as qmgr,
        open_network(qmgr, port=0, address=address) as network,
        qmgr.subscribe("t1/#") as bridged,
    ):
        assert all(answer.ok for answer in qmgr.mqsc(SCRIPT))
        print(f"{address}({network.port})", flush=True)
        count = int(sys.stdin.readline())
        texts = [bridged.get(wait=15).text for _ in range(count)]
        print(texts == [text_of(number) for number in range(count)], flush=True)
        sys.stdin.readline()


def text_of(number: int) -> str:
    """Some are longer than a datagram."""
    return f"{number} " * (1 + number % 7 * 300)


def receive(conn: str, count: int) -> None:
    with (
        ternmq.connect("QM1", channel="APP", conn=conn) as connection,
        connection.subscribe("t1/#") as subscription,
    ):
        print("joined", flush=True)
        texts = [subscription.get(wait=15).text for _ in range(count)]
        print(texts == [text_of(number) for number in range(count)], flush=True)


def send(conn: str, count: int) -> None:
    with (
        ternmq.connect("QM1", channel="APP", conn=conn) as connection,
        connection.topic("t1/a") as topic,
    ):
        for number in range(count):
            topic.put(text_of(number))
            connection.qmgr_attributes()  # a round trip, so that buffers of sockets have room
        (publisher,) = connection.transport.verbs.publishers.values()  # type: ignore[attr-defined]
        sys.stdin.readline()  # it answers for what is missing
        print(publisher.transmitter.repairs, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        {"receive": receive, "send": send}[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
