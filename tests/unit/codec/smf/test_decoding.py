"""Goal: what our writer writes is what our reader reads, field by field and byte by byte; a record
that cannot be is refused with a reason.

Method: a sample with a value in every field of each record at each level (smf_samples); records
spoiled at known places; hypothesis changes any byte of any record.
"""

import random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.errors import FormatError, MQError
from ternmq.codec.smf.csv_lines import Lines
from ternmq.codec.smf.decoding import open_record, rebuild, record_subtype, record_type
from ternmq.codec.smf.field import RESERVED
from ternmq.codec.smf.natural import natural_record, natural_values
from ternmq.codec.smf.record import KINDS, build, header_values
from ternmq.codec.smf.section_layout import LAYOUTS, Value, Values, length_at
from tests.unit.codec.smf_samples import LEVELS, STAMP, sample, sample_records, values_for

pytestmark = pytest.mark.core

RECORDS: Final = [record for level in (80000, 90405, 100000) for record in sample_records(level)]


@pytest.mark.parametrize("level", LEVELS)
def test_section_when_every_field_has_a_value_then_it_is_read(level: int) -> None:
    for name, layout in LAYOUTS.items():
        length = layout.row.length(level)
        if not length:
            continue
        values = values_for(name, length, random.Random(f"{name}{level}"))
        read = layout.unpack(layout.pack(values, length), 0, length)
        assert {field: read[field] for field in values} == values
        names = [f.name for f in layout.row.fields if f.kind != RESERVED and f.end <= length]
        assert list(read) == names


@pytest.mark.parametrize("level", LEVELS)
def test_record_when_it_is_read_and_written_then_no_byte_differs(level: int) -> None:
    for data in sample_records(level):
        record = open_record(data)
        assert record.level == level
        assert record.is_known_level
        assert rebuild(record) == data
        read = {name: record.values_of(name) for name in LAYOUTS}
        again = build(
            record_type(data),
            record_subtype(data),
            record.header,
            {name: copies for name, copies in read.items() if copies},
            level=level,
        )
        if record.row.subtype != 231:  # where absent sections have lengths, see smf_record
            assert again == data


def test_record_says_who_wrote_it() -> None:
    record = open_record(build(115, 215, header_values(115, 215, STAMP), {"QPST": [{}]}))
    reported = natural_record(record)
    assert reported["record"] == "115-215"
    assert reported["written"] == "2023-11-14T23:13:20.12"
    assert reported["built"] == "2023-11-14T22:13:20.120000Z"
    assert reported["interval_start"] == "2023-11-14T23:12:20.000000"
    assert reported["interval_us"] == 60_000_000
    assert (reported["system"], reported["queue_manager"], reported["release"]) == (
        "SYS1",
        "QM1X",
        "945",
    )


def test_interval_of_the_channel_initiator_is_in_microseconds_all_the_same() -> None:
    data = build(115, 231, header_values(115, 231, STAMP), {"QCCT": [{}]})
    record = open_record(data)
    assert record.header["qwhsdurn"] == 60_000_000 * 4096
    assert natural_record(record)["interval_us"] == 60_000_000


def test_absent_tasks_of_the_channel_initiator_have_a_place() -> None:
    record = open_record(build(115, 231, {}, {"QCCT": [{}]}))
    assert record.triplets[0] == (76, 64, 1)
    assert record.triplets[1:] == [(140, 36, 0), (140, 32, 0), (140, 48, 0), (140, 48, 0)]


def test_task_without_queues_has_three_triplets() -> None:
    record = open_record(build(116, 1, {}, {"WTID": [{}], "WTAS": [{}]}))
    assert record.header["qwhsnsda"] == 3
    assert len(record.triplets) == 2


def test_five_triplets_of_the_channel_initiator_are_six() -> None:
    data = build(115, 231, {"qwhsnsda": 5}, {"QCCT": [{}], "QCTDNS": [{"qctreqn": 9}]})
    assert open_record(data).values_of("QCTDNS")[0]["qctreqn"] == 9


def test_text_when_it_was_not_filled_in_then_it_is_none() -> None:
    values = open_record(build(116, 1, {}, {"WTID": [{}], "WTAS": [{}]})).values_of("WTID")[0]
    assert values["wtidchl"] is None
    assert values["wtidccn"] == ""


