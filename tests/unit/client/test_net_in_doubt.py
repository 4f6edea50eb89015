"""Goal: what is in doubt is told over the network, however many there are. Method: units that are
prepared, one after the other, by a client of a queue manager of this process."""

from __future__ import annotations

import pytest

from ternmq.client.net_verbs import FapVerbs
from ternmq.client.net_xa import recover
from ternmq.txn.unit import XID
from tests.unit.client.networked import in_memory

pytestmark = pytest.mark.core


def test_in_doubt_when_as_many_as_a_code_of_xa_then_they_are_told_all_the_same() -> None:
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
        verbs = connection.verbs
        assert isinstance(verbs, FapVerbs)
        in_parts = connection.run("recover", recover(verbs, 10))
        assert sorted(xid.key for xid in in_parts) == [xid.key for xid in made]
        for xid in made:
            connection.backout_prepared(xid)
        assert connection.in_doubt() == []
