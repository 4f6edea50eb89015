"""Goal: the handle of an open queue gets further options, checked as MQOPEN checks them, and is
otherwise the same handle.

Method: the blocking API on a queue manager in memory, with and without checks of authority; on
every binding see `tests/unit/api/test_one_handle.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.meter import ACCTG
from ternmq.runtime.starting import start_in_memory
from ternmq.values.calls.objects import Inquire, Open, Widen
from tests.mqi import mqi
from tests.security.granting import connected, grant, secured

pytestmark = pytest.mark.core


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as one:
        one.define_queue("A")
        yield one


def link_to(connection: ternmq.Connection) -> Link:
    return mqi(connection).link


def handle_of(connection: ternmq.Connection) -> Handle:
    """The only one that the connection has."""
    [handle] = link_to(connection).handles.values()
    return handle


def reason_of(connection: ternmq.Connection, call: Widen) -> int:
    with pytest.raises(ternmq.MQError) as refused:
        connection.run(call)
    return refused.value.reason


def test_widen_when_another_thread_holds_the_handle_then_its_verb_goes_on(
    qmgr: ternmq.QueueManager,
) -> None:
    with qmgr.connect() as connection, connection.queue("A") as queue:
        held = handle_of(connection)  # by a thread that is about to inquire
        queue.put("one")
        queue.get()
        assert connection.run(Inquire(held, [mq.MQIA_CURRENT_Q_DEPTH])).answer() == [0]
        assert handle_of(connection) is held


def test_widen_when_refused_then_the_handle_is_as_it_was(qmgr: ternmq.QueueManager) -> None:
    with qmgr.connect() as connection, connection.queue("A") as queue:
        handle = handle_of(connection)
        before = handle.options
        alternate = mq.MQOO_OUTPUT | mq.MQOO_ALTERNATE_USER_AUTHORITY
        assert reason_of(connection, Widen(handle, alternate)) == mq.MQRC_OPTIONS_ERROR
        both = mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE
        assert reason_of(connection, Widen(handle, both)) == mq.MQRC_OPTIONS_ERROR
        assert reason_of(connection, Widen(handle, 1 << 30)) == mq.MQRC_OPTIONS_ERROR
        assert handle.options == before
        queue.try_get()
        # One that is open for input is not opened for another kind of it.
        exclusive = Widen(handle, mq.MQOO_INPUT_EXCLUSIVE)
        assert reason_of(connection, exclusive) == mq.MQRC_OPTIONS_ERROR
        local = handle.local
        assert local is not None
        assert (local.open_input, local.open_output, local.exclusive) == (1, 0, False)


def test_widen_when_it_is_the_queue_manager_or_elsewhere_then_not_for_its_type(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    with qmgr.connect() as connection:
        od = ObjectDescriptor(object_type=mq.MQOT_Q_MGR)
        itself = connection.run(Open(od, mq.MQOO_INQUIRE)).opened()
        wrong = mq.MQRC_OPTION_NOT_VALID_FOR_TYPE
        assert reason_of(connection, Widen(itself, mq.MQOO_OUTPUT)) == wrong
        od = ObjectDescriptor(object_name="THERE", object_qmgr_name="QM2")
        there = connection.run(Open(od, mq.MQOO_OUTPUT)).opened()
        assert reason_of(connection, Widen(there, mq.MQOO_INQUIRE)) == wrong
        assert reason_of(connection, Widen(there, mq.MQOO_INPUT_SHARED)) == wrong


def test_widen_when_the_queue_is_gone_then_q_deleted(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_model("M", definition_type="PERMDYN", shareable="SHARE")
    mine = qmgr.queue("M", dynamic_name="MINE.*")
    with qmgr.connect() as other:
        theirs = other.queue(mine.name)
        mine.close(purge=True)
        with pytest.raises(ternmq.ObjectUnknown) as refused:
            theirs.put("x")
        assert refused.value.reason == mq.MQRC_Q_DELETED


def test_widen_when_an_alias_of_a_remote_queue_has_another_target_then_object_changed(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    qmgr.mqsc("DEFINE QREMOTE(R) RNAME(THERE) RQMNAME(QM2)")
    qmgr.define_alias("ALIAS", "R")
    with qmgr.connect() as connection:
        queue = connection.queue("ALIAS")
        changed = qmgr.mqsc("ALTER QALIAS(ALIAS) TARGET(A) FORCE")
        assert changed[0].ok
        with pytest.raises(ternmq.MQError) as refused:
            queue.put("x")
        assert refused.value.reason == mq.MQRC_OBJECT_CHANGED


def test_widen_when_the_user_lacks_one_authority_then_refused_at_that_verb() -> None:
    with secured() as qm:
        qm.define_queue("Q")
        grant(qm, "queue", "Q", "fred", "inq put")
        grant(qm, "queue", "Q", "ann", "inq get browse")
        fred, ann = connected(qm, "fred"), connected(qm, "ann")
        with fred.queue("Q") as putting, ann.queue("Q") as getting:
            putting.put("one")
            with pytest.raises(ternmq.NotAuthorized, match="lacks get browse on queue Q"):
                putting.get()
            assert getting.get().text == "one"
            with pytest.raises(ternmq.NotAuthorized, match="lacks put on queue Q"):
                getting.put("x")
            with pytest.raises(ternmq.NotAuthorized, match="lacks setall on queue Q"):
                putting.put("x", options=mq.MQPMO_SET_ALL_CONTEXT)
            putting.put("two")
            assert len(link_to(fred).handles) == len(link_to(ann).handles) == 1
            # What the handle has already is not asked for again.
            grant(qm, "queue", "Q", "fred", "get browse")
            assert putting.get().text == "two"
            putting.put("three")


def test_widen_when_an_alias_was_opened_then_the_alias_counts() -> None:
    with secured() as qm:
        qm.define_queue("TARGET")
        qm.define_alias("ALIAS", "TARGET")
        fred = connected(qm, "fred")
        grant(qm, "queue", "ALIAS", "fred", "inq put")
        with fred.queue("ALIAS") as queue:
            queue.put("one")
            with pytest.raises(ternmq.NotAuthorized, match="on queue ALIAS"):
                queue.get()


def test_widen_for_gets_when_the_alias_has_a_selector_then_they_see_what_matches(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.mqsc("DEFINE QALIAS(X) TARGET(A) SELECTOR('colour = ''red''')")
    with qmgr.connect() as connection, connection.queue("X") as queue:
        for colour in ("blue", "red"):
            queue.put(colour, properties={"colour": colour})
        held = handle_of(connection)
        assert not held.options & mq.MQOO_INPUT_SHARED
        assert queue.get().text == "red"
        assert queue.try_get() is None
        assert handle_of(connection) is held


def test_widen_for_input_when_triggers_wait_then_they_know(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_queue("INITQ")
    qmgr.mqsc("DEFINE PROCESS(P) APPLICID('x')")
    qmgr.mqsc("ALTER QLOCAL(A) TRIGGER TRIGTYPE(FIRST) INITQ(INITQ) PROCESS(P)")
    with qmgr.queue("INITQ", options=mq.MQOO_INPUT_SHARED) as started, qmgr.queue("A") as queue:
        assert queue.try_get() is None  # from now on somebody gets, and nobody has to be started
        queue.put("one")
        assert started.try_get() is None
        queue.close()
        assert started.try_get() is not None


def test_widen_when_tasks_are_accounted_for_then_one_open_and_one_close() -> None:
    started = start_in_memory("QM1", "mqm", "test")
    kernel = started.shell.engine.kernel
    with started.shell.lock:
        kernel.meter.system.start(ACCTG, (3,))
        kernel.measure()
    with ternmq.QueueManager(started) as qmgr:
        qmgr.define_queue("XQ", usage="XMITQ")
        qmgr.mqsc("DEFINE QREMOTE(R) RNAME(THERE) RQMNAME(QM2) XMITQ(XQ)")
        with qmgr.connect() as connection:
            account = link_to(connection).account
            assert account is not None
            with connection.queue("R") as queue:
                queue.put("one")
            assert (account.opens[mq.MQOT_Q], account.closes[mq.MQOT_Q]) == (1, 1)
            figures = account.queue("R", "XQ")
            assert (figures.handles_opened, figures.put.calls) == (1, 1)
