"""Goal: an argument of the wrong type, a name that is near another one and a call out of place are
answered with what is wrong, its value, and what to do.

Method: the mistakes that a developer made who used the pages alone; the whole text is compared.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq.base.build import build_info
from ternmq.base.similar import similar
from ternmq.server.folder.status_file import STARTING, write_status
from tests.unit.api.networked import Networked

UNKNOWN = "MQRC_UNKNOWN_OBJECT_NAME (2085): there is no object of that name"
BUSY = "MQRC_CALL_IN_PROGRESS (2219): the connection is busy with another call that has not ended"

interpreted = pytest.mark.skipif(
    build_info().compiled, reason="compiled code refuses types in words of its own"
)


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as manager:
        manager.define_queue("ORDERS", max_depth=1)
        manager.define_queue("REPLIES")
        yield manager


def text_of(mistake: Callable[[], object]) -> str:
    with pytest.raises((ternmq.MQError, TypeError)) as caught:
        mistake()
    return str(caught.value)


# ---- arguments


@interpreted
@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"persistent": "yes"}, "persistent cannot be of type str: 'yes', give True or False"),
        ({"priority": "high"}, "priority cannot be of type str: 'high', give a number from 0 to 9"),
        ({"expiry": "1s"}, "expiry cannot be of type str: '1s', give a number of seconds"),
        (
            {"correl_id": "abc"},
            "correl_id cannot be of type str: 'abc', give bytes, such as message.msg_id",
        ),
        ({"reply_to": 7}, "reply_to cannot be of type int: 7, give the name of a queue"),
        ({"format": 7}, "format cannot be of type int: 7, give text, such as 'MQSTR'"),
        ({"delay": "x"}, "delay is not a number of seconds: 'x', give delay=30"),
    ],
)
def test_put_when_an_argument_has_another_type_then_it_is_named(
    qmgr: ternmq.QueueManager, given: dict[str, Any], text: str
) -> None:
    with qmgr.queue("ORDERS") as queue:
        assert text_of(lambda: queue.put("x", **given)) == text
        with pytest.raises(TypeError) as with_properties:
            queue.put("x", properties={"a": 1}, **given)
        assert str(with_properties.value) == text
    assert text_of(lambda: qmgr.put("ORDERS", "x", **given)) == text


@interpreted
@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            {"msg_id": "414d"},
            "msg_id cannot be of type str: '414d', give bytes, such as message.msg_id",
        ),
        ({"token": 5}, "token cannot be of type int: 5, give bytes, such as message.msg_id"),
        ({"max_length": "9"}, "max_length cannot be of type str: '9', give a number of bytes"),
    ],
)
def test_get_when_an_argument_has_another_type_then_it_is_named(
    qmgr: ternmq.QueueManager, given: dict[str, Any], text: str
) -> None:
    with qmgr.queue("ORDERS") as queue:
        assert text_of(lambda: queue.get(**given)) == text


def test_put_when_the_queue_is_full_then_what_to_do(qmgr: ternmq.QueueManager) -> None:
    qmgr.put("ORDERS", "x")
    assert text_of(lambda: qmgr.put("ORDERS", "x")).endswith(
        "[MQPUT, object 'ORDERS'] MAXDEPTH(1): get messages from it, or raise MAXDEPTH"
    )


def test_property_when_its_name_is_wrong_then_the_rule(qmgr: ternmq.QueueManager) -> None:
    assert text_of(lambda: qmgr.put("ORDERS", "x", properties={"a b": 1})).endswith(
        "name 'a b' has the part 'a b'; use letters, digits, _ and $, and no digit first"
    )
    assert text_of(lambda: qmgr.put("ORDERS", "x", properties={"content-type": 1})).endswith(
        "has the part 'content-type'; use letters, digits, _ and $, and no digit first"
    )


# ---- definitions


def test_definition_when_it_is_there_then_what_changes_it(qmgr: ternmq.QueueManager) -> None:
    assert text_of(lambda: qmgr.define_queue("ORDERS")).endswith(
        "[DEFINE, object 'ORDERS'] exist_ok=True leaves it as it is, alter_queue changes it, "
        "replace=True sets all attributes again"
    )


def test_attribute_when_its_words_are_turned_then_the_right_order() -> None:
    known = ["depth_max_event", "max_depth", "depth_high"]
    assert similar("depth_max", known) == ["max_depth"]
    assert similar("max_dept", known) == ["max_depth"]


def check_definitions(connection: ternmq.Connection) -> None:
    mistakes: list[tuple[str, Callable[[], object]]] = [
        ("ALTER", lambda: connection.alter_queue("ORDERZ", max_depth=3)),
        ("DELETE", lambda: connection.delete_queue("ORDERZ")),
        ("CLEAR", lambda: connection.clear_queue("ORDERZ")),
        ("DISPLAY", lambda: connection.attributes("ORDERZ")),
    ]
    for verb, mistake in mistakes:
        assert text_of(mistake) == f"{UNKNOWN} [{verb}, object 'ORDERZ'] Did you mean ORDERS?"


def test_definition_when_its_name_is_mistyped_then_a_similar_one_on_every_binding(
    qmgr: ternmq.QueueManager, tmp_path: Path
) -> None:
    check_definitions(qmgr)
    with Networked(tmp_path) as far:
        far.connect().define_queue("ORDERS")
        check_definitions(far.connect())
        check_definitions(ternmq.connect("QM1", data=tmp_path))


# ---- connections


def test_queue_manager_when_its_name_is_not_valid_then_the_rule(tmp_path: Path) -> None:
    assert text_of(lambda: ternmq.embedded(tmp_path, "QM 1", create=True)).endswith(
        "[MQCONN, object 'QM 1'] not a valid name: 'QM 1', a name has 1 to 48 characters "
        "A-Z a-z 0-9 . / _ %"
    )


def test_queue_manager_when_it_is_in_memory_then_the_same_rule() -> None:
    text = (
        "[crtmqm, object 'my qm'] not a valid name: 'my qm', a name has 1 to 48 characters "
        "A-Z a-z 0-9 . / _ %"
    )

    async def by_task(name: Any) -> str:
        with pytest.raises((ternmq.MQError, TypeError)) as caught:
            await ternmq.aio.memory(name)
        return str(caught.value)

    assert text_of(lambda: ternmq.memory("my qm")).endswith(text)
    assert asyncio.run(by_task("my qm")).endswith(text)
    wrong: Any = None
    text = "the name of a queue manager cannot be of type NoneType: None, give text such as 'QM1'"
    assert text_of(lambda: ternmq.memory(wrong)) == text
    assert asyncio.run(by_task(wrong)) == text


PROGRAM = """
import sys, ternmq
with ternmq.embedded(sys.argv[1], "QM1", create=True, log_file_pages=64):
    print("open", flush=True)
    sys.stdin.read()
