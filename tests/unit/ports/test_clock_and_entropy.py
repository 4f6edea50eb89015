"""Goal: the real clock and entropy keep their ports' contracts; the ports alone do nothing.
Method: direct calls.
"""

from collections.abc import Callable

import pytest

from ternmq.ports.clock import Clock
from ternmq.ports.disk import Disk, DiskFile, DiskLock
from ternmq.ports.entropy import Entropy
from ternmq.ports.os_clock import OsClock
from ternmq.ports.os_entropy import OsEntropy

pytestmark = pytest.mark.core


def test_os_clock_then_wall_clock_is_of_this_era_and_monotonic_does_not_go_back() -> None:
    clock = OsClock()
    assert clock.now_ns() > 1_700_000_000 * 10**9
    first = clock.monotonic_ns()
    assert clock.monotonic_ns() >= first


def test_os_entropy_then_as_long_as_asked_and_different() -> None:
    entropy = OsEntropy()
    assert len(entropy.bytes(24)) == 24
    assert entropy.bytes(16) != entropy.bytes(16)


def test_ports_when_not_implemented_then_say_so() -> None:
    file = DiskFile("x")
    disk = Disk()
    calls: list[Callable[[], object]] = [
        Clock().now_ns,
        Clock().monotonic_ns,
        lambda: Entropy().bytes(1),
        DiskLock().release,
        lambda: file.pread(0, 1),
        lambda: file.pwritev(0, []),
        file.datasync,
        lambda: file.truncate(0),
        file.size,
        file.close,
        lambda: disk.open(""),
        lambda: disk.create(""),
        lambda: disk.exists(""),
        lambda: disk.list(""),
        lambda: disk.size(""),
        lambda: disk.rename("", ""),
        lambda: disk.unlink(""),
        lambda: disk.make_dir(""),
        lambda: disk.remove_dir(""),
        lambda: disk.sync_dir(""),
        disk.free_bytes,
        lambda: disk.lock(""),
    ]
    for call in calls:
        with pytest.raises(NotImplementedError):
            call()
