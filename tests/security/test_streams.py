"""Goal: a stream is read, and its cursors are moved, by who may browse the queue; they are defined,
reset and deleted by who may change it; a row of the ledger belongs to who made it.

Method: users with one authority at a time, the API and the commands.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

import ternmq
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.client.connection import Connection
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


def test_a_row_of_the_ledger_belongs_to_who_made_it() -> None:
    with secured() as qm, connected(qm, "ann") as ann, connected(qm, "fred") as fred:
        assert fred.commit_batch("sink", 1, []).committed
        refused(lambda: ann.commit_batch("sink", 1, []))
        refused(lambda: ann.commit_batch("sink", 2, []))
        assert fred.commit_batch("sink", 2, []).committed
        assert qm.commit_batch("sink", 3, []).committed  # an administrator
        assert answers(ann, "DISPLAY LEDGER(*)") == ["AMQ8135E"]
        assert answers(ann, "DELETE LEDGER('sink')") == ["AMQ8135E"]
        assert answers(qm, "DISPLAY LEDGER(*)") == ["AMQ8987I"]


def test_units_of_others_are_neither_committed_nor_taken_for_orphans() -> None:
    with secured() as qm, connected(qm, "ann") as ann, connected(qm, "fred") as fred:
        qm.define_queue("Q")
        grant(qm, "queue", "Q", "fred", "put")
        xid = ternmq.batch_xid("sink", 1, b"fred")
        fred.begin()
        fred.put("Q", b"fred's")
        fred.prepare(xid)
        refused(lambda: ann.commit_batch("sink", 1, [xid]))
        assert ann.commit_batch("sink", 1, []) == (True, ())
        assert qm.in_doubt() == [xid]
