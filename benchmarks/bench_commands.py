"""A queue manager with 10,000 queues (1,000 with --quick): how long it takes to start, and to show
them all.

Goals: 3 s each. Baselines: the start of one with the objects that every queue manager has, and
packing and unpacking the attributes of as many queues as JSON.
"""

from __future__ import annotations

import json
from pathlib import Path

import ternmq
from benchmarks.contest import Contest, timed
from benchmarks.figures import AT_MOST, Figure, Goal, Settings

GOAL = Goal(AT_MOST, 3.0)


def start(folder: Path) -> None:
    """Up, and down again without waiting for anything."""
    ternmq.embedded(folder, "BENCH").close()


def filled(folder: Path, count: int) -> float:
    """Define the queues; seconds."""
    with ternmq.embedded(folder, "BENCH", create=True) as qmgr:
        begun = timed(lambda: define(qmgr, count))
    return begun


def define(qmgr: ternmq.QueueManager, count: int) -> None:
    text = "\n".join(
        f"DEFINE QLOCAL(APP.QUEUE.{number}) DESCR('{number}')" for number in range(count)
    )
    wrong = [answer for answer in qmgr.mqsc(text) if answer.reason]
    if wrong:
        raise RuntimeError(f"{len(wrong)} were refused: {wrong[0].message}")


def show_all(qmgr: ternmq.QueueManager, count: int) -> None:
    answers = qmgr.mqsc("DISPLAY QLOCAL(APP.*) ALL")
    if len(answers) != count:
        raise RuntimeError(f"{len(answers)} queues instead of {count}")


def run(settings: Settings) -> list[Figure]:
    """Seconds."""
    count = settings.scaled(10_000, 1_000)
    many, few = settings.place("commands-many"), settings.place("commands-few")
    defined = filled(many, count)
    filled(few, 0)
    starts = Contest(
        {"many": lambda: timed(lambda: start(many)), "few": lambda: timed(lambda: start(few))}
    )
    starts.run(settings.few)
    with ternmq.embedded(many, "BENCH") as qmgr:
        values = qmgr.attributes("APP.QUEUE.1")
        shows = Contest(
            {
                "show": lambda: timed(lambda: show_all(qmgr, count)),
                "json": lambda: timed(
                    lambda: [json.loads(json.dumps(values)) for _ in range(count)]
                ),
            }
        ).run(settings.few)
    note = f"{count:,} queues"
    return [
        Figure(
            "start and clean stop", starts.value("many"), "s", "no queues of one's own",
            starts.value("few"), starts.ratio("many", "few"), GOAL, note,
        ),
        Figure(
            "DISPLAY QLOCAL(*) ALL", shows.value("show"), "s", "JSON of them",
            shows.value("json"), shows.ratio("show", "json"), GOAL, note,
        ),
        Figure("DEFINE QLOCAL, each forced", count / defined, "commands/s", note="one caller"),
    ]  # fmt: skip
