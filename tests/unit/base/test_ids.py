"""Goal: ids and stamps have the published forms, and ids of two starts of a queue manager differ.

Method: known vectors, and the calendar of the standard library beside our own.
"""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base import ids

pytestmark = pytest.mark.core

SECOND = 1_000_000_000
MOMENTS = st.integers(0, 200 * 365 * 86_400 * SECOND)


def test_message_id_has_the_published_form() -> None:
    stem = ids.message_id_stem("QM1")
    assert ids.unique_id(stem, 0x1112131415161718) == bytes.fromhex(
        "414d5120514d31202020202020202020" + "1112131415161718"
    )


def test_connection_id_has_the_published_form() -> None:
    stem = ids.connection_id_stem("QM1")
    assert ids.unique_id(stem, 0x0102030405060708) == bytes.fromhex(
        "414d5143514d31202020202020202020" + "0102030405060708"
    )


def test_long_queue_manager_name_is_cut() -> None:
    assert ids.message_id_stem("ABCDEFGHIJKLMNOP") == b"AMQ ABCDEFGHIJKL"


def test_unique_number_wraps_instead_of_growing() -> None:
    assert ids.unique_id(b"", 2**64 + 5) == (5).to_bytes(8, "big")


def test_next_start_begins_above_what_a_million_ids_a_second_used() -> None:
    start = ids.first_unique(0, 0)
    used = start + 60 * 1_000_000
    assert ids.first_unique(0, used) == used
    assert ids.first_unique(60 * SECOND, 0) > used


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 9),
    st.integers(0, 2**40 - 1),
    st.integers(0, 2**48 - 1),
)
def test_token_names_one_message(queue: int, lane: int, sequence: int, number: int) -> None:
    token = ids.message_token(queue, lane, sequence, number)
    assert len(token) == 16
    assert token[:4] == queue.to_bytes(4, "big")
    assert ids.token_parts(token) == (queue, lane, sequence, number)


def test_queue_manager_id_has_the_published_form() -> None:
    created = int(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()) * SECOND
    assert ids.queue_manager_id("QM1", created + 999_999_999) == "QM1_2026-01-02_03.04.05"
    assert len(ids.queue_manager_id("Q" * 48, created)) == 48


@given(MOMENTS)
def test_stamp_is_what_the_calendar_says(moment: int) -> None:
    when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=moment // SECOND)
    hundredths = moment // 10_000_000 % 100
    assert ids.put_stamp(moment).decode() == f"{when:%Y%m%d%H%M%S}{hundredths:02}"


@given(MOMENTS)
def test_stamp_is_read_back_to_the_hundredth(moment: int) -> None:
    stamp = ids.put_stamp(moment).decode()
    when = ids.put_datetime(stamp[:8], stamp[8:])
    assert when is not None
    assert (when - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=10) == (
        moment // 10_000_000
    )


def test_leap_days_are_stamped() -> None:
    for day in (datetime(2000, 2, 29, tzinfo=UTC), datetime(2024, 2, 29, tzinfo=UTC)):
        assert ids.put_stamp(int(day.timestamp()) * SECOND)[:8].decode() == f"{day:%Y%m%d}"


@pytest.mark.parametrize(
    ("date", "time"),
    [("", ""), ("20260101", ""), ("20261301", "00000000"), ("20260101", "25000000"),
     ("2026010a", "00000000"), ("²0260101", "00000000")],
)  # fmt: skip
def test_stamp_that_names_no_moment_is_none(date: str, time: str) -> None:
    assert ids.put_datetime(date, time) is None
