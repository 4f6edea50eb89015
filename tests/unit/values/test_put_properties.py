"""Goal: a message put with message handles has the properties and the descriptor of IBM's rules.

Method: each MQCOPY value under each action; a new handle that overrides, adds and takes away; the
descriptor of each action; user context.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.property import Property
from ternmq.values.message_handle import MessageHandle
from ternmq.values.put_properties import (
    composed_descriptor,
    merged_properties,
    user_context,
    with_user_context,
)

pytestmark = pytest.mark.core

COPIES = {
    "none": mq.MQCOPY_NONE,
    "all": mq.MQCOPY_ALL,
    "forward": mq.MQCOPY_FORWARD,
    "publish": mq.MQCOPY_PUBLISH,
    "reply": mq.MQCOPY_REPLY,
    "report": mq.MQCOPY_REPORT,
    "default": mq.MQCOPY_DEFAULT,
}


def text(name: str, value: str | None = "old", copies: int = mq.MQCOPY_ALL) -> Property:
    type = mq.MQTYPE_NULL if value is None else mq.MQTYPE_STRING
    return Property(name, type, value, copy_options=copies)


ORIGINAL = [text(name, copies=copies) for name, copies in COPIES.items()]


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (mq.MQACTP_NEW, list(COPIES)),
        (mq.MQACTP_FORWARD, ["all", "forward", "default"]),
        (mq.MQACTP_REPLY, ["all", "reply"]),
        (mq.MQACTP_REPORT, ["all", "report", "default"]),
    ],
)
def test_properties_when_an_action_copies_them_then_their_copy_options_decide(
    action: int, expected: list[str]
) -> None:
    assert [one.name for one in merged_properties(ORIGINAL, [], action)] == expected


@pytest.mark.parametrize("action", range(4))
def test_properties_when_the_new_handle_has_them_then_they_are_its_own(action: int) -> None:
    new = [text("all", "new"), text("added", "new", mq.MQCOPY_NONE), text("nothing", None)]
    merged = merged_properties([*ORIGINAL, text("all", "second")], new, action)
    values = {one.name: one.value for one in merged}
    assert (values["all"], values["added"], values["nothing"]) == ("new", "new", None)
    assert [one.name for one in merged].count("all") == 1


def test_property_when_the_new_handle_has_a_null_of_its_name_then_it_is_gone() -> None:
    merged = merged_properties([text("a"), text("b")], [text("a", None)], mq.MQACTP_FORWARD)
    assert [one.name for one in merged] == ["b"]


def test_action_when_not_known_then_2535() -> None:
    with pytest.raises(MQError) as caught:
        merged_properties([], [], 99)
    assert caught.value.reason == 2535


# ---- the descriptor

REQUEST = Descriptor(
    msg_id=b"M" * 24,
    correl_id=b"C" * 24,
    msg_type=mq.MQMT_REQUEST,
    priority=3,
    persistence=1,
    expiry=50,
    reply_to_queue="REPLIES",
    user_id="anna",
)


def test_descriptor_when_new_or_forwarded_then_it_is_the_originals_with_fields_of_the_new() -> None:
    new = MessageHandle()
    new.set("Root.MQMD.Priority", 7, mq.MQTYPE_INT32)
    for action in (mq.MQACTP_NEW, mq.MQACTP_FORWARD):
        made = composed_descriptor(REQUEST, new.descriptor, new.fields_set, action)
        assert made.priority == 7
        made.priority = REQUEST.priority
        assert made.pack() == REQUEST.pack()


@pytest.mark.parametrize(
    ("report", "msg_id", "correl_id", "expiry", "reports"),
    [
        (0, bytes(24), b"M" * 24, -1, 0),
        (mq.MQRO_PASS_MSG_ID, b"M" * 24, b"M" * 24, -1, 0),
        (mq.MQRO_PASS_CORREL_ID, bytes(24), b"C" * 24, -1, 0),
        (mq.MQRO_PASS_DISCARD_AND_EXPIRY, bytes(24), b"M" * 24, 50, 0),
        (
            mq.MQRO_PASS_DISCARD_AND_EXPIRY | mq.MQRO_DISCARD_MSG,
            bytes(24),
            b"M" * 24,
            50,
            mq.MQRO_DISCARD_MSG,
        ),
    ],
)
def test_descriptor_when_a_reply_then_the_report_options_of_the_request_decide(
    report: int, msg_id: bytes, correl_id: bytes, expiry: int, reports: int
) -> None:
    request = REQUEST.copy()
    request.report = report
    for action, kind in (
        (mq.MQACTP_REPLY, mq.MQMT_REPLY),
        (mq.MQACTP_REPORT, mq.MQMT_REPORT),
    ):
        made = composed_descriptor(request, Descriptor(), set(), action)
        assert (made.msg_type, made.msg_id, made.correl_id) == (kind, msg_id, correl_id)
        assert (made.expiry, made.report) == (expiry, reports)
        assert (made.priority, made.persistence, made.reply_to_queue) == (3, 1, "")


# ---- user context


def test_properties_when_of_the_user_context_then_they_pass_to_the_next_message() -> None:
    mine = Property("mine", mq.MQTYPE_STRING, "x", context=mq.MQPD_USER_CONTEXT)
    both = Property("both", mq.MQTYPE_STRING, "x", context=mq.MQPD_USER_CONTEXT)
    saved = user_context([mine, text("other"), both])
    assert saved == [mine, both]
    own = [text("both", "own")]
    assert with_user_context(own, saved) == [*own, mine]
    assert with_user_context(own, []) == own
