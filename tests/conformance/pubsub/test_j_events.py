"""Goal: events go to topics where an alias of a topic stands in place of an event queue (row J14).
Method: a refusal in a real queue manager with authority checks, and subscribers of the topic.
"""

from __future__ import annotations

from ternmq import constants as mq
from ternmq.codec.pcf.structures import unpack_pcf
from tests.conformance.pubsub.bed import Bed, M, reason_of

EVENTS = "SYSTEM.ADMIN.QMGR.EVENT"
ALIAS = (
    f"DELETE QLOCAL({EVENTS}) PURGE\nDEFINE TOPIC(EVENTS) TOPICSTR('events/qmgr')\n"
    f"DEFINE QALIAS({EVENTS}) TARGET(EVENTS) TARGTYPE(TOPIC)"
)


def refuse(bed: Bed) -> None:
    """A user is not allowed to open a queue."""
    bed.mqsc("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('eve') AUTHADD(CONNECT,INQ)")
    eve = bed.connect(user="eve")
    assert reason_of(bed.open, "Q1", mq.MQOO_OUTPUT, eve) == 2035


def test_j14_event_queue_when_an_alias_of_a_topic_then_each_subscriber_gets_it(
    secured: Bed,
) -> None:
    secured.mqsc(f"{ALIAS}\nDEFINE QLOCAL(Q1)\nALTER QMGR AUTHOREV(ENABLED)")
    subscriptions = [secured.sub("events/#", M), secured.sub("events/qmgr", M)]
    refuse(secured)
    for subscription in subscriptions:
        message = subscription.get()
        assert message.descriptor.format == mq.MQFMT_EVENT
        event = unpack_pcf(message.data)
        assert event.reason == 2035
        assert message.properties["mqps.Top"] == "events/qmgr"


def test_event_queue_when_an_alias_of_a_queue_then_that_gets_it(secured: Bed) -> None:
    secured.mqsc(
        f"DELETE QLOCAL({EVENTS}) PURGE\nDEFINE QLOCAL(OURS)\n"
        f"DEFINE QALIAS({EVENTS}) TARGET(OURS)\nDEFINE QLOCAL(Q1)\nALTER QMGR AUTHOREV(ENABLED)"
    )
    refuse(secured)
    message = secured.connection.queue("OURS").try_get()
    assert message is not None
    assert unpack_pcf(message.data).reason == 2035


def test_events_when_their_topic_refuses_them_then_lost_and_no_more(secured: Bed) -> None:
    secured.mqsc(
        f"{ALIAS}\nALTER TOPIC(EVENTS) PUB(DISABLED)\nDEFINE QLOCAL(Q1)\n"
        "ALTER QMGR AUTHOREV(ENABLED) INHIBTEV(ENABLED) LOCALEV(ENABLED)"
    )
    refuse(secured)
    secured.mqsc("ALTER TOPIC(EVENTS) PUB(ENABLED)")
    subscription = secured.sub("events/qmgr", M)
    refuse(secured)
    assert unpack_pcf(subscription.get().data).reason == 2035
    assert subscription.try_get() is None
