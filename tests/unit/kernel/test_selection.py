"""Goal: a handle with a selection string sees the messages that match, wherever they are, in
bounded steps; a search begins where the one before ended, and misses no message that came back.
Method: a queue manager whose steps and effects the test runs one by one.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.kernel.browse import unlock
from ternmq.kernel.delivery import AskRest
from ternmq.kernel.ending import back_out
from ternmq.kernel.get import get, resume
from ternmq.kernel.requests import GetCall
from ternmq.kernel.resolve import close
from ternmq.kernel.returning import take_back
from ternmq.kernel.waiters import ASKED_AT_ONCE
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.ports.disk import INTERRUPTED
from ternmq.store.scanning import FOUND_BYTES_MAX, FOUND_MAX
from ternmq.values.get_request import GetRequest
from tests.model.rig import Rig
from tests.unit.kernel.asker import Asker

pytestmark = pytest.mark.core

NAME = "Q"
STEP_MESSAGES_MAX = 256
RED = "Root.MQMD.Format = 'RED'"


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig(LogParameters(CIRCULAR, 3, 2, 1024, False))
    for name, buffer in ((NAME, 1 << 16), ("MIDDLE", 1 << 24), ("WIDE", 1 << 30)):
        rig.qmgr.define_queue(
            name, max_depth=100_000, persistent_buffer=buffer, nonpersistent_buffer=buffer
        )
    yield rig
    rig.stop()


def put(
    rig: Rig, formats: list[str], name: str = NAME, size: int = 2000, priority: int = 0
) -> None:
    """Messages whose data begins with their number."""
    with rig.qmgr.queue(name) as queue:
        for number, one in enumerate(formats):
            data = number.to_bytes(4, "big") + bytes(size)
            queue.put(data, format=one, priority=priority)
            rig.run_effects(1)
    rig.settle()


def any_message(options: int = 0, wait_ms: int = 0) -> GetRequest:
    request = GetRequest(options)
    request.wait_ms = wait_ms
    return request


def number_of(call: GetCall) -> int:
    """The number of the message that a get has; -1 if there is none."""
    return -1 if call.entry is None else int.from_bytes(call.entry.data[:4], "big")


def waits(call: GetCall) -> bool:
    return call.waiting


def test_selection_when_messages_are_swept_then_found_in_order_and_nothing_comes_back(
    rig: Rig,
) -> None:
    put(rig, (["RED"] + ["BLUE"] * 9) * 200)
    asker = Asker(rig, NAME, RED)
    in_memory = asker.queue.available
    assert len(asker.queue.segments) > 10
    found = []
    while True:
        asker.steps = 0
        call = asker.ask(any_message())
        if call.entry is None:
            break
        found.append(number_of(call))
    assert found == list(range(0, 2000, 10))
    assert call.reason == 2033
    assert asker.queue.service.unsweeps == 0
    assert asker.most_in_memory <= in_memory
    assert asker.queue.depth == 1800


def test_selection_when_nothing_matches_then_the_next_get_does_not_begin_at_the_head(
    rig: Rig,
) -> None:
    put(rig, ["BLUE"] * 2000)
    asker = Asker(rig, NAME, RED)
    assert number_of(asker.ask(any_message())) == -1
    assert asker.segments_read >= len(asker.queue.segments)
    asker.steps = asker.segments_read = 0
    assert number_of(asker.ask(any_message())) == -1
    assert (asker.steps, asker.segments_read) == (1, 0)
    put(rig, ["RED"])
    assert number_of(asker.ask(any_message())) == 0


def test_selection_in_memory_then_bounded_steps_and_the_place_is_kept(rig: Rig) -> None:
    put(rig, ["BLUE"] * 3000 + ["RED"], "WIDE", 4)
    asker = Asker(rig, "WIDE", RED)
    assert number_of(asker.ask(any_message())) == 3000
    assert asker.steps >= 3000 // STEP_MESSAGES_MAX
    asker.steps = 0
    assert number_of(asker.ask(any_message())) == -1
    assert asker.steps == 1


@pytest.mark.parametrize("options", [0, mq.MQGMO_BROWSE_FIRST])
def test_selection_when_messages_have_very_many_properties_then_fewer_in_a_step(
    rig: Rig, options: int
) -> None:
    with rig.qmgr.queue("WIDE") as queue:
        for _ in range(5):
            queue.put(b"", properties={f"a{number}": 1 for number in range(3000)})
    names = " OR ".join(f"b{number} = 1" for number in range(100))
    asker = Asker(rig, "WIDE", names)
    assert number_of(asker.ask(any_message(options))) == -1
    assert asker.steps >= 5


@pytest.mark.parametrize("name", [NAME, "WIDE"])
def test_search_when_others_back_out_all_the_time_then_it_ends(rig: Rig, name: str) -> None:
    put(rig, ["WHITE"] + ["BLUE"] * 1500, name)
    other = Asker(rig, name)
    asker = Asker(rig, name, RED)
    request = any_message(mq.MQGMO_SYNCPOINT)
    request.syncpoint = True
    call = get(asker.kernel, asker.link, asker.handle, any_message())
    while asker.goes_on():
        assert number_of(other.ask(request)) == 0
        other.steps = 0
        back_out(rig.engine.kernel, other.link)
        resume(asker.kernel, call)
    assert call.reason == 2033


def test_search_when_a_message_is_unlocked_behind_it_then_a_get_that_would_wait_finds_it(
    rig: Rig,
) -> None:
    put(rig, ["RED"] + ["BLUE"] * 600, "WIDE", 4)
    other = Asker(rig, "WIDE")
    assert number_of(other.ask(any_message(mq.MQGMO_BROWSE_FIRST | mq.MQGMO_LOCK))) == 0
    asker = Asker(rig, "WIDE", RED)
    call = get(asker.kernel, asker.link, asker.handle, any_message(mq.MQGMO_WAIT, wait_ms=1000))
    assert asker.goes_on()
    assert unlock(rig.engine.kernel, other.handle)
    resume(asker.kernel, call)
    while asker.goes_on():
        resume(asker.kernel, call)
    assert number_of(call) == 0


@pytest.mark.parametrize("name", [NAME, "WIDE"])
def test_message_that_was_backed_out_when_the_search_had_passed_it_then_found(
    rig: Rig, name: str
) -> None:
    put(rig, ["RED"] + ["BLUE"] * 1500, name)
    other = Asker(rig, name)
    request = any_message(mq.MQGMO_SYNCPOINT)
    request.syncpoint = True
    assert number_of(other.ask(request)) == 0
    asker = Asker(rig, name, RED)
    assert number_of(asker.ask(any_message())) == -1
    back_out(rig.engine.kernel, other.link)
    asker.steps = 0
    assert number_of(asker.ask(any_message())) == 0


def test_delivery_count_when_a_message_was_backed_out_then_the_handle_that_passed_it_finds_it(
    rig: Rig,
) -> None:
    """What a selector says of a message can change while it is on its queue."""
    put(rig, ["RED"] * 5, "WIDE", 4)
    asker = Asker(rig, "WIDE", "JMSXDeliveryCount = 2")
    assert number_of(asker.ask(any_message())) == -1
    other = Asker(rig, "WIDE")
    request = any_message(mq.MQGMO_SYNCPOINT)
    request.syncpoint = True
    assert number_of(other.ask(request)) == 0
    back_out(rig.engine.kernel, other.link)
    assert number_of(asker.ask(any_message())) == 0


@pytest.mark.parametrize("name", [NAME, "WIDE"])
def test_expiry_in_the_selection_then_it_is_the_time_that_is_left(rig: Rig, name: str) -> None:
    put(rig, ["BLUE"] * 300, name)
    with rig.qmgr.queue(name) as queue:
        for number, seconds in enumerate((500.0, 50.0)):
            queue.put(number.to_bytes(4, "big"), expiry=seconds)
    put(rig, ["BLUE"] * 300, name)
    asker = Asker(rig, name, "Root.MQMD.Expiry BETWEEN 1 AND 1000")
    assert number_of(asker.ask(any_message())) == 1
    assert number_of(asker.ask(any_message())) == -1


def test_message_under_a_lock_when_it_is_unlocked_then_the_handle_that_passed_it_finds_it(
    rig: Rig,
) -> None:
    put(rig, ["RED", "BLUE"], "WIDE", 4)
    other = Asker(rig, "WIDE")
    assert number_of(other.ask(any_message(mq.MQGMO_BROWSE_FIRST | mq.MQGMO_LOCK))) == 0
    asker = Asker(rig, "WIDE", RED)
    assert number_of(asker.ask(any_message())) == -1
    assert unlock(rig.engine.kernel, other.handle)
    assert number_of(asker.ask(any_message())) == 0


@pytest.mark.parametrize("name", [NAME, "WIDE"])
def test_browse_with_selection_then_only_what_matches_in_order(rig: Rig, name: str) -> None:
    put(rig, ["RED", "BLUE", "GREEN"] * 300, name)
    asker = Asker(rig, name, RED)
    found = [number_of(asker.ask(any_message(mq.MQGMO_BROWSE_FIRST)))]
    while found[-1] >= 0:
        asker.steps = 0
        found.append(number_of(asker.ask(any_message(mq.MQGMO_BROWSE_NEXT))))
    assert found == [*range(0, 900, 3), -1]
    assert asker.queue.depth == 900


def first_swept(asker: Asker) -> int:
    """How many messages lie before the swept ones."""
    return min(int(one.first_sequence) for one in asker.queue.segments.values() if one.swept)


@pytest.mark.parametrize("kind", ["get", "browse"])
def test_search_from_the_head_when_a_browse_has_scanned_the_rest_of_a_segment_then_none_is_missed(
    rig: Rig, kind: str
) -> None:
    """One scan ends after 64 messages; the next one knows nothing of those before it."""
    put(rig, ["RED"] * 400, NAME, 300)
    asker = Asker(rig, NAME, RED)
    asker.ask(any_message(mq.MQGMO_BROWSE_FIRST))
    for _ in range(first_swept(asker) + FOUND_MAX + 5):
        asker.steps = 0
        asker.ask(any_message(mq.MQGMO_BROWSE_NEXT))
    found = []
    for at in range(401):
        options = mq.MQGMO_BROWSE_NEXT if at else mq.MQGMO_BROWSE_FIRST
        asker.steps = 0
        found.append(number_of(asker.ask(any_message(options if kind == "browse" else 0))))
    assert found == [*range(400), -1]


def test_selection_when_messages_came_back_between_swept_ones_then_the_search_ends(
    rig: Rig,
) -> None:
    put(rig, ["BLUE"] * 500)
    taker = Asker(rig, NAME, "Root.MQMD.Format = 'WHITE'")
    request = any_message(mq.MQGMO_SYNCPOINT)
    request.syncpoint = True
    for _ in range(5):
        put(rig, ["WHITE", "BLUE"])
        taker.steps = 0
        assert number_of(taker.ask(request)) == 0
    put(rig, ["BLUE"] * 1500)
    back_out(rig.engine.kernel, taker.link)
    assert taker.queue.lanes[0].strays.count == 5
    assert number_of(Asker(rig, NAME, RED).ask(any_message())) == -1
    assert number_of(Asker(rig, NAME, RED).ask(any_message(mq.MQGMO_BROWSE_FIRST))) == -1
    asker = Asker(rig, NAME, "Root.MQMD.Format = 'WHITE'")
    assert [number_of(asker.ask(any_message())) for _ in range(6)] == [0, 0, 0, 0, 0, -1]


def test_scan_of_messages_with_long_properties_then_few_are_kept_at_a_time(rig: Rig) -> None:
    with rig.qmgr.queue("MIDDLE") as queue:
        for _ in range(400):
            queue.put(b"\0\0\0\0", format="RED", properties={"long": "x" * 100_000})
            rig.run_effects(1)
    rig.settle()
    asker = Asker(rig, "MIDDLE", RED)
    most = 0
    while number_of(asker.ask(any_message(mq.MQGMO_BROWSE_NEXT))) >= 0:
        asker.steps = 0
        scan = asker.handle.selection.scan if asker.handle.selection else None
        if scan is not None:
            most = max(most, sum(len(one.properties) for one in scan.found))
    assert FOUND_BYTES_MAX <= most < FOUND_BYTES_MAX + 200_000


def browsed(asker: Asker, count: int) -> list[int]:
    """The numbers of so many messages, from the head of the queue."""
    found = []
    for at in range(count):
        asker.steps = 0
        option = mq.MQGMO_BROWSE_NEXT if at else mq.MQGMO_BROWSE_FIRST
        found.append(number_of(asker.ask(any_message(option))))
    return found


@pytest.mark.parametrize("what", ["browse", "get"])
def test_selection_when_a_browse_is_deep_in_a_segment_then_others_begin_at_its_head(
    rig: Rig, what: str
) -> None:
    """A scan finds so many messages only; the next one, from where it ended, is the browse's."""
    put(rig, ["RED"] * 600, size=100)
    asker = Asker(rig, NAME, RED)
    assert browsed(asker, 130) == list(range(130))
    if what == "browse":
        assert browsed(asker, 130) == list(range(130))
    else:
        found = [number_of(asker.ask(any_message())) for _ in range(130)]
        assert found == list(range(130))


