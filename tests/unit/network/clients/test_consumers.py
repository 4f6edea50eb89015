"""Goal: messages that a client asks for ahead come as its window allows, and none is lost or
doubled when it stops asking, commits, backs out or vanishes.

Method: a partner in the same loop sends REQUEST_MSGS and NOTIFICATION and looks at what comes.
"""

from typing import Any

import pytest

from ternmq.base import constants as mq
from ternmq.base.limits import RETURNABLE_BYTES_MAX
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.flow import read_body, write_body
from ternmq.wire.fap.part import Values
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

ALL = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE
MD_BYTES = 364
SYNCPOINT = mq.MQGMO_SYNCPOINT
STREAM = fap.STREAM


def fill(place: Place, count: int, *, persistent: bool = False, size: int = 10) -> None:
    with place.admin.queue("A") as queue:
        for number in range(count):
            queue.put(b"%d" % number + bytes(size - len(b"%d" % number)), persistent=persistent)


def messages(partner: Partner) -> list[Values]:
    """What has come, all of it messages."""
    came = [read_body(one, 10).values for one in partner.look()]
    types = {one.header.type for one in partner.came}
    assert types <= {fap.ASYNC_MESSAGE}, types
    partner.came.clear()
    return came


def numbers(came: list[Values]) -> list[int]:
    return [int(one["data"].rstrip(b"\0")) for one in came]


@pytest.mark.parametrize(
    "form",
    [
        {"order": BIG, "ccsid": 819},
        {"order": LITTLE, "ccsid": 1208},
        {"order": BIG, "ccsid": 500, "ebcdic": True},
    ],
)
def test_request_when_window_is_one_then_one_message_comes(form: dict[str, Any]) -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, 3)
        handle = await partner.open("A", ALL)
        partner.request(handle)
        came = messages(partner)
        assert numbers(came) == [0]
        one = came[0]
        assert (one["handle"], one["message_index"], one["selection_index"]) == (handle, 1, 1)
        assert one["resolved_queue_name"] == "A"
        assert one["descriptor"].put_appl_name == "test"
        assert one["descriptor"].put_date.isdigit()
        assert (one["actual_length"], one["total_length"]) == (10, 10)
        partner.request(handle, received=MD_BYTES + 10, index=1, select=False)
        assert numbers(messages(partner)) == [1]
        assert place.depth("A") == 1

    run_story(story, **form)


def test_request_when_it_wants_an_answer_then_it_has_one_after_the_message() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, 1)
        handle = await partner.open("A", ALL)
        partner.request(handle, confirm=True)
        assert [one.header.type for one in partner.look()] == [fap.ASYNC_MESSAGE, fap.NOTIFICATION]
        note = partner.came[1]
        assert note.header.request == 3
        values = read_body(note, 10).values
        assert (values["code"], values["value"]) == (fap.CHECK_MSG, 0)
        partner.came.clear()
        partner.request(handle, confirm=True, received=MD_BYTES + 10, index=1)
        assert (await partner.values(fap.NOTIFICATION))["code"] == fap.CHECK_MSG
        assert not partner.look()

    run_story(story)


def test_request_when_it_waits_then_the_message_comes_later() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.request(handle, options=mq.MQGMO_WAIT, wait_ms=-1)
        assert not partner.look()
        fill(place, 2)
        await partner.wait()
        assert numbers(messages(partner)) == [0]
        assert place.depth("A") == 1

    run_story(story)


def test_request_when_it_waits_then_verbs_of_the_connection_beside_it_stay_as_they_are() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.request(handle, options=mq.MQGMO_WAIT, wait_ms=-1)
        assert not partner.look()
        (call,) = place.host.engine.kernel.waiting.values()
        link = call.connection
        link.durable_at = 7  # of a verb whose answer is not on its way yet
        fill(place, 1)
        assert call.entry is not None
        assert link.durable_at == 7

    run_story(story)


def test_request_when_client_looks_once_more_then_the_wait_is_over() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.request(handle, options=mq.MQGMO_WAIT, wait_ms=100_000)
        partner.request(handle, options=mq.MQGMO_WAIT, confirm=True, select=False)
        assert (await partner.values(fap.NOTIFICATION))["code"] == fap.CHECK_MSG
        fill(place, 1)
        await partner.until(lambda: place.depth("A") == 1)
        assert not partner.look()

    run_story(story)


