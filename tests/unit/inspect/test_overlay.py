"""Goal: an overlay shows a folder, takes every write, and leaves the folder as it is.

Method: the same calls on an overlay and on a real disk in a copy of the folder; then both are
compared, and the folder with what it was.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ternmq.inspect.overlay import Overlay
from ternmq.ports.disk import Disk
from ternmq.ports.os_disk import OsDisk
from tests.unit.inspect.folders import contents

pytestmark = pytest.mark.core

NAMES = ["a", "b", "f/c", "f/d", "f/e"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "folder"
    (root / "f").mkdir(parents=True)
    for name in NAMES[:4]:
        (root / name).write_bytes(name.encode() * 1000)
    return root


def everything(disk: Disk) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for name in [*disk.list(""), *(f"f/{one}" for one in disk.list("f"))]:
        if name in ("f", "g"):
            continue
        file = disk.open(name)
        found[name] = file.pread(0, file.size() + 9)
        assert disk.size(name) == file.size()
        assert disk.exists(name)
        file.close()
    return found


def step(disk: Disk, chance: random.Random) -> None:
    name = chance.choice(NAMES)
    what = chance.choice(["write", "write", "create", "rename", "unlink", "truncate"])
    if what == "create":
        file = disk.create(name)
        file.pwritev(0, [b"new", chance.randbytes(20)])
        file.close()
    elif what == "rename" and disk.exists(name):
        disk.rename(name, chance.choice([one for one in NAMES if one != name]))
    elif what == "unlink" and disk.exists(name):
        disk.unlink(name)
    elif disk.exists(name):
        file = disk.open(name)
        if what == "truncate":
            file.truncate(chance.randrange(5000))
        else:
            file.pwritev(chance.randrange(4000), [chance.randbytes(chance.randrange(1, 300))])
        file.datasync()
        file.close()
        disk.sync_dir("")


@pytest.mark.parametrize("seed", range(8))
def test_overlay_when_used_as_a_disk_then_as_a_real_one(folder: Path, seed: int) -> None:
    before = contents(folder)
    shutil.copytree(folder, folder.with_name("copy"))
    overlay = Overlay(str(folder))
    real = OsDisk(str(folder.with_name("copy")))
    ours, theirs = random.Random(seed), random.Random(seed)
    for _ in range(60):
        step(overlay, ours)
        step(real, theirs)
        assert everything(overlay) == everything(real)
    assert contents(folder) == before
    overlay.close()
    real.close()


def test_overlay_when_a_file_is_open_while_it_changes_then_it_sees_that(folder: Path) -> None:
    overlay = Overlay(str(folder))
    first, second = overlay.open("a"), overlay.open("a")
    second.pwritev(0, [b"X"])
    assert first.pread(0, 2) == b"Xa"
    assert overlay.is_changed("a")
    assert not overlay.is_changed("b")
    overlay.rename("a", "g")
    first.pwritev(1, [b"Y"])  # it goes with the file
    assert overlay.open("g").pread(0, 3) == b"XYa"
    with pytest.raises(FileNotFoundError):
        overlay.open("a")
    first.close()
    second.close()
    overlay.close()


@pytest.mark.parametrize(
    "call",
    [
        lambda disk: disk.open("none"),
        lambda disk: disk.unlink("none"),
        lambda disk: disk.size("none"),
        lambda disk: disk.rename("none", "a"),
    ],
)
def test_overlay_when_there_is_no_such_file_then_not_found(
    folder: Path, call: Callable[[Disk], object]
) -> None:
    overlay = Overlay(str(folder))
    with pytest.raises(FileNotFoundError):
        call(overlay)
    overlay.close()


def test_overlay_when_folders_come_and_go_then_listed(folder: Path) -> None:
    overlay = Overlay(str(folder))
    overlay.make_dir("g")
    overlay.create("g/x").close()
    assert overlay.list("") == ["a", "b", "f", "g"]
    assert overlay.list("g") == ["x"]
    assert overlay.is_folder("g")
    assert overlay.is_folder("f")
    assert not overlay.is_folder("a")
    with pytest.raises(OSError, match="not empty"):
        overlay.remove_dir("g")
    overlay.unlink("g/x")
    overlay.remove_dir("g")
    assert overlay.list("") == ["a", "b", "f"]
    assert not overlay.is_folder("g")
    assert not (folder / "g").exists()
    overlay.close()


def test_overlay_when_a_folder_stands_for_another_then_its_files(folder: Path) -> None:
    (folder / "h").mkdir()
    (folder / "h" / "c").write_bytes(b"other")
    overlay = Overlay(str(folder), {"f": "h"})
    assert overlay.list("f") == ["c"]
    file = overlay.open("f/c")
    assert file.pread(0, 9) == b"other"
    file.close()
    overlay.close()


def test_overlay_when_a_file_is_opened_then_for_reading_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that may not be written will do."""
    flags: list[int] = []
    really_open = os.open

    def noted(path: str, flag: int, **more: int) -> int:
        flags.append(flag)
        return really_open(path, flag, **more)

    monkeypatch.setattr(os, "open", noted)
    overlay = Overlay(str(folder))
    overlay.list("f")
    file = overlay.open("a")
    file.pwritev(0, [b"X"])
    overlay.rename("a", "b")
    file.close()
    overlay.close()
    assert len(flags) >= 3
    assert {flag & os.O_ACCMODE for flag in flags} == {os.O_RDONLY}
    assert not any(flag & (os.O_CREAT | os.O_TRUNC) for flag in flags)
