"""Goal: files are walked record by record in every form, in pieces, from any place they may be
divided at; what is no record is kept with its place.

Method: records of ours in all forms, whole, cut, spoiled; codec/smf_framing walks the same files.
"""

import io
from itertools import pairwise

import pytest

from ternmq.codec.smf.framing import BDW, NO_RDW, RDW, Framing, Source
from ternmq.spark.smf.ranges import divided
from ternmq.spark.smf.record_walk import LOST, STRAY, TRUNCATED, Fault, Walk
from ternmq.spark.smf.rejects import reject_batches
from tests.unit.codec.smf.test_framing import as_bdw, as_nordw, as_rdw
from tests.unit.codec.smf_samples import sample_records
from tests.unit.spark.smf_expected import Held, Row, places_of

RECORDS = sample_records(90405)
# Records in segments of 300 bytes and blocks of two segments, so that records span blocks.
FILES = {
    "rdw": (RDW, as_rdw(RECORDS)),
    "spanned": (RDW, as_rdw(RECORDS, 300)),
    "bdw": (BDW, as_bdw(RECORDS)),
    "spanned blocks": (BDW, as_bdw(RECORDS, 300, 2)),
    "nordw": (NO_RDW, as_nordw(RECORDS)),
}


def walked(
    data: bytes, form: str, start: int = 0, end: int = -1, *, growing: bool = False
) -> tuple[list[bytes], list[int], list[Fault], Walk]:
    """Records without their RDWs, positions, faults, and the walk; pieces are of the least size."""
    end = len(data) if end < 0 else end
    walk = Walk(Held(data).read_at, form, start, end, piece_bytes=1, is_growing=growing)
    records: list[bytes] = []
    positions: list[int] = []
    faults: list[Fault] = []
    for piece in walk.pieces():
        records += [piece.records.raw(i)[4:] for i in range(len(piece.records.at))]
        positions += piece.records.position.tolist()
        faults += piece.faults
    return records, positions, faults, walk


@pytest.mark.parametrize("name", FILES)
def test_file_when_walked_then_records_and_places_are_those_of_the_framing(name: str) -> None:
    form, data = FILES[name]
    framing = Framing(Source(io.BytesIO(data).read), form)
    expected = [(record[4:], framing.record_offset) for record in framing.records()]
    records, positions, faults, walk = walked(data, form)
    assert list(zip(records, positions)) == expected
    assert [record[4:] for record in RECORDS] == records
    assert faults == []
    assert walk.mark == walk.boundary == len(data)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("split", [1, 20_000, 100_000])
def test_file_when_divided_then_each_record_is_in_one_range(name: str, split: int) -> None:
    form, data = FILES[name]
    ranges = list(divided(Held(data), "f", form, 0, len(data), split))
    assert ranges[0].start == 0
    assert ranges[-1].end == len(data)
    assert all(a.end == b.start for a, b in pairwise(ranges))
    assert form == NO_RDW or split > 1 or len(ranges) > 5
    records: list[bytes] = []
    for each in ranges:
        some, _, faults, _ = walked(data, form, each.start, each.end)
        assert faults == []
        records += some
    assert records == [record[4:] for record in RECORDS]


