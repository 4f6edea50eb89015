"""Goal: each event is made when and only when its rules say so, with IBM MQ's reason and
parameters, and nothing that goes wrong with an event touches a verb.

Method: an embedded queue manager whose clock the test turns; its event queues are read as PCF.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ternmq
from ternmq import QueueManager
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.base.attributes import Value
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.testing.simulation import Simulation
from tests.mqi import mqi

pytestmark = pytest.mark.core


@pytest.fixture
def sim() -> Iterator[Simulation]:
    with Simulation() as simulation:
        simulation.start()
        yield simulation


@pytest.fixture
def qmgr(sim: Simulation) -> QueueManager:
    assert sim.qmgr is not None
    taken(sim.qmgr, "QMGR")
    return sim.qmgr


def taken(qmgr: QueueManager, kind: str) -> list[PCFMessage]:
    """The events of a kind up to now."""
    with qmgr.queue(f"SYSTEM.ADMIN.{kind}.EVENT") as queue:
        return [unpack_pcf(message.data) for message in queue]


def values(event: PCFMessage) -> list[tuple[int, object]]:
    return [(one.parameter, one.value) for one in event.parameters]


def reasons(events: list[PCFMessage]) -> list[int]:
    return [event.reason for event in events]


# ---- queue manager events


def test_inhibited_put_and_get_are_reported_while_inhibtev_is_on(qmgr: QueueManager) -> None:
    qmgr.define_queue("Q", put="DISABLED", get="DISABLED")
    qmgr.define_alias("A", "Q")
    queue = qmgr.queue("A")
    for _ in range(2):
        with pytest.raises(ternmq.Inhibited):
            queue.put(b"x")
        qmgr.alter_qmgr(INHIBTEV="ENABLED")
    with pytest.raises(ternmq.Inhibited):
        queue.get()
    put, got = taken(qmgr, "QMGR")
    assert (put.kind, put.command, put.comp) == (mq.MQCFT_EVENT, mq.MQCMD_Q_MGR_EVENT, 1)
    assert (put.sequence, put.control, put.version) == (1, mq.MQCFC_LAST, 1)
    assert (put.reason, got.reason) == (rc.MQRC_PUT_INHIBITED, rc.MQRC_GET_INHIBITED)
    application = qmgr.started.application[-28:]
    assert values(put) == [
        (mq.MQCA_Q_MGR_NAME, "QM1"),
        (mq.MQCA_Q_NAME, "Q"),
        (mq.MQIA_APPL_TYPE, mq.MQAT_UNIX),
        (mq.MQCACF_APPL_NAME, application),
    ]
    assert [one.width for one in put.parameters] == [48, 48, 0, 28]


def test_names_that_lead_nowhere_are_reported_by_localev_and_remoteev(qmgr: QueueManager) -> None:
    qmgr.define_alias("TO.NOTHING", "NOTHING")
    qmgr.define_model("M")
    qmgr.define_alias("TO.MODEL", "M")
    qmgr.alter_qmgr(LOCALEV="ENABLED", REMOTEEV="ENABLED")
    for name in ("NOTHING", "TO.NOTHING", "TO.MODEL"):
        with pytest.raises(ternmq.MQError):
            qmgr.queue(name).put(b"x")
    unknown, base, kind = taken(qmgr, "QMGR")
    assert unknown.reason == rc.MQRC_UNKNOWN_OBJECT_NAME
    assert base.reason == rc.MQRC_UNKNOWN_ALIAS_BASE_Q
    assert kind.reason == rc.MQRC_ALIAS_BASE_Q_TYPE_ERROR
    assert (mq.MQCA_Q_NAME, "NOTHING") in values(unknown)
    assert (mq.MQCA_BASE_OBJECT_NAME, "NOTHING") in values(base)
    assert (mq.MQIA_Q_TYPE, mq.MQQT_MODEL) in values(kind)


def test_an_unknown_queue_manager_is_reported_by_remoteev_alone(qmgr: QueueManager) -> None:
    far = ObjectDescriptor(object_name="Q", object_qmgr_name="FAR")
    qmgr.define_queue("Q")
    qmgr.alter_qmgr(LOCALEV="ENABLED")
    for _ in range(2):
        with pytest.raises(ternmq.MQError):
            mqi(qmgr).open(far, mq.MQOO_OUTPUT)
        qmgr.alter_qmgr(REMOTEEV="ENABLED", LOCALEV="DISABLED")
    (event,) = taken(qmgr, "QMGR")
    assert event.reason == rc.MQRC_UNKNOWN_REMOTE_Q_MGR
    assert (mq.MQCACF_OBJECT_Q_MGR_NAME, "FAR") in values(event)


def test_missing_authority_is_reported_by_authorev() -> None:
    with ternmq.memory("QM1", security={"app": ["staff"]}) as qmgr:
        taken(qmgr, "QMGR")
        qmgr.define_queue("Q")
        qmgr.alter_qmgr(AUTHOREV="ENABLED")
        with pytest.raises(ternmq.NotAuthorized):
            qmgr.connect(user="app", application="tester")
        (event,) = taken(qmgr, "QMGR")
        assert event.reason == rc.MQRC_NOT_AUTHORIZED
        assert values(event)[:3] == [
            (mq.MQCA_Q_MGR_NAME, "QM1"),
            (mq.MQIACF_REASON_QUALIFIER, mq.MQRQ_CONN_NOT_AUTHORIZED),
            (mq.MQCACF_USER_IDENTIFIER, "app"),
        ]
        sink = qmgr.started.shell.engine.events
        link = mqi(qmgr).link
        sink.not_authorized(link, mq.MQRQ_OPEN_NOT_AUTHORIZED, mq.MQOT_Q, "Q", mq.MQOO_OUTPUT)
        sink.not_authorized(link, mq.MQRQ_CMD_NOT_AUTHORIZED, mq.MQOT_Q, "Q", mq.MQCMD_CLEAR_Q)
        opened, commanded = taken(qmgr, "QMGR")
        assert (mq.MQIACF_OPEN_OPTIONS, mq.MQOO_OUTPUT) in values(opened)
        assert (mq.MQCA_Q_NAME, "Q") in values(opened)
        assert (mq.MQIACF_COMMAND, mq.MQCMD_CLEAR_Q) in values(commanded)


def test_start_and_stop_are_reported_by_strstpev(sim: Simulation) -> None:
    qmgr = sim.qmgr
    assert qmgr is not None
    (started,) = taken(qmgr, "QMGR")
    assert started.reason == rc.MQRC_Q_MGR_ACTIVE
    assert values(started) == [
        (mq.MQCA_Q_MGR_NAME, "QM1"),
        (mq.MQIACF_REASON_QUALIFIER, mq.MQRQ_FAILOVER_NOT_PERMITTED),
        (mq.MQCACF_HOST_NAME, ""),
    ]
    qmgr.alter_queue("SYSTEM.ADMIN.QMGR.EVENT", default_persistence="YES")
    qmgr.close()
    qmgr = sim.start()
    stopped, again = taken(qmgr, "QMGR")
    assert (stopped.reason, again.reason) == (rc.MQRC_Q_MGR_NOT_ACTIVE, rc.MQRC_Q_MGR_ACTIVE)
    assert (mq.MQIACF_REASON_QUALIFIER, mq.MQRQ_Q_MGR_STOPPING) in values(stopped)
    qmgr.alter_qmgr(STRSTPEV="DISABLED")
    qmgr.close()
    assert taken(sim.start(), "QMGR") == []


# ---- performance events


@pytest.fixture
def busy(qmgr: QueueManager) -> ternmq.Queue:
    qmgr.alter_qmgr(PERFMEV="ENABLED")
    qmgr.define_queue("Q", max_depth=10)
    return qmgr.queue("Q")


def switches(qmgr: QueueManager) -> tuple[Value, ...]:
    attributes = qmgr.attributes("Q")
    names = ("depth_high_event", "depth_low_event", "depth_max_event", "service_event")
    return tuple(attributes[name] for name in names)


def test_depth_events_come_once_and_enable_each_other(
    qmgr: QueueManager, busy: ternmq.Queue
) -> None:
    qmgr.alter_queue("Q", QDPHIEV="ENABLED", QDPMAXEV="DISABLED")
    for _ in range(7):
        busy.put(b"x")
    assert taken(qmgr, "PERFM") == []
    for _ in range(3):
        busy.put(b"x")
    (high,) = taken(qmgr, "PERFM")
    assert (high.reason, high.command) == (rc.MQRC_Q_DEPTH_HIGH, mq.MQCMD_PERFM_EVENT)
    assert values(high) == [
        (mq.MQCA_Q_MGR_NAME, "QM1"),
        (mq.MQCA_BASE_OBJECT_NAME, "Q"),
        (mq.MQIA_TIME_SINCE_RESET, 0),
        (mq.MQIA_HIGH_Q_DEPTH, 8),
        (mq.MQIA_MSG_ENQ_COUNT, 8),
        (mq.MQIA_MSG_DEQ_COUNT, 0),
    ]
    assert switches(qmgr) == (0, 1, 1, 0)
    for _ in range(2):
        with pytest.raises(ternmq.Full):
            busy.put(b"x")
    (full,) = taken(qmgr, "PERFM")
    assert full.reason == rc.MQRC_Q_FULL
    assert switches(qmgr) == (0, 1, 0, 0)
    for _ in range(7):
        busy.get()
    assert taken(qmgr, "PERFM") == []
    for _ in range(3):
        busy.get()
    (low,) = taken(qmgr, "PERFM")
    assert low.reason == rc.MQRC_Q_DEPTH_LOW
    assert values(low)[3:] == [
        (mq.MQIA_HIGH_Q_DEPTH, 10),
        (mq.MQIA_MSG_ENQ_COUNT, 0),
        (mq.MQIA_MSG_DEQ_COUNT, 8),
    ]
    assert switches(qmgr) == (1, 0, 1, 0)


def test_no_depth_event_comes_while_perfmev_is_off(qmgr: QueueManager, busy: ternmq.Queue) -> None:
    qmgr.alter_qmgr(PERFMEV="DISABLED")
    qmgr.alter_queue("Q", QDPHIEV="ENABLED")
    for _ in range(10):
        busy.put(b"x")
    with pytest.raises(ternmq.Full):
        busy.put(b"x")
    assert taken(qmgr, "PERFM") == []
    assert switches(qmgr) == (1, 0, 1, 0)


def test_uncommitted_messages_count_for_depth_events(
    qmgr: QueueManager, busy: ternmq.Queue
) -> None:
    qmgr.alter_queue("Q", QDPHIEV="ENABLED")
    with qmgr.unit_of_work():
        for _ in range(8):
            busy.put(b"x")
    assert reasons(taken(qmgr, "PERFM")) == [rc.MQRC_Q_DEPTH_HIGH]
    with qmgr.unit_of_work() as unit:
        for _ in range(6):
            busy.get()
        assert reasons(taken(qmgr, "PERFM")) == [rc.MQRC_Q_DEPTH_LOW]
        unit.backout()


def test_a_queue_that_is_served_late_is_reported_and_when_it_is_served_in_time_again(
    sim: Simulation, qmgr: QueueManager, busy: ternmq.Queue
) -> None:
    qmgr.alter_queue("Q", QSVCIEV="HIGH", QSVCINT=1000)
    busy.put(b"1")
    sim.clock.advance(0.5)
    busy.put(b"2")
    assert taken(qmgr, "PERFM") == []
    sim.clock.advance(0.6)
    busy.put(b"3")  # the first has waited for longer than the interval
    (high,) = taken(qmgr, "PERFM")
    assert high.reason == rc.MQRC_Q_SERVICE_INTERVAL_HIGH
    assert values(high)[2:] == [
        (mq.MQIA_TIME_SINCE_RESET, 1),
        (mq.MQIA_HIGH_Q_DEPTH, 3),
        (mq.MQIA_MSG_ENQ_COUNT, 3),
        (mq.MQIA_MSG_DEQ_COUNT, 0),
    ]
    assert switches(qmgr)[3] == mq.MQQSIE_OK
    busy.get()  # late, too; but that has been told
    assert taken(qmgr, "PERFM") == []
    sim.clock.advance(0.5)
    busy.get()
    (fine,) = taken(qmgr, "PERFM")
    assert fine.reason == rc.MQRC_Q_SERVICE_INTERVAL_OK
    assert switches(qmgr)[3] == mq.MQQSIE_HIGH


def test_the_service_timer_stands_while_the_queue_is_empty(
    sim: Simulation, qmgr: QueueManager, busy: ternmq.Queue
) -> None:
    qmgr.alter_queue("Q", QSVCIEV="HIGH", QSVCINT=1000)
    busy.put(b"1")
    busy.get()
    sim.clock.advance(3600)
    busy.put(b"2")
    sim.clock.advance(0.5)
    busy.get()
    assert taken(qmgr, "PERFM") == []


def test_clearing_a_queue_is_a_get_for_performance_events(
    qmgr: QueueManager, busy: ternmq.Queue
) -> None:
    qmgr.alter_queue("Q", QDPLOEV="ENABLED", QDPHIEV="DISABLED")
    for _ in range(9):
        busy.put(b"x")
    busy.close()
    qmgr.clear_queue("Q")
    assert reasons(taken(qmgr, "PERFM")) == [rc.MQRC_Q_DEPTH_LOW]


# ---- configuration, command and logger events


def test_changes_of_objects_are_reported_before_and_after(qmgr: QueueManager) -> None:
    qmgr.alter_qmgr(CONFIGEV="ENABLED")
    before, after = taken(qmgr, "CONFIG")
    assert (mq.MQIACF_OBJECT_TYPE, mq.MQOT_Q_MGR) in values(before)
    assert (mq.MQIA_CONFIGURATION_EVENT, 0) in values(before)
    assert (mq.MQIA_CONFIGURATION_EVENT, 1) in values(after)
    qmgr.define_queue("Q", description="one")
    qmgr.alter_queue("Q", description="two")
    qmgr.delete_queue("Q")
    created, old, new, deleted = taken(qmgr, "CONFIG")
    assert reasons([created, old, new, deleted]) == [
        rc.MQRC_CONFIG_CREATE_OBJECT,
        rc.MQRC_CONFIG_CHANGE_OBJECT,
        rc.MQRC_CONFIG_CHANGE_OBJECT,
        rc.MQRC_CONFIG_DELETE_OBJECT,
    ]
    assert values(created)[:6] == [
        (mq.MQCACF_EVENT_USER_ID, qmgr.started.user),
        (mq.MQIACF_EVENT_ORIGIN, mq.MQEVO_CONSOLE),
        (mq.MQCACF_EVENT_Q_MGR, "QM1"),
        (mq.MQIACF_OBJECT_TYPE, mq.MQOT_Q),
        (mq.MQCA_Q_NAME, "Q"),
        (mq.MQIA_Q_TYPE, mq.MQQT_LOCAL),
    ]
    assert [(one.sequence, one.control) for one in (old, new)] == [(1, 0), (2, 1)]
    assert (mq.MQCA_Q_DESC, "one") in values(old)
    assert (mq.MQCA_Q_DESC, "two") in values(new)


def test_both_messages_of_a_change_have_one_correlation_identifier(qmgr: QueueManager) -> None:
    qmgr.define_queue("Q")
    qmgr.alter_qmgr(CONFIGEV="ENABLED")
    taken(qmgr, "CONFIG")
    queue = qmgr.queue("Q", options=mq.MQOO_SET | mq.MQOO_INQUIRE)
    queue.set({mq.MQIA_INHIBIT_PUT: 1})
    with qmgr.queue("SYSTEM.ADMIN.CONFIG.EVENT") as events:
        old, new = list(events)
    assert old.correl_id == new.correl_id != bytes(24)
    assert old.descriptor.format == mq.MQFMT_EVENT
    assert old.descriptor.put_appl_type == mq.MQAT_QMGR
    assert (mq.MQIACF_EVENT_ORIGIN, mq.MQEVO_MQSET) in values(unpack_pcf(new.data))


def test_commands_are_reported_by_cmdev_and_displays_only_if_asked_for(qmgr: QueueManager) -> None:
    qmgr.mqsc("ALTER QMGR CMDEV(NODISPLAY)")
    qmgr.mqsc("DISPLAY QMGR")
    qmgr.mqsc("DEFINE QLOCAL(Q)")
    qmgr.mqsc("DEFINE QLOCAL(Q)")  # fails
    qmgr.mqsc("ALTER QMGR CMDEV(ENABLED)")
    qmgr.mqsc("DISPLAY QLOCAL(Q)")
    qmgr.mqsc("ALTER QMGR CMDEV(DISABLED)")
    qmgr.mqsc("DISPLAY QLOCAL(Q)")
    events = taken(qmgr, "COMMAND")
    texts = [event.parameters[1].members[0].text for event in events]
    assert texts == [
        "ALTER QMGR CMDEV(NODISPLAY)",
        "DEFINE QLOCAL(Q)",
        "ALTER QMGR CMDEV(ENABLED)",
        "DISPLAY QLOCAL(Q)",
        "ALTER QMGR CMDEV(DISABLED)",
    ]
    context, data = events[1].parameters
    assert (context.parameter, data.parameter) == (
        mq.MQGACF_COMMAND_CONTEXT,
        mq.MQGACF_COMMAND_DATA,
    )
    assert (events[1].reason, events[1].version) == (rc.MQRC_COMMAND_MQSC, 3)
    assert context.members[-1].value == mq.MQCMD_CREATE_Q


@pytest.mark.parametrize(
    "written", ["'ses''ame'", "sesame", " 'sesame' ", "'L'", "'u'", "'LDAPPWD(x)'"]
)
def test_password_however_written_then_it_is_not_in_the_event(
    qmgr: QueueManager, written: str
) -> None:
    qmgr.mqsc("ALTER QMGR CMDEV(ENABLED)")
    qmgr.mqsc(
        "define authinfo(LDAP) authtype(CRLLDAP) conname('h') ldapuser('u') "
        f"ldappwd({written}) descr('seen')"
    )
    with qmgr.queue("SYSTEM.ADMIN.COMMAND.EVENT") as events:
        reported = [unpack_pcf(message.data) for message in events.browse()]
    data = [event.parameters[1].members[0].text for event in reported]
    text = next(one for one in data if one.startswith("define"))
    assert text.endswith("ldapuser('u') ldappwd('********') descr('seen')")


def test_no_password_leaves_in_an_event(qmgr: QueueManager) -> None:
    qmgr.mqsc("ALTER QMGR CMDEV(ENABLED) CONFIGEV(ENABLED)")
    answers = qmgr.mqsc(
        "DEFINE AUTHINFO(LDAP) AUTHTYPE(CRLLDAP) CONNAME('h') LDAPUSER('u') LDAPPWD('sesame')"
    )
    assert answers[-1].ok
    reported = repr(taken(qmgr, "COMMAND")) + repr(taken(qmgr, "CONFIG"))
    assert "LDAPPWD('********')" in reported
    assert "sesame" not in reported


def test_refresh_reports_every_object_and_can_be_narrowed(qmgr: QueueManager) -> None:
    refused = qmgr.mqsc("REFRESH QMGR TYPE(CONFIGEV)")
    assert not refused[0].ok
    qmgr.define_queue("Q")
    qmgr.mqsc("ALTER QMGR CONFIGEV(ENABLED)")
    taken(qmgr, "CONFIG")
    assert qmgr.mqsc("REFRESH QMGR TYPE(CONFIGEV) OBJECT(QLOCAL) NAME(Q)")[0].ok
    (event,) = taken(qmgr, "CONFIG")
    assert event.reason == rc.MQRC_CONFIG_REFRESH_OBJECT
    assert (mq.MQCA_Q_NAME, "Q") in values(event)
    assert not qmgr.mqsc("REFRESH QMGR TYPE(CONFIGEV) OBJECT(NONSENSE)")[0].ok
    qmgr.alter_queue("SYSTEM.ADMIN.CONFIG.EVENT", max_depth=100_000)
    taken(qmgr, "CONFIG")
    assert qmgr.mqsc("REFRESH QMGR TYPE(CONFIGEV)")[0].ok
    count = len(qmgr.started.shell.engine.kernel.catalog.all_definitions())
    assert len(taken(qmgr, "CONFIG")) == count


def test_a_new_log_extent_is_reported_by_loggerev() -> None:
    with Simulation(log_type="linear") as sim:
        qmgr = sim.start()
        qmgr.alter_qmgr(LOGGEREV="ENABLED")
        qmgr.define_queue("Q")
        queue = qmgr.queue("Q")
        while qmgr.log_extents().current == "S0000000.LOG":
            queue.put(bytes(20_000), persistent=True)
        sim.settle()
        (event,) = taken(qmgr, "LOGGER")
        assert (event.reason, event.command) == (rc.MQRC_LOGGER_STATUS, mq.MQCMD_LOGGER_EVENT)
        assert values(event)[:3] == [
            (mq.MQCA_Q_MGR_NAME, "QM1"),
            (mq.MQCACF_CURRENT_LOG_EXTENT_NAME, "S0000001.LOG"),
            (mq.MQCACF_RESTART_LOG_EXTENT_NAME, "S0000000.LOG"),
        ]


# ---- nothing touches the verb


def test_a_full_missing_or_inhibited_event_queue_loses_the_event_and_not_the_verb(
    qmgr: QueueManager, busy: ternmq.Queue
) -> None:
    events = qmgr.started.shell.engine.events.queues
    made = events.made
    qmgr.alter_queue("SYSTEM.ADMIN.PERFM.EVENT", max_depth=0)
    for _ in range(3):
        qmgr.alter_queue("Q", QDPHIEV="ENABLED", QDEPTHHI=0, QDEPTHLO=0)
        busy.put(b"x")
        lost = events.lost
        if lost == 1:
            assert "MQRC_Q_FULL" in events.last_loss
            qmgr.alter_queue("SYSTEM.ADMIN.PERFM.EVENT", max_depth=9, put="DISABLED")
        elif lost == 2:
            assert "MQRC_PUT_INHIBITED" in events.last_loss
            qmgr.delete_queue("SYSTEM.ADMIN.PERFM.EVENT")
    assert (events.lost, events.made) == (3, made)
    assert "is not a local queue" in events.last_loss
    assert busy.inquire(mq.MQIA_CURRENT_Q_DEPTH) == [3]


def test_event_queues_make_no_events_of_their_own(qmgr: QueueManager, busy: ternmq.Queue) -> None:
    qmgr.alter_queue("SYSTEM.ADMIN.PERFM.EVENT", max_depth=1, QDPHIEV="ENABLED")
    for _ in range(3):
        qmgr.alter_queue("Q", QDPHIEV="ENABLED", QDEPTHHI=0, QDEPTHLO=0)
        busy.put(b"x")
    assert reasons(taken(qmgr, "PERFM")) == [rc.MQRC_Q_DEPTH_HIGH]
    assert qmgr.started.shell.engine.events.queues.lost == 2


def test_an_event_is_as_persistent_as_its_queue_says(sim: Simulation, qmgr: QueueManager) -> None:
    qmgr.alter_qmgr(INHIBTEV="ENABLED")
    qmgr.define_queue("Q", put="DISABLED")
    for persistent in ("NO", "YES"):
        qmgr.alter_queue("SYSTEM.ADMIN.QMGR.EVENT", default_persistence=persistent)
        with pytest.raises(ternmq.Inhibited):
            qmgr.put("Q", b"x")
    qmgr.define_queue("P")
    qmgr.queue("P").put(b"x", persistent=True)  # forces the log
    sim.crash()
    qmgr = sim.start()
    assert reasons(taken(qmgr, "QMGR")) == [rc.MQRC_PUT_INHIBITED, rc.MQRC_Q_MGR_ACTIVE]


def test_an_event_waits_for_its_queue_to_be_loaded(sim: Simulation, qmgr: QueueManager) -> None:
    qmgr.alter_qmgr(INHIBTEV="ENABLED")
    qmgr.define_queue("Q", put="DISABLED")
    qmgr.alter_queue("SYSTEM.ADMIN.QMGR.EVENT", default_persistence="YES")
    with pytest.raises(ternmq.Inhibited):
        qmgr.put("Q", b"x")
    qmgr.close()
    qmgr = sim.start()  # its own event comes before anything of the queue is in memory
    with pytest.raises(ternmq.Inhibited):
        qmgr.put("Q", b"x")
    assert reasons(taken(qmgr, "QMGR")) == [
        rc.MQRC_PUT_INHIBITED,
        rc.MQRC_Q_MGR_NOT_ACTIVE,
        rc.MQRC_Q_MGR_ACTIVE,
        rc.MQRC_PUT_INHIBITED,
    ]
    assert qmgr.started.shell.engine.events.queues.lost == 0


def test_records_and_permanent_dynamic_queues_are_reported_too(qmgr: QueueManager) -> None:
    qmgr.alter_qmgr(CONFIGEV="ENABLED")
    taken(qmgr, "CONFIG")
    authority = "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('staff')"
    for authorities in ("AUTHADD(PUT)", "AUTHADD(GET)"):
        assert qmgr.mqsc(f"{authority} {authorities}")[0].ok
    assert qmgr.mqsc("DELETE AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('staff')")[0].ok
    rule = "SET CHLAUTH('*') TYPE(BLOCKUSER)"
    assert qmgr.mqsc(f"{rule} USERLIST('nobody')")[0].ok
    assert qmgr.mqsc(f"{rule} ACTION(REMOVEALL)")[0].ok
    reported = taken(qmgr, "CONFIG")
    assert reasons(reported[:4]) == [
        rc.MQRC_CONFIG_CREATE_OBJECT,
        rc.MQRC_CONFIG_CHANGE_OBJECT,
        rc.MQRC_CONFIG_CHANGE_OBJECT,
        rc.MQRC_CONFIG_DELETE_OBJECT,
    ]
    assert (mq.MQIACF_OBJECT_TYPE, mq.MQOT_AUTH_REC) in values(reported[0])
    assert (mq.MQCACF_AUTH_PROFILE_NAME, "Q") in values(reported[0])
    assert (mq.MQIACF_AUTHORIZATION_LIST, [mq.MQAUTH_OUTPUT]) in values(reported[1])
    rules = [one for one in reported if (mq.MQIACF_OBJECT_TYPE, mq.MQOT_CHLAUTH) in values(one)]
    assert reasons(rules)[-1] == rc.MQRC_CONFIG_DELETE_OBJECT
    qmgr.define_model("MODEL", definition_type="PERMDYN")
    taken(qmgr, "CONFIG")
    made = qmgr.queue("MODEL", dynamic_name="MADE", options=mq.MQOO_OUTPUT)
    made.close(delete=True)
    assert reasons(taken(qmgr, "CONFIG")) == [
        rc.MQRC_CONFIG_CREATE_OBJECT,
        rc.MQRC_CONFIG_DELETE_OBJECT,
    ]
