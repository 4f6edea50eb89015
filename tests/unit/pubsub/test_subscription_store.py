"""Goal: a durable subscription that was stored is there after a restart as it was, one that was
removed is not, however many share a message. Method: the store on a simulated disk, power lost.
"""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.attributes import LOCAL
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_DURABILITY_NOT_ALLOWED
from ternmq.kernel.inquire import apply_definition
from ternmq.pubsub.subscription_message import (
    SUBSCRIBER_QUEUE,
    pack_subscriptions,
    read_subscriptions,
)
from ternmq.pubsub.subscription_store import TOGETHER, put_messages
from tests.unit.pubsub.store_rig import StoreRig

pytestmark = pytest.mark.core


def test_store_when_power_fails_then_the_subscription_is_as_it_was() -> None:
    rig = StoreRig()
    one = rig.create(
        "S1", "a/+/é", level=5, user="bob", selector="x = 1", accounting_token=bytes(range(32))
    )
    one.user_data = "€ data"
    one.given_string = "é"
    one.expires_at_ns = 7_000_000_000_000_000_000
    rig.alter("S1", priority=4)
    found = rig.again().pubsub.by_name["S1"]
    assert (found.sub_id, found.correl_id) == (one.sub_id, one.correl_id)
    assert (found.topic_string, found.given_string) == ("a/+/é", "é")
    assert (found.destination, found.user_data) == ("Q", "€ data")
    assert (found.created_ns, found.expires_at_ns) == (one.created_ns, one.expires_at_ns)
    assert found.terms == one.terms
    assert found.terms.priority == 4
    assert found.terms.accounting_token == bytes(range(32))


def test_restart_when_subscriptions_were_there_then_they_match() -> None:
    rig = StoreRig()
    rig.create("S1", "a/+")
    rig.create("S2", "a/b")
    again = rig.again()
    assert sorted(one.name for one in again.pubsub.index.match("a/b")) == ["S1", "S2"]
    node = again.pubsub.tree.find("a/b")
    assert node is not None
    assert node.subscribers == 1


def test_alter_when_done_then_one_message_is_there_and_the_last_terms_count() -> None:
    rig = StoreRig()
    rig.create("S1")
    for level in range(2, 7):
        rig.alter("S1", level=level)
    assert rig.depth == 1
    again = rig.again()
    assert again.pubsub.by_name["S1"].terms.level == 6
    assert again.depth == 1


def test_remove_when_power_fails_then_it_does_not_come_back() -> None:
    rig = StoreRig()
    for name in ("S1", "S2"):
        rig.create(name)
    rig.remove("S1")
    again = rig.again()
    assert again.names() == ["S2"]
    assert again.depth == 1


def test_consolidation_when_many_are_there_then_few_messages_hold_them() -> None:
    rig = StoreRig()
    for number in range(300):
        rig.create(f"S{number}", level=number % 3 + 1)
    for number in range(0, 300, 2):
        rig.remove(f"S{number}")
    assert rig.depth == 150
    rig.tick(5)
    assert rig.depth < TOGETHER
    names = sorted(f"S{number}" for number in range(1, 300, 2))
    assert rig.names() == names
    again = rig.again()
    assert again.names() == names
    assert again.pubsub.by_name["S7"].terms.level == 2


def test_change_when_several_share_a_message_then_only_the_one_changes() -> None:
    rig = StoreRig()
    for number in range(TOGETHER):
        rig.create(f"S{number}")
    rig.tick()
    assert rig.depth == 1
    rig.remove("S5")
    rig.alter("S6", level=3)
    assert rig.depth == 2
    again = rig.again()
    assert again.names() == sorted(f"S{number}" for number in range(TOGETHER) if number != 5)
    assert again.pubsub.by_name["S6"].terms.level == 3
    assert again.pubsub.by_name["S7"].terms.level == 1


