"""Goal: a get that is choosy ends, in bounded steps, and does not bring a swept queue to memory.
Method: a queue manager whose steps and effects the test runs one by one; messages that share
identifiers lie in memory and in segments, some of them chosen to share a page of the id table.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.get import get, resume
from ternmq.kernel.returning import take_back
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.mqi.getting import get_request
from ternmq.store.id_table import IdTable
from ternmq.store.segment_format import hash_id
from ternmq.values.get_request import GetRequest
from tests.model.rig import Rig
from tests.unit.kernel.asker import Asker

pytestmark = pytest.mark.core

NAME = "Q"
STEP_MESSAGES_MAX = 256
BOTH = mq.MQMO_MATCH_CORREL_ID | mq.MQMO_MATCH_MSG_SEQ_NUMBER


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig(LogParameters(CIRCULAR, 3, 2, 1024, False))
    for name, buffer in ((NAME, 1 << 16), ("WIDE", 1 << 30)):
        rig.qmgr.define_queue(
            name, max_depth=100_000, persistent_buffer=buffer, nonpersistent_buffer=buffer
        )
    yield rig
    rig.stop()


def choosy(
    correl_id: bytes, sequence: int, match: int = BOTH, wait: int = 0, msg_id: bytes = bytes(24)
) -> GetRequest:
    options = mq.MQGMO_NO_SYNCPOINT | (mq.MQGMO_WAIT if wait else 0)
    gmo = GetOptions(options=options, match_options=match, wait_interval=wait)
    md = Descriptor(correl_id=correl_id, msg_seq_number=sequence, msg_id=msg_id)
    return get_request(md, gmo, 1 << 20)


def put(rig: Rig, correl_ids: list[bytes], name: str = NAME, size: int = 2000) -> None:
    with rig.qmgr.queue(name) as queue:
        for number, correl_id in enumerate(correl_ids):
            queue.put(number.to_bytes(4, "big") + bytes(size), correl_id=correl_id)
            rig.run_effects(1)
    rig.settle()


def same_page(rig: Rig, count: int) -> list[bytes]:
    """Identifiers that gather in one page of the table, of different hashes."""
    seed = int(IdTable(rig.engine.kernel.catalog.id_seed)._seed)
    found: list[bytes] = []
    number = 0
    while len(found) < count:
        number += 1
        identifier = b"C%023d" % number
        if ((hash_id(identifier) * seed) & (1 << 62) - 1) >> 29 & 63 == 0:
            found.append(identifier)
    return found


def test_candidates_when_more_than_the_queue_keeps_copies_of_then_the_get_ends(rig: Rig) -> None:
    """Four ids of 52 messages keep their page from giving the fifth a table of its own."""
    ids = same_page(rig, 5)
    put(rig, ids[1:] * 52 + [ids[0]] * 300)
    asker = Asker(rig, NAME)
    table = asker.queue.swept_correls
    assert table is not None
    assert len(table.candidates(hash_id(ids[0]))) > STEP_MESSAGES_MAX
    assert not table.is_shared(hash_id(ids[0]))
    call = asker.ask(choosy(ids[0], 2))
    assert (call.entry, call.reason) == (None, 2033)
    assert asker.messages_read <= 300
    call = asker.ask(choosy(ids[0], 1))  # the first that has it
    assert call.entry is not None
    assert int.from_bytes(call.entry.data[:4], "big") == 4 * 52


def test_two_gets_with_many_candidates_then_neither_takes_the_other_ones_copies_away(
    rig: Rig,
) -> None:
    first, second = b"A" * 24, b"B" * 24
    put(rig, [first, second] * 190)
    askers = [Asker(rig, NAME), Asker(rig, NAME)]
    calls = [
        get(one.kernel, one.link, one.handle, choosy(key, 2))
        for one, key in zip(askers, (first, second), strict=True)
    ]
    going = [True, True]
    while any(going):
        for number, (asker, call) in enumerate(zip(askers, calls, strict=True)):
            going[number] = going[number] and asker.goes_on()
            if going[number]:
                resume(asker.kernel, call)
    assert [call.reason for call in calls] == [2033, 2033]
    assert all(asker.messages_read <= 190 for asker in askers)


def test_shared_correl_id_when_nothing_fits_then_bounded_steps_and_memory(rig: Rig) -> None:
    put(rig, [b"S" * 24] * 4000)
    asker = Asker(rig, NAME)
    in_memory = asker.queue.available
    segments = len(asker.queue.segments)
    assert segments > 20
    for _ in range(2):
        asker.steps = asker.segments_read = 0
        call = asker.ask(choosy(b"S" * 24, 2))
        assert (call.entry, call.reason) == (None, 2033)
        assert asker.most_in_memory == in_memory
        assert asker.segments_read <= segments
        assert asker.steps >= 4000 // STEP_MESSAGES_MAX
    assert asker.queue.service.unsweeps == 0
    assert len(asker.queue.pages) <= 4
    call = asker.ask(choosy(b"S" * 24, 1))
    assert call.entry is not None
    assert call.entry.data[:4] == bytes(4)


def test_shared_correl_id_when_gets_take_them_one_by_one_then_in_order_and_each_once(
    rig: Rig,
) -> None:
    put(rig, [b"S" * 24, b"T" * 24] * 700)
    asker = Asker(rig, NAME)
    found: list[int] = []
    while True:
        asker.steps = 0
        call = asker.ask(choosy(b"S" * 24, 0, mq.MQMO_MATCH_CORREL_ID))
        if call.entry is None:
            break
        found.append(int.from_bytes(call.entry.data[:4], "big"))
        rig.settle()
    assert found == list(range(0, 1400, 2))
    assert asker.queue.depth == 700


def test_correl_id_in_memory_with_a_second_criterion_then_bounded_steps(rig: Rig) -> None:
    put(rig, [b"S" * 24] * 3000, "WIDE", 4)
    asker = Asker(rig, "WIDE")
    call = asker.ask(choosy(b"S" * 24, 2))
    assert (call.entry, call.reason) == (None, 2033)
    assert asker.steps >= 3000 // STEP_MESSAGES_MAX
    call = asker.ask(choosy(b"S" * 24, 1))
    assert call.entry is not None
    assert call.entry.data[:4] == bytes(4)


def test_ordered_search_when_nothing_fits_then_the_queue_stays_swept(rig: Rig) -> None:
    put(rig, [bytes(24)] * 4000)
    asker = Asker(rig, NAME)
    in_memory = asker.queue.available
    segments = len(asker.queue.segments)
    call = asker.ask(choosy(bytes(24), 77, mq.MQMO_MATCH_MSG_SEQ_NUMBER))
    assert (call.entry, call.reason) == (None, 2033)
    assert asker.most_in_memory == in_memory
    assert asker.segments_read == segments
    assert asker.queue.service.unsweeps == 0
    for number in range(3):  # and what fits is taken from where it lies
        call = asker.ask(choosy(bytes(24), 1, mq.MQMO_MATCH_MSG_SEQ_NUMBER))
        assert call.entry is not None
        assert int.from_bytes(call.entry.data[:4], "big") == number


@pytest.mark.parametrize("match", [BOTH, mq.MQMO_MATCH_MSG_SEQ_NUMBER])
def test_message_that_comes_where_the_search_has_been_then_the_waiting_get_takes_it(
    rig: Rig, match: int
) -> None:
    """A get that waits must not sleep beside a message that fits."""
    put(rig, [b"S" * 24] * 2000)
    asker = Asker(rig, NAME)
    call = get(asker.kernel, asker.link, asker.handle, choosy(b"S" * 24, 9, match, wait=1000))
    for _ in range(10):
        assert asker.goes_on()
        resume(asker.kernel, call)
    with rig.qmgr.queue(NAME) as queue:
        md = Descriptor(correl_id=b"S" * 24, priority=9, msg_seq_number=9)
        md.msg_flags = mq.MQMF_MSG_IN_GROUP
        queue.put(b"wanted", descriptor=md, options=mq.MQPMO_NO_SYNCPOINT)
    while not call.waiting and asker.goes_on():
        resume(asker.kernel, call)
    assert call.entry is not None
    assert call.entry.data == b"wanted"
    assert asker.handle.local is not None
    assert asker.handle.local.waiters.count == 0


def test_get_that_is_taken_back_while_it_looks_then_nothing_knows_of_it(rig: Rig) -> None:
    put(rig, [b"S" * 24] * 2000)
    asker = Asker(rig, NAME)
    cursors = list(asker.queue.cursors)
    match = mq.MQMO_MATCH_MSG_SEQ_NUMBER
    call = get(asker.kernel, asker.link, asker.handle, choosy(b"", 9, match, wait=1000))
    assert call.looking
    take_back(asker.kernel, call)
    local = asker.handle.local
    assert local is not None
    assert (local.waiters.count, local.waiters.looking) == (0, [])
    assert asker.queue.cursors == cursors


def test_seed_of_the_id_tables_then_from_the_entropy_of_the_queue_manager(rig: Rig) -> None:
    """The same in every start, another one in another queue manager."""
    seed = rig.engine.kernel.catalog.id_seed
    assert seed == int.from_bytes(rig.engine.opened.control.identity[:8], "little") != 0
    put(rig, [b"A" * 24] * 100)
    assert Asker(rig, NAME).queue.id_seed == seed
    rig.start()
    assert rig.engine.kernel.catalog.id_seed == seed
