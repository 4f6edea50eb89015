"""Goal: an object and the authority that comes and goes with it are one change: no crash can leave
one without the other.

Method: what a DEFINE, a dynamic queue and a DELETE write to the log is one record each; after a
restart the records are there, or gone.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.log import kinds
from ternmq.log.opened import open_log
from ternmq.ports.os_disk import OsDisk
from tests.security.granting import USERS, connected, grant

pytestmark = pytest.mark.core


def _embedded(folder: Path) -> ternmq.QueueManager:
    return ternmq.embedded(folder, "QM1", create=True, security=USERS)


def _logged(folder: Path, first_lsn: int) -> list[int]:
    """The kinds of the records about objects from there on."""
    opened = open_log(OsDisk(str(folder / "qmgrs" / "QM1")))
    about = (kinds.OBJECT, kinds.OBJECT_DELETED)
    found = [one.kind for one in opened.reader.records(first_lsn) if one.kind in about]
    opened.close()
    return found


def _end(qm: ternmq.QueueManager) -> int:
    return int(qm.started.shell.engine.log.end_lsn)


def _profiles(qm: ternmq.QueueManager) -> list[str]:
    shown = [one for one in qm.mqsc("DISPLAY AUTHREC OBJTYPE(QUEUE)") if one.ok]
    return sorted([str(one["PROFILE"]) for one in shown])


def test_object_and_authority_of_its_maker_then_one_record(tmp_path: Path) -> None:
    with _embedded(tmp_path) as qm:
        fred = connected(qm, "fred")
        grant(qm, "queue", "@class", "fred", "crt")
        grant(qm, "queue", "SYSTEM.**", "fred", "dsp get")
        qm.mqsc("DEFINE QMODEL(SYSTEM.M) DEFTYPE(PERMDYN)")
        before = _end(qm)
        assert fred.mqsc("DEFINE QLOCAL(MINE)")[0].ok
        handle = fred.queue("SYSTEM.M", options=mq.MQOO_INPUT_SHARED)
        dynamic = handle.name
        handle.close()
        fred.disconnect()
    assert _logged(tmp_path, before) == [kinds.OBJECT, kinds.OBJECT]
    everything = sorted(["@class", "SYSTEM.**", "MINE", dynamic])
    with _embedded(tmp_path) as qm:
        assert _profiles(qm) == everything
        with connected(qm, "fred") as fred, fred.queue("MINE") as mine:
            mine.put(b"x")
        grant(qm, "queue", "MINE", "ann", "get")
        assert qm.mqsc("CLEAR QLOCAL(MINE)")[0].ok
        before = _end(qm)
        assert qm.mqsc("DELETE QLOCAL(MINE)")[0].ok
    assert _logged(tmp_path, before) == [kinds.OBJECT_DELETED]
    with _embedded(tmp_path) as qm:
        assert _profiles(qm) == [one for one in everything if one != "MINE"]
        assert "MINE" not in qm.queue_names()
        assert dynamic in qm.queue_names()


def test_records_of_names_that_came_and_went_then_nothing_is_kept(tmp_path: Path) -> None:
    with _embedded(tmp_path) as qm:
        fred = connected(qm, "fred")
        grant(qm, "queue", "SYSTEM.**", "fred", "dsp get")
        qm.mqsc("DEFINE QMODEL(SYSTEM.M) DEFTYPE(PERMDYN)")
        records = qm.started.shell.engine.kernel.authority.records
        before = len(records.by_key)
        for _ in range(5):
            handle = fred.queue("SYSTEM.M", options=mq.MQOO_INPUT_SHARED)
            name = handle.name
            handle.close()
            assert qm.mqsc(f"DELETE QLOCAL({name})")[0].ok
        assert len(records.by_key) == before
        assert len(records._by_profile) == before
        fred.disconnect()
