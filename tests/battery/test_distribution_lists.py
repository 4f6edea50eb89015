"""Distribution lists: opens, puts and reasons for each destination, units of work, restarts."""

from __future__ import annotations

from typing import Any

import pytest

import ternmq
from ternmq import PutRecord, QueueManager
from ternmq import constants as mq
from ternmq.api.list_arguments import Target
from ternmq.codec.mqi.list_records import Destination
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.mqi.getting import get_request
from ternmq.values.calls.lists import OpenList
from ternmq.values.calls.objects import Close, Inquire, Open, SetAttributes
from tests.battery.places import Place, Task, until, waiters

pytestmark = pytest.mark.core

OPEN_FAILED = (mq.MQCC_FAILED, mq.MQRC_OPEN_FAILED)
DONE = (mq.MQCC_OK, mq.MQRC_NONE)


def failed(reason: int) -> tuple[int, int]:
    return mq.MQCC_FAILED, reason


def define(qmgr: QueueManager, names: str = "ABC", **attributes: Any) -> None:
    for name in names:
        qmgr.define_queue(name, **attributes)


def results(found: ternmq.ListOutcome) -> list[tuple[int, int]]:
    return [(one.comp, one.reason) for one in found.destinations]


def counts(found: ternmq.ListOutcome) -> tuple[int, int, int]:
    return found.known, found.unknown, found.invalid


def bodies(qmgr: QueueManager, name: str) -> list[bytes]:
    with qmgr.queue(name) as queue:
        return [message.data for message in queue.browse()]


def open_for_output(qmgr: QueueManager, name: str) -> Any:
    with qmgr.queue(name) as queue:
        return queue.inquire(mq.MQIA_OPEN_OUTPUT_COUNT)[0]


# ---- open


def test_open_when_all_destinations_are_there_then_no_reason(qmgr: QueueManager) -> None:
    define(qmgr)
    with qmgr.open_list(["A", "B", ("C", "QM1")]) as opened:
        found = opened.opened
        assert (found.comp, found.reason) == DONE
        assert counts(found) == (3, 0, 0)
        assert found.ok
        assert open_for_output(qmgr, "A") == 1


def test_open_when_some_fail_then_the_others_are_open_and_each_has_its_reason(
    qmgr: QueueManager,
) -> None:
    define(qmgr)
    qmgr.define_model("MODEL")
    qmgr.define_alias("TO.NOTHING", "NOWHERE")
    qmgr.define_alias("TO.B", "B")
    targets: list[Target] = ["A", "NOPE", "MODEL", "TO.NOTHING", "TO.B", ("X", "QM9"), "x" * 60]
    with qmgr.open_list(targets) as opened:
        found = opened.opened
        assert (found.comp, found.reason) == (mq.MQCC_WARNING, mq.MQRC_MULTIPLE_REASONS)
        assert results(found) == [
            DONE,
            failed(mq.MQRC_UNKNOWN_OBJECT_NAME),
            failed(mq.MQRC_Q_TYPE_ERROR),
            failed(mq.MQRC_UNKNOWN_ALIAS_BASE_Q),
            DONE,
            failed(mq.MQRC_UNKNOWN_REMOTE_Q_MGR),
            failed(mq.MQRC_UNKNOWN_OBJECT_NAME),
        ]
        assert counts(found) == (2, 0, 5)
        put = opened.put(b"there")
        assert (put.comp, put.reason) == (mq.MQCC_WARNING, mq.MQRC_MULTIPLE_REASONS)
        assert results(put) == [DONE, *[OPEN_FAILED] * 3, DONE, *[OPEN_FAILED] * 2]
        assert counts(put) == (2, 0, 5)
    assert (bodies(qmgr, "A"), bodies(qmgr, "B")) == ([b"there"], [b"there"])


def test_open_when_all_fail_alike_then_that_reason(qmgr: QueueManager) -> None:
    with pytest.raises(ternmq.MQError) as refused:
        qmgr.open_list(["N1", "N2"])
    error = refused.value
    assert (error.comp, error.reason) == failed(mq.MQRC_UNKNOWN_OBJECT_NAME)
    assert results(error.result) == [failed(mq.MQRC_UNKNOWN_OBJECT_NAME)] * 2
    assert counts(error.result) == (0, 0, 2)


def test_open_when_all_fail_differently_then_multiple_reasons_as_a_failure(
    qmgr: QueueManager,
) -> None:
    qmgr.define_model("MODEL")
    with pytest.raises(ternmq.MQError) as refused:
        qmgr.open_list(["N1", "MODEL"])
    error = refused.value
    assert (error.comp, error.reason) == failed(mq.MQRC_MULTIPLE_REASONS)
    wanted = [failed(mq.MQRC_UNKNOWN_OBJECT_NAME), failed(mq.MQRC_Q_TYPE_ERROR)]
    assert results(error.result) == wanted