@pytest.mark.parametrize("stray", ["RED", "BLUE"])
def test_selection_when_a_message_came_back_between_segments_then_the_search_ends(
    rig: Rig, stray: str
) -> None:
    """It lies astray; the segments before and behind it are scanned once each."""
    put(rig, ["BLUE"] * 500 + [stray])
    other = Asker(rig, NAME)
    request = any_message(mq.MQGMO_SYNCPOINT)
    request.syncpoint = True
    lane = other.queue.lanes[0]
    last = lane.rear.tail
    assert last is not None
    request.msg_id = last.msg_id
    request.settle()
    assert number_of(other.ask(request)) == 500
    put(rig, ["BLUE"] * 500)
    back_out(rig.engine.kernel, other.link)
    assert lane.strays.count == 1
    asker = Asker(rig, NAME, RED)
    assert number_of(asker.ask(any_message())) == (500 if stray == "RED" else -1)
    assert number_of(asker.ask(any_message())) == -1
    assert asker.segments_read <= 2 * len(asker.queue.segments)


def test_selection_by_priority_then_higher_lanes_first_and_places_for_each(rig: Rig) -> None:
    put(rig, ["BLUE", "RED"], "WIDE", 4, 1)
    put(rig, ["BLUE"] * 3, "WIDE", 4, 5)
    asker = Asker(rig, "WIDE", RED)
    assert number_of(asker.ask(any_message())) == 1
    put(rig, ["RED", "RED"], "WIDE", 4, 5)
    put(rig, ["RED"], "WIDE", 4, 7)
    assert [number_of(asker.ask(any_message())) for _ in range(4)] == [0, 0, 1, -1]


