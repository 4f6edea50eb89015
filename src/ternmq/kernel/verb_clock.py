"""The time one verb of a connection takes: kept by the shell that runs it, while the connection has
an account.

The kernel says where the time belongs (`booked`): on a queue's put, on the commits. Elapsed time is
from `begin` to `end` without the wait of an MQGET for a message. Where one thread serves many, CPU
time is that of the thread from `begin` to `end` without any wait, for others work meanwhile; a
thread that serves one connection at a time looks at its CPU clock itself.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base.accounts import VerbTime
from ternmq.kernel.thread_cpu import ThreadCPU

FORCE: Final = 1
READ: Final = 2
SUSPENSION: Final = 3
MESSAGE: Final = 4


@final
class VerbClock:
    """Times of the verb that runs, and where they go."""

    __slots__ = (
        "begun_ns",
        "booked",
        "cpu_ns",
        "cpu_since_ns",
        "force_ns",
        "forces",
        "message_ns",
        "read_ns",
        "reads",
        "since_ns",
        "suspended_ns",
        "suspensions",
        "thread",
        "waits_for",
    )

    def __init__(self) -> None:
        self.booked: VerbTime | None = None
        self.begun_ns: i64 = 0  # monotonic; 0 while no verb runs
        self.waits_for: i64 = 0
        self.since_ns: i64 = 0  # when that wait began
        self.force_ns: i64 = 0
        self.forces: i64 = 0
        self.read_ns: i64 = 0
        self.reads: i64 = 0
        self.suspended_ns: i64 = 0
        self.suspensions: i64 = 0
        self.message_ns: i64 = 0
        self.thread: ThreadCPU | None = None
        self.cpu_ns: i64 = 0  # until the last wait began
        self.cpu_since_ns: i64 = 0  # of the thread, when the verb began or went on

    def begin(self, now_ns: i64, thread: ThreadCPU | None) -> None:
        """A verb begins; in a thread that serves many, its CPU time is booked with it."""
        self.booked = None
        self.begun_ns = now_ns
        self.waits_for = 0
        self.force_ns = 0
        self.forces = 0
        self.read_ns = 0
        self.reads = 0
        self.suspended_ns = 0
        self.suspensions = 0
        self.message_ns = 0
        self.thread = thread
        if thread is not None:
            self.cpu_ns = 0
            self.cpu_since_ns = thread.at(now_ns)

    def wait(self, what: i64, now_ns: i64) -> None:
        """It begins to wait, or for something else than before."""
        if self.waits_for:
            self.go_on(now_ns)
        if self.thread is not None:
            self.cpu_ns += self.thread.at(now_ns) - self.cpu_since_ns
        self.waits_for = what
        self.since_ns = now_ns

    def go_on(self, now_ns: i64) -> None:
        """What it waited for is there."""
        took_ns = now_ns - self.since_ns
        what = self.waits_for
        self.waits_for = 0
        if what == FORCE:
            self.force_ns += took_ns
            self.forces += 1
        elif what == READ:
            self.read_ns += took_ns
            self.reads += 1
        elif what == SUSPENSION:
            self.suspended_ns += took_ns
            self.suspensions += 1
        elif what == MESSAGE:
            self.message_ns += took_ns
        if self.thread is not None:
            self.cpu_since_ns = self.thread.at(now_ns)

    def end(self, now_ns: i64, otherwise: VerbTime) -> None:
        """The verb is over. What the kernel booked nowhere goes to `otherwise`."""
        if self.begun_ns == 0:
            return
        if self.waits_for:
            self.go_on(now_ns)
        booked = self.booked
        if booked is None:
            booked = otherwise
            booked.calls += 1
            self.booked = booked
        elapsed_ns = now_ns - self.begun_ns - self.message_ns
        self.begun_ns = 0
        booked.elapsed_ns += elapsed_ns
        if self.forces:
            booked.force_wait_ns += self.force_ns
            booked.force_waits += self.forces
        if self.reads or self.suspensions:
            booked.read_ns += self.read_ns
            booked.reads += self.reads
            booked.suspended_ns += self.suspended_ns
            booked.suspensions += self.suspensions
        if self.thread is not None:
            booked.cpu_ns += self.cpu_ns + self.thread.at(now_ns) - self.cpu_since_ns
