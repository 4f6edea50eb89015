"""Long random walks over the rules of the state machine, weighted so that queues get deep.

Hypothesis draws short and simple examples, which shrink well but seldom fill a log while a unit of
work is open. A walk is a list of steps made from a seed; one that fails is cut down to the steps it
needs before it is shown, ready to be pasted into a test.

    python -m tests.model.walk SEEDS LENGTH [FIRST]

takes so many walks of that many steps, the first with the seed FIRST (0), and tells how far it is.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from ternmq.log.parameters import LINEAR
from tests.model.machine import CUTS, UNIT_ENDS, VerbsMachine
from tests.model.reference import SELECTORS
from tests.model.stage import IDS, LOOKS, NAMES

Arguments = dict[str, Any]


class LinearMachine(VerbsMachine):
    """The same with a linear log in two copies."""

    log_kind = LINEAR


@dataclass(frozen=True)
class Step:
    """One rule and its arguments."""

    rule: str
    arguments: Arguments

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"state.{self.rule}({given})"


def _where(random: Random) -> Arguments:
    return {"number": random.randrange(3), "name": random.choice(NAMES)}


def _want(random: Random) -> tuple[str, int]:
    kinds = ("any", "any", "msg_id", "correl_id", "both", "token", "strange")
    return random.choice(kinds), random.randrange(40)


def _selector(random: Random) -> str:
    """Three of five handles see every message."""
    return random.choice(list(SELECTORS)) if random.random() < 0.5 else ""


def _put(random: Random) -> Arguments:
    return {
        "size": random.choice((8, 500, 5_000, 15_000, 30_000)),
        "priority": random.choice((None, None, 0, 5, 9)),
        "persistent": random.random() < 0.6,
        "expiry": random.choice((None, None, None, 1, 20)),
        "msg_id": random.choice((None, None, *IDS)),
        "correl_id": random.choice((None, *IDS)),
        "syncpoint": random.random() < 0.5,
        "look": random.randrange(len(LOOKS)),
    }


def _put_many(random: Random) -> Arguments:
    return {
        "count": random.randint(2, 40),
        "size": random.choice((1_000, 3_000, 6_000, 15_000)),
        "levels": random.choice((1, 1, 1, 2)),
        "persistent": random.choice(("all", "none", "some", "some")),
        "ids": random.choice((None, None, None, *IDS)),
        "syncpoint": random.random() < 0.4,
        "has_properties": random.random() < 0.5,
    }


def _put_some(random: Random) -> Arguments:
    return {
        "count": random.randint(2, 8),
        "size": random.choice((8, 500, 5_000, 15_000, 30_000)),
        "lasting": random.random() < 0.5,
    }


def _get(random: Random) -> Arguments:
    return {
        "want": _want(random),
        "count": random.choice((1, 1, 3, 9)),
        "point": random.choice(("in", "out", "if persistent")),
        "short": random.choice(("", "", "", "cut", "accept")),
        "selector": _selector(random),
    }


def _get_many(random: Random) -> Arguments:
    return {
        "count": random.randint(1, 40),
        "inside": random.random() < 0.6,
        "selector": _selector(random),
    }


def _get_middle(random: Random) -> Arguments:
    return {
        "places": [random.randrange(60) for _ in range(random.randint(1, 8))],
        "by": random.choice(("msg_id", "msg_id", "correl_id", "token")),
    }


def _browse(random: Random) -> Arguments:
    return {
        "count": random.choice((1, 2, 5, 30)),
        "first": random.random() < 0.3,
        "want": random.choice((("any", 0), _want(random))),
        "lock": random.random() < 0.3,
        "selector": _selector(random),
    }


def _at_cursor(random: Random) -> Arguments:
    return {
        "what": random.choice(("browse", "get", "get", "unlock")),
        "option": random.random() < 0.5,
        "selector": _selector(random),
    }


def _administer(random: Random) -> Arguments:
    kinds = ("inhibit", "allow", "allow", "close", "close", "idle", "idle", "clear", "delete")
    return {
        "what": random.choice(kinds),
        "one": random.random() < 0.5,
        "two": random.random() < 0.5,
        "max_depth": random.choice((20, 200, 200)),
    }


def _nowhere(random: Random) -> Arguments:
    return {}


RULES: dict[str, tuple[int, bool, Callable[[Random], Arguments]]] = {
    # rule: weight, whether it has a connection and a queue, the other arguments
    "put": (8, True, _put),
    "put_many": (8, True, _put_many),
    "put_some": (4, True, _put_some),
    "get": (8, True, _get),
    "get_many": (5, True, _get_many),
    "get_from_the_middle": (8, True, _get_middle),
    "browse_some": (7, True, _browse),
    "at_cursor": (4, True, _at_cursor),
    "administer": (4, True, _administer),
}


def _other_step(random: Random) -> Step:
    number = random.randrange(3)
    kind = random.choice(("unit",) * 12 + ("phases",) * 4 + ("background",) * 14 + ("end",) * 3)
    if kind == "unit":
        if random.random() < 0.4:
            return Step("undo", {"number": number})
        return Step("end_unit", {"number": number, "what": random.choice(UNIT_ENDS)})
    if kind == "phases":
        what = random.choice(("prepare", "prepare", "commit", "back out"))
        return Step("two_phases", {"number": number, "xid": random.randrange(4), "what": what})
    if kind == "background":
        works = (
            "run",
            "run",
            "run",
            "settle",
            "checkpoint",
            "full",
            "time",
            "scan",
            "sweep",
            "sweep",
        )
        return Step("background", {"what": random.choice(works), "count": random.randint(1, 4)})
    what = random.choice(("stop", "crash", *(f"cut {cut}" for cut in CUTS)))
    return Step("end", {"what": what, "budget": random.randrange(30), **_where(random)})


def make_walk(seed: int, length: int) -> list[Step]:
    """The steps of a seed."""
    random = Random(seed)
    weights = [row[0] for row in RULES.values()]
    steps = [Step("create", {"pages": random.choice((16, 32, 64))})]
    for _ in range(length):
        if random.random() < 0.35:
            steps.append(_other_step(random))
            continue
        rule = random.choices(list(RULES), weights)[0]
        steps.append(Step(rule, {**_where(random), **RULES[rule][2](random)}))
    return steps


def play(
    kind: type[VerbsMachine], steps: list[Step], notes: Counter[str] | None = None
) -> Exception | None:
    """Take the steps on a new machine; what went wrong, if anything did."""
    machine = kind()
    try:
        for step in steps:
            getattr(machine, step.rule)(**step.arguments)
            machine.everything_is_sound()
        machine.teardown()
    except Exception as error:
        return error
    if notes is not None:
        notes.update(machine.notes)
    return None


def shorten(kind: type[VerbsMachine], steps: list[Step], error: Exception) -> list[Step]:
    """Leave out what the failure does not need."""

    def fails(some: list[Step]) -> bool:
        found = play(kind, some)
        return found is not None and type(found) is type(error)

    size = len(steps) // 2
    while size:
        at = 1
        while at < len(steps):
            fewer = steps[:at] + steps[at + size :]
            if fails(fewer):
                steps = fewer
            else:
                at += size
        size //= 2
    return steps


def show(steps: list[Step]) -> str:
    """The steps as a test would write them."""
    return "\n".join(str(step) for step in steps)


def kind_of(seed: int) -> type[VerbsMachine]:
    """Every fourth walk has a linear log."""
    return LinearMachine if seed % 4 == 3 else VerbsMachine


class Failure(Exception):
    """A walk whose end is not the model's: its seed, and what remains of its steps."""

    def __init__(self, seed: int, length: int, error: Exception) -> None:
        kind = kind_of(seed)
        steps = shorten(kind, make_walk(seed, length), error)
        super().__init__(
            f"seed {seed}: {type(error).__name__}: {error}\n"
            f"again: TERNMQ_PURE=1 PYTHONPATH=src python -m tests.model.walk 1 {length} {seed}\n"
            f"state = {kind.__name__}()\n{show(steps)}"
        )


def walk_seeds(first: int, count: int, length: int, notes: Counter[str]) -> Iterator[int]:
    """Take the walks of so many seeds, each yielded when it is done; Failure for the first that
    goes wrong. `notes` counts what happened on the way."""
    for seed in range(first, first + count):
        error = play(kind_of(seed), make_walk(seed, length), notes)
        if error is not None:
            raise Failure(seed, length, error) from error
        yield seed


def main(arguments: list[str]) -> int:
    """The command."""
    count, length, *rest = (int(one) for one in arguments)
    first = rest[0] if rest else 0
    notes: Counter[str] = Counter()
    done = 0
    try:
        for _ in walk_seeds(first, count, length, notes):
            done += 1
            sys.stderr.write(f"\r{done} of {count} walks of {length} steps")
            sys.stderr.flush()
    except Failure as failure:
        sys.stderr.write("\n")
        sys.stdout.write(f"{failure}\n")
        return 1
    sys.stderr.write("\n")
    sys.stdout.write(f"{done} walks of {length} steps, seeds {first} to {first + count - 1}\n")
    for what, times in sorted(notes.items()):
        sys.stdout.write(f"{times:>9} {what}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
