"""Goal: `ternmq top` says what is missing, prints one snapshot as JSON, works over the network, and
connects again after its connection broke.

Method: its `main` on a queue manager in memory and on one that listens on loopback.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.base.errors import MQError
from ternmq.cli.tools import top_command
from ternmq.cli.top import view
from ternmq.cli.top.watching import Watch
from tests.unit.api.networked import CHANNEL, Networked

Capture = pytest.CaptureFixture[str]


def printed(capsys: Capture) -> Any:
    return json.loads(capsys.readouterr().out)


def test_json_then_one_snapshot_with_rates(attached: ternmq.QueueManager, capsys: Capture) -> None:
    attached.define_queue("ORDERS")
    attached.put("ORDERS", "x")
    assert top_command.main(["QM1", "--json", "--interval", "0.2"]) == 0
    document = printed(capsys)
    (orders,) = [one for one in document["queues"] if one["queue"] == "ORDERS"]
    assert (orders["depth"], orders["put_rate"]) == (1, 0.0)
    assert document["interval_s"] >= 0.2
    assert document["queue_manager"]["name"] == "QM1"
    assert "ternmq top" in [one["application"] for one in document["connections"]]


def test_json_when_over_the_network_then_the_same_views(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path / "here"))
    with Networked(tmp_path / "far") as far:
        with far.connect() as connection:
            connection.mqsc("DEFINE QLOCAL(ORDERS)")
        words = ["--conn-name", f"127.0.0.1({far.port})", "--channel", CHANNEL]
        assert top_command.main(["QM1", *words, "--json", "--interval", "0.2"]) == 0
    document = printed(capsys)
    assert "ORDERS" in [one["queue"] for one in document["queues"]]
    (own,) = [one for one in document["connections"] if one["application"] == "ternmq top"]
    assert own["channel"] == CHANNEL
    (channel,) = document["channels"]
    assert (channel["channel"], channel["type"], channel["status"]) == (
        CHANNEL,
        "SVRCONN",
        "RUNNING",
    )
    assert channel["message_rate"] > 0


def test_top_when_textual_is_missing_then_what_to_install(
    monkeypatch: pytest.MonkeyPatch, attached: ternmq.QueueManager, capsys: Capture
) -> None:
    monkeypatch.setattr(top_command, "find_spec", lambda name: None)
    assert top_command.main(["QM1"]) == 71
    assert capsys.readouterr().err == (
        "ternmq top: the package textual is not installed, which draws the screen; "
        "install it with: pip install 'ternmq[top]'. --json works without it.\n"
    )
    assert top_command.main(["QM1", "--json", "--interval", "0.2"]) == 0


def test_top_when_the_queue_manager_is_unknown_then_no_screen(
    attached: ternmq.QueueManager, capsys: Capture
) -> None:
    assert top_command.main(["NOWHERE"]) == 72
    assert capsys.readouterr().err.startswith("AMQ8118E: ")


@pytest.mark.parametrize("text", ["0", "0.1", "nan", "1e9", "soon"])
def test_interval_when_out_of_range_then_refused(text: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        top_command.main(["QM1", "--interval", text])
    assert ended.value.code == 36
    written = capsys.readouterr().err
    assert "--interval" in written
    assert "_seconds" not in written


def test_top_when_all_is_there_then_the_screen_runs_on_samples(
    monkeypatch: pytest.MonkeyPatch, attached: ternmq.QueueManager
) -> None:
    shown: list[str] = []

    def run(app: view.TopApp) -> None:
        shown.append(app._sample().name)

    monkeypatch.setattr(view.TopApp, "run", run)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert top_command.main(["QM1"]) == 0
    assert shown == ["QM1"]


@pytest.mark.parametrize("end", ["stdin", "stdout"])
def test_top_when_it_has_no_terminal_then_it_ends_and_says_so(
    monkeypatch: pytest.MonkeyPatch, attached: ternmq.QueueManager, capsys: Capture, end: str
) -> None:
    monkeypatch.setattr(view.TopApp, "run", lambda app: pytest.fail("a screen nobody sees"))
    for one in ("stdin", "stdout"):
        monkeypatch.setattr(getattr(sys, one), "isatty", lambda one=one: one != end)
    assert top_command.main(["QM1"]) == 71
    assert capsys.readouterr().err == (
        "ternmq top: it draws on a terminal, which input and output are not. "
        "--json prints one snapshot.\n"
    )


def test_watch_when_the_connection_broke_then_the_next_sample_connects_again(
    qm: ternmq.QueueManager,
) -> None:
    made: list[ternmq.Connection] = []

    def connect() -> ternmq.Connection:
        made.append(qm.connect(application="top"))
        return made[-1]

    with Watch(connect) as watch:
        assert watch.next().seconds is None
        made[-1].disconnect()
        with pytest.raises(MQError):
            watch.next()
        assert watch.next().seconds is None
        assert len(made) == 2
