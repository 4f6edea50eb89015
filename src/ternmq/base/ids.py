"""The values a queue manager makes up, from its name and from numbers that the caller provides.

    MsgId, group id  "AMQ " + 12 characters of the queue manager name + 8 unique bytes
    ConnectionId     "AMQC" + the same 12 characters              + 8 unique bytes
    QMID             name (at most 28 characters) + "_YYYY-MM-DD_HH.MM.SS" of its creation
    MsgToken         16 bytes: number of the queue (4), priority lane (1), stream number (5) and
                     number (6) of the message, which say where it is even if it was swept
    put date, time   "YYYYMMDD" "HHMMSSTH" in UTC, T and H tenths and hundredths of a second

The unique bytes are one number, high byte first, that goes up by one for each id. It begins at
`first_unique(clock)`. That counts in 256 ns, faster than ids can be given, so a queue manager that
stops and starts again begins above all it gave before. A clock may be set back, so the log's
control file also has a number above all that were given; a start begins above it too.
"""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from typing import Final

from ternmq.base.names import pad

_NS_PER_CENTISECOND: Final = 10_000_000
_CENTISECONDS_PER_DAY: Final = 8_640_000
_NS_PER_UNIQUE: Final = 256
_UNIQUE_MASK: Final = 0xFFFFFFFFFFFFFFFF
_NAME_PART: Final = 12
_QMID_NAME_PART: Final = 28
MSG_TOKEN_BYTES: Final = 16
_TOKEN: Final = struct.Struct(">IBBIHI")  # the stream number in 1 + 4 bytes, the number in 2 + 4
# How many ids the control file allows ahead: about an hour of `first_unique`. Each save renews it.
UNIQUE_RESERVE: Final = 1 << 34


def first_unique(now_ns: int, unique_below: int) -> int:
    """The number with which a queue manager that starts now begins to make ids."""
    return max(now_ns // _NS_PER_UNIQUE, unique_below)


def message_id_stem(queue_manager: str) -> bytes:
    """The 16 bytes with which every MsgId of the queue manager begins."""
    return b"AMQ " + pad(queue_manager[:_NAME_PART], _NAME_PART)


def connection_id_stem(queue_manager: str) -> bytes:
    """The 16 bytes with which every ConnectionId of the queue manager begins."""
    return b"AMQC" + pad(queue_manager[:_NAME_PART], _NAME_PART)


def unique_id(stem: bytes, unique: int) -> bytes:
    """The 24 bytes of a MsgId, group id or ConnectionId: the stem and the unique number."""
    return stem + (unique & _UNIQUE_MASK).to_bytes(8, "big")


def message_token(queue: int, lane: int, sequence: int, number: int) -> bytes:
    """The 16 bytes of a MsgToken."""
    return _TOKEN.pack(
        queue, lane, sequence >> 32, sequence & 0xFFFFFFFF, number >> 32, number & 0xFFFFFFFF
    )


def token_parts(token: bytes) -> tuple[int, int, int, int]:
    """Queue, lane, stream number and number that a MsgToken names."""
    return (
        int.from_bytes(token[:4], "big"),
        token[4],
        int.from_bytes(token[5:10], "big"),
        int.from_bytes(token[10:16], "big"),
    )


def queue_manager_id(queue_manager: str, created_ns: int) -> str:
    """The QMID: the name and the second in which the queue manager was created (UTC)."""
    created = datetime.fromtimestamp(created_ns // 1_000_000_000, UTC)
    return f"{queue_manager[:_QMID_NAME_PART]}_{created:%Y-%m-%d_%H.%M.%S}"


class _LastStamp:
    """Messages come many to a centisecond, and the stamp is the same for all of them."""

    def __init__(self) -> None:
        self.pair = (-1, b"")  # one value, so that no thread sees the halves of two


_last: Final = _LastStamp()


def put_stamp(now_ns: int) -> bytes:
    """Put date and put time, 16 bytes as they stand side by side in the MQMD."""
    centiseconds = now_ns // _NS_PER_CENTISECOND
    last, stamp = _last.pair
    if last != centiseconds:
        stamp = _stamp(centiseconds)
        _last.pair = (centiseconds, stamp)
    return stamp


def _stamp(centiseconds: int) -> bytes:
    days = centiseconds // _CENTISECONDS_PER_DAY
    rest = centiseconds - days * _CENTISECONDS_PER_DAY
    # Civil date from a day number, in years that begin in March so that the leap day comes last.
    shifted = days + 719_468
    era = shifted // 146_097
    day_of_era = shifted - era * 146_097
    leap_days = day_of_era // 1460 - day_of_era // 36_524 + day_of_era // 146_096
    year_of_era = (day_of_era - leap_days) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month_from_march = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month_from_march + 2) // 5 + 1
    month = month_from_march + 3 if month_from_march < 10 else month_from_march - 9
    year = year_of_era + era * 400 + (1 if month <= 2 else 0)
    seconds = rest // 100
    clock = seconds // 3600 * 10_000 + seconds // 60 % 60 * 100 + seconds % 60
    return b"%08d%08d" % (year * 10_000 + month * 100 + day, clock * 100 + rest % 100)


def put_datetime(date: str, time: str) -> datetime | None:
    """The moment that a put date and a put time name; None if they are blank or name none."""
    digits = date + time
    if len(date) != 8 or len(time) != 8 or not digits.isascii() or not digits.isdigit():
        return None
    try:
        second = datetime.strptime(digits[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return second + timedelta(milliseconds=10 * int(digits[14:]))
