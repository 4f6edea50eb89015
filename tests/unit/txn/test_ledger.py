"""Goal: a LEDGER record comes back as it was written, damage in it is found, and rows remember what
they must in bounded room.

Method: records with and without units; every length and count changed; rows against a plain set.
"""

from __future__ import annotations

import json

import pytest

from ternmq.base.errors import IntegrityError
from ternmq.store.catalog import Catalog
from ternmq.store.catalog_file import catalog_bytes, unpack_catalog
from ternmq.store.ledger import RUNS_MAX, LedgerRow, first_row, row_from_json
from ternmq.testing.chance import Chance
from ternmq.txn.families.ledger_records import (
    ROW_BYTES_MAX,
    LedgerRecord,
    UnitEnd,
    pack_ledger,
    redo_row,
    unpack_ledger,
)

pytestmark = pytest.mark.core

UNITS = [UnitEnd(7, [(1, 2, 3), (4, 5, 6)]), UnitEnd(9, []), UnitEnd(1 << 60, [(1, 9, 8)])]


@pytest.mark.parametrize("units", [[], UNITS[:1], UNITS])
def test_record_comes_back(units: list[UnitEnd]) -> None:
    row = first_row("öwner", "fred", 3, 123).with_batch(4, 456).with_batch(9, 789)
    values = unpack_ledger(pack_ledger(row.to_json(), units))
    assert [(one.unit_id, one.rows) for one in values.units] == [
        (one.unit_id, one.rows) for one in units
    ]
    found = values.row
    assert found is not None
    assert values.owner == found.owner == "öwner"
    assert (found.user, found.runs, found.floor) == ("fred", [(3, 4), (9, 9)], 0)
    assert (found.committed, found.ns, found.latest) == (3, 789, 9)


def test_deletion_comes_back() -> None:
    reported = unpack_ledger(pack_ledger({"owner": "x", "deleted": True}, []))
    assert (reported.owner, reported.row, reported.units) == ("x", None, [])


def test_record_that_is_cut_or_too_long_is_damage() -> None:
    whole = pack_ledger(first_row("x", "", 1, 1).to_json(), UNITS)
    for length in range(len(whole)):
        with pytest.raises((IntegrityError, ValueError)):
            unpack_ledger(whole[:length])
    with pytest.raises(IntegrityError, match="its counts give"):
        unpack_ledger(whole + b"x")


@pytest.mark.parametrize("wrong", [{"runs": []}, {"runs": 1}, {"floor": "x"}, {"ns": None}])
def test_row_that_is_none_is_damage(wrong: dict[str, object]) -> None:
    with pytest.raises(IntegrityError):
        row_from_json({**first_row("x", "", 1, 1).to_json(), **wrong})


@pytest.mark.parametrize("seed", range(20))
def test_rows_remember_as_a_set_does(seed: int) -> None:
    chance = Chance(seed)
    step = chance.choice([1, 1, 2, 3])
    known: set[int] = set()
    row: LedgerRow | None = None
    for number in range(300):
        batch = chance.choice([number * step, chance.randrange(0, number * step + 5)])
        if row is not None and batch < row.floor:
            continue
        assert row is None or row.has(batch) is (batch in known)
        if batch not in known:
            row = first_row("x", "u", batch, 1) if row is None else row.with_batch(batch, 1)
            known.add(batch)
        assert row is not None
        assert row.committed == len(known)
        assert len(row.runs) <= RUNS_MAX
        known_now = {one for one in known if one >= row.floor}
        values = {one for first, last in row.runs for one in range(first, last + 1)}
        assert values == known_now


def test_numbers_that_count_up_are_one_run() -> None:
    row = first_row("x", "u", 0, 1)
    for batch in range(1, 10_000):
        row = row.with_batch(batch, 1)
    assert (row.runs, row.floor, row.committed) == ([(0, 9_999)], 0, 10_000)


def test_the_longest_row_fits_into_what_is_set_aside() -> None:
    runs = [((1 << 62) + 2 * number, (1 << 62) + 2 * number) for number in range(RUNS_MAX)]
    row = LedgerRow("\U0001f600" * 12, "\U0001f600" * 256, runs, 1 << 62, 1 << 62, 1 << 62)
    assert len(pack_ledger(row.to_json(), [])) <= ROW_BYTES_MAX


def test_catalog_file_keeps_rows_and_redo_passes_over_what_it_has() -> None:
    catalog = Catalog()
    catalog.set_ledger(first_row("b", "u", 5, 1))
    catalog.set_ledger(first_row("a", "u", 7, 1))
    content = catalog_bytes(catalog, 1000)
    again = unpack_catalog(content)
    assert {owner: row.runs for owner, row in again.ledger.items()} == {
        "a": [(7, 7)],
        "b": [(5, 5)],
    }
    assert not again.changed
    older = LedgerRecord("a", first_row("a", "u", 1, 1), [])
    redo_row(again, 999, older)
    redo_row(again, 999, LedgerRecord("b", None, []))
    assert again.ledger["a"].runs == [(7, 7)]
    assert not again.changed
    redo_row(again, 1000, LedgerRecord("b", None, []))
    redo_row(again, 1000, older)
    assert sorted(again.ledger) == ["a"]
    assert again.ledger["a"].runs == [(1, 1)]
    assert again.changed


def test_catalog_files_of_before_have_no_rows() -> None:
    content = catalog_bytes(Catalog(), 1)
    facts = json.loads(content[16:])
    assert facts["ledger"] == []
