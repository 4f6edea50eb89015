"""Goal: the simulated disk loses, tears, refuses and fails as it says, and forgets nothing that was
forced. Method: small histories whose outcomes can be written down. That it keeps the contract of
the disk port is shown by tests/unit/ports/test_disk.py.
"""

import errno

import pytest

from ternmq.ports.disk import write_all
from ternmq.testing.chance import Chance
from ternmq.testing.disk_faults import CHANGES, Failing, Short, Sometimes, together
from ternmq.testing.operations import Mark, Write
from ternmq.testing.sim_disk import Crash, SimDisk
from ternmq.testing.wreck import (
    Wreck,
    all_but_last_sector,
    any_fate,
    crashes,
    dropped,
    first_half,
    kept,
    last_of,
    second_half,
    zeroed,
)

pytestmark = pytest.mark.core


def write(disk: SimDisk, path: str, offset: int, data: bytes) -> None:
    file = disk.open(path) if disk.exists(path) else disk.create(path)
    write_all(file, offset, [data])
    file.close()


def force(disk: SimDisk, path: str) -> None:
    disk.open(path).datasync()


def content(disk: SimDisk, path: str) -> bytes:
    file = disk.open(path)
    return file.pread(0, file.size())


def forced(path: str, data: bytes) -> SimDisk:
    """A disk with one file, which a power loss does not hurt."""
    disk = SimDisk()
    write(disk, path, 0, data)
    force(disk, path)
    disk.sync_dir("")
    return disk


def outcomes(disk: SimDisk) -> dict[str, SimDisk]:
    return {one.name: one.disk() for one in crashes(last_of(disk), Chance(1))}


def test_write_when_forced_then_it_survives_every_crash() -> None:
    disk = forced("a", b"first")
    write(disk, "a", 5, b" second")
    force(disk, "a")
    assert [content(one, "a") for one in outcomes(disk).values()] == [b"first second"]


def test_write_when_not_forced_then_kept_dropped_torn_zeroed_or_noise() -> None:
    disk = forced("a", bytes(4096))
    write(disk, "a", 0, b"x" * 1536)
    found = {name: content(one, "a")[:1536] for name, one in outcomes(disk).items()}
    assert found["kept 0"] == bytes(1536)
    assert found["kept 1"] == b"x" * 1536
    assert found["operation 0 first 512 bytes"] == b"x" * 512 + bytes(1024)
    assert found["operation 0 first 1024 bytes"] == b"x" * 1024 + bytes(512)
    assert found["operation 0 all but the first 512 bytes"] == bytes(512) + b"x" * 1024
    assert found["operation 0 zeroed"] == bytes(1536)
    assert len(found["operation 0 noise"]) == 1536
    assert found["operation 0 noise"] not in (bytes(1536), b"x" * 1536)


def test_writes_when_few_are_pending_then_every_combination_is_listed() -> None:
    disk = forced("a", b"....")
    for at in range(3):
        write(disk, "a", at, b"x")
    names = [name for name in outcomes(disk) if name.startswith("kept")]
    assert len(names) == 8
    assert {content(outcomes(disk)[name], "a") for name in names} == {
        bytes(b"x"[0] if mask >> at & 1 else b"."[0] for at in range(3)) + b"." for mask in range(8)
    }


def test_writes_when_many_are_pending_then_corners_and_samples() -> None:
    disk = forced("a", b"." * 9)
    for at in range(9):
        write(disk, "a", at, b"x")
    write(disk, "a", 8, b"y")
    found = {name: content(one, "a") for name, one in outcomes(disk).items()}
    assert found["all kept"] == b"x" * 8 + b"y"
    assert found["none kept"] == b"." * 9
    assert found["last only"] == b"." * 8 + b"y"
    assert found["all but the first"] == b"." + b"x" * 7 + b"y"
    assert found["all but the last"] == b"x" * 9
    assert found["in reverse"] == b"x" * 9
    assert sum(name.startswith("sample") for name in found) == 200
    assert len(set(found.values())) > 50
    again = {name: content(one, "a") for name, one in outcomes(disk).items()}
    assert again == found


