"""Goal: a path means the files that people expect, and their bytes come from wherever they are.

Method: folders and patterns on disk; Arrow's file systems by URIs of files on disk.
"""

from pathlib import Path

import pytest

from ternmq.spark.smf.dump_files import (
    ArrowBytes,
    DumpFile,
    LocalBytes,
    find_files,
    local_path,
    remote_files,
)
from ternmq.spark.smf.ranges import Range, packed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in (("b.dat", b"12345"), ("a.dat", b"1"), ("c.txt", b""), (".hidden", b"x")):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "_temporary").write_bytes(b"x")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "d.dat").write_bytes(b"123")
    return tmp_path


def names(files: list[DumpFile]) -> list[tuple[str, int]]:
    return [(Path(file.path).name, file.length) for file in files]


def test_folder_when_listed_then_files_come_in_order_without_hidden_ones(folder: Path) -> None:
    assert names(find_files([str(folder)])) == [("a.dat", 1), ("b.dat", 5), ("c.txt", 0)]
    assert names(find_files([folder.as_uri()], "*.dat")) == [("a.dat", 1), ("b.dat", 5)]
    assert ("d.dat", 3) in names(find_files([str(folder)], recursive=True))


def test_pattern_and_file_when_listed_then_each_file_comes_once(folder: Path) -> None:
    paths = [str(folder / "*.dat"), str(folder / "a.dat")]
    assert names(find_files(paths)) == [("a.dat", 1), ("b.dat", 5)]


def test_path_when_it_means_nothing_then_it_is_named(folder: Path) -> None:
    with pytest.raises(ValueError, match=f"there is no file {folder}/nothing"):
        find_files([f"{folder}/nothing"])


def test_local_path_when_given_by_uri_then_it_is_decoded() -> None:
    assert local_path("file:///a%20b/c") == "/a b/c"
    assert local_path("file:/a/c") == "/a/c"
    assert local_path("relative/c") == "relative/c"
    assert local_path("s3a://bucket/c") is None


def test_bytes_when_read_then_they_are_the_same_by_either_way(folder: Path) -> None:
    path = folder / "b.dat"
    for opened in (LocalBytes(str(path)), ArrowBytes(path.as_uri())):
        assert opened.read_at(1, 3) == b"234"
        assert opened.read_at(3, 10) == b"45"
        assert opened.read_at(9, 10) == b""
        opened.close()


def test_files_of_arrow_when_listed_then_as_those_of_the_machine(folder: Path) -> None:
    listed = sorted(remote_files(folder.as_uri(), False))
    assert names(listed) == [("a.dat", 1), ("b.dat", 5), ("c.txt", 0)]
    assert sorted(remote_files(f"{folder.as_uri()}/*.dat", False)) == listed[:2]
    assert remote_files(f"{folder.as_uri()}/b.dat", False) == [listed[1]]


def test_ranges_when_packed_then_small_ones_share_a_task() -> None:
    ranges = [Range("f", "rdw", 0, length) for length in (10, 10, 50, 10, 5)]
    shared = packed(iter(ranges), 30)
    assert [[each.end for each in task] for task in shared] == [[10, 10], [50], [10, 5]]
