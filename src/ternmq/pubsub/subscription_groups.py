"""Grouped subscriptions and levels: which of the subscriptions that match get a publication.

Only those of the highest level that is not above the publication's get it. Of a group (one queue,
one SubCorrelId, one level) one gets it, the most significant: the one whose first wildcard stands
furthest down, then the one with the longest topic string, then the one that was made first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

if TYPE_CHECKING:
    from ternmq.pubsub.subscription import Subscription

Group = tuple[str, bytes, int, str]


def group_of(subscription: Subscription) -> Group:
    """What two subscriptions of one group must not both have."""
    terms = subscription.terms
    place = f"{subscription.destination}@{terms.destination_qmgr}"
    return (place, subscription.correl_id, terms.level, subscription.topic_string)


def is_special(subscription: Subscription) -> bool:
    """Whether the choice among those that match depends on it."""
    terms = subscription.terms
    return terms.is_grouped or terms.level != 1


def chosen(matched: list[Subscription], publication_level: i64) -> list[Subscription]:
    """Those of the matching subscriptions that get a publication of a level."""
    level: i64 = -1
    has_groups = False
    for one in matched:
        own: i64 = one.terms.level
        if level < own <= publication_level:
            level = own
        has_groups = has_groups or one.terms.is_grouped
    found = [one for one in matched if one.terms.level == level]
    if not has_groups:
        return found
    best: dict[tuple[str, str, bytes], Subscription] = {}
    out: list[Subscription] = []
    for one in found:
        if not one.terms.is_grouped:
            out.append(one)
            continue
        key = (one.destination, one.terms.destination_qmgr, one.correl_id)
        other = best.get(key)
        if other is None or _significance(one) > _significance(other):
            best[key] = one
    out.extend(best.values())
    return out


def _significance(subscription: Subscription) -> tuple[int, int, int]:
    return (
        int(subscription.wildcard_level),
        len(subscription.topic_string),
        -int(subscription.created_ns),
    )
