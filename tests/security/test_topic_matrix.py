"""Goal: every verb on topics is allowed with what it needs, and refused without.

Method: as in the matrices of queues and commands. The topic is `a/b/c`; LOW.TOPIC sits at `a/b` and
HI.TOPIC at `a`, and each authority is given on either of them: one is as good as the other.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

import ternmq
from ternmq import NotAuthorized
from ternmq.api.connection import Connection
from ternmq.base import constants as mq
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.values.calls.objects import Close, Open
from ternmq.values.calls.topics import Subscribe
from ternmq.values.handle import ObjectHandle
from tests.mqi import mqi
from tests.security.test_authority_matrix import (
    Grants,
    Needs,
    Property,
    cells,
    connect,
    log_message,
    qm,
)

pytestmark = pytest.mark.core
__all__ = ["qm"]

OUTPUT = mq.MQOO_OUTPUT
OPENS: dict[int, tuple[str, str]] = {
    OUTPUT: ("pub", ""),
    OUTPUT | mq.MQOO_NO_MULTICAST: ("pub", ""),
    OUTPUT | mq.MQOO_PASS_IDENTITY_CONTEXT: ("pub passid", ""),
    OUTPUT | mq.MQOO_PASS_ALL_CONTEXT: ("pub passall", ""),
    OUTPUT | mq.MQOO_SET_IDENTITY_CONTEXT: ("pub setid", "setid"),
    OUTPUT | mq.MQOO_SET_ALL_CONTEXT: ("pub setall", "setall"),
}
MANAGED = mq.MQSO_CREATE | mq.MQSO_MANAGED
RESUMED = mq.MQSO_RESUME | mq.MQSO_MANAGED | mq.MQSO_DURABLE


def define_topics(qm: ternmq.QueueManager) -> None:
    qm.mqsc(
        "DEFINE TOPIC(HI.TOPIC) TOPICSTR('a')\n"
        "DEFINE TOPIC(LOW.TOPIC) TOPICSTR('a/b')\n"
        "DEFINE QLOCAL(LO.CAL)\n"
        "DEFINE QALIAS(AL.IAS) TARGET(LOW.TOPIC) TARGTYPE(TOPIC)"
    )


def needed(profile: str, words: str, on_qmgr: str = "") -> Needs:
    needs = tuple(("topic", profile, word) for word in words.split())
    return needs + tuple(("qmgr", "self", word) for word in on_qmgr.split())


def is_allowed(call: Callable[[], object]) -> bool:
    try:
        call()
    except NotAuthorized:
        return False
    return True


def open_and_close(connection: Connection, od: ObjectDescriptor, options: int, text: str) -> None:
    handle = connection.run(Open(od, options, object_string=text)).opened()
    connection.run(Close(handle, mq.MQCO_NONE))


def subscribe_and_close(
    connection: Connection, options: int, name: str = "", queue: ObjectHandle | None = None
) -> None:
    call = Subscribe(SubscriptionDescriptor(options=options), "a/b/c", name, destination=queue)
    hobj, hsub = connection.run(call).done()
    connection.run(Close(hsub, mq.MQCO_NONE))
    if queue is None:
        connection.run(Close(hobj, mq.MQCO_NONE))


@pytest.mark.parametrize("profile", ["LOW.TOPIC", "HI.TOPIC"])
def test_matrix_of_publishers(
    profile: str, qm: ternmq.QueueManager, record_property: Property
) -> None:
    define_topics(qm)
    fred, grants = connect(qm), Grants(qm)
    for options, (words, on_qmgr) in OPENS.items():
        for cell in cells(f"MQOPEN 0x{options:X}", needed(profile, words, on_qmgr)):
            grants.give(cell.grants, cell.by_group)
            od = ObjectDescriptor(object_type=mq.MQOT_TOPIC)

            def attempt(od: ObjectDescriptor = od, options: int = options) -> None:
                open_and_close(fred, od, options, "a/b/c")

            grants.cell(cell.name, is_allowed(attempt), cell.expected)
    for cell in cells("MQPUT1", needed(profile, "pub")):
        grants.give(cell.grants, cell.by_group)
        grants.cell(cell.name, is_allowed(lambda: fred.publish("a/b/c", "x")), cell.expected)
    both = (*needed(profile, "pub"), ("queue", "AL.IAS", "put"))
    for cell in cells("alias", both):
        grants.give(cell.grants, cell.by_group)
        grants.cell(cell.name, is_allowed(lambda: fred.put("AL.IAS", "x")), cell.expected)
    log_message("publishers", profile, grants, record_property)


@pytest.mark.parametrize("profile", ["LOW.TOPIC", "HI.TOPIC"])
def test_matrix_of_subscribers(
    profile: str, qm: ternmq.QueueManager, record_property: Property
) -> None:
    define_topics(qm)
    fred, grants = connect(qm), Grants(qm)
    for cell in cells("MQSUB", needed(profile, "sub")):
        grants.give(cell.grants, cell.by_group)
        allowed = is_allowed(lambda: subscribe_and_close(fred, MANAGED))
        grants.cell(cell.name, allowed, cell.expected)
    grants.give({("topic", profile): {"sub"}}, False)
    subscribe_and_close(fred, MANAGED | mq.MQSO_DURABLE, "S1")
    for cell in cells("resume", needed(profile, "resume")):
        grants.give(cell.grants, cell.by_group)
        allowed = is_allowed(lambda: subscribe_and_close(fred, RESUMED, "S1"))
        grants.cell(cell.name, allowed, cell.expected)
    grants.give({("queue", "LO.CAL"): {"browse"}}, False)
    queue = mqi(fred).open(ObjectDescriptor(object_name="LO.CAL"), mq.MQOO_BROWSE)
    for cell in cells("provided", (*needed(profile, "sub"), ("queue", "LO.CAL", "put"))):
        grants.give(cell.grants, cell.by_group)
        allowed = is_allowed(lambda: subscribe_and_close(fred, mq.MQSO_CREATE, queue=queue))
        grants.cell(cell.name, allowed, cell.expected)
    identity = mq.MQSO_CREATE | mq.MQSO_SET_IDENTITY_CONTEXT
    setting: Needs = (
        *needed(profile, "sub", "setid"),
        ("queue", "LO.CAL", "put"),
        ("queue", "LO.CAL", "setid"),
    )
    for cell in cells("set identity", setting):
        grants.give(cell.grants, cell.by_group)
        allowed = is_allowed(lambda: subscribe_and_close(fred, identity, queue=queue))
        grants.cell(cell.name, allowed, cell.expected)
    log_message("subscribers", profile, grants, record_property)