@pytest.mark.parametrize(
    "options",
    [
        mq.MQOO_OUTPUT | mq.MQOO_INQUIRE,
        mq.MQOO_INPUT_SHARED,
        mq.MQOO_OUTPUT | mq.MQOO_BROWSE,
        mq.MQOO_OUTPUT | mq.MQOO_SET,
        mq.MQOO_FAIL_IF_QUIESCING,
        mq.MQOO_OUTPUT | mq.MQOO_RESOLVE_LOCAL_Q,
    ],
)
def test_open_when_not_for_output_alone_then_options_error(
    qmgr: QueueManager, options: int
) -> None:
    define(qmgr, "A")
    with pytest.raises(ternmq.MQError) as refused:
        qmgr.open_list(["A"], options=options)
    assert refused.value.reason == mq.MQRC_OPTIONS_ERROR
    assert open_for_output(qmgr, "A") == 0


@pytest.mark.parametrize(
    ("od", "reason"),
    [
        (ObjectDescriptor(object_name="A"), mq.MQRC_OBJECT_NAME_ERROR),
        (ObjectDescriptor(object_qmgr_name="QM1"), mq.MQRC_OBJECT_Q_MGR_NAME_ERROR),
        (ObjectDescriptor(object_type=mq.MQOT_PROCESS), mq.MQRC_RECS_PRESENT_ERROR),
    ],
)
def test_open_when_the_descriptor_is_not_that_of_a_list_then_its_reason(
    qmgr: QueueManager, od: ObjectDescriptor, reason: int
) -> None:
    define(qmgr, "A")
    with pytest.raises(ternmq.MQError) as refused:
        qmgr.run(OpenList(od, [Destination("A")], mq.MQOO_OUTPUT)).answer()
    assert refused.value.reason == reason


def test_open_without_destinations_then_object_records_error(qmgr: QueueManager) -> None:
    for ask in (lambda: qmgr.open_list([]), lambda: qmgr.put_to([], b"x")):
        with pytest.raises(ternmq.MQError) as refused:
            ask()
        assert refused.value.reason == mq.MQRC_OBJECT_RECORDS_ERROR


def test_open_when_a_single_queue_comes_with_a_count_of_records_then_refused(
    qmgr: QueueManager,
) -> None:
    define(qmgr, "A")
    for count, reason in (
        (1, mq.MQRC_OBJECT_RECORDS_ERROR),
        (-1, mq.MQRC_RECS_PRESENT_ERROR),
    ):
        od = ObjectDescriptor(object_name="A", records_present=count)
        with pytest.raises(ternmq.MQError) as refused:
            qmgr.run(Open(od, mq.MQOO_OUTPUT))
        assert refused.value.reason == reason


def test_open_when_there_are_too_many_handles_then_all_of_it_fails(qmgr: QueueManager) -> None:
    define(qmgr, "A")
    qmgr.alter_qmgr(max_handles=5)
    with pytest.raises(ternmq.MQError) as refused:
        qmgr.open_list(["A"] * 6)
    assert refused.value.reason == mq.MQRC_HANDLE_NOT_AVAILABLE
    with qmgr.open_list(["A"] * 4) as opened:  # each counts, the list itself does not
        assert opened.put(b"x").known == 4
        assert open_for_output(qmgr, "A") == 4
    assert open_for_output(qmgr, "A") == 0


def test_list_when_used_for_anything_but_a_put_then_refused(qmgr: QueueManager) -> None:
    define(qmgr, "A")
    call = qmgr.run(OpenList(ObjectDescriptor(), [Destination("A")], mq.MQOO_OUTPUT))
    handle = call.answer()
    for asked, reason in (
        (Inquire(handle, [mq.MQIA_CURRENT_Q_DEPTH]), mq.MQRC_NOT_OPEN_FOR_INQUIRE),
        (SetAttributes(handle, {mq.MQIA_INHIBIT_PUT: 1}), mq.MQRC_NOT_OPEN_FOR_SET),
        (Close(handle, mq.MQCO_DELETE), mq.MQRC_OPTION_NOT_VALID_FOR_TYPE),
    ):
        with pytest.raises(ternmq.MQError) as refused:
            qmgr.run(asked)
        assert refused.value.reason == reason
    request = get_request(ternmq.Descriptor(), GetOptions(), 100, True)
    with pytest.raises(ternmq.MQError) as refused:
        qmgr.transport.get(handle, request)
    assert refused.value.reason == mq.MQRC_NOT_OPEN_FOR_INPUT
    qmgr.run(Close(handle))
    with pytest.raises(ternmq.MQError) as refused:
        qmgr.run(Close(handle))
    assert refused.value.reason == mq.MQRC_HOBJ_ERROR


