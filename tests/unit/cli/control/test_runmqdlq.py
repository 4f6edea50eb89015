"""Goal: dead letters go where the rules send them, whole, once, and whole groups together.

Method: a queue manager in memory with messages behind an MQDLH; rules as texts.
"""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.cli.control import runmqdlq
from ternmq.cli.control.dead_letters import OPEN, DeadLetters
from ternmq.cli.control.dlq_rules import logical_lines, read_table
from ternmq.codec.headers.mqdlh import DeadLetterHeader

Typed = Callable[[str], None]
DLQ = "SYSTEM.DEAD.LETTER.QUEUE"


@pytest.fixture
def dlq(attached: ternmq.QueueManager) -> ternmq.QueueManager:
    if DLQ not in attached.queue_names():
        attached.define_queue(DLQ)
    attached.define_queue("A")
    attached.define_queue("B")
    return attached


def dead(
    qm: ternmq.QueueManager,
    data: str,
    *,
    reason: int = 2053,
    destination: str = "A",
    **fields: object,
) -> None:
    header = DeadLetterHeader(
        reason=reason,
        destination_queue=destination,
        destination_qmgr="QM1",
        encoding=mq.MQENC_NATIVE,
        ccsid=1208,
        format="MQSTR",
        put_appl_type=6,
        put_appl_name="amqsput",
    )
    md = ternmq.Descriptor(format="MQDEAD", user_id="mary", **fields)  # type: ignore[arg-type]
    with qm.queue(DLQ) as queue:
        queue.put(
            header.pack() + data.encode(), descriptor=md, options=mq.MQPMO_SET_IDENTITY_CONTEXT
        )


def texts(qm: ternmq.QueueManager, name: str) -> list[str]:
    with qm.queue(name) as queue:
        return [message.text for message in queue.browse()]


def depth(qm: ternmq.QueueManager, name: str = DLQ) -> int:
    return len(texts(qm, name))


def run(typed: Typed, rules: str) -> int:
    typed(f"WAIT(NO) RETRYINT(1)\n{rules}\n")
    return runmqdlq.main([DLQ, "QM1"])


@pytest.mark.parametrize("action", ["RETRY", "FWD FWDQ(A) HEADER(NO)"])
def test_a_message_that_goes_on_keeps_its_properties(
    dlq: ternmq.QueueManager, typed: Typed, action: str
) -> None:
    dlq.put("B", "hello", properties={"colour": "red"})
    with dlq.queue("B") as queue:
        whole = queue.get(options=mq.MQGMO_PROPERTIES_FORCE_MQRFH2 | mq.MQGMO_NO_SYNCPOINT)
    reported = whole.descriptor
    header = DeadLetterHeader(
        reason=2053,
        destination_queue="A",
        destination_qmgr="QM1",
        encoding=reported.encoding,
        ccsid=reported.ccsid,
        format=reported.format,
    )
    md = ternmq.Descriptor(format="MQDEAD")
    dlq.put(DLQ, header.pack() + whole.data, descriptor=md)
    with dlq.queue(DLQ) as queue:
        (dead_one,) = queue.browse()
    assert (dead_one.format, dict(dead_one.properties)) == ("MQDEAD", {"colour": "red"})
    assert run(typed, f"ACTION({action.split()[0]}) {action.partition(' ')[2]}") == 0
    with dlq.queue("A") as queue:
        message = queue.get()
    assert (message.text, message.format) == ("hello", "MQSTR")
    assert message.properties == {"colour": "red"}


