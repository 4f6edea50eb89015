"""Goal: exits see what IBM's headers promise, and only what they may answer is obeyed.
Method: a chain of Python functions that note each call, without a channel around it.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq.base import constants as mq
from ternmq.channel.exit_chain import Exit, ExitFunction, Exits
from ternmq.channel.exit_points import (
    PASS,
    SECURITY_OK,
    SECURITY_REQUEST,
    SECURITY_SEND,
    SUPPRESS,
    ExitEnds,
)
from ternmq.channel.exit_structures import (
    MQCD,
    MQCXP,
    changed_attributes,
    data_in,
    definition_of,
    names_in,
)
from ternmq.ports.os_clock import OsClock
from ternmq.wire.fap.segment import Header, read_segment, segment
from ternmq.wire.fap.vocabulary import HEARTBEAT, MESSAGE_DATA, SECURITY_FAILURE

MESSAGE = mq.MQXT_CHANNEL_MSG_EXIT
SECURITY = mq.MQXT_CHANNEL_SEC_EXIT
SEND = mq.MQXT_CHANNEL_SEND_EXIT
RECEIVE = mq.MQXT_CHANNEL_RCV_EXIT
RETRY = mq.MQXT_CHANNEL_MSG_RETRY_EXIT


def chain(*exits: Exit) -> Exits:
    return Exits("A.TO.B", MQCD(), list(exits), OsClock())


def one_exit(kind: int, function: ExitFunction, number: int = 1, data: str = "") -> Exit:
    return Exit(kind, f"exit{number}(f)", function, data, number)


class Noting:
    """An exit that notes its calls and answers what it was given."""

    def __init__(self, response: int = mq.MQXCC_OK, **fields: Any) -> None:
        self.calls: list[MQCXP] = []
        self.data: list[bytes] = []
        self.response = response
        self.fields = fields
        self.returned: bytes | None = None

    def __call__(self, mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> bytes | None:
        self.calls.append(mqcxp)
        self.data.append(data)
        if mqcxp.ExitReason not in (mq.MQXR_INIT, mq.MQXR_TERM):
            mqcxp.ExitResponse = self.response
            for name, value in self.fields.items():
                setattr(mqcxp, name, value)
            return self.returned
        return None

    @property
    def reasons(self) -> list[int]:
        return [one.ExitReason for one in self.calls]


def test_chain_when_the_channel_lives_then_init_calls_and_term() -> None:
    first, second = Noting(), Noting()
    exits = chain(one_exit(MESSAGE, first, 1, "one"), one_exit(MESSAGE, second, 2, "two"))
    exits.initial()
    exits.agreed("QMB", 13, 32_748)
    exits.message(b"M" * 500)
    exits.final()
    assert first.reasons == [mq.MQXR_INIT, mq.MQXR_MSG, mq.MQXR_TERM]
    assert second.reasons == first.reasons
    seen = second.calls[1]
    assert (seen.ExitId, seen.ExitNumber, seen.ExitData) == (MESSAGE, 2, "two")
    assert (seen.PartnerName, seen.FAPLevel, seen.MaxSegmentLength) == ("QMB", 13, 32_748)
    assert seen.HeaderLength == 428
    assert (seen.Version, seen.StrucLength, seen.StrucId) == (9, 240, "CXP ")
    assert first.calls[0].PartnerName == ""
    assert exits.time.short > 0


def test_chain_when_an_exit_keeps_a_user_area_then_it_has_it_at_the_next_call() -> None:
    areas: list[bytes] = []

    def count(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> None:
        areas.append(mqcxp.ExitUserArea)
        mqcxp.ExitUserArea = bytes([mqcxp.ExitUserArea[0] + 1])

    other = Noting()
    exits = chain(one_exit(MESSAGE, count), one_exit(MESSAGE, other, 2))
    exits.initial()
    exits.message(b"x")
    exits.final()
    assert [area[0] for area in areas] == [0, 1, 2]
    assert {len(area) for area in areas} == {16}
    assert other.calls[1].ExitUserArea == bytes(16)


@pytest.mark.parametrize("area", [b"x" * 17, "text", None])
def test_chain_when_a_user_area_is_invalid_then_the_channel_ends(area: Any) -> None:
    exits = chain(one_exit(MESSAGE, Noting(ExitUserArea=area)))
    with pytest.raises(ExitEnds) as caught:
        exits.message(b"x")
    assert caught.value.message_id == "AMQ9190E"


def test_message_when_exits_change_it_then_the_next_sees_that() -> None:
    first, second = Noting(), Noting()
    first.returned = b"changed"
    exits = chain(one_exit(MESSAGE, first), one_exit(MESSAGE, second, 2))
    verdict = exits.message(b"data")
    assert (verdict.message, verdict.kind) == (b"changed", PASS)
    assert second.data == [b"changed"]


@pytest.mark.parametrize(("feedback", "expected"), [(0, 268), (300, 300)])
def test_message_when_suppressed_then_feedback_and_no_more_exits(
    feedback: int, expected: int
) -> None:
    first = Noting(mq.MQXCC_SUPPRESS_FUNCTION, Feedback=feedback)
    second = Noting()
    exits = chain(one_exit(MESSAGE, first), one_exit(MESSAGE, second, 2))
    verdict = exits.message(b"data")
    assert (verdict.kind, verdict.reason) == (SUPPRESS, expected)
    assert not second.calls
    first.fields["ExitResponse2"] = mq.MQXR2_CONTINUE_CHAIN
    exits.message(b"data")
    assert len(second.calls) == 1


def test_message_when_the_chain_is_suppressed_then_the_others_are_not_called() -> None:
    second = Noting()
    first = Noting(ExitResponse2=mq.MQXR2_SUPPRESS_CHAIN)
    exits = chain(one_exit(MESSAGE, first), one_exit(MESSAGE, second, 2))
    assert exits.message(b"data").kind == PASS
    assert not second.calls


def test_exit_when_it_suppresses_itself_then_only_term_follows() -> None:
    first = Noting(mq.MQXCC_SUPPRESS_EXIT)
    exits = chain(one_exit(MESSAGE, first))
    exits.initial()
    for _ in range(3):
        assert exits.message(b"data").message == b"data"
    exits.final()
    assert first.reasons == [mq.MQXR_INIT, mq.MQXR_MSG, mq.MQXR_TERM]


@pytest.mark.parametrize("response", [-7, -8, -99, 1, 77])
def test_exit_when_it_answers_an_unknown_number_then_amq9181(response: int) -> None:
    exits = chain(one_exit(MESSAGE, Noting(response)))
    with pytest.raises(ExitEnds) as caught:
        exits.message(b"data")
    assert caught.value.message_id == "AMQ9181E"
    assert caught.value.inserts == ("exit1(f)", response, "A.TO.B")
    assert caught.value.status == 23


@pytest.mark.parametrize("kind", [SEND, RECEIVE])
def test_exit_when_its_type_has_no_such_answer_then_amq9181(kind: int) -> None:
    exits = chain(one_exit(kind, Noting(mq.MQXCC_SUPPRESS_FUNCTION)))
    with pytest.raises(ExitEnds, match="AMQ9181E"):
        exits.send(b"TSH " + bytes(30)) if kind == SEND else exits.receive(b"TSH " + bytes(30))


def test_exit_when_it_changes_its_reason_then_its_answer_is_checked_all_the_same() -> None:
    exits = chain(one_exit(MESSAGE, Noting(99, ExitReason=mq.MQXR_TERM)))
    with pytest.raises(ExitEnds, match="AMQ9181E"):
        exits.message(b"data")


def test_exit_when_the_secondary_answer_is_not_supported_then_amq9182() -> None:
    for answer in (mq.MQXR2_PUT_WITH_DEF_USERID, 4096):
        exits = chain(one_exit(MESSAGE, Noting(ExitResponse2=answer)))
        with pytest.raises(ExitEnds, match="AMQ9182E"):
            exits.message(b"data")


def test_exit_when_it_raises_then_its_channel_ends_with_amq9190() -> None:
    def broken(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> None:
        raise KeyError("customer")

    def leaves(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> None:
        raise SystemExit(3)

    def generator(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> None:
        raise GeneratorExit("odd")

    for function, word in (
        (broken, "KeyError: 'customer'"),
        (leaves, "SystemExit: 3"),
        (generator, "GeneratorExit: odd"),
    ):
        exits = chain(one_exit(MESSAGE, function))
        with pytest.raises(ExitEnds) as caught:
            exits.initial()
        assert caught.value.message_id == "AMQ9190E"
        assert caught.value.inserts == ("A.TO.B", "MSGEXIT exit1(f)", word)


def test_exit_when_it_returns_text_then_its_channel_ends() -> None:
    exits = chain(one_exit(MESSAGE, lambda mqcxp, mqcd, data: "text"))
    with pytest.raises(ExitEnds, match="AMQ9190E"):
        exits.message(b"data")


def test_exit_when_it_closes_the_channel_then_amq9536() -> None:
    for kind, status in ((MESSAGE, 23), (SECURITY, SECURITY_FAILURE)):
        exits = chain(one_exit(kind, Noting(mq.MQXCC_CLOSE_CHANNEL)))
        with pytest.raises(ExitEnds) as caught:
            exits.message(b"") if kind == MESSAGE else exits.security(None)
        assert (caught.value.message_id, caught.value.status) == ("AMQ9536E", status)


def test_final_when_one_exit_raises_then_the_others_are_called() -> None:
    def broken(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> None:
        if mqcxp.ExitReason == mq.MQXR_TERM:
            raise ValueError("no")

    last = Noting()
    exits = chain(one_exit(MESSAGE, broken), one_exit(MESSAGE, last, 2))
    exits.initial()
    exits.final()
    assert last.reasons == [mq.MQXR_INIT, mq.MQXR_TERM]


# ---- security


def test_security_when_an_exit_answers_then_what_is_sent() -> None:
    noting = Noting(mq.MQXCC_SEND_AND_REQUEST_SEC_MSG)
    noting.returned = b"who are you"
    exits = chain(one_exit(SECURITY, noting))
    exits.initial()
    turn = exits.security(None)
    assert (turn.kind, turn.data) == (SECURITY_REQUEST, b"who are you")
    noting.response = mq.MQXCC_SEND_SEC_MSG
    turn = exits.security(b"QMB")
    assert (turn.kind, turn.data) == (SECURITY_SEND, b"who are you")
    noting.response = mq.MQXCC_OK
    assert exits.security(b"").kind == SECURITY_OK
    assert noting.reasons == [mq.MQXR_INIT, mq.MQXR_INIT_SEC, mq.MQXR_SEC_MSG, mq.MQXR_SEC_MSG]
    assert noting.data == [b"", b"", b"QMB", b""]


def test_security_when_suppressed_then_the_channel_ends() -> None:
    exits = chain(one_exit(SECURITY, Noting(mq.MQXCC_SUPPRESS_FUNCTION)))
    with pytest.raises(ExitEnds, match="AMQ9536E"):
        exits.security(None)


# ---- segments


def test_send_when_an_exit_changes_a_segment_then_its_length_follows() -> None:
    def longer(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> bytes:
        return data[:8] + bytes(one ^ 0x55 for one in data[8:]) + b"seal"

    def shorter(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> bytes:
        return data[:8] + bytes(one ^ 0x55 for one in data[8:-4])

    sender, receiver = chain(one_exit(SEND, longer)), chain(one_exit(RECEIVE, shorter))
    plain = segment(Header(MESSAGE_DATA), b"body" * 100)
    wire = sender.send(plain)
    assert len(wire) == len(plain) + 4 == int.from_bytes(wire[4:8], "big")
    assert receiver.receive(wire) == plain
    assert read_segment(plain).header.type == MESSAGE_DATA


def test_send_when_the_first_bytes_are_changed_then_the_channel_ends() -> None:
    exits = chain(one_exit(SEND, lambda mqcxp, mqcd, data: b"X" + data[1:]))
    with pytest.raises(ExitEnds, match="AMQ9190E"):
        exits.send(segment(Header(HEARTBEAT)))


def test_send_when_a_segment_becomes_too_long_then_amq9189() -> None:
    exits = chain(one_exit(SEND, lambda mqcxp, mqcd, data: data + b"x"))
    exits.agreed("QMB", 13, 1000)
    assert len(exits.send(segment(Header(MESSAGE_DATA), bytes(971)))) == 1000
    with pytest.raises(ExitEnds, match="AMQ9189E"):
        exits.send(segment(Header(MESSAGE_DATA), bytes(972)))


def test_initial_when_a_send_exit_reserves_space_then_the_chain_has_it() -> None:
    def reserve(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> None:
        mqcxp.ExitSpace = 100

    exits = chain(one_exit(SEND, reserve), one_exit(SEND, reserve, 2))
    exits.initial()
    assert exits.space == 200


@pytest.mark.parametrize(("space", "is_too_much"), [(8976, False), (8977, True)])
def test_agreed_when_send_exits_leave_less_than_a_kilobyte_then_the_channel_ends(
    space: int, is_too_much: bool
) -> None:
    def reserve(mqcxp: MQCXP, mqcd: MQCD, data: bytes) -> None:
        mqcxp.ExitSpace = space

    exits = chain(one_exit(SEND, reserve))
    exits.initial()
    if is_too_much:
        with pytest.raises(ExitEnds, match="AMQ9190E"):
            exits.agreed("QMB", 10, 10_000)
    else:
        exits.agreed("QMB", 10, 10_000)


# ---- retry, compression


@pytest.mark.parametrize("given", ["7", None, -1, 10**9])
def test_retry_when_the_interval_cannot_be_then_that_of_the_channel(given: Any) -> None:
    exits = chain(one_exit(RETRY, Noting(MsgRetryInterval=given)))
    assert exits.retry(b"M", 2053, 1, 9, 1000).interval_ms == 1000


@pytest.mark.parametrize("given", ["7", None, -1, 2**31])
def test_message_when_feedback_is_no_number_then_the_channel_ends(given: Any) -> None:
    exits = chain(one_exit(MESSAGE, Noting(mq.MQXCC_SUPPRESS_FUNCTION, Feedback=given)))
    with pytest.raises(ExitEnds, match="AMQ9190E"):
        exits.message(b"M")


def test_retry_when_an_exit_decides_then_its_answer_counts() -> None:
    noting = Noting(MsgRetryInterval=7)
    exits = chain(one_exit(RETRY, noting))
    found = exits.retry(b"M" * 500, 2053, 3, 0, 1000)
    assert (found.again, found.interval_ms) == (True, 7)
    seen = noting.calls[0]
    assert (seen.MsgRetryCount, seen.MsgRetryReason, seen.ExitReason) == (2, 2053, mq.MQXR_RETRY)
    noting.response = mq.MQXCC_SUPPRESS_FUNCTION
    assert not exits.retry(b"M", 2053, 3, 9, 1000).again


def test_message_when_an_exit_chooses_a_compression_then_only_one_that_was_agreed() -> None:
    definition = MQCD()
    definition.MsgCompList = [mq.MQCOMPRESS_ZLIBFAST, mq.MQCOMPRESS_RLE]
    noting = Noting(CurMsgCompression=mq.MQCOMPRESS_RLE)
    exits = Exits("A", definition, [one_exit(MESSAGE, noting)])
    exits.message_compression = mq.MQCOMPRESS_ZLIBFAST
    exits.message(b"x")
    assert noting.calls[0].CurMsgCompression == mq.MQCOMPRESS_RLE
    assert exits.message_compression == mq.MQCOMPRESS_RLE
    noting.fields["CurMsgCompression"] = mq.MQCOMPRESS_LZ4HIGH
    with pytest.raises(ExitEnds, match="AMQ9190E"):
        exits.message(b"x")


# ---- MQCD


def test_definition_when_made_of_attributes_then_fields_as_in_c() -> None:
    made = definition_of(
        "A.TO.B",
        mq.MQCHT_SENDER,
        "QMA",
        {
            "batch_messages": 50,
            "connection_name": "host.somewhere.example(1414)",
            "message_exit": "one(a),two(b)",
            "message_exit_data": "first,second",
            "send_exit": "",
            "sequence_wrap": 5000,
        },
        [],
        [mq.MQCOMPRESS_RLE],
    )
    assert (made.Version, made.StrucLength) == (13, 2000)
    assert (made.ChannelName, made.ChannelType, made.QMgrName) == ("A.TO.B", 1, "QMA")
    assert (made.BatchSize, made.SeqNumberWrap) == (50, 5000)
    assert made.ShortConnectionName == "host.somewhere.examp"
    assert (made.MsgExit, made.MsgExitsDefined) == ("one(a)", 2)
    assert made.MsgExitPtr == ["one(a)", "two(b)"]
    assert made.MsgUserDataPtr == ["first", "second"]
    assert made.SendExitsDefined == 0
    assert made.MsgCompList == [mq.MQCOMPRESS_RLE]
    other = definition_of("A.TO.B", 1, "QMA", {"batch_messages": 7}, [], [])
    before = definition_of("A.TO.B", 1, "QMA", {"batch_messages": 50}, [], [])
    assert changed_attributes(before, other) == {"batch_messages": 7}


def test_lists_when_data_are_fewer_than_exits_then_the_rest_is_empty() -> None:
    assert names_in(" a(b) , c:d,") == ["a(b)", "c:d"]
    assert data_in("x", 3) == ["x", "", ""]
    assert data_in(None, 2) == ["", ""]
