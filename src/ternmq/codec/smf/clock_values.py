"""Clocks, dates and levels as SMF records have them, and as people do.

TOD clock     64 bits, counting from 1900-01-01 00:00:00 UTC; bit 51 is a microsecond, so a
              microsecond is 4096 of its units. 0 means not set. It wraps in September 2042.
duration      the same unit
SMF date      4 bytes, packed decimal 0cyydddF: century after 1900, year, day of the year
SMF time      hundredths of a second since midnight, local time
level         VVRRMM: 80000 is 8.0, 90405 is 9.4.5. A release in a record has three characters,
              VRM; 946 is not a release and means: the extension header (QWHX) has the level, in six
"""

from __future__ import annotations

import datetime
from typing import Final

UNITS_US: Final = 4096
UNIX_EPOCH_TOD: Final = 0x7D91048BCA000000
TOD_MAX: Final = (1 << 64) - 1
DAY_S: Final = 86_400
EXTENDED_RELEASE: Final = 946

_EPOCH: Final = datetime.datetime(1970, 1, 1)


def tod_of_ns(unix_ns: int) -> int:
    """The clock at so many nanoseconds after 1970; cut to what it can hold."""
    return max(0, min(UNIX_EPOCH_TOD + unix_ns * UNITS_US // 1000, TOD_MAX))


def ns_of_tod(tod: int) -> int:
    """Nanoseconds after 1970 (before it, below 0)."""
    return (tod - UNIX_EPOCH_TOD) * 1000 // UNITS_US


def duration_of_ns(ns: int) -> int:
    """A duration in units of the clock; cut to what a field can hold."""
    return max(0, min(ns * UNITS_US // 1000, TOD_MAX))


def duration_us(units: int) -> int:
    """A duration in whole microseconds."""
    return units // UNITS_US


def moment(tod: int) -> datetime.datetime | None:
    """The clock as date and time without a zone; None where it is not set."""
    if tod == 0:
        return None
    return _EPOCH + datetime.timedelta(microseconds=(tod - UNIX_EPOCH_TOD) // UNITS_US)


def pack_date(day: datetime.date) -> bytes:
    """A date as 0cyydddF."""
    ordinal = day.timetuple().tm_yday
    return bytes.fromhex(f"0{(day.year - 1900) // 100}{day.year % 100:02}{ordinal:03}F")


def unpack_date(packed: bytes) -> datetime.date | None:
    """The date in 0cyydddF; None if the bytes are not a date."""
    digits = packed.hex()
    if len(digits) != 8 or digits[0] != "0" or not digits[:7].isdecimal():
        return None
    year = 1900 + int(digits[:4])
    ordinal = int(digits[4:7])
    if not 1 <= ordinal <= 365 + is_leap(year):
        return None
    return datetime.date(year, 1, 1) + datetime.timedelta(days=ordinal - 1)


def is_leap(year: int) -> bool:
    """Whether a year has a 29th of February."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def smf_stamp(unix_ns: int, zone_s: int) -> tuple[bytes, int]:
    """SMF date and time of a moment, in the zone that is so many seconds east of UTC."""
    hundredths = unix_ns // 10_000_000 + zone_s * 100
    days, in_day = divmod(hundredths, DAY_S * 100)
    return pack_date(datetime.date(1970, 1, 1) + datetime.timedelta(days=days)), in_day


def level_of_release(release: str) -> int:
    """The level that three or six characters give; 0 if they give none."""
    if not (release.isascii() and release.isdecimal()):
        return 0
    if len(release) == 3:
        version, rest, modification = int(release[0]), int(release[1]), int(release[2])
        return version * 10_000 + rest * 100 + modification
    return int(release) if len(release) == 6 else 0


def release_of_level(level: int) -> str:
    """Three characters, or six from 10.0 on."""
    if level >= 100_000:
        return f"{level:06}"
    return f"{level // 10_000}{level // 100 % 100}{level % 100}"


def level_text(level: int) -> str:
    """9.4.5, 10.0: as people write it."""
    version, release, modification = level // 10_000, level // 100 % 100, level % 100
    return f"{version}.{release}.{modification}" if modification else f"{version}.{release}"
