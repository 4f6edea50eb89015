"""Goal: records come out of a file the same whatever its form; what cannot be is told with its
place, and nothing is read that is not there.

Method: one list of records written in each form, spanned or not, read in chunks of every size;
files that are cut anywhere, and files with a byte changed.
"""

import io
import tracemalloc
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.errors import FormatError, MQError
from ternmq.codec.smf import framing as smf_framing
from ternmq.codec.smf.framing import BDW, FORMS, NO_RDW, RDW, Framing, Source, recognise
from ternmq.codec.smf.reader import Reader, Tally
from tests.unit.codec.smf_samples import sample, sample_records

pytestmark = pytest.mark.core

RECORDS: Final = sample_records(90405)
DUMP_HEADER: Final = bytes.fromhex("001200001e02000000000123001f") + b"\xe2" * 4
FOREIGN: Final = b"\x00\x40\x00\x00\x5e\x1e" + bytes(4) + bytes.fromhex("0123001f") + bytes(50)


def word(size: int, code: int = 0) -> bytes:
    return (size + 4).to_bytes(2, "big") + bytes((code, 0))


def spanned(record: bytes, size: int) -> list[bytes]:
    """A record in segments of so many bytes."""
    body = record[4:]
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    if len(parts) == 1:
        return [word(len(body)) + body]
    codes = [1, *[3] * (len(parts) - 2), 2]
    return [word(len(part), code) + part for part, code in zip(parts, codes)]


def as_rdw(records: list[bytes], size: int = 40_000) -> bytes:
    return b"".join(segment for record in records for segment in spanned(record, size))


def as_bdw(records: list[bytes], size: int = 40_000, each: int = 3) -> bytes:
    segments = [segment for record in records for segment in spanned(record, size)]
    blocks = [b"".join(segments[at : at + each]) for at in range(0, len(segments), each)]
    return b"".join((len(block) + 4).to_bytes(2, "big") + b"\0\0" + block for block in blocks)


def as_nordw(records: list[bytes]) -> bytes:
    return b"".join(record[4:] for record in records)


def chunks(data: bytes, size: int) -> Callable[[int], bytes]:
    file = io.BytesIO(data)
    return lambda wanted: file.read(min(size, wanted))


def framed(data: bytes, form: str, chunk: int = 1 << 20) -> list[bytes]:
    return list(Framing(Source(chunks(data, chunk)), form).records())


@pytest.mark.parametrize("chunk", [1, 3, 4, 4096, 1 << 20])
def test_records_are_the_same_in_every_form(chunk: int) -> None:
    some = RECORDS[:6] if chunk < 100 else RECORDS
    assert framed(as_rdw(some), RDW, chunk) == some
    assert framed(as_bdw(some), BDW, chunk) == some
    assert framed(as_nordw(some), NO_RDW, chunk) == some


@pytest.mark.parametrize("size", [40, 100, 2000])
def test_spanned_records_are_joined(size: int) -> None:
    bodies = [record[4:] for record in RECORDS]
    assert [record[4:] for record in framed(as_rdw(RECORDS, size), RDW)] == bodies
    assert [record[4:] for record in framed(as_bdw(RECORDS, size, 5), BDW)] == bodies


def test_block_of_large_blocks_is_read() -> None:
    block = as_rdw(RECORDS[:3])
    assert framed((len(block) + 4 | 1 << 31).to_bytes(4, "big") + block, BDW) == RECORDS[:3]


@pytest.mark.parametrize("level", [80000, 90405, 100000])
def test_form_is_recognised(level: int) -> None:
    records = sample_records(level)
    for count in (1, 2, len(records)):
        for spoken in (records[:count], [DUMP_HEADER, *records[:count]]):
            for form, data in (
                (RDW, as_rdw(spoken)),
                (RDW, as_rdw(spoken, 500)),
                (BDW, as_bdw(spoken)),
                (BDW, as_bdw(spoken, 500)),
                (NO_RDW, as_nordw(spoken)),
            ):
                assert recognise(Source(io.BytesIO(data).read)) == form


def test_form_when_other_products_write_first_is_recognised() -> None:
    data = as_rdw([FOREIGN] * 300 + RECORDS)
    reader = Reader(io.BytesIO(data).read)
    assert reader.form == RDW
    assert len(list(reader)) == len(RECORDS)
    assert reader.tally.other_types == {30: 300}


@pytest.mark.parametrize("data", [b"#!/bin/sh\nexit 0\n", bytes(100), b"\xff" * 50, b"\0"])
def test_file_that_is_something_else_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match="not with an SMF record in any form"):
        Reader(io.BytesIO(data).read)


def test_empty_file_has_no_records() -> None:
    reader = Reader(io.BytesIO(b"").read)
    assert list(reader) == []
    assert reader.tally.not_read == 0


@pytest.mark.parametrize("form", FORMS)
def test_file_when_it_is_cut_anywhere_then_what_is_whole_is_read(form: str) -> None:
    some = [sample(115, 5, 90405, 1, 1), sample(116, 0, 90405, 1, 1), sample(115, 7, 90405, 1, 1)]
    data = {RDW: as_rdw(some, 150), BDW: as_bdw(some, 150), NO_RDW: as_nordw(some)}[form]
    ends = [sum(len(r) - 4 for r in some[:count]) for count in range(4)]
    for size in range(len(data)):
        framing = Framing(Source(io.BytesIO(data[:size]).read), form)
        found = [record[4:] for record in framing.records()]
        assert found == [record[4:] for record in some[: len(found)]]
        if form == NO_RDW:
            assert framing.truncated == (size not in ends)
        elif len(found) < len(some) and size:
            assert framing.truncated <= 2


