"""Goal: the vectorised reader says the same as the plain one, of every field of every section.

Method: records of every kind and level made by our writer with a different value in every field,
and real dumps where they are present; both readers' values as lines of mq-smf-csv.
"""

import datetime
import io
import random
from pathlib import Path

import pytest

from ternmq.codec.smf.record import Stamp, build, header_values
from ternmq.spark.smf.record_walk import Walk
from ternmq.spark.smf.section_columns import (
    REJECTS,
    SECTION_NAMES,
    all_columns,
    column_name,
    section_columns,
)
from ternmq.spark.smf.section_rows import RowReader
from tests.unit.codec.smf.test_framing import as_bdw, as_nordw, as_rdw
from tests.unit.codec.smf_samples import LEVELS, sample_records, values_for
from tests.unit.codec.test_smf_real_dumps import DUMPS, FOLDER
from tests.unit.spark.smf_expected import Held, as_lines, decoded, lines_of


@pytest.mark.parametrize("level", LEVELS)
def test_every_section_of_a_level_when_decoded_then_as_the_plain_reader_has_it(level: int) -> None:
    data = b"".join(sample_records(level))
    rows = 0
    for section in SECTION_NAMES:
        expected = lines_of(data, section)
        assert as_lines(decoded(data, section), section) == expected
        rows += len(expected)
    assert rows > 60


@pytest.mark.parametrize("name", DUMPS)
def test_real_dump_when_decoded_then_every_value_is_the_plain_readers(name: str) -> None:
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"not shown: there is no {name}")
    data = path.read_bytes()
    rows = 0
    for section in SECTION_NAMES:
        expected = lines_of(data, section)
        assert as_lines(decoded(data, section, 100_000), section) == expected
        rows += len(expected)
    assert rows >= DUMPS[name][0]


def test_levels_when_mixed_in_a_file_then_fields_that_one_lacks_are_null() -> None:
    data = b"".join(record for level in LEVELS for record in sample_records(level))
    rows = decoded(data, "QQST")
    assert as_lines(rows, "QQST") == lines_of(data, "QQST")
    old = [row for row in rows if row["MQ_Version"] == "930"]
    new = [row for row in rows if row["MQ_Version"] == "945"]
    assert old
    assert all(row["Otel_Prop_Put"] is None for row in old if "Otel_Prop_Put" in row)
    last = section_columns("QQST")[-1].name
    assert all(row[last] is None for row in old)
    assert all(row[last] is not None for row in new)


@pytest.mark.parametrize("form", [as_rdw, as_bdw, as_nordw])
@pytest.mark.parametrize("section", ["WQ", "QEST", "QMAC", "QCTADP"])
def test_forms_when_read_then_rows_are_the_same(form: object, section: str) -> None:
    records = sample_records(90405)
    rows = decoded(b"".join(records), section)
    assert callable(form)
    found = decoded(form(records), section, 1)
    assert as_lines(found, section) == as_lines(rows, section)


def test_spanned_records_when_read_then_positions_are_those_of_their_first_segments() -> None:
    records = sample_records(90405)
    data = as_rdw(records, 500)
    rows = decoded(data, "WTAS")
    assert as_lines(rows, "WTAS") == lines_of(data, "WTAS")
    for row in rows:
        position = row["Record_Position"]
        assert data[position + 2] == 1
        assert data[position + 5] == 116


def test_columns_when_some_are_wanted_then_only_those_come_in_that_order() -> None:
    data = b"".join(sample_records(90405))
    walk = Walk(Held(data).read_at, "rdw", 0, len(data))
    reader = RowReader("WQ", ("Get_Count", "Base_Name", "Time_UTC"))
    whole = {row["Base_Name"]: row["Get_Count"] for row in decoded(data, "WQ")}
    found = [
        row
        for piece in walk.pieces()
        for b in reader.batches(piece.records, "f")
        for row in b.to_pylist()
    ]
    assert found
    assert [*found[0]] == ["Get_Count", "Base_Name", "Time_UTC"]
    assert all(whole[row["Base_Name"]] == row["Get_Count"] for row in found)


def test_names_when_listed_then_none_is_twice_whatever_the_case() -> None:
    for section in (*SECTION_NAMES, REJECTS):
        names = [name.lower() for name, _ in all_columns(section)]
        assert len(set(names)) == len(names)
        assert all(column_name(name) == name.strip("_") for name in names)


