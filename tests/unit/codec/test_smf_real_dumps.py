"""Goal: every value in real dumps of MQ for z/OS is read, and written again gives the same bytes.

Method: dumps of MQ 8.0 that mq-smf-csv ships as samples, where they are present: in the folder that
TERNMQ_SMF_DATA names, or in shared/data beside the checkout. They are no part of this project, so
that elsewhere these cases are skipped; test_smf_decoding shows the same on records of ours.
"""

import io
import os
from pathlib import Path
from typing import Final

import pytest

from ternmq.codec.smf.decoding import rebuild
from ternmq.codec.smf.framing import Framing, Source
from ternmq.codec.smf.reader import Reader
from ternmq.codec.smf.section_layout import Value
from tests.unit.codec.smf.test_framing import as_bdw, as_nordw, as_rdw
from tools.layers import ROOT

pytestmark = pytest.mark.core

FOLDER: Final = Path(os.environ.get("TERNMQ_SMF_DATA", ROOT.parent / "shared" / "data"))
# Records read, sections in them (three of them: internal ones that nobody knows, in 115-1).
DUMPS: Final = {
    "smf-mq800-115.dat": (3, 17),
    "smf-mq800-116.dat": (3, 8),
    "smf-mq800-channels.dat": (317, 1335),
}


@pytest.mark.parametrize("name", DUMPS)
def test_dump_is_read_whole_and_written_again_without_a_difference(name: str) -> None:
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"not shown: there is no {name}")
    records = sections = fields = 0
    with path.open("rb") as file:
        reader = Reader(file.read)
        for record in reader:
            records += 1
            for section in record.sections():
                sections += 1
                fields += len(section.values)
                assert section.leftovers() == ({} if section.name else {0: section.raw})
            assert rebuild(record) == record.raw
    assert reader.form == "rdw"
    assert reader.tally.not_read == 0
    assert (records, sections) == DUMPS[name]
    assert fields > 10 * (sections - 2 * records)


@pytest.mark.parametrize("name", DUMPS)
def test_dump_in_other_forms_says_the_same(name: str) -> None:
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"not shown: there is no {name}")
    with path.open("rb") as file:
        records = list(Framing(Source(file.read), "rdw").records())
    expected = reported(records_in(as_rdw(records)))
    for form, data in (
        ("rdw", as_rdw(records, 900)),
        ("bdw", as_bdw(records)),
        ("bdw", as_bdw(records, 900, 7)),
        ("nordw", as_nordw(records)),
    ):
        reader = records_in(data)
        assert reader.form == form
        assert reported(reader) == expected


def records_in(data: bytes) -> Reader:
    return Reader(io.BytesIO(data).read)


def reported(reader: Reader) -> list[tuple[str, dict[str, Value]]]:
    """Every section of a file."""
    return [(s.name, s.values) for record in reader for s in record.sections()]


def test_dump_has_the_values_that_it_is_known_to_have() -> None:
    path = FOLDER / "smf-mq800-115.dat"
    if not path.exists():
        pytest.skip(f"not shown: there is no {path.name}")
    with path.open("rb") as file:
        read = {name: values for r in Reader(file.read) for name, values in named(r).items()}
    assert read["QMST"]["qmstopen"] == 124_746
    assert read["QMST"]["qmstget"] == 1_185_931
    assert "qmstspp" not in read["QMST"]
    assert read["QLST"]["qlstgetl"] == 8_808_906
    assert read["QPST"]["qpstnbuf"] == 50_000


def named(record: object) -> dict[str, dict[str, object]]:
    """The first copy of each section."""
    found: dict[str, dict[str, object]] = {}
    for section in record.sections():  # type: ignore[attr-defined]
        found.setdefault(section.name, section.values)
    return found
