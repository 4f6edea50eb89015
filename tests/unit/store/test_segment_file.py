"""Segment files: round trips, finding by hash, and that damage is found and named (P6).

Every byte of a small file is flipped and the file is cut at every length: each reading then either
gives what was written or raises IntegrityError with the name of the file and an offset.
"""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.checksum import crc32c
from ternmq.base.errors import IntegrityError
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.store import segment_file
from ternmq.store.segment_file import (
    SegmentFile,
    SegmentReport,
    verify_segment,
    verify_segment_messages,
    write_segment,
)
from ternmq.store.segment_format import (
    CORREL_ID,
    GROUP_ID,
    MSG_ID,
    RECORD_PREFIX_BYTES,
    SEGMENT_HEADER_BYTES,
    SegmentIndex,
    hash_id,
    identity_crc,
)
from tests.unit.store.segment_samples import (
    NO_ID,
    PATH,
    OrderDisk,
    Sample,
    built,
    folder,
    get_file,
    message_id,
    put_file,
    small_segment,
    written,
)

pytestmark = pytest.mark.core

IDS = st.sampled_from([NO_ID, b"A" * 24, b"B" * 24, message_id(1), message_id(2)])
MESSAGES = st.lists(
    st.builds(
        Sample,
        st.integers(1, 2**40),
        st.binary(max_size=50),
        properties=st.one_of(st.just(b""), st.binary(max_size=30)),
        sequence=st.integers(1, 2**62),
        expiry_at=st.integers(0, 2**62),
        priority=st.integers(0, 9),
        flags=st.integers(0, 255),
        msg_id=IDS,
        correl_id=IDS,
        group_id=IDS,
    ),
    max_size=12,
)


def loaded(disk: MemoryDisk) -> tuple[SegmentFile, SegmentIndex]:
    segment = SegmentFile(disk, PATH)
    return segment, segment.load_index()


@given(MESSAGES)
def test_segment_written_comes_back(samples: list[Sample]) -> None:
    disk = written(samples)
    segment, index = loaded(disk)
    assert (index.queue_id, index.incarnation, index.segment_number) == (77, 5, 3)
    assert (index.count, index.flags) == (len(samples), 2)
    assert index.file_bytes == disk.size(PATH)
    images = [sample.image for sample in samples]
    assert segment.read_all(index) == images
    assert [segment.read_message(index, n) for n in range(len(samples))] == images
    heads = [sample.head for sample in samples]
    assert segment.read_heads(index, 0, len(samples)) == heads
    assert [segment.read_head(index, n) for n in range(len(samples))] == heads
    assert list(index.area_lengths) == [len(sample.properties) for sample in samples]
    assert list(index.numbers) == [sample.number for sample in samples]
    assert list(index.sequences) == [sample.sequence for sample in samples]
    assert list(index.expiries) == [sample.expiry_at for sample in samples]
    assert list(index.priorities) == [sample.priority for sample in samples]
    assert list(index.message_flags) == [sample.flags for sample in samples]
    report = verify_segment(disk, PATH)
    assert (report.faults, report.messages_sound) == ([], len(samples))


@given(MESSAGES)
def test_find_gives_every_message_with_the_id(samples: list[Sample]) -> None:
    segment, index = loaded(written(samples))
    for kind in (MSG_ID, CORREL_ID, GROUP_ID):
        for identifier in (b"A" * 24, b"B" * 24, message_id(1), message_id(2), b"Z" * 24):
            expected = [n for n, sample in enumerate(samples) if sample.ids[kind] == identifier]
            assert segment.find(index, kind, hash_id(identifier)) == expected
        assert segment.find(index, kind, hash_id(NO_ID)) == []


def test_find_with_many_equal_hashes() -> None:
    samples = [Sample(n, b"x", correl_id=b"C" * 24, msg_id=message_id(n)) for n in range(1, 300)]
    _, index = loaded(written(samples))
    assert index.find(CORREL_ID, hash_id(b"C" * 24)) == list(range(299))
    for n in range(1, 300):
        assert index.find(MSG_ID, hash_id(message_id(n))) == [n - 1]


