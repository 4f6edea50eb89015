"""A batch of prepared units of work and its row of the ledger: committed together, once, and what
is left over of an owner goes; the same on every disk, behind the socket and over the network."""

from __future__ import annotations

import pytest

from ternmq import XID, QueueManager, XAError, batch_xid
from ternmq import constants as mq
from ternmq.base.errors import XA_HEURCOM, XA_HEURRB, XAER_INVAL, XAER_NOTA
from tests.battery.places import Place, needs_engine

pytestmark = pytest.mark.core


def prepared(qmgr: QueueManager, owner: str, batch: int, task: int, *data: bytes) -> XID:
    """What one task of a sink does."""
    xid = batch_xid(owner, batch, b"%d.0" % task)
    with qmgr.connect() as connection, connection.queue("A") as queue:
        connection.begin()
        for one in data:
            queue.put(one, persistent=True)
        assert connection.prepare(xid) is (len(data) > 0)
    return xid


def data(qmgr: QueueManager) -> list[bytes]:
    with qmgr.queue("A") as queue:
        return [message.data for message in queue.browse()]


@pytest.fixture(autouse=True)
def queue(place: Place) -> None:
    place.qmgr.define_queue("A")


def test_all_units_of_a_batch_become_visible_in_the_order_of_the_call(qmgr: QueueManager) -> None:
    first = prepared(qmgr, "sink", 1, 1, b"a", b"b")
    second = prepared(qmgr, "sink", 1, 2, b"c")
    assert data(qmgr) == []
    outcome = qmgr.commit_batch("sink", 1, [second, first])
    assert outcome == (True, ())
    assert data(qmgr) == [b"c", b"a", b"b"]
    assert qmgr.in_doubt() == []


def test_a_batch_that_is_there_backs_out_what_was_prepared_again(qmgr: QueueManager) -> None:
    xid = prepared(qmgr, "sink", 7, 1, b"a")
    assert qmgr.commit_batch("sink", 7, [xid]).committed
    again = batch_xid("sink", 7, b"1.1")
    with qmgr.connect() as connection, connection.queue("A") as queue:
        connection.begin()
        queue.put(b"a", persistent=True)
        connection.prepare(again)
    outcome = qmgr.commit_batch("sink", 7, [again])
    assert outcome == (False, (again,))
    assert data(qmgr) == [b"a"]
    assert qmgr.in_doubt() == []
    # An answer that was lost: the XIDs of the first call are known no more, and need not be.
    assert qmgr.commit_batch("sink", 7, [xid]) == (False, ())


def test_orphans_of_the_owner_go_but_not_those_of_later_batches_or_others(
    qmgr: QueueManager,
) -> None:
    dead = prepared(qmgr, "sink", 1, 9, b"dead")
    speculative = prepared(qmgr, "sink", 2, 9, b"speculative")
    later = prepared(qmgr, "sink", 3, 1, b"later")
    other = prepared(qmgr, "other", 1, 1, b"other")
    foreign = XID(1, b"sink", b"branch")
    with qmgr.connect() as connection:
        connection.begin()
        connection.put("A", b"foreign")
        connection.prepare(foreign)
    outcome = qmgr.commit_batch("sink", 2, [prepared(qmgr, "sink", 2, 1, b"x")])
    assert outcome.committed
    assert set(outcome.backed_out) == {dead, speculative}
    assert data(qmgr) == [b"x"]
    assert set(qmgr.in_doubt()) == {later, other, foreign}
    qmgr.commit_prepared(foreign)
    assert data(qmgr) == [b"x", b"foreign"]


def test_an_unknown_xid_is_named_and_nothing_is_done(qmgr: QueueManager) -> None:
    orphan = prepared(qmgr, "sink", 0, 1, b"orphan")
    known = prepared(qmgr, "sink", 1, 1, b"a")
    unknown = batch_xid("sink", 1, b"nobody")
    with pytest.raises(XAError, match=unknown.branch_qualifier.hex()) as refused:
        qmgr.commit_batch("sink", 1, [known, unknown])
    assert (refused.value.xa, refused.value.reason) == (
        XAER_NOTA,
        mq.MQRC_UNIT_OF_WORK_NOT_STARTED,
    )
    assert data(qmgr) == []
    assert set(qmgr.in_doubt()) == {orphan, known}
    assert qmgr.commit_batch("sink", 1, [known]) == (True, (orphan,))


def test_a_unit_that_an_operator_has_ended_is_named_and_nothing_is_done(place: Place) -> None:
    qmgr = place.qmgr
    for commit, code in ((True, XA_HEURCOM), (False, XA_HEURRB)):
        batch = int(commit)
        left = prepared(qmgr, "sink", batch, 1, b"left")
        ended = prepared(qmgr, "sink", batch, 2, b"ended")
        qmgr.resolve(ended, commit=commit)
        with pytest.raises(XAError) as refused:
            qmgr.commit_batch("sink", batch, [left, ended])
        assert refused.value.xa == code
        assert set(qmgr.in_doubt()) == {left, ended}
        qmgr.forget(ended)
        assert qmgr.commit_batch("sink", batch, [left]).committed
    assert data(qmgr) == [b"ended", b"left", b"left"]