# ---- put


@pytest.mark.parametrize("persistent", [False, True])
def test_put_then_each_destination_has_its_message_with_its_own_identifier(
    qmgr: QueueManager, persistent: bool
) -> None:
    define(qmgr)
    with qmgr.open_list(["A", "B", "A", "C"]) as opened:
        found = opened.put(b"for all", persistent=persistent, priority=4, correl_id=b"c" * 24)
    assert (found.comp, found.reason, counts(found)) == (0, 0, (4, 0, 0))
    ids = [one.msg_id for one in found.destinations]
    assert len(set(ids)) == 4
    for name, wanted in (("A", [ids[0], ids[2]]), ("B", [ids[1]]), ("C", [ids[3]])):
        with qmgr.queue(name) as queue:
            got = [queue.get() for _ in wanted]
        assert [one.msg_id for one in got] == wanted
        assert {(one.data, one.priority, one.persistent) for one in got} == {
            (b"for all", 4, persistent)
        }
        assert {one.correl_id for one in got} == {b"c" * 24}
    assert {one.correl_id for one in found.destinations} == {b"c" * 24}


@pytest.mark.parametrize("persistent", [False, True])
def test_put_with_records_then_each_destination_has_its_own_fields(
    qmgr: QueueManager, persistent: bool
) -> None:
    define(qmgr)
    records = [
        PutRecord(b"m1".ljust(24), b"c1".ljust(24), feedback=66_000),
        PutRecord(correl_id=b"c2".ljust(24), accounting_token=b"t2".ljust(32, b"\0")),
    ]
    md = ternmq.Descriptor(accounting_token=b"t".ljust(32, b"\0"), feedback=65_536)
    md.correl_id = b"shared".ljust(24)
    options = mq.MQOO_OUTPUT | mq.MQOO_SET_IDENTITY_CONTEXT
    with qmgr.open_list(["A", "B", "C"], options=options) as opened:
        found = opened.put(
            b"x",
            descriptor=md,
            persistent=persistent,
            options=mq.MQPMO_SET_IDENTITY_CONTEXT,
            records=records,
        )
    got = []
    for name in "ABC":
        with qmgr.queue(name) as queue:
            got.append(queue.get().descriptor)
    assert got[0].msg_id == b"m1".ljust(24)
    assert [one.msg_id for one in got] == [one.msg_id for one in found.destinations]
    correlations = [b"c1".ljust(24), b"c2".ljust(24), b"shared".ljust(24)]
    assert [one.correl_id for one in got] == correlations
    assert [one.correl_id for one in found.destinations] == correlations
    assert [one.feedback for one in got] == [66_000, 65_536, 65_536]
    assert [one.accounting_token[:2] for one in got] == [b"t\0", b"t2", b"t\0"]


def test_put_with_new_identifiers_then_one_correlation_and_many_messages(
    qmgr: QueueManager,
) -> None:
    define(qmgr)
    options = mq.MQPMO_NEW_MSG_ID | mq.MQPMO_NEW_CORREL_ID
    records = [PutRecord(b"m".ljust(24), b"c".ljust(24))] * 3
    found = qmgr.put_to(["A", "B", "C"], b"x", options=options, records=records)
    ids = {one.msg_id for one in found.destinations}
    correlations = {one.correl_id for one in found.destinations}
    assert len(ids) == 3
    assert b"m".ljust(24) not in ids
    assert len(correlations) == 1
    assert correlations != {b"c".ljust(24)}
    for name, outcome in zip("ABC", found.destinations, strict=True):
        with qmgr.queue(name) as queue:
            got = queue.get()
        assert (got.msg_id, got.correl_id) == (outcome.msg_id, outcome.correl_id)


def test_put_with_a_token_when_context_is_not_set_then_record_flags_error(
    qmgr: QueueManager,
) -> None:
    define(qmgr)
    with qmgr.open_list(["A", "B"]) as opened, pytest.raises(ternmq.MQError) as refused:
        opened.put(b"x", records=[PutRecord(accounting_token=b"t" * 32)])
    assert refused.value.reason == mq.MQRC_PMO_RECORD_FLAGS_ERROR
    with pytest.raises(ternmq.MQError) as refused:
        qmgr.put_to(["A", "B"], b"x", records=[PutRecord(accounting_token=b"t" * 32)])
    assert refused.value.reason == mq.MQRC_PMO_RECORD_FLAGS_ERROR
    assert (bodies(qmgr, "A"), bodies(qmgr, "B")) == ([], [])