def test_stream_when_window_is_full_then_it_stops_until_messages_are_taken() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, 20)
        handle = await partner.open("A", ALL)
        unit = MD_BYTES + 10
        partner.request(handle, 5 * unit, flags=STREAM)
        assert numbers(messages(partner)) == [0, 1, 2, 3, 4]
        partner.request(handle, 5 * unit, flags=STREAM, received=2 * unit, index=2, select=False)
        assert numbers(messages(partner)) == [5, 6]
        partner.request(handle, 100 * unit, flags=STREAM, received=5 * unit, index=7, select=False)
        assert numbers(messages(partner)) == list(range(7, 20))
        fill(place, 2)
        await partner.until(lambda: len(partner.look()) == 2)
        assert numbers(messages(partner)) == [0, 1]

    run_story(story)


def test_stream_when_client_says_how_far_it_came_then_the_rest_goes_back() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, 10)
        handle = await partner.open("A", ALL)
        partner.request(handle, 1_000_000, flags=STREAM)
        assert numbers(messages(partner)) == list(range(10))
        assert place.depth("A") == 0
        partner.request(handle, 0, flags=STREAM, index=4, confirm=True, select=False)
        assert (await partner.values(fap.NOTIFICATION))["code"] == fap.CHECK_MSG
        assert place.depth("A") == 6
        with place.admin.queue("A") as queue:
            left = [int(one.data.rstrip(b"\0")) for one in queue]
        assert left == [4, 5, 6, 7, 8, 9]

    run_story(story)


def test_stream_when_client_takes_nothing_then_no_more_than_allowed_is_kept() -> None:
    async def story(place: Place, partner: Partner) -> None:
        place.mqsc("ALTER QLOCAL(A) MAXMSGL(104857600)")
        size = RETURNABLE_BYTES_MAX // 4
        fill(place, 6, size=size)
        handle = await partner.open("A", ALL)
        partner.request(handle, 1 << 30, flags=STREAM)
        await partner.until(lambda: len(partner.look()) == 6)
        messages(partner)
        partner.request(handle, 0, flags=STREAM, select=False)
        assert place.depth("A") == 4

    run_story(story)


def test_stream_when_client_takes_no_properties_then_no_more_than_allowed_is_kept() -> None:
    async def story(place: Place, partner: Partner) -> None:
        for _ in range(6):
            place.admin.put("A", b"", properties={"long": "y" * (RETURNABLE_BYTES_MAX // 4 - 100)})
        handle = await partner.open("A", ALL)
        partner.request(handle, 1 << 30, flags=STREAM, options=mq.MQGMO_NO_PROPERTIES)
        await partner.until(lambda: len(partner.look()) == 6)
        messages(partner)
        partner.request(handle, 0, flags=STREAM, select=False)
        assert place.depth("A") == 4

    run_story(story)


def test_stream_when_messages_are_persistent_then_they_come_one_by_one() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, 3, persistent=True)
        handle = await partner.open("A", ALL)
        partner.request(handle, 1_000_000, flags=STREAM)
        assert numbers(messages(partner)) == [0]
        assert place.depth("A") == 2
        partner.request(handle, 1_000_000, flags=STREAM, received=374, index=1, select=False)
        assert numbers(messages(partner)) == [1]

    run_story(story)


def test_stream_in_syncpoint_when_socket_is_lost_then_all_goes_back() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, 5, persistent=True)
        handle = await partner.open("A", ALL)
        partner.request(handle, 1_000_000, flags=STREAM, options=SYNCPOINT)
        assert numbers(messages(partner)) == [0, 1, 2, 3, 4]
        await partner.lose()
        assert place.depth("A") == 5

    run_story(story)


def test_stream_in_syncpoint_when_committed_then_it_is_gone() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, 2)
        handle = await partner.open("A", ALL)
        partner.request(handle, 1_000_000, flags=STREAM, options=SYNCPOINT)
        assert numbers(messages(partner)) == [0, 1]
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == 0
        assert place.depth("A") == 0

    run_story(story)


