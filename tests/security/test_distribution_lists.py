"""Goal: each destination of a distribution list asks for the authority that it alone would ask for.

Method: a queue manager that checks, and a user who may put to one queue of several.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.api.list_arguments import Target
from tests.security.granting import connected, grant, secured

pytestmark = pytest.mark.core


def reasons(found: ternmq.ListOutcome) -> list[int]:
    return [one.reason for one in found.destinations]


def test_list_when_the_user_may_put_to_one_queue_then_the_others_are_2035() -> None:
    with secured() as qm:
        for name in ("MINE", "YOURS", "ALSO.YOURS"):
            qm.define_queue(name)
        qm.define_model("MODEL")
        qm.define_queue("QM2", usage="XMITQ")
        grant(qm, "queue", "MINE", "fred", "put")
        wanted = [0, mq.MQRC_NOT_AUTHORIZED, mq.MQRC_NOT_AUTHORIZED, mq.MQRC_NOT_AUTHORIZED]
        targets: list[Target] = ["MINE", "YOURS", "MODEL", ("X", "QM2")]
        with connected(qm, "fred") as fred:
            with fred.open_list(targets) as opened:
                assert reasons(opened.opened) == wanted
                found = opened.put(b"x")
                assert reasons(found) == [0, *[mq.MQRC_OPEN_FAILED] * 3]
            assert reasons(fred.put_to(targets, b"y", persistent=True)) == wanted
            with pytest.raises(ternmq.NotAuthorized) as refused:
                fred.open_list(["YOURS", "ALSO.YOURS"])
            assert refused.value.reason == mq.MQRC_NOT_AUTHORIZED
        with qm.queue("MINE") as mine, qm.queue("YOURS") as yours:
            assert [one.data for one in mine.browse()] == [b"x", b"y"]
            assert yours.depth == 0


def test_list_with_an_alternate_user_then_that_user_must_have_the_authority() -> None:
    with secured() as qm:
        for name in ("A", "B"):
            qm.define_queue(name)
        grant(qm, "queue", "A", "ann", "put")
        with connected(qm, "fred") as fred:
            grant(qm, "qmgr", "self", "fred", "connect altusr")
            found = fred.put_to(["A", "B"], b"x", alternate_user="ann")
            assert reasons(found) == [0, mq.MQRC_NOT_AUTHORIZED]
            with fred.open_list(["A", "B"], alternate_user="ann") as opened:
                assert reasons(opened.opened) == [0, mq.MQRC_NOT_AUTHORIZED]


def test_list_with_context_then_each_queue_must_allow_it() -> None:
    with secured() as qm:
        for name in ("A", "B"):
            qm.define_queue(name)
        grant(qm, "queue", "A", "fred", "put setid")
        grant(qm, "queue", "B", "fred", "put")
        options = mq.MQPMO_SET_IDENTITY_CONTEXT
        with connected(qm, "fred") as fred:
            grant(qm, "qmgr", "self", "fred", "connect setid")
            found = fred.put_to(["A", "B"], b"x", options=options)
            assert reasons(found) == [0, mq.MQRC_NOT_AUTHORIZED]
