"""The match index against a matcher that tries every subscription.

Hypothesis makes patterns of both schemes, adds and removes them, and compares what topic strings
find. When all are removed, nothing may be left of the trie.
"""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.pubsub.match_index import LONG_LEVELS, MatchIndex, Matching
from ternmq.pubsub.pattern_automaton import PatternAutomaton
from ternmq.pubsub.pattern_walk import PatternWalk
from ternmq.pubsub.subscription import Subscription, SubscriptionTerms
from ternmq.pubsub.topic_tree import TopicTree
from ternmq.pubsub.wildcards import literal_prefix, plain_text

LEVELS = st.sampled_from(["a", "b", "", "+", "#", "a#", "%"])
TOPICS = st.lists(st.sampled_from(["a", "b", "", "+", "#", "*"]), min_size=1, max_size=6).map(
    "/".join
)
BY_LEVEL = st.lists(LEVELS, min_size=1, max_size=6).map("/".join)
BY_CHARACTER = st.text("ab/*?%#+", min_size=1, max_size=8)
PATTERNS = st.one_of(st.tuples(BY_LEVEL, st.just(False)), st.tuples(BY_CHARACTER, st.just(True)))


def by_level(pattern: list[str], topic: list[str]) -> bool:
    if not pattern:
        return not topic
    if pattern[0] == "#":
        return any(by_level(pattern[1:], topic[skip:]) for skip in range(len(topic) + 1))
    return bool(topic) and pattern[0] in ("+", topic[0]) and by_level(pattern[1:], topic[1:])


def by_character(pattern: str, topic: str) -> bool:
    parts = re.findall(r"%.|.", pattern, re.DOTALL)
    meanings = {"*": ".*", "?": "."}
    text = "".join(meanings.get(one) or re.escape(one[-1]) for one in parts)
    return re.fullmatch(text, topic, re.DOTALL) is not None


def matches(subscription: Subscription, topic: str) -> bool:
    if subscription.terms.by_character:
        return by_character(subscription.topic_string, topic)
    return by_level(subscription.topic_string.split("/"), topic.split("/"))


@settings(max_examples=400, deadline=None)
@given(
    st.lists(PATTERNS, max_size=24),
    st.lists(TOPICS, min_size=1, max_size=8),
    st.lists(st.integers(0, 23), max_size=12),
)
def test_the_index_finds_what_trying_every_subscription_finds(
    patterns: list[tuple[str, bool]], topics: list[str], removed: list[int]
) -> None:
    index = MatchIndex()
    terms = (SubscriptionTerms(), SubscriptionTerms(by_character=True))
    there: dict[int, Subscription] = {}
    for number, (pattern, is_by_character) in enumerate(patterns):
        sub_id = number.to_bytes(24, "big")
        there[number] = Subscription(sub_id, str(number), pattern, terms[is_by_character])
        index.add(there[number])
    for number in removed:
        if number in there:
            index.remove(there.pop(number))
    for topic in topics:
        found = sorted(int(one.name) for one in index.match(topic))
        assert found == [number for number, one in there.items() if matches(one, topic)]
    for subscription in there.values():
        index.remove(subscription)
    assert index.is_empty()


@settings(max_examples=400, deadline=None)
@given(PATTERNS, TOPICS)
def test_an_automaton_and_a_walk_match_what_trying_finds(
    pattern: tuple[str, bool], topic: str
) -> None:
    text, is_by_character = pattern
    one = Subscription(b"1" * 24, "S", text, SubscriptionTerms(by_character=is_by_character))
    expected = matches(one, topic)
    assert PatternAutomaton(text, is_by_character).matches(topic) == expected
    tree = TopicTree()
    node = tree.ensure(topic)
    walk = PatternWalk(tree, text, is_by_character)
    found = []
    while not walk.is_done():
        found.append(walk.look())
    if topic:  # else the node is the root, which is not a topic
        assert (node in found) == expected


LONG = st.lists(st.sampled_from(["a", "a", "b", "+", "#"]), min_size=17, max_size=24)


@settings(max_examples=200, deadline=None)
@given(st.lists(LONG, max_size=6), st.lists(st.sampled_from("aab"), min_size=12, max_size=30))
def test_long_patterns_find_what_trying_every_subscription_finds(
    patterns: list[list[str]], topic: list[str]
) -> None:
    index = MatchIndex()
    there = [
        Subscription(bytes([number]) * 24, str(number), "/".join(pattern), SubscriptionTerms())
        for number, pattern in enumerate(patterns)
    ]
    for one in there:
        index.add(one)
    found = sorted(int(one.name) for one in index.match("/".join(topic)))
    automata = [PatternAutomaton(one.topic_string, False) for one in there]
    assert found == [at for at, one in enumerate(automata) if one.matches("/".join(topic))]
    for one in there:
        index.remove(one)
    assert index.is_empty()


