"""Goal: of files that are spoiled nothing is guessed and nothing lost without a word: what is no
record is told with its place, and it is the same however a file is divided.

Method: records of ours in every form, cut, filled up, with bytes changed at random, which
codec/smf_framing walks too. Other files in a folder, short records, levels that never were.
"""

import contextlib
import gzip
import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pyspark")

from ternmq.base.errors import MQError
from ternmq.codec.smf.framing import BDW, NO_RDW, RDW, Framing, Source, may_become_one
from ternmq.codec.smf.reader import Reader
from ternmq.outlets.smf_log_streams import LogStream, unpack_segment
from ternmq.spark.smf import log_segments as smf_segments
from ternmq.spark.smf.dump_files import find_files
from ternmq.spark.smf.dump_reading import read_ranges
from ternmq.spark.smf.growing_files import latest, ranges_between
from ternmq.spark.smf.ranges import divided, ranges_of
from ternmq.spark.smf.raw_records import pieces_of, record_batches
from ternmq.spark.smf.record_walk import TRUNCATED, Fault, Walk
from ternmq.spark.smf.rejects import reject_batches
from ternmq.spark.smf.smf_options import SmfOptions
from ternmq.telemetry.smf.log_stream_format import Block
from tests.unit.codec.smf.test_framing import as_bdw, as_nordw, as_rdw
from tests.unit.codec.smf_samples import sample_records
from tests.unit.spark.smf_expected import Held

RECORDS = sample_records(90405)
SHAPES: dict[str, tuple[str, Callable[[list[bytes]], bytes]]] = {
    "rdw": (RDW, as_rdw),
    "spanned": (RDW, lambda records: as_rdw(records, 300)),
    "bdw": (BDW, as_bdw),
    "spanned blocks": (BDW, lambda records: as_bdw(records, 300, 2)),
    "nordw": (NO_RDW, as_nordw),
}
Walked = tuple[list[tuple[int, bytes]], list[Fault]]


def walked(data: bytes, form: str, start: int, end: int, piece_bytes: int = 1 << 20) -> Walked:
    """Places and bytes of records without their RDWs, and what is none."""
    records: list[tuple[int, bytes]] = []
    faults: list[Fault] = []
    for piece in Walk(Held(data).read_at, form, start, end, piece_bytes=piece_bytes).pieces():
        places = piece.records.position.tolist()
        records += [(place, piece.records.raw(i)[4:]) for i, place in enumerate(places)]
        faults += piece.faults
    return records, faults


def spoiled(data: bytes, chance: random.Random) -> bytes:
    """Bytes changed, left out, put in, cut off."""
    found = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(found))
        what = chance.randrange(5)
        if what == 0:
            found[at] = chance.randrange(256)
        elif what == 1:
            del found[at : at + chance.randint(1, 400)]
        elif what == 2:
            found[at:at] = chance.randbytes(chance.randint(1, 300))
        elif what == 3:
            found[at : at + 4] = bytes(4)
        else:
            del found[max(at, 1) :]
    return bytes(found) or b"\0"


def framed(data: bytes, form: str) -> list[tuple[int, bytes]]:
    framing = Framing(Source(io.BytesIO(data).read), form)
    found: list[tuple[int, bytes]] = []
    with contextlib.suppress(MQError):  # where it is lost, it has given what there was
        found.extend((framing.record_offset, record[4:]) for record in framing.records())
    return found


@settings(max_examples=60)
@given(st.sampled_from(sorted(SHAPES)), st.integers(0, 1 << 32), st.sampled_from([1, 3000, 40_000]))
def test_spoiled_file_when_divided_or_read_in_pieces_then_it_says_the_same_as_in_one(
    shape: str, seed: int, split: int
) -> None:
    chance = random.Random(seed)
    form, written = SHAPES[shape]
    data = spoiled(written(chance.sample(RECORDS, 12) * chance.choice((1, 6))), chance)
    records, faults = walked(data, form, 0, len(data))
    assert records == framed(data, form)
    assert walked(data, form, 0, len(data), 1) == (records, faults)
    parts = [
        walked(data, form, each.start, each.end)
        for each in divided(Held(data), "f", form, 0, len(data), split)
    ]
    assert [record for some, _ in parts for record in some] == records
    assert [fault for _, some in parts for fault in some] == faults
    if shape == "rdw" and all(fault.reason != TRUNCATED for fault in faults[:-1]):
        reported = sum(len(record) + 4 for _, record in records)
        assert reported + sum(fault.length for fault in faults) == len(data)


def segment(code: int, body: bytes) -> bytes:
    return (len(body) + 4).to_bytes(2, "big") + bytes((code, 0)) + body


def test_cut_records_when_one_follows_the_other_over_pieces_then_each_is_reported_once() -> None:
    first = segment(1, RECORDS[0][4:2000])
    data = RECORDS[0] + first * 200 + segment(2, bytes(10)) + RECORDS[1]
    records, faults = walked(data, RDW, 0, len(data), 1)
    assert len(data) > 3 * 65_544  # pieces of the least size
    places = [len(RECORDS[0]) + n * len(first) for n in range(200)]
    assert [fault.position for fault in faults] == places[:-1]
    assert [place for place, _ in records] == [0, places[-1], len(data) - len(RECORDS[1])]


