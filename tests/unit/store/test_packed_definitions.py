"""Goal: what the catalog file says of an object is what the object is, although its text is kept
from one checkpoint to the next. Method: change objects in every way there is, pack, and compare.
"""

import json

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.store.catalog_file import catalog_bytes, unpack_catalog

pytestmark = pytest.mark.core


def check(qmgr: ternmq.QueueManager) -> None:
    """Each definition against its text, and all of them against the file that is read again."""
    catalog = qmgr.started.shell.engine.kernel.catalog
    read = unpack_catalog(catalog_bytes(catalog, 5))
    for one in catalog.all_definitions():
        assert json.loads(one.packed()) == one.to_json()
        if not one.temporary:
            again = read.find(one.object_type, one.name)
            assert again is not None
            assert again.to_json() == one.to_json()
    assert read.lsn == 5


def test_packed_when_defined_and_altered_then_true() -> None:
    with ternmq.memory() as qmgr:
        check(qmgr)
        qmgr.define_queue("Q", max_depth=7)
        check(qmgr)
        qmgr.alter_queue("Q", max_depth=8, description="älter")
        check(qmgr)
        qmgr.define_queue("Q", replace=True)
        check(qmgr)
        answers = qmgr.mqsc("DEFINE PROCESS(P) APPLICID('x')\nALTER PROCESS(P) APPLICID('y')")
        assert all(one.ok for one in answers)
        check(qmgr)
        qmgr.delete_queue("Q")
        check(qmgr)


def test_packed_when_set_by_mqset_then_true() -> None:
    with ternmq.memory() as qmgr:
        qmgr.define_queue("Q")
        check(qmgr)
        with qmgr.queue("Q", options=mq.MQOO_SET | mq.MQOO_INQUIRE) as queue:
            queue.set({mq.MQIA_INHIBIT_PUT: mq.MQQA_PUT_INHIBITED})
        check(qmgr)


def test_packed_when_an_event_or_a_trigger_switches_then_true() -> None:
    with ternmq.memory() as qmgr:
        qmgr.alter_qmgr(PERFMEV="ENABLED")
        qmgr.define_queue("INIT")
        qmgr.define_queue(
            "Q", MAXDEPTH=10, QDPHIEV="ENABLED", TRIGGER="TRIGGER", TRIGTYPE="DEPTH",
            TRIGDPTH=2, INITQ="INIT", PROCESS="P",
        )  # fmt: skip
        qmgr.mqsc("DEFINE PROCESS(P) APPLICID('x')")
        check(qmgr)
        before = qmgr.attributes("Q")
        with qmgr.queue("INIT", options=mq.MQOO_INPUT_SHARED), qmgr.queue("Q") as queue:
            for _ in range(9):
                queue.put("x")
            check(qmgr)
        after = qmgr.attributes("Q")
        assert after["depth_high_event"] != before["depth_high_event"]
        assert after["trigger"] != before["trigger"]
