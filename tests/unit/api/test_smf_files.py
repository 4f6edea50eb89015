"""Goal: data sets and log streams hold what was written, roll, and keep what they shall; what is
lost is counted and told.

Method: real files in a temporary folder; writers that refuse or hang by hand.
"""

import os
import threading
from pathlib import Path

import pytest

from ternmq.outlets.smf_data_sets import DataSets, data_sets, file_name
from ternmq.outlets.smf_log_streams import LogStream, read_log_stream, segments
from ternmq.outlets.smf_outlet import LOSES, RESUMED, Outlet, Writes
from ternmq.telemetry.smf.log_stream_format import split_records

pytestmark = pytest.mark.core


def record(number: int, size: int = 100, kind: int = 115) -> bytes:
    return size.to_bytes(2) + b"\0\0\x5e" + bytes([kind]) + number.to_bytes(4) + bytes(size - 10)


def numbers(data: bytes) -> list[int]:
    records = split_records(data)
    assert records is not None
    return [int.from_bytes(one[6:10]) for one in records]


class Reported:
    """What operators are told."""

    def __init__(self) -> None:
        self.lines: list[tuple[object, ...]] = []

    def __call__(self, *words: object) -> None:
        self.lines.append(words)


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000_000_000_000

    def __call__(self) -> int:
        self.now += 1_000_000_000
        return self.now


def test_data_sets_when_size_is_reached_then_they_roll_and_the_oldest_go(tmp_path: Path) -> None:
    writes = DataSets(str(tmp_path), "MAN", 250, 3, Clock())
    for number in range(10):
        writes.write([record(number)])
    writes.close()
    files = data_sets(str(tmp_path), "MAN")
    assert [numbers(Path(path).read_bytes()) for path in files] == [[4, 5], [6, 7], [8, 9]]
    assert os.path.basename(files[0]).startswith("MAN-20231114T")


def test_data_sets_when_a_batch_is_larger_than_a_file_then_it_fills_several(
    tmp_path: Path,
) -> None:
    writes = DataSets(str(tmp_path), "MAN", 250, 0, lambda: 1_700_000_000_000_000_000)
    writes.write([record(number) for number in range(5)])
    writes.write([record(5, 400)])
    writes.close()
    files = [numbers(Path(path).read_bytes()) for path in data_sets(str(tmp_path), "MAN")]
    assert sorted(files) == [[0, 1], [2, 3], [4], [5]]


def test_data_sets_when_named_by_time_then_names_sort_as_time_does() -> None:
    assert file_name("A", 1_700_000_000_123_456_789) == "A-20231114T221320.123456Z.dat"


