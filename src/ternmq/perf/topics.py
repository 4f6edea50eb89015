"""The topics of the workloads, as MQSC: aliases of topics, and subscriptions with queues of their
own. An alias is put to like a queue; its family has a number for each, as families of queues do.

    PERF.TOPIC.nn     a topic with two subscribers, PERF.FIRST.nn and PERF.SECOND.nn
    PERF.FANk.01      a topic with k subscribers, the queues PERF.SUBSCRIBER.01 to those of k
    PERF.FANNEDk.01   a queue whose STREAMQ is PERF.FANk.01
"""

from __future__ import annotations

from typing import Final

TOPICS_MAX: Final = 10
SUBSCRIBERS_MAX: Final = 6
TOPIC: Final = "PERF.TOPIC"
FIRST: Final = "PERF.FIRST"
SECOND: Final = "PERF.SECOND"
SUBSCRIBER: Final = "PERF.SUBSCRIBER"


def fan(subscribers: int) -> str:
    """The family of the alias of a topic with so many subscribers."""
    return f"PERF.FAN{subscribers}"


def fanned(subscribers: int) -> str:
    """The family of the queue whose copies go to such a topic."""
    return f"PERF.FANNED{subscribers}"


ALIASES: Final = {
    TOPIC: TOPICS_MAX,
    **{fan(subscribers): 1 for subscribers in range(SUBSCRIBERS_MAX + 1)},
}


def _topic(alias: str, topic_string: str, queues: list[str]) -> list[str]:
    lines = [
        f"DEFINE TOPIC({alias}) TOPICSTR('{topic_string}') REPLACE",
        f"DEFINE QALIAS({alias}) TARGTYPE(TOPIC) TARGET({alias}) REPLACE",
    ]
    for number, queue in enumerate(queues, 1):
        where = f"TOPICOBJ({alias}) DEST({queue})"
        lines.append(f"DEFINE SUB({alias}.{number}) {where} REPLACE")
    return lines


def script(most: int) -> list[str]:
    """MQSC for what `queues.script` has made, of each family not more than so many."""
    lines: list[str] = []
    for number in range(1, min(TOPICS_MAX, most) + 1):
        name = f"{number:02}"
        lines += _topic(f"{TOPIC}.{name}", f"perf/{name}", [f"{FIRST}.{name}", f"{SECOND}.{name}"])
    for count in range(min(SUBSCRIBERS_MAX, most) + 1):
        queues = [f"{SUBSCRIBER}.{number:02}" for number in range(1, count + 1)]
        lines += _topic(f"{fan(count)}.01", f"perf/fan/{count}", queues)
    return lines
