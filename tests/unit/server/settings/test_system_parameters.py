"""The stanza SystemParameters of qm.ini: what is on from the start, and what is refused."""

from __future__ import annotations

import pytest

from ternmq import memory
from ternmq.base.ini import IniError, IniFile
from ternmq.kernel.meter import ACCTG, STAT
from ternmq.server.settings.system_parameters import system_parameters


def stanza(*lines: str) -> IniFile:
    return IniFile("\n".join(["SystemParameters:", *(f"   {line}" for line in lines)]), "qm.ini")


def test_parameters_when_given_then_traces_and_intervals_begin_so() -> None:
    made = system_parameters(stanza("STATIME=0.30", "ACCTIME=2", "SMFSTAT=(1,5)", "SMFACCT=3"))
    with memory("QM1") as qmgr:
        shell = qmgr.started.shell
        with shell.lock:
            made.apply(shell.engine.kernel)
        system = shell.engine.kernel.meter.system
        assert (system.statistics_s, system.accounting_interval_s) == (30, 120)
        assert system.classes(STAT) == {1, 5}
        assert system.classes(ACCTG) == {3}
        assert [one["STATIME"] for one in qmgr.mqsc("DISPLAY SYSTEM")] == ["0.30", "0.30"]
        assert shell.engine.kernel.measured == 3


@pytest.mark.parametrize(
    ("text", "classes"), [("YES", (1,)), ("NO", ()), ("*", (1, 2, 3)), ("1,4", (1, 4))]
)
def test_statistics_classes(text: str, classes: tuple[int, ...]) -> None:
    assert system_parameters(stanza(f"SMFSTAT={text}")).statistics == classes


@pytest.mark.parametrize("line", ["STATIME=0.5", "ACCTIME=1441", "SMFSTAT=6", "SMFACCT=2"])
def test_parameters_when_wrong_then_file_and_line_are_reported(line: str) -> None:
    with pytest.raises(IniError) as caught:
        system_parameters(stanza(line))
    assert (caught.value.file, caught.value.line) == ("qm.ini", 2)


def test_parameters_when_nothing_is_said_then_nothing_is_on() -> None:
    made = system_parameters(IniFile("TCP:\n   Port=1414\n", "qm.ini"))
    assert (made.statistics, made.accounting, made.accounting_s) == ((), (), -1)
