"""Goal: verify says of every file whether it is sound, names what is not, says truly whether the
queue manager would start, and changes nothing. Method: real folders, whole and damaged in every
file; then the queue manager is started and must do what was said.
"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.inspect.dump import LogDump, Range
from ternmq.inspect.folder import Folder
from ternmq.inspect.report import (
    DAMAGED,
    EXIT_DAMAGED,
    EXIT_LOST,
    EXIT_SOUND,
    LEFTOVER,
    MISSING,
    SOUND,
    UNKNOWN,
    UNNEEDED,
    Report,
    report_json,
    report_lines,
)
from ternmq.inspect.verify import verify
from tests.unit.inspect.folders import contents, crashed, root_of, small, two_queues

pytestmark = [pytest.mark.core, pytest.mark.promise("P6"), pytest.mark.timeout(60)]


def verdicts(report: Report) -> dict[str, str]:
    return {one.path: one.verdict for one in report.files}


def flip(path: Path, offset: int) -> None:
    content = bytearray(path.read_bytes())
    content[offset] ^= 0x10
    path.write_bytes(content)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A queue manager with a dual log, stopped cleanly."""
    data = tmp_path_factory.mktemp("whole")
    two_queues(data, dual_log=True)
    return data


@pytest.fixture
def data(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    copy = tmp_path / "data"
    shutil.copytree(whole, copy)
    return copy


def test_verify_when_sound_then_every_file_has_a_verdict(data: Path) -> None:
    before = contents(data)
    report = verify(data)
    assert contents(data) == before
    root = root_of(data)
    files = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    assert set(verdicts(report)) == files
    assert set(verdicts(report).values()) == {SOUND}
    assert report.exit_status == EXIT_SOUND
    assert report.verdict == "Sound."
    assert {one.name: (one.depth, one.counted) for one in report.queues if one.depth} == {
        "A": (61, 61),
        "B": (10, 10),
    }
    assert report.start_report[-1] == "TernMQ queue manager 'QM1' started."
    assert report.name == "QM1"


def test_verify_when_shown_then_as_table_and_as_json(data: Path) -> None:
    flip(next((root_of(data) / "queues").glob("A*/S*1.seg")), 100)
    report = verify(data)
    lines = report_lines(report)
    text = "\n".join(lines)
    assert "log control file" in text
    assert "damaged" in text
    assert "What a start would say:" in text
    assert lines[-1].endswith(report.verdict)
    values = json.loads(report_json(report))
    assert values["exit_status"] == EXIT_DAMAGED
    assert len(values["files"]) == len(report.files)
    assert {one["verdict"] for one in values["files"]} == {SOUND, DAMAGED}
    assert {one["name"] for one in values["queues"]} >= {"A", "B"}


@pytest.mark.parametrize(
    ("name", "offset", "status"),
    [
        ("log/control.1", 40, EXIT_DAMAGED),
        ("log/control.2", 90, EXIT_DAMAGED),
        ("catalog", 200, EXIT_LOST),
        ("queues/register.1", 40, EXIT_DAMAGED),
        ("queues/A~*/state", 100, EXIT_DAMAGED),
        ("queues/A~*/S0000000001.seg", 2000, EXIT_DAMAGED),
        ("queues/A~*/S0000000001.seg", 20, EXIT_DAMAGED),
        ("queues/B~*/S0000000001.seg", -10, EXIT_DAMAGED),
    ],
)
def test_verify_when_one_file_is_damaged_then_it_is_named(
    data: Path, name: str, offset: int, status: int
) -> None:
    path = next(root_of(data).glob(name))
    flip(path, offset)
    report = verify(data)
    found = verdicts(report)
    assert [one for one, verdict in found.items() if verdict == DAMAGED] == [
        str(path.relative_to(root_of(data)))
    ]
    assert report.exit_status == status
    if status == EXIT_LOST:
        with pytest.raises(ternmq.IntegrityError):
            ternmq.embedded(data)
    else:
        ternmq.embedded(data).close()


@pytest.mark.parametrize("copy", ["active", "active2"])
def test_verify_when_one_copy_of_the_log_is_damaged_then_that_file_and_it_starts(
    data: Path, copy: str
) -> None:
    with Folder(data) as folder:
        dump = LogDump(folder, 1 if copy == "active" else 2)
        needed = [dump.values(record) for record in dump.records(Range())]
    flip(root_of(data) / needed[-1]["file"], needed[-1]["offset"] + 45)
    report = verify(data)
    assert [one.path for one in report.bad_files] == [needed[-1]["file"]]
    assert f"{needed[-1]['file']} offset" in report.bad_files[0].detail
    assert report.exit_status == EXIT_DAMAGED
    with ternmq.embedded(data) as qmgr:
        assert texts(qmgr, "A") == EXPECTED_A
    assert verify(data).exit_status == EXIT_SOUND


def test_verify_when_the_only_log_is_damaged_then_it_would_not_start(tmp_path: Path) -> None:
    two_queues(tmp_path)
    report = verify(tmp_path)
    needed = [one.path for one in report.files if "restart begins here" in one.detail]
    path = root_of(tmp_path) / needed[0]
    content = path.read_bytes()
    path.write_bytes(content[:4096] + bytes(len(content) - 4096))
    report = verify(tmp_path)
    assert verdicts(report)[needed[0]] == DAMAGED
    assert report.exit_status == EXIT_LOST
    assert report.verdict.startswith("It would not start: ")
    with pytest.raises(ternmq.LogDamaged):
        ternmq.embedded(tmp_path)


@pytest.mark.parametrize(
    "name",
    ["log/control.1", "catalog", "queues/register.1", "queues/A~*/state", "queues/A~*/*.seg"],
)
def test_verify_when_a_file_is_missing_then_it_is_named(data: Path, name: str) -> None:
    path = next(root_of(data).glob(name))
    path.unlink()
    report = verify(data)
    assert verdicts(report)[str(path.relative_to(root_of(data)))] == MISSING
    assert report.exit_status in (EXIT_DAMAGED, EXIT_LOST)


def test_verify_when_both_control_files_are_gone_then_it_would_not_start(data: Path) -> None:
    for number in (1, 2):
        (root_of(data) / "log" / f"control.{number}").unlink()
    report = verify(data)
    assert report.exit_status == EXIT_LOST
    assert [one.verdict for one in report.files if "control" in one.path] == [MISSING, MISSING]


def test_verify_when_something_else_lies_there_then_reported_and_no_damage(data: Path) -> None:
    root = root_of(data)
    (root / "notes.txt").write_text("mine")
    (root / "catalog.new").write_bytes(b"half")
    segment = next(root.glob("queues/A~*/S0000000001.seg"))
    shutil.copy(segment, segment.with_name("S0000009999.seg"))
    (root / "queues" / "OLD~77").mkdir()
    (root / "queues" / "OLD~77" / "state").write_bytes(b"x")
    report = verify(data)
    found = verdicts(report)
    assert found["notes.txt"] == UNKNOWN
    assert found["catalog.new"] == LEFTOVER
    assert found["queues/OLD~77/state"] == LEFTOVER
    assert [v for path, v in found.items() if path.endswith("9999.seg")] == [LEFTOVER]
    assert report.exit_status == EXIT_SOUND
    ternmq.embedded(data).close()


def test_verify_when_a_segment_is_that_of_another_queue_then_damaged(data: Path) -> None:
    queues = root_of(data) / "queues"
    other = next(queues.glob("B~*/S0000000001.seg"))
    mine = next(queues.glob("A~*/S0000000001.seg"))
    shutil.copy(other, mine)
    report = verify(data)
    assert [one.path for one in report.bad_files] == [str(mine.relative_to(root_of(data)))]


def killed(data: Path) -> None:
    qmgr = small(data)
    qmgr.define_queue("N", nonpersistent_buffer=1 << 16, max_depth=10_000)
    qmgr.define_queue("P", max_depth=10_000)
    with qmgr.queue("N") as plain, qmgr.queue("P") as queue:
        for number in range(200):
            plain.put("n" * 2000)
            queue.put(f"{number}", persistent=True)
        qmgr.started.shell.finish_effects()
        qmgr.checkpoint()
        queue.put("after", persistent=True)
        qmgr.begin()
        queue.put("open", persistent=True)


def test_verify_when_it_was_killed_then_sound_and_says_what_restart_does(tmp_path: Path) -> None:
    crashed(tmp_path, killed)
    before = contents(tmp_path)
    report = verify(tmp_path)
    assert contents(tmp_path) == before
    assert report.exit_status == EXIT_SOUND
    assert UNNEEDED in verdicts(report).values()  # swept non-persistent messages
    depths = {one.name: one.depth for one in report.queues}
    assert depths["P"] == 201
    assert depths["N"] == 0
    with ternmq.embedded(tmp_path) as qmgr:
        # Word for word what the rehearsal said.
        assert qmgr.report() == report.start_report
        assert {one.name: qmgr.queue(one.name).depth for one in report.queues} == depths


@pytest.mark.parametrize("seed", range(12))
def test_verify_when_any_byte_is_wrong_then_what_it_says_is_true(
    data: Path, whole: Path, seed: int
) -> None:
    """Sound means that it starts with every message; not sound names the file that was hit, or the
    byte did not matter."""
    chance = random.Random(seed)
    files = sorted(path for path in root_of(data).rglob("*") if path.is_file())
    path = chance.choice([one for one in files if one.stat().st_size and one.name != "lock"])
    flip(path, chance.randrange(path.stat().st_size))
    hit = str(path.relative_to(root_of(data)))
    report = verify(data)
    assert {one.path for one in report.bad_files} <= {hit}
    if report.exit_status == EXIT_LOST:
        with pytest.raises(ternmq.IntegrityError):
            ternmq.embedded(data)
        return
    with ternmq.embedded(data) as qmgr:
        if report.exit_status == EXIT_SOUND:
            assert texts(qmgr, "A") == EXPECTED_A
            assert texts(qmgr, "B") == [f"plain {number}" for number in range(10)]
        for one in report.queues:
            if not one.is_sound:
                with pytest.raises(ternmq.Damaged) as refused:
                    qmgr.queue(one.name).get()
                assert refused.value.reason == mq.MQRC_OBJECT_DAMAGED


EXPECTED_A = [f"message {number}" for number in range(30, 90)] + ["the last"]


def texts(qmgr: ternmq.QueueManager, name: str) -> list[str]:
    with qmgr.queue(name) as queue:
        return [message.text.rstrip("x").rstrip() for message in queue]


def test_verify_when_it_runs_then_refused(tmp_path: Path) -> None:
    with small(tmp_path), pytest.raises(ternmq.Unavailable) as refused:
        verify(tmp_path)
    assert refused.value.reason == mq.MQRC_Q_MGR_NOT_AVAILABLE
