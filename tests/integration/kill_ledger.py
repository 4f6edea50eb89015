"""Reads what the processes of the kill loop wrote, and says what was lost, duplicated or out of
order.

The lines of a life's thread:

    P name queue unit    about to put (unit 0: alone); name is putter:life:count:priority[:moved]
    + name               the put was acknowledged
    g name | g ?         about to get this message, or any, outside a unit
    - name | -           it was got; or there was none
    s name unit          got inside a unit
    o name unit          got inside the very unit that has put it
    C unit, K unit       about to commit; the commit was acknowledged
    R unit               about to back out, or backed out by the queue manager
    x reason             a verb was refused and did nothing
    I queue name         inventory at the start of a life, in browse order; E ends it
    D queue name         got in the final drain
    ! text               a fault

A verb in flight at the kill has an unknown outcome: its messages may be there or not, but a unit's
all alike.
"""

from collections import defaultdict
from pathlib import Path


class Unit:
    """What one unit of work did, and how it stood at the kill."""

    def __init__(self) -> None:
        self.puts: list[str] = []
        self.gets: list[str] = []
        self.state = "open"


class Thread:
    """The verbs of one thread of one life."""

    def __init__(self, lines: list[list[str]]) -> None:
        self.units: defaultdict[str, Unit] = defaultdict(Unit)
        self.puts: list[str] = []  # acknowledged, alone
        self.gets: list[str] = []  # the same
        self.intent: str | None = None  # of the put in flight
        self.getting: str | None = None  # of the get in flight
        self.order: list[str] = []  # got, whatever became of it
        self.queues: dict[str, str] = {}  # where each was put
        self.faults: list[str] = []
        self.refused = 0
        for words in lines:
            self.take(words[0], words[1:])

    def take_get(self, name: str, unit: Unit) -> None:
        """A get inside a unit; of a message that it has put itself nothing is left."""
        if name in unit.puts:
            unit.puts.remove(name)
        else:
            unit.gets.append(name)
            self.order.append(name)

    def take(self, kind: str, words: list[str]) -> None:
        if kind == "P":
            self.queues[words[0]] = words[1]
            if words[2] == "0":
                self.intent = words[0]
            else:
                self.units[words[2]].puts.append(words[0])
        elif kind == "+":
            self.intent = None
            self.puts.append(words[0])
        elif kind == "g":
            self.getting = words[0]
        elif kind == "-":
            self.getting = None
            if words:
                self.gets.append(words[0])
                self.order.append(words[0])
        elif kind in "so":
            self.take_get(words[0], self.units[words[1]])
        elif kind in "CKR":
            self.units[words[0]].state = {"C": "unknown", "K": "done", "R": "undone"}[kind]
        elif kind == "x":
            self.refused += 1
            self.intent = None
            self.getting = None
        else:
            self.faults.append(" ".join([kind, *words]))


