"""The workloads of channels between queue managers: the charts of IBM's performance report.

The number of channels, the size of messages, the CipherSpec, the bytes between new keys and the
parts that can be compressed are the report's; how many applications there are is not said there.
"""

from __future__ import annotations

from typing import Final

from ternmq.perf.queues import ANSWER, ASK, REPLY, REQUEST
from ternmq.perf.workload import (
    FROM_PAIR,
    KB,
    MB,
    NOTHING,
    REQUESTER,
    SERVER,
    Crew,
    Point,
    Workload,
)

CHANNELS: Final = "Channels between queue managers"
CIPHER: Final = "SSLCIPH(ECDHE_RSA_AES_256_CBC_SHA384)"
CHANNEL_COUNTS: Final = (1, 2, 3, 4, 5)
CHANNEL_TASKS: Final = 4
COMPRESSIONS: Final = ("NONE", "RLE", "ZLIBFAST", "ZLIBHIGH", "LZ4FAST", "LZ4HIGH")
COMPRESSIBLE: Final = (0, 20, 80)


def over_channels(
    channels: int, *, is_random: bool = False, compressible: int = 0
) -> tuple[Crew, ...]:
    """Requesters at one queue manager and servers at the other, for each pair of channels."""
    found: list[Crew] = []
    for after in range(channels):
        for role, queue, reply in ((REQUESTER, ASK, REPLY), (SERVER, REQUEST, ANSWER)):
            found.append(
                Crew(
                    role,
                    CHANNEL_TASKS,
                    queue,
                    reply,
                    size=32 * KB,
                    syncpoint=True,
                    is_counted=role == REQUESTER,
                    after=after,
                    is_random=is_random,
                    compressible=compressible,
                )
            )
    return tuple(found)


CHANNEL_SCALING: Final = Workload(
    "channels",
    CHANNELS,
    "Request and reply over channels, 32 KB",
    f"{CHANNEL_TASKS} requesters at one queue manager and {CHANNEL_TASKS} servers at another for"
    " each pair of channels, one each way. Non-persistent, all in syncpoint; without TLS, with it,"
    " and with new keys after each MB. The cost is that of both queue managers.",
    "channels each way",
    tuple(
        Point(
            str(count),
            over_channels(count),
            REPLY,
            series=series,
            mode=NOTHING,
            quick=count in (1, 5) and not attributes,
            channels=count,
            attributes=attributes,
            key_reset_bytes=reset,
        )
        for series, attributes, reset in (
            ("TCP", "", 0),
            ("TLS", CIPHER, 0),
            ("TLS, new keys each MB", CIPHER, MB),
        )
        for count in CHANNEL_COUNTS
    ),
    source=FROM_PAIR,
)
CHANNEL_COMPRESSION: Final = Workload(
    "channel-compression",
    CHANNELS,
    "Compression of channels, 32 KB",
    f"{CHANNEL_TASKS} requesters at one queue manager and {CHANNEL_TASKS} servers at another, one"
    " channel each way, each COMPMSG, alone and with TLS. Non-persistent, all in syncpoint. The"
    " cost is that of both queue managers.",
    "compressible",
    tuple(
        Point(
            f"{part} %",
            over_channels(1, is_random=True, compressible=part),
            REPLY,
            series=f"{compression}{title}",
            mode=NOTHING,
            quick=part == 80 and compression in ("NONE", "ZLIBFAST") and not cipher,
            channels=1,
            attributes=f"COMPMSG({compression}) {cipher}".strip(),
        )
        for title, cipher in (("", ""), (", TLS", CIPHER))
        for compression in COMPRESSIONS
        for part in COMPRESSIBLE
    ),
    source=FROM_PAIR,
)
