"""Goal: the memory disk, the simulated disk and the real disk keep the same contract.
Method: one battery of small scenarios, run on all of them.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from ternmq.ports.disk import (
    Disk,
    DiskFile,
    DiskLocked,
    check_path,
    parent_dir,
    write_all,
    write_zeros,
)
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.ports.os_disk import OsDisk
from ternmq.testing.sim_disk import SimDisk

pytestmark = pytest.mark.core


@pytest.fixture(params=["memory", "simulated", "os"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    if request.param == "memory":
        yield MemoryDisk()
    elif request.param == "simulated":
        yield SimDisk()
    else:
        real = OsDisk(str(tmp_path / "root"))
        yield real
        real.close()


def write(disk: Disk, path: str, data: bytes) -> None:
    file = disk.create(path)
    write_all(file, 0, [data])
    file.datasync()
    file.close()


def read(disk: Disk, path: str) -> bytes:
    file = disk.open(path)
    try:
        return file.pread(0, file.size())
    finally:
        file.close()


def test_file_when_written_in_parts_then_reads_back(disk: Disk) -> None:
    file = disk.create("a")
    assert file.path == "a"
    write_all(file, 3, [b"one", b"", b"two"])
    write_all(file, 0, [])
    assert file.size() == 9
    assert file.pread(0, 100) == b"\0\0\0onetwo"
    assert file.pread(4, 2) == b"ne"
    assert file.pread(9, 5) == b""
    assert file.pread(50, 5) == b""
    file.close()
    file.close()


def test_truncate_when_shorter_and_longer_then_cuts_and_fills_with_zeros(disk: Disk) -> None:
    file = disk.create("a")
    write_all(file, 0, [b"12345678"])
    file.truncate(3)
    file.truncate(5)
    assert file.pread(0, 10) == b"123\0\0"
    file.close()


def test_use_after_close_then_oserror_names_the_path(disk: Disk) -> None:
    file = disk.create("gone")
    file.close()
    for use in (lambda: file.pread(0, 1), lambda: file.pwritev(0, [b"x"]), file.datasync):
        with pytest.raises(OSError, match="gone"):
            use()
    with pytest.raises(OSError, match="gone"):
        file.truncate(1)


def test_create_when_there_then_content_is_dropped(disk: Disk) -> None:
    write(disk, "a", b"old content")
    write(disk, "a", b"new")
    assert read(disk, "a") == b"new"
    assert disk.size("a") == 3


def test_open_and_unlink_when_missing_then_not_found(disk: Disk) -> None:
    for call in (disk.open, disk.unlink, disk.size):
        with pytest.raises(FileNotFoundError, match="absent"):
            call("absent")
    with pytest.raises(FileNotFoundError):
        disk.create("no/folder")
    with pytest.raises(FileNotFoundError):
        disk.rename("absent", "b")
    with pytest.raises(FileNotFoundError):
        disk.sync_dir("absent")
    with pytest.raises(FileNotFoundError):
        disk.remove_dir("absent")


def test_folders_when_made_then_listed_sorted_and_removed_when_empty(disk: Disk) -> None:
    disk.make_dir("x/y/z")
    disk.make_dir("x/y/z")
    write(disk, "x/y/b", b"")
    write(disk, "x/y/a", b"")
    assert disk.list("x/y") == ["a", "b", "z"]
    assert disk.list("") == ["x"]
    assert disk.list("nowhere") == []
    assert disk.exists("x/y/z")
    assert disk.exists("")
    assert not disk.exists("x/y/c")
    disk.sync_dir("x/y")
    disk.sync_dir("")
    with pytest.raises(OSError, match="x/y"):
        disk.remove_dir("x/y")
    disk.remove_dir("x/y/z")
    assert disk.list("x/y") == ["a", "b"]
    with pytest.raises(NotADirectoryError):
        disk.list("x/y/a")
    write(disk, "file", b"")
    for path in ("file", "file/below"):
        with pytest.raises(FileExistsError, match="file"):
            disk.make_dir(path)


def test_rename_when_target_is_there_then_replaced(disk: Disk) -> None:
    disk.make_dir("f")
    write(disk, "a", b"new")
    write(disk, "f/b", b"old")
    disk.rename("a", "f/b")
    assert read(disk, "f/b") == b"new"
    assert disk.list("") == ["f"]


def test_rename_when_folder_then_content_moves_along(disk: Disk) -> None:
    disk.make_dir("one/deep")
    write(disk, "one/deep/a", b"1")
    disk.rename("one", "two")
    assert read(disk, "two/deep/a") == b"1"
    assert disk.list("") == ["two"]
    assert disk.list("two") == ["deep"]
    assert not disk.exists("one/deep")


def test_rename_and_create_when_a_folder_is_in_the_way_then_refused(disk: Disk) -> None:
    disk.make_dir("folder/inner")
    disk.make_dir("other")
    write(disk, "a", b"1")
    for call in (lambda: disk.create("folder"), lambda: disk.rename("a", "folder")):
        with pytest.raises(IsADirectoryError):
            call()
    with pytest.raises(OSError, match="folder"):
        disk.rename("other", "folder")


def test_unlink_when_open_then_reader_keeps_content(disk: Disk) -> None:
    write(disk, "a", b"content")
    file = disk.open("a")
    disk.unlink("a")
    write(disk, "a", b"other")
    assert file.pread(0, 20) == b"content"
    file.close()


def test_borrow_when_given_back_unlinked_and_recreated_then_always_the_file_of_that_name(
    disk: Disk,
) -> None:
    write(disk, "a", b"one")
    first, second = disk.borrow("a"), disk.borrow("a")
    assert first.pread(0, 9) == second.pread(0, 9) == b"one"
    disk.give_back(first)
    disk.give_back(second)
    again = disk.borrow("a")
    assert again.pread(0, 9) == b"one"
    disk.unlink("a")
    assert again.pread(0, 9) == b"one"
    disk.give_back(again)
    with pytest.raises(FileNotFoundError):
        disk.borrow("a")
    write(disk, "a", b"two")
    file = disk.borrow("a")
    assert file.pread(0, 9) == b"two"
    disk.give_back(file)
    write(disk, "b", b"three")
    disk.rename("b", "a")
    file = disk.borrow("a")
    assert file.pread(0, 9) == b"three"
    disk.give_back(file)


def test_borrow_when_many_then_a_bounded_number_stays_open(tmp_path: Path) -> None:
    disk = OsDisk(str(tmp_path / "root"))
    before = len(os.listdir("/proc/self/fd"))
    for number in range(600):
        write(disk, f"f{number}", b"x")
        disk.give_back(disk.borrow(f"f{number}"))
    assert len(os.listdir("/proc/self/fd")) - before <= 260
    for number in range(600):
        disk.unlink(f"f{number}")
    assert len(os.listdir("/proc/self/fd")) <= before
    disk.close()


def test_lock_when_held_then_second_is_refused_until_release(disk: Disk) -> None:
    lock = disk.lock("lock")
    with pytest.raises(DiskLocked, match="process") as caught:
        disk.lock("lock")
    assert caught.value.path == "lock"
    assert caught.value.holder
    lock.release()
    lock.release()
    disk.lock("lock").release()


def test_allocate_then_the_file_has_blocks_of_its_own(tmp_path: Path) -> None:
    disk = OsDisk(str(tmp_path / "root"))
    path = tmp_path / "root" / "reserve"
    assert disk.allocate("reserve", 300_000) == 300_000
    assert path.stat().st_size == 300_000
    assert path.stat().st_blocks * 512 >= 300_000
    assert disk.allocate("reserve", 100_000) == 100_000
    assert path.stat().st_size == 100_000
    path.write_bytes(b"")
    os.truncate(path, 200_000)  # a copy that left out the zeros
    assert path.stat().st_blocks == 0
    assert disk.allocate("reserve", 200_000) == 200_000
    assert path.stat().st_blocks * 512 >= 200_000
    disk.close()


@pytest.mark.parametrize("room", [0, 70_000, 1_000_000])
def test_allocate_when_the_disk_is_full_then_as_much_as_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    disk = OsDisk(str(tmp_path / "root"))
    path = tmp_path / "root" / "reserve"
    real = os.posix_fallocate

    def fallocate(descriptor: int, offset: int, count: int) -> None:
        # As ext4 does it: what there is room for is taken, then there is an error.
        real(descriptor, offset, max(1, min(count, room - offset)))
        if offset + count > room:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", fallocate)
    size = disk.allocate("reserve", 2_000_000)
    assert size == path.stat().st_size
    assert room - (1 << 14) < size <= room
    assert disk.allocate("reserve", 0) == 0
    disk.close()


def test_allocate_when_the_disk_fails_then_the_error_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = OsDisk(str(tmp_path / "root"))

    def fallocate(descriptor: int, offset: int, count: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "posix_fallocate", fallocate)
    with pytest.raises(OSError, match="reserve"):
        disk.allocate("reserve", 4096)
    disk.close()


def test_free_bytes_then_positive(disk: Disk) -> None:
    assert disk.free_bytes() > 0


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "a//b", "a/./b", "a/", "n\0"])
def test_path_when_it_could_leave_the_root_then_refused(disk: Disk, path: str) -> None:
    for call in (disk.open, disk.create, disk.exists, disk.unlink, disk.size, disk.make_dir):
        with pytest.raises(ValueError, match="path"):
            call(path)
    with pytest.raises(ValueError, match="path"):
        disk.list(path)


def test_check_path_and_parent_then_as_documented() -> None:
    assert check_path("") == ""
    assert check_path("a/b") == "a/b"
    assert parent_dir("a/b/c") == "a/b"
    assert parent_dir("a") == ""


def test_write_all_when_many_parts_then_all_written(disk: Disk) -> None:
    parts = [bytes([index % 251]) * (index % 7) for index in range(5000)]
    file = disk.create("many")
    write_all(file, 10, parts)
    assert file.pread(10, 1 << 20) == b"".join(parts)
    file.close()


def test_write_zeros_when_longer_than_a_chunk_then_exact(disk: Disk) -> None:
    file = disk.create("zeros")
    write_all(file, 0, [b"x"])
    write_zeros(file, 1, (2 << 20) + 5)
    assert file.size() == (2 << 20) + 6
    assert file.pread(0, 3) == b"x\0\0"
    write_zeros(file, 0, 0)
    file.close()


class ShortFile(DiskFile):
    """Takes at most a few bytes a call; takes none at all when its patience is used up."""

    def __init__(self, most: int) -> None:
        super().__init__("short")
        self.most = most
        self.content = bytearray()

    def pwritev(self, offset: int, parts: list[bytes]) -> int:
        data = b"".join(parts)[: self.most]
        self.content[offset : offset + len(data)] = data
        return len(data)


def test_write_all_when_writes_are_short_then_goes_on() -> None:
    file = ShortFile(3)
    write_all(file, 0, [b"ab", b"", b"cdefg", b"h"])
    assert bytes(file.content) == b"abcdefgh"


def test_write_all_when_no_progress_then_oserror() -> None:
    with pytest.raises(OSError, match="no progress"):
        write_all(ShortFile(0), 0, [b"ab"])


def test_os_disk_modes_then_private(tmp_path: Path) -> None:
    disk = OsDisk(str(tmp_path / "deep" / "root"))
    disk.make_dir("f/g")
    disk.create("f/g/a").close()
    root = tmp_path / "deep" / "root"
    assert stat.S_IMODE((root / "f" / "g" / "a").stat().st_mode) == 0o600
    assert stat.S_IMODE((root / "f" / "g").stat().st_mode) == 0o700
    assert stat.S_IMODE(root.stat().st_mode) == 0o700
    disk.close()
    disk.close()


class BrokenCalls:
    """Stands in for the calls of the operating system that seldom misbehave."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read = os.pread
        monkeypatch.setattr(os, "pread", self.pread)
        monkeypatch.setattr(os, "fdatasync", self.fail)
        monkeypatch.setattr(os, "fsync", self.fail)

    def pread(self, descriptor: int, length: int, offset: int) -> bytes:
        return self.read(descriptor, min(length, 3), offset)

    def fail(self, descriptor: int) -> None:
        raise OSError(errno.EIO, "injected")


