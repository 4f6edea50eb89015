"""Goal: what becomes of messages that a channel cannot deliver, as whom it puts, and lists, between
two queue managers that are processes of their own. The ids are those of
docs/reference/conformance-channels.md.

Method: real processes, shared by the tests of this file, each with a channel of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.mqi.mqmd import Descriptor
from tests.battery.places import until
from tests.integration.channel_processes import FIRST, SECOND, Channel, Pair

DEAD = "SYSTEM.DEAD.LETTER.QUEUE"
RETURN = mq.MQRO_EXCEPTION_WITH_FULL_DATA | mq.MQRO_DISCARD_MSG


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    data = tmp_path_factory.mktemp("pair")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERNMQ_DATA", str(data))
        made = Pair(data)
        try:
            for name in (FIRST, SECOND):
                made.make(name)
                made.mqsc(name, "ALTER QMGR CHLAUTH(DISABLED)")
            made.mqsc(FIRST, "DEFINE QLOCAL(ANSWERS)", "DEFINE CHANNEL(BACK) CHLTYPE(RCVR)")
            made.mqsc(
                SECOND,
                "DEFINE QLOCAL(ANSWERS)",
                "DEFINE QLOCAL(QMA) USAGE(XMITQ)",
                f"DEFINE CHANNEL(BACK) CHLTYPE(SDR) XMITQ(QMA) CONNAME('{made.conn(FIRST)}')",
                "START CHANNEL(BACK)",
            )
            yield made
        finally:
            made.close()


@contextlib.contextmanager
def without_dead_letters(pair: Pair, name: str) -> Iterator[None]:
    pair.mqsc(name, "ALTER QMGR DEADQ(' ')")
    try:
        yield
    finally:
        pair.mqsc(name, f"ALTER QMGR DEADQ({DEAD})")


def dead_letter(pair: Pair, name: str) -> tuple[DeadLetterHeader, ternmq.Message, bytes]:
    """The next one."""
    with pair.connect(name) as connection, connection.queue(DEAD) as queue:
        message = queue.get(wait=10)
    header = DeadLetterHeader.unpack(message.data)
    return header, message, message.data[mq.MQDLH_LENGTH_1 :]


def put(channel: Channel, body: bytes, **fields: object) -> bytes:
    with channel.pair.connect(FIRST) as connection, connection.queue(channel.remote) as queue:
        md = Descriptor(persistence=1, **fields)  # type: ignore[arg-type]
        return queue.put(body, descriptor=md)


def test_h1_full_target_then_it_is_retried_and_buried(pair: Pair) -> None:
    channel = pair.channel(receiver="MRRTY(3) MRTMR(300)")
    pair.mqsc(SECOND, f"ALTER QLOCAL({channel.target}) MAXDEPTH(1)")
    channel.put(b"1", b"2")
    channel.start()
    until(lambda: channel.status(SECOND) == "PAUSED")
    header, _, data = dead_letter(pair, SECOND)
    assert (header.reason, header.destination_queue, data) == (rc.MQRC_Q_FULL, channel.target, b"2")
    channel.put(b"3", b"4")
    until(lambda: channel.status(SECOND) == "PAUSED")
    pair.mqsc(SECOND, f"ALTER QLOCAL({channel.target}) MAXDEPTH(9)")
    assert [one.data for one in channel.get(3)] == [b"1", b"3", b"4"]
    assert pair.depth(SECOND, DEAD) == 0
    channel.runs()


@pytest.mark.parametrize("reason", [rc.MQRC_UNKNOWN_OBJECT_NAME, rc.MQRC_MSG_TOO_BIG_FOR_Q])
def test_h2_reason_that_does_not_pass_then_it_is_buried_at_once(pair: Pair, reason: int) -> None:
    channel = pair.channel(receiver="MRRTY(10) MRTMR(60000)")
    if reason == rc.MQRC_UNKNOWN_OBJECT_NAME:
        pair.mqsc(SECOND, f"DELETE QLOCAL({channel.target})")
    else:
        pair.mqsc(SECOND, f"ALTER QLOCAL({channel.target}) MAXMSGL(2)")
    channel.put(b"123")
    channel.start()
    header, message, data = dead_letter(pair, SECOND)
    assert (header.reason, data, message.persistent) == (reason, b"123", True)
    channel.runs()


def test_h4_return_to_sender_then_the_report_comes_back(pair: Pair) -> None:
    channel = pair.channel(receiver="MRRTY(0)")
    pair.mqsc(SECOND, f"ALTER QLOCAL({channel.target}) MAXDEPTH(0)")
    channel.start()
    msg_id = put(channel, b"whole", report=RETURN, reply_to_queue="ANSWERS")
    for name in (FIRST, SECOND):
        if name == SECOND:
            msg_id = put(
                channel, b"whole", report=RETURN, reply_to_queue="ANSWERS", reply_to_qmgr="QMB"
            )
        with pair.connect(name) as connection, connection.queue("ANSWERS") as queue:
            report = queue.get(wait=10)
        own = report.descriptor
        assert (own.msg_type, own.feedback) == (mq.MQMT_REPORT, rc.MQRC_Q_FULL)
        assert (own.correl_id, report.data) == (msg_id, b"whole")
    assert pair.depth(SECOND, channel.target) == pair.depth(SECOND, DEAD) == 0
    assert channel.depth() == 0


def test_h5_exception_alone_then_there_is_a_report_and_the_message_is_buried(pair: Pair) -> None:
    channel = pair.channel(receiver="MRRTY(0)")
    pair.mqsc(SECOND, f"ALTER QLOCAL({channel.target}) MAXDEPTH(0)")
    channel.start()
    put(channel, b"whole", report=mq.MQRO_EXCEPTION, reply_to_queue="ANSWERS")
    with pair.connect(FIRST) as connection, connection.queue("ANSWERS") as queue:
        assert queue.get(wait=10).descriptor.feedback == rc.MQRC_Q_FULL
    assert dead_letter(pair, SECOND)[2] == b"whole"


def test_h5_return_when_no_queue_takes_the_report_then_the_message_stays(pair: Pair) -> None:
    channel = pair.channel(receiver="MRRTY(0)")
    pair.mqsc(SECOND, f"ALTER QLOCAL({channel.target}) MAXDEPTH(0)")
    with without_dead_letters(pair, SECOND):
        put(channel, b"1", report=RETURN, reply_to_queue="NOWHERE", reply_to_qmgr="QMB")
        channel.start()
        until(lambda: channel.status() == "RETRYING")
        assert channel.depth() == 1
    pair.mqsc(SECOND, f"ALTER QLOCAL({channel.target}) MAXDEPTH(9)")
    assert channel.get(1)[0].data == b"1"


def test_h6_unknown_queue_manager_then_it_is_buried_or_goes_by_the_default(pair: Pair) -> None:
    channel = pair.channel()
    pair.mqsc(FIRST, f"ALTER QREMOTE({channel.remote}) RNAME(X) RQMNAME(QMC)")
    channel.start()
    channel.put(b"1")
    header, _, _ = dead_letter(pair, SECOND)
    assert header.reason == rc.MQRC_UNKNOWN_REMOTE_Q_MGR
    assert (header.destination_queue, header.destination_qmgr) == ("X", "QMC")
    pair.mqsc(SECOND, "DEFINE QLOCAL(AWAY) USAGE(XMITQ)", "ALTER QMGR DEFXMITQ(AWAY)")
    channel.put(b"2")
    until(lambda: pair.depth(SECOND, "AWAY") == 1)
    pair.mqsc(SECOND, "ALTER QMGR DEFXMITQ(' ')")


def test_h9_persistent_message_when_no_queue_takes_it_then_its_batch_stays(pair: Pair) -> None:
    channel = pair.channel()
    pair.mqsc(SECOND, f"ALTER QLOCAL({channel.target}) MAXMSGL(3)")
    with without_dead_letters(pair, SECOND):
        channel.put(b"1", b"2", b"long", b"4", b"5")
        channel.start()
        until(lambda: channel.status() == "RETRYING")
        assert channel.depth() == 5
        assert pair.depth(SECOND, channel.target) == 0
        pair.mqsc(SECOND, f"ALTER QLOCAL({channel.target}) MAXMSGL(9)")
        assert [one.data for one in channel.get(5)] == [b"1", b"2", b"long", b"4", b"5"]


@pytest.mark.parametrize("how", ["buried", "full", "none", "USEDLQ(NO)"])
def test_e4_fast_message_when_its_queue_is_full_then_the_channel_goes_on(
    pair: Pair, how: str
) -> None:
    channel = pair.channel(receiver=f"MRRTY(0) {how if how == 'USEDLQ(NO)' else ''}")
    pair.mqsc(SECOND, f"ALTER QLOCAL({channel.target}) MAXDEPTH(0)")
    if how == "full":
        pair.mqsc(SECOND, f"ALTER QLOCAL({DEAD}) MAXDEPTH(0)")
    channel.start()
    with without_dead_letters(pair, SECOND) if how == "none" else contextlib.nullcontext():
        channel.put(b"1", b"2", persistent=False)
        until(lambda: pair.log(SECOND).count(f"Channel '{channel.name}': message") == 2)
    pair.mqsc(SECOND, f"ALTER QLOCAL({DEAD}) MAXDEPTH(999999)")
    logged = pair.log(SECOND).split(f"Channel '{channel.name}': message", 1)[1]
    assert logged.count("; a fast message, discarded") == (0 if how == "buried" else 2)
    if how == "buried":
        assert [dead_letter(pair, SECOND)[2] for _ in range(2)] == [b"1", b"2"]
    assert pair.depth(SECOND, DEAD) == 0
    pair.mqsc(SECOND, f"ALTER QLOCAL({channel.target}) MAXDEPTH(9)")
    channel.put(b"3", persistent=False)
    assert channel.get(1)[0].data == b"3"
    channel.runs()


def test_b5_long_message_then_it_is_buried_at_the_sender_or_stays(pair: Pair) -> None:
    channel = pair.channel(receiver="MAXMSGL(1000)")
    channel.put(b"x" * 2000, b"2")
    channel.start()
    assert channel.get(1)[0].data == b"2"
    header, _, data = dead_letter(pair, FIRST)
    assert header.reason == rc.MQRC_MSG_TOO_BIG_FOR_CHANNEL
    assert (header.destination_queue, data) == (channel.target, b"x" * 2000)
    with without_dead_letters(pair, FIRST):
        channel.put(b"x" * 2000)
        until(lambda: channel.status() in ("STOPPED", "RETRYING"))
        assert channel.depth() == 1
    channel.stop("MODE(FORCE)")


# ---- conversion


def test_convert_then_the_sender_converts_or_buries(pair: Pair) -> None:
    pair.mqsc(SECOND, "ALTER QMGR CCSID(437)")
    channel = pair.channel("CONVERT(YES)")
    with pair.connect(FIRST) as connection, connection.queue(channel.remote) as queue:
        queue.put(b"?", format="NOBODYS", persistent=True)
        queue.put("Grün", persistent=True)
    channel.start()
    (found,) = channel.get(1)
    assert (found.data, found.descriptor.ccsid) == ("Grün".encode("cp437"), 437)
    header, _, data = dead_letter(pair, FIRST)
    assert (header.reason, data) == (rc.MQRC_FORMAT_ERROR, b"?")
    pair.mqsc(SECOND, "ALTER QMGR CCSID(1208)")


# ---- as whom


def grant(pair: Pair, user: str, words: str, queue: str = "") -> None:
    profile = f"PROFILE({queue}) OBJTYPE(QUEUE)" if queue else "OBJTYPE(QMGR)"
    pair.mqsc(SECOND, f"SET AUTHREC {profile} PRINCIPAL('{user}') AUTHADD({words})")


def test_j1_channels_user_then_its_authority_counts(pair: Pair) -> None:
    channel = pair.channel(receiver="MCAUSER('daemon') PUTAUT(DEF)")
    grant(pair, "daemon", "CONNECT,INQ,SETALL")
    grant(pair, "daemon", "PUT,SETALL", channel.target)
    channel.start()
    channel.put(b"1")
    assert channel.get(1)[0].data == b"1"
    pair.mqsc(
        SECOND,
        f"SET AUTHREC PROFILE({channel.target}) OBJTYPE(QUEUE) PRINCIPAL('daemon') AUTHRMV(PUT)",
    )
    channel.put(b"2")
    header, _, data = dead_letter(pair, SECOND)
    assert (header.reason, data) == (rc.MQRC_NOT_AUTHORIZED, b"2")
    until(lambda: "AMQ8077W" in pair.log(SECOND))
    assert "daemon" in pair.log(SECOND)
    pair.mqsc(SECOND, "DEFINE QLOCAL(QMC) USAGE(XMITQ)")
    pair.mqsc(FIRST, f"ALTER QREMOTE({channel.remote}) RNAME(X) RQMNAME(QMC)")
    channel.put(b"3")
    header, _, data = dead_letter(pair, SECOND)
    assert (header.reason, header.destination_qmgr, data) == (rc.MQRC_NOT_AUTHORIZED, "QMC", b"3")
    grant(pair, "daemon", "PUT,SETALL", "QMC")
    channel.put(b"4")
    until(lambda: pair.depth(SECOND, "QMC") == 1)


def test_j2_context_then_the_users_of_messages_count(pair: Pair) -> None:
    channel = pair.channel(receiver="MCAUSER('daemon') PUTAUT(CTX)")
    grant(pair, "daemon", "CONNECT,INQ,SETALL,ALTUSR")
    grant(pair, "daemon", "SETALL", channel.target)
    grant(pair, "bin", "PUT", channel.target)
    channel.start()
    options = mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT
    with (
        pair.connect(FIRST) as connection,
        connection.queue(channel.remote, options=options) as queue,
    ):
        for user in ("sys", "bin"):
            md = Descriptor(user_id=user, persistence=1)
            queue.put(user.encode(), descriptor=md, options=mq.MQPMO_SET_ALL_CONTEXT)
    (found,) = channel.get(1)
    assert (found.data, found.descriptor.user_id) == (b"bin", "bin")
    header, message, data = dead_letter(pair, SECOND)
    assert (header.reason, data, message.descriptor.user_id) == (
        rc.MQRC_NOT_AUTHORIZED,
        b"sys",
        "sys",
    )


# ---- lists


def test_l3_l5_list_then_one_message_goes_over_and_each_target_is_on_its_own(pair: Pair) -> None:
    channel = pair.channel(receiver="MRRTY(0)")
    names = [f"{channel.remote}.{number}" for number in range(3)]
    for at, name in enumerate(names):
        pair.mqsc(
            FIRST,
            f"DEFINE QREMOTE({name}) RNAME({channel.target}.{at}) RQMNAME({SECOND})"
            f" XMITQ({channel.transmission_queue})",
        )
        pair.mqsc(SECOND, f"DEFINE QLOCAL({channel.target}.{at}) MAXDEPTH({0 if at == 1 else 9})")
    channel.start()
    channel.runs()
    (shown,) = pair.operator(FIRST).mqsc(f"DISPLAY QLOCAL({channel.transmission_queue}) DISTL")
    assert shown["DISTL"] == "YES"
    before = int(pair.status(FIRST, channel.name, "ALL")["MSGS"])
    with pair.connect(FIRST) as connection, connection.open_list(names) as queues:
        queues.put(b"all", persistent=True)
    for at in (0, 2):
        target = f"{channel.target}.{at}"
        with pair.connect(SECOND) as connection, connection.queue(target) as queue:
            assert queue.get(wait=10).data == b"all"
    header, _, data = dead_letter(pair, SECOND)
    assert (header.destination_queue, data) == (f"{channel.target}.1", b"all")
    until(lambda: int(pair.status(FIRST, channel.name, "ALL")["MSGS"]) == before + 1)
