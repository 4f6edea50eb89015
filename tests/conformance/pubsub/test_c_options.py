"""Section C, first part: MQSUB makes subscriptions; options, names and numbers that it refuses."""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from tests.bindings.bound import JAVA
from tests.conformance.pubsub.bed import ALTER, Bed, C, D, M, R, reason_of, reasons_of

FAR = "x" * 10_241


def test_c1_when_managed_without_name_then_temporary_queue(bed: Bed) -> None:
    sub = bed.sub("a", M)
    assert sub.queue.handle_id != sub.handle.handle_id
    assert sub.queue_name.startswith("SYSTEM.MANAGED.NDURABLE.")
    assert bed.inquire(sub.queue, mq.MQIA_DEFINITION_TYPE) == [mq.MQQDT_TEMPORARY_DYNAMIC]
    assert sub.sd.correl_id != mq.MQCI_NONE


def test_c2_when_durable_then_permanent_queue(bed: Bed) -> None:
    sub = bed.sub("a", M | D, "S1")
    assert sub.queue_name.startswith("SYSTEM.MANAGED.DURABLE.")
    assert bed.inquire(sub.queue, mq.MQIA_DEFINITION_TYPE) == [mq.MQQDT_PERMANENT_DYNAMIC]


def test_c3_when_no_action_or_unknown_bit_then_2046(bed: Bed) -> None:
    assert reason_of(bed.sub, "a", M, action=0) == 2046
    assert reason_of(bed.sub, "a", M | 0x400) == 2046


@pytest.mark.parametrize(
    ("options", "action"),
    [
        (mq.MQSO_GROUP_SUB | mq.MQSO_SET_CORREL_ID | M, C),
        (mq.MQSO_GROUP_SUB, C),
        (M | mq.MQSO_ANY_USERID | mq.MQSO_FIXED_USERID, C),
        (M | mq.MQSO_WILDCARD_CHAR | mq.MQSO_WILDCARD_TOPIC, C),
        (M | mq.MQSO_NEW_PUBLICATIONS_ONLY | mq.MQSO_PUBLICATIONS_ON_REQUEST, C),
        (M | mq.MQSO_NEW_PUBLICATIONS_ONLY, R),
        (M | mq.MQSO_READ_AHEAD | mq.MQSO_NO_READ_AHEAD, C),
    ],
)
def test_c4_c5_c6_when_options_exclude_each_other_then_2046(
    bed: Bed, options: int, action: int
) -> None:
    if bed.binding == JAVA and not options & M:
        pytest.skip("the client makes no MQSUB without a handle that is not for a managed queue")
    assert reason_of(bed.sub, "a", options, "S", action=action) == 2046


def test_c7_when_on_request_with_level_2_then_2046(bed: Bed) -> None:
    options = M | mq.MQSO_PUBLICATIONS_ON_REQUEST
    assert reason_of(bed.sub, "a", options, level=2) == 2046
    assert reason_of(bed.sub, "a", options, level=1) == 0


def test_c8_when_version_wrong_then_2424(bed: Bed) -> None:
    assert reasons_of([lambda: bed.sub("a", version=2), lambda: bed.sub("a", version=0)]) == [
        2424,
        2424,
    ]


def test_c9_when_name_is_missing_then_2440(bed: Bed) -> None:
    found = [
        reason_of(bed.sub, "a", M | D),
        reason_of(bed.sub, "a", M, action=C | R),
        reason_of(bed.sub, "a", M, action=R),
        reason_of(bed.sub, "a", M, action=ALTER),
    ]
    assert found == [2440] * 4


def test_c10_when_name_is_long_or_odd_then_ok_up_to_10240(bed: Bed) -> None:
    assert reason_of(bed.sub, "a", M | D, "x" * 10_240) == 0
    assert reason_of(bed.sub, "a", M | D, FAR) == 2440
    odd = "mit 'Blanks' und \u00c4\u00d6\u00dc"
    assert reason_of(bed.sub, "a", M | D, odd) == 0
    sub_id = next(one.sub_id for one in bed.kernel.topics.by_name.values() if one.name == odd)
    answers = bed.mqsc(f"DISPLAY SUB(*) SUBID({sub_id.hex().upper()})")
    assert [answer["SUB"] for answer in answers if "SUB" in answer] == [odd]


