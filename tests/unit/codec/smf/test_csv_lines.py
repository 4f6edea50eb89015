"""Goal: lines of sections say what the records say, under the headings of mq-smf-csv.

Method: records with known values; a file of records of every kind whose lines mq-smf-csv agreed
with when it was made (smf_judge), kept as digests, so that none changes unseen.
"""

import csv
import hashlib
import io
from pathlib import Path
from typing import Final

import pytest

from ternmq.codec.smf.csv_lines import COMMON, INTERVAL, Lines
from ternmq.codec.smf.decoding import open_record
from ternmq.codec.smf.reader import Reader
from ternmq.codec.smf.record import Stamp, build, correlator, header_values
from ternmq.codec.smf.section_layout import Scalar, Values
from ternmq.codec.smf.section_table import SECTIONS

pytestmark = pytest.mark.core

DATA: Final = Path(__file__).parent.parent / "data"
STAMP: Final = Stamp(
    "SYS1", "QM1", 1_700_000_000_000_000_000, 0, 1_699_999_940_000_000_000, 60_000_000
)


def line(
    record_type: int, subtype: int, name: str, sections: dict[str, list[Values]], level: int = 90405
) -> dict[str, str]:
    """The first line of a section by its headings."""
    header = header_values(record_type, subtype, STAMP)
    record = open_record(build(record_type, subtype, header, sections, level=level))
    lines = Lines(name)
    row = lines.rows(record, record.sections((name,)))[0]
    assert len(row) == len(lines.headings)
    return dict(zip(lines.headings, (str(cell) for cell in row), strict=True))


def test_line_says_who_and_when() -> None:
    reported = line(115, 216, "QQST", {"QQST": [{"qqstqnam": "Q1"}]})
    assert [reported[heading] for heading in (*COMMON, *INTERVAL)] == [
        "2023/11/14",
        "22:13:20,000000",
        "SYS1",
        "QM1",
        "",
        "945",
        "2023/11/14",
        "22:12:20,000000",
        "60",
    ]


def test_headings_that_were_swapped_are_right() -> None:
    values: Values = {"qqstnpdg": 1, "qqstpdg": 2, "qqstnpbr": 3, "qqstpbr": 4}
    reported = line(115, 216, "QQST", {"QQST": [values]})
    assert [reported[h] for h in ("Get_NP", "Get_P", "Browse_NP", "Browse_P")] == [
        "1",
        "2",
        "3",
        "4",
    ]
    reported = line(115, 2, "Q5ST", {"Q5ST": [{"sskdtcuw": 4_096_000_001}]})
    assert reported["SSKT_Thread_Delete_Elapsed(S)"] == "1"
    assert not any("Update" in heading for heading in reported if heading.startswith("SSKT"))


def test_durations_and_times_have_two_columns() -> None:
    reported = line(116, 1, "WTAS", {"WTID": [{}], "WTAS": [{"wtascmet": 1_500_000 * 4096}]})
    assert (reported["Commit_ET(S)"], reported["Commit_ET(US)"]) == ("1", "500000")
    assert (reported["Start_Time (DATE)"], reported["Start_Time (TIME)"]) == ("", "")


def test_arrays_take_turns() -> None:
    values: Values = {"wtaslwet": tuple(range(0, 32 * 4096, 4096)), "wtaslwn": tuple(range(32))}
    headings = Lines("WTAS").headings
    at = headings.index("Latch_Wait_Time{1}(S)")
    expected = ("Latch_Wait_Time{1}(US)", "Latch_Wait_Count {1}", "Latch_Wait_Time{2}(S)")
    assert headings[at + 1 : at + 4] == expected
    reported = line(116, 1, "WTAS", {"WTID": [{}], "WTAS": [values]})
    assert (reported["Latch_Wait_Time{31}(US)"], reported["Latch_Wait_Count {31}"]) == ("30", "30")


def test_task_is_linked_to_its_queues() -> None:
    task: Values = {
        "wtasstrt": 0x0102030405060708,
        "wtasmthr": b"\x11" * 4,
        "wtaswtas": b"\x22" * 4,
    }
    link = "01020304050607081111111122222222"
    queue: Values = {"correl": correlator(task)}
    sections: dict[str, list[Values]] = {"WTID": [{}], "WTAS": [task], "WQ": [queue]}
    assert line(116, 1, "WTAS", sections)["Correl"] == link
    assert line(116, 1, "WTID", sections)["WTAS_Correlator"] == link
    assert line(116, 1, "WQ", sections)["Correlation"] == link
    more: dict[str, list[Values]] = {"WTID": [{}], "WQ": [queue]}
    assert line(116, 2, "WTID", more)["WTAS_Correlator"] == link


