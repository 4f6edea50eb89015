"""The workloads of publish/subscribe: what IBM's report on streaming queues compares them with.

Numbers of applications, queues and subscribers are the report's. A subscriber gets from a queue
that a subscription names; each copy has a MsgId of its own, so a requester takes the next reply
from a queue that nobody else uses.
"""

from __future__ import annotations

from typing import Final

from ternmq.perf.queues import BEST_EFFORT, COPY, MUST_DUPLICATE, REPLY
from ternmq.perf.topics import (
    FIRST,
    SECOND,
    SUBSCRIBER,
    SUBSCRIBERS_MAX,
    TOPIC,
    TOPICS_MAX,
    fan,
    fanned,
)
from ternmq.perf.workload import GETTER, KB, REQUESTER, SERVER, Crew, Point, Workload

PUBLISH: Final = "Publish/subscribe"


def _set(puts: str, gets: str, count: int, size: int, each: bool) -> tuple[Crew, ...]:
    """Tasks that put and wait for a reply, and those that get and reply."""
    asks = Crew(REQUESTER, count, puts, REPLY, each_its_own=each, size=size, any_reply=True)
    serves = Crew(SERVER, count, gets, REPLY, each_its_own=each, size=size, is_counted=False)
    return asks, serves


def two_copies(count: int, series: str, puts: str, first: str, second: str) -> Point:
    """For each queue or topic one task that puts, one that replies, and one that only gets."""
    crews = _set(puts, first, count, 2 * KB, True)
    crews += (Crew(GETTER, count, second, each_its_own=True, is_counted=False),)
    return Point(str(count), crews, REPLY, series=series, quick=count == 1)


TWO_COPIES: Final = Workload(
    "streaming-or-topic",
    PUBLISH,
    "A streaming queue against two subscribers",
    "One task puts and waits for a reply, one gets and replies, one only gets, for each queue with"
    " a streaming queue or each alias of a topic with two subscribers. Non-persistent, 2 KB, out of"
    " syncpoint.",
    "queues or topics",
    tuple(
        two_copies(count, *row)
        for row in (
            ("two subscribers", TOPIC, FIRST, SECOND),
            ("best effort", BEST_EFFORT, BEST_EFFORT, COPY),
            ("must duplicate", MUST_DUPLICATE, MUST_DUPLICATE, COPY),
        )
        for count in range(1, TOPICS_MAX + 1)
    ),
)


def copies(getting: int, is_streamed: bool) -> Point:
    """One task puts; one replies, and the others only get."""
    puts = fanned(getting - 1) if is_streamed else fan(getting)
    crews = _set(puts, puts if is_streamed else SUBSCRIBER, 1, KB, False)
    if getting > 1:
        after = 0 if is_streamed else 1
        crews += (
            Crew(
                GETTER,
                getting - 1,
                SUBSCRIBER,
                each_its_own=True,
                size=KB,
                is_counted=False,
                after=after,
            ),
        )
    series = "STREAMQ to a topic alias" if is_streamed else "topic alias"
    return Point(str(getting), crews, REPLY, series=series, quick=getting in (1, 3))


MANY_COPIES: Final = Workload(
    "streaming-to-topic",
    PUBLISH,
    "STREAMQ to a topic alias with 0 to 5 subscribers",
    "One task puts to a queue whose STREAMQ is an alias of a topic with 0 to 5 subscribers, or to"
    " an alias of a topic with 1 to 6; one of those that get replies to it. Non-persistent, 1 KB,"
    " out of syncpoint. The cost is that of all tasks.",
    "applications that get",
    tuple(
        copies(getting, is_streamed)
        for is_streamed in (True, False)
        for getting in range(1, SUBSCRIBERS_MAX + 1)
    ),
)
