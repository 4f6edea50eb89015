"""Goal: the errors that a new user meets say what is wrong, with its value, and what to do.

Method: each mistake is made on purpose, and the whole text is compared. The texts of Python and
of compiled code are shown as they are, where no code of ours runs before them.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trustme

import ternmq
import ternmq.aio
from ternmq.base.build import build_info
from ternmq.base.similar import did_you_mean, is_near, similar
from ternmq.remote.fap.client_channel import Address, ClientChannel
from ternmq.remote.fap.endpoint import tls_failed
from ternmq.remote.local.folder_lookup import cannot_connect
from tests.unit.api.networked import CHANNEL, Networked

pytestmark = pytest.mark.core  # compiled code checks arguments in words of its own

UNKNOWN = "MQRC_UNKNOWN_OBJECT_NAME (2085): there is no object of that name"
NO_QMGR = (
    "MQRC_Q_MGR_NAME_ERROR (2058): the name is not that of a queue manager that can be reached here"
)
IDPWOS = "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"
DOWN = (
    "MQRC_Q_MGR_NOT_AVAILABLE (2059): the queue manager is not running or does not take the "
    "connection"
)


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as manager:
        manager.define_queue("ORDERS")
        manager.define_queue("SMALL", max_message_length=10)
        yield manager


def text_of(mistake: Callable[[], object]) -> str:
    with pytest.raises((ternmq.MQError, TypeError, AttributeError, RuntimeError)) as caught:
        mistake()
    return str(caught.value)


# ---- messages


def test_put_when_it_is_a_number_then_what_a_message_is(qmgr: ternmq.QueueManager) -> None:
    text = "a message cannot be of type int: 5, give bytes, text, a dictionary or a list"
    with qmgr.queue("ORDERS") as queue:
        assert text_of(lambda: queue.put(5)) == text  # type: ignore[arg-type]
    assert text_of(lambda: qmgr.put("ORDERS", 5)) == text  # type: ignore[arg-type]


def test_put_when_it_is_too_long_then_which_limit_to_raise(qmgr: ternmq.QueueManager) -> None:
    assert text_of(lambda: qmgr.put("SMALL", "x" * 50)) == (
        "MQRC_MSG_TOO_BIG_FOR_Q (2030): the message is longer than the queue accepts "
        "[MQPUT, object 'SMALL'] 50 bytes, MAXMSGL(10): raise MAXMSGL of the queue, or put it in "
        "segments"
    )


def test_get_when_the_wait_is_text_then_what_a_wait_is(qmgr: ternmq.QueueManager) -> None:
    with qmgr.queue("ORDERS") as queue:
        text = text_of(lambda: queue.get(wait="1"))  # type: ignore[arg-type]
    assert text == (
        "float or None object expected; got str"
        if build_info().compiled
        else "wait is not a number of seconds: '1', give wait=1 or wait=0.5"
    )


def test_arguments_when_they_are_unknown_then_they_are_named(qmgr: ternmq.QueueManager) -> None:
    with qmgr.queue("ORDERS") as queue:
        put = text_of(lambda: queue.put("x", persistent_=True))  # type: ignore[call-arg]
        get = text_of(lambda: queue.get(timeout=1))  # type: ignore[call-arg]
    if build_info().compiled:
        assert put == "'persistent_' is an invalid keyword argument for put()"
        assert get == "'timeout' is an invalid keyword argument for get()"
    else:
        assert put.startswith("Queue.put() got an unexpected keyword argument 'persistent_'")
        assert get.startswith("Queue.get() got an unexpected keyword argument 'timeout'")
    assert text_of(lambda: qmgr.define_queue("A", max_dept=5)) == (  # type: ignore[call-arg]
        "MQRC_SELECTOR_ERROR (2067): a selector is not one that can be inquired or set "
        "[DEFINE, object 'A'] a local queue has no attribute 'max_dept'. Did you mean max_depth?"
    )
    text = text_of(lambda: qmgr.define_queue("A", colour="red"))  # type: ignore[call-arg]
    assert "a local queue has no attribute 'colour'. It has accounting, " in text


# ---- names and handles


def test_name_when_no_object_can_have_it_then_the_rule(qmgr: ternmq.QueueManager) -> None:
    assert text_of(lambda: qmgr.queue("MY QUEUE!")) == (
        f"{UNKNOWN} [MQOPEN, object 'MY QUEUE!'] not a valid name: 'MY QUEUE!', a name has 1 to 48 "
        "characters A-Z a-z 0-9 . / _ %"
    )


def test_queue_when_it_is_closed_then_it_says_so(qmgr: ternmq.QueueManager) -> None:
    queue = qmgr.queue("ORDERS")
    queue.put("x")
    queue.close()
    text = (
        "MQRC_HOBJ_ERROR (2019): the object handle is not open on this connection "
        "[object 'ORDERS'] the queue is closed: ORDERS, open it again by connection.queue()"
    )
    assert text_of(lambda: queue.put("x")) == text
    assert text_of(queue.get) == text


def ended_text(verb: str) -> str:
    return (
        "MQRC_HCONN_ERROR (2018): the connection handle is not one that this program may use "
        f"[{verb}, object 'QM1'] the connection has ended, connect again"
    )


def test_connection_when_it_has_ended_then_it_says_so_on_every_binding(tmp_path: Path) -> None:
    with Networked(tmp_path) as far:
        connections = [far.connect(), ternmq.connect("QM1", data=tmp_path)]
        for connection in connections:
            connection.disconnect()
            assert text_of(partial(connection.queue, "A")) == ended_text("MQOPEN")
    with ternmq.memory("QM1") as qmgr:
        connection = qmgr.connect()
        connection.disconnect()
        assert text_of(partial(connection.queue, "A")) == ended_text("MQOPEN")


def test_put_when_it_is_too_long_for_the_channel_then_which_limit_to_raise(tmp_path: Path) -> None:
    with Networked(tmp_path) as far, far.connect(channel="SHORT.SVRCONN") as connection:
        connection.define_queue("A")
        with connection.queue("A") as queue:
            assert text_of(partial(queue.put, b"x" * 60_000)) == (
                "MQRC_MSG_TOO_BIG_FOR_CHANNEL (2218): the message is longer than the channel or "
                "conversation passes [MQPUT, object 'A'] 60000 bytes, MAXMSGL(50000): raise "
                "MAXMSGL of the channel"
            )


def test_unit_of_work_when_with_was_forgotten_then_commit_says_so(
    qmgr: ternmq.QueueManager,
) -> None:
    unit = qmgr.unit_of_work()
    assert text_of(unit.commit) == (
        "the unit of work has not begun: write `with connection.unit_of_work():` around its puts "
        "and gets"
    )
    with qmgr.unit_of_work() as unit:
        unit.commit()


def test_asyncio_when_await_was_forgotten_then_what_to_write() -> None:
    async def run() -> list[str]:
        async with ternmq.aio.memory("QM1") as qmgr:
            await qmgr.define_queue("A")
            opening = qmgr.queue("A")
            texts = [text_of(lambda: opening.put("x"))]  # type: ignore[attr-defined]
            async with opening as queue:
                await queue.put("x")
            with pytest.raises(TypeError) as caught, qmgr.queue("A"):  # type: ignore[attr-defined]
                pass
            texts.append(str(caught.value))
            unit = qmgr.unit_of_work()
            with pytest.raises(RuntimeError) as forgotten:
                await unit.commit()
            return [*texts, str(forgotten.value)]

    assert asyncio.run(run()) == [
        "this is not open yet: .put, open it by `async with ... as it` or `it = await ...`",
        "`with` cannot wait: write `async with` for what ternmq.aio opens",
        "the unit of work has not begun: write `async with connection.unit_of_work():` around its "
        "puts and gets",
    ]


# ---- queues with a similar name, on every binding


def unknown(verb: str, name: str, hint: str) -> str:
    text = f"{UNKNOWN} [{verb}, object '{name}'] Queue '{name}' does not exist on QM1."
    return f"{text} {hint}".rstrip()


def check_hints(connection: ternmq.Connection) -> None:
    hint = "Did you mean ORDERS?"
    assert text_of(lambda: connection.queue("ORDERZ")) == unknown("MQOPEN", "ORDERZ", hint)
    assert text_of(lambda: connection.queue("orders")) == unknown("MQOPEN", "orders", hint)
    assert text_of(lambda: connection.put("ODRERS", "x")) == unknown("MQPUT1", "ODRERS", hint)
    assert text_of(lambda: connection.queue("FAR.AWAY")) == unknown("MQOPEN", "FAR.AWAY", "")
    other = text_of(lambda: connection.queue("ORDERZ", qmgr="QM9"))
    assert "Did you mean" not in other


def test_unknown_queue_when_embedded_then_similar_names(qmgr: ternmq.QueueManager) -> None:
    check_hints(qmgr)


def test_unknown_queue_when_remote_then_the_same_on_every_binding(tmp_path: Path) -> None:
    with Networked(tmp_path) as far:
        with far.connect() as client:
            client.define_queue("ORDERS")
            check_hints(client)
        with ternmq.connect("QM1", data=tmp_path) as local:
            check_hints(local)

        async def run(**arguments: Any) -> None:
            async with ternmq.aio.connect("QM1", **arguments) as tasks:
                with pytest.raises(ternmq.ObjectUnknown) as caught:
                    await tasks.queue("ORDERZ")
                assert str(caught.value) == unknown("MQOPEN", "ORDERZ", "Did you mean ORDERS?")
                with pytest.raises(ternmq.ObjectUnknown) as caught:
                    await tasks.put("ODRERS", "x")
                assert str(caught.value) == unknown("MQPUT1", "ODRERS", "Did you mean ORDERS?")

        asyncio.run(run(**far.way))
        asyncio.run(run(data=tmp_path))


def test_unknown_queue_when_the_user_may_not_see_the_similar_one_then_it_is_not_named() -> None:
    with ternmq.memory("QM1", security={"clerk": ["staff"]}) as qmgr:
        for name in ("ORDERS", "ORDERX", "ORDERY"):
            qmgr.define_queue(name)
        for command in (
            "SET AUTHREC OBJTYPE(QMGR) GROUP('staff') AUTHADD(CONNECT)",
            "SET AUTHREC PROFILE(ORDERX) OBJTYPE(QUEUE) GROUP('staff') AUTHADD(INQ)",
            "SET AUTHREC PROFILE(ORDERY) OBJTYPE(QUEUE) GROUP('staff') AUTHADD(DSP)",
            "SET AUTHREC PROFILE(ORDERZ) OBJTYPE(QUEUE) GROUP('staff') AUTHADD(PUT)",
        ):
            assert qmgr.mqsc(command)[0].ok
        with qmgr.connect(user="clerk") as clerk:
            text = text_of(lambda: clerk.put("ORDERZ", "x"))
        assert text.endswith("Queue 'ORDERZ' does not exist on QM1. Did you mean ORDERX or ORDERY?")


def test_unknown_queue_when_there_are_very_many_then_all_are_looked_at(
    qmgr: ternmq.QueueManager,
) -> None:
    for number in range(600):  # more than one step of the search
        qmgr.define_queue(f"A.{number:04}.Q")
    qmgr.define_queue("THE.LAST.ONE")
    assert text_of(lambda: qmgr.queue("THE.LAST.0NE")).endswith("Did you mean THE.LAST.ONE?")


@pytest.mark.parametrize(
    ("wrong", "name", "near"),
    [
        ("ORDERZ", "ORDERS", True),
        ("orders", "ORDERS", True),
        ("ORDER", "ORDERS", True),
        ("ODRERS", "ORDERS", True),
        ("ORDERS.NEW", "ORDERS_NEW", True),
        ("A", "B", False),
        ("AB", "AC", True),
        ("ORDERS", "INVOICES", False),
        ("ORDERS.OLD", "ORDERS.NEW", False),
        ("", "A", False),
    ],
)
def test_is_near_then_one_slip_of_the_fingers(wrong: str, name: str, near: bool) -> None:
    assert is_near(wrong, name) is near


def test_similar_then_the_nearest_words() -> None:
    assert similar("strmqn", ["strmqm", "strmqtrc", "dspmq"]) == ["strmqm"]
    assert similar("a1", ["a2", "a3", "b9"]) == []
    assert did_you_mean("abc1", ["abc2", "abc3"]) == "Did you mean abc2 or abc3?"
    assert did_you_mean("fly", ["walk"]) == ""


# ---- connecting


def test_connect_when_there_is_no_such_queue_manager_then_where_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    assert text_of(lambda: ternmq.connect("NOPE")) == (
        f"{NO_QMGR} [MQCONN, object 'NOPE'] there is none in {tmp_path}. dspmq lists those that "
        "exist, crtmqm creates one."
    )
    assert text_of(ternmq.connect) == (
        f"{NO_QMGR} [MQCONN] no default queue manager in {tmp_path}, name one; dspmq lists them"
    )
    with ternmq.embedded(tmp_path, "ORDERS1", create=True, log_file_pages=64):
        pass
    assert text_of(lambda: ternmq.connect("ORDERS2")).endswith("Did you mean ORDERS1?")
    assert text_of(lambda: ternmq.connect("ORDERS1")) == (
        f"{DOWN} [MQCONN, object 'ORDERS1'] it is not running: ORDERS1, start it by strmqm ORDERS1"
    )


def test_connect_when_the_folder_may_not_be_read_then_whom_to_ask() -> None:
    refusal = PermissionError(13, "Permission denied", "/data/mqs.ini")
    assert str(cannot_connect("QM1", refusal)) == (
        f"{DOWN} [MQCONN, object 'QM1'] it cannot be reached: [Errno 13] Permission denied: "
        "'/data/mqs.ini', ask the owner of the folder for access, or name another one by "
        "TERNMQ_DATA"
    )


def test_connect_when_an_argument_is_unknown_then_the_one_that_is_meant() -> None:
    text = "connect has no argument 'channel_'. Did you mean channel?"
    assert text_of(lambda: ternmq.connect("QM1", channel_="A")) == text  # type: ignore[call-arg]
    assert text_of(lambda: ternmq.aio.connect("QM1", channel_="A")) == text  # type: ignore[call-arg]


def test_connect_when_nobody_listens_then_what_to_check() -> None:
    wanted = (
        "MQRC_HOST_NOT_AVAILABLE (2538): the host does not answer [MQCONN, object 'A'] "
        "127.0.0.1(1) cannot be reached for channel A: Connection refused, check the port and that "
        "a listener runs there: DISPLAY LSSTATUS(*)"
    )
    for conn in ("127.0.0.1(1)", "127.0.0.1:1"):  # most products write the second form
        connect = partial(ternmq.connect, "QM1", channel="A", conn=conn)
        assert text_of(connect) == wanted


def test_connect_when_it_is_tls_to_a_plain_port_then_what_to_check(tmp_path: Path) -> None:
    keys = tmp_path / "keys.pem"
    trustme.CA().cert_pem.write_to_path(str(keys))
    with Networked(tmp_path / "far") as far:
        text = text_of(
            lambda: far.connect(cipher="TLS_AES_256_GCM_SHA384", key_repository=str(keys))
        )
    assert re.fullmatch(
        r"MQRC_SSL_INITIALIZATION_ERROR \(2393\): .* \[MQCONN, object 'APP.SVRCONN'\] TLS with "
        rf"127\.0\.0\.1\({far.port}\) for channel {CHANNEL} \(TLS_AES_256_GCM_SHA384\): .*, the "
        "other end may not speak TLS, or has no certificate: check the port, SSLCIPH of its "
        "channel and its error log",
        text,
    )


def test_connect_when_the_password_is_wrong_then_the_error_log_is_named_and_nothing_else(
    tmp_path: Path,
) -> None:
    with Networked(tmp_path) as far:
        with far.connect() as connection:
            for command in (
                f"ALTER AUTHINFO({IDPWOS}) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED)",
                f"ALTER QMGR CONNAUTH({IDPWOS})",
                "REFRESH SECURITY TYPE(CONNAUTH)",
            ):
                assert connection.mqsc(command)[0].ok
        for user in ("fred", "nobody"):  # whether there is such a user cannot be seen
            for connect in (far.connect, partial(connected_in_a_task, far)):
                assert text_of(partial(connect, user=user, password="wrong")) == (
                    "MQRC_NOT_AUTHORIZED (2035): the user may not do this [MQCONN, object 'QM1'] "
                    f"queue manager QM1 was asked for by channel {CHANNEL} at {far.conn}; the "
                    "error log of the queue manager says why"
                )
        assert "AMQ9557E" in [message for message, _ in far.logged]


@pytest.mark.parametrize(
    "error", [ssl.SSLZeroReturnError(6, "closed"), ssl.SSLEOFError(8, "EOF"), EOFError()]
)
def test_tls_when_the_other_end_closes_then_what_to_check(error: Exception) -> None:
    text = str(tls_failed(ClientChannel(CHANNEL, ()), Address("far", 1414), error))
    assert text.endswith("check the port, SSLCIPH of its channel and its error log")


def connected_in_a_task(far: Networked, name: str = "QM1", **given: Any) -> None:
    """Connect over TCP with asyncio."""

    async def connect() -> None:
        await ternmq.aio.connect(name, channel=CHANNEL, conn=far.conn, **given)

    asyncio.run(connect())


def test_connect_when_another_queue_manager_is_there_then_what_was_asked_for_and_where(
    tmp_path: Path,
) -> None:
    with Networked(tmp_path) as far:
        for connect in (
            lambda: ternmq.connect("OTHER", channel=CHANNEL, conn=far.conn),
            lambda: connected_in_a_task(far, "OTHER"),
        ):
            assert text_of(connect).endswith(
                f"[MQCONN, object 'OTHER'] queue manager OTHER was asked for by channel {CHANNEL} "
                f"at {far.conn}"
            )