def test_swapped_headings_of_queues_when_read_then_they_are_right() -> None:
    data = build(
        115,
        216,
        header_values(115, 216, Stamp("SYS1", "QM1X", 1_700_000_000_000_000_000)),
        {"QQST": [{"qqstpdg": 7, "qqstnpdg": 5, "qqstpbr": 3, "qqstnpbr": 2}]},
    )
    (row,) = decoded(data, "QQST")
    assert [row[name] for name in ("Get_P", "Get_NP", "Browse_P", "Browse_NP")] == [7, 5, 3, 2]


@pytest.mark.parametrize("zone_s", [0, 3600, -18_000, 20_700, 50_400])
def test_zone_when_the_record_has_a_clock_then_times_are_instants(zone_s: int) -> None:
    written, start = 1_700_000_000_120_000_000, 1_699_999_940_000_000_000
    stamp = Stamp("SYS1", "QM1X", written, zone_s, start, 60_000_000)
    data = build(115, 216, header_values(115, 216, stamp), {"QQST": [{}]})
    (row,) = decoded(data, "QQST")
    utc = datetime.UTC
    assert row["Time_UTC"] == datetime.datetime.fromtimestamp(written / 1e9, utc)
    assert row["Interval_Start"] == datetime.datetime.fromtimestamp(start / 1e9, utc)
    assert row["Zone_Offset"] == zone_s
    local = row["Time_UTC"].replace(tzinfo=None) + datetime.timedelta(seconds=zone_s)
    assert row["Time"] == local
    assert row["Date"] == local.date()
    assert (row["Interval_Duration"], row["Interval_Duration_US"]) == (60, 60_000_000)


@pytest.mark.parametrize(
    ("zone", "offset"), [("", None), ("+02:00", 7200), ("Europe/Berlin", 3600), ("-0330", -12_600)]
)
def test_zone_when_the_record_reports_none_then_it_is_the_one_given(
    zone: str, offset: int | None
) -> None:
    stamp = Stamp("SYS1", "QM1X", 1_700_000_000_000_000_000)
    chance = random.Random("QSRS")
    section = values_for("QSRS", 232, chance)
    data = build(115, 7, header_values(115, 7, stamp), {"QSRS": [section]})
    walk = Walk(Held(data).read_at, "rdw", 0, len(data))
    reader = RowReader("QSRS", ("Time", "Time_UTC", "Zone_Offset", "Interval_Start"), zone)
    (row,) = [
        row
        for piece in walk.pieces()
        for batch in reader.batches(piece.records, "f")
        for row in batch.to_pylist()
    ]
    assert row["Time"] == datetime.datetime(2023, 11, 14, 22, 13, 20)
    assert row["Zone_Offset"] == offset
    assert row["Interval_Start"] is None
    if offset is None:
        assert row["Time_UTC"] is None
    else:
        assert row["Time_UTC"].timestamp() == 1_700_000_000 - offset


def test_text_when_beyond_ascii_or_padded_with_zeros_then_as_the_plain_reader_has_it() -> None:
    names = ["GRÜN.Ä", "QUEUE  X", "", None, "A" * 48, "AB\0\0", "Ö"]
    queues = [{"qqstqnam": name} for name in names]
    stamp = Stamp("SYS1", "QM1X", 1_700_000_000_000_000_000)
    data = build(115, 216, header_values(115, 216, stamp), {"QQST": queues})
    rows = decoded(data, "QQST")
    column = next(c.name for c in section_columns("QQST") if c.kind == "c")
    assert [row[column] for row in rows] == ["GRÜN.Ä", "QUEUE  X", "", None, "A" * 48, "AB", "Ö"]
    assert as_lines(rows, "QQST") == lines_of(data, "QQST")


def test_folder_of_samples_when_present_then_it_is_what_the_tests_read() -> None:
    data = (Path(__file__).parent.parent.parent / "codec" / "data" / "smf-samples.dat").read_bytes()
    assert io.BytesIO(data).read(2) != b""
    for section in SECTION_NAMES:
        assert as_lines(decoded(data, section), section) == lines_of(data, section)
