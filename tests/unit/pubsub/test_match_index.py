"""Which patterns match which topic strings."""

from __future__ import annotations

import pytest

from ternmq.pubsub.match_index import MatchIndex
from ternmq.pubsub.subscription import Subscription, SubscriptionTerms

ROWS = [
    # scheme, pattern, matches, does not match
    ("topic", "a/+", ["a/b", "a/"], ["a/b/c", "a", "b/a"]),
    ("topic", "a/#", ["a", "a/b", "a/b/c"], ["ab", "b"]),
    ("topic", "#", ["a", "a/b", "/a"], []),
    ("topic", "a/#/z", ["a/z", "a/b/z", "a/b/c/z"], ["a/b/z/c", "z"]),
    ("topic", "#/z", ["z", "a/z", "a/b/z"], ["z/a"]),
    ("topic", "a+", ["a+"], ["ab", "a/b"]),
    ("topic", "a/##", ["a/##"], ["a", "a/b"]),
    ("topic", "#/b/#", ["b", "a/b", "a/b/b", "b/a"], ["a"]),
    ("char", "a/*", ["a/b", "a/b/c", "a/"], ["a"]),
    ("char", "a?c", ["abc", "a/c"], ["ac"]),
    ("char", "a%*b", ["a*b"], ["axb"]),
    ("char", "x/+", ["x/+"], ["x/a"]),
]


@pytest.mark.parametrize(("scheme", "pattern", "yes", "no"), ROWS)
def test_a_pattern_matches_what_its_scheme_says(
    scheme: str, pattern: str, yes: list[str], no: list[str]
) -> None:
    index = MatchIndex()
    terms = SubscriptionTerms(by_character=scheme == "char")
    index.add(Subscription(b"1" * 24, "S", pattern, terms))
    assert [len(index.match(topic)) for topic in yes] == [1] * len(yes)
    assert [index.match(topic) for topic in no] == [[]] * len(no)


def test_a_removed_subscription_matches_nothing() -> None:
    index = MatchIndex()
    subscription = Subscription(b"1" * 24, "S", "a/#", SubscriptionTerms())
    index.add(subscription)
    index.remove(subscription)
    assert index.match("a/b") == []


def test_a_wildcard_above_a_blocking_node_does_not_match_below_it() -> None:
    index = MatchIndex()
    for number, pattern in enumerate(("#", "+", "t1/#", "t1")):
        index.add(Subscription(bytes([number]) * 24, pattern, pattern, SubscriptionTerms()))
    assert [one.name for one in index.match("t1", 1)] == ["t1/#", "t1"]
    assert [one.name for one in index.match("t1/a", 1)] == ["t1/#"]
