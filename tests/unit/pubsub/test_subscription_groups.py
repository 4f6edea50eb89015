"""Which of the subscriptions that match get a publication: levels and groups."""

from __future__ import annotations

import pytest

from ternmq.pubsub.match_index import MatchIndex
from ternmq.pubsub.subscription import Subscription, SubscriptionTerms
from ternmq.pubsub.subscription_groups import chosen

pytestmark = pytest.mark.core


def made(number: int, pattern: str, level: int = 1, group: str = "") -> Subscription:
    terms = SubscriptionTerms(level=level, is_grouped=bool(group))
    one = Subscription(bytes([number]) * 24, str(number), pattern, terms)
    one.destination = group or f"Q{number}"
    one.correl_id = b"C" * 24 if group else one.sub_id
    one.created_ns = number
    return one


def names(subscriptions: list[Subscription], topic: str, level: int = 9) -> list[str]:
    index = MatchIndex()
    for one in subscriptions:
        index.add(one)
    return sorted(one.name for one in chosen(index.match(topic), level))


@pytest.mark.parametrize(
    ("level", "expected"), [(9, ["5"]), (4, ["2", "3"]), (2, ["1"]), (1, ["1"]), (0, [])]
)
def test_levels_when_published_then_the_highest_not_above(level: int, expected: list[str]) -> None:
    there = [made(1, "a"), made(2, "a", 3), made(3, "#", 3), made(5, "a", 7)]
    assert names(there, "a", level) == expected


def test_group_when_several_match_then_the_most_significant() -> None:
    there = [made(1, "a/#", group="Q"), made(2, "a/b", group="Q"), made(3, "#", group="Q")]
    assert names(there, "a/b") == ["2"]
    assert names(there, "a/c") == ["1"]
    assert names(there, "z") == ["3"]


def test_group_when_equally_significant_then_longer_then_older() -> None:
    there = [made(2, "a/+", group="Q"), made(1, "a/+/#", group="Q")]
    assert names(there, "a/b") == ["1"]
    there = [made(2, "a/+", group="Q"), made(1, "a/#", group="Q")]
    assert names(there, "a/b") == ["1"]


def test_group_when_others_match_too_then_they_get_their_own() -> None:
    there = [made(1, "a", group="Q"), made(2, "#", group="Q"), made(3, "a"), made(4, "#")]
    assert names(there, "a") == ["1", "3", "4"]
    there = [made(1, "a", group="Q"), made(2, "a", group="R")]
    assert names(there, "a") == ["1", "2"]


def test_group_when_levels_differ_then_the_level_comes_first() -> None:
    there = [made(1, "a", group="Q"), made(2, "#", 5, group="Q")]
    assert names(there, "a") == ["2"]
