"""Goal: PCFExecute sends what was meant and tells what came: values by kind, errors by reason.

Method: an embedded queue manager with and without its command server.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

import ternmq
from ternmq import PCFExecute, QueueManager
from ternmq.api.pcf_execute import argument
from ternmq.base import command_reasons as rccf
from ternmq.base import constants as mq
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import PCFError

pytestmark = pytest.mark.core


@pytest.fixture
def qmgr() -> Iterator[QueueManager]:
    with ternmq.memory("QM1") as made:
        made.start_command_server()
        yield made


def test_values_become_the_structures_they_need() -> None:
    assert argument(mq.MQIA_Q_TYPE, 1) == pcf.integer(20, 1)
    assert argument(mq.MQCA_Q_NAME, "A") == argument(mq.MQCA_Q_NAME, b"A") == pcf.string(2016, "A")
    assert argument(mq.MQIACF_Q_ATTRS, [1, 2]) == pcf.integers(1002, [1, 2])
    assert argument(mq.MQCA_NAMES, ("A", "B")) == pcf.strings(mq.MQCA_NAMES, ["A", "B"])
    assert argument(mq.MQBACF_CONNECTION_ID, b"\1") == pcf.byte_string(7006, b"\1")
    assert argument(1, pcf.integer64(1, 2)) == pcf.integer64(1, 2)


def test_replies_are_dictionaries(qmgr: QueueManager) -> None:
    with PCFExecute(qmgr) as execute:
        assert execute.MQCMD_PING_Q_MGR() == [{}]
        execute.MQCMD_CREATE_NAMELIST({mq.MQCA_NAMELIST_NAME: "N", mq.MQCA_NAMES: ["A", "B"]})
        (found,) = execute.execute(mq.MQCMD_INQUIRE_NAMELIST, {mq.MQCA_NAMELIST_NAME: "N"})
        assert found[mq.MQCA_NAMES] == ["A", "B"]
        assert found[mq.MQIA_NAME_COUNT] == 2


def test_what_is_filtered_by_is_shown_and_words_of_status_have_their_numbers(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    qmgr.define_queue("B")
    qmgr.put("A", "x")
    deep = pcf.integer_filter(mq.MQIA_CURRENT_Q_DEPTH, mq.MQCFOP_GREATER, 0)
    users = pcf.integer_filter(mq.MQIA_APPL_TYPE, mq.MQCFOP_EQUAL, mq.MQAT_USER)
    with PCFExecute(qmgr) as execute:
        for wanted in (mq.MQCA_Q_DESC, [mq.MQCA_Q_DESC]):
            arguments = {mq.MQCA_Q_NAME: "*", mq.MQIACF_Q_ATTRS: wanted}
            found = execute.MQCMD_INQUIRE_Q(arguments, [deep])
            assert "A" in [one[mq.MQCA_Q_NAME] for one in found]
            assert all(one[mq.MQIA_CURRENT_Q_DEPTH] for one in found)
        everybody = {mq.MQBACF_GENERIC_CONNECTION_ID: b""}
        found = execute.MQCMD_INQUIRE_CONNECTION(everybody, [users])
        assert found
        assert {one[mq.MQIA_APPL_TYPE] for one in found} == {mq.MQAT_USER}


def test_a_failed_command_raises_its_first_reason(qmgr: QueueManager) -> None:
    with PCFExecute(qmgr) as execute:
        with pytest.raises(ternmq.CommandError) as caught:
            execute.MQCMD_INQUIRE_CHANNEL({mq.MQCACH_CHANNEL_NAME: "NONE"})
        assert caught.value.reason == rccf.MQRCCF_CHANNEL_NOT_FOUND
        assert caught.value.verb == "MQCMD_INQUIRE_CHANNEL"
        with pytest.raises(ternmq.MQError, match="parameter 4711"):
            execute.MQCMD_INQUIRE_Q({mq.MQCA_Q_NAME: "A", 4711: 1})
        assert execute.MQCMD_PING_Q_MGR() == [{}]  # and all replies of the others are gone


def test_a_command_that_does_not_exist_is_no_attribute(qmgr: QueueManager) -> None:
    with PCFExecute(qmgr) as execute:
        with pytest.raises(AttributeError, match="MQCMD_NONSENSE"):
            execute.MQCMD_NONSENSE()
        with pytest.raises(ternmq.CommandError, match="command 9999"):
            execute.execute(9999)


def test_without_command_server_no_reply_comes() -> None:
    with (
        ternmq.memory("QM1") as qmgr,
        PCFExecute(qmgr, wait=0.01) as execute,
        pytest.raises(ternmq.NoMessage, match="command server"),
    ):
        execute.MQCMD_PING_Q_MGR()


def test_an_error_of_the_format_survives_pickling() -> None:
    error = PCFError(rccf.MQRCCF_CFIN_LENGTH_ERROR, "why", parameter=3, offset=36)
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, PCFError)
    assert (again.reason, again.detail, again.parameter, again.offset) == (3009, "why", 3, 36)
