"""Goal: each parameter of a PCF request goes where MQSC has it, and what does not fit is refused
with PCF's reason and the parameter's number.

Method: requests made by hand, without a queue manager.
"""

from __future__ import annotations

import pytest

from ternmq.admin.pcf.attribute_values import number_parameter
from ternmq.admin.pcf.command_names import COMMANDS
from ternmq.admin.pcf.reply import replies
from ternmq.admin.pcf.request import Request, request_of
from ternmq.base import command_reasons as rccf
from ternmq.base import constants as mq
from ternmq.base import object_types as types
from ternmq.base import reasons as rc
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter, PCFError
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.store.catalog import Catalog, Definition
from ternmq.values.command import Answer, Command

pytestmark = pytest.mark.core

NAME = pcf.string(mq.MQCA_Q_NAME, "Q")


def understood(command: int, *parameters: Parameter, catalog: Catalog | None = None) -> Request:
    message = PCFMessage(mq.MQCFT_COMMAND, command, list(parameters))
    return request_of(message, catalog or Catalog(), "QM1")


def only(command: int, *parameters: Parameter) -> Command:
    (made,) = understood(command, *parameters).commands
    return made


def test_a_queue_that_is_only_named_has_its_type_from_the_catalog() -> None:
    catalog = Catalog()
    catalog.add(Definition(types.ALIAS, "Q", 1, {"target": "X"}, 0))
    target = pcf.string(mq.MQCA_BASE_OBJECT_NAME, "Y")
    (made,) = understood(mq.MQCMD_CHANGE_Q, NAME, target, catalog=catalog).commands
    assert (made.action, made.noun, made.given) == ("ALTER", "QALIAS", {"TARGET": "Y"})


def test_words_numbers_lists_and_bytes_go_where_mqsc_has_them() -> None:
    generic = pcf.byte_string(mq.MQBACF_GENERIC_CONNECTION_ID, bytes(16) + b"\xab\xcd")
    assert only(mq.MQCMD_INQUIRE_CONNECTION, generic).name == "ABCD*"
    sub = pcf.string(mq.MQCACF_SUB_NAME, "S")
    made = only(mq.MQCMD_DELETE_SUBSCRIPTION, sub, pcf.byte_string(mq.MQBACF_SUB_ID, b"\x0f"))
    assert made.given == {"SUBID": "0F"}
    channel = pcf.string(mq.MQCACH_CHANNEL_NAME, "C")
    made = only(mq.MQCMD_RESET_CHANNEL, channel, pcf.integer(mq.MQIACH_MSG_SEQUENCE_NUMBER, 7))
    assert made.given == {"SEQNUM": "7"}
    made = only(mq.MQCMD_STOP_CHANNEL, channel, pcf.strings(mq.MQCACH_CONNECTION_NAME, ["h"]))
    assert made.given == {"CONNAME": "h"}
    options = pcf.integer(mq.MQIACF_AUTH_OPTIONS, 1)
    assert only(mq.MQCMD_INQUIRE_AUTH_RECS, options).given == {"MATCH": "PROFILE"}


def test_one_wanted_attribute_may_come_alone_and_a_filter_adds_its_own() -> None:
    depth = pcf.integer(mq.MQIACF_Q_ATTRS, mq.MQIA_CURRENT_Q_DEPTH)
    where = pcf.integer_filter(mq.MQIA_MAX_Q_DEPTH, mq.MQCFOP_LESS, 9)
    request = understood(mq.MQCMD_INQUIRE_Q, NAME, depth, where)
    (made,) = request.commands
    assert made.wanted == ["CURDEPTH", "MAXDEPTH"]
    assert request.selectors == {mq.MQIA_CURRENT_Q_DEPTH, mq.MQIA_MAX_Q_DEPTH}
    assert made.where is not None
    assert (made.where.keyword, made.where.operator, made.where.value) == ("MAXDEPTH", "LT", "9")
    status = pcf.integers(mq.MQIACF_Q_STATUS_ATTRS, [mq.MQCA_Q_NAME, mq.MQIACF_OLDEST_MSG_AGE])
    late = pcf.integer_filter(mq.MQIACF_OLDEST_MSG_AGE, mq.MQCFOP_GREATER, 60)
    made = only(mq.MQCMD_INQUIRE_Q_STATUS, NAME, status, late)
    assert made.wanted == ["MSGAGE"]
    assert made.where is not None
    assert made.where.keyword == "MSGAGE"


