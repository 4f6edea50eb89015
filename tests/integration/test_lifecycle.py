"""Goal: the control commands and the process they start do what an MQ administrator expects.

Method: real processes and real sockets; each test has a data folder of its own.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.cli.__main__ import main
from ternmq.remote.local.folder_lookup import find
from ternmq.server.folder.data_folder import locked, make_data_folder
from ternmq.server.folder.status_file import status_of
from tests.battery.places import until

SMALL = ["-lp", "2", "-ls", "1", "-lf", "32"]


class Reported(NamedTuple):
    """What a command wrote."""

    stdout: str
    stderr: str


class Machine:
    """A data folder and commands that work on it. They run in this process, which saves seconds;
    the queue managers that they start are processes of their own."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def run(self, *words: str, status: int = 0) -> Reported:
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                ended = main(list(words))
            except SystemExit as end:
                ended = int(end.code or 0)
        reported = Reported(output.getvalue(), errors.getvalue())
        assert ended == status, (words, ended, reported)
        return reported

    def state(self, name: str = "QM1") -> str:
        return status_of(find(str(self.data), name).folder).state

    def pid(self, name: str = "QM1") -> int:
        return status_of(find(str(self.data), name).folder).pid

    def connect(self, name: str = "QM1") -> ternmq.Connection:
        return ternmq.connect(name, data=self.data)

    def end_all(self) -> None:
        values = json.loads(self.run("dspmq", "--json").stdout)
        for one in values:
            if one["running"]:
                os.kill(one["pid"], signal.SIGKILL)
                until(lambda name=one["name"]: not self.pid(name))  # type: ignore[misc]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    one = Machine(tmp_path)
    yield one
    one.end_all()


@pytest.fixture
def running(machine: Machine) -> Machine:
    machine.run("crtmqm", *SMALL, "QM1")
    machine.run("strmqm", "QM1")
    return machine


def test_life_when_created_started_ended_deleted_then_reported_and_shown(machine: Machine) -> None:
    limits = ("-h", "300", "-t", "0", "-x", "20000", "-z")
    output = machine.run(
        "crtmqm", *SMALL, "-q", "-c", "for tests", *limits, "QM1"
    ).stdout.splitlines()
    folder = machine.data / "qmgrs" / "QM1"
    assert output[:4] == [
        "TernMQ queue manager 'QM1' created.",
        f"Directory '{folder}' created.",
        "The queue manager is associated with installation 'Installation1'.",
        "Creating or replacing default objects for queue manager 'QM1'.",
    ]
    assert output[4].startswith("Default objects statistics : ")
    assert output[4].endswith(" created. 0 replaced. 0 failed.")
    assert output[5:] == ["Completing setup.", "Setup completed."]
    output = machine.run("strmqm").stdout.splitlines()  # the default one
    assert output[0] == "TernMQ queue manager 'QM1' starting."
    assert output[2].endswith(
        "log records accessed on queue manager 'QM1' during the log replay phase."
    )
    assert output[3:5] == [
        "Log replay for queue manager 'QM1' complete.",
        "Transaction manager state recovered for queue manager 'QM1'.",
    ]
    assert output[-1].startswith("TernMQ queue manager 'QM1' started using V")
    shown = machine.run("dspmq").stdout
    assert shown == f"{'QMNAME(QM1)':58}STATUS(Running)\n"
    assert machine.run("dspmq", "-n", "-m", "QM1").stdout.endswith("STATUS(RUNNING)\n")
    assert "MODE(Active)\n" in machine.run("dspmq", "-o", "all", "-x", "-n").stdout
    with machine.connect() as connection:
        limited = connection.mqsc("DISPLAY QMGR MAXHANDS TRIGINT MAXUMSGS")[0]
    assert [limited[one] for one in ("MAXHANDS", "TRIGINT", "MAXUMSGS")] == [300, 0, 20000]
    machine.run("crtmqm", "QM1", status=8)
    machine.run("strmqm", "QM1", status=5)
    machine.run("dltmqm", "QM1", status=5)
    ended = machine.run("endmqm", "-i", "QM1").stdout.splitlines()
    assert ended[0] == "Waiting for queue manager 'QM1' to end."
    assert ended[-1] == "TernMQ queue manager 'QM1' ended."
    assert machine.state() == "Ended immediately"
    refused = machine.run("endmqm", "QM1", status=40)
    assert refused.stderr == "AMQ8146E: TernMQ queue manager not available.\n"
    assert machine.run("dltmqm", "QM1").stdout == "TernMQ queue manager 'QM1' deleted.\n"
    for command in ("strmqm", "endmqm", "dltmqm"):
        assert "AMQ8118E" in machine.run(command, "QM1", status=16).stderr
    machine.run("dspmq", "-m", "QM1", status=72)
    assert machine.run("dspmq").stdout == ""


