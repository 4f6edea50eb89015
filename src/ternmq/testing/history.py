"""What clients did, how they were answered, and what became of their messages.

A client notes each put and get before it asks (attempted), and how it was answered: acknowledged,
refused, or not at all (unknown: the machine stopped, the connection was lost). Inside a unit of
work the answer to the commit decides for all. `check` then accounts for every message: by a
committed get, by what the final drain found, or by an unknown get that may have taken it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

ATTEMPTED: Final = "attempted"
ACKNOWLEDGED: Final = "acknowledged"
REFUSED: Final = "refused"
UNKNOWN: Final = "unknown"
BACKED_OUT: Final = "backed out"


@dataclass
class Deed:
    """One put or get of one message."""

    client: str
    name: str  # of the message; empty for a get whose message was not seen
    queue: str
    stream: str  # messages of one stream are in order: client, queue, priority
    number: int  # the place in the stream
    state: str = ATTEMPTED


@dataclass
class Report:
    """The account. Whatever is wrong has a line in `faults`."""

    attempted: int = 0
    acknowledged: int = 0
    ok: int = 0  # got once
    recovered: int = 0  # unknown, but it happened
    lost: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    reordered: list[str] = field(default_factory=list)
    gone: int = 0  # acknowledged and not there, as may be
    unaccounted: int = 0  # acknowledged and not there, but a get with no answer may have taken it

    @property
    def faults(self) -> list[str]:
        return [
            *(f"lost: {one}" for one in self.lost),
            *(f"duplicated: {one}" for one in self.duplicated),
            *(f"unexpected: {one}" for one in self.unexpected),
            *(f"reordered: {one}" for one in self.reordered),
        ]

    def counts(self) -> dict[str, int]:
        """For tables and files."""
        return {
            "attempted": self.attempted,
            "acknowledged": self.acknowledged,
            "ok": self.ok,
            "lost": len(self.lost),
            "duplicated": len(self.duplicated),
            "unexpected": len(self.unexpected),
            "recovered": self.recovered,
            "reordered": len(self.reordered),
        }

    def __str__(self) -> str:
        return ", ".join(f"{name} {count}" for name, count in self.counts().items())


class History:
    """What all clients did."""

    def __init__(self) -> None:
        self.puts: dict[str, Deed] = {}
        self.gets: list[Deed] = []
        self.drained: list[tuple[str, str]] = []  # queue and name, in order
        self._units: defaultdict[str, list[Deed]] = defaultdict(list)

    # ---- what clients note

    def putting(self, client: str, name: str, queue: str, stream: str, number: int) -> Deed:
        """A put is about to be asked for."""
        if name in self.puts:
            raise ValueError(f"{name} is put twice by the test itself")
        deed = Deed(client, name, queue, stream, number)
        self.puts[name] = deed
        return deed

    def getting(self, client: str, queue: str) -> Deed:
        """A get is about to be asked for; its name comes with the answer."""
        deed = Deed(client, "", queue, "", 0)
        self.gets.append(deed)
        return deed

    def answered(self, deed: Deed, state: str, name: str = "") -> None:
        """How one deed outside a unit of work was answered."""
        deed.state = state
        if name:
            deed.name = name

    def in_unit(self, deed: Deed, name: str = "") -> None:
        """A deed inside the unit of work of its client, whose end decides."""
        if name:
            deed.name = name
        self._units[deed.client].append(deed)

    def unit_ended(self, client: str, state: str) -> None:
        """How the unit of work of a client ended."""
        for deed in self._units.pop(client, []):
            deed.state = state

    def drain(self, queue: str, names: list[str]) -> None:
        """What was left at the end, in the order it was got."""
        self.drained += [(queue, name) for name in names]

    # ---- the account

    def check(self, may_be_lost: Callable[[str], bool] | None = None) -> Report:
        """Account for every message; of some it is known that they may be lost."""
        report = Report()
        report.attempted = len(self.puts)
        report.acknowledged = sum(put.state == ACKNOWLEDGED for put in self.puts.values())
        taken = Counter(get.name for get in self.gets if get.name and get.state == ACKNOWLEDGED)
        left = Counter(name for _, name in self.drained)
        maybe = {get.name for get in self.gets if get.name and get.state == UNKNOWN}
        nameless = sum(1 for get in self.gets if not get.name and get.state == UNKNOWN)
        missing: list[str] = []
        for name, put in self.puts.items():
            seen = taken[name] + left[name]
            if seen > 1:
                report.duplicated.append(f"{name}: got {taken[name]} times, {left[name]} left")
            if seen:
                self._seen(report, put)
            elif put.state == ACKNOWLEDGED and name not in maybe:
                if may_be_lost is not None and may_be_lost(name):
                    report.gone += 1
                    continue
                missing.append(f"{name} on {put.queue}")
        # Each get that was never answered may have taken one message that was not seen since.
        report.unaccounted = min(nameless, len(missing))
        report.lost = missing[report.unaccounted :]
        strange = [name for name in [*taken, *left] if name not in self.puts]
        report.unexpected += [f"{name}: no client put it" for name in sorted(set(strange))]
        self._check_order(report)
        return report

    def _seen(self, report: Report, put: Deed) -> None:
        report.ok += 1
        if put.state in (UNKNOWN, ATTEMPTED):
            report.recovered += 1
        elif put.state != ACKNOWLEDGED:
            report.unexpected.append(f"{put.name}: its put was {put.state}")

    def _check_order(self, report: Report) -> None:
        """Each getter, and the drain of each queue, sees a stream in order, but for messages that
        were got before and came back."""
        came_back = {g.name for g in self.gets if g.state in (BACKED_OUT, UNKNOWN, ATTEMPTED)}
        seen: dict[str, list[str]] = defaultdict(list)
        for get in self.gets:
            if get.state == ACKNOWLEDGED:
                seen[f"{get.client} from {get.queue}"].append(get.name)
        for queue, name in self.drained:
            seen[f"drain of {queue}"].append(name)
        for where, names in seen.items():
            last: dict[str, Deed] = {}
            for name in names:
                put = self.puts.get(name)
                if put is None or name in came_back:
                    continue
                before = last.get(put.stream)
                if before is not None and before.number > put.number:
                    report.reordered.append(f"{where}: {name} after {before.name}")
                else:
                    last[put.stream] = put