@pytest.mark.parametrize(
    ("fate", "expected"),
    [
        (kept, b"x" * 1500),
        (dropped, b""),
        (first_half, b"x" * 512),
        (second_half, bytes(512) + b"x" * 988),
        (all_but_last_sector, b"x" * 1024),
        (zeroed, bytes(1500)),
    ],
)
def test_fate_of_a_write_then_as_named(fate: object, expected: bytes) -> None:
    disk = forced("a", b"")
    write(disk, "a", 0, b"x" * 1500)
    assert callable(fate)
    assert content(last_of(disk).disk(fate, lambda: True), "a") == expected


def test_any_fate_then_the_same_seed_draws_the_same() -> None:
    disk = forced("a", bytes(8192))
    for at in range(0, 8192, 1024):
        write(disk, "a", at, bytes([at >> 8 | 1]) * 1024)

    def drawn(seed: int) -> bytes:
        return content(last_of(disk).disk(any_fate(Chance(seed)), lambda: True), "a")

    assert drawn(1) == drawn(1)
    assert len({drawn(seed) for seed in range(20)}) == 20


def test_name_when_its_folder_is_not_forced_then_it_may_be_lost() -> None:
    disk = forced("a", b"a")
    disk.make_dir("f")
    write(disk, "f/b", 0, b"b")
    force(disk, "f/b")
    there = {name: (one.exists("f"), one.exists("f/b")) for name, one in outcomes(disk).items()}
    assert there == {
        "kept 00": (False, False),
        "kept 01": (True, False),
        "kept 10": (False, False),
        "kept 11": (True, True),
    }
    disk.sync_dir("f")
    assert all(not one.exists("f/b") or one.exists("f") for one in outcomes(disk).values())
    disk.sync_dir("")
    assert [one.exists("f/b") for one in outcomes(disk).values()] == [True]


def test_rename_and_unlink_when_not_forced_then_old_or_new() -> None:
    disk = forced("a", b"old")
    write(disk, "b", 0, b"new")
    force(disk, "b")
    disk.sync_dir("")
    disk.rename("b", "a")
    assert {content(one, "a") for one in outcomes(disk).values()} == {b"old", b"new"}
    disk.sync_dir("")
    disk.unlink("a")
    assert {one.exists("a") for one in outcomes(disk).values()} == {True, False}
    disk.sync_dir("")
    assert [one.exists("a") for one in outcomes(disk).values()] == [False]


def test_folder_renamed_when_forced_then_everything_in_it_moved() -> None:
    disk = SimDisk()
    disk.make_dir("one/deep")
    write(disk, "one/deep/a", 0, b"1")
    force(disk, "one/deep/a")
    for folder in ("one/deep", "one", ""):
        disk.sync_dir(folder)
    disk.rename("one", "two")
    found = outcomes(disk)
    assert content(found["kept 0"], "one/deep/a") == content(found["kept 1"], "two/deep/a") == b"1"


def test_killed_process_then_pending_writes_are_there_and_still_pending() -> None:
    disk = forced("a", b"old")
    write(disk, "a", 0, b"new")
    after = disk.survivor()
    assert content(after, "a") == b"new"
    assert {content(one, "a") for one in outcomes(after).values()} >= {b"old", b"new"}
    force(after, "a")
    assert [content(one, "a") for one in outcomes(after).values()] == [b"new"]
    assert {content(one, "a") for one in outcomes(disk).values()} >= {b"old", b"new"}


def test_disk_after_a_crash_then_it_shares_nothing_with_others() -> None:
    disk = forced("a", b"one")
    first, second = (last_of(disk).disk_of([]) for _ in range(2))
    write(first, "a", 0, b"two")
    assert (content(first, "a"), content(second, "a"), content(disk, "a")) == (
        b"two",
        b"one",
        b"one",
    )


