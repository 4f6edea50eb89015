"""Goal: the error log has the layout that people and tools know, rotates, and loses nothing.

Method: logs in a temporary folder, read back; ini files as texts.
"""

import json
import os
import re
import socket
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ternmq.base.ini import IniError, IniFile
from ternmq.server.error_log.error_log import ErrorLog
from ternmq.server.error_log.log_entry import LogEntry, Origin, vrmf
from ternmq.server.settings.log_settings import SIZE_MIN, LogService, error_log_services

WHEN = datetime(2026, 11, 16, 1, 46, 7, 123_456, UTC)


@pytest.fixture
def origin() -> Origin:
    origin = Origin("QM1", "0.1.0.dev0", qmgr_id="QM1_2026-11-16_01.00.00", program="strmqm")
    origin.host = "box"
    origin.user = "mqm"
    return origin


def test_an_entry_as_text_has_the_known_layout(origin: Origin) -> None:
    entry = LogEntry(origin, "AMQ7229I", (12, "QM1"), when=WHEN, module="restart.py : 12")
    first, *lines = entry.as_text().splitlines()
    assert re.fullmatch(
        r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d - Process\(\d+\.\d+\) User\(mqm\) Program\(strmqm\)", first
    )
    assert lines == [
        "                    Host(box) Installation(Installation1)",
        "                    VRMF(0.1.0.0) QMgr(QM1)",
        "                    Time(2026-11-16T01:46:07.123Z)",
        "                    ArithInsert1(12)",
        "                    CommentInsert1(QM1)",
        "                    ",
        "AMQ7229I: 12 log records accessed on queue manager 'QM1' during the log replay",
        "phase.",
        "",
        "EXPLANATION:",
        "12 log records accessed on queue manager 'QM1' during the log replay phase.",
        "ACTION:",
        "None.",
        "----- restart.py : 12 ---------------------------------------------------------",
    ]


def test_an_entry_as_json_has_the_known_names(origin: Origin) -> None:
    entry = LogEntry(
        origin, "AMQ9209E", ("box (127.0.0.1)", "TO.QM1"), when=WHEN, remote_host="127.0.0.1"
    )
    text = entry.as_json()
    assert text.endswith("}\n")
    assert "\n" not in text[:-1]
    value = json.loads(text)
    assert value.pop("ibm_threadId").isdigit()
    assert value.pop("ibm_processId") == str(os.getpid())
    assert value == {
        "ibm_messageId": "AMQ9209E",
        "ibm_commentInsert1": "box (127.0.0.1)",
        "ibm_commentInsert2": "TO.QM1",
        "ibm_datetime": "2026-11-16T01:46:07.123Z",
        "ibm_serverName": "QM1",
        "type": "mq_log",
        "host": "box",
        "loglevel": "ERROR",
        "module": "",
        "ibm_sequence": "1794793567_123456000",
        "ibm_remoteHost": "127.0.0.1",
        "ibm_qmgrId": "QM1_2026-11-16_01.00.00",
        "ibm_version": "0.1.0.0",
        "ibm_processName": "strmqm",
        "ibm_userName": "mqm",
        "ibm_installationName": "Installation1",
        "ibm_installationDir": sys.prefix,
        "message": "AMQ9209E: Connection to host 'box (127.0.0.1)' for channel 'TO.QM1' closed.",
    }


def test_an_insert_with_line_breaks_does_not_break_the_layout(origin: Origin) -> None:
    entry = LogEntry(origin, "AMQ7018E", ("one\n----- two\nAMQ9999E: no",), when=WHEN)
    lines = entry.as_text().splitlines()
    assert "                    CommentInsert1(one ----- two AMQ9999E: no)" in lines
    assert not any(line.startswith(("-----", "AMQ9999E")) for line in lines[:-1])


@pytest.mark.parametrize(
    ("version", "expected"), [("0.1.0.dev0", "0.1.0.0"), ("1.2", "1.2.0.0"), ("9.4.2.5", "9.4.2.5")]
)
def test_vrmf_has_four_numbers(version: str, expected: str) -> None:
    assert vrmf(version) == expected


def test_files_rotate_by_size_and_the_oldest_goes(origin: Origin, tmp_path: Path) -> None:
    service = LogService("text")
    service.size_max = 1000  # two entries
    log = ErrorLog(tmp_path, origin, [service])
    for number in range(8):
        log.write("AMQ7469W", (number,))
    names = ["AMQERR01.LOG", "AMQERR02.LOG", "AMQERR03.LOG"]
    assert sorted(os.listdir(tmp_path)) == names
    kept = [re.findall(r"ArithInsert1\((\d)\)", (tmp_path / name).read_text()) for name in names]
    assert all((tmp_path / name).stat().st_size <= 1000 for name in names)
    assert [int(one) for part in reversed(kept) for one in part] == list(
        range(8 - sum(map(len, kept)), 8)
    )


