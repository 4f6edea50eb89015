"""Goal: a stream is read, and its cursors are moved, by who may browse the queue; they are defined,
reset and deleted by who may change it; a row of the ledger belongs to who made it.

Method: users with one authority at a time, the API and the commands.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.api.connection import Connection
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.kernel.ledger import ROWS_A_USER_MAX, ROWS_MAX
from ternmq.store.ledger import first_row
from ternmq.values.calls.streams import StreamQueues
from tests.security.granting import connected, grant, secured

pytestmark = pytest.mark.core


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(ternmq.MQError) as raised:
        call()
    assert raised.value.reason == MQRC_NOT_AUTHORIZED
    return raised.value.detail


def made(qm: ternmq.QueueManager) -> None:
    qm.define_queue("Q")
    qm.cursor("C", "Q")
    qm.put("Q", b"x")


def test_who_may_browse_reads_and_advances_and_no_more() -> None:
    with secured() as qm, connected(qm, "ann") as ann:
        made(qm)
        assert "browse" in refused(lambda: ann.cursor("C"))
        assert "browse" in refused(lambda: ann.stream("Q").bounds())
        grant(qm, "queue", "Q", "ann", "browse")
        cursor = ann.cursor("C")
        assert [message.data for message in cursor] == [b"x"]
        assert cursor.advance() == cursor.next
        assert "chg" in refused(lambda: ann.cursor("NEW", "Q"))
        assert "chg" in refused(lambda: cursor.reset("earliest"))
        assert "chg" in refused(cursor.delete)
        assert len(ann.stream("Q").read(cursor.position - 1, skip_lost=True)) <= 1


def test_who_may_browse_finds_those_queues_and_no_others() -> None:
    with secured() as qm, connected(qm, "ann") as ann:
        made(qm)
        qm.define_queue("QUIET")
        assert ann.run(StreamQueues("*")).queues == []
        grant(qm, "queue", "Q", "ann", "browse")
        grant(qm, "queue", "QUIET", "ann", "dsp chg get")
        assert ann.run(StreamQueues("*")).queues == ["Q"]
        assert ann.run(StreamQueues("X*")).queues == []
        assert {"Q", "QUIET"} <= set(qm.run(StreamQueues("*")).queues)


def test_who_may_change_defines_resets_and_deletes() -> None:
    with secured() as qm, connected(qm, "ann") as ann:
        made(qm)
        grant(qm, "queue", "Q", "ann", "chg")
        mine = ann.cursor("MINE", "Q")
        assert mine.reset("latest") == mine.position
        assert "browse" in refused(lambda: ann.stream("Q").bounds())
        mine.delete()


def test_whose_cursor_it_is_does_not_stand_for_browse() -> None:
    with secured() as qm, connected(qm, "ann") as ann:
        made(qm)
        grant(qm, "queue", "Q", "ann", "chg")
        mine = ann.cursor("MINE", "Q", start="earliest")
        assert "browse" in refused(lambda: mine.advance(mine.position + 1))


def answers(connection: Connection, text: str) -> list[str]:
    return [one.message for one in connection.mqsc(text)]


def test_commands_ask_for_authority_on_the_queue() -> None:
    with secured() as qm, connected(qm, "ann") as ann:
        made(qm)
        for text in (
            "DEFINE CURSOR(NEW) QUEUE(Q)",
            "RESET CURSOR(C) POSITION(LATEST)",
            "RESET CURSOR(NOBODY) POSITION(LATEST)",
            "DELETE CURSOR(C)",
            "DISPLAY CURSOR(C)",
            "DISPLAY CURSOR(*)",
        ):
            assert answers(ann, text) == ["AMQ8135E"], text
        grant(qm, "queue", "Q", "ann", "chg dsp")
        assert answers(ann, "DEFINE CURSOR(NEW) QUEUE(Q)") == ["AMQ8982I"]
        assert answers(ann, "RESET CURSOR(C) POSITION(LATEST)") == ["AMQ8984I"]
        assert answers(ann, "DISPLAY CURSOR(*)") == ["AMQ8983I", "AMQ8983I"]
        assert answers(ann, "DELETE CURSOR(C)") == ["AMQ8985I"]
        qm.define_queue("SECRET")
        qm.cursor("HIDDEN", "SECRET")
        assert [one["CURSOR"] for one in ann.mqsc("DISPLAY CURSOR(*)")] == ["NEW"]
        assert answers(ann, "DEFINE CURSOR(MORE) QUEUE(SECRET)") == ["AMQ8135E"]


def sinks(qm: ternmq.QueueManager, *users: str) -> None:
    """These users may commit batches."""
    for user in users:
        grant(qm, "qmgr", "self", user, "connect set")


def test_batches_need_an_authority_on_the_queue_manager() -> None:
    with secured() as qm, connected(qm, "fred") as fred:
        refused(lambda: fred.commit_batch("sink", 1, []))
        assert answers(qm, "DISPLAY LEDGER(*)") == ["AMQ8989E"]
        sinks(qm, "fred")
        assert fred.commit_batch("sink", 1, []).committed


def test_a_row_of_the_ledger_belongs_to_who_made_it() -> None:
    with secured() as qm, connected(qm, "ann") as ann, connected(qm, "fred") as fred:
        sinks(qm, "ann", "fred")
        assert fred.commit_batch("sink", 1, []).committed
        refused(lambda: ann.commit_batch("sink", 1, []))
        refused(lambda: ann.commit_batch("sink", 2, []))
        assert fred.commit_batch("sink", 2, []).committed
        assert answers(ann, "DISPLAY LEDGER(*)") == ["AMQ8135E"]
        assert answers(ann, "DELETE LEDGER('sink')") == ["AMQ8135E"]
        assert answers(qm, "DISPLAY LEDGER(*)") == ["AMQ8987I"]
        assert answers(fred, "DELETE LEDGER('sink')") == ["AMQ8988I"]


def test_a_row_that_another_has_filled_never_backs_out_an_administrators_unit() -> None:
    with secured() as qm, connected(qm, "fred") as fred, qm.connect(user="boss") as boss:
        sinks(qm, "fred")
        qm.define_queue("Q")
        assert fred.commit_batch("sink", 1, []).committed
        xid = ternmq.batch_xid("sink", 1, b"boss")
        boss.begin()
        boss.put("Q", b"the batch")
        boss.prepare(xid)
        refused(lambda: boss.commit_batch("sink", 1, [xid]))
        assert qm.in_doubt() == [xid]
        assert answers(qm, "DELETE LEDGER('sink')") == ["AMQ8988I"]
        assert boss.commit_batch("sink", 1, [xid]).committed
        with qm.queue("Q") as queue:
            assert queue.get().data == b"the batch"


def fill(qm: ternmq.QueueManager, user: str, count: int) -> None:
    """So many rows of a user, as if each had been committed."""
    shell = qm.started.shell
    with shell.lock:
        for number in range(count):
            shell.engine.kernel.catalog.set_ledger(first_row(f"{user} {number}", user, 1, 1))


def too_many(call: Callable[[], object]) -> None:
    with pytest.raises(ternmq.MQError) as full:
        call()
    assert full.value.reason == mq.MQRC_RESOURCE_PROBLEM


def test_rows_of_the_ledger_are_bounded_for_a_user_and_in_all() -> None:
    with secured() as qm, connected(qm, "ann") as ann, connected(qm, "fred") as fred:
        sinks(qm, "ann", "fred")
        fill(qm, "fred", ROWS_A_USER_MAX)
        too_many(lambda: fred.commit_batch("one more", 1, []))
        assert fred.commit_batch("fred 0", 2, []).committed  # what is there goes on
        assert ann.commit_batch("ann 0", 1, []).committed
        assert answers(fred, "DELETE LEDGER('fred 0')") == ["AMQ8988I"]
        assert fred.commit_batch("one more", 1, []).committed
        fill(qm, "somebody", ROWS_MAX)
        too_many(lambda: ann.commit_batch("ann 1", 1, []))


def test_units_of_others_are_neither_committed_nor_taken_for_orphans() -> None:
    with secured() as qm, connected(qm, "ann") as ann, connected(qm, "fred") as fred:
        qm.define_queue("Q")
        grant(qm, "queue", "Q", "fred", "put")
        sinks(qm, "ann", "fred")
        xid = ternmq.batch_xid("sink", 1, b"fred")
        fred.begin()
        fred.put("Q", b"fred's")
        fred.prepare(xid)
        refused(lambda: ann.commit_batch("sink", 1, [xid]))
        assert ann.commit_batch("sink", 1, []) == (True, ())
        assert qm.in_doubt() == [xid]
