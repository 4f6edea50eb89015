"""START, STOP and DISPLAY TRACE of statistics and accounting, SET and DISPLAY SYSTEM, RESET QMGR
TYPE(STATISTICS).

As on z/OS, where these commands are from, what they change lasts until the queue manager ends; what
is to be on from the start stands in qm.ini. An interval is written MMMM.SS, minutes and seconds, or
MMMM; what SET SYSTEM sets holds from the next interval on, and DISPLAY SYSTEM shows both.
"""

from __future__ import annotations

import re
from typing import Final, final

from ternmq.admin.commands.work import not_here
from ternmq.admin.execution import Execution
from ternmq.admin.status.status_display import StatusDisplay, Values
from ternmq.base.command_reasons import MQRCCF_ATTR_VALUE_ERROR, MQRCCF_COMMAND_FAILED
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.meter import (
    ACCTG,
    AS_STATISTICS,
    DEFAULT_CLASSES,
    DESTINATIONS,
    INTERVAL_MAX_S,
    STAT,
    TRACE_CLASSES,
    Trace,
)

KINDS: Final[dict[str, str]] = {"STAT": STAT, "S": STAT, "ACCTG": ACCTG, "A": ACCTG}
_INTERVAL: Final = re.compile(r"(\d{1,4})(?:\.(\d\d))?")
INITIAL: Final = "INITIAL"
CURRENT: Final = "CURRENT"
SET: Final = "SET"


def interval_seconds(text: str) -> int | None:
    """MMMM.SS as seconds; None if it is not valid. 0 is valid."""
    found = _INTERVAL.fullmatch(text)
    if found is None:
        return None
    seconds = int(found[2] or 0)
    total = int(found[1]) * 60 + seconds
    return total if seconds < 60 and total <= INTERVAL_MAX_S else None


def interval_text(seconds: int) -> str:
    """The reverse of that; -1 stays."""
    if seconds < 0:
        return str(seconds)
    minutes, rest = divmod(seconds, 60)
    return f"{minutes}.{rest:02d}" if rest else str(minutes)


def classes_of(kind: str, text: str) -> tuple[int, ...] | None:
    """CLASS(1,3), CLASS(1:5), CLASS(*); None if this kind of trace lacks one of them."""
    known = TRACE_CLASSES[kind]
    if text == "*":
        return known
    found: set[int] = set()
    for part in text.replace(",", " ").split():
        first, colon, last = part.partition(":")
        if not first.isdecimal() or (colon and not last.isdecimal()):
            return None
        numbers = range(int(first), int(last if colon else first) + 1)
        chosen = [one for one in known if one in numbers]
        if not chosen or (not colon and len(chosen) != 1):
            return None
        found.update(chosen)
    return tuple(sorted(found)) or None


class TraceCommand(Execution):
    """What the commands about traces have in common."""

    def kind(self) -> str:
        """STAT or ACCTG; "" for another."""
        return KINDS.get(self.command.name.upper(), "")

    def wrong(self, keyword: str, value: str, why: str) -> bool:
        """A value that is not valid."""
        return self.refuse("AMQ8977E", keyword, value, why, reason=MQRCCF_ATTR_VALUE_ERROR)

    def wrong_kind(self) -> bool:
        """A kind of trace that is not one of `KINDS`."""
        return self.wrong("TRACE", self.command.name, "it is STAT or ACCTG; see also strmqtrc")

    def wrong_destination(self) -> bool:
        """DEST names something that is not here."""
        wanted = self.command.given.get("DEST", DESTINATIONS[0]).replace(",", " ").split()
        if all(one in DESTINATIONS for one in wanted):
            return False
        return self.wrong("DEST", " ".join(wanted), "statistics and accounting go to SMF")