def test_consumption_when_stopped_and_started_then_messages_wait_for_it() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        state = {"handle": -1, "code": fap.CONN_STATE, "value": 2}
        partner.send_flow(fap.NOTIFICATION, state, request=1)
        partner.request(handle, flags=STREAM, options=SYNCPOINT)
        header = partner.header(fap.NOTIFICATION, 1, 5)
        header.flags_1 |= fap.CONFIRM_REQUEST
        partner.send(header, write_body(header, {**state, "value": 0}, 10))
        note = await partner.next(fap.NOTIFICATION)
        assert note.header.request == 5
        assert read_body(note, 10).values["code"] == fap.CONN_STATE_REPLY
        fill(place, 1)
        await partner.until(lambda: place.depth("A") == 1)
        assert not partner.look()
        partner.send_flow(fap.NOTIFICATION, state, request=1)
        assert numbers(messages(partner)) == [0]

    run_story(story)


def test_handle_when_closed_then_what_was_not_sent_stays() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.request(handle, flags=STREAM)
        await partner.call(fap.MQCLOSE, {"handle": handle, "options": 0})
        fill(place, 1)
        await partner.until(lambda: place.depth("A") == 1)
        assert not partner.look()
        assert place.host.engine.kernel.locals["A"].waiters.count == 0

    run_story(story)


def test_request_when_message_is_longer_then_it_is_cut_and_stays() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, 1, size=5000)
        handle = await partner.open("A", ALL)
        partner.request(handle, length=100)
        came = messages(partner)
        assert (came[0]["reason"], came[0]["actual_length"], came[0]["total_length"]) == (
            2080,
            100,
            5000,
        )
        assert place.depth("A") == 1
        partner.request(handle, length=5000, received=MD_BYTES + 100, index=1)
        assert len(messages(partner)[0]["data"]) == 5000

    run_story(story)


def test_request_when_message_needs_segments_then_it_comes_whole() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, 1, size=200_000)
        handle = await partner.open("A", ALL)
        partner.request(handle)
        assert len(messages(partner)[0]["data"]) == 200_000

    run_story(story)


def test_browse_when_first_and_next_are_asked_for_then_one_after_the_other_comes() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, 3)
        handle = await partner.open("A", ALL)
        both = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT
        for turn in range(2):
            partner.request(handle, options=both, received=374 if turn else 0)
            assert numbers(messages(partner)) == [0]
            partner.request(handle, options=mq.MQGMO_BROWSE_NEXT, received=374, select=False)
            assert numbers(messages(partner)) == [1]
        partner.request(handle, 1_000_000, options=both, received=374, confirm=True)
        assert numbers([read_body(one, 10).values for one in partner.look()[:3]]) == [0, 1, 2]
        assert place.depth("A") == 3

    run_story(story)


@pytest.mark.parametrize(
    ("options", "reason"), [(mq.MQGMO_SYNCPOINT | mq.MQGMO_NO_SYNCPOINT, 2046), (0, 2016)]
)
def test_request_when_refused_then_client_is_notified(options: int, reason: int) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        if reason == 2016:
            place.mqsc("ALTER QLOCAL(A) GET(DISABLED)")
        partner.request(handle, options=options, confirm=True)
        note = await partner.values(fap.NOTIFICATION)
        assert note["value"] == reason
        check = await partner.values(fap.NOTIFICATION)
        assert (check["code"], check["value"]) == (fap.CHECK_MSG, reason)

    run_story(story)


def test_request_when_handle_is_none_then_client_is_notified() -> None:
    async def story(place: Place, partner: Partner) -> None:
        partner.request(99, confirm=True)
        assert (await partner.values(fap.NOTIFICATION))["value"] == 2019
        assert (await partner.values(fap.NOTIFICATION))["code"] == fap.CHECK_MSG

    run_story(story)


def test_request_when_it_waits_then_client_is_in_a_call() -> None:
    async def story(place: Place, partner: Partner) -> None:
        instance = partner.socket.line.instance
        assert instance is not None
        handle = await partner.open("A", ALL)
        before = int(instance.messages)
        assert int(instance.calls_under_way) == 0
        partner.request(handle, flags=STREAM)
        assert int(instance.calls_under_way) == 1
        assert int(instance.messages) == before + 1
        fill(place, 1)
        await partner.wait()
        assert int(instance.calls_under_way) == 0
        messages(partner)
        for window in (1, 0):
            partner.request(handle, window, options=mq.MQGMO_WAIT, wait_ms=-1, received=1000)
            assert int(instance.calls_under_way) == window
        fill(place, 1)
        await partner.until(lambda: place.depth("A") == 1)
        assert not partner.look()
        partner.request(handle, flags=STREAM)
        messages(partner)
        partner.request(handle, flags=STREAM, received=1000)
        await partner.call(fap.MQCLOSE, {"handle": handle, "options": 0})
        assert int(instance.calls_under_way) == 0

    run_story(story)


