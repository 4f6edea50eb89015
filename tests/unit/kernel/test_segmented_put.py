"""Goal: a message in very many segments is put in bounded steps, and as a whole or not at all,
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
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.delivery import AskOwn
from ternmq.kernel.ending import back_out, commit, disconnect
from ternmq.kernel.get import get
from ternmq.kernel.put import put
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.resolve import open_queue
from ternmq.kernel.two_phase import commit_prepared, prepare
from ternmq.mqi.getting import get_request
from ternmq.mqi.putting import put_request
from ternmq.values.entry import Entry
from ternmq.values.xid import XID
from tests.unit.kernel.test_bounded_steps import STEP_MESSAGES_MAX, Bench

pytestmark = pytest.mark.core

SEGMENTS = 600
DATA = bytes(range(256)) * 4 * SEGMENTS  # 1024 bytes each
INSIDE = mq.MQPMO_SYNCPOINT
OUTSIDE = mq.MQPMO_NO_SYNCPOINT


class Segmenting(Bench):
    """A queue that takes no more than 1024 bytes."""

    def __init__(self) -> None:
        super().__init__()
        attributes: dict[str, object] = {"max_depth": 1000, "max_message_length": 1024}
        objects.define(self.kernel, self.link, LOCAL, "S", attributes, False)
        self.handle = self.handle_of(self.link)

    def handle_of(self, link: Connection, more: int = 0) -> Handle:
        """The queue, open for a connection."""
        options = mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED | more
        handle = open_queue(self.kernel, link, "S", "", "AMQ.*", options)
        assert handle is not None
        return handle

    def request(self, options: int, persistence: int) -> PutRequest:
        flags = mq.MQMF_SEGMENTATION_ALLOWED
        md = Descriptor(version=2, msg_flags=flags, persistence=persistence)
        return put_request(self.kernel, self.link, md, PutOptions(options=options), "MQPUT")

    def step(self, request: PutRequest, data: bytes = DATA) -> Entry | None:
        """One attempt."""
        before = self.depth()
        entry = put(self.kernel, self.link, self.handle, request, data)
        assert self.depth() - before <= STEP_MESSAGES_MAX
        self.engine.after_step()
        return entry

    def all_steps(self, request: PutRequest, data: bytes = DATA) -> int:
        """To the end; how many steps."""
        steps = 1
        while self.step(request, data) is None:
            assert self.link.again
            steps += 1
        return steps

    @property
    def available(self) -> int:
        """Committed messages."""
        local = self.handle.local
        assert local is not None
        return int(local.queue.available)

    @property
    def reserved(self) -> int:
        """Log space that is set aside."""
        return int(self.kernel.coordinator.space.reserved)


@pytest.fixture
def bench() -> Segmenting:
    return Segmenting()


@pytest.mark.parametrize("options", [INSIDE, OUTSIDE], ids=["inside", "outside"])
@pytest.mark.parametrize("persistence", [0, 1])
def test_segmented_put_when_many_segments_then_bounded_steps_and_all_at_once(
    bench: Segmenting, options: int, persistence: int
) -> None:
    reserved = bench.reserved
    request = bench.request(options, persistence)
    assert bench.step(request) is None
    assert (bench.available, bench.link.again) == (0, True)
    assert bench.all_steps(request) == 2
    if options == INSIDE:
        assert bench.available == 0
        commit(bench.kernel, bench.link)
    assert bench.available == SEGMENTS
    assert bench.link.undertaking is None
    assert bench.reserved == reserved


@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize("options", [INSIDE, OUTSIDE], ids=["inside", "outside"])
def test_segmented_put_when_it_is_given_up_and_the_unit_commits_then_nothing_is_put(
    bench: Segmenting, options: int, persistence: int
) -> None:
    reserved = bench.reserved
    small = bench.request(INSIDE, persistence)
    put(bench.kernel, bench.link, bench.handle, small, b"x")
    assert bench.step(bench.request(options, 0 if options == OUTSIDE else persistence)) is None
    while bench.link.unit is not None:
        commit(bench.kernel, bench.link)
    assert (bench.depth(), bench.available) == (1, 1)
    assert bench.reserved == reserved


@pytest.mark.parametrize("persistence", [0, 1])
def test_segmented_put_when_it_is_given_up_and_the_unit_is_prepared_then_nothing_is_put(
    bench: Segmenting, persistence: int
) -> None:
    reserved = bench.reserved
    xid = XID(1, b"global", b"branch")
    put(bench.kernel, bench.link, bench.handle, bench.request(INSIDE, persistence), b"x")
    assert bench.step(bench.request(INSIDE, persistence)) is None
    assert prepare(bench.kernel, bench.link, xid)
    commit_prepared(bench.kernel, bench.link, xid)
    assert (bench.depth(), bench.available) == (1, 1)
    assert bench.reserved == reserved


@pytest.mark.parametrize("persistence", [0, 1])
def test_segmented_put_when_the_connection_vanishes_then_nothing_is_put(
    bench: Segmenting, persistence: int
) -> None:
    reserved = bench.reserved
    bench.step(bench.request(OUTSIDE, persistence))
    bench.step(bench.request(OUTSIDE, persistence))
    steps = 0
    while bench.link.connected:
        disconnect(bench.kernel, bench.link, True)
        steps += 1
    assert steps == 2
    assert not bench.kernel.coordinator.units
    assert bench.reserved == reserved


def test_segmented_put_when_another_put_follows_then_the_first_is_undone(
    bench: Segmenting,
) -> None:
    request = bench.request(OUTSIDE, 0)
    bench.step(request)
    assert bench.all_steps(request, DATA[:5000]) == 1
    assert bench.available == 5


def test_segmented_put_when_a_backout_comes_between_then_the_next_begins_anew(
    bench: Segmenting,
) -> None:
    request = bench.request(INSIDE, 1)
    bench.step(request)
    while bench.link.unit is not None:
        back_out(bench.kernel, bench.link)
    assert bench.depth() == 0
    bench.all_steps(request)
    commit(bench.kernel, bench.link)
    assert bench.available == SEGMENTS


@pytest.mark.parametrize("options", [INSIDE, OUTSIDE], ids=["inside", "outside"])
def test_segmented_put_when_the_queue_is_inhibited_between_then_it_is_undone_and_refused(
    bench: Segmenting, options: int
) -> None:
    request = bench.request(options, 1)
    bench.step(request)
    local = bench.handle.local
    assert local is not None
    local.put_inhibited = True
    with pytest.raises(MQError) as caught:
        bench.all_steps(request)
    assert caught.value.reason == 2051
    assert bench.depth() == 0
    assert bench.link.undertaking is None


def test_segmented_put_when_others_fill_the_queue_between_then_it_is_undone_and_refused(
    bench: Segmenting,
) -> None:
    request = bench.request(OUTSIDE, 0)
    bench.step(request)
    other = bench.engine.connect("user", "application")
    handle = bench.handle_of(other)
    md = Descriptor(persistence=0)
    small = put_request(bench.kernel, other, md, PutOptions(options=OUTSIDE), "MQPUT")
    for _ in range(500):
        put(bench.kernel, other, handle, small, b"x")
    with pytest.raises(MQError) as caught:
        bench.all_steps(request)
    assert caught.value.reason == 2053
    assert bench.depth() == 500


@pytest.mark.parametrize(("options", "reason"), [(INSIDE, 2003), (OUTSIDE, 2102)])
def test_segmented_put_when_the_log_is_full_and_it_is_the_victim_then_it_is_undone_and_refused(
    bench: Segmenting, options: int, reason: int
) -> None:
    request = bench.request(options, 1)
    bench.step(request)
    state = bench.link.undertaking
    assert state is not None
    bench.kernel.keeper.back_out_victim(state.unit)
    with pytest.raises(MQError) as caught:
        bench.all_steps(request)
    assert caught.value.reason == reason
    assert bench.link.undertaking is None
    while state.unit.changes:
        bench.kernel.keeper.back_out_victim(state.unit)
    assert bench.depth() == 0


def test_segmented_put_when_a_get_of_its_own_unit_waits_then_that_gets_after_the_last_step(
    bench: Segmenting,
) -> None:
    handle = bench.handle_of(bench.link)
    gmo = GetOptions(options=mq.MQGMO_SYNCPOINT | mq.MQGMO_WAIT, wait_interval=-1)
    call = get(bench.kernel, bench.link, handle, get_request(Descriptor(), gmo, 1024))
    assert call.waiting
    request = bench.request(INSIDE, 0)
    for last in (False, False, True):
        assert (bench.step(request) is not None) == last
        for effect in list(bench.engine.outbox.effects):
            if isinstance(effect, AskOwn):
                bench.engine.outbox.effects.remove(effect)
                effect.complete()
        assert call.waiting != last
    assert call.entry is not None
    assert call.entry.data == DATA[:1024]
    assert bench.depth() == SEGMENTS - 1