def test_a_retry_brings_the_message_back_as_it_was(
    dlq: ternmq.QueueManager, typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    dead(dlq, "hello", persistence=1, priority=3)
    assert run(typed, "REASON(MQRC_Q_FULL) ACTION(RETRY)") == 0
    assert depth(dlq) == 0
    with dlq.queue("A") as queue:
        message = queue.get()
    md = message.descriptor
    assert (message.text, md.format, md.ccsid, md.user_id) == ("hello", "MQSTR", 1208, "mary")
    assert (md.priority, md.persistence) == (3, 1)
    assert capsys.readouterr().out.splitlines() == [
        f"AMQ8708I: Dead-letter queue handler started to process INPUTQ({DLQ}).",
        "AMQ8709I: Dead-letter queue handler ending.",
    ]


@pytest.mark.parametrize(
    ("pattern", "is_matched"),
    [
        ("REASON(2053)", True),
        ("REASON(MQRC_PUT_INHIBITED)", False),
        ("REASON(*)", True),
        ("DESTQ(A)", True),
        ("DESTQ(B*)", False),
        ("DESTQ('?')", True),
        ("DESTQM(QM*)", True),
        ("FORMAT('MQSTR')", True),
        ("FORMAT('MQDEAD')", False),
        ("APPLNAME('amqs*')", True),
        ("APPLTYPE(MQAT_UNIX)", True),
        ("APPLTYPE(7)", False),
        ("USERID('mary')", True),
        ("USERID('MARY')", False),
        ("PERSIST(MQPER_NOT_PERSISTENT)", True),
        ("PERSIST(MQPER_PERSISTENT)", False),
        ("MSGTYPE(MQMT_DATAGRAM)", True),
        ("MSGTYPE(MQMT_REQUEST)", False),
        ("FEEDBACK(0)", True),
        ("FEEDBACK(MQFB_EXPIRATION)", False),
        ("REPLYQ('')", True),
        ("REPLYQ('R*')", False),
        ("APPLIDAT('x')", False),
        ("reason(2053), destq(A)", True),
        ("REASON(2053) DESTQ(C)", False),
    ],
)
def test_patterns(dlq: ternmq.QueueManager, typed: Typed, pattern: str, is_matched: bool) -> None:
    dead(dlq, "x", persistence=0)
    assert run(typed, f"{pattern} ACTION(DISCARD)") == 0
    assert depth(dlq) == (0 if is_matched else 1)


def test_forward_with_and_without_the_header(dlq: ternmq.QueueManager, typed: Typed) -> None:
    dead(dlq, "one", reason=1)
    dead(dlq, "two", reason=2)
    rules = "REASON(1) ACTION(FWD) FWDQ(B) HEADER(NO)\nACTION(FWD) FWDQ(&DESTQ) FWDQM(&DESTQM)"
    assert run(typed, rules) == 0
    assert texts(dlq, "B") == ["one"]
    with dlq.queue("A") as queue:
        kept = queue.get()
    assert kept.format == "MQDEAD"
    assert DeadLetterHeader.unpack(kept.data).reason == 2


def test_ignore_leaves_the_message(dlq: ternmq.QueueManager, typed: Typed) -> None:
    dead(dlq, "x")
    assert run(typed, "ACTION(IGNORE)\nACTION(DISCARD)") == 0
    assert depth(dlq) == 1


def test_the_next_rule_has_its_turn_when_one_fails(
    dlq: ternmq.QueueManager, typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    dlq.alter_queue("A", put="DISABLED")
    dead(dlq, "x")
    assert run(typed, "ACTION(RETRY)\nDESTQ(A) ACTION(FWD) FWDQ(B) HEADER(NO)") == 0
    assert texts(dlq, "B") == ["x"]
    assert "AMQ8722W: Dead-letter queue handler unable to put message: Rule 2 Reason 2051." in (
        capsys.readouterr().out
    )


def test_retries_come_after_the_interval(dlq: ternmq.QueueManager) -> None:
    now = [100.0]
    dlq.alter_queue("A", put="DISABLED")
    dead(dlq, "x")
    table, errors = read_table("RETRYINT(30) WAIT(1)\nACTION(RETRY) RETRY(3)")
    assert not errors
    waits: list[float] = []
    with dlq.connect() as connection, connection.queue(DLQ, options=OPEN) as queue:
        letters = DeadLetters(connection, queue, table, lambda: now[0])
        look = letters._next

        def pass_time(wait_s: float) -> ternmq.Message | None:
            waits.append(wait_s)
            message = look(0.0)
            if message is None:
                now[0] += wait_s
                if now[0] >= 160.0:
                    dlq.alter_queue("A", put="ENABLED")
            return message

        letters._next = pass_time  # type: ignore[method-assign]
        letters.run()
    assert letters.moved == 1
    assert waits[:3] == [1.0, 30.0, 30.0]
    assert texts(dlq, "A") == ["x"]


def test_without_waiting_a_later_retry_is_left(dlq: ternmq.QueueManager, typed: Typed) -> None:
    dlq.alter_queue("A", put="DISABLED")
    dead(dlq, "x")
    assert run(typed, "ACTION(RETRY) RETRY(5)") == 0
    assert depth(dlq) == 1


def grouped(qm: ternmq.QueueManager, number: int, flags: int) -> None:
    dead(
        qm,
        f"part {number}",
        group_id=b"G" * 24,
        msg_seq_number=number,
        msg_flags=flags,
        reason=2000 + number,
    )


def test_a_group_goes_whole_and_in_order(dlq: ternmq.QueueManager, typed: Typed) -> None:
    grouped(dlq, 2, mq.MQMF_MSG_IN_GROUP)
    dead(dlq, "alone")
    grouped(dlq, 1, mq.MQMF_MSG_IN_GROUP)
    grouped(dlq, 3, mq.MQMF_LAST_MSG_IN_GROUP)
    assert run(typed, "REASON(2002) ACTION(RETRY)") == 0
    assert texts(dlq, "A") == ["part 1", "part 2", "part 3"]
    assert depth(dlq) == 1


@pytest.mark.parametrize("action", ["ACTION(RETRY)", "ACTION(FWD) FWDQ(A) HEADER(NO)"])
def test_segments_go_whole_and_in_order(
    dlq: ternmq.QueueManager, typed: Typed, action: str
) -> None:
    """Z24."""
    parts = ["first ", "second ", "third"]
    for number in (1, 0, 2):
        offset = len("".join(parts[:number]))
        flags = mq.MQMF_SEGMENT | (mq.MQMF_LAST_SEGMENT if number == 2 else 0)
        dead(dlq, parts[number], version=2, group_id=b"g" * 24, offset=offset, msg_flags=flags)
    assert run(typed, f"REASON(2053) {action}") == 0
    assert depth(dlq) == 0
    with dlq.queue("A") as queue:
        message = queue.get(options=mq.MQGMO_COMPLETE_MSG)
        assert (message.text, message.group_id) == ("first second third", b"g" * 24)
        assert queue.depth == 0


def test_half_a_group_never_arrives(dlq: ternmq.QueueManager, typed: Typed) -> None:
    grouped(dlq, 1, mq.MQMF_MSG_IN_GROUP)
    grouped(dlq, 2, mq.MQMF_LAST_MSG_IN_GROUP)
    dlq.alter_queue("A", max_depth=1)
    assert run(typed, "ACTION(RETRY)") == 0
    assert texts(dlq, "A") == []
    assert depth(dlq) == 2


def test_a_message_without_a_header_stays(
    dlq: ternmq.QueueManager, typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    dlq.put(DLQ, "no header")
    md = ternmq.Descriptor(format="MQDEAD")
    dlq.put(DLQ, b"too short", descriptor=md)
    assert run(typed, "ACTION(DISCARD)") == 0
    assert depth(dlq) == 2
    assert capsys.readouterr().out.count("AMQ8721W") == 2


def test_another_queue_manager_by_its_transmission_queue(
    dlq: ternmq.QueueManager, typed: Typed
) -> None:
    dead(dlq, "x")
    dead(dlq, "y", destination="B")
    dlq.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    rules = "DESTQ(A) ACTION(FWD) FWDQ(THERE) FWDQM(QM2) HEADER(NO)\nACTION(FWD) FWDQ(A) FWDQM(QM3)"
    assert run(typed, rules) == 0
    assert depth(dlq) == 1  # nothing leads to QM3
    with dlq.queue("QM2") as queue:
        sent = queue.get()
    assert sent.format == "MQXMIT"
    assert b"THERE" in sent.data
    assert sent.data.endswith(b"x")


def test_with_putaut_ctx_the_sender_must_be_allowed(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = {"mary": ["staff"], "john": ["staff"]}
    with ternmq.memory("QM1", security=users) as qm:
        for name in ("A", "B"):
            qm.define_queue(name)
        if DLQ not in qm.queue_names():
            qm.define_queue(DLQ)
        qm.mqsc("SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('mary') AUTHADD(PUT,SETALL)")
        qm.mqsc("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('mary') AUTHADD(SETALL)")
        dead(qm, "mine", destination="A")
        dead(qm, "not mine", destination="B")
        monkeypatch.setattr(
            "ternmq.cli.attach.attach",
            lambda name, application, *more: qm.connect(application=application),
        )
        assert run(typed, "ACTION(RETRY) PUTAUT(CTX)") == 0
        assert texts(qm, "A") == ["mine"]
        assert depth(qm) == 1
        assert run(typed, "ACTION(RETRY) PUTAUT(DEF)") == 0
        assert texts(qm, "B") == ["not mine"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("ACTION(RUN)", "AMQ8756E"),
        ("REASON(2053)", "AMQ8756E"),
        ("REASON(MQRC_NOTHING) ACTION(DISCARD)", "AMQ8756E"),
        ("COLOUR(RED) ACTION(DISCARD)", "AMQ8756E"),
        ("ACTION(DISCARD) ACTION(IGNORE)", "AMQ8753E"),
        ("FORMAT('TOOLONGFORMAT') ACTION(DISCARD)", "AMQ8752E"),
        ("ACTION(FWD)", "AMQ8759E"),
        ("ACTION(RETRY) FWDQ(B)", "AMQ8759E"),
        ("ACTION(RETRY) RETRY(many)", "AMQ8747E"),
        ("ACTION(RETRY", "AMQ8756E"),
        ("ACTION(RETRY) PUTAUT(ME)", "AMQ8756E"),
        ("RETRYINT(-1)", "AMQ8747E"),
        ("INPUTQ(A) ACTION(RETRY)", "AMQ8759E"),
    ],
)
def test_a_rule_with_a_mistake_is_reported_and_nothing_is_done(
    dlq: ternmq.QueueManager,
    typed: Typed,
    capsys: pytest.CaptureFixture[str],
    line: str,
    complaint: str,
) -> None:
    dead(dlq, "x")
    typed(f"* rules\n{line}\nACTION(DISCARD)\n")
    assert runmqdlq.main([DLQ, "QM1"]) == 1
    err = capsys.readouterr().err
    assert f"line 2: {complaint}" in err
    assert "AMQ8758E: 1 errors" in err
    assert depth(dlq) == 1


def test_no_rules(typed: Typed, capsys: pytest.CaptureFixture[str]) -> None:
    typed("* nothing\n")
    assert runmqdlq.main([]) == 1
    assert "AMQ8750E" in capsys.readouterr().err


def test_lines_go_on() -> None:
    text = "REASON(1) +\n   ACTION(FWD) -\n FWDQ(B)\n\n* c\nACTION(IGNORE)\n"
    assert logical_lines(text) == [(1, "REASON(1) ACTION(FWD)  FWDQ(B)"), (6, "ACTION(IGNORE)")]


def test_a_queue_that_is_not_there(
    attached: ternmq.QueueManager, typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    typed("INPUTQ(NONE) INPUTQM(QM1)\nACTION(IGNORE)")
    assert runmqdlq.main([]) == 1
    assert "AMQ8745E: Unable to open dead-letter queue for browse: NONE, reason 2085." in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize("from_file", [False, True])
def test_rules_when_they_are_not_utf_8_then_refused_in_words(
    dlq: ternmq.QueueManager,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    from_file: bool,
) -> None:
    binary = b"ACTION(RETRY) \xff\n"
    (tmp_path / "rules").write_bytes(binary)
    stream = io.TextIOWrapper(io.BytesIO(binary), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stream)
    words = ["-f", str(tmp_path / "rules")] if from_file else []
    assert runmqdlq.main(words) != 0
    assert "runmqdlq: the rules are not text in UTF-8" in capsys.readouterr().err