@pytest.mark.parametrize("name", [NAME, "WIDE"])
def test_identifier_in_the_selection_then_the_index_finds_it(rig: Rig, name: str) -> None:
    with rig.qmgr.queue(name) as queue:
        for number in range(2000):
            queue.put(number.to_bytes(4, "big") + bytes(500), correl_id=b"%024d" % number)
            rig.run_effects(1)
    rig.settle()
    wanted = (b"%024d" % 1234).hex()
    for text in (f'Root.MQMD.CorrelId = "0x{wanted}"', f"JMSCorrelationID = 'ID:{wanted}'"):
        asker = Asker(rig, name, f"{text} AND JMSPriority = 0")
        assert number_of(asker.ask(any_message(mq.MQGMO_BROWSE_FIRST))) == 1234
    asker = Asker(rig, name, f'Root.MQMD.CorrelId = "0x{wanted}"')
    assert number_of(asker.ask(any_message())) == 1234
    assert asker.steps <= 3
    asker = Asker(rig, name, f'Root.MQMD.CorrelId = "0x{wanted}"')
    assert number_of(asker.ask(any_message())) == -1


def test_match_options_and_selection_then_both_must_hold(rig: Rig) -> None:
    with rig.qmgr.queue("WIDE") as queue:
        for number, form in enumerate(("RED", "BLUE", "RED")):
            queue.put(number.to_bytes(4, "big"), format=form, correl_id=b"%024d" % (number // 2))
    asker = Asker(rig, "WIDE", RED)
    request = any_message()
    request.correl_id = b"%024d" % 0
    request.settle()
    assert number_of(asker.ask(request)) == 0
    assert number_of(asker.ask(request)) == -1


def test_waiting_get_with_selection_then_only_a_message_that_matches_wakes_it(rig: Rig) -> None:
    put(rig, ["BLUE"] * 3, "WIDE", 4)
    asker = Asker(rig, "WIDE", RED)
    call = asker.ask(any_message(mq.MQGMO_WAIT, wait_ms=1000))
    assert waits(call)
    put(rig, ["BLUE"], "WIDE", 4)
    assert waits(call)
    put(rig, ["RED"], "WIDE", 4)
    assert not waits(call)
    assert number_of(call) == 0


def test_waiters_with_selections_when_there_are_many_then_a_put_asks_a_few(rig: Rig) -> None:
    askers = [Asker(rig, "WIDE", f"Root.MQMD.Format = 'F{number}'") for number in range(200)]
    calls = [one.ask(any_message(mq.MQGMO_WAIT, wait_ms=1000)) for one in askers]
    selections = [one.handle.selection for one in askers]
    with rig.qmgr.queue("WIDE") as queue:
        queue.put(b"\0\0\0\7", format="F150")
        asked = sum(int(one.looked_at) for one in selections if one is not None)
        assert asked <= ASKED_AT_ONCE + 1
        assert all(call.waiting for call in calls)
    rig.settle()  # later steps ask the rest
    assert [number for number, call in enumerate(calls) if not call.waiting] == [150]
    assert number_of(calls[150]) == 7


def test_waiters_with_selections_when_a_message_has_many_properties_then_a_put_asks_fewer(
    rig: Rig,
) -> None:
    """Work is counted in bytes of properties for each test of them."""
    askers = [Asker(rig, "WIDE", f"a <> 'x' AND b = {number}") for number in range(20)]
    calls = [one.ask(any_message(mq.MQGMO_WAIT, wait_ms=1000)) for one in askers]
    selections = [one.handle.selection for one in askers]
    with rig.qmgr.queue("WIDE") as queue:
        queue.put(b"\0\0\0\7", properties={"a": "y" * (4 << 14), "b": 15})
        asked = sum(int(one.looked_at) for one in selections if one is not None)
        assert asked <= ASKED_AT_ONCE // 8 + 1  # the put looks at the first one twice
    while any(isinstance(one, AskRest) for one in rig.engine.outbox.effects):
        rig.run_effects(1)
        before, asked = asked, sum(int(one.looked_at) for one in selections if one is not None)
        assert asked - before <= ASKED_AT_ONCE // 8 + 1
    assert [number for number, call in enumerate(calls) if not call.waiting] == [15]
    assert number_of(calls[15]) == 7


def test_waiter_for_any_message_beside_one_with_a_selection_then_each_has_its_own(
    rig: Rig,
) -> None:
    choosy = Asker(rig, "WIDE", RED)
    other = Asker(rig, "WIDE")
    first = choosy.ask(any_message(mq.MQGMO_WAIT, wait_ms=1000))
    second = other.ask(any_message(mq.MQGMO_WAIT, wait_ms=1000))
    put(rig, ["BLUE"], "WIDE", 4)
    assert (first.waiting, second.waiting) == (True, False)
    put(rig, ["RED"], "WIDE", 4)
    assert not first.waiting


def test_get_that_is_taken_back_while_it_scans_then_it_can_begin_again(rig: Rig) -> None:
    put(rig, ["BLUE"] * 1500 + ["RED"])
    asker = Asker(rig, NAME, RED)
    call = get(asker.kernel, asker.link, asker.handle, any_message(mq.MQGMO_WAIT, wait_ms=1000))
    for _ in range(3):
        assert asker.goes_on()
        resume(asker.kernel, call)
    take_back(asker.kernel, call)
    asker.link.park = None
    asker.link.again = False
    assert number_of(asker.ask(any_message())) == 1500


def test_handle_with_a_selection_when_it_is_closed_then_no_place_is_left(rig: Rig) -> None:
    put(rig, ["BLUE"] * 10, "WIDE", 4)
    before = Asker(rig, "WIDE")
    cursors = len(before.queue.cursors)
    with rig.qmgr.queue("WIDE"):
        asker = Asker(rig, "WIDE", RED)
        asker.ask(any_message())
        assert len(before.queue.cursors) > cursors
        assert close(rig.engine.kernel, asker.handle, 0)
    assert len(before.queue.cursors) == cursors


@pytest.mark.parametrize(
    ("text", "reason"), [("a = ", 2459), ("1 > 2", 2504), ("a" * 10_241, 2519)]
)
def test_selection_string_that_is_wrong_then_its_reason_and_nothing_is_open(
    rig: Rig, text: str, reason: int
) -> None:
    with pytest.raises(MQError) as caught:
        Asker(rig, "WIDE", text)
    assert caught.value.reason == reason
    local = rig.engine.kernel.locals["WIDE"]
    assert (len(local.handles), local.open_input) == (0, 0)


def test_waiters_with_selections_when_those_that_are_asked_cannot_take_it_then_the_rest_is_asked(
    rig: Rig,
) -> None:
    """A get that the message does not fit leaves the list while the put goes through it."""
    askers = [Asker(rig, "WIDE", RED) for _ in range(ASKED_AT_ONCE + 2)]
    calls = []
    for number, asker in enumerate(askers):
        request = any_message(mq.MQGMO_WAIT, wait_ms=1000)
        request.buffer_length = 100 if number == ASKED_AT_ONCE else 2
        calls.append(asker.ask(request))
    put(rig, ["RED"], "WIDE", 4)
    assert number_of(calls[ASKED_AT_ONCE]) == 0


def test_waiters_that_are_asked_later_when_a_signal_comes_meanwhile_then_asked_all_the_same(
    rig: Rig,
) -> None:
    askers = [Asker(rig, "WIDE", f"Root.MQMD.Format = 'F{number}'") for number in range(40)]
    calls = [one.ask(any_message(mq.MQGMO_WAIT, wait_ms=1000)) for one in askers]
    with rig.qmgr.queue("WIDE") as queue:
        queue.put(b"\0\0\0\7", format="F39")
    effects = rig.engine.outbox.effects
    later = next(one for one in effects if isinstance(one, AskRest))
    effects.remove(later)
    rig.engine.finish(later, OSError(INTERRUPTED, "interrupted"))
    assert number_of(calls[39]) == 7
