"""The retained publication of a topic."""

from __future__ import annotations

from typing import final

from mypy_extensions import i64


@final
class RetainedPublication:
    """Which message of SYSTEM.RETAINED.PUB.QUEUE it is, and what DISPLAY and expiry need of it."""

    __slots__ = ("expires_at_ns", "is_persistent", "msg_id", "sequence")

    def __init__(
        self, msg_id: bytes, sequence: i64, is_persistent: bool, expires_at_ns: i64
    ) -> None:
        self.msg_id = msg_id
        self.sequence: i64 = sequence
        self.is_persistent = is_persistent
        self.expires_at_ns: i64 = expires_at_ns  # Unix time; 0: never
