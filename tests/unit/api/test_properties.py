"""Goal: `put(properties=...)` and `message.properties` are the same through every binding, and the
two parts of a message count apart (P36, P37, P38, C1, C2, C5, C6).

Method: the same puts and gets embedded, by the local socket and over channels with and without
shared conversations; by threads, and once by tasks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_OPTIONS_ERROR,
    MQRC_PROPERTY_NAME_ERROR,
    MQRC_PROPERTY_NAME_LENGTH_ERR,
    MQRC_PROPERTY_TYPE_ERROR,
    MQRC_TRUNCATED_MSG_FAILED,
)
from tests.unit.api.networked import Networked
from tests.unit.api.served import Served
from tests.unit.codec.test_properties import SOUND, header

pytestmark = pytest.mark.core

BINDINGS = ("embedded", "local", "APP.SVRCONN", "ONE.SVRCONN", "ALONE.SVRCONN")
CONTROLS = ("ALL", "COMPAT", "FORCE", "NONE", "V6COMPAT")
HEADED = header(SOUND) + b"payload"
MD = ternmq.Descriptor(format="MQHRF2", encoding=mq.MQENC_INTEGER_REVERSED, ccsid=1208)
GIVEN: dict[str, Any] = {
    "colour": "r\u00f6d <&> '",
    "flag": True,
    "count": 1 << 40,
    "small": ternmq.Int32(7),
    "ratio": 0.1,
    "short": ternmq.Float32(0.5),
    "raw": b"\0\xff",
    "nothing": None,
    "empty": "",
    "a.b": 5,
}
TYPES = {
    "colour": mq.MQTYPE_STRING,
    "flag": mq.MQTYPE_BOOLEAN,
    "count": mq.MQTYPE_INT64,
    "small": mq.MQTYPE_INT32,
    "ratio": mq.MQTYPE_FLOAT64,
    "short": mq.MQTYPE_FLOAT32,
    "raw": mq.MQTYPE_BYTE_STRING,
    "nothing": mq.MQTYPE_NULL,
    "empty": mq.MQTYPE_STRING,
    "a.b": mq.MQTYPE_INT64,
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Networked]:
    one = Networked(tmp_path_factory.mktemp("data"))
    with one:
        yield one


@pytest.fixture(params=BINDINGS)
def qmgr(request: pytest.FixtureRequest, served: Networked) -> Iterator[Any]:
    """A connection with a queue for each PROPCTL."""
    one: Any
    if request.param == "embedded":
        one = ternmq.memory("QM1")
    elif request.param == "local":
        one = Served.connect(served)
    else:
        one = served.connect(channel=request.param)
    with one:
        for name in CONTROLS:
            answer, *_ = one.mqsc(f"DEFINE QLOCAL({name}) PROPCTL({name}) REPLACE")
            assert answer.ok
            one.clear_queue(name)
        yield one


@pytest.mark.parametrize("name", ["ALL", "COMPAT", "NONE"])
def test_put_when_properties_are_given_then_a_get_has_them_beside_the_data(
    qmgr: Any, name: str
) -> None:
    with qmgr.queue(name) as queue:
        queue.put("text", properties=GIVEN)
        message = queue.get(wait=5)
    assert (message.data, message.format, message.length) == (b"text", "MQSTR", 4)
    found: Any = message.properties
    assert found == GIVEN
    assert issubclass(type(found), Mapping)
    assert set(found) == set(GIVEN)
    assert {one: found.typed(one).type for one in found} == TYPES
    assert found["usr.colour"] == GIVEN["colour"]
    assert found.get("not there", 3) == 3
    assert "not there" not in found
    with pytest.raises(KeyError):
        found["not there"]
    with pytest.raises((TypeError, AttributeError)):
        found["colour"] = "blue"


def test_properties_when_handed_on_then_the_next_message_has_them(qmgr: Any) -> None:
    qmgr.put("ALL", b"first", properties=GIVEN)
    with qmgr.queue("ALL") as queue:
        first = queue.get()
        queue.put(b"second", properties=first.properties)
        second = queue.get()
    assert (second.data, second.properties) == (b"second", GIVEN)
    assert second.properties.typed("small").type == mq.MQTYPE_INT32


def test_message_when_it_has_no_properties_then_the_mapping_is_empty(qmgr: Any) -> None:
    with qmgr.queue("ALL") as queue:
        queue.put(b"x", properties={})
        message = queue.get()
    assert (len(message.properties), bool(message.properties)) == (0, False)
    assert message.properties == {}


def test_get_when_a_header_was_put_then_it_is_properties(qmgr: Any) -> None:
    with qmgr.queue("COMPAT") as queue:
        queue.put(HEADED, descriptor=MD)
        message = queue.get()
    assert (message.data, message.format) == (b"payload", "MQSTR")
    assert message.properties == {"a": "1"}


@pytest.mark.parametrize("name", ["FORCE", "V6COMPAT"])
def test_get_when_the_queue_says_so_then_the_header_is_in_the_data(qmgr: Any, name: str) -> None:
    with qmgr.queue(name) as queue:
        queue.put(HEADED, descriptor=MD)
        message = queue.get()
    assert (message.data, message.format) == (HEADED, "MQHRF2")
    assert message.properties == {"a": "1"}


@pytest.mark.parametrize("name", CONTROLS)
def test_get_when_an_option_asks_for_a_handle_then_the_option_wins(qmgr: Any, name: str) -> None:
    with qmgr.queue(name) as queue:
        queue.put(HEADED, descriptor=MD)
        message = queue.get(options=mq.MQGMO_PROPERTIES_IN_HANDLE | mq.MQGMO_NO_SYNCPOINT)
    assert (message.data, message.properties) == (b"payload", {"a": "1"})


def test_get_when_two_options_exclude_each_other_then_they_are_refused(qmgr: Any) -> None:
    """C4."""
    both = mq.MQGMO_NO_PROPERTIES | mq.MQGMO_PROPERTIES_FORCE_MQRFH2
    with qmgr.queue("ALL") as queue, pytest.raises(MQError) as caught:
        queue.get(options=both)
    assert caught.value.reason == MQRC_OPTIONS_ERROR


def test_get_when_the_buffer_has_the_size_of_the_body_then_it_comes(qmgr: Any) -> None:
    with qmgr.queue("ALL") as queue:
        queue.put(b"payload", properties=GIVEN)
        with pytest.raises(MQError) as caught:
            queue.get(max_length=6)
        assert caught.value.reason == MQRC_TRUNCATED_MSG_FAILED
        assert (caught.value.result.data, caught.value.result.length) == (b"payloa", 7)
        message = queue.get(max_length=7)
        assert (message.data, message.properties) == (b"payload", GIVEN)


def test_get_when_properties_are_not_wanted_then_there_are_none(qmgr: Any) -> None:
    with qmgr.queue("ALL") as queue:
        queue.put(b"payload", properties=GIVEN)
        message = queue.get(options=mq.MQGMO_NO_PROPERTIES | mq.MQGMO_NO_SYNCPOINT, max_length=7)
    assert (message.data, message.properties) == (b"payload", {})


def test_browse_and_backout_then_properties_are_still_there(qmgr: Any) -> None:
    with qmgr.queue("ALL") as queue:
        queue.put(b"payload", properties=GIVEN, persistent=True)
        assert [one.properties for one in queue.browse()] == [GIVEN]
        with qmgr.unit_of_work():
            assert queue.get().properties == GIVEN
            qmgr.backout()
        assert queue.get().properties == GIVEN


def test_get_when_data_is_converted_then_its_properties_stay(qmgr: Any) -> None:
    latin = ternmq.Descriptor(format="MQSTR", ccsid=819)
    with qmgr.queue("ALL") as queue:
        queue.put("\u00e9".encode("latin-1"), descriptor=latin, properties=GIVEN)
        message = queue.get(options=mq.MQGMO_CONVERT | mq.MQGMO_NO_SYNCPOINT)
    assert (message.data, message.descriptor.ccsid) == ("\u00e9".encode(), 1208)
    assert (message.warning, message.properties) == (0, GIVEN)


def test_get_when_it_is_cut_on_purpose_then_the_body_is_cut(qmgr: Any) -> None:
    with qmgr.queue("ALL") as queue:
        queue.put(b"payload", properties=GIVEN)
        message = queue.get(options=mq.MQGMO_ACCEPT_TRUNCATED_MSG, max_length=3)
    assert (message.data, message.truncated, message.length) == (b"pay", True, 7)


def test_stream_when_messages_have_properties_then_its_readers_have_them(qmgr: Any) -> None:
    assert qmgr.mqsc("DEFINE QLOCAL(NUMBERED) REPLACE")[0].ok
    qmgr.clear_queue("NUMBERED")
    cursor = qmgr.cursor("PROPERTIES", "NUMBERED", start="latest")
    for given in ({}, GIVEN, None):
        qmgr.put("NUMBERED", b"x", properties=given)
    messages = list(cursor.read())
    assert [one.properties for one in messages] == [{}, GIVEN, {}]
    assert [one.data for one in messages] == [b"x"] * 3
    cursor.delete()


def test_properties_when_beside_a_header_then_both_count_and_the_given_win(qmgr: Any) -> None:
    with qmgr.queue("ALL") as queue:
        queue.put(HEADED, descriptor=MD, properties={"a": 2, "b": 3})
        message = queue.get()
    assert (message.data, message.properties) == (b"payload", {"a": 2, "b": 3})


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"a": object()}, MQRC_PROPERTY_TYPE_ERROR),
        ({"a": 1 << 63}, MQRC_PROPERTY_TYPE_ERROR),
        ({"a": ternmq.Int8(300)}, MQRC_PROPERTY_TYPE_ERROR),
        ({"a": "\ud800"}, MQRC_PROPERTY_TYPE_ERROR),
        ({"": 1}, MQRC_PROPERTY_NAME_ERROR),
        ({3: 1}, MQRC_PROPERTY_NAME_ERROR),
        ({"n" * 4096: 1}, MQRC_PROPERTY_NAME_LENGTH_ERR),
    ],
)
def test_put_when_a_property_cannot_be_then_it_is_refused(
    qmgr: Any, given: dict[Any, Any], reason: int
) -> None:
    with qmgr.queue("ALL") as queue:
        with pytest.raises(MQError) as caught:
            queue.put(b"x", properties=given)
        assert caught.value.reason == reason
        assert queue.depth == 0


@pytest.mark.parametrize("accepts", [False, True])
def test_cut_message_then_its_properties_come_through_every_kind_of_channel(
    qmgr: Any, accepts: bool
) -> None:
    with qmgr.queue("ALL") as queue:
        queue.put(b"payload", properties=GIVEN)
        if accepts:
            cut = queue.get(options=mq.MQGMO_ACCEPT_TRUNCATED_MSG, max_length=3, wait=5)
        else:
            with pytest.raises(MQError) as caught:
                queue.get(max_length=3)
            cut = caught.value.result
    assert (cut.data, cut.truncated, cut.length) == (b"pay", True, 7)
    assert cut.properties == GIVEN


def test_v6compat_then_given_properties_are_beside_the_data_through_every_kind_of_channel(
    qmgr: Any,
) -> None:
    with qmgr.queue("V6COMPAT") as queue:
        queue.put(b"payload", properties=GIVEN)
        queue.put(HEADED, descriptor=MD, properties=GIVEN)
        first, second = queue.get(wait=5), queue.get(wait=5)
    assert (first.data, first.properties) == (b"payload", GIVEN)
    assert (second.data, second.properties) == (HEADED, GIVEN)


def test_properties_when_the_channel_is_too_short_for_both_parts_then_a_put_is_refused(
    served: Networked,
) -> None:
    """MAXMSGL of a channel counts both; a get whose data fits has it, whatever is beside."""
    long = {"text": "t" * 30_000}
    with served.connect(channel="SHORT.SVRCONN") as short, served.connect() as other:
        assert other.mqsc("DEFINE QLOCAL(SHORTLY) REPLACE")[0].ok
        with short.queue("SHORTLY") as queue:
            with pytest.raises(MQError) as caught:
                queue.put(bytes(40_000), properties=long)
            assert caught.value.reason == 2218
            queue.put(bytes(10_000), properties=long)
            assert (queue.get(wait=5).length, queue.depth) == (10_000, 0)
            other.put("SHORTLY", bytes(40_000), properties=long)
            message = queue.get(wait=5)
    assert (len(message.data), dict(message.properties)) == (40_000, long)


@pytest.mark.parametrize("channel", ["APP.SVRCONN", "ALONE.SVRCONN"])
def test_tasks_when_messages_are_cut_or_read_ahead_then_their_properties_come(
    served: Networked, channel: str
) -> None:
    async def go() -> list[Any]:
        async with served.connect_task(channel=channel) as one:
            await one.mqsc("DEFINE QLOCAL(AHEAD) DEFREADA(YES) PROPCTL(V6COMPAT) REPLACE")
            async with one.queue("AHEAD") as queue:
                for _ in range(3):
                    await queue.put(b"payload", properties=GIVEN)
                first = await queue.get(wait=5)
                second = await queue.get(wait=5)
                options = mq.MQGMO_ACCEPT_TRUNCATED_MSG
                await one.mqsc("DEFINE QLOCAL(TASKS) REPLACE")
                async with one.queue("TASKS") as other:
                    await other.put(b"payload", properties=GIVEN)
                    return [first, second, await other.get(options=options, max_length=3)]

    first, second, cut = asyncio.run(go())
    for message in (first, second):
        assert (message.data, message.properties) == (b"payload", GIVEN)
    assert (cut.data, cut.length, cut.properties) == (b"pay", 7, GIVEN)


@pytest.mark.parametrize("channel", ["APP.SVRCONN", "ALONE.SVRCONN"])
def test_put_over_tcp_when_a_header_is_split_off_then_the_reply_has_the_format_as_given(
    served: Networked, channel: str
) -> None:
    one: Any = served.connect(channel=channel)
    with one:
        assert one.mqsc("DEFINE QLOCAL(FORMATS) REPLACE")[0].ok
        with one.queue("FORMATS") as queue:
            queue.put(HEADED, descriptor=MD, options=mq.MQPMO_SYNC_RESPONSE)
            queue.put(HEADED, descriptor=MD, options=mq.MQPMO_SYNC_RESPONSE)
            reported = one.transport.verbs._put_reply.values()["descriptor"]
            assert (reported.format, reported.ccsid) == ("MQHRF2", 1208)
        one.put("FORMATS", HEADED, descriptor=MD)
        reported = one.transport.verbs._put_descriptor
        assert (reported.format, reported.ccsid) == ("MQHRF2", 1208)


@pytest.mark.parametrize("channel", ["", "APP.SVRCONN", "ALONE.SVRCONN"])
def test_tasks_when_properties_are_given_then_a_get_has_them(
    served: Networked, channel: str
) -> None:
    async def go() -> list[Any]:
        opening = (
            served.connect_task(channel=channel)
            if channel
            else ternmq.aio.connect(served.name, data=served.data)
        )
        async with opening as one:
            await one.mqsc("DEFINE QLOCAL(TASKS) REPLACE")
            async with one.queue("TASKS") as queue:
                await queue.put(b"x", properties=GIVEN)
                await one.put("TASKS", b"y", properties={"z": 1})
                return [await queue.get(wait=5), await queue.get(wait=5)]

    first, second = asyncio.run(go())
    assert (first.data, first.properties) == (b"x", GIVEN)
    assert (second.data, second.properties) == (b"y", {"z": 1})
