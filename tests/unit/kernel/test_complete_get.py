"""Goal: a message of very many segments is got in bounded steps, and as a whole or not at all,
whatever happens between the steps. Method: an engine driven by hand, one step at a time.
"""

from __future__ import annotations

import pytest

from ternmq.admin.commands import objects
from ternmq.base import constants as mq
from ternmq.base.attributes import LOCAL
from ternmq.base.errors import MQError
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.kernel.connection import Handle
from ternmq.kernel.ending import back_out, commit, disconnect
from ternmq.kernel.get import get, get_returnable, resume
from ternmq.kernel.put import put
from ternmq.kernel.requests import GetCall, PutRequest
from ternmq.kernel.resolve import open_queue
from ternmq.kernel.returning import answered, take_back
from ternmq.mqi.getting import get_request
from ternmq.mqi.putting import put_request
from ternmq.values.get_request import GetRequest
from tests.unit.kernel.test_bounded_steps import STEP_MESSAGES_MAX
from tests.unit.kernel.test_segmented_put import DATA, OUTSIDE, SEGMENTS, Segmenting

pytestmark = pytest.mark.core

OPEN = mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED
INSIDE_GET = mq.MQGMO_SYNCPOINT
OUTSIDE_GET = mq.MQGMO_NO_SYNCPOINT


def asked(options: int) -> GetRequest:
    gmo = GetOptions(options=options | mq.MQGMO_COMPLETE_MSG)
    return get_request(Descriptor(), gmo, 1 << 30)


def plainly(options: int) -> GetRequest:
    return get_request(Descriptor(), GetOptions(options=options), 1 << 30)


class Completing(Segmenting):
    """A queue with one message in many segments."""

    def __init__(self) -> None:
        super().__init__()
        self.log_before = self.reserved

    def fill_with(self, persistence: int) -> None:
        self.all_steps(self.request(OUTSIDE, persistence))
        self.engine.after_step()

    def begin(self, options: int, returnable: bool = False, beside: bool = False) -> GetCall:
        """The first step."""
        if beside:
            return get_returnable(self.kernel, self.link, self.handle, asked(options), True)
        start = get_returnable if returnable else get
        return start(self.kernel, self.link, self.handle, asked(options))

    def other_handle(self) -> Handle:
        """A handle of another queue, with one message."""
        objects.define(self.kernel, self.link, LOCAL, "B", {}, False)
        handle = open_queue(self.kernel, self.link, "B", "", "", OPEN)
        assert handle is not None
        request = put_request(self.kernel, self.link, Descriptor(), PutOptions(), "MQPUT")
        assert put(self.kernel, self.link, handle, request, b"other") is not None
        return handle

    @property
    def other_depth(self) -> int:
        return int(self.kernel.locals["B"].queue.depth)

    def plain_request(self, persistence: int) -> PutRequest:
        """A message by itself, inside syncpoint."""
        md = Descriptor(persistence=persistence)
        pmo = PutOptions(options=mq.MQPMO_SYNCPOINT)
        return put_request(self.kernel, self.link, md, pmo, "MQPUT")

    def go_on(self, call: GetCall) -> int:
        """The others; how many."""
        steps = 0
        while call.entry is None:
            assert self.link.again
            before = self.available
            resume(self.kernel, call)
            assert before - self.available <= STEP_MESSAGES_MAX
            steps += 1
        return steps


@pytest.fixture(params=[0, 1], ids=["volatile", "persistent"])
def bench(request: pytest.FixtureRequest) -> Completing:
    bench = Completing()
    bench.fill_with(request.param)
    return bench


@pytest.mark.parametrize("options", [INSIDE_GET, OUTSIDE_GET], ids=["inside", "outside"])
def test_complete_get_when_many_segments_then_bounded_steps(
    bench: Completing, options: int
) -> None:
    call = bench.begin(options)
    assert (call.entry, bench.available) == (None, SEGMENTS - STEP_MESSAGES_MAX)
    assert bench.go_on(call) == 2
    assert call.entry is not None
    assert call.entry.data == DATA
    if options == INSIDE_GET:
        commit(bench.kernel, bench.link)
    assert bench.depth() == 0
    assert bench.link.undertaking is None
    assert bench.reserved == bench.log_before


@pytest.mark.parametrize("options", [INSIDE_GET, OUTSIDE_GET], ids=["inside", "outside"])
def test_complete_get_when_it_is_taken_back_between_steps_then_all_is_there(
    bench: Completing, options: int
) -> None:
    call = bench.begin(options, returnable=True)
    take_back(bench.kernel, call)
    assert (bench.available, bench.link.undertaking) == (SEGMENTS, None)
    if bench.link.unit is not None:
        commit(bench.kernel, bench.link)
    assert bench.available == SEGMENTS
    assert bench.reserved == bench.log_before
    again = bench.begin(OUTSIDE_GET)
    bench.go_on(again)
    assert again.entry is not None
    assert (again.entry.data, again.entry.backout_count) == (DATA, 0)