def test_records_in_many_small_segments_when_walked_then_all_are_joined() -> None:
    body = RECORDS[1][4:40]
    one = segment(1, body[:10]) + segment(3, b"") * 20 + segment(2, body[10:])
    records, faults = walked(one * 8_000, RDW, 0, len(one) * 8_000)
    assert faults == []
    assert len(records) == 8_000
    assert {record for _, record in records} == {body}
    data = segment(1, body) + segment(3, b"") * 60_000
    assert [each.reason for each in walked(data, RDW, 0, len(data))[1]] == [TRUNCATED]


def rejected(data: bytes) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for piece in Walk(Held(data).read_at, RDW, 0, len(data)).pieces():
        for batch in reject_batches(piece, "f"):
            rows += batch.to_pylist()
        # The raw stage of the pipeline knows as much.
        again = [
            row
            for raw in record_batches(piece, "f")
            for _, kept in pieces_of(raw)
            for batch in reject_batches(kept, "f")
            for row in batch.to_pylist()
        ]
        assert sorted(again, key=lambda row: row["Record_Position"]) == rows
    return rows


def test_records_when_their_words_were_removed_then_they_are_kept_with_words_again() -> None:
    level = bytearray(RECORDS[2])
    level[24:27] = "520".encode("cp037")
    spoken = [*RECORDS[:2], bytes(level), *RECORDS[3:]]
    data = as_nordw(spoken)
    kept: list[bytes] = []
    rejects: list[bytes] = []
    for piece in Walk(Held(data).read_at, NO_RDW, 0, len(data)).pieces():
        for batch in record_batches(piece, "f"):
            kept += batch.column("Record_Bytes").to_pylist()
        for batch in reject_batches(piece, "f"):
            rejects += batch.column("Record_Bytes").to_pylist()
    assert kept == spoken
    assert rejects == [bytes(level)]


@pytest.mark.parametrize("size", [4, 5, 6, 14, 17])
def test_record_when_shorter_than_any_of_smf_then_it_is_damaged_and_not_another_product_s(
    size: int,
) -> None:
    short = size.to_bytes(2, "big") + b"\0\0" + RECORDS[0][4:size]
    data = RECORDS[0] + short + RECORDS[1]
    (row,) = rejected(data)
    assert (row["Record_Position"], row["Record_Length"]) == (len(RECORDS[0]), size)
    assert (row["Reason"], row["Record_Type"], row["Record_Subtype"]) == ("damaged", None, None)
    assert row["Detail"] == f"SMF: {size} bytes are no SMF record, which has 18"
    reader = Reader(io.BytesIO(data).read)
    assert len(list(reader)) == 2
    assert (reader.tally.damaged, reader.tally.not_read) == (1, 1)
    assert not reader.tally.other_types


def test_record_when_it_says_that_it_has_no_subtype_then_the_words_say_so() -> None:
    record = bytearray(RECORDS[0])
    record[4] &= ~0x40
    (row,) = rejected(bytes(record))
    assert (row["Reason"], row["Record_Subtype"]) == ("unknown subtype", None)
    assert row["Detail"] == "115 without a subtype is not a known record"


def test_record_when_nobody_has_given_its_layout_then_it_is_kept_apart_and_no_error(
    tmp_path: Path,
) -> None:
    pools = next(record for record in RECORDS if record[22:24] == bytes((0, 215)))
    internal = pools[:22] + bytes((0, 240)) + pools[24:]
    (row,) = rejected(internal + pools)
    assert (row["Reason"], row["Record_Subtype"]) == ("internal", 240)
    assert row["Record_Bytes"] == internal
    (tmp_path / "dump").write_bytes(internal + pools)
    ranges = list(ranges_of(find_files([str(tmp_path)]), "auto", 1 << 20))
    strict = SmfOptions({"section": "QPST", "mode": "FAILFAST", "columns": "BufferPool"})
    assert sum(batch.num_rows for batch in read_ranges(ranges, strict)) > 0
    short = b"\x00\x06\x00\x00\x5e\x73"
    (tmp_path / "dump").write_bytes(internal + pools + short)
    ranges = list(ranges_of(find_files([str(tmp_path)]), "auto", 1 << 20))
    with pytest.raises(ValueError, match="damaged: SMF: 6 bytes"):
        list(read_ranges(ranges, strict))


@pytest.mark.parametrize("release", ["799", "946", "950", "999"])
def test_level_when_there_is_none_such_then_both_readers_keep_the_record_apart(
    release: str,
) -> None:
    record = bytearray(RECORDS[0])
    record[24:27] = release.encode("cp037")
    (row,) = rejected(bytes(record))
    assert row["Reason"] == ("unknown level" if release != "946" else "damaged")
    reader = Reader(io.BytesIO(bytes(record)).read)
    assert list(reader) == []
    assert reader.tally.not_read == 1


