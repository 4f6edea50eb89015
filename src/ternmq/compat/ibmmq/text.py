"""Text and bytes in ibmmq, which takes text nearly everywhere."""

from __future__ import annotations

from typing import Any

from ternmq.compat.ibmmq.structures import to_string
from ternmq.compat.unicode import ensure_bytes as ensure_bytes


class EncodingDefault:
    """How text becomes bytes where nothing else is said."""

    ccsid = 1208
    bytes_encoding = "utf8"
    mqi_encoding = "ascii"


class OTelOptions:
    """What OpenTelemetry is to do with a message; nothing here does it."""

    def __init__(self, **kwargs: Any) -> None:
        self.remove_rfh2 = kwargs.get("remove_rfh2", False)


def ensure_strings_are_bytes(s: Any, encoding: str = EncodingDefault.mqi_encoding) -> Any:
    """Text as bytes, everything else as it is."""
    return ensure_bytes(s, encoding)


class MQObject:
    """What queue managers, queues, topics and subscriptions have in common."""

    def __init__(self, name: Any) -> None:
        self._name = name

    def to_string(self, v: Any, encoding: str = EncodingDefault.bytes_encoding) -> Any:
        """Characters as text, without what fills them up."""
        return to_string(v, encoding)
