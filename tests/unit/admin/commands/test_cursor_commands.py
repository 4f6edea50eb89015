"""Goal: the commands of cursors by PCF mean what they mean as MQSC, with numbers of our own.

Method: the command server; positions beyond 32 bits; what is wanted and what is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base import own_constants as own
from ternmq.base.own_constants import constant_named
from ternmq.base.reasons import MQRC_MSG_SEQ_NUMBER_ERROR
from ternmq.codec.pcf import parameter as pcf
from ternmq.kernel.cursors import EARLIEST, LATEST

pytestmark = pytest.mark.core

NAME = own.MQCACF_CURSOR_NAME
POSITION = own.MQIACF_CURSOR_POSITION


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1", user="fred") as made:
        made.start_command_server()
        made.define_queue("Q")
        yield made


def test_cursors_come_move_and_go_by_pcf(qmgr: ternmq.QueueManager) -> None:
    with ternmq.PCFExecute(qmgr) as execute:
        execute.MQCMD_CREATE_CURSOR({NAME: "C", mq.MQCA_Q_NAME: "Q", POSITION: EARLIEST})
        first = qmgr.cursor("C").position
        qmgr.put("Q", b"x")
        execute.MQCMD_RESET_CURSOR({NAME: "C", POSITION: LATEST})
        (row,) = execute.MQCMD_INQUIRE_CURSOR({NAME: "*"})
        assert (row[NAME], row[mq.MQCA_Q_NAME], row[POSITION]) == ("C", "Q", first + 1)
        assert row[own.MQIACF_STREAM_INCARNATION] == qmgr.cursor("C").incarnation > 2**31
        assert row[mq.MQCACF_USER_IDENTIFIER] == "fred"
        wanted = {NAME: "C", own.MQIACF_CURSOR_ATTRS: [POSITION]}
        (row,) = execute.MQCMD_INQUIRE_CURSOR(wanted)
        assert row == {NAME: "C", mq.MQCA_Q_NAME: "Q", POSITION: first + 1}
        assert execute.MQCMD_INQUIRE_CURSOR({NAME: "*", mq.MQCA_Q_NAME: "Q"})
        execute.execute(own.MQCMD_RESET_CURSOR, {NAME: "C", POSITION: first})
        assert qmgr.cursor("C").position == first
        execute.MQCMD_DELETE_CURSOR({NAME: "C"})
        with pytest.raises(ternmq.MQError):
            execute.MQCMD_INQUIRE_CURSOR({NAME: "C"})


def test_positions_of_more_than_32_bits_travel(qmgr: ternmq.QueueManager) -> None:
    qmgr.cursor("C", "Q")
    with ternmq.PCFExecute(qmgr) as execute, pytest.raises(ternmq.MQError) as refused:
        execute.MQCMD_RESET_CURSOR({NAME: "C", POSITION: pcf.integer64(POSITION, 2**40)})
    assert refused.value.reason == MQRC_MSG_SEQ_NUMBER_ERROR


def test_status_of_a_queue_has_its_stream_only_if_there_is_one(qmgr: ternmq.QueueManager) -> None:
    with ternmq.PCFExecute(qmgr) as execute:
        (before,) = execute.MQCMD_INQUIRE_Q_STATUS({mq.MQCA_Q_NAME: "Q"})
        qmgr.cursor("C", "Q")
        (after,) = execute.MQCMD_INQUIRE_Q_STATUS({mq.MQCA_Q_NAME: "Q"})
    own_numbers = set(after) - set(before)
    assert own_numbers == {
        own.MQIACF_STREAM_CURSORS,
        own.MQIACF_STREAM_EARLIEST,
        own.MQIACF_STREAM_NEXT,
        own.MQIACF_STREAM_SIZE,
    }
    assert after[own.MQIACF_STREAM_CURSORS] == 1


def test_numbers_of_our_own_are_none_of_mq() -> None:
    numbers = {name: value for name, value in vars(own).items() if name.startswith("MQ")}
    assert len(set(numbers.values())) == len(numbers)
    known = {value for value in vars(mq).values() if isinstance(value, int)}
    assert not known & set(numbers.values())
    assert constant_named("MQCMD_CREATE_CURSOR") == own.MQCMD_CREATE_CURSOR
    assert constant_named("MQCMD_CLEAR_Q") == mq.MQCMD_CLEAR_Q
    with pytest.raises(KeyError):
        constant_named("MQCMD_NOTHING")
