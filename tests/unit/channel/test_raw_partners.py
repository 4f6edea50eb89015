"""Goal: an agent believes nothing that a partner says: numbers, LUWIDs, lengths, order.

Method: one agent and a partner made of bytes, see `raw`. What is refused ends the channel with its
code and leaves nothing put; no bytes at all raise anything else.
"""

from __future__ import annotations

import random
import struct
import tracemalloc

import pytest

from ternmq.base.object_types import RECEIVER, SENDER
from ternmq.channel.agent import BACK_OUT, NO_RETRY, RETRY
from ternmq.channel.channel_state import NO_LUWID
from ternmq.channel.opening import answered, wishes
from ternmq.channel.receiver import ReceivingAgent
from ternmq.channel.sender import SendingAgent
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.layout import BIG
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.channel_flows import read_piece
from ternmq.wire.fap.dialogue import ACCEPTOR, INITIATOR
from ternmq.wire.fap.initial_data import read_initial_data, write_initial_data
from ternmq.wire.fap.segment import Header, SegmentError, read_segment, segment
from tests.unit.channel.model import Engine, message, settings
from tests.unit.channel.raw import WRITER, Raw, pieces, raw_to_receiver, raw_to_sender

pytestmark = pytest.mark.core

ONE, TWO = b"\x01" * 8, b"\x02" * 8


def refused(raw: Raw, status: int, message_id: str) -> None:
    """The channel has ended with that code, and nothing of the batch is put."""
    assert raw.agent.end is not None
    assert (raw.agent.end.status, raw.agent.end.message_id) == (status, message_id)
    assert raw.last_status().code == status
    assert raw.heard[-1].header.flags_1 == fap.ERROR | fap.CLOSE_CHANNEL
    assert raw.engine.queue == []
    assert raw.engine.unit == []


# ---- C8: sequence numbers


@pytest.mark.parametrize("number", [1, 3, 0, -1, 2**31 - 1])
def test_number_when_it_is_not_the_next_then_the_batch_is_backed_out(number: int) -> None:
    raw = raw_to_receiver()
    for one in pieces(message(b"a"), 1, ONE):
        raw.say(one)
    assert len(raw.engine.unit) == 1
    for one in pieces(message(b"b"), number, ONE):
        raw.say(one)
    refused(raw, fap.MSG_SEQUENCE_ERROR, "AMQ9526E")
    assert raw.last_status().value == 2
    assert raw.engine.log[-1] == BACK_OUT


def test_segment_when_it_comes_twice_then_the_batch_is_backed_out() -> None:
    raw = raw_to_receiver()
    one = next(pieces(message(b"a"), 1, ONE))
    raw.say(one)
    raw.say(one)
    refused(raw, fap.MSG_SEQUENCE_ERROR, "AMQ9526E")


def test_piece_when_it_comes_twice_then_the_batch_is_backed_out() -> None:
    raw = raw_to_receiver()
    parts = list(pieces(message(b"a" * 3000), 1, ONE, 1024))
    raw.say(parts[0])
    raw.say(parts[1])
    raw.say(parts[1])
    refused(raw, fap.SEGMENT_NUMBER_ERROR, "AMQ9504E")


# ---- C9, D7: LUWIDs


def test_message_when_its_luwid_is_not_that_of_the_batch_then_it_is_refused() -> None:
    raw = raw_to_receiver()
    for luwid, number in ((ONE, 1), (TWO, 2)):
        raw.say(next(pieces(message(b"a"), number, luwid)))
    refused(raw, fap.LUWID_MISMATCH, "AMQ9504E")


@pytest.mark.parametrize("luwid", [TWO, NO_LUWID])
def test_request_to_confirm_when_it_names_another_batch_then_it_is_refused(luwid: bytes) -> None:
    raw = raw_to_receiver()
    raw.say(next(pieces(message(b"a"), 1, ONE)))
    raw.say(WRITER.confirm(luwid))
    refused(raw, fap.LUWID_MISMATCH, "AMQ9504E")


