"""Rows F1 to F6 and F18 to F20, C65, E19 and E31 of publish/subscribe: what a restart finds.
Method: real queue managers, ended, killed, and without power, with publications under way.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from ternmq import Connection
from ternmq import constants as mq
from ternmq.base.reasons import MQRC_DURABILITY_NOT_ALLOWED, MQRC_PUBLICATION_FAILURE
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.pubsub.subscription_message import SUBSCRIBER_QUEUE
from ternmq.runtime.embedded import QueueManager
from ternmq.testing.simulation import crash_everywhere
from ternmq.values.calls.topics import Subscribe
from tests.battery.places import until
from tests.bindings.elsewhere import Elsewhere
from tests.conformance.pubsub.bed import ALTER, Bed, D, M, R, get, reason_of
from tests.conformance.pubsub.crash_bed import CrashBed

HOW = ("end", "kill", "crash")


@pytest.fixture
def crashing() -> Iterator[CrashBed]:
    made = CrashBed()
    yield made
    made.close()


def publish_ten(bed: Bed) -> None:
    for number in range(10):
        bed.pub("f/1", f"{number}", persistent=number % 2 == 0)


def check_resumed(bed: Bed, sub_id: bytes, left: list[str]) -> None:
    again = bed.sub("f/1", M | D, "S1", action=R)
    subscription = bed.kernel.topics.by_name["S1"]
    assert subscription.sub_id == sub_id
    assert again.sd.options & (D | M) == D | M
    assert again.texts() == left
    again.end(mq.MQCO_REMOVE_SUB)


def test_f1_durable_managed_when_ended_and_started_then_it_is_as_before(lasting: Bed) -> None:
    lasting.sub("f/1", M | D, "S1").end(mq.MQCO_KEEP_SUB)
    sub_id = lasting.kernel.topics.by_name["S1"].sub_id
    publish_ten(lasting)
    lasting.restart()
    check_resumed(lasting, sub_id, ["0", "2", "4", "6", "8"])


@pytest.mark.parametrize("how", HOW)
def test_f1_durable_managed_when_killed_then_it_is_as_before(crashing: CrashBed, how: str) -> None:
    crashing.sub("f/1", M | D, "S1")
    sub_id = crashing.pubsub.by_name["S1"].sub_id
    publish_ten(crashing)
    crashing.restart(how)
    check_resumed(crashing, sub_id, ["0", "2", "4", "6", "8"])
    crashing.restart(how)
    assert crashing.managed() == []


def test_f2_thousand_durable_when_half_is_deleted_then_few_messages_and_all_are_right(
    crashing: CrashBed,
) -> None:
    crashing.mqsc("DEFINE QLOCAL(FQ)")
    handle = crashing.open("FQ", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT)
    for number in range(1000):
        one = crashing.sub(f"f/2/{number}", D, f"S{number}", queue=handle)
        one.close(mq.MQCO_REMOVE_SUB if number % 2 else mq.MQCO_KEEP_SUB)
    crashing.tick(10)
    assert crashing.depth(SUBSCRIBER_QUEUE) < 100
    crashing.crash()
    assert len(crashing.pubsub.by_name) == 500
    assert all(f"S{number}" in crashing.pubsub.by_name for number in range(0, 1000, 2))
    for number in (0, 1, 498, 998, 999):
        crashing.pub(f"f/2/{number}", f"{number}")
    assert crashing.depth("FQ") == 3


@pytest.mark.parametrize("how", HOW)
def test_f5_non_durable_when_the_queue_manager_ends_then_nothing_of_it_is_left(
    crashing: CrashBed, how: str
) -> None:
    crashing.sub("f/5", M)
    assert len(crashing.managed()) == 1
    crashing.pub("f/5", "x", persistent=True)
    crashing.restart(how)
    assert crashing.managed() == []
    assert not crashing.pubsub.by_id


def test_f5_non_durable_when_its_queue_is_permanent_then_that_goes_too(crashing: CrashBed) -> None:
    crashing.mqsc("DEFINE QMODEL(PERM) DEFTYPE(PERMDYN)\nDEFINE QLOCAL(SYSTEM.MANAGED.DURABLE.X)")
    crashing.open("PERM", mq.MQOO_INPUT_SHARED, dynamic_queue_name="SYSTEM.MANAGED.NDURABLE.*")
    assert len(crashing.managed()) == 2
    crashing.kill()
    assert crashing.managed() == ["SYSTEM.MANAGED.DURABLE.X"]  # a queue that was defined


def test_f18_provided_queue_when_it_is_deleted_then_the_subscription_stays(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(FQ)")
    handle = bed.open("FQ", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT)
    bed.sub("f/18", D, "S1", queue=handle).close(mq.MQCO_KEEP_SUB)
    bed.close_handle(handle)
    bed.mqsc("DELETE QLOCAL(FQ)")
    assert "S1" in bed.kernel.topics.by_name
    assert reason_of(bed.pub, "f/18", "x", persistent=True) == MQRC_PUBLICATION_FAILURE
    bed.pub("f/18", "x", persistent=False)
    bed.mqsc("DEFINE QLOCAL(FQ)")
    bed.pub("f/18", "y")
    handle = bed.open("FQ", mq.MQOO_INPUT_SHARED)
    assert [one.text for one in iter(lambda: get(bed.connection, handle), None)] == ["y"]


def managed(bed: Bed) -> list[str]:
    """The managed queues of durable subscriptions that there are."""
    names = bed.kernel.catalog.definitions
    return [one for one in names if one.startswith("SYSTEM.MANAGED.DURABLE.")]


@pytest.mark.parametrize("by_command", [True, False], ids=["DELETE SUB", "MQCLOSE"])
def test_f19_delete_when_its_queue_is_open_then_the_queue_goes_with_the_last_close(
    bed: Bed, by_command: bool
) -> None:
    one = bed.sub("f/19", M | D, "S1")
    other = bed.connect()
    reader = bed.open(one.queue_name, mq.MQOO_INPUT_SHARED, connection=other)
    bed.pub("f/19", "before")
    if by_command:
        one.end(mq.MQCO_KEEP_SUB)
        bed.mqsc("DELETE SUB(S1)")
    else:
        one.end(mq.MQCO_REMOVE_SUB)
    assert managed(bed) == [one.queue_name]
    bed.pub("f/19", "after")
    found = iter(lambda: get(other, reader), None)
    assert [message.text for message in found] == ["before"]
    bed.close_handle(reader, connection=other)
    bed.pass_time(2)
    until(lambda: managed(bed) == [])


def test_f19_delete_when_its_queue_was_open_to_the_end_then_no_start_finds_it(lasting: Bed) -> None:
    lasting.sub("f/19", M | D, "S1").close(mq.MQCO_REMOVE_SUB)
    assert len(managed(lasting)) == 1
    lasting.restart()
    assert managed(lasting) == []
    assert not lasting.kernel.topics.by_name


@pytest.mark.parametrize("how", HOW)
def test_f19_delete_when_its_queue_was_open_to_the_end_then_a_restart_deletes_it(
    crashing: CrashBed, how: str
) -> None:
    one = crashing.sub("f/19", M | D, "S1")
    one.close(mq.MQCO_REMOVE_SUB)
    crashing.restart(how)
    assert crashing.managed() == []
    assert not crashing.pubsub.by_name


@pytest.mark.parametrize("given", ["PUT(DISABLED)", "MAXDEPTH(0)"])
def test_c65_durable_when_the_subscriber_queue_takes_nothing_then_2436(
    bed: Bed, given: str
) -> None:
    bed.mqsc(f"ALTER QLOCAL({SUBSCRIBER_QUEUE}) {given}")
    assert reason_of(bed.sub, "c/65", M | D, "S1") == MQRC_DURABILITY_NOT_ALLOWED
    definitions = bed.kernel.catalog.definitions
    assert not [one for one in definitions if one.startswith("SYSTEM.MANAGED.DURABLE")]
    bed.sub("c/65", M).end()


@pytest.mark.parametrize("how", HOW)
def test_alteration_when_it_was_answered_then_a_restart_has_it(
    crashing: CrashBed, how: str
) -> None:
    crashing.sub("f/alter", M | D, "S1", user_data="one", expiry=1_000_000)
    crashing.sub("f/alter", M | D, "S1", action=ALTER, user_data="two")
    crashing.restart(how)
    assert crashing.pubsub.by_name["S1"].user_data == "two"


def test_e19_persistent_when_killed_before_the_get_then_both_copies_survive(
    crashing: CrashBed,
) -> None:
    crashing.mqsc("DEFINE QLOCAL(EQ)")
    crashing.sub("e/19", M | D, "S1").end(mq.MQCO_KEEP_SUB)
    crashing.sub("e/19", 0, queue=crashing.open("EQ", mq.MQOO_INPUT_SHARED))
    crashing.pub("e/19", "both", persistent=True)
    crashing.crash()
    assert crashing.sub("e/19", M | D, "S1", action=R).texts() == ["both"]
    found = get(crashing.connection, crashing.open("EQ", mq.MQOO_INPUT_SHARED))
    assert found is not None
    assert found.text == "both"


def retained(bed: Bed, topic: str) -> list[str]:
    """What a late subscriber gets."""
    one = bed.sub(topic, M)
    texts = one.texts()
    one.end()
    return texts


def publish_retained(bed: Bed) -> None:
    for text in ("old", "new"):
        bed.pub("f/6/p", text, mq.MQPMO_RETAIN, persistent=True)
    bed.pub("f/6/n", "volatile", mq.MQPMO_RETAIN, persistent=False)
    assert retained(bed, "f/6/#") in (["new", "volatile"], ["volatile", "new"])


def test_f6_retained_when_ended_and_started_then_only_persistent_ones(lasting: Bed) -> None:
    publish_retained(lasting)
    lasting.restart()
    assert retained(lasting, "f/6/#") == ["new"]


@pytest.mark.parametrize("how", HOW)
def test_f6_retained_when_killed_then_only_persistent_ones(crashing: CrashBed, how: str) -> None:
    publish_retained(crashing)
    crashing.restart(how)
    assert retained(crashing, "f/6/#") == ["new"]
    node = crashing.pubsub.tree.find("f/6/p")
    assert node is not None
    assert node.retained is not None
    assert crashing.pubsub.tree.find("f/6/n") is None  # A18
    crashing.tick()
    assert crashing.depth("SYSTEM.RETAINED.PUB.QUEUE") == 1


def test_e31_publication_when_stopped_anywhere_then_all_copies_are_whole_or_none_is_there() -> None:
    names = [f"S{number}" for number in range(8)]
    body = "b" * 10_000
    answered: list[bool] = []

    def prepare(qmgr: QueueManager) -> None:
        for name in names:
            CrashBed.over(qmgr).sub("e/31", M | D, name).end(mq.MQCO_KEEP_SUB)

    def application(qmgr: QueueManager) -> None:
        answered.clear()
        CrashBed.over(qmgr).pub("e/31", body, persistent=True)
        answered.append(True)

    def check(qmgr: QueueManager) -> None:
        bed = CrashBed.over(qmgr)
        found = [bed.sub("", M | D, name, action=R).texts() for name in names]
        assert found == [[body]] * 8 or (not answered and found == [[]] * 8)

    assert crash_everywhere(application, check, prepare=prepare) > 2


def subscribe(connection: Connection) -> object:
    """What the program in the other process does."""
    sd = SubscriptionDescriptor(options=mq.MQSO_CREATE | M)
    return connection.run(Subscribe(sd, "f/4"))


def of_nondurable(bed: Bed) -> int:
    """Non-durable subscriptions and managed queues that are there."""
    subscriptions = [one for one in bed.kernel.topics.by_id.values() if not one.terms.is_durable]
    names = bed.kernel.catalog.definitions
    queues = [one for one in names if one.startswith("SYSTEM.MANAGED.NDURABLE.")]
    return len(subscriptions) + len(queues)


def test_f4_non_durable_when_its_process_is_killed_then_it_is_gone_at_once(bed: Bed) -> None:
    if bed.binding == "embedded":  # its process is the queue manager's: it ends without MQDISC
        connection = bed.connect()
        bed.sub("f/4", M, connection=connection)
        bed._opened.remove(connection)
        del connection
        gc.collect()
        until(lambda: of_nondurable(bed) == 0)
        return
    with Elsewhere(bed.binding, bed.served, f"{__name__}.subscribe") as program:
        assert of_nondurable(bed) == 2
        program.kill()
        until(lambda: of_nondurable(bed) == 0)


def test_f20_many_durable_when_started_then_the_first_publication_reaches_all_that_match(
    crashing: CrashBed,
) -> None:
    """2,000 of them; benchmarks/bench_durable_start.py has 100,000."""
    crashing.mqsc("DEFINE QLOCAL(FQ) MAXDEPTH(999999)")
    handle = crashing.open("FQ", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT)
    for number in range(2000):
        topic = f"f/20/{number % 4}" if number % 2 else "f/20/#"
        crashing.sub(topic, D, f"S{number}", queue=handle).close(mq.MQCO_KEEP_SUB)
    crashing.tick(3)
    crashing.kill()
    crashing.pub("f/20/1", "first")
    assert crashing.depth("FQ") == 1500