def test_read_all_in_several_chunks() -> None:
    """Messages smaller and larger than what is read at once."""
    large = segment_file.READ_CHUNK_BYTES
    samples = [Sample(n, bytes([n]) * size) for n, size in enumerate([9, large + 7, 11, large, 0])]
    segment, index = loaded(written(samples))
    assert segment.read_all(index) == [sample.image for sample in samples]


def test_heads_when_bodies_are_long_then_no_byte_of_them_is_read() -> None:
    long = b"body" * segment_file.BODY_SKIPPED_BYTES
    samples = [Sample(n, long, properties=b"p%d" % n) for n in range(5)]
    samples += [Sample(n, b"body", properties=b"p%d" % n) for n in range(5, 9)]
    disk = written(samples)
    _, index = loaded(disk)
    content = get_file(disk, PATH).replace(b"bodybodybody", b"...DAMAGE...")
    put_file(disk, PATH, content)
    segment, index = loaded(disk)
    assert segment.read_heads(index, 0, 9) == [sample.head for sample in samples]
    assert segment.read_heads(index, 2, 6) == [sample.head for sample in samples[2:6]]
    assert segment.read_heads(index, 3, 3) == []
    with pytest.raises(IntegrityError, match="fails its checksum"):
        segment.read_message(index, 0)