def test_c11_when_name_exists_then_2432(bed: Bed) -> None:
    bed.sub("a", M | D, "S1")
    bed.sub("a", M, "N1")
    found = [
        reason_of(bed.sub, "a", M | D, "S1"),
        reason_of(bed.sub, "b", M | D, "S1"),
        reason_of(bed.sub, "a", M, "N1"),
    ]
    assert found == [2432] * 3


def test_c12_when_name_is_unknown_then_2428(bed: Bed) -> None:
    assert reason_of(bed.sub, "a", M | D, "NO", action=R) == 2428
    assert reason_of(bed.sub, "a", M | D, "NO", action=ALTER) == 2428


def test_c13_when_open_elsewhere_then_2429_until_closed(bed: Bed) -> None:
    held = bed.sub("a", M | D, "S1")
    other = bed.connect()
    for action in (R, C | R, ALTER):
        assert reason_of(bed.sub, "a", M | D, "S1", action=action, connection=other) == 2429
    held.end(mq.MQCO_KEEP_SUB)
    for action in (R, C | R, ALTER):
        bed.sub("a", M | D, "S1", action=action, connection=other).end(mq.MQCO_KEEP_SUB)


def test_c34_when_default_subscription_resumed_then_2523(bed: Bed) -> None:
    assert reason_of(bed.sub, "", M | D, "SYSTEM.DEFAULT.SUB", action=R) == 2523


def test_c36_when_user_data_is_too_long_then_2431(bed: Bed) -> None:
    assert reason_of(bed.sub, "a", M, user_data="x" * 10_240) == 0
    assert reason_of(bed.sub, "a", M, user_data=FAR) == 2431


def test_c37_when_priority_is_out_of_range_then_2050(bed: Bed) -> None:
    assert reason_of(bed.sub, "a", M, publication_priority=10) == 2050
    assert reason_of(bed.sub, "a", M, publication_priority=-4) == 2050
    for priority in (0, 9, -1, -3):
        assert reason_of(bed.sub, "a", M, publication_priority=priority) == 0


def test_c41_when_selector_is_wrong_then_its_reason(bed: Bed) -> None:
    found = [
        reason_of(bed.sub, "a", M, selector="colour = "),
        reason_of(bed.sub, "a", M, selector="1 = 2"),
        reason_of(bed.sub, "a", M, selector="colour = '" + FAR + "'"),
    ]
    assert found == [2459, 2504, 2519]
    assert [name for name in bed.connection.queue_names() if "MANAGED" in name] == []


def test_c55_when_percent_escapes_nothing_then_2425(bed: Bed) -> None:
    assert reason_of(bed.sub, "a%b", M | mq.MQSO_WILDCARD_CHAR) == 2425
    assert reason_of(bed.sub, "a%", M | mq.MQSO_WILDCARD_CHAR) == 2425
    assert reason_of(bed.sub, "a%b", M) == 0


def test_c64_when_level_is_out_of_range_then_2424(bed: Bed) -> None:
    assert reason_of(bed.sub, "a", M, level=-1) == 2424
    assert reason_of(bed.sub, "a", M, level=10) == 2424


def test_c_expiry_when_not_positive_then_2013(bed: Bed) -> None:
    assert reason_of(bed.sub, "a", M, expiry=0) == 2013
    assert reason_of(bed.sub, "a", M, expiry=-2) == 2013


def test_c66_when_handles_are_used_up_then_2017(bed: Bed) -> None:
    bed.mqsc("ALTER QMGR MAXHANDS(10)")
    for _ in range(5):
        bed.sub("a", M)
    before = bed.connection.queue_names()
    assert reason_of(bed.sub, "a", M) == 2017
    assert bed.connection.queue_names() == before