@pytest.mark.parametrize("name", FILES)
def test_file_when_cut_then_whole_records_come_and_the_rest_is_reported(name: str) -> None:
    form, data = FILES[name]
    whole = [record[4:] for record in RECORDS]
    for cut in (len(data) - 1, len(data) // 2, len(data) // 3, 5):
        records, _, faults, _ = walked(data[:cut], form)
        assert records == whole[: len(records)]
        assert [fault.reason for fault in faults] == [TRUNCATED]
        assert faults[0].position + faults[0].length == cut
        assert data[faults[0].position : cut].startswith(faults[0].data[:1000])


@pytest.mark.parametrize("name", FILES)
def test_file_when_it_grows_then_nothing_comes_twice_and_nothing_is_left_out(name: str) -> None:
    form, data = FILES[name]
    found: list[bytes] = []
    done = 0
    for length in [*range(0, len(data), 7_919), len(data)]:
        _, _, faults, walk = walked(data[:length], form, done, growing=True)
        assert faults == []
        records, _, _, _ = walked(data[:length], form, done, walk.boundary)
        found += records
        done = walk.boundary
    assert found == [record[4:] for record in RECORDS]


def test_segments_when_first_or_last_are_missing_then_they_are_reported() -> None:
    a, b = RECORDS[0], RECORDS[1]
    spanned = as_rdw([a], 300)
    first = int.from_bytes(spanned[:2], "big")
    assert first < len(spanned)
    records, _, faults, _ = walked(spanned[first:] + b, RDW)
    assert records == [b[4:]]
    assert {fault.reason for fault in faults} == {STRAY}
    records, positions, faults, _ = walked(spanned[:first] + b, RDW)
    assert records == [b[4:]]
    assert positions == [first]
    assert [(fault.position, fault.reason) for fault in faults] == [(0, TRUNCATED)]


@pytest.mark.parametrize("name", ["rdw", "bdw"])
def test_descriptor_word_when_spoiled_then_walk_says_where_it_is_lost(name: str) -> None:
    form, data = FILES[name]
    places = places_of(data, form)
    place = places[len(places) // 2]
    spoiled = data[:place] + b"\xff\xff\xff\xff" + data[place + 4 :]
    records, _, faults, walk = walked(spoiled, form)
    assert 0 < len(records) < len(RECORDS)
    assert [(fault.position, fault.reason) for fault in faults] == [(place, LOST)]
    assert f"at byte {place}" in faults[0].detail
    assert walk.is_lost


def rejected(data: bytes) -> list[Row]:
    rows: list[Row] = []
    for piece in Walk(Held(data).read_at, RDW, 0, len(data)).pieces():
        for batch in reject_batches(piece, "f"):
            rows += batch.to_pylist()
    return rows


def test_rejects_when_all_is_well_then_there_are_none() -> None:
    dump_header = b"\x00\x12\x00\x00\x1e\x02" + bytes(12)
    assert rejected(dump_header + b"".join(RECORDS)) == []


def test_rejects_when_records_are_spoiled_then_each_has_its_reason_place_and_bytes() -> None:
    level = bytearray(RECORDS[0])
    level[24:27] = "520".encode("cp037")
    subtype = bytearray(RECORDS[0])
    subtype[22:24] = (77).to_bytes(2, "big")
    triplet = bytearray(RECORDS[0])
    triplet[28 + 9 * 8 : 28 + 9 * 8 + 4] = (30_000).to_bytes(4, "big")
    eye = bytearray(RECORDS[0])
    at = int.from_bytes(eye[28 + 9 * 8 : 28 + 9 * 8 + 4], "big")
    eye[at + 4 : at + 8] = b"\0\0\0\0"
    parts = [bytes(RECORDS[0]), bytes(level), bytes(subtype), bytes(triplet), bytes(eye)]
    data = b"".join(parts) + RECORDS[1][:100]
    rows = rejected(data)
    position = len(parts[0])
    expected = ["unknown level", "unknown subtype", "damaged", "damaged"]
    for row, part, reason in zip(rows, parts[1:], expected):
        assert (row["Record_Position"], row["Record_Length"]) == (position, len(part))
        assert row["Record_Bytes"] == part
        assert row["Reason"] == reason
        position += len(part)
    assert len(rows) == 5
    assert "5.2" in rows[0]["Detail"]
    assert "115-77" in rows[1]["Detail"]
    assert "30000" in rows[2]["Detail"]
    assert "eye-catcher" in rows[3]["Detail"]
    assert (rows[4]["Reason"], rows[4]["Record_Length"]) == (TRUNCATED, 100)
    assert rows[0]["MQ_Version"] == "520"
