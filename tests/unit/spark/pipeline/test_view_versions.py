"""Goal: whoever reads a table while it is made anew finds all of its rows, of one version.

Method: versions written by Arrow and swapped without pause in one thread, read in another; then the
pieces one by one, without threads.
"""

import os
import threading
from pathlib import Path

import pytest

from ternmq.spark.pipeline import view_versions

FILES = 3
ROWS = 5
VERSIONS = 30


def write_version(folder: str, number: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for file in range(FILES):
        table = pa.table({"version": [number] * ROWS})
        pq.write_table(table, f"{folder}/part-{number}-{file}.parquet")


def recreated(path: str, number: int) -> None:
    version = view_versions.begin(path)
    write_version(version, number)
    view_versions.swap(path, version)


def read(folder: str) -> list[int]:
    import pyarrow.dataset as ds

    found: list[int] = ds.dataset(folder, format="parquet").to_table()["version"].to_pylist()
    return found


def test_reader_when_a_table_is_recreated_then_it_finds_all_rows_of_one_version(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "tasks")
    recreated(path, 0)
    readings: list[list[int]] = []
    errors: list[Exception] = []
    has_read = threading.Event()

    def look(until: threading.Event) -> None:
        try:
            while not until.is_set():
                readings.append(read(view_versions.current(path)))
                has_read.set()
        except Exception as error:
            errors.append(error)
            has_read.set()

    is_over = threading.Event()
    reader = threading.Thread(target=look, args=(is_over,))
    reader.start()
    try:
        for number in range(1, VERSIONS):
            has_read.clear()
            recreated(path, number)
            has_read.wait()  # so that there is a reading about each version
    finally:
        is_over.set()
        reader.join()
    assert errors == []
    assert {len(rows) for rows in readings} == {FILES * ROWS}
    assert all(len(set(rows)) == 1 for rows in readings)
    # And anything else that reads Parquet finds it by its name.
    assert set(read(path)) == {VERSIONS - 1}


def test_version_when_it_was_replaced_then_it_stays_for_a_while_and_then_goes(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "tasks")
    recreated(path, 0)
    first = view_versions.current(path)
    left = view_versions.begin(path)  # by one that was killed
    recreated(path, 1)
    assert len(read(first)) == FILES * ROWS
    now = Path(first).stat().st_mtime + 1
    os.utime(left, (now + 60, now + 60))
    view_versions.forget(path, now)
    assert not Path(first).exists()
    assert Path(left).exists()
    view_versions.forget(path, now + 120)
    there = [str(each) for each in (tmp_path / view_versions.VERSIONS / "tasks").iterdir()]
    assert there == [view_versions.current(path)]
    assert set(read(path)) == {1}


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_table_when_it_was_a_folder_then_it_becomes_a_version_too(
    tmp_path: Path, scheme: str
) -> None:
    path = f"{scheme}{tmp_path}/tasks"
    (tmp_path / "tasks").mkdir()
    write_version(str(tmp_path / "tasks"), 0)
    assert view_versions.current(path) == path
    recreated(path, 1)
    assert set(read(str(tmp_path / "tasks"))) == {1}
    (old,) = (
        each
        for each in (tmp_path / view_versions.VERSIONS / "tasks").iterdir()
        if str(each) != view_versions.current(path)
    )
    assert set(read(str(old))) == {0}


def test_table_when_it_is_not_on_a_machine_then_it_has_no_versions() -> None:
    path = "s3://bucket/warehouse/tasks"
    assert view_versions.begin(path) == ""
    assert view_versions.current(path) == path
    with pytest.raises(ValueError, match="not on this machine"):
        view_versions.swap(path, "x")
