"""Goal: configuration files are read as people write them, and changed without losing a comment.

Method: small files; each fault names file, line and reason.
"""

import pytest

from ternmq.base.ini import IniError, IniFile

pytestmark = pytest.mark.core

TEXT = """\
# who lives here
AllQueueManagers:
   DefaultPrefix=/data

QueueManager:
   Name=QM1
   # moved in March
   Directory=QM1
; and another
QueueManager:
   Name=QM2
   Directory=QM2
"""


def test_stanzas_when_read_then_their_values_and_lines() -> None:
    ini = IniFile(TEXT, "mqs.ini")
    assert [one.name for one in ini.stanzas] == ["AllQueueManagers", "QueueManager", "QueueManager"]
    second = ini.where("queuemanager", "NAME", "QM2")
    assert second is not None
    assert (second.line, second.get("directory"), second.line_of("Directory")) == (10, "QM2", 12)
    assert second.get("Prefix", "none") == "none"
    assert ini.first("Nothing") is None


def test_text_when_nothing_changed_then_the_same() -> None:
    assert IniFile(TEXT).text() == TEXT


def test_set_when_there_or_not_then_the_rest_is_kept() -> None:
    ini = IniFile(TEXT)
    first = ini.where("QueueManager", "Name", "QM1")
    assert first is not None
    ini.set(first, "Directory", "QM1.000")
    again = ini.where("QueueManager", "Name", "QM1")
    assert again is not None
    ini.set(again, "DataPath", "/elsewhere")
    changed = ini.text()
    expected = TEXT.replace("   Directory=QM1\n", "   Directory=QM1.000\n   DataPath=/elsewhere\n")
    assert changed == expected
    assert "moved in March" in changed


def test_add_and_remove_when_done_then_as_before() -> None:
    ini = IniFile(TEXT)
    ini.add("DefaultQueueManager", {"Name": "QM1"})
    default = ini.first("DefaultQueueManager")
    assert default is not None
    assert default.get("Name") == "QM1"
    ini.remove(default)
    assert ini.text() == TEXT + "\n"
    for stanza in list(ini.all("QueueManager"))[::-1]:
        ini.remove(stanza)
    assert "another" in ini.text()
    assert "Name" not in ini.text()


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("Name=QM1\n", 1, "before the first stanza"),
        ("Log:\n   LogType\n", 2, "neither a stanza nor Name=Value"),
        ("Log:\n\n   =3\n", 3, "a value without a name"),
        ("Log:\n   LogType=LINEAR\n   logtype=CIRCULAR\n", 3, "given twice"),
        ("Two words:\n", 1, "neither a stanza"),
    ],
)
def test_fault_when_read_then_file_line_and_reason(text: str, line: int, why: str) -> None:
    with pytest.raises(IniError) as fault:
        IniFile(text, "qm.ini")
    assert fault.value.line == line
    assert why in str(fault.value)
    assert str(fault.value).startswith(f"qm.ini, line {line}: ")
