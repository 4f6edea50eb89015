"""Goal: the samples print what people know, and end with the status that scripts know.

Method: a queue manager in memory; what a sample writes is compared line by line.
"""

import sys
from collections.abc import Callable
from types import ModuleType

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.cli.samples import (
    amqsbcg,
    amqsech,
    amqsgbr,
    amqsget,
    amqsinq,
    amqsput,
    amqsreq,
    amqsset,
    sample_server,
)
from ternmq.codec.headers.mqtmc import TriggerMessageText

Typed = Callable[[str], None]
Main = Callable[[list[str]], int]


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amqsget, "WAIT_S", 0.0)
    monkeypatch.setattr(amqsreq, "FIRST_WAIT_S", 0.0)
    monkeypatch.setattr(amqsreq, "WAIT_S", 0.0)
    monkeypatch.setattr(sample_server, "WAIT_S", 0.0)


def test_a_password_comes_before_the_messages(
    monkeypatch: pytest.MonkeyPatch, typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, object, object]] = []

    def connect(name: str, **given: object) -> None:
        asked.append((name, given["user"], given["password"]))
        raise ternmq.MQError(2, 2035, verb="MQCONNX", object=name)

    monkeypatch.setattr("ternmq.remote.connect.connect", connect)
    monkeypatch.setenv("MQSAMP_USER_ID", "app")
    typed("pass word\nmessage\n")
    assert amqsput.main(["Q1", "QM1"]) == 2035 & 0xFF
    assert asked == [("QM1", "app", "pass word")]
    assert "pass word" not in capsys.readouterr().out


def triggered(queue: str, qmgr: str = "QM1") -> str:
    packed = TriggerMessageText(queue_name=queue, qmgr_name=qmgr).pack()
    return packed.decode("ascii")


