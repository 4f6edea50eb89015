"""Goal: a standby goes on where the active instance died or was told to hand over, loses nothing
that was acknowledged, and ends when the queue manager is ended.

Method: real processes that share a data folder; the active one is killed while messages are put.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.pcf.structures import unpack_pcf
from ternmq.remote.local.folder_lookup import find
from ternmq.server.folder.status_file import standby_of
from tests.battery.places import until
from tests.integration.test_lifecycle import SMALL, Machine

HOST = os.uname().nodename
pytestmark = pytest.mark.timeout(60)  # each test starts two or three processes


class Instances(Machine):
    """A queue manager whose instances share a folder."""

    def standby(self) -> int:
        return standby_of(find(str(self.data), "QM1").folder)

    def is_run_by(self, pid: int) -> bool:
        return self.pid() == pid and self.state() == "Running"

    def end_all(self) -> None:
        """The standby first: it would go on."""
        pid = self.standby()
        if pid > 0:
            os.kill(pid, signal.SIGKILL)
            until(lambda: not self.standby())
        super().end_all()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Instances]:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    one = Instances(tmp_path)
    one.run("crtmqm", *SMALL, "QM1")
    yield one
    one.end_all()


@pytest.fixture
def pair(machine: Instances) -> Instances:
    """One active, one that stands by."""
    machine.run("strmqm", "-x", "QM1")
    machine.run("strmqm", "-x", "QM1", status=30)
    return machine


def started_as(machine: Instances) -> tuple[object, str]:
    """What the last event of a start tells."""
    with machine.connect() as connection, connection.queue("SYSTEM.ADMIN.QMGR.EVENT") as queue:
        events = [unpack_pcf(message.data, LITTLE, 1208) for message in queue.browse()]
    last = [one for one in events if one.reason == mq.MQRC_Q_MGR_ACTIVE][-1]
    how, where = last.find(mq.MQIACF_REASON_QUALIFIER), last.find(mq.MQCACF_HOST_NAME)
    assert how is not None
    assert where is not None
    return how.value, where.text


def test_pair_then_shown_and_there_is_no_third(pair: Instances) -> None:
    active, standby = pair.pid(), pair.standby()
    assert 0 != standby != active != 0
    lines = pair.run("dspmq", "-x", "-o", "standby").stdout.splitlines()
    assert lines[0].split() == ["QMNAME(QM1)", "STANDBY(Permitted)"]
    assert lines[1:] == [
        f"    INSTANCE({HOST}) MODE(Active)",
        f"    INSTANCE({HOST}) MODE(Standby)",
    ]
    assert "already has a standby" in pair.run("strmqm", "-x", "QM1", status=47).stderr
    pair.run("strmqm", "QM1", status=5)
    pair.run("dltmqm", "QM1", status=5)
    with pair.connect() as connection:
        (answer,) = connection.mqsc("DISPLAY QMSTATUS STANDBY")
        assert answer["STANDBY"] == "PERMIT"
    assert (pair.pid(), pair.standby()) == (active, standby)


def test_active_when_killed_then_the_standby_goes_on_and_nothing_is_lost(pair: Instances) -> None:
    standby = pair.standby()
    connection = pair.connect()
    connection.define_queue("Q")
    acknowledged: list[str] = []
    queue = connection.queue("Q")
    for number in range(50):
        queue.put(f"message {number}", persistent=True)
        acknowledged.append(f"message {number}")
    connection.begin()
    queue.put("not committed", persistent=True)
    os.kill(pair.pid(), signal.SIGKILL)
    with pytest.raises(ternmq.MQError):
        connection.commit()
    until(lambda: pair.is_run_by(standby))
    with pair.connect() as again, again.queue("Q") as found:
        assert [message.text for message in found] == acknowledged
        (answer,) = again.mqsc("DISPLAY QMSTATUS STANDBY")
        assert answer["STANDBY"] == "PERMIT"
    pair.run("strmqm", "-x", "QM1", status=30)
    assert 0 != pair.standby() != standby


def test_switch_then_the_standby_goes_on(pair: Instances) -> None:
    standby = pair.standby()
    assert started_as(pair) == (mq.MQRQ_FAILOVER_PERMITTED, HOST)
    connection = pair.connect()
    connection.queue("SYSTEM.DEFAULT.LOCAL.QUEUE").put("kept", persistent=True)
    pair.run("endmqm", "-s", "-i", "QM1")
    until(lambda: pair.is_run_by(standby))
    with pair.connect() as again, again.queue("SYSTEM.DEFAULT.LOCAL.QUEUE") as queue:
        assert queue.get().text == "kept"
    assert started_as(pair) == (mq.MQRQ_STANDBY_ACTIVATED, HOST)
    assert "cannot switch over" in pair.run("endmqm", "-s", "-i", "QM1", status=77).stderr
    assert pair.is_run_by(standby)


def test_active_when_asked_to_terminate_then_the_standby_goes_on(pair: Instances) -> None:
    """As at the shutdown of a machine: it is not endmqm."""
    standby = pair.standby()
    os.kill(pair.pid(), signal.SIGTERM)
    until(lambda: pair.is_run_by(standby))


def test_end_of_the_standby_then_the_active_one_stays(pair: Instances) -> None:
    active = pair.pid()
    assert "Standby instance" in pair.run("endmqm", "-x", "QM1", status=90).stdout
    assert (pair.pid(), pair.standby()) == (active, 0)
    assert "not ended" in pair.run("endmqm", "-x", "QM1", status=79).stderr
    assert pair.is_run_by(active)


def test_end_then_the_standby_ends_too(pair: Instances) -> None:
    pair.run("endmqm", "-i", "QM1")
    assert (pair.pid(), pair.standby()) == (0, 0)
    assert pair.state() == "Ended immediately"
    assert pair.run("endmqm", "-x", "QM1", status=40).stderr


def test_start_when_a_standby_is_not_permitted_then_refused(machine: Instances) -> None:
    machine.run("strmqm", "QM1")
    assert "does not permit" in machine.run("strmqm", "-x", "QM1", status=43).stderr
    lines = machine.run("dspmq", "-o", "standby", "-x").stdout.splitlines()
    assert "STANDBY(Not permitted)" in lines[0]
    assert lines[1:] == [f"    INSTANCE({HOST}) MODE(Active)"]


def test_run_when_in_the_foreground_then_it_stands_by_and_goes_on(machine: Instances) -> None:
    machine.run("strmqm", "-x", "QM1")
    process = subprocess.Popen(
        [sys.executable, "-m", "ternmq.cli", "run", "-x", "QM1"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process.stdout as output:
        for line in output:
            if "standby instance" in line:
                break
        assert machine.standby() == process.pid
        os.kill(machine.pid(), signal.SIGKILL)
        for line in output:
            if "started using" in line:
                break
        with machine.connect() as connection:
            assert connection.queue_names()
        process.send_signal(signal.SIGTERM)
        assert output.read().endswith("TernMQ queue manager 'QM1' ended.\n")
    assert process.wait() == 0