def test_entries_are_on_disk_when_the_process_is_killed(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "from ternmq.server.error_log.error_log import ErrorLog\n"
        "from ternmq.server.error_log.log_entry import Origin\n"
        "log = ErrorLog(sys.argv[1], Origin('QM1', '1.0'))\n"
        "for number in range(3): log.write('AMQ7469W', (number,))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True)
    assert done.returncode == -9, done.stderr
    text = (tmp_path / "AMQERR01.LOG").read_text()
    assert re.findall(r"ArithInsert1\((\d)\)", text) == ["0", "1", "2"]


def test_a_log_that_cannot_be_written_stops_nothing(origin: Origin, tmp_path: Path) -> None:
    (tmp_path / "errors").write_text("a file where the folder should be")
    log = ErrorLog(tmp_path / "errors", origin)
    log.write("AMQ8004I", ("QM1",))
    assert log.lost == 1


def test_stanzas_choose_services_and_what_they_leave_out(origin: Origin, tmp_path: Path) -> None:
    ini = IniFile(
        "QMErrorLog:\n   ErrorLogSize=65536\n   ExcludeMessage=5051,AMQ5052I\n"
        "   SuppressMessage=8004\n   SuppressInterval=600\n"
        "DiagnosticMessages:\n   Service=File\n   Name=ship\n   Format=json\n   Severities=E+\n"
        f"   FilePath={tmp_path / 'json'}\n   FilePrefix=MQ\n",
        "qm.ini",
    )
    services = error_log_services(ini)
    assert services[0].size_max == 65536
    log = ErrorLog(tmp_path / "text", origin, services)
    for message_id in ("AMQ5051I", "AMQ5052I", "AMQ8004I", "AMQ8004I", "AMQ8118E"):
        log.write(message_id, ("QM1",))
    text = (tmp_path / "text" / "AMQERR01.LOG").read_text()
    assert re.findall(r"^(AMQ\d{4}.):", text, re.MULTILINE) == ["AMQ8004I", "AMQ8118E"]
    lines = (tmp_path / "json" / "MQ01.json").read_text().splitlines()
    assert [json.loads(line)["ibm_messageId"] for line in lines] == ["AMQ8118E"]


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        ("QMErrorLog:\n ErrorLogSize=5\n", 2, f"a number from {SIZE_MIN}"),
        ("QMErrorLog:\n\n ErrorLog=5\n", 3, "no attribute ErrorLog"),
        ("QMErrorLog:\n ExcludeMessage=80\n", 2, "80 is not a message number"),
        ("DiagnosticMessages:\n Service=Pigeon\n", 2, "File or Syslog"),
        ("DiagnosticMessages:\n Service=Syslog\n Ident=a b\n", 3, "one plain word"),
        ("DiagnosticMessages:\n Service=Syslog\n FilePath=/x\n", 3, "no attribute FilePath"),
        ("DiagnosticMessages:\n Service=File\n Format=xml\n", 3, "text or json"),
        ("DiagnosticMessages:\n Service=File\n Severities=X\n", 3, "a severity is one of"),
        ("DiagnosticMessages:\n Service=File\n FilePrefix=a/b\n", 3, "part of a file name"),
    ],
)
def test_a_stanza_that_cannot_be_names_its_line(text: str, line: int, complaint: str) -> None:
    with pytest.raises(IniError, match=complaint) as raised:
        error_log_services(IniFile(text, "qm.ini"))
    assert (raised.value.file, raised.value.line) == ("qm.ini", line)


def test_the_environment_sets_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQMAXERRORLOGSIZE", "100000")
    assert error_log_services(None)[0].size_max == 100_000


def test_syslog_gets_a_line_for_each_entry(tmp_path: Path, origin: Origin) -> None:
    ini = IniFile("DiagnosticMessages:\n Service=Syslog\n Ident=mq\n Severities=W+\n", "qm.ini")
    plain, system = error_log_services(ini)
    system.address = str(tmp_path / "log.sock")
    log = ErrorLog(tmp_path, origin, [plain, system])
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as daemon:
        daemon.bind(system.address)
        daemon.settimeout(10)
        log.write("AMQ8004I", ("QM1",))
        log.write("AMQ8118E", ("QM\n2",))
        log.write("AMQ7017S", ("QM1", "x"))
        found = [daemon.recv(4096).decode() for _ in range(2)]
    stamp = r"[A-Z][a-z][a-z] [ \d]\d \d\d:\d\d:\d\d mq\[\d+\]: "
    assert re.fullmatch(
        rf"<11>{stamp}AMQ8118E: .* \[Program\(strmqm\) QMgr\(QM1\) CommentInsert1\(QM 2\)\]",
        found[0],
    )
    assert re.match(rf"<9>{stamp}AMQ7017S: ", found[1])
    assert log.lost == 0
    log.write("AMQ8118E", ("QM1",))  # nobody is there any more
    assert log.lost == 1
    assert (tmp_path / "AMQERR01.LOG").read_text().count("AMQ8118E:") == 2
