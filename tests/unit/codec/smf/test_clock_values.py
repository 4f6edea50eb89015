"""Goal: clocks, dates and levels of SMF are those that people know.

Method: known values, and hypothesis for there and back.
"""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.codec.smf.clock_values import (
    UNIX_EPOCH_TOD,
    duration_of_ns,
    duration_us,
    level_of_release,
    level_text,
    moment,
    ns_of_tod,
    pack_date,
    release_of_level,
    smf_stamp,
    tod_of_ns,
    unpack_date,
)

pytestmark = pytest.mark.core


def test_clock_when_it_is_known() -> None:
    assert tod_of_ns(0) == UNIX_EPOCH_TOD
    assert moment(0x8126D60E46000000) == datetime.datetime(1972, 1, 1)
    assert moment(1) == datetime.datetime(1900, 1, 1)
    assert moment(0) is None
    assert moment((1 << 64) - 1) == datetime.datetime(2042, 9, 17, 23, 53, 47, 370495)


def test_clock_when_it_cannot_hold_the_time_then_it_is_cut() -> None:
    assert tod_of_ns(-(1 << 70)) == 0
    assert tod_of_ns(1 << 70) == (1 << 64) - 1
    assert duration_of_ns(-5) == 0


@given(st.integers(-2_208_988_800, 2_000_000_000))
def test_clock_when_it_goes_there_and_back(seconds: int) -> None:
    assert ns_of_tod(tod_of_ns(seconds * 1_000_000_000)) == seconds * 1_000_000_000


@given(st.integers(0, 1 << 40))
def test_duration_in_microseconds(microseconds: int) -> None:
    assert duration_us(duration_of_ns(microseconds * 1000)) == microseconds


@given(st.dates(datetime.date(1900, 1, 1), datetime.date(2899, 12, 31)))
def test_date_when_it_goes_there_and_back(day: datetime.date) -> None:
    assert unpack_date(pack_date(day)) == day


def test_date_as_packed_decimal() -> None:
    assert pack_date(datetime.date(2015, 11, 23)).hex() == "0115327f"
    assert pack_date(datetime.date(1999, 1, 1)).hex() == "0099001f"
    assert unpack_date(bytes.fromhex("0116366f")) == datetime.date(2016, 12, 31)


@pytest.mark.parametrize("packed", ["0115366f", "0115000f", "01a5001f", "8115001f", "0115", ""])
def test_date_when_the_bytes_are_none(packed: str) -> None:
    assert unpack_date(bytes.fromhex(packed)) is None


def test_stamp_is_local() -> None:
    noon = 1_700_000_000 // 86_400 * 86_400 * 1_000_000_000
    assert smf_stamp(noon, 0) == (pack_date(datetime.date(2023, 11, 14)), 0)
    assert smf_stamp(noon, -3600) == (pack_date(datetime.date(2023, 11, 13)), 23 * 360_000)


@pytest.mark.parametrize(
    ("release", "level", "text"),
    [("800", 80000, "8.0"), ("945", 90405, "9.4.5"), ("100000", 100000, "10.0")],
)
def test_level_of_a_release(release: str, level: int, text: str) -> None:
    assert level_of_release(release) == level
    assert release_of_level(level) == release
    assert level_text(level) == text


@pytest.mark.parametrize("release", ["", "9.4", "9४5", "94", "ABC"])
def test_level_when_the_release_is_none(release: str) -> None:
    assert level_of_release(release) == 0
