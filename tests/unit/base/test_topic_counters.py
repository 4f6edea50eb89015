"""Goal: water marks and sums of topics hold over intervals.

Method: subscriptions come and go by the counters' own functions; intervals are merged.
"""

from __future__ import annotations

from ternmq.base.constants import MQSUBTYPE_ADMIN, MQSUBTYPE_API
from ternmq.base.counters import QmgrFigures
from ternmq.base.topic_counters import SubscriptionNumbers, TopicFigures


def test_marks_when_subscriptions_come_and_go_then_most_and_fewest_at_once() -> None:
    now = SubscriptionNumbers()
    now.change(True, MQSUBTYPE_API, 1)
    figures = TopicFigures(now)
    for is_durable, sub_type, by in (
        (True, MQSUBTYPE_API, -1),
        (False, MQSUBTYPE_API, 1),
        (False, MQSUBTYPE_API, 1),
        (True, MQSUBTYPE_ADMIN, 1),
        (False, MQSUBTYPE_API, -1),
    ):
        now.change(is_durable, sub_type, by)
        figures.see(now)
    assert (figures.durable.high, figures.durable.lows) == ([1, 1, 1, 0], [0, 0, 0, 0])
    assert (figures.other.high, figures.other.lows) == ([2, 2, 0, 0], [0, 0, 0, 0])
    assert (figures.api_high, figures.api_low) == (2, 0)
    assert (figures.admin_high, figures.admin_low) == (1, 0)


def test_marks_when_intervals_are_merged_then_a_sum_that_began_empty_hides_no_low() -> None:
    now = SubscriptionNumbers()
    for _ in range(3):
        now.change(False, MQSUBTYPE_API, 1)
    total = QmgrFigures(0)
    assert total.topics.other.lows == [0, 0, 0, 0]
    for _ in range(2):
        interval = QmgrFigures(0)
        interval.topics = TopicFigures(now)
        now.change(False, MQSUBTYPE_API, -1)
        interval.topics.see(now)
        interval.topics.counts.requests = 2
        interval.topics.most_copies = 5
        total.merge(interval)
    assert (total.topics.other.all_high, total.topics.other.all_low) == (3, 1)
    assert total.topics.counts.requests == 4
    assert total.topics.most_copies == 5