def test_process_when_killed_then_ended_unexpectedly_and_what_was_put_is_there(
    running: Machine,
) -> None:
    connection = running.connect()
    connection.define_queue("A")
    with connection.queue("A") as queue:
        queue.put("kept", persistent=True)
        connection.begin()
        queue.put("not committed", persistent=True)
        os.kill(running.pid(), signal.SIGKILL)
        with pytest.raises(ternmq.Unavailable) as broken:
            queue.put("too late")
    assert broken.value.reason == mq.MQRC_CONNECTION_BROKEN
    until(lambda: not running.pid())
    assert running.state() == "Ended unexpectedly"
    running.run("strmqm", "QM1")
    with running.connect() as again, again.queue("A") as queue:
        assert [message.text for message in queue] == ["kept"]


def test_process_when_terminated_then_ended_immediately(running: Machine) -> None:
    with running.connect() as connection:
        connection.define_queue("A")
        connection.put("A", "x")
    os.kill(running.pid(), signal.SIGTERM)
    until(lambda: not running.pid())
    assert running.state() == "Ended immediately"


def test_end_when_quiesced_then_it_waits_for_the_application(running: Machine) -> None:
    connection = running.connect()
    output = running.run("endmqm", "-c", "QM1").stdout
    assert output == (
        "Quiesce request accepted. The queue manager will stop when all outstanding work\n"
        "is complete.\n"
    )
    assert "Quiesce request accepted" in output
    assert running.state() == "Quiescing"
    running.run("strmqm", "QM1", status=49)
    with pytest.raises(ternmq.Unavailable) as refused:
        running.connect()
    assert refused.value.reason == mq.MQRC_Q_MGR_QUIESCING
    connection.disconnect()
    until(lambda: not running.pid())
    assert running.state() == "Ended normally"


def test_end_when_a_time_is_given_then_it_becomes_strict(running: Machine) -> None:
    connection = running.connect()  # and stays
    running.run("endmqm", "-w", "-tp", "1", "QM1")
    assert running.state() in ("Ended immediately", "Ended preemptively")
    with pytest.raises(ternmq.Unavailable):
        connection.commit()


CHILD = """
import sys, ternmq
connection = ternmq.connect("QM1")
connection.begin()
queue = connection.queue("A")
queue.put("never", persistent=True)
print("put", flush=True)
queue.get(wait=-1, correl_id=b"nobody")
"""


def test_application_when_killed_then_its_unit_is_backed_out_at_once(running: Machine) -> None:
    with running.connect() as connection:
        connection.define_queue("A")
        child = subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE)
        assert child.stdout is not None
        with child.stdout as output:
            output.readline()
        with connection.queue("A") as queue:
            assert queue.depth == 1
            child.kill()
            child.wait()
            until(lambda: queue.depth == 0)


