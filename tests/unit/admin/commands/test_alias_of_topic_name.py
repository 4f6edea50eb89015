"""Goal: an alias of a topic may have the name of its topic object: they are of different kinds.

Method: define both on a queue manager in memory, and publish through the alias.
"""

import ternmq


def test_alias_when_its_topic_has_the_same_name_then_it_is_defined_and_publishes() -> None:
    with ternmq.memory() as qmgr:
        qmgr.mqsc("DEFINE TOPIC(PRICES) TOPICSTR('price')")
        (refused,) = qmgr.mqsc("DEFINE QALIAS(PRICES) TARGET(PRICES)")
        assert not refused.ok  # a queue alias of itself leads nowhere
        (defined,) = qmgr.mqsc("DEFINE QALIAS(PRICES) TARGTYPE(TOPIC) TARGET(PRICES)")
        assert defined.ok
        with qmgr.subscribe("price") as watched:
            qmgr.put("PRICES", "1.10")
            assert watched.get().text == "1.10"
