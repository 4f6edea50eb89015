"""Goal: a queue manager in this process does the same for threads and for tasks.

Method: one set of tests drives both transports, call by call, and looks at what has happened.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_CALL_IN_PROGRESS,
    MQRC_GET_INHIBITED,
    MQRC_HCONN_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_NO_MSG_LOCKED,
    MQRC_NOT_AUTHORIZED,
    MQRC_NOT_OPEN_FOR_INPUT,
    MQRC_TRUNCATED_MSG_FAILED,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UOW_IN_PROGRESS,
)
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.host.loop_shell import loop_shell_of
from ternmq.host.shared_threads import thread_transport
from ternmq.host.tasks import LoopTransport
from ternmq.mqi.getting import get_request as request_get
from ternmq.mqi.sharing import NO_BLOCK
from ternmq.mqi.steps.table import ASIDE, STEPS
from ternmq.runtime.embedded import QueueManager
from ternmq.values.calls import administration, messages, objects, streams, units
from ternmq.values.calls.call import Call
from ternmq.values.calls.kinds import ARGUMENTS, RESULTS
from ternmq.values.calls.table import CALLS, OWN_FORM, call_from
from ternmq.values.get_request import UNLIMITED_LENGTH, GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PutForm
from ternmq.values.transport import TaskTransport, Transport
from ternmq.values.xid import XID

INPUT_OUTPUT = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_OUTPUT | mq.MQOO_INQUIRE


class Runner(Transport):
    """A transport of tasks as one of threads, so that a test drives both alike."""

    def __init__(self, inner: TaskTransport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self.inner = inner
        self.loop = loop

    @property
    def in_unit(self) -> bool:
        return self.inner.in_unit

    @property
    def has_unit(self) -> bool:
        return self.inner.has_unit

    @property
    def is_alive(self) -> bool:
        return self.inner.is_alive

    def has_handle(self, handle: ObjectHandle) -> bool:
        return self.inner.has_handle(handle)

    def put_form(self, md: Descriptor, options: int, verb: str) -> PutForm:
        return self.inner.put_form(md, options, verb)

    def put(self, handle: ObjectHandle, form: PutForm, data: bytes) -> bytes:
        return self.loop.run_until_complete(self.inner.put(handle, form, data))

    def get(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        return self.loop.run_until_complete(self.inner.get(handle, request))

    def run(self, call: Call) -> None:
        self.loop.run_until_complete(self.inner.run(call))

    def end(self, vanished: bool) -> None:
        self.loop.run_until_complete(self.inner.end(vanished))


Connect = Callable[..., Transport]


@pytest.fixture
def qmgr() -> Iterator[QueueManager]:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("Q")
        yield qmgr


@pytest.fixture(params=["threads", "shared", "tasks"])
def connect(request: pytest.FixtureRequest, qmgr: QueueManager) -> Iterator[Connect]:
    shell = qmgr.started.shell
    loop = asyncio.new_event_loop()

    def thread(user: str = "ann") -> Transport:
        options = mq.MQCNO_HANDLE_SHARE_BLOCK if request.param == "shared" else None
        return thread_transport(shell, user, "test", options)

    def task(user: str = "ann") -> Transport:
        async def make() -> LoopTransport:
            return LoopTransport(loop_shell_of(shell), user, "test", NO_BLOCK)

        return Runner(loop.run_until_complete(make()), loop)

    yield task if request.param == "tasks" else thread
    loop.close()


def opened(transport: Transport, name: str = "Q", options: int = INPUT_OUTPUT) -> ObjectHandle:
    call = objects.Open(ObjectDescriptor(object_name=name), options)
    transport.run(call)
    return call.opened()


def form(transport: Transport, options: int = mq.MQPMO_NO_SYNCPOINT) -> PutForm:
    return transport.put_form(Descriptor(), options, "MQPUT")


def get_request(options: int = mq.MQGMO_NO_SYNCPOINT, wait_ms: int = 0) -> GetRequest:
    gmo = GetOptions(options=options, wait_interval=wait_ms)
    return request_get(Descriptor(), gmo, UNLIMITED_LENGTH)


def reason_of(work: Callable[[], object]) -> int:
    with pytest.raises(MQError) as raised:
        work()
    return raised.value.reason


# ---- the table


def test_tables_have_the_same_names() -> None:
    assert set(CALLS) == set(ARGUMENTS) == set(RESULTS) == set(STEPS)


def test_every_call_can_be_made_from_its_arguments() -> None:
    """The names in the table are those of the constructors."""
    values = {
        "handle": 2,
        "handles": [2],
        "integer": 1,
        "integers": [1],
        "number": 5,
        "numbers": [5],
        "position": -1,
        "text": "A",
        "flag": True,
        "commands": [],
        "destinations": [["A", ""]],
        "settings": [[1, 2]],
        "object": {"object_name": "Q"},
        "sd": {"options": 34, "correl_id": "aa" * 24},
        "xid": [1, "aa", "bb"],
        "new_xid": [1, "aa", "bb"],
        "new_xids": [[1, "aa", "bb"]],
    }
    for name, fields in ARGUMENTS.items():
        if name in OWN_FORM:
            continue
        given = {field.name: values[field.kind] for field in fields}
        call = call_from(name, given)
        assert call.name == name
        assert call.arguments().keys() == given.keys()
        assert STEPS[name].make(call).verb == call.verb


# ---- messages


def test_put_and_get(connect: Connect) -> None:
    transport = connect()
    handle = opened(transport)
    assert transport.has_handle(handle)
    msg_id = transport.put(handle, form(transport), b"one")
    message = transport.get(handle, get_request())
    assert message is not None
    assert (message.data, message.msg_id) == (b"one", msg_id)
    assert transport.get(handle, get_request()) is None
    transport.run(objects.Close(handle))
    assert not transport.has_handle(handle)
    assert reason_of(lambda: transport.put(handle, form(transport), b"x")) == MQRC_HOBJ_ERROR


def test_put1_opens_puts_and_closes(connect: Connect, qmgr: QueueManager) -> None:
    transport = connect()
    call = messages.Put1(ObjectDescriptor(object_name="Q"), form(transport), b"one")
    transport.run(call)
    with qmgr.queue("Q") as queue:
        message = queue.get()
    assert message is not None
    assert (message.data, message.msg_id) == (b"one", call.msg_id)
    refused = messages.Put1(ObjectDescriptor(object_name="NONE"), form(transport), b"")
    assert reason_of(lambda: transport.run(refused)) == MQRC_UNKNOWN_OBJECT_NAME


def test_put1_that_fails_closes_its_queue(connect: Connect, qmgr: QueueManager) -> None:
    qmgr.alter_queue("Q", max_message_length=3)
    transport = connect()
    call = messages.Put1(ObjectDescriptor(object_name="Q"), form(transport), b"four")
    with pytest.raises(MQError):
        transport.run(call)
    qmgr.delete_queue("Q")  # nobody has it open


def test_handle_from_the_wire_is_a_number(connect: Connect) -> None:
    transport = connect()
    handle = opened(transport)
    call = objects.Inquire(ObjectHandle(handle.handle_id, 0), [mq.MQIA_CURRENT_Q_DEPTH])
    transport.run(call)
    assert call.values == [0]
    missing = objects.Close(ObjectHandle(99, 0))
    assert reason_of(lambda: transport.run(missing)) == MQRC_HOBJ_ERROR


def test_open_as_needed_of_a_model_queue_allows_everything(connect: Connect) -> None:
    transport = connect()
    od = ObjectDescriptor(object_name="SYSTEM.DEFAULT.MODEL.QUEUE")
    call = objects.Open(od, 0, as_needed=True)
    transport.run(call)
    assert call.renamed
    assert call.opened().options & mq.MQOO_OUTPUT
    plain = objects.Open(ObjectDescriptor(object_name="Q"), 0, as_needed=True)
    transport.run(plain)
    assert plain.opened().options == mq.MQOO_INQUIRE
    assert (plain.resolved_name, plain.local_queue, plain.resolved_qmgr) == ("Q", "Q", "QM1")


# ---- MQGET as a call: by its step, which has no fast path


def got(transport: Transport, handle: ObjectHandle, request: GetRequest) -> Message | None:
    call = messages.Get(handle, request)
    transport.run(call)
    return call.message


def waiters(qmgr: QueueManager) -> int:
    return len(qmgr.started.shell.engine.kernel.waiting)


BOTH_USES = INPUT_OUTPUT | mq.MQOO_BROWSE


def test_get_as_a_call_when_there_are_messages_then_as_the_fast_path(connect: Connect) -> None:
    transport = connect()
    handle = opened(transport, options=BOTH_USES)
    msg_ids = [transport.put(handle, form(transport), data) for data in (b"one", b"two")]
    seen = got(transport, handle, get_request(mq.MQGMO_BROWSE_FIRST | mq.MQGMO_LOCK))
    assert seen is not None
    assert (seen.data, seen.msg_id) == (b"one", msg_ids[0])
    assert got(transport, handle, get_request(mq.MQGMO_UNLOCK)) is None
    assert reason_of(lambda: got(transport, handle, get_request(mq.MQGMO_UNLOCK))) == (
        MQRC_NO_MSG_LOCKED
    )
    wanted = request_get(Descriptor(msg_id=msg_ids[1]), GetOptions(), UNLIMITED_LENGTH)
    for request, data in ((wanted, b"two"), (get_request(), b"one")):
        message = got(transport, handle, request)
        assert message is not None
        assert message.data == data
    assert got(transport, handle, get_request()) is None


def test_get_as_a_call_when_the_buffer_is_short_then_cut_or_refused(connect: Connect) -> None:
    transport = connect()
    handle = opened(transport)
    transport.put(handle, form(transport), b"four")
    with pytest.raises(MQError) as raised:
        got(transport, handle, request_get(Descriptor(), GetOptions(), 2))
    assert raised.value.reason == MQRC_TRUNCATED_MSG_FAILED
    assert raised.value.result.data == b"fo"
    accepting = GetOptions(options=mq.MQGMO_ACCEPT_TRUNCATED_MSG)
    cut = got(transport, handle, request_get(Descriptor(), accepting, 2))
    assert cut is not None
    assert (cut.data, cut.truncated) == (b"fo", True)
    assert got(transport, handle, get_request()) is None


def test_get_as_a_call_when_it_is_refused_then_the_reason(connect: Connect) -> None:
    transport = connect()
    handle = opened(transport, options=mq.MQOO_OUTPUT)
    assert reason_of(lambda: got(transport, handle, get_request())) == MQRC_NOT_OPEN_FOR_INPUT
    missing = ObjectHandle(99, 0)
    assert reason_of(lambda: got(transport, missing, get_request())) == MQRC_HOBJ_ERROR


def test_get_as_a_call_when_it_waits_then_served_or_ended_by_time(
    connect: Connect, qmgr: QueueManager
) -> None:
    transport = connect()
    handle = opened(transport)
    assert got(transport, handle, get_request(mq.MQGMO_WAIT, 20)) is None
    assert waiters(qmgr) == 0
    later = threading.Timer(0.05, lambda: qmgr.queue("Q").put(b"late", persistent=True))
    later.start()
    message = got(transport, handle, get_request(mq.MQGMO_WAIT, mq.MQWI_UNLIMITED))
    later.join()
    assert message is not None
    assert message.data == b"late"
    assert waiters(qmgr) == 0
    assert got(transport, handle, get_request()) is None


def test_get_as_a_call_when_it_waits_and_gets_are_inhibited_then_refused(
    connect: Connect, qmgr: QueueManager
) -> None:
    transport = connect()
    handle = opened(transport)
    later = threading.Timer(0.05, lambda: qmgr.mqsc("ALTER QLOCAL(Q) GET(DISABLED)"))
    later.start()
    endless = get_request(mq.MQGMO_WAIT, mq.MQWI_UNLIMITED)
    assert reason_of(lambda: got(transport, handle, endless)) == MQRC_GET_INHIBITED
    later.join()
    assert waiters(qmgr) == 0


# ---- units of work


def test_units_of_work(connect: Connect) -> None:
    transport = connect()
    handle = opened(transport)
    transport.run(units.Begin())
    assert [transport.in_unit, transport.has_unit] == [True, True]
    assert reason_of(lambda: transport.run(units.Begin())) == MQRC_UOW_IN_PROGRESS
    transport.put(handle, form(transport, mq.MQPMO_SYNCPOINT), b"one")
    assert transport.has_unit
    transport.run(units.BackOut())
    assert [transport.in_unit, transport.has_unit] == [False, False]
    assert transport.get(handle, get_request()) is None
    transport.run(units.Begin())
    transport.put(handle, form(transport, mq.MQPMO_SYNCPOINT), b"two")
    transport.run(units.Commit())
    message = transport.get(handle, get_request())
    assert message is not None
    assert message.data == b"two"


def test_two_phases(connect: Connect) -> None:
    transport = connect()
    handle = opened(transport)
    xid = XID(1, b"a", b"b")
    transport.run(units.Begin())
    transport.put(handle, form(transport, mq.MQPMO_SYNCPOINT), b"one")
    call = units.Prepare(xid)
    transport.run(call)
    assert call.prepared
    assert not transport.in_unit
    recover = units.Recover()
    transport.run(recover)
    assert recover.xids == [xid]
    doubt = units.InquireUnitsInDoubt()
    transport.run(doubt)
    assert [one.xid for one in doubt.units] == [xid]
    transport.run(units.EndPrepared(xid, True, False))
    assert transport.get(handle, get_request()) is not None


def test_end_commits_and_backout_after_it_is_nothing(connect: Connect, qmgr: QueueManager) -> None:
    transport = connect()
    handle = opened(transport)
    transport.put(handle, form(transport, mq.MQPMO_SYNCPOINT), b"one")
    transport.end(False)
    assert not transport.is_alive
    transport.run(units.BackOut())
    assert reason_of(lambda: transport.run(units.Commit())) == MQRC_HCONN_ERROR
    assert reason_of(lambda: transport.run(administration.InquireReport())) == MQRC_HCONN_ERROR
    with qmgr.queue("Q") as queue:
        assert queue.depth == 1


def test_end_of_one_that_has_vanished_backs_out(connect: Connect, qmgr: QueueManager) -> None:
    transport = connect()
    transport.put(opened(transport), form(transport, mq.MQPMO_SYNCPOINT), b"one")
    transport.end(True)
    with qmgr.queue("Q") as queue:
        assert queue.depth == 0


def test_refused_extension_is_counted(connect: Connect, qmgr: QueueManager) -> None:
    qmgr.mqsc("ALTER QMGR ACCTMQI(ON)")
    transport = connect()
    call = streams.StreamBounds("NONE")
    with pytest.raises(MQError):
        transport.run(call)
    accounts = [one.account for one in qmgr.started.shell.engine.kernel.connections.values()]
    assert sum(one.other.failed for one in accounts if one is not None) == 1


# ---- administration


def test_commands_as_text_and_as_objects(connect: Connect) -> None:
    transport = connect()
    lines = [f"DEFINE QLOCAL(A{number})" for number in range(250)]
    call = administration.RunCommands([], "\n".join(lines))
    transport.run(call)
    assert len(call.answers) == 250
    assert all(answer.reason == 0 for answer in call.answers)
    none = administration.RunCommands([], "* only a comment")
    transport.run(none)
    assert none.answers == []


def test_status_calls(connect: Connect) -> None:
    transport = connect()
    log = administration.InquireLogStatus()
    transport.run(log)
    assert log.found is not None
    assert log.found.records > 0
    before = log.found.checkpoints
    transport.run(administration.Checkpoint())
    transport.run(log)
    assert log.found.checkpoints > before
    extents = administration.InquireLogExtents()
    transport.run(extents)
    assert extents.found is not None
    files = administration.InquireObjectFiles()
    transport.run(files)
    assert "Q" in [one.name for one in files.files]
    storage = objects.InquireStorage(opened(transport))
    transport.run(storage)
    assert storage.found is not None
    assert storage.found.queue == "Q"
    report = administration.InquireReport()
    transport.run(report)


def test_smf_calls(connect: Connect, qmgr: QueueManager) -> None:
    transport = connect()
    status = administration.InquireSMF()
    transport.run(status)
    assert len(status.destinations) == 1
    transport.run(administration.SwitchSMF(""))
    wrong = administration.SwitchSMF("NONE")
    assert reason_of(lambda: transport.run(wrong)) == MQRC_UNKNOWN_OBJECT_NAME
    read = administration.ReadSMF("", -1, 50)
    transport.run(read)  # waits, and finds nothing
    assert read.found is not None
    assert read.found.records == []

    later = threading.Timer(0.1, lambda: qmgr.measurement.smf_stream().give([b"a record"]))
    later.start()
    waiting = administration.ReadSMF("", read.found.next, 10_000)
    transport.run(waiting)
    later.join()
    assert waiting.found is not None
    assert waiting.found.records == [b"a record"]


def test_status_needs_no_turn(qmgr: QueueManager) -> None:
    """What asks about the queue manager goes beside another thread's unit of work."""
    transport = thread_transport(qmgr.started.shell, "ann", "test", None)
    transport.run(units.Begin())
    reasons: list[int] = []

    def other() -> None:
        for call in (
            administration.InquireLogStatus(),
            administration.Checkpoint(),
            units.Recover(),
            administration.InquireLogExtents(),
        ):
            assert STEPS[call.name].turn == ASIDE
            transport.run(call)
        try:
            transport.run(units.Commit())
        except MQError as error:
            reasons.append(error.reason)
        reasons.append(0)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert reasons == [MQRC_CALL_IN_PROGRESS, 0]
    transport.run(units.Commit())


