"""Goal: a unit of work that is in doubt belongs to the user who prepared it: nobody but that user
and administrators can end it, hear of it or make the queue manager forget it, also after a restart.

Method: three users, one queue manager on disk that checks; it is started again, with the log alone
and from a checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import ternmq
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.client.connection import Connection
from ternmq.txn.records import pack_xid, unpack_xid
from tests.security.granting import USERS, connected, grant

pytestmark = pytest.mark.core

XID = ternmq.XID(1, b"global", b"branch")


def _embedded(folder: Path) -> ternmq.QueueManager:
    return ternmq.embedded(folder, "QM1", create=True, security=USERS)


def _prepare(qm: ternmq.QueueManager, user: str) -> None:
    with connected(qm, user) as connection:
        grant(qm, "queue", "Q", user, "put")
        connection.begin()
        connection.put("Q", b"in doubt")
        assert connection.prepare(XID)


def _refused(call: Callable[[], None]) -> None:
    with pytest.raises(ternmq.MQError) as raised:
        call()
    assert raised.value.reason == MQRC_NOT_AUTHORIZED


def _others_are_refused(ann: Connection) -> None:
    assert ann.in_doubt() == []
    _refused(lambda: ann.commit_prepared(XID))
    _refused(lambda: ann.backout_prepared(XID))
    _refused(lambda: ann.resolve(XID, commit=True))


def test_unit_of_another_user_then_it_is_not_ended(tmp_path: Path) -> None:
    with _embedded(tmp_path / "qm") as qm:
        qm.define_queue("Q", default_persistence="YES")
        _prepare(qm, "fred")
        with connected(qm, "ann") as ann:
            _others_are_refused(ann)
        with qm.queue("Q") as queue:
            assert queue.depth == 1
            with connected(qm, "fred") as fred:
                assert fred.in_doubt() == [XID]
                fred.backout_prepared(XID)
            assert queue.depth == 0


@pytest.mark.parametrize("checkpoints", [0, 2])
def test_unit_of_another_user_after_a_restart_then_it_is_still_not_ended(
    tmp_path: Path, checkpoints: int
) -> None:
    with _embedded(tmp_path / "qm") as qm:
        qm.define_queue("Q", default_persistence="YES")
        _prepare(qm, "fred")
        for _ in range(checkpoints):
            qm.started.checkpoint()
    for _ in range(2):
        with _embedded(tmp_path / "qm") as qm, connected(qm, "ann") as ann:
            _others_are_refused(ann)
            assert [xid.owner for xid in qm.in_doubt()] == ["fred"]
    with _embedded(tmp_path / "qm") as qm:
        with connected(qm, "fred") as fred:
            fred.commit_prepared(XID)
        with qm.queue("Q") as queue:
            assert queue.get().data == b"in doubt"


def test_outcome_that_an_operator_decided_then_its_owner_forgets_it(tmp_path: Path) -> None:
    with _embedded(tmp_path / "qm") as qm:
        qm.define_queue("Q", default_persistence="YES")
        _prepare(qm, "fred")
        qm.resolve(XID, commit=False)
    for _ in range(2):  # from the log, then from a checkpoint
        with _embedded(tmp_path / "qm") as qm, connected(qm, "ann") as ann:
            assert ann.in_doubt() == []
            _refused(lambda: ann.forget(XID))
    with _embedded(tmp_path / "qm") as qm, connected(qm, "fred") as fred:
        assert fred.in_doubt() == [XID]
        fred.forget(XID)
        assert qm.in_doubt() == []


def test_record_without_an_owner_then_it_is_read_as_it_was_written() -> None:
    old = (1).to_bytes(4, "little") + (6).to_bytes(4, "little") + b"globalbranch"
    assert unpack_xid(old) == XID
    assert unpack_xid(old).owner == ""
    assert pack_xid(XID) == old