def test_a_unit_of_another_batch_is_refused(qmgr: QueueManager) -> None:
    xid = prepared(qmgr, "sink", 1, 1, b"a")
    for owner, batch in (("sink", 2), ("other", 1)):
        with pytest.raises(XAError, match="is of batch 1 of 'sink'") as refused:
            qmgr.commit_batch(owner, batch, [xid])
        assert refused.value.xa == XAER_INVAL
    assert qmgr.in_doubt() == [xid]


def test_a_batch_without_units_counts_too(qmgr: QueueManager) -> None:
    assert qmgr.commit_batch("sink", 1, []).committed
    assert not qmgr.commit_batch("sink", 1, []).committed


def test_batches_may_come_in_any_order_and_with_gaps(qmgr: QueueManager) -> None:
    for batch in (10, 5, 7, 6, 2**62):
        assert qmgr.commit_batch("sink", batch, []).committed
    for batch in (5, 6, 7, 10, 2**62):
        assert not qmgr.commit_batch("sink", batch, []).committed
    assert qmgr.commit_batch("sink", 9, []).committed


def test_a_batch_older_than_the_ledger_remembers_is_refused(qmgr: QueueManager) -> None:
    for batch in range(0, 2 * 66, 2):
        assert qmgr.commit_batch("sink", batch, []).committed
    with pytest.raises(XAError, match="older than the ledger remembers: it has 3 and later"):
        qmgr.commit_batch("sink", 1, [])
    assert not qmgr.commit_batch("sink", 4, []).committed
    assert qmgr.commit_batch("sink", 5, []).committed


def test_ledger_and_prepared_units_survive_a_crash(place: Place) -> None:
    qmgr = place.qmgr
    assert qmgr.commit_batch("sink", 1, [prepared(qmgr, "sink", 1, 1, b"a")]).committed
    xid = prepared(qmgr, "sink", 2, 1, b"b", b"c")
    qmgr = place.crash()
    assert qmgr.in_doubt() == [xid]
    assert not qmgr.commit_batch("sink", 1, []).committed
    assert qmgr.commit_batch("sink", 2, [xid]) == (True, ())
    assert data(qmgr) == [b"a", b"b", b"c"]
    qmgr = place.restart()
    assert not qmgr.commit_batch("sink", 2, []).committed
    assert qmgr.commit_batch("sink", 3, []).committed
    assert data(qmgr) == [b"a", b"b", b"c"]


def test_a_batch_of_units_whose_bodies_have_left_the_log(place: Place) -> None:
    qmgr = place.qmgr
    needs_engine(qmgr)
    xids = [prepared(qmgr, "sink", 1, task, *[b"%d" % task * 9] * 40) for task in range(3)]
    qmgr.checkpoint()
    qmgr = place.crash()
    assert qmgr.commit_batch("sink", 1, xids).committed
    expected = [b"%d" % task * 9 for task in range(3) for _ in range(40)]
    assert data(qmgr) == expected
    qmgr = place.crash()
    assert data(qmgr) == expected
    assert not qmgr.commit_batch("sink", 1, xids).committed
    qmgr.checkpoint()
    qmgr = place.crash()
    assert data(qmgr) == expected
    assert not qmgr.commit_batch("sink", 1, xids).committed


def test_waiting_getters_are_served_by_a_batch(qmgr: QueueManager) -> None:
    xid = prepared(qmgr, "sink", 1, 1, b"a")
    with qmgr.connect() as other, other.queue("A") as queue:
        qmgr.commit_batch("sink", 1, [xid])
        assert queue.get(wait=10).data == b"a"


@pytest.mark.parametrize(
    ("owner", "batch", "wrong"),
    [
        ("", 1, "1 to 48 bytes"),
        ("x" * 49, 1, "1 to 48 bytes"),
        ("a\nb", 1, "printable"),
        ("sink", -1, "from 0 to"),
        ("sink", 2**63, "from 0 to"),
    ],
)
def test_what_cannot_be_an_owner_or_batch_is_refused(
    qmgr: QueueManager, owner: str, batch: int, wrong: str
) -> None:
    with pytest.raises(ValueError, match=wrong):
        qmgr.commit_batch(owner, batch, [])
    with pytest.raises(ValueError, match=wrong):
        batch_xid(owner, batch, b"1")


def test_what_cannot_be_an_xid_is_refused(qmgr: QueueManager) -> None:
    for wrong in (XID(1, b"", b""), XID(-1, b"x", b""), XID(1, b"x", bytes(65))):
        with pytest.raises(ValueError, match=r"id|qualifier"):
            qmgr.commit_batch("sink", 1, [wrong])
    assert qmgr.commit_batch("sink", 1, []).committed


def test_an_xid_named_twice_is_refused(qmgr: QueueManager) -> None:
    xid = prepared(qmgr, "sink", 1, 1, b"a")
    with pytest.raises(ValueError, match="twice"):
        qmgr.commit_batch("sink", 1, [xid, xid])
    assert qmgr.in_doubt() == [xid]
