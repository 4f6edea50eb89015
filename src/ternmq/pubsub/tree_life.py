"""TREELIFE: nodes that nothing needs any more leave the tree.

A node is needed while a handle is open for it, a subscription has its string, an object sits
there, a publication is retained there, or a node below it is needed. The tree is walked again and
again, some nodes at each tick, at most once in `ROUND_NS`; a node goes when nothing has used it for
TREELIFE seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.pubsub.topic_tree import TopicNode

if TYPE_CHECKING:
    from ternmq.pubsub.publish_subscribe import PublishSubscribe

ROUND_NS: Final = 1_000_000_000
NODES_A_TICK: Final = 1024
NANOSECONDS: Final = 1_000_000_000


@final
class _Frame:
    """A node whose children are being looked at."""

    __slots__ = ("at", "children", "node")

    def __init__(self, node: TopicNode) -> None:
        self.node = node
        # As they were: others may come and go before the walk is through.
        self.children = [] if node.children is None else list(node.children.values())
        self.at: i64 = 0


@final
class TreeLife:
    """Where the walk through the tree is."""

    def __init__(self) -> None:
        self._frames: list[_Frame] = []
        self._due_ns: i64 = 0

    def tick(self, pubsub: PublishSubscribe, now_ns: i64) -> None:
        """Go on with the walk, but not while a unit of work may still retain a publication."""
        life_ns: i64 = pubsub.kernel.number("tree_life_s") * NANOSECONDS
        if life_ns == 0 or pubsub.in_units:
            return
        frames = self._frames
        if not frames:
            if now_ns < self._due_ns:
                return
            self._due_ns = now_ns + ROUND_NS
            frames.append(_Frame(pubsub.tree.root))
        left: i64 = NODES_A_TICK
        while frames and left > 0:
            left -= 1
            frame = frames[-1]
            if frame.at < len(frame.children):
                child = frame.children[frame.at]
                frame.at += 1
                if child.children is not None:
                    frames.append(_Frame(child))
                elif _is_over(pubsub, child, now_ns - life_ns):
                    pubsub.tree.remove(child)
            else:
                frames.pop()
                if _is_over(pubsub, frame.node, now_ns - life_ns):
                    pubsub.tree.remove(frame.node)


def _is_over(pubsub: PublishSubscribe, node: TopicNode, before_ns: i64) -> bool:
    return (
        node.publishers == 0
        and node.subscribers == 0
        and node.definition is None
        and not node.children
        and node.used_ns <= before_ns
        and node is not pubsub.tree.system
        and node.parent is not None
        and pubsub.retained.current(node) is None
    )