@pytest.mark.parametrize("luwid", [ONE, NO_LUWID])
def test_batch_when_its_luwid_was_there_before_then_it_is_refused(luwid: bytes) -> None:
    raw = raw_to_receiver()
    raw.say(next(pieces(message(b"a"), 1, ONE)))
    raw.say(WRITER.confirm(ONE))
    assert raw.heard[-1].header.luwid == ONE
    assert raw.heard[-1].header.flags_1 == fap.REQUEST_ACCEPTED
    assert len(raw.engine.queue) == 1
    raw.engine.queue = []
    raw.say(next(pieces(message(b"b"), 2, luwid)))
    refused(raw, fap.LUWID_MISMATCH, "AMQ9504E")


def test_batches_then_all_segments_and_the_confirm_have_one_luwid_and_each_batch_its_own() -> None:
    own = settings(SENDER, "QMA")
    own.batch_messages = 2
    own.segment_bytes_max = 1024
    raw = raw_to_sender(own, *[message(b"x" * 2000) for _ in range(4)])
    first = raw.take()
    luwid = first[0].header.luwid
    assert {one.header.luwid for one in first} == {luwid}
    assert first[-1].header.type == fap.STATUS_DATA
    raw.say(WRITER.accepted(luwid))
    second = {one.header.luwid for one in raw.take()}
    assert len(second) == 1
    assert luwid not in second
    assert NO_LUWID not in second


@pytest.mark.parametrize("luwid", [TWO, NO_LUWID])
def test_confirm_when_it_is_of_a_connection_before_then_the_batch_stays_in_doubt(
    luwid: bytes,
) -> None:
    raw = raw_to_sender(None, message(b"a"))
    assert raw.types()[-1] == fap.STATUS_DATA
    raw.say(WRITER.accepted(luwid))
    assert raw.agent.end is not None
    assert raw.agent.end.status == fap.LUWID_MISMATCH
    assert raw.engine.prepared is not None
    assert raw.agent.is_in_doubt


def test_confirm_when_no_batch_was_sent_then_it_is_refused() -> None:
    raw = raw_to_sender()
    raw.say(WRITER.accepted(ONE))
    assert raw.agent.end is not None
    assert raw.agent.end.status == fap.PROTOCOL_SEGMENT_TYPE


# ---- D8: pipelining


def test_pipelined_batch_when_the_first_is_not_confirmed_then_only_that_is_in_doubt() -> None:
    own = settings(SENDER, "QMA")
    own.pipelines = True
    own.batch_messages = 2
    raw = raw_to_sender(own, *[message(b"%d" % n) for n in range(5)])
    assert raw.types() == [
        *[fap.MESSAGE_DATA] * 2,
        fap.STATUS_DATA,
        *[fap.MESSAGE_DATA] * 2,
    ]
    assert raw.engine.prepared is not None
    assert len(raw.engine.unit) == 2
    raw.agent.lost("cut", raw.now)
    raw.run()
    assert raw.agent.end is not None
    assert raw.engine.prepared is not None
    assert raw.engine.unit == []
    assert len(raw.engine.queue) == 3


def test_pipelining_when_one_end_does_not_then_a_batch_waits_for_its_answer() -> None:
    own = settings(SENDER, "QMA")
    own.batch_messages = 2
    raw = raw_to_sender(own, *[message(b"%d" % n) for n in range(5)])
    assert raw.types() == [*[fap.MESSAGE_DATA] * 2, fap.STATUS_DATA]


def test_second_confirm_when_the_first_is_not_answered_then_it_is_refused() -> None:
    own = settings(RECEIVER, "QMB")
    raw = raw_to_receiver(own)
    raw.say(WRITER.confirm(ONE))
    refused(raw, fap.PROTOCOL_SEGMENT_TYPE, "AMQ9504E")


# ---- lengths


