"""Goal: files of dead segments go as soon as no restart can want them, without a checkpoint, and
until then count in CURFSIZE and MAXFSIZE. Method: a queue manager whose effects the test runs; the
files on its disk are counted, with crashes and a media image in between.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ternmq.base.errors import MQError
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.store.queue import Queue as Storage
from tests.model.audit import audit_files
from tests.model.rig import Rig

pytestmark = pytest.mark.core

NAME = "Q"
BODY = bytes(20_000)


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig(LogParameters(CIRCULAR, 3, 2, 4096, False))
    define(rig, NAME)
    yield rig
    rig.stop()


def define(rig: Rig, name: str, megabytes: int = 100) -> None:
    rig.qmgr.define_queue(
        name,
        max_depth=10_000,
        max_file_megabytes=megabytes,
        persistent_buffer=1 << 16,
        nonpersistent_buffer=1 << 16,
    )


def storage(rig: Rig, name: str = NAME) -> Storage:
    return rig.engine.kernel.locals[name].queue


def files(rig: Rig, name: str = NAME) -> int:
    """Bytes of the segment files on the disk."""
    folder = rig.engine.kernel.catalog.definitions[name].folder
    paths = [f"{folder}/{one}" for one in rig.disk.list(folder) if one.endswith(".seg")]
    return sum(rig.disk.size(path) for path in paths)


def put(rig: Rig, count: int, *, persistent: bool = False, name: str = NAME) -> None:
    with rig.qmgr.queue(name) as queue:
        for _ in range(count):
            queue.put(BODY, persistent=persistent)
            rig.run_effects(1)
    rig.settle()


def get_all(rig: Rig, name: str = NAME) -> int:
    with rig.qmgr.queue(name) as queue:
        count = 0
        while queue.try_get() is not None:
            count += 1
    rig.settle()
    return count


def checkpoint(rig: Rig) -> None:
    rig.qmgr.checkpoint()
    rig.settle()


def test_files_when_non_persistent_messages_were_got_then_gone_without_a_checkpoint(
    rig: Rig,
) -> None:
    for _ in range(3):
        put(rig, 100)
        assert storage(rig).file_bytes == files(rig) > 50 * len(BODY)
        assert get_all(rig) == 100
        assert (files(rig), storage(rig).file_bytes, storage(rig).waste.doomed) == (0, 0, [])
    assert rig.engine.keeper.checkpoints == 0


def test_files_when_the_journal_names_non_persistent_segments_then_they_go_all_the_same(
    rig: Rig,
) -> None:
    put(rig, 100)
    checkpoint(rig)
    assert get_all(rig) == 100
    assert files(rig) == 0
    rig.start()  # as after a crash: the journal still names them
    assert get_all(rig) == 0
    audit_files(rig.engine, rig.disk)


def test_files_when_persistent_messages_no_journal_knows_are_got_then_gone_at_once(
    rig: Rig,
) -> None:
    put(rig, 100, persistent=True)
    assert storage(rig).segments
    assert get_all(rig) == 100
    assert files(rig) == 0
    rig.start()
    assert get_all(rig) == 0


def test_files_when_the_journal_reports_persistent_messages_then_a_checkpoint_releases_them(
    rig: Rig,
) -> None:
    put(rig, 100, persistent=True)
    checkpoint(rig)
    size = files(rig)
    assert get_all(rig) == 100
    queue = storage(rig)
    assert files(rig) == size == queue.file_bytes == queue.waste.bytes
    checkpoint(rig)
    assert (files(rig), queue.file_bytes, queue.waste.bytes) == (0, 0, 0)


def test_files_when_the_dead_persistent_ones_were_reported_then_the_last_get_frees_them(
    rig: Rig,
) -> None:
    """One segment with messages of both kinds: after a checkpoint that knows the persistent ones as
    dead, restart does not want the file."""
    with rig.qmgr.queue(NAME) as queue:
        ids = [queue.put(BODY, persistent=number % 2 == 0) for number in range(60)]
        rig.settle()
        checkpoint(rig)
        for number in range(0, 60, 2):
            queue.get(msg_id=ids[number])
        rig.settle()
        before = files(rig)
        checkpoint(rig)
        assert 0 < files(rig) <= before
        for number in range(1, 60, 2):
            queue.get(msg_id=ids[number])
        rig.settle()
    assert files(rig) == 0
    rig.start()
    assert get_all(rig) == 0
    assert not rig.engine.kernel.catalog.damaged


def test_maxfsize_when_dead_files_are_in_the_way_then_a_put_waits_for_their_end(rig: Rig) -> None:
    define(rig, "SMALL", 20)
    for persistent in (False, True, False, True):
        with rig.qmgr.queue("SMALL") as queue:
            for _ in range(90):
                queue.put(BODY * 10, persistent=persistent)
                rig.run_effects(1)
                assert files(rig, "SMALL") <= 20 << 20
        rig.settle()
        checkpoint(rig)
        assert get_all(rig, "SMALL") == 90
    with pytest.raises(MQError, match="MAXFSIZE"):
        put(rig, 1200, name="SMALL")
    rig.settle()
    assert files(rig, "SMALL") <= 20 << 20


@pytest.mark.parametrize("persistent", [False, True])
def test_clear_when_done_then_the_files_are_gone(rig: Rig, persistent: bool) -> None:
    put(rig, 100, persistent=persistent)
    checkpoint(rig)
    assert files(rig) > 1 << 20
    rig.qmgr.clear_queue(NAME)
    rig.settle()
    assert (files(rig), storage(rig).file_bytes) == (0, 0)


def test_temporary_queue_when_its_messages_were_got_or_it_is_gone_then_no_file_is_left(
    rig: Rig,
) -> None:
    with rig.qmgr.queue("SYSTEM.DEFAULT.MODEL.QUEUE") as queue:
        folder = rig.engine.kernel.catalog.definitions[queue.name].folder
        for _ in range(300):
            queue.put(BODY)
            rig.run_effects(2)
        rig.settle()
        assert rig.disk.list(folder)
        while queue.try_get() is not None:
            pass
        rig.settle()
        assert not rig.disk.list(folder)
        for _ in range(300):
            queue.put(BODY)
            rig.run_effects(2)
        rig.settle()
        assert rig.disk.list(folder)
    rig.settle()
    assert not rig.disk.list(folder)


def test_restart_when_a_crash_left_files_that_nothing_names_then_they_go(rig: Rig) -> None:
    define(rig, "JOURNALLED")
    put(rig, 1, persistent=True, name="JOURNALLED")
    checkpoint(rig)
    put(rig, 100)
    put(rig, 100, name="JOURNALLED")
    queue = rig.qmgr.queue("SYSTEM.DEFAULT.MODEL.QUEUE")
    temporary = rig.engine.kernel.catalog.definitions[queue.name].folder
    for _ in range(300):
        queue.put(BODY)
        rig.run_effects(2)
    rig.settle()
    assert files(rig) > 0
    assert files(rig, "JOURNALLED") > 0
    assert rig.disk.list(temporary)
    rig.start()
    assert files(rig) == 0
    assert not rig.disk.exists(temporary)
    assert get_all(rig, "JOURNALLED") == 1
    audit_files(rig.engine, rig.disk)


def test_removal_when_the_disk_refuses_then_the_next_checkpoint_tries_again(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(rig, 100)

    def refuse(path: str) -> None:
        raise OSError(5, "no")

    with monkeypatch.context() as patched:
        patched.setattr(rig.disk, "unlink", refuse)
        assert get_all(rig) == 100
        size = files(rig)
        assert size == storage(rig).file_bytes > 0
        rig.qmgr.checkpoint()
        rig.settle()
        assert files(rig) == size == storage(rig).file_bytes
    checkpoint(rig)
    assert (files(rig), storage(rig).file_bytes) == (0, 0)


def test_sparse_segments_when_only_non_persistent_work_is_done_then_compacted(rig: Rig) -> None:
    """One message in fifty stays: without a checkpoint its file must not stay as long as it is."""
    ids: list[bytes] = []
    with rig.qmgr.queue(NAME) as queue:
        for _ in range(3000):
            ids.append(queue.put(bytes(5000)))
            rig.run_effects(1)
        rig.settle()
        size = files(rig)
        for number, msg_id in enumerate(ids):
            if number % 50:
                queue.get(msg_id=msg_id)
        for _ in range(40):
            with rig.shell.lock:
                rig.engine.sweeper.cycle()
            rig.settle()
        assert files(rig) < size // 4
        assert rig.engine.keeper.checkpoints == 0
        assert [queue.get().msg_id for _ in range(60)] == ids[::50]
