"""Goal: a record is what its values say, in the layout of MQ for z/OS.

Method: records that are built here are looked at byte by byte.
"""

from __future__ import annotations

import pytest

from ternmq.base.errors import FormatError
from ternmq.codec.smf.record import KINDS, Stamp, build, capacity, header_values

STAMP = Stamp(
    "SYS1", "QM1X", 1_700_000_000_000_000_000, 3600, 1_699_999_940_000_000_000, 60_000_000
)


def test_record_is_laid_out_in_the_physical_order() -> None:
    header = header_values(115, 1, STAMP)
    record = build(115, 1, header, {"QSST": [{}], "QJST": [{"qjstwrw": 5}]})
    assert int.from_bytes(record[:2], "big") == len(record) == 28 + 12 * 8 + 80 + 720 + 52
    assert record[4:6] == b"\x5e\x73"
    assert record[22:24] == b"\x00\x01"
    assert record[24:27].decode("cp037") == "945"
    product, storage, log = record[28:36], record[28 + 72 : 36 + 72], record[28 + 88 : 36 + 88]
    assert product == (28 + 96 + 800).to_bytes(4, "big") + b"\x00\x34\x00\x01"
    assert storage == (28 + 96).to_bytes(4, "big") + b"\x00\x50\x00\x01"
    assert log == (28 + 96 + 80).to_bytes(4, "big") + b"\x02\xd0\x00\x01"
    qjst = record[204:924]
    assert qjst[:8] == b"\x00\x93\x02\xd0" + "QJST".encode("cp037")
    assert qjst[8:12] == b"\0\0\0\5"
    assert not qjst[12:40].strip(b"\0")


def test_record_of_another_kind_is_refused() -> None:
    with pytest.raises(FormatError, match="115-3"):
        build(115, 3, {}, {})
    with pytest.raises(FormatError, match="115-1 has no section QMST"):
        build(115, 1, {}, {"QMST": [{}]})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"qsstgplf": -1}, "QSST.qsstgplf"),
        ({"qsstgplf": "many"}, "QSST.qsstgplf: 'many'"),
        ({"qsstdesc": "TOO LONG"}, "longer than 4"),
        ({"other": 1}, "QSST has no field other"),
    ],
)
def test_value_that_does_not_fit_is_refused(values: dict[str, int | str], said: str) -> None:
    with pytest.raises(FormatError, match=said):
        build(115, 1, {}, {"QSST": [values]})


def test_section_that_the_level_does_not_have_is_refused() -> None:
    with pytest.raises(FormatError, match=r"9\.2 has no section QQST"):
        build(115, 216, {}, {"QQST": [{}]}, level=90200)


def test_capacity_is_what_one_record_holds() -> None:
    for (record_type, subtype), row in KINDS.items():
        name = row.sections[-1][1]
        if not name:
            continue
        most = capacity(record_type, subtype, name)
        build(record_type, subtype, {}, {name: [{}] * most})
        with pytest.raises(FormatError, match="are allowed"):
            build(record_type, subtype, {}, {name: [{}] * (most + 1)})