def test_put_of_a_group_then_each_destination_has_a_group_of_its_own(qmgr: QueueManager) -> None:
    define(qmgr)
    md = ternmq.Descriptor(msg_flags=mq.MQMF_MSG_IN_GROUP)
    found = qmgr.put_to(["A", "B", "C"], b"x", descriptor=md)
    groups = [one.group_id for one in found.destinations]
    assert len(set(groups)) == 3
    for name, group in zip("ABC", groups, strict=True):
        with qmgr.queue(name) as queue:
            assert queue.get().descriptor.group_id == group
    md.group_id = b"g" * 24
    with pytest.raises(ternmq.MQError) as refused:
        qmgr.put_to(["A", "B"], b"x", descriptor=md)
    assert refused.value.reason == mq.MQRC_GROUP_ID_ERROR


@pytest.mark.parametrize("persistent", [False, True])
def test_put_when_one_queue_is_full_and_one_inhibited_then_the_others_have_it(
    qmgr: QueueManager, inside: bool, persistent: bool
) -> None:
    define(qmgr, "ABCD")
    qmgr.alter_queue("B", max_depth=1)
    qmgr.put("B", b"first")
    qmgr.alter_queue("C", put="DISABLED")
    with qmgr.open_list(["A", "B", "C", "D"]) as opened:
        if inside:
            qmgr.begin()
        found = opened.put(b"x", persistent=persistent)
        if inside:
            qmgr.commit()
    assert (found.comp, found.reason) == (mq.MQCC_WARNING, mq.MQRC_MULTIPLE_REASONS)
    full, inhibited = failed(mq.MQRC_Q_FULL), failed(mq.MQRC_PUT_INHIBITED)
    assert results(found) == [DONE, full, inhibited, DONE]
    assert counts(found) == (2, 0, 2)
    assert [one.queue for one in found.failed()] == ["B", "C"]
    assert [bodies(qmgr, name) for name in "ABCD"] == [[b"x"], [b"first"], [], [b"x"]]


def test_put_when_all_are_inhibited_then_that_reason(qmgr: QueueManager) -> None:
    define(qmgr, put="DISABLED")
    with qmgr.open_list(["A", "B"]) as opened, pytest.raises(ternmq.Inhibited) as refused:
        opened.put(b"x")
    assert refused.value.reason == mq.MQRC_PUT_INHIBITED
    assert counts(refused.value.result) == (0, 0, 2)


def test_put_when_a_queue_was_deleted_since_then_its_own_reason(qmgr: QueueManager) -> None:
    define(qmgr, "AB")
    other = qmgr.connect()
    qmgr.define_model("MODEL")
    with other.queue("MODEL", dynamic_name="DYN.*") as dynamic:
        opened = qmgr.open_list(["A", dynamic.name, "B"])
    found = opened.put(b"x")
    assert results(found) == [DONE, failed(mq.MQRC_Q_DELETED), DONE]
    opened.close()


def test_put_by_defaults_of_the_queues_then_each_has_its_own(qmgr: QueueManager) -> None:
    qmgr.define_queue("A", default_persistence="YES", default_priority=7)
    qmgr.define_queue("B")
    qmgr.define_queue("C", default_persistence="YES")
    qmgr.define_alias("D", "B", default_priority=3)
    assert qmgr.put_to(["A", "B", "C", "D"], b"x").ok
    with qmgr.queue("A") as a, qmgr.queue("B") as b, qmgr.queue("C") as c:
        assert [(one.persistent, one.priority) for one in a.browse()] == [(True, 7)]
        assert [(one.persistent, one.priority) for one in b.browse()] == [(False, 3), (False, 0)]
        assert [(one.persistent, one.priority) for one in c.browse()] == [(True, 0)]


def test_put_with_properties_then_all_have_them(qmgr: QueueManager) -> None:
    define(qmgr)
    assert qmgr.put_to(["A", "B"], b"x", persistent=True, properties={"colour": "red"}).ok
    for name in "AB":
        with qmgr.queue(name) as queue:
            assert dict(queue.get().properties) == {"colour": "red"}


