"""Goal: a user who may change a queue need not be allowed to display it, whatever its type.

Method: a user with chg or dlt alone, on every binding, alters and deletes a queue of each type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq import constants as mq
from tests.security.granting import USERS, Place, grant
from tests.unit.api.faces import in_loop

pytestmark = pytest.mark.core

DEFINED = (
    "DEFINE QLOCAL(A.LOCAL)",
    "DEFINE QALIAS(A.ALIAS) TARGET(A.LOCAL)",
    "DEFINE QMODEL(A.MODEL)",
    "DEFINE QREMOTE(A.REMOTE) RNAME(X) RQMNAME(QM2)",
)
NAMES = ("A.LOCAL", "A.ALIAS", "A.MODEL", "A.REMOTE")


@pytest.fixture
def fred(place: Place) -> Any:
    """Connected with these authorities on the queues, and no others."""
    qm, connect = place
    for text in DEFINED:
        assert qm.mqsc(text)[0].ok

    def connected(words: str) -> ternmq.Connection:
        for name in NAMES:
            grant(qm, "queue", name, "fred", words)
        return connect("fred")

    return connected


Fred = Callable[[str], ternmq.Connection]


def test_alter_queue_when_it_may_not_be_displayed_then_altered(place: Place, fred: Fred) -> None:
    qm, _ = place
    with fred("chg") as user:
        for name in NAMES:
            user.alter_queue(name, description="new")
            assert qm.attributes(name)["description"] == "new"
        user.alter_queue("A.ALIAS", target="OTHER")
        assert qm.attributes("A.ALIAS")["target"] == "OTHER"
        user.alter_queue("A.MODEL", max_depth=7)
        assert qm.attributes("A.MODEL")["max_depth"] == 7
        assert qm.attributes("A.LOCAL")["max_depth"] != 7


def test_alter_queue_when_it_is_wrong_then_refused_for_that(place: Place, fred: Fred) -> None:
    with fred("chg") as user:
        wrong: list[tuple[str, dict[str, Any], int]] = [
            ("A.ALIAS", {"nonsense": 1}, mq.MQRC_SELECTOR_ERROR),
            ("A.LOCAL", {"max_depth": -5}, mq.MQRCCF_ATTR_VALUE_ERROR),
            ("A.ALIAS", {"max_depth": 5}, mq.MQRCCF_OBJECT_WRONG_TYPE),
            ("NO.SUCH", {"description": "x"}, mq.MQRC_UNKNOWN_OBJECT_NAME),
        ]
        for name, attributes, reason in wrong:
            with pytest.raises(ternmq.MQError) as refused:
                user.alter_queue(name, **attributes)
            assert refused.value.reason == reason, name


def test_alter_queue_when_it_may_not_be_changed_then_not_authorized(
    place: Place, fred: Fred
) -> None:
    with fred("dlt") as user:
        for name in NAMES:
            with pytest.raises(ternmq.NotAuthorized, match=f"lacks chg on queue {name}"):
                user.alter_queue(name, description="x")


def test_delete_queue_when_it_may_not_be_displayed_then_deleted(place: Place, fred: Fred) -> None:
    qm, _ = place
    with fred("dlt") as user:
        for name in reversed(NAMES):
            user.delete_queue(name, purge=True)
            assert name not in qm.queue_names()


@in_loop
async def test_tasks_when_a_queue_may_not_be_displayed_then_altered_and_deleted() -> None:
    async with ternmq.aio.memory("QM1", security=USERS) as qm:
        await qm.mqsc("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('fred') AUTHADD(CONNECT)")
        for text, name in zip(DEFINED, NAMES, strict=True):
            await qm.mqsc(text)
            words = "AUTHADD(CHG,DLT)"
            await qm.mqsc(f"SET AUTHREC PROFILE({name}) OBJTYPE(QUEUE) PRINCIPAL('fred') {words}")
        async with qm.connect(user="fred") as user:
            for name in reversed(NAMES):
                await user.alter_queue(name, description="new")
                assert (await qm.attributes(name))["description"] == "new"
                await user.delete_queue(name)
                assert name not in await qm.queue_names()
