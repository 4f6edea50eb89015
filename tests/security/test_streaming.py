"""Goal: who lets messages be copied to a queue needs authority to change that queue, by whatever
way STREAMQ is set; who puts needs none on it. Method: a user with some authority, on a queue
manager in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.codec.mqi.mqod import ObjectDescriptor
from tests.mqi import mqi

pytestmark = pytest.mark.core


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1", security={"fred": ["staff"]}) as started:
        for name in ("OWN", "ALLOWED", "FOREIGN"):
            started.define_queue(name)
        for command in (
            "SET AUTHREC OBJTYPE(QMGR) GROUP('staff') AUTHADD(CONNECT)",
            "SET AUTHREC PROFILE(OWN) OBJTYPE(QUEUE) GROUP('staff') AUTHADD(CHG,PUT,DSP)",
            "SET AUTHREC PROFILE(ALLOWED) OBJTYPE(QUEUE) GROUP('staff') AUTHADD(CHG,DSP)",
            "DEFINE NAMELIST(SOME) NAMES(ALLOWED,FOREIGN)",
        ):
            assert started.mqsc(command)[0].comp == mq.MQCC_OK, command
        yield started


@pytest.mark.parametrize("target", ["FOREIGN", "SOME", "NOT.THERE"])
def test_streamq_of_a_queue_that_one_may_not_change_then_refused(
    qmgr: ternmq.QueueManager, target: str
) -> None:
    with qmgr.connect(user="fred") as fred:
        with pytest.raises(ternmq.NotAuthorized) as refused:
            fred.alter_queue("OWN", stream_queue=target)
        assert "lacks chg on queue" in refused.value.detail
        answer = fred.mqsc(f"ALTER QLOCAL(OWN) STREAMQ({target})")[0]
        assert (answer.comp, answer.reason) == (mq.MQCC_FAILED, mq.MQRC_NOT_AUTHORIZED)
        assert qmgr.attributes("OWN")["stream_queue"] == ""


def test_streamq_of_a_queue_that_one_may_change_then_puts_need_no_authority_on_it(
    qmgr: ternmq.QueueManager,
) -> None:
    with qmgr.connect(user="fred") as fred:
        fred.alter_queue("OWN", stream_queue="ALLOWED")
        fred.put("OWN", "x")
        with pytest.raises(ternmq.NotAuthorized):
            fred.put("ALLOWED", "x")
        # what others have set does not hinder other changes
        qmgr.alter_queue("OWN", stream_queue="FOREIGN")
        fred.alter_queue("OWN", max_depth=10)
        fred.put("OWN", "y")
    with qmgr.queue("FOREIGN") as foreign, qmgr.queue("ALLOWED") as allowed:
        assert (foreign.depth, allowed.depth) == (1, 1)


def test_namelist_that_is_a_streamq_when_one_adds_a_foreign_queue_then_refused(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.mqsc("DEFINE NAMELIST(MINE) NAMES(ALLOWED)")
    qmgr.mqsc("SET AUTHREC PROFILE(MINE) OBJTYPE(NAMELIST) GROUP('staff') AUTHADD(CHG,DSP)")
    with qmgr.connect(user="fred") as fred:
        alter = "ALTER NAMELIST(MINE) NAMES(ALLOWED,FOREIGN)"
        assert fred.mqsc(alter)[0].comp == mq.MQCC_OK  # it means nothing yet
        qmgr.mqsc("ALTER NAMELIST(MINE) NAMES(ALLOWED)")
        fred.alter_queue("OWN", stream_queue="MINE")
        assert fred.mqsc(alter)[0].reason == mq.MQRC_NOT_AUTHORIZED
        assert fred.mqsc("ALTER NAMELIST(MINE) NAMES(ALLOWED) DESCR(same)")[0].comp == mq.MQCC_OK


MODEL = "SYSTEM.DEFAULT.MODEL.QUEUE"


@pytest.fixture
def payroll(qmgr: ternmq.QueueManager) -> ternmq.QueueManager:
    """Copies of a queue that fred may not browse go to names that are not there."""
    for command in (
        "DEFINE QLOCAL(PAYROLL) STREAMQ(AUDIT)",
        "DEFINE NAMELIST(LIST) NAMES(LISTED)",
        "DEFINE QLOCAL(PAYROLL2) STREAMQ(LIST)",
        "DEFINE QALIAS(WAY) TARGET(BEHIND)",
        "DEFINE QLOCAL(PAYROLL3) STREAMQ(WAY)",
        "DEFINE QREMOTE(AFAR) RNAME(X) RQMNAME(QM2) XMITQ(XMIT)",
        "DEFINE QLOCAL(PAYROLL4) STREAMQ(AFAR)",
        "DEFINE QREMOTE(AFAR2) RNAME(X) RQMNAME(QM3)",
        "DEFINE QALIAS(WAY2) TARGET(AFAR2)",
        "DEFINE QLOCAL(PAYROLL5) STREAMQ(WAY2)",
        f"SET AUTHREC PROFILE('{MODEL}') OBJTYPE(QUEUE) GROUP('staff') AUTHADD(GET,BROWSE,DSP)",
        "SET AUTHREC PROFILE('SYSTEM.DEFAULT.**') OBJTYPE(QUEUE) GROUP('staff') AUTHADD(DSP)",
        "SET AUTHREC PROFILE('SYSTEM.DEFAULT.**') OBJTYPE(NAMELIST) GROUP('staff') AUTHADD(DSP)",
        "SET AUTHREC PROFILE(WAY) OBJTYPE(QUEUE) GROUP('staff') AUTHADD(CHG,DSP)",
        "SET AUTHREC PROFILE(LIST) OBJTYPE(NAMELIST) GROUP('staff') AUTHADD(CHG,DSP)",
        "SET AUTHREC PROFILE('@class') OBJTYPE(QUEUE) GROUP('staff') AUTHADD(CRT)",
        "SET AUTHREC PROFILE('@class') OBJTYPE(NAMELIST) GROUP('staff') AUTHADD(CRT)",
    ):
        assert qmgr.mqsc(command)[0].comp == mq.MQCC_OK, command
    return qmgr


def make_dynamic(connection: ternmq.Connection, name: str) -> None:
    od = ObjectDescriptor(object_name=MODEL, dynamic_queue_name=name)
    mqi(connection).open(od, mq.MQOO_INPUT_EXCLUSIVE)


@pytest.mark.parametrize("name", ["AUDIT", "LISTED", "LIST", "BEHIND"])
def test_dynamic_queue_when_a_streamq_has_its_name_then_only_who_may_browse_the_source(
    payroll: ternmq.QueueManager, name: str
) -> None:
    with payroll.connect(user="fred") as fred:
        with pytest.raises(ternmq.NotAuthorized) as refused:
            make_dynamic(fred, name)
        assert "lacks browse on queue PAYROLL" in refused.value.detail
        make_dynamic(fred, "HARMLESS")
        payroll.mqsc(
            "SET AUTHREC PROFILE('PAYROLL*') OBJTYPE(QUEUE) GROUP('staff') AUTHADD(BROWSE)"
        )
        make_dynamic(fred, name)


@pytest.mark.parametrize(
    "command",
    [
        "DEFINE QLOCAL(AUDIT)",
        "DEFINE QALIAS(AUDIT) TARGET(ALLOWED)",
        "DEFINE NAMELIST(AUDIT) NAMES(ALLOWED)",
        "DEFINE QREMOTE(AUDIT) RNAME(X) RQMNAME(QM2)",
        "DEFINE QLOCAL(LISTED)",
        "DEFINE QLOCAL(BEHIND)",
        "DEFINE QLOCAL(XMIT) USAGE(XMITQ)",
        "DEFINE QLOCAL(QM3) USAGE(XMITQ)",
        "ALTER NAMELIST(LIST) NAMES(LISTED,ALLOWED)",
        "ALTER QALIAS(WAY) TARGET(ALLOWED)",
    ],
)
def test_define_when_copies_would_come_then_only_who_may_browse_the_source(
    payroll: ternmq.QueueManager, command: str
) -> None:
    with payroll.connect(user="fred") as fred:
        assert fred.mqsc(command)[0].reason == mq.MQRC_NOT_AUTHORIZED
        payroll.mqsc(
            "SET AUTHREC PROFILE('PAYROLL*') OBJTYPE(QUEUE) GROUP('staff') AUTHADD(BROWSE)"
        )
        assert fred.mqsc(command)[0].comp == mq.MQCC_OK


@pytest.mark.parametrize("attribute", ["DEADQ", "DEFXMITQ"])
def test_queue_of_everybody_when_it_is_not_there_then_only_who_may_change_the_queue_manager(
    payroll: ternmq.QueueManager, attribute: str
) -> None:
    assert payroll.mqsc(f"ALTER QMGR {attribute}(LATER)")[0].comp == mq.MQCC_OK
    with payroll.connect(user="fred") as fred:
        with pytest.raises(ternmq.NotAuthorized) as refused:
            make_dynamic(fred, "LATER")
        assert "lacks chg on qmgr" in refused.value.detail
        assert fred.mqsc("DEFINE QLOCAL(LATER)")[0].reason == mq.MQRC_NOT_AUTHORIZED
        payroll.mqsc("SET AUTHREC OBJTYPE(QMGR) GROUP('staff') AUTHADD(CHG)")
        payroll.mqsc("SET AUTHREC PROFILE(PAYROLL5) OBJTYPE(QUEUE) GROUP('staff') AUTHADD(BROWSE)")
        make_dynamic(fred, "LATER")


def test_dynamic_queue_when_a_model_streams_to_its_name_then_browse_on_the_model_is_not_enough(
    payroll: ternmq.QueueManager,
) -> None:
    payroll.mqsc("DEFINE QMODEL(MADE) STREAMQ(ALL.COPIES)")
    payroll.mqsc("SET AUTHREC PROFILE(MADE) OBJTYPE(QUEUE) GROUP('staff') AUTHADD(BROWSE,GET,DSP)")
    with payroll.connect(user="fred") as fred, pytest.raises(ternmq.NotAuthorized) as refused:
        make_dynamic(fred, "ALL.COPIES")
    assert "lacks chg on queue MADE" in refused.value.detail


def test_initiation_queue_when_it_is_not_there_then_only_who_may_change_the_triggered_queue(
    payroll: ternmq.QueueManager,
) -> None:
    payroll.mqsc("DEFINE QLOCAL(ORDERS) TRIGGER INITQ(INIT)")
    with payroll.connect(user="fred") as fred:
        with pytest.raises(ternmq.NotAuthorized) as refused:
            make_dynamic(fred, "INIT")
        assert "lacks chg on queue ORDERS" in refused.value.detail
        assert fred.mqsc("DEFINE QLOCAL(INIT)")[0].reason == mq.MQRC_NOT_AUTHORIZED
        payroll.mqsc("SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) GROUP('staff') AUTHADD(CHG)")
        make_dynamic(fred, "INIT")