@pytest.mark.parametrize("options", [INSIDE_GET, OUTSIDE_GET], ids=["inside", "outside"])
def test_complete_get_when_it_is_taken_back_unanswered_then_all_is_there(
    bench: Completing, options: int
) -> None:
    call = bench.begin(options, returnable=True)
    bench.go_on(call)
    assert bench.available == 0
    take_back(bench.kernel, call)
    assert bench.available == SEGMENTS
    if bench.link.unit is not None:
        commit(bench.kernel, bench.link)
    assert bench.reserved == bench.log_before
    again = bench.begin(OUTSIDE_GET, returnable=True)
    bench.go_on(again)
    answered(bench.kernel, again)
    assert again.entry is not None
    assert (again.entry.data, again.entry.backout_count) == (DATA, 0)
    assert bench.reserved == bench.log_before


@pytest.mark.parametrize("beside", [False, True], ids=["verb", "consumer"])
@pytest.mark.parametrize("options", [INSIDE_GET, OUTSIDE_GET], ids=["inside", "outside"])
def test_complete_get_when_others_take_a_segment_between_then_it_gives_back_what_it_has(
    bench: Completing, options: int, beside: bool
) -> None:
    call = bench.begin(options, beside=beside)
    resume(bench.kernel, call)
    assert bench.available == SEGMENTS - 2 * STEP_MESSAGES_MAX
    other = bench.engine.connect("user", "application")
    handle = bench.handle_of(other)
    plain = get_request(Descriptor(), GetOptions(options=OUTSIDE_GET), 1 << 30)
    taken = get(bench.kernel, other, handle, plain)
    assert taken.entry is not None
    for _ in range(10):
        if call.reason == 0:
            assert call.entry is None
            resume(bench.kernel, call)
    assert call.reason == 2033
    assert bench.available == SEGMENTS - 1
    assert bench.link.undertaking is None


@pytest.mark.parametrize("options", [INSIDE_GET, OUTSIDE_GET], ids=["inside", "outside"])
def test_complete_get_of_a_consumer_when_another_consumer_gets_between_then_both_have_theirs(
    bench: Completing, options: int
) -> None:
    handle = bench.other_handle()
    call = bench.begin(options, beside=True)
    other = get_returnable(bench.kernel, bench.link, handle, plainly(options), True)
    before = other.entry
    assert before is None
    assert bench.go_on(call) == 2
    resume(bench.kernel, other)
    assert call.entry is not None
    assert call.entry.data == DATA
    assert other.entry is not None
    assert other.entry.data == b"other"
    for one in (call, other):
        answered(bench.kernel, one)
    if options == INSIDE_GET:
        commit(bench.kernel, bench.link)
    assert bench.depth() == 0
    assert bench.link.undertaking is None
    assert bench.reserved == bench.log_before


@pytest.mark.parametrize("verb", ["put", "get"])
def test_complete_get_of_a_consumer_when_its_unit_goes_on_and_it_is_held_then_only_it_goes_back(
    bench: Completing, verb: str
) -> None:
    handle = bench.other_handle()
    call = bench.begin(INSIDE_GET, beside=True)
    if verb == "put":
        request = bench.plain_request(1)
        assert put(bench.kernel, bench.link, handle, request, b"mine") is not None
    else:
        assert get(bench.kernel, bench.link, handle, plainly(INSIDE_GET)).entry is not None
    take_back(bench.kernel, call)
    assert bench.available == SEGMENTS
    commit(bench.kernel, bench.link)
    assert bench.other_depth == (2 if verb == "put" else 0)
    assert bench.available == SEGMENTS
    assert bench.reserved == bench.log_before


def test_complete_get_of_a_consumer_when_the_application_commits_between_then_it_begins_again(
    bench: Completing,
) -> None:
    handle = bench.other_handle()
    call = bench.begin(OUTSIDE_GET, beside=True)
    assert put(bench.kernel, bench.link, handle, bench.plain_request(1), b"mine") is not None
    commit(bench.kernel, bench.link)
    while call.entry is None and call.reason == 0:
        resume(bench.kernel, call)
    assert call.entry is not None
    assert call.entry.data == DATA
    answered(bench.kernel, call)
    assert (bench.depth(), bench.other_depth) == (0, 2)
    assert bench.reserved == bench.log_before


def test_complete_get_when_the_connection_vanishes_then_all_is_there(bench: Completing) -> None:
    bench.begin(OUTSIDE_GET)
    while bench.link.connected:
        disconnect(bench.kernel, bench.link, True)
    local = bench.kernel.locals["S"]
    assert local.queue.available == SEGMENTS
    assert bench.reserved == bench.log_before


def test_complete_get_when_backed_out_then_each_segment_counts_it_once(bench: Completing) -> None:
    call = bench.begin(INSIDE_GET)
    bench.go_on(call)
    while bench.link.unit is not None:
        back_out(bench.kernel, bench.link)
    again = bench.begin(OUTSIDE_GET)
    bench.go_on(again)
    assert again.entry is not None
    assert (again.entry.data, again.entry.backout_count) == (DATA, 1)