@pytest.mark.parametrize("compressed", [False, True])
def test_log_stream_when_written_then_read_from_any_position(
    tmp_path: Path, compressed: bool
) -> None:
    stream = LogStream(str(tmp_path), compressed=compressed, segment_bytes_max=400)
    for number in range(1, 8):
        stream.write([record(number), record(number)])
    stream.close()
    found = list(read_log_stream(str(tmp_path)))
    assert [number for number, _ in found] == list(range(1, 15))
    assert [int.from_bytes(one[6:10]) for _, one in found] == [(n + 1) // 2 for n in range(1, 15)]
    assert [number for number, _ in read_log_stream(str(tmp_path), 9)] == list(range(9, 15))
    # The next process goes on with the numbers.
    again = LogStream(str(tmp_path), compressed=not compressed)
    again.write([record(99)])
    again.close()
    assert [number for number, _ in read_log_stream(str(tmp_path), 14)] == [14, 15]


def test_log_stream_when_compressed_then_it_is_a_fraction_of_the_size(tmp_path: Path) -> None:
    sizes = []
    for compressed in (False, True):
        folder = tmp_path / str(compressed)
        stream = LogStream(str(folder), compressed=compressed)
        stream.write([record(number, 4000) for number in range(100)])
        stream.close()
        sizes.append(sum(os.stat(path).st_size for path in segments(str(folder))))
    assert sizes[0] > 400_000
    assert sizes[1] < sizes[0] // 10


def test_log_stream_when_larger_than_retention_then_oldest_segments_go(tmp_path: Path) -> None:
    stream = LogStream(str(tmp_path), segment_bytes_max=300, retention_bytes=1000)
    for number in range(1, 21):
        stream.write([record(number)])
    stream.close()
    found = [number for number, _ in read_log_stream(str(tmp_path))]
    assert found[-1] == 20
    assert found == list(range(found[0], 21))
    assert found[0] > 1
    assert sum(os.stat(path).st_size for path in segments(str(tmp_path))) <= 1000


def test_log_stream_when_segments_are_too_old_then_they_go(tmp_path: Path) -> None:
    stream = LogStream(str(tmp_path), segment_bytes_max=100, retention_days=2)
    stream.write([record(1)])
    stream.write([record(2)])
    first = segments(str(tmp_path))[0]
    os.utime(first, ns=(0, 0))
    stream.write([record(3)])
    stream.close()
    assert [number for number, _ in read_log_stream(str(tmp_path))] == [2, 3]


@pytest.mark.parametrize("cut", [1, 50, 120])
def test_log_stream_when_the_last_block_is_cut_then_reading_ends_before_it(
    tmp_path: Path, cut: int
) -> None:
    stream = LogStream(str(tmp_path))
    stream.write([record(1)])
    stream.write([record(2)])
    stream.close()
    path = segments(str(tmp_path))[0]
    os.truncate(path, os.stat(path).st_size - cut)
    assert [number for number, _ in read_log_stream(str(tmp_path))] == [1]


def test_log_stream_when_a_byte_is_changed_then_reading_ends_before_that_block(
    tmp_path: Path,
) -> None:
    stream = LogStream(str(tmp_path), compressed=True)
    stream.write([record(1)])
    stream.write([record(2)])
    stream.close()
    path = Path(segments(str(tmp_path))[0])
    data = path.read_bytes()
    for at in range(len(data) - 5, len(data)):
        changed = bytearray(data)
        changed[at] ^= 1
        path.write_bytes(changed)
        assert [number for number, _ in read_log_stream(str(tmp_path))] == [1]


class Held(Writes):
    """A disk that takes nothing until it is told to."""

    def __init__(self) -> None:
        self.allowed = threading.Event()
        self.entered = threading.Event()
        self.refusing = False
        self.taken: list[bytes] = []
        self.closed = 0

    def write(self, records: list[bytes]) -> None:
        self.entered.set()
        self.allowed.wait()
        if self.refusing:
            raise OSError(28, "No space left on device")
        self.taken += records

    def close(self) -> None:
        self.closed += 1


def test_outlet_when_the_disk_is_slow_then_loss_is_counted_and_reported_at_both_ends() -> None:
    log = Reported()
    held = Held()
    outlet = Outlet("MAN", held, log, buffer_bytes_max=300)
    outlet.give([record(1)])
    assert held.entered.wait(10)
    outlet.give([record(2), record(3), record(4), record(5)])
    assert log.lines == [(LOSES, "MAN", "its buffer of 300 bytes is full")]
    assert (outlet.lost, outlet.lost_bytes, outlet.losing) == (2, 200, True)
    held.allowed.set()
    assert outlet.drain()
    assert log.lines[1:] == [(RESUMED, "MAN", 2, 200)]
    assert not outlet.losing
    assert b"".join(held.taken) == record(1) + record(2) + record(3)
    outlet.give([record(6)])
    outlet.end()
    assert held.taken[-1] == record(6)
    assert (outlet.written, outlet.written_bytes, held.closed) == (4, 400, 1)
    assert len(log.lines) == 2


def test_outlet_when_the_disk_refuses_then_the_batch_is_lost_and_the_next_one_tried() -> None:
    log = Reported()
    held = Held()
    held.allowed.set()
    held.refusing = True
    outlet = Outlet("LOG", held, log)
    outlet.give([record(1)])
    assert outlet.drain()
    outlet.give([record(2)])
    assert outlet.drain()
    assert log.lines == [(LOSES, "LOG", "No space left on device")]
    held.refusing = False
    outlet.give([record(3)])
    outlet.end()
    assert log.lines[1:] == [(RESUMED, "LOG", 2, 200)]
    assert held.taken == [record(3)]


def test_outlet_when_the_disk_hangs_at_the_end_then_what_is_left_is_reported_as_lost() -> None:
    log = Reported()
    held = Held()
    outlet = Outlet("MAN", held, log)
    outlet.give([record(1)])
    assert held.entered.wait(10)
    outlet.give([record(2)])
    outlet.end(0.0)
    assert log.lines == [(LOSES, "MAN", "the disk did not take it before the end")]
    assert outlet.lost == 1
    held.allowed.set()
    assert outlet.drain()


def test_outlet_when_switched_then_a_new_data_set_begins(tmp_path: Path) -> None:
    outlet = Outlet("MAN", DataSets(str(tmp_path), "MAN", now_ns=Clock()), Reported())
    outlet.give([record(1)])
    assert outlet.switch()
    outlet.give([record(2)])
    outlet.end()
    files = data_sets(str(tmp_path), "MAN")
    assert [numbers(Path(path).read_bytes()) for path in files] == [[1], [2]]


def test_outlet_when_types_are_named_then_others_go_elsewhere() -> None:
    held = Held()
    held.allowed.set()
    outlet = Outlet("ACCT", held, Reported(), types=frozenset({116}))
    outlet.give([record(1), record(2, kind=116)])
    outlet.end()
    assert held.taken == [record(2, kind=116)]


def test_data_sets_when_the_folder_cannot_be_made_then_it_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    log = Reported()
    outlet = Outlet("MAN", DataSets(str(tmp_path / "file"), "MAN"), log)
    outlet.give([record(1)])
    outlet.end()
    assert log.lines[0][:2] == (LOSES, "MAN")
    assert outlet.lost == 1