def test_stop_at_then_that_call_and_all_after_it_crash() -> None:
    disk = SimDisk()
    disk.stop_at = 2
    file = disk.create("a")
    for _ in range(2):
        with pytest.raises(Crash):
            file.pwritev(0, [b"x"])
    assert content(disk.survivor(), "a") == b""


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, errno.EINTR])
@pytest.mark.parametrize("for_ever", [False, True])
def test_nth_call_fails_then_once_or_for_ever(error: int, for_ever: bool) -> None:
    disk = SimDisk()
    file = disk.create("a")
    disk.faults = failing = Failing(error, at=2, for_ever=for_ever, calls=("pwritev",))
    assert file.pwritev(0, [b"1"]) == 1
    with pytest.raises(OSError, match="a") as caught:
        file.pwritev(1, [b"2"])
    assert caught.value.errno == error
    file.datasync()
    if for_ever:
        with pytest.raises(OSError, match="injected"):
            file.pwritev(1, [b"2"])
    else:
        file.pwritev(1, [b"3"])
    assert content(disk, "a") == (b"1" if for_ever else b"13")
    assert failing.failed == (2 if for_ever else 1)


def test_every_call_passes_the_faults() -> None:
    seen: list[str] = []

    def note(call: str, path: str, count: int) -> None:
        seen.append(call)
        assert count == disk.calls

    disk = SimDisk()
    disk.faults = note
    disk.make_dir("f")
    file = disk.create("f/a")
    file.pwritev(0, [b"x"])
    file.truncate(0)
    file.datasync()
    disk.allocate("f/a", 1)
    disk.sync_dir("f")
    disk.rename("f/a", "f/b")
    disk.unlink("f/b")
    disk.remove_dir("f")
    assert sorted({*seen} - {"list"}) == sorted(CHANGES)


def test_short_write_then_write_all_goes_on_or_gives_up() -> None:
    disk = SimDisk()
    disk.faults = together(Short(3, at=1), Failing(at=99))
    file = disk.create("a")
    write_all(file, 0, [b"12345"])
    assert content(disk, "a") == b"12345"
    disk.faults = Short(0, for_ever=True)
    with pytest.raises(OSError, match="no progress"):
        write_all(file, 0, [b"12345"])


def test_sometimes_then_as_often_as_the_rate_and_the_same_for_a_seed() -> None:
    def failures(seed: int) -> list[bool]:
        disk = SimDisk()
        file = disk.create("a")
        disk.faults = Sometimes(Chance(seed), 0.3, errno.EIO)
        found = []
        for _ in range(200):
            try:
                file.datasync()
                found.append(False)
            except OSError:
                found.append(True)
        return found

    assert failures(7) == failures(7)
    assert 30 < sum(failures(7)) < 90


def test_capacity_then_what_fits_is_written_and_the_rest_is_refused() -> None:
    disk = forced("a", bytes(100))
    disk.capacity = 150
    assert disk.free_bytes() == 50
    file = disk.open("a")
    assert file.pwritev(0, [bytes(100)]) == 100  # in place
    assert file.pwritev(90, [bytes(100)]) == 60
    with pytest.raises(OSError, match="no space") as caught:
        file.pwritev(150, [b"x"])
    assert caught.value.errno == errno.ENOSPC
    file.truncate(10)
    assert file.pwritev(10, [b"x"]) == 1


def test_spoil_then_other_bytes_are_there_before_and_after_a_crash() -> None:
    disk = forced("a", b"time")
    disk.spoil("a", lambda data: b"d" + data[1:])
    assert content(disk, "a") == b"dime"
    assert [content(one, "a") for one in outcomes(disk).values()] == [b"dime"]


def test_history_then_marks_stand_between_operations_and_the_digest_reports_runs_apart() -> None:
    def run(data: bytes) -> SimDisk:
        disk = SimDisk()
        disk.create("a")
        disk.mark(("here", 1))
        write(disk, "a", 0, data)
        return disk

    disk = run(b"x")
    kinds = [type(operation) for operation in disk.history]
    assert kinds.index(Mark) < kinds.index(Write)
    assert disk.digest() == run(b"x").digest() != run(b"y").digest()


def test_wreck_when_it_advances_step_by_step_then_as_at_once() -> None:
    disk = forced("a", b"1")
    write(disk, "a", 1, b"2")
    force(disk, "a")
    write(disk, "a", 2, b"3")
    slow = Wreck(disk)
    for place in range(len(disk.history) + 1):
        slow.advance(place)
        at_once = Wreck(disk).advance(place)
        assert slow.durable == at_once.durable
        assert len(slow.pending) == len(at_once.pending)
    assert not slow.is_settled
