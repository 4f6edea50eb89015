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
from ternmq.api.connection import Connection
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED, MQRC_RESOURCE_PROBLEM
from ternmq.txn.families.unit_records import pack_xid, unpack_xid
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


# ---- a fair share of the log


def _in_doubt(connection: Connection, user: bytes, number: int) -> None:
    connection.begin()
    connection.put("Q", b"in doubt")
    assert connection.prepare(ternmq.XID(1, b"%s %d" % (user, number), b""))


def _many_in_doubt(
    connection: Connection, user: bytes, limit: int = 200
) -> tuple[int, ternmq.MQError | None]:
    """Prepare until it is refused; how many, and the refusal."""
    for number in range(limit):
        try:
            _in_doubt(connection, user, number)
        except ternmq.MQError as refused:
            return number, refused
    return limit, None


def _small_log(folder: Path) -> ternmq.QueueManager:
    """640 KiB in all."""
    return ternmq.embedded(
        folder,
        "QM1",
        create=True,
        security=USERS,
        log_primary_files=3,
        log_secondary_files=2,
        log_file_pages=32,
    )


def test_prepared_units_of_one_user_when_very_many_then_others_go_on_working(
    tmp_path: Path,
) -> None:
    with _small_log(tmp_path / "qm") as qm:
        qm.define_queue("Q", default_persistence="YES")
        for user in ("fred", "ann"):
            grant(qm, "queue", "Q", user, "put")
        with connected(qm, "fred") as fred, connected(qm, "ann") as ann:
            count, refused = _many_in_doubt(fred, b"fred")
            assert refused is not None
            assert refused.reason == MQRC_RESOURCE_PROBLEM
            assert "user 'fred'" in str(refused)
            assert "a user's share" in str(refused)
            assert 5 <= count <= 13, "a quarter of 640 KiB, 12 KiB for each"
            fred.backout()
            fred.put("Q", b"outside syncpoint")
            others, refused = _many_in_doubt(ann, b"ann")
            assert others >= 5
            assert refused is not None
            ann.backout()
            for number in range(100):
                ann.put("Q", b"%d" % number)
            fred.backout_prepared(ternmq.XID(1, b"fred 0", b""))
            _in_doubt(fred, b"fred", 0)
        with qm.queue("Q") as queue:
            queue.put("an administrator's")


def test_share_of_a_user_after_a_restart_then_still_counted(tmp_path: Path) -> None:
    with _small_log(tmp_path / "qm") as qm:
        qm.define_queue("Q", default_persistence="YES")
        grant(qm, "queue", "Q", "fred", "put")
        with connected(qm, "fred") as fred:
            count, _ = _many_in_doubt(fred, b"fred")
    with _small_log(tmp_path / "qm") as qm, connected(qm, "fred") as fred:
        fred.begin()
        fred.put("Q", b"one more")
        with pytest.raises(ternmq.MQError, match="a user's share"):
            fred.prepare(ternmq.XID(1, b"more", b""))
        fred.backout()
        for number in range(count):
            fred.commit_prepared(ternmq.XID(1, b"fred %d" % number, b""))
        assert _many_in_doubt(fred, b"fred")[0] == count


def test_log_full_of_an_administrators_units_then_they_can_be_ended(tmp_path: Path) -> None:
    with _small_log(tmp_path / "qm") as qm:
        qm.define_queue("Q", default_persistence="YES")
        with qm.connect() as connection:
            count, refused = _many_in_doubt(connection, b"mqm")
            assert refused is not None
            assert count > 20
            for xid in qm.in_doubt():
                qm.resolve(xid, commit=False)
            connection.backout()
            assert _many_in_doubt(connection, b"again", 20) == (20, None)