def test_segments_without_their_first_or_last_are_counted() -> None:
    first, middle, last = spanned(RECORDS[0], len(RECORDS[0]) // 3 + 1)
    whole = RECORDS[1]
    framing = Framing(Source(io.BytesIO(middle + last + first + whole + first + middle).read), RDW)
    assert list(framing.records()) == [whole]
    assert framing.stray == 2
    assert framing.truncated == 2


@pytest.mark.parametrize(
    ("data", "form", "said"),
    [
        (
            word(10) + bytes(10) + b"\0\3\0\0",
            RDW,
            "at byte 14: 00030000 is not a record descriptor",
        ),
        (b"\0\x10\4\0" + bytes(12), RDW, "at byte 0: 00100400 is not a record descriptor"),
        (b"\0\x10\0\1" + bytes(12), RDW, "00100001 is not a record descriptor"),
        (b"\xff\xff\0\0" + bytes(70_000), RDW, "a record of 65535 bytes"),
        (b"\0\4\0\0", BDW, "00040000 is not a block descriptor"),
        (b"\0\x20\0\1", BDW, "00200001 is not a block descriptor"),
        (b"\xff\xff\xff\xff", BDW, "FFFFFFFF is not a block descriptor"),
        (b"\0\x0c\0\0" + word(10) + bytes(10), BDW, "at byte 4: a record of 14 bytes in a block"),
        (b"\x5e\x1e" + bytes(60), NO_RDW, "a record of type 30 has no known end"),
        (b"\x1e\x73" + bytes(60), NO_RDW, "without a subtype"),
        (
            as_nordw([RECORDS[0][:106] + b"\xff\xff" + RECORDS[0][108:]]),
            NO_RDW,
            "a record of 5242924 bytes",
        ),
    ],
)
def test_file_when_it_makes_no_sense_then_the_place_is_reported(
    data: bytes, form: str, said: str
) -> None:
    with pytest.raises(FormatError, match=said):
        framed(data, form)


def test_record_of_endless_segments_is_refused() -> None:
    data = word(30_000, 1) + bytes(30_000) + (word(3000, 3) + bytes(3000)) * 3
    with pytest.raises(FormatError, match="more than 32772 bytes"):
        framed(data, RDW)


@given(
    st.sampled_from(FORMS),
    st.integers(0, 3000),
    st.binary(min_size=1, max_size=8),
    st.booleans(),
)
def test_file_when_bytes_are_changed_then_it_is_read_or_refused(
    form: str, at: int, new: bytes, reported: bool
) -> None:
    some = RECORDS[4:9]
    data = {RDW: as_rdw(some, 700), BDW: as_bdw(some, 700), NO_RDW: as_nordw(some)}[form]
    data = data[:at] + new + data[at + len(new) :]
    try:
        reader = Reader(io.BytesIO(data).read, form=form if reported else "")
        for record in reader:
            record.sections()
    except MQError:
        return
    assert reader.tally.records <= len(data) // 14


def test_tally_says_what_was_not_read() -> None:
    unknown_subtype = RECORDS[0][:22] + b"\0\x63" + RECORDS[0][24:]
    old = RECORDS[0][:24] + "701".encode("cp037") + RECORDS[0][27:]
    newer = sample(115, 1, 100000, 1, 1).replace("100000".encode("cp037"), "110203".encode("cp037"))
    damaged = RECORDS[0][:28] + b"\0\0\x7f\xff" + RECORDS[0][32:]
    data = as_rdw([DUMP_HEADER, FOREIGN, unknown_subtype, old, newer, damaged, RECORDS[0]])
    reader = Reader(io.BytesIO(data + RECORDS[1][:100]).read)
    assert [record.row.name for record in reader] == ["115-1"]
    tally = reader.tally
    assert tally.records == 7
    assert tally.read == {(115, 1): 1}
    assert tally.other_types == {2: 1, 30: 1}
    assert tally.unknown_subtypes == {(115, 99): 1}
    assert tally.unknown_levels == {"701": 1, "110203": 1}
    assert (tally.damaged, tally.truncated, tally.not_read) == (1, 1, 4)
    place = len(DUMP_HEADER) + len(FOREIGN) + 3 * len(RECORDS[0]) + 16
    assert tally.damage[0].startswith(f"record at byte {place}: SMF: 115-1: product section")
    total = Tally()
    total.add(tally)
    total.add(tally)
    assert (total.records, total.not_read, len(total.damage)) == (14, 8, 2)
    assert len(list(Reader(io.BytesIO(data).read, newer=True))) == 2
    assert list(Reader(io.BytesIO(data).read, kinds={(116, 1)})) == []


def test_limit_of_a_record_is_above_that_of_smf() -> None:
    assert smf_framing.RECORD_BYTES_MAX >= 32_756


def test_memory_does_not_grow_with_the_file() -> None:
    record = as_rdw([max(RECORDS, key=len)])
    left = 400

    def endless(wanted: int) -> bytes:
        nonlocal left
        left -= 1
        return record * 2 if left > 0 else b""

    reader = Reader(endless, form=RDW)
    tracemalloc.start()
    try:
        read = sum(1 for _ in reader)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert read == 798
    assert reader.source.offset > 10 * peak
