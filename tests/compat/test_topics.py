"""Goal: MQOD, MQSD and MQSRO of topics as programs of pymqi and ibmmq fill them in, on the queue
manager's machine and through a channel.
Method: descriptors with strings and buffers, right and wrong ones.
"""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from ternmq.compat.pymqi import CMQC
from tests.compat.conftest import Program

pytestmark = pytest.mark.core


def descriptor(program: Program, topic: str, options: int, name: str = "", **fields: Any) -> Any:
    sd = program.library.SD(Options=options, **fields)
    sd.set_vs("ObjectString", topic.encode())
    if name:
        sd.set_vs("SubName", name.encode())
    return sd


def reason(program: Program, attempt: Any) -> int:
    with pytest.raises(program.error) as refused:
        attempt()
    return int(refused.value.reason)


def given_buffer(structure: Any, name: str, size: int) -> Any:
    buffer = ctypes.create_string_buffer(size)
    structure[f"{name}VSPtr"] = ctypes.addressof(buffer)
    structure[f"{name}VSBufSize"] = size
    return buffer


def test_open_when_there_is_a_buffer_then_the_resolved_string_is_in_it(program: Program) -> None:
    program.mqsc("DEFINE TOPIC(CT1) TOPICSTR('Football') REPLACE")
    od = program.library.OD(
        ObjectType=CMQC.MQOT_TOPIC, Version=CMQC.MQOD_VERSION_4, ObjectName=b"CT1"
    )
    od.set_vs("ObjectString", b"Scores")
    whole = given_buffer(od, "ResObjectString", 100)
    topic = program.library.Topic(program.qmgr, topic_desc=od, open_opts=CMQC.MQOO_OUTPUT)
    assert (whole.value, od.ResObjectStringVSLength) == (b"Football/Scores", 15)
    assert od.ResolvedType == CMQC.MQOT_TOPIC
    topic.close()
    short = given_buffer(od, "ResObjectString", 5)
    program.library.Topic(program.qmgr, topic_desc=od, open_opts=CMQC.MQOO_OUTPUT).close()
    assert (short.raw, od.ResObjectStringVSLength) == (b"cores", 15)
    od.ResObjectStringVSPtr = od.ResObjectStringVSBufSize = od.ResObjectStringVSLength = 0
    program.library.Topic(program.qmgr, topic_desc=od, open_opts=CMQC.MQOO_OUTPUT).close()
    assert od.ResObjectStringVSLength == 15


def test_subscription_when_resumed_then_its_descriptor_says_what_it_is(program: Program) -> None:
    create = CMQC.MQSO_CREATE | CMQC.MQSO_DURABLE | CMQC.MQSO_MANAGED
    sd = descriptor(program, "ct/2", create, "ct two", PubPriority=4, SubLevel=3)
    sd.set_vs("SubUserData", b"the data")
    sd.set_vs("SelectionString", b"colour = 'red'")
    program.library.Subscription(program.qmgr, sub_desc=sd).close(close_sub_queue=True)
    found = program.library.SD(Options=CMQC.MQSO_RESUME | CMQC.MQSO_MANAGED | CMQC.MQSO_DURABLE)
    found.set_vs("SubName", b"ct two")
    data = given_buffer(found, "SubUserData", 50)
    selector = given_buffer(found, "SelectionString", 50)
    resolved = given_buffer(found, "ResObjectString", 50)
    again = program.library.Subscription(program.qmgr, sub_desc=found)
    assert (data.value, selector.value, resolved.value) == (b"the data", b"colour = 'red'", b"ct/2")
    assert (found.PubPriority, found.SubLevel, found.SubCorrelId) == (4, 3, sd.SubCorrelId)
    again.close(sub_close_options=CMQC.MQCO_REMOVE_SUB, close_sub_queue=True)
    assert reason(program, lambda: again.sub(sub_desc=found)) == CMQC.MQRC_NO_SUBSCRIPTION


def test_descriptor_when_it_cannot_be_then_its_reason(program: Program) -> None:
    managed = CMQC.MQSO_CREATE | CMQC.MQSO_MANAGED
    make = program.library.Subscription(program.qmgr).sub

    def attempt(**members: Any) -> int:
        sd = descriptor(program, "ct/3", managed)
        for name, value in members.items():
            sd[name] = value
        return reason(program, lambda: make(sub_desc=sd))

    assert attempt(Version=2) == CMQC.MQRC_SD_ERROR
    assert attempt(Options=CMQC.MQSO_MANAGED) == CMQC.MQRC_OPTIONS_ERROR
    assert attempt(SubUserDataVSLength=5) == CMQC.MQRC_SUB_USER_DATA_ERROR
    assert attempt(SubNameVSLength=5) == CMQC.MQRC_SUB_NAME_ERROR
    assert attempt(ObjectStringVSCCSID=99999) == CMQC.MQRC_TOPIC_STRING_ERROR
    assert attempt(ObjectStringVSPtr=0) == CMQC.MQRC_OBJECT_STRING_ERROR
    with pytest.raises(TypeError):
        make(sub_desc=program.library.OD())


def test_topic_when_put_with_a_level_then_only_for_subscriptions_up_to_it(
    program: Program,
) -> None:
    low = descriptor(program, "ct/4", CMQC.MQSO_CREATE | CMQC.MQSO_MANAGED, SubLevel=1)
    high = descriptor(program, "ct/4", CMQC.MQSO_CREATE | CMQC.MQSO_MANAGED, SubLevel=7)
    lower = program.library.Subscription(program.qmgr, sub_desc=low)
    higher = program.library.Subscription(program.qmgr, sub_desc=high)
    topic = program.library.Topic(program.qmgr, topic_string="ct/4")
    topic.pub(b"x", program.md(), program.library.PMO(Version=3, PubLevel=4))
    assert lower.get() == b"x"
    assert reason(program, higher.get) == CMQC.MQRC_NO_MSG_AVAILABLE
    wrong = program.library.PMO(Version=3, PubLevel=10)
    refused = reason(program, lambda: topic.pub(b"x", program.md(), wrong))
    assert refused == CMQC.MQRC_PMO_ERROR
    for one in (lower, higher):
        one.close(close_sub_queue=True)


def test_topic_when_subscribed_by_itself_then_publications_come(program: Program) -> None:
    topic = program.library.Topic(program.qmgr, topic_string="ct/5")
    subscription = topic.sub()
    topic.pub_rfh2(b"plain")
    assert subscription.get_sub_queue().get() == b"plain"
    subscription.close(close_sub_queue=True)
    assert reason(program, lambda: topic.close(CMQC.MQCO_DELETE)) == (
        CMQC.MQRC_OPTION_NOT_VALID_FOR_TYPE
    )
    topic.close()
    with pytest.raises(program.library.PYIFError):
        topic.close()