@pytest.mark.parametrize("total", [4_194_304 + 428 + 65, 2**31 - 1, -1, 0])
def test_length_when_it_is_announced_too_long_then_nothing_is_allocated(total: int) -> None:
    raw = raw_to_receiver()
    one = bytearray(next(pieces(message(b"a" * 2000), 1, ONE, 1024)))
    one[28 + 16 : 28 + 20] = (total & 0xFFFFFFFF).to_bytes(4, "little")
    tracemalloc.start()
    raw.say(bytes(one))
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1_000_000
    code = fap.MESSAGE_LENGTH_ERROR if total > 0 else fap.PROTOCOL_MSH_ERROR
    refused(raw, code, "AMQ9504E")


def test_message_when_it_is_longer_than_announced_then_it_is_refused() -> None:
    raw = raw_to_receiver()
    parts = list(pieces(message(b"a" * 3000), 1, ONE, 1024))
    for one in parts:
        short = bytearray(one)
        short[28 + 16 : 28 + 20] = (1500).to_bytes(4, "little")
        raw.say(bytes(short))
    refused(raw, fap.PROTOCOL_MSH_ERROR, "AMQ9504E")


def test_pieces_when_they_are_not_of_one_message_then_they_are_refused() -> None:
    parts = list(pieces(message(b"a" * 3000), 1, ONE, 1024))
    other = list(pieces(message(b"b" * 3100), 1, ONE, 1024))
    whole = next(pieces(message(b"c"), 1, ONE))
    for wrong in (
        [parts[1]],
        [parts[-1]],
        [parts[0], whole],
        [parts[0], other[0]],
        [parts[0], other[1]],
    ):
        raw = raw_to_receiver()
        for one in wrong:
            raw.say(one)
        refused(raw, fap.PROTOCOL_SEGMENT_ERROR, "AMQ9504E")


def test_piece_when_it_is_tiny_then_it_is_refused() -> None:
    raw = raw_to_receiver()
    raw.say(next(pieces(message(b"a" * 3000), 1, ONE, 28 + 20 + 255)))
    refused(raw, fap.PROTOCOL_SEGMENT_ERROR, "AMQ9504E")


def test_confirm_when_a_message_is_not_whole_then_it_is_refused() -> None:
    raw = raw_to_receiver()
    raw.say(next(pieces(message(b"a" * 3000), 1, ONE, 1024)))
    raw.say(WRITER.confirm(ONE))
    refused(raw, fap.PROTOCOL_SEGMENT_ERROR, "AMQ9504E")


@pytest.mark.parametrize("data", [b"x" * 500, b"XQH " + bytes(600), b"XQH "])
def test_message_when_it_has_no_transmission_header_then_it_is_refused(data: bytes) -> None:
    raw = raw_to_receiver()
    raw.say(next(pieces(data, 1, ONE)))
    refused(raw, fap.PROTOCOL_INVALID_DATA, "AMQ9504E")


def test_message_when_it_is_in_pieces_then_it_is_put_whole() -> None:
    raw = raw_to_receiver()
    sent = message(bytes(range(256)) * 40)
    parts = list(pieces(sent, 1, ONE, 1024))
    assert len(parts) > 10
    assert all(len(one) <= 1024 for one in parts)
    for one in parts:
        raw.say(one)
    raw.say(WRITER.confirm(ONE))
    assert raw.engine.queue == [sent]


def test_confirm_when_it_is_on_the_last_piece_then_the_batch_is_committed() -> None:
    raw = raw_to_receiver()
    one = bytearray(next(pieces(message(b"a"), 1, ONE)))
    one[10] |= fap.CONFIRM_REQUEST
    raw.say(bytes(one))
    assert raw.heard[-1].header.flags_1 == fap.REQUEST_ACCEPTED
    assert raw.engine.queue == [message(b"a")]


