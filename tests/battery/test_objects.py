"""Opening and closing: sharing, aliases, dynamic queues, inquire and set, who holds what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import ternmq
from ternmq import QueueManager
from ternmq import constants as mq
from tests.battery.places import Place, needs_engine
from tests.mqi import mqi

pytestmark = pytest.mark.core

SHARED = mq.MQOO_INPUT_SHARED
EXCLUSIVE = mq.MQOO_INPUT_EXCLUSIVE
AS_DEFINED = mq.MQOO_INPUT_AS_Q_DEF


@pytest.mark.parametrize(
    ("attributes", "first", "second", "allowed"),
    [
        ({}, SHARED, SHARED, True),
        ({}, SHARED, EXCLUSIVE, False),
        ({}, EXCLUSIVE, SHARED, False),
        ({}, EXCLUSIVE, EXCLUSIVE, False),
        ({}, AS_DEFINED, AS_DEFINED, True),
        ({"default_input_open": "EXCL"}, AS_DEFINED, AS_DEFINED, False),
        ({"default_input_open": "EXCL"}, SHARED, SHARED, True),
        ({"shareable": "NOSHARE"}, AS_DEFINED, AS_DEFINED, False),
        ({"shareable": "NOSHARE"}, SHARED, SHARED, False),
        ({}, EXCLUSIVE, mq.MQOO_BROWSE, True),
        ({}, EXCLUSIVE, mq.MQOO_OUTPUT, True),
        ({}, EXCLUSIVE, mq.MQOO_INQUIRE, True),
    ],
)
def test_opens_for_input_share_or_exclude(
    qmgr: QueueManager, attributes: dict[str, Any], first: int, second: int, allowed: bool
) -> None:
    qmgr.define_queue("A", **attributes)
    other = qmgr.connect()
    queue = qmgr.queue("A", options=first)
    if allowed:
        other.queue("A", options=second).close()
    else:
        with pytest.raises(ternmq.ObjectInUse) as used:
            other.queue("A", options=second)
        assert used.value.reason == mq.MQRC_OBJECT_IN_USE
    queue.close()
    other.queue("A", options=second).close()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"default_input_open": "EXCL"}, {"default_input_open": "SHARED"}),
        ({"default_input_open": "SHARED"}, {"default_input_open": "EXCL"}),
        ({"shareable": "NOSHARE"}, {"shareable": "SHARE"}),
    ],
)
def test_close_when_the_defaults_have_changed_since_the_open_then_others_may_open(
    qmgr: QueueManager, before: dict[str, Any], after: dict[str, Any]
) -> None:
    qmgr.define_queue("A", **before)
    queue = qmgr.queue("A", options=AS_DEFINED)
    qmgr.alter_queue("A", **after)
    queue.close()
    with qmgr.queue("A", options=EXCLUSIVE), pytest.raises(ternmq.ObjectInUse):
        qmgr.queue("A", options=SHARED)


def test_exclusive_open_excludes_its_own_connection_too(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A", exclusive=True), pytest.raises(ternmq.ObjectInUse):
        qmgr.queue("A", options=SHARED)


def test_counts_of_handles_follow_opens_and_closes(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    other = qmgr.connect()
    counts = (mq.MQIA_OPEN_INPUT_COUNT, mq.MQIA_OPEN_OUTPUT_COUNT)
    with qmgr.queue("A") as queue:
        assert queue.inquire(*counts) == [0, 0]
        theirs = other.queue("A", options=SHARED | mq.MQOO_OUTPUT)
        other.queue("A", options=SHARED)
        assert queue.inquire(*counts) == [2, 1]
        theirs.close()
        assert queue.inquire(*counts) == [1, 0]
        other.disconnect()
        assert queue.inquire(*counts) == [0, 0]


def test_delete_and_clear_are_refused_while_the_queue_is_used(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"x")
        verbs: list[Callable[[], None]] = [
            lambda: qmgr.delete_queue("A"),
            lambda: qmgr.delete_queue("A", purge=True),
            lambda: qmgr.clear_queue("A"),
        ]
        for verb in verbs:
            with pytest.raises(ternmq.ObjectInUse):
                verb()
    with pytest.raises(ternmq.MQError) as full:
        qmgr.delete_queue("A")
    assert full.value.reason == mq.MQRC_Q_NOT_EMPTY
    qmgr.clear_queue("A")
    qmgr.delete_queue("A")
    with pytest.raises(ternmq.ObjectUnknown) as unknown:
        qmgr.queue("A")
    assert unknown.value.reason == mq.MQRC_UNKNOWN_OBJECT_NAME


def test_clear_is_refused_while_a_message_is_uncommitted(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"x", syncpoint=True)
    verbs: list[Callable[[], None]] = [
        lambda: qmgr.clear_queue("A"),
        lambda: qmgr.delete_queue("A", purge=True),
    ]
    for verb in verbs:
        with pytest.raises(ternmq.MQError) as refused:
            verb()
        assert refused.value.reason in (mq.MQRC_OBJECT_IN_USE, mq.MQRC_Q_NOT_EMPTY)
    qmgr.commit()
    qmgr.delete_queue("A", purge=True)


def test_cleared_and_deleted_messages_stay_gone_over_a_crash(place: Place) -> None:
    qmgr = place.qmgr
    for name in ("CLEARED", "DELETED"):
        qmgr.define_queue(name, persistent_buffer=65_536)
        with qmgr.queue(name) as queue:
            for _ in range(10):
                queue.put(bytes(20_000), persistent=True)
    qmgr.checkpoint()
    qmgr.clear_queue("CLEARED")
    qmgr.delete_queue("DELETED", purge=True)
    qmgr.define_queue("DELETED")
    for again in (place.crash, place.restart):
        qmgr = again()
        for name in ("CLEARED", "DELETED"):
            with qmgr.queue(name) as queue:
                assert queue.depth == 0
                assert queue.try_get() is None


# ---- aliases


def test_alias_leads_to_its_target_with_its_own_defaults_and_inhibits(qmgr: QueueManager) -> None:
    qmgr.define_queue("BASE", default_priority=1, default_persistence="NO")
    qmgr.define_alias("ALIAS", "BASE", default_priority=8, default_persistence="YES")
    with qmgr.queue("ALIAS") as alias, qmgr.queue("BASE") as base:
        alias.put(b"by alias")
        message = base.get()
        assert (message.data, message.priority, message.persistent) == (b"by alias", 8, True)
        base.put(b"by base")
        message = alias.get()
        assert (message.data, message.priority, message.persistent) == (b"by base", 1, False)
        qmgr.alter_queue("ALIAS", put="DISABLED")
        with pytest.raises(ternmq.Inhibited):
            alias.put(b"x")
        base.put(b"x")
        qmgr.alter_queue("ALIAS", put="ENABLED", get="DISABLED")
        with pytest.raises(ternmq.Inhibited):
            alias.get()
        with pytest.raises(ternmq.Inhibited):
            next(alias.browse())
        qmgr.alter_queue("BASE", get="DISABLED")
        qmgr.alter_queue("ALIAS", get="ENABLED")
        with pytest.raises(ternmq.Inhibited):
            alias.get()


def test_alias_when_its_target_is_wrong_then_the_open_fails(qmgr: QueueManager) -> None:
    qmgr.define_alias("NOWHERE", "NONE")
    qmgr.define_alias("CHAIN", "NOWHERE")
    qmgr.define_model("MODEL")
    qmgr.define_alias("OF.MODEL", "MODEL")
    for name, reason in (
        ("NOWHERE", mq.MQRC_UNKNOWN_ALIAS_BASE_Q),
        ("CHAIN", mq.MQRC_ALIAS_BASE_Q_TYPE_ERROR),
        ("OF.MODEL", mq.MQRC_ALIAS_BASE_Q_TYPE_ERROR),
    ):
        with pytest.raises(ternmq.MQError) as wrong:
            qmgr.queue(name)
        assert wrong.value.reason == reason


def test_inquire_of_an_alias_reports_the_alias(qmgr: QueueManager) -> None:
    qmgr.define_queue("BASE")
    qmgr.define_alias("ALIAS", "BASE", description="another name")
    with qmgr.queue("ALIAS") as queue:
        assert queue.inquire(
            mq.MQCA_Q_NAME, mq.MQIA_Q_TYPE, mq.MQCA_Q_DESC, mq.MQCA_BASE_Q_NAME
        ) == ["ALIAS", mq.MQQT_ALIAS, "another name", "BASE"]


def test_inquire_with_a_selector_of_another_type_then_the_others_have_their_values(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A", backout_threshold=3, backout_queue="B", description="text")
    selectors = (
        mq.MQIA_BACKOUT_THRESHOLD,
        mq.MQCA_BASE_Q_NAME,  # of an alias
        mq.MQCA_BACKOUT_REQ_Q_NAME,
        mq.MQIA_MAX_HANDLES,  # of the queue manager
        mq.MQCA_Q_DESC,
    )
    with qmgr.queue("A") as queue:
        with pytest.raises(ternmq.MQError) as warned:
            queue.inquire(*selectors)
        assert (warned.value.comp, warned.value.reason) == (1, mq.MQRC_SELECTOR_NOT_FOR_TYPE)
        not_there = mq.MQIAV_NOT_APPLICABLE
        assert warned.value.result == [3, "*" * 48, "B", not_there, "text"]
        for strange in (mq.MQCA_BASE_Q_NAME, mq.MQIA_MAX_HANDLES):
            assert str(strange) in warned.value.detail
        assert queue.inquire(mq.MQIA_BACKOUT_THRESHOLD) == [3]


# ---- dynamic queues


@pytest.mark.parametrize("kind", ["TEMPDYN", "PERMDYN"])
@pytest.mark.parametrize(
    ("pattern", "stem", "length"),
    [("AMQ.*", "AMQ.", 20), ("*", "", 16), ("REPLY", "REPLY", 5), ("A" * 32 + "*", "A" * 32, 48)],
)
def test_dynamic_name_is_made_from_the_pattern(
    qmgr: QueueManager, kind: str, pattern: str, stem: str, length: int
) -> None:
    qmgr.define_model("MODEL", definition_type=kind, default_priority=6)
    with qmgr.queue("MODEL", dynamic_name=pattern) as queue:
        assert queue.name.startswith(stem)
        assert len(queue.name) == length
        queue.put(b"x")
        assert queue.get().priority == 6
        wanted = mq.MQQDT_TEMPORARY_DYNAMIC if kind == "TEMPDYN" else mq.MQQDT_PERMANENT_DYNAMIC
        assert queue.inquire(mq.MQIA_DEFINITION_TYPE) == [wanted]
        if pattern.endswith("*"):
            with qmgr.queue("MODEL", dynamic_name=pattern) as second:
                assert second.name != queue.name
        else:
            with pytest.raises(ternmq.MQError) as taken:
                qmgr.queue("MODEL", dynamic_name=pattern)
            assert taken.value.reason == mq.MQRC_OBJECT_ALREADY_EXISTS


def test_temporary_queue_goes_with_its_creator(qmgr: QueueManager) -> None:
    qmgr.define_model("MODEL", definition_type="TEMPDYN", shareable="SHARE", DEFSOPT="SHARED")
    queue = qmgr.queue("MODEL")
    name = queue.name
    queue.put(b"x")
    with qmgr.connect() as other, other.queue(name) as theirs:
        assert theirs.get().data == b"x"
        theirs.put(b"y")
        queue.close()
        for verb in (lambda: theirs.put(b"z"), lambda: theirs.get(), lambda: theirs.depth):
            with pytest.raises(ternmq.MQError) as deleted:
                verb()
            assert deleted.value.reason == mq.MQRC_Q_DELETED
    assert name not in qmgr.queue_names()


def test_temporary_queue_goes_when_its_connection_ends(qmgr: QueueManager) -> None:
    needs_engine(qmgr)
    qmgr.define_model("MODEL", definition_type="TEMPDYN")
    for vanished in (False, True):
        other = qmgr.connect()
        name = other.queue("MODEL").name
        assert name in qmgr.queue_names()
        mqi(other).disconnect(vanished)
        assert name not in qmgr.queue_names()


def test_temporary_queue_takes_no_persistent_message(qmgr: QueueManager) -> None:
    qmgr.define_model("MODEL", definition_type="TEMPDYN")
    with qmgr.queue("MODEL") as queue, pytest.raises(ternmq.MQError) as refused:
        queue.put(b"x", persistent=True)
    assert refused.value.reason == mq.MQRC_PERSISTENT_NOT_ALLOWED


def test_permanent_queue_stays_until_it_is_deleted(place: Place) -> None:
    qmgr = place.qmgr
    qmgr.define_model("MODEL", definition_type="PERMDYN")
    with qmgr.queue("MODEL", dynamic_name="KEPT") as queue:
        queue.put(b"x", persistent=True)
    for again in (place.restart, place.crash):
        qmgr = again()
        with qmgr.queue("KEPT") as queue:
            assert queue.inquire(mq.MQIA_DEFINITION_TYPE) == [mq.MQQDT_PERMANENT_DYNAMIC]
            assert queue.depth == 1
    queue = qmgr.queue("KEPT")
    with pytest.raises(ternmq.MQError) as full:
        queue.close(delete=True)
    assert full.value.reason == mq.MQRC_Q_NOT_EMPTY
    queue.put(b"y", syncpoint=True)
    with pytest.raises(ternmq.MQError) as full:
        queue.close(purge=True)
    assert full.value.reason == mq.MQRC_Q_NOT_EMPTY
    qmgr.commit()
    queue.close(purge=True)
    assert "KEPT" not in qmgr.queue_names()
    assert "KEPT" not in place.crash().queue_names()


def test_close_with_delete_is_refused_for_predefined_queues(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    queue = qmgr.queue("A")
    for wanted in ({"delete": True}, {"purge": True}):
        with pytest.raises(ternmq.MQError) as refused:
            queue.close(**wanted)
        assert refused.value.reason == mq.MQRC_OPTION_NOT_VALID_FOR_TYPE
    queue.close()


def test_temporary_queue_leaves_nothing_over_a_crash(place: Place) -> None:
    qmgr = place.qmgr
    qmgr.define_model("MODEL", definition_type="TEMPDYN", nonpersistent_buffer=65_536)
    queue = qmgr.queue("MODEL")
    for _ in range(20):
        queue.put(bytes(20_000))
    qmgr.checkpoint()
    name = queue.name
    qmgr = place.crash()
    assert name not in qmgr.queue_names()
    assert qmgr.queue("MODEL").depth == 0


# ---- inquire and set


def test_inquire_answers_in_the_order_of_the_selectors(qmgr: QueueManager) -> None:
    qmgr.define_queue("A", max_depth=77, description="what it is for")
    with qmgr.queue("A") as queue:
        assert queue.inquire(
            mq.MQCA_Q_DESC, mq.MQIA_MAX_Q_DEPTH, mq.MQCA_Q_NAME, mq.MQIA_Q_TYPE
        ) == ["what it is for", 77, "A", mq.MQQT_LOCAL]
        queue.put(b"x")
        assert queue.inquire(mq.MQIA_CURRENT_Q_DEPTH) == [1]


def test_set_changes_what_applications_may_change(place: Place) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.set({mq.MQIA_INHIBIT_GET: mq.MQQA_GET_INHIBITED})
        assert queue.inquire(mq.MQIA_INHIBIT_GET, mq.MQIA_INHIBIT_PUT) == [1, 0]
    qmgr = place.crash()
    assert qmgr.attributes("A")["get"] == 1


def test_attributes_survive_restart_and_crash(place: Place) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A", max_depth=7, description="first")
    qmgr.alter_queue("A", description="second")
    qmgr.define_queue("A", replace=True, max_depth=8)
    qmgr.define_queue("B", max_depth=7)
    qmgr.alter_queue("B", put="DISABLED")
    qmgr.alter_qmgr(max_uncommitted=99)
    for again in (place.crash, place.restart, place.crash):
        qmgr = again()
        found = qmgr.attributes("A")
        # Replacing sets all attributes, as with IBM MQ.
        assert (found["max_depth"], found["description"]) == (8, "")
        assert (qmgr.attributes("B")["max_depth"], qmgr.attributes("B")["put"]) == (7, 1)
        assert qmgr.started.shell.engine.kernel.max_uncommitted == 99


def test_handles_are_limited(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    qmgr.define_model("MODEL")
    qmgr.alter_qmgr(max_handles=3)
    other = qmgr.connect()
    queues = [other.queue("A") for _ in range(3)]
    before = qmgr.queue_names()
    for name in ("A", "MODEL"):
        with pytest.raises(ternmq.MQError) as limit:
            other.queue(name)
        assert limit.value.reason == mq.MQRC_HANDLE_NOT_AVAILABLE
    assert qmgr.queue_names() == before  # no dynamic queue was left behind
    queues[0].close()
    other.queue("A")