def test_field_that_the_version_of_the_structure_does_not_have_is_not_read() -> None:
    layout = LAYOUTS["WQ"]
    data = layout.pack({"wqver": 5, "getdval": 3}, 2800)
    values = layout.unpack(data, 0, 2800)
    assert values["getdval"] == 3
    assert "cbn" in values
    assert not {"mqcfreq1", "putddly", "streamedn"} & set(values)
    layout = LAYOUTS["WTAS"]
    values = layout.unpack(layout.pack({"wtasver": 4}, 2344), 0, 2344)
    assert "wtaspbhw" in values
    assert not {"wtassmrs", "wtaslmax"} & set(values)


def test_reserved_bytes_that_are_not_zero_are_left_over_and_put_back() -> None:
    layout = LAYOUTS["QSST"]
    data = bytearray(layout.pack({"qsstgplf": 1}, 96))
    data[76:80] = b"more"
    assert layout.leftovers(bytes(data)) == {72: data[72:]}
    values = layout.unpack(bytes(data), 0, 96)
    assert layout.pack(values, 96, layout.leftovers(bytes(data))) == data


def spoiled(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


@pytest.mark.parametrize(
    ("at", "new", "said"),
    [
        (28, b"\x00\x01\x00\x00", "product section of 52 bytes at 65536"),
        (32, b"\x00\x02", "product section of 2 bytes"),
        (36, b"\x00\x00\x00\x10", "3 sections of 104 bytes at 16"),
        (36, b"\x00\x00\x7f\x00", "3 sections of 104 bytes at 32512"),
        (40, b"\x00\x00", "3 sections of 0 bytes"),
        (42, b"\xff\xff", "65535 sections of 104 bytes"),
        (5, b"\x1e", "30-215 is not a record of MQ"),
    ],
)
def test_record_when_it_cannot_be_then_the_error_says_why(at: int, new: bytes, said: str) -> None:
    data = sample(115, 215, 90405, 3, 1)
    with pytest.raises(FormatError, match=said):
        open_record(spoiled(data, at, new))


def test_product_section_when_it_cannot_be_then_the_error_says_why() -> None:
    totals = sample(116, 0, 90405, 1, 1)
    at = int.from_bytes(totals[28:32], "big")
    for data, said in (
        (spoiled(totals, at, b"\x00\x28"), "QWHS of 40 bytes in a section of 128"),
        (spoiled(totals, 32, b"\x00\x7f"), "no room for QWHC in a section of 127"),
        (spoiled(totals, 24, "946".encode("cp037")), "no room for QWHX in a section of 128"),
        (spoiled(totals, at + 6, b"\xff"), "255 triplets in 436 bytes"),
    ):
        with pytest.raises(FormatError, match=said):
            open_record(data)


def test_group_is_in_the_extension_header() -> None:
    stamp = STAMP._replace(group="QSG1")
    header = header_values(115, 215, stamp)
    record = open_record(build(115, 215, header, {"QPST": [{}]}, level=100000))
    assert natural_record(record)["group"] == "QSG1"
    assert Lines("QPST").rows(record, record.sections())[0][4:6] == ["QSG1", "100000"]


def test_task_when_neither_it_nor_a_queue_is_reported_then_it_has_no_correlator() -> None:
    record = open_record(build(116, 2, {}, {"WTID": [{}]}))
    assert Lines("WTID").rows(record, record.sections())[0][6] == ""


def test_lengths_that_records_report_do_not_fill_memory() -> None:
    layout = LAYOUTS["QMST"]
    data = layout.pack({}, 328) + bytes(2000)
    read = [len(layout.unpack(data, 0, length)) for length in range(8, 1000)]
    assert read[0] == 3
    assert read[-1] == len(layout.by_name)
    assert len(layout._plans) <= len(layout.row.fields)


def test_record_when_an_eye_catcher_is_wrong_then_its_section_is_refused() -> None:
    data = sample(115, 215, 90405, 3, 1)
    record = open_record(spoiled(data, 44 + 104 + 4, "QMST".encode("cp037")))
    with pytest.raises(FormatError, match="QPST: the eye-catcher is 'QMST'"):
        record.sections()


def test_record_when_it_is_of_a_level_that_nobody_knows_then_it_says_so() -> None:
    for release, known in (("701", False), ("9A0", False), ("945", True), ("947", False)):
        record = open_record(build(115, 215, {"smfrel": release}, {}))
        assert record.is_known_level is known


def test_every_prefix_of_a_record_is_read_or_refused() -> None:
    data = sample(116, 1, 90405, 1, 1)
    for size in range(0, len(data), 7):
        with pytest.raises(MQError):
            open_record(data[:size]).sections()


@given(
    st.sampled_from(RECORDS),
    st.lists(st.tuples(st.integers(0, 400), st.binary(min_size=1, max_size=4)), max_size=6),
    st.integers(0, 3),
)
def test_record_when_any_byte_is_changed_then_it_is_read_or_refused(
    data: bytes, changes: list[tuple[int, bytes]], cut: int
) -> None:
    for at, new in changes:
        data = spoiled(data, min(at, len(data) - 1), new)
    data = data[: len(data) - cut * 50]
    try:
        record = open_record(data)
        for section in record.sections():
            if section.name:
                Lines(section.name).rows(record, [section])
                natural_values(section.name, section.values)
        rebuilt = rebuild(record)
    except MQError:
        return
    # What is valid may be written in another order, but tells the same.
    assert open_record(rebuilt).header == record.header


def test_type_in_a_short_product_section_when_it_is_unusual_then_it_is_kept() -> None:
    seen = 0
    for data in RECORDS:
        try:
            record = open_record(spoiled(data, 46, b"\2"))
        except MQError:
            continue  # it has something else there
        if record.header.get("qwhstyp") == 2:
            seen += 1
            assert open_record(rebuild(record)).header == record.header
    assert seen > 0


@given(st.binary(max_size=300))
def test_anything_is_read_or_refused(data: bytes) -> None:
    try:
        open_record(b"\0\0\0\0\x5e" + data)
    except MQError:
        return


def test_every_kind_of_record_has_a_sample() -> None:
    kinds = {(record_type(data), record_subtype(data)) for data in RECORDS}
    unknown = {key for key, row in KINDS.items() if not any(name for _, name in row.sections)}
    assert kinds == set(KINDS) - unknown


def test_values_that_are_not_reported_get_what_a_writer_puts() -> None:
    length = length_at("WQ", 90405)
    read = LAYOUTS["WQ"].unpack(LAYOUTS["WQ"].pack({}, length), 0, length)
    expected: dict[str, Value] = {
        "wqid": 0xF702,
        "wqll": 2800,
        "wqeye": "WQST",
        "wqver": 9,
        "openeye": "OPEN",
        "geteye": "GET",
        "getminms": 0x0FFFFFFF,
        "putminms": 0x0FFFFFFF,
        "objname": "",
        "mqcfreq1": (0,) * 100,
    }
    assert {name: read[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"wtaslwn": (1, 2)}, "2 numbers for 32"),
        ({"wtaslwn": 5}, "cannot stand there"),
        ({"wtasmthr": b"12345"}, "5 bytes do not fit into 4"),
        ({"wtasstrt": 1 << 64}, "WTAS.wtasstrt"),
    ],
)
def test_values_that_do_not_fit_are_refused(values: Values, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        LAYOUTS["WTAS"].pack(values, 2344)


def test_group_when_it_is_reported_in_part_then_the_rest_is_zeros() -> None:
    layout = LAYOUTS["QEST"]
    entry: Values = {"qeststr": "CSQ_ADMIN", "qestcsec": 7}
    read = layout.unpack(layout.pack({"qeststuc": ({**entry},)}, 4104), 0, 4104)  # type: ignore[dict-item]
    entries = read["qeststuc"]
    assert isinstance(entries, tuple)
    assert len(entries) == 64
    first, second = entries[0], entries[1]
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert (first["qeststr"], first["qestcsec"]) == ("CSQ_ADMIN", 7)
    assert second["qeststr"] is None
    with pytest.raises(FormatError, match="7 is not an entry"):
        layout.pack({"qeststuc": (7,)}, 4104)
    with pytest.raises(FormatError, match="qmstspp does not fit into 72 bytes"):
        LAYOUTS["QMST"].pack({"qmstspp": 1}, 72)
    with pytest.raises(FormatError, match="65 entries for 64"):
        layout.pack({"qeststuc": ({},) * 65}, 4104)