def test_run_when_in_the_foreground_then_until_the_signal(machine: Machine) -> None:
    machine.run("crtmqm", *SMALL, "QM1")
    process = subprocess.Popen(
        [sys.executable, "-m", "ternmq.cli", "run", "QM1"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout as output:
        for line in output:
            if "started using" in line:
                break
        with machine.connect() as connection:
            assert connection.queue_names()
        process.send_signal(signal.SIGTERM)
        rest = output.read()
    assert process.wait() == 0
    assert rest.endswith("TernMQ queue manager 'QM1' ended.\n")


def test_start_when_the_configuration_is_wrong_then_file_line_and_reason(machine: Machine) -> None:
    machine.run("crtmqm", *SMALL, "QM1")
    ini = machine.data / "qmgrs" / "QM1" / "qm.ini"
    ini.write_text(ini.read_text() + "TCP:\n   Port=99999\n")
    lines = ini.read_text().count("\n")
    output = machine.run("strmqm", "QM1", status=39).stderr
    assert f"{ini}, line {lines}: Port is 0 to 65535, not 99999" in output
    assert machine.state() == "Ended normally"


def test_places_when_elsewhere_then_found_and_removed(machine: Machine, tmp_path: Path) -> None:
    home, logs = tmp_path / "homes", tmp_path / "logs"
    machine.run("crtmqm", *SMALL, "-md", str(home), "-ld", str(logs), "QM.A/B")
    folder = home / "QM!A&B"
    assert (folder / "log").resolve() == logs / "QM!A&B"
    shown = machine.run("dspmqinf", "-o", "command", "QM.A/B").stdout
    assert f"-v DataPath={folder}" in shown
    machine.run("strmqm", "QM.A/B")
    with machine.connect("QM.A/B") as connection:
        connection.put("SYSTEM.DEFAULT.LOCAL.QUEUE", "x")
    machine.run("endmqm", "-i", "QM.A/B")
    machine.run("rmvmqinf", "QM.A/B")
    assert machine.run("dspmq").stdout == ""
    words = shown.split()[1:]
    machine.run("addmqinf", *words)
    machine.run("addmqinf", *words, status=45)
    machine.run("dltmqm", "QM.A/B")
    assert os.listdir(home) == os.listdir(logs) == []


def test_installation_when_another_then_refused_until_it_is_given(machine: Machine) -> None:
    machine.run("crtmqm", *SMALL, "QM1")
    ini = machine.data / "mqinst.ini"
    other = "\nInstallation:\n   Name=Other\n   Identifier=2\n   FilePath=/nowhere\n"
    ini.write_text(ini.read_text() + other)
    shown = json.loads(machine.run("dspmqinst", "--json").stdout)
    assert [(one["InstName"], one["State"]) for one in shown] == [
        ("Installation1", "Available"),
        ("Other", "Invalid"),
    ]
    machine.run("setmqm", "-m", "QM1", "-n", "Other")
    for command in ("strmqm", "dltmqm"):
        assert "Other" in machine.run(command, "QM1", status=58).stderr
    machine.run("setmqm", "-m", "QM1", "-n", "Nobody", status=44)
    machine.run("setmqm", "-m", "QM1", "-n", "Installation1")
    machine.run("strmqm", "QM1")


def test_developer_when_asked_for_then_objects_users_and_warnings(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQ_ADMIN_PASSWORD", "secret")
    output = machine.run("crtmqm", *SMALL, "--dev", "-p", "14140", "QM1").stderr
    assert "'app'" in output
    assert "'admin'" not in output
    machine.run("strmqm", "QM1")
    connected = ternmq.connect("QM1", data=machine.data, user="app", password="passw0rd")
    with connected as app, app.queue("DEV.QUEUE.1") as queue:
        queue.put("hello")
        assert queue.get().descriptor.user_id == "app"
        with pytest.raises(ternmq.NotAuthorized):
            app.queue("SYSTEM.DEFAULT.LOCAL.QUEUE")
    with pytest.raises(ternmq.NotAuthorized):
        ternmq.connect("QM1", data=machine.data, user="admin", password="passw0rd")
    with machine.connect() as connection:
        (listener,) = connection.mqsc("DISPLAY LISTENER(SYSTEM.LISTENER.TCP.1) PORT CONTROL")
        assert (listener["PORT"], listener["CONTROL"]) == (14140, "QMGR")
        (qmgr,) = connection.mqsc("DISPLAY QMGR DEADQ")
        assert qmgr["DEADQ"] == "DEV.DEAD.LETTER.QUEUE"


def test_script_when_given_then_run_at_each_start(machine: Machine, tmp_path: Path) -> None:
    scripts = tmp_path / "config"
    scripts.mkdir()
    (scripts / "10.mqsc").write_text(
        "* ours\nDEFINE QLOCAL(FROM.SCRIPT) REPLACE +\n  MAXDEPTH(7)\n\nDELETE QLOCAL(NONE)\n"
    )
    machine.run("crtmqm", *SMALL, "-ic", str(scripts), "QM1")
    output = machine.run("strmqm", "QM1").stdout
    assert "\nDELETE QLOCAL(NONE): AMQ8147E: TernMQ object NONE not found.\n" in output
    with machine.connect() as connection:
        assert connection.attributes("FROM.SCRIPT")["max_depth"] == 7
    log = (machine.data / "qmgrs" / "QM1" / "errors" / "AMQERR01.LOG").read_text()
    assert "AMQ8942I: " in log
    assert "AMQ8940E: " in log
    assert "2 command(s), of which 1 had errors" in " ".join(log.split())
    machine.run("endmqm", "-i", "QM1")
    (scripts / "10.mqsc").unlink()
    scripts.rmdir()
    assert f"MQSCConfig={scripts} is not there" in machine.run("strmqm", "QM1").stdout


def test_start_when_the_socket_cannot_be_made_then_reported_and_the_folder_is_free(
    machine: Machine,
) -> None:
    machine.run("crtmqm", *SMALL, "QM1")
    in_the_way = machine.data / "qmgrs" / "QM1" / "local.sock"
    in_the_way.mkdir()
    assert "AMQ7018E" in machine.run("strmqm", "QM1", status=71).stderr
    assert machine.pid() == 0
    in_the_way.rmdir()
    machine.run("strmqm", "QM1")


def at_once(data: Path, *commands: list[str]) -> list[int]:
    """Commands in processes of their own, at the same time; their exit statuses."""
    environment = {**os.environ, "TERNMQ_DATA": str(data)}
    children = [
        subprocess.Popen(
            [sys.executable, "-m", "ternmq.cli", *words],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for words in commands
    ]
    return [child.wait() for child in children]


def test_commands_when_given_at_once_then_one_wins_and_nothing_is_lost(machine: Machine) -> None:
    names = ["QM1", "QM1", "QM2", "QM3"]
    ended = at_once(machine.data, *(["crtmqm", *SMALL, name] for name in names))
    assert sorted(ended[:2]) == [0, 8]
    assert ended[2:] == [0, 0]
    shown = json.loads(machine.run("dspmq", "--json").stdout)
    assert [one["name"] for one in shown] == ["QM1", "QM2", "QM3"]
    assert {one["installation"] for one in shown} == {"Installation1"}
    assert sorted(at_once(machine.data, ["strmqm", "QM1"], ["strmqm", "QM1"])) == [0, 5]


def test_commands_when_it_is_being_created_then_three(machine: Machine) -> None:
    make_data_folder(str(machine.data))
    (machine.data / "qmgrs" / ".creating-QM1").mkdir()
    with locked(str(machine.data)):
        for command in ("strmqm", "endmqm", "dltmqm"):
            assert "AMQ8106S" in machine.run(command, "QM1", status=3).stderr
    machine.run("strmqm", "QM1", status=16)  # who began it has died
    machine.run("crtmqm", *SMALL, "QM1")


@pytest.mark.promise("P1")
def test_acknowledged_when_the_process_is_killed_again_and_again_then_there(
    running: Machine,
) -> None:
    """What was answered is on the queue, once and in order; what was not may be there or not."""
    with running.connect() as connection:
        connection.define_queue("A")
    acknowledged = 0
    for life in range(3):
        with running.connect() as connection:
            connection_gone = False
            victim = running.pid()
            queue = connection.queue("A")
            for number in range(10_000):
                if number == 20 * (life + 1):
                    os.kill(victim, signal.SIGKILL)
                try:
                    queue.put(f"{acknowledged}", persistent=True)
                except ternmq.Unavailable:
                    connection_gone = True
                    break
                acknowledged += 1
        assert connection_gone
        until(lambda: not running.pid())
        running.run("strmqm", "QM1")
        with running.connect() as connection, connection.queue("A") as queue:
            found = [int(message.text) for message in queue.browse()]
        assert found[:acknowledged] == list(range(acknowledged))
        assert found[acknowledged:] in ([], [acknowledged])
        acknowledged = len(found)


@pytest.mark.parametrize(
    ("words", "status", "reported"),
    [
        (["crtmqm", "-lp", "1", "QM1"], 115, "1 primary log files"),
        (["crtmqm", "-lp", "x", "QM1"], 39, "-lp"),
        (["crtmqm", "-ld", "/dev/null/logs", "QM1"], 100, "AMQ7064E"),
        (["crtmqm", "-p", "0x", "QM1"], 39, "-p"),
        (["crtmqm", "-p", "70000", "QM1"], 39, "70000"),
        (["crtmqm", "BAD#NAME"], 72, "BAD#NAME"),
        (["crtmqm", "N" * 49], 72, "AMQ7048E"),
        (["crtmqm", "-lc", "-ll", "QM1"], 39, "not allowed with"),
        (["crtmqm"], 39, "QMGR"),
        (["dltmqm", "QM1"], 16, "AMQ8118E"),
        (["endmqm"], 16, "AMQ8118E"),
        (["dspmq", "-o", "nothing"], 36, "nothing"),
        (["dspmqinf", "QM1"], 44, "QM1"),
        (["rmvmqinf", "QM1"], 44, "QM1"),
        (["addmqinf", "-v", "Directory=QM1"], 46, "Name"),
        (["addmqinf", "-v", "Name=QM1"], 1, "AMQ7001E"),
        (["addmqinf", "-v", "Colour=red"], 39, "Colour"),
        (["dspmqinst", "-n", "None"], 44, "None"),
        (["setmqm", "-m", "QM1"], 39, "-n"),
        (["strmqm"], 16, "no default queue manager in "),
        (["crtmqm", "-u", "BAD NAME", "QM1"], 39, "-u: 'BAD NAME'"),
        (["crtmqm", "-d", "X'Y", "QM1"], 39, "-d: "),
        (["crtmqm", "-c", "x" * 65, "QM1"], 39, "at most 64 bytes"),
        (["crtmqm", "-h", "0", "QM1"], 39, "1 to 999999999, not 0"),
        (["crtmqm", "-t", "1000000000", "QM1"], 39, "0 to 999999999"),
        (["dmpmqcfg", "-m", "QM1"], 20, "AMQ8118E"),
        (["runmqsc", "-n", "QM1"], 20, "-n: client channel tables"),
        (["runmqsc", "-m", "QM2", "QM1"], 20, "-m goes with -w"),
        (["runmqsc", "-f", "nowhere", "QM1"], 20, "the file nowhere cannot be read"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else None,
)
def test_command_when_it_cannot_then_status_and_reason(
    machine: Machine, words: list[str], status: int, reported: str
) -> None:
    assert reported in machine.run(*words, status=status).stderr


@pytest.mark.parametrize("command", ["endmqm", "dltmqm"])
def test_command_when_messages_are_not_wanted_then_the_status_alone(
    machine: Machine, command: str
) -> None:
    assert machine.run(command, "-z", "QM1", status=16) == ("", "")


def test_start_when_its_listener_cannot_have_the_port_then_that_is_said(running: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with running.connect() as connection:
            connection.mqsc(
                f"DEFINE LISTENER(L) TRPTYPE(TCP) IPADDR('127.0.0.1') PORT({port}) CONTROL(QMGR)"
            )
        running.run("endmqm", "-i", "QM1")
        output = running.run("strmqm", "QM1").stdout
    assert f"Listener L is not started: port {port} of 127.0.0.1 cannot be had" in output
    assert output.splitlines()[-1].startswith("TernMQ queue manager 'QM1' started")


def test_backup_when_replayed_and_activated_then_it_has_what_was_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    primary = ternmq.embedded(here, "QM1", create=True, log_type="linear", log_file_pages=64)
    primary.define_queue("ORDERS", default_persistence="YES", max_depth=100_000)
    primary.close()
    shutil.copytree(here, there)
    monkeypatch.setenv("TERNMQ_DATA", str(there))
    machine = Machine(there)
    machine.run("strmqm", "-a", "QM1", status=71)  # it is none yet
    assert machine.run("strmqm", "-r", "QM1").stdout.endswith("complete.\n")
    with ternmq.embedded(here, "QM1") as primary, primary.queue("ORDERS") as orders:
        for _ in range(600):
            orders.put("x" * 1000)
        log = here / "qmgrs" / "QM1" / "log" / "active"
        for name in primary.log_extents().archivable:
            shutil.copy(log / name, there / "qmgrs" / "QM1" / "log" / "active" / name)
    output = machine.run("strmqm", "-r", "QM1").stdout
    assert int(output.split()[0]) > 100
    refused = machine.run("strmqm", "QM1", status=71)
    assert "is a backup that was not activated" in refused.stderr
    output = machine.run("strmqm", "-a", "QM1").stdout
    assert output == "Backup queue manager 'QM1' activated.\n"
    machine.run("strmqm", "-r", "QM1", status=71)  # it is one of its own
    machine.run("strmqm", "QM1")
    with machine.connect() as connection, connection.queue("ORDERS") as orders:
        assert 0 < orders.depth <= 600
    machine.run("endmqm", "-i", "QM1")
