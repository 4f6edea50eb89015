"""The bed for rows that lose power or kill the queue manager: embedded, on a simulated disk."""

from __future__ import annotations

from typing import Any

from ternmq import Connection
from ternmq import constants as mq
from ternmq.host.shared_threads import thread_transport
from ternmq.pubsub.publish_subscribe import PublishSubscribe, pubsub_of
from ternmq.runtime.embedded import QueueManager
from ternmq.testing.simulation import LOSES, Simulation
from ternmq.values.command import Answer
from tests.conformance.pubsub.bed import Bed


class CrashBed(Bed):
    """A queue manager that can be stopped in any way."""

    def __init__(self, sim: Simulation | None = None, qmgr: QueueManager | None = None) -> None:
        self.binding = "embedded"
        self._opened = []
        self.sim = sim or Simulation(log_file_pages=256)
        self.qmgr = qmgr or self.sim.start()
        self.connection = self.qmgr

    @classmethod
    def over(cls, qmgr: QueueManager) -> CrashBed:
        """A queue manager that somebody else stops."""
        made = cls.__new__(cls)
        made.binding = "embedded"
        made._opened = []
        made.qmgr = qmgr
        made.connection = qmgr
        return made

    @property
    def kernel(self) -> Any:
        return self.qmgr.started.shell.engine.kernel

    @property
    def pubsub(self) -> PublishSubscribe:
        return pubsub_of(self.kernel)

    def connect(self, binding: str = "", user: str | None = None, **options: Any) -> Connection:
        started = self.qmgr.started
        return Connection(
            thread_transport(started.shell, user or started.user, started.application, None)
        )

    def mqsc(self, text: str, *, ok: bool = True) -> list[Answer]:
        answers = self.qmgr.mqsc(text)
        if ok:
            for answer in answers:
                assert answer.ok, answer
        return answers

    def crash(self, fate: str = LOSES) -> None:
        """The power fails, and it is started again."""
        self.sim.crash(fate)
        self._again()

    def kill(self) -> None:
        """kill -9 and start."""
        self.sim.kill()
        self._again()

    def end_and_start(self) -> None:
        """endmqm and strmqm."""
        self.sim.stop()
        self._again()

    def restart(self, how: str = "end") -> None:
        """By name: end, kill, crash."""
        {"end": self.end_and_start, "kill": self.kill, "crash": self.crash}[how]()

    def _again(self) -> None:
        self.qmgr = self.sim.start()
        self.connection = self.qmgr

    def tick(self, times: int = 1) -> None:
        """Let it do its background work."""
        for _ in range(times):
            self.sim.settle()

    def depth(self, queue: str) -> int:
        """CURDEPTH."""
        local = self.kernel.locals.get(queue)
        return 0 if local is None else int(local.queue.depth)

    def depth_of(self, queue: str) -> int:
        """CURDEPTH of a queue that need not be in memory."""
        handle = self.open(queue, mq.MQOO_INQUIRE)
        (depth,) = self.inquire(handle, mq.MQIA_CURRENT_Q_DEPTH)
        self.close_handle(handle)
        return int(depth)

    def managed(self) -> list[str]:
        """The managed queues that there are."""
        names = self.kernel.catalog.definitions
        return sorted(one for one in names if one.startswith("SYSTEM.MANAGED."))

    def close(self) -> None:
        self.sim.stop()