def test_os_disk_when_reads_are_short_and_syncs_fail_then_goes_on_and_names_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = OsDisk(str(tmp_path))
    disk.make_dir("folder")
    write(disk, "folder/a", b"0123456789")
    file = disk.open("folder/a")
    BrokenCalls(monkeypatch)
    assert file.pread(1, 8) == b"12345678"
    assert file.pread(1, 80) == b"123456789"
    with pytest.raises(OSError, match="folder/a"):
        file.datasync()
    with pytest.raises(OSError, match="folder"):
        disk.sync_dir("folder")
    file.close()
    disk.close()


def test_os_disk_lock_when_it_cannot_be_written_then_oserror_names_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = OsDisk(str(tmp_path))

    def fail(descriptor: int, length: int) -> None:
        raise OSError(errno.EIO, "injected")

    monkeypatch.setattr(os, "ftruncate", fail)
    with pytest.raises(OSError, match=r"the.lock"):
        disk.lock("the.lock")
    disk.close()


def test_os_disk_lock_when_the_disk_is_full_then_it_is_held_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = OsDisk(str(tmp_path))

    def fail(descriptor: int, data: bytes, offset: int) -> int:
        raise OSError(errno.ENOSPC, "injected")

    monkeypatch.setattr(os, "pwrite", fail)
    lock = disk.lock("the.lock")
    with pytest.raises(DiskLocked):
        disk.lock("the.lock")
    lock.release()
    disk.lock("the.lock").release()
    disk.close()


def test_os_disk_when_name_is_a_symbolic_link_then_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    disk = OsDisk(str(tmp_path / "root"))
    os.symlink(tmp_path / "secret", tmp_path / "root" / "link")
    for call in (disk.open, disk.create):
        with pytest.raises(OSError, match="link"):
            call("link")
    assert (tmp_path / "secret").read_bytes() == b"secret"
    disk.close()


def test_lock_when_somebody_only_looks_then_it_is_got(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = OsDisk(str(tmp_path))
    (tmp_path / "lock").touch()
    looking = os.open(tmp_path / "lock", os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    monkeypatch.setattr("ternmq.ports.os_disk.time.sleep", lambda seconds: os.close(looking))
    disk.lock("lock").release()
    disk.close()
