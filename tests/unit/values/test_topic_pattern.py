"""One pattern of a subscription against a topic string: the same answers as the match index of the
queue manager gives, for many patterns and topics of few letters."""

from __future__ import annotations

import random

import pytest

from ternmq.pubsub.match_index import MatchIndex
from ternmq.pubsub.subscription import Subscription, SubscriptionTerms
from ternmq.values.topic_pattern import TopicPattern


@pytest.mark.parametrize(
    ("pattern", "by_character", "topic", "expected"),
    [
        ("a/b", False, "a/b", True),
        ("a/+", False, "a/b", True),
        ("a/+", False, "a", False),
        ("a/#", False, "a", True),
        ("a/#/c", False, "a/b/b/c", True),
        ("#", False, "a/b", True),
        ("a+/b", False, "ax/b", False),
        ("a*", True, "a/b/c", True),
        ("a?c", True, "a/c", True),
        ("a%*", True, "a*", True),
        ("a%*", True, "ab", False),
    ],
)
def test_pattern_when_asked_then_matches_as_documented(
    pattern: str, by_character: bool, topic: str, expected: bool
) -> None:
    assert TopicPattern(pattern, by_character).matches(topic) is expected


@pytest.mark.parametrize("by_character", [False, True])
def test_pattern_when_compared_with_the_index_then_agrees(by_character: bool) -> None:
    chance = random.Random(7)
    letters = "ab/*?%" if by_character else ["a", "b", "+", "#", ""]
    matched = 0
    for number in range(3000):
        size = chance.randrange(1, 6)
        text = [chance.choice(letters) for _ in range(size)]
        pattern = "".join(text) if by_character else "/".join(text)
        topic = "/".join(chance.choice(["a", "b", "ab", ""]) for _ in range(chance.randrange(1, 5)))
        if not topic or not pattern or pattern.endswith("%"):
            continue
        index = MatchIndex()
        terms = SubscriptionTerms(by_character=by_character)
        index.add(Subscription(number.to_bytes(24, "big"), "", pattern, terms))
        found = list(index.match(topic))
        assert TopicPattern(pattern, by_character).matches(topic) is (len(found) > 0), (
            pattern,
            topic,
        )
        matched += len(found)
    assert matched > 100


@pytest.mark.parametrize(
    ("pattern", "is_by_character", "topic"),
    [
        ("*/" * 12 + "x", True, "/" * 255),
        ("*a" * 120 + "b", True, "a" * 255),
        ("*?a" * 80 + "b", True, "a" * 255),
        ("#/" * 127 + "x", False, "/" * 254),
        ("#/+/" * 60 + "x", False, "/" * 254),
    ],
)
def test_pattern_when_it_could_match_in_many_ways_then_it_ends_soon(
    pattern: str, is_by_character: bool, topic: str
) -> None:
    one = TopicPattern(pattern, is_by_character)
    for _ in range(5):
        assert not one.matches(topic)
