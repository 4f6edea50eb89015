"""Goal: what was reserved always fits, however it is forced; extents are asked for in time.
Method: a model that knows only the writer's end and the limit, driven by hypothesis.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.errors import IntegrityError
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.log.record import record_space
from ternmq.log.space import FORCE_BYTES, LogSpace
from ternmq.log.writer import LogWriter

pytestmark = [pytest.mark.core, pytest.mark.promise("P8")]

EXTENT = 4 * 4096


def space_of(
    kind: int = CIRCULAR, primary: int = 3, secondary: int = 2
) -> tuple[LogSpace, LogWriter]:
    writer = LogWriter(4096, 0, 1, 0)
    parameters = LogParameters(kind, primary, secondary, 4, False)
    return LogSpace(parameters, writer, 0, primary), writer


def fill(writer: LogWriter, count: int) -> None:
    """Append a record of `count` bytes and seal it."""
    writer.append(1, 0, 0, [bytes(count - 40)])
    writer.take()


class SpaceModel:
    """Units of work that put records and later write the record they reserved space for."""

    def __init__(self, kind: int) -> None:
        self.kind = kind
        self.space, self.writer = space_of(kind)
        self.held: list[int] = []

    def work(self, number: int) -> None:
        later = record_space(number % 300)
        if self.space.fits(record_space(number), later + FORCE_BYTES):
            self.writer.append(1, 0, 0, [bytes(number)])
            self.space.reserve(later + FORCE_BYTES)
            self.held.append(later)

    def finish(self, number: int) -> None:
        """Write a reserved record, forced alone: the dearest way."""
        if self.held:
            count = self.held.pop(number % len(self.held))
            self.space.release(count + FORCE_BYTES)
            fill(self.writer, count)
            assert self.writer.end_lsn + self.space.reserved <= self.space.limit_lsn

    def force(self, number: int) -> None:
        self.writer.take()

    def prepare(self, number: int) -> None:
        extent = self.space.wants_extent(self.writer.end_lsn)
        if extent is not None:
            self.space.extent_ready(extent)

    def release(self, number: int) -> None:
        self.space.released_before(self.writer.end_lsn // EXTENT)


steps = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9000)), max_size=60)


@given(steps, st.sampled_from([CIRCULAR, LINEAR]))
def test_space_when_driven_at_random_then_reserved_records_always_fit(
    steps: list[tuple[int, int]], kind: int
) -> None:
    model = SpaceModel(kind)
    space, held = model.space, model.held
    acts = [model.work, model.work, model.finish, model.force, model.prepare, model.release]
    for act, number in steps:
        acts[act](number)
        assert kind == LINEAR or space.ready <= space.oldest + 5
        assert space.reserved == sum(held) + FORCE_BYTES * len(held)
    while held:
        model.finish(0)


def test_fits_then_counts_padding_and_reservations_to_the_byte() -> None:
    space, _ = space_of()
    room = space.limit_lsn - 4096
    assert space.fits(room, 0)
    assert not space.fits(room + 8, 0)
    assert space.fits(room - 4096, 4096)
    assert not space.fits(room - 4088, 4096)
    assert space.fits(8, room - 4096)
    assert not space.fits(8, room - 4088)
    space.reserve(4096)
    assert not space.fits(room, 0)
    assert space.fits(room - 4096, 0)


def test_circular_when_end_is_far_from_limit_then_no_secondary() -> None:
    space, writer = space_of()
    assert space.wants_extent(writer.end_lsn) is None
    fill(writer, EXTENT)
    assert space.wants_extent(writer.end_lsn) is None


def test_circular_when_end_comes_near_then_secondaries_up_to_the_cap() -> None:
    space, writer = space_of()
    fill(writer, 2 * EXTENT)
    asked = []
    while (extent := space.wants_extent(writer.end_lsn)) is not None:
        space.extent_ready(extent)
        asked.append(extent)
        fill(writer, EXTENT)
    assert asked == [3, 4]
    assert space.limit_lsn == 5 * EXTENT


def test_circular_when_reservations_come_near_then_secondary() -> None:
    space, writer = space_of()
    space.reserve(2 * EXTENT)
    assert space.wants_extent(writer.end_lsn) == 3


def test_circular_when_a_large_record_was_refused_then_secondaries_until_it_fits() -> None:
    space, writer = space_of(primary=4, secondary=4)
    assert not space.fits(6 * EXTENT, 0)
    assert space.may_fit(6 * EXTENT, 0)
    while (extent := space.wants_extent(writer.end_lsn)) is not None:
        space.extent_ready(extent)
    assert space.fits(6 * EXTENT, 0)
    assert space.ready == 7


def test_circular_when_a_record_can_never_fit_then_nothing_is_prepared_for_it() -> None:
    space, writer = space_of()
    assert not space.fits(6 * EXTENT, 0)
    assert not space.may_fit(6 * EXTENT, 0)
    assert space.wants_extent(writer.end_lsn) is None


def test_circular_when_extents_are_released_then_primaries_are_readied_at_once() -> None:
    space, writer = space_of()
    fill(writer, EXTENT + 4096)
    space.released_before(1)
    space.released_before(0)
    assert space.oldest == 1
    assert space.wants_extent(writer.end_lsn) == 3
    space.extent_ready(3)
    assert space.wants_extent(writer.end_lsn) is None


def test_linear_then_keeps_primary_files_ahead_without_end() -> None:
    space, writer = space_of(LINEAR)
    assert space.wants_extent(writer.end_lsn) is None
    fill(writer, EXTENT)
    assert space.wants_extent(writer.end_lsn) == 3
    assert space.may_fit(1 << 40, 0)
    assert not space.fits(9 * EXTENT, 0)
    while (extent := space.wants_extent(writer.end_lsn)) is not None:
        space.extent_ready(extent)
    assert space.fits(9 * EXTENT, 0)


def test_used_fraction_then_of_primary_capacity() -> None:
    space, writer = space_of()
    assert space.used_fraction(EXTENT * 3) == 1.0
    fill(writer, 2 * EXTENT)
    space.released_before(1)
    assert space.used_fraction(EXTENT * 4) == 1.0
    assert space.used_fraction(EXTENT * 7) == 2.0


def test_misuse_then_integrity_error() -> None:
    space, _ = space_of()
    with pytest.raises(IntegrityError):
        space.release(1)
    with pytest.raises(IntegrityError):
        space.reserve(-1)
    with pytest.raises(IntegrityError):
        space.extent_ready(7)
    with pytest.raises(IntegrityError):
        space.released_before(1)


@pytest.mark.parametrize(
    ("kind", "primary", "secondary", "pages"),
    [(2, 3, 2, 4), (0, 1, 2, 4), (0, 511, 0, 4), (0, 3, -1, 4), (0, 300, 300, 4), (0, 3, 2, 0)],
)
def test_parameters_when_out_of_range_then_value_error(
    kind: int, primary: int, secondary: int, pages: int
) -> None:
    with pytest.raises(ValueError, match="log"):
        LogParameters(kind, primary, secondary, pages, False)
