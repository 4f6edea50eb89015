"""G17: a message channel between two real processes, in network namespaces of their own where this
is allowed: its connection is cut, reset, stalled or cut inside a frame, its link taken down, an end
stopped for a while or killed, each at a step of the protocol that the proxy between them sees.
Afterwards every message has arrived, once and in order, and nothing is in doubt.
"""

from __future__ import annotations

import atexit
import functools
import signal
from collections.abc import Callable, Iterator
from functools import partial
from threading import Thread
from typing import Final

from ternmq.testing.proxy import CUT, PASS, RESET, STALL, TO_CLIENT, TO_SERVER
from ternmq.wire.fap.vocabulary import (
    CONFIRM_REQUEST,
    HEARTBEAT,
    INITIAL_DATA,
    MESSAGE_DATA,
    REQUEST_ACCEPTED,
    RESYNC_DATA,
    STATUS_DATA,
)
from tests.proof.channel_pair import RECEIVER, SENDER, Pair, until
from tests.proof.goal import Goal, Point, mine

MESSAGES: Final = 25
# Direction, type and flags of the frame of a step.
STEPS: Final[dict[str, tuple[int, int, int]]] = {
    "negotiate": (TO_SERVER, INITIAL_DATA, 0),
    "negotiated": (TO_CLIENT, INITIAL_DATA, 0),
    "resync": (TO_SERVER, RESYNC_DATA, 0),
    "resync answer": (TO_CLIENT, RESYNC_DATA, 0),
    "send": (TO_SERVER, MESSAGE_DATA, 0),
    "request confirm": (TO_SERVER, STATUS_DATA, CONFIRM_REQUEST),
    "confirm": (TO_CLIENT, STATUS_DATA, REQUEST_ACCEPTED),
    "heartbeat": (TO_SERVER, HEARTBEAT, 0),
}
AT_START: Final = ("negotiate", "negotiated", "resync", "resync answer")
FAULTS: Final = (
    "cut", "reset", "stall", "cut inside", "receiver killed", "sender killed",
    "receiver paused", "sender paused", "link down",
)  # fmt: skip
DAILY: Final = (
    ("request confirm", "cut"),
    ("confirm", "reset"),
    ("send", "cut inside"),
    ("confirm", "receiver killed"),
    ("request confirm", "sender killed"),
    ("request confirm", "receiver paused"),
)


@functools.cache
def pair() -> Pair:
    """Made once in a process, and used by all of its runs."""
    made = Pair()
    atexit.register(made.close)
    made.begin()
    return made


def channel_processes(tier: int, shard: int, shards: int) -> Iterator[Point]:
    chosen = DAILY if tier == 1 else tuple((step, fault) for step in STEPS for fault in FAULTS)
    rounds = {1: 1, 2: 1, 3: 3}[tier]
    for number, (step, fault) in enumerate(chosen * rounds):
        if mine(number, shard, shards):
            yield Point(f"{step}, {fault}", partial(play, step, fault))


def play(step: str, fault: str) -> str:
    here = pair()
    if fault == "link down" and here.spaces is None:
        return "not shown: no namespaces"
    here.put(3)
    here.converge()
    strike(here, step, fault)
    if step in AT_START:
        here.proxy.drop_all()
    # In a thread: an end that is stopped does not answer.
    application = Thread(target=here.put, args=(MESSAGES,), daemon=True)
    application.start()
    until(lambda: here.proxy.has_struck, f"{step}, {fault}")
    heal(here, fault, here.proxy.ended_before)
    application.join()
    here.converge()
    return fault


def strike(here: Pair, step: str, fault: str) -> None:
    """Set the fault."""
    direction, type, flags = STEPS[step]

    def chooses(way: int, head: bytes) -> bool:
        return way == direction and head[9] == type and head[10] & flags == flags

    kinds = {"cut": CUT, "reset": RESET, "stall": STALL, "cut inside": CUT}
    actions: dict[str, Callable[[], None]] = {
        "receiver killed": partial(here.kill, RECEIVER),
        "sender killed": partial(here.kill, SENDER),
        "receiver paused": partial(here.signal, RECEIVER, signal.SIGSTOP),
        "sender paused": partial(here.signal, SENDER, signal.SIGSTOP),
        "link down": lambda: here.spaces.link(RECEIVER, False) if here.spaces else None,
    }
    then = actions.get(fault)
    kind = kinds.get(fault, CUT if fault.endswith("killed") else PASS)
    here.proxy.break_when(chooses, kind, 20 if fault == "cut inside" else 0, then)


def heal(here: Pair, fault: str, ended: int) -> None:
    """Put right what the fault has left, once an end has noticed: so many connections had ended
    when it struck."""
    for name in (SENDER, RECEIVER):
        if name not in here.pids:
            here.start(name)
    if fault.endswith("paused"):
        until(lambda: here.proxy.ended > ended, "the other end gives up")  # 2 x HBINT
        here.signal(SENDER if fault.startswith("sender") else RECEIVER, signal.SIGCONT)
    if fault == "link down" and here.spaces is not None:
        until(lambda: here.proxy.ended > ended, "an end gives up")
        here.spaces.link(RECEIVER, True)
    here.begin()


GOAL = Goal(
    "G17",
    "a message channel between real processes: cut, reset, stalled, paused, killed at each step",
    ("P3",),
    shards={1: 1, 2: 2, 3: 2},
    needed={1: 6, 2: 60, 3: 200},
    points=channel_processes,
    unit="runs",
)
