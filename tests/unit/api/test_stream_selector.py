"""Goal: a read of a stream with a selector gives the messages that match and no others, on every
binding, and less travels.

Method: one story for each way to a queue manager; matches are counted by numbers, bytes by what the
blocks of the answer hold.
"""

from __future__ import annotations

from typing import Any

import pytest

import ternmq
from ternmq.base import reasons as rc
from tests.unit.api import networked, served

pytestmark = pytest.mark.core

WAYS: dict[str, Any] = {
    "embedded": lambda: ternmq.memory("QM1"),
    "served": lambda: served.in_memory("QM1"),
    "network": lambda: networked.in_memory("QM1"),
}


class Story:
    """A queue A with a stream, and a connection to its queue manager."""

    def __init__(self, way: str) -> None:
        self.server: Any = WAYS[way]()
        self.qmgr: Any = self.server if way == "embedded" else self.server.connect()
        self.qmgr.define_queue("A")
        self.first = self.qmgr.cursor("KEEP", "A").position

    def put(self, count: int, size: int = 100) -> None:
        with self.qmgr.queue("A") as opened:
            for n in range(count):
                colour = "red" if n % 100 == 7 else "blue"
                opened.put(bytes(size), properties={"colour": colour, "n": n})

    def __enter__(self) -> Story:
        return self

    def __exit__(self, *raised: object) -> None:
        self.qmgr.disconnect()
        self.server.close()


@pytest.mark.parametrize("way", WAYS)
def test_read_when_a_selector_is_given_then_matches_come_back_and_few_bytes(way: str) -> None:
    with Story(way) as story:
        story.put(600)
        stream = story.qmgr.stream("A")
        whole = stream.read(story.first, max_bytes=4 << 20)
        found = stream.read(story.first, max_bytes=4 << 20, selector="colour = 'red' AND n < 500")
        assert [one.properties["n"] for one in found] == [7, 107, 207, 307, 407]
        assert found.numbers == [whole.numbers[n] for n in (7, 107, 207, 307, 407)]
        assert found.next == whole.next
        for block in found.blocks:
            block.check()
        sizes = [sum(len(one.raw) for one in answer.blocks) for answer in (found, whole)]
        assert sizes[0] * 50 < sizes[1]


@pytest.mark.parametrize("way", WAYS)
def test_read_when_nothing_matches_then_next_has_moved_and_a_wait_is_over(way: str) -> None:
    with Story(way) as story:
        story.put(3)
        found = story.qmgr.stream("A").read(story.first, wait=None, selector="colour = 'green'")
        assert (len(found), found.next) == (0, story.first + 3)


@pytest.mark.parametrize("way", WAYS)
def test_read_when_an_alias_leaves_all_out_then_next_has_moved_and_a_wait_is_over(way: str) -> None:
    with Story(way) as story:
        story.put(20)
        story.qmgr.mqsc("DEFINE QALIAS(GREEN) TARGET(A) SELECTOR('colour = ''green''')")
        stream = story.qmgr.stream("GREEN")
        found = stream.read(story.first, count=10, wait=None)
        assert (len(found), found.next) == (0, story.first + 10)
        found = stream.read(story.first, story.first + 20, wait=None)
        assert (len(found), found.next) == (0, story.first + 20)


def test_read_when_the_string_is_wrong_then_the_reason_says_so() -> None:
    with Story("network") as story, pytest.raises(ternmq.MQError) as raised:
        story.qmgr.stream("A").read(story.first, selector="colour = ")
    assert raised.value.reason == rc.MQRC_SELECTOR_SYNTAX_ERROR


def test_read_when_an_alias_has_a_selector_then_its_stream_is_what_matches() -> None:
    with Story("served") as story:
        story.put(200)
        story.qmgr.mqsc("DEFINE QALIAS(RED) TARGET(A) SELECTOR('colour = ''red''')")
        found = story.qmgr.stream("RED").read(story.first, selector="n > 50")
        assert [one.properties["n"] for one in found] == [107]


def test_read_when_fields_of_the_descriptor_are_named_then_they_are_compared() -> None:
    with Story("embedded") as story:
        with story.qmgr.queue("A") as opened:
            for n in range(10):
                opened.put(b"x", priority=n, correl_id=bytes([n]) * 24)
        digits = (bytes([4]) * 24).hex()
        for selector, priorities in (
            ("JMSPriority >= 8", [8, 9]),
            (f'Root.MQMD.CorrelId = "0x{digits}"', [4]),
            ("Root.MQMD.Priority BETWEEN 1 AND 2", [1, 2]),
        ):
            found = story.qmgr.stream("A").read(story.first, selector=selector)
            assert [one.priority for one in found] == priorities
