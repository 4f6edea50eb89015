"""Goal: queue buffers are shown and set while the queue manager is down, checked, and kept.

Method: real folders: set, start, crash, recover the catalog from the log.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.inspect.buffers import (
    buffers_json,
    buffers_lines,
    set_buffers,
    show_buffers,
    size_in_bytes,
)
from tests.unit.inspect.folders import contents, crashed, root_of, small

pytestmark = pytest.mark.core


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with small(tmp_path, log_type="linear") as qmgr:
        qmgr.define_queue("ORDERS.NEW")
        qmgr.define_queue("ORDERS.OLD", persistent_buffer=1 << 17)
        qmgr.define_queue("OTHER")
        qmgr.define_model("ORDERS.MODEL")
        qmgr.define_alias("ORDERS.ALIAS", "OTHER")
        qmgr.put("OTHER", "x", descriptor=ternmq.Descriptor(persistence=1))
    return tmp_path


def sizes(data: Path, pattern: str = "*") -> dict[str, tuple[int, int]]:
    return {
        one.name: (one.persistent, one.nonpersistent) for one in show_buffers(data, None, pattern)
    }


def test_show_when_down_then_each_queue_and_nothing_changed(data: Path) -> None:
    before = contents(data)
    assert sizes(data, "ORDERS.*") == {
        "ORDERS.MODEL": (1 << 20, 1 << 20),
        "ORDERS.NEW": (1 << 20, 1 << 20),
        "ORDERS.OLD": (1 << 17, 1 << 20),
    }
    assert contents(data) == before
    rows = show_buffers(data, "QM1", "ORDERS.OLD")
    assert json.loads(buffers_json(rows)) == [
        {
            "queue": "ORDERS.OLD",
            "type": "local",
            "persistent_buffer": 131072,
            "nonpersistent_buffer": 1048576,
        }
    ]
    lines = buffers_lines(rows)
    assert lines[-1].split() == ["ORDERS.OLD", "local", "131,072", "1,048,576"]


def test_set_when_down_then_it_holds_at_the_next_start(data: Path) -> None:
    rows = set_buffers(data, pattern="ORDERS.*", persistent=5 << 20)
    assert [(one.name, one.persistent, one.nonpersistent) for one in rows] == [
        ("ORDERS.MODEL", 5 << 20, 1 << 20),
        ("ORDERS.NEW", 5 << 20, 1 << 20),
        ("ORDERS.OLD", 5 << 20, 1 << 20),
    ]
    set_buffers(root_of(data), pattern="OTHER", nonpersistent=1 << 16, persistent=1 << 16)
    assert sizes(data, "OTHER") == {"OTHER": (1 << 16, 1 << 16)}
    with ternmq.embedded(data) as qmgr:
        assert qmgr.attributes("ORDERS.NEW")["persistent_buffer"] == 5 << 20
        with qmgr.queue("OTHER") as queue:
            loaded = qmgr.started.shell.engine.kernel.locals["OTHER"].queue
            assert (loaded.persistent_limit, loaded.plain_limit) == (1 << 16, 1 << 16)
            assert queue.get().text == "x"


def altered_and_killed(data: Path) -> None:
    ternmq.embedded(data).alter_queue("OTHER", persistent_buffer=3 << 20)


def test_show_when_altered_just_before_a_crash_then_as_the_log_reports(data: Path) -> None:
    crashed(data, altered_and_killed)
    assert sizes(data, "OTHER")["OTHER"] == (3 << 20, 1 << 20)
    set_buffers(data, pattern="OTHER", nonpersistent=2 << 20)
    assert sizes(data, "OTHER")["OTHER"] == (3 << 20, 2 << 20)


def test_set_when_the_catalog_is_lost_afterwards_then_the_log_has_it(data: Path) -> None:
    set_buffers(data, pattern="OTHER", persistent=7 << 20)
    (root_of(data) / "catalog").unlink()
    assert sizes(data, "OTHER")["OTHER"] == (7 << 20, 1 << 20)
    with ternmq.embedded(data) as qmgr:
        assert qmgr.attributes("OTHER")["persistent_buffer"] == 7 << 20


@pytest.mark.parametrize("size", [0, 65535, (1 << 40) + 1])
def test_set_when_out_of_bounds_then_refused_and_nothing_done(data: Path, size: int) -> None:
    before = contents(data)
    with pytest.raises(ternmq.MQError) as refused:
        set_buffers(data, pattern="OTHER", persistent=size)
    assert refused.value.reason == mq.MQRC_SELECTOR_ERROR
    assert "65536 to 1099511627776" in refused.value.detail
    assert contents(data) == before


def test_set_when_no_queue_matches_then_refused(data: Path) -> None:
    before = contents(data)
    with pytest.raises(ternmq.ObjectUnknown):
        set_buffers(data, pattern="NOBODY*", persistent=1 << 20)
    assert contents(data) == before


def test_buffers_when_it_runs_then_refused(data: Path) -> None:
    with ternmq.embedded(data) as qmgr:
        calls: list[Callable[[], object]] = [
            lambda: show_buffers(data),
            lambda: set_buffers(data, pattern="*", persistent=1 << 20),
        ]
        for call in calls:
            with pytest.raises(ternmq.Unavailable) as refused:
                call()
            assert refused.value.reason == mq.MQRC_Q_MGR_NOT_AVAILABLE
        assert qmgr.attributes("OTHER")["persistent_buffer"] == 1 << 20


@pytest.mark.parametrize(
    ("text", "size"),
    [("65536", 65536), ("64K", 65536), ("64kb", 65536), ("1MiB", 1 << 20), ("2G", 2 << 30)],
)
def test_size_when_with_a_unit_then_in_bytes(text: str, size: int) -> None:
    assert size_in_bytes(text) == size


@pytest.mark.parametrize("text", ["", "K", "-1", "1.5M", "1T", "many"])
def test_size_when_it_is_none_then_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        size_in_bytes(text)
