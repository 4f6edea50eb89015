"""Goal: setmqaut, dspmqaut, dmpmqaut and passwd say what MQ's say and end as scripts expect.

Method: each on a queue manager in memory, with good and bad command lines; output compared whole.
"""

import io
import json
import sys
from pathlib import Path

import pytest

import ternmq
from ternmq.cli import attach
from ternmq.cli.control import dmpmqaut, dspmqaut, setmqaut
from ternmq.cli.tools import passwd
from ternmq.ports.os_disk import OsDisk
from ternmq.remote.local.folder_lookup import Place
from ternmq.security.password_file import PATH, has_default_password, read_accounts
from ternmq.security.passwords import is_password


def run(main: object, text: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    assert callable(main)
    status = main(text.split())
    output = capsys.readouterr()
    return status, output.out, output.err


def test_authority_is_given_shown_listed_and_taken(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "-m QM1 -n DEV.** -t queue -p app -g staff +put +get +browse +inq"
    done = "The setmqaut command completed successfully.\n"
    assert run(setmqaut.main, line, capsys) == (0, done, "")
    assert run(setmqaut.main, "-mQM1 -nDEV.** -tq -papp -all +get +set +setid", capsys)[0] == 0
    assert run(setmqaut.main, "-m QM1 -t qmgr -p app +connect", capsys)[0] == 0
    status, out, _ = run(dspmqaut.main, "-m QM1 -n DEV.QUEUE.1 -t queue -g staff", capsys)
    assert status == 0
    assert out == (
        "Entity staff has the following authorizations for object DEV.QUEUE.1:\n"
        "\tget\n\tbrowse\n\tput\n\tinq\n"
    )
    _, out, _ = run(dspmqaut.main, "-m QM1 -t qmgr -p app", capsys)
    assert out.endswith("object QM1:\n\tconnect\n")
    status, out, _ = run(dmpmqaut.main, "-m QM1 -t queue", capsys)
    assert status == 0
    assert out == (
        "profile:     DEV.**\nobject type: queue\nentity:      staff\nentity type: group\n"
        "authority:   get browse put inq\n"
        "- - - - - - - -\n"
        "profile:     DEV.**\nobject type: queue\nentity:      app\nentity type: principal\n"
        "authority:   get set setid\n"
    )
    _, out, _ = run(dmpmqaut.main, "-m QM1 -l", capsys)
    assert out == "profile: self, type: qmgr\nprofile: DEV.**, type: queue\n"
    _, out, _ = run(dmpmqaut.main, "-m QM1 -a -t q -g staff", capsys)
    assert out == "setmqaut -m QM1 -n 'DEV.**' -t queue -g staff +get +browse +put +inq\n"
    assert run(setmqaut.main, "-m QM1 -n DEV.** -t queue -p app -remove", capsys)[0] == 0
    _, out, _ = run(dmpmqaut.main, "-m QM1 -t queue -p app", capsys)
    assert out == "No matching authority records.\n"


def test_matching_of_dmpmqaut(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    attached.mqsc("DEFINE QLOCAL(A.B)")
    run(setmqaut.main, "-m QM1 -n A.* -t q -p app +get", capsys)
    run(setmqaut.main, "-m QM1 -n A.B -t q -p app +put", capsys)

    def profiles(more: str) -> list[str]:
        _, out, _ = run(dmpmqaut.main, f"-m QM1 --json {more}", capsys)
        return [row["profile"] for row in json.loads(out)]

    assert profiles("-n A.B -t q") == ["A.*", "A.B"]
    assert profiles("-n A.B -t q -x") == ["A.B"]
    assert profiles("-n A.* -t q") == ["A.*"]
    assert profiles("-n A.B -t q -p app -e") == ["A.*", "A.B"]
    assert profiles("-n X -t q") == []


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("-m QM1 -n A -p app +put", 147, "AMQ7093E"),
        ("-m QM1 -n A -t boat -p app +put", 148, "AMQ7094E"),
        ("-m QM1 -t queue -p app +put", 146, "AMQ7092E"),
        ("-m QM1 -n A -t qmgr -p app +inq", 145, "AMQ7091E"),
        ("-m QM1 -n A -t queue +put", 149, "AMQ7095E"),
        ("-m QM1 -n A -t queue -p app", 150, "AMQ7096E"),
        ("-m QM1 -n A -t queue -p app +fly", 151, "AMQ7096E"),
        ("-m QM1 -n A -t queue -p app +connect", 151, "AMQ7097E"),
        ("-m QM1 -n A -t queue -p app +put -remove", 151, "AMQ7096E"),
        ("-m QM1 -n A..**.** -t queue -p app +put", 36, "AMQ"),
        ("-m QM1 -n A -t queue -x app +put", 36, "AMQ7095E"),
        ("-m QM1 -n A -t queue -p", 36, "AMQ7095E"),
        ("-m QM9 -n A -t queue -p app +put", 72, "AMQ8118E"),
        ("-m QM1 -n A -t queue -p app -remove", 133, "AMQ8865E"),
    ],
)
def test_bad_command_lines_of_setmqaut(
    line: str,
    status: int,
    message: str,
    attached: ternmq.QueueManager,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended, out, err = run(setmqaut.main, line, capsys)
    assert (ended, out) == (status, "")
    assert err.startswith(message), err


def test_bad_command_lines_of_the_others(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(dspmqaut.main, "-m QM1 -n A -t queue", capsys)[0] == 149
    assert run(dspmqaut.main, "-m QM1 -n A -t queue -p a -p b", capsys)[0] == 149
    assert run(dspmqaut.main, "-m QM9 -n A -t queue -p a", capsys)[0] == 72
    assert run(dmpmqaut.main, "-m QM1 -l -a", capsys)[0] == 36
    assert run(dmpmqaut.main, "-m QM1 -p a -g b", capsys)[0] == 36
    assert run(dmpmqaut.main, "-m QM1 -t boat", capsys)[0] == 148


def test_passwords_are_set_listed_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(attach, "place_of", lambda name: Place(name, str(tmp_path)))

    def typed(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))

    typed("s3cret\n")
    assert run(passwd.main, "-m QM1 -g mqm,staff admin", capsys)[0] == 0
    typed("other\n")
    assert run(passwd.main, "-m QM1 app", capsys)[0] == 0
    disk = OsDisk(str(tmp_path))
    accounts = read_accounts(disk)
    assert accounts["admin"].groups == ("mqm", "staff")
    assert is_password(accounts["admin"], "s3cret")
    assert not is_password(accounts["admin"], "S3cret")
    assert not is_password(accounts.get("nobody"), "s3cret")
    assert not has_default_password(accounts)
    assert (tmp_path / PATH).stat().st_mode & 0o777 == 0o600
    assert "s3cret" not in (tmp_path / PATH).read_text()
    typed("new\n")
    assert run(passwd.main, "-m QM1 admin", capsys)[0] == 0
    accounts = read_accounts(disk)
    assert accounts["admin"].groups == ("mqm", "staff")
    assert is_password(accounts["admin"], "new")
    _, out, _ = run(passwd.main, "-m QM1 -l --json", capsys)
    assert [row["user"] for row in json.loads(out)] == ["admin", "app"]
    assert run(passwd.main, "-m QM1 -d app", capsys)[0] == 0
    assert run(passwd.main, "-m QM1 -d app", capsys)[0] == 102
    typed("\n")
    status, _, err = run(passwd.main, "-m QM1 app", capsys)
    assert status == 71
    assert "1 to 256 bytes" in err
    with pytest.raises(SystemExit) as ended:
        passwd.main(["-m", "QM1", "no user"])
    assert ended.value.code == 36
    disk.close()


@pytest.mark.parametrize(
    ("noun", "kind"),
    [
        ("QLOCAL", "queue"),
        ("TOPIC", "topic"),
        ("PROCESS", "prcs"),
        ("NAMELIST", "nl"),
        ("LISTENER", "listener"),
        ("SERVICE", "srvc"),
        ("COMMINFO", "comminfo"),
        ("CHANNEL", "channel"),
        ("CHANNEL", "clntconn"),
        ("AUTHINFO", "authinfo"),
    ],
)
def test_authority_for_one_object_needs_that_object(
    noun: str, kind: str, attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    line = f"-m QM1 -n ORDERS -t {kind} -p app +dsp"
    status, out, err = run(setmqaut.main, line, capsys)
    assert (status, out, err) == (133, "", f"AMQ7085E: Object ORDERS, type {kind} not found.\n")
    more = {
        "CHANNEL": "CHLTYPE(CLNTCONN) CONNAME(here)" if kind == "clntconn" else "CHLTYPE(SVRCONN)",
        "AUTHINFO": "AUTHTYPE(IDPWOS)",
        "LISTENER": "TRPTYPE(TCP)",
        "TOPIC": "TOPICSTR(orders)",
    }.get(noun, "")
    assert attached.mqsc(f"DEFINE {noun}(ORDERS) {more}")[0].ok
    assert run(setmqaut.main, line, capsys)[0] == 0
    assert run(setmqaut.main, f"-m QM1 -n ORD* -t {kind} -p app +dsp", capsys)[0] == 0
