"""COMPHDR and COMPMSG: the words of lists of compressions, the preferred one first."""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq

HEADER_KINDS: Final = (mq.MQCOMPRESS_SYSTEM,)
MESSAGE_KINDS: Final = (
    mq.MQCOMPRESS_RLE,
    mq.MQCOMPRESS_ZLIBFAST,
    mq.MQCOMPRESS_ZLIBHIGH,
    mq.MQCOMPRESS_LZ4FAST,
    mq.MQCOMPRESS_LZ4HIGH,
)
NAMES: Final[dict[int, str]] = {
    mq.MQCOMPRESS_NONE: "NONE",
    mq.MQCOMPRESS_RLE: "RLE",
    mq.MQCOMPRESS_ZLIBFAST: "ZLIBFAST",
    mq.MQCOMPRESS_ZLIBHIGH: "ZLIBHIGH",
    mq.MQCOMPRESS_SYSTEM: "SYSTEM",
    mq.MQCOMPRESS_LZ4FAST: "LZ4FAST",
    mq.MQCOMPRESS_LZ4HIGH: "LZ4HIGH",
}
_NUMBERS: Final[dict[str, int]] = {name: number for number, name in NAMES.items()}
_ANY: Final = "ANY"


def named(words: str, available: list[int]) -> list[int]:
    """COMPHDR or COMPMSG, words with commas between them, as numbers. ANY is all that is available
    here, and what is not available here is left out."""
    found: list[int] = []
    for word in words.split(","):
        name = word.strip().upper()
        numbers = available if name == _ANY else [_NUMBERS[name]] if name in _NUMBERS else []
        for number in numbers:
            usable = number == mq.MQCOMPRESS_NONE or number in available
            if usable and number not in found:
                found.append(number)
    return found or [mq.MQCOMPRESS_NONE]
