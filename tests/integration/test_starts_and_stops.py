"""Goal: starting and stopping costs nothing for good. However often a queue manager is started and
stopped, by whatever binding it is used, no file descriptor and no thread is left; nor by a start
that is refused.

Method: one round to warm up (pools, event loops, modules), then many, counting /proc/self/fd and
threads before and after.
"""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import ternmq
import ternmq.aio
from ternmq.inspect.buffers import set_buffers
from ternmq.inspect.folder import Folder
from ternmq.ports.os_disk import OsDisk
from ternmq.runtime.backup import Backup
from ternmq.runtime.starting import log_parameters, start
from tests.battery.places import NAME, Place
from tests.unit.api import networked, served

ROUNDS = 12
Round = Callable[[Path], None]


def open_files() -> list[str]:
    """What the descriptors of this process lead to."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{number}"))
        except FileNotFoundError:  # the one that lists them
            continue
    return sorted(found)


def threads() -> list[str]:
    return sorted(thread.name for thread in threading.enumerate())


def left_after(rounds: int, one: Callable[[], None]) -> tuple[list[str], list[str]]:
    """The descriptors and threads that so many rounds have left."""
    one()
    gc.collect()
    files, running = open_files(), threads()
    for _ in range(rounds):
        one()
    gc.collect()
    more_files, more_running = open_files(), threads()
    for name in files:
        if name in more_files:
            more_files.remove(name)
    for name in running:
        if name in more_running:
            more_running.remove(name)
    return more_files, more_running


def use(connection: ternmq.Connection) -> None:
    """A persistent message goes in and comes out; another one stays until the next round."""
    if not connection.mqsc("DISPLAY QLOCAL(Q)")[0].ok:
        assert connection.mqsc("DEFINE QLOCAL(Q)")[0].ok
    with connection.queue("Q") as queue:
        while queue.try_get(wait=0) is not None:
            pass
        queue.put(b"one", persistent=True)
        queue.put(b"two", persistent=True)
        with connection.unit_of_work():
            assert queue.try_get(wait=0) is not None


async def use_task(connection: ternmq.aio.Connection | ternmq.aio.Connection) -> None:
    """The same in a task."""
    if not (await connection.mqsc("DISPLAY QLOCAL(Q)"))[0].ok:
        assert (await connection.mqsc("DEFINE QLOCAL(Q)"))[0].ok
    async with connection.queue("Q") as queue:
        while await queue.try_get(wait=0) is not None:
            pass
        await queue.put(b"one", persistent=True)
        await queue.put(b"two", persistent=True)
        async with connection.unit_of_work():
            assert await queue.try_get(wait=0) is not None


def embedded(path: Path) -> None:
    with ternmq.embedded(path, create=True) as qmgr:
        use(qmgr)
        with qmgr.connect() as other:
            use(other)


def embedded_and_measured(path: Path) -> None:
    with ternmq.embedded(path, create=True, metrics_port=0) as qmgr:
        qmgr.start_command_server()
        assert qmgr.mqsc("START TRACE(STAT) CLASS(*)")[0].ok
        use(qmgr)


def embedded_for_tasks(path: Path) -> None:
    async def run() -> None:
        async with ternmq.aio.embedded(path, create=True) as qmgr:
            await use_task(qmgr)

    asyncio.run(run())


def memory(path: Path) -> None:
    with ternmq.memory() as qmgr:
        use(qmgr)


def memory_for_tasks(path: Path) -> None:
    async def run() -> None:
        async with ternmq.aio.memory() as qmgr:
            await use_task(qmgr)

    asyncio.run(run())


def local(path: Path) -> None:
    with served.in_folder(path, NAME, create=True) as one, one.connect() as connection:
        use(connection)


def local_for_tasks(path: Path) -> None:
    with served.in_folder(path, NAME, create=True) as one:

        async def run() -> None:
            async with ternmq.aio.connect(one.name, data=one.data) as connection:
                await use_task(connection)

        asyncio.run(run())


def network(path: Path) -> None:
    with networked.in_folder(path, NAME, create=True) as one, one.connect() as connection:
        use(connection)


def network_for_tasks(path: Path) -> None:
    with networked.in_folder(path, NAME, create=True) as one:

        async def run() -> None:
            async with one.connect_task() as connection:
                await use_task(connection)

        asyncio.run(run())


@pytest.mark.core
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "one",
    [
        embedded,
        embedded_and_measured,
        embedded_for_tasks,
        memory,
        memory_for_tasks,
        local,
        local_for_tasks,
        network,
        network_for_tasks,
    ],
    ids=lambda one: one.__name__,
)
def test_stops_when_there_were_many_then_nothing_is_left(tmp_path: Path, one: Round) -> None:
    assert left_after(ROUNDS, lambda: one(tmp_path)) == ([], [])


# ---- starts that are refused


def in_use(path: Path) -> None:
    with ternmq.embedded(path, create=True), pytest.raises(ternmq.MQError):
        ternmq.embedded(path)


def without_a_log(path: Path) -> None:
    (path / "qmgrs" / NAME).mkdir(parents=True, exist_ok=True)
    with pytest.raises(ternmq.MQError):
        ternmq.embedded(path)


def damaged(path: Path) -> None:
    """The log is opened, then its first needed record cannot be read."""
    folder = path / "qmgrs" / NAME
    if not folder.exists():
        with ternmq.embedded(path, create=True) as qmgr:
            use(qmgr)
        for extent in (folder / "log" / "active").iterdir():
            content = extent.read_bytes()
            extent.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with pytest.raises(Exception, match="log"):
        ternmq.embedded(path)


def a_taken_port(path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            ternmq.embedded(path, create=True, metrics_port=taken.getsockname()[1])


@pytest.mark.core
@pytest.mark.parametrize(
    "one", [in_use, without_a_log, damaged, a_taken_port], ids=lambda one: one.__name__
)
def test_starts_when_they_are_refused_then_nothing_is_left(tmp_path: Path, one: Round) -> None:
    assert left_after(ROUNDS, lambda: one(tmp_path)) == ([], [])


# ---- a queue manager that has broken down, and one that a test abandons


def broken_down(path: Path) -> None:
    qmgr = ternmq.embedded(path, create=True)
    shell = qmgr.started.shell
    with shell.lock:
        shell.engine.break_down("a test")
    qmgr.close()


def crashed(path: Path) -> None:
    """As a process that ends leaves it: nothing is written, everything is given back."""
    with ternmq.embedded(path, create=True) as qmgr:
        use(qmgr)
    qmgr = ternmq.embedded(path)
    with qmgr.queue("Q") as queue:
        queue.put(b"three", persistent=True)
    qmgr.started.abandon()


def crashed_place(path: Path) -> None:
    for kind in ("folder", "dual", "served", "network"):
        folder = path / f"{kind}{len(list(path.iterdir()))}"
        folder.mkdir()
        place = Place(kind, folder)
        place.crash()
        place.close()


@pytest.mark.core
@pytest.mark.timeout(120)
@pytest.mark.parametrize("one", [broken_down, crashed, crashed_place], ids=lambda one: one.__name__)
def test_crashes_when_there_were_many_then_nothing_is_left(tmp_path: Path, one: Round) -> None:
    assert left_after(ROUNDS, lambda: one(tmp_path)) == ([], [])


@pytest.mark.core
def test_abandon_when_a_unit_was_open_then_the_next_start_backs_it_out(tmp_path: Path) -> None:
    qmgr = ternmq.embedded(tmp_path, create=True)
    assert qmgr.mqsc("DEFINE QLOCAL(Q)")[0].ok
    with qmgr.queue("Q") as queue:
        queue.put(b"kept", persistent=True)
        qmgr.begin()
        queue.put(b"lost", persistent=True, syncpoint=True)
        qmgr.started.abandon()
        with pytest.raises(ternmq.MQError):
            qmgr.commit()
    with ternmq.embedded(tmp_path) as again, again.queue("Q") as queue:
        assert [message.data for message in queue.browse()] == [b"kept"]


# ---- what works on the files of a queue manager that is down


def looks(path: Path) -> None:
    if not (path / "qmgrs").exists():
        with ternmq.embedded(path, create=True) as qmgr:
            use(qmgr)
    with Folder(path, NAME) as folder:
        folder.overlay()
    set_buffers(path, NAME, pattern="Q", persistent=100_000)


def copies(path: Path) -> None:
    number = len(list(path.iterdir()))
    source, target = path / f"source{number}", path / f"target{number}"
    with ternmq.embedded(source, create=True, log_type="linear") as qmgr:
        use(qmgr)
    backup = Backup.create(source, target)
    backup.replay()
    backup.activate()
    disk = OsDisk(str(target / "qmgrs" / NAME))
    started = start(disk, NAME, False, log_parameters("linear", 3, 2, 64, False), None, None)
    started.stop()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("one", [looks, copies], ids=lambda one: one.__name__)
def test_tools_when_they_ran_many_times_then_nothing_is_left(tmp_path: Path, one: Round) -> None:
    assert left_after(ROUNDS, lambda: one(tmp_path)) == ([], [])
