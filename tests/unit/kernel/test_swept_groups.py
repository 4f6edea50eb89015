"""Groups whose messages lie in segments: what is read of the disk, and in which order they come."""

from __future__ import annotations

import threading

import pytest

from ternmq import Queue, QueueManager
from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.ports.disk import DiskFile
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.runtime.starting import start
from tests.battery.places import copy_of, sweep
from tests.model.group_audit import audit_groups
from tests.model.rig import CutDisk, CutFile

pytestmark = [pytest.mark.core, pytest.mark.timeout(120)]

ORDER = mq.MQGMO_LOGICAL_ORDER
ALL = mq.MQGMO_ALL_MSGS_AVAILABLE
SMALL = 65_536
COUNT = 3_000
G = b"G" * 24


class ReadFile(CutFile):
    """A segment file that counts what is read of it."""

    def pread(self, offset: int, length: int) -> bytes:
        assert isinstance(self.disk, ReadDisk)
        with self.disk.counting:
            self.disk.read_bytes += length
        return self.inner.pread(offset, length)


class ReadDisk(CutDisk):
    """Counts what is read of segments."""

    def __init__(self, inner: MemoryDisk) -> None:
        super().__init__(inner)
        self.counting = threading.Lock()
        self.read_bytes = 0

    def open(self, path: str) -> DiskFile:
        file = self.inner.open(path)
        return ReadFile(self, file) if path.endswith(".seg") else file


def started(disk: ReadDisk) -> QueueManager:
    parameters = LogParameters(CIRCULAR, 3, 2, 256, False)
    return QueueManager(start(disk, "QM1", True, parameters, "tester", "groups"))


@pytest.fixture
def disk() -> ReadDisk:
    return ReadDisk(MemoryDisk())


@pytest.fixture
def qmgr(disk: ReadDisk) -> QueueManager:
    qmgr = started(disk)
    qmgr.define_queue("Q", max_depth=100_000, persistent_buffer=SMALL, nonpersistent_buffer=SMALL)
    return qmgr


def put(queue: Queue, group: bytes, number: int, count: int, persistent: bool = False) -> None:
    last = mq.MQMF_LAST_MSG_IN_GROUP if number == count else 0
    md = Descriptor(
        version=2,
        group_id=group,
        msg_seq_number=number,
        msg_flags=mq.MQMF_MSG_IN_GROUP | last,
    )
    queue.put(b"%d" % number, descriptor=md, persistent=persistent)


def numbers(queue: Queue, options: int) -> list[int]:
    found = []
    while (message := queue.try_get(options=options)) is not None:
        found.append(int(message.data))
    return found


def audit(qmgr: QueueManager, disk: ReadDisk) -> None:
    engine = qmgr.started.shell.engine
    with qmgr.started.shell.lock:
        audit_groups(engine.kernel.locals["Q"].queue, disk.inner)


def test_group_without_its_last_then_no_byte_of_a_segment_is_read(
    qmgr: QueueManager, disk: ReadDisk
) -> None:
    with qmgr.queue("Q") as queue:
        for number in range(1, COUNT):
            put(queue, G, number, COUNT)
        assert sweep(qmgr, "Q") > COUNT // 2
        disk.read_bytes = 0
        for options in (ALL, ALL | ORDER, ALL | ORDER | mq.MQGMO_BROWSE_FIRST):
            assert queue.try_get(options=options) is None
        assert disk.read_bytes == 0
        put(queue, G, COUNT, COUNT)
        assert numbers(queue, ALL | ORDER) == list(range(1, COUNT + 1))
    qmgr.close()


def test_group_in_order_then_each_segment_is_read_once(qmgr: QueueManager, disk: ReadDisk) -> None:
    with qmgr.queue("Q") as queue:
        for number in range(1, COUNT + 1):
            put(queue, G, number, COUNT)
        sweep(qmgr, "Q")
        audit(qmgr, disk)
        status = queue.storage_status()
        disk.read_bytes = 0
        assert numbers(queue, ORDER) == list(range(1, COUNT + 1))
        assert disk.read_bytes <= status.file_bytes * 1.1
    qmgr.close()


def test_browse_of_a_group_in_order_then_each_segment_is_read_once(
    qmgr: QueueManager, disk: ReadDisk
) -> None:
    with qmgr.queue("Q") as queue:
        for number in range(1, COUNT + 1):
            put(queue, G, number, COUNT)
        sweep(qmgr, "Q")
        status = queue.storage_status()
        disk.read_bytes = 0
        found = [int(message.data) for message in queue.browse(options=ORDER | ALL)]
        assert found == list(range(1, COUNT + 1))
        assert disk.read_bytes <= status.file_bytes * 1.1
    qmgr.close()


def test_groups_put_backwards_and_mixed_then_in_order_also_after_a_crash(
    qmgr: QueueManager, disk: ReadDisk
) -> None:
    groups = [b"%024d" % at for at in range(30)]
    with qmgr.queue("Q") as queue:
        for number in range(40, 0, -1):
            for group in groups:
                put(queue, group, number, 40, True)
        assert sweep(qmgr, "Q") > 800
    qmgr.started.shell.stop_housekeeper()
    after = ReadDisk(copy_of(disk.inner))
    again = started(after)
    with again.queue("Q") as queue:
        queue.inquire(mq.MQIA_CURRENT_Q_DEPTH)
        audit(again, after)
        with again.unit_of_work():
            assert numbers(queue, ORDER | ALL) == list(range(1, 41)) * 30
        audit(again, after)
    again.close()


def test_backout_of_swept_messages_then_the_group_is_there_again(
    qmgr: QueueManager, disk: ReadDisk
) -> None:
    with qmgr.queue("Q") as queue:
        for number in range(1, 1_001):
            put(queue, G, number, 1_000, True)
        sweep(qmgr, "Q")
        for expected in (range(1, 201), range(1, 1_001)):
            found = []
            for _ in expected:
                message = queue.get(options=ORDER | ALL, syncpoint=True)
                found.append(int(message.data))
            assert found == list(expected)
            qmgr.backout()
            audit(qmgr, disk)
    qmgr.close()


def test_plain_messages_between_incomplete_groups_then_only_they_come(
    qmgr: QueueManager, disk: ReadDisk
) -> None:
    with qmgr.queue("Q") as queue:
        for at in range(1_500):
            put(queue, b"%024d" % at, 1, 2)
            if at % 500 == 250:
                queue.put(b"%d" % at)
        sweep(qmgr, "Q")
        assert numbers(queue, ORDER | ALL) == [250, 750, 1250]
        put(queue, b"%024d" % 1_499, 2, 2)
        assert numbers(queue, ORDER | ALL) == [1, 2]
        audit(qmgr, disk)
    qmgr.close()
