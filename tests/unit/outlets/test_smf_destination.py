"""Goal: snapshots become records in every kind of destination, and the same ones in each.

Method: real files and a memory stream in one set of destinations; records compared byte by byte.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ternmq.outlets.measurement import notices_of
from ternmq.outlets.smf_data_sets import data_sets
from ternmq.outlets.smf_destination import SmfDestination, system_name, zone_s
from ternmq.outlets.smf_log_streams import read_log_stream
from ternmq.outlets.smf_settings import SMFDestination
from ternmq.telemetry.smf.log_stream_format import split_records
from ternmq.telemetry.snapshot import PCF, SMF
from tests.unit.telemetry.measured import (
    END_NS,
    channel_interval,
    interval,
    sections_of,
    task_record,
)

pytestmark = pytest.mark.core

EVERY_KIND = (
    SMFDestination("MAN"),
    SMFDestination("LOG", "LogStream", types=(116,)),
    SMFDestination("ZLOG", "LogStream", compressed=True),
    SMFDestination("MEM", "Memory"),
)


def nobody(*words: object) -> None:
    raise AssertionError(words)


def test_destinations_when_given_snapshots_then_all_hold_the_same_records(tmp_path: Path) -> None:
    made = SmfDestination(str(tmp_path), EVERY_KIND, nobody, now_ns=lambda: END_NS)
    assert made.takes(SMF)
    assert not made.takes(PCF)
    made.statistics(interval(3))
    made.task(task_record(2))
    made.channels(channel_interval())
    made.close()
    (path,) = data_sets(str(tmp_path / "smf" / "MAN"), "MAN")
    records = split_records(Path(path).read_bytes())
    assert records is not None
    names = [sections_of(one)[0] for one in records]
    assert names == [
        *(f"115-{subtype}" for subtype in (1, 2, 201, 215, 5, 6, 7, 216, 231)),
        "116-0",
        "116-1",
        "116-10",
    ]
    compressed = [one for _, one in read_log_stream(str(tmp_path / "smf" / "ZLOG"))]
    assert compressed == records
    assert made.streams["MEM"].read(1).records == records
    accounting = [one for _, one in read_log_stream(str(tmp_path / "smf" / "LOG"))]
    assert accounting == records[-3:]
    statuses = {one.name: one for one in made.status()}
    assert {name: one.written for name, one in statuses.items()} == {
        "MAN": 12,
        "LOG": 3,
        "ZLOG": 12,
        "MEM": 12,
    }
    total = sum(len(one) for one in records)
    assert statuses["MAN"].written_bytes == statuses["MEM"].written_bytes == total
    assert statuses["MAN"].place == str(tmp_path / "smf" / "MAN")


def test_switch_when_asked_then_a_new_data_set_for_each_or_one(tmp_path: Path) -> None:
    settings = (SMFDestination("A"), SMFDestination("B", path=str(tmp_path / "elsewhere")))
    made = SmfDestination(str(tmp_path), settings, nobody)
    made.statistics(interval(0, classes="2"))
    assert made.switch() == ["A", "B"]
    made.statistics(interval(0, classes="2"))
    assert made.switch("B") == ["B"]
    made.statistics(interval(0, classes="2"))
    assert made.drain()
    made.close()
    assert len(data_sets(str(tmp_path / "smf" / "A"), "A")) == 2
    assert len(data_sets(str(tmp_path / "elsewhere"), "B")) == 3


def test_destinations_when_nothing_is_recorded_then_no_file_is_made(tmp_path: Path) -> None:
    made = SmfDestination(str(tmp_path), EVERY_KIND, nobody)
    made.statistics(interval(0, classes=""))
    made.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "a/b"},
        {"name": ""},
        {"name": "A", "kind": "Tape"},
        {"name": "A", "types": (110,)},
        {"name": "A", "kept": -1},
        {"name": "A", "compressed": True},
    ],
)
def test_settings_when_wrong_then_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"."):
        SMFDestination(**wrong)  # type: ignore[arg-type]


def test_system_and_zone_when_asked_then_as_records_want_them() -> None:
    assert len(system_name()) <= 4
    assert -50_400 <= zone_s(END_NS) <= 50_400


def test_notices_when_reported_then_operators_find_them() -> None:
    import ternmq

    with ternmq.memory("QM1") as qmgr:
        shell = qmgr.started.shell
        shell.engine.kernel.notices.take()
        notices_of(shell)("AMQ7991E", "MAN", "full")
        (notice,) = shell.engine.kernel.notices.take()
        assert (notice.message_id, notice.inserts) == ("AMQ7991E", ("MAN", "full"))
