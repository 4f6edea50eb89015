"""Section C, second part: subscriptions that are there are resumed and altered."""

from __future__ import annotations

from ternmq import constants as mq
from tests.conformance.pubsub.bed import ALTER, Bed, C, D, M, R, reason_of

KEEP = mq.MQCO_KEEP_SUB
ANY = mq.MQSO_ANY_USERID
CORREL = mq.MQSO_SET_CORREL_ID


def test_c14_when_created_or_resumed_then_resumed(bed: Bed) -> None:
    bed.sub("a", M | D, "S1", action=C | R).end(KEEP)
    bed.pub("a", "while away")
    assert bed.sub("a", M | D, "S1", action=C | R).texts() == ["while away"]


def test_c15_when_alter_and_resume_then_as_alter(bed: Bed) -> None:
    bed.sub("a", M | D, "S1").end(KEEP)
    sub = bed.sub("a", M | D, "S1", action=ALTER | R, publication_priority=7)
    bed.pub("a")
    assert sub.get().priority == 7


def test_c16_when_user_is_another_then_2434(bed: Bed) -> None:
    one, two = bed.connect(user="u1"), bed.connect(user="u2")
    bed.sub("a", M | D, "S1", connection=one).end(KEEP)
    assert reason_of(bed.sub, "", M | D, "S1", action=R, connection=two) == 2434
    assert reason_of(bed.sub, "", M | D, "S1", action=ALTER, connection=two) == 2434
    assert reason_of(bed.sub, "", M | D, "S1", action=R, connection=one) == 0


def test_c17_when_any_user_then_the_last_one_is_its_user(bed: Bed) -> None:
    one, two = bed.connect(user="u1"), bed.connect(user="u2")
    bed.sub("a", M | D | ANY, "S1", connection=one).end(KEEP)
    sub = bed.sub("", M | D, "S1", action=R, connection=two)
    bed.pub("a")
    assert sub.get().descriptor.user_id.strip() == "u2"
    [answer] = [one for one in bed.mqsc("DISPLAY SBSTATUS(S1) SUBUSER") if "SUBUSER" in one]
    assert answer["SUBUSER"] == "u2"


def test_c18_when_owner_allows_any_user_then_others_resume(bed: Bed) -> None:
    one, two = bed.connect(user="u1"), bed.connect(user="u2")
    bed.sub("a", M | D, "S1", connection=one).end(KEEP)
    assert reason_of(bed.sub, "", M | D | ANY, "S1", action=ALTER, connection=two) == 2434
    bed.sub("", M | D | ANY, "S1", action=ALTER, connection=one).end(KEEP)
    assert reason_of(bed.sub, "", M | D, "S1", action=R, connection=two) == 0


def test_c19_when_user_data_altered_then_next_publication_has_it(bed: Bed) -> None:
    bed.sub("a", M | D, "S1", user_data="old").end(KEEP)
    bed.pub("a", "one")
    sub = bed.sub("", M | D, "S1", action=ALTER, user_data="new")
    bed.pub("a", "two")
    assert [sub.get().subscription_user_data for _ in range(2)] == ["old", "new"]