@pytest.mark.parametrize(
    ("command", "parameters", "reason"),
    [
        (
            mq.MQCMD_ESCAPE,
            [pcf.integer(mq.MQIACF_ESCAPE_TYPE, 1)],
            rccf.MQRCCF_PARM_COUNT_TOO_SMALL,
        ),
        (
            mq.MQCMD_INQUIRE_Q,
            [NAME, pcf.string(mq.MQIACF_Q_ATTRS, "x")],
            rccf.MQRCCF_CFST_PARM_ID_ERROR,
        ),
        (
            mq.MQCMD_INQUIRE_Q,
            [NAME, pcf.integer_filter(3, 2, 1), pcf.integer_filter(15, 2, 1)],
            rccf.MQRCCF_PARM_CONFLICT,
        ),
        (
            mq.MQCMD_INQUIRE_Q,
            [NAME, pcf.string_filter(mq.MQCACH_CHANNEL_NAME, mq.MQCFOP_LIKE, "x")],
            rccf.MQRCCF_CFSF_PARM_ID_ERROR,
        ),
        (mq.MQCMD_CLEAR_Q, [NAME, pcf.integer_filter(3, 2, 1)], rccf.MQRCCF_CFIF_PARM_ID_ERROR),
        (
            mq.MQCMD_STOP_CHANNEL,
            [pcf.string(mq.MQCACH_CHANNEL_NAME, "C"), pcf.integer(mq.MQIACF_MODE, 9)],
            rccf.MQRCCF_PARM_VALUE_ERROR,
        ),
        (
            mq.MQCMD_STOP_CHANNEL,
            [pcf.string(mq.MQCACH_CHANNEL_NAME, "C"), pcf.string(mq.MQIACF_MODE, "x")],
            rccf.MQRCCF_CFST_PARM_ID_ERROR,
        ),
        (
            mq.MQCMD_STOP_CHANNEL,
            [pcf.string(mq.MQCACH_CHANNEL_NAME, "C"), pcf.integer(mq.MQCACH_CONNECTION_NAME, 1)],
            rccf.MQRCCF_CFIN_PARM_ID_ERROR,
        ),
        (
            mq.MQCMD_SET_AUTH_REC,
            [pcf.integers(mq.MQIACF_AUTH_ADD_AUTHS, [77])],
            rccf.MQRCCF_AUTH_VALUE_ERROR,
        ),
        (mq.MQCMD_CLEAR_Q, [NAME, pcf.integer(mq.MQIACF_REPLACE, 1)], 3014),
        (mq.MQCMD_CLEAR_Q, [NAME, pcf.integer(mq.MQIACF_ENTITY_TYPE, 1)], 3014),
        (mq.MQCMD_INQUIRE_Q, [NAME, pcf.integer(mq.MQIA_QSG_DISP, 1)], 3014),
    ],
)
def test_what_does_not_fit_is_refused(
    command: int, parameters: list[Parameter], reason: int
) -> None:
    with pytest.raises(PCFError) as caught:
        understood(command, *parameters)
    assert caught.value.reason == reason
    assert caught.value.parameter


# ---- replies


def test_a_reply_that_cannot_be_said_is_reported_as_such() -> None:
    request = understood(mq.MQCMD_INQUIRE_Q, NAME)
    answer = Answer("AMQ8409I", object_type=types.LOCAL)
    answer.add("QUEUE", "Q")
    answer.add("DESCR", "日本")
    made = replies(request, [answer], mq.MQCMD_INQUIRE_Q)
    read = unpack_pcf(made.packed(0, "<", 819), "<", 819)
    assert (read.comp, read.reason) == (mq.MQCC_FAILED, rc.MQRC_CODED_CHAR_SET_ID_ERROR)
    assert (read.sequence, read.control) == (1, mq.MQCFC_LAST)


def test_faults_come_after_what_was_found() -> None:
    request = understood(mq.MQCMD_INQUIRE_Q, pcf.string(mq.MQCA_Q_NAME, "*"))
    found = Answer("AMQ8409I", object_type=types.LOCAL)
    found.add("QUEUE", "Q")
    damaged = Answer("AMQ8149S", ("D",), comp=mq.MQCC_FAILED, reason=rc.MQRC_OBJECT_DAMAGED)
    made = replies(request, [damaged, found], mq.MQCMD_INQUIRE_Q)
    reported = [made.message(at).reason for at in range(made.count)]
    assert reported == [0, rc.MQRC_OBJECT_DAMAGED, rccf.MQRCCF_COMMAND_FAILED]


def test_who_is_to_blame_is_found_in_what_the_answer_says() -> None:
    request = understood(mq.MQCMD_CREATE_Q, pcf.string(mq.MQCA_Q_NAME, "A B"))
    reason = rccf.MQRCCF_OBJECT_NAME_ERROR
    wrong = Answer("AMQ8165E", ("A B",), comp=mq.MQCC_FAILED, reason=reason)
    made = replies(request, [wrong], mq.MQCMD_CREATE_Q)
    assert made.message(0).parameters == [pcf.integer(mq.MQIACF_PARAMETER_ID, mq.MQCA_Q_NAME)]
    purge = pcf.integer(mq.MQIACF_PURGE, 1)
    request = understood(mq.MQCMD_DELETE_Q, NAME, purge)
    wrong = Answer("AMQ8405I", ("PURGE",), comp=mq.MQCC_FAILED, reason=3229)
    made = replies(request, [wrong], mq.MQCMD_DELETE_Q)
    assert made.message(0).parameters == [pcf.integer(mq.MQIACF_PARAMETER_ID, mq.MQIACF_PURGE)]


def test_a_warning_for_people_is_no_failure_for_programs() -> None:
    request = understood(mq.MQCMD_CHANGE_Q, NAME)
    done = Answer("AMQ8008I", ("Q",))
    inert = Answer("AMQ8082W", ("SCOPE(CELL)", "Q"), comp=mq.MQCC_WARNING)
    made = replies(request, [done, inert], mq.MQCMD_CHANGE_Q)
    assert (made.count, made.message(0).comp) == (1, mq.MQCC_OK)
    assert COMMANDS[mq.MQCMD_CHANGE_Q].word == "MQCMD_CHANGE_Q"


def test_numbers_that_need_more_room_get_it() -> None:
    assert number_parameter(1, 2**31) == pcf.integer64(1, 2**31)
    assert number_parameter(1, -1) == pcf.integer(1, -1)
