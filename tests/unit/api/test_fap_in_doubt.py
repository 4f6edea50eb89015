"""Goal: what is in doubt is told over the network, however many there are. Method: units that are
prepared, one after the other, by a client of a queue manager of this process."""

from __future__ import annotations

import pytest

from ternmq.base.errors import XAER_NOTA, MQError, XAError
from ternmq.base.reasons import MQRC_RESOURCE_PROBLEM
from ternmq.remote.fap.fap_threads import FapThreads
from ternmq.remote.fap.xa_calls import recover
from ternmq.values.xid import XID
from tests.unit.api.networked import Networked, in_memory

pytestmark = pytest.mark.core


def test_in_doubt_when_as_many_as_a_code_of_xa_then_they_are_reported_all_the_same() -> None:
    with in_memory() as served, served.connect() as connection:
        connection.define_queue("A")
        made: list[XID] = []
        for number in range(101):  # 6 and 7 are heuristic outcomes, 100 and more are backouts
            connection.begin()
            connection.put("A", b"x")
            made.append(XID(1, b"%03d" % number, b"here"))
            connection.prepare(made[-1])
            if number < 8 or number > 98:
                assert sorted(xid.key for xid in connection.in_doubt()) == [m.key for m in made]
        transport = connection.transport
        assert isinstance(transport, FapThreads)
        in_parts = transport.exchange("recover", recover(transport.verbs, 10))
        assert sorted(xid.key for xid in in_parts) == [xid.key for xid in made]
        for xid in made:
            connection.backout_prepared(xid)
        assert connection.in_doubt() == []


def test_unit_of_another_user_then_there_is_none_of_that_name() -> None:
    with in_memory() as served, served.connect() as connection:
        connection.define_queue("A")
        kernel = served.started.shell.engine.kernel
        xid = XID(1, b"theirs", b"here")
        connection.begin()
        connection.put("A", b"x")
        connection.prepare(xid)
        for unit in kernel.coordinator.prepared.values():
            unit.xid = XID(1, b"theirs", b"here", "somebody else")
        for link in kernel.connections.values():
            link.privileged = False
        kernel.authority.enabled = True
        for call in (connection.commit_prepared, connection.backout_prepared):
            with pytest.raises(XAError) as refused:
                call(xid)
            assert refused.value.xa == XAER_NOTA
        assert connection.in_doubt() == []


def test_prepare_beyond_the_users_share_then_resource_problem_and_it_can_be_backed_out() -> None:
    with in_memory() as served, served.connect() as connection:
        connection.define_queue("A", default_persistence="YES")
        kernel = served.started.shell.engine.kernel
        for link in kernel.connections.values():
            link.privileged = False
        kernel.coordinator.in_doubt.add(1 << 40, connection_user(served), 1 << 50)
        connection.begin()
        connection.put("A", b"x")
        with pytest.raises(MQError) as refused:
            connection.prepare(XID(1, b"one more", b""))
        assert refused.value.reason == MQRC_RESOURCE_PROBLEM
        connection.backout()
        kernel.coordinator.in_doubt.remove(1 << 40)
        connection.begin()
        connection.put("A", b"x")
        assert connection.prepare(XID(1, b"one more", b""))


def connection_user(served: Networked) -> str:
    kernel = served.started.shell.engine.kernel
    return max(kernel.connections.values(), key=lambda link: link.connection_id).user