@settings(max_examples=200, deadline=None)
@given(PATTERNS, TOPICS)
def test_what_a_pattern_matches_is_at_or_below_its_literal_prefix(
    pattern: tuple[str, bool], topic: str
) -> None:
    text, is_by_character = pattern
    subscription = Subscription(
        b"1" * 24, "S", text, SubscriptionTerms(by_character=is_by_character)
    )
    prefix = literal_prefix(text, is_by_character)
    if matches(subscription, topic) and prefix:
        assert topic == prefix or topic.startswith(prefix + "/")


def test_many_wildcards_in_one_pattern_do_not_take_long() -> None:
    index = MatchIndex()
    terms = (SubscriptionTerms(), SubscriptionTerms(by_character=True))
    levels = "/".join(["#", "a"] * 200)
    index.add(Subscription(b"1" * 24, "levels", levels + "/b", terms[0]))
    index.add(Subscription(b"2" * 24, "lazy", "a/" + levels + "/b", terms[0]))
    index.add(Subscription(b"3" * 24, "characters", "*a" * 200 + "*b", terms[1]))
    assert index.match("/".join(["a"] * 1000)) == []
    assert len(index.match("/".join(["a"] * 1000) + "/b")) == 3


def test_many_any_levels_in_a_row_are_one() -> None:
    index = MatchIndex()
    pattern = "/".join(["#"] * 5000)
    subscriptions = [
        Subscription(bytes([number]) * 24, "", text, SubscriptionTerms())
        for number, text in enumerate((pattern, "a/" + pattern, pattern + "/a", "#"))
    ]
    for one in subscriptions:
        index.add(one)
    assert len(index.match("b/c")) == 2
    assert len(index.match("a/b")) == 3
    assert len(index.match("b/a")) == 3
    for one in subscriptions:
        index.remove(one)
    assert index.is_empty()


def test_two_long_patterns_that_differ_at_their_end_are_both_found() -> None:
    index = MatchIndex()
    stem = "/".join(["a"] * 3000)
    for number, end in enumerate(("b", "c", "+", "#")):
        name = f"{stem}/{end}"
        index.add(Subscription(bytes([number]) * 24, name, name, SubscriptionTerms()))
    assert len(index.match(stem + "/b")) == 3
    assert len(index.match(stem)) == 1


def test_a_thousand_subscriptions_of_one_topic_are_removed_in_any_order() -> None:
    index = MatchIndex()
    terms = SubscriptionTerms()
    all_of_them = [
        Subscription(number.to_bytes(24, "big"), "", "a/b", terms) for number in range(1000)
    ]
    for one in all_of_them:
        index.add(one)
    for one in all_of_them[::2] + all_of_them[1::2]:
        index.remove(one)
    assert index.is_empty()


def test_an_escape_stands_for_the_next_character() -> None:
    assert plain_text("a%*b%%c%") == "a*b%c%"
    assert literal_prefix("$SYS/MQ%/*", True) == "$SYS/MQ"


def _anywhere(at: int) -> list[str]:
    """Levels that match at nearly every place of a topic of nothing but "a"."""
    return ["#"] + ["+" if number == at else "a" for number in range(4990)]


def test_a_long_topic_and_patterns_that_may_begin_anywhere_do_not_take_long() -> None:
    index = MatchIndex()
    terms = (SubscriptionTerms(), SubscriptionTerms(by_character=True))
    for number in range(10):
        by_level = "/".join(_anywhere(number)) + "/b"
        index.add(Subscription(bytes([number]) * 24, "", by_level, terms[0]))
        pieces = "*" + "a/" * 2000 + "?" * number + "?b*"
        index.add(Subscription(bytes([100 + number]) * 24, "", pieces, terms[1]))
    assert index.match("/".join(["a"] * 5120)) == []
    assert len(index.match("/".join(["a"] * 5000) + "/b")) == 15


def test_many_patterns_that_may_begin_anywhere_then_a_long_topic_takes_steps() -> None:
    index = MatchIndex()
    levels = ["#"] + ["a"] * (LONG_LEVELS - 1)
    for number in range(200):
        levels[number % LONG_LEVELS + 1 :] = ["+", f"x{number}"]
        levels += ["a"] * (LONG_LEVELS + 1 - len(levels))
        one = "/".join(levels)
        index.add(Subscription(number.to_bytes(24, "big"), "", one, SubscriptionTerms()))
    index.add(Subscription(b"9" * 24, "", "#", SubscriptionTerms()))
    matching = Matching(index, "/".join(["a"] * 2000), ["a"] * 2000, 0)
    steps = 1
    while not matching.step():
        steps += 1
    assert len(matching.found) == 1
    assert steps > 5


def test_long_patterns_are_asked_in_steps() -> None:
    index = MatchIndex()
    for number in range(100):
        text = "/".join(_anywhere(number)[:100])
        index.add(Subscription(bytes([number]) * 24, "", text, SubscriptionTerms()))
    matching = Matching(index, "/".join(["a"] * 1000), ["a"] * 1000, 0)
    steps = 1
    while not matching.step():
        steps += 1
    assert (len(matching.found), steps >= 20) == (100, True)