def test_coupling_facility_has_its_columns() -> None:
    numbers = tuple(range(100))
    reported = line(116, 2, "WQ", {"WTID": [{}], "WQ": [{"mqcfreq4": numbers}]})
    assert reported["CFCount {Put_Lock}"] == "0"
    assert reported["CFSync {Put_Unlock_ET}"] == "7"
    assert reported["CFAsync {Put_Delete_ET}"] == "69"
    assert reported["CFCount {Get_Lock}"] == "0"
    assert "CFCount {Cmit_ReadList}" not in Lines("WTAS").headings


def test_flags_are_words() -> None:
    reported = line(115, 215, "QPST", {"QPST": [{"qpstflags": 0x40000000}]})
    assert (reported["LOC"], reported["FIX"]) == ("Below", "Fixed")
    reported = line(115, 216, "QQST", {"QQST": [{"qqstflag": 0x20000000}]}, level=90300)
    assert (reported["Queue_Disp"], reported["Record"], reported["Uncommitted"]) == (
        "PRIVATE",
        "FULL",
        "",
    )
    reported = line(115, 2, "QESD", {"QESD": [{"qesdflag": 0x80000000}]})
    assert reported["Encrypted"] == "Yes"


def test_numbers_have_words_where_there_are_some() -> None:
    reported = line(116, 10, "QCST", {"QCST": [{"qcstchty": 7, "qcstchst": 200}]})
    assert (reported["Type"], reported["Status"]) == ("SvrConn", "200")


def test_value_that_is_not_there_is_empty() -> None:
    reported = line(116, 2, "WQ", {"WTID": [{}], "WQ": [{}]}, level=80000)
    assert reported["Streamed_Msgs"] == ""
    assert reported["Get_Min_Msg_Size"] == ""
    assert reported["Put_Delay_Count"] == "0"
    reported = line(115, 5, "QSPH", {"QSPH": [{"qsphdspnm": "LEFTOVER"}]})
    assert reported["Dataspace_Name"] == ""
    assert reported["Interval_Duration"] == ""
    reported = line(115, 5, "QSPH", {"QSPH": [{"qsphdspnm": "SPACE", "qsphflags": 0x20}]})
    assert reported["Dataspace_Name"] == "SPACE"


def test_structures_in_use_have_a_line_each() -> None:
    entries: tuple[dict[str, Scalar], ...] = (
        {"qeststr": "CSQ_ADMIN"},
        {},
        {"qeststr": "APPL1", "qestcsec": 5},
    )
    record = open_record(build(115, 2, {}, {"QEST": [{"qeststuc": entries}]}))
    lines = Lines("QEST")
    rows = lines.rows(record, record.sections(("QEST",)))
    at = lines.headings.index("Structure_Name")
    assert [row[at] for row in rows] == ["CSQ_ADMIN", "APPL1"]


def test_totals_of_a_task_say_whose_they_are() -> None:
    header: Values = {"qwhcaid": "USER1", "qwhcatyp": 6, "qwhccv": b"\x01" * 12}
    record = open_record(build(116, 0, header, {"QWAC": [{}], "QMAC": [{"qmacputa": 3}]}))
    lines = Lines("QMAC")
    reported = dict(
        zip(lines.headings, lines.rows(record, record.sections(("QMAC",)))[0], strict=True)
    )
    assert reported["Authorisation_ID"] == "USER1"
    assert reported["Application_Type"] == "CHIN"
    assert reported["Correl_ID"] == "01" * 12
    assert reported["Puts_Len_0to99"] == 3


def test_section_that_mq_smf_csv_does_not_print_has_its_fields_as_columns() -> None:
    assert Lines("QWAC").headings[6:10] == (
        "qwacbsc (DATE)",
        "qwacbsc (TIME)",
        "qwacesc (DATE)",
        "qwacesc (TIME)",
    )


def digests(path: Path) -> dict[str, str]:
    """Of the lines of each kind of section in a file."""
    texts: dict[str, io.StringIO] = {}
    makers: dict[str, Lines] = {}
    with path.open("rb") as file:
        for record in Reader(file.read):
            for section in record.sections():
                if not section.name:
                    continue
                if section.name not in makers:
                    makers[section.name] = Lines(section.name)
                    texts[section.name] = io.StringIO()
                    csv.writer(texts[section.name]).writerow(makers[section.name].headings)
                rows = makers[section.name].rows(record, [section])
                csv.writer(texts[section.name]).writerows(rows)
    return {
        name: hashlib.sha256(text.getvalue().encode()).hexdigest()[:16]
        for name, text in sorted(texts.items())
    }


def test_lines_that_were_agreed_on_stay_as_they_were() -> None:
    found = digests(DATA / "smf-samples.dat")
    kept = dict(
        pair.split() for pair in (DATA / "smf-samples.digests").read_text("ascii").splitlines()
    )
    assert found == kept
    in_header = {"SMF", "QWHS", "QWHC", "QWHX"}
    assert set(found) == {row.name for row in SECTIONS} - in_header