@pytest.mark.parametrize("ccsid", [500, 819, 1208])
def test_message_of_a_big_endian_partner_then_its_header_is_converted(ccsid: int) -> None:
    raw = raw_to_receiver()
    head = TransmissionHeader.unpack(message(b""))
    data = head.pack(BIG, ccsid) + b"data"
    msh = b"MSH " + struct.pack(">iiii", 1, len(data), 0, len(data))
    header = Header(
        fap.MESSAGE_DATA, order=BIG, luwid=ONE, ccsid=ccsid, encoding=273, is_ebcdic=ccsid == 500
    )
    raw.say(segment(header, msh + data))
    raw.say(WRITER.confirm(ONE))
    assert raw.engine.queue == [message(b"data")]


# ---- sequence numbers and batches in doubt at the start


@pytest.mark.parametrize("theirs", [0, 4, 6])
def test_start_when_the_numbers_differ_then_the_channel_does_not_run(theirs: int) -> None:
    raw = raw_to_sender_with(5, ONE)
    raw.say(WRITER.resync(fap.REQUEST_ACCEPTED, theirs, TWO))
    assert raw.agent.end is not None
    assert (raw.agent.end.kind, raw.agent.end.message_id) == (RETRY, "AMQ9526E")
    assert raw.last_status().code == fap.MSG_SEQUENCE_ERROR


def raw_to_sender_with(
    sequence: int, luwid: bytes, in_doubt: tuple[bytes, int] | None = None
) -> Raw:
    """A sender that has sent so far, and waits for the answer to RESYNC_DATA."""
    engine = Engine(True)
    engine.state.last_sequence = sequence
    engine.state.last_luwid = luwid
    if in_doubt is not None:
        engine.hold_in_doubt(in_doubt[0], in_doubt[1], message(b"doubt"))
    raw = Raw(SendingAgent(settings(SENDER, "QMA"), INITIATOR), engine, settings(RECEIVER, "QMB"))
    asked = raw.heard[-1]
    made, _again = answered(raw.partner, read_initial_data(asked), asked.header)
    raw.take()
    raw.initial(made, 0)
    return raw


@pytest.mark.parametrize(
    ("luwid", "sequence", "outcome"),
    [
        (TWO, 6, "committed"),
        (ONE, 5, "backed out"),
        (NO_LUWID, 5, "backed out"),
        (TWO, 5, "refused"),
        (ONE, 6, "refused"),
        (ONE, 4, "refused"),
    ],
)
def test_batch_in_doubt_then_the_partners_last_batch_decides(
    luwid: bytes, sequence: int, outcome: str
) -> None:
    raw = raw_to_sender_with(5, ONE, (TWO, 6))
    assert raw.heard[-1].header.luwid == TWO
    raw.say(WRITER.resync(fap.REQUEST_ACCEPTED, sequence, luwid))
    if outcome == "refused":
        assert raw.agent.end is not None
        assert raw.agent.end.message_id == "AMQ9526E"
        assert raw.engine.prepared is not None
        return
    assert raw.agent.end is None
    # What was backed out is sent again, as another batch.
    assert raw.engine.prepared is None or raw.engine.prepared[0] not in (ONE, TWO)
    assert raw.engine.state.last_sequence == (6 if outcome == "committed" else 5)
    sent = [one for one in raw.heard if one.header.type == fap.MESSAGE_DATA]
    assert len(sent) == (0 if outcome == "committed" else 1)


# ---- B1 to B6: what is agreed


def test_batch_size_then_it_is_the_lower_and_bounded_by_uncommitted_messages() -> None:
    own = settings(RECEIVER, "QMB")
    own.batch_messages = 3
    assert raw_to_receiver(own, batch=10).agent.batch_messages == 3
    own = settings(RECEIVER, "QMB")
    own.uncommitted_max = 2
    assert raw_to_receiver(own, batch=50).agent.batch_messages == 2


def test_batch_when_a_list_makes_it_longer_than_maxumsgs_then_it_is_taken() -> None:
    own = settings(RECEIVER, "QMB")
    own.uncommitted_max = 2
    raw = raw_to_receiver(own)
    for number in range(1, 8):
        for one in pieces(message(b"a"), number, ONE):
            raw.say(one)
    raw.say(WRITER.confirm(ONE))
    assert raw.agent.end is None
    assert len(raw.engine.queue) == 7