@final
class StartTrace(TraceCommand):
    """START TRACE."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        kind = self.kind()
        given = self.command.given
        if not kind:
            return self.wrong_kind()
        if self.wrong_destination():
            return True
        classes: tuple[int, ...] | None = DEFAULT_CLASSES[kind]
        if "CLASS" in given:
            classes = classes_of(kind, given["CLASS"])
        if classes is None:
            known = ", ".join(str(one) for one in TRACE_CLASSES[kind])
            return self.wrong("CLASS", given["CLASS"], f"a trace of {kind} has classes {known}")
        trace = kernel.meter.system.start(kind, classes, given.get("COMMENT", ""))
        if trace is None:
            return self.refuse("AMQ8978E", reason=MQRCCF_COMMAND_FAILED)
        kernel.measure()
        return self.succeed(f"{trace.number:02d}", kind)


def _chosen(kernel: Kernel, kind: str, given: dict[str, str]) -> list[Trace] | None:
    """The traces that a command is about; None if TNO or CLASS is not valid."""
    traces = list(kernel.meter.system.traces.values())
    if kind:
        traces = [one for one in traces if one.kind == kind]
    numbers = given.get("TNO", "*")
    if numbers != "*":
        wanted = numbers.replace(",", " ").split()
        if not all(one.isdecimal() for one in wanted):
            return None
        traces = [one for one in traces if one.number in [int(number) for number in wanted]]
    if kind and given.get("CLASS", "*") != "*":
        classes = classes_of(kind, given["CLASS"])
        if classes is None:
            return None
        traces = [one for one in traces if set(classes) <= set(one.classes)]
    return traces


@final
class StopTrace(TraceCommand):
    """STOP TRACE: those that fit, with CLASS only these classes of them."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        given = self.command.given
        kind = self.kind()
        if not kind and self.command.name != "*":
            return self.wrong_kind()
        if self.wrong_destination():
            return True
        chosen = _chosen(kernel, kind, given)
        if chosen is None:
            return self.wrong("CLASS", given.get("CLASS", ""), "the trace has no such class or TNO")
        if not chosen:
            return self.refuse("AMQ8974E", self.command.name, reason=MQRCCF_COMMAND_FAILED)
        going = classes_of(kind, given["CLASS"]) if kind and "CLASS" in given else None
        for trace in chosen:
            left = tuple(one for one in trace.classes if going and one not in going)
            trace.classes = left
            if not left:
                kernel.meter.system.traces.pop(trace.number, None)
        kernel.measure()
        return self.succeed(", ".join(f"{one.number:02d}" for one in chosen))


@final
class DisplayTrace(StatusDisplay):
    """DISPLAY TRACE."""

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        kind = KINDS.get(self.command.name.upper(), "")
        if not kind and self.command.name != "*":
            return []
        chosen = _chosen(kernel, kind, self.command.given) or []
        return [str(one.number) for one in chosen]

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        trace = kernel.meter.system.traces.get(int(subject))
        if trace is None:
            return []
        classes = ",".join(str(one) for one in trace.classes)
        destinations = kernel.meter.sink.destinations_shown()
        values: Values = {
            "TRACE": trace.kind,
            "TNO": trace.number,
            "CLASS": classes,
            "DEST": trace.destination,
            "COMMENT": trace.comment,
            "SMFDEST": ",".join(name for name, _ in destinations),
            "SMFLOST": sum(lost for _, lost in destinations),
        }
        return [values]


@final
class SetSystem(TraceCommand):
    """SET SYSTEM: STATIME and ACCTIME, from the next interval on; DEFAULT: as they began."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        given = self.command.given
        if "DEFAULT" in given:
            if len(given) > 1:
                return self.wrong("DEFAULT", "", "it stands alone")
            system = kernel.meter.system
            system.statistics_next_s = system.statistics_initial_s
            system.accounting_next_s = system.accounting_initial_s
            kernel.meter.sink.settings_changed()
            return self.succeed()
        statistics_s = self._asked("STATIME")
        accounting_s = self._asked("ACCTIME")
        for keyword, seconds in (("STATIME", statistics_s), ("ACCTIME", accounting_s)):
            if keyword in given and seconds is None:
                why = "it is MMMM.SS, from 0.01 to 1440, or 0"
                return self.wrong(keyword, given[keyword], why)
        system = kernel.meter.system
        if statistics_s is not None:
            system.statistics_next_s = statistics_s
        if accounting_s is not None:
            system.accounting_next_s = accounting_s
        kernel.meter.sink.settings_changed()
        return self.succeed()

    def _asked(self, keyword: str) -> int | None:
        text = self.command.given.get(keyword)
        if text is None:
            return None
        if keyword == "ACCTIME" and text == "-1":
            return AS_STATISTICS
        return interval_seconds(text)


@final
class DisplaySystem(StatusDisplay):
    """DISPLAY SYSTEM: as it began, as it is, and as it will be where that is something else."""

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        system = kernel.meter.system
        kinds = [INITIAL, CURRENT]
        if (system.statistics_next_s, system.accounting_next_s) != (
            system.statistics_s,
            system.accounting_s,
        ):
            kinds.append(SET)
        return kinds

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        system = kernel.meter.system
        seconds = {
            INITIAL: (system.statistics_initial_s, system.accounting_initial_s),
            CURRENT: (system.statistics_s, system.accounting_s),
            SET: (system.statistics_next_s, system.accounting_next_s),
        }[subject]
        values: Values = {
            "SYSTEM": subject,
            "ACCTIME": interval_text(seconds[1]),
            "STATIME": interval_text(seconds[0]),
        }
        if subject == CURRENT:
            for keyword, kind in (("SMFACCT", ACCTG), ("SMFSTAT", STAT)):
                numbers = sorted(system.classes(kind))
                values[keyword] = ",".join(str(one) for one in numbers) or "NO"
        return [values]


@final
class ResetQueueManager(Execution):
    """RESET QMGR: statistics are written now; the rest is not there."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        if self.command.given["TYPE"] != "STATISTICS":
            return not_here(self)
        kernel.meter.sink.end_statistics()
        return self.succeed()
