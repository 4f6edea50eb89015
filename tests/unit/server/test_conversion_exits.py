"""Goal: exits are loaded from the folder that qm.ini names, and only code that nobody but the queue
manager's user or root can change is run.

Method: files with rights of every kind in a folder of the test.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ternmq.base.ini import IniFile
from ternmq.codec.conversion_service import ConversionService
from ternmq.codec.text_conversion import ConversionError
from ternmq.ports.os_exit_files import exits_folder
from ternmq.server.conversion_exits import load_exits

GOOD = "def convert(mqdxp):\n    return b'made'\n"
CALL = (b"x", (273, 500), (546, 1208))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "exits"
    made.mkdir(0o700)
    made.chmod(0o700)
    return made


def file(folder: Path, name: str, text: str = GOOD, mode: int = 0o600) -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(mode)
    return path


def loaded(folder: Path) -> tuple[ConversionService, list[str]]:
    service = ConversionService()
    faults: list[str] = []
    load_exits(str(folder), service, lambda *said: faults.append(" ".join(said)))
    return service, faults


def test_exit_when_its_file_is_sound_then_its_name_is_the_format(folder: Path) -> None:
    file(folder, "MYFMT.py")
    file(folder, "OTHER", "not Python")
    file(folder, "_shared.py", "1 / 0")
    service, faults = loaded(folder)
    assert (service.names(), faults) == (["MYFMT"], [])
    assert service.converted("MYFMT", *CALL) == b"made"
    assert sorted(one.name for one in folder.iterdir()) == ["MYFMT.py", "OTHER", "_shared.py"]


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_exit_when_others_may_write_its_file_then_it_is_not_run(folder: Path, mode: int) -> None:
    mark = folder.parent / "ran"
    file(folder, "MYFMT.py", f"open({str(mark)!r}, 'w')\n" + GOOD, mode)
    service, faults = loaded(folder)
    assert service.names() == []
    assert len(faults) == 1
    assert "AMQ6175E" in faults[0]
    assert "chmod go-w" in faults[0]
    assert not mark.exists()


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_exit_when_others_may_write_its_folder_then_it_is_not_run(folder: Path, mode: int) -> None:
    file(folder, "MYFMT.py")
    folder.chmod(mode)
    service, faults = loaded(folder)
    assert (service.names(), len(faults)) == ([], 1)


def test_exit_when_it_belongs_to_somebody_else_then_it_is_not_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file(folder, "MYFMT.py")
    if os.getuid() == 0:
        os.chown(path, 12345, -1)
    else:
        uid = os.getuid() + 1
        monkeypatch.setattr(os, "getuid", lambda: uid)
    service, faults = loaded(folder)
    assert service.names() == []
    assert "belongs to user" in faults[0]


def test_exit_when_it_is_a_link_then_it_is_not_run(folder: Path) -> None:
    elsewhere = file(folder.parent, "real.py")
    (folder / "MYFMT.py").symlink_to(elsewhere)
    service, faults = loaded(folder)
    assert (service.names(), len(faults)) == ([], 1)


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("MYFMT.py", "def convert(", "SyntaxError"),
        ("MYFMT.py", "1 / 0", "ZeroDivisionError"),
        ("MYFMT.py", "raise SystemExit(1)", "SystemExit"),
        ("MYFMT.py", "x = 1", "no function convert"),
        ("MYFMT.py", "convert = 1", "no function convert"),
        ("NINECHARS.py", GOOD, "1 to 8 characters"),
        ("A B.py", GOOD, "no blanks"),
    ],
)
def test_exit_when_it_cannot_be_used_then_that_is_reported(
    folder: Path, name: str, text: str, why: str
) -> None:
    file(folder, "FIRST.py")
    file(folder, name, text)
    service, faults = loaded(folder)
    assert service.names() == ["FIRST"]
    assert len(faults) == 1
    assert why in faults[0]


def test_folder_when_qm_ini_names_one_then_it_is_that(tmp_path: Path) -> None:
    assert exits_folder(IniFile(), "/data/QM1") == "/data/QM1/exits"
    one = IniFile("ExitPath:\n   ExitsDefaultPath=/a\n")
    both = IniFile("ExitPath:\n   ExitsDefaultPath=/a\n   ExitsDefaultPath64=/b\n")
    assert (exits_folder(one, "/x"), exits_folder(both, "/x")) == ("/a", "/b")
    assert loaded(tmp_path / "missing")[1] == []


@pytest.mark.timeout(20)
@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_exit_when_it_is_no_file_then_that_is_reported_and_the_others_are_loaded(
    folder: Path, make: Callable[[str], None]
) -> None:
    make(str(folder / "ABC.py"))
    (folder / "ABC.py").chmod(0o700)
    file(folder, "MYFMT.py")
    service, faults = loaded(folder)
    assert service.names() == ["MYFMT"]
    assert len(faults) == 1
    assert "it is not a file" in faults[0]


def test_exit_when_it_returns_no_bytes_then_that_is_reported(folder: Path) -> None:
    file(folder, "TEXT.py", "def convert(mqdxp):\n    return 'text'\n")
    file(folder, "ARRAY.py", "def convert(mqdxp):\n    return bytearray(b'made')\n")
    service, _ = loaded(folder)
    failed: list[str] = []
    service.failed = lambda format, error: failed.append(f"{format}: {error}")
    with pytest.raises(ConversionError):
        service.converted("TEXT", *CALL)
    assert failed == ["TEXT: the exit returned str; return bytes, or None"]
    assert service.converted("ARRAY", *CALL) == b"made"
