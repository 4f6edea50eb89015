"""Goal: a checkpoint takes no segment for lost whose file went because nothing in it must survive.

Method: a world with one queue manager, no faults, and a queue whose messages are persistent and
not, with buffers so small that they are in segments.
"""

import pytest

from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.clients import Consumer, Producer
from ternmq.testing.node import Node
from ternmq.testing.world import Ask, Client, World

pytestmark = [pytest.mark.core, pytest.mark.promise("P6")]


def define(node: Node) -> Client:
    link = node.connect("admin")
    yield Ask(node, node.verbs.define(link, "T", 20_000))


@pytest.mark.parametrize("seed", [13, 14])
def test_segment_when_it_dies_while_a_checkpoint_saves_it_then_the_queue_is_not_damaged(
    seed: int,
) -> None:
    world = World(seed)
    node = world.add_node("QM1", LogParameters(CIRCULAR, 3, 2, 32, False))
    world.add_client("admin", define(node))
    world.run(1.0)
    producers = [Producer(world, f"p{number}", node, "T", 60) for number in range(4)]
    consumer = Consumer(world, "c0", node, "T")
    for producer in producers:
        producer.volatile_rate = 0.3
        world.add_client(producer.name, producer.client())
    world.add_client(consumer.name, consumer.client())
    assert world.run(30.0, lambda: world.clients == {consumer.name})
    consumer.finish = True
    assert world.run(60.0, lambda: not world.clients), "the consumer does not come to its end"
    assert node.engine.kernel.catalog.damaged == {}
    assert world.account().faults == []