def test_sequence_wrap_when_it_differs_then_nothing_is_agreed() -> None:
    partner = settings(SENDER, "QMA")
    partner.sequence_wrap = 1000
    agent = ReceivingAgent(settings(RECEIVER, "QMB"), ACCEPTOR)
    raw = Raw(agent, Engine(False), partner)
    raw.initial(wishes(partner, False))
    assert agent.end is not None
    assert (agent.end.kind, agent.end.message_id) == (NO_RETRY, "AMQ9505E")
    assert raw.last_status().code == fap.WRAP_VALUE_ERROR


@pytest.mark.parametrize("ccsid", [1200, 13488, 65500, 3])
def test_headers_when_their_ccsid_cannot_be_converted_then_the_channel_does_not_start(
    ccsid: int,
) -> None:
    for named, header_ccsid in ((ccsid, 1208), (1208, ccsid)):
        partner = settings(SENDER, "QMA")
        agent = ReceivingAgent(settings(RECEIVER, "QMB"), ACCEPTOR)
        raw = Raw(agent, Engine(False), partner)
        asked = wishes(partner, False)
        asked.ccsid = named
        header = Header(fap.INITIAL_DATA, flags_1=fap.CONFIRM_REQUEST)
        body = write_initial_data(header, asked)
        header.ccsid = header_ccsid
        raw.say(segment(header, body))
        assert agent.end is not None
        assert (agent.end.kind, agent.end.message_id) == (NO_RETRY, "AMQ9541E")
        assert raw.last_status().code == fap.CCSID_NOT_SUPPORTED


# ---- fuzz


def some_bytes(chance: random.Random) -> bytes:
    """A segment that is nearly right."""
    made = [
        WRITER.confirm(ONE),
        WRITER.accepted(ONE, chance.randrange(256)),
        WRITER.failure(chance.randrange(300), chance.choice([None, 5]), ONE),
        WRITER.resync(chance.randrange(256), chance.randrange(9), ONE),
        WRITER.reset(chance.randrange(-1, 9)),
        WRITER.ping(chance.randrange(256), b"x" * chance.randrange(40)),
        WRITER.plain(chance.choice(sorted(fap.TYPE_NAMES)), chance.randrange(256), ONE, b"y" * 40),
        *list(pieces(message(b"z" * 2000), chance.randrange(3), ONE, 1024)),
    ]
    data = bytearray(chance.choice(made))
    for _ in range(chance.randrange(4)):
        at = chance.randrange(8, len(data))
        data[at] = chance.randrange(256)
    return bytes(data)


@pytest.mark.parametrize("seed", range(300))
def test_bytes_of_a_partner_then_they_end_the_channel_or_are_understood(seed: int) -> None:
    chance = random.Random(seed)
    queue = [message(b"m", chance.random() < 0.5) for _ in range(chance.randrange(4))]
    raw = raw_to_receiver() if chance.random() < 0.5 else raw_to_sender(None, *queue)
    for _ in range(40):
        data = some_bytes(chance)
        try:
            one = read_segment(data)
        except SegmentError:
            continue  # the reader of the socket refuses it
        if raw.agent.end is None:
            raw.agent.received(one, raw.now)
            raw.run()
        if chance.random() < 0.1:
            raw.tick(chance.choice([1, 200, 1000]))
    if raw.agent.end is not None:
        assert raw.agent.want is None
        assert raw.engine.unit == []


def test_pieces_then_each_has_the_number_and_total_of_its_message() -> None:
    sent = message(b"a" * 5000)
    found = [read_piece(read_segment(one)) for one in pieces(sent, 7, ONE, 1024)]
    assert [one.number for one in found] == list(range(len(found)))
    assert {(one.sequence, one.total) for one in found} == {(7, len(sent))}
    assert b"".join(one.after(0) for one in found) == sent