def test_put_and_get_lines(
    attached: ternmq.QueueManager, typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    attached.define_queue("Q1")
    typed("first\nsecond\n\nnot this one\n")
    assert amqsput.main(["Q1", "QM1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Sample AMQSPUT0 start",
        "target queue is Q1",
        "Sample AMQSPUT0 end",
    ]
    assert amqsget.main(["Q1", "QM1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Sample AMQSGET0 start",
        "message <first>",
        "message <second>",
        "no more messages",
        "Sample AMQSGET0 end",
    ]


def test_put_gives_messages_their_format_and_name(
    attached: ternmq.QueueManager, typed: Typed
) -> None:
    attached.define_queue("Q1")
    typed("text\n")
    amqsput.main(["Q1"])
    with attached.queue("Q1") as queue:
        md = queue.get().descriptor
    assert (md.format, md.put_appl_name) == ("MQSTR", "amqsput")


def test_put_to_another_queue_manager(
    attached: ternmq.QueueManager, typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    attached.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    typed("over there\n")
    assert amqsput.main(["THERE", "QM1", "8208", "0", "QM2"]) == 0
    with attached.queue("QM2") as queue:
        assert queue.get().data.endswith(b"over there")
    typed("nowhere\n")
    assert amqsput.main(["THERE", "QM1", "8208", "0", "QM3"]) == 0
    assert "MQPUT ended with reason code 2087" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("main", "name", "way"),
    [(amqsput.main, "AMQSPUT0", "output"), (amqsget.main, "AMQSGET0", "input")],
)
def test_a_queue_that_is_not_there(
    attached: ternmq.QueueManager,
    capsys: pytest.CaptureFixture[str],
    main: Main,
    name: str,
    way: str,
) -> None:
    assert main(["NONE", "QM1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"Sample {name} start"
    assert lines[-3:] == [
        "MQOPEN ended with reason code 2085",
        f"unable to open queue for {way}",
        f"Sample {name} end",
    ]


@pytest.mark.parametrize("main", [amqsput.main, amqsget.main, amqsreq.main, amqsgbr.main])
def test_without_a_queue_manager_the_reason_is_the_status(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str], main: Main
) -> None:
    assert main(["Q1", "OTHER"]) == 2058 & 0xFF
    assert "MQCONNX ended with reason code 2058" in capsys.readouterr().out


@pytest.mark.parametrize(
    "main", [amqsput.main, amqsget.main, amqsreq.main, amqsgbr.main, amqsbcg.main]
)
def test_without_arguments_a_parameter_is_missing(
    capsys: pytest.CaptureFixture[str], main: Main
) -> None:
    assert main([]) == 99
    assert "Required parameter missing - queue name" in capsys.readouterr().out


def test_a_full_queue_is_reported(
    attached: ternmq.QueueManager, typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    attached.define_queue("Q1", max_depth=1)
    typed("one\ntwo\n")
    assert amqsput.main(["Q1"]) == 0
    assert "MQPUT ended with reason code 2053" in capsys.readouterr().out


def test_browse_shows_numbers_and_leaves_messages(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    attached.define_queue("Q1")
    attached.put("Q1", "a")
    attached.put("Q1", "b")
    assert amqsgbr.main(["Q1", "QM1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Sample AMQSGBR0 (browse) start",
        "QM1",
        f"Messages for {'Q1':<48}",
        "1 <a>",
        "2 <b>",
        "no more messages",
        "Sample AMQSGBR0 (browse) end",
    ]
    assert amqsgbr.main(["Q1", "QM1"]) == 0
    assert "2 <b>" in capsys.readouterr().out


STEERING = "a\x1b[2Jb\x9bc\rd\u202ee\tf"


@pytest.mark.parametrize("sample", [amqsgbr, amqsget])
def test_data_that_would_steer_a_terminal_is_shown_there_and_left_alone_in_a_pipe(
    attached: ternmq.QueueManager,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    sample: ModuleType,
) -> None:
    attached.define_queue("Q1")
    attached.put("Q1", STEERING)
    attached.put("Q1", STEERING)
    with monkeypatch.context() as on_terminal:
        on_terminal.setattr(sys.stdout, "isatty", lambda: True)
        sample.main(["Q1", "QM1"])
    seen = capsys.readouterr().out
    assert r"<a\x1b[2Jb\x9bc\x0dd\u202ee" + "\tf>" in seen
    assert not set(seen) & {"\x1b", "\x9b", "\r", "\u202e"}
    attached.put("Q1", STEERING)
    sample.main(["Q1", "QM1"])
    assert f"<{STEERING}>" in capsys.readouterr().out


def test_a_message_is_shown_whole(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    attached.define_queue("Q1")
    md = ternmq.Descriptor(
        format="MQSTR", priority=4, persistence=1, msg_id=b"M" * 24, correl_id=b"C" * 24
    )
    attached.put("Q1", b"Browse me, please\x00", descriptor=md)
    assert amqsbcg.main(["Q1", "QM1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:8] == [
        "AMQSBCG0 - starts here",
        "**********************",
        " ",
        " MQOPEN - 'Q1'",
        " ",
        " ",
        " MQGET of message number 1, CompCode:0 Reason:0",
        "****Message descriptor****",
    ]
    assert f"  MsgId : X'{'4D' * 24}'" in lines
    assert "  Priority : 4  Persistence : 1" in lines
    assert f"  ReplyToQMgr    : '{'QM1':<48}'" in lines
    at = lines.index("****   Message      ****")
    assert lines[at + 1 :] == [
        " ",
        " length - 18 of 18 bytes",
        " ",
        "00000000:  4272 6F77 7365 206D 652C 2070 6C65 6173 'Browse me, pleas'",
        "00000010:  6500                                    'e.              '",
        " ",
        " ",
        " ",
        " No more messages ",
        "",
        "****   Summary      ****",
        " 1 message browsed.",
        " Smallest message 18 bytes.",
        " Largest message 18 bytes.",
        " Average message 18 bytes.",
        "",
        " MQCLOSE",
        " MQDISC",
    ]


def test_requests_are_echoed(
    attached: ternmq.QueueManager, typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    attached.define_queue("SERVER")
    attached.define_queue("REPLIES")
    typed("hello\n")
    assert amqsreq.main(["SERVER", "QM1", "REPLIES"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Sample AMQSREQ0 start",
        "server queue is SERVER",
        "replies to REPLIES",
        "no more replies",
        "Sample AMQSREQ0 end",
    ]
    with attached.queue("SERVER") as queue:
        request = next(queue.browse()).descriptor
    assert request.msg_type == mq.MQMT_REQUEST
    assert request.reply_to_queue == "REPLIES"
    attached.put("SERVER", "no request")
    assert amqsech.main([triggered("SERVER")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Sample AMQSECHA start",
        "hello",
        "no request",
        "  -- not a request and discarded",
        "MQGET ended with reason code 2033",
        "Sample AMQSECHA end",
    ]
    with attached.queue("REPLIES") as queue:
        reply = queue.get()
    assert reply.data == b"hello"
    assert reply.correl_id == request.msg_id
    assert reply.descriptor.msg_type == mq.MQMT_REPLY


def test_replies_come_to_a_dynamic_queue_that_goes(
    attached: ternmq.QueueManager, typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    attached.define_queue("SERVER")
    attached.define_model("SYSTEM.SAMPLE.REPLY")
    before = attached.queue_names()
    typed("hello\n")
    assert amqsreq.main(["SERVER", "QM1"]) == 0
    assert "\nreplies to AMQ." in capsys.readouterr().out
    assert attached.queue_names() == before


def ask(qm: ternmq.QueueManager, data: str) -> None:
    md = ternmq.Descriptor(
        msg_type=mq.MQMT_REQUEST,
        report=mq.MQRO_EXCEPTION,
        reply_to_queue="REPLIES",
        format="MQSTR",
    )
    qm.put("SERVER", data, descriptor=md)


def test_inquiries_are_answered_or_reported(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    attached.define_queue("SERVER")
    attached.define_queue("REPLIES", get="DISABLED")
    ask(attached, "REPLIES")
    ask(attached, "NONE")
    assert amqsinq.main([triggered("SERVER")]) == 0
    attached.alter_queue("REPLIES", get="ENABLED")
    with attached.queue("REPLIES") as queue:
        first, second = queue.get(), queue.get()
    assert first.text == "REPLIES has 0 messages, used by 0 jobs; GET inhibited"
    assert second.descriptor.msg_type == mq.MQMT_REPORT
    assert second.descriptor.feedback == 2085


def test_puts_are_switched_off(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    attached.define_queue("SERVER")
    attached.define_queue("REPLIES")
    attached.define_queue("OTHER")
    ask(attached, "OTHER")
    assert amqsset.main([triggered("SERVER")]) == 0
    with attached.queue("REPLIES") as queue:
        assert queue.get().text == "OTHER PUT inhibited"
    with pytest.raises(ternmq.Inhibited):
        attached.put("OTHER", "x")


@pytest.mark.parametrize("main", [amqsech.main, amqsinq.main, amqsset.main])
def test_servers_want_a_trigger_message(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str], main: Main
) -> None:
    assert main([]) == 99
    assert "Missing parameter - start program by MQI trigger" in capsys.readouterr().out
    assert main(["something else"]) == 99
    assert "Invalid input trigger message provided" in capsys.readouterr().out
