"""Goal: MQGMO_NO_PROPERTIES and PROPCTL(NONE) give the same through every binding, and the buffer
counts for what is delivered.

Method: the same puts and gets embedded, by the local socket and over channels with and without
shared conversations; buffers of exactly the payload, of one byte less, and cut on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_CONVERTED_MSG_TOO_BIG, MQRC_TRUNCATED_MSG_FAILED
from tests.unit.api.networked import Networked
from tests.unit.api.served import Served
from tests.unit.codec.test_properties import SOUND, UNSOUND, header

pytestmark = pytest.mark.core

BINDINGS = ("embedded", "local", "APP.SVRCONN", "ONE.SVRCONN", "ALONE.SVRCONN")
PAYLOAD = b"the payload"
HEADED = header(SOUND) + PAYLOAD
NO = mq.MQGMO_NO_PROPERTIES
CUT = mq.MQGMO_ACCEPT_TRUNCATED_MSG
MD = ternmq.Descriptor(format="MQHRF2", encoding=mq.MQENC_INTEGER_REVERSED, ccsid=1208)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Networked]:
    one = Networked(tmp_path_factory.mktemp("data"))
    with one:
        yield one


@pytest.fixture(params=BINDINGS)
def qmgr(request: pytest.FixtureRequest, served: Networked) -> Iterator[Any]:
    """A connection with queues LEAVES and, with PROPCTL(NONE), DROPS."""
    one: Any
    if request.param == "embedded":
        one = ternmq.memory("QM1")
    elif request.param == "local":
        one = Served.connect(served)
    else:
        one = served.connect(channel=request.param)
    with one:
        for name, propctl in (("LEAVES", "ALL"), ("DROPS", "NONE")):
            answer, *_ = one.mqsc(f"DEFINE QLOCAL({name}) PROPCTL({propctl}) REPLACE")
            assert answer.ok
            one.clear_queue(name)
        yield one


def put(qmgr: Any, name: str, data: bytes = HEADED) -> Any:
    queue = qmgr.queue(name)
    queue.put(data, descriptor=MD)
    return queue


def asked(queue: Any, options: int = 0, **more: Any) -> Any:
    return queue.get(options=options | mq.MQGMO_NO_SYNCPOINT, **more)


ASKS = (("LEAVES", NO), ("DROPS", 0), ("DROPS", NO))


@pytest.mark.parametrize(("name", "options"), ASKS)
def test_get_when_no_properties_are_wanted_then_the_payload_comes(
    qmgr: Any, name: str, options: int
) -> None:
    with put(qmgr, name) as queue:
        message = asked(queue, options)
        assert bytes(message) == PAYLOAD
        assert message.length == len(PAYLOAD)
        assert not message.truncated
        reported = message.descriptor
        assert (reported.format, reported.ccsid, reported.encoding) == ("MQSTR", 819, 0x2)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("LEAVES", mq.MQGMO_PROPERTIES_FORCE_MQRFH2),
        ("LEAVES", mq.MQGMO_PROPERTIES_COMPATIBILITY),
        ("DROPS", mq.MQGMO_PROPERTIES_FORCE_MQRFH2),
    ],
)
def test_get_when_properties_are_wanted_then_the_header_comes(
    qmgr: Any, name: str, options: int
) -> None:
    with put(qmgr, name) as queue:
        message = asked(queue, options)
        assert bytes(message) == HEADED
        assert message.descriptor.format == "MQHRF2"


@pytest.mark.parametrize(("name", "options"), ASKS)
def test_get_when_the_buffer_holds_the_payload_then_it_comes_whole(
    qmgr: Any, name: str, options: int
) -> None:
    with put(qmgr, name) as queue:
        put(qmgr, name).close()
        for more in (0, CUT):
            message = asked(queue, options | more, max_length=len(PAYLOAD))
            assert bytes(message) == PAYLOAD
            assert not message.truncated


@pytest.mark.parametrize(("name", "options"), ASKS)
def test_get_when_the_buffer_is_too_short_then_the_payload_is_cut(
    qmgr: Any, name: str, options: int
) -> None:
    with put(qmgr, name) as queue:
        with pytest.raises(MQError) as caught:
            asked(queue, options, max_length=3)
        assert caught.value.reason == MQRC_TRUNCATED_MSG_FAILED
        assert bytes(caught.value.result) == PAYLOAD[:3]
        assert caught.value.result.length == len(PAYLOAD)
        message = asked(queue, options | CUT, max_length=3)
        assert bytes(message) == PAYLOAD[:3]
        assert (message.truncated, message.length) == (True, len(PAYLOAD))
        assert message.descriptor.format == "MQSTR"
        assert queue.try_get() is None


def test_browse_when_the_buffer_holds_the_payload_then_the_cursor_moves(qmgr: Any) -> None:
    with put(qmgr, "DROPS") as queue:
        put(qmgr, "DROPS", header(SOUND) + b"another one").close()
        assert [bytes(one) for one in queue.browse()] == [PAYLOAD, b"another one"]


@pytest.mark.parametrize("more", [CUT, 0])
def test_get_when_a_header_is_very_long_then_the_payload_counts_alone(qmgr: Any, more: int) -> None:
    long = header(b"<usr><a>" + b"x" * 100_000 + b"</a></usr>") + PAYLOAD
    with put(qmgr, "DROPS", long) as queue:
        message = asked(queue, more, max_length=len(PAYLOAD))
        assert (bytes(message), message.truncated) == (PAYLOAD, False)


@pytest.mark.parametrize("folder", UNSOUND)
def test_get_when_a_folder_cannot_be_read_then_it_stays(qmgr: Any, folder: bytes) -> None:
    with put(qmgr, "DROPS", header(folder) + PAYLOAD) as queue:
        assert bytes(asked(queue)) == header(folder) + PAYLOAD


@pytest.mark.parametrize("ccsid", [99999, 0, -1, 819])
def test_get_when_the_ccsid_of_folders_is_unknown_then_the_queue_is_not_blocked(
    qmgr: Any, ccsid: int
) -> None:
    data = header(SOUND, ccsid=ccsid) + PAYLOAD
    with put(qmgr, "DROPS", data) as queue:
        put(qmgr, "DROPS").close()
        assert bytes(asked(queue)) == data
        assert bytes(asked(queue)) == PAYLOAD


def test_get_when_it_waits_then_the_payload_comes(qmgr: Any) -> None:
    with put(qmgr, "DROPS") as queue:
        assert bytes(asked(queue, wait=5, max_length=len(PAYLOAD))) == PAYLOAD


def test_get_when_an_alias_says_none_then_that_counts(qmgr: Any) -> None:
    answer, *_ = qmgr.mqsc("DEFINE QALIAS(ALIAS) TARGET(LEAVES) PROPCTL(NONE) REPLACE")
    assert answer.ok
    with put(qmgr, "LEAVES"), qmgr.queue("ALIAS") as queue:
        assert bytes(asked(queue)) == PAYLOAD


def test_message_when_backed_out_then_it_has_its_properties_again(qmgr: Any) -> None:
    with put(qmgr, "DROPS") as queue:
        with qmgr.unit_of_work():
            assert bytes(queue.get()) == PAYLOAD
            qmgr.backout()
        assert bytes(asked(queue, mq.MQGMO_PROPERTIES_FORCE_MQRFH2)) == HEADED


def test_get_when_the_format_of_a_header_has_no_characters_then_the_queue_is_not_blocked(
    qmgr: Any,
) -> None:
    """In CCSID 424, 0x76 stands for nothing."""
    data = header(SOUND, format=b"\xe7\x76\x68\x78MQST") + PAYLOAD
    with qmgr.queue("DROPS") as queue:
        md = ternmq.Descriptor(format="MQHRF2", encoding=mq.MQENC_INTEGER_REVERSED, ccsid=424)
        queue.put(data, descriptor=md)
        message = asked(queue)
        assert bytes(message) == PAYLOAD
        assert queue.try_get() is None


def test_get_when_converted_data_has_no_room_then_it_comes_as_it_is(qmgr: Any) -> None:
    latin = ternmq.Descriptor(format="MQSTR", ccsid=819)
    with qmgr.queue("LEAVES") as queue:
        queue.put("\u00e9\u00e9".encode("latin-1"), descriptor=latin)
        message = asked(queue, mq.MQGMO_CONVERT, max_length=2)
        assert (bytes(message), message.descriptor.ccsid) == (b"\xe9\xe9", 819)
        assert message.warning == MQRC_CONVERTED_MSG_TOO_BIG
        assert not message.truncated
