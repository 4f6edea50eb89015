"""What qm.ini says about measurement from the start: the stanza SystemParameters, with the names
that the system parameter module of MQ for z/OS has.

    SystemParameters:
       STATIME=0.30        minutes and seconds of a statistics interval
       ACCTIME=-1          of an accounting interval; -1: as STATIME
       SMFSTAT=1,5         statistics classes that are on; YES is class 1, * is 1 to 3, NO: no class
       SMFACCT=1,3         accounting classes that are on; * is 1 and 3
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ternmq.admin.commands.trace_commands import classes_of, interval_seconds
from ternmq.base.ini import IniError, IniFile, Stanza
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.meter import (
    ACCTG,
    ALL_CLASSES,
    AS_STATISTICS,
    DEFAULT_CLASSES,
    STAT,
    STATIME_DEFAULT_S,
)

STANZA: Final = "SystemParameters"


@dataclass
class SystemParameters:
    """As if qm.ini said nothing."""

    statistics_s: int = STATIME_DEFAULT_S
    accounting_s: int = AS_STATISTICS
    statistics: tuple[int, ...] = ()
    accounting: tuple[int, ...] = ()

    def apply(self, kernel: Kernel) -> None:
        """With the engine's lock."""
        system = kernel.meter.system
        system.begin_with(self.statistics_s, self.accounting_s)
        for kind, classes in ((STAT, self.statistics), (ACCTG, self.accounting)):
            if classes:
                system.start(kind, classes)
        kernel.measure()


def system_parameters(ini: IniFile) -> SystemParameters:
    """The parameters of a queue manager; IniError says which value is invalid."""
    made = SystemParameters()
    stanza = ini.first(STANZA)
    if stanza is None:
        return made
    text = stanza.get("STATIME")
    if text:
        made.statistics_s = _interval(ini, stanza, "STATIME", text)
    text = stanza.get("ACCTIME")
    if text and text != str(AS_STATISTICS):
        made.accounting_s = _interval(ini, stanza, "ACCTIME", text)
    made.statistics = _classes(ini, stanza, "SMFSTAT", STAT)
    made.accounting = _classes(ini, stanza, "SMFACCT", ACCTG)
    return made


def _interval(ini: IniFile, stanza: Stanza, name: str, text: str) -> int:
    seconds = interval_seconds(text)
    if seconds is None:
        why = f"{name} of stanza {STANZA} is MMMM.SS, from 0.01 to 1440, or 0, not {text}"
        raise IniError(ini.file, stanza.line_of(name), why)
    return seconds


def _classes(ini: IniFile, stanza: Stanza, name: str, kind: str) -> tuple[int, ...]:
    text = stanza.get(name).strip("()")
    if text.upper() in ("", "NO"):
        return ()
    if text.upper() == "YES":
        return DEFAULT_CLASSES[kind]
    if text == "*":
        return ALL_CLASSES[kind]
    classes = classes_of(kind, text)
    if classes is None:
        why = f"{name} of stanza {STANZA} names a class that traces of {kind} do not have: {text}"
        raise IniError(ini.file, stanza.line_of(name), why)
    return classes