def followed(folder: Path, start: dict[str, int]) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """How far a stream over a folder reads, and what it rejects on the way."""
    options = SmfOptions({"section": "_rejects", "path": str(folder)})
    end = latest(options, start, 0, None)
    batches = read_ranges(list(ranges_between(options, start, end)), options)
    return end, [row for batch in batches for row in batch.to_pylist()]


def test_folder_when_other_files_are_in_it_then_a_stream_rejects_each_once(tmp_path: Path) -> None:
    dump = b"".join(RECORDS)
    (tmp_path / "README.txt").write_text("Dumps of last week.\n")
    (tmp_path / "dump.gz").write_bytes(gzip.compress(dump))
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "blocks").write_bytes(as_bdw(RECORDS))
    (tmp_path / "words").write_bytes(dump)
    end, rows = followed(tmp_path, {})
    values = {Path(row["Record_File"]).name: row for row in rows}
    assert sorted(values) == ["README.txt", "dump.gz"]
    assert values["README.txt"]["Record_Length"] == 20
    assert "gzip" in values["dump.gz"]["Detail"]
    assert end[str(tmp_path / "words")] == len(dump)
    (tmp_path / "README.txt").write_text("Dumps of last week, and of this one.\n")
    assert followed(tmp_path, end) == (end, [])


def test_file_when_it_is_taken_away_before_it_was_read_then_that_is_said_or_passed_over(
    tmp_path: Path,
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(b"".join(RECORDS))
    reported = {"section": "WQ", "path": str(tmp_path)}
    end = latest(SmfOptions(reported), {}, 0, None)
    (tmp_path / "one").unlink()
    with pytest.raises(ValueError, match=r"one was to be read from 0 to \d+, and is gone"):
        list(ranges_between(SmfOptions(reported), {}, end))
    lenient = SmfOptions({**reported, "failOnDataLoss": "false"})
    assert {each.path for each in ranges_between(lenient, {}, end)} == {str(tmp_path / "two")}


@pytest.mark.parametrize("form", [as_rdw, as_bdw, as_nordw])
def test_first_record_when_it_is_being_written_then_a_stream_waits_for_it(
    form: Any, tmp_path: Path
) -> None:
    data = form(RECORDS[:1])
    for length in (1, 3, 4, 5, 9, 17, 30, 100, len(data) - 1):
        (tmp_path / "growing").write_bytes(data[:length])
        assert may_become_one(data[:length])
        assert followed(tmp_path, {}) == ({}, [])
    (tmp_path / "growing").write_bytes(data)
    assert followed(tmp_path, {}) == ({str(tmp_path / "growing"): len(data)}, [])


def log_stream(folder: Path, count: int) -> list[Path]:
    """The segments of a log stream, each with the same records in several blocks."""
    for _ in range(count):
        stream = LogStream(str(folder), compressed=True)
        for record in RECORDS[:6]:
            stream.write([record])
        stream.close()
    found = sorted(folder.iterdir())
    assert len(found) == count
    return found


def test_log_stream_when_looked_at_again_then_full_segments_are_not_unpacked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_stream(tmp_path, 5)
    unpacked: list[str] = []

    def unpack(data: bytes, path: str) -> tuple[list[Block], int]:
        unpacked.append(path)
        return unpack_segment(data, path)

    monkeypatch.setattr(smf_segments, "unpack_segment", unpack)
    lengths = [file.length for file in find_files([str(tmp_path)])]
    assert lengths == [sum(map(len, RECORDS[:6]))] * 5
    assert [file.length for file in find_files([str(tmp_path)])] == lengths
    assert len(unpacked) == 5


def test_segments_when_some_are_damaged_then_the_rest_is_read_and_the_damage_reported(
    tmp_path: Path,
) -> None:
    whole, middle, head, cut, begun = log_stream(tmp_path, 5)
    data = middle.read_bytes()
    middle.write_bytes(data[: len(data) // 2] + b"\xff" + data[len(data) // 2 + 1 :])
    head.write_bytes(b"\xff" * 20 + head.read_bytes()[20:])
    cut.write_bytes(cut.read_bytes()[:-5])
    begun.write_bytes(begun.read_bytes()[:7])
    options = SmfOptions({"section": "_rejects", "path": str(tmp_path)})
    ranges = list(ranges_of(find_files(options.paths), "auto", 1 << 20))
    rows = [row for batch in read_ranges(ranges, options) for row in batch.to_pylist()]
    values = {Path(row["Record_File"]): row for row in rows}
    assert len(rows) == 3
    assert {each: row["Reason"] for each, row in values.items()} == {
        middle: "truncated", head: "lost", cut: "truncated",
    }  # fmt: skip
    assert values[head]["Record_Length"] == head.stat().st_size
    assert values[cut]["Record_Position"] == sum(map(len, RECORDS[:5]))
    end, rows = followed(tmp_path, {})
    assert [row["Record_File"] for row in rows] == [str(head)]
    assert end[str(whole)] == sum(map(len, RECORDS[:6]))
    assert end[str(head)] < 0
    whole.unlink()
    dump = tmp_path / "dump"
    assert str(whole) not in followed(tmp_path, {**end, str(dump): 7})[0]
    assert followed(tmp_path, {**end, str(dump): 7})[0][str(dump)] == 7