def test_c20_when_expiry_altered_and_over_then_gone(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    queue = bed.open("Q1", mq.MQOO_INPUT_SHARED)
    bed.sub("a", D, "S1", queue=queue).close(KEEP)
    bed.pub("a", "before")
    bed.sub("", D, "S1", action=ALTER, queue=queue, expiry=50).close(KEEP)
    bed.pass_time(4)
    assert "S1" in bed.kernel.topics.by_name
    bed.pass_time(2)
    assert "S1" not in bed.kernel.topics.by_name
    bed.pub("a", "after")
    assert reason_of(bed.sub, "", D, "S1", action=R) == 2428
    sub = bed.sub("other", 0, queue=queue)
    assert sub.texts() == ["before"]


def test_expiry_when_altered_again_and_again_then_it_holds_no_more_memory(bed: Bed) -> None:
    bed.sub("a", M | D, "S1").end()
    for expiry in range(1000, 1500):
        bed.mqsc(f"ALTER SUB(S1) EXPIRY({expiry})")
    topics = bed.kernel.topics
    assert len(topics.expiries) <= 2 * len(topics.by_id) + 64
    bed.mqsc("ALTER SUB(S1) EXPIRY(50)")
    bed.pass_time(6)
    assert "S1" not in topics.by_name


def test_c21_when_priority_altered_then_next_has_it(bed: Bed) -> None:
    sub = bed.sub("a", M | D, "S1", publication_priority=8)
    bed.pub("a")
    sub = bed.sub("", M | D, "S1", action=ALTER, publication_priority=2)
    bed.pub("a")
    assert [sub.get().priority for _ in range(2)] == [8, 2]


def test_c22_when_identity_altered_then_next_has_it(bed: Bed) -> None:
    bed.sub("a", M | D, "S1").end(KEEP)
    token = b"\x16" + b"T" * 31
    sub = bed.sub(
        "",
        M | D | mq.MQSO_SET_IDENTITY_CONTEXT,
        "S1",
        action=ALTER,
        publication_accounting_token=token,
        publication_appl_identity_data="I am",
    )
    bed.pub("a")
    md = sub.get().descriptor
    assert md.accounting_token == token
    assert md.appl_identity_data.strip() == "I am"


def test_c23_when_correl_id_altered_then_next_has_it(bed: Bed) -> None:
    bed.sub("a", M | D, "S1").end(KEEP)
    wanted = b"C" * 24
    sub = bed.sub("", M | D | CORREL, "S1", action=ALTER, correl_id=wanted)
    bed.pub("a")
    assert sub.get().correl_id == wanted


def test_c23_when_grouped_and_correl_id_altered_then_2515(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    queue = bed.open("Q1", mq.MQOO_INPUT_SHARED)
    options = D | CORREL | mq.MQSO_GROUP_SUB
    bed.sub("a", options, "S1", queue=queue, correl_id=b"1" * 24).close(KEEP)
    assert (
        reason_of(bed.sub, "", options, "S1", action=ALTER, queue=queue, correl_id=b"2" * 24)
        == 2515
    )
    assert (
        reason_of(bed.sub, "", options, "S1", action=ALTER, queue=queue, correl_id=b"1" * 24) == 0
    )


def test_c24_when_destination_altered_then_copies_go_there(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE QLOCAL(Q2)\nDEFINE QMODEL(TEMP) DEFTYPE(TEMPDYN)")
    one = bed.open("Q1", mq.MQOO_INPUT_SHARED)
    two = bed.open("Q2", mq.MQOO_INPUT_SHARED)
    temporary = bed.open("TEMP", mq.MQOO_INPUT_SHARED, dynamic_queue_name="T.*")
    bed.sub("a", D, "S1", queue=one).close(KEEP)
    sub = bed.sub("", D, "S1", action=ALTER, queue=two)
    bed.pub("a", "to two")
    assert (sub.queue_name, sub.texts()) == ("Q2", ["to two"])
    sub.close(KEEP)
    assert reason_of(bed.sub, "", D, "S1", action=ALTER, queue=temporary) == 2522


def test_c25_when_on_request_altered_then_takes_effect(bed: Bed) -> None:
    sub = bed.sub("a", M | D, "S1")
    on_request = mq.MQSO_PUBLICATIONS_ON_REQUEST
    sub = bed.sub("", M | D | on_request, "S1", action=ALTER)
    bed.pub("a", "not sent")
    sub = bed.sub("", M | D, "S1", action=ALTER)
    bed.pub("a", "sent")
    assert sub.texts() == ["sent"]


def test_c26_when_topic_altered_then_2510(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('a')")
    bed.sub("a/b", M | D, "S1").end(KEEP)
    assert reason_of(bed.sub, "a/c", M | D, "S1", action=ALTER) == 2510
    bed.sub("b", M | D, "S1", action=ALTER, object_name="T1").end(KEEP)
    bed.sub("", M | D, "S1", action=ALTER).end(KEEP)


def test_c27_to_c32_when_not_alterable_then_each_has_its_reason(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    queue = bed.open("Q1", mq.MQOO_INPUT_SHARED)
    bed.sub("a", M | D, "S1").end(KEEP)
    bed.sub("a", D, "P1", queue=queue).close(KEEP)
    bed.sub("a", M, "N1")
    found = {
        "C27": reason_of(bed.sub, "", M | D | mq.MQSO_WILDCARD_CHAR, "S1", action=ALTER),
        "C28": reason_of(bed.sub, "", M, "S1", action=ALTER),
        "C28 other": reason_of(bed.sub, "", M | D, "N1", action=ALTER),
        "C29": reason_of(bed.sub, "", M | D, "S1", action=ALTER, level=2),
        "C30": reason_of(bed.sub, "", M | D, "S1", action=ALTER, selector="x = 1"),
        "C31": reason_of(
            bed.sub, "", D | CORREL | mq.MQSO_GROUP_SUB, "P1", action=ALTER, queue=queue
        ),
        "C32": reason_of(bed.sub, "", D, "S1", action=ALTER, queue=queue),
        "C32 other": reason_of(bed.sub, "", D | M, "P1", action=ALTER),
    }
    assert found == {
        "C27": 2510,
        "C28": 2509,
        "C28 other": 2509,
        "C29": 2512,
        "C30": 2524,
        "C31": 2515,
        "C32": 2533,
        "C32 other": 2533,
    }
    assert 2435 not in found.values()  # C33
    assert reason_of(bed.sub, "", M | D, "S1", action=ALTER, level=1) == 0


def test_c39_when_resumed_then_original_expiry_is_returned(bed: Bed) -> None:
    bed.sub("a", M | D, "S1", expiry=50).end(KEEP)
    bed.pass_time(2)
    assert bed.sub("", M | D, "S1", action=R).sd.expiry == 50
    [answer] = [one for one in bed.mqsc("DISPLAY SUB(S1) EXPIRY") if "EXPIRY" in one]
    assert answer["EXPIRY"] == 50


def test_c41_when_resumed_then_selector_is_returned(bed: Bed) -> None:
    bed.sub("a", M | D, "S1", selector="colour = 'red'").end(KEEP)
    assert bed.sub("", M | D, "S1", action=R).call.selector == "colour = 'red'"


def test_c46_when_resumed_without_handle_then_its_queue(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    queue = bed.open("Q1", mq.MQOO_INPUT_SHARED)
    bed.sub("a", D, "S1", queue=queue).close(KEEP)
    bed.close_handle(queue)
    bed.pub("a", "one")
    sub = bed.sub("", D, "S1", action=R)
    assert (sub.queue_name, sub.texts()) == ("Q1", ["one"])
    sub.end(KEEP)
    bed.mqsc("DELETE QLOCAL(Q1)")
    handles = len(bed.kernel.connections)
    assert reason_of(bed.sub, "", D, "S1", action=R) == 2522
    assert len(bed.kernel.connections) == handles


def test_c46_when_resumed_with_handle_of_another_queue_then_2019(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE QLOCAL(Q2)")
    queue = bed.open("Q1", mq.MQOO_INPUT_SHARED)
    bed.sub("a", D, "S1", queue=queue).close(KEEP)
    other = bed.open("Q2", mq.MQOO_INPUT_SHARED)
    assert reason_of(bed.sub, "", D, "S1", action=R, queue=other) == 2019
    assert reason_of(bed.sub, "", D, "S1", action=R, queue=queue) == 0


def test_c67_when_unit_is_backed_out_then_subscription_stays(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    queue = bed.open("Q1", mq.MQOO_OUTPUT)
    bed.put(queue, "one", syncpoint=True)
    sub = bed.sub("a", M | D, "S1")
    bed.put(queue, "two", syncpoint=True)
    bed.connection.backout()
    bed.pub("a", "published")
    assert sub.texts() == ["published"]


def test_c68_when_resumed_then_descriptor_tells_all(bed: Bed) -> None:
    token = b"\x16" + b"T" * 31
    stored = M | D | ANY | CORREL | mq.MQSO_SET_IDENTITY_CONTEXT | mq.MQSO_SCOPE_QMGR
    bed.sub(
        "a/#",
        stored,
        "S1",
        user_data="data",
        selector="x = 1",
        expiry=5000,
        level=3,
        publication_priority=4,
        correl_id=b"C" * 24,
        publication_accounting_token=token,
        publication_appl_identity_data="I am",
    ).end(KEEP)
    sub = bed.sub("", M | D, "S1", action=R)
    sd = sub.sd
    assert sd.options == R | stored | mq.MQSO_WILDCARD_TOPIC
    assert (sd.expiry, sd.level, sd.publication_priority) == (5000, 3, 4)
    assert (sd.correl_id, sd.publication_accounting_token) == (b"C" * 24, token)
    assert sd.publication_appl_identity_data.strip() == "I am"
    assert (sub.call.user_data, sub.call.selector) == ("data", "x = 1")
    assert sub.call.resolved_string == "a/#"
    assert (sub.call.sub_name, sd.object_name) == ("S1", "")


def taken_up(bed: Bed, name: str, action: int) -> None:
    bed.sub("a", M | D, name, action=action).end(KEEP)


def test_c_actions_when_name_is_free_or_taken_then_as_the_table_says(bed: Bed) -> None:
    table = {  # docs/administration/subscriptions.md
        C: (0, 2432),
        R: (2428, 0),
        C | R: (0, 0),
        ALTER: (2428, 0),
        ALTER | R: (2428, 0),
        C | ALTER: (0, 0),
        C | ALTER | R: (0, 0),
    }
    bed.sub("a", M | D, "TAKEN").end(KEEP)
    for number, (action, expected) in enumerate(table.items()):
        names = (f"FREE{number}", "TAKEN")
        found = tuple(reason_of(taken_up, bed, name, action) for name in names)
        assert found == expected, action


def test_c28_when_resumed_without_durable_then_still_durable(bed: Bed) -> None:
    bed.sub("a", M | D, "S1").end(KEEP)
    sub = bed.sub("other", M, "S1", action=R)
    assert sub.sd.options & D
    assert sub.call.resolved_string == "a"