def test_consumers_when_several_wait_then_each_has_its_own() -> None:
    async def story(place: Place, partner: Partner) -> None:
        first = await partner.open("A", ALL)
        second = await partner.open("B", ALL)
        partner.request(first, flags=STREAM)
        partner.request(second, flags=STREAM)
        for name in ("B", "A"):
            with place.admin.queue(name) as queue:
                queue.put(b"0")
        await partner.until(lambda: len(partner.look()) == 2)
        handles = [one["handle"] for one in messages(partner)]
        assert sorted(handles) == [first, second]

    run_story(story)


def test_partner_when_it_does_not_read_then_stream_waits() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, 5)
        handle = await partner.open("A", ALL)
        partner.socket.pause_writing()
        assert not partner.pipe.is_reading()
        partner.request(handle, 1_000_000, flags=STREAM)
        assert not partner.look()
        partner.socket.resume_writing()
        assert partner.pipe.is_reading()
        await partner.wait()
        assert numbers(messages(partner)) == [0, 1, 2, 3, 4]

    run_story(story)


def test_answers_of_one_turn_then_they_leave_in_one_write() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, 50)
        handle = await partner.open("A", ALL)
        partner.look()
        writes = partner.pipe.writes
        partner.request(handle, 1_000_000, flags=STREAM)
        assert len(messages(partner)) == 50
        assert partner.pipe.writes == writes + 1

    run_story(story)


KINDS: list[Values] = [
    {},
    {"correl_id": b"c" * 24, "reply_to_queue": "B"},
    {"expiry": 36000},
    {"msg_id": b"m" * 24, "priority": 9},
    {"group_id": b"g" * 24, "msg_flags": mq.MQMF_MSG_IN_GROUP, "msg_seq_number": 1},
    {"persistence": 1},
    {"format": "MQSTR", "ccsid": 1208, "user_id": "other"},
    {},
]


@pytest.mark.parametrize(
    "form",
    [
        {"order": BIG, "ccsid": 819},
        {"order": LITTLE, "ccsid": 1208},
        {"order": BIG, "ccsid": 500, "ebcdic": True},
    ],
)
@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 2048, 40_000])
def test_stream_when_messages_are_of_many_kinds_then_each_is_as_a_get_has_it(
    form: dict[str, Any], length: int
) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL | mq.MQOO_SET_ALL_CONTEXT)
        for number, kind in enumerate(KINDS * 3):
            context = mq.MQPMO_SET_ALL_CONTEXT if "user_id" in kind else 0
            body = bytes([number]) * length
            reply = await partner.put(handle, body, mq.MQPMO_NO_SYNCPOINT | context, **kind)
            assert reply["reason"] == 0
        expected = []
        for _ in range(3 * len(KINDS)):
            found = await partner.get(handle, mq.MQGMO_BROWSE_NEXT, length=100_000)
            assert found["reason"] == 0
            expected.append(found)
        received = 0
        came: list[Values] = []
        while len(came) < len(expected):  # a persistent one ends what comes by itself
            partner.request(handle, 1 << 22, flags=STREAM, received=received, index=len(came))
            await partner.wait()
            fresh = messages(partner)
            received = sum(MD_BYTES + len(one["data"]) for one in fresh)
            came += fresh
        for number, (one, other) in enumerate(zip(came, expected, strict=True)):
            for md in (one["descriptor"], other["descriptor"]):
                md.expiry = min(md.expiry, 0) if md.expiry < 0 else 1  # that goes by
            assert one["descriptor"].pack() == other["descriptor"].pack()
            assert one["data"][:length] == other["data"][:length]
            assert (one["message_index"], one["global_message_index"]) == (number + 1, number + 1)
            assert one["message_token"] == other["options"].message_token
            assert (one["actual_length"], one["total_length"]) == (length, length)
        assert place.depth("A") == 0

    run_story(story, **form)