"""
WITHIN = "[MQCONN, object 'QM1'] it runs inside "


@pytest.fixture
def embedding(tmp_path: Path) -> Iterator[int]:
    """Another program that has QM1 inside it; its process."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "open\n"
        yield program.pid
        program.communicate()


def test_queue_manager_when_it_is_in_use_then_how_to_get_to_it(
    embedding: int, tmp_path: Path
) -> None:
    assert text_of(lambda: ternmq.embedded(tmp_path, "QM1")).endswith(
        f"its data folder is in use: lock is locked by process {embedding}. End that process; "
        "if strmqm has started the queue manager, use ternmq.connect('QM1')"
    )


def test_queue_manager_when_this_program_has_it_then_its_own_connect(tmp_path: Path) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True, log_file_pages=64):
        assert text_of(lambda: ternmq.embedded(tmp_path, "QM1")).endswith(
            "[MQCONN, object 'QM1'] its data folder is in use by this program, "
            f"process {os.getpid()}: use qmgr.connect() of the queue manager that it has open"
        )


def test_connect_when_another_program_has_it_inside_then_which(
    embedding: int, tmp_path: Path
) -> None:
    wanted = (
        f"{WITHIN}process {embedding} (embedded), and only that can connect, by qmgr.connect(). "
        "For other programs, end that one and start it by strmqm QM1"
    )
    assert text_of(lambda: ternmq.connect("QM1", data=tmp_path)).endswith(wanted)
    assert text_of(lambda: asyncio.run(_connected(tmp_path))).endswith(wanted)


async def _connected(folder: Path) -> None:
    await ternmq.aio.connect("QM1", data=folder)


def test_connect_when_this_program_has_it_inside_then_its_own_connect(tmp_path: Path) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True, log_file_pages=64):
        assert text_of(lambda: ternmq.connect("QM1", data=tmp_path)).endswith(
            f"{WITHIN}this program (embedded); use its qmgr.connect()"
        )