class Ledger:
    """The whole loop. `faults` is what must stay empty."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.alive: set[str] = set()
        self.got: set[str] = set()
        self.queues: dict[str, str] = {}
        self.kills = 0
        self.acknowledged = 0
        self.unknown_puts = 0
        self.unknown_gets = 0
        self.refused = 0
        self.anonymous = 0  # gets in flight at this kill that may have got any message
        self.checkpoints = 0
        self.extents = 0
        self.lost: list[str] = []
        self.duplicated: list[str] = []
        self.unexpected: list[str] = []
        self.torn: list[str] = []
        self.reordered: list[str] = []
        self.other: list[str] = []

    # ---- reading --------------------------------------------------------------------------------

    def lines(self, name: str) -> list[list[str]]:
        path = self.folder / name
        if not path.exists():
            return []
        text = path.read_text("ascii")
        return [line.split() for line in text.split("\n")[:-1]]

    def inventory(self, life: str) -> dict[str, list[str]] | None:
        """The names on each queue in their order; None if the process did not get so far."""
        found: dict[str, list[str]] = {"0": [], "1": []}
        lines = self.lines(f"{life}.inventory")
        for words in lines:
            if words[0] == "I":
                found[words[1]].append(words[2])
            elif words[0] == "!":
                self.other.append(f"life {life}: {' '.join(words[1:])}")
            elif words[0] == "k":
                self.checkpoints += int(words[1]) > 0
                self.extents = max(self.extents, int(words[2]))
        return found if ["E"] in lines else None

    # ---- checking -------------------------------------------------------------------------------

    def life(self, life: str, after: dict[str, list[str]]) -> None:
        """Take in what one life did, and compare with what the next start found."""
        self.kills += 1
        roles = [f"{kind}{number}" for kind in "pg" for number in range(4)]
        threads = [Thread(self.lines(f"{life}.{role}")) for role in roles]
        present = set(after["0"]) | set(after["1"])
        maybe_got: set[str] = set()
        self.anonymous = 0
        for thread in threads:
            self.other.extend(f"life {life}: {fault}" for fault in thread.faults)
            self.refused += thread.refused
            self.queues.update(thread.queues)
            self.acknowledge(thread.puts, thread.gets)
            for unit in thread.units.values():
                if unit.state == "done":
                    self.acknowledge(unit.puts, unit.gets)
                elif unit.state == "unknown":
                    maybe_got.update(unit.gets)
            if thread.getting == "?":
                self.anonymous += 1
            elif thread.getting is not None:
                maybe_got.add(thread.getting)
        for thread in threads:
            self.settle(life, thread, present, maybe_got)
        self.check_order(life, threads)
        missing = self.alive - present
        unnamed = missing - maybe_got
        self.unknown_gets += len(missing & maybe_got) + min(len(unnamed), self.anonymous)
        if len(unnamed) > self.anonymous:
            self.lost.extend(f"life {life}: {name}" for name in sorted(unnamed))
        self.duplicated.extend(f"life {life}: {name} is back" for name in present & self.got)
        self.unexpected.extend(f"life {life}: {name}" for name in present - self.alive - self.got)
        self.alive = present
        self.check_queues(life, after)

    def acknowledge(self, puts: list[str], gets: list[str]) -> None:
        self.acknowledged += len(puts)
        self.alive.update(name for name in puts if name not in self.got)
        for name in gets:
            if name in self.got:
                self.duplicated.append(f"{name} got twice")
            self.got.add(name)
            self.alive.discard(name)

    def settle(self, life: str, thread: Thread, present: set[str], maybe_got: set[str]) -> None:
        """Verbs whose outcome is unknown: what is there now says which it was."""
        if thread.intent is not None:
            self.unknown_puts += 1
            if thread.intent in present:
                self.alive.add(thread.intent)
        for number, unit in thread.units.items():
            if unit.state != "unknown":
                continue
            self.unknown_puts += len(unit.puts)
            # A message put by it may have been got before the kill, by a get that is known or not.
            absent = [name for name in unit.puts if name not in present and name not in self.got]
            gone = [name for name in unit.gets if name not in present]
            if len(absent) == len(unit.puts) and not gone:
                continue  # it did not happen
            unnamed = [name for name in absent if name not in maybe_got]
            if len(gone) < len(unit.gets) or len(unnamed) > self.anonymous:
                self.torn.append(f"life {life}: unit {number}: {unit.puts} {unit.gets}")
                continue
            self.anonymous -= len(unnamed)
            self.alive.update(name for name in unit.puts if name in present)
            self.unknown_gets += len(unit.gets) + len(absent)
            self.alive.difference_update(unit.gets)
            self.got.update(unit.gets)

    def check_order(self, life: str, threads: list[Thread]) -> None:
        """What one getter got of one putter and priority came in the order it was put; a
        message whose get was backed out may come late."""
        late = {
            name
            for thread in threads
            for unit in thread.units.values()
            if unit.state != "done"
            for name in unit.gets
        }
        for number, thread in enumerate(threads):
            if number == 6:
                continue  # gets by identifier, from the middle
            self.check_rising(f"life {life}", [name for name in thread.order if name not in late])

    def check_queues(self, life: str, after: dict[str, list[str]]) -> None:
        for queue in "01":
            self.check_rising(f"queue {queue} after life {life}", after[queue])
            if len(set(after[queue])) != len(after[queue]):
                self.duplicated.append(f"queue {queue} after life {life} has a message twice")

    def check_rising(self, where: str, names: list[str]) -> None:
        last: dict[tuple[str, str, str], tuple[int, int]] = {}
        for name in names:
            putter, life, count, priority = name.split(":")[:4]
            stream = (putter, priority, self.queues.get(name, "?"))
            place = (int(life), int(count))
            if last.get(stream, (-1, -1)) >= place:
                self.reordered.append(f"{where}: {name} after {last[stream]}")
            last[stream] = place

    def drained(self) -> None:
        """The final drain gets what the last inventory showed."""
        for queue in "01":
            names = [w[2] for w in self.lines("drain.inventory") if w[0] == "D" and w[1] == queue]
            self.check_rising(f"drain of queue {queue}", names)
            for name in names:
                if name in self.got:
                    self.duplicated.append(f"{name} got twice, the last time in the drain")
                elif name not in self.alive:
                    self.unexpected.append(f"{name} in the drain")
                self.got.add(name)
                self.alive.discard(name)
        self.lost.extend(f"{name} not in the drain" for name in sorted(self.alive))

    @property
    def faults(self) -> dict[str, list[str]]:
        kinds = {
            "lost": self.lost,
            "duplicated": self.duplicated,
            "unexpected": self.unexpected,
            "half done": self.torn,
            "reordered": self.reordered,
            "other": self.other,
        }
        return {kind: found[:10] for kind, found in kinds.items() if found}

    def summary(self) -> str:
        return (
            f"kills {self.kills}, acknowledged puts {self.acknowledged}, got {len(self.got)}, "
            f"unknown puts {self.unknown_puts}, unknown gets that happened {self.unknown_gets}, "
            f"refused {self.refused}, lives with a checkpoint {self.checkpoints}, "
            f"lost {len(self.lost)}, duplicated {len(self.duplicated)}, "
            f"reordered {len(self.reordered)}"
        )