def test_change_when_messages_are_swept_then_they_are_read_for_it() -> None:
    rig = StoreRig()
    rig.create("S0")
    rig.shrink(4_000)
    local = rig.machine.kernel.locals[SUBSCRIBER_QUEUE]
    for number in range(1, 3 * TOGETHER):
        rig.create(f"S{number}")
    assert local.queue.swept_alive > TOGETHER
    rig.remove("S3")
    rig.alter("S4", level=9)
    rig.machine.checkpoint(full=True)
    again = rig.again()
    assert len(again.names()) == 3 * TOGETHER - 1
    assert "S3" not in again.names()
    queue = again.machine.kernel.locals[SUBSCRIBER_QUEUE].queue
    assert queue.swept_alive > 0
    again.tick(100)
    assert again.depth < TOGETHER + 3  # full ones, and too few for another
    again.alter("S5", level=8)
    last = again.again()
    assert len(last.names()) == 3 * TOGETHER - 1
    assert last.pubsub.by_name["S4"].terms.level == 9
    assert last.pubsub.by_name["S5"].terms.level == 8


def test_change_while_a_consolidation_waits_then_that_is_backed_out() -> None:
    rig = StoreRig()
    rig.create("S0")
    rig.shrink(4_000)
    for number in range(1, TOGETHER + 10):
        rig.create(f"S{number}")
    rig.machine.engine.tick()
    assert rig.is_consolidating()
    rig.remove("S1")
    assert not rig.is_consolidating()
    rig.tick(100)
    assert rig.again().names() == sorted(f"S{n}" for n in range(TOGETHER + 10) if n != 1)


@pytest.mark.parametrize("given", [{"put": 1}, {"max_depth": 1}, {"max_message_length": 10}])
def test_store_when_the_queue_does_not_take_it_then_2436(given: dict[str, int]) -> None:
    rig = StoreRig()
    rig.create("S1")
    definition = rig.machine.kernel.catalog.find(LOCAL, SUBSCRIBER_QUEUE)
    assert definition is not None
    definition.attributes.update(given)
    apply_definition(rig.machine.kernel, definition)
    with pytest.raises(MQError) as refused:
        rig.create("S2")
    assert refused.value.reason == MQRC_DURABILITY_NOT_ALLOWED
    assert rig.names() == ["S1"]
    rig.remove("S1")
    assert rig.again().names() == []


def test_start_when_messages_are_foreign_or_damaged_then_it_goes_on_with_a_notice() -> None:
    rig = StoreRig()
    rig.create("S1")
    rig.machine.put(SUBSCRIBER_QUEUE, b"TDSB junk of an application")
    rig.create("S2")
    damaged = pack_subscriptions([rig.pubsub.by_name["S2"]])[:-1]
    queue = rig.machine.kernel.locals[SUBSCRIBER_QUEUE].queue
    put_messages(rig.pubsub, rig.machine.link, queue, None, [[]], [damaged])
    rig.machine.force(rig.machine.engine.log.end_lsn)
    again = rig.again()
    assert again.names() == ["S1", "S2"]
    ids = [one.message_id for one in again.machine.kernel.notices.take()]
    assert ids == ["AMQ7590W", "AMQ7590W"]
    assert not again.pubsub.store.is_complete


SOUND = b"TDSB" + struct.pack("<III", 1, 1, 2)  # a head for what is drawn


def sound_message() -> bytes:
    rig = StoreRig()
    return pack_subscriptions([rig.create("S1", user="bob"), rig.create("S2")])


MESSAGE = sound_message()


def test_read_when_bytes_are_missing_then_value_error() -> None:
    assert [one.name for one in read_subscriptions(MESSAGE)] == ["S1", "S2"]
    for length in range(len(MESSAGE)):
        with pytest.raises(ValueError):
            read_subscriptions(MESSAGE[:length])


@given(st.integers(0, len(MESSAGE) - 1), st.binary(min_size=1, max_size=8), st.binary(max_size=40))
def test_read_when_bytes_are_wrong_then_value_error_or_subscriptions(
    at: int, wrong: bytes, rest: bytes
) -> None:
    for data in (MESSAGE[:at] + wrong + MESSAGE[at + len(wrong) :], SOUND + rest, wrong + rest):
        try:
            read_subscriptions(data)
        except ValueError:
            pass


@pytest.mark.parametrize(
    "terms",
    ["[" * 100_000, '{"level":100000000000000}', '{"level":"one"}', '{"no_such":1}', "7"],
)
def test_read_when_terms_are_wrong_then_value_error(terms: str) -> None:
    body = SOUND[:8] + struct.pack("<III", 1, 0, len(terms)) + terms.encode()
    with pytest.raises(ValueError):
        read_subscriptions(body)
