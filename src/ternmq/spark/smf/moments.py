"""When records were written: local time as SMF has it, and the zone that makes an instant of it.

Date and time in the SMF header and the start of an interval are local, and no field has the zone.
But a QWHS also has the moment in which the record was made, in UTC: the difference of the two,
rounded to a quarter of an hour, is the zone. Storage records (115-5, 6 and 7) have no QWHS; their
zone is the one that the reader was given, or they have none.
"""

from __future__ import annotations

import datetime
import re
import zoneinfo
from typing import Final, NamedTuple

import numpy as np

from ternmq.codec.smf.clock_values import DAY_S
from ternmq.codec.smf.record import QWHS_SHORT_BYTES
from ternmq.spark.smf import section_arrow as smf_arrow
from ternmq.spark.smf.record_headers import Heads
from ternmq.spark.smf.section_arrow import Bytes, Longs, Mask, gathered

QUARTER_US: Final = 900_000_000
ZONE_MAX_US: Final = 15 * 3600 * 1_000_000
DAY_US: Final = DAY_S * 1_000_000
_FIXED: Final = re.compile(r"([+-])(\d{2}):?(\d{2})")
_EPOCH_DAY: Final = datetime.date(1970, 1, 1)


class Moments(NamedTuple):
    """Of each row."""

    day: Longs  # after 1970
    local_us: Longs  # after 1970-01-01 00:00 local time
    is_dated: Mask  # the header has a date that can be
    zone_us: Longs  # east of UTC
    has_zone: Mask


def moments_of(head: Bytes, heads: Heads, record: Longs, default_zone: str) -> Moments:
    """The moments of records with these SMF headers."""
    day, is_dated = days_of(head[:, 10:14])
    hundredths = smf_arrow.big_endian(head[:, 6:10], False).astype(np.int64)
    local_us = day * DAY_US + hundredths * 10_000
    zone_us, has_zone = recorded_zones(heads, record, local_us)
    has_zone &= is_dated
    if default_zone and not has_zone.all():
        zone_us = np.where(has_zone, zone_us, zones_given(default_zone, local_us))
        has_zone = is_dated
    return Moments(day, local_us, is_dated, zone_us, has_zone)


def days_of(packed: Bytes) -> tuple[Longs, Mask]:
    """Dates of the form 0cyydddF as days after 1970, and whether they are dates."""
    digits = np.stack((packed >> 4, packed & 15), axis=2).reshape(len(packed), 8)[:, :7]
    digits = digits.astype(np.int64)
    year = 1900 + digits[:, :4] @ np.array([1000, 100, 10, 1])
    ordinal = digits[:, 4:] @ np.array([100, 10, 1])
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    is_date = (
        (digits[:, 0] == 0) & (digits <= 9).all(axis=1) & (ordinal >= 1) & (ordinal <= 365 + leap)
    )
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400 + ordinal
    after_1970: Longs = days - _EPOCH_DAY.toordinal()
    return np.where(is_date, after_1970, 0), is_date


def recorded_zones(heads: Heads, record: Longs, local_us: Longs) -> tuple[Longs, Mask]:
    """The zones that follow from the clocks of the records themselves."""
    has = ~heads.is_stub[record]
    places = np.where(has, heads.product[record], 0)
    clock = gathered(heads.records.buffer, places, QWHS_SHORT_BYTES)[:, 16:24]
    has &= smf_arrow.is_filled(clock)
    apart = local_us - smf_arrow.clock_moments(clock)
    zone_us: Longs = (apart + QUARTER_US // 2) // QUARTER_US * QUARTER_US
    has &= np.abs(zone_us) <= ZONE_MAX_US
    return np.where(has, zone_us, 0), has


def zones_given(zone: str, local_us: Longs) -> Longs:
    """The offsets of a zone at local times: a fixed one, or as its rules are."""
    fixed = _FIXED.fullmatch(zone)
    if fixed is not None:
        seconds = int(fixed[2]) * 3600 + int(fixed[3]) * 60
        return np.full(len(local_us), seconds * (-1 if fixed[1] == "-" else 1) * 1_000_000)
    rules = zone_named(zone)
    quarters, places = np.unique(local_us // QUARTER_US, return_inverse=True)
    offsets = [
        offset_us(rules, datetime.datetime(1970, 1, 1) + datetime.timedelta(minutes=15 * int(q)))
        for q in quarters
    ]
    return np.array(offsets, np.int64)[places]


def check(zone: str) -> None:
    """ValueError if it is not a zone."""
    if _FIXED.fullmatch(zone) is None:
        zone_named(zone)


def zone_named(zone: str) -> zoneinfo.ZoneInfo:
    """A zone by its name; ValueError if there is none."""
    try:
        return zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        raise ValueError(
            f"defaultZone is {zone!r}, which is neither a zone's name (Europe/Berlin)"
            " nor an offset (+01:00)"
        ) from None


def offset_us(rules: zoneinfo.ZoneInfo, local: datetime.datetime) -> int:
    offset = local.replace(tzinfo=rules).utcoffset()
    return int(offset.total_seconds()) * 1_000_000 if offset is not None else 0