def test_connect_when_its_own_process_has_no_socket_yet_then_it_is_not_running(
    tmp_path: Path,
) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True, log_file_pages=64):
        write_status(str(tmp_path / "qmgrs" / "QM1"), STARTING)  # as a process that strmqm started
        assert text_of(lambda: ternmq.connect("QM1", data=tmp_path)).endswith("strmqm QM1")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"conn": "localhost:1414"}, "go together: give channel='NAME' as well, or neither"),
        ({"channel": "A.B"}, "go together: give conn='host(port)' as well, or neither"),
        (
            {"channel": "A.B", "conn": "localhost:abc"},
            "'localhost:abc' is not a connection name: the port after the colon is not a number; "
            "write host(port) or host:port",
        ),
        (
            {"channel": "A.B", "conn": "mq://localhost:24117"},
            "'mq://localhost:24117' is not a connection name: it is not a URL; "
            "write host(port) or host:port",
        ),
        (
            {"channel": "A.B", "conn": "mq://me:secret@localhost"},
            "'mq://localhost' is not a connection name: it is not a URL; "
            "write host(port) or host:port",
        ),
        (
            {"channel": "A.B", "conn": "mq://me:secret@localhost(99999)"},
            "'mq://localhost(99999)' is not a connection name: write host(port) or host:port, with "
            "a port from 1 to 65535",
        ),
        (
            {"channel": "A.B", "conn": "localhost(99999)"},
            "'localhost(99999)' is not a connection name: write host(port) or host:port, with a "
            "port from 1 to 65535",
        ),
    ],
)
def test_connection_when_its_address_is_wrong_then_what_to_give(
    given: dict[str, str], text: str
) -> None:
    assert text_of(lambda: ternmq.connect("QM1", **given)).endswith(text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"password": b"secret"}, "password cannot be of type bytes, give text"),
        ({"user": 5}, "user cannot be of type int: 5, give text"),
        ({"application": 5}, "application cannot be of type int: 5, give text"),
        ({"options": "x"}, "options cannot be of type str: 'x', give a number of MQCNO options"),
        ({"data": 5}, "data cannot be of type int: 5, give the path of a folder"),
        ({"channel": 5}, "channel cannot be of type int: 5, give text"),
        (
            {"channel": "A", "conn": ("localhost", 1414)},
            "conn cannot be of type tuple: ('localhost', 1414), give text: 'localhost(1414)'",
        ),
        (
            {"channel": "A", "conn": 1414},
            "conn cannot be of type int: 1414, give text such as 'localhost(1414)'",
        ),
        (
            {"connect_timeout": "1"},
            "connect_timeout cannot be of type str: '1', give a number of seconds",
        ),
    ],
)
def test_connection_when_an_argument_has_another_type_then_it_is_named(
    given: dict[str, Any], text: str
) -> None:
    assert text_of(lambda: ternmq.connect("QM1", **given)) == text
    assert text_of(lambda: ternmq.aio.connect("QM1", **given)) == text


def test_connection_when_its_name_is_not_text_then_what_to_give(qmgr: ternmq.QueueManager) -> None:
    text = (
        "connect takes the name of a queue manager, not <QueueManager QM1>, use its own connect()"
    )
    assert text_of(lambda: ternmq.connect(qmgr)) == text  # type: ignore[arg-type]
    wrongs: list[Any] = [None, 5]
    for wrong in wrongs:
        text = (
            f"the name of a queue manager cannot be of type {type(wrong).__name__}: {wrong}, give "
            "text such as 'QM1', or leave it out"
        )
        assert text_of(partial(ternmq.connect, wrong)) == text
        assert text_of(partial(ternmq.aio.connect, wrong)) == text


def test_channel_when_it_is_refused_then_what_to_do(tmp_path: Path) -> None:
    with Networked(tmp_path) as far:
        assert text_of(lambda: far.connect(channel="NO.SUCH")).endswith(
            "refuses channel NO.SUCH: NO_CHANNEL, no server-connection channel has that name "
            "there; names are case-sensitive"
        )


def test_connection_when_two_tasks_use_it_then_one_for_each() -> None:
    async def run() -> str:
        async with ternmq.aio.memory("QM1") as qmgr:
            await qmgr.define_queue("A")
            async with qmgr.queue("A") as queue:
                first = asyncio.create_task(queue.get(wait=5))
                await asyncio.sleep(0)
                with pytest.raises(ternmq.MQError) as busy:
                    await queue.get(wait=5)
                first.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await first
                return str(busy.value)

    assert asyncio.run(run()) == (
        f"{BUSY} yet [MQGET, object 'QM1'] another thread or task uses this connection: "
        "give each a connection of its own"
    )


def test_iteration_when_the_queue_is_for_tasks_then_what_to_write() -> None:
    async def run() -> str:
        async with ternmq.aio.memory("QM1") as qmgr:
            await qmgr.define_queue("A")
            async with qmgr.queue("A") as queue:
                return text_of(lambda: list(queue))  # type: ignore[call-overload]

    assert asyncio.run(run()) == "`for` cannot wait: write `async for message in queue`"


# ---- messages


def test_message_when_it_asks_for_a_reply_then_its_queue(qmgr: ternmq.QueueManager) -> None:
    asked = qmgr.put("ORDERS", "how many?", reply_to="REPLIES")
    with qmgr.queue("ORDERS") as orders, qmgr.queue("REPLIES") as replies:
        request = orders.get()
        assert request.reply_to == "REPLIES"
        qmgr.put(request.reply_to, "three", correl_id=request.msg_id)
        reply = replies.get(correl_id=asked)
        assert (reply.text, reply.reply_to) == ("three", "")
