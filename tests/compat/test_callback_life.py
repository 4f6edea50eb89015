"""Goal: functions of ibmmq hear of what ends their connection, and lose no message of a unit of
work; rows K9, K11 and K13 of docs/reference/conformance-messages.md.
Method: programs on the machine and through a channel, whose queue manager quiesces, whose sockets
are cut, and which are killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from ternmq.base import constants_all as mq
from ternmq.base import reasons as rc
from ternmq.compat import ibmmq
from ternmq.compat.pymqi import CMQC
from tests.battery.places import until, waiters
from tests.compat.conftest import Program
from tests.compat.test_callbacks import REGISTER, SHARED, START, STOP, Heard, register
from tests.unit.api.networked import CHANNEL, Networked, in_memory

pytestmark = pytest.mark.core

WAYS = ["local", "channel"]


@pytest.fixture
def own() -> Iterator[Networked]:
    """A queue manager of the test's own, with queues A and B."""
    with in_memory() as served:
        with served.connect() as connection:
            for name in "AB":
                connection.define_queue(name)
        yield served


def way_of(kind: str, served: Networked) -> tuple[str, ...]:
    return ("QM1",) if kind == "local" else ("QM1", CHANNEL, served.conn)


@pytest.fixture(params=WAYS)
def consuming(
    request: pytest.FixtureRequest, own: Networked, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Program]:
    monkeypatch.setenv("TERNMQ_DATA", str(own.data))
    made = Program(ibmmq, own, way_of(request.param, own))
    yield made
    try:
        made.qmgr.disconnect()
    except ibmmq.MQMIError:
        pass  # the queue manager has ended


def handle_events(program: Program, function: Any) -> None:
    described = ibmmq.CBD(CallbackFunction=function, CallbackType=mq.MQCBT_EVENT_HANDLER)
    program.qmgr.cb(operation=REGISTER, cbd=described)


def listen(program: Program, function: Any, options: int, callback_options: int = 0) -> None:
    """A function for queue A, whose gets have these options."""
    gmo = program.gmo(Options=CMQC.MQGMO_WAIT | options, WaitInterval=CMQC.MQWI_UNLIMITED)
    described = ibmmq.CBD(CallbackFunction=function, Options=callback_options)
    queue = program.queue("A", options=SHARED)
    queue.cb(operation=REGISTER, cbd=described, md=ibmmq.MD(), gmo=gmo)


def waits(served: Networked) -> bool:
    return waiters(served) == 1  # type: ignore[arg-type]


def test_queue_that_is_deleted_then_the_function_is_suspended_and_others_go_on(
    consuming: Program,
) -> None:
    """K9."""
    with consuming.machine.connect() as owner:
        model = "SYSTEM.DEFAULT.MODEL.QUEUE"
        made = owner.queue(model, dynamic_name="D.*", options=mq.MQOO_OUTPUT)
        heard, others = Heard(), Heard()
        register(consuming, consuming.queue(made.name, options=SHARED), heard)
        register(consuming, consuming.queue("A", options=SHARED), others)
        consuming.qmgr.ctl(START, ibmmq.CTLO())
        made.close()
        heard.until(1)
        owner.put("A", b"x")
        others.until(1)
        consuming.qmgr.ctl(STOP, ibmmq.CTLO())
    assert heard.calls == [(mq.MQCBCT_EVENT_CALL, rc.MQRC_Q_DELETED, None)]
    assert heard.states == [mq.MQCS_SUSPENDED]
    assert others.messages == [b"x"]


def test_queue_manager_that_ends_then_the_event_handler_hears_of_it(consuming: Program) -> None:
    """K11."""
    heard, events = Heard(), Heard()
    listen(consuming, heard, CMQC.MQGMO_FAIL_IF_QUIESCING, mq.MQCBDO_STOP_CALL)
    handle_events(consuming, events)
    consuming.qmgr.ctl(START, ibmmq.CTLO())
    shell = consuming.machine.started.shell
    with shell.lock:
        shell.engine.quiesce()
        shell.flush()
    events.until(1)
    consuming.qmgr.ctl(STOP, ibmmq.CTLO())
    assert events.calls == [(mq.MQCBCT_EVENT_CALL, rc.MQRC_Q_MGR_QUIESCING, None)]
    assert events.states == [mq.MQCS_STOPPED]
    assert heard.calls == [(mq.MQCBCT_STOP_CALL, rc.MQRC_Q_MGR_QUIESCING, None)]


def test_function_that_fails_then_the_event_handler_hears_of_it(consuming: Program) -> None:
    """K11."""
    events = Heard()

    def fail(**given: Any) -> None:
        raise ZeroDivisionError("in a function")

    register(consuming, consuming.queue("A", options=SHARED), fail)
    handle_events(consuming, events)
    consuming.qmgr.ctl(START, ibmmq.CTLO())
    with consuming.machine.connect() as other:
        other.put("A", b"x")
    events.until(1)
    consuming.qmgr.ctl(STOP, ibmmq.CTLO())
    assert events.calls == [(mq.MQCBCT_EVENT_CALL, rc.MQRC_CALLBACK_ROUTINE_ERROR, None)]
    assert events.states == [mq.MQCS_SUSPENDED_USER_ACTION]


