"""The queues and channels of the workloads, as MQSC: families of numbered queues."""

from __future__ import annotations

from typing import Final, NamedTuple

from ternmq.perf import topics
from ternmq.perf.workload import SHARED, SINGLE, UNSHARED

PAIRS_MAX: Final = 15
STREAMED_MAX: Final = 10
_DEEP: Final = "MAXDEPTH(999999999)"

REQUEST: Final = "PERF.REQUEST"
REPLY: Final = "PERF.REPLY"
BEST_EFFORT: Final = "PERF.BESTEF"
MUST_DUPLICATE: Final = "PERF.MUSTDUP"
COPY: Final = "PERF.COPY"
PLAIN: Final = "PERF.PLAIN"
STREAMED: Final = "PERF.STREAMED"
LOGGED: Final = "PERF.LOGGED"
LOGGED_TWICE: Final = "PERF.TWICE"
DATA: Final = "PERF.DATA"
AHEAD: Final = "PERF.AHEAD"
TASK: Final = "PERF.TASK"
# Remote queues, defined with the channels of a point: see channel_points.
ASK: Final = "PERF.ASK"
ANSWER: Final = "PERF.ANSWER"


class Family(NamedTuple):
    """Queues of one kind; {n} in their attributes is the number of the queue."""

    name: str
    numbers: int  # from 1 to this
    attributes: str = ""


FAMILIES: Final = (
    Family(REQUEST, PAIRS_MAX),
    Family(REPLY, PAIRS_MAX),
    Family(COPY, STREAMED_MAX),
    Family(BEST_EFFORT, STREAMED_MAX, "STREAMQ(PERF.COPY.{n}) STRMQOS(BESTEF)"),
    Family(MUST_DUPLICATE, STREAMED_MAX, "STREAMQ(PERF.COPY.{n}) STRMQOS(MUSTDUP)"),
    Family(PLAIN, 1),
    Family(STREAMED, 1, "STREAMQ(PERF.COPY.{n}) STRMQOS(BESTEF)"),
    Family(LOGGED, 1),
    Family(LOGGED_TWICE, 1, "STREAMQ(PERF.COPY.{n}) STRMQOS(BESTEF)"),
    Family(DATA, STREAMED_MAX),
    Family(AHEAD, STREAMED_MAX, "DEFPRESP(ASYNC) DEFREADA(YES)"),
    Family(TASK, PAIRS_MAX),
    Family(topics.FIRST, topics.TOPICS_MAX),
    Family(topics.SECOND, topics.TOPICS_MAX),
    Family(topics.SUBSCRIBER, topics.SUBSCRIBERS_MAX),
    *(
        Family(topics.fanned(count), 1, f"STREAMQ({topics.fan(count)}.{{n}})")
        for count in range(topics.SUBSCRIBERS_MAX)
    ),
)
LISTENER: Final = "PERF"
CHANNELS: Final = ((UNSHARED, 0), (SINGLE, 1), (SHARED, 10))


def queue_name(family: str, number: int) -> str:
    """The queue of a family by its number, from 1 on."""
    return f"{family}.{number:02}"


def names(most: int) -> list[str]:
    """Every queue, of each family not more than so many."""
    return [
        queue_name(family.name, number)
        for family in FAMILIES
        for number in range(1, min(family.numbers, most) + 1)
    ]


def script(most: int = PAIRS_MAX) -> str:
    """MQSC that makes the queues, of each family not more than so many, and a listener on this
    machine whose port the system chooses."""
    lines = [
        "ALTER QMGR STATQ(ON) STATCHL(HIGH) MAXHANDS(100000) CHLAUTH(DISABLED) CONNAUTH(' ')",
        "REFRESH SECURITY TYPE(CONNAUTH)",
    ]
    for family in FAMILIES:
        for number in range(1, min(family.numbers, most) + 1):
            name = queue_name(family.name, number)
            more = family.attributes.format(n=f"{number:02}")
            lines.append(f"DEFINE QLOCAL({name}) REPLACE {_DEEP} {more}".rstrip())
    lines += topics.script(most)
    for name, sharing in CHANNELS:
        lines.append(
            f"DEFINE CHANNEL({name}) CHLTYPE(SVRCONN) REPLACE SHARECNV({sharing})"
            " MAXINST(999999999) MAXINSTC(999999999)"
        )
    tcp = "TRPTYPE(TCP) IPADDR('127.0.0.1') CONTROL(QMGR) REPLACE"
    lines.append(f"DEFINE LISTENER({LISTENER}) {tcp}")
    return "\n".join(lines) + "\n"
