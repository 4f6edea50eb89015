"""Goal: the dump shows every record of a log with its meaning, from any place, on either copy; it
names damage, reads nothing beyond it, and changes nothing. Method: logs of real queue managers.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.inspect.dump import LogDump, Range, json_lines, text_lines
from ternmq.inspect.folder import Folder
from ternmq.log.extents import extent_path
from ternmq.txn.families.table import KIND_NAMES
from tests.unit.inspect.folders import contents, crashed, every_kind, root_of, small, two_queues

pytestmark = pytest.mark.core


def rows(data: Path, wanted: Range, copy: int = 0, data_bytes: int = 64) -> list[dict[str, Any]]:
    with Folder(data) as folder:
        return [json.loads(line) for line in json_lines(LogDump(folder, copy), wanted, data_bytes)]


def by_kind(records: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        if "kind" in record:
            found.setdefault(record["kind"], []).append(record)
    return found


@pytest.fixture
def busy(tmp_path: Path) -> Path:
    """A linear log with a record of every kind."""
    with small(tmp_path, log_type="linear") as qmgr:
        every_kind(qmgr)
        qmgr.checkpoint()
    threading.Event().wait(0.15)  # until the message with an expiry of 0.1 has expired
    with ternmq.embedded(tmp_path) as qmgr, qmgr.queue("A") as queue:
        for _ in queue:
            pass
    return tmp_path


def test_dump_when_every_kind_was_written_then_each_is_reported(busy: Path) -> None:
    records = rows(busy, Range(base=True))
    kinds = by_kind(records)
    assert set(kinds) == set(KIND_NAMES.values())
    assert all("not_understood" not in record for record in records)
    assert records[-1]["sound"]
    assert records[-1]["records"] == len(records) - 2
    first = kinds["PUT"][0]
    assert first["targets"] == [
        {"queue": "A", "queue_id": first["targets"][0]["queue_id"], "number": 1, "sequence": 1,
         "flags": 0}
    ]  # fmt: skip
    message = first["message"]
    assert bytes.fromhex(message["data"]) == b"first"
    assert message["correl_id"].startswith(b"correlation".hex())
    assert (message["format"], message["priority"]) == ("MQSTR", 3)
    assert message["flags"] == ["persistent"]
    assert kinds["GET"][0]["message_at"]["queue"] == "A"
    assert kinds["PUT_GOT"][0]["message_at"]["queue"] == "HANDED"
    assert kinds["COMPENSATE"][0]["changes"][0]["undoes"] == "get"
    assert kinds["PREPARE"][0]["xid"]["branch_qualifier"] == b"resolved".hex()
    assert [one["outcome"] for one in kinds["HEURISTIC"]] == ["committed", "backed out"]
    defined, advanced = kinds["CURSOR"]
    assert (defined["action"], advanced["action"]) == ("define", "advance")
    assert (defined["stream_begins"], defined["fills_stream_below"], defined["position"]) == (
        2,
        2,
        1,
    )
    assert (advanced["cursor"], advanced["queue"], advanced["position"]) == ("READER", "READ", 2)
    assert kinds["STREAM_NUMBERS"][0]["queue"] == "READ"
    batch, gone = kinds["LEDGER"]
    assert (batch["facts"]["owner"], batch["facts"]["runs"]) == ("sink", [[7, 7]])
    assert [len(one["puts"]) for one in batch["units"]] == [1]
    assert batch["units"][0]["puts"][0]["queue"]
    assert (gone["facts"], gone["units"]) == ({"owner": "sink", "deleted": True}, [])
    assert kinds["QUEUE_CLEARED"][-1]["queue"] == "CLEARED"
    assert kinds["OBJECT_DELETED"][0]["facts"]["name"] == "GONE"
    assert kinds["EXPIRED"][0]["messages"][0]["queue"] == "A"
    assert kinds["CHECKPOINT"][-1]["facts"]["clean"]
    assert kinds["RESTART"][0]["facts"]["epoch"] == 1
    assert {one["part"] for one in kinds["MEDIA_IMAGE"]} == {"begin", "piece", "end"}


def test_dump_when_records_of_a_unit_then_each_points_to_the_one_before(busy: Path) -> None:
    records = [one for one in rows(busy, Range(base=True)) if one.get("uow")]
    last: dict[int, int] = {}
    for record in records:
        assert record["previous"] == last.get(record["uow"], 0)
        last[record["uow"]] = record["lsn"]
    assert len(last) > 3


def test_dump_when_for_eyes_then_aligned_and_readable(busy: Path) -> None:
    with Folder(busy) as folder:
        lines = list(text_lines(LogDump(folder), Range(base=True)))
    text = "\n".join(lines)
    assert "log type         linear" in lines
    assert "target       queue A, number 1, sequence 1, flags 0" in text
    assert "66 69 72 73 74" in text  # first
    assert "00 01 fe 20 62 69 6e 61 72 79" in text
    assert "... binary" in text
    heads = [line for line in lines if line[:1] in "* " and line[1:15].strip().isdigit()]
    assert len(heads) == len(rows(busy, Range(base=True))) - 2
    assert len({line.index("bytes") for line in heads}) == 1
    assert lines[-1].endswith("after a clean stop")
    with Folder(busy) as folder:
        brief = list(text_lines(LogDump(folder), Range(base=True), brief=True))
    assert [line for line in brief if line in heads] == heads
    assert len(brief) < len(heads) + 16


def test_range_when_start_end_count_then_that_part(busy: Path) -> None:
    lsns = [one["lsn"] for one in rows(busy, Range(base=True)) if "lsn" in one]

    def reported(wanted: Range) -> list[int]:
        return [one["lsn"] for one in rows(busy, wanted) if "lsn" in one]

    for at in (0, 1, 7, len(lsns) // 2, len(lsns) - 1):
        assert reported(Range(start=lsns[at])) == lsns[at:]
        assert reported(Range(start=lsns[at] + 1)) == lsns[at + 1 :]
        assert reported(Range(base=True, end=lsns[at])) == lsns[:at]
        assert reported(Range(base=True, count=at)) == lsns[:at]
    last = rows(busy, Range(checkpoint=True))
    assert last[1]["kind"] == "CHECKPOINT"
    assert last[1]["lsn"] == last[0]["control"]["checkpoint_lsn"]
    assert reported(Range())[0] == last[0]["control"]["redo_lsn"]
    with pytest.raises(ValueError, match="exclude each other"):
        Range(base=True, start=1)
    assert rows(busy, Range(start=1 << 40))[-1]["end"].startswith("DAMAGED")


def test_range_when_an_extent_is_named_then_from_its_first_batch(tmp_path: Path) -> None:
    two_queues(tmp_path, log_type="linear")
    with Folder(tmp_path) as folder:
        extents = sorted(LogDump(folder).table.slots)
    everything = [one for one in rows(tmp_path, Range(base=True)) if "lsn" in one]
    held = {one["extent"] for one in everything}
    assert len(held) > 1
    for extent in held:
        first = rows(tmp_path, Range(extent=extent))[1]
        assert first["extent"] == extent
        assert first["batch"]
    assert "DAMAGED" in rows(tmp_path, Range(extent=extents[-1] + 5))[-1]["end"]


def test_data_when_limited_then_the_whole_length_is_reported(busy: Path) -> None:
    put = by_kind(rows(busy, Range(base=True), data_bytes=3))["PUT"][0]["message"]
    assert bytes.fromhex(put["data"]) == b"fir"
    assert put["data_length"] == 5


def test_dual_log_when_either_copy_then_the_same_records(tmp_path: Path) -> None:
    two_queues(tmp_path, dual_log=True)

    def reported(copy: int) -> list[dict[str, Any]]:
        return rows(tmp_path, Range(base=True), copy)

    assert reported(1) == reported(0)
    second = reported(2)
    assert [{**one, "file": ""} for one in second[1:-1]] == [
        {**one, "file": ""} for one in reported(1)[1:-1]
    ]
    assert {one["file"].rpartition("/")[0] for one in second[1:-1]} == {"log/active2"}
    chosen = reported(1)[4]
    extent = root_of(tmp_path) / chosen["file"]
    content = extent.read_bytes()
    place = chosen["offset"] + 45
    extent.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    assert reported(0)[-1] == second[-1]  # the other copy serves
    assert reported(2) == second
    broken = reported(1)
    assert not broken[-1]["sound"]
    assert chosen["file"] in broken[-1]["end"]
    assert len(broken) < len(second)


def test_damage_when_a_byte_is_wrong_then_named_and_nothing_beyond(tmp_path: Path) -> None:
    two_queues(tmp_path)
    whole = [one for one in rows(tmp_path, Range(base=True)) if "lsn" in one]
    victim = whole[len(whole) // 2]
    path = root_of(tmp_path) / victim["file"]
    content = bytearray(path.read_bytes())
    content[victim["offset"] + 50] ^= 1
    path.write_bytes(content)
    found = rows(tmp_path, Range(base=True))
    assert [one["lsn"] for one in found if "lsn" in one] == [
        one["lsn"] for one in whole if one["lsn"] < victim["lsn"]
    ]
    assert found[-1]["end"].startswith("DAMAGED: log damaged at ")
    assert f"{victim['file']} offset " in found[-1]["end"]
    assert not found[-1]["sound"]


def killed_with_a_torn_batch(data: Path) -> None:
    two_queues(data)
    qmgr = ternmq.embedded(data)
    with qmgr.queue("A") as queue:
        queue.put("forced", persistent=True)


def test_torn_tail_when_killed_then_normal_and_said(tmp_path: Path) -> None:
    crashed(tmp_path, killed_with_a_torn_batch)
    before = rows(tmp_path, Range())
    assert before[-1]["sound"]
    assert "not stopped cleanly" in before[-1]["end"]
    last = before[-2]
    end = (last["lsn"] + last["length"] + 4095) // 4096 * 4096
    with Folder(tmp_path) as folder:
        table = LogDump(folder).table
    path = root_of(tmp_path) / extent_path(0, table.slots[end // table.extent_bytes])
    content = bytearray(path.read_bytes())
    offset = 4096 + end % table.extent_bytes
    content[offset : offset + 100] = b"\xee" * 100
    path.write_bytes(content)
    after = rows(tmp_path, Range())
    assert after[:-1] == before[:-1]
    assert after[-1]["sound"]
    assert "torn batch" in after[-1]["end"]


def test_dump_when_done_then_the_folder_is_as_before(busy: Path) -> None:
    before = contents(busy)
    rows(busy, Range(base=True))
    assert contents(busy) == before


def test_dump_when_the_catalog_is_damaged_then_queues_have_numbers(tmp_path: Path) -> None:
    two_queues(tmp_path)
    (root_of(tmp_path) / "catalog").write_bytes(b"rubbish")
    with Folder(tmp_path) as folder:
        lines = list(text_lines(LogDump(folder), Range(base=True)))
    assert any(line.startswith("queues have numbers only") for line in lines)
    assert any("queue #" in line for line in lines)


def test_dump_when_the_queue_manager_runs_then_refused(tmp_path: Path) -> None:
    with small(tmp_path):
        with pytest.raises(ternmq.Unavailable) as refused:
            Folder(tmp_path)
        assert refused.value.reason == mq.MQRC_Q_MGR_NOT_AVAILABLE
        assert "it is running" in refused.value.detail
    # Lookers do not disturb each other, but nobody starts it meanwhile.
    with Folder(tmp_path), Folder(tmp_path), pytest.raises(ternmq.Unavailable):
        ternmq.embedded(tmp_path)
    with ternmq.embedded(tmp_path):
        pass


def test_folder_when_given_in_any_way_then_found(tmp_path: Path) -> None:
    for name in ("QM1", "QM.TWO"):
        small(tmp_path, name).close()
    own = tmp_path / "qmgrs" / "QM!TWO"
    with Folder(own) as folder:
        assert folder.root == str(own)
    with Folder(tmp_path, "QM.TWO") as folder:
        assert folder.root == str(own)
    for wrong in (None, "QM3"):
        with pytest.raises(ternmq.MQError) as refused:
            Folder(tmp_path, wrong)
        assert refused.value.reason == mq.MQRC_Q_MGR_NAME_ERROR
        assert "QM!TWO" in refused.value.detail