def test_steps_check_authority() -> None:
    """Whatever carries the call, the step asks for the authority."""
    with ternmq.memory("QM1", security={"ann": []}) as qmgr:
        qmgr.mqsc("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('ann') AUTHADD(CONNECT)")
        transport = thread_transport(qmgr.started.shell, "ann", "test", None)
        for call in (
            administration.Checkpoint(),
            administration.InquireLogStatus(),
            administration.InquireLogExtents(),
            administration.InquireObjectFiles(),
            administration.InquireReport(),
            administration.InquireSMF(),
            administration.SwitchSMF(""),
            administration.ReadSMF("", -1, 0),
            administration.RecordImage("*"),
            administration.Recreate("A"),
            administration.DeleteLogExtents(),
            units.InquireUnitsInDoubt(),
        ):
            with pytest.raises(MQError) as raised:
                transport.run(call)
            assert raised.value.reason == MQRC_NOT_AUTHORIZED, call.name


# ---- streams


def test_stream_read_waits_for_a_message(connect: Connect, qmgr: QueueManager) -> None:
    qmgr.alter_queue("Q", retain="SIZE", retain_megabytes=1)
    transport = connect()
    bounds = streams.StreamBounds("Q")
    transport.run(bounds)
    found = bounds.outcome()
    read = streams.StreamRead("Q", found.incarnation, found.next, 0, 10, 1000, False, 5000)

    def put() -> None:
        with qmgr.connect() as other, other.queue("Q") as queue:
            queue.put(b"one", persistent=True)

    later = threading.Timer(0.1, put)
    later.start()
    transport.run(read)
    later.join()
    assert [message.data for message in read.outcome()] == [b"one"]
    queues = streams.StreamQueues("Q")
    transport.run(queues)
    assert queues.queues == ["Q"]
    cursor = streams.CursorOpen("C", "Q", streams.EARLIEST)
    transport.run(cursor)
    assert cursor.outcome().queue == "Q"
    transport.run(streams.CursorDelete("C"))
    transport.run(streams.StreamClose("Q"))


# ---- cancelled tasks


def test_cancelled_open_is_closed(qmgr: QueueManager) -> None:
    async def scenario() -> int:
        transport = LoopTransport(loop_shell_of(qmgr.started.shell), "ann", "test")
        od = ObjectDescriptor(object_name="SYSTEM.DEFAULT.MODEL.QUEUE")
        call = objects.Open(od, INPUT_OUTPUT)
        task = asyncio.ensure_future(transport.run(call))
        await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            pass
        else:
            return len(transport.link.handles) - 1
        return len(transport.link.handles)

    assert asyncio.run(scenario()) == 0
