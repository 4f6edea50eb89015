"""Goal: of a damaged queue every message that can still be read is saved, with its data, in order,
and with what is known of its state. Method: real folders; segments, journal and log are damaged.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.inspect.salvage import ALIVE, DEAD, UNCOMMITTED, UNKNOWN, salvage, salvage_to_file
from tests.unit.inspect.folders import contents, root_of, small

pytestmark = pytest.mark.core

COUNT = 60
GOT = 20


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    with small(folder) as qmgr:
        qmgr.define_queue("A", max_depth=10_000, persistent_buffer=1 << 16)
        with qmgr.queue("A") as queue:
            for number in range(COUNT):
                queue.put(f"{number} ".ljust(3000, "x"), persistent=True)
            for _ in range(GOT):
                queue.get()
            # Small work on another queue, until nothing of A is in the log any more.
            qmgr.define_queue("B")
            with qmgr.queue("B") as other:
                for _ in range(400):
                    other.put("b", persistent=True)
                    other.get()
        qmgr.checkpoint()
    return folder


def saved(data: Path, output: Path, dead: bool = False) -> list[dict[str, Any]]:
    salvage_to_file(data, None, "A", output, dead=dead)
    return [json.loads(line) for line in output.read_text().splitlines()]


def numbers(rows: list[dict[str, Any]]) -> list[int]:
    return [int(bytes.fromhex(row["data"]).split()[0]) for row in rows]


def segments(data: Path) -> list[Path]:
    return sorted((root_of(data) / "queues").glob("A~*/*.seg"))


def flip(path: Path, offset: int) -> None:
    content = bytearray(path.read_bytes())
    content[offset] ^= 0x10
    path.write_bytes(content)


def test_salvage_when_sound_then_all_that_live_in_order(data: Path, tmp_path: Path) -> None:
    before = contents(data)
    rows = saved(data, tmp_path / "out")
    assert contents(data) == before
    assert numbers(rows) == list(range(GOT, COUNT))
    assert {row["state"] for row in rows} == {ALIVE}
    assert all(row["data_length"] == len(row["data"]) // 2 == 3000 for row in rows)
    assert rows[0]["format"] == "MQSTR"


def test_salvage_when_one_message_is_damaged_then_all_others(data: Path, tmp_path: Path) -> None:
    path = max(segments(data), key=lambda one: one.stat().st_size)
    flip(path, 64 + 8 + 1000)  # in the first message of that segment
    with ternmq.embedded(data) as qmgr, pytest.raises(ternmq.Damaged):
        for _ in qmgr.queue("A"):
            pass
    rows = saved(data, tmp_path / "out", dead=True)
    everything = set(numbers(rows))
    assert len(everything) >= COUNT - GOT - 1
    found = salvage(data, None, "A")
    assert len(found.faults) == 1
    assert "fails its checksum" in found.faults[0]


def test_salvage_when_an_index_is_lost_then_records_one_by_one(data: Path, tmp_path: Path) -> None:
    for path in segments(data):
        flip(path, path.stat().st_size - 5)  # the footer
    rows = saved(data, tmp_path / "out")
    assert numbers(rows) == list(range(GOT, COUNT))
    assert len(salvage(data, None, "A").faults) == len(segments(data))


def test_salvage_when_the_journal_is_lost_then_states_are_unknown(
    data: Path, tmp_path: Path
) -> None:
    journal = next((root_of(data) / "queues").glob("A~*/state"))
    flip(journal, 100)
    rows = saved(data, tmp_path / "out")
    assert set(numbers(rows)) >= set(range(GOT, COUNT))
    assert {row["state"] for row in rows} <= {UNKNOWN, ALIVE}
    assert UNKNOWN in {row["state"] for row in rows}


def test_salvage_when_a_header_is_lost_then_the_other_segments(data: Path, tmp_path: Path) -> None:
    first = segments(data)[0]
    flip(first, 3)
    found = salvage(data, None, "A")
    assert found.faults
    assert first.name in found.faults[0]
    if len(segments(data)) > 1:
        assert found.images


def test_salvage_when_messages_are_in_the_log_then_with_their_fate(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with small(data) as qmgr:
        qmgr.define_queue("A")
        with qmgr.queue("A") as queue:
            queue.put("0 got", persistent=True)
            queue.put("1 stays", persistent=True)
            queue.get()
            with qmgr.unit_of_work():
                queue.put("2 committed", persistent=True)
            qmgr.begin()
            queue.put("3 backed out", persistent=True)
            qmgr.backout()
            qmgr.begin()
            queue.put("4 in doubt", persistent=True)
            qmgr.prepare(ternmq.XID(1, b"x", b""))
    states: dict[str, list[int]] = {}
    for row in saved(data, tmp_path / "out", dead=True):
        states.setdefault(row["state"], []).extend(numbers([row]))
    assert {state: sorted(found) for state, found in states.items()} == {
        ALIVE: [1, 2],
        DEAD: [0, 3],
        UNCOMMITTED: [4],
    }
    assert numbers(saved(data, tmp_path / "out")) == [4, 1, 2]


def test_salvage_when_cleared_then_dead(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with small(data) as qmgr:
        qmgr.define_queue("A")
        qmgr.put("A", "0", descriptor=ternmq.Descriptor(persistence=1))
        qmgr.clear_queue("A")
        qmgr.put("A", "1", descriptor=ternmq.Descriptor(persistence=1))
    assert numbers(saved(data, tmp_path / "out")) == [1]


def test_salvage_when_no_such_queue_then_refused(data: Path) -> None:
    with pytest.raises(ternmq.ObjectUnknown) as refused:
        salvage(data, None, "NOBODY")
    assert refused.value.reason == mq.MQRC_UNKNOWN_OBJECT_NAME
