"""Goal: both libraries put, get and inquire properties by message handles as IBM MQ does.

Method: the same calls through pymqi and ibmmq, on the machine and through a channel; handles that
belong to others, are in use or are gone.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ternmq.base import constants as mq
from ternmq.compat import ibmmq, pymqi
from ternmq.compat.properties import using
from ternmq.compat.pymqi import CMQC
from ternmq.server.command_server import start_command_server
from tests.unit.api.networked import CHANNEL, Networked
from tests.unit.api.served import Served
from tests.unit.values.test_message_handle import ONE_OF_EACH

pytestmark = pytest.mark.core

QUEUE = "DEV.QUEUE.1"
BOTH = CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Networked]:
    one = Networked(tmp_path_factory.mktemp("data"))
    with one:
        asyncio.run(start_command_server(one.started))
        with Served.connect(one) as connection:
            connection.define_queue(QUEUE)
        yield one


@pytest.fixture(params=["local", "channel"])
def way(
    request: pytest.FixtureRequest, served: Networked, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, ...]:
    monkeypatch.setenv("TERNMQ_DATA", str(served.data))
    with Served.connect(served) as connection:
        connection.clear_queue(QUEUE)
    return ("QM1",) if request.param == "local" else ("QM1", CHANNEL, served.conn)


@pytest.fixture(params=[pymqi, ibmmq], ids=["pymqi", "ibmmq"])
def library(request: pytest.FixtureRequest) -> Any:
    return request.param


class Ends:
    """A connection, its queue, and messages by handle."""

    def __init__(self, library: Any, way: tuple[str, ...]) -> None:
        self.library = library
        self.qmgr = library.connect(*way)
        self.queue = library.Queue(self.qmgr, QUEUE, BOTH)

    def handle(self) -> Any:
        return self.library.MessageHandle(self.qmgr, self.library.CMHO())

    def put(self, original: Any = None, new: Any = None, md: Any = None, **pmo: Any) -> Any:
        options = self.library.PMO(Version=CMQC.MQPMO_VERSION_3, **pmo)
        if original is not None:
            options.OriginalMsgHandle = original.msg_handle
        if new is not None:
            options.NewMsgHandle = new.msg_handle
        descriptor = md or self.library.MD(Version=CMQC.MQMD_VERSION_2)
        self.queue.put(b"payload", descriptor, options)
        return descriptor

    def get(self) -> tuple[Any, Any]:
        handle = self.handle()
        gmo = self.library.GMO(
            Version=CMQC.MQGMO_VERSION_4, Options=CMQC.MQGMO_PROPERTIES_IN_HANDLE
        )
        gmo.MsgHandle = handle.msg_handle
        md = self.library.MD(Version=CMQC.MQMD_VERSION_2)
        assert self.queue.get(None, md, gmo) == b"payload"
        return md, handle.properties

    def end(self) -> None:
        self.queue.close()
        self.qmgr.disconnect()


@pytest.fixture
def ends(library: Any, way: tuple[str, ...]) -> Iterator[Ends]:
    one = Ends(library, way)
    yield one
    one.end()


def reason_of(action: Any, *args: Any, **kw: Any) -> int:
    with pytest.raises((pymqi.MQMIError, ibmmq.MQMIError)) as caught:
        action(*args, **kw)
    reason: int = caught.value.reason
    return reason


# ---- messages


def test_property_of_each_type_when_put_and_got_by_handle_then_it_is_the_same(ends: Ends) -> None:
    sent = ends.handle()
    for name, (type, value) in ONE_OF_EACH.items():
        sent.properties.set(name.encode(), value, type)
    ends.put(sent)
    _, properties = ends.get()
    for name, (_, value) in ONE_OF_EACH.items():
        assert properties.get(name.encode()) == value


def test_priority_when_set_on_the_handle_then_it_counts_if_the_mqmd_is_for_output(
    ends: Ends,
) -> None:
    handle = ends.handle()
    handle.properties.set(b"Root.MQMD.Priority", 7, CMQC.MQTYPE_INT32)
    md = ends.put(handle, Options=CMQC.MQPMO_MD_FOR_OUTPUT_ONLY)
    assert md.Priority == 7
    ends.put(handle, md=ends.library.MD(Version=CMQC.MQMD_VERSION_2, Priority=2))
    got, properties = ends.get()
    assert (got.Priority, properties.get(b"Root.MQMD.Priority")) == (7, 7)
    got, properties = ends.get()
    assert (got.Priority, properties.get(b"Root.MQMD.Priority")) == (2, 2)


def test_correlation_when_set_by_its_jms_name_then_mqmd_and_properties_agree(ends: Ends) -> None:
    text = "ID:" + "41" * 24
    handle = ends.handle()
    handle.properties.set(b"JMSCorrelationID", text)
    ends.put(handle, Options=CMQC.MQPMO_MD_FOR_OUTPUT_ONLY)
    md, properties = ends.get()
    assert md.CorrelId == b"A" * 24
    assert properties.get(b"JMSCorrelationID") == text
    assert properties.get(b"Root.MQMD.CorrelId") == b"A" * 24


def test_jms_names_when_a_message_of_the_mqi_is_got_then_they_report_its_mqmd(ends: Ends) -> None:
    ends.put()
    md, properties = ends.get()
    assert properties.get(b"JMSMessageID", max_value_length=100) == "ID:" + md.MsgId.hex()
    assert properties.get(b"JMSPriority") == md.Priority
    assert properties.get(b"JMSRedelivered") == 0
    assert properties.get(b"JMSXDeliveryCount") == 1
    assert properties.get(b"JMSTimestamp") > 1_700_000_000_000
    assert reason_of(properties.get, b"JMS_IBM_Format") == 2471


def test_redelivered_when_a_message_was_backed_out_then_it_is_true(ends: Ends) -> None:
    ends.put()
    gmo = ends.library.GMO(Options=CMQC.MQGMO_SYNCPOINT)
    ends.queue.get(None, ends.library.MD(), gmo)
    ends.qmgr.backout()
    _, properties = ends.get()
    assert properties.get(b"JMSRedelivered") == 1
    assert properties.get(b"JMSXDeliveryCount") == 2


@pytest.mark.parametrize(
    ("action", "kept"),
    [
        (CMQC.MQACTP_NEW, {"all", "reply", "default"}),
        (CMQC.MQACTP_FORWARD, {"all", "default"}),
        (CMQC.MQACTP_REPLY, {"all", "reply"}),
        (CMQC.MQACTP_REPORT, {"all", "default"}),
    ],
)
def test_action_when_put_then_properties_are_copied_by_their_options(
    ends: Ends, action: int, kept: set[str]
) -> None:
    original = ends.handle()
    for name, copies in (("all", 1), ("reply", 8), ("default", 22), ("gone", 1)):
        pd = ends.library.PD(CopyOptions=copies)
        original.properties.set(name.encode(), "old", pd=pd)
    new = ends.handle()
    new.properties.set(b"all", "new")
    new.properties.set(b"gone", None, CMQC.MQTYPE_NULL)
    ends.put(original, new, Action=action)
    _, properties = ends.get()
    found = set()
    for name in ("all", "reply", "default", "gone"):
        try:
            properties.get(name.encode())
        except ends.library.MQMIError:
            continue
        found.add(name)
    assert found == kept
    assert properties.get(b"all") == "new"
    assert original.properties.get(b"all") == "old"


def test_message_when_forwarded_or_answered_without_an_mqmd_then_it_is_made_of_the_handle(
    ends: Ends,
) -> None:
    request = ends.library.MD(
        Version=CMQC.MQMD_VERSION_2,
        MsgType=CMQC.MQMT_REQUEST,
        ReplyToQ=QUEUE.encode(),
        Format=CMQC.MQFMT_STRING,
        Priority=3,
    )
    sent = ends.handle()
    sent.properties.set(b"colour", "red", pd=ends.library.PD(CopyOptions=CMQC.MQCOPY_ALL))
    ends.put(sent, md=request)
    received = ends.handle()
    gmo = ends.library.GMO(Version=CMQC.MQGMO_VERSION_4, Options=CMQC.MQGMO_PROPERTIES_IN_HANDLE)
    gmo.MsgHandle = received.msg_handle
    assert ends.queue.get(None, ends.library.MD(), gmo) == b"payload"
    for_output = {"Options": CMQC.MQPMO_MD_FOR_OUTPUT_ONLY}
    ends.put(received, Action=CMQC.MQACTP_FORWARD, **for_output)
    ends.put(received, Action=CMQC.MQACTP_REPLY, **for_output)
    forwarded, properties = ends.get()
    assert (forwarded.MsgId, forwarded.MsgType) == (request.MsgId, CMQC.MQMT_REQUEST)
    assert (forwarded.Priority, forwarded.Format) == (3, CMQC.MQFMT_STRING)
    assert properties.get(b"colour") == "red"
    reply, properties = ends.get()
    assert (reply.CorrelId, reply.MsgType) == (request.MsgId, CMQC.MQMT_REPLY)
    assert (reply.Priority, properties.get(b"colour")) == (3, "red")


def test_action_when_not_known_then_2535(ends: Ends) -> None:
    assert reason_of(ends.put, Action=99) == 2535


def test_get_when_it_has_two_choices_of_properties_then_2046(ends: Ends) -> None:
    ends.put()
    handle = ends.handle()
    for other in (
        CMQC.MQGMO_NO_PROPERTIES,
        CMQC.MQGMO_PROPERTIES_FORCE_MQRFH2,
        CMQC.MQGMO_PROPERTIES_COMPATIBILITY,
    ):
        options = CMQC.MQGMO_PROPERTIES_IN_HANDLE | other
        gmo = ends.library.GMO(Version=CMQC.MQGMO_VERSION_4, Options=options)
        gmo.MsgHandle = handle.msg_handle
        assert reason_of(ends.queue.get, None, ends.library.MD(), gmo) == 2046
    ends.get()


# ---- the life of handles


def test_handle_when_used_on_another_connection_then_2460(
    ends: Ends, library: Any, way: tuple[str, ...]
) -> None:
    other = Ends(library, way)
    handle = ends.handle()
    assert reason_of(other.put, handle) == 2460
    for_all = library.MessageHandle()
    for_all.properties.set(b"a", "1")
    for one in (ends, other):
        one.put(for_all)
        assert one.get()[1].get(b"a") == "1"
    other.end()


def test_handle_when_its_connection_has_ended_then_2460(library: Any, way: tuple[str, ...]) -> None:
    ends = Ends(library, way)
    handle = ends.handle()
    handle.properties.set(b"a", "1")
    ends.end()
    assert reason_of(handle.properties.get, b"a") == 2460


def test_handle_when_another_call_uses_it_then_2499(ends: Ends) -> None:
    handle = ends.handle()
    reasons: list[int] = []

    def set_one() -> None:
        reasons.append(reason_of(handle.properties.set, b"a", "1"))
        reasons.append(reason_of(ends.put, handle))

    with using(handle.msg_handle, handle.conn_handle, "MQGET"):
        thread = threading.Thread(target=set_one)
        thread.start()
        thread.join()
    assert reasons == [2499, 2499]
    handle.properties.set(b"a", "1")


def test_handle_when_deleted_then_it_is_unusable() -> None:
    handle = ibmmq.MessageHandle()
    handle.dlt()
    assert handle.msg_handle == mq.MQHM_UNUSABLE_HMSG
    assert reason_of(handle.properties.set, "a", "1") == 2460
    assert reason_of(handle.dlt) == 2460


# ---- options of the libraries


def test_set_when_smpo_says_where_then_it_is_there(library: Any) -> None:
    handle = library.MessageHandle()
    for value in ("1", "2"):
        smpo = library.SMPO(Options=CMQC.MQSMPO_APPEND_PROPERTY)
        handle.properties.set(b"a", value, smpo=smpo)
    assert handle.properties.get(b"a") == "1"
    assert handle.properties.get(b"a", impo_options=CMQC.MQIMPO_INQ_NEXT) == "2"
    assert reason_of(handle.properties.set, b"a", "1", smpo=library.SMPO(Options=3)) == 2046
    assert reason_of(handle.properties.set, b"a", "1", smpo=library.SMPO(Version=2)) == 2463
    assert reason_of(handle.properties.set, b"a", "1", pd=library.PD(Version=2)) == 2482
    assert reason_of(handle.properties.set, b"a", "1", pd=library.PD(Context=5)) == 2482
    assert reason_of(handle.properties.set, b"a", "1", pd=library.PD(Options=1)) == 2046


def test_handle_when_nothing_is_validated_then_any_name_is_accepted(library: Any) -> None:
    cmho = library.CMHO(Options=CMQC.MQCMHO_NO_VALIDATION)
    handle = library.MessageHandle(None, cmho)
    handle.properties.set(b"JMSfoo", "1")
    assert handle.properties.get(b"JMSfoo") == "1"
    assert reason_of(library.MessageHandle, None, library.CMHO(Options=4)) == 2046
    assert reason_of(library.MessageHandle, None, library.CMHO(Version=2)) == 2461


def test_get_when_of_another_type_then_conversion_has_to_be_asked_for(library: Any) -> None:
    properties = library.MessageHandle().properties
    properties.set(b"n", 70000, CMQC.MQTYPE_INT32)
    properties.set(b"no", "FALSE")
    properties.set(b"text", "abc")
    convert = {"impo_options": CMQC.MQIMPO_CONVERT_TYPE}
    assert properties.get(b"n", property_type=CMQC.MQTYPE_STRING) == 70000
    assert properties.get(b"n", property_type=CMQC.MQTYPE_STRING, **convert) == "70000"
    assert properties.get(b"no", property_type=CMQC.MQTYPE_BOOLEAN, **convert) == 0
    for name, type, reason in (
        (b"n", CMQC.MQTYPE_INT8, 2470),
        (b"text", CMQC.MQTYPE_INT32, 2472),
    ):
        assert reason_of(properties.get, name, property_type=type, **convert) == reason


def test_get_when_the_value_is_long_then_2469_and_it_is_under_the_cursor(library: Any) -> None:
    properties = library.MessageHandle().properties
    properties.set(b"a", "x" * 100)
    with pytest.raises(library.MQMIError) as caught:
        properties.get(b"a", max_value_length=10)
    error: Any = caught.value
    assert (error.reason, error.value, error.dataLength) == (2469, "x" * 10, 100)
    under = CMQC.MQIMPO_INQ_PROP_UNDER_CURSOR
    assert properties.get(b"a", max_value_length=100, impo_options=under) == "x" * 100


def test_ibmmq_when_inquiring_all_then_name_and_descriptor_are_reported() -> None:
    properties = ibmmq.MessageHandle().properties
    properties.set("a", "1")
    properties.set("b.c", 2, CMQC.MQTYPE_INT64, pd=ibmmq.PD(CopyOptions=CMQC.MQCOPY_REPLY))
    assert properties.get("%") == ("1", b"a")
    pd = ibmmq.PD()
    impo = ibmmq.IMPO(Options=CMQC.MQIMPO_INQ_NEXT)
    assert properties.get("%", impo=impo, pd=pd) == (2, b"b.c")
    assert pd.CopyOptions == CMQC.MQCOPY_REPLY
    assert reason_of(properties.get, "%", impo=impo) == 2471
    dmpo = ibmmq.DMPO(Options=CMQC.MQDMPO_DEL_PROP_UNDER_CURSOR)
    properties.dlt("", dmpo)
    assert reason_of(properties.get, "b.c") == 2471
    assert reason_of(properties.dlt, "b.c") == 2471
    assert reason_of(properties.dlt, "a", ibmmq.DMPO(Version=2)) == 2481
    assert reason_of(properties.get, "a", impo=ibmmq.IMPO(Version=2)) == 2464
