"""Goal: a get with a message handle never fails and never loses a message, whatever that holds;
and what `properties.set` takes comes back as it was.

Method: unsound headers put as data and got by handle, on the machine and through a channel;
hypothesis over names and values of bags, and over any bytes of a header.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.compat import ibmmq, pymqi
from ternmq.compat.attachments import attached
from ternmq.compat.calls import _verbs
from ternmq.compat.properties import without_properties
from ternmq.compat.pymqi import CMQC
from ternmq.remote.fap.fap_verbs import FapVerbs
from ternmq.server.command_server import start_command_server
from tests.unit.api.networked import CHANNEL, Networked
from tests.unit.api.served import Served
from tests.unit.codec.test_properties import CONTENT, UNSOUND, header

pytestmark = pytest.mark.core

QUEUE = "DEV.QUEUE.1"
UNFIT = (
    b"<usr><n dt='i4'>many</n></usr>",
    b"<usr><n dt='i1'>300</n></usr>",
    b"<usr><n dt='bin.hex'>0</n></usr>",
    b"<usr><n dt='boolean'>perhaps</n></usr>",
    b"<usr><n dt='r8'>much</n></usr>",
)
NAMES_REFUSED = (
    *(
        "",
        "a b",
        "1abc",
        "a..b",
        "a.",
        ".a",
        "a><b",
        "a%",
        "a-b",
        "a:b",
        "a\x01",
        "\U0001d4b3",
    ),
    *("null", "TRUE", "Between", "usr.IS", "JMSfoo", "usr.JMSfoo", "Root.x", "Body.x"),
    *("Root.MQMD.Nope", "mq.a.b", "MQfoo.a.b", "usr.mcd.x", "usr.usr.a"),
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Networked]:
    one = Networked(tmp_path_factory.mktemp("data"))
    with one:
        asyncio.run(start_command_server(one.started))
        with Served.connect(one) as connection:
            connection.define_queue(QUEUE)
        yield one


@pytest.fixture(params=["local", "channel", "as at IBM's"])
def qmgr(
    request: pytest.FixtureRequest, served: Networked, monkeypatch: pytest.MonkeyPatch
) -> Iterator[pymqi.QueueManager]:
    """The last one takes the queue manager for one of IBM's, to which properties go, and from which
    they come, in an MQRFH2."""
    monkeypatch.setenv("TERNMQ_DATA", str(served.data))
    with Served.connect(served) as connection:
        connection.clear_queue(QUEUE)
    way = ("QM1",) if request.param == "local" else ("QM1", CHANNEL, served.conn)
    connected = pymqi.connect(*way)
    if request.param == "as at IBM's":
        verbs = _verbs(attached(connected.get_handle(), "MQCONN"))
        assert isinstance(verbs, FapVerbs)
        verbs.takes_back = False
    yield connected
    connected.disconnect()


def put(queue: pymqi.Queue, data: bytes) -> None:
    md = pymqi.MD(
        Version=CMQC.MQMD_VERSION_2,
        Format=CMQC.MQFMT_RF_HEADER_2,
        Encoding=mq.MQENC_INTEGER_REVERSED,
        CodedCharSetId=1208,
    )
    queue.put(data, md)


def got_by_handle(qmgr: Any, queue: Any, library: Any = pymqi) -> tuple[bytes, Any, Any]:
    handle = library.MessageHandle(qmgr, library.CMHO())
    options = CMQC.MQGMO_PROPERTIES_IN_HANDLE
    gmo = library.GMO(Version=CMQC.MQGMO_VERSION_4, Options=options)
    gmo.MsgHandle = handle.msg_handle
    md = library.MD(Version=CMQC.MQMD_VERSION_2)
    return queue.get(None, md, gmo), md, handle.properties


@pytest.mark.parametrize("folder", UNSOUND)
def test_get_when_a_folder_is_not_sound_then_the_message_comes_with_it(
    qmgr: pymqi.QueueManager, folder: bytes
) -> None:
    queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)
    put(queue, header(folder) + b"payload")
    data, md, _ = got_by_handle(qmgr, queue)
    assert data == header(folder) + b"payload"
    assert md.Format == CMQC.MQFMT_RF_HEADER_2
    queue.close()


@pytest.mark.parametrize("folder", UNFIT)
def test_get_when_a_value_does_not_fit_its_type_then_it_is_a_string(
    qmgr: pymqi.QueueManager, folder: bytes
) -> None:
    queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)
    put(queue, header(folder) + b"payload")
    data, md, properties = got_by_handle(qmgr, queue)
    assert data == b"payload"
    assert md.Format == CMQC.MQFMT_STRING
    text = folder.partition(b">")[2].partition(b">")[2].partition(b"<")[0].decode()
    assert properties.get(b"n") == text
    queue.close()


def test_get_rfh2_when_a_header_cannot_be_read_then_the_data_begins_with_it(
    qmgr: pymqi.QueueManager,
) -> None:
    queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)
    endless = header(length=0, format=b"MQHRF2  ")
    for data in (header(UNSOUND[0]) + b"x", endless, header(b"<pack/>") + b"x", b"RFH", b"12345"):
        put(queue, data)
        headers: list[pymqi.RFH2] = []
        assert queue.get_rfh2(None, pymqi.MD(), pymqi.GMO(), headers) == data
        assert headers == []
    put(queue, header(b"<usr><a>1</a></usr>") + b"x")
    assert queue.get_rfh2(None, None, None, headers) == b"x"
    assert len(headers) == 1
    queue.close()


# ---- buffers


def by_handle(qmgr: Any, options: int = 0) -> tuple[Any, Any]:
    handle = pymqi.MessageHandle(qmgr, pymqi.CMHO())
    gmo = pymqi.GMO(Version=CMQC.MQGMO_VERSION_4, Options=CMQC.MQGMO_PROPERTIES_IN_HANDLE | options)
    gmo.MsgHandle = handle.msg_handle
    return gmo, handle.properties


@pytest.mark.parametrize("options", [0, CMQC.MQGMO_ACCEPT_TRUNCATED_MSG])
@pytest.mark.parametrize("payload", [b"payload", b""])
def test_get_when_the_buffer_holds_the_payload_then_it_comes_whole(
    qmgr: pymqi.QueueManager, options: int, payload: bytes
) -> None:
    queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)
    for folder in (b"<usr><a>1</a></usr>", b"<usr><a>12</a></usr>"):  # filled up, and not
        put(queue, header(folder) + payload)
        gmo, properties = by_handle(qmgr, options)
        md = pymqi.MD()
        assert queue.get(len(payload), md, gmo) == payload
        assert properties.get(b"a") in ("1", "12")
        assert md.Format == CMQC.MQFMT_STRING
    queue.close()


def test_get_when_the_buffer_is_too_short_then_the_payload_is_cut(
    qmgr: pymqi.QueueManager,
) -> None:
    queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)
    put(queue, header(b"<usr><a>1</a></usr>") + b"payload")
    for options, reason in ((0, 2080), (CMQC.MQGMO_ACCEPT_TRUNCATED_MSG, 2079)):
        gmo, properties = by_handle(qmgr, options)
        with pytest.raises(pymqi.MQMIError) as caught:
            queue.get(3, pymqi.MD(), gmo)
        assert caught.value.reason == reason
        assert caught.value.message == b"pay"  # type: ignore[attr-defined]
        assert caught.value.original_length == 7  # type: ignore[attr-defined]
    assert properties.get(b"a") == "1"
    with pytest.raises(pymqi.MQMIError, match="NO_MSG_AVAILABLE"):
        queue.get()
    queue.close()


def test_browse_when_the_buffer_holds_the_payload_then_each_is_seen_once(
    qmgr: pymqi.QueueManager,
) -> None:
    queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_BROWSE | CMQC.MQOO_OUTPUT)
    for payload in (b"first", b"next."):
        put(queue, header(b"<usr><a>1</a></usr>") + payload)
    seen = []
    for options in (CMQC.MQGMO_BROWSE_FIRST, CMQC.MQGMO_BROWSE_NEXT):
        gmo, _ = by_handle(qmgr, options)
        seen.append(queue.get(5, pymqi.MD(), gmo))
    assert seen == [b"first", b"next."]
    queue.close()


def test_get_when_the_queue_drops_properties_then_a_handle_has_them(
    qmgr: pymqi.QueueManager, served: Networked
) -> None:
    with Served.connect(served) as connection:
        assert connection.mqsc("DEFINE QLOCAL(DROPS) PROPCTL(NONE) REPLACE")[0].ok
    queue = pymqi.Queue(qmgr, "DROPS", CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)
    for _ in range(2):
        put(queue, header(b"<usr><a>1</a></usr>") + b"payload")
    assert queue.get() == b"payload"
    data, _, properties = got_by_handle(qmgr, queue)
    assert (data, properties.get(b"a")) == (b"payload", "1")
    queue.close()


def test_get_when_a_handle_is_asked_for_and_not_given_then_it_is_refused(
    qmgr: pymqi.QueueManager,
) -> None:
    queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)
    queue.put(b"x")
    gmo = pymqi.GMO(Version=CMQC.MQGMO_VERSION_4, Options=CMQC.MQGMO_PROPERTIES_IN_HANDLE)
    with pytest.raises(pymqi.MQMIError) as caught:
        queue.get(None, pymqi.MD(), gmo)
    assert caught.value.reason == CMQC.MQRC_HMSG_ERROR
    assert queue.get() == b"x"
    queue.close()


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(CONTENT)
def test_get_when_a_header_is_anything_then_no_byte_is_lost(content: bytes) -> None:
    md = Descriptor(format="MQHRF2", encoding=mq.MQENC_INTEGER_REVERSED, ccsid=1208)
    data, apart = without_properties(md, content + b"payload")
    assert data.endswith(b"payload")
    if apart is None:
        assert data == content + b"payload"


# ---- what is set


@pytest.mark.parametrize("name", NAMES_REFUSED)
def test_set_when_a_name_is_not_allowed_then_it_is_refused(name: str) -> None:
    for library in (pymqi, ibmmq):
        handle = library.MessageHandle()
        with pytest.raises(library.MQMIError) as caught:
            handle.properties.set(name.encode(), "x")
        assert caught.value.reason == CMQC.MQRC_PROPERTY_NAME_ERROR


def test_set_when_a_name_is_too_long_then_that_is_the_reason() -> None:
    handle = pymqi.MessageHandle()
    handle.properties.set(b"a" * 4095, "x")
    with pytest.raises(pymqi.MQMIError) as caught:
        handle.properties.set(b"a" * 4096, "x")
    assert caught.value.reason == CMQC.MQRC_PROPERTY_NAME_LENGTH_ERR


@pytest.mark.parametrize(("first", "second"), [("a.b", "a.b.c"), ("a.b.c", "a.b")])
def test_set_when_a_value_would_be_a_group_then_it_is_refused(first: str, second: str) -> None:
    handle = pymqi.MessageHandle()
    handle.properties.set(first.encode(), "x")
    with pytest.raises(pymqi.MQMIError) as caught:
        handle.properties.set(second.encode(), "y")
    assert caught.value.reason == CMQC.MQRC_MIXED_CONTENT_NOT_ALLOWED
    assert handle.properties.get(first.encode()) == "x"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("a\x01", CMQC.MQTYPE_STRING),
        ("a\ufffe", CMQC.MQTYPE_STRING),
        ("\ud800", CMQC.MQTYPE_STRING),
        (b"\xff", CMQC.MQTYPE_STRING),
        (300, CMQC.MQTYPE_INT8),
        (1 << 63, CMQC.MQTYPE_INT64),
        (1e300, CMQC.MQTYPE_FLOAT32),
        (math.inf, CMQC.MQTYPE_INT32),
    ],
)
def test_set_when_a_message_cannot_carry_a_value_then_it_is_refused(value: Any, kind: int) -> None:
    handle = pymqi.MessageHandle()
    with pytest.raises(pymqi.MQMIError) as caught:
        handle.properties.set(b"a", value, kind)
    assert caught.value.reason == CMQC.MQRC_PROPERTY_TYPE_ERROR