def test_connection_that_is_lost_and_comes_back_then_the_event_handler_hears_both(
    own: Networked,
) -> None:
    """K11: through a channel, with MQCNO_RECONNECT."""
    heard, events = Heard(), Heard()
    qmgr = ibmmq.QueueManager(None)
    cno = ibmmq.CNO(Options=CMQC.MQCNO_RECONNECT | CMQC.MQCNO_CLIENT_BINDING)
    cd = ibmmq.CD(ChannelName=CHANNEL, ConnectionName=own.conn, ChannelType=CMQC.MQCHT_CLNTCONN)
    qmgr.connect_with_options("QM1", cd=cd, cno=cno)
    client = Program.__new__(Program)
    client.library, client.machine, client.qmgr = ibmmq, own, qmgr
    register(client, client.queue("A", options=SHARED), heard)
    handle_events(client, events)
    qmgr.ctl(START, ibmmq.CTLO())
    until(lambda: waits(own))
    own.cut()
    events.until(2)
    reasons = [reason for _, reason, _ in events.calls]
    assert reasons == [rc.MQRC_RECONNECTING, rc.MQRC_RECONNECTED]
    with own.connect() as other:
        other.put("A", b"after")
    until(lambda: heard.messages == [b"after"])
    qmgr.ctl(STOP, ibmmq.CTLO())
    qmgr.disconnect()


def test_unit_when_the_connection_is_lost_inside_a_function_then_its_message_comes_again(
    own: Networked,
) -> None:
    """K13: through a channel, whose socket is cut."""
    client = Program(ibmmq, own, way_of("channel", own))

    def lose(**given: Any) -> None:
        own.cut()
        until(lambda: own.host is not None and not own.host.sockets)

    events = Heard()
    listen(client, lose, CMQC.MQGMO_SYNCPOINT)
    handle_events(client, events)
    with own.connect() as other:
        other.put("A", b"x")
    client.qmgr.ctl(START, ibmmq.CTLO())
    events.until(1)
    assert events.calls[0][1] == rc.MQRC_CONNECTION_BROKEN
    with own.connect() as other, other.queue("A") as read:
        found = read.get(wait=10)
        assert (found.data, found.backout_count) == (b"x", 1)


_PROGRAM = """
import sys
from ternmq.compat import ibmmq
from ternmq.compat.pymqi import CMQC
from ternmq.base import constants_all as mq
option = int(sys.argv[1])
manager = ibmmq.connect(*sys.argv[2:])
queue = ibmmq.Queue(manager, "A", CMQC.MQOO_INPUT_SHARED)
gmo = ibmmq.GMO(Options=CMQC.MQGMO_WAIT | option)
gmo.WaitInterval = CMQC.MQWI_UNLIMITED
def take(**given):
    if option == CMQC.MQGMO_SYNCPOINT:
        manager.commit()
    print(given["msg"].decode(), flush=True)
cbd = ibmmq.CBD(CallbackFunction=take)
queue.cb(operation=mq.MQOP_REGISTER, cbd=cbd, md=ibmmq.MD(), gmo=gmo)
print("started", flush=True)
manager.ctl(mq.MQOP_START_WAIT, ibmmq.CTLO())
"""


@pytest.mark.parametrize(
    ("kind", "option"),
    [
        ("local", CMQC.MQGMO_SYNCPOINT),
        ("local", CMQC.MQGMO_NO_SYNCPOINT),
        ("channel", CMQC.MQGMO_SYNCPOINT),
    ],
    ids=["local-inside", "local-outside", "channel-inside"],
)
def test_program_that_is_killed_while_it_waits_then_no_message_is_lost(
    own: Networked, kind: str, option: int
) -> None:
    """K13: through a channel what is on its way outside syncpoint is lost with the program."""
    program = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(option), *way_of(kind, own)],
        env={**os.environ, "TERNMQ_DATA": str(own.data)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "started\n"
    with own.connect() as connection, connection.queue("A") as queue:
        queue.put(b"first")
        assert program.stdout.readline() == "first\n"
        until(lambda: waits(own))
        program.send_signal(signal.SIGSTOP)  # so one message is on its way when it dies
        for number in range(5):
            queue.put(b"%d" % number)
        program.kill()
        program.wait()
        found = sorted(queue.get(wait=10).data for _ in range(5))
        assert found == [b"0", b"1", b"2", b"3", b"4"]
        assert queue.try_get() is None
    assert program.stdout.read() == ""
    program.stdout.close()
