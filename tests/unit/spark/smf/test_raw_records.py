"""Goal: sections read from rows of `_records` are those read from the file itself.

Method: dumps of our writer in all forms, walked into rows and decoded from them, without Spark;
the reader of files says what must come.
"""

from typing import Any

import pytest

pytest.importorskip("pyspark")

from ternmq.spark.smf.raw_records import Decoding, record_batches
from ternmq.spark.smf.record_walk import Walk
from ternmq.spark.smf.section_columns import REJECTS, SECTION_NAMES
from tests.unit.codec.smf.test_framing import as_bdw, as_nordw, as_rdw
from tests.unit.codec.smf_samples import sample_records
from tests.unit.spark.smf_expected import Held, decoded

RECORDS = sample_records(90405)


def raw(data: bytes, form: str) -> list[Any]:
    walk = Walk(Held(data).read_at, form, 0, len(data), piece_bytes=1 << 20)
    return [batch for piece in walk.pieces() for batch in record_batches(piece, "file")]


def rows_of(batches: list[Any], section: str) -> list[dict[str, Any]]:
    found = Decoding(section, "").batches(iter(batches))
    return [row for batch in found for row in batch.to_pylist()]


def by_place(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (row["Record_Position"], str(row)))


@pytest.mark.parametrize("form", ["rdw", "bdw", "nordw"])
def test_records_when_decoded_then_every_section_is_as_read_from_the_file(form: str) -> None:
    data = {"rdw": as_rdw(RECORDS, 2000), "bdw": as_bdw(RECORDS), "nordw": as_nordw(RECORDS)}[form]
    batches = raw(data, form)
    assert sum(len(batch) for batch in batches) == len(RECORDS)
    for section in SECTION_NAMES:
        assert by_place(rows_of(batches, section)) == by_place(decoded(data, section)), section
    assert rows_of(batches, REJECTS) == []


def test_records_when_many_then_batches_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    from ternmq.spark.smf import raw_records as smf_records

    monkeypatch.setattr(smf_records, "BATCH_BYTES", 5000)
    data = as_rdw(RECORDS * 3)
    batches = raw(data, "rdw")
    assert len(batches) > 10
    assert all(len(batch) == 1 or batch.nbytes < 9000 for batch in batches)
    assert by_place(rows_of(batches, "QMAC")) == by_place(decoded(data, "QMAC"))


def test_rest_of_a_record_when_kept_then_it_is_a_reject() -> None:
    data = as_rdw(RECORDS[:2]) + RECORDS[0][:40]
    (row,) = rows_of(raw(data, "rdw"), REJECTS)
    assert (row["Reason"], row["Record_Length"]) == ("truncated", 40)
    assert row["Record_Bytes"] == RECORDS[0][:40]
    assert row["Record_Position"] == len(as_rdw(RECORDS[:2]))


def test_other_types_when_in_a_dump_then_they_are_not_kept() -> None:
    other = bytearray(RECORDS[0])
    other[5] = 30
    batches = raw(bytes(other) + RECORDS[1], "rdw")
    assert [row["Record_Type"] for batch in batches for row in batch.to_pylist()] == [RECORDS[1][5]]