@pytest.mark.parametrize("persistent", [False, True])
def test_put_when_gets_wait_then_they_are_served(qmgr: QueueManager, persistent: bool) -> None:
    define(qmgr, "AB")
    getters = []
    for name in "AB":
        other = qmgr.connect()
        getters.append(Task(lambda other=other, name=name: other.queue(name).get(wait=20).data))  # type: ignore[misc]
    until(lambda: waiters(qmgr) == 2)
    assert qmgr.put_to(["A", "B"], b"at last", persistent=persistent).ok
    assert [one.outcome() for one in getters] == [b"at last"] * 2


# ---- units of work


@pytest.mark.parametrize("persistent", [False, True])
def test_put_inside_syncpoint_then_commit_shows_all_and_backout_none(
    qmgr: QueueManager, persistent: bool
) -> None:
    define(qmgr)
    other = qmgr.connect()
    with qmgr.open_list(["A", "B", "A", "C"]) as opened:
        qmgr.begin()
        assert opened.put(b"gone", persistent=persistent).known == 4
        assert not other.queue("A").try_get()
        qmgr.backout()
        assert [bodies(qmgr, name) for name in "ABC"] == [[], [], []]
        qmgr.begin()
        assert opened.put(b"kept", persistent=persistent).known == 4
        assert qmgr.put_to(["B"], b"too", persistent=persistent).known == 1
        qmgr.commit()
    assert [bodies(qmgr, name) for name in "ABC"] == [[b"kept"] * 2, [b"kept", b"too"], [b"kept"]]


def test_put_when_maxumsgs_is_reached_then_the_rest_has_its_reason(qmgr: QueueManager) -> None:
    define(qmgr, "ABCDE")
    qmgr.alter_qmgr(max_uncommitted=3)
    for persistent in (False, True):
        qmgr.begin()
        found = qmgr.put_to(["A", "B", "C", "D", "E"], b"x", persistent=persistent)
        qmgr.backout()
        limit = failed(mq.MQRC_SYNCPOINT_LIMIT_REACHED)
        assert results(found) == [DONE, DONE, DONE, limit, limit]


@pytest.mark.parametrize("ends", ["commit", "crash"])
def test_put_inside_syncpoint_when_it_crashes_then_all_or_none(place: Place, ends: str) -> None:
    qmgr = place.qmgr
    define(qmgr)
    md = ternmq.Descriptor(feedback=70_000)
    records = [PutRecord(b"m1".ljust(24), b"c1".ljust(24), feedback=66_000), PutRecord()]
    qmgr.begin()
    found = qmgr.put_to(["A", "B", "C"], b"x", persistent=True, records=records, descriptor=md)
    if ends == "commit":
        qmgr.commit()
    again = place.crash()
    for name, outcome in zip("ABC", found.destinations, strict=True):
        with again.queue(name) as queue:
            message = queue.try_get()
            if ends == "crash":
                assert message is None
                continue
            assert message is not None
            assert (message.data, message.msg_id) == (b"x", outcome.msg_id)
            assert message.correl_id == outcome.correl_id
            assert message.descriptor.feedback == (66_000 if name == "A" else 70_000)


def test_put_outside_syncpoint_when_it_crashes_then_what_was_answered_is_there(
    place: Place,
) -> None:
    qmgr = place.qmgr
    define(qmgr)
    qmgr.alter_queue("B", cap_expiry=36_000)
    found = qmgr.put_to(["A", "B", "C", "A"], b"x", persistent=True, expiry=7200)
    again = place.crash()
    for name in "ABC":
        with again.queue(name) as queue:
            messages = list(queue.browse())
        wanted = [one.msg_id for one in found.destinations if one.queue == name]
        assert [one.msg_id for one in messages] == wanted
        assert {one.data for one in messages} == {b"x"}
        tenths = messages[0].descriptor.expiry
        assert (tenths <= 36_000) == (name == "B")
        assert tenths > 35_000


# ---- long lists


@pytest.mark.parametrize("persistent", [False, True])
def test_put_to_a_thousand_then_all_have_it(qmgr: QueueManager, persistent: bool) -> None:
    qmgr.alter_qmgr(max_handles=2000)
    define(qmgr)
    qmgr.mqsc("".join(f"DEFINE QLOCAL(L.{number})\n" for number in range(100)))
    targets = [f"L.{number % 100}" for number in range(1000)]
    with qmgr.open_list(targets) as opened:
        found = opened.put(b"x", persistent=persistent)
    assert (found.reason, found.known) == (0, 1000)
    assert len({one.msg_id for one in found.destinations}) == 1000
    for number in (0, 57, 99):
        with qmgr.queue(f"L.{number}") as queue:
            assert queue.depth == 10
        assert open_for_output(qmgr, f"L.{number}") == 0
