"""Goal (P6): a file that cannot be read because the process lacks something (file descriptors,
memory), or because whoever read it was interrupted, is not damaged: a verb is told, and the next
one reads it. Method: the public API on a disk that fails when told to.
"""

import errno

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.runtime.embedded import QueueManager
from ternmq.runtime.starting import start
from ternmq.testing.sim_disk import SimDisk
from tests.mqi import mqi

pytestmark = [pytest.mark.core, pytest.mark.promise("P6")]

MESSAGES = 1500


class Lacking:
    """No file of a queue can be read while `error` is set; `interrupts` are to come."""

    def __init__(self, disk: SimDisk) -> None:
        self.error = 0
        self.interrupts = 0
        disk.faults = self

    def __call__(self, call: str, path: str, count: int) -> None:
        if call not in ("open", "pread") or not path.startswith("queues/"):
            return
        if self.interrupts:
            self.interrupts -= 1
            raise KeyboardInterrupt
        if self.error:
            raise OSError(self.error, "injected", path)


def begin(disk: SimDisk) -> QueueManager:
    parameters = LogParameters(CIRCULAR, 3, 20, 256, False)
    return QueueManager(start(disk, "QM1", True, parameters, "tester", "test"))


def fill(qmgr: QueueManager) -> None:
    """More than the buffers hold; the first hundred stay in memory."""
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        for number in range(MESSAGES):
            queue.put(b"%d" % number + bytes(2000), correl_id=b"%d" % number)
        mqi(qmgr).shell.finish_effects()
        assert queue.storage_status().swept > 0


@pytest.mark.parametrize("error", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_segment_when_it_cannot_be_read_now_then_reported_and_read_later(error: int) -> None:
    disk = SimDisk()
    with begin(disk) as qmgr:
        fill(qmgr)
        lacking = Lacking(disk)
        with qmgr.queue("A") as queue:
            for verb in (
                lambda: list(queue.browse()),
                lambda: queue.get(correl_id=b"200"),
                lambda: queue.get(correl_id=b"200"),
            ):
                lacking.error = error
                with pytest.raises(ternmq.MQError) as refused:
                    verb()
                assert refused.value.reason == mq.MQRC_RESOURCE_PROBLEM
                assert refused.value.object == "A"
                assert "injected" in str(refused.value)
                lacking.error = 0
                assert len(list(queue.browse())) == MESSAGES
            assert len(list(queue)) == MESSAGES


def test_segment_when_its_reader_is_interrupted_then_it_is_read_again() -> None:
    disk = SimDisk()
    with begin(disk) as qmgr:
        fill(qmgr)
        lacking = Lacking(disk)
        with qmgr.queue("A") as queue:
            lacking.interrupts = 1
            with pytest.raises(KeyboardInterrupt):
                list(queue.browse())
            assert lacking.interrupts == 0
            assert len(list(queue.browse())) == MESSAGES


def test_queue_when_it_cannot_be_loaded_now_then_reported_and_loaded_later() -> None:
    disk = SimDisk()
    with begin(disk) as qmgr:
        qmgr.define_queue("A")
        qmgr.put("A", "kept", descriptor=ternmq.Descriptor(persistence=1))
    lacking = Lacking(disk)
    with begin(disk) as qmgr:
        lacking.error = errno.EMFILE
        with pytest.raises(ternmq.MQError) as refused:
            qmgr.queue("A")
        assert refused.value.reason == mq.MQRC_RESOURCE_PROBLEM
        lacking.error = 0
        lacking.interrupts = 1
        with pytest.raises(KeyboardInterrupt):
            qmgr.queue("A")
        with qmgr.queue("A") as queue:
            assert queue.get().text == "kept"


def test_streaming_queue_when_it_cannot_be_loaded_now_then_the_next_put_is_copied() -> None:
    disk = SimDisk()
    with begin(disk) as qmgr:
        qmgr.define_queue("COPY")
        qmgr.define_queue("A", stream_queue="COPY")
        with qmgr.queue("A") as queue:
            queue.put("first", persistent=True)
        qmgr.checkpoint()
    lacking = Lacking(disk)
    with begin(disk) as qmgr:
        with qmgr.queue("A"):
            pass  # is in memory from here on
        lacking.error = errno.EMFILE
        with qmgr.queue("A", options=mq.MQOO_OUTPUT) as queue:
            queue.put("second", persistent=True)
            lacking.error = 0
            queue.put("third", persistent=True)
        with qmgr.queue("COPY") as copies:
            assert [one.text for one in copies] == ["first", "third"]
