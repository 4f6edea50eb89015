"""Goal: the table of record kinds is whole, the bytes of every kind are those of the format, and a
kind that nobody knows is refused by its number.

Method: constants, table, samples and format page against each other; samples against bytes,
descriptions and survey results that were taken before the table existed; a log with a kind of a
later version.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.base.errors import IntegrityError
from ternmq.inspect.dump import LogDump, Range, describe
from ternmq.inspect.folder import Folder
from ternmq.inspect.salvage import salvage
from ternmq.log import kinds
from ternmq.txn.families.describing import Names
from ternmq.txn.families.record_kind import RecordKind
from ternmq.txn.families.table import KIND_NAMES, ROWS, kind_name, kind_of
from ternmq.txn.media.log_survey import LogSurvey, last_image
from tests.unit.inspect.folders import crashed, small
from tests.unit.log.format_page import PAGE, ROOT
from tests.unit.txn.record_samples import golden, record, samples

CONSTANTS = {
    name: number
    for name, number in vars(kinds).items()
    if name.isupper() and isinstance(number, int)
}
SAMPLES = samples()
UNKNOWN = 200


# ---- the table


@pytest.mark.core
def test_table_then_a_row_for_each_constant_under_its_name() -> None:
    reserved = {name for name, number in CONSTANTS.items() if number in kinds.RESERVED}
    assert len(reserved) == len(kinds.RESERVED)
    written = {number: name for name, number in CONSTANTS.items() if name not in reserved}
    assert written == KIND_NAMES
    assert len(ROWS) == len(KIND_NAMES)
    assert sorted(CONSTANTS.values()) == list(range(1, len(CONSTANTS) + 1))


@pytest.mark.core
def test_table_when_a_kind_is_looked_up_then_its_own_row() -> None:
    for row in ROWS:
        assert kind_of(record(row.kind, 0, b"")) is row
    assert kind_name(4) == "COMMIT"
    assert kind_name(99) == "KIND_99"


@pytest.mark.core
@pytest.mark.parametrize("row", ROWS, ids=list(KIND_NAMES.values()))
def test_row_then_it_has_redo_and_describe_of_its_own(row: RecordKind) -> None:
    assert type(row).redo is not RecordKind.redo
    assert type(row).describe is not RecordKind.describe


@pytest.mark.plain
@pytest.mark.parametrize("row", ROWS, ids=list(KIND_NAMES.values()))
def test_row_then_its_module_and_the_format_page_have_its_layout(row: RecordKind) -> None:
    module = ROOT / "src" / f"{type(row).__module__.replace('.', '/')}.py"
    head = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    page = PAGE.read_text(encoding="utf-8")
    layouts = [line.split()[0] for line in head.splitlines() if line.startswith("    ")]
    is_whole_page = row.name in head.splitlines()[0]  # LEDGER and MEDIA_IMAGE have a page each
    assert row.name in layouts or is_whole_page
    assert head in page


# ---- the bytes


@pytest.mark.core
def test_samples_then_there_is_one_of_each_kind() -> None:
    assert {kind for _, kind, _, _ in SAMPLES} == set(KIND_NAMES)
    assert [name for name, _, _, _ in SAMPLES] == list(golden())


@pytest.mark.core
@pytest.mark.parametrize("sample", SAMPLES, ids=[one[0] for one in SAMPLES])
def test_sample_then_bytes_description_and_survey_are_as_ever(
    sample: tuple[str, int, int, bytes],
) -> None:
    name, kind, unit, payload = sample
    wanted = golden()[name]
    assert (kind, unit, payload.hex()) == (wanted["kind"], wanted["unit"], wanted["payload"])
    one = record(kind, unit, payload)
    assert describe(one, Names(None), 64) == wanted["description"]
    assert kind_of(one).queues(one) == wanted["queues"]
    image = kind_of(one).image(one)
    found = image and [image.object_id, image.image_lsn, image.media_lsn, image.ns]
    assert found == wanted["image"]


@pytest.mark.core
@pytest.mark.parametrize("sample", SAMPLES, ids=[one[0] for one in SAMPLES])
def test_sample_when_it_is_cut_then_it_is_shown_as_not_understood_or_as_shorter(
    sample: tuple[str, int, int, bytes],
) -> None:
    _, kind, unit, payload = sample
    whole = describe(record(kind, unit, payload), Names(None), 64)
    for length in range(len(payload)):
        assert describe(record(kind, unit, payload[:length]), Names(None), 64) != whole


# ---- a kind that is not in the table


@pytest.mark.core
@pytest.mark.parametrize("kind", [0, *kinds.RESERVED, UNKNOWN, 255])
def test_kind_that_is_not_in_the_table_then_refused_with_its_number(kind: int) -> None:
    strange = record(kind, 0, b"from later")
    with pytest.raises(IntegrityError, match=f"LSN {strange.lsn} is of kind {kind}, which"):
        kind_of(strange)
    with pytest.raises(IntegrityError, match=f"of kind {kind},"):
        LogSurvey(1 << 40, 1 << 40).take(iter([strange]))
    with pytest.raises(IntegrityError, match=f"of kind {kind},"):
        last_image(iter([strange]), 0)
    shown = describe(strange, Names(None), 4)
    assert f"of kind {kind}," in shown["not_understood"]
    assert shown["payload"] == b"from".hex()


def _write_unknown(data: Path) -> None:
    qmgr = small(data)
    qmgr.define_queue("A")
    qmgr.checkpoint()  # so that the catalog file has it
    kept = ternmq.Descriptor(persistence=mq.MQPER_PERSISTENT)
    qmgr.put("A", "before", descriptor=kept)
    qmgr.started.shell.engine.log.append(UNKNOWN, 0, 0, [b"from later"])
    qmgr.put("A", "after", descriptor=kept)


@pytest.mark.core
def test_log_with_a_later_kind_then_start_is_refused_and_the_tools_go_on(tmp_path: Path) -> None:
    crashed(tmp_path, _write_unknown)
    with pytest.raises(IntegrityError, match=f"is of kind {UNKNOWN}, which this version"):
        ternmq.embedded(tmp_path)
    with Folder(tmp_path) as folder:
        dump = LogDump(folder)
        shown: list[dict[str, Any]] = [dump.values(one) for one in dump.records(Range(base=True))]
    assert dump.is_sound
    names = [one["kind"] for one in shown]
    assert f"KIND_{UNKNOWN}" in names
    assert names[-1] == "PUT"
    found = salvage(tmp_path, None, "A")
    assert found.count("alive") == 2
    assert any(f"of kind {UNKNOWN}," in fault for fault in found.faults)


@pytest.mark.plain
def test_table_then_nobody_else_chooses_by_kind() -> None:
    """An `if` over kinds elsewhere would be a place more that a new kind has to know."""
    source = ROOT / "src" / "ternmq"
    chosen = [
        f"{path.relative_to(source)}: {line.strip()}"
        for path in sorted(source.rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if "record.kind" in line and ("==" in line or " in " in line or "!=" in line)
    ]
    assert chosen == [
        "engine/backup.py: if record.kind == CHECKPOINT:",  # where the control file is to point
        "txn/media/catalog_recovery.py: if record.kind == kinds.MEDIA_IMAGE:",  # collects an image
        "txn/media/queue_recovery.py: if record.kind == kinds.OBJECT and record.lsn == "
        "self.image.image_lsn:",
        "txn/media/queue_recovery.py: if record.kind != kinds.MEDIA_IMAGE:",
    ]
