"""IdTable against a dict of counts: growth, joining of pages, shared ids, and its memory.

`candidates` may give too much, never too little; in tables this small it is always exact.
"""

import tracemalloc
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.base.errors import IntegrityError
from ternmq.store.id_table import CROWDED_BYTES, PAIR_BYTES, VALUE_MAX, IdTable
from ternmq.store.segment_format import hash_id
from tests.unit.store.segment_samples import message_id

pytestmark = pytest.mark.core


class Model:
    """What an IdTable must do, slowly."""

    def __init__(self) -> None:
        self.pairs: dict[int, Counter[int]] = {}

    def add(self, id_hash: int, value: int) -> None:
        self.pairs.setdefault(id_hash, Counter())[value] += 1

    def discard(self, id_hash: int, value: int) -> bool:
        held = self.pairs.get(id_hash, Counter())
        if held[value] == 0:
            return False
        held[value] -= 1
        return True

    def values(self, id_hash: int) -> list[int]:
        return sorted(self.pairs.get(id_hash, Counter()).elements())

    def count(self) -> int:
        return sum(held.total() for held in self.pairs.values())


def check_same(table: IdTable, model: Model) -> None:
    assert len(table) == model.count()
    for id_hash in model.pairs:
        assert sorted(table.candidates(id_hash)) == model.values(id_hash)
    everything = [value for held in model.pairs.values() for value in held.elements()]
    assert sorted(table.values()) == sorted(everything)


SEED = 0x1E3779B97F4A7C15
HASHES = st.one_of(st.integers(0, 2**62 - 1), st.integers(0, 20), st.just(7))
VALUES = st.one_of(st.integers(0, 5), st.integers(0, VALUE_MAX))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), HASHES, VALUES),
        st.tuples(st.just("discard"), HASHES, VALUES),
        st.tuples(st.just("add many"), HASHES, st.integers(1, 400)),
        st.tuples(st.just("discard many"), HASHES, st.integers(1, 400)),
    ),
    max_size=30,
)


@settings(max_examples=60)
@given(STEPS)
def test_table_does_what_the_model_does(steps: list[tuple[str, int, int]]) -> None:
    table = IdTable(SEED)
    model = Model()
    for what, id_hash, value in steps:
        if what == "add":
            table.add(id_hash, value)
            model.add(id_hash, value)
        elif what == "discard":
            assert table.discard(id_hash, value) == model.discard(id_hash, value)
        elif what == "add many":
            for n in range(value):
                table.add(id_hash, n)
                model.add(id_hash, n)
        else:
            for n in range(value):
                assert table.discard(id_hash, n) == model.discard(id_hash, n)
    check_same(table, model)


def test_table_grown_and_emptied_finds_all_on_the_way() -> None:
    table = IdTable(SEED)
    hashes = [hash_id(message_id(n)) for n in range(5000)]
    for n, id_hash in enumerate(hashes):
        table.add(id_hash, n)
        if n % 499 == 0:
            assert all(table.candidates(hashes[m]) == [m] for m in range(0, n, 7))
    assert len(table) == 5000
    assert table.candidates(hash_id(message_id(5001))) == []
    full = table.memory_bytes()
    for n, id_hash in enumerate(hashes):
        assert table.discard(id_hash, n)
        assert table.candidates(id_hash) == []
        if n % 499 == 0:
            assert all(table.candidates(hashes[m]) == [m] for m in range(n + 1, 5000, 7))
    assert len(table) == 0
    assert table.memory_bytes() < full / 100


def test_shared_id_gets_its_own_table_and_leaves_it() -> None:
    table = IdTable(SEED)
    others = [hash_id(message_id(n)) for n in range(1000)]
    for n, id_hash in enumerate(others):
        table.add(id_hash, n)
    shared = hash_id(b"C" * 24)
    for n in range(3000):
        table.add(shared, n)
    assert table.is_shared(shared)
    assert not table.is_shared(others[0])
    assert sorted(table.candidates(shared)) == list(range(3000))
    assert table.memory_bytes() < 12 * len(table)
    assert all(table.candidates(id_hash) == [n] for n, id_hash in enumerate(others))
    assert len(table) == 4000
    assert not table.discard(shared, 3000)
    table.drop_value(17, [shared, others[17], others[18]])
    assert 17 not in table.candidates(shared)
    assert table.candidates(others[17]) == []
    for n in range(3000):
        assert table.discard(shared, n) == (n != 17)
    assert not table.is_shared(shared)
    assert table.candidates(shared) == []
    assert len(table) == 999


def test_same_pair_many_times_is_held_as_often() -> None:
    table = IdTable(SEED)
    count = 3 * CROWDED_BYTES // PAIR_BYTES
    for _ in range(count):
        table.add(5, 9)
    assert table.candidates(5) == [9] * count
    for _ in range(count):
        assert table.discard(5, 9)
    assert not table.discard(5, 9)


def test_ids_chosen_to_gather_in_one_page_are_all_found() -> None:
    """Whoever knows the seed can make ids that share no hash and yet share a page."""
    unscramble = pow(SEED, -1, 1 << 62)
    hashes = [((n << 49) * unscramble) % (1 << 62) for n in range(1, 1500)]
    table = IdTable(SEED)
    for n, id_hash in enumerate(hashes):
        table.add(id_hash, n)
    assert not any(table.is_shared(id_hash) for id_hash in hashes)
    assert [table.candidates(id_hash) for id_hash in hashes] == [[n] for n in range(1499)]
    table.drop_value(1, hashes)
    assert table.candidates(hashes[1]) == []


@pytest.mark.parametrize("value", [-1, VALUE_MAX + 1])
def test_value_that_does_not_fit_is_refused(value: int) -> None:
    with pytest.raises(IntegrityError, match=str(value)):
        IdTable(SEED).add(1, value)


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**62 - 1])
def test_any_seed_gives_the_same_answers(seed: int) -> None:
    table = IdTable(seed)
    hashes = [hash_id(message_id(n)) for n in range(500)]
    for n, id_hash in enumerate(hashes):
        table.add(id_hash, n)
    assert [table.candidates(id_hash) for id_hash in hashes] == [[n] for n in range(500)]


@pytest.mark.parametrize("count", [20_000, 26_000, 32_000])
def test_memory_of_a_pair_stays_under_ten_bytes(count: int) -> None:
    """Measured, at several fillings between two doublings; and what the table says of itself."""
    hashes = [hash_id(message_id(n)) for n in range(count)]
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        table = IdTable(SEED)
        for n, id_hash in enumerate(hashes):
            table.add(id_hash, n)
        used = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert used / count < 10
    assert used == pytest.approx(table.memory_bytes(), rel=0.08)
