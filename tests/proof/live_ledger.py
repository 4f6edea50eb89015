"""Reads what `live_child` told, and says what a restart may find: everything that was answered, and
the one change that was under way either whole or not at all."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import ternmq
from ternmq.base.reasons import MQRC_CONNECTION_BROKEN

Queues = dict[str, list[str]]


@dataclass
class Reported:
    """What one life of the child said."""

    possible: list[Queues]
    answered: int = 0
    refused: list[int] = field(default_factory=list)
    refused_then_answered: bool = False  # after the queue manager had broken down
    started: bool = False
    ended: bool = False


def changed(queues: Queues, changes: list[list[str]]) -> Queues:
    after = {name: list(names) for name, names in queues.items()}
    for change in changes:
        if change[0] == "put":
            after[change[1]].append(change[2])
        elif after[change[1]]:
            del after[change[1]][0]
    return after


def read(output: str, before: Queues) -> Reported:
    reported = Reported([before])
    sure = before
    under_way: list[list[str]] | None = None
    broken = False
    for line in output.split("\n")[:-1]:
        kind, _, rest = line.partition(" ")
        if kind == "T" and not broken:
            under_way = json.loads(rest)
        elif kind == "A":
            reported.refused_then_answered = reported.refused_then_answered or broken
            sure, under_way = changed(sure, under_way or []), None
            reported.answered += 1
        elif kind == "R":
            reported.refused.append(json.loads(rest))
            # What was under way when the queue manager broke down may have happened.
            broken = broken or reported.refused[-1] == MQRC_CONNECTION_BROKEN
            under_way = under_way if broken else None
        reported.started = reported.started or kind == "S"
        reported.ended = reported.ended or kind == "E"
    reported.possible = [sure] if under_way is None else [sure, changed(sure, under_way)]
    return reported


def found(data: Path) -> Queues:
    """What a restart finds, browsed and then got."""
    queues: Queues = {}
    with ternmq.embedded(data, "QM1") as qmgr:
        for name in ("A", "B"):
            with qmgr.queue(name) as queue:
                browsed = [bytes(one.data).partition(b" ")[0].decode() for one in queue.browse()]
                assert queue.depth == len(browsed), f"{name}: depth {queue.depth}, {len(browsed)}"
                got = [bytes(one.data).partition(b" ")[0].decode() for one in queue]
                assert got == browsed, f"{name}: got {got}, browsed {browsed}"
                queues[name] = got
    return queues


def template(data: Path) -> Queues:
    """A queue manager with some messages, cleanly stopped; what is on it."""
    begin: Queues = {"A": [], "B": []}
    with ternmq.embedded(
        data, "QM1", create=True, log_primary_files=3, log_secondary_files=2, log_file_pages=16
    ) as qmgr:
        for name in begin:
            qmgr.define_queue(name, persistent_buffer=1 << 16, nonpersistent_buffer=1 << 16)
            with qmgr.queue(name) as queue:
                for number in range(12):
                    message = f"old{name}{number}"
                    queue.put(f"{message} ".encode() + bytes(8_000), persistent=True)
                    begin[name].append(message)
    return begin