@pytest.mark.parametrize("options", [INSIDE_GET, OUTSIDE_GET], ids=["inside", "outside"])
def test_complete_get_when_the_log_is_full_and_it_is_the_victim_then_it_begins_again_or_fails(
    options: int,
) -> None:
    bench = Completing()
    bench.fill_with(1)
    call = bench.begin(options)
    state = bench.link.undertaking
    assert state is not None
    while state.unit.changes:
        bench.kernel.keeper.back_out_victim(state.unit)
    if options == INSIDE_GET:
        with pytest.raises(MQError) as caught:
            bench.go_on(call)
        assert caught.value.reason == 2003
        assert bench.available == SEGMENTS
    else:
        bench.go_on(call)
        assert call.entry is not None
        assert call.entry.data == DATA
        assert bench.available == 0
    assert bench.link.undertaking is None
    assert bench.reserved == bench.log_before


@pytest.mark.parametrize("options", [INSIDE_GET, OUTSIDE_GET], ids=["inside", "outside"])
def test_complete_get_when_a_step_is_refused_then_all_is_there_and_its_unit_goes_on(
    bench: Completing, options: int
) -> None:
    """What the application does after the refusal belongs to its unit of work, and is not undone
    with what the get had taken."""
    put(bench.kernel, bench.link, bench.handle, bench.plain_request(1), b"before")
    commit(bench.kernel, bench.link)
    call = bench.begin(options, returnable=True)
    resume(bench.kernel, call)
    local = bench.handle.local
    assert local is not None
    local.get_inhibited = True
    resume(bench.kernel, call)  # a part goes back
    assert bench.link.again
    local.get_inhibited = False  # that changes nothing now
    with pytest.raises(MQError) as caught:
        resume(bench.kernel, call)
    assert caught.value.reason == 2016
    assert bench.link.undertaking is None
    assert bench.available == SEGMENTS + 1
    put(bench.kernel, bench.link, bench.handle, bench.plain_request(1), b"after")
    commit(bench.kernel, bench.link)
    assert bench.available == SEGMENTS + 2
    assert bench.reserved == bench.log_before


@pytest.mark.parametrize("options", [INSIDE_GET, OUTSIDE_GET], ids=["inside", "outside"])
@pytest.mark.parametrize("persistence", [0, 1])
def test_complete_get_when_it_is_taken_back_then_its_report_and_the_copy_of_that_are_gone(
    options: int, persistence: int
) -> None:
    bench = Completing()
    objects.define(bench.kernel, bench.link, LOCAL, "COPIES", {}, False)
    objects.define(bench.kernel, bench.link, LOCAL, "REPLIES", {"stream_queue": "COPIES"}, False)
    flags = mq.MQMF_SEGMENTATION_ALLOWED
    md = Descriptor(version=2, msg_flags=flags, persistence=persistence)
    md.report = mq.MQRO_COD
    md.reply_to_queue = "REPLIES"
    pmo = PutOptions(options=OUTSIDE)
    bench.all_steps(put_request(bench.kernel, bench.link, md, pmo, "MQPUT"))
    call = bench.begin(options, returnable=True)
    bench.go_on(call)
    take_back(bench.kernel, call)
    unit = bench.link.unit
    assert unit is None or (unit.changes, unit.copies) == ([], 0)
    commit(bench.kernel, bench.link)
    assert bench.available == SEGMENTS
    for name in ("REPLIES", "COPIES"):
        queue = bench.kernel.locals[name].queue
        assert (queue.available, queue.uncommitted_puts) == (0, 0)


def test_complete_get_when_others_lock_a_segment_between_then_it_leaves_the_message(
    bench: Completing,
) -> None:
    call = bench.begin(INSIDE_GET)
    other = bench.engine.connect("user", "application")
    handle = bench.handle_of(other, mq.MQOO_BROWSE)
    options = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_LOCK
    lock = get_request(Descriptor(), GetOptions(options=options), 1 << 30)
    assert get(bench.kernel, other, handle, lock).entry is not None
    while call.reason == 0:
        assert call.entry is None
        resume(bench.kernel, call)
    assert (call.reason, bench.available) == (2033, SEGMENTS)
    disconnect(bench.kernel, other, True)
    bench.go_on(bench.begin(INSIDE_GET))
    assert bench.available == 0


def test_browse_locks_when_they_move_on_then_the_index_of_groups_keeps_one(
    bench: Completing,
) -> None:
    handle = bench.handle_of(bench.link, mq.MQOO_BROWSE)
    for _ in range(10):
        options = mq.MQGMO_BROWSE_NEXT | mq.MQGMO_LOCK
        lock = get_request(Descriptor(), GetOptions(options=options), 1 << 30)
        assert get(bench.kernel, bench.link, handle, lock).entry is not None
    local = handle.local
    assert local is not None
    groups = local.queue.groups
    assert groups is not None
    assert (len(local.queue.locks), len(groups.locked)) == (1, 1)