def test_head_when_a_byte_of_it_is_changed_then_it_is_refused() -> None:
    disk = written([Sample(3, b"data", properties=b"properties")])
    content = get_file(disk, PATH)
    _, index = loaded(disk)
    start = index.offsets[0]
    for at in (start, start + 8, start + 12, start + 60, start + 12 + 416, start + 12 + 425):
        put_file(disk, PATH, content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        segment, again = loaded(disk)
        with pytest.raises(IntegrityError, match="the head of message 0 fails its checksum"):
            segment.read_head(again, 0)


def test_segment_when_it_is_of_the_former_format_then_it_is_refused_with_a_sentence() -> None:
    disk = written(small_segment())
    content = bytearray(get_file(disk, PATH))
    content[8] = 1
    content[60:64] = crc32c(bytes(content[:60]), identity_crc(77, 5, 3)).to_bytes(4, "little")
    put_file(disk, PATH, bytes(content))
    with pytest.raises(IntegrityError, match=r"S0000000003.seg has format version 1, and this"):
        loaded(disk)


def what_reads_give(disk: MemoryDisk) -> list[object]:
    """All that can be read of the file; an error stands where one was raised."""
    results: list[object] = []
    try:
        segment, index = loaded(disk)
    except IntegrityError as error:
        return [error]
    results.append([index.queue_id, index.incarnation, index.segment_number, index.flags])
    results.append([list(index.numbers), list(index.sequences), list(index.expiries)])
    results.append([list(index.priorities), list(index.message_flags)])
    results.append([list(hashes) for hashes in index.hashes])
    results.append([list(ordinals) for ordinals in index.ordinals])
    for ordinal in range(index.count):
        try:
            results.append(segment.read_message(index, ordinal))
        except IntegrityError as error:
            results.append(error)
        try:
            results.append(segment.read_head(index, ordinal))
        except IntegrityError as error:
            results.append(error)
    try:
        results.append(segment.read_all(index))
    except IntegrityError as error:
        results.append(error)
    segment.close()
    return results


def check_right_or_named(disk: MemoryDisk, right: list[object]) -> int:
    """Every result is right or an error that names the place; returns the count of errors."""
    results = what_reads_give(disk)
    errors = [result for result in results if isinstance(result, IntegrityError)]
    for error in errors:
        assert str(error).startswith(f"segment {PATH} is damaged at offset ")
    if len(results) == 1:
        assert errors
    else:
        for result, expected in zip(results, right, strict=True):
            assert isinstance(result, IntegrityError) or result == expected
    return len(errors)


@pytest.mark.promise("P6")
def test_flip_of_any_byte_is_found_and_named_or_without_effect() -> None:
    disk = written(small_segment())
    content = get_file(disk, PATH)
    right = what_reads_give(disk)
    silent = 0
    for at in range(len(content)):
        for mask in (0x01, 0x80, 0xFF):
            flipped = bytearray(content)
            flipped[at] ^= mask
            put_file(disk, PATH, bytes(flipped))
            silent += check_right_or_named(disk, right) == 0
    # Only the zeros between records may change without anyone seeing it.
    padding = sum(-(RECORD_PREFIX_BYTES + len(sample.image)) & 7 for sample in small_segment())
    assert silent == 3 * padding


@pytest.mark.promise("P6")
def test_cut_at_any_byte_is_found_and_named() -> None:
    disk = written(small_segment())
    content = get_file(disk, PATH)
    for length in range(len(content)):
        put_file(disk, PATH, content[:length])
        with pytest.raises(IntegrityError, match=f"segment {PATH} is damaged at offset"):
            loaded(disk)
    put_file(disk, PATH, content + b"\0")
    with pytest.raises(IntegrityError, match="damaged"):
        loaded(disk)


@pytest.mark.promise("P6")
def test_records_exchanged_are_found() -> None:
    """Sound records in each other's place, and a record of another segment."""
    samples = [Sample(21, b"one-----"), Sample(22, b"two-----")]
    disk = written(samples)
    content = get_file(disk, PATH)
    length = 8 + (len(samples[0].image) + 7 & -8)
    start = SEGMENT_HEADER_BYTES
    first, second = content[start : start + length], content[start + length : start + 2 * length]
    put_file(disk, PATH, content[:start] + second + first + content[start + 2 * length :])
    segment, index = loaded(disk)
    with pytest.raises(IntegrityError, match="message 0 fails its checksum"):
        segment.read_message(index, 0)
    other = b"".join(built(samples, segment_number=4).parts())
    put_file(
        disk, PATH, content[:start] + other[start : start + length] + content[start + length :]
    )
    segment, index = loaded(disk)
    with pytest.raises(IntegrityError, match="offset 64: message 0 fails its checksum"):
        segment.read_message(index, 0)
    assert segment.read_message(index, 1) == samples[1].image


@pytest.mark.promise("P6")
def test_file_of_another_segment_is_refused() -> None:
    _, index = loaded(written(small_segment()))
    index.expect(77, 5, 3)
    for other in [(78, 5, 3), (77, 6, 3), (77, 5, 4)]:
        with pytest.raises(IntegrityError, match=r"it is segment 3 of queue 77"):
            index.expect(*other)


def test_missing_file_is_named() -> None:
    with pytest.raises(IntegrityError, match=f"segment {PATH} is missing"):
        SegmentFile(folder(), PATH)
    assert verify_segment(folder(), PATH).faults == [f"segment {PATH} is missing"]


def altered(content: bytes, block: int, at: int, value: bytes) -> bytes:
    """A header or footer (at `block`) changed at `at` and given a right checksum again."""
    changed = bytearray(content)
    changed[at : at + len(value)] = value
    crc = crc32c(bytes(changed[block : block + 60]), identity_crc(77, 5, 3))
    changed[block + 60 : block + 64] = crc.to_bytes(4, "little")
    return bytes(changed)


@pytest.mark.parametrize(
    ("from_end", "at", "value", "text"),
    [
        (False, 40, b"\x05", "do not agree"),
        (True, 24, b"\x07", "do not agree"),
        (True, 8, bytes(8), "the index cannot be at 0"),
    ],
)
def test_impossible_header_or_footer_is_named(
    from_end: bool, at: int, value: bytes, text: str
) -> None:
    """Sound checksums around values that no one here writes."""
    disk = written(small_segment())
    content = get_file(disk, PATH)
    block = len(content) - 64 if from_end else 0
    put_file(disk, PATH, altered(content, block, block + at, value))
    with pytest.raises(IntegrityError, match=rf"{PATH} is damaged at offset \d+: .*{text}"):
        loaded(disk)


def test_file_cut_while_open_is_named() -> None:
    disk = written(small_segment())
    segment, index = loaded(disk)
    put_file(disk, PATH, get_file(disk, PATH)[:600])
    with pytest.raises(IntegrityError, match=f"offset {index.offsets[1]}: the file ends inside"):
        segment.read_message(index, 1)


def test_data_length_other_than_that_of_the_record_is_named() -> None:
    sample = Sample(10, b"alpha")
    sample.data = b"alphabet"
    segment, index = loaded(written([sample]))
    with pytest.raises(IntegrityError, match="message 10 has another length"):
        segment.read_message(index, 0)


def test_columns_are_little_endian_on_every_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of the other byte order swaps what its arrays hold, both ways."""
    sample = small_segment()[0]
    here = b"".join(built([sample]).parts())
    monkeypatch.setattr(sys, "byteorder", "big" if sys.byteorder == "little" else "little")
    swapped = b"".join(built([sample]).parts())
    assert here != swapped
    at = built([sample]).bytes
    assert here[at : at + 8] == swapped[at : at + 8][::-1]
    _, index = loaded(written([sample]))
    assert (index.numbers[0], index.sequences[0]) == (10, sample.sequence)


def test_verify_names_every_damaged_message() -> None:
    samples = small_segment()
    disk = written(samples)
    content = bytearray(get_file(disk, PATH))
    _, index = loaded(disk)
    for ordinal in (1, 3):
        content[index.offsets[ordinal] + 100] ^= 4
    put_file(disk, PATH, bytes(content))
    report = verify_segment(disk, PATH)
    assert report.messages_sound == 2
    assert len(report.faults) == 2
    assert f"offset {index.offsets[1]}:" in report.faults[0]
    assert f"offset {index.offsets[3]}:" in report.faults[1]


def test_verify_finds_an_index_that_lies() -> None:
    """Sound checksums over columns that do not say what the message says."""
    sample = small_segment()[0]
    builder = built([])
    builder.add(
        sample.header,
        sample.mqmd,
        b"",
        sample.data,
        10,
        sample.sequence,
        5,
        4,
        1,
        NO_ID,
        NO_ID,
        NO_ID,
    )
    disk = folder()
    write_segment(disk, PATH, builder.parts())
    assert "message 0 is not as indexed" in verify_segment(disk, PATH).faults[0]
    builder = built([])
    builder.add(
        sample.header,
        sample.mqmd,
        b"",
        sample.data,
        10,
        sample.sequence,
        0,
        4,
        1,
        NO_ID,
        NO_ID,
        NO_ID,
    )
    write_segment(disk, PATH, builder.parts())
    assert "wrong hashes of id kind 0" in verify_segment(disk, PATH).faults[0]


def test_verify_finds_records_out_of_place() -> None:
    """Columns of offsets and lengths that a file of this format cannot have."""
    disk = written(small_segment())
    segment, index = loaded(disk)
    index.index_offset += 8
    with pytest.raises(IntegrityError, match="do not end where the index begins"):
        verify_segment_messages(segment, index, SegmentReport(PATH))
    index.offsets[1] += 8
    with pytest.raises(IntegrityError, match="message 1 does not follow the one before"):
        verify_segment_messages(segment, index, SegmentReport(PATH))


def test_write_forces_content_before_name() -> None:
    disk = OrderDisk()
    disk.make_dir("queues/APP.IN")
    write_segment(disk, PATH, built(small_segment()).parts())
    assert disk.calls == ["create", "pwritev 0", "datasync", "sync_dir queues/APP.IN"]
