"""The topic tree: nodes by level, objects at them, and attributes that are resolved upwards."""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.base.attributes import checked_attributes, defaults_of
from ternmq.base.object_types import TOPIC
from ternmq.pubsub.topic_attributes import attributes_at
from ternmq.pubsub.topic_tree import TopicTree
from ternmq.store.catalog import Definition


def topic(name: str, topic_string: str, **given: object) -> Definition:
    attributes = defaults_of(TOPIC)
    attributes.update(checked_attributes(TOPIC, {"TOPICSTR": topic_string, **given}))
    return Definition(TOPIC, name, 1, attributes, 0)


@pytest.mark.parametrize("text", ["a", "/a", "a/", "a//b", "/", "//", "a/b/c"])
def test_node_when_made_then_its_string_is_the_one_it_was_made_by(text: str) -> None:
    tree = TopicTree()
    node = tree.ensure(text)
    assert node.topic_string() == text
    assert tree.find(text) is node
    assert node.depth() == text.count("/") + 1


def test_attributes_when_objects_say_asparent_then_the_next_upwards_counts() -> None:
    tree = TopicTree()
    tree.place(topic("UP", "a", DEFPRTY=7, MNDURMDL="M1", CAPEXPRY=50))
    tree.place(topic("LOW", "a/b", DURSUB="NO"))
    found = attributes_at(tree, "a/b/c/d")
    assert (found.default_priority, found.nondurable_model, found.cap_expiry) == (7, "M1", 50)
    assert not found.durable_allowed
    assert found.names == ["LOW", "UP"]
    assert attributes_at(tree, "x").default_priority == 0


def test_attributes_when_an_object_changes_or_goes_then_they_are_resolved_again() -> None:
    tree = TopicTree()
    low = topic("LOW", "a/b", PUB="DISABLED")
    tree.place(low)
    assert not attributes_at(tree, "a/b/c").publish
    assert attributes_at(tree, "a/b/c") is attributes_at(tree, "a/b")
    low.attributes["publish"] = mq.MQTA_PUB_ALLOWED
    tree.place(low)
    assert attributes_at(tree, "a/b/c").publish
    low.attributes["publish"] = mq.MQTA_PUB_INHIBITED
    tree.displace(low, 0)
    assert attributes_at(tree, "a/b/c").publish


def test_block_level_when_several_block_then_the_lowest_counts() -> None:
    tree = TopicTree()
    tree.place(topic("UP", "a", WILDCARD="BLOCK"))
    assert attributes_at(tree, "a/b/c").block_level == 1
    tree.place(topic("LOW", "a/b", WILDCARD="BLOCK"))
    assert attributes_at(tree, "a/b/c").block_level == 2
    assert attributes_at(tree, "a").block_level == 1


def test_system_topics_inherit_nothing_and_block_even_without_their_object() -> None:
    tree = TopicTree()
    tree.place(topic("SYSTEM.BASE.TOPIC", "", PUB="DISABLED", DEFPRTY=5))
    found = attributes_at(tree, "$SYS/MQ/INFO")
    assert (found.publish, found.default_priority, found.names) == (True, 0, [])
    assert found.block_level == 2
    assert not attributes_at(tree, "$SYS/other").publish


def test_object_without_string_when_not_the_base_topic_then_it_sits_nowhere() -> None:
    tree = TopicTree()
    tree.place(topic("SYSTEM.DEFAULT.TOPIC", "", DEFPRTY=9))
    assert tree.root.definition is None
    assert attributes_at(tree, "a").default_priority == 0


def test_removed_node_when_a_new_one_has_its_place_then_that_stays() -> None:
    tree = TopicTree()
    old = tree.ensure("a/b")
    count = tree.nodes
    tree.remove(old)
    new = tree.ensure("a/b")
    tree.remove(old)
    assert tree.find("a/b") is new
    assert tree.nodes == count


def test_tree_when_it_ends_then_nothing_refers_to_its_nodes() -> None:
    """Nodes refer to their parents, and the garbage collector does not go through them."""
    tree = TopicTree()
    node = tree.ensure("a/b/c")
    parent = node.parent
    assert parent is not None
    tree.end()
    assert (node.parent, parent.children, tree.root.children) == (None, None, None)
