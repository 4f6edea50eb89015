"""Message context: who put a message and when, as the descriptor tells it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import ternmq
from ternmq import Descriptor, QueueManager
from ternmq import constants as mq
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.property import Property
from ternmq.codec.property_area import pack_area
from ternmq.host.threads import ThreadTransport
from ternmq.kernel.requests import GetCall
from ternmq.mqi.getting import get_request as request_get
from ternmq.remote.remote_verbs import packed_form
from ternmq.values.calls.messages import Put1
from ternmq.values.calls.objects import Open
from ternmq.values.message_properties import MessageProperties, area_of
from ternmq.values.put_form import PutForm
from ternmq.values.transport import Transport
from tests.battery.places import Place, Task, needs_engine, until, waiters
from tests.bindings.transport import BindingTransport
from tests.mqi import mqi
from tests.unit.codec.test_properties import header

pytestmark = pytest.mark.core

IDENTITY = ("user_id", "accounting_token", "appl_identity_data")
ORIGIN = ("put_appl_type", "put_appl_name", "put_date", "put_time", "appl_origin_data")
SAVE = mq.MQOO_INPUT_SHARED | mq.MQOO_SAVE_ALL_CONTEXT | mq.MQOO_BROWSE


def reported(md: Descriptor, names: tuple[str, ...]) -> list[object]:
    return [getattr(md, name) for name in names]


def foreign() -> Descriptor:
    """A descriptor with a context of its own."""
    return Descriptor(
        user_id="someone",
        accounting_token=b"t" * 32,
        appl_identity_data="identity",
        put_appl_type=mq.MQAT_DOS,
        put_appl_name="far away",
        put_date="19991231",
        put_time="23595999",
        appl_origin_data="orig",
    )


@pytest.fixture
def queue(qmgr: QueueManager) -> ternmq.Queue:
    qmgr.define_queue("A")
    return qmgr.queue("A")


@pytest.mark.parametrize("options", [0, mq.MQPMO_DEFAULT_CONTEXT])
def test_default_context_names_user_program_and_moment(queue: ternmq.Queue, options: int) -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=10)
    queue.put(b"x", descriptor=foreign(), options=options)
    message = queue.get()
    md = message.descriptor
    assert md.user_id == "tester"
    assert md.put_appl_type == mq.MQAT_UNIX
    assert md.put_appl_name == "battery"
    assert (md.appl_identity_data, md.appl_origin_data) == ("", "")
    assert md.accounting_token != b"t" * 32
    assert md.put_datetime is not None
    assert before <= md.put_datetime <= datetime.now(UTC)
    assert message.put_time is not None
    assert before <= message.put_time <= datetime.now(UTC)


def test_no_context_is_blank(queue: ternmq.Queue) -> None:
    queue.put(b"x", descriptor=foreign(), options=mq.MQPMO_NO_CONTEXT)
    md = queue.get().descriptor
    assert reported(md, IDENTITY) == ["", bytes(32), ""]
    assert reported(md, ORIGIN) == [mq.MQAT_NO_CONTEXT, "", "", "", ""]


def test_set_identity_context_keeps_what_was_given_of_identity(queue: ternmq.Queue) -> None:
    queue.put(b"x", descriptor=foreign(), options=mq.MQPMO_SET_IDENTITY_CONTEXT)
    md = queue.get().descriptor
    assert reported(md, IDENTITY) == reported(foreign(), IDENTITY)
    assert (md.put_appl_name, md.put_appl_type) == ("battery", mq.MQAT_UNIX)
    assert md.put_date != "19991231"


def test_set_all_context_keeps_everything(queue: ternmq.Queue) -> None:
    queue.put(b"x", descriptor=foreign(), options=mq.MQPMO_SET_ALL_CONTEXT)
    message = queue.get()
    md = message.descriptor
    assert reported(md, IDENTITY + ORIGIN) == reported(foreign(), IDENTITY + ORIGIN)
    assert message.put_time == datetime(1999, 12, 31, 23, 59, 59, 990_000, UTC)


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("option", [mq.MQPMO_PASS_IDENTITY_CONTEXT, mq.MQPMO_PASS_ALL_CONTEXT])
def test_passed_context_is_that_of_the_message_got(
    qmgr: QueueManager, option: int, waits: bool
) -> None:
    needs_engine(qmgr)
    qmgr.define_queue("A")
    qmgr.define_queue("B")
    connection = qmgr.connect()  # kept: one that nobody holds is disconnected
    verbs = mqi(connection)
    source = verbs.open(ObjectDescriptor(object_name="A"), SAVE)
    gmo = GetOptions(options=mq.MQGMO_NO_SYNCPOINT | mq.MQGMO_WAIT, wait_interval=-1)
    request = request_get(Descriptor(), gmo, 100)

    def put() -> None:
        with qmgr.queue("A") as queue:
            queue.put(b"x", descriptor=foreign(), options=mq.MQPMO_SET_ALL_CONTEXT)

    def get_and_pass() -> None:
        assert isinstance(verbs.get(source, request), GetCall)
        target = verbs.open(ObjectDescriptor(object_name="B"), mq.MQOO_OUTPUT | option)
        pmo = PutOptions(options=option | mq.MQPMO_NO_SYNCPOINT, context=source.handle_id)
        verbs.put(target, verbs.request_put(Descriptor(), pmo), b"y")

    if waits:  # the message goes straight to the getter
        task = Task(get_and_pass)
        until(lambda: waiters(qmgr) == 1)
        put()
        task.outcome()
    else:
        put()
        get_and_pass()
    with qmgr.queue("B") as queue:
        md = queue.get().descriptor
    connection.disconnect()
    assert reported(md, IDENTITY) == reported(foreign(), IDENTITY)
    if option == mq.MQPMO_PASS_ALL_CONTEXT:
        assert reported(md, ORIGIN) == reported(foreign(), ORIGIN)
    else:
        assert md.put_appl_name == "battery"


def test_context_survives_spill_and_restart(place: Place) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A", persistent_buffer=65_536)
    with qmgr.queue("A") as queue:
        for _ in range(12):
            queue.put(
                bytes(20_000),
                persistent=True,
                descriptor=foreign(),
                options=mq.MQPMO_SET_ALL_CONTEXT,
            )
    with place.crash().queue("A") as queue:
        found = list(queue)
        assert len(found) == 12
        for message in found:
            md = message.descriptor
            assert reported(md, IDENTITY + ORIGIN) == reported(foreign(), IDENTITY + ORIGIN)


def form_of(transport: Transport, md: Descriptor, pmo: PutOptions) -> PutForm:
    """A put that names a handle in its Context."""
    if isinstance(transport, ThreadTransport):
        return transport.session.request_put(md, pmo)
    if isinstance(transport, BindingTransport):
        return transport.given_put(md, pmo)
    return packed_form(md, pmo.options, "MQPUT", pmo.context)


MINE = Property("mine", mq.MQTYPE_STRING, "passed", context=mq.MQPD_USER_CONTEXT)
BOTH = Property("both", mq.MQTYPE_STRING, "old", context=mq.MQPD_USER_CONTEXT)
OTHER = Property("other", mq.MQTYPE_STRING, "stays")


@pytest.mark.parametrize(
    "rest", [b"y", header(b"<usr><both>new</both></usr>  ") + b"y"], ids=["plain", "headed"]
)
@pytest.mark.parametrize("option", [mq.MQPMO_PASS_IDENTITY_CONTEXT, mq.MQPMO_PASS_ALL_CONTEXT])
def test_user_context_when_all_context_is_passed_then_its_properties_go_on(
    qmgr: QueueManager, option: int, rest: bytes
) -> None:
    """P30: those of the message that was got; what the put says itself counts more."""
    qmgr.define_queue("A")
    qmgr.define_queue("B")
    saved = MessageProperties(pack_area([MINE, BOTH, OTHER]))
    with qmgr.queue("A") as queue:
        queue.put(b"x", properties=saved)
    source = qmgr.run(Open(ObjectDescriptor(object_name="A"), SAVE)).opened()
    transport = qmgr.transport
    assert transport.get(source, request_get(Descriptor(), GetOptions(), 1000, True)) is not None
    pmo = PutOptions(options=option, context=source.handle_id)
    md = Descriptor(format="MQHRF2" if len(rest) > 1 else "", encoding=546, ccsid=1208)
    target = qmgr.run(Open(ObjectDescriptor(object_name="B"), mq.MQOO_OUTPUT | option)).opened()
    transport.put(target, form_of(transport, md, pmo), rest)
    given = form_of(transport, md, pmo).with_properties(area_of({"mine": 7}))
    qmgr.run(Put1(ObjectDescriptor(object_name="B"), given, rest))
    with qmgr.queue("B") as queue:
        first, second = queue.get(), queue.get()
    own = {"both": "new"} if len(rest) > 1 else {}
    passed = {"mine": "passed", "both": "old"} if option == mq.MQPMO_PASS_ALL_CONTEXT else {}
    assert first.properties == {**passed, **own}
    assert second.properties == {**passed, **own, "mine": 7}
    assert (first.data, second.data) == (b"y", b"y")
    if passed:
        assert first.properties.typed("mine").context == mq.MQPD_USER_CONTEXT
