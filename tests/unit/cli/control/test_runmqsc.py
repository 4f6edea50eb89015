"""Goal: runmqsc and dmpmqcfg behave on the command line as people and scripts expect.

Method: the commands' own `main` on a queue manager in memory, with standard input and files.
"""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.cli.control import dmpmqcfg, runmqsc
from ternmq.cli.control.mqsc_completion import completions
from ternmq.cli.control.mqsc_history import history_path
from ternmq.cli.control.mqsc_terminal import WELCOME, prompt_text, typed_lines


def test_stdin_when_read_then_echo_answers_and_summary(
    attached: ternmq.QueueManager, typed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    typed("def ql(A)\nend\nping qmgr\n")
    assert runmqsc.main(["QM1"]) == 0
    output = capsys.readouterr().out.splitlines()
    assert output[1:4] == ["Starting MQSC for queue manager QM1.", "", ""]
    assert output[4:] == [
        "     1 : def ql(A)",
        "AMQ8006I: TernMQ queue created.",
        "     2 : end",
        "One MQSC command read.",
        "No commands have a syntax error.",
        "All valid MQSC commands were processed.",
    ]


def test_e_when_given_then_no_echo(
    attached: ternmq.QueueManager, typed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    typed("ping qmgr\n")
    assert runmqsc.main(["-e", "QM1"]) == 0
    assert " : " not in capsys.readouterr().out


def test_file_when_something_fails_then_10(
    attached: ternmq.QueueManager, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.mqsc"
    script.write_text("DEFINE QLOCAL(A)\nDELETE QLOCAL(B)\n", encoding="utf-8")
    assert runmqsc.main(["-f", str(script), "QM1"]) == 10
    assert "AMQ8147E" in capsys.readouterr().out
    assert "A" in attached.queue_names()


def test_v_when_given_then_nothing_is_done(
    attached: ternmq.QueueManager, typed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    typed("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B) FOO(1)\n")
    assert runmqsc.main(["-v", "QM1"]) == 10
    output = capsys.readouterr().out
    assert "One command has a syntax error." in output
    assert "processed" not in output
    assert "A" not in attached.queue_names()


@pytest.mark.parametrize("arguments", [["QM9"], ["-f", "/no/such/file", "QM1"]])
def test_when_it_cannot_run_then_20(
    attached: ternmq.QueueManager, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert runmqsc.main(arguments) == 20
    assert capsys.readouterr().err


def test_json_when_asked_then_one_value(
    attached: ternmq.QueueManager, typed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    typed("DIS QMGR DESCR\nFLY\nDIS QL(NONE)\n")
    assert runmqsc.main(["--json", "QM1"]) == 10
    values = json.loads(capsys.readouterr().out)
    assert (values["read"], values["syntaxErrors"], values["failed"]) == (3, 1, 1)
    first, second, third = values["commands"]
    assert first["answers"][0]["attributes"] == {"QMNAME": "QM1", "DESCR": ""}
    assert second["answers"][0]["segment"] == "FLY"
    assert third["answers"][0]["message"] == "AMQ8147E"


def test_dump_when_replayed_by_runmqsc_then_it_is_taken(
    attached: ternmq.QueueManager, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    attached.mqsc("DEFINE QLOCAL(odd) DESCR('it''s')")
    assert dmpmqcfg.main(["-m", "QM1", "-a", "-t", "queue", "-n", "ODD"]) == 0
    script = tmp_path / "dump.mqsc"
    script.write_text(capsys.readouterr().out, encoding="utf-8")
    assert "DEFINE QLOCAL('ODD') +" in script.read_text(encoding="utf-8")
    attached.mqsc("DELETE QLOCAL(ODD)")
    assert runmqsc.main(["-f", str(script), "QM1"]) == 0
    assert attached.mqsc("DIS QL(ODD) DESCR")[0]["DESCR"] == "it's"


def test_dump_when_the_queue_manager_is_not_there_then_20(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dmpmqcfg.main(["-m", "QM9"]) == 20
    assert capsys.readouterr().err == "AMQ8118E: TernMQ queue manager does not exist.\n"


@pytest.mark.parametrize(
    ("before", "word", "expected"),
    [
        ("", "def", ["define"]),
        ("", "RES", ["RESET", "RESOLVE", "RESUME"]),
        ("def ", "ql", ["qlocal"]),
        ("DEFINE QLOCAL(A) ", "MAXD", ["MAXDEPTH"]),
        ("DEFINE QLOCAL(A) GET(", "", ["ENABLED", "DISABLED"]),
        ("STOP CHANNEL(C) MODE(", "F", ["FORCE"]),
        ("DEFINE CHANNEL(C) CHLTYPE(", "SV", ["SVR", "SVRCONN"]),
        ("FLY ", "", []),
    ],
)
def test_completion(before: str, word: str, expected: list[str]) -> None:
    assert completions(before, word) == expected


def test_prompt_when_mqprompt_then_its_words_are_filled_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MQPROMPT", "+QMNAME+> ")
    assert prompt_text("QM1") == "QM1> "


def test_dump_when_json_then_commands(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    attached.mqsc("DEFINE QLOCAL(A)")
    assert dmpmqcfg.main(["-m", "QM1", "-n", "A", "-t", "queue", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"commands": ["DEFINE QLOCAL('A') REPLACE"]}


def test_terminal_when_lines_are_typed_then_given_and_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(["dis qmgr", "ping qmgr"])
    prompts: list[str] = []

    def answer(prompt: str) -> str:
        prompts.append(prompt)
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("MQPROMPT", "> ")
    monkeypatch.setattr("builtins.input", answer)
    assert list(typed_lines("QM1")) == ["dis qmgr", "ping qmgr"]
    assert capsys.readouterr().out.splitlines() == [WELCOME, ""]
    assert prompts == ["> "] * 3
    kept = history_path()
    assert kept is not None
    assert kept.exists()


@pytest.mark.parametrize(
    ("reason", "message"),
    [(2058, "AMQ8118E"), (2059, "AMQ8146E"), (2161, "AMQ8156E"), (2009, "AMQ8145E")],
)
def test_without_a_connection_it_says_why_and_ends_with_20(
    reason: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(name: str, application: str, user: str, client: bool) -> None:
        raise ternmq.MQError(2, reason, verb="MQCONN", object=name)

    monkeypatch.setattr("ternmq.cli.attach.attach", refuse)
    for main in (runmqsc.main, dmpmqcfg.main):
        assert main(["QM1"] if main is runmqsc.main else ["-m", "QM1"]) == 20
        output = capsys.readouterr()
        assert output.out == ""
        assert output.err.startswith(f"{message}: ")


# ---- by message


def test_w_when_given_then_by_message_to_the_command_server(
    attached: ternmq.QueueManager, typed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    attached.start_command_server()
    typed(
        "DEFINE QLOCAL(A) MAXDEPTH(7)\nDISPLAY QLOCAL(A) MAXDEPTH\nDELETE QLOCAL(B)\nDEF QL(C) X(1)"
    )
    assert runmqsc.main(["-w", "30", "-m", "QM1", "QM1"]) == 10
    output = capsys.readouterr().out.splitlines()
    assert "AMQ8006I: TernMQ queue created." in output
    assert "   MAXDEPTH(7)" in output
    assert "AMQ8147E: TernMQ object B not found." in output
    assert output[-3:] == [
        "4 MQSC commands read.",
        "One command has a syntax error.",
        "One valid MQSC command could not be processed.",
    ]
    assert [name for name in attached.queue_names() if name.startswith("MQSC.REPLY")] == []


def test_w_when_nobody_answers_then_20(
    attached: ternmq.QueueManager, typed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    typed("PING QMGR\n")
    assert runmqsc.main(["-w", "1", "QM1"]) == 20
    assert "no answer of QM1 within 1 s" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["-n", "QM1"], "-n: "),
        (["-x", "-w", "5", "QM1"], "-x: z/OS"),
        (["-m", "QM2", "QM1"], "-m goes with -w"),
        (["-c", "-w", "5", "QM1"], "-c does not go"),
    ],
)
def test_options_when_they_cannot_be_then_20_and_nothing_is_run(
    attached: ternmq.QueueManager,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    why: str,
) -> None:
    assert runmqsc.main(arguments) == 20
    output = capsys.readouterr().err
    assert why in output
    assert "nothing was run" in output


def test_w_when_it_is_no_time_then_20(attached: ternmq.QueueManager) -> None:
    with pytest.raises(SystemExit) as ended:
        runmqsc.main(["-w", "0", "QM1"])
    assert ended.value.code == 20


# ---- authority as setmqaut


def test_dump_when_as_setmqaut_then_commands_that_make_the_records(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    attached.mqsc(
        "SET AUTHREC PROFILE('DEV.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(GET,PUT)\n"
        "SET AUTHREC OBJTYPE(QMGR) GROUP('staff') AUTHADD(CONNECT)"
    )
    assert dmpmqcfg.main(["-m", "QM1", "-x", "authrec", "-o", "setmqaut"]) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == [
        "setmqaut -m QM1 -n 'DEV.**' -t queue -p app +get +put",
        "setmqaut -m QM1 -t qmgr -g staff +connect",
    ]
    with pytest.raises(SystemExit):
        dmpmqcfg.main(["-m", "QM1", "-o", "setmqaut"])


def test_dump_when_by_a_channel_then_the_way_is_taken_from_it() -> None:
    text = "DEFINE CHANNEL(A.SVRCONN) CHLTYPE(CLNTCONN) CONNAME('host(1414)') SSLCIPH(ANY_TLS12)"
    assert dmpmqcfg.client_arguments(text) == {
        "channel": "A.SVRCONN",
        "conn": "host(1414)",
        "cipher": "ANY_TLS12",
    }
    assert dmpmqcfg.client_arguments("default") == {}
    assert dmpmqcfg.client_arguments(None) == {}
    for wrong in ("DEFINE QLOCAL(A)", "nonsense", "DEFINE CHANNEL(A) CHLTYPE(SVRCONN)"):
        with pytest.raises(ValueError, match="DEFINE CHANNEL"):
            dmpmqcfg.client_arguments(wrong)


BINARY = b"DEFINE QLOCAL(A) DESCR('\xff')\n\x80\x81\xfe\nDEFINE QLOCAL(B)\n"


@pytest.mark.parametrize("from_file", [False, True])
def test_input_when_it_is_not_utf_8_then_that_command_is_refused_and_the_next_one_runs(
    attached: ternmq.QueueManager,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    from_file: bool,
) -> None:
    script = tmp_path / "script.mqsc"
    script.write_bytes(BINARY)
    stream = io.TextIOWrapper(io.BytesIO(BINARY), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stream)
    words = ["-f", str(script)] if from_file else []
    assert runmqsc.main([*words, "QM1"]) == 10
    output = capsys.readouterr().out
    assert output.count("it has bytes that are not UTF-8") == 2
    assert "B" in attached.queue_names()
    assert "A" not in attached.queue_names()


def test_output_when_the_terminal_lacks_a_letter_then_it_is_shown_as_a_code(tmp_path: Path) -> None:
    script = tmp_path / "script.mqsc"
    script.write_text("DEFINE QLOCAL(A) DESCR('f\xfcr')\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "ternmq.cli", "runmqsc", "-v", "-f", str(script)],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert b"DESCR('f\\xfcr')" in done.stdout
    assert done.returncode == 0
