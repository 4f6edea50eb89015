"""Goal: rows of docs/reference/conformance-pubsub.md about strings and structures that only a
program with structures of its own can give: B3, C8, C36, D4.
Method: programs of pymqi and ibmmq, on the machine and through a channel, with members set wrongly.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq.compat.pymqi import CMQC
from tests.compat.conftest import Program
from tests.compat.test_topics import descriptor, given_buffer

pytestmark = pytest.mark.core

MANAGED = CMQC.MQSO_CREATE | CMQC.MQSO_MANAGED
ON_REQUEST = MANAGED | CMQC.MQSO_PUBLICATIONS_ON_REQUEST


def opened(program: Program, topic: bytes = b"a/b", **members: Any) -> Any:
    """Open a topic for output, with these members of the MQOD."""
    od = program.library.OD(ObjectType=CMQC.MQOT_TOPIC, Version=CMQC.MQOD_VERSION_4)
    od.set_vs("ObjectString", topic)
    for name, value in members.items():
        od[name] = value
    return lambda: program.library.Topic(program.qmgr, topic_desc=od, open_opts=CMQC.MQOO_OUTPUT)


def test_b3_a_string_that_is_not_there_too_long_or_in_an_unknown_ccsid(program: Program) -> None:
    nothing = opened(program, ObjectStringVSPtr=0, ObjectStringVSOffset=0, ObjectStringVSLength=5)
    assert program.reason(nothing) == CMQC.MQRC_OBJECT_STRING_ERROR
    far = opened(program, topic=b"x" * 10_241)
    assert program.reason(far) == CMQC.MQRC_OBJECT_STRING_ERROR
    unknown = opened(program, ObjectStringVSCCSID=9999)
    assert program.reason(unknown) == CMQC.MQRC_TOPIC_STRING_ERROR


def test_b4_as_much_of_the_whole_string_of_a_subscription_as_there_is_room_for(
    program: Program,
) -> None:
    for room, returned in ((0, b""), (100, b"Football/Scores"), (5, b"cores")):
        sd = descriptor(program, "Football/Scores", MANAGED)
        buffer = given_buffer(sd, "ResObjectString", room) if room else None
        made = program.library.Subscription(program.qmgr, sub_desc=sd)
        assert sd.ResObjectStringVSLength == 15
        assert (b"" if buffer is None else buffer.raw[:15].rstrip(b"\0")) == returned
        made.close(close_sub_queue=True)


def test_c8_when_structure_or_version_is_wrong_then_2424(program: Program) -> None:
    make = program.library.Subscription(program.qmgr).sub
    for version in (2, 0):
        sd = descriptor(program, "ct/8", MANAGED, Version=version)
        assert program.reason(lambda sd=sd: make(sub_desc=sd)) == CMQC.MQRC_SD_ERROR
    named = descriptor(program, "ct/8", MANAGED)
    named.unpack(b"SX  " + named.pack()[4:])
    assert program.reason(lambda: make(sub_desc=named)) == CMQC.MQRC_SD_ERROR


def test_c36_when_user_data_is_too_long_or_not_there_then_2431(program: Program) -> None:
    make = program.library.Subscription(program.qmgr).sub
    far = descriptor(program, "ct/36", MANAGED)
    far.set_vs("SubUserData", b"x" * 10_241)
    assert program.reason(lambda: make(sub_desc=far)) == CMQC.MQRC_SUB_USER_DATA_ERROR
    nothing = descriptor(program, "ct/36", MANAGED)
    nothing.SubUserDataVSLength = 5
    assert program.reason(lambda: make(sub_desc=nothing)) == CMQC.MQRC_SUB_USER_DATA_ERROR
    long = descriptor(program, "ct/36", MANAGED)
    long.set_vs("SubUserData", b"x" * 10_240)
    made = program.library.Subscription(program.qmgr, sub_desc=long)
    made.close(close_sub_queue=True)


def test_d4_when_structure_or_version_is_wrong_then_2438(program: Program) -> None:
    if not hasattr(program.library.Subscription, "subrq"):
        pytest.skip("pymqi has no MQSUBRQ")
    made = program.library.Subscription(
        program.qmgr, sub_desc=descriptor(program, "ct/d4", ON_REQUEST)
    )
    action = CMQC.MQSR_ACTION_PUBLICATION
    later = program.library.SRO(Version=9)
    assert program.reason(made.subrq, action, later) == CMQC.MQRC_SRO_ERROR
    named = program.library.SRO()
    named.unpack(b"SXO " + named.pack()[4:])
    assert program.reason(made.subrq, action, named) == CMQC.MQRC_SRO_ERROR
    assert program.reason(made.subrq, action, program.library.SRO()) == CMQC.MQRC_NO_RETAINED_MSG
    made.close(close_sub_queue=True)
