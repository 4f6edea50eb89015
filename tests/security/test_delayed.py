"""Goal: a put with a delivery delay needs the authority of any put to its queue, at the put, and
none on the queue where messages are staged; the delivery asks nobody. Method: users with some
authority, on every binding."""

from __future__ import annotations

import pytest

import ternmq
from tests.bindings.bound import JAVA
from tests.security.granting import Place, grant, revoke

pytestmark = pytest.mark.core

# pymqi and ibmmq have no delivery delay.
BY_OTHERS = {
    "test_put_when_it_has_a_delay_then_its_own_queue_counts": (JAVA,),
    "test_authority_when_it_is_taken_away_meanwhile_then_the_message_comes": (JAVA,),
}
DELAY_QUEUE = "SYSTEM.DDELAY.LOCAL.QUEUE"


def test_put_when_it_has_a_delay_then_its_own_queue_counts(place: Place) -> None:
    qm, connect = place
    grant(qm, "queue", "HIDDEN.ONE", "fred", "put")
    with connect("fred") as fred:
        with pytest.raises(ternmq.NotAuthorized):
            fred.put("HIDDEN.TWO", b"x", delay=0.2)
        with pytest.raises(ternmq.NotAuthorized):
            fred.put(DELAY_QUEUE, b"x")
        fred.put("HIDDEN.ONE", b"x", delay=0.2)
        with pytest.raises(ternmq.NotAuthorized), fred.queue(DELAY_QUEUE) as staged:
            list(staged.browse())
    with qm.queue("HIDDEN.ONE") as queue:
        assert queue.get(wait=20).data == b"x"


def test_authority_when_it_is_taken_away_meanwhile_then_the_message_comes(place: Place) -> None:
    qm, connect = place
    grant(qm, "queue", "HIDDEN.ONE", "fred", "put")
    with connect("fred") as fred:
        fred.put("HIDDEN.ONE", b"x", delay=0.3)
        revoke(qm, "queue", "HIDDEN.ONE", "fred")
    with qm.queue("HIDDEN.ONE") as queue:
        message = queue.get(wait=20)
        assert (message.data, message.descriptor.user_id.strip()) == (b"x", "fred")
