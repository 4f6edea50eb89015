"""Lists of compressions: as attributes and as initial data have them, and what two ends agree on.

Initial data have one byte an entry, the preferred one first: 2 for headers, 16 for messages, and
0xFF where there is no entry. The list of the end that sends messages counts (a client is that end
of its channel): the first of it that the partner has too is used, and without any, none.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq

HEADERS_MAX: Final = 2
MESSAGES_MAX: Final = 16
UNUSED: Final = 0xFF
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


def packed(kinds: list[int], entries: int) -> bytes:
    """A list for initial data."""
    listed = (kinds or [mq.MQCOMPRESS_NONE])[:entries]
    return bytes(listed) + bytes([UNUSED]) * (entries - len(listed))


def unpacked(data: bytes) -> list[int]:
    """A list of a partner; what it has that is not known here stays, and agrees with nothing."""
    return [one for one in data if one != UNUSED]


def agree(senders: list[int], receivers: list[int]) -> list[int]:
    """What both have, in the order of the end that sends; NONE if there is nothing."""
    both = [one for one in senders if one in receivers]
    return both or [mq.MQCOMPRESS_NONE]
