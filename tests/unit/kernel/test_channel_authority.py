"""Goal: a receiving channel puts with the authority that PUTAUT names, and what a user may not do
ends on the dead-letter queue with MQRC_NOT_AUTHORIZED: rows J1 and J2 of the channels' conformance
list on the engine's level.

Method: two queue managers on simulated disks, users in a table, authority given by SET AUTHREC.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.channel import agent
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.ports.users import GroupTable
from tests.unit.kernel.channel_rig import LUWIDS, End, Pair, bodies, depth, notices

pytestmark = pytest.mark.core

DEAD = "SYSTEM.DEAD.LETTER.QUEUE"


def secured(put_authority: str, *grants: str) -> Pair:
    """The receiver runs as `app`, which may connect and what else is given."""
    pair = Pair("", f"PUTAUT({put_authority})")
    kernel = pair.qmb.started.shell.engine.kernel
    kernel.authority.enable(GroupTable({"app": (), "bob": (), "eve": ()}), "tester")
    commands = ["SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT)", *grants]
    for command in commands:
        (answer,) = pair.qmb.mqsc(command)
        assert answer.ok, answer
    pair.receiver = End(pair.qmb, is_sender=False, partner="QMA", user="app")
    assert not pair.receiver.link.privileged
    pair.start()
    return pair


def of_queue(user: str, words: str, name: str = "TARGET") -> str:
    return f"SET AUTHREC PROFILE({name}) OBJTYPE(QUEUE) PRINCIPAL('{user}') AUTHADD({words})"


def of_qmgr(user: str, words: str) -> str:
    return f"SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{user}') AUTHADD({words})"


def put_as(pair: Pair, user: str, name: str = "TARGET") -> None:
    with pair.qma.queue(name, options=mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT) as queue:
        md = Descriptor(user_id=user, persistence=1, put_date="20260101", put_time="12000000")
        queue.put(user.encode(), descriptor=md, options=mq.MQPMO_SET_ALL_CONTEXT)


def go(pair: Pair, count: int = 1) -> list[int]:
    outcomes = [one.outcome for one in pair.send(count)]
    pair.receiver.run(agent.COMMIT, luwid=LUWIDS[0], sequence=count, messages=count)
    return outcomes


def assert_buried(pair: Pair, user: str) -> None:
    with pair.qmb.queue(DEAD) as queue:
        message = queue.get()
    assert DeadLetterHeader.unpack(message.data).reason == MQRC_NOT_AUTHORIZED
    assert message.descriptor.user_id == user
    kernel = pair.qmb.started.shell.engine.kernel
    assert any(one.message_id == "AMQ8077W" for one in kernel.notices.waiting), notices(pair.qmb)


def test_default_authority_when_the_channels_user_has_it_then_messages_are_delivered() -> None:
    pair = secured("DEF", of_queue("app", "PUT,SETALL"), of_qmgr("app", "SETALL"))
    put_as(pair, "eve")
    assert go(pair) == [agent.PLACED]
    with pair.qmb.queue("TARGET") as queue:
        message = queue.get()
    own = message.descriptor
    assert (message.data, own.user_id) == (b"eve", "eve")
    assert (own.put_date, own.put_time) == ("20260101", "12000000")


@pytest.mark.parametrize(
    "grants",
    [
        [of_queue("app", "SETALL"), of_qmgr("app", "SETALL")],
        [of_queue("app", "PUT"), of_qmgr("app", "SETALL")],
        [of_queue("app", "PUT,SETALL")],
    ],
)
def test_default_authority_when_something_lacks_then_messages_are_buried(
    grants: list[str],
) -> None:
    pair = secured("DEF", *grants)
    put_as(pair, "bob")
    assert go(pair) == [agent.BURIED]
    assert_buried(pair, "bob")
    assert depth(pair.qmb, "TARGET") == 0


@pytest.mark.parametrize("may_pass", [True, False])
def test_message_for_a_third_queue_manager_then_its_transmission_queue_is_checked(
    may_pass: bool,
) -> None:
    pair = Pair("", "PUTAUT(DEF)")
    assert pair.qmb.mqsc("DEFINE QLOCAL(QMC) USAGE(XMITQ)")[0].ok
    assert pair.qma.mqsc("DEFINE QREMOTE(FAR) RNAME(X) RQMNAME(QMC) XMITQ(QMB)")[0].ok
    kernel = pair.qmb.started.shell.engine.kernel
    kernel.authority.enable(GroupTable({"app": ()}), "tester")
    commands = [of_qmgr("app", "CONNECT,SETALL")]
    if may_pass:
        commands.append(of_queue("app", "PUT,SETALL", "QMC"))
    for command in commands:
        assert pair.qmb.mqsc(command)[0].ok
    pair.receiver = End(pair.qmb, is_sender=False, partner="QMA", user="app")
    pair.start()
    put_as(pair, "bob", "FAR")
    assert go(pair) == [agent.PLACED if may_pass else agent.BURIED]
    assert depth(pair.qmb, "QMC") == (1 if may_pass else 0)
    if not may_pass:
        assert_buried(pair, "bob")


def test_context_authority_then_each_message_is_put_as_its_user() -> None:
    pair = secured(
        "CTX",
        of_queue("app", "SETALL"),
        of_qmgr("app", "SETALL,ALTUSR"),
        of_queue("bob", "PUT"),
    )
    put_as(pair, "bob")
    put_as(pair, "eve")
    assert go(pair, 2) == [agent.PLACED, agent.BURIED]
    assert bodies(pair.qmb, "TARGET") == [b"bob"]
    assert_buried(pair, "eve")


def test_context_authority_when_the_channels_user_may_not_act_for_others_then_buried() -> None:
    pair = secured(
        "CTX", of_queue("app", "SETALL"), of_qmgr("app", "SETALL"), of_queue("bob", "PUT")
    )
    put_as(pair, "bob")
    assert go(pair) == [agent.BURIED]
    assert_buried(pair, "bob")
