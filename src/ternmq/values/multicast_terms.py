"""What a client must know to use the multicast group of a topic: where it is, and how it is used.

The queue manager gives it to a client that has opened a multicast topic or subscribed to one; the
attributes are those of the COMMINFO object.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ternmq.base import constants as mq

MULTICAST_TOPIC_CHARACTERS_MAX: Final = 255


class MulticastTerms(NamedTuple):
    """One group."""

    name: str  # of the COMMINFO object
    group: str  # GRPADDR
    port: int
    key: bytes  # of the tags of packets
    topic: str = ""  # in full; of a subscription with wildcards
    heartbeat_ms: int = 2000  # MCHBINT
    history_kb: int = 100  # MSGHIST
    new_history: int = mq.MQNSH_NONE  # NSUBHIST
    properties: int = mq.MQMCP_ALL  # MCPROP
    monitor_s: int = 60  # MONINT
    ccsid: int = mq.MQCCSI_AS_PUBLISHED
    encoding: int = mq.MQENC_AS_PUBLISHED
    priority: int = 0  # DEFPRTY of the topic

    def to_json(self) -> dict[str, Any]:
        """As it travels to the client."""
        return {**self._asdict(), "key": self.key.hex()}


def terms_from_json(given: dict[str, Any]) -> MulticastTerms:
    """What came."""
    return MulticastTerms(
        str(given["name"]),
        str(given["group"]),
        int(given["port"]),
        bytes.fromhex(given["key"]),
        str(given["topic"]),
        int(given["heartbeat_ms"]),
        int(given["history_kb"]),
        int(given["new_history"]),
        int(given["properties"]),
        int(given["monitor_s"]),
        int(given["ccsid"]),
        int(given["encoding"]),
        int(given["priority"]),
    )
